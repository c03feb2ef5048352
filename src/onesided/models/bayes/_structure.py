"""Choose the parents of each feature from the edge weights."""

from __future__ import annotations

import numpy as np

from onesided._typing import Floats, Ints

DECIMALS = 12  # of a nat: weights that differ only by rounding are equal


def spanning_tree(weights: Floats) -> Ints:
    """Parents in the heaviest tree that joins all features, rooted at the first.

    Prim's algorithm. Weights may be negative or 0; of equal weights, the lowest index wins.

    Parameters
    ----------
    weights : shape (n_features, n_features), symmetric

    Returns
    -------
    shape (n_features,), −1 for the root
    """
    weights = np.round(weights, DECIMALS)
    n = len(weights)
    parents = np.full(n, -1)
    best = weights[0].copy()  # weight of the best edge from the tree to each feature
    nearest = np.zeros(n, dtype=np.int64)
    outside = np.ones(n, dtype=bool)
    outside[0] = False
    for _ in range(n - 1):
        new = int(np.argmax(np.where(outside, best, -np.inf)))
        parents[new] = nearest[new]
        outside[new] = False
        better = (weights[new] > best) | ((weights[new] == best) & (new < nearest))
        best = np.where(better, weights[new], best)
        nearest = np.where(better, new, nearest)
    return parents


def strongest_earlier(order: Ints, weights: Floats, k: int) -> Ints:
    """Parents in a k-dependence classifier: the k earlier features of the heaviest edges.

    Parameters
    ----------
    order : features, the most informative first
    weights : shape (n_features, n_features), symmetric
    k : largest number of parents

    Returns
    -------
    shape (n_features, k), ascending; −1 fills the rows with fewer than k parents
    """
    weights = np.round(weights, DECIMALS)
    parents = np.full((len(order), k), -1)
    for place, feature in enumerate(order):
        earlier = np.sort(order[:place])
        chosen = earlier[np.argsort(-weights[feature, earlier], kind="stable")[:k]]
        parents[feature, : len(chosen)] = np.sort(chosen)
    return parents
