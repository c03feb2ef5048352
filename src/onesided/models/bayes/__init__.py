"""Bayesian classifiers from positive and unlabeled rows (Calvo et al. 2007)."""

from onesided.models.bayes._aode import PositiveAODE
from onesided.models.bayes._class_prior import BetaPrior
from onesided.models.bayes._estimator import PositiveNaiveBayes
from onesided.models.bayes._networks import PositiveKDB, PositiveTAN
from onesided.models.bayes._words import PositiveMultinomialNB

__all__ = [
    "BetaPrior",
    "PositiveAODE",
    "PositiveKDB",
    "PositiveMultinomialNB",
    "PositiveNaiveBayes",
    "PositiveTAN",
]
