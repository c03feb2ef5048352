"""Enriched features as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from onesided.models.significance import Enrichment


def enrichment_table(found: Enrichment, names: Sequence[str]) -> pa.Table:
    """One row a feature, the most significant first.

    Columns: `feature`, `statistic`, `direction` ("higher" or "lower" among the positives),
    `p_value`, `adjusted_p_value`, `q_value`.

    Parameters
    ----------
    found : statistics and p-values
    names : of its features, shape (n_features,)
    """
    named: pa.Table = replace(found, feature=np.array(names, dtype=object)).to_frame("pyarrow")
    return named


def of_positive_sets(tables: Mapping[str, pa.Table], n_positive: Mapping[str, int]) -> pa.Table:
    """Tables of many sets of positives as one, with `set` and `n_positive` in front.

    Parameters
    ----------
    tables : of `enrichment_table`, by name of the set
    n_positive : rows of each set
    """
    return pa.concat_tables(
        pa.table(
            {
                "set": pa.repeat(pa.scalar(name), table.num_rows),
                "n_positive": pa.repeat(pa.scalar(n_positive[name]), table.num_rows),
                **dict(zip(table.column_names, table.columns, strict=True)),
            }
        )
        for name, table in tables.items()
    )
