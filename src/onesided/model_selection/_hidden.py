"""Hidden-positive scores, and out-of-fold scores of the unlabeled.

For a hidden-positive score the positives are dealt into folds. Each fold in turn counts as
unlabeled, and the model ranks it among the unlabeled (Geurts 2011, section 3). For an
out-of-fold score the unlabeled are dealt into folds, and each fold is scored by a model that has
not seen it, since an unlabeled row that counted as negative is scored too low.

Bagging needs no folds: out of bag, each row of either kind is scored by models that did not learn
from it. So one fit gives the hidden-positive scores and the out-of-fold scores.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from textwrap import shorten
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _check_method_params, _num_samples

from onesided._display import Displayed
from onesided._files._memory import give_memory_back
from onesided._frames import frame_of, in_memory
from onesided._labels import encode_labels
from onesided._text import argument, as_percent, kind_of_value
from onesided._typing import Array, Bools, Floats, Ints, OnProgress, RandomState
from onesided._validation import check_mask, check_random_state, check_rows, take_rows
from onesided.exceptions import DataError, LabelError, naming
from onesided.metrics import LeeLiuScore, rank_counts
from onesided.model_selection._folds import Fold, Folds, PositiveKFold, PositiveTimeSplit
from onesided.model_selection._parallel import each_in_turn

IGNORE_LABELS: WeakSet[Any] = WeakSet()
"""Transformers that learn nothing from labels; fits that hide different labels share their rows."""

_MANY_FIRST, _LEAST_SHARE = 0.25, 0.05  # of the positives


@dataclass(frozen=True)
class PlacedPositives(Displayed):
    """Ranks and scores of positives, by models that did not know that these rows are positive.

    Attributes
    ----------
    above, tied : each of shape (n_positive,), number of unlabeled rows that score higher, and that
        score the same. If a positive was ranked among only a part of the unlabeled rows, the
        numbers are scaled up to all unlabeled rows
    scores : shape (n_positive,), score of each positive, in robust standard deviations above the
        median unlabeled row of the same fit
    n_unlabeled : number of unlabeled rows

    Examples
    --------
    Of three positives one is above all ten unlabeled rows:

    >>> import numpy as np
    >>> from onesided.model_selection import PlacedPositives
    >>> placed = PlacedPositives(np.array([0, 1, 5]), np.zeros(3), np.array([4.0, 3.0, 0.5]), 10)
    >>> placed.ranks.tolist(), round(placed.auc, 2), placed.n_first
    ([0.0, 0.1, 0.5], 0.8, 1)
    """

    above: Ints
    tied: Ints
    scores: Floats
    n_unlabeled: int

    @property
    def ranks(self) -> Floats:
        """Share of the unlabeled rows above each positive; a tie counts half, 0 is best."""
        return (self.above + self.tied / 2) / self.n_unlabeled

    @property
    def auc(self) -> float:
        """Hidden-positive AUC: the mean share of the unlabeled rows that rank below a positive."""
        return 1.0 - float(self.ranks.mean())

    @property
    def n_first(self) -> int:
        """Number of positives that score above every unlabeled row."""
        return int(((self.above == 0) & (self.tied == 0)).sum())

    def tells_of(self, n_listed: int) -> bool:
        """Whether a list is long enough to hold a twentieth of the positives.

        The recall of a shorter list says nothing.
        """
        return n_listed >= _LEAST_SHARE * len(self.above)

    @property
    def is_too_good(self) -> bool:
        """Whether at least a quarter of the known positives score above every unlabeled row.

        Suppose that the unlabeled rows include m positives, and that the known positives are like
        these. Then a share of at most 1 / (m + 1) of the known positives scores above every
        unlabeled row. If this property is true, there are three explanations: m is 3 or less, a
        column reveals the labels, or the known positives come from the top of an earlier ranking.
        """
        return self.n_first >= _MANY_FIRST * len(self.above)

    def to_frame(self, backend: str | None = None) -> Any:
        """Data frame with one row for each positive, the highest score first.

        Columns: `positive`, the index of the positive among the positives; `above` and `tied`, the
        numbers of unlabeled rows that score higher and the same; `rank`, the share of the unlabeled
        rows above the positive, where a tie counts half; `score`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of these three that is
            installed (pyarrow always is)
        """
        order = np.argsort(self.ranks, kind="stable")
        columns: dict[str, list[Any]] = {
            "positive": order.tolist(),
            "above": self.above[order].tolist(),
            "tied": self.tied[order].tolist(),
            "rank": self.ranks[order].tolist(),
            "score": self.scores[order].tolist(),
        }
        return frame_of(columns, backend)

    def plot(self) -> Any:
        """Altair chart of the share of positives found by number of unlabeled rows checked.

        The dashed line shows a random ranking.
        """
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        return _charts.found_along(self.ranks, self.n_unlabeled)

    def __str__(self) -> str:
        return (
            f"{len(self.ranks)} positives, each hidden among {self.n_unlabeled} unlabeled rows: "
            f"AUC {self.auc:.3f}. Half of them stand in the first "
            f"{as_percent(float(np.median(self.ranks)))}."
        )


@dataclass(frozen=True)
class HiddenPositives(PlacedPositives):
    """Ranks and scores of the positives, each hidden once among the unlabeled rows.

    Attributes
    ----------
    above, tied, scores, n_unlabeled : as in `PlacedPositives`; with a time split, for the later
        positives only
    unlabeled_placements : shape (n_unlabeled,), share of the positives that score higher than each
        unlabeled row; each positive counts with the fit in which it was hidden, and a tie counts
        half
    predicted : shape (n_positive,), whether each positive was predicted positive while it was
        hidden
    predicted_share : share of the unlabeled rows that were predicted positive, averaged over the
        folds

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.model_selection import hide_and_rank
    >>> X = np.array([[5.0], [4], [6], [3], [2], [1], [0], [1]])
    >>> hidden = hide_and_rank(CenterOfMassRanker(), X, [1, 1, 1, 0, 0, 0, 0, 0], cv=3)
    >>> hidden.ranks.tolist(), hidden.auc, hidden.predicted_share
    ([0.0, 0.0, 0.0], 1.0, 0.0)
    """

    unlabeled_placements: Floats
    predicted: Bools
    predicted_share: float

    @property
    def lee_liu(self) -> LeeLiuScore:
        """Lee-Liu criterion r² / q (Lee, Liu 2003) for hidden positives and unlabeled rows.

        In these fits, a hidden positive counted as unlabeled, like the rows that it is compared
        with. If labels are selected completely at random (SCAR), it is then like a positive among
        the unlabeled rows. The criterion is precision · recall / prior among the unlabeled rows, in
        both scenarios. Labeled rows do not count.

        The criterion can be too low, for two reasons. First, the fits of the folds see fewer
        labels, so the value is a few percent too low for the fit on all rows. Second, the fits
        learned from the same unlabeled rows, as unlabeled. A flexible model can learn to treat the
        positives among these rows as unlabeled. For example, a model that overfits (150 features,
        600 rows, logistic regression with C=100) had .022 here and .369 on new rows.

        The interval is for a new sample, with the fits as given. For the criterion of exactly these
        unlabeled rows, a 95 percent interval covers only .80 to .91 if many of the positives are
        labeled.
        """
        return LeeLiuScore(
            int(self.predicted.sum()),
            len(self.predicted),
            self.predicted_share * self.n_unlabeled,
            self.n_unlabeled,
            scenario="case-control",
        )


def hidden_positive_ranks(  # noqa: PLR0913 - the arguments of all evaluations
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: int | Folds = 5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    on_progress: OnProgress | None = None,
) -> Floats:
    """For each hidden positive, the share of the unlabeled rows that rank above it.

    Assumes that labels are selected completely at random (SCAR). A hidden positive is then like a
    positive that was never labeled.

    Parameters
    ----------
    estimator : an estimator or pipeline with `fit(X, y)`, and `decision_function` or
        `predict_proba`
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    cv : number of folds of the positives, or a `PositiveKFold`. If there are fewer positives than
        folds, each positive is hidden alone. With a `PositiveTimeSplit`, later positives are ranked
        among the unlabeled rows of the same time, by models that learned from earlier rows
    groups : shape (n_rows,), group of each row; positives of a group are hidden together. With a
        `PositiveTimeSplit`, the time of each row
    params : further arguments of `fit`, `sample_weight` for example. If an argument has one value
        for each row, each fit gets the values of its rows. For a pipeline, a name is an argument of
        the last step, or ``step__name``
    positive_label : the value of y that means positive, for text labels; by default the
        `positive_label` of the estimator
    random_state : seed or generator of the folds
    on_progress : function that is called after each fit with the name of what was fitted, the
        number of finished fits and the number of all fits

    Returns
    -------
    shape (n_positive,), in the order of the positives that are hidden; 0 is best, 0.5 is chance

    Raises
    ------
    LabelError : if there are fewer than two positives

    Notes
    -----
    The method is from Geurts 2011, section 3. A positive is ranked among unlabeled rows only, not
    among other positives; a tie counts half. 1 minus the mean share is the area under the ROC
    curve, averaged over the folds. Each fold needs one fit.

    An estimator whose `scores_out_of_bag` is true (`PUBagging`), or a pipeline that ends with such
    an estimator, is fitted only once, on all rows, unless there are groups. Each row is then ranked
    by its out-of-bag score, which comes from models that did not learn from the row.

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import PositiveNaiveBayes
    >>> X = np.array([[1], [1], [1], [0], [0], [0], [1], [0]])
    >>> y = np.array([1, 1, 1, 0, 0, 0, 0, 0])
    >>> hidden_positive_ranks(PositiveNaiveBayes(0.2), X, y)
    array([0.1, 0.1, 0.1])
    """
    return hide_and_rank(
        estimator,
        X,
        y,
        cv=cv,
        groups=groups,
        params=params,
        positive_label=positive_label,
        random_state=random_state,
        on_progress=on_progress,
    ).ranks


def hide_and_rank(  # noqa: PLR0913 - the arguments of all evaluations
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: int | Folds = 5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    on_progress: OnProgress | None = None,
) -> HiddenPositives:
    """Ranks and scores of hidden positives; `hidden_positive_ranks` gives the ranks only.

    Parameters
    ----------
    estimator, X, y, cv, groups, params, positive_label, random_state, on_progress : as in
        `hidden_positive_ranks`

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.model_selection import hide_and_rank
    >>> X = np.array([[5.0], [4], [1], [3], [2], [1], [0], [1]])
    >>> hidden = hide_and_rank(CenterOfMassRanker(), X, [1, 1, 1, 0, 0, 0, 0, 0], cv=3)
    >>> hidden.above.tolist(), hidden.tied.tolist(), hidden.n_unlabeled
    ([0, 0, 2], [0, 0, 2], 5)
    """
    check_estimator(estimator)
    X = in_memory(X)
    labels = Labels.of(y, which_is_positive([estimator], positive_label), params=params)
    check_rows(X, len(labels.positive))
    if not isinstance(cv, PositiveKFold | PositiveTimeSplit):
        cv = PositiveKFold(cv, random_state=random_state)
    placed, name = Placements(labels, cut_of(estimator)), kind_of(estimator)
    for _, fit in fits_that_hide(
        {name: estimator}, X, labels, folds=cv, groups=groups, on_progress=on_progress
    ):
        placed.add(fit.hidden, fit.scores, fit.among)
    return placed.found()


@dataclass(frozen=True)
class Labels:
    """What y says of each row.

    Attributes
    ----------
    positive, negative : shape (n_rows,), rows that are known to be so; the others are unlabeled
    classes : shape (2,), what y calls unlabeled and positive rows
    params : what fits are given beside X and y
    """

    positive: Bools
    negative: Bools
    classes: Array
    params: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        y: ArrayLike,
        positive_label: Any = None,
        known_negative: ArrayLike | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> Labels:
        """Read y.

        Parameters
        ----------
        y : shape (n_rows,)
        positive_label : the value of y that means positive; by default y says it
        known_negative : shape (n_rows,), unlabeled rows that are known to be negative, or None
        params : given to `fit` beside X and y

        Raises
        ------
        LabelError : if y does not hold positive and unlabeled rows, or a positive row is said to be
            negative
        DataError : if `params` is not a dictionary
        """
        positive, coding = encode_labels(y, positive_label)
        if not isinstance(params, Mapping | None):
            raise DataError(
                f"params is {kind_of_value(params)}.",
                "Pass a dictionary of arguments of fit, {'sample_weight': weight} for example.",
            )
        negative = np.zeros_like(positive)
        if known_negative is not None:
            negative = check_known_negative(known_negative, positive)
        return cls(positive, negative, coding.classes, dict(params or {}))

    @property
    def unlabeled(self) -> Bools:
        """Rows of which nothing is known, shape (n_rows,): positives are ranked among these."""
        return ~self.positive & ~self.negative

    def hiding(self, rows: Ints) -> Labels:
        """The same, with some positives among the unlabeled."""
        shown = self.positive.copy()
        shown[rows] = False
        return replace(self, positive=shown)

    def only(self, rows: Ints) -> Labels:
        """The same of some rows."""
        return replace(
            self,
            positive=self.positive[rows],
            negative=self.negative[rows],
            params=_check_method_params(self.positive, self.params, rows),
        )

    def given_to(self, estimator: Any, *, by_name: bool = False) -> Array:
        """Labels as an estimator takes them, shape (n_rows,).

        Parameters
        ----------
        estimator : or a pipeline
        by_name : whether to call the kinds as y does, also if the estimator was not told which is
            positive
        """
        told = by_name or positive_label_of(estimator) is not None
        return (self.classes if told else np.arange(2))[self.positive.astype(int)]

    def fit(self, estimator: Any, X: Any, *, by_name: bool = False) -> Any:
        """Fit an estimator with `params`; it is told of the known negatives if it learns from them.

        Parameters
        ----------
        estimator : or a pipeline; it is fitted itself
        X : n_rows rows
        by_name : as for `given_to`
        """
        given = dict(self.params)
        if self.negative.any() and getattr(last_step(estimator), "learns_from_negatives", False):
            given["known_negative"] = self.negative
        if isinstance(estimator, Pipeline) and not get_config()["enable_metadata_routing"]:
            last = f"{estimator.steps[-1][0]}__"
            given = {name if "__" in name else last + name: each for name, each in given.items()}
        return estimator.fit(X, self.given_to(estimator, by_name=by_name), **given)


def check_known_negative(known_negative: ArrayLike, positive: Bools) -> Bools:
    """A mask of known negatives, shape (n_rows,).

    Parameters
    ----------
    known_negative : True or False, or 1 or 0, for each row
    positive : shape (n_rows,)

    Raises
    ------
    LabelError : if it is not a mask of rows that are not positive
    """
    found = check_mask(known_negative, len(positive), "known_negative", LabelError)
    if (both := np.flatnonzero(found & positive)).size:
        raise LabelError(
            f"Row {both[0]} is positive in y, but {argument('known_negative')} says that it is "
            "negative.",
            "Pass False there, or another label.",
        )
    return found


class Placements:
    """The hidden positives of the fits that were added, each with other positives hidden.

    Parameters
    ----------
    labels : of the rows
    cut : score above which a row is predicted positive
    apart : shape (n_rows,), positives that `found` leaves out; by default none
    """

    def __init__(self, labels: Labels, cut: float, apart: Bools | None = None) -> None:
        self._cut = cut
        self._known = np.flatnonzero(labels.positive)
        self._apart = (
            np.zeros(len(self._known), dtype=bool) if apart is None else apart[self._known]
        )
        self._was_hidden = np.zeros(len(self._known), dtype=bool)
        self._above, self._tied = np.zeros((2, len(self._known)), dtype=np.int64)
        self._standard = np.empty(len(self._known))
        self._others = np.flatnonzero(labels.unlabeled)
        self._beaten = np.zeros(len(self._others))
        self._predicted = np.zeros(len(self._known), dtype=bool)
        self._predicted_shares: list[float] = []

    def add(self, hidden: Ints, scores: Floats, among: Ints | None = None) -> None:
        """Add a fit.

        Parameters
        ----------
        hidden : positive rows that did not count as positive
        scores : shape (n_rows,), by this fit
        among : unlabeled rows that the positives are ranked among; by default all
        """
        among = self._others if among is None else among
        rest, places = scores[among], np.searchsorted(self._known, hidden)
        self._was_hidden[places] = True
        of_all = len(self._others) / len(among)
        for counts, found in zip(
            (self._above, self._tied), rank_counts(scores[hidden], rest), strict=True
        ):
            counts[places] = np.rint(found * of_all)
        if (counted := hidden[~self._apart[places]]).size:
            beaten_by, level_with = rank_counts(rest, scores[counted])
            beaten = (beaten_by + level_with / 2) * of_all  # so that the mean counts each positive
            self._beaten[np.searchsorted(self._others, among)] += beaten
        self._standard[places] = standardize(scores[hidden], rest)
        self._predicted[places] = scores[hidden] > self._cut
        self._predicted_shares.append(float(np.mean(rest > self._cut)))

    def apart(self) -> PlacedPositives:
        """The positives that `found` leaves out."""
        rows = self._was_hidden & self._apart
        return PlacedPositives(
            self._above[rows], self._tied[rows], self._standard[rows], len(self._beaten)
        )

    def found(self) -> HiddenPositives:
        """What the fits say together of the positives that were hidden."""
        rows = self._was_hidden & ~self._apart
        return HiddenPositives(
            self._above[rows],
            self._tied[rows],
            self._standard[rows],
            len(self._beaten),
            self._beaten / np.count_nonzero(rows),
            self._predicted[rows],
            float(np.mean(self._predicted_shares)),
        )


@dataclass(frozen=True)
class HidingFit:
    """One fit, and the scores of all rows by it.

    Attributes
    ----------
    hidden : positive rows that did not count as positive for the models that scored them
    scores : shape (n_rows,)
    seconds : how long it took to fit and score
    among : unlabeled rows that the positives are ranked among; None for all
    model : the fitted model where it learned from all rows, and the scores are out of bag; or None
    """

    hidden: Ints
    scores: Floats
    seconds: float
    among: Ints | None = None
    model: Any = None


def fits_that_hide(
    estimators: Mapping[str, Any],
    X: Any,
    labels: Labels,
    *,
    folds: Folds,
    groups: ArrayLike | None,
    on_progress: OnProgress | None = None,
) -> Iterator[tuple[str, HidingFit]]:
    """Fits of each estimator in which each positive is hidden once.

    Those that score out of bag come last; they are fitted here, where their bags are dealt to
    threads, while fits of the others are dealt to processes.

    Parameters
    ----------
    estimators : copies of them are fitted
    X : n_rows rows
    labels : of the rows
    folds : of the positives
    groups : shape (n_rows,); positives of a group are hidden together, or the time of each row
    on_progress : called after each fit with the name of the estimator, the number of fits done, and
        of all

    Yields
    ------
    the name of an estimator, and a fit of it
    """
    dealt = deal_unlabeled(folds, labels, groups)
    in_bags = groups is None and all(fold.learned is None for fold in dealt)
    at_once = [name for name, each in estimators.items() if in_bags and scores_out_of_bag(each)]
    in_folds = {name: each for name, each in estimators.items() if name not in at_once}
    step = counted(on_progress, len(in_folds) * len(dealt) + len(at_once))
    for name, fit in _in_folds(in_folds, X, labels, dealt):
        yield name, fit
        step(name)
    give_memory_back()
    for group in alike({name: estimators[name] for name in at_once}, labels):
        steps, rows, shared = _prepared(group, X)
        for name, estimator in group.items():
            start = time.perf_counter()
            with naming(name):
                model = clone(estimator)
                if steps is None:
                    labels.fit(model, X)
                else:
                    model.steps[:-1] = steps.steps
                    labels.fit(model[-1], rows)
            scores = last_step(model).oob_decision_function_
            if np.isnan(scores).any():  # a row is in every bag, as one of few positives may be
                yield from _in_folds({name: estimator}, X, labels, dealt)
            else:
                seconds = shared + time.perf_counter() - start
                yield name, HidingFit(np.flatnonzero(labels.positive), scores, seconds, model=model)
            step(name)


def counted(on_progress: OnProgress | None, total: int) -> Callable[[str], None]:
    """The function to call after each fit with the name of what was fitted.

    Parameters
    ----------
    on_progress : called with the name, the number of fits done, and of all; or None
    total : number of all fits
    """
    done = count(1)

    def step(name: str) -> None:
        if on_progress is not None:
            on_progress(name, next(done), total)

    return step


def deal_unlabeled(folds: Folds, labels: Labels, groups: ArrayLike | None) -> list[Fold]:
    """The folds of the positives, which are ranked among unlabeled rows, not among negatives.

    Parameters
    ----------
    folds : of the positives
    labels : of the rows
    groups : shape (n_rows,), or None
    """
    return [
        fold
        if fold.among is None
        else fold._replace(among=fold.among[labels.unlabeled[fold.among]])
        for fold in folds.deal(labels.positive, groups)
    ]


def _in_folds(
    estimators: Mapping[str, Any], X: Any, labels: Labels, folds: Sequence[Fold]
) -> Iterator[tuple[str, HidingFit]]:
    """A fit of each estimator for each fold, in which the positives of the fold are hidden."""
    shared = {}

    def tasks(group: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        steps, rows, seconds = None, X, 0.0
        if all(fold.learned is None for fold in folds):
            steps, rows, seconds = _prepared(group, X)
        shared.update(dict.fromkeys(group, seconds / len(folds)))
        models = group if steps is None else {name: each[-1] for name, each in group.items()}
        yield from ((models, rows, labels, fold) for fold in folds)

    groups = alike(estimators, labels)
    fits = each_in_turn(_score_hidden, chain.from_iterable(map(tasks, groups)))
    for fold, found in zip([*folds] * len(groups), fits, strict=True):
        for name, (scores, seconds) in found.items():
            yield name, HidingFit(fold.hidden, scores, shared[name] + seconds, fold.among)


def _prepared(estimators: Mapping[str, Any], X: Any) -> tuple[Pipeline | None, Any, float]:
    """The first steps of a group of `alike`, fitted on all rows; the rows for its models; seconds.

    The same rows then serve each fit, whatever is hidden in it. There are no steps if one of them
    may learn from labels; the rows are then as they were.
    """
    first, start = next(iter(estimators)), time.perf_counter()
    pipeline = estimators[first]
    steps = pipeline.steps[:-1] if isinstance(pipeline, Pipeline) else []
    if not steps or not all(step in IGNORE_LABELS for _, step in steps):
        return None, X, 0.0
    with naming(first):
        fitted = clone(pipeline[:-1])
        rows = fitted.fit_transform(X)
    return fitted, rows, time.perf_counter() - start


def _score_hidden(
    estimators: Mapping[str, Any], X: Any, labels: Labels, fold: Fold
) -> dict[str, tuple[Floats, float]]:
    """`score_by_each`, with the positives of a fold among the unlabeled, or its rows left out."""
    shown = labels.hiding(fold.hidden)
    if fold.learned is None:
        return score_by_each(estimators, X, shown)
    return score_by_each(estimators, take_rows(X, fold.learned), shown.only(fold.learned), X)


def alike(estimators: Mapping[str, Any], labels: Labels) -> list[dict[str, Any]]:
    """The estimators in groups: pipelines that share the objects of their first steps are one.

    Parameters
    ----------
    estimators : by their names
    labels : of the rows; if their `params` are for steps of pipelines, each estimator is alone
    """
    groups: dict[Any, dict[str, Any]] = {}
    of_steps = any("__" in name for name in labels.params)
    for name, each in estimators.items():
        steps = each.steps[:-1] if isinstance(each, Pipeline) and not of_steps else []
        groups.setdefault(tuple(id(step) for _, step in steps) or name, {})[name] = each
    return [*groups.values()]


def score_by_each(
    estimators: Mapping[str, Any], X: Any, labels: Labels, rows: Any = None
) -> dict[str, tuple[Floats, float]]:
    """Scores of some rows by copies of estimators of one group, and the seconds that each took.

    Parameters
    ----------
    estimators : a group of `alike`, whose first steps are fitted once; or models that share rows
    X, labels : what they learn from
    rows : what they score; None is X
    """
    start = time.perf_counter()
    first, *others = estimators
    has_steps = bool(others) and isinstance(estimators[first], Pipeline)
    scores_by = scores_of_learned if rows is None else scores_of
    rows = X if rows is None else rows
    if has_steps:
        with naming(first):
            steps = clone(estimators[first][:-1])
            X = steps.fit_transform(X, labels.given_to(estimators[first]))
    shared, models, seconds, found = time.perf_counter() - start, {}, {}, {}
    for name, estimator in estimators.items():
        start = time.perf_counter()
        with naming(name):
            model = clone(last_step(estimator) if has_steps else estimator)
            models[name] = labels.fit(model, X)
        seconds[name] = time.perf_counter() - start
    if has_steps:
        start = time.perf_counter()
        del X  # before the other copy is there
        with naming(first):
            rows = steps.transform(rows)
        shared += time.perf_counter() - start
    for name, model in models.items():
        start = time.perf_counter()
        with naming(name):
            scores = scores_by(model, rows)
        found[name] = scores, shared + seconds[name] + time.perf_counter() - start
    return found


def scores_of_learned(model: Any, X: Any) -> Floats:
    """Scores of the rows that a model learned from; out-of-bag scores if the model has them.

    Parameters
    ----------
    model : fitted estimator or pipeline
    X : shape (n_rows, n_features), the rows that the model was fitted on

    Examples
    --------
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.model_selection import scores_of_learned
    >>> X = [[3.0], [2.0], [1.0], [0.0]]
    >>> scores_of_learned(CenterOfMassRanker().fit(X, [1, 1, 0, 0]), X).round(2).tolist()
    [1.0, -1.0, -3.0, -5.0]
    """
    if hasattr(model, "learned_decision_function_"):
        return np.asarray(model.learned_decision_function_)
    apart = getattr(last_step(model), "oob_decision_function_", None)
    if apart is None:
        return scores_of(model, X)
    in_every_bag = np.isnan(apart)
    return np.where(in_every_bag, scores_of(model, X), apart) if in_every_bag.any() else apart


def scores_of_rows(model: Any, X: Any, learned: Ints | None) -> Floats:
    """Scores of all rows; those that a model learned from have out-of-bag scores where it has them.

    Parameters
    ----------
    model : fitted
    X : shape (n_rows, n_features)
    learned : places of the rows of its fit, ascending; None if it learned from all rows
    """
    if learned is None or len(learned) == _num_samples(X):
        return scores_of_learned(model, X)
    found = np.empty(_num_samples(X))
    others = np.setdiff1d(np.arange(len(found)), learned)
    found[learned] = scores_of_learned(model, take_rows(X, learned))
    found[others] = scores_of(model, take_rows(X, others))
    return found


def scores_out_of_bag(estimator: Any) -> bool:
    """Whether a fit of this estimator gives out-of-bag scores of the rows of the fit.

    Examples
    --------
    >>> from onesided import CenterOfMassRanker, PUBagging
    >>> from onesided.model_selection import scores_out_of_bag
    >>> models = [PUBagging(), CenterOfMassRanker()]
    >>> [type(each).__name__ for each in models if scores_out_of_bag(each)]
    ['PUBagging']
    """
    return bool(getattr(last_step(estimator), "scores_out_of_bag", False))


def last_step(estimator: Any) -> Any:
    """The model of a pipeline; any other estimator as it is."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def hidden_positive_scores_by_fold(
    estimator: Any,
    X: Any,
    labels: Labels,
    folds: Iterable[Ints],
    on_progress: OnProgress | None = None,
) -> Iterator[tuple[Ints, Floats]]:
    """Hidden-positive scores, and those of all other rows, fold by fold.

    Parameters
    ----------
    estimator : copies of it are fitted
    X : n_rows rows
    labels : of the rows
    folds : rows of the positives to hide, in turn
    on_progress : as in `hidden_positive_ranks`

    Yields
    ------
    hidden rows, and scores of shape (n_rows,)
    """
    dealt, name = list(folds), kind_of(estimator)
    step = counted(on_progress, len(dealt))
    tasks = ((estimator, X, labels.hiding(hidden)) for hidden in dealt)
    for hidden, scores in zip(dealt, each_in_turn(_fit_and_score, tasks), strict=True):
        yield hidden, scores
        step(name)


def _fit_and_score(estimator: Any, X: Any, labels: Labels) -> Floats:
    return scores_of(labels.fit(clone(estimator), X), X)


def check_estimator(estimator: Any) -> None:
    """Raise an error if an object has no method to learn, or no method to score rows.

    Raises
    ------
    DataError : if a method is missing; the error names the type of the object

    Examples
    --------
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.exceptions import DataError
    >>> from onesided.model_selection import check_estimator
    >>> try:
    ...     check_estimator(CenterOfMassRanker)
    ... except DataError as error:
    ...     print(error)
    CenterOfMassRanker is a class, not an estimator. Pass CenterOfMassRanker().
    """
    if isinstance(estimator, type):
        raise DataError(
            f"{estimator.__name__} is a class, not an estimator.", f"Pass {estimator.__name__}()."
        )
    scores = ("decision_function", "predict_proba")
    if not hasattr(estimator, "fit") or not any(hasattr(estimator, each) for each in scores):
        raise DataError(
            f"{estimator!r:.60} lacks fit, or has neither {' nor '.join(scores)}.",
            "Pass an estimator that gives scores.",
        )


def fixed_seed(random_state: RandomState) -> int:
    """Return an integer seed that several components can share."""
    generator = check_random_state(random_state)
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(generator.randint(2**31))


def cut_of(estimator: Any) -> float:
    """The score above which `scores_of` means positive."""
    return 0.0 if hasattr(estimator, "decision_function") else 0.5


def scores_of(model: Any, X: Any, **params: Any) -> Floats:
    """Score of each row by a fitted model, higher is more positive; shape (n_rows,).

    Parameters
    ----------
    model : has `decision_function` or `predict_proba`; fitted on labels of 0 and 1, whatever the
        order of its ``classes_``, or told which label is positive, which is then its second
    X : rows
    params : given to `predict_proba`

    Raises
    ------
    DataError : if there is not one score a row, or one is NaN
    """
    classes = getattr(model, "classes_", np.arange(2))
    if len(classes) != 2:  # noqa: PLR2004 - positive and unlabeled
        raise DataError(
            f"{named(model)} has the classes {np.asarray(classes).tolist()} after it learned "
            "from positive and unlabeled rows.",
            "Pass a classifier whose classes_ are the values of y.",
        )
    turned = np.array_equal(classes, [1, 0]) and positive_label_of(model) is None
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        scores = -scores if turned else scores
    else:
        scores = np.asarray(model.predict_proba(X, **params), dtype=np.float64)
        scores = scores[:, int(not turned)] if scores.ndim > 1 else scores
    n_rows = _num_samples(X)
    if scores.shape != (n_rows,):
        raise DataError(
            f"{named(model)} gives scores of shape {scores.shape} for {n_rows} rows.",
            "Pass a classifier that gives one score for each row.",
        )
    if without := np.isnan(scores).sum():
        raise DataError(
            f"{named(model)} returns NaN as the score of {without} of {n_rows} rows.",
            "Pass a classifier whose scores are numbers, or scale the columns before it.",
        )
    return scores


def named(estimator: Any) -> str:
    """What an error calls it."""
    return shorten(repr(estimator), 60)


def standardize(scores: Floats, unlabeled: Floats) -> Floats:
    """Robust standard deviations above the median of the unlabeled, shape (n_rows,).

    Infinite ones count as the largest or smallest of the others.
    """
    finite = unlabeled[np.isfinite(unlabeled)]
    ends = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    low, median, high = np.quantile(np.clip(unlabeled, *ends), [0.25, 0.5, 0.75])
    spread = (high - low) / 1.349  # the interquartile range of a normal of deviation 1
    if spread <= 0:
        spread = float(np.std(finite)) if len(finite) else 0.0
    scores = np.where(np.isfinite(scores), scores, np.clip(scores, *ends))
    return (scores - median) / (spread or 1.0)


def kind_of(estimator: Any) -> str:
    """What progress calls an estimator: the class of its last step."""
    return type(last_step(estimator)).__name__


def which_is_positive(estimators: Iterable[Any], positive_label: Any = None) -> Any:
    """The value of y that means positive, as it was passed or as an estimator was told; or None.

    Parameters
    ----------
    estimators : or pipelines
    positive_label : as it was passed

    Raises
    ------
    LabelError : if an estimator was told another value
    """
    for told in map(positive_label_of, estimators):
        if told is not None and positive_label is not None and told != positive_label:
            raise LabelError(
                f"positive_label={positive_label!r} was passed, but an estimator has "
                f"positive_label={told!r}.",
                "Pass the same value to both, or leave one out.",
            )
        positive_label = told if positive_label is None else positive_label
    return positive_label


def positive_label_of(estimator: Any) -> Any:
    """The `positive_label` that an estimator, or a step of a pipeline, was given; None if none."""
    given = estimator.get_params() if hasattr(estimator, "get_params") else {}
    labels = [value for name, value in given.items() if name.split("__")[-1] == "positive_label"]
    return next((label for label in labels if label is not None), None)
