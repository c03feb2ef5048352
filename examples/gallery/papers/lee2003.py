"""
Lee, Liu 2003: choose a model without negatives
===============================================

Precision cannot be computed without negatives. But recall² / P(predicted positive) can: it equals precision ×
recall / P(positive), so it is high where precision and recall both are.
"""

import altair as alt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from onesided import WeightedLogisticRegression
from onesided.datasets import make_gaussians
from onesided.metrics import lee_liu_score

# %%
# The rows are drawn from two normal distributions, so the truth is known. The model learns from one half of the rows.

drawn = make_gaussians(2.0, n_features=3, class_prior=0.2).sample(1000, 10000, random_state=0)
X, X_test, y, y_test, _, truth = train_test_split(drawn.X, drawn.y, drawn.y_true, random_state=0)
scores = WeightedLogisticRegression().fit(X, y).decision_function(X_test)

# %%
# On the other half the criterion is computed at many thresholds, from labels alone, and compared with the same number
# from the truth.

unlabeled = y_test == 0
rows = []
for share in np.linspace(0.02, 0.8, 40):
    called = scores >= np.quantile(scores[unlabeled], 1 - share)
    criterion = lee_liu_score(y_test, called.astype(int), scenario="case-control")
    precision = truth[called & unlabeled].mean()
    recall = called[unlabeled & (truth == 1)].mean()
    rows.append((share, float(criterion), precision * recall / truth[unlabeled].mean()))
names = ["called positive", "from labels", "from the truth"]
found = pd.DataFrame(rows, columns=names)
print(found.set_index("called positive").idxmax().round(2))

# %%
# Both curves are highest at nearly the same threshold, so the criterion finds a good threshold without negatives.

alt.Chart(found.melt(names[0], var_name="computed", value_name="criterion")).mark_line().encode(
    x=alt.X("called positive:Q", axis=alt.Axis(format="%")), y="criterion:Q", color="computed:N"
)
