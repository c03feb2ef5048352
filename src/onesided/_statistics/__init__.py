"""Values with zero, of(block) and +; no formula of any paper."""

from onesided._statistics._labels import LabelTotals
from onesided._statistics._loss import LogisticLoss
from onesided._statistics._sample import RowSample
from onesided._statistics._values import ValueCounts
from onesided._statistics._vocabulary import Vocabulary

__all__ = ["LabelTotals", "LogisticLoss", "RowSample", "ValueCounts", "Vocabulary"]
