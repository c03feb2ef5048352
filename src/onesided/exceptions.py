"""Errors and warnings of onesided.

ValueError
└── OnesidedError        one sentence on what is wrong, one on the mend
    ├── LabelError       y does not say which rows are positive and which unlabeled
    ├── PriorError       a class prior or label frequency that cannot be one
    ├── DataError        features that a learner cannot use, or blocks that do not fit together
    │   └── ClusterError     other processes that work cannot be reached, or died
    └── TableError       a file that cannot be read as a table
UserWarning
└── OnesidedWarning
    ├── CalibrationWarning  too few positives were held out for a promise to be of use
    ├── DuplicateWarning  rows that equal a positive row in all columns
    ├── LabelWarning     which value of y is positive had to be guessed
    ├── LeakWarning      a column that gives the labels away
    ├── ManyValuesWarning  a feature of which hardly two rows share a value
    └── SeparationWarning  nothing sets the positives apart from random sets
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from onesided._text import as_option, as_options

__all__ = [
    "CalibrationWarning",
    "ClusterError",
    "DataError",
    "DuplicateWarning",
    "LabelError",
    "LabelWarning",
    "LeakWarning",
    "ManyValuesWarning",
    "OnesidedError",
    "OnesidedWarning",
    "PriorError",
    "SeparationWarning",
    "TableError",
    "as_option",
    "as_options",
    "gathered_warnings",
    "naming",
]


class OnesidedError(ValueError):
    """Something given to onesided cannot be used.

    Parameters
    ----------
    problem : one sentence on what is wrong, with the value and its place
    mend : one sentence on what to do about it
    """

    def __init__(self, problem: str, mend: str) -> None:
        super().__init__(problem, mend)
        self.problem = problem
        self.mend = mend

    def __str__(self) -> str:
        return f"{self.problem} {self.mend}"


class LabelError(OnesidedError):
    """y does not say which rows are positive and which unlabeled."""


class PriorError(OnesidedError):
    """A class prior or a label frequency that cannot be one."""


class DataError(OnesidedError):
    """Features that a learner cannot use, or blocks that do not fit together."""


class ClusterError(DataError):
    """Other processes that work cannot be reached, or died; what they have done is not wrong."""


class TableError(OnesidedError):
    """A file that cannot be read as a table, or a table that cannot be used."""


class OnesidedWarning(UserWarning):
    """Base of all warnings of onesided."""


class CalibrationWarning(OnesidedWarning):
    """Too few positives were held out for a promise to be of use."""


class DuplicateWarning(OnesidedWarning):
    """Rows equal a positive row in all columns, so they may be no further evidence."""


class LabelWarning(OnesidedWarning):
    """Which value of y means positive had to be guessed."""


class LeakWarning(OnesidedWarning):
    """A column separates positives from unlabeled on its own."""


class ManyValuesWarning(OnesidedWarning):
    """A feature has so many values that hardly two rows share one."""


class SeparationWarning(OnesidedWarning):
    """Nothing sets the positives apart from random sets of their size."""


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Begin an error of ours with what it is about; one of others has that as a note.

    Parameters
    ----------
    what : nothing is done where it is the empty string
    """
    try:
        yield
    except OnesidedError as error:
        if what == "":
            raise
        raise type(error)(f"{what}: {error.problem}", error.mend) from error
    except Exception as error:
        if what != "":
            error.add_note(f"In {what}.")
        raise


@contextmanager
def gathered_warnings() -> Iterator[list[str]]:
    """Collect the warnings of onesided, and those on convergence, as text, each once.

    They are given as warnings after all if an error ends the context, since they may explain it.

    Yields
    ------
    the list, which is filled when the context ends
    """
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 - help does not pay for it

    found: list[str] = []
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", OnesidedWarning)
            warnings.simplefilter("always", ConvergenceWarning)
            yield found
    except Exception:
        with suppress(Warning):  # where warnings are errors, the first error counts
            for each in caught:
                warnings.warn(each.message, stacklevel=3)
        raise
    found.extend(dict.fromkeys(str(each.message) for each in caught))
