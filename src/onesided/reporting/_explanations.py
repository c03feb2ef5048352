"""Why the first candidates have their ranks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypedDict

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import SplineTransformer

from onesided._text import is_missing
from onesided._typing import Floats, Ints
from onesided._words import has_runs
from onesided.exceptions import DataError
from onesided.methods._columns import ALL_TEXT, as_text_first
from onesided.model_selection import RankAverage, leading
from onesided.models.logistic import WeightedLogisticRegression
from onesided.tables import TableSummary

_MOST_FEATURES, _MOST_NEAREST = 4, 3
_MOST_ROWS = 10_000
_FEWEST_ROWS = 200
_MOST_CELLS = 20_000_000  # explained rows times features
_CHUNK_CELLS = 1 << 22
_FITTED_ROWS = 20_000  # rows that set the scales and the weights of words
_CONTEXT = 70  # characters of text on either side of a word
_MOST_TEXT, _ALL_TEXT = 4000, 6_000_000  # characters of one row, and of all rows of a page
_LARGE, _HUGE = 1e4, 1e15  # numbers between the two have no exponent
_LOG_ODDS = "nats of log odds"
_PART_OF_SPLINE = re.compile(r"_sp_\d+$")
_Effects: TypeAlias = tuple[list[int], list[float], list[str]]
"""Of one row: the places of its strongest features, their effects, and their values."""


class Explanations(TypedDict):
    """Why the first candidates have their ranks; the lists have one entry for each candidate.

    `feature` holds places in `names`: the features with the strongest effect on the score of the
    row, the strongest first. `effect` says what each feature adds, in `unit`, and `value` what the
    row has there. All three are empty for models without such parts. `nearest` holds places in
    `known`, the identifiers of the known positives, the nearest first; `distance` is measured by
    `measure`. `context` is the text around a word that raises the score, `text` the beginning of
    the text; both are empty without columns of text.
    """

    names: list[str]
    unit: str
    feature: list[list[int]]
    effect: list[list[float]]
    value: list[list[str]]
    known: list[str]
    measure: str
    nearest: list[list[int]]
    distance: list[list[float]]
    context: list[str]
    text: list[str]


def explain(
    pipeline: Pipeline | RankAverage,
    features: pa.Table,
    summary: TableSummary,
    *,
    candidates: Ints,
    known: Ints,
    ids: Sequence[str],
) -> Explanations:
    """Explain the first candidates by a pipeline fitted on all rows, or the best of an average.

    `candidates` are the rows in the order of their ranks; `known` are the rows of the known
    positives, and `ids` their identifiers.
    """
    pipeline = leading(pipeline)
    names, sources = _feature_names(pipeline)
    n_explained = min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_CELLS // max(len(sources), 1)))
    shown = features.take(pa.array(candidates[:n_explained]))
    strongest = list(_strongest(pipeline, shown, names, sources, _center(pipeline, features)))
    model, texts = pipeline["model"], list(summary.vocabularies)
    is_logistic = isinstance(model, WeightedLogisticRegression)
    is_log_odds = is_logistic or hasattr(model, "feature_log_prob_")
    nearest, distances, measure = _nearest(features, shown, summary, known)
    return Explanations(
        names=names,
        unit=_LOG_ODDS if is_log_odds else "score",
        feature=[places for places, _, _ in strongest],
        effect=[effects for _, effects, _ in strongest],
        value=[values for _, _, values in strongest],
        known=list(ids),
        measure=measure,
        nearest=nearest,
        distance=distances,
        context=_contexts(shown, texts, names, strongest),
        text=_beginnings(features.take(pa.array(candidates[:_MOST_ROWS])), texts),
    )


def _feature_names(pipeline: Pipeline) -> tuple[list[str], Ints]:
    """Names of the explained features, and the place among them of each feature of the model."""
    features = [str(name) for name in pipeline["columns"].get_feature_names_out()]
    if _has_splines(pipeline):
        features = [_PART_OF_SPLINE.sub("", name) for name in features]
    places = {name: place for place, name in enumerate(dict.fromkeys(features))}
    return list(places), np.array([places[name] for name in features], dtype=np.int64)


def _strongest(
    pipeline: Pipeline, shown: pa.Table, names: Sequence[str], sources: Ints, center: Any
) -> Iterator[_Effects]:
    """For each row the features with the strongest effect on its score."""
    columns, model, n = pipeline["columns"], pipeline["model"], len(sources)
    step = max(1, _CHUNK_CELLS // max(n, 1))
    for part in (shown.slice(start, step) for start in range(0, shown.num_rows, step)):
        X = columns.transform(part)
        found = _contributions(model, X, center)
        if found is None:
            yield from [([], [], [])] * part.num_rows
            continue
        if len(names) < n:
            dealt = sparse.csr_array((np.ones(n), (np.arange(n), sources)))
            found, X = np.asarray(found @ dealt), np.asarray(X @ dealt)
        cells = {name: part.column(name).to_pylist() for name in names if name in part.column_names}
        for i in range(part.num_rows):
            at, by = _largest(found, i)
            values = [_value(cells, names[j], i, is_present=bool(X[i, j] != 0)) for j in at]
            yield at.tolist(), [float(f"{each:.3g}") for each in by], values


def _center(pipeline: Pipeline, features: pa.Table) -> Any:
    """The values with effect 0: the means of the parts of splines; otherwise 0."""
    if not _has_splines(pipeline):
        return 0.0
    return pipeline["columns"].transform(_some_rows(features)).mean(axis=0)


def _some_rows(features: pa.Table) -> pa.Table:
    """Rows from all parts of a table, or all rows if there are not many."""
    n_rows = features.num_rows
    if n_rows <= _FITTED_ROWS:
        return features
    return features.take(pa.array(np.linspace(0, n_rows - 1, _FITTED_ROWS).astype(np.int64)))


def _has_splines(pipeline: Pipeline) -> bool:
    parts = pipeline["columns"].named_transformers_
    return isinstance(parts.get("number"), SplineTransformer)


def _contributions(model: Any, X: Any, center: Any) -> Any:
    """What each feature adds to the score of each row; None for models without such parts."""
    if hasattr(model, "coef_"):
        weights = np.atleast_2d(model.coef_).mean(axis=0)  # a cross-fitted SVM has several rows
        dense = not sparse.issparse(X)
        return (X - center) * weights if dense else sparse.csr_array(X.multiply(weights))
    if not hasattr(model, "contributions"):
        return None
    try:
        return model.contributions(X)
    except DataError:  # raised by bags of models without such parts
        return None


def _largest(found: Any, row: int) -> tuple[Ints, Floats]:
    """Places and values of the largest effects of a row by absolute value, without zeros."""
    if sparse.issparse(found):
        start, end = found.indptr[row : row + 2]
        at, by = found.indices[start:end], found.data[start:end]
    else:
        at, by = np.arange(found.shape[1]), found[row]
    order = np.argsort(-np.abs(by), kind="stable")[:_MOST_FEATURES]
    order = order[by[order] != 0]
    return at[order], by[order]


def _value(cells: Mapping[str, list[Any]], name: str, row: int, *, is_present: bool) -> str:
    """The cell of the row, or whether the row has the word or the value of the category."""
    if name not in cells:
        column = name.removesuffix(" is missing")
        if column in cells:  # the indicator is scaled, so it is never 0
            is_present = is_missing(cells[column][row])
        return "yes" if is_present else "no"
    cell = cells[name][row]
    if is_missing(cell):
        return "missing"
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:,.0f}" if _LARGE <= abs(cell) < _HUGE else f"{cell:.4g}"


def _nearest(
    features: pa.Table, shown: pa.Table, summary: TableSummary, known: Ints
) -> tuple[list[list[int]], list[list[float]], str]:
    """Places of the nearest known positives of each row, the distances, and their measure."""
    space = as_text_first(summary).fit(_some_rows(features))
    positives = space.transform(features.take(pa.array(known))).astype(np.float64)
    measure = "cosine" if summary.vocabularies else "euclidean"
    search = NearestNeighbors(n_neighbors=min(_MOST_NEAREST, len(known)), metric=measure)
    distances, places = search.fit(positives).kneighbors(space.transform(shown).astype(np.float64))
    return places.tolist(), distances.round(4).tolist(), measure


def _contexts(
    shown: pa.Table, texts: Sequence[str], names: Sequence[str], strongest: Sequence[_Effects]
) -> list[str]:
    """The text of each row around a word that raises its score, or the beginning of the text."""
    if not texts:
        return []
    columns = dict(zip(texts, _cells(shown, texts), strict=True))
    found = []
    for i, (at, by, _) in enumerate(strongest):
        raising = (
            names[place].partition(": ") for place, effect in zip(at, by, strict=True) if effect > 0
        )
        pieces = (
            _around(columns[name][i], word)
            for column, _, word in raising
            for name in (texts if column == ALL_TEXT else {column} & columns.keys())
            if word
        )
        beginning = next(filter(None, (columns[name][i] for name in texts)), "")
        found.append(max(pieces, key=len, default="") or beginning[: 2 * _CONTEXT])
    return found


def _beginnings(shown: pa.Table, texts: Sequence[str]) -> list[str]:
    """The beginning of the text of each row, all columns joined."""
    if not texts:
        return []
    most = min(_MOST_TEXT, _ALL_TEXT // max(shown.num_rows, 1))
    joined = (" ".join(filter(None, of_row)) for of_row in zip(*_cells(shown, texts), strict=True))
    plain = (" ".join(text.split()) for text in joined)
    return [text if len(text) <= most else f"{text[:most].rsplit(' ', 1)[0]} …" for text in plain]


def _cells(shown: pa.Table, texts: Sequence[str]) -> list[list[str]]:
    return [[cell or "" for cell in shown.column(name).to_pylist()] for name in texts]


def _around(text: str, word: str) -> str:
    """The text around a word; empty if the text does not contain the word."""
    edge = "" if has_runs(word) else r"\b"
    at = re.search(rf"{edge}{re.escape(word)}{edge}", text, re.IGNORECASE)
    if at is None:
        return ""
    start, end = max(0, at.start() - _CONTEXT), at.end() + _CONTEXT
    piece = " ".join(text[start:end].split())
    return f"{'… ' * (start > 0)}{piece}{' …' * (end < len(text))}"
