"""Weighted logistic regression as an estimator."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from onesided._blocks import Block, Source, check_weight, is_dask
from onesided._labels import LabelCoding
from onesided._statistics import SquareSums
from onesided._typing import Array, Bools, Floats
from onesided._validation import ABOVE_ZERO, COUNT, FROM_ZERO, SHARE
from onesided.exceptions import DataError
from onesided.model_selection import PositiveKFold
from onesided.model_selection._hidden import Labels
from onesided.models._base import PositiveUnlabeledClassifier
from onesided.models._class_prior import estimate_from_scores
from onesided.models.logistic import _equations as equations
from onesided.models.logistic._optimum import (
    Optimum,
    PenalizedLoss,
    Point,
    minimize_loss,
    warn_unless_converged,
)

_FOLDS = 5  # of the scores that a prior is estimated from


def _has_prior(model: LogisticClassifier) -> bool:
    return model.class_prior is not None


class LogisticClassifier(PositiveUnlabeledClassifier):
    """What one penalty and a choice among several share: all but how C is found."""

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

    def _keep(self, optimum: Optimum, source: Source, C: float) -> None:
        """Set what scores rows; with a class prior 0 is a posterior of one half."""
        self.coef_ = optimum.point.coef[None, :-1]
        self.intercept_ = optimum.point.coef[-1:]
        self.n_iter_ = optimum.n_iter
        self.converged_ = optimum.converged
        if self.class_prior is None:
            return
        if self.class_prior == "estimate":
            scores, positive = self._out_of_fold(source, C)
            self.class_prior_ = estimate_from_scores(scores[positive], scores[~positive])
        else:
            self.class_prior_ = float(self.class_prior)
        self.intercept_ = self.intercept_ - equations.log_odds_at_half(self.class_prior_)

    def _out_of_fold(self, source: Source, C: float) -> tuple[Floats, Bools]:
        """Scores of rows that a fit has not seen, and which rows are positive."""
        positive = source.map(Block.labels)
        weight = source.map(Block.weights)
        scores, rows = np.empty(len(positive)), np.arange(len(positive))
        for _, test in PositiveKFold(_FOLDS, random_state=0).split(rows, positive):
            held_out = np.isin(rows, test)
            optimum = self._optimum(loss_of(source.labeled(positive, weight * ~held_out)), C)
            of = partial(scores_by_fits, coefs=optimum.point.coef[None], held_out=held_out)
            scores[held_out] = source.map(of)[:, 0]
        return scores, positive

    def decision_function(self, X: Any) -> Floats:
        """Score of each row, in nats, higher is more positive; shape (n_rows,).

        Without a class prior it is log P(x | positive) / P(x | unlabeled). With one, log 2p is
        added, so that 0 is where P(positive | x) is one half.
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

    Without `class_prior` the cut at 0 is that of the paper: it aims at the highest true-positive
    rate less false-positive rate, not at accuracy, and calls a row positive where the row is more
    likely to be positive than a row at large. With `class_prior` a row is called positive where
    `predict_proba` gives it more than one half.

    Assumes that labels are selected completely at random (SCAR) among the positives; either
    scenario will do.

    Parameters
    ----------
    C : inverse strength of the penalty, above 0: C · Σ weight · loss + ½|w|²
    class_prior : share of positives among the unlabeled, in (0, 1), or "estimate": by the best
        bin (`onesided.prior.best_bin`) of the scores of five folds. It gives `predict_proba`, and
        moves the cut of `predict` to a probability of one half
    negative_share : total weight of the known negatives that are passed to `fit`, as a multiple of
        that of the unlabeled rows; one of them has at least the weight of an unlabeled row and at
        most that of a positive row. With 0 they are learned from as unlabeled rows
    tol : relative error of the coefficients at which to stop, judged by Newton's step from there
        and by the second derivatives of the objective, which the units of features do not change
    max_iter : most steps
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    coef_ : shape (1, n_features)
    intercept_ : shape (1,); with `class_prior` it includes log 2p
    class_prior_ : as given or estimated, where `class_prior` is not None
    n_iter_ : steps
    converged_ : whether `tol` was reached
    classes_ : shape (2,), the labels, unlabeled first
    n_features_in_ : number of features
    feature_names_in_ : their names, where X had them

    Raises
    ------
    DataError : if C is not above 0, or X holds anything but finite numbers
    PriorError : if `class_prior` is not strictly between 0 and 1

    Notes
    -----
    Lee, Liu 2003, sections 3 and 4, with weight N_u/N for a positive and N_1/N for an unlabeled
    row; their penalty is 1/(2C). The bias is the weight of a constant feature, penalised like
    the others. Their descent with momentum is replaced by Newton's steps to the optimum.

    With `negative_share` the loss is that of positive and unlabeled rows plus that of positive and
    negative rows, as in the risk of PNU learning (Sakai et al. 2017). Learning so helps where known
    negatives were drawn at random; where they come from the top of an earlier list, as in active
    learning on some tables, it can cost (``benchmarks/bench_references.py``), so compare both.

    A step is two passes over the rows, its matrix of second derivatives and the loss, where there
    are up to 512 features; with more it is one pass for each step of its conjugate gradients.
    Units of features cost neither accuracy nor passes, but they do set how much the penalty holds
    each. Memory beside the rows is that of a block and, up to 512 features, of a few
    n_features × n_features matrices, with more that of a number a row.

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
        """Whether known negatives are learned from otherwise than unlabeled rows."""
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
        X, y, sample_weight : as for the other learners; with `known_negative` y is an array
        known_negative : shape (n_rows,), unlabeled rows that are known to be negative; they count
            as `negative_share` says

        Raises
        ------
        LabelError : if y does not have exactly two kinds of rows, or `known_negative` is no mask of
            rows that are not positive
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
        return super().fit(X, y, weight)

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        self._keep(self._optimum(loss_of(source), self.C), source, self.C)


def scores_by_fits(block: Block, coefs: Floats, held_out: Bools) -> Floats:
    """Scores of the rows of a block that no fit learned from, shape (n_held_out, n_fits).

    Parameters
    ----------
    block : some rows
    coefs : shape (n_fits, n_features + 1), the bias last
    held_out : shape (n_rows,), of all rows of the source
    """
    rows = np.flatnonzero(held_out[block.start : block.start + block.n_rows])
    return np.asarray(block.rows(rows).matrix() @ coefs[:, :-1].T + coefs[:, -1])


def loss_of(source: Source) -> PenalizedLoss:
    """The objective on rows that must be finite numbers, both kinds with equal total weight."""
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
