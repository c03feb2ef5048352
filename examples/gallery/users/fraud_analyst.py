"""
Fraud analyst: when only easy fraud is known
============================================

Plain fraud is found easily, hidden fraud rarely. A list that was learned from the known cases looks better than
it is. This example shows by how much, and what checked claims add.
"""

import altair as alt
import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from onesided import WeightedLogisticRegression
from onesided.audit import Audit
from onesided.metrics import label_bias_band
from onesided.model_selection import hide_and_rank, unlabeled_out_of_fold_scores

# %%
# The claims are made up: 10 % are plain fraud, and half of it is known. 20 % are hidden fraud, of which
# 3 % is known.

rng = np.random.default_rng(7)
kind = rng.choice(["honest", "plain", "hidden"], 2000, p=[0.7, 0.1, 0.2])
signs = {"honest": [0, 0, 0, 0], "plain": [2.5, 2, 0, 0], "hidden": [0.5, 0, 1.5, 0.5]}
X = rng.normal([signs[each] for each in kind], 1)
y = rng.random(2000) < np.select([kind == "plain", kind == "hidden"], [0.5, 0.03])

# %%
# The hidden-positive AUC describes the *known* fraud. If the odds that a case is known may differ threefold, the
# AUC of all fraud lies between these limits:

model = WeightedLogisticRegression()
ranks = hide_and_rank(model, X, y).ranks
print(f"hidden-positive AUC: {1 - ranks.mean():.3f}")
low, high = label_bias_band(1 - ranks, ratio=3)
print(f"AUC of all fraud, odds up to threefold: {low:.3f} to {high:.3f}")
unlabeled = unlabeled_out_of_fold_scores(model, X, y, random_state=0)
is_fraud = (kind != "honest")[~y]  # what a person would find
print(f"the truth: {roc_auc_score(is_fraud, unlabeled.scores):.3f}")

# %%
# The truth is far below both limits, because the odds in these data differ 32-fold: 1 for plain fraud, 3 : 97
# for hidden fraud. No figure that rests on the known cases alone can show this.

# %%
# An audit needs no assumption about the labels. It draws claims by chance, a person checks them, and the interval
# for the number of frauds holds however the known cases became known.

audit = Audit(unlabeled.scores, random_state=0)
looks = []
for _ in range(10):
    rows = audit.draw(30)
    audit.record(rows, is_fraud[rows])
    found = audit.count()
    looks.append((len(audit.checked), found.point, *found.interval))

# %%
# The dashed line is the true number of frauds among the unlabeled claims.

rows = pd.DataFrame(looks, columns=["checked", "estimate", "low", "high"])
shown = alt.Chart(rows).encode(x=alt.X("checked:Q", title="checked claims"))
band = shown.mark_area(opacity=0.3).encode(y=alt.Y("low:Q", title="frauds"), y2="high:Q")
line = shown.mark_line().encode(y="estimate:Q")
truth = (
    alt.Chart(pd.DataFrame({"y": [int(is_fraud.sum())]}))
    .mark_rule(strokeDash=[4, 4])
    .encode(y="y:Q")
)
band + line + truth
