"""Methods made of simpler ones: two steps, artificial negatives."""

from onesided.models.composite._lgn import LGN

__all__ = ["LGN"]
