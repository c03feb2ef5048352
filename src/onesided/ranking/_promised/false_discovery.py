"""The promise that rows with high scores hold few negatives."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from onesided._ranked import KeptPromise
from onesided._text import argument, as_percent, counted_of
from onesided.exceptions import PriorError
from onesided.promises import positives_at_fdr
from onesided.ranking._promised._base import Declared, HeldOut, Promise

_COLUMN = "in_positive_list"


class FalseDiscoveryPromise(Promise):
    """In expectation, at most this share of the marked rows is negative."""

    argument: ClassVar[str] = "fdr"
    name: ClassVar[str] = "positives"
    rests_on_declared: ClassVar[bool] = True

    def check(self, declared: Declared) -> None:
        """Raise a PriorError if nothing is declared."""
        if not (declared.prior_at_least or declared.irreducible or declared.known_negative):
            irreducible = argument("irreducible", value=True)
            raise PriorError(
                f"Positive and unlabeled rows alone do not allow {argument('fdr')}: the data "
                "could look the same if no unlabeled row were positive.",
                f"Declare {argument('prior_at_least', 'SHARE')}, the least share of positives "
                f"among the unlabeled; or {irreducible}, if the rows with the highest scores "
                "are certainly positive; or mark the rows that were checked and are negative: "
                f"{argument('known_negative', 'COLUMN')}.",
            )

    def keep(self, seen: HeldOut) -> KeptPromise:
        """Mark the rows with the highest scores."""
        declared = seen.declared
        try:
            found = positives_at_fdr(
                seen.positives,
                seen.candidates,
                fdr=self.share,
                prior_at_least=None if declared.known_negative else declared.prior_at_least,
                irreducible=declared.irreducible,
                known_negative=seen.negatives if declared.known_negative else None,
                label_odds_ratio=self.label_odds_ratio,
                confidence=seen.confidence,
            )
        except PriorError:
            if not declared.irreducible:
                raise
            return self._refused(
                seen,
                "irreducible",
                "positive and other rows overlap in their scores, so that no part of the list is "
                "certainly positive, as was declared. A list can be promised if a least share of "
                "positives among the unlabeled is declared instead",
            )
        if found.declared == "prior_at_least" and found.minimum_false_share > found.fdr:
            least = as_percent(found.minimum_false_share)
            return self._refused(
                seen,
                found.declared,
                f"by the scores at least {least} of the rows of such a list are negative, at "
                f"{as_percent(seen.confidence)} confidence, so that the declared share of "
                "positives is too high, or labels are less even than was supposed",
            )
        n_rows, share = int(found.selected.sum()), as_percent(found.fdr)
        sentences = [
            (
                f"{counted_of(n_rows, len(seen.candidates), 'unlabeled row')} marked in the column "
                f"{_COLUMN}: in expectation at most {share} of these rows are negative. This "
                f"promise assumes: {found.assumes}"
            )
            if n_rows
            else (
                f"No list can promise that at most {share} of its rows are negative, given what "
                "was declared"
            )
        ]
        if found.minimum_false_share > 0:
            sentences.append(
                f"  at least {as_percent(found.minimum_false_share)} of these rows are negative, "
                f"at {as_percent(seen.confidence)} confidence, whatever share was declared"
            )
        facts = {
            "fdr": found.fdr,
            "n_rows": n_rows,
            "declared": found.declared,
            "class_prior": found.class_prior,
            "assumes": found.assumes,
            "refusal": "",
            "minimum_false_share": found.minimum_false_share,
            "curve": found.curve("pyarrow").to_pylist(),
        }
        return KeptPromise(_COLUMN, found.selected, facts, tuple(sentences))

    def _refused(self, seen: HeldOut, declared: str, refusal: str) -> KeptPromise:
        """No rows: the scores contradict what was declared. The ranking is not lost with it."""
        sentence = (
            f"No list can promise that at most {as_percent(self.share)} of its rows are negative: "
            f"{refusal}"
        )
        facts = {
            "fdr": self.share,
            "n_rows": 0,
            "declared": declared,
            "class_prior": None,
            "assumes": "",
            "refusal": refusal,
            "minimum_false_share": 0.0,
            "curve": [],
        }
        rows = np.zeros(len(seen.candidates), dtype=bool)
        return KeptPromise(_COLUMN, rows, facts, (sentence,))
