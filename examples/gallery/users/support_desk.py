"""
Support desk: messages of no known kind
=======================================

A support desk knows four kinds of messages. Which new messages belong to none of these kinds?
"""

import random

import altair as alt
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer

from onesided import NearestKnown
from onesided.unexpected import find_unexpected

# %%
# The messages are made of a few words. Among the new messages are some about a break-in, which the desk
# has never met.

draw = random.Random(1)
KINDS = {
    "login": "password account login reset email locked code",
    "invoice": "invoice payment card refund charge bank tax",
    "delivery": "parcel courier address late tracking box shipped",
    "returns": "return broken size exchange colour label shop",
}
BREAK_IN = "stranger hacked stolen fraud police device breach"


def message(words):
    """Write a message of ten words."""
    return " ".join(draw.choices([*words.split(), "please", "hello", "order", "today"], k=10))


known = pd.DataFrame(
    [(kind, message(words)) for kind, words in KINDS.items() for _ in range(60)],
    columns=["kind", "message"],
)
new = pd.DataFrame(
    [(message(draw.choice(list(KINDS.values()))), False) for _ in range(90)]
    + [(message(BREAK_IN), True) for _ in range(12)],
    columns=["message", "is_break_in"],
)

# %%
# :func:`~onesided.unexpected.find_unexpected` flags messages so that, in expectation, at most 10 % of the flagged
# messages belong to a known kind.

result = find_unexpected(known, new[["message"]], kind="kind", fdr=0.1)
print(f"{result.n_flagged} of {len(new)} messages are flagged")
print(result.to_frame("pandas")[["rank", "score", "nearest_known"]].head(3))

# %%
# The learner behind it is :class:`~onesided.NearestKnown`: a message scores low if no known message is near.

X = CountVectorizer().fit_transform([*known["message"], *new["message"]])
y = np.repeat([1, 0], [len(known), len(new)])
model = NearestKnown().fit(X, y, kinds=[*known["kind"], *[""] * len(new)])
rows = pd.DataFrame(
    {
        "score": model.decision_function(X[y == 0]),
        "message": np.where(new["is_break_in"], "about the break-in", "of a known kind"),
    }
)
alt.Chart(rows).mark_bar(opacity=0.7).encode(
    x=alt.X("score:Q", bin=alt.Bin(maxbins=30), title="score"),
    y=alt.Y("count()", stack=None, title="new messages"),
    color="message:N",
)
