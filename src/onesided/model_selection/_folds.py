"""Folds of the positives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import BaseCrossValidator, GroupKFold, KFold

from onesided._labels import encode_labels
from onesided._text import counted
from onesided._typing import Array, Ints, RandomState
from onesided._validation import check_number, check_random_state, missing_rows
from onesided.exceptions import DataError, LabelError


class Fold(NamedTuple):
    """One part of an evaluation: positives to rank, by a model that does not know them.

    Attributes
    ----------
    hidden : rows of the positives
    learned : rows to learn from; None if the model learns from all rows, and the hidden positives
        count as unlabeled
    among : unlabeled rows to rank the positives among; None for all unlabeled rows
    """

    hidden: Ints
    learned: Ints | None = None
    among: Ints | None = None


class PositiveKFold(BaseCrossValidator):
    """Cross-validation folds with equal numbers of positives, for positive and unlabeled rows.

    `hidden_positives` gives the positives of each fold, which an evaluation hides among the
    unlabeled rows. `split` gives train and test rows for scikit-learn's searches; it deals the
    unlabeled rows into the folds too.

    Parameters
    ----------
    n_splits : number of folds; if there are fewer positives, each positive is a fold of its own
    shuffle : whether positives are dealt into the folds at random
    random_state : seed or generator of the shuffling
    hold_out : "positives": a model learns from all unlabeled rows, and the hidden positives are
        ranked among all unlabeled rows. "rows": a model learns from no row of the groups of the
        hidden positives, and these positives are ranked among the unlabeled rows of their groups.
        So unlabeled rows far from all positives, which are easy to distinguish, do not count

    Notes
    -----
    The folds follow Geurts 2011, section 3: five folds, and leave-one-out with fewer than five
    positives. With `groups`, all positives and all unlabeled rows of a group are in the same fold.

    Examples
    --------
    >>> y = [1, 1, 1, 0, 0, 0, 0, 0]
    >>> [hidden.tolist() for hidden in PositiveKFold(5, shuffle=False).hidden_positives(y)]
    [[0], [1], [2]]
    """

    __metadata_request__split = {"groups": True}  # noqa: RUF012 - scikit-learn reads it so

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = True,
        random_state: RandomState = None,
        hold_out: Literal["positives", "rows"] = "positives",
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.hold_out = hold_out

    @property
    def holds_out_rows(self) -> bool:
        """Whether a fold holds out its unlabeled rows too, not only its positives."""
        return self.hold_out == "rows"

    def hidden_positives(self, y: ArrayLike, groups: ArrayLike | None = None) -> list[Ints]:
        """Indices of the positive rows of each fold.

        Parameters
        ----------
        y : shape (n_rows,)
        groups : shape (n_rows,), group of each row; rows of a group stay in one fold

        Raises
        ------
        LabelError : if there are fewer than two positives
        DataError : if all positives are in one group
        """
        check_number(self.n_splits, "n_splits", "Pass 5 for example.", above=1, whole=True)
        positive, _ = encode_labels(y)
        check_groups(groups, len(positive))
        rows = np.flatnonzero(positive)
        codes = _codes_of(groups, rows)
        if codes is not None and len(rows) > 1 and not codes.any():
            raise DataError(
                f"All {len(rows)} positives are in one group, {np.asarray(groups)[rows[0]]}.",
                "Pass groups such that the positives are in at least two of them, or pass no "
                "groups.",
            )
        return [rows[test] for test in self._deal(len(rows), codes)]

    def split(
        self, X: Any, y: ArrayLike, groups: ArrayLike | None = None
    ) -> Iterator[tuple[Ints, Ints]]:
        """Indices of the train and test rows of each fold; both have positive and unlabeled rows.

        Parameters
        ----------
        X : not used
        y : shape (n_rows,)
        groups : shape (n_rows,), group of each row; rows of a group stay in one fold
        """
        positive, _ = encode_labels(y)
        rows = np.flatnonzero(~positive)
        hidden = self.hidden_positives(y, groups)
        fold = np.full(len(positive), -1)
        for number, of_fold in enumerate(hidden):
            fold[of_fold] = number
        if groups is not None:
            codes = _codes(groups)
            for number, of_fold in enumerate(hidden):
                fold[np.isin(codes, codes[of_fold])] = number
            rows = rows[fold[rows] < 0]
        self._deal_unlabeled(fold, rows, len(hidden), _codes_of(groups, rows))
        for number in range(len(hidden)):
            if positive[fold == number].all():
                raise LabelError(
                    f"Fold {number} of {len(hidden)} has no unlabeled row.",
                    "Pass a smaller n_splits, or add unlabeled rows.",
                )
        for number in range(len(hidden)):
            yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)

    def deal(self, y: ArrayLike, groups: ArrayLike | None = None) -> list[Fold]:
        """Evaluation folds: each positive is hidden once.

        Parameters
        ----------
        y : shape (n_rows,)
        groups : shape (n_rows,), group of each row; rows of a group stay in one fold
        """
        if self.hold_out not in ("positives", "rows"):
            raise DataError(
                f"hold_out={self.hold_out!r} is neither 'positives' nor 'rows'.",
                "Pass 'rows' to hold out the unlabeled rows of a fold too.",
            )
        if self.hold_out == "positives":
            return [Fold(hidden) for hidden in self.hidden_positives(y, groups)]
        if groups is None:
            return _as_folds(self.split(None, y), y)
        codes = _codes(groups)
        tests = [np.isin(codes, codes[rows]) for rows in self.hidden_positives(y, groups)]
        return _as_folds(((np.flatnonzero(~test), np.flatnonzero(test)) for test in tests), y)

    def get_n_splits(self, X: Any = None, y: ArrayLike | None = None, groups: Any = None) -> int:
        """Number of folds; fewer than `n_splits` if there are fewer positives or groups."""
        return self.n_splits if y is None else len(self.hidden_positives(y, groups))

    def _deal_unlabeled(self, fold: Ints, rows: Ints, n_folds: int, groups: Array | None) -> None:
        """Share out the unlabeled rows that are in no fold by their group."""
        n_units = len(rows) if groups is None else len(np.unique(groups))
        if n_units < n_folds:
            fold[rows] = np.arange(len(rows)) % n_folds if groups is None else 0
            return
        splitter = self._splitter(n_folds, groups)
        for number, (_, test) in enumerate(splitter.split(rows, groups=groups)):
            fold[rows[test]] = number

    def _deal(self, n_positive: int, groups: Ints | None) -> Iterator[Ints]:
        if n_positive < 2:  # noqa: PLR2004 - one is hidden, one is learned from
            raise LabelError(
                f"y has {n_positive} positive row; if it were hidden, no positive row would "
                "be left to learn from.",
                "Label at least 2 rows as positive.",
            )
        n_units = n_positive if groups is None else len(np.unique(groups))
        splitter = self._splitter(min(self.n_splits, n_units), groups)
        for _, test in splitter.split(np.zeros(n_positive), groups=groups):
            yield test

    def _splitter(self, n_splits: int, groups: Array | None) -> Any:
        seed = None
        if self.shuffle:
            seed = int(check_random_state(self.random_state).randint(2**31))
        kind = KFold if groups is None else GroupKFold
        return kind(n_splits, shuffle=self.shuffle, random_state=seed)

    def __repr__(self) -> str:
        return (
            f"PositiveKFold({self.n_splits}, shuffle={self.shuffle}, "
            f"random_state={self.random_state}"
            f"{', hold_out=' + repr(self.hold_out) if self.hold_out != 'positives' else ''})"
        )


class PositiveTimeSplit(BaseCrossValidator):
    """Splits by time: a model learns from earlier rows, and later rows are held out.

    What makes a row positive may change over time. Random folds then show how well a model fills
    gaps in the past. Time splits show how well it predicts later rows. Use them in scikit-learn's
    searches, or as `validation` of `WeightedLogisticRegressionCV`; pass the times as `groups`.

    Parameters
    ----------
    n_splits : number of splits. The positives are cut into `n_splits` + 1 parts by time, as equal
        in size as rows of the same time allow. Each part except the first is held out once, with
        the unlabeled rows of the same time

    Notes
    -----
    The class differs from scikit-learn's `TimeSeriesSplit` in two ways. The cuts depend on the
    times of the positives only, since positives may be few. Rows of the same time are never
    separated.

    Examples
    --------
    >>> y, day = [1, 0, 1, 0, 1, 0, 0], [1, 1, 2, 2, 3, 3, 4]
    >>> for train, test in PositiveTimeSplit(2).split(None, y, groups=day):
    ...     print(train.tolist(), test.tolist())
    [0, 1] [2, 3]
    [0, 1, 2, 3] [4, 5, 6]
    """

    __metadata_request__split = {"groups": True}  # noqa: RUF012 - scikit-learn reads it so

    def __init__(self, n_splits: int = 5) -> None:
        self.n_splits = n_splits

    def split(
        self, X: Any, y: ArrayLike, groups: ArrayLike | None = None
    ) -> Iterator[tuple[Ints, Ints]]:
        """Indices of the train rows and the held-out rows of each split.

        Parameters
        ----------
        X : not used
        y : shape (n_rows,)
        groups : shape (n_rows,), the time of each row: numbers, or dates as `numpy.datetime64`

        Raises
        ------
        DataError : if a row has no time, or the positives have too few different times for the
            splits
        LabelError : if a split has no unlabeled train row or no unlabeled held-out row
        """
        check_number(self.n_splits, "n_splits", "Pass 5 for example.", at_least=1, whole=True)
        positive, _ = encode_labels(y)
        time = np.asarray(groups)
        if time.shape != positive.shape:
            raise DataError(
                f"groups has shape {time.shape}, y has {counted(len(positive), 'row')}.",
                "Pass one time for each row.",
            )
        if len(missing := missing_rows(time)):
            raise DataError(
                f"groups has no time in row {missing[0]}.", "Give each row a time, or leave it out."
            )
        starts = self._starts(time[positive])
        part = np.searchsorted(starts, time, side="right")
        for number in range(1, len(starts) + 1):
            train, test = np.flatnonzero(part < number), np.flatnonzero(part == number)
            for side, rows in (("before", train), ("in", test)):
                if positive[rows].all():
                    raise LabelError(
                        f"There is no unlabeled row {side} the time that split {number} holds out.",
                        "Pass a smaller n_splits, or add unlabeled rows.",
                    )
            yield train, test

    holds_out_rows = True

    def hidden_positives(self, y: ArrayLike, groups: ArrayLike | None = None) -> list[Ints]:
        """Indices of the positive rows that each split holds out; the first part is never held out.

        Parameters
        ----------
        y, groups : as for `split`
        """
        return [fold.hidden for fold in self.deal(y, groups)]

    def deal(self, y: ArrayLike, groups: ArrayLike | None = None) -> list[Fold]:
        """Evaluation folds: later positives are ranked among the unlabeled rows of the same time.

        Parameters
        ----------
        y, groups : as for `split`
        """
        return _as_folds(self.split(None, y, groups), y)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits."""
        return self.n_splits

    def _starts(self, of_positives: Array) -> Array:
        """First time of each part that is held out; shape (n_splits,)."""
        times, n_of_time = np.unique(of_positives, return_counts=True)
        n_splits = self.n_splits
        if len(times) <= n_splits:
            raise DataError(
                f"The number of different times of the {counted(len(of_positives), 'positive')} is "
                f"{len(times)}, but n_splits={n_splits} needs at least {n_splits + 1}.",
                "Pass a smaller n_splits.",
            )
        number = np.arange(n_splits)
        before = np.cumsum(n_of_time)[:-1]  # positives before each time but the first
        wanted = (number + 1) * len(of_positives) / (n_splits + 1)
        nearest = np.abs(before - wanted[:, None]).argmin(axis=1)
        apart = np.maximum.accumulate(nearest - number) + number
        return times[1 + np.minimum(apart, len(before) - n_splits + number)]


Folds: TypeAlias = PositiveKFold | PositiveTimeSplit
"""What deals the positives into the folds of an evaluation."""


def _as_folds(splits: Iterator[tuple[Ints, Ints]], y: ArrayLike) -> list[Fold]:
    """Train and test rows as folds; positives are ranked among the unlabeled test rows."""
    positive, _ = encode_labels(y)
    folds = [Fold(test[positive[test]], train, test[~positive[test]]) for train, test in splits]
    for number, fold in enumerate(folds):
        if fold.among is not None and not len(fold.among):
            raise LabelError(
                f"Fold {number} of {len(folds)} has no unlabeled row.",
                "Pass a smaller n_splits, or add unlabeled rows.",
            )
    return folds


def check_groups(groups: ArrayLike | None, n_rows: int) -> None:
    """Refuse groups that are not one for each row.

    Raises
    ------
    DataError : with their shape, or the first row without a group
    """
    if groups is None:
        return
    given = np.asarray(groups)
    if given.shape != (n_rows,):
        raise DataError(
            f"groups has shape {given.shape}, y has {counted(n_rows, 'row')}.",
            "Pass one group for each row.",
        )
    if len(missing := missing_rows(given)):
        raise DataError(
            f"groups has no value in row {missing[0]}.",
            "Give each row a group; a row without a group may be a group of its own.",
        )


def _codes(groups: ArrayLike) -> Ints:
    """A number for each group, since comparisons of text take far longer."""
    return np.unique(np.asarray(groups), return_inverse=True)[1]


def _codes_of(groups: ArrayLike | None, rows: Ints) -> Ints | None:
    return None if groups is None else _codes(np.asarray(groups)[rows])
