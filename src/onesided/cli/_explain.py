"""What `-v` tells: decisions on a table and their reasons."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from onesided.cli._talk import explain, is_explaining

if TYPE_CHECKING:
    from onesided._typing import Array, Bools
    from onesided.model_selection import Comparison, PositiveKFold
    from onesided.prior import ClassPriorEstimate
    from onesided.tables import TableSummary

_MOST_TOLD = 100  # columns; beyond, nobody reads them
_BECAUSE = {
    "number": "its cells are numbers",
    "category": "its cells are of few kinds",
    "text": "its cells hold several words",
}


def explain_columns(summary: "TableSummary", asked: Collection[str]) -> None:
    """What each column is taken for, and why.

    Parameters
    ----------
    summary : of the table
    asked : columns whose role the options say
    """
    for column in summary.columns[:_MOST_TOLD]:
        reason = column.reason or _BECAUSE.get(column.role, "by the format of the file")
        if column.name in asked and column.role != "dropped":
            reason = "as asked"
        explain(
            f"column {column.name}: {column.role}, since {reason}; {column.n_distinct:,} different "
            f"values, {column.n_missing:,} missing"
        )
    if len(summary.columns) > _MOST_TOLD:
        explain(f"and {len(summary.columns) - _MOST_TOLD:,} more columns")


def explain_folds(folds: "PositiveKFold", positive: "Bools", groups: "Array | None") -> None:
    """How many positives are hidden at a time.

    Parameters
    ----------
    folds : of the positives
    positive, groups : shape (n_rows,)
    """
    if not is_explaining():
        return
    sizes = [len(each) for each in folds.hidden_positives(positive, groups)]
    together = "" if groups is None else ", those of a group together"
    explain(
        f"{len(sizes)} folds of the {sum(sizes):,} positives, dealt at random{together}: "
        f"{', '.join(f'{size:,}' for size in sizes)} are hidden among the unlabeled in turn"
    )


def explain_taken(found: "Comparison") -> None:
    """By how much the best method is ahead.

    Parameters
    ----------
    found : the methods
    """
    if not is_explaining():
        return
    best, *others = found.to_frame("pyarrow").to_pylist()
    if not others:
        explain(f"taken: {best['method']}, the only method")
        return
    gap = best["hidden_positive_auc"] - others[0]["hidden_positive_auc"]
    explain(
        f"taken: {best['method']}, whose AUC is the highest, {gap:.3f} above {others[0]['method']} "
        f"(p = {others[0]['p_value_against_best']:.2g} that they are the same)"
    )


def explain_prior(found: "ClassPriorEstimate") -> None:
    """Where the estimate comes from.

    Parameters
    ----------
    found : the estimate
    """
    explain(
        f"share of positives: by {found.method}, from scores of {found.n_positive:,} positive and "
        f"{found.n_unlabeled:,} unlabeled rows by models that did not learn from them"
    )
    explain(f"  highest less lowest point of the methods: {found.disagreement:.3f}")
    if found.n_duplicates:
        explain(f"  unlabeled rows that equal a positive one: {found.n_duplicates:,}")
