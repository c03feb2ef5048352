"""
Calvo et al. 2007: Bayesian networks without negatives
======================================================

A Bayesian classifier needs the probability of each value among the negatives. Nobody labeled negatives, but the
unlabeled rows are a mixture: subtract the positive part, and the negative part is left.
"""

import altair as alt
import pandas as pd
from sklearn.metrics import roc_auc_score

from onesided import PositiveNaiveBayes, PositiveTAN
from onesided.datasets import make_tan

# %%
# The features form a chain: each feature depends on the feature before it and on the class. The model of the data is
# known, so its structure can be compared with the learned one. The true class prior is 0.3.

truth = make_tan("chain", n_features=8, n_values=3, random_state=0)
drawn = truth.sample(1000, 20000, class_prior=0.3, random_state=0)
test = truth.sample(300, 5000, class_prior=0.3, random_state=1)

# %%
# :class:`~onesided.PositiveTAN` finds a tree over the features. Naive Bayes takes the features for independent.

rows = []
for prior in (0.1, 0.2, 0.3, 0.4, 0.5):
    for model in (PositiveNaiveBayes(class_prior=prior), PositiveTAN(class_prior=prior)):
        scores = model.fit(drawn.X, drawn.y).decision_function(test.X)
        rows.append((prior, type(model).__name__, roc_auc_score(test.y_true, scores)))
found = pd.DataFrame(rows, columns=["assumed class prior", "model", "true AUC"])
print(found.pivot_table("true AUC", "assumed class prior", "model").round(3))

# %%
# The tree ranks better where features depend on each other.

alt.Chart(found).mark_line(point=True).encode(
    x="assumed class prior:Q", y=alt.Y("true AUC:Q", scale=alt.Scale(zero=False)), color="model:N"
)

# %%
# The learned tree holds six of the seven links of the chain. Thin lines are weak links, which are hard to tell from
# other weak links.

PositiveTAN(class_prior="estimate").fit(drawn.X, drawn.y).plot_structure()
