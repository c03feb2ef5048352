"""Bayesian classifiers from positive and unlabeled rows (Calvo et al. 2007)."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.models.bayes._aode import PositiveAODE
from onesided.models.bayes._beta_prior import BetaPrior
from onesided.models.bayes._multinomial import PositiveMultinomialNB
from onesided.models.bayes._naive_bayes import PositiveNaiveBayes
from onesided.models.bayes._networks import PositiveKDB, PositiveTAN

__all__ = [
    "BetaPrior",
    "PositiveAODE",
    "PositiveKDB",
    "PositiveMultinomialNB",
    "PositiveNaiveBayes",
    "PositiveTAN",
]

name_publicly(__name__)
