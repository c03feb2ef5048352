"""Statistics of rows that can be added over blocks: each has `zero`, `of(block)` and `+`.

A formula of a paper does not belong here.
"""

from __future__ import annotations

from onesided._statistics._documents import DocumentFrequencies
from onesided._statistics._label_totals import LabelTotals
from onesided._statistics._loss import LogisticLoss, LossCurvature, row_curvatures
from onesided._statistics._moments import Moments
from onesided._statistics._pairs import FamilyCounts, PairCounts, configurations
from onesided._statistics._sample import RowSample
from onesided._statistics._squares import SquareSums
from onesided._statistics._subsets import SubsetSums
from onesided._statistics._values import ValueCounts
from onesided._statistics._vocabulary import Vocabulary, coded_chunks
from onesided._statistics._word_totals import WordTotals, check_counts

__all__ = [
    "DocumentFrequencies",
    "FamilyCounts",
    "LabelTotals",
    "LogisticLoss",
    "LossCurvature",
    "Moments",
    "PairCounts",
    "RowSample",
    "SquareSums",
    "SubsetSums",
    "ValueCounts",
    "Vocabulary",
    "WordTotals",
    "check_counts",
    "coded_chunks",
    "configurations",
    "row_curvatures",
]
