"""The gains table: what each tenth of a list holds."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from onesided.model_selection import OutOfFoldScores, PlacedPositives
from onesided.promises import PosteriorCalibration
from onesided.reporting._cuts import CutPoint, Cuts


def summarize_tenths(
    placed: PlacedPositives,
    scored: OutOfFoldScores | None = None,
    posterior: PosteriorCalibration | None = None,
) -> list[CutPoint]:
    """What the list holds up to the end of each of its tenths, as a report has it.

    Parameters
    ----------
    placed : positives among the rows of the list
    scored, posterior : the rows of the list, and which are positive; None where nobody knows
    """
    return Cuts(placed, scored, posterior).tenths()


def gains_table(points: Sequence[CutPoint]) -> pa.Table:
    """Tenths of a list, a row each.

    Columns: `tenth`, `first_rank`, `last_rank`, `n_rows`; `share_of_positives` that
    stand in the tenth, and `share_so_far`; `lift`, how many times as many as by chance,
    and `lift_so_far`; where a class prior was estimated, `expected_positives` of the tenth, and
    `expected_positives_so_far`.

    Parameters
    ----------
    points : as `summarize_tenths` gives them
    """
    ends = np.array([point["n_listed"] for point in points])
    recall = np.array([point["recall"] for point in points])
    n_rows = np.diff(ends, prepend=0)
    share = np.diff(recall, prepend=0.0)
    columns = {
        "tenth": np.arange(1, len(ends) + 1),
        "first_rank": ends - n_rows + 1,
        "last_rank": ends,
        "n_rows": n_rows,
        "share_of_positives": share.round(6),
        "share_so_far": recall.round(6),
        "lift": (share / (n_rows / ends[-1])).round(4),
        "lift_so_far": np.array([point["lift"] for point in points]).round(4),
    }
    expected = [point["positives"] for point in points]
    if None not in expected:
        so_far = np.array(expected, dtype=np.float64)
        columns["expected_positives"] = np.diff(so_far, prepend=0.0).round(2)
        columns["expected_positives_so_far"] = so_far.round(2)
    return pa.table(columns)
