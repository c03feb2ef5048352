"""The columns of a table as named features of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from onesided._files._dates import read_dates, with_months, with_words
from onesided._files._names import as_floats, texts_of
from onesided._typing import Ints
from onesided._words import WORDS
from onesided.models.significance import Enrichment
from onesided.tables._describe import TableSummary
from onesided.tables._sparse import SparseColumn
from onesided.tables._text import plain_text


def used_columns(table: pa.Table, summary: TableSummary) -> pa.Table:
    """The columns to learn from, with decimals as floats, dates as days, and columns of months.

    Categories that are numbers of 32 or 16 bits become float64, and those that are dates or times
    become text, which the file of a model holds.
    """
    used, dates = table.select(summary.used), summary.names("date")
    categories = summary.names("category")
    for place, field in enumerate(used.schema):
        is_short = pa.types.is_floating(field.type) and field.type != pa.float64()
        if pa.types.is_decimal(field.type) or (is_short and field.name in categories):
            floats = as_floats(used.column(place))
            used = used.set_column(place, field.with_type(pa.float64()), floats)
        if field.name in dates and not pa.types.is_floating(field.type):
            days = pa.array(read_dates(used.column(place)).days, from_pandas=True)
            used = used.set_column(place, field.name, days)
    return with_months(with_words(used, categories), dates)


def count_equal_rows(table: pa.Table, summary: TableSummary) -> int:
    """Number of rows that equal an earlier row in all used columns; 0 with sparse features."""
    if summary.names("sparse"):
        return 0
    numbers = summary.names("number")
    used = sorted(summary.used, key=lambda name: name not in numbers)
    n_compared, n_different = 0, 0
    while n_compared < len(used) and n_different < table.num_rows:
        n_compared = max(1, 2 * n_compared)  # few columns separate most rows, in less memory
        names = used[:n_compared]
        n_different = table.select(names).group_by(names).aggregate([]).num_rows
    return table.num_rows - n_different


def row_kinds(table: pa.Table, summary: TableSummary) -> Ints | None:
    """A number for each row, the same for rows that are equal in all used columns.

    Returns
    -------
    shape (n_rows,); None with sparse features, which are not compared
    """
    if summary.names("sparse"):
        return None
    names = [f"column {place}" for place in range(len(summary.used))]
    used = table.select(summary.used).rename_columns(names)
    rows = used.append_column("row", pa.array(np.arange(table.num_rows)))
    groups = rows.group_by(names, use_threads=False).aggregate([("row", "list")])["row_list"]
    members = groups.combine_chunks()
    found = np.empty(table.num_rows, dtype=np.int64)
    found[members.flatten().to_numpy()] = np.repeat(
        np.arange(len(members)), members.value_lengths().to_numpy()
    )
    return found


def feature_matrices(table: pa.Table, summary: TableSummary) -> tuple[list[str], list[Any]]:
    """Names and values of the features: numbers unchanged, categories and words as 0 or 1.

    Numbers form one array, and all other features one CSR matrix with the same rows. A part without
    features is left out. A missing number is NaN; a missing category has 0 for each value.
    """
    names, table = list(summary.numbers), used_columns(table, summary)
    columns = [table.column(name).cast(pa.float64(), safe=False).to_numpy() for name in names]
    parts: list[Any] = []
    for name in summary.names("category"):
        values, indicators = _indicators(table.column(name))
        names.extend(f"{name} = {value}" for value in values)
        parts.append(indicators)
    for name, vocabulary in summary.vocabularies.items():
        words = CountVectorizer(
            **WORDS, preprocessor=plain_text, vocabulary=vocabulary, binary=True
        )
        names.extend(f"{name}: {word}" for word in vocabulary)
        parts.append(words.transform(table.column(name)))
    for name, features in summary.sparse.items():
        numbered = SparseColumn(features.numbers)
        names.extend(numbered.get_feature_names_out().tolist())
        parts.append(numbered.transform(table.column(name)))
    dense = [np.column_stack(columns)] if columns else []
    stored = [sparse.hstack(parts, format="csr", dtype=np.float64)] if parts else []
    return names, [each for each in (*dense, *stored) if each.shape[1]]


def enrichment_table(found: Enrichment, names: Sequence[str]) -> pa.Table:
    """The rows of `Enrichment.to_frame`, the most significant first, with the names of features."""
    named: pa.Table = replace(found, feature=np.array(names, dtype=object)).to_frame("pyarrow")
    return named


def _indicators(column: pa.ChunkedArray) -> tuple[list[str], Any]:
    """The values of a column, and an indicator of each value, of shape (n_rows, n_values)."""
    cells = np.array(texts_of(column), dtype=object)
    boolean = pa.types.is_boolean(column.type)
    present = np.flatnonzero((cells == "true") if boolean else (cells != ""))
    values, codes = np.unique(cells[present].astype(str), return_inverse=True)
    ones = np.ones(len(present))
    found = sparse.coo_array((ones, (present, codes)), shape=(len(cells), len(values)))
    return values.tolist(), found.tocsr()
