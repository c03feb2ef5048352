"""From results to the dictionary of a report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from onesided import __version__
from onesided._labels import Scenario
from onesided._typing import Array, Bools, Floats
from onesided.metrics import ResampledPValue, recall_at
from onesided.model_selection import Comparison, PlacedPositives
from onesided.model_selection import OutOfFoldScores as CrossFitScores
from onesided.prior import ClassPriorEstimate
from onesided.promises import PosteriorCalibration
from onesided.reporting._drivers import find_drivers, find_structure
from onesided.reporting._explanations import explain
from onesided.reporting._promises import shown_priors, summarize_prior
from onesided.reporting._schema import (
    CalibrationBin,
    Candidates,
    ChanceTest,
    CutPoint,
    DroppedColumn,
    EnrichedFeature,
    HistogramBin,
    Method,
    PromiseFacts,
    Report,
    SuggestedCut,
    TableFacts,
)
from onesided.tables import TableSummary

_SHOWN_CANDIDATES = 100_000
_SHOWN_ENRICHED = 15
_MOST_BINS, _POSITIVES_OF_BIN, _CANDIDATES_OF_BIN = 8, 8, 10  # of the calibration
_CURVE_POINTS = 200
_BINS = 40
_LOWEST, _HIGHEST = -4.0, 8.0  # robust standard deviations
_TOP = (10, 100, 1000, 10_000, 100_000)
_FEWEST_LISTED, _FEWEST_FOUND = 10, 5 - 1e-9  # rows, hidden positives of a list that is suggested
_SMALL = 1e-9  # class prior
_BY_CHANCE, _AS_A_LEAK = 0.5, 0.99  # AUC; the strongest single column seen that was none had 0.95
_TINY = float(np.finfo(float).tiny)


def summarize_ranking(  # noqa: PLR0913 - each part of a report comes from another step
    *,
    name: str,
    summary: TableSummary,
    features: pa.Table,
    positive: Bools,
    label: str,
    identifiers: pa.ChunkedArray,
    titles: Array | None,
    identifier: str,
    group: str,
    comparison: Comparison,
    placed: PlacedPositives,
    scored: CrossFitScores,
    ranking: pa.Table,
    prior: ClassPriorEstimate | None,
    posterior: PosteriorCalibration | None,
    no_prior: str,
    scenario: Scenario | None,
    promises: PromiseFacts | None,
    enriched: pa.Table | None,
    chance: Mapping[str, ResampledPValue],
    warnings: Sequence[str],
    command: str,
) -> Report:
    """All that a report shows.

    Parameters
    ----------
    name : of the table
    summary : what was understood of its columns
    features : the columns that were learned from, n_rows rows
    positive : shape (n_rows,)
    label, group : names of columns, empty where there is none
    identifiers, identifier : of the rows, and what the column is called in the ranking
    titles : shape (n_rows,), what the rows are called beside; None where they are not
    comparison : the methods
    placed : positives among the unlabeled, by the method taken
    scored : the candidates, cross-fitted by the method taken
    ranking : as `ranking_table` makes it
    prior, posterior : how many are positive, and which
    no_prior : why that cannot be told, where it cannot
    scenario : the sampling story, None where it is not known
    promises : as `summarize_promises` makes them
    enriched : features that set the positives apart, as `enrichment_table` makes them
    chance : p-values by what they are of, "auc" or "distance"
    warnings : one sentence or two each
    command : that made the report
    """
    n_positive = int(positive.sum())
    order = np.lexsort((scored.rows, -scored.scores, scored.ranks))
    shown = scored.rows[order[: min(ranking.num_rows, _SHOWN_CANDIDATES)]]
    known = np.flatnonzero(positive)
    cuts = _Cuts(placed, scored, posterior)
    asked, why = _asked(promises)
    curve = [cuts.at(n) for n in _curve_places(placed.n_unlabeled, asked)]
    return Report(
        form="ranking",
        version=__version__,
        command=command,
        table=TableFacts(
            name=name,
            n_rows=len(positive),
            n_positive=n_positive,
            n_unlabeled=len(positive) - n_positive,
            label=label,
            identifier=identifier,
            group=group,
            n_numbers=len(summary.names("number")),
            n_categories=len(summary.names("category")),
            n_texts=len(summary.names("text")),
            n_numbered=summary.n_sparse,
            missing_share=summary.missing_share,
            dropped=[
                DroppedColumn(name=column.name, reason=column.reason) for column in summary.dropped
            ],
        ),
        prior=None
        if prior is None
        else summarize_prior(prior, scenario=scenario, n_unlabeled=len(scored.rows)),
        no_prior=no_prior,
        promises=promises,
        methods=_methods(comparison),
        doubt=_doubt(comparison),
        curve=curve,
        top=[cuts.at(n) for n in _TOP if placed.tells_of(n) and n < placed.n_unlabeled],
        tenths=cuts.tenths(),
        suggested=_suggest(curve, asked, why, n_hidden=len(placed.above)),
        histogram=histogram(placed.scores, scored.scores, _LOWEST, _HIGHEST),
        calibration=[] if prior is None else cuts.calibration(shown_priors(prior)[1]),
        candidates=_candidates(ranking.slice(0, len(shown)), identifier, cuts.posteriors),
        explanations=explain(
            comparison.best_estimator_,
            features,
            summary,
            candidates=shown,
            known=known,
            ids=[
                str(each)
                for each in (
                    identifiers.take(pa.array(known)).to_pylist()
                    if titles is None
                    else titles[known]
                )
            ],
        ),
        drivers=find_drivers(comparison.best_estimator_),
        structure=find_structure(comparison.best_estimator_),
        enriched=[] if enriched is None else _enriched(enriched),
        chance=[_chance_test(what, found) for what, found in chance.items()],
        warnings=list(warnings),
    )


def summarize_tenths(
    placed: PlacedPositives,
    scored: CrossFitScores | None = None,
    posterior: PosteriorCalibration | None = None,
) -> list[CutPoint]:
    """What the list holds up to the end of each of its tenths, as a report has it.

    Parameters
    ----------
    placed : positives among the rows of the list
    scored, posterior : the rows of the list, and which are positive; None where nobody knows
    """
    return _Cuts(placed, scored, posterior).tenths()


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


def _doubt(comparison: Comparison) -> Literal["", "chance", "leak"]:
    """What the best AUC may come from instead of what sets the positives apart."""
    best = comparison.to_frame("pyarrow").slice(0, 1).to_pylist()[0]
    if best["auc_low"] <= _BY_CHANCE:
        return "chance"
    too_good = comparison.hidden[comparison.best_].is_too_good
    return "leak" if too_good or best["hidden_positive_auc"] >= _AS_A_LEAK else ""


def _chance_test(what: str, found: ResampledPValue) -> ChanceTest:
    return ChanceTest(
        what=what,
        statistic=found.statistic,
        n_sets=len(found.null),
        n_as_high=found.n_as_high,
        highest=float(found.null.max()),
        p_value=float(found),
    )


def _curve_places(n_unlabeled: int, asked: int) -> list[int]:
    """Lengths of the list, evenly on a logarithmic scale, and the one asked for; each once."""
    places = np.rint(np.geomspace(1, n_unlabeled, _CURVE_POINTS))
    return sorted({int(place) for place in (*places, *([asked] if asked else []))})


def _tenths(n_unlabeled: int) -> list[int]:
    """Where each tenth of the list ends; none of them empty."""
    return sorted({max(1, n_unlabeled * tenth // 10) for tenth in range(1, 11)})


class _Cuts:
    """What the list holds where it is cut."""

    def __init__(
        self,
        placed: PlacedPositives,
        scored: CrossFitScores | None,
        posterior: PosteriorCalibration | None,
    ) -> None:
        self._placed = placed
        self.posteriors = self._positives = None
        if scored is None or posterior is None:
            return
        scores = -np.sort(scored.ranks)  # of the candidates, the first first
        priors = np.array(shown_priors(posterior.class_prior))
        self.posteriors = replace(posterior, class_prior=priors[1]).given_unlabeled(scores)
        # A small prior cuts no posterior off at 1: their sums are the recall, smooth along it.
        along = replace(posterior, class_prior=_SMALL).given_unlabeled(scores).cumsum() + _TINY
        positives = len(scores) * np.outer(priors, along / along[-1])
        self._positives = np.minimum(positives, np.arange(1, len(scores) + 1))

    def at(self, n_listed: int) -> CutPoint:
        placed = self._placed
        recall = float(recall_at([n_listed], placed.above, placed.tied)[0])
        by_chance = n_listed / placed.n_unlabeled
        low, middle, high = (
            (None, None, None)
            if self._positives is None
            else self._positives[:, n_listed - 1].tolist()
        )
        return CutPoint(
            n_listed=n_listed,
            recall=recall,
            by_chance=by_chance,
            lift=recall / by_chance,
            positives=middle,
            positives_low=low,
            positives_high=high,
            precision=_of(middle, n_listed),
            precision_low=_of(low, n_listed),
            precision_high=_of(high, n_listed),
        )

    def tenths(self) -> list[CutPoint]:
        return [self.at(n) for n in _tenths(self._placed.n_unlabeled)]

    def calibration(self, class_prior: float) -> list[CalibrationBin]:
        """Bins of the list with about as many hidden positives each, and not too few candidates."""
        assert self.posteriors is not None
        placed, n_unlabeled = self._placed, self._placed.n_unlabeled
        ranks = placed.above + placed.tied / 2 + 0.5
        n_bins = min(_MOST_BINS, max(2, len(ranks) // _POSITIVES_OF_BIN))
        edges = [0]
        for end in np.ceil(np.quantile(ranks, np.linspace(0, 1, n_bins + 1)[1:-1])).astype(int):
            if edges[-1] + _CANDIDATES_OF_BIN <= end < n_unlabeled:
                edges.append(int(end))
        edges.append(n_unlabeled)
        found = []
        for first, last in pairwise(edges):
            share = float(((ranks > first) & (ranks <= last)).mean())
            error = np.sqrt(share * (1 - share) / len(ranks))
            to_precision = class_prior * n_unlabeled / (last - first)
            found.append(
                CalibrationBin(
                    first=first + 1,
                    last=last,
                    posterior=float(self.posteriors[first:last].mean()),
                    counted=share * to_precision,
                    counted_low=max(0.0, (share - error) * to_precision),
                    counted_high=(share + error) * to_precision,
                )
            )
        return found


def _of(positives: float | None, n_listed: int) -> float | None:
    return None if positives is None else positives / n_listed


def _asked(promises: PromiseFacts | None) -> tuple[int, str]:
    """Length of the list that was asked for, 0 for none, and what it is."""
    if promises and promises["labels_uneven"]:
        return 0, ""
    if promises and promises["recall"]:
        return promises["recall"]["n_rows"], "the list holds the recall that was asked for"
    if promises and promises["positives"]:
        return promises["positives"]["n_rows"], "the list ends that was asked for"
    return 0, ""


def _suggest(curve: Sequence[CutPoint], asked: int, why: str, *, n_hidden: int) -> SuggestedCut:
    """The list that was asked for, else that of the highest criterion of Lee and Liu.

    Of lists of ten rows or more with five of the hidden positives: where a few of these stand above
    all others, the first row alone has the highest.
    """
    if asked:
        lengths = [point["n_listed"] for point in curve]
        return SuggestedCut(place=lengths.index(asked), why=why)
    criteria = [point["recall"] * point["lift"] for point in curve]
    long_enough = [
        place
        for place, point in enumerate(curve)
        if point["n_listed"] >= _FEWEST_LISTED and point["recall"] * n_hidden >= _FEWEST_FOUND
    ]
    place = max(long_enough or range(len(curve)), key=criteria.__getitem__)
    return SuggestedCut(
        place=place,
        why="a longer list adds few positives for its length",
    )


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


def _candidates(ranking: pa.Table, identifier: str, posteriors: Floats | None) -> Candidates:
    return Candidates(
        identifier=[str(each) for each in ranking[identifier].to_pylist()],
        title=[each or "" for each in ranking["title"].to_pylist()]
        if "title" in ranking.column_names
        else None,
        score=ranking["score"].to_pylist(),
        share_of_known_positives=ranking["share_of_known_positives"].to_numpy().round(6).tolist(),
        posterior=None if posteriors is None else posteriors[: ranking.num_rows].round(6).tolist(),
    )


def _enriched(found: pa.Table) -> list[EnrichedFeature]:
    return [
        EnrichedFeature(
            feature=str(row["feature"]),
            direction=row["direction"],
            statistic=row["statistic"],
            p_value=row["p_value"],
            adjusted_p_value=row["adjusted_p_value"],
        )
        for row in found.slice(0, _SHOWN_ENRICHED).to_pylist()
    ]
