"""From a table to what rankers are compared on, for `onesided fit`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onesided.cli._say import say_compared, say_problem
from onesided.cli._talk import stages

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from onesided.model_selection import Comparison, PositiveKFold
    from onesided.ranking import Plan, Problem


@dataclass
class Prepared:
    """A table that was read, and how its methods are compared; else as a `Problem`."""

    problem: "Problem"
    folds: "PositiveKFold"
    plan: "Plan | None" = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.problem, name)

    def rankers(
        self, methods: list[str], class_prior: float | None, seed: int
    ) -> "dict[str, Pipeline]":
        """Methods by these names, or those that suit the table."""
        from onesided.ranking import plan_ranking  # noqa: PLC0415 - help does not pay for it

        self.plan = plan_ranking(
            self.problem, methods=methods, class_prior=class_prior, random_state=seed
        )
        return self.plan.rankers

    def compare(self, _: "dict[str, Pipeline]") -> "Comparison":
        """Rank the positives, hidden in turn, by each of the rankers, and say so."""
        assert self.plan is not None
        say_compared(self.plan)
        with stages() as on_progress:
            return self.plan.compare(on_progress)


def prepare(
    table: Path, positive: str, *, folds: "PositiveKFold", id_column: str = "", **reading: Any
) -> Prepared:
    """Read a table and say what is in it."""
    from onesided.ranking import read_problem  # noqa: PLC0415 - help does not pay for it

    problem = read_problem(table, positive, identifier=id_column, **reading)
    say_problem(problem)
    return Prepared(problem, folds)
