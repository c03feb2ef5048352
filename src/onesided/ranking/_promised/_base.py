"""The base class of promises, and the evidence that they rest on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

from onesided._ranked import KeptPromise
from onesided._text import argument
from onesided._typing import Floats
from onesided.exceptions import DataError

_EXAMPLES = {"confidence": 0.95, "recall": 0.95}


@dataclass(frozen=True)
class Declared:
    """What a user knows beside the labels, under the names that `rank_table` uses."""

    prior_at_least: float | None = None
    prior_at_most: float | None = None
    irreducible: bool = False
    known_negative: bool = False  # whether some rows are verified to be negative


@dataclass(frozen=True)
class HeldOut:
    """The evidence for a promise: scores by models for which all these rows were unlabeled."""

    positives: Floats  # shape (n_held_out,), known positives that were held out
    candidates: Floats  # shape (n_rows,)
    negatives: Floats  # shape (n_negative,), known negatives
    confidence: float
    declared: Declared
    n_hidden: int | None  # estimated number of positives among the candidates


@dataclass(frozen=True)
class Promise(ABC):
    """A promise that marked rows hold a given share of positives or negatives.

    Attributes
    ----------
    share : the share that a user asked for, between 0 and 1
    label_odds_ratio : greatest odds of being labeled over the least that a user allows for; 1 means
        that labels are even
    argument : the argument of `rank_table` that asks for the promise
    name : of the promise in the data of a page
    rests_on_declared : whether the promise needs more than labels

    Examples
    --------
    >>> from onesided.ranking import Promises
    >>> promise = Promises.of(recall=0.9).asked[0]
    >>> promise.what, promise.n_needed(confidence=0.95)  # positives to hold out
    ('a recall of 0.9', 29)
    """

    share: float
    label_odds_ratio: float = 1.0
    argument: ClassVar[str]
    name: ClassVar[str]
    rests_on_declared: ClassVar[bool] = False

    @property
    def what(self) -> str:
        """The promise in an error."""
        return f"{argument(self.argument)} {self.share:g}"

    def check(self, declared: Declared) -> None:  # noqa: B027 - for those that rest on it
        """Raise a PriorError if the user must declare something else; by default nothing."""

    def n_needed(self, confidence: float) -> int:
        """Least number of positives to hold out."""
        return 1

    def mend(self, n_positive: int, confidence: float) -> str:
        """The mend of the error that only `n_positive` positives could be held out."""
        return "Label more positive rows."

    @abstractmethod
    def keep(self, seen: HeldOut) -> KeptPromise:
        """Mark the rows that the promise is about."""


def check_share(name: str, value: Any) -> None:
    """Raise a DataError if the value of an argument is not between 0 and 1.

    Examples
    --------
    >>> from onesided.ranking import check_share
    >>> check_share("recall", 0.95)
    >>> check_share("fdr", 95)
    Traceback (most recent call last):
    ...
    onesided.exceptions.DataError: `fdr` 95 is not between 0 and 1. Pass a share above 0 and
    below 1, 0.1 for example.
    """
    is_number = isinstance(value, Real)
    if not (is_number and 0 < value < 1):
        raise DataError(
            f"{argument(name)} {format(value, 'g') if is_number else repr(value)} is not between "
            "0 and 1.",
            f"Pass a share above 0 and below 1, {_EXAMPLES.get(name, 0.1)} for example.",
        )
