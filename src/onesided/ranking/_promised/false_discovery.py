"""The first rows hold few negatives."""

from typing import ClassVar

from onesided._ranked import KeptPromise
from onesided._text import argument, as_percent
from onesided.exceptions import PriorError
from onesided.promises import positives_at_fdr
from onesided.ranking._promised._base import Declared, HeldOut, Promise


class FalseDiscoveryPromise(Promise):
    """Of the first rows, in expectation, at most this share is negative."""

    argument: ClassVar[str] = "fdr"
    name: ClassVar[str] = "positives"
    rests_on_declared: ClassVar[bool] = True

    def check(self, declared: Declared) -> None:
        """Refuse a promise that nothing is declared for.

        Raises
        ------
        PriorError : then
        """
        if declared == Declared():
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
        """The first rows."""
        declared = seen.declared
        found = positives_at_fdr(
            seen.positives,
            seen.candidates,
            fdr=self.share,
            prior_at_least=None if declared.known_negative else declared.prior_at_least,
            irreducible=declared.irreducible,
            known_negative=seen.negatives if declared.known_negative else None,
            confidence=seen.confidence,
        )
        n_rows, share = int(found.selected.sum()), as_percent(found.fdr)
        sentences = [
            (
                f"Of the first {n_rows:,} unlabeled rows at most {share} are negative, in "
                f"expectation. This promise assumes: {found.assumes}"
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
                f"at {as_percent(seen.confidence)} confidence, whatever was declared"
            )
        facts = {
            "fdr": found.fdr,
            "n_rows": n_rows,
            "declared": found.declared,
            "class_prior": found.class_prior,
            "assumes": found.assumes,
            "minimum_false_share": found.minimum_false_share,
            "curve": found.curve("pyarrow").to_pylist(),
        }
        return KeptPromise("in_positive_list", found.selected, facts, tuple(sentences))
