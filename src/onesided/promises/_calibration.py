"""Hidden-positive scores, from which the lists of this module get their guarantee."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from onesided._frames import frame_of
from onesided._text import argument
from onesided._typing import Bools, Floats, Ints, OnProgress, RandomState
from onesided._validation import check_number, check_random_state, check_scores
from onesided.exceptions import DataError, OnesidedWarning
from onesided.model_selection import PositiveKFold
from onesided.model_selection._dependent import row_keys, warn_of_duplicates, warn_of_groups
from onesided.model_selection._fits import hidden_positive_scores_by_fold
from onesided.model_selection._labels import read_rows
from onesided.prior import prior_upper_bound

TIE = 1e-9  # relative difference up to which scores tie, because rounding may cause it


def hidden_positive_scores(  # noqa: PLR0913 - the arguments of all evaluations
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    share: float = 0.5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    on_progress: OnProgress | None = None,
) -> tuple[Floats, Floats]:
    """Hidden-positive scores of some known positives, and scores of the unlabeled rows.

    Some known positives count as unlabeled while the model is fitted. The lists of this module
    start from their scores, as in ``recall_shortlist(*hidden_positive_scores(model, X, y))``. The
    model cannot tell a known positive that counts as unlabeled from a positive that was never
    labeled. So the scores of both are exchangeable if labels are selected completely at random
    (SCAR). This holds in either scenario, and for any model, also one that learns from the
    unlabeled rows.

    Parameters
    ----------
    estimator : has `fit(X, y)` and `decision_function` or `predict_proba`; pipelines too
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    share : share of the known positives that count as unlabeled, in (0, 1)
    groups : shape (n_rows,); either all or none of the positives of a group count as unlabeled
    params, positive_label : arguments of `fit` (`kinds` for example) and positive value of y, as in
        `onesided.hidden_positive_ranks`
    random_state : of the choice of positives
    on_progress : called once after the fit with what was fitted, 1 and 1

    Returns
    -------
    calibration : shape (n_hidden,), hidden-positive scores, higher is more positive
    scores : shape (n_unlabeled,), in the order of the rows

    Raises
    ------
    DataError : if `share` is not a share in (0, 1), or all positives are in one group
    LabelError : if there are fewer than two positives

    Warns
    -----
    DuplicateWarning : if unlabeled rows are identical to a positive row in all columns
    CalibrationWarning : if there are groups

    Notes
    -----
    This is the method of AdaDetect (Marandon, Lei, Mary, Roquain 2024). The spies of Liu and others
    2002 are chosen in the same way, but without a guarantee. The model is fitted once.

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import NearestKnown
    >>> X = np.random.default_rng(0).poisson(3, (50, 9))
    >>> calibration, scores = hidden_positive_scores(NearestKnown(), X, np.repeat([1, 0], [20, 30]))
    >>> calibration.shape, scores.shape
    ((10,), (30,))
    """
    check_number(share, "share", "Pass 0.5 for example.", above=0, below=1)
    X, labels = read_rows(estimator, X, y, positive_label, params=params)
    positive = labels.positive
    folds = positives_to_hide(positive, float(share), groups, random_state)
    warn_of_dependent(X, positive, groups)
    ((hidden, scores),) = hidden_positive_scores_by_fold(estimator, X, labels, folds, on_progress)
    return scores[hidden], scores[~positive]


def warn_above_bound(
    name: str,
    class_prior: float,
    known: Floats,
    rest: Floats,
    consequence: str,
    label_odds_ratio: float = 1.0,
    *,
    stacklevel: int = 3,
) -> bool:
    """Whether a class prior is above what the scores allow; if so, the function also warns.

    Parameters
    ----------
    name : name of the argument that gave the class prior
    class_prior : share of positives among the unlabeled
    known, rest : scores of positives and of unlabeled rows that the scorer has not learned from
    consequence : last sentence of the warning, which says what follows
    label_odds_ratio : Γ, largest allowed odds of being labeled divided by the smallest
    """
    bound = prior_upper_bound(known, rest, label_odds_ratio=label_odds_ratio)
    if class_prior > bound:
        warnings.warn(
            f"{argument(name)} {class_prior:.3g} is above {bound:.3g}, the most that the scores "
            "allow at 95% confidence. Either this prior is too high, or labels are not drawn "
            f"evenly among the positives. {consequence}",
            OnesidedWarning,
            stacklevel=stacklevel,
        )
    return class_prior > bound


def warn_of_dependent(
    X: Any,
    positive: Bools,
    groups: ArrayLike | None,
    failure: str = "a promise fails more often than its confidence says",
) -> None:
    """Warn of duplicates and of groups, for a public function that hides positives.

    Parameters
    ----------
    X : n_rows rows
    positive : shape (n_rows,)
    groups : shape (n_rows,), or None
    failure : what happens with groups, in words; an argument of `warn_of_groups`
    """
    warn_of_duplicates(row_keys(X), positive, groups, stacklevel=4)
    if groups is not None:
        warn_of_groups("held-out positives count", failure, stacklevel=4)


def hold_out(
    positive: Bools,
    share: float = 0.5,
    *,
    groups: ArrayLike | None = None,
    random_state: RandomState = 0,
) -> Ints:
    """Positions of positives to hold out, drawn at random: at least one positive and not all.

    Parameters
    ----------
    positive : shape (n_rows,), True for positives
    share : share of the positives to hold out, in (0, 1); with groups, share of the groups
    groups : shape (n_rows,); positives of a group are held out together
    random_state : of the draw

    Raises
    ------
    LabelError : if there are fewer than two positives

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.promises import hold_out
    >>> positive = np.array([True] * 6 + [False] * 4)
    >>> hold_out(positive, share=0.5).tolist()
    [1, 2, 5]
    """
    check_number(share, "share", "Pass 0.5 for example.", above=0, below=1)
    PositiveKFold(2).hidden_positives(positive, groups)  # checks both arguments
    rows = np.flatnonzero(positive)
    units = rows if groups is None else np.asarray(groups)[rows]
    distinct, codes = np.unique(units, return_inverse=True)
    n = min(max(1, round(share * len(distinct))), len(distinct) - 1)
    drawn = check_random_state(random_state).permutation(len(distinct))[:n]
    return rows[np.isin(codes, drawn)]


def positives_to_hide(
    positive: Bools, cv: float | PositiveKFold, groups: ArrayLike | None, random_state: RandomState
) -> list[Ints]:
    """Positions of the positives that count as unlabeled, one array for each fold.

    Parameters
    ----------
    positive : shape (n_rows,)
    cv : a share of the positives as a float, for one fold; or a number of folds, or a
        `PositiveKFold`
    groups : shape (n_rows,), or None
    random_state : of the choice of positives

    Raises
    ------
    DataError : if `cv` is neither a share nor a number of folds
    LabelError : if there are fewer than two positives
    """
    if isinstance(cv, PositiveKFold):
        return cv.hidden_positives(positive, groups)
    if isinstance(cv, float) and 0 < cv < 1:
        return [hold_out(positive, cv, groups=groups, random_state=random_state)]
    check_number(cv, "cv", "Pass a share as 0.5, or a number of folds as 5.", above=1, whole=True)
    return PositiveKFold(int(cv), random_state=random_state).hidden_positives(positive, groups)


def check_calibration(calibration: ArrayLike, name: str = "calibration") -> Floats:
    """The scores as an array of at least one number.

    Raises
    ------
    DataError : if there are no scores, or if they are not numbers
    """
    found = check_scores(calibration, name)
    if not len(found):
        raise DataError(f"There are no {name} scores.", "Hold some positives out, 100 for example.")
    return found


def at_least(scores: Floats, cut: float) -> Bools:
    """Which scores are at or above the cut, or tie with it; shape (n_rows,)."""
    found: Bools = (scores >= cut) | np.isclose(scores, cut, rtol=TIE, atol=0)
    return found


def frame_by_score(scores: Floats, selected: Bools, backend: str | None) -> Any:
    """A frame with the columns `row`, `score` and `selected`, the highest score first.

    Parameters
    ----------
    scores, selected : each of shape (n_rows,)
    backend : "pandas", "polars" or "pyarrow"; None for the first of them that is installed
    """
    order = np.argsort(-scores, kind="stable")
    columns = {
        "row": order,
        "score": scores[order],
        "selected": selected[order],
    }
    return frame_of(columns, backend)
