"""What y means: positive and unlabeled rows, the two sampling stories, and their priors.

y has two kinds of rows. In numbers and booleans the larger value is positive and the smaller
(0, -1, False) unlabeled; in strings the second in sorted order is positive, as in scikit-learn;
NaN, None and null are unlabeled, and so is text that means a missing value, such as "" and "NA".
A third value is refused. Tables have the same rule; `onesided.tables` knows words for both kinds.

Symbols: `class_prior` is the share of positives among the unlabeled, always. The population
prior is the share among all rows that the problem is about.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d

from onesided._frames import in_memory
from onesided._text import MISSING_MARKS, first_line
from onesided._typing import Array, Bools
from onesided.exceptions import LabelError, LabelWarning, PriorError

Scenario: TypeAlias = Literal["single-training-set", "case-control"]

MOST_VALUES = 2
"""Values that labels may have beside missing ones: one for positive and one for unlabeled rows."""
_MOST_SHOWN = 5


@dataclass(frozen=True)
class LabelCoding:
    """Which value of y means positive and which means unlabeled.

    Attributes
    ----------
    positive : the value that means positive
    unlabeled : the value that means unlabeled; missing values mean unlabeled too. Predictions use
        this value for "not positive"
    guessed : whether alphabetical order decided which is which

    Examples
    --------
    >>> coding = LabelCoding("yes", "no")
    >>> coding.encode(["yes", None, "no"]), coding.classes
    (array([ True, False, False]), array(['no', 'yes'], dtype='<U3'))
    """

    positive: Any
    unlabeled: Any
    guessed: bool = False

    @property
    def classes(self) -> Array:
        """The two values, unlabeled first, like `classes_` in scikit-learn; shape (2,)."""
        return np.array([self.unlabeled, self.positive])

    def encode(self, y: ArrayLike, name: str = "y") -> Bools:
        """Mask of the positive rows, shape (n_rows,).

        Parameters
        ----------
        y : shape (n_rows,)
        name : name of y in error messages

        Raises
        ------
        LabelError : if y has a third value; missing values are allowed
        """
        values, missing = _split_missing(y, name)
        positive = (values == self.positive) & ~missing
        known = positive | missing | (values == self.unlabeled)
        if not known.all():
            row = int(np.argmin(known))
            raise LabelError(
                f"{name}[{row}] is {_native(values[row])!r}, which is neither "
                f"{self.positive!r} (positive) nor {self.unlabeled!r} (unlabeled).",
                "Map it to one of the two, or to missing for unlabeled.",
            )
        return np.asarray(positive, dtype=bool)


@dataclass(frozen=True)
class LabelValues:
    """The distinct values of y, a statistic: adding the values of two blocks unites them."""

    values: frozenset[Any] = frozenset()
    any_missing: bool = False
    n_rows: int = 0

    @classmethod
    def of(cls, y: ArrayLike) -> LabelValues:
        """Collect the distinct values of a block of labels, shape (n_rows,)."""
        values, missing = _split_missing(y)
        present = values[~missing] if missing.any() else values
        return cls(_distinct(present), bool(missing.any()), len(values))

    def __add__(self, other: LabelValues) -> LabelValues:
        return LabelValues(
            self.values | other.values,
            self.any_missing or other.any_missing,
            self.n_rows + other.n_rows,
        )

    def coding(self, positive_label: Any = None) -> LabelCoding:
        """Decide what the values mean.

        Raises
        ------
        LabelError : if there are not exactly two kinds of rows, or `positive_label` is not
            among the values
        """
        if self.n_rows == 0:
            raise LabelError("y is empty.", "Pass one label for each row.")
        if not self.values:
            raise LabelError(
                f"All {self.n_rows} labels in y are missing, so no row is positive.",
                "Give the positive rows a value, 1 for example.",
            )
        kinds = {isinstance(value, str) for value in self.values}
        if len(kinds) > 1:
            raise LabelError(
                f"y mixes text and numbers: {_show(self.values)}.",
                "Use one value for all positive rows.",
            )
        values = sorted(self.values)
        if len(values) > MOST_VALUES:
            refused = (  # as scikit-learn says it
                "Unknown label type: continuous."
                if _continuous(values)
                else "Only binary classification is supported."
            )
            raise LabelError(
                f"{refused} y has {len(values)} values: {_show(self.values)}.",
                "One must mean positive, the other unlabeled; map the rest to unlabeled, "
                "or drop those rows.",
            )
        if values == [-1, 0] and positive_label is None:
            raise LabelError(
                "y has the values -1 and 0, which both mean unlabeled; no row is positive.",
                "Give the positive rows the value 1, or say what is positive: positive_label=0.",
            )
        is_value = isinstance(positive_label, Hashable) and positive_label in self.values
        if positive_label is not None and not is_value:
            raise LabelError(
                f"positive_label={positive_label!r} is not among the values of y: "
                f"{_show(self.values)}.",
                "Pass the value of y that marks the positive rows.",
            )
        is_text = isinstance(values[0], str)
        if len(values) == 1:
            return self._coding_of_one(values[0], positive_label)
        positive = values[1] if positive_label is None else positive_label
        unlabeled = values[0] if positive == values[1] else values[1]
        return LabelCoding(positive, unlabeled, guessed=is_text and positive_label is None)

    def _coding_of_one(self, value: Any, positive_label: Any) -> LabelCoding:
        is_text = isinstance(value, str)
        none_positive = not is_text and value in (0, -1) and positive_label is None
        if none_positive:
            raise LabelError(
                f"y has one class only, {value!r}, which means unlabeled; no row is positive.",
                "Give the positive rows a larger value, 1 for example.",
            )
        if not self.any_missing:
            raise LabelError(
                f"y has one class only, {value!r}; every row is positive and none unlabeled.",
                "Add the rows that have never been labeled, with 0 or missing as their label.",
            )
        if is_text:
            return LabelCoding(value, "other" if value == "unlabeled" else "unlabeled")
        return LabelCoding(value, type(value)(1 if value == 0 else 0))


def encode_labels(y: ArrayLike, positive_label: Any = None) -> tuple[Bools, LabelCoding]:
    """Read y as a mask of positive rows.

    Parameters
    ----------
    y : shape (n_rows,); two values, missing counts as unlabeled
    positive_label : the value that means positive, where the order of the values does not say

    Returns
    -------
    positive : shape (n_rows,)
    coding : what the values mean

    Raises
    ------
    LabelError : if y has three values or more, or none of one kind
    """
    coding = coding_of(LabelValues.of(y), positive_label)
    return coding.encode(y), coding


def encode_positives(
    y: ArrayLike, y_pred: ArrayLike, positive_label: Any = None
) -> tuple[Bools, LabelCoding]:
    """As `encode_labels`, for figures of positives alone: y may have no unlabeled row.

    Parameters
    ----------
    y : shape (n_rows,)
    y_pred : shape (n_rows,), predictions without missing values; where all rows of y have the same
        value, these say what the other value is
    positive_label : as in `encode_labels`

    Raises
    ------
    LabelError : as in `encode_labels`, but not for a y that is positive throughout
    """
    seen = LabelValues.of(y)
    if len(seen.values) != 1 or seen.any_missing:
        return encode_labels(y, positive_label)
    both = seen + LabelValues.of(y_pred)
    coding = coding_of(replace(both, any_missing=True), positive_label)
    positive = coding.encode(y)
    if not positive.any():
        raise LabelError(
            f"All {len(positive)} rows of y are {coding.unlabeled!r}, so no row is positive.",
            "Pass the positive rows, or say with positive_label which value is positive.",
        )
    return positive, coding


def coding_of(seen: LabelValues, positive_label: Any = None) -> LabelCoding:
    """`seen.coding(positive_label)`, with a warning where alphabetical order decided."""
    coding = seen.coding(positive_label)
    if coding.guessed:
        warnings.warn(
            f"{coding.positive!r} was taken as positive and {coding.unlabeled!r} as "
            "unlabeled, because of their alphabetical order. Pass "
            f"positive_label={coding.positive!r} or positive_label={coding.unlabeled!r} to "
            "decide.",
            LabelWarning,
            stacklevel=2,
        )
    return coding


def check_scenario(scenario: str) -> Scenario:
    """`scenario`, if it is one of the two sampling stories.

    Raises
    ------
    LabelError : otherwise
    """
    for known in get_args(Scenario):
        if isinstance(scenario, str) and scenario == known:
            return known  # get_args loses the literal
    raise LabelError(
        f"scenario={scenario!r} is neither 'single-training-set' nor 'case-control'.",
        'Pass "single-training-set" if the positives were part of one sample with the '
        'unlabeled, or "case-control" if they were collected apart.',
    )


def population_prior(class_prior: float, label_frequency: float, *, scenario: Scenario) -> float:
    """Share of positives in the population, from that among the unlabeled.

    In a single training set the labeled positives left the unlabeled rows: p / (1 − f + f p).
    Case-control: the unlabeled rows are a sample of the population, p.

    Parameters
    ----------
    class_prior : p, share of positives among the unlabeled, in (0, 1)
    label_frequency : f = P(labeled | positive), in (0, 1); not used for case-control
    scenario : "single-training-set" or "case-control"
    """
    check_scenario(scenario)
    as_share(class_prior, "class_prior")
    if scenario == "case-control":
        return class_prior
    as_share(label_frequency, "label_frequency")
    return class_prior / (1 - label_frequency + label_frequency * class_prior)


def label_frequency_of(n_labeled: Any, n_unlabeled: int, class_prior: Any) -> Any:
    """Share of the positives that are labeled: n / (n + p m).

    Parameters
    ----------
    n_labeled : n, number of labeled positives; an array for several kinds of positives
    n_unlabeled : m, number of unlabeled rows
    class_prior : p, share of positives among the unlabeled; an array like `n_labeled`
    """
    return n_labeled / (n_labeled + class_prior * n_unlabeled)


def as_share(value: float, name: str, *, closed_right: bool = False) -> float:
    """`value` as a float, if it is strictly between 0 and 1, or is 1 with `closed_right`.

    Raises
    ------
    PriorError : otherwise
    """
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if is_number and (0 < value < 1 or (closed_right and value == 1)):
        return float(value)
    if hasattr(value, "interval"):
        raise PriorError(
            f"{name} must be a number here, not an estimate with an interval.",
            f"Pass float({name}), which is {float(value):.4g}.",
        )
    mends = {
        "class_prior": "Pass the share of positives among the unlabeled.",
        "label_frequency": "Pass the share of positives that are labeled.",
    }
    raise PriorError(
        f"{name}={value!r} is not between 0 and 1.",
        mends.get(name, f"Pass a number strictly between 0 and 1 as {name}."),
    )


def _split_missing(y: ArrayLike, name: str = "y") -> tuple[Array, Bools]:
    """Values of y as numbers or text, and where they are missing; both shape (n_rows,).

    Errors call y by its name.
    """
    y = in_memory(y)
    if isinstance(y, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(y)
        y = y.data.astype(object)
        y[mask] = None
    if isinstance(y, list | tuple) and any(isinstance(value, str) for value in y):
        y = np.array(y, dtype=object)  # numpy would write NaN and numbers as text
    try:
        values: Array = column_or_1d(y, warn=True, dtype=None)
    except (ValueError, TypeError) as error:
        raise LabelError(
            f"{name} does not hold labels: {first_line(error)}.", "Pass one label for each row."
        ) from error
    if values.dtype.kind in "OT":
        return _split_objects(values)
    if values.dtype.kind not in "biufU":
        raise LabelError(
            f"{name} holds {values.dtype} values.", "Use 1 for positive and 0 for unlabeled rows."
        )
    if values.dtype.kind == "f":
        if np.isinf(values).any():
            raise LabelError(
                "Input y contains infinity or a value too large.",
                "Use 1 for positive and 0 for unlabeled rows.",
            )
        return values, np.isnan(values)
    if values.dtype.kind == "U":
        return values, np.isin(np.char.strip(values), MISSING_MARKS)
    return values, np.zeros(len(values), dtype=bool)


def _split_objects(values: Array) -> tuple[Array, Bools]:
    import pyarrow as pa  # noqa: PLC0415 - numeric labels do not pay for it

    try:
        column = pa.array(values.tolist(), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise LabelError(
            f"y mixes values of different types: {_show(set(map(repr, values)))}.",
            "Use one value for all positive rows, and one value or missing for all other rows.",
        ) from error
    missing = column.is_null().to_numpy(zero_copy_only=False)
    if pa.types.is_null(column.type):
        return np.zeros(len(values)), missing
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        text = column.fill_null("").to_numpy(zero_copy_only=False)
        return text, missing | np.isin([each.strip() for each in text], MISSING_MARKS)
    if pa.types.is_boolean(column.type):
        return column.fill_null(False).to_numpy(zero_copy_only=False), missing
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.string()).cast(pa.float64())  # Arrow's own cast may be inexact
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return column.fill_null(0).to_numpy(zero_copy_only=False), missing
    raise LabelError(
        f"y holds values of type {column.type}.", "Use 1 for positive and 0 for unlabeled rows."
    )


def _native(value: Any) -> Any:
    """A numpy scalar as Python's, whose repr is the value."""
    return value.item() if isinstance(value, np.generic) else value


def _distinct(values: Array) -> frozenset[Any]:
    if values.size == 0:
        return frozenset()
    if values.dtype.kind in "biuf":  # two comparisons are ten times as fast as a sort
        low, high = values.min(), values.max()
        if ((values == low) | (values == high)).all():
            return frozenset([low.item(), high.item()])
    return frozenset(np.unique(values).tolist())


def _continuous(values: list[Any]) -> bool:
    return any(isinstance(value, float) and not value.is_integer() for value in values)


def _show(values: Any) -> str:
    ordered = sorted(values, key=lambda value: (isinstance(value, str), value))
    shown = ", ".join(str(value) for value in ordered[:_MOST_SHOWN])
    return shown + (", ..." if len(ordered) > _MOST_SHOWN else "")
