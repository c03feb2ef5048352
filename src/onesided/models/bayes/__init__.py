"""Bayesian classifiers from positive and unlabeled rows (Calvo et al. 2007)."""

from onesided.models.bayes._class_prior import BetaPrior
from onesided.models.bayes._estimator import PositiveNaiveBayes

__all__ = ["BetaPrior", "PositiveNaiveBayes"]
