"""Learning by enforcing statistical significance (Geurts 2011)."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.models.significance._baselines import (
    CenteredOneClassSVM,
    CenterOfMassRanker,
    CorrelationRanker,
    CrossFitSVM,
)
from onesided.models.significance._enrichment import Enrichment, enrichment
from onesided.models.significance._pvalues import apparent_p_value
from onesided.models.significance._significance_ranker import SignificanceRanker
from onesided.models.significance._sources import SourcePValues

__all__ = [
    "CenterOfMassRanker",
    "CenteredOneClassSVM",
    "CorrelationRanker",
    "CrossFitSVM",
    "Enrichment",
    "SignificanceRanker",
    "SourcePValues",
    "apparent_p_value",
    "enrichment",
]

name_publicly(__name__)
