"""Transformers that turn the columns of a table into the features of a learner."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.preprocessing._cuts import QuantileBinner
from onesided.preprocessing._hashed_text import HashedText
from onesided.preprocessing._information_gain import InformationGainSelector

__all__ = ["HashedText", "InformationGainSelector", "QuantileBinner"]

name_publicly(__name__)
