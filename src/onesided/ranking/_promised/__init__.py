"""What can be promised of a list.

A new promise takes one file in this folder, with a subclass of `Promise`, and three entries:

- its class in `PROMISES` below;
- its option in the class `Promising` of ``cli/_options.py``;
- its words on the page, in ``reporting/panels/promises.html``.
"""

from __future__ import annotations

from onesided.ranking._promised._base import Declared, HeldOut, Promise, check_share
from onesided.ranking._promised.discard import DiscardPromise
from onesided.ranking._promised.false_discovery import FalseDiscoveryPromise
from onesided.ranking._promised.recall import RecallPromise

PROMISES: tuple[type[Promise], ...] = (RecallPromise, DiscardPromise, FalseDiscoveryPromise)
"""All promises, in the order in which they are checked and said."""

__all__ = ["PROMISES", "Declared", "HeldOut", "Promise", "check_share"]
