"""The promise that the last rows can be discarded."""

from typing import ClassVar

from onesided._ranked import KeptPromise
from onesided._text import as_percent
from onesided.promises import ConformalTest
from onesided.ranking._promised._base import HeldOut, Promise


class DiscardPromise(Promise):
    """In expectation, at most this share of the last rows is positive."""

    argument: ClassVar[str] = "discard"
    name: ClassVar[str] = "discard"

    def keep(self, seen: HeldOut) -> KeptPromise:
        """Mark the last rows."""
        test = ConformalTest.of_scores(seen.positives, seen.candidates)
        rows = test.discarded(self.share, label_odds_ratio=self.label_odds_ratio)
        n_rows, share = int(rows.sum()), as_percent(self.share)
        sentence = (
            (
                f"The last {n_rows:,} unlabeled rows can be discarded: in expectation at most "
                f"{share} of these rows are positive"
            )
            if n_rows
            else (
                f"No row can be discarded with the promise that at most {share} of the discarded "
                "rows are positive"
            )
        )
        return KeptPromise("discarded", rows, {"share": self.share, "n_rows": n_rows}, (sentence,))
