"""From a table to what rankers are compared on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from onesided.cli._explain import explain_columns, explain_folds
from onesided.cli._options import say_columns, say_dropped, say_labels, say_size
from onesided.cli._talk import progress, say
from onesided.exceptions import TableError

if TYPE_CHECKING:
    import pyarrow as pa
    from sklearn.pipeline import Pipeline

    from onesided._typing import Array, Bools, Ints
    from onesided.model_selection import Comparison, PositiveKFold
    from onesided.prior import ClassPriorEstimate, Scenario
    from onesided.tables import KnownRows, TableSummary

_MOST_POSITIVE, _MOST_UNLABELED = 2000, 10_000  # rows of a rough estimate
_HALVES, _FEW_HALVES = 20, 5  # of the rows, for the interval
_TREES, _FEW_TREES = 200, 80  # that score the rows


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
    identifier : column that names the rows, empty where there is none
    """

    data: "pa.Table"
    label: str
    positive: "Bools"
    negative: "Bools"
    summary: "TableSummary"
    groups: "Array | None"
    folds: "PositiveKFold"
    identifier: str = ""

    @property
    def features(self) -> "pa.Table":
        """The columns to learn from."""
        from onesided import tables  # noqa: PLC0415 - help does not pay for it

        return tables.used_columns(self.data, self.summary)

    @property
    def ids(self) -> "pa.ChunkedArray":
        """What the rows are called: cells of the identifier, else their numbers."""
        from onesided import tables  # noqa: PLC0415 - help does not pay for it

        return (
            self.data.column(self.identifier) if self.identifier else tables.row_numbers(self.data)
        )

    @property
    def titles(self) -> "Array | None":
        """What people know the rows by, shape (n_rows,): a column called title, or the like.

        A row without a title has its identifier; None where no such column tells rows apart.
        """
        import numpy as np  # noqa: PLC0415 - help does not pay for it

        from onesided import tables  # noqa: PLC0415

        name = tables.find_titles(self.data, without=(self.identifier, self.label))
        if name is None:
            return None
        pairs = zip(self.data.column(name).to_pylist(), self.ids.to_pylist(), strict=True)
        return np.array([title or str(each) for title, each in pairs], dtype=object)

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
        """Rank the positives, hidden in turn, by each of the rankers, and say so.

        Parameters
        ----------
        rankers : as `rankers` gives them
        """
        n_fits = self.folds.get_n_splits(None, self.positive, self.groups) * len(rankers)
        explain_folds(self.folds, self.positive, self.groups)
        say(f"Ranking the known positives, hidden in turn, by {'; '.join(rankers)}")
        with progress("comparing") as step:
            done = count(1)
            return self.compare_unseen(rankers, lambda _: step(next(done), n_fits))

    def compare_unseen(
        self, rankers: "dict[str, Pipeline]", on_fold: "Callable[[str], None] | None" = None
    ) -> "Comparison":
        """The same without a word; no ranker is fitted on all rows.

        Parameters
        ----------
        rankers : as `rankers` gives them
        on_fold : called after each fit with the name of the ranker
        """
        from onesided.model_selection import compare  # noqa: PLC0415 - help does not pay for it

        return compare(
            rankers,
            self.features,
            self.positive,
            cv=self.folds,
            groups=self.groups,
            refit=False,
            on_fold=on_fold,
        )

    def estimate_prior(
        self, scenario: "Scenario", confidence: float, seed: int
    ) -> "ClassPriorEstimate":
        """How many of the unlabeled are positive.

        Parameters
        ----------
        scenario, confidence, seed : as the options say
        """
        import numpy as np  # noqa: PLC0415 - help does not pay for it

        from onesided import tables  # noqa: PLC0415

        scorer = tables.default_scorer(self.summary, n_trees=_TREES, random_state=seed)
        rows = np.flatnonzero(~self.negative)
        return self._estimate_prior(rows, scorer, scenario, confidence, seed, n_halves=_HALVES)

    def prior_by(
        self, ranker: "Pipeline", scenario: "Scenario | None", confidence: float, seed: int
    ) -> "ClassPriorEstimate":
        """The same by a ranker, from a part of the rows, so that it is not slow.

        Without a scenario the interval rests on fewer halves; point and bound are the same. Bagging
        is replaced by its like: it would take a minute.

        Parameters
        ----------
        ranker : of those of `rankers`
        scenario, confidence, seed : as the options say
        """
        import numpy as np  # noqa: PLC0415 - help does not pay for it

        from onesided import tables  # noqa: PLC0415

        rng = np.random.default_rng(seed)
        candidate = ~self.positive & ~self.negative
        kinds = ((self.positive, _MOST_POSITIVE), (candidate, _MOST_UNLABELED))
        drawn = [rng.permutation(np.flatnonzero(is_kind))[:most] for is_kind, most in kinds]
        is_slow = getattr(ranker["model"], "scores_out_of_bag", False)
        found = self._estimate_prior(
            np.sort(np.concatenate(drawn)),
            tables.default_scorer(self.summary, n_trees=_FEW_TREES, random_state=seed)
            if is_slow
            else ranker,
            scenario or "case-control",  # of the share among the unlabeled they say the same
            confidence,
            seed,
            n_halves=_HALVES if scenario else _FEW_HALVES,
        )
        n_positive, n_unlabeled = int(self.positive.sum()), int(candidate.sum())
        return replace(
            found,
            n_positive=n_positive,
            n_unlabeled=n_unlabeled,
            n_negative=int(self.negative.sum()),
        )

    def _estimate_prior(
        self,
        rows: "Ints",
        scorer: "Pipeline",
        scenario: "Scenario",
        confidence: float,
        seed: int,
        *,
        n_halves: int,
    ) -> "ClassPriorEstimate":
        from onesided.prior import estimate_class_prior  # noqa: PLC0415 - help does not pay for it

        with progress("estimating how many are positive") as step:
            return estimate_class_prior(
                self.features.take(rows),
                self.positive[rows],
                scenario=scenario,
                estimator=scorer,
                confidence=confidence,
                n_subsamples=n_halves,
                groups=None if self.groups is None else self.groups[rows],
                random_state=seed,
                on_fit=step,
            )


def prepare(  # noqa: PLR0913 - each is an option
    table: Path,
    positive: str,
    *,
    folds: "PositiveKFold",
    positive_table: Path | None = None,
    id_column: str = "",
    group: str = "",
    drop: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    text: Sequence[str] | None = None,
    known_negative: str = "",
    known_negative_table: Path | None = None,
    delimiter: str | None = None,
) -> Prepared:
    """Read a table, say what is in it, and warn of leaks.

    Parameters
    ----------
    folds : of the positives
    table, positive, positive_table, id_column, group, drop, categorical, text, known_negative,
    known_negative_table, delimiter : as the options say
    """
    from onesided import tables  # noqa: PLC0415 - help does not pay for it

    _check_positive(positive, positive_table)
    marks = [each for each in (positive, known_negative) if each]
    as_text = [
        *(name for each in marks for name in tables.label_columns(each)),
        *filter(None, (id_column, group)),
    ]
    known = tables.read_known_rows(
        table,
        positive=positive_table,
        negative=known_negative_table,
        identifier=id_column,
        delimiter=delimiter,
        as_text=as_text,
    )
    rows, data = known.rows, known.rows.data
    identifier = id_column or rows.identifier
    label, is_positive = "", known.positive
    if positive:
        label, is_positive = tables.read_labels(data, positive, lists=rows.lists)
    verified, negative = "", known.negative
    if known_negative:
        verified, marked = tables.read_known_negative(
            data, known_negative, is_positive, lists=rows.lists
        )
        negative = negative | marked
    tables.check_kinds(is_positive, negative)
    named = [tables.find_key(data, name) for name in (identifier, group) if name]
    if id_column:
        tables.check_names_rows(data, id_column, label)
    if group and named[-1] == label:
        raise TableError(
            f"Column {label!r} is that of the labels, and its groups are the two kinds of rows.",
            "Pass another column as --group.",
        )
    summary = tables.describe(
        data,
        without=[*filter(None, [label, verified]), *named],
        drop=drop or [],
        categorical=categorical or [],
        text=[*(text or []), *rows.text],
        aside=rows.aside,
    )
    say_size(table, data, positive_table, known_negative_table)
    if positive_table is None:
        notes = tables.label_notes(data, positive, negatives=bool(known_negative))
        say_labels(label, is_positive, notes=notes)
    else:
        label = positive_table.name
        say_labels(label, is_positive, where="from")
    if negative.any():
        sources = [f"column {verified}"] if verified else []
        sources += [f"from {known_negative_table.name}"] if known_negative_table else []
        say(f"  known negative {negative.sum():>5,}  ({', '.join(sources)})")
    _say_same(known)
    say_columns(summary)
    if n_equal := tables.count_equal_rows(data, summary):
        say(f"  rows equal to an earlier one in all columns used: {n_equal:,}")
    if identifier:
        say(f"  identifier: {identifier}")
    say_dropped(summary)
    explain_columns(summary, [*(categorical or []), *(text or [])])
    tables.warn_of_lacking(known, summary)
    tables.warn_of_leaks(data, is_positive, summary)
    if positive:
        tables.warn_of_other_labels(data, label, summary)
    groups = as_groups(data.column(group)) if group else None
    return Prepared(data, label, is_positive, negative, summary, groups, folds, identifier)


def _check_positive(positive: str, positive_table: Path | None) -> None:
    if positive and positive_table:
        raise TableError(
            "--positive and --positive-table both say what is positive.", "Pass one of them."
        )
    if not positive and not positive_table:
        raise TableError(
            "Neither --positive nor --positive-table says what is positive.",
            "Name the column of labels, --positive COLUMN, or a file of positive rows, "
            "--positive-table FILE.",
        )


def _say_same(known: "KnownRows") -> None:
    """Rows that are given more than once."""
    if known.rows.n_merged:
        say(f"  left out as the same record as another: {known.rows.n_merged:,}")
    if known.n_shared:
        say(f"  in more than one file, counted once: {known.n_shared:,}")


def as_groups(column: "pa.ChunkedArray") -> "Array":
    """A group for each row; a row without one is a group of its own."""
    import numpy as np  # noqa: PLC0415

    cells = enumerate(column.to_pylist(), start=1)
    alone = "row {} without a group"
    return np.array([str(cell) if cell not in (None, "") else alone.format(n) for n, cell in cells])
