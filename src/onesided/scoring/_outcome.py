"""The result of scoring: drift, ranks of known positives, and all parts in one table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from onesided._candidates import CutPoint, cut_points, ends_of_tenths, gains_table
from onesided._frames import frame_of_table
from onesided._text import argument, as_percent, counted
from onesided._typing import Floats, Ints
from onesided.exceptions import TableError
from onesided.metrics import rank_shares, recall_at
from onesided.scoring._drift import Counted, Drift, compare_counts
from onesided.scoring._model_file import Model
from onesided.scoring._parts import ALERT, POSITIVE, RANK, SCORE, SEEN, batches_of, read_about

_ROW_PLACE = "place of the row"
_SAID_TENTHS = 3


@dataclass(frozen=True)
class ScoredPositives:
    """The ranks of the known positives among all rows that were scored.

    Attributes
    ----------
    above, tied : number of other rows with a higher score and with the same score, for each known
        positive; each of shape (n_positive,)
    scores : ascending scores of the known positives, shape (n_positive,)
    n_rows : number of rows of the table

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided.scoring import fit_table, score_table
    >>> model = fit_table(table, "known", methods=["naive-bayes"])
    >>> positives = score_table(model, table, positive="known").positives
    >>> round(positives.auc, 2)
    0.93
    """

    above: Ints
    tied: Ints
    scores: Floats
    n_rows: int

    @property
    def auc(self) -> float:
        """Mean share of the other rows that score lower than a positive row; ties count half."""
        n_positive = len(self.scores)
        # Other positives with a higher score, and other rows with a higher score; ties count half.
        positives_above = rank_shares(self.scores, self.scores) * n_positive - 0.5
        others_above = self.above + self.tied / 2 - positives_above
        return 1.0 - float(others_above.mean()) / (self.n_rows - n_positive)

    @property
    def tenths(self) -> list[CutPoint]:
        """Number of positives from the top of the list to the end of each tenth."""
        ends = ends_of_tenths(self.n_rows)
        return cut_points(ends, recall_at(ends, self.above, self.tied), self.n_rows)

    def sentences(self, label: str) -> tuple[str, ...]:
        """The ranks of the known positives, in words.

        Parameters
        ----------
        label : column that marks the positives
        """
        return (
            (
                f"Positive by column {label}: {len(self.scores):,} of "
                f"{counted(self.n_rows, 'row')}; AUC of "
                f"the scores {self.auc:.3f}"
            ),
            *(
                f"  the first {point['n_listed']:>9,} hold {point['recall']:6.1%} of these "
                f"positives, {point['lift']:.1f} times as many as by chance"
                for point in self.tenths[:_SAID_TENTHS]
            ),
        )

    def gains_table(self) -> pa.Table:
        """The tenths of the list as a table; the function `gains_table` explains its columns."""
        return gains_table(self.tenths)


@dataclass(frozen=True, repr=False)
class Scored:
    """The result of scoring a table.

    Attributes
    ----------
    n_rows : number of rows of the table
    n_scored : number of rows that this run scored; an earlier run scored the others
    seconds : time that this run took
    drift : how the rows differ from the rows learned from; None if the model keeps no description
        of the rows learned from
    positives : ranks of the known positives; None without positives or without other rows
    notes : warnings and other remarks
    written : file or folder of the scores; None if the scores are in `table`
    table : the scores; None if the scores were written
    n_alerts : number of rows that raise an alert; None if the model keeps no threshold
    alert_share : share of rows that the threshold of the model was set to raise an alert for

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided.scoring import fit_table, score_table
    >>> model = fit_table(table, "known", methods=["naive-bayes"])
    >>> scored = score_table(model, table, positive="known")
    >>> scored.n_rows, scored.drift.moved
    (300, [])
    >>> round(scored.positives.auc, 2)
    0.93
    """

    n_rows: int
    n_scored: int
    seconds: float
    drift: Drift | None
    positives: ScoredPositives | None
    notes: tuple[str, ...] = ()
    written: Path | None = None
    table: pa.Table | None = None
    n_alerts: int | None = None
    alert_share: float | None = None

    def __repr__(self) -> str:
        """One to three lines: where the scores are, drift, and the AUC of the known positives."""
        where = "to_frame() gives the scores" if self.written is None else f"{str(self.written)!r}"
        placed = self.positives
        lines = [
            *([] if self.drift is None else [self.drift.sentence(self.n_rows)]),
            *(
                []
                if placed is None
                else [f"{counted(len(placed.scores), 'positive')}, AUC {placed.auc:.3f}"]
            ),
        ]
        return "\n  ".join([f"Scored: {counted(self.n_rows, 'row')}; {where}", *lines])

    @property
    def rows_a_second(self) -> float:
        """Number of rows that this run scored in a second."""
        return self.n_scored / max(self.seconds, 1e-9)

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rows were scored, and how fast, in words."""
        if not self.n_rows:
            return ("The table has no rows, so there is nothing to score.",)
        n_earlier = self.n_rows - self.n_scored
        earlier = f"  {counted(n_earlier, 'row')} had been scored by an earlier run"
        return (
            *[earlier] * (self.n_scored < self.n_rows),
            f"Scored {counted(self.n_scored, 'row')}, {self.rows_a_second:,.0f} a second",
            *self._alerts_said,
        )

    @property
    def _alerts_said(self) -> tuple[str, ...]:
        if self.n_alerts is None or self.alert_share is None:
            return ()
        said = (
            f"Alerts: {counted(self.n_alerts, 'row')}, "
            f"{as_percent(self.n_alerts / self.n_rows)}; the "
        )
        return (f"{said}threshold of the model is meant for {as_percent(self.alert_share)}",)

    def facts(self) -> dict[str, Any]:
        """The result as numbers and text, without the scores."""
        placed = self.positives
        return {
            "n_rows": self.n_rows,
            "n_scored": self.n_scored,
            "seconds": self.seconds,
            "n_alerts": self.n_alerts,
            "drift": None if self.drift is None else asdict(self.drift),
            "positives": None
            if placed is None
            else {"n_positive": len(placed.scores), "auc": placed.auc, "tenths": placed.tenths},
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """The scores as a data frame, a row for each row of the table.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is
            installed (pyarrow always is)

        Raises
        ------
        TableError : if the scores were written
        """
        if self.table is None:
            raise TableError(
                f"The scores were written to {str(self.written)!r}.",
                f"Read them from there, or leave {argument('out')} out.",
            )
        return frame_of_table(self.table, backend)


def find_drift(model: Model, parts: Sequence[Path]) -> Drift | None:
    """How the rows of all parts differ from the rows learned from; None if no part has counts."""
    found = [read_about(path).get(SEEN, []) for path in parts]
    counted = sum(map(Counted.from_json, found), Counted())
    if not counted.bins:
        return None
    return compare_counts(model.seen, counted, model.n_positive, model.n_unlabeled)


def place_positives(parts: Sequence[Path], n_rows: int) -> ScoredPositives | None:
    """Ranks of the known positives; None without positives or without other rows.

    Memory grows with the number of positives, not with the number of rows.
    """
    of_positives = [
        batch.filter(batch.column(POSITIVE)).column(SCORE).to_numpy()
        for batch in chain.from_iterable(map(batches_of, parts))
    ]
    scores = np.sort(np.concatenate(of_positives)) if of_positives else np.zeros(0)
    if len(scores) in (0, n_rows):
        return None
    higher, same = np.zeros((2, len(scores) + 1), dtype=np.int64)
    for batch in chain.from_iterable(map(batches_of, parts)):
        found = batch.column(SCORE).to_numpy()
        first = np.searchsorted(scores, found, side="left")
        higher += np.bincount(first, minlength=len(higher))
        tied = first[scores[np.minimum(first, len(scores) - 1)] == found]
        same += np.bincount(tied, minlength=len(same))
    # A row scores above a positive if the first positive that scores as high as the row or higher
    # comes after this positive in ascending order.
    above = n_rows - np.cumsum(higher)[:-1]
    first = np.searchsorted(scores, scores, side="left")
    return ScoredPositives(above[first], same[first] - 1, scores, n_rows)


def count_alerts(parts: Sequence[Path]) -> int:
    """Number of rows of all parts that raise an alert."""
    batches = chain.from_iterable(map(batches_of, parts))
    return sum(pc.sum(batch.column(ALERT)).as_py() or 0 for batch in batches)


def put_together(
    parts: Sequence[Path], top: int | None = None
) -> tuple[pa.Schema, Iterable[pa.Table]]:
    """The common schema of all parts, and their rows as tables.

    With `top`, there is one table of the `top` rows with the highest scores, in descending order.
    """
    schemas = [pq.read_schema(path).remove_metadata() for path in parts]
    try:
        schema = pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowTypeError:  # identifiers are numbers in one file and text in another
        schema = schemas[0].set(0, pa.field(schemas[0].names[0], pa.string()))
    batches = chain.from_iterable(map(batches_of, parts))
    tables = (pa.Table.from_batches([batch]).cast(schema) for batch in batches)
    if top is None:
        return schema, tables
    highest = _highest(schema, tables, top)
    return highest.schema, [highest]


def _highest(schema: pa.Schema, tables: Iterable[pa.Table], top: int) -> pa.Table:
    """The rows with the highest scores, in descending order; of tied rows, the first rows."""
    kept = schema.append(pa.field(_ROW_PLACE, pa.int64())).empty_table()
    n_rows = 0
    for table in tables:
        place = pa.array(np.arange(n_rows, n_rows + table.num_rows))
        n_rows += table.num_rows
        both = pa.concat_tables([kept, table.append_column(_ROW_PLACE, place)])
        order = [(SCORE, "descending"), (_ROW_PLACE, "ascending")]
        kept = both.take(pc.select_k_unstable(both, min(top, both.num_rows), order))
    kept = kept.drop_columns([_ROW_PLACE]).combine_chunks()
    return kept.add_column(1, RANK, pa.array(np.arange(1, kept.num_rows + 1)))
