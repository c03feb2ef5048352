"""All positive rows of a large table and some of the unlabeled ones, in a file of their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from onesided._blocks._draw import row_uniforms
from onesided._files._batches import column_types, whole_batches
from onesided._files._find import find_files
from onesided._files._formats import table_name
from onesided._files._layout import common_schema
from onesided._typing import Bools, Floats, Ints
from onesided.exceptions import naming
from onesided.tables._labels import read_marks


@dataclass(frozen=True)
class DrawnRows:
    """Some rows of a table.

    Attributes
    ----------
    path : of the file that holds them
    delimiter : between its cells, None where it is no CSV file
    n_positive, n_unlabeled : rows of the whole table
    n_drawn : unlabeled rows that were drawn
    """

    path: Path
    delimiter: str | None
    n_positive: int
    n_unlabeled: int
    n_drawn: int


def draw_rows(
    table: Path,
    positive: str,
    n_unlabeled: int,
    folder: Path,
    *,
    seed: int,
    delimiter: str | None = None,
) -> DrawnRows:
    """Write all positive and some unlabeled rows of a table into a file, in their order.

    Each unlabeled row has the same chance. Which are drawn depends on the seed and the number of
    the row alone, not on how the table is cut into files and batches. One pass over the table;
    memory is that of the rows that are kept, twice, and of one batch.

    Unlabeled rows drawn so have the same distribution as all of them, and the same share of
    positives. What is learned as positive against unlabeled, both kinds with equal weight, or
    with a class prior among the unlabeled, is the same up to chance: nothing has to be corrected.
    (A logistic regression of rows with equal weight would have log odds that are too high by the
    logarithm of n_unlabeled / n_drawn; King and Zeng 2001.)

    Parameters
    ----------
    table : a file or a folder of files
    positive : as for `read_labels`
    n_unlabeled : rows to draw; all of them if there are fewer
    folder : to write into
    seed : of the draw
    delimiter : between the cells of a CSV file; found in its first lines by default

    Raises
    ------
    TableError : if the table cannot be read

    References
    ----------
    G. King, L. Zeng, Logistic regression in rare events data, Political Analysis 9 (2001) 137-163.
    """
    files = find_files(table, delimiter)
    is_text = not files[0].format.has_types
    if not is_text:
        common_schema({file.path: pa.schema(column_types(file)) for file in files})
    known, drawn = _Kept(), _Kept()
    start = 0
    for file in files:
        for batch in whole_batches(file):
            with naming(f"{file.path.name}, rows after {start:,}" if start else ""):
                is_positive = read_marks(batch, positive, "positive")[-1]
            rows = np.arange(start, start + batch.num_rows)
            keys = row_uniforms(seed, start, batch.num_rows)
            known.add(batch, rows, keys, is_positive)
            drawn.add(batch, rows, keys, ~is_positive & (keys <= drawn.largest))
            drawn.keep_least(n_unlabeled)
            start += batch.num_rows
    drawn.keep_least(n_unlabeled, at_once=True)
    kept = _in_order([known, drawn])
    out = folder / (table_name(table) + (".csv" if is_text else ".parquet"))
    if is_text:
        pacsv.write_csv(kept, out, pacsv.WriteOptions(delimiter=files[0].delimiter))
    else:
        pq.write_table(kept, out)
    return DrawnRows(
        path=out,
        delimiter=files[0].delimiter if is_text else None,
        n_positive=known.n_rows,
        n_unlabeled=start - known.n_rows,
        n_drawn=drawn.n_rows,
    )


class _Kept:
    """Rows that are kept, with their number and a random number each."""

    def __init__(self) -> None:
        self.tables: list[pa.Table] = []
        self.rows: Ints = np.empty(0, dtype=np.int64)
        self.keys: Floats = np.empty(0)
        self.largest = np.inf
        """Above it no random number is among the least."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def add(self, batch: pa.Table, rows: Ints, keys: Floats, which: Bools) -> None:
        """Keep some rows of a batch."""
        if which.any():
            self.tables.append(batch.filter(pa.array(which)))
            self.rows = np.concatenate([self.rows, rows[which]])
            self.keys = np.concatenate([self.keys, keys[which]])

    def keep_least(self, n_rows: int, *, at_once: bool = False) -> None:
        """Keep the rows of the least random numbers, once there are twice as many."""
        if self.n_rows > n_rows * (1 if at_once else 2):
            least = np.sort(np.argsort(self.keys, kind="stable")[:n_rows])
            self.tables = [_joined(self.tables).take(pa.array(least))]
            self.rows, self.keys = self.rows[least], self.keys[least]
            self.largest = self.keys.max()


def _joined(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables, promote_options="permissive").combine_chunks()


def _in_order(kept: Sequence[_Kept]) -> pa.Table:
    together = _joined([each for part in kept for each in part.tables])
    order = np.argsort(np.concatenate([part.rows for part in kept]), kind="stable")
    return together.take(pa.array(order))
