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
from onesided._typing import Floats, Ints
from onesided.model_selection._hidden import HiddenPositives


@dataclass(frozen=True)
class TaskComparison(Displayed):
    """What `compare` found on several tasks.

    Attributes
    ----------
    tasks, methods : names
    n_positive : shape (n_tasks,)
    auc : shape (n_tasks, n_methods), hidden-positive AUC
    average_rank : shape (n_tasks, n_methods), share of the unlabeled above a hidden positive
    seconds : shape (n_tasks, n_methods), wall-clock time of the fits and scores
    lee_liu : shape (n_tasks, n_methods), Lee–Liu criterion of the hidden positives; or None,
        and no table has it

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
        """Name of the method with the highest mean AUC, the first of equals."""
        return self.methods[int(np.argmax(self.auc.mean(axis=0)))]

    def to_frame(self, backend: str | None = None) -> Any:
        """One row a task and method.

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
        """One row a method: mean and standard deviation over the tasks, as in Table 1.

        Columns: `method`, `auc_mean`, `auc_sd`, `rank_mean`, `rank_sd` (of the average rank of
        hidden positives), `place_mean` (of the method among the methods by AUC, 1 is best, the
        mean of their places for equals), `lee_liu_share` (Lee–Liu criterion in parts of the highest
        on the task, since its scale is that of the task; the mean over the tasks on which any has
        one above 0), `seconds` (of all tasks together), `n_tasks`. The deviation of one task is
        NaN.

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
        """One row for each method and each other method, as in Table 2.

        Columns: `method`, `other`; `n_better`, tasks on which the AUC of the method is higher;
        `mean_gain`, by what share of the other's AUC it is higher, the mean over those tasks (NaN
        where there are none); `n_tasks`; `wilcoxon_p`, two-sided p-value of the signed-rank test
        of the AUCs, task by task (NaN where they differ on fewer than two).

        Parameters
        ----------
        backend : as in `to_frame`

        Notes
        -----
        Geurts 2011, Table 2, which gives the gain in percent.
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
        """The AUC of each method on each task as an Altair chart; a tick is the mean."""
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        rows = self.to_frame("pyarrow").to_pydict()
        return _charts.of_tasks(rows, [name for name, _ in self._by_mean()])

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {mean:.3f}" for name, mean in self._by_mean())
        return f"Mean hidden-positive AUC over {len(self.tasks)} tasks, best first: {listed}."

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
    """In parts of the highest of a task, the mean over those where one is above 0; NaN for none.

    Shape (n_methods,).
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
