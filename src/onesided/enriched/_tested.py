"""The features of a table that are tested, and the positive rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from onesided._files._names import takes_names, texts_of, values_of
from onesided._files._references import ITEM_MARK
from onesided._text import argument, counted, is_missing
from onesided._typing import Array, Bools, Ints
from onesided.enriched._gene_sets import RowSets, match_sets
from onesided.exceptions import TableError
from onesided.tables import TableSummary, describe
from onesided.tables._codes import warn_of_codes
from onesided.tables._columns import find_key, without_cells
from onesided.tables._features import feature_matrices
from onesided.tables._known_rows import Paths, as_paths, read_known_rows, warn_of_known
from onesided.tables._labels import check_one_source, label_columns, label_notes, read_labels
from onesided.tables._matched import read_strata, strata_sentence
from onesided.tables._sentences import label_sentences, size_sentence
from onesided.tables._table_file import table_file, table_title

_FEWEST_POSITIVE = 2


@dataclass(frozen=True)
class TestedTable:
    """A table, the features that are tested, and the positive rows.

    Attributes
    ----------
    data : the whole table
    positive : masks of the positive rows by name, each of shape (n_rows,); with a column of labels
        there is one mask, with the name of the column
    features : names of the features
    parts : the matrices of the features that `feature_matrices` makes, and the sets as a CSR matrix
    label : column of labels, or files of positive rows; empty if the positives are sets of a file
    label_notes : notes on how the labels were read
    identifier : column that names the rows; empty for none
    match, strata : columns that random sets are matched by, and the stratum of each row as text;
        `strata` is None if random sets are not matched
    n_unnamed : number of rows without an identifier; these rows are in no set from a file
    n_shared : number of identifiers that several rows share; all of these rows count
    summary : the roles of the columns; None if no column is tested
    positive_sets, sets : sets of rows from files; None if no such file was given
    names : names of the table, of the file of positive sets and of the file of sets, or empty
    asked : columns whose role the user gave
    is_listed : whether files list the positive rows

    Examples
    --------
    >>> import numpy as np
    >>> import pyarrow as pa
    >>> from onesided.enriched import TestedTable
    >>> data = pa.table({"size": [3.0, 4.0, 1.0, 2.0], "known": [1, 1, 0, 0]})
    >>> known = np.array([True, True, False, False])
    >>> tested = TestedTable(data, {"known": known}, ["size"], [data["size"].to_numpy()],
    ...                      label="known", names=("genes.csv", "", ""))
    >>> print(*tested.sentences, sep=chr(10))
    genes.csv: 4 rows, 2 columns
      positive           2  (column known)
      unlabeled          2
    """

    __test__ = False  # pytest would collect a class with this name

    data: pa.Table
    positive: Mapping[str, Bools]
    features: Sequence[str]
    parts: list[Any] = field(repr=False)
    label: str = ""
    label_notes: tuple[str, ...] = ()
    identifier: str = ""
    match: tuple[str, ...] = ()
    strata: Array | None = None
    n_unnamed: int = 0
    n_shared: int = 0
    summary: TableSummary | None = None
    positive_sets: RowSets | None = None
    sets: RowSets | None = None
    names: tuple[str, str, str] = ("", "", "")
    asked: tuple[str, ...] = ()
    is_listed: bool = False

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rows and columns were read, and how they are used, in words."""
        unnamed = f"  rows without a value of {self.identifier}, which are in no set: "
        shared = (
            f"  values of {self.identifier} that several rows share (each of these rows counts): "
        )
        if self.positive_sets:
            of_positive = [_sets_sentence(self.names[1], "positive set", self.positive_sets)]
        else:
            (is_positive,) = self.positive.values()
            where = "from" if self.is_listed else "column"
            said = label_sentences(self.label, is_positive, where=where, notes=self.label_notes)
            of_positive = [*said]
        return (
            size_sentence(self.names[0], self.data),
            *[f"{unnamed}{self.n_unnamed:,}"] * bool(self.n_unnamed),
            *[f"{shared}{self.n_shared:,}"] * bool(self.n_shared),
            *of_positive,
            *([] if self.strata is None else [strata_sentence(self.match, self.strata)]),
            *(self.summary.sentences if self.summary else ()),
            *(self.summary.dropped_sentences if self.summary else ()),
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """A sentence for each column: its role, and the reason."""
        return tuple(self.summary.reasons(self.asked)) if self.summary else ()

    def described(self, found: pa.Table, positive: Bools) -> pa.Table:
        """Add columns that describe each feature of 0 and 1, and its overlap with the positives.

        The columns are:

        - `size`, the number of rows with the feature
        - `overlap`, the number of positive rows with the feature
        - `fold`, `overlap` over its mean in random sets; without `match` this is the share of the
          positives with the feature over the share of all rows with it
        - for sets, `members`, the names of the rows that `overlap` counts
        - for sets, `description`, the description in the file

        Parameters
        ----------
        found : results, with a column `feature`
        positive : the positive rows that were tested, shape (n_rows,)
        """
        place_of = {name: place for place, name in enumerate(self.features)}
        places = np.array([place_of[name] for name in found["feature"].to_pylist()], dtype=int)
        chance = np.full(len(positive), positive.mean())  # of each row, to be in a random set
        if self.strata is not None:
            strata = np.unique(self.strata, return_inverse=True)[1]
            chance = (np.bincount(strata, positive) / np.bincount(strata))[strata]
        weights = np.array([np.ones(len(positive)), positive, chance])
        counts = [
            weights @ part
            if sparse.issparse(part) and (part.data == 1).all()
            else np.full((len(weights), part.shape[1]), np.nan)
            for part in self.parts
        ]
        size, overlap, expected = np.column_stack(counts)[:, places]
        with np.errstate(invalid="ignore", divide="ignore"):
            columns: dict[str, Any] = {
                "size": size,
                "overlap": overlap,
                "fold": (overlap / expected).round(12),
            }
        for name, values in columns.items():
            kind = pa.float64() if name == "fold" else pa.int64()
            column = pa.array(values, from_pandas=True).cast(kind)
            found = found.append_column(name, column)
        return self._with_members(found, places, positive) if self.sets else found

    def _with_members(self, found: pa.Table, places: Ints, positive: Bools) -> pa.Table:
        """Add which positive rows are in each set, and the description of the set."""
        sets: Any = self.sets
        first = len(self.features) - len(sets.names)
        named = np.array(texts_of(self.data[self.identifier]))
        rows, chosen = np.flatnonzero(positive), sets.members[:, positive]
        members = [
            ITEM_MARK.join(named[rows[chosen[[place - first]].indices]]) if place >= first else None
            for place in places
        ]
        said = [sets.descriptions[place - first] if place >= first else None for place in places]
        found = found.append_column("members", pa.array(members, pa.string()))
        return found.append_column("description", pa.array(said, pa.string()))

    def test_sentences(self, n_resamples: int) -> tuple[str, ...]:
        """What is tested, and against how many random sets, in words.

        Parameters
        ----------
        n_resamples : number of random sets for each set of positives
        """
        n_sets, n = len(self.positive), len(self.features)
        of = f", for each of {n_sets:,} sets" if n_sets > 1 else ""
        return (
            *([_sets_sentence(self.names[2], "set", self.sets)] if self.sets else ()),
            (
                f"Testing {counted(n, 'feature')} against up to "
                f"{counted(n_resamples, 'random set')}{of}"
            ),
        )


def _sets_sentence(name: str, what: str, found: RowSets) -> str:
    left_out = [f"{n:,} {reason}" for reason, n in found.left_out.items()]
    but = f"; left out {', '.join(left_out)}" if left_out else ""
    if not found.has_descriptions:
        but += (
            "; the file has no descriptions: the cells after the names are rows of the table, and "
            "count as members"
        )
    if found.n_like_rows:
        but += (
            "; descriptions that equal a row of the table, in any letter case: "
            f"{found.n_like_rows:,}, which do not count as members"
        )
    return f"  {name}: {counted(len(found.names), what)}{but}"


@takes_names
def read_tested(  # noqa: PLR0913 - each says how one thing is read
    table: Any,
    positive: str,
    *,
    positive_table: Paths,
    first: int | None,
    positive_sets: Paths,
    sets: Paths,
    identifier: str,
    with_columns: bool,
    min_size: int,
    max_size: int,
    statistic: str,
    match: Sequence[str],
    drop: Sequence[str],
    categorical: Sequence[str],
    number: Sequence[str],
    text: Sequence[str],
    missing: Sequence[str],
    delimiter: str | None,
    sheet: str | None,
) -> TestedTable:
    """Read a table and the sets of files; the parameters are those of `enrich_table`."""
    mend = f"Name the column of labels: {argument('positive', 'COLUMN')}."
    check_one_source(positive or positive_table, positive_sets, "positive_sets", mend)
    if positive or positive_table:
        check_one_source(positive, positive_table, "positive_table", mend)
    if first is not None and not positive_table:
        raise TableError(
            f"{argument('first')} counts rows of a file, but {argument('positive_table')} names "
            "none.",
            f"Pass the ranking too: {argument('positive_table', 'RANKING')}.",
        )
    _check_sets(sets, positive_sets, identifier, statistic, with_columns=with_columns)
    as_text = [*label_columns(positive), *filter(None, [identifier])]
    with table_file(table) as path:
        known = read_known_rows(
            path,
            positive=positive_table,
            first=first,
            identifier=identifier,
            delimiter=delimiter,
            sheet=sheet,
            as_text=as_text,
            missing=missing,
        )
    rows = known.rows
    identifier = identifier or rows.identifier
    data = without_cells(rows.data, label_columns(positive), missing)
    aside = [find_key(data, each) for each in (identifier, *match) if each]
    ids = data.column(identifier) if sets or positive_sets else pa.chunked_array([], pa.string())
    n_unnamed, n_shared = _odd_ids(ids)
    label, notes, of_positive, of_features = "", known.notes, None, None
    if positive_sets:
        of_positive = match_sets(positive_sets, ids, min_size=_FEWEST_POSITIVE)
    elif positive_table:
        label = _file_names(positive_table)
        label = f"the first {counted(first, 'row')} of {label}" if first else label
        chosen = {label: known.positive}
    else:
        label, is_positive = read_labels(data, positive, lists=rows.lists)
        notes = label_notes(data, positive, negatives=True)
        aside.append(label)
        chosen = {label: is_positive}
    strata = None
    if match:
        strata = read_strata(data, match, labels=[label], categorical=categorical, missing=missing)
    if of_positive:
        of_positive = of_positive.within(strata)
        chosen = of_positive.by_name()
    summary: TableSummary | None = None
    names: list[str] = []
    parts: list[Any] = []
    if sets is None or with_columns:
        summary = describe(
            data,
            without=aside,
            drop=drop,
            categorical=categorical,
            number=number,
            text=text,
            one_text=rows.text,
            aside=rows.aside,
        )
        warn_of_codes(data, summary)
        _check_statistic(statistic, summary)
        names, parts = feature_matrices(data, summary)
    warn_of_known(known, summary)
    if sets:
        of_features = match_sets(sets, ids, min_size=min_size, max_size=max_size)
        _check_apart(of_features.names, names)
        names = [*names, *of_features.names]
        parts.append(of_features.members.T.tocsr())
    return TestedTable(
        data=data,
        positive=chosen,
        features=names,
        parts=parts,
        label=label,
        label_notes=tuple(notes),
        identifier=identifier,
        match=tuple(match),
        strata=strata,
        n_unnamed=n_unnamed,
        n_shared=n_shared,
        summary=summary,
        positive_sets=of_positive,
        sets=of_features,
        names=(table_title(table), _file_names(positive_sets), _file_names(sets)),
        is_listed=bool(positive_table),
        asked=(*categorical, *number, *text),
    )


def _file_names(given: Paths) -> str:
    return " + ".join(path.name for path in as_paths(given))


def _odd_ids(ids: pa.ChunkedArray) -> tuple[int, int]:
    """Number of rows without an identifier, and number of identifiers that several rows share."""
    present = [cell for cell in values_of(ids) if cell != "" and not is_missing(cell)]
    return len(ids) - len(present), sum(n > 1 for n in Counter(present).values())


def _check_sets(
    sets: Paths,
    positive_sets: Paths,
    identifier: str,
    statistic: str,
    *,
    with_columns: bool,
) -> None:
    if (sets or positive_sets) and not identifier:
        given = argument("sets" if sets else "positive_sets")
        raise TableError(
            f"{given} needs a column that says which rows are the members of a set.",
            f"Name the column that holds the members: {argument('identifier', 'COLUMN')}.",
        )
    if with_columns and not sets:
        raise TableError(
            f"{argument('with_columns')} only matters with {argument('sets')}; without sets the "
            "columns are tested anyway.",
            f"Remove it, or pass {argument('sets', 'FILE.gmt')}.",
        )
    if sets and statistic == "t":
        raise TableError(
            f"{argument('statistic', 't')} works only for columns of numbers, not for "
            f"{argument('sets')}.",
            "Use the statistic sum.",
        )


def _check_statistic(statistic: str, summary: TableSummary) -> None:
    """Refuse Welch's t for indicators, because most do not vary within the positives."""
    others = [*summary.names("category"), *summary.names("text")]
    if statistic == "t" and others:
        raise TableError(
            f"{argument('statistic', 't')} works only for columns of numbers, but column "
            f"{others[0]!r} holds no numbers.",
            f"Use the statistic sum, or drop the column: {argument('drop', [others[0]])}.",
        )


def _check_apart(set_names: Sequence[str], names: Sequence[str]) -> None:
    both = sorted({*set_names} & {*names})
    if both:
        raise TableError(
            f"{both[0]!r} is both the name of a set and the name of a feature.",
            "Rename one of them.",
        )
