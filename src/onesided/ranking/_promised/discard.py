"""The promise that rows with low scores can be discarded."""

from __future__ import annotations

from typing import ClassVar

from onesided._ranked import KeptPromise
from onesided._text import (
    argument,
    as_percent,
    as_times,
    capitalized,
    counted_of,
    without_options,
)
from onesided.exceptions import PriorError
from onesided.promises import ConformalTest
from onesided.ranking._promised._base import Declared, HeldOut, Promise

_COLUMN = "discarded"


class _Test(ConformalTest):
    _share_argument: ClassVar[str] = "discard"


class DiscardPromise(Promise):
    """In expectation, at most this share of the marked rows is positive."""

    argument: ClassVar[str] = "discard"
    name: ClassVar[str] = "discard"

    def check(self, declared: Declared) -> None:
        """Raise a PriorError if all rows could be discarded."""
        most = declared.prior_at_most
        if most is not None and self.share >= most:
            raise PriorError(
                f"{argument('prior_at_most')} {most:g} is not above {self.what}, so all unlabeled "
                "rows together already keep this promise.",
                f"Ask for a smaller {argument('discard')}.",
            )

    def keep(self, seen: HeldOut) -> KeptPromise:
        """Mark the rows with the lowest scores."""
        test = _Test.of_scores(seen.positives, seen.candidates)
        declared, ratio = seen.declared.prior_at_most, self.label_odds_ratio
        rows = test.discarded(
            self.share,
            prior_at_most="estimate" if declared is None else declared,
            label_odds_ratio=ratio,
        )
        prior = min(1.0, test.estimated_prior(ratio)) if declared is None else declared
        n_rows, n_held_out, share = int(rows.sum()), len(seen.positives), as_percent(self.share)
        n_as_low = int((seen.positives <= seen.candidates[rows].max(initial=-1)).sum())
        sentence = (
            (
                f"{counted_of(n_rows, len(rows), 'unlabeled row')} marked in the column {_COLUMN}. "
                f"They can be discarded: in expectation at most {share} of these rows are "
                f"positive. About {as_percent(n_as_low / n_held_out)} of the positives are among "
                f"these rows: {counted_of(n_as_low, n_held_out, 'held-out positive', 'score')} as "
                "low"
            )
            if n_rows
            else (
                f"No row can be discarded with the promise that at most {share} of the discarded "
                "rows are positive"
            )
        )
        basis = _basis(prior, ratio, declared=declared is not None)
        facts = {
            "share": self.share,
            "n_rows": n_rows,
            "n_as_low": n_as_low,
            "prior_at_most": prior,
            "declared": declared is not None,
            "basis": capitalized(without_options(basis)).removesuffix("."),
        }
        return KeptPromise(_COLUMN, rows, facts, (sentence, f"  {basis}"))


def _basis(prior: float, label_odds_ratio: float, *, declared: bool) -> str:
    """The share of positives that the promise allows for, and where it comes from, in words."""
    if declared:
        return (
            f"it was declared that at most {as_percent(prior)} of the unlabeled rows are positive"
        )
    uneven = (
        ", and the odds of being labeled may differ up to "
        f"{as_times(label_odds_ratio)} among the positives"
        if label_odds_ratio > 1
        else ""
    )
    return (
        f"the promise allows for {as_percent(prior)} positives among the unlabeled rows. This is a "
        "cautious estimate from the scores, not the likely share: negatives with high scores count "
        f"as positives{uneven}. It may be above the upper bound of the number of positives, which "
        "holds only at its confidence level; this estimate must be high enough on average over all "
        f"samples. If you know a smaller bound, {argument('prior_at_most')} may mark more rows"
    )
