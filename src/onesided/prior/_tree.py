"""The class prior from the region of the columns in which labels are densest."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import StratifiedKFold

from onesided._typing import Array, Bools, Ints, RandomState

_FEWEST = 10  # rows that a region needs in the folds that evaluate the tree
_SMOOTHING = 5  # unlabeled rows that are added to each region, as in the paper


def tree_induction(
    X: Array, labeled: Bools, *, max_splits: int = 500, cv: int = 5, random_state: RandomState = 0
) -> float:
    """Share of positives among the unlabeled, by a decision tree that finds labeled rows.

    The method makes two assumptions. Labels are selected completely at random (SCAR). Some region,
    bounded by a range of each column, contains only positives. In this region the share of labeled
    rows equals the label frequency, and it is no higher in any other region.

    Parameters
    ----------
    X : shape (n_rows, n_features), numbers
    labeled : shape (n_rows,), True for labeled positives
    max_splits : largest number of splits of a tree
    cv : number of folds; each tree is grown on one fold and evaluated on the other folds
    random_state : of the folds

    Returns
    -------
    0 or above

    Notes
    -----
    TIcE of Bekker, Davis 2018. A tree is grown on one fold. The next node to split is the one with
    the highest share of labeled rows, where five unlabeled rows are added to each node. The split
    uses the column and value that give a child node the highest such share.

    In the other folds, a node with L labeled rows among T rows gives a lower bound on the label
    frequency c: L/T - √(c (1 - c) (1 - δ) / (δ T)). Here δ = max(.025, 1 / (1 + .004 n)), and n is
    the number of rows in these folds. The estimate of c is the mean over trees of the highest lower
    bound of a tree. It is computed twice: the formula uses c = .5 first, and then the first result.

    There are two differences from the authors' program: columns are split in two at any value, and
    the next node to split is chosen as described above.

    Examples
    --------
    Of the 1,300 unlabeled rows 300 are positive, a share of 0.23:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> positive = np.arange(2000) < 1000
    >>> X = np.where(positive, rng.uniform(1, 2, 2000), rng.uniform(0, 1, 2000))[:, None]
    >>> round(tree_induction(X, np.arange(2000) < 700), 2)
    0.29
    """
    n_splits = min(cv, int(labeled.sum()), int((~labeled).sum()))
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=random_state)
    regions = [
        np.array(list(_regions(X, labeled, grow, judge, max_splits)))
        for judge, grow in folds.split(X, labeled)
    ]
    n_judging = len(labeled) * (n_splits - 1) / n_splits
    delta = max(0.025, 1 / (1 + 0.004 * n_judging))
    frequency = 0.5
    for _ in range(2):
        spread = max(frequency * (1 - frequency), 0.0) * (1 - delta) / delta
        frequency = float(np.mean([_highest(counts, spread) for counts in regions]))
    n_labeled = int(labeled.sum())
    # The label frequency is at least the share of labeled rows among all rows.
    frequency = max(frequency, n_labeled / len(labeled))
    return n_labeled * (1 - frequency) / (frequency * (len(labeled) - n_labeled))


def _highest(counts: Ints, spread: float) -> float:
    n_labeled, n_rows = counts.T
    return float(np.max(n_labeled / n_rows - np.sqrt(spread / n_rows)))


def _regions(
    X: Array, labeled: Bools, grow: Ints, judge: Ints, max_splits: int
) -> Iterator[tuple[int, int]]:
    """Numbers of labeled rows and of all rows of each node, among the rows that evaluate the tree.

    Parameters
    ----------
    X : shape (n_rows, n_features)
    labeled : shape (n_rows,)
    grow, judge : positions of the rows that grow the tree and of the rows that evaluate it
    max_splits : largest number of splits
    """
    yield int(labeled[judge].sum()), len(judge)
    queue = [(-_density(labeled[grow]), 0, grow, judge)]
    n_nodes = 1
    for _ in range(max_splits):
        if not queue:
            return
        _, _, growing, judging = heapq.heappop(queue)
        split = _best_split(X[growing], labeled[growing])
        if split is None:
            continue
        column, value = split
        for side in (np.less_equal, np.greater):
            rows, judges = (part[side(X[part, column], value)] for part in (growing, judging))
            if len(judges) < _FEWEST:
                continue
            yield int(labeled[judges].sum()), len(judges)
            heapq.heappush(queue, (-_density(labeled[rows]), n_nodes, rows, judges))
            n_nodes += 1


def _density(labeled: Bools) -> float:
    return float(labeled.sum()) / (len(labeled) + _SMOOTHING)


def _best_split(X: Array, labeled: Bools) -> tuple[int, float] | None:
    """Column and value of the best split: one child has the rows at or below the value.

    It is None if all rows are identical.
    """
    order = np.argsort(X, axis=0, kind="stable")
    values = np.take_along_axis(X, order, axis=0)
    below = labeled[order].cumsum(axis=0)[:-1]
    n_below = np.arange(1, len(X))[:, None]
    shares = np.maximum(
        below / (n_below + _SMOOTHING),
        (labeled.sum() - below) / (len(X) - n_below + _SMOOTHING),
    )
    shares = np.where(values[1:] > values[:-1], shares, -math.inf)
    if not np.isfinite(shares).any():
        return None
    row, column = np.unravel_index(int(np.argmax(shares)), shares.shape)
    return int(column), float(values[row, column])
