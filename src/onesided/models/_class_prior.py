"""Estimate the class prior from the scores of a model, for `class_prior="estimate"`."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from onesided._blocks import Block, Source, drawn_rows, held_source
from onesided._typing import Floats
from onesided._validation import FEWEST_POSITIVES
from onesided.exceptions import PriorWarning
from onesided.prior._combined import EstimateWithError, combined_with_error

_FOLDS = 4  # five folds have the same error and take longer
_MOST = 1 << 14  # rows of each kind; drawing these adds an error of at most .004


def estimate_from_scores(positive_scores: Floats, unlabeled_scores: Floats) -> EstimateWithError:
    """Combined estimate of the share of positives among the unlabeled, strictly in (0, 1).

    Parameters
    ----------
    positive_scores, unlabeled_scores : shapes (n_positive,) and (n_unlabeled,), scores by models
        that have not seen the rows
    """
    found = combined_with_error(positive_scores, unlabeled_scores)
    half_a_row = 0.5 / len(unlabeled_scores)
    if half_a_row <= found.point <= 1 - half_a_row:
        return found
    is_low = found.point < 0.5  # noqa: PLR2004 - nearer to 0 or to 1
    usable = half_a_row if is_low else 1 - half_a_row
    warnings.warn(
        f"The class prior was estimated as {found.point:.3g}, nearer to 0 or 1 than half an "
        f"unlabeled row. It is replaced by {usable:.3g}. The scores may not tell positives from "
        "negatives.",
        PriorWarning,
        stacklevel=4,
    )
    return found._replace(point=usable)


def out_of_fold_by(
    learn: Callable[[Source], Callable[[Block], Floats]],
    source: Source,
    fewest: int = FEWEST_POSITIVES,
) -> tuple[Floats, Floats] | None:
    """Out-of-fold scores of positives and of unlabeled rows; None for too few rows of a kind.

    The fold of a row, one of four, depends only on its place. A row of weight 2 is in one fold, and
    its score counts twice (see `drawn_rows`). If there are more than 16,384 rows of a kind, 16,384
    rows are drawn. So time and memory, except for two passes, do not depend on the number of rows.

    Parameters
    ----------
    learn : function from labeled rows to a function that scores a block
    source : labeled rows
    fewest : number of different rows of a kind that are enough, at least 2

    Returns
    -------
    positive_scores : shape (n_positive,); or (n_positive, n_scores) if a block has several scores
    unlabeled_scores : shape (n_unlabeled,) or (n_unlabeled, n_scores)
    """
    held = drawn_rows(source, _MOST)
    positive = held.labels()
    if min(positive.sum(), (~positive).sum()) < fewest:
        return None
    fold = np.empty(held.n_rows, dtype=np.int64)
    rng = np.random.default_rng(0)
    for kind in (positive, ~positive):
        fold[kind] = rng.permutation(np.arange(kind.sum()) % _FOLDS)
    found = []
    for number in range(_FOLDS):
        learned, scored = (
            held.rows(np.flatnonzero(side)) for side in (fold != number, fold == number)
        )
        found.append(learn(held_source(learned))(scored))
    scores = np.empty((held.n_rows, *found[0].shape[1:]))
    scores[np.argsort(fold, kind="stable")] = np.concatenate(found)
    n_copies = held.weights().astype(np.int64)
    known, rest = (scores[kind].repeat(n_copies[kind], axis=0) for kind in (positive, ~positive))
    return known, rest
