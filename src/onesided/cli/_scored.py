"""What is said of a table that is scored, before and after."""

from typing import TYPE_CHECKING

from onesided.cli._talk import explain, say, warn

if TYPE_CHECKING:
    from onesided.scoring import Drift, Scored, ScoringPlan

_MOST_NAMED = 5
_SAID_TENTHS = 3


def say_plan(plan: "ScoringPlan") -> None:
    """Say what is scored by what."""
    model, scoring = plan.model, plan.scoring
    if plan.n_merged:
        say(f"  duplicate records left out: {plan.n_merged:,}")
    auc = "" if model.auc is None else f", hidden-positive AUC {model.auc:.3f}"
    say(f"Model: {model.method}, learned from {model.n_learned:,} rows{auc}")
    n_files = len(scoring.inputs)
    size = sum(each.size for each in scoring.inputs)
    say(f"Table: {n_files:,} file{'s' * (n_files > 1)}, {size / 1e6:,.1f} MB")
    say(f"  identifier: {scoring.identifier or 'row numbers'}")
    unused = scoring.unused
    if unused:
        more = f" and {len(unused) - _MOST_NAMED} more" if len(unused) > _MOST_NAMED else ""
        say(
            f"  columns not used: {', '.join(unused[:_MOST_NAMED])}{more}; the model did not "
            "learn from them"
        )


def say_drift(drift: "Drift | None", n_rows: int) -> None:
    """Whether the rows are like those learned from; a warning for what is not."""
    if drift is None:
        say("The model does not record the values of its columns, so drift cannot be checked")
        return
    if not drift.tells:
        say(
            f"{drift.n_rows:,} rows are too few to tell whether they differ from the rows the "
            "model learned from"
        )
        return
    learned = "the rows" if drift.learned == "all" else "the unlabeled rows"
    moved = drift.moved
    if drift.score is not None and drift.score.moved:
        warn(f"The scores have changed since the model learned: {drift.score}.")
    for column in moved[:_MOST_NAMED]:
        warn(f"Column {column.name} has changed since the model learned: {column}.")
    if len(moved) > _MOST_NAMED:
        warn(f"{len(moved) - _MOST_NAMED:,} more columns have changed; --json lists all of them.")
    for column in drift.columns:
        explain(f"column {column.name}: {column}")
    score = "the model does not record its earlier scores"
    if drift.score is not None:
        index = f" (index {drift.score.index:.2f})"
        score = f"the scores have {'' if drift.score.moved else 'not '}changed"
        score += index if drift.score.moved or drift.score.is_small else ""
    highest = (moved or drift.columns)[0]
    columns = "no column has changed"
    if moved:
        have = "have" if len(moved) > 1 else "has"
        columns = f"{len(moved):,} of {len(drift.columns):,} columns {have} changed"
    if moved or highest.is_small:
        columns += f"; the highest index is {highest.index:.2f}, of {highest.name}"
    else:
        columns += " by more than chance can explain in so few rows"
    part = f" {drift.n_rows:,} of these rows" if drift.n_rows < n_rows else ""
    say(f"Compared{part} with {learned} the model learned from: {score}; {columns}")


def say_scored(scored: "Scored", label: str) -> None:
    """Say how many rows were scored, whether they are like those learned from, and how well.

    Parameters
    ----------
    scored : what came of it
    label : column that marks the positives that are known now, or empty
    """
    if scored.n_scored < scored.n_rows:
        say(f"  {scored.n_rows - scored.n_scored:,} rows had been scored by an earlier run")
    say(f"Scored {scored.n_scored:,} rows, {scored.rows_a_second:,.0f} a second")
    say_drift(scored.drift, scored.n_rows)
    for note in scored.notes:
        warn(note)
    placed = scored.positives
    if placed is None:
        return
    say(
        f"Positive by column {label}: {len(placed.scores):,} of {placed.n_rows:,} rows; AUC of the "
        f"scores {placed.auc:.3f}"
    )
    for point in placed.tenths[:_SAID_TENTHS]:
        say(
            f"  the first {point['n_listed']:>9,} hold {point['recall']:6.1%} of these "
            f"positives, {point['lift']:.1f} times as many as by chance"
        )
