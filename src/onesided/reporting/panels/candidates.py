"""The list of candidates with its cut, its search, and an explanation of each row."""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any, NotRequired, TypedDict

import altair as alt
import numpy as np
import pyarrow as pa

from onesided._candidates import Candidates, CutPoint
from onesided._charts import FAINT, POSITIVE, UNLABELED, Chart
from onesided._files._names import values_of
from onesided._files._references import ITEM_MARK
from onesided._ranked import KeptPromises, Ranked
from onesided._text import as_text
from onesided._typing import Ints
from onesided.reporting._charts import rows, styled
from onesided.reporting._explanations import explain
from onesided.reporting._panel import Facts, Panel, Pictures
from onesided.tables import Problem, holds_records

_MOST_SHOWN = 100_000
_CURVE_POINTS = 200
_MOST_AUTHORS, _LONG_AUTHORS = 3, 48  # and letters; a phone then shows the year beside them
_FEWEST_LISTED, _FEWEST_FOUND = 10, 5 - 1e-9  # rows and hidden positives of a suggested list


class SuggestedCut(TypedDict):
    """The first cut of the list: its `place` in the curve, and `why` in words."""

    place: int
    why: str


class CandidateFacts(TypedDict):
    """The first candidates from rank 1, with the columns of the written ranking.

    If labels are declared to be uneven, `recall` is None, and `recall_low` and `recall_high` are
    its limits. `posterior`, the probability that a row is positive, and `posterior_at_most`, an
    upper bound of it, are None unless they are known; `title` is None without a column of titles.
    `marked` names the promises that a row is marked for, and is left out without promises. `about`
    has the cells that are shown with a row, such as authors and year, and is left out without such
    columns. Of reference records `doi` and `pmid` have what the page links to; other tables lack
    these two.
    """

    identifier: list[str]
    title: list[str] | None
    score: list[float]
    recall: list[float] | None
    recall_low: NotRequired[list[float]]
    recall_high: NotRequired[list[float]]
    posterior: list[float] | None
    posterior_at_most: list[float] | None
    marked: NotRequired[list[str]]
    about: NotRequired[list[str]]
    doi: NotRequired[list[str]]
    pmid: NotRequired[list[str]]


def _facts(ranked: Ranked) -> Facts:
    problem, placed, listed = ranked.problem, ranked.placed, ranked.candidates
    asked, why = _asked(ranked)
    places = np.rint(np.geomspace(1, placed.n_unlabeled, _CURVE_POINTS)).astype(int).tolist()
    curve = listed.at(sorted({*places, *filter(None, [asked])}))
    shown = listed.rows[: min(ranked.listed.num_rows, _MOST_SHOWN)]
    known = np.flatnonzero(problem.positive)
    titles = problem.titles
    ids = values_of(problem.ids.take(pa.array(known))) if titles is None else titles[known]
    return {
        "curve": curve,
        "to_find": listed.at([listed.n_to_find()])[0],
        "suggested": suggest(curve, asked, why, n_hidden=len(placed.above)),
        "candidates": {
            **_candidates(ranked.table.slice(0, len(shown)), listed, ranked.promises),
            **_known_by(problem, shown),
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


def _known_by(problem: Problem, shown: Ints) -> dict[str, list[str]]:
    """What a person knows each row by, and where reference records can be read."""
    cells = {name: [as_text(each) for each in of[shown]] for name, of in problem.shown.items()}
    found = {"about": about(cells)} if cells else {}
    if not holds_records(problem):
        return found
    links = problem.data.select(["doi", "pmid"]).take(pa.array(shown)).to_pydict()
    return found | {name: [each or "" for each in of] for name, of in links.items()}


def about(cells: Mapping[str, Sequence[str]]) -> list[str]:
    """The cells of each row in one line: authors and year as people cite them, else with names.

    Parameters
    ----------
    cells : of each column that is shown; blank ones are left out
    """
    cited = {name.lower(): of for name, of in cells.items()}
    in_rows = list(zip(*cells.values(), strict=True))
    if cited.keys() <= {"authors", "year"}:
        who, year = (cited.get(name, [""] * len(in_rows)) for name in ("authors", "year"))
        return [
            f"{_first_authors(names)}{f' ({when})' if when else ''}".strip()
            for names, when in zip(who, year, strict=True)
        ]
    named = (
        (f"{name}: {cell}" for name, cell in zip(cells, row, strict=True) if cell)
        for row in in_rows
    )
    return [" · ".join(each) for each in named]


def _first_authors(authors: str) -> str:
    """Up to three authors; of more only the first, also where one item names all of them."""
    first, *others = authors.split(ITEM_MARK)
    if len(others) < _MOST_AUTHORS and len(authors) <= _LONG_AUTHORS:
        return authors
    return f"{first if len(first) <= _LONG_AUTHORS else first.partition(', ')[0]} et al."


def _asked(ranked: Ranked) -> tuple[int, str]:
    """The length that profit, a promise or the written list gives, and why; 0 without these."""
    promises, profit = ranked.promises, ranked.profit
    if profit is not None and profit["n_best"]:
        is_all = profit["n_best"] == profit["n_affordable"]
        greatest = f"the {profit['kind']} profit is greatest"
        return profit["n_best"], "the budget ends" if is_all else greatest
    of_marks = {} if promises is None or promises.labels_uneven else promises.kept
    for name in ("recall", "positives"):
        if (kept := of_marks.get(name)) is not None:
            why = f"the list has as many rows as are marked in the column {kept.column}"
            return int(kept.rows.sum()), why
    n_listed = ranked.listed.num_rows
    is_part = n_listed < ranked.table.num_rows
    return (n_listed, "the written list ends") if is_part else (0, "")


def suggest(curve: Sequence[CutPoint], asked: int, why: str, *, n_hidden: int) -> SuggestedCut:
    """The length that was asked for; otherwise the one with the highest criterion of Lee and Liu.

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


def _candidates(
    ranking: pa.Table, listed: Candidates, promises: KeptPromises | None
) -> CandidateFacts:
    has_titles = "title" in ranking.column_names
    posterior = None
    if listed.posterior is not None:
        posterior = listed.posterior[: ranking.num_rows].round(6).tolist()
    found = CandidateFacts(
        identifier=[str(each) for each in values_of(ranking[0])],
        title=[each or "" for each in ranking["title"].to_pylist()] if has_titles else None,
        score=ranking["score"].to_pylist(),
        recall=ranking["recall"].to_pylist() if "recall" in ranking.column_names else None,
        posterior=None if listed.only_at_most else posterior,
        posterior_at_most=posterior if listed.only_at_most else None,
    )
    if found["recall"] is None:
        found["recall_low"] = ranking["recall_low"].to_pylist()
        found["recall_high"] = ranking["recall_high"].to_pylist()
    if promises is not None and not promises.labels_uneven:
        columns = [each.column for each in promises.kept.values() if each is not None]
        named = [column.removeprefix("in_").replace("_", " ") for column in columns]
        marks = zip(*(ranking[column].to_pylist() for column in columns), strict=True)
        if columns:
            found["marked"] = [", ".join(compress(named, of_row)) for of_row in marks]
    return found


def _charts(report: Facts) -> Pictures:
    chart = _cut_chart(report["curve"])
    return {"cuts": (chart, "Recall and precision of the list against its length.")}


def _cut_chart(curve: Sequence[CutPoint]) -> Chart:
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
    dashes = [[1, 0], [5, 4]]
    recall = base.mark_line(strokeWidth=2.5).encode(
        y=alt.Y("recall:Q", title="share", axis=percent, scale=alt.Scale(domain=[0, 1])),
        **_named(names[0]),
    )
    chance = base.mark_line(strokeWidth=1.5)
    layers = [recall, chance.encode(y=alt.Y("by_chance:Q"), **_named(names[1]))]
    ends = {"": "", "_plausible": ", plausible", "_at_most": ", at most"}
    for end, said in ends.items():
        if curve[0][f"precision{end}"] is not None:  # type: ignore[literal-required]  # a key
            names.append(f"precision{said}")
            colors.append(UNLABELED)
            dashes.append([2, 3] if said == ", at most" else [1, 0])
            line = base.mark_line(strokeWidth=2.5)
            layers.append(line.encode(y=alt.Y(f"precision{end}:Q"), **_named(names[-1])))
    if curve[0]["recall_low"] is not None:
        band = base.mark_area(color=POSITIVE, opacity=0.18)
        layers.append(band.encode(y=alt.Y("recall_low:Q"), y2=alt.Y2("recall_high:Q")))
    for end in ("", "_plausible"):
        if curve[0][f"precision{end}_low"] is not None:  # type: ignore[literal-required]  # a key
            band = base.mark_area(color=UNLABELED, opacity=0.18)
            layers.append(
                band.encode(y=alt.Y(f"precision{end}_low:Q"), y2=alt.Y2(f"precision{end}_high:Q"))
            )
    legend = alt.Legend(
        orient="top", title=None, symbolType="stroke", symbolStrokeWidth=3, columns=3
    )
    color = alt.Color(scale=alt.Scale(domain=names, range=colors), legend=legend)
    dash = alt.StrokeDash(scale=alt.Scale(domain=names, range=dashes), legend=legend)
    return styled(alt.layer(*layers).encode(color=color, strokeDash=dash), height=260)


def _named(name: str) -> dict[str, Any]:
    """Color and dashes of a line, which the legend names."""
    return {
        "color": alt.ColorDatum(name, type="nominal"),
        "strokeDash": alt.StrokeDashDatum(name, type="nominal"),
    }


PANEL = Panel(__file__, _facts, "Candidates", _charts)
