"""Logistic regression with equal weight for positives and unlabeled (Lee, Liu 2003)."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.models.logistic._selection import WeightedLogisticRegressionCV
from onesided.models.logistic._weighted_logistic import WeightedLogisticRegression

__all__ = ["WeightedLogisticRegression", "WeightedLogisticRegressionCV"]

name_publicly(__name__)
