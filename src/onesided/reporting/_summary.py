"""From results to the dictionary of a report."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from onesided import __version__
from onesided._typing import Bools, Floats
from onesided.metrics import ResampledPValue, recall_at
from onesided.model_selection import Comparison, CrossFitScores, PlacedPositives
from onesided.reporting._drivers import find_drivers
from onesided.reporting._schema import (
    Candidate,
    ChanceTest,
    CurvePoint,
    DroppedColumn,
    HistogramBin,
    Method,
    PriorFacts,
    PromiseFacts,
    Report,
    TableFacts,
)
from onesided.tables import TableSummary

_SHOWN_CANDIDATES = 200
_CURVE_POINTS = 200
_BINS = 40
_LOWEST, _HIGHEST = -4.0, 8.0  # robust standard deviations
_TOP = (10, 100, 1000, 10_000, 100_000)


def places_shown(n_unlabeled: int) -> list[int]:
    """Numbers of candidates that a report has figures on."""
    return [n for n in _TOP if n < n_unlabeled]


def summarize_ranking(  # noqa: PLR0913 - each part of a report comes from another step
    *,
    name: str,
    summary: TableSummary,
    positive: Bools,
    label: str,
    identifier: str,
    group: str,
    comparison: Comparison,
    placed: PlacedPositives,
    scored: CrossFitScores,
    ranking: pa.Table,
    prior: PriorFacts | None,
    promises: PromiseFacts | None,
    chance: Mapping[str, ResampledPValue],
    warnings: Sequence[str],
    command: str,
) -> Report:
    """All that a report shows.

    Parameters
    ----------
    name : of the table
    summary : what was understood of its columns
    positive : shape (n_rows,)
    label, identifier, group : names of the columns, empty where there is none
    comparison : the methods
    placed : positives among the unlabeled, by the method taken
    scored : the unlabeled, cross-fitted by the method taken
    ranking : as `ranking_table` makes it
    prior, promises : as `summarize_prior` and `summarize_promises` make them
    chance : p-values by what they are of, "auc" or "distance"
    warnings : one sentence or two each
    command : that made the report
    """
    n_positive = int(positive.sum())
    n_unlabeled = len(positive) - n_positive
    return Report(
        version=__version__,
        command=command,
        table=TableFacts(
            name=name,
            n_rows=len(positive),
            n_positive=n_positive,
            n_unlabeled=n_unlabeled,
            label=label,
            identifier=identifier,
            group=group,
            n_numbers=len(summary.names("number")),
            n_categories=len(summary.names("category")),
            n_texts=len(summary.names("text")),
            missing_share=summary.missing_share,
            dropped=[
                DroppedColumn(name=column.name, reason=column.reason) for column in summary.dropped
            ],
        ),
        prior=prior,
        promises=promises,
        methods=_methods(comparison),
        curve=[_point(n, placed) for n in _curve_places(placed.n_unlabeled)],
        top=[_point(n, placed) for n in places_shown(placed.n_unlabeled)],
        histogram=histogram(placed.scores, scored.scores, _LOWEST, _HIGHEST),
        candidates=_candidates(ranking, identifier),
        drivers=find_drivers(comparison.best_estimator_),
        chance=[_chance_test(what, found) for what, found in chance.items()],
        warnings=list(warnings),
    )


def _methods(comparison: Comparison) -> list[Method]:
    frame: dict[str, list[Any]] = comparison.to_frame("pyarrow").to_pydict()
    rows = [dict(zip(frame, values, strict=True)) for values in zip(*frame.values(), strict=True)]
    return [
        Method(
            name=row["method"],
            auc=row["hidden_positive_auc"],
            standard_error=row["auc_standard_error"],
            average_rank=row["average_rank"],
            taken=row["method"] == comparison.best_,
        )
        for row in rows
    ]


def _chance_test(what: str, found: ResampledPValue) -> ChanceTest:
    return ChanceTest(
        what=what,
        statistic=found.statistic,
        n_sets=len(found.null),
        n_as_high=found.n_as_high,
        highest=float(found.null.max()),
        p_value=float(found),
    )


def _curve_places(n_unlabeled: int) -> list[int]:
    """Lengths of the list, evenly on a logarithmic scale; each once."""
    places = np.geomspace(1, n_unlabeled, _CURVE_POINTS)
    return sorted({int(place) for place in np.rint(places)})


def _point(n_listed: int, placed: PlacedPositives) -> CurvePoint:
    found = float(recall_at([n_listed], placed.above, placed.tied)[0])
    return CurvePoint(n_listed=n_listed, found=found, by_chance=n_listed / placed.n_unlabeled)


def histogram(
    positive: Floats, unlabeled: Floats, lowest: float, highest: float
) -> list[HistogramBin]:
    """Shares of both in bins from the lowest to the highest; beyond joins the last bin."""
    edges = np.linspace(lowest, highest, _BINS + 1)
    shares = [
        np.histogram(np.clip(scores, lowest, highest), edges)[0] / len(scores)
        for scores in (positive, unlabeled)
    ]
    return [
        HistogramBin(
            low=float(edges[i]),
            high=float(edges[i + 1]),
            positive_share=float(shares[0][i]),
            unlabeled_share=float(shares[1][i]),
        )
        for i in range(_BINS)
    ]


def _candidates(ranking: pa.Table, identifier: str) -> list[Candidate]:
    rows = ranking.slice(0, _SHOWN_CANDIDATES).to_pylist()
    return [
        Candidate(
            identifier=str(row[identifier]),
            rank=row["rank"],
            score=row["score"],
            share_of_known_positives=row["share_of_known_positives"],
            posterior=row.get("posterior"),
        )
        for row in rows
    ]
