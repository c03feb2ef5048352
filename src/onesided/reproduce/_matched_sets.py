"""Beyond Geurts 2011: sets of genes that are biased by their expression, matched and not.

Genes are drawn with a probability that grows e-fold a standard deviation of the normal score of
their mean over all arrays. Such a set has nothing in common but its expression, so that a test
should reject it as often as its level says. The expression is cut into more and more strata.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.special import ndtri
from scipy.stats import rankdata

from onesided._typing import Floats
from onesided.models.significance import SignificanceRanker
from onesided.reproduce._cells import Cell, Row

_CUTS = (1, 3, 5, 10, 0)  # strata of equal size; 0 stands for the strata that `match` makes
_LEVEL = 0.05
_SIZE, _N_SUBSETS, _RESAMPLES = 30, 200, 99
_N_CELLS, _A_CELL, _QUICK = 20, 25, 5  # cells, sets in each, and sets of the quick one


def matched_cells(X: Floats, *, quick: bool) -> list[Cell]:
    """The experiments: sets of genes, each tested with all cuts of the expression.

    Parameters
    ----------
    X : shape (n_genes, n_arrays), missing as NaN
    quick : whether there are only a few sets
    """
    n_sets = _QUICK if quick else _A_CELL
    kind = "quick" if quick else "full"
    return [
        Cell(f"matched_{place}_{kind}", partial(_results, X, place, n_sets), n_sets * len(_CUTS))
        for place in range(1 if quick else _N_CELLS)
    ]


def rejected(results: pa.Table) -> pa.Table:
    """The share of the sets with an adjusted p-value of at most .05, for each cut."""
    rows = []
    for cut in _CUTS:
        of_cut = results.filter(pc.equal(results["n_strata"], cut))
        small = np.asarray(of_cut["adjusted_p_value"]) <= _LEVEL
        share = float(small.mean())
        strata = {0: "as by match", 1: "none"}.get(cut, str(cut))
        error = float(np.sqrt(share * (1 - share) / len(small)))
        rows.append(
            {
                "strata": strata,
                "n_sets": len(small),
                "rejected_share": share,
                "standard_error": error,
            }
        )
    return pa.Table.from_pylist(rows)


def _results(X: Floats, place: int, n_sets: int) -> list[Row]:
    rng = np.random.default_rng(place)
    level = np.nanmean(X, axis=1)
    chance = np.exp(ndtri((rankdata(level) - 0.5) / len(level)))
    rows = []
    for each in range(n_sets):
        chosen = rng.choice(len(X), _SIZE, replace=False, p=chance / chance.sum())
        positive = np.isin(np.arange(len(X)), chosen)
        for cut in _CUTS:
            ranker = SignificanceRanker(n_subsets=_N_SUBSETS, random_state=each)
            ranker.fit(X, positive, match=_cut(level, cut))
            p_value = float(ranker.adjusted_p_value(_RESAMPLES, random_state=each))
            rows.append({"set": each, "n_strata": cut, "adjusted_p_value": p_value})
    return rows


def _cut(level: Floats, n_strata: int) -> Any:
    """What is passed as `match`: text is taken as it is."""
    if n_strata == 0:
        return level
    strata = (rankdata(level, method="ordinal") - 1) * n_strata // len(level)
    return None if n_strata == 1 else strata.astype(str)
