"""A grid of experiments that can be interrupted and gone on with."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from onesided._files._json_file import read_json
from onesided._text import argument, first_line
from onesided.exceptions import TableError
from onesided.tables import write_files, write_table
from onesided.tables._write import check_folder

Row: TypeAlias = dict[str, Any]

_MARK = "made-from.json"
_ANOTHER_FOLDER = f"Pass another folder: {argument('out', 'FOLDER')}."


@dataclass(frozen=True)
class Cell:
    """One experiment.

    Attributes
    ----------
    name : unique, fit for a file name
    run : gives the rows of its results
    n_rows : how many these are; a file of fewer is of a cell that was cut off
    """

    name: str
    run: Callable[[], list[Row]]
    n_rows: int


@dataclass(frozen=True)
class Origin:
    """What the results in a folder are of, so that others are not taken for them.

    Attributes
    ----------
    paper : its name
    n_bytes : size of each file of the data
    """

    paper: str
    n_bytes: Mapping[str, int]

    @classmethod
    def of(cls, paper: str, data: Path, names: Sequence[str]) -> Self:
        """Of files below a data folder."""
        return cls(paper, {name: find_data(data, name).stat().st_size for name in names})

    def claim(self, out: Path) -> None:
        """Mark the folder of the results; refuse one of another paper or of other data.

        A part of the data may have been left out before, or now.
        """
        path = out / _MARK
        before = _read_mark(path) if path.exists() else Origin(self.paper, {})
        if before.paper != self.paper:
            raise TableError(
                f"The folder {str(out)!r} holds results of {before.paper}, not of {self.paper}.",
                _ANOTHER_FOLDER,
            )
        if not path.exists() and (out / "cells").exists():
            raise TableError(
                f"The folder {str(out)!r} holds results, but no {_MARK} that says of what.",
                _ANOTHER_FOLDER,
            )
        for name in self.n_bytes.keys() & before.n_bytes.keys():
            if before.n_bytes[name] != self.n_bytes[name]:
                raise TableError(
                    f"The folder {str(out)!r} holds results of another {name}, of "
                    f"{before.n_bytes[name]:,} bytes; this one has {self.n_bytes[name]:,}.",
                    _ANOTHER_FOLDER,
                )
        mark = {"paper": self.paper, "bytes": {**before.n_bytes, **self.n_bytes}}
        write_files({path: lambda part: _write_json(mark, part)})


def _read_mark(path: Path) -> Origin:
    try:
        mark = read_json(path, "The file", _ANOTHER_FOLDER)
        return Origin(str(mark["paper"]), dict(mark["bytes"]))
    except (ValueError, TypeError, KeyError) as error:
        raise TableError(f"{str(path)!r} is damaged.", _ANOTHER_FOLDER) from error


def _write_json(value: object, path: Path) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def run_cells(
    cells: Sequence[Cell],
    out: Path,
    origin: Origin,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> pa.Table:
    """Run the cells that have no results yet; all results as one tidy table.

    Parameters
    ----------
    cells : experiments
    out : folder; `cells` in it has a file of results for each cell, and one that is there is not
        run again
    origin : of the results
    on_progress : called with the name of the paper, the number of cells done and the number of all

    Raises
    ------
    TableError : if the folder cannot be used or holds other results, or a cell was changed
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TableError(
            f"{str(out)!r} cannot be a folder: {error.strerror}.", _ANOTHER_FOLDER
        ) from error
    check_folder(out)
    origin.claim(out)
    folder = out / "cells"
    folder.mkdir(exist_ok=True)
    parts: dict[Path, pa.Table] = {}
    for done, cell in enumerate(cells, start=1):
        path = folder / f"{cell.name}.csv"
        found = _read_cell(path, cell.n_rows)
        if found is None:
            made = pa.Table.from_pylist(cell.run())
            write_files({path: partial(write_table, made, format_path=path)})
            found = pacsv.read_csv(path)
        parts[path] = found
        if on_progress is not None:
            on_progress(origin.paper, done, len(cells))
    return _together(parts)


def run_grids(
    grids: Sequence[Sequence[Cell]],
    out: Path,
    origin: Origin,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> list[pa.Table]:
    """`run_cells` for each of several grids, whose cells are counted together."""
    before, total = 0, sum(map(len, grids))

    def tell(paper: str, done: int, _: int) -> None:
        if on_progress is not None:
            on_progress(paper, before + done, total)

    results = []
    for cells in grids:
        results.append(run_cells(cells, out, origin, tell))
        before += len(cells)
    return results


def _together(parts: Mapping[Path, pa.Table]) -> pa.Table:
    """All cells below each other; refuse one whose columns are not those of the others."""
    names = Counter(tuple(part.column_names) for part in parts.values())
    (usual, _), *_ = names.most_common(1)
    schema = pa.schema([])
    for path, part in parts.items():
        try:
            schema = pa.unify_schemas([schema, part.schema], promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise _changed(path, f"does not fit the others: {first_line(error)}") from error
        odd = sorted({*part.column_names} ^ {*usual})
        if odd:
            raise _changed(path, f"differs from the others in column {odd[0]!r}")
    return pa.concat_tables(parts.values(), promote_options="permissive")


def _changed(path: Path, how: str) -> TableError:
    return TableError(f"The file {str(path)!r} {how}.", "Delete it, and it is made again.")


def _read_cell(path: Path, n_rows: int) -> pa.Table | None:
    """Results of a cell, None where there are none or they are damaged."""
    if not path.exists():
        return None
    try:
        table = pacsv.read_csv(path)
    except pa.ArrowInvalid:
        return None
    return table if table.num_rows == n_rows else None


def rows_with(results: pa.Table, **equal: object) -> pa.Table:
    """The rows that have these values in the columns of these names."""
    for name, value in equal.items():
        results = results.filter(pc.equal(results[name], value))
    return results


def write_results(
    out: Path, tables: Mapping[str, pa.Table], pictures: Mapping[str, Callable[[Path], None]]
) -> list[Path]:
    """Write tables and pictures, all or none; the paths.

    Parameters
    ----------
    out : folder
    tables : by file name
    pictures : functions that draw to a path, by file name
    """
    writers: dict[Path, Callable[[Path], None]] = {
        out / name: partial(write_table, table, format_path=out / name)
        for name, table in tables.items()
    }
    writers |= {out / name: draw for name, draw in pictures.items()}
    write_files(writers)
    return list(writers)


def find_data(folder: Path, name: str) -> Path:
    """A file below the data folder, wherever in it.

    Raises
    ------
    TableError : if there is none
    """
    check_data(folder, [name])
    return min(folder.rglob(name))


def check_data(folder: Path, names: Sequence[str]) -> None:
    """Refuse a data folder that lacks some of the files, with all that it lacks.

    Raises
    ------
    TableError : if it is not a folder, or files are missing
    """
    if not folder.is_dir():
        raise TableError(
            f"{str(folder)!r} is a file, not a folder."
            if folder.exists()
            else f"There is no folder {str(folder)!r}.",
            f"Pass the folder that holds the data: {argument('data', 'FOLDER')}.",
        )
    missing = [name for name in names if not any(folder.rglob(name))]
    if missing:
        *first, last = missing
        listed = f"{', '.join(first)} or {last}" if first else last
        raise TableError(
            f"There is no {listed} in the data folder {str(folder)!r}.",
            f"Pass the folder that holds {'them' if first else 'it'}, also in sub-folders: "
            f"{argument('data', 'FOLDER')}.",
        )


def read_data(folder: Path, name: str, columns: Sequence[str] = ()) -> pa.Table:
    """A Parquet file below the data folder, wherever in it.

    Parameters
    ----------
    folder, name : of the file
    columns : that it must have

    Raises
    ------
    TableError : if there is none, or it is damaged, or lacks a column
    """
    path = find_data(folder, name)
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{str(path)!r} cannot be read: {str(error).rstrip('.')}.",
            "Put the complete file there.",
        ) from error
    missing = [column for column in columns if column not in table.column_names]
    if missing:
        raise TableError(
            f"{str(path)!r} has no column {missing[0]!r}.", "Put the right file there."
        )
    return table
