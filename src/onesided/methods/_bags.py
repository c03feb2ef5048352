"""Bags of other models than those of `PUBagging`."""

from __future__ import annotations

from typing import Any

from sklearn.tree import DecisionTreeClassifier

from onesided.models.composite import PUBagging

_SHARE = 0.3  # of the features that a split looks at


def bagged_decision_trees(**settings: Any) -> PUBagging:
    """Bagging of decision trees, which find the best cut of some of the features at each split.

    Parameters
    ----------
    settings : arguments of `PUBagging`
    """
    tree = DecisionTreeClassifier(max_features=_SHARE, min_samples_leaf=3, class_weight="balanced")
    return PUBagging(tree, **settings)
