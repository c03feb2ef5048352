"""A file of all positive rows and some unlabeled rows of a large table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from onesided._blocks._draw import row_uniforms
from onesided._files._batches import column_types, whole_batches
from onesided._files._blank import blank_rows
from onesided._files._find import find_files
from onesided._files._formats import table_name
from onesided._files._layout import common_schema
from onesided._files._names import takes_names
from onesided._typing import Floats
from onesided.exceptions import naming
from onesided.tables._labels import read_flags, read_marks


@dataclass(frozen=True)
class DrawnRows:
    """All positive rows and some unlabeled rows of a table.

    Attributes
    ----------
    path : file that holds these rows
    delimiter : character between the cells of this file; None if it is no CSV file
    n_positive, n_unlabeled : number of rows of the whole table
    n_drawn : number of unlabeled rows that were drawn
    n_blank : number of rows that were left out because all their cells are missing

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np, pandas as pd
    >>> from onesided.scoring import read_sample
    >>> size, known = np.random.default_rng(0).normal(size=100), np.arange(100) < 10
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/sizes.csv"
    ...     pd.DataFrame({"size": size, "known": known}).to_csv(path, index=False)
    ...     problem, drawn = read_sample(path, "known", 20)
    >>> drawn.n_positive, drawn.n_unlabeled, drawn.n_drawn
    (10, 90, 20)
    """

    path: Path
    delimiter: str | None
    n_positive: int
    n_unlabeled: int
    n_drawn: int
    n_blank: int = 0


@takes_names
def draw_rows(
    table: Path,
    positive: str,
    n_unlabeled: int,
    folder: Path,
    *,
    seed: int,
    delimiter: str | None = None,
    sheet: str | None = None,
    names: Sequence[str] = (),
) -> DrawnRows:
    r"""Write all positive rows and some unlabeled rows of a table into a file, in their order.

    Each unlabeled row has the same chance to be drawn. Only the seed and the number of a row decide
    whether the row is drawn; the division of the table into files does not matter. The table is
    read once. Memory holds two copies of the kept rows, and one batch.

    The drawn unlabeled rows have the same share of positives as all unlabeled rows. A model of
    positive against unlabeled rows therefore needs no correction if both kinds have equal weight,
    or if the model uses a class prior among the unlabeled rows: the model is the same up to chance.
    (A logistic regression with
    equal weight for each row would have log odds that are too high by the logarithm of
    n_unlabeled / n_drawn; King and Zeng 2001.)

    Parameters
    ----------
    table : a file or a folder of files
    positive : as for `read_labels`
    n_unlabeled : number of unlabeled rows to draw; all are kept if there are fewer
    folder : folder for the new file, made by `own_folder`; the file has the name of the table
    seed : seed of the draw
    delimiter : character between the cells of a CSV file; by default found in its first lines
    sheet : name of a sheet of a workbook; by default the first
    names : columns that name or group the rows; their cells are never errors of a formula

    Raises
    ------
    TableError : if the table cannot be read

    References
    ----------
    G. King, L. Zeng, Logistic regression in rare events data, Political Analysis 9 (2001) 137-163.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from onesided.scoring import draw_rows
    >>> with tempfile.TemporaryDirectory() as given, tempfile.TemporaryDirectory() as own:
    ...     path = Path(given) / "sizes.csv"
    ...     lines = ["size,known", "3.1,yes", "2.8,yes", *[f"{size},no" for size in range(50)]]
    ...     _ = path.write_text("\n".join(lines))
    ...     drawn = draw_rows(path, "known=yes", 3, Path(own), seed=0)
    ...     for line in drawn.path.read_text().splitlines():
    ...         print(line)
    "size","known"
    "3.1","yes"
    "2.8","yes"
    "19","no"
    "36","no"
    "41","no"
    """
    files = find_files(table, delimiter, sheet)
    is_text = not files[0].format.has_types
    if not is_text:
        common_schema({file.path: pa.schema(column_types(file)) for file in files})
    kept: list[pa.Table] = []
    keys: Floats = np.empty(0)
    words: set[str] = set()
    largest, n_positive, n_blank, start = np.inf, 0, 0, 0
    for file in files:
        for batch in whole_batches(file):
            with naming(f"{file.path.name}, rows after {start:,}" if start else ""):
                label, value, cells, is_positive = read_marks(batch, positive, "positive")
            file.check_errors([label, *names])
            words.update(cells)
            blank = np.isin(np.arange(batch.num_rows), blank_rows(batch))
            found = np.where(is_positive, -1.0, row_uniforms(seed, start, batch.num_rows))
            which = (found <= largest) & ~blank
            if which.any():
                kept.append(batch.filter(pa.array(which)))
                keys = np.concatenate([keys, found[which]])
            n_positive += int(is_positive.sum())
            n_blank += int(blank.sum())
            start += batch.num_rows
            if len(keys) > n_positive + 2 * n_unlabeled:
                rows, keys = _least(kept, keys, n_positive + n_unlabeled)
                kept, largest = [rows], keys.max()
    if words and value is None:
        # Values that are valid in each batch may not be valid together.
        read_flags(label, sorted(words), "positive", np.arange(len(words)))
    rows, keys = _least(kept, keys, n_positive + n_unlabeled)
    has_ending = table.is_file() and files[0].format.is_text == is_text
    ending = ".csv" if is_text else ".parquet"
    out = folder / (table.resolve().name if has_ending else table_name(table) + ending)
    if is_text:
        pacsv.write_csv(rows, out, pacsv.WriteOptions(delimiter=files[0].delimiter))
    else:
        pq.write_table(rows, out)
    return DrawnRows(
        path=out,
        delimiter=files[0].delimiter if is_text else None,
        n_positive=n_positive,
        n_unlabeled=start - n_positive - n_blank,
        n_drawn=rows.num_rows - n_positive,
        n_blank=n_blank,
    )


def _least(kept: Sequence[pa.Table], keys: Floats, n_rows: int) -> tuple[pa.Table, Floats]:
    """The `n_rows` rows with the smallest keys, in their order, and these keys."""
    together = pa.concat_tables(kept, promote_options="permissive").combine_chunks()
    least = np.sort(np.argsort(keys, kind="stable")[:n_rows])
    return together.take(pa.array(least)), keys[least]
