"""
Reviewer: which papers to read
==============================

A systematic review already includes some papers of a search. Which of the other papers must be read so that at
least 90 % of the relevant papers are found?
"""

import random

import altair as alt
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from onesided import WeightedLogisticRegression
from onesided.datasets import hide_labels
from onesided.promises import hidden_positive_scores, recall_shortlist

# %%
# The abstracts are made of words that relevant papers use more often. 160 relevant papers are included, and 2,000
# papers nobody has read.

draw = random.Random(0)
relevant_words = ["trial", "placebo", "dose", "patients", "randomised", "outcome"]
other_words = ["mouse", "protein", "model", "cell", "survey", "review", "cost", "theory"]


def abstract(share):
    """Write an abstract of 12 words, a share of them typical of relevant papers."""
    words = [
        draw.choice(relevant_words if draw.random() < share else other_words) for _ in range(12)
    ]
    return " ".join(words)


is_relevant = np.arange(4000) < 400
papers = np.array([abstract(0.6 if relevant else 0.2) for relevant in is_relevant])
drawn = hide_labels(papers, is_relevant, n_positive=160, n_unlabeled=2000, random_state=0)

# %%
# Half of the included papers count as unlabeled while a model learns from the rest. Their *hidden-positive scores*
# show where relevant papers rank that nobody knows yet.

model = make_pipeline(TfidfVectorizer(), WeightedLogisticRegression())
hidden, unread = hidden_positive_scores(model, drawn.X, drawn.y, random_state=0)
shortlist = recall_shortlist(hidden, unread, recall=0.9, confidence=0.95)
print(shortlist)

# %%
# The shortlist holds at least 90 % of the relevant papers, with 95 % confidence, if the included papers are like
# the other relevant papers. Here the truth is known:

belongs = drawn.y_true[drawn.y == 0] == 1
print(f"papers to read: {shortlist.selected.mean():.0%} of {len(unread)}")
print(f"relevant papers among them: {shortlist.selected[belongs].mean():.0%}")

# %%
# The two kinds of papers overlap, so the threshold must be low to keep the relevant ones.

kinds = np.where(belongs, "relevant", "other")
scores = pd.DataFrame({"score": unread, "paper": kinds})
bars = (
    alt.Chart(scores)
    .mark_bar(opacity=0.7)
    .encode(
        x=alt.X("score:Q", bin=alt.Bin(maxbins=40), title="score"),
        y=alt.Y("count()", stack=None, title="papers"),
        color="paper:N",
    )
)
cut = (
    alt.Chart(pd.DataFrame({"cut": [unread[shortlist.selected].min()]}))
    .mark_rule()
    .encode(x=alt.X("cut:Q", title=""))
)
bars + cut
