"""What a page shows about the rows to check: their cells, and what moves their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from onesided._files._blank import row_numbers
from onesided._files._names import texts_of, values_of
from onesided._files._references import RECORD
from onesided._files._rows import read_rows
from onesided._text import agreeing, argument, as_text, counted
from onesided._typing import Array
from onesided.exceptions import TableError
from onesided.reporting import read_report
from onesided.tables._columns import (
    find_column,
    find_titles,
    identifier_column,
    identifier_names,
)
from onesided.tables._shown import named_by

_MOST_GROUPS = 20
_LONG = 200  # characters from which a cell is shown as the text of the row


@dataclass(frozen=True)
class Records:
    """The cells and the drivers that a page shows for some rows.

    Attributes
    ----------
    fields : by identifier, the name and the text of each column
    texts : by identifier, the title and the long cells of the row as one text; "" if it has neither
    drivers : by place in the ranking, feature, effect and value, for the features that move the
        score most
    unit : unit of the effects, or ""
    """

    fields: dict[str, list[list[str]]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    drivers: dict[int, list[list[Any]]] = field(default_factory=dict)
    unit: str = ""


def read_records(
    ids: Sequence[str],
    wanted: Sequence[int],
    id_name: str,
    *,
    table: Path | None,
    data: Path | None,
) -> Records:
    """Read the cells and the drivers that a page shows for some rows.

    Parameters
    ----------
    ids : identifiers of the ranking, the most positive row first
    wanted : places of the rows in the ranking, counted from 0
    id_name : name of the identifier column
    table : path of the table that was ranked, which has the cells; None for no cells
    data : path of the numbers of the ranking's report, which has the drivers; None for no drivers

    Raises
    ------
    TableError : if the table or the report belongs to another ranking
    """
    records = Records()
    if data is not None:
        records = _with_drivers(ids, wanted, data)
    if table is not None:
        _add_cells(records, ids, {ids[place] for place in wanted}, id_name, table)
    return records


def read_names(ids: Sequence[str], id_name: str, table: Path) -> dict[str, list[str]]:
    """The columns of a table that say what a row is, with a text for each row of a ranking.

    Parameters
    ----------
    ids : identifiers of the ranking, the most positive row first
    id_name : name of the identifier column
    table : path of the table that was ranked

    Raises
    ------
    TableError : if the table lacks a row, or several different rows have one identifier
    """
    rows = read_rows(table, as_text=identifier_names(id_name))
    keys, key = _keys(rows.data, id_name, ids, set(ids), table)
    names = named_by(rows.data, without={key, id_name}, references=rows.form == "references")
    columns = [texts_of(rows.data.column(each)) for each in names]
    of: dict[str, tuple[str, ...]] = {}
    shared = set()
    for identifier, *cells in zip(keys, *columns, strict=True):
        if of.setdefault(identifier, tuple(cells)) != tuple(cells):
            shared.add(identifier)
    _refuse_shared(shared.intersection(ids), table)
    return {name: [of[each][at] for each in ids] for at, name in enumerate(names)}


def read_references(ids: Sequence[str], path: Path) -> pa.Table:
    """Read the reference records of a ranking.

    Raises
    ------
    TableError : if the file holds no reference records, or lacks a row of the ranking
    """
    rows = read_rows(path)
    if rows.form != "references":
        raise TableError(
            f"{path.name!r} holds no reference records, so no .ris file can be made of it.",
            f"Write the verdicts as a table: {argument('checked', 'FILE.csv')}.",
        )
    _refuse_others(set(ids) - {*rows.data[RECORD].to_pylist()}, path)
    return rows.data


def read_groups(ids: Sequence[str], id_name: str, table: Path, column: str) -> Array:
    """The value of a column for each row of a ranking; shape (n_rows,), as text.

    Raises
    ------
    TableError : if the column has too many values, or the table lacks a row
    """
    rows = read_rows(table, as_text=identifier_names(id_name))
    name = find_column(rows.data, column, table.name)
    keys, _ = _keys(rows.data, id_name, ids, set(ids), table)
    values = texts_of(rows.data.column(name))
    of = dict(zip(keys, values, strict=True))
    several = {key for key, value in zip(keys, values, strict=True) if value != of[key]}
    _refuse_shared(several.intersection(ids), table)
    groups = [of[each] or "missing" for each in ids]
    if (n_values := len(set(groups))) > _MOST_GROUPS:
        raise TableError(
            f"Column {name!r} has {n_values:,} values, which are too many groups.",
            f"Pass a column with at most {_MOST_GROUPS} values: {argument('by')}.",
        )
    return np.array(groups)


def read_ranking_report(ids: Sequence[str], path: Path) -> dict[str, Any]:
    """The numbers of the report of a ranking.

    Raises
    ------
    TableError : if the report belongs to another ranking, or to a ranking with more rows
    """
    found: Any = read_report(path)
    listed = found.get("candidates", {}).get("identifier", [])
    if not listed or [as_text(each) for each in listed] != list(ids[: len(listed)]):
        raise TableError(
            f"{path.name!r} is not the data of the report of this ranking: it has other rows.",
            f"Pass the .json that was written beside the report: {argument('report_data')}.",
        )
    if (n_ranked := found["tenths"][-1]["n_listed"]) > len(ids):
        raise part_of_ranking(
            f"the report {path.name!r} is of {counted(n_ranked, 'row')}", len(ids)
        )
    report: dict[str, Any] = found
    return report


def part_of_ranking(reason: str, n_rows: int) -> TableError:
    """The error for a ranking without its last rows.

    Parameters
    ----------
    reason : how it is known that rows are missing, in words
    n_rows : number of rows of the ranking
    """
    return TableError(
        f"The ranking has only the first {counted(n_rows, 'row')} ({reason}), but an audit needs "
        "all ranked rows: positives may rank below.",
        f"Rank the table again without {argument('top')}, and audit that ranking.",
    )


def _with_drivers(ids: Sequence[str], wanted: Sequence[int], path: Path) -> Records:
    told = read_ranking_report(ids, path)["explanations"]
    drivers = {
        place: [
            [told["names"][name], effect, value]
            for name, effect, value in zip(
                told["feature"][place], told["effect"][place], told["value"][place], strict=True
            )
        ]
        for place in wanted
        if place < len(told["feature"])
    }
    return Records(drivers=drivers, unit=told["unit"])


def _add_cells(
    records: Records, ids: Sequence[str], wanted: set[str], id_name: str, path: Path
) -> None:
    rows = read_rows(path, as_text=identifier_names(id_name))
    keys, key = _keys(rows.data, id_name, ids, wanted, path)
    title = find_titles(rows.data, without=(key,))
    titles = values_of(rows.data.column(title)) if title else []
    names = [each for each in rows.data.column_names if each not in (key, title)]
    columns = [values_of(rows.data.column(each)) for each in names]
    shared = set()
    for place, identifier in enumerate(keys):
        if identifier not in wanted:
            continue
        cells = [[each, as_text(cells[place])] for each, cells in zip(names, columns, strict=True)]
        short = [each for each in cells if each[1] and len(each[1]) <= _LONG]
        heading = filter(None, map(as_text, titles[place : place + 1]))
        text = "\n\n".join([*heading, *(cell for _, cell in cells if len(cell) > _LONG)])
        fields = records.fields.setdefault(identifier, short)
        if (fields, records.texts.setdefault(identifier, text)) != (short, text):
            shared.add(identifier)
    _refuse_shared(shared, path)


def _keys(
    table: pa.Table, id_name: str, ids: Sequence[str], wanted: set[str], path: Path
) -> tuple[list[str], str]:
    """The identifier of each row of a table, and the column that holds it.

    A ranking without identifier has row numbers; then the column is "".

    Parameters
    ----------
    table : the table that was ranked
    id_name : name of the identifier column of the ranking
    ids : identifiers of the ranking
    wanted : identifiers that the table must have
    path : path of the table

    Raises
    ------
    TableError : if the table lacks a row or the column of identifiers, or if the numbers may be row
        numbers or cells
    """
    numbers = [str(each) for each in row_numbers(table).tolist()]
    names = identifier_names(id_name)
    named = [each for each in names if each in table.column_names]
    is_numbered = names[-1] == identifier_column("") and all(map(str.isdecimal, ids))
    if is_numbered and not named:
        _refuse_numbers(wanted.difference(numbers), numbers, path)
        return numbers, ""
    texts = {each: texts_of(table.column(each)) for each in named}
    fitting = [each for each in named if wanted.issubset(texts[each])]
    name = next(iter([*fitting, *named]), None) or find_column(table, names[-1], path.name)
    cells = texts[name]
    if is_numbered and cells != numbers and wanted.issubset(numbers):
        if wanted.issubset(cells):
            raise TableError(
                f"The ranking has a column {id_name!r}, which may hold the row numbers or the "
                f"column {name!r} of {path.name!r}. The two name different rows.",
                f"Rename the column of the table, and rank again: {argument('id')}.",
            )
        return numbers, ""
    _refuse_others(wanted.difference(cells), path)
    return cells, name


def _refuse_numbers(strange: set[str], numbers: list[str], path: Path) -> None:
    """Refuse row numbers that a table does not have."""
    if strange:
        raise TableError(
            f"The ranking names its rows by number, {max(strange, key=int)} for example, but "
            f"the row numbers of {path.name!r} go from {numbers[0]} to {numbers[-1]}.",
            f"Pass the table that was ranked: {argument('table')}.",
        )


def _refuse_others(strange: set[str], path: Path) -> None:
    if strange:
        raise TableError(
            f"{counted(len(strange), 'row')} of the ranking "
            f"{agreeing(len(strange))} not in {path.name!r}, {min(strange)!r} for "
            "example.",
            f"Pass the table that was ranked: {argument('table')}.",
        )


def _refuse_shared(identifiers: set[str], path: Path) -> None:
    """Refuse identifiers of several different rows: nobody knows which row was ranked where."""
    if identifiers:
        raise TableError(
            f"{counted(len(identifiers), 'identifier')} of the ranking "
            f"{agreeing(len(identifiers), 'name')} several different rows of "
            f"{path.name!r}, {min(identifiers)!r} for example.",
            f"Rank again with a column that names each row: {argument('id')}.",
        )
