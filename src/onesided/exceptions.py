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
    ├── PriorWarning     an estimate of the class prior that is of little or no use
    └── SeparationWarning  nothing sets the positives apart from random sets
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from warnings import WarningMessage

from onesided._text import as_option, as_options, command_without

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
    "PriorWarning",
    "SeparationWarning",
    "TableError",
    "as_option",
    "as_options",
    "command_without",
    "gathered_warnings",
    "naming",
]


class OnesidedError(ValueError):
    """Base of all errors of onesided: an argument, a table or data cannot be used.

    Parameters
    ----------
    problem : one sentence on what is wrong, with the value and its place
    mend : one sentence on what to do about it

    Examples
    --------
    Every error says what is wrong and what to do about it:

    >>> from onesided import PositiveNaiveBayes
    >>> from onesided.exceptions import OnesidedError
    >>> try:
    ...     PositiveNaiveBayes(class_prior=0.1).fit([[1], [0]], [0, 0])
    ... except OnesidedError as error:
    ...     print("Problem:", error.problem)
    ...     print("Mend:", error.mend)
    Problem: y has one class only, 0, which means unlabeled; no row is positive.
    Mend: Give the positive rows a larger value, 1 for example.
    """

    def __init__(self, problem: str, mend: str) -> None:
        super().__init__(problem, mend)
        self.problem = problem
        self.mend = mend

    def __str__(self) -> str:
        return f"{self.problem} {self.mend}"


class LabelError(OnesidedError):
    """y does not say which rows are positive and which unlabeled.

    Examples
    --------
    >>> from onesided import PositiveNaiveBayes
    >>> from onesided.exceptions import LabelError
    >>> try:
    ...     PositiveNaiveBayes(class_prior=0.1).fit([[1], [0], [1]], ["a", "b", "c"])
    ... except LabelError as error:
    ...     print(error)
    Only binary classification is supported. y has 3 values: a, b, c. One must mean positive, the
    other unlabeled; map the rest to unlabeled, or drop those rows.
    """


class PriorError(OnesidedError):
    """A class prior or a label frequency is not a valid share.

    Examples
    --------
    >>> from onesided import PositiveNaiveBayes
    >>> from onesided.exceptions import PriorError
    >>> try:
    ...     PositiveNaiveBayes(class_prior=1.5).fit([[1], [0]], [1, 0])
    ... except PriorError as error:
    ...     print(error)
    class_prior=1.5 is not between 0 and 1. Pass the share of positives among the unlabeled.
    """


class DataError(OnesidedError):
    """A learner cannot use the features, or blocks of rows do not fit together.

    Examples
    --------
    >>> from onesided import PositiveNaiveBayes
    >>> from onesided.exceptions import DataError
    >>> model = PositiveNaiveBayes(0.1, handle_unknown="error").fit([[1], [0]], [1, 0])
    >>> try:
    ...     model.decision_function([[7]])
    ... except DataError as error:
    ...     print(error)
    Row 0 has a value of feature 0 that fit has not seen. Pass handle_unknown="ignore" to skip
    such values.
    """


class ClusterError(DataError):
    """Worker processes cannot be reached, or they died; results that they returned are correct.

    Examples
    --------
    A task that lost its workers can be started again:

    >>> from onesided.exceptions import ClusterError
    >>> try:
    ...     raise ClusterError("All workers were lost.", "Start the workers again.")
    ... except ClusterError as error:
    ...     print(error)
    All workers were lost. Start the workers again.
    """


class TableError(OnesidedError):
    """A file cannot be read as a table, or a table cannot be used.

    Examples
    --------
    >>> from onesided.exceptions import TableError
    >>> from onesided.tables import read_table
    >>> try:
    ...     read_table("not-there.csv")
    ... except TableError as error:
    ...     print(error)
    There is no file or folder 'not-there.csv'. Check the path.
    """


class OnesidedWarning(UserWarning):
    """Base of all warnings of onesided.

    Examples
    --------
    All warnings of onesided can be turned off together:

    >>> import warnings
    >>> from onesided.exceptions import OnesidedWarning
    >>> from onesided.promises import ConformalTest
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", OnesidedWarning)
    ...     found = ConformalTest.of_scores([3.0, 4.0], [0.0, 5.0]).flagged(0.1)
    >>> found
    array([False, False])
    """


class CalibrationWarning(OnesidedWarning):
    """Too few positives were held out for a useful error guarantee or interval.

    Examples
    --------
    >>> import warnings
    >>> from onesided.promises import ConformalTest
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     found = ConformalTest.of_scores([3.0, 4.0], [0.0, 5.0]).flagged(0.1)
    >>> print(told[0].category.__name__, told[0].message, sep=": ")
    CalibrationWarning: 2 held-out positives cannot show that any row is negative if at most 10% of
    the flagged rows may be positive: at least 9 are needed, and more if few rows are negative.
    Label more positives, or allow a larger share (`fdr`).
    """


class DuplicateWarning(OnesidedWarning):
    """Rows equal a positive row in all columns; such duplicates may add no evidence.

    Examples
    --------
    >>> import warnings
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.promises import conformal_test
    >>> X = [[3.0], [4.0], [5.0], [6.0], [3.0], [0.0]]
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     found = conformal_test(CenterOfMassRanker(), X, [1, 1, 1, 1, 0, 0])
    >>> print(told[0].category.__name__, told[0].message, sep=": ")
    DuplicateWarning: 1 of 2 unlabeled rows equals a positive row in all columns. If equal rows
    describe the same object, keep one row of each object: a model recognizes copies of the rows
    that it learned from, and copies do not add evidence, so the results look better than they are.
    """


class LabelWarning(OnesidedWarning):
    """Which value of y means positive had to be guessed.

    Examples
    --------
    >>> import warnings
    >>> from onesided import PositiveNaiveBayes
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     model = PositiveNaiveBayes(class_prior=0.1).fit([[1], [0]], ["a", "b"])
    >>> print(told[0].category.__name__, told[0].message, sep=": ")
    LabelWarning: 'b' was taken as positive and 'a' as unlabeled, because of their alphabetical
    order. Pass positive_label='b' or positive_label='a' to decide.
    """


class LeakWarning(OnesidedWarning):
    """A column separates positives from unlabeled on its own.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from onesided.tables import read_problem
    >>> table = pd.DataFrame({"known": ["yes"] * 15 + [None] * 45, "copy": [1.0] * 15 + [0.0] * 45,
    ...                       "size": [float(7 * row % 60) for row in range(60)]})
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     problem = read_problem(table, "known")
    >>> print(told[0].category.__name__, told[0].message, sep=": ")
    LeakWarning: Column 'copy' alone separates positive from unlabeled rows, by its values (AUC
    1.000). If it was filled in because a row is positive, drop it: `drop=['copy']`.
    """


class ManyValuesWarning(OnesidedWarning):
    """A feature has so many values that hardly two rows share one.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from onesided import PositiveNaiveBayes
    >>> X, y = np.arange(1200)[:, None], np.arange(1200) < 20
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     model = PositiveNaiveBayes(class_prior=0.1).fit(X, y)
    >>> print(told[0].category.__name__, told[0].message, sep=": ")
    ManyValuesWarning: Feature 0 has 1,200 values in 1,200 rows, too few rows for each value to
    learn from. Drop the feature, or bin it (QuantileBinner does so for numbers).
    """


class PriorWarning(OnesidedWarning):
    """An estimate of the class prior is 0 or 1, or rests on very few rows.

    Examples
    --------
    >>> import warnings
    >>> from onesided.prior import BestBinPrior
    >>> X, y = [[3.0]] * 10 + [[1.0]] * 30, [1] * 10 + [0] * 30
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     prior = BestBinPrior().fit(X, y).class_prior_
    >>> print(told[0].category.__name__, told[0].message, sep=": ")
    PriorWarning: The class prior is estimated as 0 by BestBinPrior: some positives score above all
    unlabeled rows, as duplicates or a leak would. No learner can use this value: pass a class prior
    that is known from another source.
    """


class SeparationWarning(OnesidedWarning):
    """The positives do not differ from random sets of the same size.

    Examples
    --------
    >>> import warnings
    >>> from onesided.preprocessing import InformationGainSelector
    >>> X, y = [[1, 0], [0, 1], [1, 1], [0, 0]], [1, 1, 0, 0]
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     kept = InformationGainSelector().fit(X, y)
    >>> print(told[0].category.__name__, told[0].message, sep=": ")
    SeparationWarning: No feature has an information gain of 0.005 bits or more. Column 0 is kept,
    whose gain of 0 bits is the highest. Pass a lower threshold, or 0 to keep all features.
    """


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Prefix our errors with their subject; add a note to errors raised by other libraries.

    Parameters
    ----------
    what : subject of the errors, such as a file name; with the empty string, errors do not change

    Examples
    --------
    >>> from onesided.exceptions import DataError, naming
    >>> try:
    ...     with naming("genes.csv"):
    ...         raise DataError("There are no rows.", "Pass a table with rows.")
    ... except DataError as error:
    ...     print(error)
    genes.csv: There are no rows. Pass a table with rows.
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
    """Collect the texts of onesided's warnings and of convergence warnings, without duplicates.

    If an error ends the context, the warnings are issued as usual, since they may explain the
    error.

    Yields
    ------
    a list of the texts; it is filled when the context ends

    Examples
    --------
    >>> import warnings
    >>> from onesided.exceptions import LeakWarning, gathered_warnings
    >>> with gathered_warnings() as found:
    ...     for _ in range(2):
    ...         warnings.warn("Column 'a' alone gives the labels away.", LeakWarning)
    >>> found
    ["Column 'a' alone gives the labels away."]
    """
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 - help does not pay for it

    found: list[str] = []
    with caught_warnings(OnesidedWarning, ConvergenceWarning) as caught:
        yield found
    found.extend(dict.fromkeys(str(each.message) for each in caught))


@contextmanager
def caught_warnings(
    *categories: type[Warning], subject: str = ""
) -> Iterator[list[WarningMessage]]:
    """Collect warnings of these categories and ignore others; `subject` is as in `naming`.

    If an error ends the context, the warnings are issued again, since they may explain the error.
    """
    try:
        with naming(subject), warnings.catch_warnings(record=True, action="ignore") as caught:
            for each in categories:
                warnings.simplefilter("always", each)
            yield caught
    except Exception:
        with suppress(Warning):  # where warnings are errors, the first error counts
            warn_again(caught, subject, stacklevel=6)
        raise


def warn_again(caught: Iterable[WarningMessage], subject: str = "", *, stacklevel: int = 5) -> None:
    """Issue warnings that were collected, prefixed with their subject if there is one."""
    for each in caught:
        text = f"{subject}: {each.message}" if subject else each.message
        warnings.warn(text, each.category, stacklevel=stacklevel)
