"""Two steps: find reliable negatives, then learn; and the methods that are named combinations."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

from sklearn.base import clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import HasMethods, StrOptions

from onesided._blocks import Block, Source
from onesided._labels import LabelCoding
from onesided._statistics import check_counts
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

_REJECTED = 0.08  # of the positives, Li and Liu 2003
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

    For counts of words, or other features that are not negative. Assumes that hidden positives are
    like the known ones (SCAR), in either scenario, and that some unlabeled rows are unlike them.

    Parameters
    ----------
    first : "spy", "rocchio", "1-dnf", "naive-bayes", "nearest"; or a step, `SpyStep(spy_share=0.1)`
    second : "em", "svm", "iterated-svm", "selected-svm" (the first of the iterated ones where the
        last calls more than 8% of the positives negative); or a step, `SVMStep(C=10)`
    random_state : of the spies
    positive_label : the value of y that means positive, for text labels

    Parameters of a step can be set where it was passed as a step, not as a name.

    Attributes
    ----------
    reliable_negative_ : shape (n_rows,), what the first step found; False for positives
    second_ : the fitted second step: `EMStep` has the number of the model that it kept and the
        estimated change of error by iteration
    n_iter_, converged_ : of the second step, where it iterates
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if a feature is negative, or a parameter cannot be used

    Warns
    -----
    SeparationWarning : if the first step finds no reliable negative; the second takes all unlabeled
        rows as negative

    Notes
    -----
    Rows have no weights: a spy is a whole row. After "em" the score is the natural-log posterior
    odds of naive Bayes, whose prior is the share of positives among all rows, labeled ones too; an
    unlabeled row is positive less often, so that there is no `predict_proba`. After an SVM the
    score is w · x + b.

    The steps read all rows in several passes. The SVMs hold positives and reliable negatives in
    memory.

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
    random_state: RandomState = None  # of the presets that draw nothing

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
        X : as in the other learners, features not negative
        y : shape (n_rows,), or the name of the column of X that holds the labels
        """
        return super().fit(X, y)

    @property
    def n_iter_(self) -> int:
        """Iterations of the second step, where it iterates."""
        return self.second_.n_iter_

    @property
    def converged_(self) -> bool:
        """Whether the second step came to its end, where it iterates."""
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
                f"{first!r} finds no reliable negative among {negative.sum()} unlabeled rows with "
                f"{source.n_features} feature(s). The second step takes all unlabeled rows as "
                "negative. Pass more words, or use TwoStep with another first step.",
                SeparationWarning,
                stacklevel=2,
            )
        self.second_: Any = second.learn(source, negative)

    def _score_block(self, block: Block) -> Floats:
        check_counts(block)
        return self.second_.score_block(block)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # on points in space, as naive Bayes for words
        return tags


class SpyEM(TwoStep):
    """S-EM: reliable negatives by spies, then naive Bayes by EM.

    `TwoStep(SpyStep(), EMStep())`. For counts of words; assumes that hidden positives are like the
    known ones (SCAR).

    Parameters
    ----------
    spy_share : share of the positives that become spies, at least one
    noise_share : share of the spies that may score below the threshold of the reliable negatives
    smoothing : occurrences added to each word; 1 is Laplace's correction
    tol : gain, nats a row, at which EM stops
    max_iter : most iterations of EM
    random_state : of the spies
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    reliable_negative_, second_, n_iter_, converged_ : as in `TwoStep`
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Warns
    -----
    SeparationWarning : if there is no reliable negative; all of the unlabeled start as such

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
    """Roc-SVM: reliable negatives by Rocchio, then a linear SVM, iterated, with selection.

    `TwoStep("rocchio", "selected-svm")`. For counts of words; assumes that hidden positives are
    like the known ones (SCAR).

    Parameters
    ----------
    alpha, beta : weights of Rocchio, of a prototype's own rows and of the others
    C : weight of the squared hinge loss of a row
    max_iter : most SVMs
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    reliable_negative_, second_, n_iter_, converged_ : as in `TwoStep`
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Warns
    -----
    SeparationWarning : if there is no reliable negative; the SVM is that of the positives against
        the unlabeled

    Notes
    -----
    The last SVM is kept, unless it calls more than 8% of the positives negative; then the first.

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
    """Positive examples based learning: negatives by 1-DNF, then a linear SVM, iterated.

    `TwoStep("1-dnf", "iterated-svm")`. For counts of words; assumes that hidden positives are like
    the known ones (SCAR).

    Parameters
    ----------
    C : weight of the squared hinge loss of a row
    max_iter : most SVMs
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    reliable_negative_, second_, n_iter_, converged_ : as in `TwoStep`
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Warns
    -----
    SeparationWarning : if there is no reliable negative; the SVM is that of the positives against
        the unlabeled

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
