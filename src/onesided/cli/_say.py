"""Functions that print results of the library; most of the sentences come from the results."""

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

from onesided.cli._talk import explain, is_explaining, say, warn

if TYPE_CHECKING:
    from onesided.model_selection import Comparison, TaskComparison
    from onesided.prior import ClassPriorEstimate
    from onesided.ranking import Plan, Problem, RankedValue, Ranking
    from onesided.scoring import Drift


def say_problem(problem: "Problem") -> None:
    """Say what was read; with -v, explain how each column is used."""
    say(*problem.sentences)
    explain(*problem.reasons)


def say_plan(plan: "Plan") -> None:
    """Say which positives are held out, and which methods are compared."""
    say(*plan.held_out_sentences)
    if is_explaining():  # `plan.reason` draws the folds, which takes time
        explain(plan.reason)
    say(plan.sentence)


def say_ranking(found: "Ranking") -> None:
    """Say the AUCs of the methods, what the list holds and promises, and the class prior."""
    say_aucs(found.comparison)
    say(*found.sentences)
    if found.prior is not None:
        say_estimate(found.prior)
    say(*found.promise_sentences)
    say(*found.profit_sentences)


def say_value(found: "RankedValue") -> None:
    """Say how well a model finds the records of one value."""
    say(
        f"  {found['value']:<24} {found['n_positive']:>6,} records  AUC {found['auc']:.3f} "
        f"({found['auc_low']:.3f} to {found['auc_high']:.3f})  {found['method']}"
    )


def say_estimate(found: "ClassPriorEstimate") -> None:
    """Say how many rows are positive, and how certain this number is."""
    say(*found.sentences)
    explain(*found.reasons)
    say(*found.details)


def say_drift(drift: "Drift | None", n_rows: int) -> None:
    """Say whether the rows are like the rows learned from, and warn of columns that changed."""
    if not n_rows:
        return
    if drift is None:
        say("The model does not record the values of its columns, so drift cannot be checked")
        return
    for text in drift.warnings:
        warn(text)
    if drift.more:
        warn(f"{drift.more}; --json lists all changes.")
    explain(*drift.reasons)
    say(drift.sentence(n_rows))


def say_aucs(found: "Comparison") -> None:
    """Say the hidden-positive AUC of each method, and which method was chosen."""
    for name, hidden in found.hidden.items():
        mark = "  <- taken" if name == found.best_ else ""
        say(f"  {name:<38} hidden-positive AUC {hidden.auc:.3f}{mark}")
    if is_explaining():  # `found.reason` computes a p-value, which takes time
        explain(found.reason)


def say_comparison(found: "Comparison") -> None:
    """Say the results of the methods on one table."""
    lines = [
        (
            row["method"],
            f"{row['hidden_positive_auc']:.3f} ± {row['auc_standard_error']:.3f}",
            f"{row['lee_liu']:.2f} ({row['lee_liu_low']:.2f} to {row['lee_liu_high']:.2f})",
            _p_value(row["p_value_against_best"], best=row["method"] == found.best_),
            f"{row['seconds']:.1f}",
        )
        for row in found.to_frame("pyarrow").to_pylist()
    ]
    _say_lines(["method", "AUC ± error", "Lee-Liu (95 %)", "p against best", "seconds"], lines)
    if lines[0][0] != found.best_:  # another method has a higher AUC
        say(f"  {found.reason}")


def say_tasks(found: "TaskComparison") -> None:
    """Say the results of the methods over all tables."""
    against = {
        row["method"]: row["wilcoxon_p"]
        for row in found.pairwise("pyarrow").to_pylist()
        if row["other"] == found.best_
    }
    rows = found.summary("pyarrow").to_pylist()
    lines = [
        (
            row["method"],
            f"{row['auc_mean']:.3f} ± {row['auc_sd']:.3f}",
            f"{row['place_mean']:.1f}",
            _figure(row["lee_liu_share"], ".2f"),
            _p_value(against.get(row["method"], float("nan")), best=row["method"] == found.best_),
            f"{row['seconds']:.1f}",
        )
        for row in sorted(rows, key=lambda row: -row["auc_mean"])
    ]
    say(f"All {len(found.tasks)} tables:")
    _say_lines(
        ["method", "AUC ± deviation", "place", "Lee-Liu / best", "p against best", "seconds"], lines
    )


def _p_value(value: float, *, best: bool) -> str:
    return "best" if best else _figure(value, ".3g")


def _figure(value: float, form: str) -> str:
    return "-" if isnan(value) else format(value, form)


def _say_lines(head: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table whose first column is text and whose other columns are figures."""
    columns = zip(head, *lines, strict=True)
    widths = [max(map(len, column)) for column in columns]
    for first, *others in (head, *lines):
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        say("  ".join([f"  {first:<{widths[0]}}", *cells]))
