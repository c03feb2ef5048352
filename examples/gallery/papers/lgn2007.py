"""
Li, Liu, Ng 2007: one artificial document
=========================================

Among new documents a few belong to no known kind. They are too few to learn from. The method LGN makes *one*
artificial document of the words that are typical of the new documents and not of the known ones.
"""

import random

import altair as alt
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import roc_auc_score

from onesided import LGN

# %%
# Known documents are about music and sport. Ten of 110 new documents are about the weather.

draw = random.Random(0)
MUSIC = ["song", "band", "album", "guitar", "concert", "singer", "drum", "tune"]
SPORT = ["match", "team", "goal", "season", "coach", "player", "league", "referee"]
WEATHER = ["storm", "rain", "wind", "cloud", "snow", "forecast", "flood"]


def document(words):
    """Write a document of twelve words."""
    return " ".join(draw.choices([*words, "day", "stage", "people"], k=12))


known = [document(words) for words in (MUSIC, SPORT) for _ in range(100)]
new = [document(draw.choice([MUSIC, SPORT])) for _ in range(100)]
new += [document(WEATHER) for _ in range(10)]
is_weather = [False] * 100 + [True] * 10

# %%
# The model decides between the known documents and the artificial one.

words = CountVectorizer()
X = words.fit_transform([*known, *new])
model = LGN().fit(X, [1] * len(known) + [0] * len(new))
scores = model.decision_function(X[len(known) :])
print(f"AUC of the new kind: {roc_auc_score(is_weather, -scores):.3f}")

# %%
# The artificial document consists mostly of words about the weather.

counts = pd.DataFrame(
    {"word": words.get_feature_names_out(), "in the artificial document": model.artificial_counts_}
)
alt.Chart(counts.nlargest(12, "in the artificial document")).mark_bar().encode(
    x="in the artificial document:Q", y=alt.Y("word:N", sort="-x")
)
