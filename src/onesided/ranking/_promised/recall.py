"""The promise that rows with high scores hold a share of the positives."""

from __future__ import annotations

import math
from typing import ClassVar

from onesided._ranked import KeptPromise
from onesided._text import argument, as_percent, counted_of
from onesided.metrics._label_bias import odds_times
from onesided.promises import positives_needed, recall_shortlist
from onesided.ranking._promised._base import HeldOut, Promise

_COLUMN = "in_shortlist"


class RecallPromise(Promise):
    """With the given confidence, the marked rows hold at least this share of the positives."""

    argument: ClassVar[str] = "recall"
    name: ClassVar[str] = "recall"

    @property
    def what(self) -> str:
        """The promise in an error."""
        return f"a recall of {self.share:g}"

    def n_needed(self, confidence: float) -> int:
        """Least number of positives to hold out."""
        return positives_needed(
            recall=self.share, confidence=confidence, label_odds_ratio=self.label_odds_ratio
        )

    def mend(self, n_positive: int, confidence: float) -> str:
        """Name the highest recall that `n_positive` positives can promise."""
        if n_positive < 1:
            return "Label more positive rows."
        reached = (1 - confidence) ** (1 / n_positive)
        reachable = math.floor(100 * odds_times(reached, 1 / self.label_odds_ratio)) / 100
        uneven = self.label_odds_ratio > 1
        label = "Label more positive rows"
        label += f", or declare a smaller {argument('label_odds_ratio')}" * uneven
        if reachable == 0:
            return f"{label}."
        return (
            f"{label}, or ask for {argument('recall')} {reachable:g} or less. Even this recall "
            "takes a long list."
        )

    def keep(self, seen: HeldOut) -> KeptPromise:
        """Mark the rows with the highest scores."""
        found = recall_shortlist(
            seen.positives,
            seen.candidates,
            recall=self.share,
            confidence=seen.confidence,
            label_odds_ratio=self.label_odds_ratio,
        )
        n_rows = int(found.selected.sum())
        n_high = len(seen.positives) - found.n_below
        level_among = None
        if seen.n_hidden and self.label_odds_ratio == 1:
            level_among = found.level_among(seen.n_hidden)
        sentence = (
            f"{counted_of(n_rows, len(seen.candidates), 'unlabeled row')} marked in the column "
            f"{_COLUMN}. They hold at least {as_percent(found.recall)} of the positives, at "
            f"{as_percent(seen.confidence)} confidence: {'at least ' * bool(found.n_below)}"
            f"{counted_of(n_high, len(seen.positives), 'held-out positive', 'score')} as high as "
            "these rows"
        )
        sentences = [sentence]
        if level_among is not None:
            sentences.append(
                "  this confidence is for all positives that could have been sampled; if "
                f"{seen.n_hidden:,} of the unlabeled rows are positive, the marked rows hold at "
                f"least {as_percent(found.recall)} of these positives in "
                f"{as_percent(level_among)} of samples"
            )
        facts = {
            "recall": found.recall,
            "n_rows": n_rows,
            "n_below": found.n_below,
            "level": found.exact_level,
            "n_hidden": seen.n_hidden,
            "level_among": level_among,
        }
        return KeptPromise(_COLUMN, found.selected, facts, tuple(sentences))
