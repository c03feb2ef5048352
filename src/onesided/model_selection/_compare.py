"""Methods side by side."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm
from sklearn.base import clone

from onesided._frames import frame_of
from onesided._labels import encode_labels
from onesided._typing import Floats, RandomState
from onesided.exceptions import DataError
from onesided.model_selection._folds import PositiveKFold
from onesided.model_selection._hidden import (
    HiddenPositives,
    check_estimator,
    fixed_seed,
    hide_and_rank,
    positive_label_of,
)
from onesided.model_selection._tasks import TaskComparison, wilcoxon_p

_Z = 1.959964  # of a 95 percent interval


@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    Attributes
    ----------
    hidden : for each method its hidden positives, all hidden in the same folds
    seconds : for each method the wall-clock time of its fits and scores
    best_ : name of the method with the highest hidden-positive AUC, the first of equals
    best_estimator_ : that method, fitted on all rows
    """

    hidden: Mapping[str, HiddenPositives]
    seconds: Mapping[str, float]
    best_: str
    best_estimator_: Any

    def to_frame(self, backend: str | None = None) -> Any:
        """One row a method, best first.

        Columns: `method`, `hidden_positive_auc`, its standard error `auc_standard_error` and 95
        percent interval `auc_low` and `auc_high`, `average_rank` (share of the unlabeled above a
        hidden positive), `lee_liu` (criterion of the hidden positives) with its 95 percent interval
        `lee_liu_low` and `lee_liu_high`, `p_value_against_best`, `n_positive`, `seconds`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is
            installed (pyarrow always is)

        Notes
        -----
        Standard error and interval are those of DeLong, DeLong, Clarke-Pearson 1988: positives
        and unlabeled rows are both samples of independent rows, the fits are given. The normal
        approximation asks for some tens of positives: the interval covers .94 with 50, .89 with 10,
        .83 with 5, and has no width where all positives are above all unlabeled rows.

        The p-value is `delong_p` of `pairwise` against the best method: NaN for the best itself.
        Since the best was chosen by the same figures, it is too small.
        """
        order = sorted(self.hidden, key=lambda name: -self.hidden[name].auc)
        found = [self.hidden[name] for name in order]
        auc = np.array([each.auc for each in found])
        errors = np.array([standard_error(each) for each in found])
        lee_liu = [each.lee_liu for each in found]
        low, high = zip(*(each.interval() for each in lee_liu), strict=True)
        columns: dict[str, list[Any]] = {
            "method": order,
            "hidden_positive_auc": auc.tolist(),
            "auc_standard_error": errors.tolist(),
            "auc_low": np.maximum(auc - _Z * errors, 0).tolist(),
            "auc_high": np.minimum(auc + _Z * errors, 1).tolist(),
            "average_rank": [float(each.ranks.mean()) for each in found],
            "lee_liu": [float(each) for each in lee_liu],
            "lee_liu_low": list(low),
            "lee_liu_high": list(high),
            "p_value_against_best": [delong_p(each, self.hidden[self.best_]) for each in found],
            "n_positive": [len(each.ranks) for each in found],
            "seconds": [self.seconds[name] for name in order],
        }
        return frame_of(columns, backend)

    def pairwise(self, backend: str | None = None) -> Any:
        """One row for each method and each other method.

        Columns: `method`, `other`; `n_better`, hidden positives that the method ranks higher;
        `auc_gain`, its AUC less that of the other; `n_positive`; `delong_p`, two-sided p-value of
        the test of DeLong, DeLong, Clarke-Pearson 1988 that the AUCs are the same (NaN where
        the gain does not vary); `wilcoxon_p`, that of the signed-rank test of the ranks, positive
        by positive (NaN where fewer than two differ).

        Parameters
        ----------
        backend : as in `to_frame`

        Notes
        -----
        DeLong's test is of the difference on new positives and new unlabeled rows. It takes all of
        these as independent, so not as in groups, and is a normal approximation: of methods that
        are the same it rejects .055 at level .05 with 50 positives, .09 with 5.

        The signed-rank test takes the unlabeled as given: it asks whether a new positive is as
        likely to gain as to lose among these very rows. All positives are ranked against them, so
        for new unlabeled rows it is liberal if they are few. With 50 positives it rejects .18 at
        level .05 with as many unlabeled, .09 with four times and .05 with twenty times as many.

        Both are of the fits that were made: neither carries the variance of training, and methods
        that learned from other rows could differ more.
        """
        columns: dict[str, list[Any]] = {
            name: []
            for name in (
                "method",
                "other",
                "n_better",
                "auc_gain",
                "n_positive",
                "delong_p",
                "wilcoxon_p",
            )
        }
        p_values = {
            frozenset((method, other)): (
                delong_p(found, there),
                wilcoxon_p(found.ranks, there.ranks),
            )
            for (method, found), (other, there) in combinations(self.hidden.items(), 2)
        }
        for (method, found), (other, there) in permutations(self.hidden.items(), 2):
            columns["method"].append(method)
            columns["other"].append(other)
            columns["n_better"].append(int((found.ranks < there.ranks).sum()))
            columns["auc_gain"].append(found.auc - there.auc)
            columns["n_positive"].append(len(found.ranks))
            of_delong, of_wilcoxon = p_values[frozenset((method, other))]
            columns["delong_p"].append(of_delong)
            columns["wilcoxon_p"].append(of_wilcoxon)
        return frame_of(columns, backend)

    def plot(self) -> Any:
        """The AUC of each method with its 95 percent interval as an Altair chart, best first."""
        import altair as alt  # noqa: PLC0415 - only a picture needs it

        rows = self.to_frame("pyarrow")
        y = alt.Y("method:N", sort=rows["method"].to_pylist(), title=None)
        title = "hidden-positive AUC, with its 95 % interval"
        intervals = (
            alt.Chart(rows)
            .mark_rule(strokeWidth=2, color="#5b7795")
            .encode(
                x=alt.X("auc_low:Q", scale=alt.Scale(zero=False), title=title), x2="auc_high:Q", y=y
            )
        )
        points = (
            alt.Chart(rows)
            .mark_circle(size=70, opacity=1, color="#b8431f")
            .encode(
                x="hidden_positive_auc:Q",
                y=y,
                tooltip=["method:N", "hidden_positive_auc:Q", "lee_liu:Q", "seconds:Q"],
            )
        )
        return alt.layer(intervals, points).properties(width=480, height=alt.Step(26))


@overload
def compare(
    estimators: Mapping[str, Any],
    X: Any,
    y: Mapping[str, ArrayLike],
    *,
    cv: int | PositiveKFold = 5,
    groups: Any = None,
    random_state: RandomState = 0,
    on_fold: Callable[[str], None] | None = None,
) -> TaskComparison: ...


@overload
def compare(
    estimators: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    *,
    cv: int | PositiveKFold = 5,
    groups: ArrayLike | None = None,
    random_state: RandomState = 0,
    on_fold: Callable[[str], None] | None = None,
) -> Comparison: ...


def compare(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    cv: int | PositiveKFold = 5,
    groups: Any = None,
    random_state: RandomState = 0,
    on_fold: Callable[[str], None] | None = None,
) -> Comparison | TaskComparison:
    """Rank the positives hidden among the unlabeled by each method, in the same folds.

    Parameters
    ----------
    estimators : names and estimators; pipelines too
    X : array-like, CSR matrix or data frame with n_rows rows; or a dictionary of them, one a task
    y : shape (n_rows,); or a dictionary of tasks, each with labels of its own
    cv : number of folds of the positives, or a `PositiveKFold`
    groups : shape (n_rows,); positives of a group are hidden together. A dictionary where X is one
    random_state : of the folds; the same for all methods
    on_fold : called with the name of the method after each fit

    Returns
    -------
    a `Comparison`, or for a dictionary of tasks a `TaskComparison`

    Raises
    ------
    DataError : if there are no estimators, or no tasks, or X lacks one
    LabelError : if there are fewer than two positives

    Notes
    -----
    The AUC of the best of several methods is a little too high, since it was chosen by it.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from onesided import PositiveNaiveBayes, WeightedLogisticRegression
    >>> X, y = make_classification(300, random_state=0)
    >>> methods = {"weak": WeightedLogisticRegression(1e-6),
    ...            "strong": WeightedLogisticRegression(1.0)}
    >>> found = compare(methods, X, y)
    >>> found.best_estimator_.n_features_in_
    20

    Several sets of positives in one table, as the targets of several transcription factors:

    >>> compare(methods, X, {"ones": y, "zeros": 1 - y}).auc.shape
    (2, 2)
    """
    _check_estimators(estimators)
    seed = fixed_seed(random_state)  # one draw for all methods
    if isinstance(y, Mapping):
        _check_tasks(X, y)
        found = {
            task: _judge(estimators, _of(X, task), labels, cv, _of(groups, task), seed, on_fold)
            for task, labels in y.items()
        }
        return TaskComparison.of(
            {task: hidden for task, (hidden, _) in found.items()},
            {task: seconds for task, (_, seconds) in found.items()},
        )
    if isinstance(X, Mapping):
        raise DataError("X is of several tasks, y is not.", "Pass {task: labels} as y.")
    hidden, seconds = _judge(estimators, X, y, cv, groups, seed, on_fold)
    best = max(hidden, key=lambda name: hidden[name].auc)
    return Comparison(hidden, seconds, best, clone(estimators[best]).fit(X, y))


def _judge(
    estimators: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    cv: int | PositiveKFold,
    groups: ArrayLike | None,
    seed: int,
    on_fold: Callable[[str], None] | None,
) -> tuple[dict[str, HiddenPositives], dict[str, float]]:
    """The hidden positives and the time of each method."""
    labels = [positive_label_of(each) for each in estimators.values()]
    positive, coding = encode_labels(y, next((each for each in labels if each is not None), None))
    y = coding.classes[positive.astype(int)]
    hidden: dict[str, HiddenPositives] = {}
    seconds: dict[str, float] = {}
    for name, estimator in estimators.items():
        start = time.perf_counter()
        hidden[name] = hide_and_rank(
            estimator,
            X,
            y,
            cv=cv,
            groups=groups,
            random_state=seed,
            on_fold=None if on_fold is None else _call_with(on_fold, name),
        )
        seconds[name] = time.perf_counter() - start
    return hidden, seconds


def _of(given: Any, task: str) -> Any:
    return given[task] if isinstance(given, Mapping) else given


def _check_estimators(estimators: Any) -> None:
    if not isinstance(estimators, Mapping) or not estimators:
        raise DataError(
            f"estimators is {estimators!r:.60}.",
            'Pass a dictionary of names and estimators, {"bayes": ...}.',
        )
    for estimator in estimators.values():
        check_estimator(estimator)


def _check_tasks(X: Any, y: Mapping[str, ArrayLike]) -> None:
    if not y:
        raise DataError("y has no tasks.", 'Pass {"task": labels, ...}, or the labels alone.')
    missing = [task for task in y if isinstance(X, Mapping) and task not in X]
    if missing:
        raise DataError(
            f"X has no task {missing[0]!r}.", "Pass the rows of each task, or one X for all."
        )


def standard_error(found: HiddenPositives) -> float:
    """Standard error of the hidden-positive AUC; NaN with a single unlabeled row."""
    return _error_of_pairs(found.ranks, found.unlabeled_placements)


def delong_p(first: HiddenPositives, second: HiddenPositives) -> float:
    """Two-sided p-value that two methods, with the same rows hidden, have the same AUC.

    NaN where no variance is seen, as between methods that rank alike.
    """
    error = _error_of_pairs(
        first.ranks - second.ranks, first.unlabeled_placements - second.unlabeled_placements
    )
    if not error > 0:
        return float("nan")
    return float(2 * norm.sf(abs(first.auc - second.auc) / error))


def _error_of_pairs(of_positives: Floats, of_unlabeled: Floats) -> float:
    """Standard error of a mean over all pairs of a positive and an unlabeled row.

    DeLong, DeLong, Clarke-Pearson 1988: the variances of the means over the positives and over the
    unlabeled add up, S10 / m + S01 / n. Ranks are one less V10, which has the same variance.

    Parameters
    ----------
    of_positives, of_unlabeled : shapes (n_positive,) and (n_unlabeled,), the mean over the pairs
        of each row

    Returns
    -------
    NaN where there is a single row of a kind
    """
    if min(len(of_positives), len(of_unlabeled)) < 2:  # noqa: PLR2004 - of one row none is seen
        return float("nan")
    parts = (np.var(each, ddof=1) / len(each) for each in (of_positives, of_unlabeled))
    return float(np.sqrt(sum(parts)))


def _call_with(on_fold: Callable[[str], None], name: str) -> Callable[[], None]:
    return lambda: on_fold(name)
