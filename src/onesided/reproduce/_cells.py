"""A grid of experiments that can be interrupted and gone on with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from onesided.exceptions import TableError
from onesided.tables import write_files, write_table

Row: TypeAlias = dict[str, Any]


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


def run_cells(
    cells: Sequence[Cell], folder: Path, on_cell: Callable[[int, int], None] | None = None
) -> pa.Table:
    """Run the cells that have no results yet; all results as one tidy table.

    Parameters
    ----------
    cells : experiments
    folder : a file of results for each cell; one that is there is not run again
    on_cell : called with the number of cells done and the number of all
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TableError(
            f"{str(folder)!r} cannot be a folder: {error.strerror}.", "Pass another one: --out."
        ) from error
    parts = []
    for done, cell in enumerate(cells, start=1):
        path = folder / f"{cell.name}.csv"
        found = _read_cell(path, cell.n_rows)
        if found is None:
            write_files({path: partial(write_table, pa.Table.from_pylist(cell.run()))})
            found = pacsv.read_csv(path)
        parts.append(found)
        if on_cell is not None:
            on_cell(done, len(cells))
    return pa.concat_tables(parts, promote_options="permissive")


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
        out / name: partial(write_table, table) for name, table in tables.items()
    }
    writers |= {out / name: draw for name, draw in pictures.items()}
    write_files(writers)
    return list(writers)


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
    found = sorted(folder.rglob(name))
    if not found:
        raise TableError(
            f"There is no {name} in the data folder {str(folder)!r}.",
            "Pass the folder that holds it: --data.",
        )
    try:
        table = pq.read_table(found[0])
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{str(found[0])!r} cannot be read: {str(error).rstrip('.')}.",
            "Put the complete file there.",
        ) from error
    missing = [column for column in columns if column not in table.column_names]
    if missing:
        raise TableError(
            f"{str(found[0])!r} has no column {missing[0]!r}.", "Put the right file there."
        )
    return table
