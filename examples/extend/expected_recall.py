"""A promise: the marked rows hold a share of the positives on average."""

import math
from typing import ClassVar

import numpy as np

from onesided._ranked import KeptPromise
from onesided._text import as_percent
from onesided.ranking._promised._base import HeldOut, Promise


class ExpectedRecallPromise(Promise):
    """The marked rows hold at least this share of the positives in expectation.

    A positive row is as likely as each of the n held-out positives to have any place among them.
    So its score reaches the k-th highest score of held-out positives with probability k / (n + 1).
    """

    argument: ClassVar[str] = "expected_recall"
    name: ClassVar[str] = "expected_recall"

    def n_needed(self, confidence: float) -> int:
        """Number of positives that must be held out."""
        return math.floor(self.share / (1 - self.share)) + 1

    def keep(self, seen: HeldOut) -> KeptPromise:
        """The rows with the highest scores."""
        k = math.ceil(self.share * (len(seen.positives) + 1))
        rows = seen.candidates >= np.sort(seen.positives)[-k]
        n_rows, share = int(rows.sum()), as_percent(self.share)
        sentence = f"{n_rows:,} rows hold at least {share} of the positives, in expectation"
        facts = {"share": self.share, "n_rows": n_rows, "sentence": sentence}
        return KeptPromise("in_expected_list", rows, facts, (sentence,))
