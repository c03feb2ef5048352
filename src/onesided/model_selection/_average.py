"""The average of the ranks that several methods give, the better ones with more weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted

from onesided._display import Documented
from onesided._frames import in_memory
from onesided._probabilities import MayLackProbabilities
from onesided._text import counted
from onesided._typing import Array, Bools, Floats, Ints, RandomState
from onesided._validation import COUNT, check_parameters, fixed_seed
from onesided.exceptions import DataError, naming
from onesided.metrics import rank_shares
from onesided.model_selection._estimators import (
    check_estimator,
    positive_label_of,
    scores_of,
    scores_of_learned,
)
from onesided.model_selection._fits import fits_that_hide
from onesided.model_selection._folds import Fold, PositiveKFold
from onesided.model_selection._labels import Labels
from onesided.model_selection._parallel import each_in_turn
from onesided.model_selection._placements import Placements
from onesided.model_selection._score import ScoredWithoutNegatives

_POWER = 8  # 6 to 12 were as good on 17 tables with 20, 50, 100 and 300 labeled positives
_ERRORS = 3.0  # standard errors below the best; leaving out no method lost .006 on one table
_LEAST = 0.05  # of the largest weight; members with less are left out
_CHANCE = 0.5  # the AUC of a random order
_KNOTS = 500  # of the shares in the middle, and as many towards either end


class RankAverage(MayLackProbabilities, Documented, ScoredWithoutNegatives, _BaseComposition):
    """Weighted average of the ranks that several estimators give to each row.

    For each estimator, a row has the share of the unlabeled rows of the fit that score lower. The
    score of the row is the weighted mean of these shares. An estimator has more weight if it ranks
    known positives, hidden among the unlabeled rows, better. The score orders rows; it is not a
    posterior probability. `predict` uses the score of the median known positive as the threshold.

    The average assumes what its estimators assume. It also assumes that labels are selected
    completely at random (SCAR). Then the ranks of hidden known positives show how the positives
    that were never labeled are ranked.

    Parameters
    ----------
    estimators : list of (name, estimator); each estimator or pipeline has `fit(X, y)`, and
        `decision_function` or `predict_proba`
    weights : one weight for each estimator; by default None, which computes the weights from the
        hidden-positive AUC, as in the notes
    votes : for each estimator, a factor that multiplies its weight from the AUC; None means 1 for
        each
    cv : number of folds of the positives; each fold is hidden in turn to find the weights
    random_state : seed or generator of the folds
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    estimators_ : the members: fitted estimators with a weight above 0
    names_ : names of the members
    weights_ : shape (n_members,), weights of the members, which sum to 1
    threshold_ : weighted mean share at which `decision_function` is 0
    learned_decision_function_ : shape (n_rows,), scores of the rows of the fit; members that have
        out-of-bag scores contribute these
    classes_ : the two values of y, unlabeled first

    Raises
    ------
    DataError : if there are no estimators, two have the same name, or the weights do not fit them

    Notes
    -----
    The weight of an estimator is v · (max(0, a - .5) / (b - .5))⁸. Here a is its hidden-positive
    AUC, b is the AUC of the best estimator, and v is the `votes` of the estimator. For example, if
    the best AUC is .9, an estimator with an AUC of .88 has .66 times the weight of the best. Two
    kinds of estimators are excluded: those with less than a twentieth of the largest weight, and
    those that rank the positives lower than the best estimator by three standard errors of the mean
    difference. The power of 8 and the three standard errors were chosen on 17 tables with 20 to 300
    labeled positives. There the average ranks better than the member with the highest
    hidden-positive AUC (``benchmarks/bench_rank.py``).

    The rank of a new row comes from the scores of the unlabeled rows of the fit, by interpolation
    between these scores. Above the highest and below the lowest of these scores, the result still
    rises with the score.

    Examples
    --------
    Rows 30 to 59 are positive, but not labeled:

    >>> import numpy as np
    >>> from onesided import CenterOfMassRanker, WeightedLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4)); X[:60, 0] += 2
    >>> members = [("linear", WeightedLogisticRegression()), ("center", CenterOfMassRanker())]
    >>> model = RankAverage(members, random_state=0).fit(X, np.arange(300) < 30)
    >>> scores = model.learned_decision_function_
    >>> highest = np.argsort(-scores[30:])[:30]  # of the unlabeled rows
    >>> int((highest < 30).sum())  # are positive
    20
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimators": [list],
        "weights": ["array-like", None],
        "votes": ["array-like", None],
        "cv": [COUNT],
        "random_state": ["random_state"],
        "positive_label": "no_validation",
    }
    learns_from_negatives = True  # those of its members that do
    _mends: ClassVar[dict[str, str]] = {
        "estimators": 'Pass a list of names and estimators, [("bayes", ...), ("linear", ...)].',
    }

    def __init__(
        self,
        estimators: Sequence[tuple[str, Any]],
        *,
        weights: ArrayLike | None = None,
        votes: ArrayLike | None = None,
        cv: int = 5,
        random_state: RandomState = None,
        positive_label: Any = None,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.votes = votes
        self.cv = cv
        self.random_state = random_state
        self.positive_label = positive_label

    def fit(self, X: Any, y: ArrayLike, known_negative: ArrayLike | None = None) -> Self:
        """Learn from positive and unlabeled rows.

        Parameters
        ----------
        X : shape (n_rows, n_features), in a form that the estimators accept
        y : shape (n_rows,)
        known_negative : shape (n_rows,), whether an unlabeled row is known to be negative; passed
            on to the estimators that can learn from known negatives

        Raises
        ------
        LabelError : if y does not have exactly two kinds of rows, or, without `weights`, there are
            fewer than two positives
        """
        X = in_memory(X)
        given = self._checked()
        labels = Labels.of(y, positive_label_of(self), known_negative)
        models: dict[str, Any] = {}
        weights = self.weights
        if weights is None:
            hidden = HiddenRanks(labels)
            folds = PositiveKFold(self.cv, random_state=fixed_seed(self.random_state))
            for name, fit in fits_that_hide(given, X, labels, folds=folds, groups=None):
                hidden.add(name, fit.hidden, fit.scores, fit.among)
                models[name] = fit.model
            votes = np.ones(len(given)) if self.votes is None else np.asarray(self.votes)
            weights = hidden.weights(dict(zip(given, votes, strict=True)))
        return self.learn(X, labels, models, weights)

    def _checked(self) -> dict[str, Any]:
        """The estimators by their names."""
        check_parameters(self)
        given = dict(self.estimators)
        if not given:
            raise DataError("estimators is empty.", self._mends["estimators"])
        if len(given) < len(self.estimators):
            raise DataError("Two estimators have the same name.", "Give each its own name.")
        for name, estimator in given.items():
            with naming(name):
                check_estimator(estimator)
        for what in ("weights", "votes"):
            value = getattr(self, what)
            if value is not None:
                check_shares(value, what, len(given))
        return given

    def learn(
        self,
        X: Any,
        labels: Labels,
        models: Mapping[str, Any],
        weights: ArrayLike | None = None,
    ) -> Self:
        """Set up the average like `fit`, from estimators that are fitted already.

        Parameters
        ----------
        X : n_rows rows
        labels : labels of these rows
        models : for each name, the estimator fitted on all rows; None if it was not fitted
        weights : one weight for each estimator; by default the parameter `weights`
        """
        numbers = np.asarray(self.weights if weights is None else weights, dtype=np.float64)
        kept = numbers > 0
        members = [each for each, is_kept in zip(self.estimators, kept, strict=True) if is_kept]
        self.names_ = [name for name, _ in members]
        self.weights_ = numbers[kept] / numbers[kept].sum()
        tasks = [(name, each, X, labels) for name, each in members if models.get(name) is None]
        fitted = each_in_turn(_fit_member, tasks)
        self.estimators_ = [
            next(fitted) if models.get(name) is None else models[name] for name in self.names_
        ]
        self.classes_ = labels.classes
        scores = [scores_of_learned(model, X) for model in self.estimators_]
        self.references_ = [_reference(each[labels.unlabeled]) for each in scores]
        shares = self._combined(scores)
        self.threshold_ = float(np.median(shares[labels.positive]))
        self.learned_decision_function_ = shares - self.threshold_
        return self

    @property
    def members_(self) -> dict[str, Any]:
        """The estimators of the members by name, as they were passed, not fitted."""
        given = dict(self.estimators)
        return {name: given[name] for name in self.names_}

    @property
    def leading_(self) -> Any:
        """The fitted member with the largest weight."""
        return self.estimators_[int(np.argmax(self.weights_))]

    def decision_function(self, X: Any) -> Floats:
        """Score of each row, higher is more positive; shape (n_rows,).

        Parameters
        ----------
        X : as in `fit`
        """
        X = in_memory(X)
        check_is_fitted(self)
        return self._combined([scores_of(each, X) for each in self.estimators_]) - self.threshold_

    def _combined(self, scores: Sequence[Floats]) -> Floats:
        """The weighted mean share of the unlabeled rows of the fit that score lower."""
        total = np.zeros(len(scores[0]))
        for weight, each, (values, shares) in zip(
            self.weights_, scores, self.references_, strict=True
        ):
            total += weight * _share_below(each, values, shares)
        return total

    @property
    def n_features_in_(self) -> int:
        """Number of features of the fit."""
        return int(self.estimators_[0].n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        """Names of the features of the fit, if the features have names."""
        return np.asarray(self.estimators_[0].feature_names_in_)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - scikit-learn's
        """Parameters of the average, and parameters of the estimators as ``name__parameter``."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters; to replace an estimator, pass its name as the parameter."""
        self._set_params("estimators", **params)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "threshold_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inputs = [get_tags(each).input_tags for _, each in self.estimators]
        tags.input_tags.sparse = all(each.sparse for each in inputs)
        tags.input_tags.allow_nan = all(each.allow_nan for each in inputs)
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # half of the positives lie below the cut
        return tags


def leading(estimator: Any) -> Any:
    """The member with the largest weight of a fitted average; any other estimator unchanged.

    Examples
    --------
    >>> from onesided import CenterOfMassRanker
    >>> from onesided.model_selection import leading
    >>> leading(CenterOfMassRanker())
    CenterOfMassRanker()
    """
    return estimator.leading_ if isinstance(estimator, RankAverage) else estimator


def check_shares(value: Any, name: str, n_estimators: int) -> None:
    """Refuse what cannot weight estimators.

    Parameters
    ----------
    value : shape (n_estimators,)
    name : of the argument

    Raises
    ------
    DataError : unless there is one finite number for each estimator, none below 0 and one above 0
    """
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    usable = numbers.shape == (n_estimators,) and np.isfinite(numbers).all()
    if not usable or (numbers < 0).any() or not numbers.any():
        raise DataError(
            f"{name}={value!r} does not weight {counted(n_estimators, 'estimator')}.",
            "Pass one number for each, none below 0 and one above it.",
        )


def _fit_member(name: str, estimator: Any, X: Any, labels: Labels) -> Any:
    with naming(name):
        return labels.fit(clone(estimator), X)


class HiddenRanks:
    """How each of several methods ranks the hidden positives, and how their average does.

    Parameters
    ----------
    labels : of the rows
    apart : shape (n_rows,), positives that weights rest on and evaluations do not; by default none
    """

    def __init__(self, labels: Labels, apart: Bools | None = None) -> None:
        self._labels = labels
        self._apart = apart
        self._was_hidden = np.zeros(len(labels.positive), dtype=bool)
        self._fits: dict[str, list[tuple[Ints, Array]]] = {}
        self._ranks: dict[str, Floats] = {}  # share of the unlabeled below each positive

    def add(self, name: str, hidden: Ints, scores: Floats, among: Ints | None = None) -> None:
        """Add a fit of a method.

        Parameters
        ----------
        name : of the method
        hidden : positive rows that did not count as positive
        scores : shape (n_rows,), by this fit
        among : unlabeled rows that the positives are ranked among; by default all
        """
        self._was_hidden[hidden] = True
        rest = scores[self._labels.unlabeled] if among is None else scores[among]
        below = 1 - rank_shares(scores, rest)
        shares = below.astype(np.float32)
        self._fits.setdefault(name, []).append((hidden, shares))
        self._ranks.setdefault(name, np.zeros(len(shares)))[hidden] = shares[hidden]

    def weights(self, votes: Mapping[str, float], without: Ints | None = None) -> Floats:
        """The weight of each method in the average.

        Parameters
        ----------
        votes : by the names of the methods
        without : positive rows that do not count
        """
        known = self._was_hidden.copy()
        if without is not None:
            known[without] = False
        if not known.any():
            return np.array([*votes.values()])
        ranks = np.array([self._ranks[name][known] for name in votes])
        skill = np.maximum(ranks.mean(axis=1) - _CHANCE, 0)
        best = int(np.argmax(skill))
        relative = (skill / skill[best]) ** _POWER if skill[best] > 0 else 1.0
        weights = np.array([*votes.values()]) * relative
        if ranks.shape[1] > 1:
            behind = ranks[best] - ranks
            error = behind.std(axis=1, ddof=1) / np.sqrt(ranks.shape[1])
            weights[(error > 0) & (behind.mean(axis=1) >= _ERRORS * error)] = 0.0
        return np.where(weights < _LEAST * weights.max(), 0.0, weights)

    def of_average(self, votes: Mapping[str, float], folds: Sequence[Fold]) -> Placements:
        """Place the hidden positives by the average.

        Those of a fold are ranked with the weights that the other positives give, since weights
        that were chosen on them would flatter them.

        Parameters
        ----------
        votes : by the names of the methods
        folds : of the positives, each in all fits of the methods hidden together
        """
        scores = [
            self._averaged(fold.hidden, self.weights(votes, fold.hidden), votes) for fold in folds
        ]
        found = np.concatenate([each[f.hidden] for f, each in zip(folds, scores, strict=True)])
        placed = Placements(self._labels, float(np.median(found)), self._apart)
        for fold, each in zip(folds, scores, strict=True):
            placed.add(fold.hidden, each, fold.among)
        return placed

    def _averaged(self, hidden: Ints, weights: Floats, names: Mapping[str, float]) -> Floats:
        """Average shares of all rows by the fits in which the rows of a fold were hidden."""
        total = np.zeros(len(self._labels.positive))
        for name, weight in zip(names, weights, strict=True):
            if weight > 0:
                shares = next(each for rows, each in self._fits[name] if hidden[0] in rows)
                total += weight * shares
        return total / weights.sum()


def _reference(scores: Floats) -> tuple[Floats, Floats]:
    """Some different scores, ascending, and the share of the scores below each, ties half."""
    values = np.unique(np.nan_to_num(scores))
    if len(values) > 4 * _KNOTS:
        towards = np.geomspace(1 / len(values), 0.5, _KNOTS)
        places = np.unique(np.r_[0, towards, np.linspace(0, 1, _KNOTS), 1 - towards, 1])
        values = values[np.unique(np.rint(places * (len(values) - 1)).astype(np.int64))]
    return values, 1 - rank_shares(values, scores)


def _share_below(scores: Floats, values: Floats, shares: Floats) -> Floats:
    """The share of a reference that is below each score; it rises beyond the ends too."""
    spread = (values[-1] - values[0]) or 1.0
    found = np.interp(scores, values, shares)
    for beyond, end, rest in (
        (scores - values[-1], shares[-1], 1 - shares[-1]),
        (values[0] - scores, shares[0], -shares[0]),
    ):
        far = beyond > 0
        by = np.minimum(beyond[far] / spread, 1e15)
        found[far] = end + rest * by / (1 + by)
    return found
