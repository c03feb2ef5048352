"""What is asked of a list, the positives that are held out for it, and what holds."""

import warnings
from dataclasses import dataclass, field

import numpy as np

from onesided._ranked import KeptPromises
from onesided._text import argument, as_percent
from onesided._typing import Bools
from onesided.exceptions import CalibrationWarning, DataError, PriorError
from onesided.model_selection import OutOfFoldScores
from onesided.prior import ClassPriorEstimate, prior_upper_bound
from onesided.promises import hold_out, scar_p_value
from onesided.ranking._promised import PROMISES, Declared, HeldOut, Promise, check_share
from onesided.tables import Problem

_FEWEST = 10  # positives to learn from, where a promise takes more than half of them
_LEVEL = 0.05  # of the test of even labels


@dataclass(frozen=True)
class Promises:
    """What is asked of a list.

    Attributes
    ----------
    asked : the promises
    confidence : of what is promised, and of what is said of the share of positives
    declared : what is known beside the labels
    """

    asked: tuple[Promise, ...] = ()
    confidence: float = 0.95
    declared: Declared = field(default_factory=Declared)

    @classmethod
    def of(
        cls,
        *,
        confidence: float = 0.95,
        prior_at_least: float | None = None,
        irreducible: bool = False,
        known_negative: bool = False,
        **shares: float | None,
    ) -> "Promises":
        """What is asked, checked before the work.

        Parameters
        ----------
        confidence, prior_at_least, irreducible, known_negative : as in `Promises` and `Declared`
        shares : by the argument of a promise, "recall" for example; None where it is not asked for

        Raises
        ------
        DataError, PriorError : if this cannot be promised
        TypeError : if there is no such promise
        """
        by_argument = {each.argument: each for each in PROMISES}
        if strange := sorted(shares.keys() - by_argument.keys()):
            raise TypeError(
                f"There is no argument {strange[0]!r}; the promises are {', '.join(by_argument)}."
            )
        found = cls(
            tuple(
                promise(share)
                for name, promise in by_argument.items()
                if (share := shares.get(name)) is not None
            ),
            confidence,
            Declared(prior_at_least, irreducible, known_negative),
        )
        found._check()
        return found

    def __bool__(self) -> bool:
        """Whether positives must be held out."""
        return bool(self.asked) or self.declared.prior_at_least is not None

    def _check(self) -> None:
        for promise in self.asked:
            check_share(promise.argument, promise.share)
        check_share("confidence", self.confidence)
        if self.declared.prior_at_least is not None:
            check_share("prior_at_least", self.declared.prior_at_least)
        for promise in self.asked:
            promise.check(self.declared)
        if not self.declared.irreducible:
            return
        given = [argument(name) for name, value in vars(self.declared).items() if value]
        if len(given) > 1:
            raise PriorError(f"{' and '.join(given)} are given.", "Declare only one of them.")
        if not any(each.rests_on_declared for each in self.asked):
            for_it = [argument(each.argument) for each in PROMISES if each.rests_on_declared]
            raise PriorError(
                f"{given[0]} has no effect without {' or '.join(for_it)}.",
                f"Pass {for_it[0]} too.",
            )

    def hold_out(self, problem: Problem, random_state: int) -> Bools:
        """Known positives that count as unlabeled from here on; shape (n_rows,).

        Parameters
        ----------
        problem : the table
        random_state : of the draw

        Raises
        ------
        DataError : if there are too few positives, with the number that it takes

        Warns
        -----
        CalibrationWarning : where rows belong together
        """
        held_out = np.zeros(len(problem.positive), dtype=bool)
        if not self:
            return held_out
        n_positive = int(problem.positive.sum())
        most = max(self.asked, key=lambda each: each.n_needed(self.confidence), default=None)
        needed = 1 if most is None else most.n_needed(self.confidence)
        n_held_out = max(n_positive // 2, needed)
        if most and n_positive - n_held_out < min(_FEWEST, n_positive // 2):
            raise DataError(
                f"{n_positive} known positives are too few to promise {most.what} at "
                f"confidence {self.confidence:g}: at least {needed} must be held out, and "
                f"{_FEWEST} more are needed to learn from.",
                most.mend(n_positive - _FEWEST, self.confidence),
            )
        share = n_held_out / n_positive
        rows = hold_out(problem.positive, share, groups=problem.groups, random_state=random_state)
        held_out[rows] = True
        if problem.groups is not None:
            warnings.warn(
                "Rows of one group are similar, but the promises count them as independent "
                f"rows. With {argument('group')} the promises are not proven, and in "
                "simulations they did not hold.",
                CalibrationWarning,
                stacklevel=2,
            )
        if most and held_out.sum() < needed:
            raise DataError(
                f"Because of the groups only {held_out.sum()} positives can be held out, but "
                f"{most.what} at confidence {self.confidence:g} takes {needed} held-out "
                "positives.",
                f"Ask for a smaller recall, or leave {argument('group')} out.",
            )
        return held_out

    def keep(
        self,
        known: OutOfFoldScores,
        rest: OutOfFoldScores,
        negative: OutOfFoldScores,
        prior: ClassPriorEstimate | None,
        random_state: int,
    ) -> KeptPromises:
        """What holds of the list.

        Parameters
        ----------
        known : the positives held out
        rest : the candidates
        negative : the known negatives
        prior : an estimate, for the number of positives among the candidates
        random_state : of the test of even labels
        """
        seen = HeldOut(
            1 - known.ranks,
            1 - rest.ranks,
            1 - negative.ranks,
            self.confidence,
            self.declared,
            None if prior is None else round(prior.headline * len(rest.ranks)),
        )
        at_least = self.declared.prior_at_least
        kept = {each.name: each.keep(seen) for each in self.asked}
        upper_bound = prior_upper_bound(seen.positives, seen.candidates, self.confidence)
        scar = (
            None
            if at_least is None
            else scar_p_value(
                seen.positives, seen.candidates, class_prior=at_least, random_state=random_state
            )
        )
        p_value = None if scar is None else float(scar)
        uneven = p_value is not None and p_value <= _LEVEL
        return KeptPromises(
            n_held_out=len(seen.positives),
            n_rows=len(seen.candidates),
            confidence=self.confidence,
            upper_bound=upper_bound,
            prior_at_least=at_least,
            scar=scar,
            labels_uneven=uneven,
            kept={each.name: kept.get(each.name) for each in PROMISES},
            preamble=(
                "No promise holds: labels are not drawn evenly among the positives (p = "
                f"{p_value:.3g}). The rows are marked anyway"
            )
            if uneven
            else (
                "The following promises hold if labels are drawn evenly among the positives: each "
                "positive was equally likely to be labeled. "
            )
            + self._on_labels(upper_bound, p_value),
        )

    def _on_labels(self, upper_bound: float, p_value: float | None) -> str:
        """Whether they are."""
        at_least = self.declared.prior_at_least
        if p_value is None or at_least is None:
            return (
                f"If more than {as_percent(upper_bound)} of the unlabeled rows are positive, "
                f"labels are not even ({as_percent(self.confidence)} confidence). If you know "
                f"a minimum share of positives, {argument('prior_at_least')} tests whether "
                "labels are even."
            )
        seen = (
            f"The test for uneven labels, with {as_percent(at_least)} or more of the unlabeled "
            f"rows positive, gives p = {p_value:.3g}"
        )
        return (
            f"{seen}. This is no sign of uneven labels, but it does not prove that labels are even."
        )
