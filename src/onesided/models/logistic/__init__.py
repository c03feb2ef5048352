"""Logistic regression with equal weight for positives and unlabeled (Lee, Liu 2003)."""

from onesided.models.logistic._estimator import WeightedLogisticRegression
from onesided.models.logistic._selection import WeightedLogisticRegressionCV

__all__ = ["WeightedLogisticRegression", "WeightedLogisticRegressionCV"]
