"""How far the list can be trusted: the ranks of hidden known positives."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypedDict

import altair as alt
import numpy as np
import pyarrow as pa

from onesided._candidates import Candidates
from onesided._charts import INK, POSITIVE, UNLABELED, Chart
from onesided._ranked import Ranked
from onesided.model_selection import Comparison, PlacedPositives
from onesided.reporting._charts import HEIGHT, histogram, histogram_chart, rows, styled
from onesided.reporting._panel import Facts, Panel, Pictures

_MOST_BINS, _POSITIVES_OF_BIN, _CANDIDATES_OF_BIN = 8, 8, 10
_LOWEST, _HIGHEST = -4.0, 8.0  # robust standard deviations
_TOP = (10, 100, 1000, 10_000, 100_000)
_LABEL = 230  # widest label beside a chart


class Method(TypedDict):
    """One of the methods that were compared, with its weight if their average was taken."""

    name: str
    auc: float
    standard_error: float
    average_rank: float
    taken: bool
    weight: float | None


class CalibrationBin(TypedDict):
    """The candidates from rank `first` to `last`.

    `posterior` is their mean posterior. `counted` is their share of positives, measured on the
    hidden positives between these ranks; the interval spans one standard error on both sides. There
    are no bins where only an upper bound of the posterior is known: a bound is no count.
    """

    first: int
    last: int
    posterior: float
    counted: float
    counted_low: float
    counted_high: float


class UnevenFacts(TypedDict):
    """What is left of the AUC if the odds of being labeled differ among the positives.

    At the ratio it is between `auc_low` and `auc_high`, which leave out sampling error. From
    `tipping_point` on the list may be no better than chance; None if there is no such ratio below
    1,000.
    """

    label_odds_ratio: float
    auc_low: float
    auc_high: float
    tipping_point: float | None


def _facts(ranked: Ranked) -> Facts:
    placed, listed = ranked.placed, ranked.candidates
    return {
        "methods": _methods(ranked.comparison),
        "top": listed.at([n for n in _TOP if placed.tells_of(n) and n < placed.n_unlabeled]),
        "tenths": listed.tenths(),
        "known_above": np.sort(placed.above + placed.tied / 2).tolist(),
        "uneven_labels": ranked.uneven_labels.facts(),
        "histogram": histogram(placed.scores, ranked.scored.scores, _LOWEST, _HIGHEST),
        "calibration": []
        if listed.posterior is None or listed.only_at_most or ranked.checked is not None
        else _calibration(placed, listed),
        **({"verdicts": list(ranked.rests_on)} if ranked.checked is not None else {}),
    }


def _methods(comparison: Comparison) -> list[Method]:
    names = ["method", "hidden_positive_auc", "auc_standard_error", "average_rank"]
    found = comparison.to_frame("pyarrow").select(names)
    found = found.rename_columns(["name", "auc", "standard_error", "average_rank"])
    taken = [name == comparison.best_ for name in found["name"].to_pylist()]
    averaged = comparison.weights if comparison.is_averaged else {}
    weights = pa.array(map(averaged.get, found["name"].to_pylist()), pa.float64())
    found = found.append_column("taken", [taken]).append_column("weight", weights)
    methods: list[Method] = found.to_pylist()
    return methods


def _calibration(placed: PlacedPositives, listed: Candidates) -> list[CalibrationBin]:
    """Bins of the list with about equal numbers of hidden positives, and enough candidates."""
    n_positive, posterior = listed.positives[""][-1], listed.posteriors[""]
    n_unlabeled = placed.n_unlabeled
    ranks = placed.above + placed.tied / 2 + 0.5
    n_bins = min(_MOST_BINS, max(2, len(ranks) // _POSITIVES_OF_BIN))
    edges = [0]
    for end in np.ceil(np.quantile(ranks, np.linspace(0, 1, n_bins + 1)[1:-1])).astype(int):
        if edges[-1] + _CANDIDATES_OF_BIN <= end < n_unlabeled:
            edges.append(int(end))
    ends = list(pairwise([*edges, n_unlabeled]))
    share = np.array([((ranks > before) & (ranks <= last)).mean() for before, last in ends])
    error = np.sqrt(share * (1 - share) / len(ranks))
    before, last = np.transpose(ends)
    to_precision = n_positive / (last - before)
    columns = {
        "first": before + 1,
        "last": last,
        "posterior": [posterior[slice(*each)].mean() for each in ends],
        "counted": np.minimum(1.0, share * to_precision),
        "counted_low": np.clip((share - error) * to_precision, 0.0, 1.0),
        "counted_high": np.minimum(1.0, (share + error) * to_precision),
    }
    found: list[CalibrationBin] = pa.table(columns).to_pylist()
    return found


def _charts(report: Facts) -> Pictures:
    what = "Distribution of the scores of hidden positives and of unlabeled rows."
    drawn = {
        "histogram": (styled(histogram_chart(report["histogram"]), HEIGHT), what),
        "methods": (_methods_chart(report["methods"]), "Hidden-positive AUC of each method."),
    }
    if report["calibration"]:
        chart = _calibration_chart(report["calibration"])
        drawn["calibration"] = (chart, "Posterior and counted share of positives along the list.")
    return drawn


def _calibration_chart(bins: Sequence[CalibrationBin]) -> Chart:
    """Posterior along the list, and the share of positives measured on hidden positives."""
    scale = alt.Scale(type="log", domain=[1, bins[-1]["last"]], nice=False)
    middles = [{**each, "middle": (each["first"] * each["last"]) ** 0.5} for each in bins]
    base = alt.Chart(rows(middles))
    y = alt.Scale(domain=[0, 1])
    apart = alt.Axis(labelOverlap="greedy", labelSeparation=8)
    posterior = base.mark_rule(color=UNLABELED, strokeWidth=4, opacity=0.7).encode(
        x=alt.X("first:Q", title="rank of the candidates", scale=scale, axis=apart),
        x2=alt.X2("last:Q"),
        y=alt.Y("posterior:Q", title="share positive", axis=alt.Axis(format="%"), scale=y),
    )
    x = alt.X("middle:Q", scale=scale)
    errors = base.mark_rule(color=POSITIVE).encode(
        x=x, y=alt.Y("counted_low:Q"), y2=alt.Y2("counted_high:Q")
    )
    points = base.mark_point(color=POSITIVE, filled=True, size=70, opacity=1)
    return styled(
        alt.layer(posterior, errors, points.encode(x=x, y=alt.Y("counted:Q"))), height=220
    )


def _methods_chart(methods: Sequence[Method]) -> Chart:
    """Hidden-positive AUC of each method, with one standard error on both sides."""
    ends: list[dict[str, Any]] = []
    for each in methods:
        auc, error = each["auc"], each["standard_error"]
        ends.append({**each, "low": auc - error, "high": min(1.0, auc + error)})
    y = alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=_LABEL))
    base = alt.Chart(rows(ends)).encode(y=y)
    scale = alt.Scale(domain=[min([0.5, *(each["low"] for each in ends)]), 1.0], zero=False)
    x = alt.X("low:Q", title="hidden-positive AUC (0.5 is chance)", scale=scale)
    bars = base.mark_rule(color=INK, strokeWidth=1.5).encode(x=x, x2=alt.X2("high:Q"))
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=alt.X("auc:Q", scale=scale),
        color=alt.condition("datum.taken", alt.value(POSITIVE), alt.value(UNLABELED)),
    )
    return styled(alt.layer(bars, points), height=alt.Step(26))


PANEL = Panel(__file__, _facts, "Evidence", _charts)
