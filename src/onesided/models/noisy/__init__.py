"""Independent causal influence: noisy-or and its family (Vomlel 2004)."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.models.noisy._ici import ICIClassifier
from onesided.models.noisy._noisy_or import NoisyOrClassifier

__all__ = ["ICIClassifier", "NoisyOrClassifier"]

name_publicly(__name__)
