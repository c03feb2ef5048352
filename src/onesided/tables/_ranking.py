"""The ranking as a table."""

from collections.abc import Collection, Mapping

import numpy as np
import pyarrow as pa

from onesided._typing import Array
from onesided.metrics import recall_at
from onesided.model_selection import OutOfFoldScores, PlacedPositives

_ROW, _TAKEN = "row", ("rank", "score", "share_of_known_positives")


def identifier_column(identifier: str, beside: Collection[str] = ()) -> str:
    """The name of the first column of a ranking.

    Parameters
    ----------
    identifier : column of the table that names the rows; "" for row numbers
    beside : names of further columns of the ranking
    """
    name = identifier or _ROW
    return f"{name} (identifier)" if name in (*_TAKEN, *beside) else name


def ranking_table(
    ids: pa.ChunkedArray,
    identifier: str,
    scored: OutOfFoldScores,
    hidden: PlacedPositives,
    beside: Mapping[str, Array] | None = None,
) -> pa.Table:
    """The candidates in the order of their scores, the most positive first.

    Columns: the identifier; `rank` from 1; `score`, the share of the unlabeled rows of the same
    fold that rank lower, in (0, 1); `share_of_known_positives`, the share of the hidden positives
    that rank at least as high; then the columns of `beside`, given in the order of `scored`. The
    mean of `share_of_known_positives` is the hidden-positive AUC.
    """
    beside = beside or {}
    id_name = identifier_column(identifier, beside)
    order = np.lexsort((scored.rows, -scored.scores, scored.ranks))
    rank = np.arange(1, len(order) + 1)
    return pa.table(
        {
            id_name: ids.take(pa.array(scored.rows[order])),
            "rank": rank,
            "score": np.round(1.0 - scored.ranks[order], 6),
            "share_of_known_positives": recall_at(rank, hidden.above, hidden.tied),
            **{name: values[order] for name, values in beside.items()},
        }
    )
