"""Whether the rows of a table are like those that a model learned from.

Each column, and the score, is cut into bins by the rows learned from: numbers into tenths, with a
bin for a value that fills several; categories into the commonest values and the rest; missing
cells are a bin. Counts in bins are all that is kept, and they add up over batches.

Symbols: p, q shares of the rows in each bin, learned from and scored. The population stability
index is Σ (p − q) ln(p / q), in nats, both Kullback-Leibler divergences together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.special import rel_entr
from scipy.stats import chi2

from onesided._text import as_percent
from onesided._typing import Bools, Floats, Ints
from onesided.tables._sparse import count_entries

Seen: TypeAlias = Literal["number", "category", "text", "sparse", "score"]
LearnedScores: TypeAlias = tuple[Floats, Bools]

SCORE = "score"
_FEWEST_ROWS = 100  # to be compared: by chance alone ten bins have an index of about 9 / n_rows
_MOVED = 0.25  # of the index, by the custom of credit scoring: the population is another
_BY_CHANCE = 0.001  # that anything is said of rows that are like those learned from
_TENTHS = np.linspace(0.1, 0.9, 9)
_MOST_VALUES = 30  # categories that have a bin of their own
_PRIOR_ROWS = 0.5  # in each bin, so that an empty one does not make the index infinite


@dataclass(frozen=True)
class SeenColumn:
    """What a column held in the rows learned from.

    Attributes
    ----------
    name : of the column
    role : what it was to the learner; text is told by the words of a cell, sparse features by how
        many a row has
    edges : of bins of numbers, ascending; an edge is in the bin above it
    categories : of bins of categories, as text
    positive, unlabeled : shape (n_bins,), rows; missing cells are last, and before them, of
        categories, all other values
    unmoved : index of the scores of rows from the same table that were not learned from
    """

    name: str
    role: Seen
    edges: tuple[float, ...]
    categories: tuple[str, ...]
    positive: Ints
    unlabeled: Ints
    unmoved: float = 0.0

    @classmethod
    def of(cls, name: str, role: Seen, cells: Any, positive: Bools) -> "SeenColumn":
        """Cut a column into bins.

        Parameters
        ----------
        name, role : as the attributes
        cells : an Arrow column, shape (n_rows,)
        positive : shape (n_rows,)
        """
        edges: tuple[float, ...] = ()
        categories: tuple[str, ...] = ()
        if role == "category":
            found = pc.value_counts(cells.drop_null().cast(pa.string())).to_pylist()
            found.sort(key=lambda each: (-each["counts"], each["values"]))
            categories = tuple(each["values"] for each in found[:_MOST_VALUES])
        else:
            numbers = _numbers(cells, role)[~positive]
            edges = _edges(numbers[~np.isnan(numbers)])
        empty = np.zeros(0, dtype=np.int64)
        bins = cls(name, role, edges, categories, empty, empty)
        return cls(
            name,
            role,
            edges,
            categories,
            positive=bins.count(cells.filter(pa.array(positive))),
            unlabeled=bins.count(cells.filter(pa.array(~positive))),
        )

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "SeenColumn":
        """What `as_json` gave.

        Raises
        ------
        ValueError, TypeError, KeyError : if it is anything else
        """
        found = cls(
            str(given["name"]),
            given["role"],
            tuple(map(float, given["edges"])),
            tuple(map(str, given["categories"])),
            np.array(given["positive"], dtype=np.int64),
            np.array(given["unlabeled"], dtype=np.int64),
            float(given["unmoved"]),
        )
        if not found.positive.shape == found.unlabeled.shape == (found.n_bins,):
            raise ValueError
        return found

    def as_json(self) -> dict[str, Any]:
        """Lists, numbers and text."""
        return {
            "name": self.name,
            "role": self.role,
            "edges": list(self.edges),
            "categories": list(self.categories),
            "positive": self.positive.tolist(),
            "unlabeled": self.unlabeled.tolist(),
            "unmoved": self.unmoved,
        }

    @property
    def n_bins(self) -> int:
        """Number of bins, with that of the missing cells."""
        return len(self.categories or self.edges) + 2

    def count(self, cells: Any) -> Ints:
        """Rows in each bin; shape (n_bins,).

        Parameters
        ----------
        cells : an Arrow column
        """
        missing = self.n_bins - 1
        if self.role == "category":
            known = pc.index_in(cells.cast(pa.string()), pa.array(self.categories, pa.string()))
            places = np.where(
                cells.is_null().to_numpy(zero_copy_only=False),
                missing,
                known.fill_null(len(self.categories)).to_numpy(zero_copy_only=False),
            )
        else:
            numbers = _numbers(cells, self.role)
            places = np.searchsorted(np.array(self.edges), numbers, side="right")
            places[np.isnan(numbers)] = missing
        return np.bincount(places.astype(np.int64), minlength=self.n_bins).astype(np.int64)

    def differ_most(self, learned: Floats, found: Floats) -> tuple[str, float, float]:
        """Cells that tell most: what they are, in words that follow "are", and both shares of them.

        Of numbers those from one of the edges on, as in a Kolmogorov-Smirnov test.

        Parameters
        ----------
        learned, found : shape (n_bins,), shares of the rows learned from, and of others
        """
        names = [*map(repr, self.categories), "other values", "missing"]
        pairs = np.stack([learned, found])
        if self.role != "category":
            unit = {"text": " words", "sparse": " features"}.get(self.role, "")
            names = [f"{edge:.4g}{unit} or more" for edge in self.edges]
            from_here_on = pairs[:, -2:0:-1].cumsum(axis=1)[:, ::-1]
            pairs = np.column_stack([from_here_on, pairs[:, -1]])
            names.append("missing")
        most = int(np.argmax(np.abs(pairs[1] - pairs[0])))
        return names[most], float(pairs[1, most]), float(pairs[0, most])


@dataclass(frozen=True)
class Moved:
    """How a column, or the score, differs from what was learned from.

    Attributes
    ----------
    name : of the column; that of the score is "score"
    index : population stability index, in nats
    moved : whether it is 0.25 or more, and more than chance explains; of the score, 0.25 more than
        that of rows from the table learned from; of fewer than 100 rows never
    what : cells that tell most
    share, learned_share : of the rows that are such, and of those learned from
    """

    name: str
    index: float
    moved: bool
    what: str
    share: float
    learned_share: float

    @property
    def is_small(self) -> bool:
        """Whether the index is small, whatever chance explains."""
        return self.index < _MOVED

    def __str__(self) -> str:
        return (
            f"{as_percent(self.share)} of these rows are {self.what}, compared with "
            f"{as_percent(self.learned_share)} of the rows that the model learned from "
            f"(stability index {self.index:.2f})"
        )


@dataclass(frozen=True)
class Drift:
    """A table beside the rows that a model learned from.

    Attributes
    ----------
    n_rows : of the table that were compared
    learned : what they were compared with: "unlabeled" rows or "all", whichever is nearer
    score : how the scores differ, None where the model does not know what they were
    columns : the same of each column, what differs most first
    """

    n_rows: int
    learned: Literal["unlabeled", "all"]
    score: Moved | None
    columns: tuple[Moved, ...]

    @property
    def tells(self) -> bool:
        """Whether these are enough rows to say anything."""
        return self.n_rows >= _FEWEST_ROWS

    @property
    def moved(self) -> list[Moved]:
        """The columns that have moved."""
        return [column for column in self.columns if column.moved]


def see_columns(
    features: pa.Table, roles: Mapping[str, Any], positive: Bools
) -> tuple[SeenColumn, ...]:
    """What each column held.

    Parameters
    ----------
    features : the columns to learn from, n_rows rows
    roles : of each
    positive : shape (n_rows,)
    """
    return tuple(
        SeenColumn.of(name, roles[name], features[name], positive) for name in features.column_names
    )


def see_scores(learned: LearnedScores, apart: LearnedScores, others: Floats) -> SeenColumn:
    """What the scores of the rows learned from were, and how far off those of others are.

    Rows that a model learned from as unlabeled score too low, the more so the more flexible it is;
    rows of another table, which it did not learn from, would seem to have moved. How far is seen
    by a model that learned from a part of the rows, on the others. Its scores themselves are no
    reference: a few numbers for many rows, as of categories, differ from model to model.

    Parameters
    ----------
    learned : scores of the rows learned from, and which are positive, each of shape (n_rows,)
    apart : the same of the model of a part of the rows
    others : scores by that model of the unlabeled rows it did not learn from
    """
    seen, of_part = (
        SeenColumn.of("", "score", pa.array(scores), positive)
        for scores, positive in (learned, apart)
    )
    found = _compare(of_part, of_part.count(pa.array(others)), 0, len(others), _BY_CHANCE)
    return replace(seen, unmoved=found.index)


def count_batch(seen: Iterable[SeenColumn], batch: pa.RecordBatch, scores: Floats) -> list[Ints]:
    """Rows of a batch in each bin of each column and of the score.

    Parameters
    ----------
    seen : the columns and the score
    batch : rows that have these columns
    scores : shape (n_rows,)
    """
    return [
        each.count(pa.array(scores) if each.role == "score" else batch.column(each.name))
        for each in seen
    ]


def compare_counts(
    seen: Sequence[SeenColumn], counts: Sequence[Ints], n_positive: int, n_unlabeled: int
) -> Drift:
    """How much rows have moved from those that were learned from.

    Nobody says whether these are all rows of their time, as where known positives are among them,
    or unlabeled ones, as where positives were collected apart. They are compared with the kind
    that they are more like.

    Parameters
    ----------
    seen : the columns, and the score
    counts : of the rows to be compared, shape (n_bins,) each
    n_positive, n_unlabeled : rows of the table learned from, of which some may have been drawn
    """
    kinds: dict[Literal["unlabeled", "all"], list[Moved]] = {}
    for kind, n_of_positive in (("unlabeled", 0), ("all", n_positive)):
        level = _BY_CHANCE / len(seen)
        kinds[kind] = [  # type: ignore[index]  # both names are known
            _compare(each, found, n_of_positive, n_unlabeled, level)
            for each, found in zip(seen, counts, strict=True)
        ]
    nearer = min(kinds, key=lambda kind: sum(each.index for each in kinds[kind]))
    by_role = list(zip(seen, kinds[nearer], strict=True))
    columns = [found for each, found in by_role if each.role != "score"]
    return Drift(
        int(counts[0].sum()),
        nearer,
        next((found for each, found in by_role if each.role == "score"), None),
        tuple(sorted(columns, key=lambda found: -found.index)),
    )


def _compare(
    seen: SeenColumn, counts: Ints, n_positive: int, n_unlabeled: int, level: float
) -> Moved:
    n_learned = seen.unlabeled.sum() + (seen.positive.sum() if n_positive else 0)
    learned = n_unlabeled * _shares(seen.unlabeled)
    if n_positive:
        learned = (learned + n_positive * _shares(seen.positive)) / (n_unlabeled + n_positive)
    else:
        learned = learned / n_unlabeled
    found = _shares(counts)
    parts = rel_entr(learned, found) + rel_entr(found, learned)
    index, n_rows = float(parts.sum()), int(counts.sum())
    # Of n and m rows of one population the index is about (1/n + 1/m) times a chi-squared.
    noise = (1 / max(n_rows, 1) + 1 / max(n_learned, 1)) * chi2.isf(level, seen.n_bins - 1)
    moved = bool(n_rows >= _FEWEST_ROWS and index >= max(_MOVED + seen.unmoved, noise))
    name = SCORE if seen.role == "score" else seen.name
    return Moved(name, index, moved, *seen.differ_most(learned, found))


def _shares(counts: Ints) -> Floats:
    smooth = counts + _PRIOR_ROWS
    return np.asarray(smooth / smooth.sum())


def _numbers(cells: Any, role: Seen) -> Floats:
    """Cells as numbers, NaN where there is none."""
    if role == "text":
        cells = pc.list_value_length(pc.utf8_split_whitespace(cells))
    elif role == "sparse":
        return count_entries(cells).astype(np.float64)
    numbers = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(numbers, dtype=np.float64)


def _edges(numbers: Floats) -> tuple[float, ...]:
    """Edges at the tenths; a value that is several of them has a bin of its own."""
    if not len(numbers):
        return ()
    tenths = np.quantile(numbers, _TENTHS, method="inverted_cdf")
    values, counts = np.unique(tenths, return_counts=True)
    return tuple(np.union1d(values, np.nextafter(values[counts > 1], np.inf)).tolist())
