"""Checks of parameters, by scikit-learn's constraints, of numbers and of tables of any kind."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from inspect import signature
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import _safe_indexing
from sklearn.utils import check_random_state as seeded
from sklearn.utils._param_validation import Interval, Options, StrOptions, make_constraint
from sklearn.utils.validation import _num_samples

from onesided._labels import as_share, check_scenario
from onesided._text import (
    agreeing,
    argument,
    counted,
    first_line,
    is_missing,
    kind_of_value,
    with_article,
)
from onesided._typing import Array, Bools, Floats, Ints, RandomState
from onesided.exceptions import CalibrationWarning, DataError, OnesidedError

ABOVE_ZERO = Interval(Real, 0, None, closed="neither")
FROM_ZERO = Interval(Real, 0, None, closed="left")
SHARE = Interval(Real, 0, 1, closed="neither")
SHARE_FROM_ZERO = Interval(Real, 0, 1, closed="left")
SHARE_UP_TO_ONE = Interval(Real, 0, 1, closed="right")
COUNT = Interval(Integral, 1, None, closed="left")
TWO_OR_MORE = Interval(Integral, 2, None, closed="left")
FEWEST_POSITIVES = 10
"""With fewer a figure of them varies so much that it is said."""
FINITE = Interval(Real, None, None, closed="neither")

_SAY_MORE: dict[str, Callable[[Any], Any]] = {
    "class_prior": lambda value: as_share(value, "class_prior"),
    "scenario": check_scenario,
}
"""Parameters whose own check raises an error that says more."""
_IN_WORDS = {
    None: "None",
    callable: "a function",
    dict: "a dictionary",
    "array-like": "an array",
    "boolean": "True or False",
    Iterator: "an iterator",
    "random_state": "a whole number from 0 to 4294967295, a numpy.random.RandomState or None",
}

_NAME = ([str, None], "Pass a name as text.")
_NAMES = ([list, tuple, None], "Pass a list of names.")
_PATHS = ([str, PathLike, list, tuple, None], "Pass the path of a file, or a list of paths.")
_TABLES = ([list, tuple], "Pass a list of paths.")
_CELLS = ([list, tuple, None], "Pass a list of cells: `missing=['-9999']`.")
_MEMBERS: dict[str, tuple[Any, str]] = {
    _NAMES[1]: (str, "name"),
    _PATHS[1]: ((str, PathLike), "path"),
    _TABLES[1]: ((str, PathLike), "path"),
    _CELLS[1]: ((str, Real), "cell"),
}
"""What lists hold, by what to pass instead."""
_NUMBER = ([COUNT, None], "Pass a whole number above 0.")
_SWITCH = (["boolean"], "Pass True or False.")
_FUNCTION = ([callable, None], "Pass a function, or leave it out.")
_ARGUMENTS: dict[str, tuple[list[Any], str]] = {
    **dict.fromkeys(("positive", "known_negative", "identifier", "group", "space", "time"), _NAME),
    **dict.fromkeys(("delimiter", "sheet", "cluster"), _NAME),
    **dict.fromkeys(("drop", "categorical", "number", "text", "methods", "match", "show"), _NAMES),
    "missing": _CELLS,
    **dict.fromkeys(("positive_table", "known_negative_table", "verdicts"), _PATHS),
    **dict.fromkeys(("positive_sets", "sets"), _PATHS),
    **dict.fromkeys(("top", "first", "n_workers", "min_size", "max_size"), _NUMBER),
    **dict.fromkeys(("irreducible", "screened_at_random", "with_columns"), _SWITCH),
    "for_spreadsheet": _SWITCH,
    **dict.fromkeys(("on_progress", "on_read", "on_plan", "on_compared"), _FUNCTION),
    "tables": _TABLES,
    **dict.fromkeys(("kind", "column"), _NAME),
    "make_known": ([dict], "Pass kinds by the numbers of groups: `make_known={1: 'KIND'}`."),
    "statistic": ([StrOptions({"sum", "t"})], "Pass 'sum' or 't'."),
    "background": ([StrOptions({"others"}), None], "Pass 'others', or leave it out."),
    "unlabeled": ([TWO_OR_MORE, None], "Pass a whole number of at least 2."),
    "resamples": ([Interval(Integral, 0, None, closed="left")], "Pass a whole number, 0 for none."),
    "random_state": (["random_state"], "Pass a whole number, 0 for example."),
}
"""What the functions on tables take by the name of the argument, and what to pass instead."""


def check_arguments(given: Mapping[str, Any]) -> None:
    """Refuse arguments of a function on a table that are of another type or out of their range.

    Parameters
    ----------
    given : values by the names of the arguments; those without a rule here are not checked

    Raises
    ------
    DataError : with the value and what to pass
    """
    for name, (allowed, mend) in _ARGUMENTS.items():
        value = given.get(name)
        if value is None:
            continue
        if not any(_is_a(value, each) for each in allowed):
            is_name = allowed is _NAMES[0] and isinstance(value, str)
            raise DataError(
                f"{argument(name)} is {kind_of_value(value)}.",
                f"Pass a list of names: {argument(name, [value])}." if is_name else mend,
            )
        of_lists, noun = _MEMBERS.get(mend, (object, ""))
        for each in value if isinstance(value, list | tuple) else ():
            if not isinstance(each, of_lists):
                raise DataError(
                    f"{argument(name)} holds {kind_of_value(each)}, which is not a {noun}.", mend
                )
    if given.get("scenario") is not None:
        check_scenario(given["scenario"])


def check_object(value: Any, name: str, *kinds: type | str, by: str) -> None:
    """Refuse an argument that is not one of our objects, before an attribute of it is missing.

    Parameters
    ----------
    value : the argument
    name : of the argument
    kinds : classes that will do; by its name, a class that cannot be imported here
    by : what makes such an object, "onesided.ranking.plan_ranking" for example

    Raises
    ------
    TypeError : with what the argument is, and what to pass
    """
    names = [each if isinstance(each, str) else each.__name__ for each in kinds]
    of_value = type(value).__mro__
    if any(each in of_value or each in {kind.__name__ for kind in of_value} for each in kinds):
        return
    wanted = " or ".join(map(with_article, names))
    raise TypeError(f"{argument(name)} is {kind_of_value(value)}; pass {wanted}, which {by} makes.")


def _is_a(value: Any, allowed: Any) -> bool:
    return isinstance(value, allowed) if isinstance(allowed, type) else _fits(value, allowed)


def check_parameters(estimator: Any) -> None:
    """Refuse a parameter that the tables of the estimator's class do not allow.

    `_parameter_constraints` has scikit-learn's form, but it extends the tables of the parent
    classes by itself. `_mends` says what to pass for a parameter; otherwise that is the default.

    Raises
    ------
    DataError, or PriorError for a class prior, or LabelError for a scenario
    """
    constraints = merged_tables(type(estimator), "_parameter_constraints")
    mends = merged_tables(type(estimator), "_mends")
    for name, value in estimator.get_params(deep=False).items():
        allowed = constraints.get(name, "no_validation")
        if allowed == "no_validation" or any(_fits(value, each) for each in allowed):
            continue
        if name in _SAY_MORE:
            _SAY_MORE[name](value)
        default = signature(type(estimator)).parameters[name].default
        *first, last = [words for each in allowed for words in _in_words(each)]
        raise DataError(
            f"{name}={value!r} is not {', '.join(first)}{' or ' if first else ''}{last}.",
            mends.get(name, f"Pass {name}={default!r}, which is the default."),
        )


def merged_tables(kind: type, table: str) -> dict[str, Any]:
    """The table of a class and of its parents, whose entries it may replace."""
    return {
        name: entry
        for each in reversed(kind.__mro__)
        for name, entry in vars(each).get(table, {}).items()
    }


def _fits(value: Any, constraint: Any) -> bool:
    """Whether a value satisfies a constraint; True is not a number, and text has no folds."""
    if isinstance(value, bool) and isinstance(constraint, Interval):
        return False
    if isinstance(value, str) and not isinstance(constraint, Options):
        return False
    return bool(make_constraint(constraint).is_satisfied_by(value))


def _in_words(constraint: Any) -> list[str]:
    """What a constraint allows, in plain English."""
    if isinstance(constraint, Options):
        return sorted(map(repr, constraint.options))
    if isinstance(constraint, Interval):
        return [_numbers_in_words(constraint)]
    return [_IN_WORDS.get(constraint) or str(make_constraint(constraint))]


def _numbers_in_words(interval: Interval) -> str:
    ends = []
    if interval.left is not None:
        word = "of at least" if interval.closed in ("left", "both") else "above"
        ends.append(f" {word} {interval.left:g}")
    if interval.right is not None:
        word = "of at most" if interval.closed in ("right", "both") else "below"
        ends.append(f" {word} {interval.right:g}")
    kind = "number" if interval.right is not None else "finite number"
    return f"a {'whole number' if interval.type is Integral else kind}{' and'.join(ends)}"


def is_one_of(value: Any, choices: Collection[str]) -> bool:
    """Whether a value is one of some words; also of values that are no text."""
    return isinstance(value, str) and value in choices


def check_number(
    value: Any,
    name: str,
    mend: str,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    whole: bool = False,
    is_option: bool = False,
) -> None:
    """Refuse what is not a finite number in a range; for functions, which have no table.

    Parameters
    ----------
    value : to check
    name : of the parameter
    mend : one sentence on what to pass
    above, at_least : lower end of the range, exclusive or inclusive
    below : upper end, exclusive
    whole : whether only whole numbers will do
    is_option : whether it is an option of the command line too, which names it in its own way

    Raises
    ------
    DataError : with the value, the range and the mend
    """
    kind, left = Integral if whole else Real, above if at_least is None else at_least
    allowed = Interval(kind, left, below, closed="neither" if at_least is None else "left")
    if not _fits(value, allowed):
        found = f"{name}={value!r}"
        if is_option:
            shown = f"{value:g}" if isinstance(value, Real) else repr(value)
            found = f"{argument(name)} {shown}"
        raise DataError(f"{found} is not {_numbers_in_words(allowed)}.", mend)


def check_scores(scores: ArrayLike, name: str, *, may_be_empty: bool = True) -> Floats:
    """Scores as an array of one number a row, infinite ones too.

    Parameters
    ----------
    scores : shape (n_rows,)
    name : of the parameter
    may_be_empty : whether no rows will do

    Raises
    ------
    DataError : if they are not numbers, or NaN, or too few
    """
    found = as_numbers(scores, name)
    if found.ndim != 1:
        raise _no_numbers(scores, name)
    if without := int(np.isnan(found).sum()):
        raise DataError(
            f"{name} has {counted(without, 'value')} that {agreeing(without)} NaN.",
            "Pass one number for each row.",
        )
    if not (may_be_empty or len(found)):
        raise DataError(f"{name} is empty.", "Pass the score of one row or more.")
    return found


def as_numbers(values: ArrayLike, name: str) -> Floats:
    """Values as an array of real numbers, of whatever shape; NaN too.

    Raises
    ------
    DataError : if they are not real numbers
    """
    given = np.asarray(values)
    try:
        if given.dtype.kind != "c":
            return given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise _no_numbers(values, name) from error
    raise _no_numbers(values, name)


def _no_numbers(values: ArrayLike, name: str) -> DataError:
    given = np.asarray(values)
    what = f"an array of {given.dtype} of shape {given.shape}"
    return DataError(
        f"{name} is {what if given.ndim else kind_of_value(values)}.",
        "Pass one number for each row.",
    )


def warn_of_few(n_positive: int, which: str, consequence: str, *, stacklevel: int = 3) -> None:
    """Warn if there are fewer than ten positives.

    Parameters
    ----------
    n_positive : how many there are
    which : "labeled" or "held-out"
    consequence : what is so with fewer than ten, as the end of a sentence

    Warns
    -----
    CalibrationWarning : with their number
    """
    if n_positive < FEWEST_POSITIVES:
        warnings.warn(
            f"There {agreeing(n_positive)} only {counted(n_positive, f'{which} positive')}. With "
            f"fewer than {FEWEST_POSITIVES} {consequence}. Label more positives.",
            CalibrationWarning,
            stacklevel=stacklevel,
        )


def check_weight(sample_weight: ArrayLike | None, n_rows: int) -> Floats | None:
    """Weights as numbers, shape (n_rows,), or None.

    Raises
    ------
    DataError : if they are not finite, negative, or not one a row
    """
    return None if sample_weight is None else not_negative(sample_weight, n_rows, "sample_weight")


def not_negative(values: ArrayLike, n_rows: int, name: str) -> Floats:
    """Finite numbers not below 0, shape (n_rows,); one number becomes that of each row.

    Parameters
    ----------
    values : shape (n_rows,), or one number
    n_rows : number of rows
    name : of the argument

    Raises
    ------
    DataError : if they are not finite, negative, or not one a row
    """
    mend = f"Pass {counted(n_rows, 'finite number')} not below 0, one a row."
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{name} holds values that are not numbers: {first_line(error)}.", mend
        ) from error
    if found.ndim == 0:
        found = np.full(n_rows, float(found))
    if found.shape != (n_rows,) or (found < 0).any() or not np.isfinite(found.sum()):
        least, most = found.min(initial=0.0), found.max(initial=0.0)
        raise DataError(
            f"{name} has shape {found.shape}, values from {least} to {most} and the sum "
            f"{found.sum()}.",
            mend,
        )
    return found


def weights_of(sample_weight: ArrayLike | None, n_rows: int) -> Floats:
    """As `check_weight`, with 1 for each row where there are no weights.

    Raises
    ------
    DataError : also if all weights are 0
    """
    weight = check_weight(sample_weight, n_rows)
    if weight is None:
        return np.ones(n_rows)
    if n_rows and not weight.any():
        raise DataError(
            f"sample_weight is 0 for all {n_rows} rows.", "Give some rows a weight above 0."
        )
    return weight


def counts_of(sample_weight: ArrayLike | None, n_rows: int) -> Floats:
    """As `weights_of`, as numbers of rows: weights that are all below 1 get the mean 1.

    Weights such as 1/n say how rows compare, not how many rows there are. Half a row, and one row
    that is added, would then be more than all rows together. Rows of weight 0 do not count in the
    mean.
    """
    return as_counts(weights_of(sample_weight, n_rows))


def as_counts(weight: Floats) -> Floats:
    """Weights as numbers of rows: if all are below 1, they are divided by their mean.

    Parameters
    ----------
    weight : shape (n_rows,), at least 0
    """
    if not 0 < weight.max(initial=0) < 1:
        return weight
    return weight / weight[weight > 0].mean()


def check_rows(X: Any, n_rows: int) -> None:
    """Refuse X that has no rows, or another number of rows than y has.

    Raises
    ------
    DataError : with what X is, or with both numbers
    """
    try:
        found = _num_samples(X)
    except TypeError as error:
        raise DataError(
            f"X is {kind_of_value(X)}, which has no rows.",
            "Pass an array, a sparse matrix or a data frame with one row for each label.",
        ) from error
    if found != n_rows:
        raise DataError(
            f"X has {counted(found, 'row')}, y has {n_rows}.", "Pass one label for each row."
        )


def refuse_masked(values: Any, name: str = "X") -> None:
    """Refuse an array with a mask, which scikit-learn's checks would leave out without a word.

    Parameters
    ----------
    values : of any kind
    name : of the parameter

    Raises
    ------
    DataError : with the number of masked values
    """
    if not isinstance(values, np.ma.MaskedArray):
        return
    if n_masked := int(np.ma.getmaskarray(values).sum()):
        raise DataError(
            f"{name} is a masked array with {counted(n_masked, 'masked value')}.",
            f"Pass {name}.filled(numpy.nan), or fill them with a value.",
        )


def take_rows(X: Any, rows: ArrayLike) -> Any:
    """Some rows of a table of any kind; of a sparse one as CSR, since not all kinds have rows.

    Raises
    ------
    DataError : if the rows of a frame are not in memory
    """
    if hasattr(X, "__dask_graph__") and hasattr(X, "columns"):
        raise DataError(
            f"X is a Dask {type(X).__name__}, but here rows are taken one by one.",
            "Pass the frame that X.compute() returns.",
        )
    return _safe_indexing(X.tocsr() if sparse.issparse(X) else X, rows)


def check_mask(
    mask: ArrayLike, n_rows: int, name: str, raised: type[OnesidedError] = DataError
) -> Bools:
    """A mask of rows, shape (n_rows,).

    Parameters
    ----------
    mask : True or False, or 1 or 0, for each row
    n_rows : number of rows
    name : of the argument
    raised : kind of the error if it is no such mask
    """
    found = np.asarray(mask)
    is_mask = found.dtype == bool or (found.dtype.kind in "iu" and np.isin(found, (0, 1)).all())
    if found.shape != (n_rows,) or not is_mask:
        raise raised(
            f"{argument(name)} has shape {found.shape} and type {found.dtype}, but a mask of "
            f"{counted(n_rows, 'row')} has shape ({n_rows},) and type bool.",
            "Pass True or False for each row.",
        )
    return found.astype(bool)


def check_random_state(random_state: RandomState) -> np.random.RandomState:
    """The generator of a seed, as scikit-learn's function of this name, with an error of ours.

    Raises
    ------
    DataError : if it is neither a seed nor such a generator
    """
    try:
        return seeded(random_state)
    except ValueError as error:
        raise DataError(
            f"random_state={random_state!r:.60} is not {_IN_WORDS['random_state']}.",
            _ARGUMENTS["random_state"][1],
        ) from error


def fixed_seed(random_state: RandomState) -> int:
    """Return an integer seed that several components can share."""
    generator = check_random_state(random_state)
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(generator.randint(2**31))


def missing_rows(values: Array) -> Ints:
    """Rows whose value is None, NaN, NaT or pandas.NA; `values` has one a row."""
    if values.dtype.kind in "mM":
        return np.flatnonzero(np.isnat(values))
    if values.dtype.kind not in "OfT":
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero([is_missing(each) for each in values.tolist()])
