"""
Researcher: compare methods on several tasks
============================================

Which method ranks hidden positives highest on several data sets, and is the difference more than chance? The data
sets come with scikit-learn.
"""

from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from onesided import (
    CenterOfMassRanker,
    PositiveNaiveBayes,
    WeightedLogisticRegression,
    compare,
)
from onesided.datasets import hide_labels
from onesided.preprocessing import QuantileBinner

# %%
# Each task is a class of a data set. A third of the rows of this class are labeled; their labels are hidden again in
# the comparison.

features, labels = {}, {}
for name, load, positive in [
    ("malignant", load_breast_cancer, 0),
    ("digit 3", load_digits, 3),
    ("digit 8", load_digits, 8),
    ("wine 1", load_wine, 1),
]:
    X, y = load(return_X_y=True)
    drawn = hide_labels(X, y == positive, label_frequency=1 / 3, random_state=0)
    features[name], labels[name] = drawn.X, drawn.y

# %%
# All methods see the same folds. The mean AUC is over tasks.

methods = {
    "logistic": make_pipeline(StandardScaler(), WeightedLogisticRegression(C=0.1)),
    "naive Bayes": make_pipeline(QuantileBinner(), PositiveNaiveBayes()),
    "center of mass": make_pipeline(StandardScaler(), CenterOfMassRanker()),
}
found = compare(methods, features, labels)
print(found)
print(found.pairwise())

# %%
# With four tasks no p-value of Wilcoxon's test can be below 0.125: take more tasks before you conclude. The picture
# shows each task as a point and the mean as a line.

found.plot()
