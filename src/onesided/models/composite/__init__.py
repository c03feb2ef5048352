"""Methods made of simpler ones: two steps, artificial negatives, bags."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.models.composite._bagging import PUBagging
from onesided.models.composite._first_steps import (
    NaiveBayesStep,
    NearestStep,
    OneDNFStep,
    RocchioStep,
    SpyStep,
)
from onesided.models.composite._lgn import LGN
from onesided.models.composite._second_steps import EMStep, IteratedSVMStep, SVMStep
from onesided.models.composite._two_step import PEBL, RocchioSVM, SpyEM, TwoStep

__all__ = [
    "LGN",
    "PEBL",
    "EMStep",
    "IteratedSVMStep",
    "NaiveBayesStep",
    "NearestStep",
    "OneDNFStep",
    "PUBagging",
    "RocchioSVM",
    "RocchioStep",
    "SVMStep",
    "SpyEM",
    "SpyStep",
    "TwoStep",
]

name_publicly(__name__)
