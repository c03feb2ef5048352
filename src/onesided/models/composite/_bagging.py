"""Bagging: the positives against many random subsets of the unlabeled."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, Self

import joblib
import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.tree import BaseDecisionTree, ExtraTreeClassifier
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from onesided._blocks import Block, FrameSource, Numeric, Source, is_frame
from onesided._frames import is_sparse_frame
from onesided._labels import LabelCoding
from onesided._numerics._missing import filled
from onesided._statistics import Moments
from onesided._text import counted, counted_of
from onesided._typing import Array, Bools, Floats, Ints, RandomState
from onesided._validation import COUNT, SHARE
from onesided.exceptions import DataError, OnesidedWarning, SeparationWarning
from onesided.model_selection import check_estimator
from onesided.model_selection._estimators import named, scores_of
from onesided.models._base import PositiveUnlabeledClassifier
from onesided.models._class_prior import estimate_from_scores
from onesided.models.logistic import WeightedLogisticRegression

_PER_POSITIVE, _FEWEST = 4, 50  # unlabeled rows of a bag; see the notes of PUBagging
_MOST_POSITIVE = 2000  # draws of positives in a bag
_LARGEST_SEED = 2**31
_CELLS = 1 << 22  # cells of sparse rows that become dense at a time
_ROWS = 1024  # rows converted at a time
_LARGEST_SINGLE = float(np.finfo(np.float32).max)
_EXPONENT = 100  # of two, for float32; trees treat values that differ by 1e-7 as equal


class PUBagging(PositiveUnlabeledClassifier):
    """Mean score of many models, each of the positives against a random subset of the unlabeled.

    Each subset holds only a few of the hidden positives, so no model learns all hidden positives
    as negatives. Each row is left out of many bags. `oob_decision_function_` is the out-of-bag
    score of each unlabeled row: its models did not learn the row as a negative.

    The score orders rows. It is not a posterior and has no natural threshold. `predict` uses the
    threshold that `class_prior` sets. Without `class_prior` the threshold is the median score of
    the positives, so `predict` misses half of the positives.

    Assumes that labels are selected completely at random (SCAR) among the positives. It fits both
    scenarios: a single training set and case-control.

    Parameters
    ----------
    estimator : classifier with `fit(X, y)` and `decision_function` or `predict_proba`. It gets y of
        0 and 1, and rows of X. Rows of a data frame keep their types and categories; other rows
        are numbers. A single tree always gets numbers. A pipeline gets a frame also if X is a file
        with text. None uses one extremely randomised tree, which looks at all features at each
        split, has leaves of 3 rows or more and gives positives and unlabeled equal total weight. If
        X of `fit` is sparse, None uses `WeightedLogisticRegression`, with the mean of a feature in
        place of its missing values.
    n_estimators : number of bags
    n_unlabeled_per_bag : number of unlabeled rows in a bag, drawn without replacement, at most half
        of all unlabeled rows; None draws 4 for each positive, and at least 50
    class_prior : share of positives among the unlabeled, in (0, 1), or "estimate", which estimates
        the share from the out-of-bag scores, as best bin and binormal ROC curve combined
        (`onesided.prior.estimate_class_prior`). `predict` then uses the threshold above which this
        share of the out-of-bag scores of the unlabeled lies. None uses the median score of the
        positives as threshold.
    random_state : seed of the bags and the models
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    estimators_ : the fitted models, one for each bag; the trees of `estimator=None` take rescaled
        columns (see the notes), not the columns of X
    bags_ : shape (n_estimators, n_positive + n_unlabeled of a bag), rows of X that each model
        learned from; positives come first, and some positives appear more than once
    oob_decision_function_ : shape (n_rows,), out-of-bag scores: like `decision_function`, but the
        mean for a row is over the bags without this row; NaN for a row that is in every bag
    threshold_ : mean score at which `decision_function` is 0
    class_prior_ : the share, given or estimated, if `class_prior` is not None
    class_prior_error_ : standard error of the share, if it was estimated
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if a parameter cannot be used, only one row is unlabeled, a score is not finite, or
        a number is too large for a tree
    PriorError : if `class_prior` is not strictly between 0 and 1

    Warns
    -----
    OnesidedWarning : if an unlabeled row is in every bag
    SeparationWarning : if all rows have the same score

    Notes
    -----
    Mordelet, Vert 2014, with trees in place of their SVMs. As in the paper, the score of an
    unlabeled row is its out-of-bag score. The score of a model is its `decision_function`, or P(1)
    of its `predict_proba`. The sign of `decision_function` is turned if ``classes_`` shows that it
    scores class 0.

    Unlike in the paper, the positives are also drawn, with replacement, so that they have
    out-of-bag scores. Other scores would make the median of the positives too high. For the
    threshold, a positive that is in every bag, such as a single known positive, counts with its
    mean over all bags. Drawing positives costs no time, but a known positive is left out of only a
    third of the bags. With few bags its score varies more than the scores of the unlabeled, so the
    hidden-positive AUC is a little low (letter: .696 with 150 bags, .713 by five fits). If there
    are more than 2,000 positives, 2,000 positives are drawn. A learner of this library that takes
    row weights gets a positive that is drawn twice once, with weight 2.

    Two defaults differ from simpler choices because they rank better:

    - A bag has four unlabeled rows for each positive, not one, and both kinds have equal total
      weight. At 200 bags the AUC is .855 on letter, .999 on mushroom and .967 on spambase; with one
      unlabeled row it is .840, .998 and .961.
    - Trees look at all features at a split and have leaves of 3 rows, in place of the square root
      of the number of features and 5 rows. This raises the mean AUC of 15 tables from .912 to .919
      (``benchmarks/bench_rank.py``).

    Rows seen in `fit` count as negatives in some bags. To rank the unlabeled, use
    `oob_decision_function_`; use `decision_function` only for new rows. Among the rows of `fit`,
    `predict` calls a smaller share positive than `class_prior` (0.8 of that share in simulations).
    If rows have few different values, there may be no threshold that gives this share.

    `fit` makes three passes over the rows. It holds one block in memory, the positives, and the
    unlabeled rows drawn for at most n_estimators subsets; trees hold rows as float32. Which rows
    are drawn does not depend on the block size. Values may be missing if `estimator` takes NaN, as
    the default does. The models get all rows in the form of `fit`, sparse or dense, so the scores
    do not depend on how the rows are stored.

    In float32, 1e9 + 1 equals 1e9, 1e39 is infinite, and trees treat values that differ by 1e-7 as
    equal. Therefore the median of the rows drawn is subtracted from each column for the default
    trees, and the column is multiplied by the power of two that brings its largest value to about
    2¹⁰⁰. This keeps the order of values, and a split uses nothing but the order. A tree that is
    passed as `estimator` gets X unchanged.

    References
    ----------
    F. Mordelet, J.-P. Vert, A bagging SVM to learn from positive and unlabeled examples, Pattern
    Recognition Letters 37 (2014) 201-209.

    Examples
    --------
    Rows 20 to 39 are positive, but not labeled:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3)); X[:40, 0] += 3
    >>> model = PUBagging(n_estimators=30, random_state=0).fit(X, np.arange(200) < 20)
    >>> scores = model.oob_decision_function_
    >>> highest = np.argsort(-scores[20:])[:20]  # of the unlabeled rows
    >>> int((highest < 20).sum())  # are positive
    16
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods("fit"), None],
        "n_estimators": [COUNT],
        "n_unlabeled_per_bag": [COUNT, None],
        "class_prior": [SHARE, StrOptions({"estimate"}), None],
    }
    _mends: ClassVar[dict[str, str]] = {
        "n_unlabeled_per_bag": "Pass a number of rows, or None for 4 for each positive."
    }
    class_prior_: float
    scores_out_of_bag = True
    """Tells `unlabeled_out_of_fold_scores` to take the out-of-bag scores of one fit."""

    _is_sparse: bool = False  # of models in files of older versions
    _fill: Floats | None = None
    _frames: str | None = None  # the library of X in `fit`
    _categories: Sequence[str] = ()  # columns of categories in these frames

    @property
    def _takes_numbers(self) -> Numeric:  # type: ignore[override]  # by a parameter
        """Missing values too, as an estimator itself refuses them; frames may hold any values."""
        return False if self._kept_frames or _is_composite(self.estimator) else "allow-nan"

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        n_unlabeled_per_bag: int | None = None,
        class_prior: float | Literal["estimate"] | None = None,
        random_state: RandomState = None,
        positive_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_unlabeled_per_bag = n_unlabeled_per_bag
        self.class_prior = class_prior
        self.random_state = random_state
        self.positive_label = positive_label

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # no row weights
        """Learn from positive and unlabeled rows.

        Parameters
        ----------
        X : rows, in any form that the other learners take; missing values may be NaN if
            `estimator` takes NaN
        y : shape (n_rows,), or the name of the column of X that holds the labels
        """
        self._frames = _kind_of(X)
        return super().fit(X, y)

    @property
    def _kept_frames(self) -> str | None:
        """The library of frames whose rows the models get unchanged; None for other rows."""
        takes = self.estimator is not None and not isinstance(self.estimator, BaseDecisionTree)
        return self._frames if takes else None

    def _checked(self, X: Any, y: Any = None, *, reset: bool) -> Any:
        checked = super()._checked(X, y, reset=reset)
        if self._kept_frames is None or _kind_of(checked) != self._kept_frames:
            return checked
        source = FrameSource(checked)
        if reset:
            labels = y if isinstance(y, str) else None
            self._categories = [name for name in _categories_of(checked) if name != labels]
        return source

    def _check_params(self) -> None:
        super()._check_params()
        if self.estimator is not None:
            check_estimator(self.estimator)
            _check_classifier(self.estimator)

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        positive = source.map(lambda block: block.labels()).astype(bool)
        rng = check_random_state(self.random_state)
        self.bags_ = self._drawn(np.flatnonzero(positive), np.flatnonzero(~positive), rng)
        seeds = rng.randint(_LARGEST_SEED, size=self.n_estimators)
        rows = np.unique(self.bags_)
        drawn, places = source.held(rows)
        self._is_sparse = drawn.is_sparse
        base = self._base(drawn, places)
        is_single = isinstance(base, BaseDecisionTree) and not drawn.is_sparse
        if is_single:  # converted once for all bags
            drawn, places = Block(self._single(drawn.dense(), places)), np.arange(len(rows))

        takes_weights = isinstance(base, PositiveUnlabeledClassifier) and has_fit_parameter(
            base, "sample_weight"
        )

        def learned(bag: Ints, seed: int) -> Any:
            weights: dict[str, Ints] = {}
            if takes_weights:  # copies of a positive would be in several folds of the model
                bag, weights["sample_weight"] = np.unique(bag, return_counts=True)
            part = drawn.rows(places[np.searchsorted(rows, bag)])
            X = part.X if is_single else self._as_input(base, part)
            try:
                return _seeded(base, seed).fit(_own(X), positive[bag].astype(int), **weights)
            except (ValueError, TypeError) as error:
                _note_columns(error, X, base)
                raise

        n_threads = joblib.effective_n_jobs(None)  # 1 outside a context, and within a parallel task
        in_threads = joblib.Parallel(n_threads, require="sharedmem")
        self.estimators_ = in_threads(
            joblib.delayed(learned)(bag, int(seed))
            for bag, seed in zip(self.bags_, seeds, strict=True)
        )
        out_of_bag, mean = source.map(partial(self._in_pieces, of=self._scores_out_of_bag)).T
        _warn_of(out_of_bag[~positive], mean)
        self.threshold_ = self._cut(out_of_bag, mean, positive)
        self.oob_decision_function_ = out_of_bag - self.threshold_

    def _drawn(self, positives: Ints, unlabeled: Ints, rng: np.random.RandomState) -> Array:
        """Rows of each bag, shape (n_estimators, n_positive + n_unlabeled of a bag)."""
        if len(unlabeled) < 2:  # noqa: PLR2004 - one to learn from, one to leave out
            raise DataError(
                "There is 1 unlabeled row, so every bag contains it.", "Add unlabeled rows."
            )
        n_positive = min(len(positives), _MOST_POSITIVE)
        size = self.n_unlabeled_per_bag or max(_PER_POSITIVE * n_positive, _FEWEST)
        size = min(size, len(unlabeled) // 2)
        n_rows = len(positives) + len(unlabeled)
        bags = np.empty((self.n_estimators, n_positive + size), np.min_scalar_type(n_rows))
        for bag in bags:
            bag[:n_positive] = rng.choice(positives, n_positive)
            drawn = sample_without_replacement(len(unlabeled), size, random_state=rng)
            bag[n_positive:] = unlabeled[drawn]
        return bags

    def _base(self, drawn: Block, places: Ints) -> Any:
        """What each bag copies, to learn from rows with these places in a block."""
        self._scaling: tuple[Floats, Ints] | None = None
        self._fill = None
        if self.estimator is not None:
            return self.estimator
        if drawn.is_sparse:
            with np.errstate(over="ignore", invalid="ignore"):  # of squares, which are not used
                self._fill = Moments.of(drawn.rows(places)).mean
            return WeightedLogisticRegression()
        self._scaling = _centers_and_exponents(drawn.dense(), places)
        return ExtraTreeClassifier(max_features=1.0, min_samples_leaf=3, class_weight="balanced")

    def _cut(self, out_of_bag: Floats, mean: Floats, positive: Bools) -> float:
        known = np.where(np.isnan(out_of_bag), mean, out_of_bag)[positive]
        if self.class_prior is None:
            return float(np.median(known))
        rest = out_of_bag[~positive]
        rest = rest[~np.isnan(rest)]
        if self.class_prior == "estimate":
            self.class_prior_, self.class_prior_error_ = estimate_from_scores(known, rest)
        else:
            self.class_prior_ = float(self.class_prior)
        return float(np.quantile(rest, 1 - self.class_prior_))

    def _scores_out_of_bag(self, block: Block) -> Floats:
        """Mean scores of rows over the bags without the row, and over all; shape (n_rows, 2)."""
        totals, n_bags = np.zeros((2, block.n_rows, 2))
        for scores, bag in zip(self._scores(block), self.bags_, strict=True):
            counted = np.ones_like(totals, dtype=bool)
            rows = bag.astype(np.int64) - block.start
            counted[rows[(rows >= 0) & (rows < block.n_rows)], 0] = False
            totals += counted * scores[:, None]
            n_bags += counted
        return np.divide(totals, n_bags, out=np.full_like(totals, np.nan), where=n_bags > 0)

    def _in_pieces(self, block: Block, of: Callable[[Block], Floats]) -> Floats:
        """`of(block)`, computed for some rows at a time if sparse rows become dense."""
        becomes_dense = block.is_sparse and not self._is_sparse
        step = max(1, _CELLS // block.n_features) if becomes_dense else block.n_rows
        return np.concatenate([of(part) for part in block.pieces(step)])

    def _score_block(self, block: Block) -> Floats:
        return self._in_pieces(block, self._mean_scores)

    def _mean_scores(self, block: Block) -> Floats:
        total = np.zeros(block.n_rows)
        for scores in self._scores(block):
            total += scores
        return total / len(self.estimators_) - self.threshold_

    def contributions(self, X: Any) -> Floats:
        """What each feature adds to the score of each row, as a mean over the bags.

        `decision_function` is the sum of these contributions and of a constant that all rows share.
        In a tree, each split on the path of a row changes the share of positives from the node to
        its child; this change counts for the feature of the split (Saabas 2014). In a linear
        model, the contribution is weight times value.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        shape (n_rows, n_features)

        Raises
        ------
        DataError : if the models are neither single trees nor linear
        """
        check_is_fitted(self)
        base = self.estimators_[0]
        if not (hasattr(base, "tree_") or hasattr(base, "coef_")):
            raise DataError(
                f"{named(base)} is neither a tree nor a linear model, so it has no contributions.",
                "Take the default estimator.",
            )
        return self._source_of(X).map(partial(self._in_pieces, of=self._contribute_block))

    def _contribute_block(self, block: Block) -> Floats:
        total = np.zeros((block.n_rows, self.n_features_in_))
        if block.n_rows == 0:
            return total
        X = self._as_input(self.estimators_[0], block)
        for model in self.estimators_:
            total += _contributions_by(model, X)
        return total / len(self.estimators_)

    def _scores(self, block: Block) -> Iterator[Floats]:
        """Scores of the rows by each model in turn, of shape (n_rows,)."""
        if block.n_rows == 0:
            return (np.empty(0) for _ in self.estimators_)
        X = self._as_input(self.estimators_[0], block)
        return (_scores_by(model, _own(X)) for model in self.estimators_)

    def _as_input(self, base: Any, block: Block) -> Any:
        """Rows in the layout that the models learned from, whatever their own layout."""
        if self._is_sparse:
            X = block.matrix() if block.is_sparse else sparse.csr_array(block.matrix())
            return _read_only(X if self._fill is None else filled(X, self._fill))
        if is_frame(block.X):
            return block.X
        names = getattr(self, "feature_names_in_", None)
        if names is not None and (self._kept_frames or _is_composite(base)):
            frame = _frame_of(block, list(names), self._kept_frames or "pyarrow")
            return frame.with_columns(nw.col(self._categories).cast(nw.Categorical())).to_native()
        X = block.dense()
        return self._single(X) if isinstance(base, BaseDecisionTree) else _read_only(X)

    def _single(self, X: Floats, places: Ints | None = None) -> Array:
        """Some rows of X, or all, in float32, converted once, since each tree would convert X."""
        n_rows = len(X) if places is None else len(places)
        out = np.empty((n_rows, X.shape[1]), dtype=np.float32)
        for start in range(0, n_rows, _ROWS):
            rows = slice(start, start + _ROWS)
            part = X[rows] if places is None else X[places[rows]]
            if self._scaling is None:
                _check_magnitude(part, self._column_names())
                out[rows] = part
                continue
            centers, exponents = self._scaling
            with np.errstate(over="ignore"):  # infinity, too, is beyond all values of `fit`
                out[rows] = np.ldexp(part / 2 - centers, exponents)  # halves do not overflow
        return out

    def _column_names(self) -> Any:
        return getattr(self, "feature_names_in_", range(self.n_features_in_))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        known = hasattr(self.estimator, "__sklearn_tags__")
        tags.input_tags.allow_nan = self.estimator is None or (
            known and get_tags(self.estimator).input_tags.allow_nan
        )
        tags.classifier_tags.poor_score = True  # half of the positives lie below the threshold
        return tags


def _check_classifier(base: Any) -> None:
    if not hasattr(base, "get_params"):
        raise DataError(
            f"{named(base)} has no get_params and cannot be copied for each bag.",
            "Derive its class from sklearn.base.BaseEstimator.",
        )
    kind = get_tags(base).estimator_type if hasattr(base, "__sklearn_tags__") else None
    if kind not in (None, "classifier"):
        raise DataError(
            f"{named(base)} is not a classifier, but of the kind {kind!r}.",
            "Pass a classifier, which learns positive against unlabeled rows.",
        )


def _warn_of(out_of_bag: Floats, mean: Floats) -> None:
    """Warn if unlabeled rows have no out-of-bag score, or all rows have the same mean score."""
    without = np.isnan(out_of_bag).sum()
    if without:
        warnings.warn(
            f"{counted_of(int(without), len(out_of_bag), 'unlabeled row')} in every bag, which "
            "leaves no bag for an out-of-bag score. Raise n_estimators.",
            OnesidedWarning,
            stacklevel=5,
        )
    if np.ptp(mean) == 0:
        warnings.warn(
            f"All {len(mean)} rows have the same score: no model of a bag distinguishes them. Pass "
            "more rows, other columns or another estimator, and divide columns of very large "
            "numbers by a power of 10.",
            SeparationWarning,
            stacklevel=5,
        )


def _seeded(base: BaseEstimator, seed: int) -> Any:
    """A copy of an estimator in which each `random_state` is this seed."""
    names = [name for name in base.get_params() if name.split("__")[-1] == "random_state"]
    return clone(base).set_params(**dict.fromkeys(names, seed))


def _is_composite(base: Any) -> bool:
    return base is not None and any(hasattr(part, "fit") for part in base.get_params().values())


def _kind_of(X: Any) -> str | None:
    """The library of a data frame; None for sparse frames and for other objects."""
    if not is_frame(X) or is_sparse_frame(X):
        return None
    return nw.get_native_namespace(X).__name__


def _note_columns(error: Exception, X: Any, base: Any) -> None:
    """Add a note to an error of a model: the column of a frame that it may not accept."""
    if not is_frame(X):
        return
    for name, kind in nw.from_native(X).schema.items():
        if not (kind.is_numeric() or kind == nw.Boolean()):
            error.add_note(
                f"Column {name!r} holds {kind} values, and PUBagging gives the columns of a frame "
                f"to {named(base)} as they are. If it takes only numbers, encode the column first, "
                "with OneHotEncoder in a pipeline for example, or drop it."
            )
            return


def _own(X: Any) -> Any:
    """A copy of a frame, since a scaler with copy=False may change it; other X is read-only."""
    return nw.from_native(X).clone().to_native() if is_frame(X) else X


def _read_only(X: Any) -> Any:
    """A read-only view, so that scalers with copy=False cannot change the data of others."""
    if sparse.issparse(X):
        return type(X)((_read_only(X.data), X.indices, X.indptr), shape=X.shape)
    view = X.view()
    view.flags.writeable = False
    return view


def _categories_of(X: Any) -> list[str]:
    schema = nw.from_native(X).schema
    return [name for name, kind in schema.items() if kind in (nw.Categorical, nw.Enum)]


def _frame_of(block: Block, names: list[str], kind: Any) -> nw.DataFrame[Any]:
    if block.is_arrow:
        import pyarrow as pa  # noqa: PLC0415 - only Arrow data pays for it

        return nw.from_arrow(pa.Table.from_batches([block.X]), backend=kind)
    return nw.from_numpy(_read_only(block.dense()), names, backend=kind)


def _check_magnitude(X: Floats, names: Any) -> None:
    beyond = np.argwhere((X > _LARGEST_SINGLE) | (X < -_LARGEST_SINGLE))
    if len(beyond):
        row, column = beyond[0]
        raise DataError(
            f"Column {names[column]!r} holds {X[row, column]:g}, too large for a tree, which "
            f"can hold numbers up to {_LARGEST_SINGLE:.2g}.",
            "Make it missing (NaN) if it stands for that, or pass its rank or logarithm.",
        )


def _centers_and_exponents(X: Floats, places: Ints) -> tuple[Floats, Ints]:
    """Lower medians of halved columns, and exponents of two to scale by; each (n_features,).

    They are those of some rows.

    The largest distance of a column from its median is scaled to between 2⁹⁹ and 2¹⁰⁰.
    """
    centers, reach = np.empty((2, X.shape[1]))
    for j, column in enumerate(X.T):
        ordered = np.sort(column[places] / 2)  # NaN last
        last = np.count_nonzero(~np.isnan(ordered)) - 1
        centers[j] = ordered[last // 2]
        reach[j] = np.maximum(centers[j] - ordered[0], ordered[last] - centers[j])
    return centers, _EXPONENT - np.frexp(reach)[1]


def _scores_by(model: Any, X: Any) -> Floats:
    """Scores of class 1, each finite; shape (n_rows,)."""
    checked = isinstance(model, BaseDecisionTree) and not sparse.issparse(X)
    scores = scores_of(model, X, **({"check_input": False} if checked else {}))
    if without := np.isinf(scores).sum():
        raise DataError(
            f"{named(model)} returns an infinite score for {without} of "
            f"{counted(len(scores), 'row')}.",
            "Pass a classifier whose scores are finite, or scale the columns before it.",
        )
    return scores


def _contributions_by(model: Any, X: Any) -> Floats:
    """What each column adds to the score of each row; shape (n_rows, n_columns)."""
    if not hasattr(model, "tree_"):
        weights = np.ravel(model.coef_)
        if sparse.issparse(X):
            return np.asarray(X.multiply(weights).toarray())
        return np.asarray(np.asarray(X) * weights)
    tree = model.tree_
    inner = np.flatnonzero(tree.children_left >= 0)
    parents = np.concatenate([inner, inner])
    children = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
    share = tree.value[:, 0, list(model.classes_).index(1)]
    steps = sparse.csr_array(
        (share[children] - share[parents], (children, tree.feature[parents])),
        shape=(tree.node_count, model.n_features_in_),
    )
    path = model.decision_path(X, check_input=sparse.issparse(X))
    return np.asarray((path @ steps).todense())
