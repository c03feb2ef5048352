"""Options that several commands have, and what they say of a table."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from onesided._text import as_percent
from onesided.cli._talk import say
from onesided.exceptions import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from onesided._typing import Bools
    from onesided.model_selection import Comparison
    from onesided.prior import ClassPriorEstimate
    from onesided.tables import TableSummary

TablePath: TypeAlias = Annotated[
    Path,
    typer.Argument(
        help="CSV, TSV, Parquet or JSON-lines file, or a folder of such parts of one table.",
        metavar="TABLE",
    ),
]
Positive: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Column of labels: 1, true, yes or x marks a positive row; 0, false, no or blank one "
        "that was never labeled. With =VALUE, rows with that value are the positive ones.",
        metavar="COLUMN[=VALUE]",
    ),
]
Drop: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="Column not to learn from. Repeatable.", metavar="COLUMN"),
]
Categorical: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column to read as categories, numeric codes for example. Repeatable.",
        metavar="COLUMN",
    ),
]
Text: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column to read as text, by its words. Repeatable. Default: columns whose cells hold "
        "several words.",
        metavar="COLUMN",
    ),
]
Group: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Column of what rows have in common, a family or a batch for example; positives of a "
        "group are hidden together.",
        metavar="COLUMN",
    ),
]
Methods: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Method to compare: naive-bayes, tree, k-dependence, one-dependence, multinomial, "
        "logistic, bagging, splines, significance, center-of-mass, correlation, one-class-svm or "
        "cross-fit-svm. Repeatable. Default: some that suit the table.",
        metavar="METHOD",
    ),
]
Prior: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="Share of positives among the unlabeled, between 0 and 1, for the methods that need "
        "it. Default: estimated.",
        metavar="SHARE",
    ),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Character between the cells of a CSV file. Default: found in its first line.",
        metavar="CHARACTER",
    ),
]
Workers: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Processes that learn, on this machine. Default: this one.",
        min=1,
        metavar="N",
        show_default=False,
        rich_help_panel="Where it runs",
    ),
]
Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Address of a Dask scheduler whose workers learn. Needs onesided[dask].",
        metavar="ADDRESS",
        rich_help_panel="Where it runs",
    ),
]
Seed: TypeAlias = Annotated[
    int,
    typer.Option(
        help="Number that random draws start from; the same number gives the same results.",
        min=0,
        max=2**32 - 1,
        metavar="N",
    ),
]


def check_share(option: str, value: float) -> None:
    """Refuse what is not between 0 and 1, before the work.

    Raises
    ------
    DataError : with the option
    """
    if not 0 < value < 1:
        raise DataError(
            f"{option} {value:g} is not between 0 and 1.", "Pass a share, 0.1 for example."
        )


def say_size(path: Path, data: "pa.Table") -> None:
    """Rows and columns of a table."""
    say(f"{path.name}: {data.num_rows:,} rows, {data.num_columns:,} columns")


def say_labels(label: str, positive: "Bools") -> None:
    """How many rows are positive and unlabeled."""
    n_positive = int(positive.sum())
    say(f"  positive   {n_positive:>9,}  (column {label})")
    say(f"  unlabeled  {len(positive) - n_positive:>9,}")


def say_columns(summary: "TableSummary") -> None:
    """What the columns are."""
    kinds = {"number": "numbers", "category": "categories", "text": "text"}
    counts = [
        f"{len(names):,} of {word}"
        for role, word in kinds.items()
        if (names := summary.names(role))
    ]
    say(f"  columns: {', '.join(counts)}; {100 * summary.missing_share:.1f} % of cells missing")


def say_dropped(summary: "TableSummary") -> None:
    """Which columns are dropped, and why."""
    for column in summary.dropped:
        say(f"  dropped {column.name}: {column.reason}")


def say_aucs(found: "Comparison") -> None:
    """Hidden-positive AUC of each method, and which was taken."""
    for name, hidden in found.hidden.items():
        mark = "  <- taken" if name == found.best_ else ""
        say(f"  {name:<38} hidden-positive AUC {hidden.auc:.3f}{mark}")


def say_estimate(found: "ClassPriorEstimate") -> None:
    """How many are positive, and how sure that is."""
    from onesided.prior import PRIOR_METHODS  # noqa: PLC0415 - help does not pay for it

    low, high = found.interval
    sure = as_percent(found.confidence)
    say(
        f"Positive among the {found.n_unlabeled:,} unlabeled: {as_percent(found.point)} "
        f"({sure} interval {as_percent(low)} to {as_percent(high)}), about "
        f"{found.point * found.n_unlabeled:,.0f} rows"
    )
    say(
        f"  at most {as_percent(found.upper_bound)}, at {sure} confidence and whatever the data; "
        "no such lower bound above 0 exists"
    )
    points = (
        f"{PRIOR_METHODS[name]} {as_percent(point)}" for name, point in found.by_method.items()
    )
    say(f"  by method: {'; '.join(points)}")
    if found.scenario == "single-training-set":
        say(f"  positive in all rows: {as_percent(found.population_prior)}")
        say(f"  labeled of the positives: {as_percent(found.label_frequency)}")
    say(
        "Where no row can only be positive, as the kinds overlap everywhere, the share is too high."
    )
