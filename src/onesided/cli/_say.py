"""What the command line says of tables, plans and results: facts as sentences, and no decision."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from onesided._text import as_percent
from onesided.cli._talk import explain, is_explaining, say

if TYPE_CHECKING:
    import pyarrow as pa

    from onesided._typing import Bools
    from onesided.metrics import ResampledPValue
    from onesided.model_selection import Comparison, TaskComparison
    from onesided.prior import ClassPriorEstimate
    from onesided.ranking import EachProblem, Plan, Problem, RankedEach, RankedValue, Ranking
    from onesided.tables import TableSummary

_MOST_NAMED = 20  # columns in a line
_MOST_TOLD = 100  # columns; beyond, nobody reads them
_BECAUSE = {
    "number": "its cells are numbers",
    "category": "its cells hold few different values",
    "text": "its cells hold several words",
}


def say_problem(problem: "Problem") -> None:
    """What was read, and what was made of it."""
    names = " + ".join(filter(None, (problem.name, *problem.files)))
    _say_size(names, problem.data)
    positives, negatives = problem.files
    where = "from" if positives else "column"
    say_labels(problem.label, problem.positive, where=where, notes=problem.label_notes)
    if problem.negative.any():
        sources = [f"column {problem.negative_label}"] if problem.negative_label else []
        sources += [f"from {negatives}"] if negatives else []
        say(f"  known negative {problem.negative.sum():>5,}  ({', '.join(sources)})")
    if problem.known and problem.known.rows.n_merged:
        say(f"  duplicate records left out: {problem.known.rows.n_merged:,}")
    if problem.known and problem.known.n_shared:
        say(f"  rows in more than one file, each counted once: {problem.known.n_shared:,}")
    say_columns(problem.summary)
    if n_equal := problem.n_equal:
        say(f"  rows that are identical to an earlier row in all columns used: {n_equal:,}")
    if problem.identifier:
        say(f"  identifier: {problem.identifier}")
    say_dropped(problem.summary)
    explain_columns(problem.summary, problem.asked)


def say_plan(plan: "Plan") -> None:
    """What is held out and compared."""
    if plan.promises:
        n_positive, n_held_out = int(plan.problem.positive.sum()), int(plan.held_out.sum())
        say(
            f"Holding out {n_held_out:,} of {n_positive:,} known positives to judge the list. "
            f"The list is learned from the other {n_positive - n_held_out:,}, so it is "
            "usually worse than a list learned from all known positives"
        )
    say_compared(plan)


def say_compared(plan: "Plan") -> None:
    """What is compared."""
    if is_explaining():
        sizes = plan.fold_sizes
        together = (
            ""
            if plan.problem.groups is None
            else ", and positives of one group are in the same fold"
        )
        explain(
            f"{len(sizes)} folds of the {sum(sizes):,} positives, drawn at random{together}: "
            f"{', '.join(f'{size:,}' for size in sizes)} positives are hidden among the "
            "unlabeled rows in turn"
        )
    say(
        "The known positives are hidden among the unlabeled rows in turn, and each method "
        f"ranks them. Methods: {'; '.join(plan.rankers)}"
    )


def say_ranking(found: "Ranking") -> None:
    """All of it: the methods, the list, how many are positive, and what is promised."""
    say_aucs(found.comparison)
    n_unlabeled = found.table.num_rows
    hidden = found.comparison.hidden[found.comparison.best_]
    say(f"Scored {n_unlabeled:,} unlabeled rows, each by a model that did not see this row")
    for n_listed in (10, 100, 1000):
        if hidden.tells_of(n_listed) and n_listed < n_unlabeled:
            share = found.table["share_of_known_positives"][n_listed - 1].as_py()
            say(
                f"  the first {n_listed:>5,} hold {share:6.1%} of the hidden positives (by "
                f"chance {n_listed / n_unlabeled:.1%})"
            )
    if found.doubt.sentence:
        say(found.doubt.sentence)
    for name, p_value in found.chance.items():
        _say_chance(name, p_value)
    if found.prior is not None:
        say_estimate(found.prior)
    if found.no_prior:
        say(f"The number of positives is not estimated. {found.no_prior}")
    for sentence in found.promises.sentences if found.promises else ():
        say(sentence)
    for column, n_rows in found.n_marked_beyond.items():
        say(
            f"  --top {found.top} leaves out {n_rows:,} rows that are marked in the column {column}"
        )


def _say_chance(name: str, found: "ResampledPValue") -> None:
    what = {
        "auc": "p = {:.3g} for the best AUC, compared with {:,} random label sets",
        "distance": (
            "adjusted p = {:.3g} for the distance of the known positives from the other rows, "
            "compared with {:,} random sets of as many rows"
        ),
    }
    lowest = "; with so many sets no p-value can be lower" if found.n_as_high == 0 else ""
    say(f"Is this chance? {what[name].format(float(found), len(found.null))}{lowest}")


def say_each_problem(given: "EachProblem") -> None:
    """What was read, of which each value of a column is positive in turn."""
    problem, n_records = given.problem, sum(map(bool, given.values))
    _say_size(problem.name, problem.data)
    say(f"  records       {n_records:>9,}  (column {problem.label})")
    say(f"  background    {len(given.values) - n_records:>9,}")
    say_columns(problem.summary)
    say_dropped(problem.summary)


def say_value(found: "RankedValue") -> None:
    """How well the records of a value are found."""
    say(
        f"  {found['value']:<24} {found['n_positive']:>6,} records  AUC {found['auc']:.3f} "
        f"({found['auc_low']:.3f} to {found['auc_high']:.3f})  {found['method']}"
    )


def say_left_out(found: "RankedEach") -> None:
    """Values that are not ranked by."""
    for reason, values in found.left_out_by_reason.items():
        say(f"  left out {', '.join(values)}: {reason}")


def say_size(path: Path, data: "pa.Table", *others: Path | None) -> None:
    """Rows and columns of a table, with those of the other files that are read with it."""
    _say_size(" + ".join(each.resolve().name for each in (path, *others) if each), data)


def _say_size(names: str, data: "pa.Table") -> None:
    columns = f"{data.num_columns:,} column{'s' * (data.num_columns != 1)}"
    say(f"{names}: {data.num_rows:,} rows, {columns}")


def say_labels(
    label: str, positive: "Bools", *, where: str = "column", notes: Sequence[str] = ()
) -> None:
    """How many rows are positive and unlabeled, and what there is to know of the labels."""
    n_positive = int(positive.sum())
    say(f"  positive   {n_positive:>9,}  ({where} {label})")
    say(f"  unlabeled  {len(positive) - n_positive:>9,}")
    for note in notes:
        say(f"  {note}")


def say_columns(summary: "TableSummary") -> None:
    """What the columns are."""
    kinds = {
        "number": "numbers",
        "category": "categories",
        "text": "text",
        "sparse": f"{summary.n_sparse:,} numbered features",
    }
    counts = [
        f"{len(names):,} of {word}"
        for role, word in kinds.items()
        if (names := summary.names(role))
    ]
    say(
        f"  columns: {', '.join(counts)}; {100 * summary.missing_share:.1f} % of the cells are "
        "missing"
    )
    _say_written(summary)


def say_dropped(summary: "TableSummary") -> None:
    """Which columns are dropped, and why."""
    by_reason: dict[str, list[str]] = {}
    for column in summary.dropped:
        by_reason.setdefault(column.reason, []).append(column.name)
    for reason, names in by_reason.items():
        say(f"  dropped {_first_of(names)}: {reason}")


def _first_of(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else shown


def _say_written(summary: "TableSummary") -> None:
    """How columns of numbers are written that not any program reads."""
    by_example: dict[str, list[str]] = {}
    for column in summary.columns:
        if column.written and column.role != "dropped":
            by_example.setdefault(column.written, []).append(column.name)
    for example, names in by_example.items():
        say(f"  {_first_of(names)}: numbers written {example}")


def say_aucs(found: "Comparison") -> None:
    """Hidden-positive AUC of each method, and which was taken."""
    for name, hidden in found.hidden.items():
        mark = "  <- taken" if name == found.best_ else ""
        say(f"  {name:<38} hidden-positive AUC {hidden.auc:.3f}{mark}")
    explain_taken(found)


def say_estimate(found: "ClassPriorEstimate") -> None:
    """How many are positive, and how sure that is."""
    from onesided.prior import PRIOR_METHODS  # noqa: PLC0415 - help does not pay for it

    low, high = found.interval
    sure = as_percent(found.confidence)
    among = f"Positive among the {found.n_unlabeled:,} unlabeled:"
    if found.only_at_most:
        n_most = f"{high * found.n_unlabeled:,.0f}"
        say(f"{among} at most {n_most} rows, {as_percent(high)} ({sure} confidence)")
        say(f"  the true number may be far lower: {found.why_only_at_most}")
    else:
        say(
            f"{among} about {found.point * found.n_unlabeled:,.0f} rows, {as_percent(found.point)} "
            f"({sure} interval {as_percent(low)} to {as_percent(high)})"
        )
        say(
            "  this estimate is exact only if some kinds of rows are always positive; otherwise "
            "it is too high, most of all when positives are rare"
        )
    if found.upper_bound > high:
        say(
            "  upper bound without any assumption about the distributions: "
            f"{as_percent(found.upper_bound)} of the unlabeled rows"
        )
    say(
        "  these numbers hold only if the known positives are like the other positives. If "
        "the known positives were labeled because they are easy to find, or were taken from "
        "the top of a list like this one, more rows are positive"
    )
    explain_prior(found)
    points = (
        f"{PRIOR_METHODS[name]} {as_percent(point)}" for name, point in found.by_method.items()
    )
    (explain if found.only_at_most else say)(f"  by method: {'; '.join(points)}")
    if found.scenario == "single-training-set":
        at_most, at_least = ("at most ", "at least ") if found.only_at_most else ("", "")
        shown = replace(found, point=found.headline)
        say(f"  share of positives among all rows: {at_most}{as_percent(shown.population_prior)}")
        say(
            "  share of the positives that are labeled: "
            f"{at_least}{as_percent(shown.label_frequency)}"
        )


def say_comparison(found: "Comparison") -> None:
    """The methods on one table."""
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


def say_tasks(found: "TaskComparison") -> None:
    """The methods over all tables."""
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
    if best:
        return "best"
    return _figure(value, ".3g")


def _figure(value: float, form: str) -> str:
    return "-" if isnan(value) else format(value, form)


def _say_lines(head: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """A table whose first column is text and the others figures."""
    columns = zip(head, *lines, strict=True)
    widths = [max(map(len, column)) for column in columns]
    for first, *others in (head, *lines):
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        say("  ".join([f"  {first:<{widths[0]}}", *cells]))


def explain_columns(summary: "TableSummary", asked: Collection[str]) -> None:
    """What each column is taken for, and why.

    Parameters
    ----------
    summary : of the table
    asked : columns whose role the options say
    """
    for column in summary.columns[:_MOST_TOLD]:
        reason = column.reason or _BECAUSE.get(column.role, "the format of the file says so")
        if column.name in asked and column.role != "dropped":
            reason = "as asked"
        explain(
            f"column {column.name}: {column.role} ({reason}); {column.n_distinct:,} "
            f"different values, {column.n_missing:,} cells are missing"
        )
    if len(summary.columns) > _MOST_TOLD:
        explain(f"and {len(summary.columns) - _MOST_TOLD:,} more columns")


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
        f"taken: {best['method']}, whose AUC is the highest, {gap:.3f} above "
        f"{others[0]['method']} (p = {others[0]['p_value_against_best']:.2g} for no "
        "difference)"
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
    explain(
        "  difference between the highest and the lowest estimate of the methods: "
        f"{found.disagreement:.3f}"
    )
    if found.n_duplicates:
        explain(f"  unlabeled rows that are identical to a positive row: {found.n_duplicates:,}")
