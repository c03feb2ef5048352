"""A grid of experiments that can be interrupted and gone on with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.csv as pacsv

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
    """

    name: str
    run: Callable[[], list[Row]]


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
    folder.mkdir(parents=True, exist_ok=True)
    parts = []
    for done, cell in enumerate(cells, start=1):
        path = folder / f"{cell.name}.csv"
        if not path.exists():
            table = pa.Table.from_pylist(cell.run())
            write_files({path: lambda part, table=table: write_table(table, part)})  # type: ignore[misc]
        parts.append(pacsv.read_csv(path))
        if on_cell is not None:
            on_cell(done, len(cells))
    return pa.concat_tables(parts, promote_options="permissive")


def data_file(folder: Path, name: str) -> Path:
    """A file below the data folder, wherever in it.

    Raises
    ------
    TableError : if there is none
    """
    found = sorted(folder.rglob(name))
    if not found:
        raise TableError(
            f"There is no {name} in the data folder {str(folder)!r}.",
            "Pass the folder that holds it: --data.",
        )
    return found[0]
