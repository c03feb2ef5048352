"""Join a table with files of rows that are known to be positive or negative."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from onesided._files._format import Rows
from onesided._files._joined_records import find_records, join_records
from onesided._files._names import find_called, values_of
from onesided._files._notation import PERCENTS, Notation
from onesided._files._references import RECORD, TEXT_FIELDS, without_lines
from onesided._files._rows import read_rows
from onesided._files._svmlight import LABEL
from onesided._files._text_files import DOCUMENT, TEXT
from onesided._text import agreeing, argument, counted, first_line
from onesided._typing import Array, Bools
from onesided.exceptions import LeakWarning, OnesidedWarning, TableError
from onesided.tables._absent_rows import AbsentRows, case_sentence
from onesided.tables._columns import RECALL, find_key, of_files
from onesided.tables._describe import TableSummary
from onesided.tables._identifier_lists import by_case, cells_of, is_list, listed

_UNLABELED, _POSITIVE, _NEGATIVE = 0, 1, -1
_FEWEST = 2  # rows of a kind: one is hidden, one is learned from
_MOST_SHOWN = 5
_NOUNS = {"references": "record", "documents": "document"}
Paths: TypeAlias = str | PathLike[str] | Sequence[str | PathLike[str]] | None
"""The path of one file, or of several files whose rows count together."""


def names_in_words(paths: Sequence[Path]) -> str:
    """The names of files in quotes, with "and" before the last."""
    *first, last = [repr(path.name) for path in paths]
    return f"{', '.join(first)} and {last}" if first else last


def as_paths(given: Paths) -> tuple[Path, ...]:
    """The given paths as a tuple; empty if no path is given."""
    if not given:
        return ()
    return tuple(map(Path, [given] if isinstance(given, str | PathLike) else given))


@dataclass(frozen=True)
class KnownRows:
    """The rows of a table and of the files of known rows, with the labels from these files.

    Attributes
    ----------
    rows : the rows of the table, then the rows that only the other files have
    positive, negative : shape (n_rows,), rows of the files of positives, and of known negatives
    n_shared : number of rows that are in several files
    lacking : for each column that not all files have, the name of a file that lacks it
    absent : for each file in which rows could be matched, its rows that are not in the table
    """

    rows: Rows
    positive: Bools
    negative: Bools
    n_shared: int = 0
    lacking: dict[str, str] = field(default_factory=dict)
    absent: tuple[AbsentRows, ...] = ()

    @property
    def notes(self) -> list[str]:
        """How many rows of each file were added to the table."""
        return [each.sentence for each in self.absent if each.sentence]


@dataclass(frozen=True)
class _File:
    """The rows of one file, with their kind and their keys.

    Rows with the same key are the same row, except for the key "", which matches no row. Some rows
    that are not in the table have a reason, by the place of the row.
    """

    path: Path
    kind: int
    rows: Rows
    keys: Array
    why_not: Mapping[int, str]

    @property
    def data(self) -> pa.Table:
        """The rows as a table."""
        return self.rows.data


def read_known_rows(  # noqa: PLR0913 - each says how one thing is read
    table: Path,
    *,
    positive: Paths = None,
    negative: Paths = None,
    first: int | None = None,
    identifier: str = "",
    delimiter: str | None = None,
    sheet: str | None = None,
    as_text: Collection[str] = (),
    missing: Sequence[str] = (),
) -> KnownRows:
    """Read a table and the files that say which rows are positive or negative.

    Rows are the same if they have the same identifier. Without an identifier, reference records
    are compared by `join_records` and `find_records`, and documents by their text; all other rows
    count as different. A row that is in several files is read from the first file. Columns are
    matched by name; a column that a file lacks is missing in the rows of this file.

    A file of one column, with or without a header, is a list of identifiers, as `listed` reads it.
    With `first`, only that many rows of each file of positives count.
    """
    positives, negatives = as_paths(positive), as_paths(negative)
    kinds = [_UNLABELED, *[_POSITIVE] * len(positives), *[_NEGATIVE] * len(negatives)]
    paths = [table, *positives, *negatives]
    read = partial(read_rows, delimiter=delimiter, sheet=sheet, missing=missing)
    if len(paths) == 1:
        rows = read(table, as_text=as_text)
        nothing = np.zeros(rows.data.num_rows, dtype=bool)
        return KnownRows(rows, nothing, nothing)
    absolute = [path.absolute() for path in paths]
    for path in paths:
        if absolute.count(path.absolute()) > 1:
            raise TableError(f"{str(path)!r} is given more than once.", "Pass each file once.")
    every = [read(table, as_text=as_text, at_least=1)]
    of_table = every[0].data
    names = {*cells_of(of_table[identifier])} if identifier in of_table.column_names else {""}
    for kind, path in zip(kinds[1:], paths[1:], strict=True):
        rows = read(path, as_text=as_text, at_least=0, like=of_table.schema)
        if is_list(rows, identifier, of_table.column_names):
            rows = read(path, as_text=rows.data.column_names, at_least=0)
            rows = replace(rows, data=listed(rows.data, identifier, names))
        if not rows.data.num_rows:
            read(path, at_least=1)  # which says what is wrong
        if first is not None and kind == _POSITIVE:
            _check_first(first, rows.data.num_rows, path)
            rows = replace(rows, data=rows.data.slice(0, first))
        every.append(rows)
    if positives:  # the files give the labels instead of svmlight's column
        every = [
            replace(rows, data=rows.data.drop([LABEL])) if rows.form == "svmlight" else rows
            for rows in every
        ]
    keys, reasons = _keys(paths, every, identifier)
    of_rows, *others = map(_File, paths, kinds, every, keys, reasons)
    _check_apart(others, identifier)
    known = _joined(of_rows, others, identifier)
    if positives:
        _check_enough(known, table, positives)
    return known


def _check_first(first: int, n_rows: int, path: Path) -> None:
    """Refuse a part of a file that is larger than the file, which no result could describe."""
    if first > n_rows:
        raise TableError(
            f"{argument('first')} {first:,} is more than the {counted(n_rows, 'row')} of "
            f"{path.name!r}.",
            f"Pass {n_rows:,} or less, or leave {argument('first')} out: then all rows count.",
        )


def warn_of_known(known: KnownRows, summary: TableSummary | None) -> None:
    """Warn of columns that are used but not in all files, and of known rows that were not found."""
    for said in filter(None, (each.warning for each in known.absent)):
        warnings.warn(said, OnesidedWarning, stacklevel=2)
    lacking = [name for name in (summary.used if summary else ()) if name in known.lacking]
    if lacking:
        shown = ", ".join(f"{name!r} ({known.lacking[name]})" for name in lacking[:_MOST_SHOWN])
        more = f" and {len(lacking) - _MOST_SHOWN} more" if len(lacking) > _MOST_SHOWN else ""
        warnings.warn(
            "These columns are not in all files, so their values are missing in some rows: "
            f"{shown}{more}. A column that only the positive or only the unlabeled rows have "
            f"gives the labels away. Drop it: {argument('drop', [lacking[0]])}.",
            LeakWarning,
            stacklevel=2,
        )


def _keys(
    paths: Sequence[Path], every: Sequence[Rows], identifier: str
) -> tuple[list[Array], list[dict[int, str]]]:
    """For each file the keys of its rows, of shape (n_rows,), and reasons of absent rows."""
    for path, rows in zip(paths, every, strict=True):
        if identifier and identifier not in rows.data.column_names:
            shown = ", ".join(rows.data.column_names[:_MOST_SHOWN])
            raise TableError(
                f"{path.name!r} has no column {identifier!r} to name its rows, only {shown}.",
                "Give the column of identifiers the same name in all files.",
            )
        if identifier:
            find_key(rows.data, identifier)
    forms = {rows.form for rows in every}
    if "references" in forms <= {"references", "table"} and identifier in ("", RECORD):
        return _keys_of_records(paths, every)
    nothing: list[dict[int, str]] = [{} for _ in every]
    if identifier or forms == {"documents"}:
        return [cells_of(rows.data.column(identifier or TEXT)) for rows in every], nothing
    return [np.full(rows.data.num_rows, "", dtype=object) for rows in every], nothing


def _keys_of_records(
    paths: Sequence[Path], every: Sequence[Rows]
) -> tuple[list[Array], list[dict[int, str]]]:
    """For each file, the numbers of its records as text; "" for a row that matches no record."""
    tables = [without_lines(rows.data) for rows in every if rows.form == "references"]
    records = pa.concat_tables(tables, promote_options="default")
    is_first = every[0].form == "references"
    joined = join_records(records, tables[0].num_rows if is_first else len(records))
    same = joined.same.astype(str).astype(object)
    keys: list[Array] = []
    reasons: list[dict[int, str]] = []
    n_before = 0
    for path, rows in zip(paths, every, strict=True):
        reasons.append({})
        if rows.form == "references":
            here = range(n_before, n_before + rows.data.num_rows)
            keys.append(same[here.start : here.stop])
            reasons[-1] = {
                row - n_before: why for row, why in joined.why_not.items() if row in here
            }
            n_before = here.stop
            continue
        found = find_records(rows.data, records)
        if found is None:
            raise TableError(
                f"{path.name!r} has no column that tells which records its rows are.",
                "Give the file a column called record, doi, pmid or title, or pass reference "
                "records.",
            )
        keys.append(np.where(found < 0, "", same[found]))
    return keys, reasons


def _check_apart(files: Sequence[_File], identifier: str) -> None:
    """Refuse a row that is both positive and negative."""
    for positive, negative in product(*(_of_kind(files, each) for each in (_POSITIVE, _NEGATIVE))):
        named = set(positive.keys) - {""}
        both = [row for row, key in enumerate(negative.keys) if key in named]
        if both:
            name = identifier or negative.rows.identifier
            more = (
                f", as {agreeing(len(both) - 1)} {counted(len(both) - 1, 'other row')}"
                if len(both) > 1
                else ""
            )
            raise TableError(
                f"{values_of(negative.data[name].slice(both[0], 1))[0]!r} is both in "
                f"{positive.path.name!r} and in {negative.path.name!r}{more}.",
                "Remove the row from one of the two files.",
            )


def _of_kind(files: Sequence[_File], kind: int) -> list[_File]:
    return [each for each in files if each.kind == kind]


def _joined(first: _File, others: Sequence[_File], identifier: str) -> KnownRows:
    """The rows of the table, and below them the rows that only the other files have."""
    of_first = set(first.keys) - {""}
    known = set(of_first)
    kinds = np.zeros(first.data.num_rows, dtype=np.int8)
    parts, marks, rows = [first.data], [kinds], [first.rows]
    lacking: dict[str, str] = {}
    absent: list[AbsentRows] = []
    shared: set[str] = set()
    for file in others:
        _refuse_own_ranking(file, identifier)
        keys = set(file.keys) - {""}
        kinds[_among(first.keys, keys)] = file.kind
        is_new = ~_among(file.keys, known)
        in_table = _among(file.keys, of_first)
        shared.update(file.keys[~is_new])
        if not is_new.any():
            continue
        known |= keys
        are_added = not _only_points(file, first, identifier)
        if not are_added:
            _check_any(in_table, file, first, identifier)
        is_one_of_two = first.rows.form == "documents" and not in_table.any()
        if not is_one_of_two and ((file.keys != "").any() or first.rows.form == "references"):
            absent.append(_absent(file, first, is_new, identifier, are_added=are_added))
        if not are_added:
            continue
        _check_percents(first, file)
        lacking |= _lacking(first, file)
        rows.append(file.rows)
        parts.append(_named(file).filter(pa.array(is_new)))
        marks.append(np.full(parts[-1].num_rows, file.kind, dtype=np.int8))
    every = np.concatenate(marks)
    named = all(first.rows.identifier in part.column_names for part in parts)
    return KnownRows(
        Rows(
            data=of_files(
                _below_each_other(parts, identifier, others),
                (file.path.name for file in (first, *others)),
            ),
            form=first.rows.form,
            identifier=first.rows.identifier if named else "",
            text=tuple(dict.fromkeys(name for each in rows for name in each.text)),
            aside={name: why for each in rows for name, why in each.aside.items()},
            lists=tuple(dict.fromkeys(name for each in rows for name in each.lists)),
            n_merged=sum(file.rows.n_merged for file in (first, *others)),
        ),
        positive=every == _POSITIVE,
        negative=every == _NEGATIVE,
        n_shared=len(shared),
        lacking=lacking,
        absent=tuple(absent),
    )


def _among(keys: Array, names: set[str]) -> Bools:
    """Whether each key is one of these names; shape (n_rows,)."""
    return np.array([key in names for key in keys], dtype=bool)


def _refuse_own_ranking(file: _File, identifier: str) -> None:
    """Refuse a ranking that does not name its rows, since its scores would become features."""
    names = {*file.data.column_names}
    own = {"rank", "score"} <= names and names & {*RECALL}
    if own and file.rows.form == "table" and not identifier and not (file.keys != "").any():
        raise TableError(
            f"{file.path.name!r} is a part of a ranking, but nothing says which rows of the "
            "table it means.",
            "Name the column that identifies the rows in both files, also when you make the "
            f"ranking: {argument('identifier', 'COLUMN')}.",
        )


def _check_percents(first: _File, file: _File) -> None:
    """Refuse a column of percents if one of the two files lacks the sign."""
    for name in {*first.data.column_names} & {*file.data.column_names}:
        fields = [each.data.schema.field(name) for each in (first, file)]
        units = [found.unit if (found := Notation.of(each)) else "" for each in fields]
        have_cells = all(each.data[name].null_count < len(each.data) for each in (first, file))
        if units[0] != units[1] and {*units} & {*PERCENTS} and have_cells:
            with_sign, without = (first, file) if units[0] in PERCENTS else (file, first)
            sign = max(units)
            raise TableError(
                f"Column {name!r} holds numbers with {sign} in {with_sign.path.name!r}, and "
                f"without in {without.path.name!r}.",
                f"Write {sign} beside the numbers of both files, or of none.",
            )


def _only_points(file: _File, first: _File, identifier: str) -> bool:
    """Whether a file only names rows of the table, without columns to learn from."""
    names = {*file.data.column_names}
    if file.rows.form == "table" and first.rows.form == "references":
        return not names.issuperset(TEXT_FIELDS[:2])
    return not names & {*first.data.column_names} - {identifier}


def _check_any(shared: Bools, file: _File, first: _File, identifier: str) -> None:
    """Refuse a file that only names rows but shares no row with the table."""
    if shared.any():
        return
    of_records = "references" in (file.rows.form, first.rows.form)
    if not (identifier or of_records):
        is_list = len(file.data.column_names) == 1
        raise TableError(
            f"{file.path.name!r} has no column in common with {first.path.name!r}.",
            "If it lists rows, name the column of the table that holds their names: "
            f"{argument('identifier', 'COLUMN')}."
            if is_list
            else "Use the same column names in both files.",
        )
    by = f"column {identifier!r}" if identifier else "record, doi, pmid or title"
    likely = by_case(file.keys, first.keys) if identifier else {}
    n_rows = len(shared)
    raise TableError(
        f"None of {counted(n_rows, 'row')} of {file.path.name!r} is in {first.path.name!r}.",
        case_sentence(likely, n_rows, first.path.name)
        if likely
        else f"Check that both files name the rows in the same way, by {by}.",
    )


def _absent(
    file: _File, first: _File, is_absent: Bools, identifier: str, *, are_added: bool
) -> AbsentRows:
    """The rows of a file that are not in the table, as messages name them."""
    form = file.rows.form
    columns = file.data.column_names
    name = identifier or find_called(columns, RECORD) or columns[0]
    names = cells_of(file.data.column(name))
    if form == "references" and not identifier:
        titles = cells_of(file.data.column("title"))
        names = np.where(titles != "", titles, names)
    rows = np.flatnonzero(is_absent).tolist()
    return AbsentRows(
        file=file.path.name,
        table=first.path.name,
        names=tuple(names[rows]),
        n_rows=len(names),
        noun=_NOUNS.get(form, "row"),
        are_added=are_added,
        why={names[row]: file.why_not[row] for row in rows if row in file.why_not},
        by_case=by_case(names[rows], first.keys) if identifier else {},
    )


def _lacking(one: _File, other: _File) -> dict[str, str]:
    """For each column that only one of two files has, the name of the other file."""
    return {
        name: lacks.path.name
        for has, lacks in ((one, other), (other, one))
        for name in sorted({*has.data.column_names} - {*lacks.data.column_names})
    }


def _named(file: _File) -> pa.Table:
    """The rows of a file; the names of documents begin with the name of their folder."""
    if file.rows.form != "documents":
        return file.data
    names = [f"{file.path.resolve().name}/{name}" for name in file.data[DOCUMENT].to_pylist()]
    return file.data.set_column(0, DOCUMENT, pa.array(names, pa.string()))


def _below_each_other(
    parts: Sequence[pa.Table], identifier: str, files: Sequence[_File]
) -> pa.Table:
    """The parts as one table; identifiers of different types become text."""
    if identifier and len({part.schema.field(identifier).type for part in parts}) > 1:
        parts = [
            part.set_column(
                part.column_names.index(identifier),
                identifier,
                pa.array(cells_of(part.column(identifier)), pa.string()),
            )
            for part in parts
        ]
    try:
        return pa.concat_tables(parts, promote_options="permissive").combine_chunks()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        names = " and ".join(file.path.name for file in files)
        raise TableError(
            f"The columns of {names} do not fit the table: {first_line(error)}.",
            "Keep the same type of value in columns of the same name.",
        ) from error


def _check_enough(known: KnownRows, table: Path, positive: Sequence[Path]) -> None:
    """Refuse too few positive or too few other rows."""
    make = "makes" if len(positive) == 1 else "make"
    given = names_in_words(positive)
    n_positive = int(known.positive.sum())
    n_others = len(known.positive) - n_positive
    if n_positive < _FEWEST:
        raise TableError(
            f"{given} {make} {counted(n_positive, 'row')} positive, but "
            "at least 2 positive rows are needed: one is hidden while the model learns from "
            "the others.",
            "Pass at least 2 positive rows.",
        )
    if n_others < _FEWEST:
        raise TableError(
            f"{table.name!r} has {counted(n_others, 'row')} that {agreeing(n_others)} "
            f"not in {given}.",
            "Add the rows that have never been labeled.",
        )
