"""Whether the rows of a table are like the rows that a model learned from.

The values of each column, and the scores, are counted in bins. The rows learned from set the bins:

- numbers: tenths, and one more bin for a value that fills several tenths
- categories: one bin for each of the most common values, and one bin for all others
- missing cells: one bin

Only counts are kept, and counts of batches can be added. Let p be the share of the rows learned
from in a bin, and q the share of the scored rows. The population stability index is
Σ (p − q) ln(p / q) in nats, the sum of both Kullback-Leibler divergences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import compress
from operator import not_
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.special import rel_entr
from scipy.stats import chi2
from sklearn.feature_extraction.text import CountVectorizer

from onesided._text import agreeing, argument, as_percent, counted, counted_of
from onesided._typing import Bools, Floats, Ints
from onesided.tables._codes import code_sentences
from onesided.tables._ends import USUAL_DATES, Ends
from onesided.tables._sparse import count_entries
from onesided.tables._text import has_known_word, word_counts

Seen: TypeAlias = Literal["number", "category", "date", "text", "sparse", "score"]
LearnedScores: TypeAlias = tuple[Floats, Bools]

SCORE = "score"
_WITH_ENDS = ("number", "date")  # roles of columns whose lowest and highest values are kept
_ROUNDING = 1e-9
_FEWEST_ROWS = 100  # by chance alone, the index of ten bins is about 9 / n_rows
_MOVED = 0.25  # in credit scoring, this index is a sign of another population
_BY_CHANCE = 0.001  # probability of a warning about rows of the same population
_TENTHS = np.linspace(0.1, 0.9, 9)
_MOST_VALUES = 30  # number of categories that have a bin of their own
_MOST_NAMED = 5  # number of changed columns that are named
_MOST_COUNTED = 1 << 53  # largest number of rows
_PRIOR_ROWS = 0.5  # rows added to each bin, because an empty bin would make the index infinite


@dataclass(frozen=True)
class SeenColumn:
    """The values of a column in the rows that a model learned from, counted in bins.

    Attributes
    ----------
    name : name of the column; empty for the score
    role : how the model used the column. Texts are compared by their number of words, and sparse
        features by their number in each row
    edges : ascending edges of the bins of numbers; an edge belongs to the bin above it
    categories : categories that have a bin of their own, as text
    positive, unlabeled : number of rows in each bin, shape (n_bins,). The last bin holds missing
        cells, and the bin before it holds all other categories
    unmoved : population stability index of the scores of rows of the same table that the model did
        not learn from
    rest : the categories without a bin of their own; empty in a model of an older version
    ends : the lowest and the highest values of numbers and dates; empty in a model of an older
        version

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> from onesided.scoring import SeenColumn
    >>> colors = pa.chunked_array([["red", "red", "blue", "red", None]])
    >>> positive = np.array([True, True, False, False, False])
    >>> seen = SeenColumn.of("color", "category", colors, positive)
    >>> seen.categories
    ('red', 'blue')
    >>> seen.unlabeled.tolist()  # red, blue, other categories, missing cells
    [1, 1, 0, 1]
    """

    name: str
    role: Seen
    edges: tuple[float, ...]
    categories: tuple[str, ...]
    positive: Ints
    unlabeled: Ints
    unmoved: float = 0.0
    rest: tuple[str, ...] = ()
    ends: Ends = field(default_factory=Ends)

    @classmethod
    def of(cls, name: str, role: Seen, cells: Any, positive: Bools) -> SeenColumn:
        """Cut the cells of an Arrow column into bins; `positive` has shape (n_rows,)."""
        edges: tuple[float, ...] = ()
        categories: tuple[str, ...] = ()
        rest: tuple[str, ...] = ()
        if role == "category":
            found = pc.value_counts(cells.drop_null().cast(pa.string())).to_pylist()
            found.sort(key=lambda each: (-each["counts"], each["values"]))
            every = tuple(each["values"] for each in found)
            categories, rest = every[:_MOST_VALUES], every[_MOST_VALUES:]
        else:
            numbers = _numbers(cells, role)[~positive]
            edges = _edges(numbers[~np.isnan(numbers)])
        empty = np.zeros(0, dtype=np.int64)
        ends = Ends.of(cells) if role in _WITH_ENDS else Ends()
        bins = cls(name, role, edges, categories, empty, empty, rest=rest, ends=ends)
        kinds = [cells.filter(pa.array(which)) for which in (positive, ~positive)]
        return replace(bins, positive=bins.count(kinds[0]), unlabeled=bins.count(kinds[1]))

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> SeenColumn:
        """The column that `as_json` described; raises an error if the description is not valid."""
        found = cls(
            str(given["name"]),
            given["role"],
            tuple(map(float, given["edges"])),
            tuple(map(str, given["categories"])),
            np.array(given["positive"], dtype=np.int64),
            np.array(given["unlabeled"], dtype=np.int64),
            float(given["unmoved"]),
            tuple(map(str, given.get("rest", ()))),
            Ends.from_json(given.get("ends", ((), ()))),
        )
        counts = np.concatenate([found.positive, found.unlabeled])
        if not (
            found.positive.shape == found.unlabeled.shape == (found.n_bins,)
            and ((counts >= 0) & (counts < _MOST_COUNTED)).all()
            and np.isfinite((*found.edges, found.unmoved)).all()
            and (np.diff(found.edges) >= 0).all()
            and not (found.edges if found.role == "category" else found.categories)
            and (found.role in _WITH_ENDS or found.ends == Ends())
        ):
            raise ValueError
        return found

    def as_json(self) -> dict[str, Any]:
        """All attributes as lists, numbers and text; an empty `rest` or `ends` is left out."""
        counts = {"positive": self.positive.tolist(), "unlabeled": self.unlabeled.tolist()}
        found = vars(self) | counts | {"ends": self.ends.as_json()}
        empty = {"rest": not self.rest, "ends": self.ends == Ends()}
        return {name: value for name, value in found.items() if not empty.get(name)}

    @property
    def n_bins(self) -> int:
        """Number of bins, including the bin of missing cells."""
        return len(self.categories or self.edges) + 2

    def count(self, cells: Any) -> Ints:
        """Number of rows of an Arrow column in each bin; shape (n_bins,)."""
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

    def unseen(self, cells: Any) -> Unseen:
        """Categories of an Arrow column that do not occur in the rows learned from."""
        n_others = self.positive[-2] + self.unlabeled[-2]
        if self.role != "category" or (n_others and not self.rest):
            return Unseen(self.name)
        text = cells.cast(pa.string())
        known = pc.is_in(text, pa.array([*self.categories, *self.rest], pa.string()))
        new = text.filter(pc.and_(pc.invert(known), pc.is_valid(text)))
        return Unseen(self.name, len(new), tuple(new.unique().to_pylist()[:_MOST_NAMED]))

    def _from_each_edge(self, unit: str) -> list[str]:
        """The numbers from each edge on, in words; an edge may be just above the edge before it."""
        before = [np.nan, *self.edges[:-1]]
        return [
            f"above {low:.4g}{unit}"
            if edge == np.nextafter(low, np.inf)
            else f"{edge:.4g}{unit} or more"
            for low, edge in zip(before, self.edges, strict=True)
        ]

    def differ_most(self, learned: Floats, found: Floats) -> tuple[str, float, float]:
        """Describe the cells whose share differs most, and return both shares of these cells.

        The description completes a sentence after the word "are". Numbers are compared by their
        share above each edge, as in a Kolmogorov-Smirnov test.

        Parameters
        ----------
        learned, found : share of each bin in the rows learned from, and in other rows, both of
            shape (n_bins,)
        """
        names = [*map(repr, self.categories), "other values", "missing"]
        pairs = np.stack([learned, found])
        if self.role != "category":
            unit = {"text": " words", "sparse": " features"}.get(self.role, "")
            names = ["missing", *self._from_each_edge(unit)]
            from_here_on = pairs[:, -2:0:-1].cumsum(axis=1)[:, ::-1]
            pairs = np.column_stack([pairs[:, -1], from_here_on])
        size = np.abs(pairs[1] - pairs[0])
        most = int(np.argmax(size > size.max() - _ROUNDING))
        if self.role == "score":  # the scale of scores says nothing to a reader
            names[most] = f"scored as high as the highest {as_percent(float(pairs[0, most]))}"
        return names[most], float(pairs[1, most]), float(pairs[0, most])


@dataclass(frozen=True)
class Moved:
    """How a column, or the score, differs between new rows and the rows learned from.

    Attributes
    ----------
    name : name of the column; "score" for the score
    index : population stability index, in nats
    moved : whether the index is 0.25 or more and chance does not explain it. The index of the score
        must exceed the index of unchanged rows by 0.25. Always False for fewer than 100 rows
    what : description of the cells whose share differs most
    share, learned_share : share of these cells in the new rows, and in the rows learned from

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided.scoring import fit_table, score_table
    >>> rng, known = np.random.default_rng(0), np.arange(200) < 50
    >>> table = pd.DataFrame({"size": rng.normal(size=200) + known, "known": known})
    >>> model = fit_table(table, "known", methods=["naive-bayes"])
    >>> moved = score_table(model, table.assign(size=table["size"] + 3)).drift.moved[0]
    >>> moved.name, moved.what, moved.share, moved.learned_share
    ('size', '1.229 or more', 0.965, 0.185)
    """

    name: str
    index: float
    moved: bool
    what: str
    share: float
    learned_share: float

    @property
    def is_small(self) -> bool:
        """Whether the index is below 0.25."""
        return self.index < _MOVED

    def __str__(self) -> str:
        learned = "" if self.name == SCORE else f", compared with {as_percent(self.learned_share)}"
        return (
            f"{as_percent(self.share)} of these rows are {self.what}{learned} of the rows that the "
            f"model learned from (stability index {self.index:.2f})"
        )


@dataclass(frozen=True)
class Unseen:
    """Categories of a column that a model did not learn from.

    Attributes
    ----------
    name : name of the column
    n_rows : number of rows with such a category
    values : the first of these categories, at most five
    """

    name: str
    n_rows: int = 0
    values: tuple[str, ...] = ()

    def __add__(self, other: Unseen) -> Unseen:
        values = tuple(dict.fromkeys(self.values + other.values))[:_MOST_NAMED]
        return Unseen(self.name, self.n_rows + other.n_rows, values)


@dataclass(frozen=True)
class Counted:
    """Counts over some rows; counts of other rows can be added.

    Attributes
    ----------
    bins : number of rows in each bin of each column, and of the score
    unseen : for each column, the new categories that the model did not learn from
    ends : the lowest and the highest values of each column of numbers or dates, by its name
    readable : the columns of text in which some row has a word that the model knows; None if an
        older version counted
    """

    bins: tuple[Ints, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    ends: Mapping[str, Ends] = field(default_factory=dict)
    readable: frozenset[str] | None = frozenset()

    @classmethod
    def of(
        cls,
        seen: Sequence[SeenColumn],
        batch: pa.RecordBatch,
        scores: Floats,
        words: Mapping[str, CountVectorizer],
    ) -> Counted:
        """Count the rows of a batch.

        Parameters
        ----------
        seen : the columns and the score, as counted in the rows learned from
        batch : the rows
        scores : shape (n_rows,)
        words : what finds the words that the model knows, for each column of text
        """
        cells = [
            pa.array(scores) if each.role == "score" else batch.column(each.name) for each in seen
        ]
        pairs = list(zip(seen, cells, strict=True))
        unseen = (column.unseen(found) for column, found in pairs)
        return cls(
            tuple(column.count(found) for column, found in pairs),
            tuple(each for each in unseen if each.n_rows),
            {each.name: Ends.of(found) for each, found in pairs if each.role in _WITH_ENDS},
            frozenset(name for name in words if has_known_word(batch.column(name), words[name])),
        )

    @classmethod
    def from_json(cls, given: Any) -> Counted:
        """The counts that `as_json` described; an older version wrote only the bins."""
        found: Mapping[str, Any] = {"bins": given} if isinstance(given, list) else given
        return cls(
            tuple(np.array(each, dtype=np.int64) for each in found["bins"]),
            tuple(
                Unseen(each["name"], each["n_rows"], tuple(each["values"]))
                for each in found.get("unseen", ())
            ),
            {name: Ends.from_json(each) for name, each in found.get("ends", {}).items()},
            frozenset(found["readable"]) if "readable" in found else None,
        )

    def as_json(self) -> dict[str, Any]:
        """All attributes as lists, numbers and text."""
        return {
            "bins": [each.tolist() for each in self.bins],
            "unseen": [asdict(each) for each in self.unseen],
            "ends": {name: each.as_json() for name, each in self.ends.items()},
            **({} if self.readable is None else {"readable": sorted(self.readable)}),
        }

    def __add__(self, other: Counted) -> Counted:
        if not (self.bins and other.bins):
            return self if self.bins else other
        unseen = {each.name: each for each in self.unseen}
        for each in other.unseen:
            unseen[each.name] = unseen[each.name] + each if each.name in unseen else each
        bins = (one + two for one, two in zip(self.bins, other.bins, strict=True))
        ends = {
            name: self.ends.get(name, Ends()) + other.ends.get(name, Ends())
            for name in {**self.ends, **other.ends}
        }
        known = (self.readable, other.readable)
        readable = None if None in known else frozenset().union(*filter(None, known))
        return Counted(tuple(bins), tuple(unseen.values()), ends, readable)


@dataclass(frozen=True)
class Drift:
    """The differences between a table and the rows that a model learned from.

    Attributes
    ----------
    n_rows : number of rows that were compared
    learned : the rows learned from that the table is more like: the "unlabeled" rows or "all" rows
    score : how the scores differ; None if the model keeps no scores of the rows learned from
    columns : how each column differs, in descending order of the index
    unseen : for each column, the new categories that the model did not learn from
    codes : a warning for each number or date that may be the code of a missing value, such as
        -9999, and that the rows learned from do not have
    useless : name of each column that is of no use for these rows, and a sentence that says why:
        all cells are missing, or no text has a word that the model knows
    outside : name of each column of numbers that all lie far outside those learned from, and a
        sentence that says so

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided.scoring import fit_table, score_table
    >>> model = fit_table(table, "known", methods=["naive-bayes"])
    >>> moved = table.assign(size=table["size"] + 3)
    >>> drift = score_table(model, moved).drift
    >>> [each.name for each in drift.moved]
    ['size']
    """

    n_rows: int
    learned: Literal["unlabeled", "all"]
    score: Moved | None
    columns: tuple[Moved, ...]
    unseen: tuple[Unseen, ...] = ()
    codes: tuple[str, ...] = ()
    useless: tuple[tuple[str, str], ...] = ()
    outside: tuple[tuple[str, str], ...] = ()

    @property
    def tells(self) -> bool:
        """Whether there are enough rows for a comparison."""
        return self.n_rows >= _FEWEST_ROWS

    @property
    def moved(self) -> list[Moved]:
        """The columns whose values have changed, as `Moved.moved` says."""
        return [column for column in self.columns if column.moved]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings: columns without use or in another range, codes, new categories, changes."""
        new = [
            f"Column {each.name} holds categories that the model did not learn from, in "
            f"{each.n_rows:,} of {counted(self.n_rows, 'row')}: "
            f"{', '.join(map(repr, each.values))}."
            for each in self.unseen
        ]
        certain = (
            *_first([why for _, why in self.useless], "are of no use for these rows."),
            *_first([why for _, why in self.outside], "lie far outside what was learned from."),
            *self.codes,
            *_first(new, "have categories that the model did not learn from."),
        )
        if not self.tells:
            return certain
        score = f"The scores have changed since the model learned: {self.score}."
        return (
            *certain,
            *[score] * (self.score is not None and self.score.moved),
            *(
                f"Column {each.name} has changed since the model learned: {each}."
                for each in self._moved_otherwise[:_MOST_NAMED]
            ),
        )

    @property
    def _moved_otherwise(self) -> list[Moved]:
        """The columns that have changed, and of which no other warning says more."""
        said = {name for name, _ in (*self.useless, *self.outside)}
        return [each for each in self.moved if each.name not in said]

    @property
    def more(self) -> str:
        """How many columns have changed that no warning names, in words; "" for none."""
        n_more = max(len(self._moved_otherwise) - _MOST_NAMED, 0) * self.tells
        said = f"{counted(n_more, 'more column')} {agreeing(n_more, 'have')} changed"
        return said * bool(n_more)

    @property
    def reasons(self) -> tuple[str, ...]:
        """How each column differs, in words."""
        return tuple(f"column {each.name}: {each}" for each in self.columns) if self.tells else ()

    def sentence(self, n_rows: int) -> str:
        """Whether the rows are like the rows that the model learned from.

        Parameters
        ----------
        n_rows : number of rows that were scored; it may exceed the number of compared rows
        """
        if not self.tells:
            return (
                f"{counted(self.n_rows, 'row')} {agreeing(self.n_rows)} too few to tell whether "
                "new rows differ from the rows the model learned from"
            )
        learned = "the rows" if self.learned == "all" else "the unlabeled rows"
        score = "the model does not record its earlier scores"
        if self.score is not None:
            score = f"the scores have {'' if self.score.moved else 'not '}changed"
            if self.score.moved or self.score.is_small:
                below = "" if self.score.moved else f", below {_MOVED:g}"
                score += f" (index {self.score.index:.2f}{below})"
        moved = self.moved
        highest = (moved or self.columns)[0]
        columns = "no column has changed"
        if moved:
            columns = f"{counted_of(len(moved), len(self.columns), 'column', 'have')} changed"
        if moved or highest.is_small:
            columns += f"; the highest index is {highest.index:.2f}, of {highest.name}"
        else:
            columns += " by more than chance can explain in so few rows"
        part = f" {self.n_rows:,} of these rows" if self.n_rows < n_rows else ""
        return f"Compared{part} with {learned} the model learned from: {score}; {columns}"


def see_scores(learned: LearnedScores, apart: LearnedScores, others: Floats) -> SeenColumn:
    """Record the scores of the rows learned from, and the stability index of unchanged rows.

    A model scores unlabeled rows too low if it learned from them. So rows of another table seem to
    have changed even if they have not. A second model that learned from a part of the rows shows,
    on the other rows, how large this effect is. The scores of the second model cannot replace those
    of the model itself: if there are few distinct scores, these differ from model to model.

    Parameters
    ----------
    learned : scores of the rows learned from, and which rows are positive; each of shape (n_rows,)
    apart : the same for the second model and the part of the rows that it learned from
    others : scores by the second model, of unlabeled rows that it did not learn from
    """
    seen, of_part = (
        SeenColumn.of("", "score", pa.array(scores), positive)
        for scores, positive in (learned, apart)
    )
    found = _compare(of_part, of_part.count(pa.array(others)), 0, len(others), _BY_CHANCE)
    return replace(seen, unmoved=found.index)


def compare_counts(
    seen: Sequence[SeenColumn], counted: Counted, n_positive: int, n_unlabeled: int
) -> Drift:
    """Compare rows with the rows learned from.

    It is not known whether the rows include positives like the known positives. So the rows are
    compared with all rows learned from, and with the unlabeled rows alone. The comparison with the
    smaller differences counts.

    Parameters
    ----------
    seen : the columns and the score, as counted in the rows learned from
    counted : counts of the rows to compare
    n_positive, n_unlabeled : numbers of rows of the whole table learned from; the model may have
        learned from a draw of the unlabeled rows
    """
    level = _BY_CHANCE / len(seen)
    kinds = {
        kind: [
            _compare(each, found, n_of_positive, n_unlabeled, level)
            for each, found in zip(seen, counted.bins, strict=True)
        ]
        for kind, n_of_positive in (("unlabeled", 0), ("all", n_positive))
    }
    nearer = min(kinds, key=lambda kind: sum(each.index for each in kinds[kind]))
    scores = [each.role == "score" for each in seen]
    columns = compress(kinds[nearer], map(not_, scores))
    return Drift(
        int(counted.bins[0].sum()),
        "all" if nearer == "all" else "unlabeled",
        next(compress(kinds[nearer], scores), None),
        tuple(sorted(columns, key=lambda found: -found.index)),
        counted.unseen,
        tuple(_codes(seen, counted)),
        tuple(_useless(seen, counted)),
        tuple(_outside(seen, counted)),
    )


def _first(sentences: Sequence[str], verb: str) -> Iterator[str]:
    """The first sentences about columns, and how many more columns they are true of.

    Parameters
    ----------
    sentences : one about each column
    verb : end of the last sentence, from its verb on in the plural
    """
    yield from sentences[:_MOST_NAMED]
    if n_more := max(len(sentences) - _MOST_NAMED, 0):
        first, rest = verb.split(" ", 1)
        yield f"{counted(n_more, 'more column')} {agreeing(n_more, first)} {rest}"


def _useless(seen: Sequence[SeenColumn], found: Counted) -> Iterator[tuple[str, str]]:
    """Names of columns that are of no use for some rows, each with a sentence that says why.

    Nothing is said of missing cells that may be chance, since many are missing in the rows learned
    from. Both statements are true for any number of rows.
    """
    for each, bins in zip(seen, found.bins, strict=True):
        n_rows, n_missing = int(bins.sum()), int(bins[-1])
        if each.role == "score" or not n_rows:
            continue
        where = "the only row" if n_rows == 1 else f"all {n_rows:,} rows"
        end = "It is of no use for these rows. Check it"
        kinds = each.positive + each.unlabeled
        learned = float(kinds[-1] / max(int(kinds.sum()), 1))
        if n_missing == n_rows and learned**n_rows < _BY_CHANCE:
            share = f"{as_percent(learned)} of the rows that the model learned from"
            yield each.name, f"Column {each.name} is missing in {where}, and in {share}. {end}."
        unread = found.readable is not None and each.name not in found.readable
        if each.role == "text" and n_missing < n_rows and unread:
            what = f"Column {each.name} holds no word that the model knows, in {where}."
            yield each.name, f"{what} {end}, and the language of its text."


def _codes(seen: Sequence[SeenColumn], found: Counted) -> Iterator[str]:
    """A warning for each number or date that may be a code and is new."""
    pairs = [(each, found.ends[each.name]) for each in seen if each.name in found.ends]
    mend = "leave the cell empty"
    yield from code_sentences(
        ((each.name, ends.new_codes(each.ends)) for each, ends in pairs if each.role == "number"),
        lambda cell: f"{mend}, or learn the model again: {argument('missing', [cell])}",
    )
    yield from code_sentences(
        (
            (each.name, ends.new_codes(each.ends, USUAL_DATES))
            for each, ends in pairs
            if each.role == "date"
        ),
        lambda _: mend,
        "dates",
    )


def _outside(seen: Sequence[SeenColumn], found: Counted) -> Iterator[tuple[str, str]]:
    """Names of columns of numbers that are all far from those learned from, with a sentence.

    Later dates are no reason for a warning.
    """
    for each in seen:
        if each.role != "number":
            continue
        if spans := found.ends.get(each.name, Ends()).far_from(each.ends):
            low, high, *learned = (f"{end:,.6g}" for span in spans for end in span)
            now = f"is {low}" if low == high else f"lies between {low} and {high}"
            before = f"between {' and '.join(learned)} in the rows that the model learned from"
            yield (
                each.name,
                f"Column {each.name} {now} in these rows, but {before}. Check its unit.",
            )


def _compare(
    seen: SeenColumn, counts: Ints, n_positive: int, n_unlabeled: int, level: float
) -> Moved:
    """How a column differs; `level` is the probability that chance alone counts as a change."""
    n_learned = seen.unlabeled.sum() + (seen.positive.sum() if n_positive else 0)
    kinds = (seen.unlabeled, seen.positive)
    learned, plain = (
        np.average([shares(kind) for kind in kinds], axis=0, weights=[n_unlabeled, n_positive])
        for shares in (_shares, _plain_shares)
    )
    found = _shares(counts)
    parts = rel_entr(learned, found) + rel_entr(found, learned)
    index, n_rows = float(parts.sum()), int(counts.sum())
    # The index of n and m rows of one population is about (1/n + 1/m) times a chi-squared variable.
    noise = (1 / max(n_rows, 1) + 1 / max(n_learned, 1)) * chi2.isf(level, seen.n_bins - 1)
    moved = bool(n_rows >= _FEWEST_ROWS and index >= max(_MOVED + seen.unmoved, noise))
    name = SCORE if seen.role == "score" else seen.name
    return Moved(name, index, moved, *seen.differ_most(plain, _plain_shares(counts)))


def _plain_shares(counts: Ints) -> Floats:
    """Share of the rows in each bin, for text."""
    return np.asarray(counts / max(int(counts.sum()), 1))


def _shares(counts: Ints) -> Floats:
    """Share of the rows in each bin, for the index; never 0, which would make it infinite."""
    smooth = counts + _PRIOR_ROWS
    return np.asarray(smooth / smooth.sum())


def _numbers(cells: Any, role: Seen) -> Floats:
    """The numbers of an Arrow column that are counted in bins; a missing cell is NaN."""
    if role == "text":
        return word_counts(cells)
    if role == "sparse":
        return count_entries(cells).astype(np.float64)
    numbers = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(numbers, dtype=np.float64)


def _edges(numbers: Floats) -> tuple[float, ...]:
    """Edges of bins that hold a tenth each; a value that fills several tenths has its own bin."""
    if not len(numbers):
        return ()
    tenths = np.quantile(numbers, _TENTHS, method="inverted_cdf")
    values, counts = np.unique(tenths, return_counts=True)
    return tuple(np.union1d(values, np.nextafter(values[counts > 1], np.inf)).tolist())
