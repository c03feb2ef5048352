"""Beyond Geurts 2011: two halves of the arrays and a source of noise, weighed by the ranker.

The arrays of yeast are dealt into two halves, each a source of features. Beside them stand as
many columns of normal noise as a half has, drawn anew for each factor. Each source by itself, all
columns without sources, and all sources together rank the targets of each factor with ten or more.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onesided._typing import Bools, Floats
from onesided.model_selection import compare
from onesided.models.significance import SignificanceRanker
from onesided.reproduce._cells import Cell, Row

_NOISE, _HALVES = "noise", ("first half", "second half")
_ALL, _WEIGHED = "all columns, no sources", "all sources"
_RANKERS = (*_HALVES, _NOISE, _ALL, _WEIGHED)
_FEWEST = 10  # targets of a factor
_N_SUBSETS, _RESAMPLES = 300, 99
_QUICK = 2  # factors


def source_cells(X: Floats, targets: Mapping[str, Bools], *, quick: bool) -> list[Cell]:
    """The experiments, one for each factor.

    Parameters
    ----------
    X : shape (n_genes, n_arrays), missing as NaN
    targets : for each factor, shape (n_genes,)
    quick : whether there are only two factors
    """
    factors = [name for name, y in targets.items() if y.sum() >= _FEWEST]
    kind = "quick" if quick else "full"
    return [
        Cell(f"sources_{factor}_{kind}", partial(_results, X, targets[factor], at), len(_RANKERS))
        for at, factor in enumerate(factors[: _QUICK if quick else None])
    ]


def source_table(results: pa.Table) -> pa.Table:
    """Mean AUC over the factors of each ranker, and mean weight and p-values of each source."""
    rows: list[Row] = []
    for ranker in _RANKERS:
        of_ranker = results.filter(pc.equal(results["ranker"], ranker))
        auc, weight, p_value, adjusted = (
            np.asarray(of_ranker[name])
            for name in ("hidden_positive_auc", "weight", "p_value", "adjusted_p_value")
        )
        is_source = ranker not in (_ALL, _WEIGHED)
        rows.append(
            {
                "ranker": ranker,
                "n_factors": len(auc),
                "auc_mean": float(auc.mean()),
                "auc_sd": float(auc.std()),
                "weight_mean": float(weight.mean()) if is_source else None,
                "p_value_median": float(np.median(p_value)),
                "rejected_share": float((adjusted <= 0.05).mean()),  # noqa: PLR2004 - the level
            }
        )
    return pa.Table.from_pylist(rows)


def _results(X: Floats, y: Bools, place: int) -> list[Row]:
    """AUC of each ranker on one factor, with the weight and the p-values of each source."""
    n_rows, n_arrays = X.shape
    order = np.random.default_rng(0).permutation(n_arrays)
    half = n_arrays // 2
    noise = np.random.default_rng(1 + place).normal(size=(n_rows, half))
    beside = np.hstack([X, noise])
    sources = {
        _HALVES[0]: order[:half],
        _HALVES[1]: order[half:],
        _NOISE: slice(n_arrays, None),
    }
    plain = SignificanceRanker(n_subsets=_N_SUBSETS, random_state=0)
    rankers = {
        name: SignificanceRanker(n_subsets=_N_SUBSETS, sources={name: columns}, random_state=0)
        for name, columns in sources.items()
    }
    weighed = SignificanceRanker(n_subsets=_N_SUBSETS, sources=sources, random_state=0)
    rankers |= {_ALL: plain, _WEIGHED: weighed}
    found = compare(rankers, beside, {"factor": y}, random_state=0).to_frame("pyarrow")
    auc = dict(
        zip(found["method"].to_pylist(), found["hidden_positive_auc"].to_pylist(), strict=True)
    )
    weighed.fit(beside, y)
    each = weighed.source_p_values(_RESAMPLES, random_state=0)
    own = zip(each.source, each.weight, each.p_value, each.adjusted_p_value, strict=True)
    numbers = {name: tuple(map(float, of)) for name, *of in own}
    for name, ranker in ((_ALL, plain.fit(beside, y)), (_WEIGHED, weighed)):
        p_value = float(ranker.adjusted_p_value(_RESAMPLES, random_state=0))
        numbers[name] = (1.0, p_value, p_value)
    return [
        {
            "ranker": name,
            "hidden_positive_auc": auc[name],
            "weight": numbers[name][0],
            "p_value": numbers[name][1],
            "adjusted_p_value": numbers[name][2],
        }
        for name in _RANKERS
    ]
