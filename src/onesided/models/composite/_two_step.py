"""Two steps: find reliable negatives, then learn; and the methods that are named combinations."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, StrOptions

from onesided._blocks import Block, Source
from onesided._labels import LabelCoding
from onesided._statistics import check_counts
from onesided._text import counted
from onesided._typing import Floats, RandomState
from onesided.exceptions import SeparationWarning
from onesided.models._base import PositiveUnlabeledClassifier
from onesided.models.composite._first_steps import (
    FirstStep,
    NaiveBayesStep,
    NearestStep,
    OneDNFStep,
    RocchioStep,
    SpyStep,
    labels_of,
)
from onesided.models.composite._second_steps import EMStep, IteratedSVMStep, SecondStep, SVMStep

_REJECTED = 0.08  # share of the positives, Li and Liu 2003
FIRST_STEPS: dict[str, FirstStep] = {
    "1-dnf": OneDNFStep(),
    "naive-bayes": NaiveBayesStep(),
    "nearest": NearestStep(),
    "rocchio": RocchioStep(),
    "spy": SpyStep(),
}
SECOND_STEPS: dict[str, SecondStep] = {
    "em": EMStep(),
    "iterated-svm": IteratedSVMStep(),
    "selected-svm": IteratedSVMStep(select=_REJECTED),
    "svm": SVMStep(),
}


class TwoStep(PositiveUnlabeledClassifier):
    """Find unlabeled rows that are reliably negative, then learn from them and the positives.

    The features are counts of words, or other numbers that are not negative. Assumes that hidden
    positives are like the known positives (SCAR), and that some unlabeled rows are unlike the
    positives. It fits both scenarios: a single training set and case-control.

    Parameters
    ----------
    first : step that finds the reliable negatives: "spy", "rocchio", "1-dnf", "naive-bayes" or
        "nearest"; or a step object such as `SpyStep(spy_share=0.1)`
    second : step that learns: "em", "svm", "iterated-svm" or "selected-svm", which keeps the first
        of the iterated SVMs if the last calls more than 8% of the positives negative; or a step
        object such as `SVMStep(C=10)`
    random_state : seed of the choice of spies
    positive_label : the value of y that means positive, for text labels

    To set the parameters of a step, pass a step object, not a name.

    Attributes
    ----------
    reliable_negative_ : shape (n_rows,), mask of the rows that the first step found; False for
        positives
    second_ : the fitted second step; `EMStep` has the number of the model that it kept and the
        estimated change of the error by iteration
    n_iter_, converged_ : of the second step, if it iterates
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if a feature is negative, or a parameter cannot be used

    Warns
    -----
    SeparationWarning : if the first step finds no reliable negative; the second step then takes all
        unlabeled rows as negative

    Notes
    -----
    Rows cannot have weights, because a spy is a whole row. After "em" the score is the natural-log
    posterior odds of naive Bayes. Its prior is the share of positives among all rows, labeled and
    unlabeled. This share is higher than among the unlabeled, so there is no `predict_proba`. After
    an SVM the score is w · x + b.

    The steps read all rows in several passes. The SVMs hold the positives and the reliable
    negatives in memory.

    References
    ----------
    B. Liu, W. S. Lee, P. S. Yu, X. Li, Partially supervised classification of text documents,
    ICML 2002, 387-394.

    B. Liu, Y. Dai, X. Li, W. S. Lee, P. S. Yu, Building text classifiers using positive and
    unlabeled examples, ICDM 2003.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> about_hens = rng.poisson([3, 3, 1, 0.2, 0.2], (60, 5))
    >>> about_cars = rng.poisson([0.2, 0.2, 1, 3, 3], (30, 5))
    >>> X, y = np.vstack([about_hens, about_cars]), np.repeat([1, 0], [40, 50])
    >>> model = TwoStep("rocchio", "em").fit(X, y)
    >>> int(model.reliable_negative_[60:].sum()), int((model.predict(X[40:]) == 1).sum())
    (30, 20)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "first": [StrOptions(set(FIRST_STEPS)), HasMethods("find")],
        "second": [StrOptions(set(SECOND_STEPS)), HasMethods("learn")],
    }
    _takes_numbers = True
    _takes_counts = True
    random_state: RandomState = None  # for the subclasses that draw nothing

    def __init__(
        self,
        first: str | FirstStep = "spy",
        second: str | SecondStep = "em",
        *,
        random_state: RandomState = None,
        positive_label: Any = None,
    ) -> None:
        self.first = first
        self.second = second
        self.random_state = random_state
        self.positive_label = positive_label

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # no row weights
        """Learn from positive and unlabeled rows.

        Parameters
        ----------
        X : rows, in any form that the other learners take; no feature may be negative
        y : shape (n_rows,), or the name of the column of X that holds the labels
        """
        return super().fit(X, y)

    @property
    def n_iter_(self) -> int:
        """Number of iterations of the second step, if the second step iterates."""
        return self.second_.n_iter_

    @property
    def converged_(self) -> bool:
        """Whether the second step converged before `max_iter`, if the second step iterates."""
        return self.second_.converged_

    def _steps(self) -> tuple[FirstStep, SecondStep]:
        return (
            clone(FIRST_STEPS[self.first] if isinstance(self.first, str) else self.first),
            clone(SECOND_STEPS[self.second] if isinstance(self.second, str) else self.second),
        )

    def _check_params(self) -> None:
        super()._check_params()
        for step in self._steps():
            step.check()

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        first, second = self._steps()
        seed = int(check_random_state(self.random_state).randint(2**31))
        self.reliable_negative_ = negative = first.find(source, seed)
        if not negative.any():
            negative = ~labels_of(source)
            warnings.warn(
                f"{first!r} finds no reliable negative among "
                f"{counted(negative.sum(), 'unlabeled row')} with "
                f"{counted(source.n_features, 'feature')}. The second step takes all unlabeled "
                "rows as negative. Pass more words, or use TwoStep with another first step.",
                SeparationWarning,
                stacklevel=2,
            )
        self.second_: Any = second.learn(source, negative)

    def _score_block(self, block: Block) -> Floats:
        check_counts(block)
        return self.second_.score_block(block)


class SpyEM(TwoStep):
    """S-EM: reliable negatives by spies, then naive Bayes by EM.

    The same as `TwoStep(SpyStep(), EMStep())`. The features are counts of words. Assumes that
    hidden positives are like the known positives (SCAR).

    Parameters
    ----------
    spy_share : share of the positives that become spies, at least one spy
    noise_share : share of the spies that may score below the threshold of the reliable negatives
    smoothing : occurrences added to each word; 1 is Laplace's correction
    tol : EM stops when an iteration gains less than this log-likelihood, nats a row
    max_iter : largest number of iterations of EM
    random_state : seed of the choice of spies
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    reliable_negative_, second_, n_iter_, converged_ : as in `TwoStep`
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Warns
    -----
    SeparationWarning : if there is no reliable negative; all unlabeled rows then start as negative

    References
    ----------
    B. Liu, W. S. Lee, P. S. Yu, X. Li, Partially supervised classification of text documents,
    ICML 2002, 387-394.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> about_hens = rng.poisson([3, 3, 1, 0.2, 0.2], (60, 5))
    >>> about_cars = rng.poisson([0.2, 0.2, 1, 3, 3], (30, 5))
    >>> X, y = np.vstack([about_hens, about_cars]), np.repeat([1, 0], [40, 50])
    >>> model = SpyEM(random_state=0).fit(X, y)
    >>> int((model.predict(X[40:60]) == 1).sum()), int((model.predict(X[60:]) == 1).sum())
    (20, 0)
    """

    def __init__(
        self,
        spy_share: float = 0.15,
        noise_share: float = 0.15,
        *,
        smoothing: float = 1.0,
        tol: float = 1e-5,
        max_iter: int = 500,
        random_state: RandomState = None,
        positive_label: Any = None,
    ) -> None:
        self.spy_share = spy_share
        self.noise_share = noise_share
        self.smoothing = smoothing
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.positive_label = positive_label

    def _steps(self) -> tuple[FirstStep, SecondStep]:
        em: dict[str, Any] = {
            "smoothing": self.smoothing,
            "tol": self.tol,
            "max_iter": self.max_iter,
        }
        return SpyStep(self.spy_share, self.noise_share, **em), EMStep(**em)


class RocchioSVM(TwoStep):
    """Roc-SVM: reliable negatives by Rocchio, then the first or the last of iterated linear SVMs.

    The same as `TwoStep("rocchio", "selected-svm")`. The features are counts of words. Assumes that
    hidden positives are like the known positives (SCAR).

    Parameters
    ----------
    alpha, beta : weights in a prototype of Rocchio: `alpha` of the mean of its own rows, `beta` of
        the mean of the rows of the other kind
    C : weight of the squared hinge loss of a row
    max_iter : largest number of SVMs
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    reliable_negative_, second_, n_iter_, converged_ : as in `TwoStep`
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Warns
    -----
    SeparationWarning : if there is no reliable negative; the SVM then learns the positives against
        all unlabeled rows

    Notes
    -----
    The last SVM is kept if it calls at most 8% of the positives negative. Otherwise the first SVM
    is kept.

    References
    ----------
    X. Li, B. Liu, Learning to classify texts using positive and unlabeled data, IJCAI 2003,
    587-594.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> about_hens = rng.poisson([3, 3, 1, 0.2, 0.2], (60, 5))
    >>> about_cars = rng.poisson([0.2, 0.2, 1, 3, 3], (30, 5))
    >>> X, y = np.vstack([about_hens, about_cars]), np.repeat([1, 0], [40, 50])
    >>> model = RocchioSVM().fit(X, y)
    >>> int((model.predict(X[40:60]) == 1).sum()), int((model.predict(X[60:]) == 1).sum())
    (20, 0)
    """

    def __init__(
        self,
        alpha: float = 16.0,
        beta: float = 4.0,
        *,
        C: float = 1.0,
        max_iter: int = 100,
        positive_label: Any = None,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.C = C
        self.max_iter = max_iter
        self.positive_label = positive_label

    def _steps(self) -> tuple[FirstStep, SecondStep]:
        svm = IteratedSVMStep(self.C, select=_REJECTED, max_iter=self.max_iter)
        return RocchioStep(self.alpha, self.beta), svm


class PEBL(TwoStep):
    """Positive example based learning: reliable negatives by 1-DNF, then iterated linear SVMs.

    The same as `TwoStep("1-dnf", "iterated-svm")`. The features are counts of words. Assumes that
    hidden positives are like the known positives (SCAR).

    Parameters
    ----------
    C : weight of the squared hinge loss of a row
    max_iter : largest number of SVMs
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    reliable_negative_, second_, n_iter_, converged_ : as in `TwoStep`
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Warns
    -----
    SeparationWarning : if there is no reliable negative; the SVM then learns the positives against
        all unlabeled rows

    References
    ----------
    H. Yu, J. Han, K. C.-C. Chang, PEBL: positive example based learning for web page
    classification using SVM, KDD 2002, 239-248.

    Examples
    --------
    >>> import numpy as np
    >>> known = np.array([[3, 1, 0, 0], [2, 2, 0, 0], [3, 2, 1, 0]])
    >>> new = np.array([[3, 1, 0, 0], [0, 0, 2, 3], [2, 2, 0, 0], [0, 0, 1, 3]])
    >>> PEBL().fit(np.vstack([known, new]), [1, 1, 1, 0, 0, 0, 0]).predict(new)
    array([1, 0, 1, 0])
    """

    def __init__(self, *, C: float = 1.0, max_iter: int = 100, positive_label: Any = None) -> None:
        self.C = C
        self.max_iter = max_iter
        self.positive_label = positive_label

    def _steps(self) -> tuple[FirstStep, SecondStep]:
        return OneDNFStep(), IteratedSVMStep(self.C, max_iter=self.max_iter)
