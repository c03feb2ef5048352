"""What a promise is."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from onesided._ranked import KeptPromise
from onesided._text import argument
from onesided._typing import Floats
from onesided.exceptions import DataError


@dataclass(frozen=True)
class Declared:
    """What is known beside the labels.

    Attributes
    ----------
    prior_at_least : least share of positives among the unlabeled, or None
    irreducible : whether the highest rows can only be positive
    known_negative : whether rows are marked that are verified to be negative
    """

    prior_at_least: float | None = None
    irreducible: bool = False
    known_negative: bool = False


@dataclass(frozen=True)
class HeldOut:
    """The evidence for a promise: scores by models to which all these rows counted as unlabeled.

    Attributes
    ----------
    positives : shape (n_held_out,), scores of known positives that were held out
    candidates : shape (n_rows,), scores of the list
    negatives : shape (n_negative,), scores of known negatives
    confidence : of what is promised
    declared : what is known beside the labels
    n_hidden : positives among the candidates, where their number is estimated, or None
    """

    positives: Floats
    candidates: Floats
    negatives: Floats
    confidence: float
    declared: Declared
    n_hidden: int | None


@dataclass(frozen=True)
class Promise(ABC):
    """A share that is promised of a list.

    Attributes
    ----------
    share : asked for, between 0 and 1
    argument : of `rank_table` that asks for the promise
    name : of the promise in the data of a page
    rests_on_declared : whether labels alone cannot keep it
    """

    share: float
    argument: ClassVar[str]
    name: ClassVar[str]
    rests_on_declared: ClassVar[bool] = False

    @property
    def what(self) -> str:
        """What is promised, for errors."""
        return f"{argument(self.argument)} {self.share:g}"

    def check(self, declared: Declared) -> None:  # noqa: B027 - for those that rest on it
        """Refuse what cannot be promised; by default anything can.

        Raises
        ------
        PriorError : if more must be declared
        """

    def n_needed(self, confidence: float) -> int:
        """Number of positives that must be held out."""
        return 1

    def mend(self, n_positive: int, confidence: float) -> str:
        """What to do where there are too few positives; so many could be held out."""
        return "Label more positive rows."

    @abstractmethod
    def keep(self, seen: HeldOut) -> KeptPromise:
        """The rows that the promise is about."""


def check_share(name: str, value: float) -> None:
    """Refuse what is not between 0 and 1.

    Raises
    ------
    DataError : with the argument
    """
    if not 0 < value < 1:
        raise DataError(
            f"{argument(name)} {value:g} is not between 0 and 1.",
            "Pass a share above 0 and below 1, 0.1 for example.",
        )
