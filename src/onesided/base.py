"""What a learner of your own is made of.

The names, arguments and hooks of this module are stable: a release that changes one of them comes
after a release that warns of the change.
"""

from __future__ import annotations

from onesided._blocks import Block, Source
from onesided._blocks._draw import row_uniforms
from onesided._labels import LabelCoding
from onesided._public import name_publicly
from onesided.models._base import PositiveUnlabeledClassifier

__all__ = [
    "Block",
    "LabelCoding",
    "PositiveUnlabeledClassifier",
    "Source",
    "row_uniforms",
]

name_publicly(__name__)
