"""Why the first candidates stand where they do."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import SplineTransformer

from onesided._typing import Array, Floats, Ints
from onesided.exceptions import DataError
from onesided.methods import row_space
from onesided.models.logistic import WeightedLogisticRegression
from onesided.reporting._schema import Explanations
from onesided.tables import TableSummary

_MOST_FEATURES, _MOST_NEAREST = 4, 3
_MOST_ROWS = 10_000
_FEWEST_ROWS = 200
_MOST_CELLS = 20_000_000  # rows times features that are looked at
_CHUNK_CELLS = 1 << 22
_FITTED_ROWS = 200_000  # that give scales and words their weight
_CONTEXT = 70  # characters of text either side of a word
_MOST_TEXT, _ALL_TEXT = 4000, 6_000_000  # characters of a row, and about so many of all in a page
_LARGE, _HUGE = 1e4, 1e15  # numbers that are written out
_LOG_ODDS = "nats of log odds"
_PART_OF_SPLINE = re.compile(r"_sp_\d+$")


def explain(
    pipeline: Pipeline,
    features: pa.Table,
    summary: TableSummary,
    *,
    candidates: Ints,
    known: Ints,
    ids: Sequence[str],
) -> Explanations:
    """What moves the score of each row, and which known positives are like it.

    Parameters
    ----------
    pipeline : fitted on all rows, "columns" and "model", as `rankers_for` makes them
    features : the columns that it takes, n_rows rows
    summary : what they are
    candidates : rows to explain, the first candidate first; the later are left out where there
        are many rows or features
    known : rows that are known to be positive
    ids : of the known ones, in their order
    """
    names, sources = _feature_names(pipeline)
    n_explained = min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_CELLS // max(len(sources), 1)))
    rows = candidates[:n_explained]
    shown = features.take(pa.array(rows))
    places, effects, present = _strongest(pipeline, shown, sources, _center(pipeline, features))
    values = [
        [
            _value(shown, names[place], i, is_present=is_present)
            for place, is_present in zip(*of_row, strict=True)
        ]
        for i, of_row in enumerate(zip(places, present, strict=True))
    ]
    texts = list(summary.vocabularies)
    nearest, distances, measure = _nearest(features, shown, summary, known)
    return Explanations(
        names=names,
        unit=_unit(pipeline["model"]),
        feature=places,
        effect=effects,
        value=values,
        known=list(ids),
        measure=measure,
        nearest=nearest,
        distance=distances,
        context=_contexts(shown, texts, names, places, effects),
        text=_beginnings(features.take(pa.array(candidates[:_MOST_ROWS])), texts),
    )


def _feature_names(pipeline: Pipeline) -> tuple[list[str], Ints]:
    """Names of what is explained, and for each feature of the model which of them it is."""
    features = [str(name) for name in pipeline["columns"].get_feature_names_out()]
    if _has_splines(pipeline):
        features = [_PART_OF_SPLINE.sub("", name) for name in features]
    places = {name: place for place, name in enumerate(dict.fromkeys(features))}
    return list(places), np.array([places[name] for name in features], dtype=np.int64)


def _unit(model: Any) -> str:
    """Of the effects: a sum of log odds, or of a score without a unit."""
    is_log_odds = hasattr(model, "feature_log_prob_") or isinstance(
        model, WeightedLogisticRegression
    )
    return _LOG_ODDS if is_log_odds else "score"


def _strongest(
    pipeline: Pipeline, shown: pa.Table, sources: Ints, center: Any
) -> tuple[list[list[int]], list[list[float]], list[list[bool]]]:
    """For each row the features that move its score most, by how much, and whether it has them."""
    columns, model = pipeline["columns"], pipeline["model"]
    places: list[list[int]] = []
    effects: list[list[float]] = []
    present: list[list[bool]] = []
    step = max(1, _CHUNK_CELLS // max(len(sources), 1))
    merged = sources[-1] + 1 < len(sources) if len(sources) else False
    for start in range(0, shown.num_rows, step):
        X = columns.transform(shown.slice(start, step))
        found = _contributions(model, X, center)
        if found is None:
            return ([[] for _ in range(shown.num_rows)],) * 3  # type: ignore[return-value]  # empty
        if merged:
            dealt = sparse.csr_array((np.ones(len(sources)), (np.arange(len(sources)), sources)))
            found, X = np.asarray(found @ dealt), np.asarray(X @ dealt)
        for i in range(X.shape[0]):
            at, by = _largest(found, i)
            places.append(at.tolist())
            effects.append([float(f"{each:.3g}") for each in by])
            present.append([bool(X[i, place] != 0) for place in at])
    return places, effects, present


def _center(pipeline: Pipeline, features: pa.Table) -> Any:
    """What the parts of splines are counted from, their means; all else counts from 0."""
    if not _has_splines(pipeline):
        return 0.0
    return pipeline["columns"].transform(features.slice(0, _FITTED_ROWS)).mean(axis=0)


def _has_splines(pipeline: Pipeline) -> bool:
    parts = pipeline["columns"].named_transformers_
    return isinstance(parts.get("number"), SplineTransformer)


def _contributions(model: Any, X: Any, center: Any) -> Any:
    """What each feature adds to each row's score; None where the model has no such parts."""
    if hasattr(model, "coef_"):
        weights = np.atleast_2d(model.coef_).mean(axis=0)  # a cross-fitted SVM has several lines
        return (
            sparse.csr_array(X.multiply(weights)) if sparse.issparse(X) else (X - center) * weights
        )
    if not hasattr(model, "contributions"):
        return None
    try:
        return model.contributions(X)
    except DataError:  # of bags of models without parts
        return None


def _largest(found: Any, row: int) -> tuple[Ints, Floats]:
    """Places and values of the largest of a row by size, none of them 0."""
    if sparse.issparse(found):
        start, end = found.indptr[row : row + 2]
        at, by = found.indices[start:end], found.data[start:end]
    else:
        at, by = np.arange(found.shape[1]), found[row]
    order = np.argsort(-np.abs(by), kind="stable")[:_MOST_FEATURES]
    order = order[by[order] != 0]
    return at[order], by[order]


def _value(shown: pa.Table, name: str, row: int, *, is_present: bool) -> str:
    """What the row has: its cell, or whether it has the word or the value of a category."""
    if name not in shown.column_names:
        column = name.removesuffix(" is missing")
        if column in shown.column_names:  # the indicator is scaled, and never 0
            is_present = _is_missing(shown.column(column)[row].as_py())
        return "yes" if is_present else "no"
    cell = shown.column(name)[row].as_py()
    if _is_missing(cell):
        return "missing"
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:,.0f}" if _LARGE <= abs(cell) < _HUGE else f"{cell:.4g}"


def _is_missing(cell: Any) -> bool:
    return bool(cell is None or cell != cell)  # noqa: PLR0124 - NaN differs from itself


def _nearest(
    features: pa.Table, shown: pa.Table, summary: TableSummary, known: Ints
) -> tuple[list[list[int]], list[list[float]], str]:
    """Places among the known ones, distances, and how these are measured."""
    space = row_space(summary).fit(features.slice(0, _FITTED_ROWS))
    positives = _stored(space.transform(features.take(pa.array(known))))
    measure = "cosine" if summary.vocabularies else "euclidean"
    search = NearestNeighbors(n_neighbors=min(_MOST_NEAREST, len(known)), metric=measure)
    distances, places = search.fit(positives).kneighbors(_stored(space.transform(shown)))
    return places.tolist(), distances.round(4).tolist(), measure


def _stored(X: Any) -> Array:
    return sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)


def _contexts(
    shown: pa.Table,
    texts: Sequence[str],
    names: Sequence[str],
    places: Sequence[Sequence[int]],
    effects: Sequence[Sequence[float]],
) -> list[str]:
    """A piece of each row's text, around a word that raises its score; the longest of such."""
    if not texts:
        return []
    columns = dict(zip(texts, _cells(shown, texts), strict=True))
    found = []
    for i, (at, by) in enumerate(zip(places, effects, strict=True)):
        pieces = (
            _around(columns[column][i], word)
            for column, word in (
                names[place].split(": ", 1)
                for place, effect in zip(at, by, strict=True)
                if effect > 0 and ": " in names[place]
            )
            if column in columns
        )
        beginning = next((columns[name][i] for name in texts if columns[name][i]), "")
        found.append(max(pieces, key=len, default="") or beginning[: 2 * _CONTEXT])
    return found


def _beginnings(shown: pa.Table, texts: Sequence[str]) -> list[str]:
    """How the text of each row begins, the columns one after the other."""
    if not texts:
        return []
    most = min(_MOST_TEXT, _ALL_TEXT // max(shown.num_rows, 1))
    joined = (" ".join(filter(None, of_row)) for of_row in zip(*_cells(shown, texts), strict=True))
    return [_shortened(" ".join(text.split()), most) for text in joined]


def _cells(shown: pa.Table, texts: Sequence[str]) -> list[list[str]]:
    return [[cell or "" for cell in shown.column(name).to_pylist()] for name in texts]


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rsplit(' ', 1)[0]} …"


def _around(text: str, word: str) -> str:
    """The text around a word, empty without it."""
    at = re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)
    if at is None:
        return ""
    start, end = max(0, at.start() - _CONTEXT), at.end() + _CONTEXT
    piece = " ".join(text[start:end].split())
    return f"{'… ' * (start > 0)}{piece}{' …' * (end < len(text))}"
