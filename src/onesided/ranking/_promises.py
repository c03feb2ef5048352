"""The promises that a user asks for, the positives held out for them, and the result."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

from onesided._ranked import KeptPromises
from onesided._text import agreeing, argument, as_percent, as_times, counted
from onesided._typing import Bools
from onesided.exceptions import CalibrationWarning, DataError, PriorError
from onesided.metrics import ResampledPValue
from onesided.metrics._label_bias import check_label_odds_ratio
from onesided.model_selection import OutOfFoldScores
from onesided.prior import ClassPriorEstimate, prior_upper_bound
from onesided.prior._facts import tells_nothing
from onesided.promises import hold_out, scar_p_value
from onesided.ranking._promised import PROMISES, Declared, HeldOut, Promise, check_share
from onesided.tables import Problem

_FEWEST = 10  # positives to learn from, if a promise takes more than half of the positives
_FEWEST_LEFT = 2  # positives to learn from, of which one is hidden
_LEVEL = 0.05  # of the test whether labels are even
_IF_EVEN = (
    "The following promises hold if labels are drawn evenly among the positives: each positive was "
    "equally likely to be labeled."
)
_IF_UNEVEN = (
    "The following promises hold if the odds of being labeled differ up to {} among the positives."
)


@dataclass(frozen=True)
class Promises:
    """The promises that a user asks for.

    Attributes
    ----------
    asked : the promises that the user asks for
    confidence : confidence level of the promises, and of the bound on the share of positives
    declared : what the user knows beside the labels
    label_odds_ratio : greatest odds of being labeled over the least odds, among positives, that the
        user allows for; 1 means that labels are even

    Examples
    --------
    >>> from onesided.ranking import Promises
    >>> promises = Promises.of(recall=0.9)
    >>> [promise.name for promise in promises.asked]
    ['recall']
    """

    asked: tuple[Promise, ...] = ()
    confidence: float = 0.95
    declared: Declared = field(default_factory=Declared)
    label_odds_ratio: float = 1.0

    @classmethod
    def of(
        cls,
        *,
        confidence: float = 0.95,
        prior_at_least: float | None = None,
        prior_at_most: float | None = None,
        irreducible: bool = False,
        known_negative: bool = False,
        label_odds_ratio: float = 1.0,
        **shares: float | None,
    ) -> Promises:
        """The promises that a user asks for, checked before the long work begins.

        Parameters
        ----------
        confidence, prior_at_least, prior_at_most, irreducible, label_odds_ratio : as for
            `rank_table`
        known_negative : whether the table marks rows that are verified to be negative
        shares : the share that each promise asks for, by the name of the promise, "recall" for
            example; None does not ask for the promise

        Raises
        ------
        DataError, PriorError : if a promise cannot be kept
        TypeError : if a name in `shares` is not a promise
        """
        check_label_odds_ratio(label_odds_ratio)
        by_argument = {each.argument: each for each in PROMISES}
        if strange := sorted(shares.keys() - by_argument.keys()):
            raise TypeError(
                f"There is no argument {strange[0]!r}; the promises are {', '.join(by_argument)}."
            )
        asked = [
            promise(share, label_odds_ratio)
            for name, promise in by_argument.items()
            if (share := shares.get(name)) is not None
        ]
        declared = Declared(prior_at_least, prior_at_most, irreducible, known_negative)
        found = cls(tuple(asked), confidence, declared, label_odds_ratio)
        found._check()
        return found

    def __bool__(self) -> bool:
        """Whether positives must be held out."""
        return bool(self.asked) or self.declared.prior_at_least is not None

    def _check(self) -> None:
        """Refuse what cannot be promised."""
        shares = {each.argument: each.share for each in self.asked}
        shares |= {"confidence": self.confidence}
        least, most = self.declared.prior_at_least, self.declared.prior_at_most
        bounds = {"prior_at_least": least, "prior_at_most": most}
        shares |= {name: bound for name, bound in bounds.items() if bound is not None}
        for name, share in shares.items():
            check_share(name, share)
        for promise in self.asked:
            promise.check(self.declared)
        if most is not None and most < (least or 0):
            raise PriorError(
                f"{argument('prior_at_most')} {most:g} is below {argument('prior_at_least')} "
                f"{least:g}.",
                "Pass a lower bound that is not above the upper bound.",
            )
        if most is not None and "discard" not in {each.argument for each in self.asked}:
            raise PriorError(
                f"{argument('prior_at_most')} has no effect without {argument('discard')}.",
                f"Pass {argument('discard')} too.",
            )
        rests_on_declared = any(each.rests_on_declared for each in self.asked)
        for_it = [argument(each.argument) for each in PROMISES if each.rests_on_declared]
        if least is not None and self.label_odds_ratio > 1 and not rests_on_declared:
            raise PriorError(
                f"{argument('prior_at_least')} has no effect with "
                f"{argument('label_odds_ratio')} {self.label_odds_ratio:g}: labels are declared "
                "to be uneven, so a test whether labels are even decides nothing.",
                f"Leave one of them out, or pass {' or '.join(for_it)} too.",
            )
        if not self.declared.irreducible:
            return
        names = ("prior_at_least", "irreducible", "known_negative")
        given = [argument(name) for name in names if getattr(self.declared, name)]
        given += [argument("label_odds_ratio")] * (self.label_odds_ratio > 1)
        if len(given) > 1:
            raise PriorError(f"{' and '.join(given)} are given.", "Declare only one of them.")
        if not rests_on_declared:
            raise PriorError(
                f"{given[0]} has no effect without {' or '.join(for_it)}.",
                f"Pass {for_it[0]} too.",
            )

    def hold_out(self, problem: Problem, random_state: int) -> Bools:
        """Draw the known positives that are held out to measure the promises; shape (n_rows,).

        Parameters
        ----------
        problem : the table
        random_state : seed of the random draw

        Raises
        ------
        DataError : if there are too few positives

        Warns
        -----
        CalibrationWarning : if the rows are in groups
        """
        held_out = np.zeros(len(problem.positive), dtype=bool)
        if not self:
            return held_out
        n_positive = int(problem.positive.sum())
        most = max(self.asked, key=lambda each: each.n_needed(self.confidence), default=None)
        needed = 1 if most is None else most.n_needed(self.confidence)
        n_held_out = max(n_positive // 2, needed)
        n_left = n_positive - n_held_out
        if most and n_left < min(_FEWEST, n_positive // 2):
            raise DataError(
                f"{counted(n_positive, 'known positive')} {agreeing(n_positive)} too few to "
                f"promise {most.what} at "
                f"confidence {self.confidence:g}: at least {needed} must be held out, and "
                f"{_FEWEST} more are needed to learn from.",
                most.mend(n_positive - _FEWEST, self.confidence),
            )
        if n_left < _FEWEST_LEFT:
            raise DataError(
                f"{counted(n_positive, 'known positive')} are too few to hold {n_held_out} of "
                f"them out: {_FEWEST_LEFT} must be left to learn from.",
                "Label more positive rows.",
            )
        share = n_held_out / n_positive
        rows = hold_out(problem.positive, share, groups=problem.groups, random_state=random_state)
        held_out[rows] = True
        if problem.groups is not None:
            warnings.warn(
                f"Rows of one {problem.together} are similar, but the promises count them as "
                f"independent rows. With {problem.together}s the promises are not proven, and in "
                "simulations they did not hold.",
                CalibrationWarning,
                stacklevel=2,
            )
        if most and held_out.sum() < needed:
            raise DataError(
                f"Because of the {problem.together}s only {counted(held_out.sum(), 'positive')} "
                f"can be held out, but {most.what} at confidence {self.confidence:g} takes "
                f"{counted(needed, 'held-out positive')}.",
                f"Ask for a smaller recall, or do without {problem.together}s: "
                f"{argument('space', 'none')}."
                if not problem.group
                else f"Ask for a smaller recall, or leave {argument('group')} out.",
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
        """The promises, measured on the positives that were held out.

        Parameters
        ----------
        known, rest, negative : scores of the held-out positives, of the candidates, and of the
            known negatives
        prior : an estimate of the class prior; it gives the number of positives among the
            candidates
        random_state : seed of the test of even labels
        """
        seen = HeldOut(
            1 - known.ranks,
            1 - rest.ranks,
            1 - negative.ranks,
            self.confidence,
            self.declared,
            None if prior is None else round(prior.headline * len(rest.ranks)),
        )
        at_least, scar = self.declared.prior_at_least, None
        upper_bound = prior_upper_bound(
            seen.positives,
            seen.candidates,
            self.confidence,
            label_odds_ratio=self.label_odds_ratio,
        )
        if at_least is not None and self.label_odds_ratio == 1:
            scar = scar_p_value(
                seen.positives, seen.candidates, class_prior=at_least, random_state=random_state
            )
        uneven = scar is not None and float(scar) <= _LEVEL
        asked = {each.name: each for each in self.asked}
        return KeptPromises(
            n_held_out=len(seen.positives),
            n_rows=len(seen.candidates),
            confidence=self.confidence,
            upper_bound=upper_bound,
            prior_at_least=at_least,
            scar=scar,
            labels_uneven=uneven,
            kept={
                each.name: asked[each.name].keep(seen) if each.name in asked else None
                for each in PROMISES
            },
            preamble=self._preamble(upper_bound, scar),
            label_odds_ratio=self.label_odds_ratio,
        )

    def _preamble(self, upper_bound: float, scar: ResampledPValue | None) -> str:
        """What the promises assume, if there are any, and whether labels are even, in words."""
        ratio, at_least = self.label_odds_ratio, self.declared.prior_at_least
        if ratio > 1:
            return _IF_UNEVEN.format(as_times(ratio)) if self.asked else ""
        if scar is not None and at_least is not None:
            p_value = f"p = {float(scar):.3g}"
            if float(scar) <= _LEVEL:
                labels = f"labels are not drawn evenly among the positives ({p_value})"
                if self.asked:
                    return f"No promise holds: {labels}. The rows are marked anyway"
                least = as_percent(at_least)
                return f"If {least} or more of the unlabeled rows are positive, {labels}"
            test = (
                f"The test for uneven labels, with {as_percent(at_least)} or more of the unlabeled "
                f"rows positive, gives {p_value}. This is no sign of uneven labels, but it does "
                "not prove that labels are even."
            )
            return f"{_IF_EVEN} {test}" if self.asked else test
        said = [_IF_EVEN]
        if not tells_nothing(0.0, upper_bound):
            said.append(
                f"If more than {as_percent(upper_bound)} of the unlabeled rows are positive, "
                f"labels are not even ({as_percent(self.confidence)} confidence)."
            )
        said.append(
            f"If you know a minimum share of positives, {argument('prior_at_least')} tests whether "
            "labels are even."
        )
        return " ".join(said)
