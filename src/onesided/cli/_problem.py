"""What is said of a table that was read and understood."""

from typing import TYPE_CHECKING

from onesided.cli._explain import explain_columns
from onesided.cli._options import say_columns, say_dropped, say_labels
from onesided.cli._talk import say

if TYPE_CHECKING:
    from onesided.tables import Problem


def say_problem(problem: "Problem") -> None:
    """Say which rows are positive, and what the columns are.

    Parameters
    ----------
    problem : as `tables.read_problem` gives it
    """
    data, (positives, negatives) = problem.data, problem.files
    names = " + ".join(filter(None, (problem.name, positives, negatives)))
    columns = f"{data.num_columns:,} column{'s' * (data.num_columns != 1)}"
    say(f"{names}: {data.num_rows:,} rows, {columns}")
    where = "from" if positives else "column"
    say_labels(problem.label, problem.positive, where=where, notes=problem.label_notes)
    if problem.negative.any():
        sources = [f"column {problem.negative_label}"] if problem.negative_label else []
        sources += [f"from {negatives}"] if negatives else []
        say(f"  known negative {problem.negative.sum():>5,}  ({', '.join(sources)})")
    if problem.known is not None and problem.known.rows.n_merged:
        say(f"  left out as the same record as another: {problem.known.rows.n_merged:,}")
    if problem.known is not None and problem.known.n_shared:
        say(f"  in more than one file, counted once: {problem.known.n_shared:,}")
    say_columns(problem.summary)
    if problem.n_equal:
        say(f"  rows equal to an earlier one in all columns used: {problem.n_equal:,}")
    if problem.identifier:
        say(f"  identifier: {problem.identifier}")
    say_dropped(problem.summary)
    explain_columns(problem.summary, problem.asked)
