"""A positive-unlabeled problem from labeled data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from onesided._frames import in_memory
from onesided._labels import as_share, encode_labels
from onesided._text import agreeing, counted
from onesided._typing import Bools, Floats, Ints, RandomState
from onesided._validation import (
    check_number,
    check_random_state,
    check_rows,
    not_negative,
    take_rows,
)
from onesided.exceptions import DataError

Propensity: TypeAlias = ArrayLike | Callable[[Any], ArrayLike]


@dataclass(frozen=True)
class HiddenLabels:
    """Positive and unlabeled rows whose true classes are known.

    Attributes
    ----------
    X : the rows that were drawn, in the type of the X that was passed
    y : shape (n_drawn,), 1 for labeled positive, 0 for unlabeled
    y_true : shape (n_drawn,), 1 for positive, 0 for negative
    rows : shape (n_drawn,), indices of the drawn rows in the data that were passed, ascending

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.datasets import HiddenLabels
    >>> drawn = HiddenLabels(
    ...     X=[[3.0], [2.0], [0.0], [1.0]], y=np.array([1, 0, 0, 0]), y_true=np.array([1, 1, 0, 0]),
    ...     rows=np.arange(4))
    >>> round(drawn.class_prior, 2), drawn.label_frequency
    (0.33, 0.5)
    """

    X: Any
    y: Ints
    y_true: Ints
    rows: Ints

    @property
    def class_prior(self) -> float:
        """Share of positives among the unlabeled rows."""
        return float(self.y_true[self.y == 0].mean())

    @property
    def label_frequency(self) -> float:
        """Share of the positives that are labeled."""
        return float(self.y[self.y_true == 1].mean())


def hide_labels(  # noqa: PLR0913 - each says something else about the draw
    X: Any,
    y: ArrayLike,
    *,
    n_positive: int | None = None,
    n_unlabeled: int | None = None,
    class_prior: float | None = None,
    label_frequency: float | None = None,
    propensity: Propensity | None = None,
    replace: bool = False,
    random_state: RandomState = None,
) -> HiddenLabels:
    """Draw positive and unlabeled rows from rows whose class is known.

    There are two ways to draw. By counts, as in Calvo et al. 2007, section 5: the result has
    `n_positive` labeled positives and `n_unlabeled` unlabeled rows, of which a share `class_prior`
    is positive. By frequency: the result keeps all rows, and a share `label_frequency` of the
    positives is labeled (single training set).

    Parameters
    ----------
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,), true class of each row: the larger value is positive, the smaller negative
    n_positive, n_unlabeled : number of rows of each kind to draw, without replacement. Without
        `class_prior`, unlabeled rows are drawn from all rows that are not labeled
    class_prior : share of positives among the unlabeled
    label_frequency : share of the positives to label
    propensity : shape (n_rows,), probability that a positive row is labeled, up to a constant
        factor; or a function that computes it from X. By default, it is the same for all positives
        (SCAR). For a stronger bias, raise it to a power above 1; the power 0 gives no bias. Without
        `n_positive` and `label_frequency`, it is the probability itself.
    replace : whether unlabeled rows may be drawn more than once if there are too few positives or
        negatives
    random_state : seed or generator of the draw

    Raises
    ------
    DataError : if there are too few positives or negatives, or the arguments do not say what to
        draw
    PriorError : if a share is not in (0, 1)

    Examples
    --------
    >>> import numpy as np
    >>> y = np.repeat([1, 0], [60, 140])
    >>> drawn = hide_labels(np.arange(200)[:, None], y, n_positive=20, n_unlabeled=100,
    ...                     class_prior=0.25, random_state=0)
    >>> int(drawn.y.sum()), drawn.class_prior
    (20, 0.25)

    Labels by a column, the square of which is a stronger bias:

    >>> size = np.linspace(0, 1, 200)
    >>> for strength in (0, 1, 2):
    ...     drawn = hide_labels(size, y, n_positive=20, propensity=size**strength, random_state=0)
    ...     print(round(float(drawn.X[drawn.y == 1].mean()), 2))
    0.18
    0.22
    0.23
    """
    X = in_memory(X)
    positive, _ = encode_labels(y)
    check_rows(X, len(positive))
    for name, number in (("n_positive", n_positive), ("n_unlabeled", n_unlabeled)):
        if number is not None:
            check_number(number, name, "Pass a number of rows.", at_least=0, whole=True)
    rng = check_random_state(random_state)
    given = propensity(X) if callable(propensity) else propensity
    chance = not_negative(1.0 if given is None else given, len(positive), "propensity")
    labeled = _draw_labeled(positive, chance, propensity, n_positive, label_frequency, rng)
    rest = np.setdiff1d(np.arange(len(positive)), labeled)
    unlabeled = _draw_unlabeled(rest, positive, n_unlabeled, class_prior, rng, replace=replace)
    rows = np.sort(np.concatenate([labeled, unlabeled]))
    is_labeled = np.isin(rows, labeled).astype(np.int64)
    return HiddenLabels(take_rows(X, rows), is_labeled, positive[rows].astype(np.int64), rows)


def _draw_labeled(
    positive: Bools,
    chance: Floats,
    propensity: Propensity | None,
    n_positive: int | None,
    label_frequency: float | None,
    rng: Any,
) -> Ints:
    rows = np.flatnonzero(positive)
    if n_positive is not None and label_frequency is not None:
        raise DataError(
            f"n_positive={n_positive} and label_frequency={label_frequency} both say how many "
            "positives are labeled.",
            "Pass one of them.",
        )
    if label_frequency is not None:
        as_share(label_frequency, "label_frequency", closed_right=True)
        n_positive = max(1, round(label_frequency * len(rows)))
    if n_positive is None:
        if propensity is None:
            raise DataError(
                "Nothing says how many positives are labeled.",
                "Pass n_positive, label_frequency or propensity.",
            )
        if chance[rows].max(initial=0) > 1:
            raise DataError(
                f"A positive has a propensity of {chance[rows].max():g}, which is not a "
                "probability.",
                "Pass probabilities, or pass n_positive; the propensities then need not be "
                "scaled to probabilities.",
            )
        labeled = rows[rng.uniform(size=len(rows)) < chance[rows]]
        if len(labeled) == 0:
            raise DataError(
                f"With this propensity none of {counted(len(rows), 'positive')} was labeled.",
                "Pass larger propensities, or pass n_positive.",
            )
        return labeled
    possible = rows[chance[rows] > 0]
    if not 0 < n_positive <= len(possible):
        raise DataError(
            f"{counted(n_positive, 'positive')} cannot be labeled: {len(possible)} "
            f"{agreeing(len(possible), 'have')} a propensity above 0.",
            f"Ask for 1 to {len(possible)}.",
        )
    weight = chance[possible] / chance[possible].sum()
    return np.asarray(rng.choice(possible, n_positive, replace=False, p=weight))


def _draw_unlabeled(
    rest: Ints,
    positive: Bools,
    n_unlabeled: int | None,
    class_prior: float | None,
    rng: Any,
    *,
    replace: bool,
) -> Ints:
    hidden, negative = rest[positive[rest]], rest[~positive[rest]]
    if class_prior is None:
        if n_unlabeled is None:
            return rest
        return _choose(rest, n_unlabeled, "unlabeled rows", rng, replace=replace)
    as_share(class_prior, "class_prior")
    if n_unlabeled is None:
        n_unlabeled = int(min(len(hidden) / class_prior, len(negative) / (1 - class_prior)))
    n_hidden = round(class_prior * n_unlabeled)
    return np.concatenate(
        [
            _choose(hidden, n_hidden, "unlabeled positives", rng, replace=replace),
            _choose(negative, n_unlabeled - n_hidden, "negatives", rng, replace=replace),
        ]
    )


def _choose(rows: Ints, n_rows: int, what: str, rng: Any, *, replace: bool) -> Ints:
    enough = n_rows <= len(rows)
    if n_rows < 0 or not (enough or (replace and len(rows))):
        raise DataError(
            f"{n_rows} {what} are asked for, but there are {len(rows)}.",
            "Ask for fewer rows, or for another class_prior, or pass replace=True."
            if len(rows)
            else "Ask for another class_prior, or for fewer labeled positives.",
        )
    return np.asarray(rng.choice(rows, n_rows, replace=not enough))
