"""The background: the unlabeled rows that models learn from, if they are only some of them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from onesided._text import agreeing, argument, counted, counted_of
from onesided._typing import Bools, Ints
from onesided.exceptions import DataError, OnesidedWarning

Borrowed: TypeAlias = Literal["others"]
"""From which rows a background is borrowed: "others" are the rows that carry another label."""

_FEWEST, _FEW = 20, 100  # rows; docs/species.rst shows what surveys lose with so few rows
_WITHOUT = 0.1  # share of the background without a label; bench_species: no survey then loses .01
_MOST = 0.6  # share of the rows with other labels that carry one label
_MANY = 0.5  # share of the known positives that also carry another label


@dataclass(frozen=True)
class Background:
    """Unlabeled rows that carry another label than the positive rows, and some without a label.

    Attributes
    ----------
    rows : shape (n_rows,), whether each row is in the background
    column : that holds the labels
    n_others : number of rows with another label
    n_labels : number of different other labels in these rows
    n_same : rows with another label that are left out, because they equal a known positive in all
        columns used
    n_positive, n_shared : number of known positives, and number of known positives that also carry
        another label, in their own row or in an equal row
    """

    rows: Bools
    column: str
    n_others: int
    n_labels: int
    n_same: int
    n_positive: int
    n_shared: int

    @property
    def n_rows(self) -> int:
        """Number of rows in the background."""
        return int(self.rows.sum())

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rows are borrowed, for the terminal."""
        same = (
            "  rows with another label that are not in the background, since they equal a known "
            f"positive in all columns used: {self.n_same:,}"
        )
        return (
            f"  background {self.n_rows:>9,}  (borrowed: {self._kinds})",
            *[same] * bool(self.n_same),
        )

    @property
    def _kinds(self) -> str:
        """How many rows of each kind there are."""
        n_without = self.n_rows - self.n_others
        without = f", and {n_without:,} without a label, drawn at random" * bool(n_without)
        return (
            f"{counted(self.n_others, 'unlabeled row')} with other labels in column {self.column} "
            f"({counted(self.n_labels, 'label')}){without}"
        )

    @property
    def meaning(self) -> str:
        """What it means for the ranking that the background is borrowed."""
        together = (
            f" {counted_of(self.n_shared, self.n_positive, 'known positive', 'have')} another "
            "label too. If this is not only because people looked there, the background holds many "
            f"hidden positives, and a ranking without {argument('background')} is better."
        )
        return (
            "The background is borrowed: the methods learn the known positives against "
            f"{self.n_rows:,} rows, {self._kinds}. Whatever makes all labels more likely in some "
            "rows, for example where people looked, then cancels. The hidden-positive AUCs are "
            "measured among these rows. The list holds all unlabeled rows, and its shares of "
            "hidden positives are measured among all of them. The number of positives and the "
            "promises are about all unlabeled rows too, and hold only if labels are even."
        ) + together * (self.n_shared > _MANY * self.n_positive)


def borrow(
    column: str,
    name: str,
    others: Sequence[Sequence[str]],
    positive: Bools,
    kinds: Ints | None,
) -> Background:
    """Find the unlabeled rows that carry another label, and draw some that carry none.

    A tenth of the background are rows without a label, since a model that saw no such row says
    little about places where nobody found anything.

    Parameters
    ----------
    column : that holds the labels
    name : of the positive label
    others : for each row its labels other than the positive one
    positive : shape (n_rows,), rows that are known to be positive
    kinds : shape (n_rows,), the same number for rows that are equal in all columns used; None if
        rows cannot be compared

    Raises
    ------
    DataError : if there are too few such rows to learn from

    Warns
    -----
    OnesidedWarning : if there are few such rows, or most of them carry the same label
    """
    carry = np.array([bool(labels) for labels in others], dtype=bool)
    same, shared = np.zeros((2, len(positive)), dtype=bool)
    if kinds is not None:
        same = carry & ~positive & np.isin(kinds, kinds[positive])
        shared = positive & np.isin(kinds, kinds[same])
    rows = carry & ~positive & ~same
    counts = Counter(each for row in np.flatnonzero(rows).tolist() for each in others[row])
    n_others = int(rows.sum())
    if n_others < _FEWEST:
        raise DataError(
            f"{counted(n_others, 'unlabeled row')} {agreeing(n_others, 'have')} another label than "
            f"{name!r} in column {column!r}; a background needs {_FEWEST} rows or more.",
            f"Leave {argument('background')} out, or add rows with other labels.",
        )
    if n_others < _FEW:
        _warn(
            f"Only {counted(n_others, 'unlabeled row')} {agreeing(n_others, 'have')} another label "
            f"than {name!r}. With fewer than {_FEW} such rows a borrowed background often ranks "
            f"worse than all unlabeled rows. Rank without {argument('background')} too, and "
            "compare the lists."
        )
    largest, n_largest = counts.most_common(1)[0]
    if n_largest > _MOST * n_others:
        _warn(
            f"{n_largest:,} of the {n_others:,} rows with other labels than {name!r} carry one "
            f"label, {largest!r}, so the list mostly tells {name!r} from {largest!r}. If "
            f"{largest!r} stands for rows without a label: {argument('missing', [largest])}."
        )
    without = np.flatnonzero(~carry & ~positive)
    n_without = round(n_others * _WITHOUT / (1 - _WITHOUT))
    rows[np.random.default_rng(0).permutation(without)[:n_without]] = True
    return Background(
        rows,
        column,
        n_others=n_others,
        n_labels=len(counts),
        n_same=int(same.sum()),
        n_positive=int(positive.sum()),
        n_shared=int((shared | (positive & carry)).sum()),
    )


def _warn(text: str) -> None:
    warnings.warn(text, OnesidedWarning, stacklevel=3)
