"""Estimates of the class prior: the share of positives among the unlabeled rows."""

from __future__ import annotations

from onesided._labels import Scenario
from onesided._public import name_publicly, renamed
from onesided.prior._best_bin import best_bin
from onesided.prior._binormal import binormal_tail
from onesided.prior._bound import prior_upper_bound
from onesided.prior._density_ratio import density_ratio
from onesided.prior._elkan_noto import elkan_noto
from onesided.prior._estimate import (
    PRIOR_METHODS,
    ClassPriorEstimate,
    estimate_class_prior,
)
from onesided.prior._estimators import (
    BestBinPrior,
    BinormalPrior,
    DensityRatioPrior,
    ElkanNotoPrior,
    SubtypePrior,
    TIcEPrior,
)
from onesided.prior._facts import AssumedPrior, PriorFacts
from onesided.prior._scores import balanced_classifier, out_of_fold_scores
from onesided.prior._subtypes import SubtypeEstimate, subtype_prior
from onesided.prior._tree import tree_induction

__all__ = [
    "PRIOR_METHODS",
    "AssumedPrior",
    "BestBinPrior",
    "BinormalPrior",
    "ClassPriorEstimate",
    "DensityRatioPrior",
    "ElkanNotoPrior",
    "PriorFacts",
    "Scenario",
    "SubtypeEstimate",
    "SubtypePrior",
    "TIcEPrior",
    "balanced_classifier",
    "best_bin",
    "binormal_tail",
    "density_ratio",
    "elkan_noto",
    "estimate_class_prior",
    "out_of_fold_scores",
    "prior_upper_bound",
    "subtype_prior",
    "tree_induction",
]

name_publicly(__name__)
__getattr__ = renamed(__name__, {"default_scorer": "balanced_classifier"})
