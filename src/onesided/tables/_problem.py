"""A table with the meaning of its rows and columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from onesided._files._blank import left_out, row_numbers
from onesided._files._names import takes_names, values_of
from onesided._text import MISSING_MARKS, argument, as_text
from onesided._typing import Array, Bools, Floats, Ints
from onesided._validation import check_arguments
from onesided.exceptions import TableError
from onesided.tables._background import Background, Borrowed, borrow
from onesided.tables._checked_rows import CheckedRows, find_checked
from onesided.tables._codes import warn_of_codes
from onesided.tables._columns import (
    check_names_rows,
    find_key,
    find_titles,
    identifier_column,
    row_names,
    without_cells,
)
from onesided.tables._describe import TableSummary, describe
from onesided.tables._features import count_equal_rows, row_kinds, used_columns
from onesided.tables._known_rows import (
    KnownRows,
    Paths,
    as_paths,
    read_known_rows,
    warn_of_known,
)
from onesided.tables._labels import (
    check_kinds,
    check_one_source,
    label_columns,
    label_notes,
    read_known_negative,
    read_labels,
    read_other_labels,
)
from onesided.tables._leaks import warn_of_leaks, warn_of_other_labels
from onesided.tables._matched import read_strata, strata_sentence
from onesided.tables._places import Places, check_one_split, find_places, judged_by
from onesided.tables._sentences import label_sentences, size_sentence
from onesided.tables._shown import find_shown, shown_cells, shown_name
from onesided.tables._table_file import table_file, table_title
from onesided.tables._times import read_times

_FEWEST = 2  # known positives to learn from, and candidates to rank


@dataclass(frozen=True)
class Problem:
    """The rows and columns to learn from.

    Attributes
    ----------
    name : name of the table
    data : the whole table
    label : name of the column of labels, or of the file of positive rows
    positive : shape (n_rows,), the known positives
    negative : shape (n_rows,), rows verified to be negative; methods may learn from them as
        negatives
    summary : roles of the columns
    group : column of groups of rows, or ""
    identifier : column that names the rows, or ""
    known : the rows of the table together with the rows of the files of known rows; None without
        such files
    files : names of the files of positive rows and of known negatives, or ""
    negative_label : column that marks the known negatives, or ""
    label_notes : sentences on how the labels were read
    asked : columns whose role the user gave
    missing : cells that mean a missing value in this table, beside NA and the like, which mean a
        missing value in every table
    verdicts : what checks of some unlabeled rows found; None without checks. No row with a verdict
        is in `positive` or `negative`, since verdicts and labels were given in different ways
    background : the unlabeled rows that models learn from; None if they learn from all of them
    screened_at_random : whether the positives and the known negatives are a random sample of the
        rows
    places : where the rows were observed; None without coordinates
    time : column of times, or ""
    times : shape (n_rows,), the time of each row; None without a column of times
    match, strata : columns that random label sets are matched by, and the stratum of each row as
        text; `strata` is None if random label sets are not matched
    show : columns that a ranking shows beside each row, so that a person recognizes the row

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided.tables import read_problem
    >>> size, known = np.random.default_rng(0).normal(size=40), np.arange(40) < 10
    >>> problem = read_problem(pd.DataFrame({"size": size, "known": known}), "known")
    >>> problem.label, int(problem.positive.sum()), problem.summary.used
    ('known', 10, ['size'])
    """

    name: str
    data: pa.Table
    label: str
    positive: Bools
    negative: Bools
    summary: TableSummary
    group: str = ""
    identifier: str = ""
    known: KnownRows | None = None
    files: tuple[str, str] = ("", "")
    negative_label: str = ""
    label_notes: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    verdicts: CheckedRows | None = None
    background: Background | None = None
    screened_at_random: bool = False
    places: Places | None = None
    time: str = ""
    times: Floats | None = None
    match: tuple[str, ...] = ()
    strata: Array | None = None
    show: tuple[str, ...] = ()

    @property
    def verified(self) -> Bools:
        """Unlabeled rows that a check found to be positive, shape (n_rows,)."""
        return np.zeros_like(self.positive) if self.verdicts is None else self.verdicts.positive

    @property
    def listed(self) -> Bools:
        """The candidates: unlabeled rows that are not known to be negative, and have no verdict."""
        unknown = ~self.positive & ~self.negative
        return unknown if self.verdicts is None else unknown & ~self.verdicts.decided

    @property
    def known_negative(self) -> Bools:
        """Rows that are known to be negative, by a label or a verdict, shape (n_rows,)."""
        return self.negative if self.verdicts is None else self.negative | self.verdicts.negative

    @property
    def learned(self) -> Bools | None:
        """Unlabeled rows that models learn from, shape (n_rows,); None for all unlabeled rows.

        With every background, models also learn from the rows that are known to be negative.
        """
        if self.background is None:
            return None
        return self.background.rows | self.known_negative

    def before(self, held_out: Bools) -> Problem:
        """The same table with some positives as unlabeled rows; verified positives too.

        Parameters
        ----------
        held_out : shape (n_rows,), the positives that count as unlabeled
        """
        verdicts = self.verdicts
        if verdicts is not None:
            verdicts = replace(verdicts, positive=np.zeros_like(held_out))
        return replace(self, positive=self.positive & ~held_out, verdicts=verdicts)

    def only(self, rows: Ints) -> Problem:
        """The same table with only some of its rows; models learn from all of these rows.

        Parameters
        ----------
        rows : indices of the rows to keep, counted from 0
        """
        return replace(
            self,
            data=self.data.take(pa.array(rows)),
            positive=self.positive[rows],
            negative=self.negative[rows],
            verdicts=None if self.verdicts is None else self.verdicts.only(rows),
            summary=replace(self.summary, n_rows=len(rows)),
            background=None,
            places=None if self.places is None else self.places.only(rows),
            times=None if self.times is None else self.times[rows],
            strata=None if self.strata is None else self.strata[rows],
        )

    @cached_property
    def features(self) -> pa.Table:
        """The columns to learn from."""
        return used_columns(self.data, self.summary)

    @cached_property
    def groups(self) -> Array | None:
        """The time, group or spatial block of each row, shape (n_rows,); None without any."""
        if self.times is not None:
            return self.times
        if self.group:
            return _as_groups(self.data, self.group)
        return None if self.places is None else self.places.blocks

    @property
    def together(self) -> str:
        """The word for rows that belong together: "group" or "spatial block"."""
        return "group" if self.group else "spatial block"

    @property
    def beside(self) -> dict[str, Array]:
        """Columns that a ranking shows beside each row, each of shape (n_rows,).

        The title comes first, then the columns of `shown`.
        """
        return ({} if self.titles is None else {"title": self.titles}) | self.shown

    @cached_property
    def shown(self) -> dict[str, Array]:
        """The columns of `show` and the coordinates, with the names and cells of a ranking."""
        names = [] if self.places is None else self.places.names
        found = {name: shown_cells(self.data, name) for name in self.show}
        found |= {name: self.data.column(name).to_numpy() for name in names}
        return {shown_name(name): cells for name, cells in found.items()}

    @property
    def ids(self) -> pa.ChunkedArray:
        """The names of the rows: the cells of the identifier, or row numbers without identifier."""
        return self.data.column(self.identifier) if self.identifier else row_names(self.data)

    @cached_property
    def titles(self) -> Array | None:
        """The titles of the rows, of shape (n_rows,); None if there is no column of titles.

        A row without a title has its identifier in place of a title.
        """
        name = find_titles(self.data, without=(self.identifier, self.label))
        if name is None:
            return None
        pairs = zip(self.data.column(name).to_pylist(), values_of(self.ids), strict=True)
        return np.array([title or str(each) for title, each in pairs], dtype=object)

    @property
    def n_equal(self) -> int:
        """Number of rows that equal an earlier row in all used columns."""
        return count_equal_rows(self.data, self.summary)

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rows and columns were read, and how they are used, in words."""
        return tuple(self._said())

    @property
    def reasons(self) -> tuple[str, ...]:
        """A sentence for each column: its role, and the reason."""
        return tuple(self.summary.reasons(self.asked))

    def _said(self) -> Iterator[str]:
        positives, negatives = self.files
        yield size_sentence(" + ".join(filter(None, (self.name, *self.files))), self.data)
        where = "from" if positives else "column"
        n_negative = int(self.negative.sum())
        yield from label_sentences(
            self.label, self.positive, where=where, notes=self.label_notes, n_negative=n_negative
        )
        if n_negative:
            sources = [f"column {self.negative_label}"] if self.negative_label else []
            sources += [f"from {negatives}"] if negatives else []
            yield f"  known negative {n_negative:>5,}  ({', '.join(sources)})"
        if self.verdicts is not None:
            yield from self.verdicts.sentences
        if self.background is not None:
            yield from self.background.sentences
        if self.known and self.known.rows.n_merged:
            yield f"  duplicate records left out: {self.known.rows.n_merged:,}"
        if self.known and self.known.n_shared:
            yield f"  rows in more than one file, each counted once: {self.known.n_shared:,}"
        if n_blank := len(left_out(self.data.schema)):
            yield f"  rows without any cell, left out: {n_blank:,}"
        yield from self._said_of_columns()

    def _said_of_columns(self) -> Iterator[str]:
        yield from self.summary.sentences
        if n_equal := self.n_equal:
            yield f"  rows that are identical to an earlier row in all columns used: {n_equal:,}"
        if self.places is not None:
            yield self.places.sentence
        if self.strata is not None:
            yield strata_sentence(self.match, self.strata)
        for what, name in (("time", self.time), ("identifier", self.identifier)):
            if name:
                yield f"  {what}: {name}"
        if self.show:
            yield f"  shown with each row: {', '.join(self.show)}"
        yield from self.summary.dropped_sentences


@takes_names
def read_problem(  # noqa: PLR0913 - each says how one thing is read
    table: str | PathLike[str] | Any,
    positive: str | None = None,
    *,
    positive_table: Paths = None,
    identifier: str | None = None,
    group: str | None = None,
    space: str | None = None,
    time: str | None = None,
    match: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    number: Sequence[str] | None = None,
    text: Sequence[str] | None = None,
    missing: Sequence[str] | None = None,
    known_negative: str | None = None,
    known_negative_table: Paths = None,
    screened_at_random: bool = False,
    verdicts: Paths = None,
    background: Borrowed | None = None,
    show: Sequence[str] | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Problem:
    """Read a table, find its labels, decide the roles of its columns, and warn of leaks.

    Parameters
    ----------
    table, positive, positive_table, identifier, group, space, time, match, known_negative,
        known_negative_table, screened_at_random, verdicts, background, show : as for
        `onesided.rank_table`
    drop, categorical, number, text, missing, delimiter, sheet : as for `onesided.rank_table`

    Raises
    ------
    TableError : if the files cannot be read, or do not say which rows are positive
    DataError : if too few rows carry another label for a background

    Warns
    -----
    LeakWarning : if columns may give the labels away
    OnesidedWarning : if rows have no name or share their name, if columns are like the labels, or
        if the background is not suitable

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from onesided.tables import read_problem
    >>> size, known = np.random.default_rng(0).normal(size=40), np.arange(40) < 10
    >>> table = pd.DataFrame({"size": size, "lab": "north", "known": known})
    >>> for sentence in read_problem(table, "known").sentences:
    ...     print(sentence)
    table: 40 rows, 3 columns
      positive          10  (column known)
      unlabeled         30
      columns: 1 of numbers; 0.0 % of the cells are missing
      dropped lab: all values are 'north'
    """
    check_arguments(locals())
    check_one_source(
        positive,
        positive_table,
        "positive_table",
        f"Name the column of labels, {argument('positive', 'COLUMN')}, or a file of positive "
        f"rows, {argument('positive_table', 'FILE')}.",
    )
    _check_together(locals())
    of_labels = [
        name for each in (positive, known_negative) if each for name in label_columns(each)
    ]
    files = [as_paths(each) for each in (positive_table, known_negative_table)]
    with table_file(table) as path:
        known = read_known_rows(
            path,
            positive=files[0],
            negative=files[1],
            identifier=identifier or "",
            delimiter=delimiter,
            sheet=sheet,
            as_text=[*of_labels, *filter(None, (identifier, group))],
            missing=missing or (),
        )
    rows = known.rows
    data = without_cells(rows.data, [*of_labels, *filter(None, [group])], missing or ())
    label, is_positive = "", known.positive
    without, notes = [], known.notes
    if positive:
        label, is_positive = read_labels(data, positive, lists=rows.lists, negative=known_negative)
        without.append(label)
        notes += label_notes(data, positive, negatives=bool(known_negative))
    verified, negative = "", known.negative
    if known_negative:
        verified, marked = read_known_negative(data, known_negative, is_positive, lists=rows.lists)
        without.append(verified)
        negative = negative | marked
    _check_known(is_positive, negative, data, at_random=screened_at_random)
    keys = (identifier or rows.identifier, group, time)
    without += [find_key(data, each) for each in keys if each]
    if identifier:
        check_names_rows(data, identifier, label)
    if group and group == label:
        raise TableError(
            f"Column {label!r} is the column of labels, so it cannot group the rows.",
            f"Pass another column as {argument('group')}.",
        )
    summary = describe(
        data,
        without=without,
        drop=drop or (),
        categorical=categorical or (),
        number=number or (),
        text=text or (),
        one_text=rows.text,
        aside=rows.aside,
    )
    places, summary = find_places(data, space, summary)
    warn_of_known(known, summary)
    warn_of_leaks(data, is_positive, summary)
    warn_of_codes(data, summary)
    if positive:
        warn_of_other_labels(data, label, summary)
    found = None
    if verdicts:
        found = _find_checked(
            as_paths(verdicts), data, identifier or rows.identifier, is_positive, negative
        )
        is_positive, negative = is_positive & ~found.decided, negative & ~found.decided
    known_positive = is_positive if found is None else is_positive | found.positive
    borrowed = None
    if background is not None:
        value, others = read_other_labels(
            data, positive or "", lists=rows.lists, negative=known_negative
        )
        borrowed = borrow(label, value, others, known_positive, row_kinds(data, summary))
    name = identifier or rows.identifier
    title = find_titles(data, without=(name, label))
    shown = find_shown(
        data,
        show or (),
        without={name, label, group, title, *(places.names if places else ())},
        references=summary.is_one_text,
    )
    of_positives, of_negatives = (" + ".join(path.name for path in each) for each in files)
    return Problem(
        name=table_title(table),
        data=data,
        label=of_positives or label,
        positive=is_positive,
        negative=negative,
        summary=summary,
        group=group or "",
        identifier=name,
        known=known,
        files=(of_positives, of_negatives),
        negative_label=verified,
        label_notes=tuple(notes),
        asked=(*(categorical or ()), *(number or ()), *(text or ())),
        missing=tuple(map(as_text, missing or ())),
        verdicts=found,
        background=borrowed,
        screened_at_random=screened_at_random,
        places=judged_by(
            places, data, known_positive, by=time or group, space=space, background=background
        ),
        time=time or "",
        match=tuple(match or ()),
        strata=None
        if not match
        else read_strata(
            data,
            match,
            labels=[label, verified],
            categorical=categorical or (),
            missing=missing or (),
        ),
        times=read_times(data, time) if time else None,
        show=shown,
    )


def _check_known(positive: Bools, negative: Bools, data: pa.Table, *, at_random: bool) -> None:
    """Refuse rows that are both positive and negative, and labels that leave no row unlabeled."""
    check_kinds(positive, negative, data)
    if negative.any() and (positive | negative).all():
        raise TableError(
            "No row is unlabeled: each row is positive or a known negative.",
            "Mark as known negatives only the rows that were checked.",
        )
    if at_random and not negative.any():
        raise _no_negatives()


def _no_negatives() -> TableError:
    """The error for a random sample of positives and negatives without a negative row."""
    return TableError(
        f"{argument('screened_at_random', True)} declares that the positive and the negative "
        "rows were drawn at random, but no row is known to be negative.",
        f"Name the known negatives: {argument('known_negative', 'COLUMN=VALUE')}.",
    )


def _check_together(given: Mapping[str, Any]) -> None:
    """Refuse arguments of `read_problem` that cannot be used together, before a file is read.

    Parameters
    ----------
    given : values by the names of the arguments
    """
    check_one_split(**{name: given[name] for name in ("time", "group", "space")})
    if given["background"] is not None and not given["positive"]:
        raise TableError(
            f"A file of positive rows has no other labels for {argument('background')}.",
            f"Leave it out, or name the labels: {argument('positive', 'COLUMN=VALUE')}.",
        )
    if given["screened_at_random"] and not (
        given["known_negative"] or given["known_negative_table"]
    ):
        raise _no_negatives()


def _find_checked(
    paths: Sequence[Path], data: pa.Table, identifier: str, positive: Bools, negative: Bools
) -> CheckedRows:
    """The checked rows of a table; known positives and unlabeled rows must remain beside them."""
    ids = values_of(data.column(identifier) if identifier else row_names(data))
    found = find_checked(paths, ids, identifier_column(identifier), positive, negative)
    if (n_known := int((positive & ~found.decided).sum())) < _FEWEST:
        raise TableError(
            f"At least {_FEWEST} known positives must have no verdict, since the methods are "
            f"compared on them, but {found.name!r} leaves {n_known}.",
            "Pass verdicts of rows that were unlabeled when they were checked.",
        )
    if (positive | negative | found.decided).sum() > len(positive) - _FEWEST:
        raise TableError(
            f"Fewer than {_FEWEST} unlabeled rows have no verdict in {found.name!r}.",
            "There is nothing left to rank.",
        )
    return found


def _as_groups(data: pa.Table, name: str) -> Array:
    """The group of each row, of shape (n_rows,); a row without a group is a group of its own."""
    cells = zip(row_numbers(data), values_of(data.column(name)), strict=True)
    alone = "row {} without a group"
    return np.array(
        [alone.format(n) if as_text(cell) in MISSING_MARKS else str(cell) for n, cell in cells]
    )
