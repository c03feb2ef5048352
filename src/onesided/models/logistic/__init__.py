"""Logistic regression with equal weight for positives and unlabeled (Lee, Liu 2003)."""

from onesided.models.logistic._estimator import WeightedLogisticRegression

__all__ = ["WeightedLogisticRegression"]
