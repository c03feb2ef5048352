"""Data sets, and problems with a known answer."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.datasets._gaussians import GaussianModel, make_gaussians
from onesided.datasets._hide import HiddenLabels, hide_labels
from onesided.datasets._load import load_partly_labeled, load_yeast
from onesided.datasets._tan import TanModel, make_tan

__all__ = [
    "GaussianModel",
    "HiddenLabels",
    "TanModel",
    "hide_labels",
    "load_partly_labeled",
    "load_yeast",
    "make_gaussians",
    "make_tan",
]

name_publicly(__name__)
