"""Compare methods on one table or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from onesided._files._find import as_path
from onesided._typing import OnProgress
from onesided._validation import check_arguments
from onesided.exceptions import TableError, caught_warnings, warn_again
from onesided.model_selection import Comparison, TaskComparison, fits_elsewhere
from onesided.ranking import _effort as effort
from onesided.ranking._plan import Plan, plan_ranking
from onesided.tables import Problem, read_problem, table_name


@dataclass(frozen=True)
class ComparedTables:
    """A comparison of methods on one table or on several tables.

    Attributes
    ----------
    comparisons : the comparison of the methods on each table; keys are the names of the tables

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np, pandas as pd
    >>> from onesided.ranking import compare_tables
    >>> rng, known = np.random.default_rng(0), np.arange(60) < 15
    >>> table = pd.DataFrame({"size": rng.normal(size=60) + known, "known": known})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.to_csv(f"{folder}/sizes.csv", index=False)
    ...     compared = compare_tables([f"{folder}/sizes.csv"], "known", methods=["naive-bayes"])
    >>> {name: comparison.best_ for name, comparison in compared.comparisons.items()}
    {'sizes': 'naive Bayes'}
    """

    comparisons: Mapping[str, Comparison]

    @property
    def together(self) -> TaskComparison:
        """The comparison of the methods over all tables."""
        return TaskComparison.of(
            {task: each.hidden for task, each in self.comparisons.items()},
            {task: each.seconds for task, each in self.comparisons.items()},
        )

    @property
    def table(self) -> pa.Table:
        """The comparisons of all tables in one table; the first column names the table.

        The columns of times are left out.
        """
        parts = [each.to_frame("pyarrow") for each in self.comparisons.values()]
        sizes = zip(self.comparisons, parts, strict=True)
        tasks = [task for task, part in sizes for _ in range(part.num_rows)]
        table = pa.concat_tables(parts).add_column(0, "task", pa.array(tasks))
        return table.drop_columns("seconds")  # no two runs take the same time

    def facts(self) -> dict[str, Any]:
        """The results of the methods, for each table and over all tables, as numbers and text."""
        together = self.together
        alone = len(self.comparisons) == 1
        return {
            "tasks": [
                {
                    "name": task,
                    "n_positive": len(each.hidden[each.best_].ranks),
                    "n_unlabeled": each.hidden[each.best_].n_unlabeled,
                    "best": each.best_,
                    "weights": dict(each.weights) if each.is_averaged else {},
                    "methods": each.to_frame("pyarrow").to_pylist(),
                }
                for task, each in self.comparisons.items()
            ],
            "best": next(iter(self.comparisons.values())).best_ if alone else together.best_,
            "methods": [] if alone else together.summary("pyarrow").to_pylist(),
        }

    def plot(self) -> Any:
        """An Altair chart of the AUC of each method."""
        if len(self.comparisons) == 1:
            return next(iter(self.comparisons.values())).plot()
        return self.together.plot()


def compare_tables(  # noqa: PLR0913 - each says how one thing is decided
    tables: Sequence[str | PathLike[str]],
    positive: str | None = None,
    *,
    methods: Sequence[str] = (),
    class_prior: float | None = None,
    n_folds: int = effort.N_FOLDS,
    random_state: int = 0,
    n_workers: int | None = None,
    cluster: str | None = None,
    only_if_slow: bool = False,
    on_read: Callable[[Problem], None] | None = None,
    on_plan: Callable[[str, Plan], None] | None = None,
    on_compared: Callable[[Comparison], None] | None = None,
    on_progress: OnProgress | None = None,
    **reading: Any,
) -> ComparedTables:
    """Compare methods on each of several tables, by the methods that suit all these tables.

    Parameters
    ----------
    tables : paths of the tables
    positive, methods, class_prior, random_state, n_workers, cluster, on_progress : as for
        `rank_table`
    n_folds : number of parts of the positives; each part is hidden in turn
    only_if_slow : as for `fits_elsewhere`
    on_read : called with each table, when it was read
    on_plan : called with the name and the plan of each table, before its methods are compared
    on_compared : called with the comparison of each table, when it is finished
    reading : further arguments of `read_problem`

    Raises
    ------
    TableError : if no table is given, if a table is given twice, or if one cannot be read

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> table.to_csv(folder / "sizes.csv", index=False)
    >>> from onesided.ranking import compare_tables
    >>> methods = ["naive-bayes", "logistic"]
    >>> compared = compare_tables([folder / "sizes.csv"], "known", methods=methods)
    >>> compared.table.column_names[:3]
    ['task', 'method', 'hidden_positive_auc']
    """
    check_arguments(locals())
    plans, found = [], {}
    named = _named([as_path(each, "tables") for each in tables or ()])
    for task, path in named.items():
        with _speaking_of(task * (len(named) > 1)):
            problem = read_problem(path, positive, **reading)
            if on_read is not None:
                on_read(problem)
            plan = plan_ranking(
                problem,
                methods=methods,
                class_prior=class_prior,
                n_folds=n_folds,
                random_state=random_state,
            )
            plans.append(plan)
    with fits_elsewhere(n_workers, cluster, only_if_slow=only_if_slow):
        for task, plan in zip(named, _in_common(plans), strict=True):
            with _speaking_of(task * (len(named) > 1)):
                if on_plan is not None:
                    on_plan(task, plan)
                stage = "comparing" + f" on {task}" * (len(named) > 1)
                found[task] = plan.compare(on_progress, refit=False, stage=stage)
            if on_compared is not None:
                on_compared(found[task])
    return ComparedTables(found)


def _named(paths: Sequence[Path]) -> dict[str, Path]:
    """The path of each table by its name; if two tables share their name, all names are paths.

    Raises
    ------
    TableError : if no table is given, or a table is given twice
    """
    if not paths:
        raise TableError("No table is given.", "Pass the path of one table or more.")
    for name in (table_name, str):
        named = {name(path): path for path in paths}
        if len(named) == len(paths):
            return named
    twice = next(path for path in paths if paths.count(path) > 1)
    raise TableError(f"The table {str(twice)!r} is given twice.", "Pass each table once.")


def _in_common(plans: Sequence[Plan]) -> list[Plan]:
    """The plans with only the methods that all of them have, so that tables can be compared."""
    names = [name for name in plans[0].rankers if all(name in plan.rankers for plan in plans)]
    return [replace(plan, rankers={name: plan.rankers[name] for name in names}) for plan in plans]


@contextmanager
def _speaking_of(task: str) -> Iterator[None]:
    """Begin each error and warning with the name of the task; an empty name adds nothing."""
    with caught_warnings(Warning, subject=task) as caught:
        yield
    warn_again(caught, task)
