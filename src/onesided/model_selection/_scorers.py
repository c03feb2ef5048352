"""Criteria for scikit-learn's searches that need no negatives.

Some hide positives themselves, so a search is given all rows, once:

    GridSearchCV(ranker, {"nu": [0.01, 0.1, 0.5]}, scoring=hidden_positive_auc, cv=AllRows())

Another setting goes in by `functools.partial(hidden_positive_auc, cv=10)`. Others judge rows that
were held out, as any scorer:

    GridSearchCV(model, {"C": [0.1, 1]}, scoring=LeeLiuScorer("case-control"), cv=PositiveKFold(5))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics._scorer import _Scorer
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import _check_response_method, check_is_fitted

from onesided._labels import Scenario, check_scenario, encode_labels
from onesided._text import counted
from onesided._typing import Ints, OnProgress, RandomState
from onesided.exceptions import DataError
from onesided.metrics import lee_liu_score
from onesided.model_selection._estimators import positive_label_of
from onesided.model_selection._folds import Folds
from onesided.model_selection._hidden import hide_and_rank


class AllRows:
    """One split, in which a model learns from all rows and is judged on all of them.

    Use it for criteria that hide positives themselves, such as `hidden_positive_auc`, and for
    criteria that account for the fit, such as `neg_adjusted_p_value`.

    Examples
    --------
    >>> next(AllRows().split([[1.0], [2.0], [3.0]]))
    (array([0, 1, 2]), array([0, 1, 2]))
    """

    __metadata_request__split = {"groups": UNUSED}  # noqa: RUF012 - scikit-learn reads it so

    def split(
        self, X: Any, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[Ints, Ints]]:
        """One split, with all rows as train rows and all rows as test rows.

        Parameters
        ----------
        X : n_rows rows
        y, groups : not used
        """
        rows = np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
        yield rows, rows

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits, which is 1."""
        return 1

    def __repr__(self) -> str:
        return "AllRows()"


class CorrectedScorer(_Scorer):
    """Scorer that computes a metric for all positives, hidden ones too, on held-out rows.

    The scorer works like the result of scikit-learn's `make_scorer` for the metric. In addition, it
    asks the estimator which label is positive, and it has a name for scikit-learn's displays.
    Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    metric : function of `onesided.metrics`, for predicted labels (such as `pu_f1_score`) or for
        scores (such as `pu_average_precision`); or a `functools.partial` of such a function
    scenario, class_prior : passed to the metric if the metric accepts them
    positive_label : the value of y that means positive; needed if neither the order of the values
        nor the estimator says so
    settings : further arguments of the metric, `fraction` for example

    Raises
    ------
    TypeError : if the metric needs a scenario or a class prior that was not passed
    LabelError : if `scenario` is unknown

    Notes
    -----
    Each fold must have the same share of labeled rows as all rows. Then the class prior is right
    for the unlabeled rows of each fold; `PositiveKFold` makes such folds. The class prior does not
    change the order of models by the area under the ROC curve. It can change the order by F1 and by
    accuracy.

    With scikit-learn's metadata routing, call ``set_score_request(sample_weight=True)`` to make a
    search pass weights to the metric.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from onesided import PositiveKFold
    >>> from onesided.metrics import enrichment_factor, pu_roc_auc
    >>> X, y = make_classification(300, class_sep=0.5, random_state=0)
    >>> for scorer in (
    ...     CorrectedScorer(pu_roc_auc, class_prior=0.05),
    ...     CorrectedScorer(enrichment_factor, fraction=0.2, scenario="case-control"),
    ... ):
    ...     found = cross_val_score(
    ...         LogisticRegression(), X, y, cv=PositiveKFold(3, random_state=0), scoring=scorer)
    ...     print(found.round(2))
    [0.84 0.86 0.86]
    [3.04 3.06 3.59]
    """

    def __init__(
        self,
        metric: Callable[..., float],
        *,
        scenario: Scenario | None = None,
        class_prior: Any = None,
        positive_label: object = None,
        **settings: Any,
    ) -> None:
        if isinstance(metric, partial):
            settings = {**metric.keywords, **settings}
            metric = metric.func
        taken = signature(metric).parameters
        given = {"scenario": scenario, "class_prior": class_prior}
        settings |= {name: each for name, each in given.items() if each is not None}
        settings = {
            name: each for name, each in settings.items() if name in taken or name not in given
        }
        signature(metric).bind(None, None, **settings)
        if scenario is not None:
            check_scenario(scenario)
        if positive_label is not None:
            settings["positive_label"] = positive_label
        scores = ("decision_function", "predict_proba")
        super().__init__(metric, 1, settings, scores if "y_score" in taken else "predict")

    @property
    def __name__(self) -> str:
        """Name of the metric, which displays of scikit-learn show."""
        return str(self._score_func.__name__)

    def _score(
        self, method_caller: Callable[..., Any], estimator: Any, X: Any, y_true: Any, **kwargs: Any
    ) -> Any:
        """As scikit-learn's, but with the label that the estimator was told is positive."""
        label = self._kwargs.get("positive_label")
        label = positive_label_of(estimator) if label is None else label
        method = _check_response_method(estimator, self._response_method).__name__
        found = method_caller(estimator, method, X, pos_label=label)
        settings = {**self._kwargs, **kwargs, "positive_label": label}
        return self._score_func(y_true, found, **settings)


class LeeLiuScorer(CorrectedScorer):
    """Scorer that computes the criterion of Lee and Liu on held-out rows.

    Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    scenario : "single-training-set" or "case-control", as in `lee_liu_score`
    with_error : whether to return the standard error too; a search with `refit="lee_liu"` then has
        the criterion and its standard error for each candidate
    positive_label : the value of y that means positive; needed if neither the order of the values
        nor the estimator says so

    Raises
    ------
    LabelError : if `scenario` is unknown

    Notes
    -----
    The criterion is from Lee, Liu 2003, section 4. The score is 0 if no row is predicted positive.
    Each fold needs positive and unlabeled rows; `PositiveKFold` makes such folds.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from onesided import PositiveKFold
    >>> X, y = make_classification(300, class_sep=0.5, random_state=0)
    >>> search = GridSearchCV(
    ...     LogisticRegression(), {"C": [1e-6, 1.0]}, cv=PositiveKFold(3, random_state=0),
    ...     scoring=LeeLiuScorer("case-control", with_error=True), refit="lee_liu")
    >>> search.fit(X, y).best_params_
    {'C': 1.0}
    >>> search.cv_results_["mean_test_lee_liu_standard_error"].shape
    (2,)
    """

    def __init__(
        self, scenario: Scenario, *, with_error: bool = False, positive_label: object = None
    ) -> None:
        super().__init__(lee_liu_score, scenario=scenario, positive_label=positive_label)
        self._with_error = with_error

    def _score(
        self, method_caller: Callable[..., Any], estimator: Any, X: Any, y_true: Any, **kwargs: Any
    ) -> Any:
        found = super()._score(method_caller, estimator, X, y_true, **kwargs)
        if not self._with_error:
            return found
        return {"lee_liu": found, "lee_liu_standard_error": found.standard_error}


def hidden_positive_auc(  # noqa: PLR0913 - the arguments of all evaluations
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
) -> float:
    """Scorer: mean share of the unlabeled rows that rank below a hidden positive.

    It serves as the inner loop of Geurts 2011, section 3. If a search runs inside `compare` or
    `hidden_positive_ranks`, it chooses parameters on the positives that the outer loop does not
    hide.

    Assumes that labels are selected completely at random (SCAR).

    Parameters
    ----------
    estimator : a copy of it is fitted once for each fold; earlier fits of the estimator are not
        used
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    cv, groups, params, positive_label, random_state, on_progress : as in `hidden_positive_ranks`

    Returns
    -------
    in [0, 1]; 0.5 is chance

    Raises
    ------
    LabelError : if there are fewer than two positives

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from onesided import SignificanceRanker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 4)); X[:10, 0] += 3
    >>> search = GridSearchCV(
    ...     SignificanceRanker(n_subsets=100, random_state=0),
    ...     {"nu": [0.01, 0.25]}, scoring=hidden_positive_auc, cv=AllRows())
    >>> search.fit(X, np.arange(100) < 10).best_params_
    {'nu': 0.25}
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
    ).auc


def neg_adjusted_p_value(
    estimator: Any,
    X: Any,  # noqa: ARG001 - a scorer's signature
    y: ArrayLike,
    *,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
) -> float:
    """Scorer: the negative adjusted p-value of a fitted `SignificanceRanker`.

    It chooses between nested function spaces, given by the kernel or by ν (Geurts 2011, section
    2.2). The best space is the one in which the positives differ most from random sets in the same
    space. List the candidates from the smallest space to the largest; a search then takes the
    smallest of equally good spaces. The lowest of several p-values is not a valid p-value, because
    it was chosen for being low.

    Parameters
    ----------
    estimator : a `SignificanceRanker` that was fitted on X and y, or a pipeline that ends with one
    X, y : the rows that it was fitted on; pass `cv=AllRows()` to the search
    n_resamples, random_state : as in `SignificanceRanker.adjusted_p_value`

    Raises
    ------
    DataError : if the estimator has no adjusted p-value, or was fitted on a different number of
        positives

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from onesided import SignificanceRanker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4)); X[:10, :2] *= 4  # far from the middle, on no one side
    >>> search = GridSearchCV(
    ...     SignificanceRanker(n_subsets=100, random_state=0),
    ...     {"kernel": ["linear", "poly"]}, scoring=neg_adjusted_p_value, cv=AllRows())
    >>> search.fit(X, np.arange(60) < 10).best_params_
    {'kernel': 'poly'}
    """
    ranker = estimator[-1] if hasattr(estimator, "steps") else estimator
    if not hasattr(ranker, "adjusted_p_value"):
        raise DataError(
            f"{type(ranker).__name__} has no adjusted p-value.", "Pass a SignificanceRanker."
        )
    check_is_fitted(ranker)
    positive, _ = encode_labels(y, positive_label_of(estimator))
    if ranker.subsets_.shape[1] != positive.sum():
        raise DataError(
            f"The ranker learned from {counted(ranker.subsets_.shape[1], 'positive')}, but y has "
            f"{positive.sum()}.",
            "Pass cv=AllRows() to the search, so that the ranker is judged on the rows that "
            "it learned from.",
        )
    return -float(ranker.adjusted_p_value(n_resamples, random_state=random_state))
