"""Weighted logistic regression whose penalty is chosen without negatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from onesided._blocks import Block, Source
from onesided._labels import LabelCoding, Scenario
from onesided._text import counted
from onesided._typing import Bools, Floats, Ints, RandomState
from onesided._validation import COUNT, SHARE, TWO_OR_MORE, check_number
from onesided.exceptions import DataError
from onesided.metrics import lee_liu_regret, lee_liu_score
from onesided.metrics._label_bias import check_label_odds_ratio
from onesided.model_selection import PositiveKFold
from onesided.models.logistic._optimum import minimize_along, warn_unless_converged
from onesided.models.logistic._weighted_logistic import LogisticClassifier, loss_of, scores_by_fits

Criterion: TypeAlias = Literal["lee_liu", "auc"] | Callable[[Ints, Floats], float]

_WEAKEST, _STRONGEST = 4, -4  # powers of ten of C, as in scikit-learn


class WeightedLogisticRegressionCV(LogisticClassifier):
    """Weighted logistic regression with the penalty that does best on held-out rows.

    The fit of each penalty starts from the optimum of the penalty before. The best penalty is
    fitted again on all rows.

    Assumes that labels are selected completely at random (SCAR) among the positives.

    Parameters
    ----------
    Cs : inverse strengths of the penalty, above 0; or a number of strengths, which are spaced
        evenly from 1e-4 to 1e4 on a logarithmic scale
    criterion : "lee_liu", recall² / P(predicted positive), which is high if precision and recall
        are high; "auc", the mean share of the held-out unlabeled that score below a held-out
        positive; or a function `criterion(labels, scores)` that returns a number, higher is better.
        Its labels are 1 for positive and 0 for unlabeled; a score above 0 means predicted positive.
    validation : share of the positives and of the unlabeled that is held out once, in (0, 1); or a
        number of folds; or an object with `split(X, y)`, such as `PositiveKFold`, which gets row
        numbers as X; or pairs (rows to learn from, rows to hold out), as `split` returns them
    scenario : only for "lee_liu". "single-training-set": held-out positives and unlabeled together
        are one sample of the population; "case-control": the unlabeled alone are the sample.
    label_odds_ratio : only for "lee_liu", at least 1; ratio of the highest to the lowest odds of
        being labeled among the positives, for which `regret_` is computed. None computes no regret.
    class_prior, tol, max_iter, positive_label : as in `WeightedLogisticRegression`
    random_state : seed of the choice of held-out rows

    Attributes
    ----------
    C_ : the inverse strength that was chosen; of equally good ones the smallest
    Cs_ : shape (n_Cs,), inverse strengths, ascending
    scores_ : shape (n_splits, n_Cs), the criterion on the held-out rows of each split
    regret_ : shape (n_Cs,), or None without `label_odds_ratio`. For each C, the largest possible
        ratio of its criterion to the criterion of `C_` over all held-out rows, if labels are as
        uneven as `label_odds_ratio` allows. A C with regret 1 or above cannot be told apart from
        `C_`; see `onesided.metrics.lee_liu_regret`.
    coef_, intercept_, n_iter_, converged_, class_prior_, class_prior_error_ : of the fit on all
        rows
    classes_, n_features_in_, feature_names_in_ : as in `WeightedLogisticRegression`

    Raises
    ------
    DataError : if a parameter cannot be used; if `label_odds_ratio` is given and the criterion is
        not "lee_liu"; if one side of a split has no positive or no unlabeled rows, or both sides
        share a row; or if `groups` are given and `validation` is a share
    LabelError : if `scenario` is unknown
    PriorError : if `class_prior` is not strictly between 0 and 1

    Notes
    -----
    Lee, Liu 2003, sections 4 and 5; `validation=0.2` is nearly the validation of the paper. Each C
    and split makes as many passes as `WeightedLogisticRegression`; rows that are held out have
    weight 0. In addition, memory holds one number for each held-out row and C, one number for each
    row, and two bytes for each row and split.

    References
    ----------
    W. S. Lee, B. Liu, Learning with positive and unlabeled examples using weighted logistic
    regression, ICML 2003.

    Examples
    --------
    Three features of 200 tell the positives, of which half are labeled:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 200))
    >>> y = (X[:, :3].sum(axis=1) > 2) & (rng.random(3000) < 0.5)
    >>> Cs = [1e-4, 1e-2, 1.0, 100.0]
    >>> model = WeightedLogisticRegressionCV(Cs, validation=5, random_state=0).fit(X, y)
    >>> model.C_, model.scores_.shape
    (1.0, (5, 4))
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "Cs": [COUNT, "array-like"],
        "criterion": [StrOptions({"lee_liu", "auc"}), callable],
        "validation": [SHARE, TWO_OR_MORE, HasMethods("split"), "array-like", Iterator],
        "scenario": [StrOptions(set(get_args(Scenario)))],
        "label_odds_ratio": [Interval(Real, 1, None, closed="left"), None],
    }
    _mends: ClassVar[dict[str, str]] = {
        "Cs": "Pass a list of values above 0, or their number, 10 for example.",
        "criterion": 'Pass "lee_liu", "auc", or a function of labels and scores.',
        "label_odds_ratio": "Pass 3 for example; 1 means that labels are even.",
        "validation": "Pass the share of rows to hold out, 0.2 for example, or a number of folds.",
    }

    def __init__(  # noqa: PLR0913 - each is a parameter of the model
        self,
        Cs: int | Sequence[float] = 10,
        *,
        criterion: Criterion = "lee_liu",
        validation: Any = 0.2,
        scenario: Scenario = "single-training-set",
        label_odds_ratio: float | None = None,
        class_prior: float | Literal["estimate"] | None = None,
        tol: float = 1e-8,
        max_iter: int = 100,
        random_state: RandomState = None,
        positive_label: Any = None,
    ) -> None:
        self.Cs = Cs
        self.criterion = criterion
        self.validation = validation
        self.scenario = scenario
        self.label_odds_ratio = label_odds_ratio
        self.class_prior = class_prior
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.positive_label = positive_label

    def _check_params(self) -> None:
        super()._check_params()
        if self.label_odds_ratio is not None:
            check_label_odds_ratio(self.label_odds_ratio)
            if self.criterion != "lee_liu":
                raise DataError(
                    f"label_odds_ratio={self.label_odds_ratio!r} is given, but the criterion is "
                    f"{self.criterion!r}.",
                    'Pass criterion="lee_liu", or leave label_odds_ratio out.',
                )

    def fit(  # type: ignore[override]  # no row weights
        self, X: Any, y: Any = None, *, groups: ArrayLike | None = None
    ) -> Self:
        """Learn from positive and unlabeled rows.

        Parameters
        ----------
        X, y : rows and labels, as in `WeightedLogisticRegression.fit`
        groups : shape (n_rows,), passed on to `split` if `validation` uses folds, so that all rows
            of a group are held out together. For `PositiveTimeSplit` these are the times.
        """
        return self._fit(X, y, groups=groups)

    def _learn(self, source: Source, coding: LabelCoding, groups: ArrayLike | None = None) -> None:
        self.Cs_ = _as_penalties(self.Cs)
        positive = source.map(Block.labels)
        scores, ends, is_found, n_predicted = [], [], [], []
        for training, held_out in self._splits(positive, groups):
            learned = source.labeled(positive, training.astype(np.float64))
            path = minimize_along(loss_of(learned), self.Cs_, tol=self.tol, max_iter=self.max_iter)
            warn_unless_converged(path, self.tol, self.max_iter)
            coefs = np.array([each.point.coef for each in path])
            found = source.map(partial(scores_by_fits, coefs=coefs, held_out=held_out))
            labels = positive[held_out].astype(np.int64)
            scores.append([self._judge(labels, of_one) for of_one in found.T])
            ends.append(coefs)
            if self.label_odds_ratio is not None:
                called = found > 0
                population = slice(None) if self.scenario == "single-training-set" else labels == 0
                is_found.append(called[labels == 1])
                n_predicted.append(called[population].sum(axis=0))
        self.scores_ = np.array(scores)
        best = int(np.argmax(self.scores_.mean(axis=0)))
        self.C_ = float(self.Cs_[best])
        self.regret_ = None
        if self.label_odds_ratio is not None:
            self.regret_ = lee_liu_regret(
                np.concatenate(is_found).T,
                np.maximum(np.sum(n_predicted, axis=0), 0.5),  # as in the criterion
                chosen=best,
                ratio=self.label_odds_ratio,
            )
        loss = loss_of(source)
        start = loss.at(np.mean([coefs[best] for coefs in ends], axis=0))
        self._keep(self._optimum(loss, self.C_, start), source, self.C_)

    def _splits(self, positive: Bools, groups: ArrayLike | None) -> Iterator[tuple[Bools, Bools]]:
        """Masks of the rows to learn from and of the rows held out, one pair for each split."""
        for training, held_out in _split(self.validation, self.random_state, positive, groups):
            for side, mask in (("learn from", training), ("hold out", held_out)):
                for kind, of_kind in (("positive", positive), ("unlabeled", ~positive)):
                    if not (mask & of_kind).any():
                        raise DataError(
                            f"validation={self.validation!r} leaves no {kind} row to {side}; there "
                            f"are {of_kind.sum()} in all.",
                            "Add positive and unlabeled rows, change the share in validation, or "
                            "use fewer folds.",
                        )
            if (both := np.flatnonzero(training & held_out)).size:
                raise DataError(
                    f"validation={self.validation!r} has row {both[0]} both among the rows to "
                    "learn from and among the rows held out.",
                    "Remove the held-out rows from the rows to learn from.",
                )
            yield training, held_out

    def _judge(self, labels: Ints, scores: Floats) -> float:
        if self.criterion == "lee_liu":
            return lee_liu_score(labels, (scores > 0).astype(int), scenario=self.scenario)
        if self.criterion == "auc":
            return float(roc_auc_score(labels, scores))
        found = self.criterion(labels, scores)
        mend = (
            "Return one number for the labels (1 is positive, 0 is unlabeled) and scores; a higher "
            "number must be better."
        )
        check_number(found, "criterion(labels, scores)", mend)
        return float(found)


def _as_penalties(Cs: Any) -> Floats:
    """Inverse strengths, shape (n_Cs,), ascending: fits start from that of a stronger penalty."""
    if isinstance(Cs, Integral):
        return np.logspace(_STRONGEST, _WEAKEST, int(Cs))
    mend = "Pass a list of values above 0, or their number, 10 for example."
    values = np.asarray(list(Cs)).ravel().tolist()
    if not values:
        raise DataError("Cs is empty.", mend)
    for value in values:
        check_number(value, "Cs", mend, above=0)
    return np.unique(np.array(values, dtype=np.float64))


def _split(
    validation: Any, random_state: RandomState, positive: Bools, groups: ArrayLike | None
) -> list[tuple[Bools, Bools]]:
    """Masks of the rows to learn from and of the rows held out, one pair for each split."""
    for kind, n_rows in (("positive", positive.sum()), ("unlabeled", (~positive).sum())):
        if n_rows < 2:  # noqa: PLR2004 - one to learn from, one to hold out
            raise DataError(
                f"y has {n_rows} {kind} row; at least 2 are needed, one to learn from and one to "
                "hold out.",
                f"Add {kind} rows.",
            )
    seed = int(check_random_state(random_state).randint(2**31))
    if isinstance(validation, Integral):
        splitter: Any = PositiveKFold(int(validation), random_state=seed)
    elif isinstance(validation, Real):
        if groups is not None:
            raise DataError(
                f"validation={validation} holds out rows without regard to their groups.",
                "Pass a number of folds, 5 for example, or PositiveKFold(5).",
            )
        splitter = StratifiedShuffleSplit(1, test_size=float(validation), random_state=seed)
    else:
        splitter = check_cv(validation)
    rows = np.arange(len(positive))
    given = {} if groups is None else {"groups": groups}
    try:
        splits = [
            (_mask(training, len(rows)), _mask(held_out, len(rows)))
            for training, held_out in splitter.split(rows, positive, **given)
        ]
    except (ValueError, TypeError, IndexError) as error:
        raise DataError(
            f"validation={validation!r} cannot split {positive.sum()} positive and "
            f"{counted((~positive).sum(), 'unlabeled row')}: {error}",
            "Label more rows, hold out another share, or pass pairs of rows: learned from, held "
            "out.",
        ) from error
    if not splits:
        raise DataError(f"validation={validation!r} gives no split.", "Pass 0.2, or 5 folds.")
    return splits


def _mask(rows: Any, n_rows: int) -> Bools:
    mask = np.zeros(n_rows, dtype=bool)
    mask[rows] = True
    return mask
