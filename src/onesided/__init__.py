"""Learn from positive and unlabeled examples.

The names below are the whole of the public top level; each is loaded when first used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onesided.model_selection import PositiveKFold as PositiveKFold
    from onesided.model_selection import RankAverage as RankAverage
    from onesided.model_selection import compare as compare
    from onesided.model_selection import hidden_positive_ranks as hidden_positive_ranks
    from onesided.models.bayes import BetaPrior as BetaPrior
    from onesided.models.bayes import PositiveAODE as PositiveAODE
    from onesided.models.bayes import PositiveKDB as PositiveKDB
    from onesided.models.bayes import PositiveMultinomialNB as PositiveMultinomialNB
    from onesided.models.bayes import PositiveNaiveBayes as PositiveNaiveBayes
    from onesided.models.bayes import PositiveTAN as PositiveTAN
    from onesided.models.composite import LGN as LGN
    from onesided.models.composite import PEBL as PEBL
    from onesided.models.composite import PUBagging as PUBagging
    from onesided.models.composite import RocchioSVM as RocchioSVM
    from onesided.models.composite import SpyEM as SpyEM
    from onesided.models.composite import TwoStep as TwoStep
    from onesided.models.logistic import WeightedLogisticRegression as WeightedLogisticRegression
    from onesided.models.logistic import (
        WeightedLogisticRegressionCV as WeightedLogisticRegressionCV,
    )
    from onesided.models.nearest import NearestKnown as NearestKnown
    from onesided.models.noisy import ICIClassifier as ICIClassifier
    from onesided.models.noisy import NoisyOrClassifier as NoisyOrClassifier
    from onesided.models.significance import CenteredOneClassSVM as CenteredOneClassSVM
    from onesided.models.significance import CenterOfMassRanker as CenterOfMassRanker
    from onesided.models.significance import CorrelationRanker as CorrelationRanker
    from onesided.models.significance import CrossFitSVM as CrossFitSVM
    from onesided.models.significance import SignificanceRanker as SignificanceRanker
    from onesided.models.significance import apparent_p_value as apparent_p_value
    from onesided.models.significance import enrichment as enrichment
    from onesided.ranking import rank_table as rank_table

if sys.flags.optimize > 1:
    from onesided._docstrings import keep_docstrings

    keep_docstrings()

__version__ = "0.1.0"

_HOMES = {
    "BetaPrior": "onesided.models.bayes",
    "CenterOfMassRanker": "onesided.models.significance",
    "CenteredOneClassSVM": "onesided.models.significance",
    "CorrelationRanker": "onesided.models.significance",
    "CrossFitSVM": "onesided.models.significance",
    "ICIClassifier": "onesided.models.noisy",
    "LGN": "onesided.models.composite",
    "NearestKnown": "onesided.models.nearest",
    "NoisyOrClassifier": "onesided.models.noisy",
    "PEBL": "onesided.models.composite",
    "PUBagging": "onesided.models.composite",
    "PositiveAODE": "onesided.models.bayes",
    "PositiveKDB": "onesided.models.bayes",
    "PositiveKFold": "onesided.model_selection",
    "PositiveMultinomialNB": "onesided.models.bayes",
    "PositiveNaiveBayes": "onesided.models.bayes",
    "PositiveTAN": "onesided.models.bayes",
    "RankAverage": "onesided.model_selection",
    "RocchioSVM": "onesided.models.composite",
    "SignificanceRanker": "onesided.models.significance",
    "SpyEM": "onesided.models.composite",
    "TwoStep": "onesided.models.composite",
    "WeightedLogisticRegression": "onesided.models.logistic",
    "WeightedLogisticRegressionCV": "onesided.models.logistic",
    "apparent_p_value": "onesided.models.significance",
    "compare": "onesided.model_selection",
    "enrichment": "onesided.models.significance",
    "hidden_positive_ranks": "onesided.model_selection",
    "rank_table": "onesided.ranking",
}
_MODULES = (
    "audit",
    "base",
    "checking",
    "datasets",
    "enriched",
    "exceptions",
    "methods",
    "metrics",
    "model_selection",
    "preprocessing",
    "prior",
    "promises",
    "ranking",
    "scoring",
    "tables",
    "unexpected",
)

__all__ = sorted([*_HOMES, *_MODULES, "__version__"])  # noqa: PLE0605 - a tested list


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"onesided.{name}")
    raise AttributeError(f"module 'onesided' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
