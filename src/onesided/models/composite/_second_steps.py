"""Second steps: learn from the positives, the reliable negatives, and the rest.

Each is fitted to a source of labeled rows and a mask of reliable negatives, and scores blocks.
"""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils._param_validation import Interval, Options

from onesided._blocks import Block, Source
from onesided._numerics._stacking import stacked
from onesided._numerics._tfidf import tfidf
from onesided._statistics import WordTotals
from onesided._text import counted
from onesided._typing import Bools, Floats
from onesided._validation import COUNT, SHARE_FROM_ZERO
from onesided.models.composite._first_steps import Step, labels_of
from onesided.models.composite._unit_rows import UnitRows
from onesided.models.composite._word_em import EM, EM_CONSTRAINTS, WordModel, vocabulary

_LARGEST_C = 1e8  # above it, liblinear would not end


class SecondStep(Protocol):
    """The methods that `TwoStep` needs of a second step, besides those of scikit-learn."""

    def check(self) -> None:
        """Raise an error if a parameter cannot be used."""

    def learn(self, source: Source, negative: Bools) -> Self:
        """Learn from labeled rows.

        Parameters
        ----------
        source : labeled rows
        negative : shape (n_rows,), the reliable negatives
        """

    def score_block(self, block: Block) -> Floats:
        """Score of each row, above 0 is positive; shape (n_rows,)."""


class EMStep(Step):
    """Naive Bayes by EM that starts from the positives and the reliable negatives.

    The first model learns from the positives and the reliable negatives only. All later models
    learn from all rows: known positives stay positive, and the other rows may change class. EM
    keeps the last model before the estimated error grows. If the error does not grow, EM keeps the
    last model.

    Parameters
    ----------
    smoothing : occurrences added to each word; 1 is Laplace's correction
    tol : EM stops when an iteration gains less than this log-likelihood, nats a row
    max_iter : largest number of iterations

    Attributes
    ----------
    feature_log_prob_ : log P(word | class), nats, shape (2, n_features), negative first
    class_log_prior_ : log P(class) among all rows, labeled and unlabeled, nats, shape (2,)
    n_iter_ : number of iterations, n_iterations
    selected_ : number of the model that was kept; 0 is the first model
    error_change_ : shape (n_iterations,), estimated change of the error from each model to the next
    converged_ : whether the error grew or the gain was below `tol` before `max_iter`

    Notes
    -----
    Liu, Lee, Yu, Li 2002. If f is the label that a model gives to a row, its error is

        Pr[f ≠ Y] = Pr[f = 1] − Pr[Y = 1] + 2 Pr[f = 0 | Y = 1] Pr[Y = 1]

    among the unlabeled. Pr[f = 1] is the share of the unlabeled that is called positive.
    Pr[f = 0 | Y = 1] is the share of the known positives that is called negative. Pr[Y = 1] is the
    mean posterior of the unlabeled under the newer model.

    Examples
    --------
    Of 50 unlabeled rows the first 20 are positive:

    >>> import numpy as np
    >>> from onesided import TwoStep
    >>> from onesided.models.composite import EMStep
    >>> rng = np.random.default_rng(0)
    >>> about_hens = rng.poisson([3, 3, 1, 0.2, 0.2], (60, 5))
    >>> about_cars = rng.poisson([0.2, 0.2, 1, 3, 3], (30, 5))
    >>> X, y = np.vstack([about_hens, about_cars]), np.repeat([1, 0], [40, 50])
    >>> model = TwoStep("rocchio", EMStep()).fit(X, y)
    >>> int(model.predict(X[40:60]).sum()), int(model.predict(X[60:]).sum())  # called positive
    (20, 0)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = EM_CONSTRAINTS

    def __init__(self, *, smoothing: float = 1.0, tol: float = 1e-5, max_iter: int = 500) -> None:
        self.smoothing = smoothing
        self.tol = tol
        self.max_iter = max_iter

    def learn(self, source: Source, negative: Bools) -> Self:
        """Learn from labeled rows and the mask of the reliable negatives."""
        zero = WordTotals.zero(source.n_features)
        seen = vocabulary(source.total(WordTotals.of, zero))
        kept = source.total(lambda block: WordTotals.of(_decided(block, negative)), zero)
        start = WordModel.of(kept.occurrences, kept.rows, seen, self.smoothing)
        found = self._em.climb(source, start, seen, until_error_grows=True)
        self._model = found.model
        self.feature_log_prob_ = found.model.feature_log_prob
        self.class_log_prior_ = found.model.class_log_prior
        self.n_iter_, self.selected_ = len(found.error_change), found.selected
        self.error_change_, self.converged_ = found.error_change, found.converged
        return self

    def score_block(self, block: Block) -> Floats:
        """Natural-log posterior odds, shape (n_rows,)."""
        return self._model.log_odds(block)

    @property
    def _em(self) -> EM:
        return EM(self.smoothing, self.tol, self.max_iter)


class SVMStep(Step):
    """Linear SVM of positives against reliable negatives, on tf-idf rows of unit length.

    Parameters
    ----------
    C : weight of the squared hinge loss of a row

    Attributes
    ----------
    svm_ : the fitted `LinearSVC`

    Notes
    -----
    The step holds the positives and the reliable negatives in memory. It solves the primal problem,
    because the solver of the dual problem works in random order and is less accurate.

    Examples
    --------
    Of 50 unlabeled rows the first 20 are positive:

    >>> import numpy as np
    >>> from onesided import TwoStep
    >>> from onesided.models.composite import SVMStep
    >>> rng = np.random.default_rng(0)
    >>> about_hens = rng.poisson([3, 3, 1, 0.2, 0.2], (60, 5))
    >>> about_cars = rng.poisson([0.2, 0.2, 1, 3, 3], (30, 5))
    >>> X, y = np.vstack([about_hens, about_cars]), np.repeat([1, 0], [40, 50])
    >>> model = TwoStep("rocchio", SVMStep()).fit(X, y)
    >>> int(model.predict(X[40:60]).sum()), int(model.predict(X[60:]).sum())  # called positive
    (20, 0)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "C": [Interval(Real, 0, _LARGEST_C, closed="right")]
    }

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def learn(self, source: Source, negative: Bools) -> Self:
        """Learn from labeled rows and the mask of the reliable negatives."""
        self._unit = UnitRows.of(source)
        self.svm_ = self._svm_of(source, negative)
        return self

    def score_block(self, block: Block) -> Floats:
        """Score w · x + b of each row, shape (n_rows,)."""
        return np.asarray(self._unit(block) @ self.svm_.coef_[0]) + self.svm_.intercept_[0]

    def _svm_of(self, source: Source, negative: Bools) -> LinearSVC:
        decided = [_decided(block, negative) for block in source.blocks()]
        X = tfidf(stacked([block.matrix() for block in decided]), self._unit.idf)
        if sparse.issparse(X):  # liblinear takes 32-bit indices, which the constructor chooses
            X = sparse.csr_matrix((X.data, X.indices, X.indptr), X.shape)
        y = np.concatenate([block.labels() for block in decided])
        return LinearSVC(C=self.C, dual=False).fit(X, y)


class IteratedSVMStep(SVMStep):
    """Linear SVMs, fitted one after another to a growing set of negatives.

    The first SVM learns from the positives and the reliable negatives. The unlabeled rows that an
    SVM calls negative join the negatives of the next SVM, until an SVM finds no new negative.

    Parameters
    ----------
    C : weight of the squared hinge loss of a row
    select : largest share of the positives that the last SVM may call negative, 0.08 in Li and Liu;
        if the share is larger, the first SVM is kept. False always keeps the last SVM.
    max_iter : largest number of SVMs

    Attributes
    ----------
    svm_ : the `LinearSVC` that was kept
    n_iter_ : number of SVMs that were fitted
    selected_ : number of the SVM that was kept, from 0
    converged_ : whether the last SVM found no new negative

    Notes
    -----
    Li, Liu 2003; without selection Yu, Han, Chang 2002. The step holds the positives and all
    negatives in memory. It makes two passes over the rows for each SVM.

    Examples
    --------
    Of 50 unlabeled rows the first 20 are positive:

    >>> import numpy as np
    >>> from onesided import TwoStep
    >>> from onesided.models.composite import IteratedSVMStep
    >>> rng = np.random.default_rng(0)
    >>> about_hens = rng.poisson([3, 3, 1, 0.2, 0.2], (60, 5))
    >>> about_cars = rng.poisson([0.2, 0.2, 1, 3, 3], (30, 5))
    >>> X, y = np.vstack([about_hens, about_cars]), np.repeat([1, 0], [40, 50])
    >>> model = TwoStep("rocchio", IteratedSVMStep()).fit(X, y)
    >>> int(model.predict(X[40:60]).sum()), int(model.predict(X[60:]).sum())  # called positive
    (20, 0)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "select": [SHARE_FROM_ZERO, Options(bool, {False})],
        "max_iter": [COUNT],
    }

    def __init__(
        self, C: float = 1.0, *, select: float | Literal[False] = False, max_iter: int = 100
    ) -> None:
        super().__init__(C)
        self.select = select
        self.max_iter = max_iter

    def learn(self, source: Source, negative: Bools) -> Self:
        """Learn from labeled rows and the mask of the reliable negatives."""
        super().learn(source, negative)
        positive = labels_of(source)
        first, self.n_iter_ = self.svm_, 1
        called = self._called_negative(source)
        while (more := called & ~positive & ~negative).any() and self.n_iter_ < self.max_iter:
            negative = negative | more
            self.svm_, self.n_iter_ = self._svm_of(source, negative), self.n_iter_ + 1
            called = self._called_negative(source)
        self.converged_ = not more.any()
        if not self.converged_:
            warnings.warn(
                f"The SVM was learned max_iter={self.max_iter} times; the last SVM called "
                f"{counted(more.sum(), 'more row')} negative. Raise max_iter.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.selected_ = self.n_iter_ - 1
        if self.select is not False and called[positive].mean() > self.select:
            self.svm_, self.selected_ = first, 0
        return self

    def _called_negative(self, source: Source) -> Bools:
        return source.map(self.score_block) <= 0


def _decided(block: Block, negative: Bools) -> Block:
    """The positive rows and the reliable negatives of a block."""
    own = negative[block.start : block.start + block.n_rows]
    return block.rows(np.flatnonzero(block.labels() | own))
