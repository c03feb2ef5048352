"""What can be promised of a list. A promise is a class in a file here, and an entry below."""

from onesided.ranking._promised._base import Declared, HeldOut, Promise, check_share
from onesided.ranking._promised.discard import DiscardPromise
from onesided.ranking._promised.false_discovery import FalseDiscoveryPromise
from onesided.ranking._promised.recall import RecallPromise

PROMISES: tuple[type[Promise], ...] = (RecallPromise, DiscardPromise, FalseDiscoveryPromise)
"""All promises, in the order in which they are checked and said."""

__all__ = ["PROMISES", "Declared", "HeldOut", "Promise", "check_share"]
