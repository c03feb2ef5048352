"""Methods side by side on several tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata, wilcoxon

from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._text import counted
from onesided._typing import Floats, Ints
from onesided.model_selection._placements import HiddenPositives


@dataclass(frozen=True)
class TaskComparison(Displayed):
    """Results of `compare` on several tasks.

    Attributes
    ----------
    tasks, methods : names of the tasks and of the methods
    n_positive : shape (n_tasks,), number of positives of each task
    auc : shape (n_tasks, n_methods), hidden-positive AUC
    average_rank : shape (n_tasks, n_methods), mean share of the unlabeled rows above a hidden
        positive
    seconds : shape (n_tasks, n_methods), wall-clock time of the fits and scores
    lee_liu : shape (n_tasks, n_methods), Lee–Liu criterion of the hidden positives; if it is None,
        no table has this column

    Examples
    --------
    >>> import numpy as np
    >>> from onesided.model_selection import TaskComparison
    >>> auc = np.array([[0.8, 0.9], [0.7, 0.9]])
    >>> found = TaskComparison(
    ...     ["birds", "bats"], ["bayes", "svm"], n_positive=np.array([10, 20]), auc=auc,
    ...     average_rank=1 - auc, seconds=np.ones((2, 2)))
    >>> found.best_
    'svm'
    >>> found.to_frame("pandas")[["task", "method", "hidden_positive_auc"]].head(2)
        task method  hidden_positive_auc
    0  birds  bayes                  0.8
    1  birds    svm                  0.9
    """

    tasks: Sequence[str]
    methods: Sequence[str]
    n_positive: Ints
    auc: Floats
    average_rank: Floats
    seconds: Floats
    lee_liu: Floats | None = None

    @classmethod
    def of(
        cls,
        hidden: Mapping[str, Mapping[str, HiddenPositives]],
        seconds: Mapping[str, Mapping[str, float]],
    ) -> Self:
        """From the hidden positives of each task and method.

        Parameters
        ----------
        hidden, seconds : of each task, for each method
        """
        tasks = list(hidden)
        methods = list(hidden[tasks[0]])
        found = [[hidden[task][method] for method in methods] for task in tasks]
        return cls(
            tasks,
            methods,
            np.array([len(of_task[0].ranks) for of_task in found]),
            np.array([[each.auc for each in of_task] for of_task in found]),
            np.array([[each.ranks.mean() for each in of_task] for of_task in found]),
            np.array([[seconds[task][method] for method in methods] for task in tasks]),
            np.array([[float(each.lee_liu) for each in of_task] for of_task in found]),
        )

    @property
    def best_(self) -> str:
        """Name of the first method with the highest mean AUC."""
        return self.methods[int(np.argmax(self.auc.mean(axis=0)))]

    def to_frame(self, backend: str | None = None) -> Any:
        """Data frame with one row for each task and method.

        Columns: `task`, `n_positive`, `method`, `hidden_positive_auc`, `average_rank`, `lee_liu`,
        `seconds`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first that is installed
        """
        n_tasks, n_methods = self.auc.shape
        columns: dict[str, list[Any]] = {
            "task": np.repeat(self.tasks, n_methods).tolist(),
            "n_positive": np.repeat(self.n_positive, n_methods).tolist(),
            "method": list(self.methods) * n_tasks,
            "hidden_positive_auc": self.auc.ravel().tolist(),
            "average_rank": self.average_rank.ravel().tolist(),
        }
        if self.lee_liu is not None:
            columns["lee_liu"] = self.lee_liu.ravel().tolist()
        columns["seconds"] = self.seconds.ravel().tolist()
        return frame_of(columns, backend)

    def summary(self, backend: str | None = None) -> Any:
        """Data frame with one row for each method: means and standard deviations over the tasks.

        The layout is that of Geurts 2011, Table 1. Columns: `method`; `auc_mean` and `auc_sd`;
        `rank_mean` and `rank_sd`, for the average rank of hidden positives; `place_mean`, the mean
        place of the method among the methods by AUC, where 1 is best and methods with equal AUCs
        share the mean of their places; `lee_liu_share`; `seconds`, summed over all tasks;
        `n_tasks`. With one task, the standard deviations are NaN.

        For `lee_liu_share`, the Lee–Liu criterion of each task is divided by the highest criterion
        of the task, because its scale depends on the task. The mean is over tasks whose highest
        criterion is above 0.

        Parameters
        ----------
        backend : as in `to_frame`
        """
        columns: dict[str, list[Any]] = {"method": list(self.methods)}
        for name, values in (("auc", self.auc), ("rank", self.average_rank)):
            columns[f"{name}_mean"] = values.mean(axis=0).tolist()
            columns[f"{name}_sd"] = _deviation(values).tolist()
        columns["place_mean"] = rankdata(-self.auc, axis=1).mean(axis=0).tolist()
        if self.lee_liu is not None:
            columns["lee_liu_share"] = _share_of_best(self.lee_liu).tolist()
        columns["seconds"] = self.seconds.sum(axis=0).tolist()
        columns["n_tasks"] = [len(self.tasks)] * len(self.methods)
        return frame_of(columns, backend)

    def pairwise(self, backend: str | None = None) -> Any:
        """Data frame with one row for each ordered pair of methods.

        Columns: `method`; `other`; `n_better`, the number of tasks on which `method` has the higher
        AUC; `mean_gain`, the mean relative gain in AUC over these tasks, as a share of the AUC of
        `other` (NaN if there are no such tasks); `n_tasks`; `wilcoxon_p`, the two-sided p-value of
        the signed-rank test on the paired AUCs of the tasks (NaN if the AUCs differ on fewer than
        two tasks).

        Parameters
        ----------
        backend : as in `to_frame`

        Notes
        -----
        The layout is that of Geurts 2011, Table 2, which gives the gain in percent.
        """
        columns: dict[str, list[Any]] = {
            name: []
            for name in ("method", "other", "n_better", "mean_gain", "n_tasks", "wilcoxon_p")
        }
        p_values = {
            frozenset(pair): wilcoxon_p(*self.auc[:, pair].T)
            for pair in combinations(range(len(self.methods)), 2)
        }
        for i, method in enumerate(self.methods):
            for j, other in enumerate(self.methods):
                if i == j:
                    continue
                better = self.auc[:, i] > self.auc[:, j]
                gains = self.auc[better, i] / self.auc[better, j] - 1
                columns["method"].append(method)
                columns["other"].append(other)
                columns["n_better"].append(int(better.sum()))
                columns["mean_gain"].append(float(gains.mean()) if better.any() else float("nan"))
                columns["n_tasks"].append(len(self.tasks))
                columns["wilcoxon_p"].append(p_values[frozenset((i, j))])
        return frame_of(columns, backend)

    def plot(self) -> Any:
        """Altair chart of the AUC of each method on each task; a tick shows the mean over tasks."""
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        rows = self.to_frame("pyarrow").to_pydict()
        return _charts.of_tasks(rows, [name for name, _ in self._by_mean()])

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {mean:.3f}" for name, mean in self._by_mean())
        return (
            f"Mean hidden-positive AUC over {counted(len(self.tasks), 'task')}, best first: "
            f"{listed}."
        )

    def _by_mean(self) -> list[tuple[str, float]]:
        """Methods with their mean AUC, best first."""
        means = self.auc.mean(axis=0)
        return [(self.methods[i], float(means[i])) for i in np.argsort(-means, kind="stable")]


def wilcoxon_p(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided p-value of the signed-rank test of pairs; NaN where fewer than two differ.

    Pairs that do not differ are left out. Of up to 50 others the p-value is exact if no two differ
    by the same amount, else that of the normal approximation with ties.

    Parameters
    ----------
    first, second : each of shape (n_pairs,)
    """
    differences = np.round(np.subtract(first, second), 12)  # else equal ones differ in a last bit
    informative = differences[differences != 0]
    if len(informative) < 2:  # noqa: PLR2004 - of one pair p is 1, whatever it is
        return float("nan")
    ties = len(np.unique(np.abs(informative))) < len(informative)
    method = "asymptotic" if ties else "auto"  # with ties "auto" enumerates signs, for seconds
    return float(wilcoxon(informative, method=method).pvalue)


def _share_of_best(values: Floats) -> Floats:
    """Mean share of the best score of a task; shape (n_methods,).

    Each task's scores are divided by its best score; the mean is over tasks whose best score is
    positive. Without such tasks it is NaN.
    """
    told = values[values.max(axis=1) > 0]
    if not len(told):
        return np.full(values.shape[1], np.nan)
    return np.asarray((told / told.max(axis=1, keepdims=True)).mean(axis=0))


def _deviation(values: Floats) -> Floats:
    """Standard deviation over tasks, NaN for one; shape (n_methods,)."""
    if len(values) < 2:  # noqa: PLR2004 - one number has none
        return np.full(values.shape[1], np.nan)
    return values.std(axis=0, ddof=1)
