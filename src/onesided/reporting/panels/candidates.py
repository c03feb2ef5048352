"""The list of candidates with its cut, its search, and an explanation of each row."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

import altair as alt
import numpy as np
import pyarrow as pa

from onesided._charts import FAINT, POSITIVE, UNLABELED, Chart
from onesided._files._names import values_of
from onesided._files._references import ITEM_MARK
from onesided._ranked import Ranked
from onesided._typing import Floats, Ints
from onesided.reporting._charts import rows, styled
from onesided.reporting._cuts import CutPoint, Cuts
from onesided.reporting._explanations import explain
from onesided.reporting._panel import Facts, Panel, Pictures
from onesided.reporting.panels.prior import is_only_at_most
from onesided.reporting.panels.promises import PromiseFacts, promise_facts
from onesided.tables import Problem, holds_records

_MOST_SHOWN = 100_000
_CURVE_POINTS = 200
_MOST_AUTHORS = 3
_FEWEST_LISTED, _FEWEST_FOUND = 10, 5 - 1e-9  # rows and hidden positives of a suggested list


class SuggestedCut(TypedDict):
    """The first cut of the list: its `place` in the curve, and `why` in words."""

    place: int
    why: str


class Candidates(TypedDict):
    """The first candidates from rank 1, with the columns of the written ranking.

    `posterior`, the probability that a row is positive, is None without a class prior; `title` is
    None without a column of titles. Of reference records `about` has the authors and the year, and
    `doi` and `pmid` what the page links to; other tables lack these three.
    """

    identifier: list[str]
    title: list[str] | None
    score: list[float]
    share_of_known_positives: list[float]
    posterior: list[float] | None
    about: NotRequired[list[str]]
    doi: NotRequired[list[str]]
    pmid: NotRequired[list[str]]


def _facts(ranked: Ranked) -> Facts:
    problem, scored, placed = ranked.problem, ranked.scored, ranked.placed
    cuts = Cuts(placed, scored, ranked.posterior)
    asked, why = _asked(promise_facts(ranked))
    places = np.rint(np.geomspace(1, placed.n_unlabeled, _CURVE_POINTS)).astype(int).tolist()
    curve = cuts.at(sorted({*places, *filter(None, [asked])}))
    order = np.lexsort((scored.rows, -scored.scores, scored.ranks))
    shown = scored.rows[order[: min(ranked.listed.num_rows, _MOST_SHOWN)]]
    known = np.flatnonzero(problem.positive)
    titles = problem.titles
    ids = values_of(problem.ids.take(pa.array(known))) if titles is None else titles[known]
    return {
        "curve": curve,
        "suggested": suggest(curve, asked, why, n_hidden=len(placed.above)),
        "candidates": {
            **_candidates(ranked.table.slice(0, len(shown)), cuts.posteriors),
            **_records(problem, shown),
        },
        "explanations": explain(
            ranked.comparison.best_estimator_,
            problem.features,
            problem.summary,
            candidates=shown,
            known=known,
            ids=[str(each) for each in ids],
        ),
    }


def _records(problem: Problem, shown: Ints) -> dict[str, list[str]]:
    """Authors and year, DOI and PubMed identifier of reference records; else nothing."""
    if not holds_records(problem):
        return {}
    names = ["authors", "year", "doi", "pmid"]
    found = problem.data.select(names).take(pa.array(shown)).to_pydict()
    return {
        "about": [
            f"{_first_authors(authors or '')}{f' ({year})' if year else ''}".strip()
            for authors, year in zip(found["authors"], found["year"], strict=True)
        ],
        **{name: [each or "" for each in found[name]] for name in ("doi", "pmid")},
    }


def _first_authors(authors: str) -> str:
    names = authors.split(ITEM_MARK)
    return f"{names[0]} et al." if len(names) > _MOST_AUTHORS else authors


def _asked(promises: PromiseFacts | None) -> tuple[int, str]:
    """Length of the list that a promise sets, and why; 0 without such a promise."""
    if promises is None or promises["labels_uneven"]:
        return 0, ""
    if promises["recall"]:
        return promises["recall"]["n_rows"], "the list reaches the recall that was asked for"
    if promises["positives"]:
        return promises["positives"]["n_rows"], "the list that was asked for ends"
    return 0, ""


def suggest(curve: Sequence[CutPoint], asked: int, why: str, *, n_hidden: int) -> SuggestedCut:
    """The list that was asked for; otherwise the one with the highest criterion of Lee and Liu.

    Only lists with at least ten rows and five hidden positives count, because the first row alone
    has the highest criterion if a few hidden positives rank above all other rows.
    """
    if asked:
        lengths = [point["n_listed"] for point in curve]
        return SuggestedCut(place=lengths.index(asked), why=why)
    places = [
        place
        for place, point in enumerate(curve)
        if point["n_listed"] >= _FEWEST_LISTED and point["recall"] * n_hidden >= _FEWEST_FOUND
    ]
    best = max(places or range(len(curve)), key=lambda i: curve[i]["recall"] * curve[i]["lift"])
    return SuggestedCut(place=best, why="a longer list would add few positives for its length")


def _candidates(ranking: pa.Table, posteriors: Floats | None) -> Candidates:
    has_titles = "title" in ranking.column_names
    return Candidates(
        identifier=[str(each) for each in values_of(ranking[0])],
        title=[each or "" for each in ranking["title"].to_pylist()] if has_titles else None,
        score=ranking["score"].to_pylist(),
        share_of_known_positives=ranking["share_of_known_positives"].to_numpy().round(6).tolist(),
        posterior=None if posteriors is None else posteriors[: ranking.num_rows].round(6).tolist(),
    )


def _charts(report: Facts) -> Pictures:
    chart = _cut_chart(report["curve"], only_at_most=is_only_at_most(report))
    return {"cuts": (chart, "Recall and precision of the list against its length.")}


def _cut_chart(curve: Sequence[CutPoint], *, only_at_most: bool) -> Chart:
    """Recall and, with a class prior, precision of the list against its length.

    The line of recall must be the first layer, with a vertex for each point of the curve: the page
    reads the position of each length from it.
    """
    percent = alt.Axis(format="%", labelFlush=False)
    scale = alt.Scale(type="log", domain=[1, curve[-1]["n_listed"]], nice=False)
    apart = alt.Axis(labelOverlap="greedy", labelSeparation=8)
    x = alt.X("n_listed:Q", title="candidates in the list, from the top", scale=scale, axis=apart)
    base = alt.Chart(rows(curve)).encode(x=x)
    names, colors = ["recall", "recall by chance"], [POSITIVE, FAINT]
    recall = base.mark_line(strokeWidth=2.5).encode(
        y=alt.Y("recall:Q", title="share", axis=percent, scale=alt.Scale(domain=[0, 1])),
        color=_named(names[0]),
    )
    chance = base.mark_line(strokeWidth=1.5, strokeDash=[5, 4])
    layers = [recall, chance.encode(y="by_chance:Q", color=_named(names[1]))]
    if curve[0]["precision"] is not None:
        names.append("precision, at most" if only_at_most else "precision")
        colors.append(UNLABELED)
        band = base.mark_area(color=UNLABELED, opacity=0.18)
        precision = base.mark_line(strokeWidth=2.5)
        layers += [
            band.encode(y="precision_low:Q", y2="precision_high:Q"),
            precision.encode(y="precision:Q", color=_named(names[-1])),
        ]
    legend = alt.Legend(orient="top", title=None, symbolType="stroke", symbolStrokeWidth=3)
    color = alt.Color(scale=alt.Scale(domain=names, range=colors), legend=legend)
    return styled(alt.layer(*layers).encode(color=color), height=260)


def _named(name: str) -> Any:
    return alt.datum(name, type="nominal")


PANEL = Panel(__file__, _facts, "Candidates", _charts)
