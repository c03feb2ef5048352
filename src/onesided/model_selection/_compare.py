"""Methods side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import clone

from onesided._display import Displayed
from onesided._frames import frame_of, in_memory
from onesided._text import as_percent
from onesided._typing import Bools, OnProgress, RandomState
from onesided._validation import check_mask, check_rows, fixed_seed
from onesided.exceptions import DataError, naming
from onesided.model_selection import _delong
from onesided.model_selection._average import HiddenRanks, RankAverage, check_shares
from onesided.model_selection._estimators import check_estimator, cut_of, which_is_positive
from onesided.model_selection._fits import deal_unlabeled, fits_that_hide
from onesided.model_selection._folds import Folds, PositiveKFold, PositiveTimeSplit
from onesided.model_selection._labels import Labels
from onesided.model_selection._placements import HiddenPositives, PlacedPositives, Placements
from onesided.model_selection._tasks import TaskComparison, wilcoxon_p

AVERAGE = "average of methods"
"""The name of the average in a comparison."""

_SURELY = 0.001  # the p-value at which a method is taken in place of the average


@dataclass(frozen=True)
class Comparison(Displayed):
    """Results of `compare`: hidden positives, fit times and the best method.

    Attributes
    ----------
    hidden : for each method, its `HiddenPositives`; the folds are the same for all methods
    seconds : for each method, the wall-clock time of its fits and scores, in seconds
    best_ : name of the best method: the first method with the highest hidden-positive AUC. If
        methods are averaged, it is the average, unless a method is better than the average with
        p < .001
    best_estimator_ : the best method, fitted on all rows; None if it was not fitted again
    weights : if methods are averaged, the weights of the methods in the average, which sum to 1
    apart : for each method, the `PlacedPositives` that `compare` set apart by its argument `apart`,
        hidden in the same fits; empty if no positive was set apart

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from onesided import CenterOfMassRanker, PositiveNaiveBayes
    >>> from onesided.model_selection import compare
    >>> X, y = make_classification(100, random_state=0)
    >>> methods = {"Bayes": PositiveNaiveBayes(0.2), "center": CenterOfMassRanker()}
    >>> found = compare(methods, X > 0, y)
    >>> found.best_
    'Bayes'
    >>> {name: round(hidden.auc, 2) for name, hidden in found.hidden.items()}
    {'Bayes': 0.89, 'center': 0.89}
    """

    hidden: Mapping[str, HiddenPositives]
    seconds: Mapping[str, float]
    best_: str
    best_estimator_: Any
    weights: Mapping[str, float] = field(default_factory=dict)
    apart: Mapping[str, PlacedPositives] = field(default_factory=dict)

    def to_frame(self, backend: str | None = None) -> Any:
        """Data frame with one row for each method, the best method first.

        Columns: `method`; `hidden_positive_auc`; `auc_standard_error`; `auc_low` and `auc_high`,
        the limits of the 95 percent interval of the AUC; `average_rank`, the mean share of the
        unlabeled rows above a hidden positive; `lee_liu`, the Lee-Liu criterion of the hidden
        positives; `lee_liu_low` and `lee_liu_high`, the limits of its 95 percent interval;
        `p_value_against_best`; `n_positive`; `seconds`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of these three that is
            installed (pyarrow always is)

        Notes
        -----
        The standard error is from DeLong, DeLong, Clarke-Pearson 1988. Positives and unlabeled rows
        both count as samples of independent rows, and the fits as given. The interval is method 5
        of Newcombe 2006. It is made wider if DeLong's standard error, with the t distribution,
        gives a wider interval.

        With 2 positives or more, the interval covers the true value in .94 to .99 of draws of
        normal and of exponential scores. Coverage is lower, .85 or more and mostly .95, in two
        cases: the scores of positives spread three times as wide as the scores of unlabeled rows,
        or some positives score like unlabeled rows.

        `p_value_against_best` is `delong_p` of `pairwise` against the best method; it is NaN for
        the best method itself. It is too small, because the best method was chosen by the same
        AUCs.
        """
        order = sorted(self.hidden, key=lambda name: -self.hidden[name].auc)
        found = [self.hidden[name] for name in order]
        auc_low, auc_high = zip(*(_delong.interval(each) for each in found), strict=True)
        lee_liu = [each.lee_liu for each in found]
        low, high = zip(*(each.interval() for each in lee_liu), strict=True)
        columns: dict[str, list[Any]] = {
            "method": order,
            "hidden_positive_auc": [each.auc for each in found],
            "auc_standard_error": [_delong.standard_error(each) for each in found],
            "auc_low": list(auc_low),
            "auc_high": list(auc_high),
            "average_rank": [float(each.ranks.mean()) for each in found],
            "lee_liu": [float(each) for each in lee_liu],
            "lee_liu_low": list(low),
            "lee_liu_high": list(high),
            "p_value_against_best": [
                _delong.p_value(each, self.hidden[self.best_]) for each in found
            ],
            "n_positive": [len(each.ranks) for each in found],
            "seconds": [self.seconds[name] for name in order],
        }
        return frame_of(columns, backend)

    @property
    def leading(self) -> str:
        """Name of the best method; if it is the average, the method with the largest weight."""
        weights = self.weights if self.is_averaged else {self.best_: 1.0}
        return max(weights, key=lambda name: weights[name])

    @property
    def taken(self) -> dict[str, Any]:
        """The row of `to_frame` for the best method."""
        rows: list[dict[str, Any]] = self.to_frame("pyarrow").to_pylist()
        return next(row for row in rows if row["method"] == self.best_)

    def pairwise(self, backend: str | None = None) -> Any:
        """Data frame with one row for each ordered pair of methods.

        Columns: `method`; `other`; `n_better`, the number of hidden positives that `method` ranks
        higher than `other`; `auc_gain`, the AUC of `method` minus the AUC of `other`; `n_positive`;
        `delong_p`, the two-sided p-value of the test of DeLong, DeLong, Clarke-Pearson 1988 that
        the AUCs are equal (NaN if the gain does not vary); `wilcoxon_p`, the two-sided p-value of
        the signed-rank test on the paired ranks of the hidden positives (NaN if fewer than two
        pairs differ).

        Parameters
        ----------
        backend : as in `to_frame`

        Notes
        -----
        DeLong's test is about the difference on new positives and new unlabeled rows. It assumes
        that all rows are independent, so it does not account for groups. It uses the t distribution
        with the degrees of freedom of Welch and Satterthwaite instead of the normal distribution.
        At level .05, its false positive rate is at most .06 with 3 positives or more, and up to .11
        with 2 positives.

        The signed-rank test takes the unlabeled rows as given. It asks whether a new positive is as
        likely to rank higher as to rank lower among exactly these unlabeled rows. For new unlabeled
        rows, the test rejects too often if there are few unlabeled rows. With 50 positives and
        level .05, it rejects .18 of true null hypotheses if there are 50 unlabeled rows, .09 with
        200 unlabeled rows and .05 with 1,000.

        Both tests take the fits as given. They do not include the variance of training, and methods
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
                _delong.p_value(found, there),
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
        """Altair chart of each method's AUC with its 95 percent interval, best method first."""
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        return _charts.intervals(self.to_frame("pyarrow").to_pydict())

    @property
    def is_averaged(self) -> bool:
        """Whether the best method is the average of the methods."""
        return self.best_ == AVERAGE and bool(self.weights)

    @property
    def reason(self) -> str:
        """Sentence that says by how much the best method is ahead of the next."""
        first, *others = self.to_frame("pyarrow").to_pylist()
        if not others:
            return f"taken: {first['method']}, the only method"
        if self.is_averaged:
            shares = sorted(self.weights.items(), key=lambda each: -each[1])
            counted = "; ".join(f"{name} {as_percent(share)}" for name, share in shares)
            return (
                f"taken: {AVERAGE}, since no method is better than it beyond chance (p < {_SURELY}"
                f"). The weights in it: {counted}"
            )
        if first["method"] != self.best_:
            return (
                f"taken: {self.best_}, since it is better than the {AVERAGE} beyond chance (p < "
                f"{_SURELY}), which cannot be said of {first['method']}"
            )
        gap = first["hidden_positive_auc"] - others[0]["hidden_positive_auc"]
        return (
            f"taken: {self.best_}, whose AUC is the highest, {gap:.3f} above "
            f"{others[0]['method']} (p = {others[0]['p_value_against_best']:.2g} for no difference)"
        )

    def __str__(self) -> str:
        rows = self.to_frame("pyarrow").to_pylist()
        best, *others = sorted(rows, key=lambda each: each["method"] != self.best_)
        n_unlabeled = self.hidden[self.best_].n_unlabeled
        how = "ranks hidden positives highest" if rows[0]["method"] == self.best_ else "is taken"
        said = (
            f"{self.best_} {how}: AUC "
            f"{best['hidden_positive_auc']:.3f} (95% interval {best['auc_low']:.3f} to "
            f"{best['auc_high']:.3f}), of {best['n_positive']} among {n_unlabeled} unlabeled rows."
        )
        if others:
            listed = ", ".join(
                f"{each['method']} {each['hidden_positive_auc']:.3f}" for each in others
            )
            said += f"\nThe others: {listed}."
        return said


@overload
def compare(
    estimators: Mapping[str, Any],
    X: Any,
    y: Mapping[str, ArrayLike],
    *,
    cv: int | Folds = 5,
    groups: Any = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    average: bool | Mapping[str, float] = False,
    refit: bool = True,
    on_progress: OnProgress | None = None,
) -> TaskComparison: ...


@overload
def compare(
    estimators: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    *,
    cv: int | Folds = 5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    average: bool | Mapping[str, float] = False,
    apart: ArrayLike | None = None,
    known_negative: ArrayLike | None = None,
    refit: bool = True,
    on_progress: OnProgress | None = None,
) -> Comparison: ...


def compare(  # noqa: PLR0913 - each says how one thing is decided
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    cv: int | Folds = 5,
    groups: Any = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    average: bool | Mapping[str, float] = False,
    apart: ArrayLike | None = None,
    known_negative: ArrayLike | None = None,
    refit: bool = True,
    on_progress: OnProgress | None = None,
) -> Comparison | TaskComparison:
    """Compare methods by how well they rank positives that are hidden among the unlabeled rows.

    Parameters
    ----------
    estimators : dictionary of names and estimators or pipelines
    X : array-like, CSR matrix or data frame with n_rows rows; or a dictionary with one such table
        for each task
    y : shape (n_rows,), positive or unlabeled; or a dictionary with the labels of each task
    cv : number of folds of the positives, or a `PositiveKFold`; the folds are the same for all
        methods. With a `PositiveTimeSplit`, methods learn from earlier rows, and rank later
        positives among the unlabeled rows of the same time
    groups : shape (n_rows,), group of each row; positives of a group are hidden together. With a
        `PositiveTimeSplit`, the time of each row. A dictionary if X is a dictionary
    params : further arguments of each `fit`, `sample_weight` for example. If an argument has one
        value for each row, each fit gets the values of its rows. For a pipeline, a name is an
        argument of the last step, or ``step__name``. The evaluation counts each row once
    positive_label : the value of y that means positive, for text labels; by default the
        `positive_label` of the estimators
    random_state : seed or generator of the folds
    average : whether to compare the average of the methods too, as `RankAverage` computes it, under
        the name "average of methods"; or the votes of each method in the average. With several
        tasks, no average is computed
    apart : shape (n_rows,), whether a positive became known in a different way from the others, for
        example by a check of the ranking. Methods learn from these positives, and each is hidden in
        turn, but the evaluation counts only the other positives. These positives count for the
        weights in the average too. With several tasks, no positive is set apart
    known_negative : shape (n_rows,), whether an unlabeled row is known to be negative. Positives
        are not ranked among known negatives, and methods that can learn from known negatives get
        them. With several tasks, pass no known negatives
    refit : whether to fit the best method on all rows in the end; with several tasks, no method is
        fitted again
    on_progress : function that is called after each fit with the name of the method, the number of
        finished fits and the number of all fits, for each task on its own

    Returns
    -------
    a `Comparison`, or for a dictionary of tasks a `TaskComparison`

    Raises
    ------
    DataError : if there are no estimators or no tasks, X, y and groups do not have the same tasks,
        or the votes do not fit the estimators
    LabelError : if there are fewer than two positives

    Each error begins with the task and the method that failed. An error of another library has this
    information as notes.

    Notes
    -----
    The AUC of the best of several methods is a little too high, because this AUC decided which
    method is the best.

    With `average`, memory holds 4 bytes for each row, fold and method until the last fit: 100 MB
    for a million rows, five folds and five methods. A method with out-of-bag scores counts as one
    fold.

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
    X = in_memory(X)
    _check_estimators(estimators)
    if isinstance(average, Mapping):
        _check_votes(average, estimators)
    folds = _fixed(cv, random_state)
    label = which_is_positive(estimators.values(), positive_label)
    if isinstance(y, Mapping):
        _check_tasks(X, y, groups)
        found = {}
        for task, each in y.items():
            with naming(task):
                labels = Labels.of(each, label, params=params)
                found[task] = _judge(
                    estimators, _of(X, task), labels, folds, _of(groups, task), on_progress
                )
        return TaskComparison.of(
            {task: each.hidden for task, each in found.items()},
            {task: each.seconds for task, each in found.items()},
        )
    for name, given in (("X", X), ("groups", groups)):
        if isinstance(given, Mapping) and not sparse.issparse(given):  # DOK arrays are mappings
            raise DataError(
                f"{name} has several tasks, but y has one.", "Pass {task: labels} as y."
            )
    labels = Labels.of(y, label, known_negative, params)
    judged = _judge(
        estimators,
        X,
        labels,
        folds,
        groups,
        on_progress,
        apart=None if apart is None else check_mask(apart, len(labels.positive), "apart"),
        keep_ranks=bool(average) and len(estimators) > 1,
    )
    if judged.ranks is None:
        best = max(judged.hidden, key=lambda name: judged.hidden[name].auc)
        best_estimator = _of_all_rows(judged, best, estimators[best], X) if refit else None
        return Comparison(judged.hidden, judged.seconds, best, best_estimator, apart=judged.apart)
    votes = average if isinstance(average, Mapping) else dict.fromkeys(estimators, 1.0)
    return _with_average(judged, judged.ranks, estimators, X, folds, groups, votes, refit=refit)


@dataclass
class _Judged:
    """The hidden positives and the time of each method, and the models of all rows there are."""

    labels: Labels
    hidden: dict[str, HiddenPositives]
    apart: dict[str, PlacedPositives]
    seconds: dict[str, float]
    models: dict[str, Any]
    ranks: HiddenRanks | None


def _judge(
    estimators: Mapping[str, Any],
    X: Any,
    labels: Labels,
    folds: Folds,
    groups: ArrayLike | None,
    on_progress: OnProgress | None,
    *,
    apart: Bools | None = None,
    keep_ranks: bool = False,
) -> _Judged:
    check_rows(X, len(labels.positive))  # an error of these is one of every method
    folds.deal(labels.positive, groups)
    placed = {name: Placements(labels, cut_of(each), apart) for name, each in estimators.items()}
    ranks = HiddenRanks(labels, apart) if keep_ranks else None
    found = _Judged(labels, {}, {}, dict.fromkeys(estimators, 0.0), {}, ranks)
    for name, fit in fits_that_hide(
        estimators, X, labels, folds=folds, groups=groups, on_progress=on_progress
    ):
        placed[name].add(fit.hidden, fit.scores, fit.among)
        if ranks is not None:
            ranks.add(name, fit.hidden, fit.scores, fit.among)
        found.seconds[name] += fit.seconds
        if fit.model is not None:
            found.models[name] = fit.model
    found.hidden = {name: each.found() for name, each in placed.items()}
    if apart is not None:
        found.apart = {name: each.apart() for name, each in placed.items()}
    return found


def _of_all_rows(found: _Judged, name: str, estimator: Any, X: Any) -> Any:
    """A method fitted on all rows, unless the comparison has fitted it with these labels."""
    model = found.models.get(name)
    if model is not None and np.array_equal(model.classes_, found.labels.classes):
        return model
    with naming(name):
        return found.labels.fit(clone(estimator), X, by_name=True)


def _with_average(
    found: _Judged,
    ranks: HiddenRanks,
    estimators: Mapping[str, Any],
    X: Any,
    folds: Folds,
    groups: ArrayLike | None,
    votes: Mapping[str, float],
    *,
    refit: bool,
) -> Comparison:
    """The comparison with the average, which is taken unless a method is better than it."""
    votes = {name: votes[name] for name in estimators}
    weights = ranks.weights(votes)
    placed = ranks.of_average(votes, deal_unlabeled(folds, found.labels, groups))
    hidden = placed.found()
    methods = {AVERAGE: hidden, **found.hidden}
    better = [
        name
        for name, each in found.hidden.items()
        if each.auc > hidden.auc and _delong.p_value(each, hidden) < _SURELY
    ]
    best = max(better, key=lambda name: methods[name].auc, default=AVERAGE)
    model = None
    if refit and best == AVERAGE:
        members = [each for each, weight in zip(estimators.items(), weights, strict=True) if weight]
        average = RankAverage(members, weights=weights[weights > 0])
        model = average.learn(X, found.labels, found.models)
    elif refit:
        model = _of_all_rows(found, best, estimators[best], X)
    shares = {
        name: float(weight)
        for name, weight in zip(votes, weights / weights.sum(), strict=True)
        if weight > 0
    }
    seconds = {AVERAGE: sum(found.seconds[name] for name in shares), **found.seconds}
    apart = {AVERAGE: placed.apart(), **found.apart} if found.apart else {}
    return Comparison(methods, seconds, best, model, shares, apart)


def _fixed(cv: int | Folds, random_state: RandomState) -> Folds:
    """Folds that are dealt alike each time, so for each method."""
    if isinstance(cv, PositiveTimeSplit):
        return cv
    if not isinstance(cv, PositiveKFold):
        return PositiveKFold(cv, random_state=fixed_seed(random_state))
    seed = fixed_seed(cv.random_state)
    return PositiveKFold(cv.n_splits, shuffle=cv.shuffle, random_state=seed, hold_out=cv.hold_out)


def _of(given: Any, task: str) -> Any:
    return given[task] if isinstance(given, Mapping) else given


def _check_estimators(estimators: Any) -> None:
    if not isinstance(estimators, Mapping) or not estimators:
        raise DataError(
            f"estimators is {estimators!r:.60}.",
            'Pass a dictionary of names and estimators, {"bayes": ...}.',
        )
    for name, estimator in estimators.items():
        with naming(name):
            check_estimator(estimator)


def _check_votes(votes: Mapping[str, float], estimators: Mapping[str, Any]) -> None:
    for name in estimators:
        if name not in votes:
            raise DataError(
                f"average has no vote for {name!r}.",
                "Pass one number for each estimator, 0 to leave it out.",
            )
    for name in votes:
        if name not in estimators:
            raise DataError(
                f"average has a vote for {name!r}, which is not an estimator.",
                f"The estimators are {', '.join(map(repr, estimators))}.",
            )
    check_shares(list(votes.values()), "average", len(estimators))


def _check_tasks(X: Any, y: Mapping[str, ArrayLike], groups: Any) -> None:
    if not y:
        raise DataError("y has no tasks.", 'Pass {"task": labels, ...}, or only the labels.')
    for name, given in (("X", X), ("groups", groups)):
        if not isinstance(given, Mapping):
            continue
        for missing in [task for task in y if task not in given]:
            raise DataError(
                f"{name} has no task {missing!r}.",
                f"Pass {name} for each task, or one value for all tasks.",
            )
        for missing in [task for task in given if task not in y]:
            raise DataError(
                f"y has no task {missing!r}, which {name} has.", "Pass the labels of each task."
            )
