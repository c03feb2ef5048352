"""From a table to what rankers are compared on."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from onesided.cli._options import say_columns, say_dropped, say_labels, say_size
from onesided.cli._talk import progress, say
from onesided.exceptions import TableError

if TYPE_CHECKING:
    import pyarrow as pa
    from sklearn.pipeline import Pipeline

    from onesided._typing import Array, Bools
    from onesided.model_selection import Comparison, PositiveKFold
    from onesided.prior import ClassPriorEstimate, Scenario
    from onesided.tables import TableSummary


@dataclass(frozen=True)
class Prepared:
    """A table that was read and understood.

    Attributes
    ----------
    data : the whole table
    label : name of the column of labels
    positive : shape (n_rows,)
    negative : shape (n_rows,), rows verified to be negative; they count as unlabeled
    summary : what its columns are
    groups : shape (n_rows,), or None
    folds : of the positives
    """

    data: "pa.Table"
    label: str
    positive: "Bools"
    negative: "Bools"
    summary: "TableSummary"
    groups: "Array | None"
    folds: "PositiveKFold"

    @property
    def features(self) -> "pa.Table":
        """The columns to learn from."""
        from onesided import tables  # noqa: PLC0415 - help does not pay for it

        return tables.used_columns(self.data, self.summary)

    def rankers(
        self, methods: Sequence[str], class_prior: float | None, seed: int
    ) -> "dict[str, Pipeline]":
        """Methods by these names, or those that suit the table.

        Parameters
        ----------
        methods, class_prior, seed : as the options say
        """
        from onesided import tables  # noqa: PLC0415 - help does not pay for it

        hidden = self.folds.hidden_positives(self.positive, self.groups)
        return tables.default_rankers(
            self.summary,
            methods=methods,
            class_prior="estimate" if class_prior is None else class_prior,
            n_positive=int(self.positive.sum()) - max(map(len, hidden)),
            random_state=seed,
        )

    def compare(self, rankers: "dict[str, Pipeline]") -> "Comparison":
        """Rank the positives, hidden in turn, by each of the rankers; none is fitted on all rows.

        Parameters
        ----------
        rankers : as `rankers` gives them
        """
        from onesided.model_selection import compare  # noqa: PLC0415

        n_fits = self.folds.get_n_splits(None, self.positive, self.groups) * len(rankers)
        say(f"Ranking the known positives, hidden in turn, by {'; '.join(rankers)}")
        with progress("comparing") as step:
            done = count(1)
            return compare(
                rankers,
                self.features,
                self.positive,
                cv=self.folds,
                groups=self.groups,
                refit=False,
                on_fold=lambda _: step(next(done), n_fits),
            )

    def estimate_prior(
        self, scenario: "Scenario", confidence: float, seed: int
    ) -> "ClassPriorEstimate":
        """How many of the unlabeled are positive.

        Parameters
        ----------
        scenario, confidence, seed : as the options say
        """
        from onesided import tables  # noqa: PLC0415 - help does not pay for it
        from onesided.prior import estimate_class_prior  # noqa: PLC0415

        with progress("estimating how many are positive") as step:
            return estimate_class_prior(
                self.features,
                self.positive,
                scenario=scenario,
                estimator=tables.default_scorer(self.summary, random_state=seed),
                confidence=confidence,
                groups=self.groups,
                random_state=seed,
                on_fit=step,
            )


def prepare(  # noqa: PLR0913 - each is an option
    table: Path,
    positive: str,
    *,
    folds: "PositiveKFold",
    id_column: str = "",
    group: str = "",
    drop: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    text: Sequence[str] | None = None,
    known_negative: str = "",
    delimiter: str | None = None,
) -> Prepared:
    """Read a table, say what is in it, and warn of leaks.

    Parameters
    ----------
    folds : of the positives
    table, positive, id_column, group, drop, categorical, text, known_negative, delimiter : as the
        options say
    """
    import numpy as np  # noqa: PLC0415 - help does not pay for it

    from onesided import tables  # noqa: PLC0415

    marks = [each for each in (positive, known_negative) if each]
    as_text = [
        *(name for each in marks for name in tables.label_columns(each)),
        *filter(None, (id_column, group)),
    ]
    data = tables.read_table(table, delimiter=delimiter, as_text=as_text)
    label, is_positive = tables.read_labels(data, positive)
    verified, negative = "", np.zeros(len(is_positive), dtype=bool)
    if known_negative:
        verified, negative = tables.read_known_negative(data, known_negative, is_positive)
    named = [tables.find_key(data, name) for name in (id_column, group) if name]
    if group and named[-1] == label:
        raise TableError(
            f"Column {label!r} is that of the labels, and its groups are the two kinds of rows.",
            "Pass another column as --group.",
        )
    summary = tables.describe(
        data,
        without=[label, *filter(None, [verified]), *named],
        drop=drop or [],
        categorical=categorical or [],
        text=text or [],
    )
    say_size(table, data)
    say_labels(label, is_positive)
    if verified:
        say(f"  known negative {negative.sum():>5,}  (column {verified})")
    say_columns(summary)
    if id_column:
        say(f"  identifier: {id_column}")
    say_dropped(summary)
    tables.warn_of_leaks(data, is_positive, summary)
    groups = _as_groups(data.column(group)) if group else None
    return Prepared(data, label, is_positive, negative, summary, groups, folds)


def _as_groups(column: "pa.ChunkedArray") -> "Array":
    """A group for each row; a row without one is a group of its own."""
    import numpy as np  # noqa: PLC0415

    cells = enumerate(column.to_pylist(), start=1)
    alone = "row {} without a group"
    return np.array([str(cell) if cell not in (None, "") else alone.format(n) for n, cell in cells])
