"""Weighted logistic regression as an estimator."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from onesided._blocks import Block, Source, is_dask
from onesided._labels import LabelCoding
from onesided._statistics import SquareSums
from onesided._typing import Array, Bools, Floats
from onesided._validation import ABOVE_ZERO, COUNT, FROM_ZERO, SHARE, check_weight
from onesided.exceptions import DataError, LabelError
from onesided.model_selection._labels import Labels
from onesided.models._base import PositiveUnlabeledClassifier
from onesided.models._class_prior import estimate_from_scores, out_of_fold_by
from onesided.models.logistic import _equations as equations
from onesided.models.logistic._optimum import (
    Optimum,
    PenalizedLoss,
    Point,
    minimize_loss,
    warn_unless_converged,
)


def _has_prior(model: LogisticClassifier) -> bool:
    """Whether the fit has a class prior; before a fit, whether it will have one."""
    fitted = hasattr(model, "classes_")
    return hasattr(model, "class_prior_") if fitted else model.class_prior is not None


class LogisticClassifier(PositiveUnlabeledClassifier):
    """Base class of weighted logistic regression; a subclass finds C."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "class_prior": [SHARE, StrOptions({"estimate"}), None],
        "tol": [ABOVE_ZERO],
        "max_iter": [COUNT],
    }
    _takes_numbers = True
    _gives_probabilities = (
        'Pass class_prior, the share of positives among the unlabeled, or class_prior="estimate".'
    )

    class_prior: float | Literal["estimate"] | None
    tol: float
    max_iter: int
    class_prior_: float

    def _optimum(self, loss: PenalizedLoss, C: float, start: Point | None = None) -> Optimum:
        optimum = minimize_loss(loss, C, start=start, tol=self.tol, max_iter=self.max_iter)
        warn_unless_converged([optimum], self.tol, self.max_iter)
        return optimum

    def _keep(
        self, optimum: Optimum, source: Source, C: float, negative: Bools | None = None
    ) -> None:
        """Set the fitted attributes; with a class prior, score 0 is a posterior of one half.

        Parameters
        ----------
        optimum : of the loss on the rows of `source`, at the penalty C
        negative : shape (n_rows,), known negatives, which do not count for the class prior
        """
        self.coef_ = optimum.point.coef[None, :-1]
        self.intercept_ = optimum.point.coef[-1:]
        self.n_iter_ = optimum.n_iter
        self.converged_ = optimum.converged
        if self.class_prior is None:
            return
        if self.class_prior == "estimate":
            if negative is not None:
                weight = source.map(Block.weights) * ~negative
                source = source.labeled(source.map(Block.labels), weight)
            scores = out_of_fold_by(partial(self._scorer, C=C), source, fewest=2)
            if scores is None:
                raise LabelError(
                    "Fewer than 2 positive or unlabeled rows are left to estimate the class prior "
                    "from: rows of weight 0 and known negatives do not count.",
                    "Label more rows, or pass class_prior as a number.",
                )
            self.class_prior_, self.class_prior_error_ = estimate_from_scores(*scores)
        else:
            self.class_prior_ = float(self.class_prior)
        self.intercept_ = self.intercept_ - equations.log_odds_at_half(self.class_prior_)

    def _scorer(self, source: Source, C: float) -> Callable[[Block], Floats]:
        """The scoring function of a fit to these rows."""
        coef = self._optimum(loss_of(source), C).point.coef
        return lambda block: np.asarray(block.matrix() @ coef[:-1] + coef[-1])

    def decision_function(self, X: Any) -> Floats:
        """Score of each row, in nats, higher is more positive; shape (n_rows,).

        Without a class prior the score is log P(x | positive) / P(x | unlabeled). With a class
        prior p, log 2p is added. The score is then 0 where P(positive | x) is one half.
        """
        return super().decision_function(X)

    @available_if(_has_prior)
    def predict_proba(self, X: Any) -> Array:
        """P(negative | x) and P(positive | x) of an unlabeled row, shape (n_rows, 2).

        P(positive | x, unlabeled) = p w / (1 − w), clipped at 1.
        """
        check_is_fitted(self)
        at_half = equations.log_odds_at_half(self.class_prior_)
        positive = equations.posterior(self.decision_function(X) + at_half, self.class_prior_)
        return np.column_stack([1 - positive, positive])

    def _score_block(self, block: Block) -> Floats:
        return np.asarray(block.matrix() @ self.coef_[0] + self.intercept_[0])


class WeightedLogisticRegression(LogisticClassifier):
    """Logistic regression of positive against unlabeled, both kinds with equal total weight.

    Without `class_prior` the threshold is that of the paper. It maximises the true-positive rate
    minus the false-positive rate, not accuracy. `predict` then calls a row positive if the row is
    more likely to be positive than the average row. With `class_prior`, `predict` calls a row
    positive if its probability in `predict_proba` is above one half.

    Assumes that labels are selected completely at random (SCAR) among the positives. It fits both
    scenarios: a single training set and case-control.

    Parameters
    ----------
    C : inverse strength of the penalty, above 0: C · Σ weight · loss + ½|w|²
    class_prior : share of positives among the unlabeled, in (0, 1), or "estimate", which estimates
        the share from the out-of-fold scores of four folds, as best bin and binormal ROC curve
        combined (`onesided.prior.estimate_class_prior`). With a class prior, `predict_proba` is
        available, and `predict` uses a probability of one half as threshold. None sets no class
        prior.
    negative_share : total weight of the known negatives that are passed to `fit`, as a multiple of
        the total weight of the unlabeled rows. A known negative weighs at least as much as an
        unlabeled row and at most as much as a positive row. 0 treats known negatives as unlabeled.
    tol : relative error of the coefficients at which the optimiser stops. The error is the length
        of the next Newton step, measured by the second derivatives of the objective, so the units
        of features do not matter.
    max_iter : largest number of steps
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    coef_ : shape (1, n_features)
    intercept_ : shape (1,); with `class_prior` it includes log 2p
    class_prior_ : the share, given or estimated, if `class_prior` is not None
    class_prior_error_ : standard error of the share, if it was estimated
    n_iter_ : number of steps
    converged_ : whether `tol` was reached
    classes_ : shape (2,), the labels, unlabeled first
    n_features_in_ : number of features
    feature_names_in_ : their names, where X had them

    Raises
    ------
    DataError : if C is not above 0, or X holds anything but finite numbers
    LabelError : if the class prior is estimated from fewer than two positive or unlabeled rows
    PriorError : if `class_prior` is not strictly between 0 and 1

    Notes
    -----
    Lee, Liu 2003, sections 3 and 4, with weight N_u/N for a positive and N_1/N for an unlabeled
    row; their penalty is 1/(2C). The bias is the weight of a constant feature, penalised like
    the others. Their descent with momentum is replaced by Newton's steps to the optimum.

    With `negative_share` the loss is the sum of two losses: that of positive and unlabeled rows,
    and that of positive and negative rows, as in the risk of PNU learning (Sakai et al. 2017).
    Known
    negatives help if they were drawn at random. They can make the ranking worse if they come from
    the top of an earlier list, as in active learning on some tables
    (``benchmarks/bench_references.py``). Compare the results with and without them.

    With up to 512 features, a step makes two passes over the rows: one for the matrix of second
    derivatives and one for the loss. With more features, a step makes one pass for each step of its
    conjugate gradients. The units of features change neither accuracy nor the number of passes, but
    they do change how strongly the penalty acts on each feature. In addition to the rows, memory
    holds one block. Up to 512 features it also holds a few n_features × n_features matrices; with
    more features, one number for each row. An estimate of the class prior holds up to 16,384
    positive and as many unlabeled rows, drawn at random; known negatives do not count as unlabeled.

    References
    ----------
    W. S. Lee, B. Liu, Learning with positive and unlabeled examples using weighted logistic
    regression, ICML 2003.

    T. Sakai, M. C. du Plessis, G. Niu, M. Sugiyama, Semi-supervised classification based on
    classification from positive and unlabeled data, ICML 2017.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs([100, 400], centers=None, random_state=0)
    >>> model = WeightedLogisticRegression(C=1.0).fit(X, y == 1)
    >>> model.coef_.shape
    (1, 2)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "C": [ABOVE_ZERO],
        "negative_share": [FROM_ZERO],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        class_prior: float | Literal["estimate"] | None = None,
        negative_share: float = 0.0,
        tol: float = 1e-8,
        max_iter: int = 100,
        positive_label: Any = None,
    ) -> None:
        self.C = C
        self.class_prior = class_prior
        self.negative_share = negative_share
        self.tol = tol
        self.max_iter = max_iter
        self.positive_label = positive_label

    @property
    def learns_from_negatives(self) -> bool:
        """Whether `fit` treats known negatives differently from unlabeled rows."""
        return self.negative_share > 0

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        known_negative: ArrayLike | None = None,
    ) -> Self:
        """Learn from positive and unlabeled rows, some of which may be known to be negative.

        Parameters
        ----------
        X, y, sample_weight : rows, labels and row weights, in any form that the other learners
            take; if `known_negative` is given, y must be an array
        known_negative : shape (n_rows,), mask of the unlabeled rows that are known to be negative;
            `negative_share` sets their weight. None marks no row.

        Raises
        ------
        LabelError : if y does not have exactly two kinds of rows, or if `known_negative` is not a
            mask or marks a positive row
        DataError : if X cannot be used
        """
        if known_negative is None or not self.learns_from_negatives:
            return super().fit(X, y, sample_weight)
        y = y.compute() if is_dask(y) else y
        labels = Labels.of(y, self.positive_label, known_negative)
        given = check_weight(sample_weight, len(labels.positive))
        weight = np.ones(len(labels.positive)) if given is None else given.copy()
        kinds = (labels.positive, labels.negative, labels.unlabeled)
        n_positive, n_negative, n_unlabeled = (float(weight[kind].sum()) for kind in kinds)
        if min(n_positive, n_negative, n_unlabeled) > 0:
            weight[labels.negative] *= equations.negative_weight(
                n_positive, n_negative, n_unlabeled, self.negative_share
            )
        return self._fit(X, y, weight, negative=labels.negative)

    def _learn(self, source: Source, coding: LabelCoding, negative: Bools | None = None) -> None:
        self._keep(self._optimum(loss_of(source), self.C), source, self.C, negative)


def scores_by_fits(block: Block, coefs: Floats, held_out: Bools) -> Floats:
    """Scores of the rows of a block that no fit learned from, shape (n_held_out, n_fits).

    Parameters
    ----------
    block : some rows
    coefs : shape (n_fits, n_features + 1), the bias last
    held_out : shape (n_rows,), mask of the held-out rows among all rows of the source
    """
    rows = np.flatnonzero(held_out[block.start : block.start + block.n_rows])
    return np.asarray(block.rows(rows).matrix() @ coefs[:, :-1].T + coefs[:, -1])


def loss_of(source: Source) -> PenalizedLoss:
    """The objective on rows of finite numbers, with equal total weight for both kinds of rows."""
    zero = SquareSums.zero(source.n_features)
    sums = source.total(SquareSums.of, zero)
    weights = equations.row_weights(sums.totals)
    squares = np.asarray(weights) @ sums.values
    if not np.isfinite(squares).all():
        raise DataError(
            f"Feature {np.argmax(squares)} holds numbers whose squares overflow.",
            "Standardise the features.",
        )
    return PenalizedLoss(source, weights, squares)
