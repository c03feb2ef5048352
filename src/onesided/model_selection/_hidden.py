"""Hidden-positive scores, and out-of-fold scores of the unlabeled.

For a hidden-positive score the positives are dealt into folds. Each fold in turn counts as
unlabeled, and the model ranks it among the unlabeled (Geurts 2011, section 3). For an
out-of-fold score the unlabeled are dealt into folds, and each fold is scored by a model that has
not seen it, since an unlabeled row that counted as negative is scored too low.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._labels import encode_labels
from onesided._text import as_percent
from onesided._typing import Array, Bools, Floats, Ints, RandomState
from onesided._validation import check_number, take_rows
from onesided.exceptions import DataError, LabelError
from onesided.metrics import LeeLiuScore, rank_counts, rank_shares
from onesided.model_selection._folds import PositiveKFold
from onesided.model_selection._parallel import each_in_turn

_MANY_FIRST, _LEAST_SHARE = 0.25, 0.05  # of the positives


@dataclass(frozen=True)
class PlacedPositives(Displayed):
    """Positives among the unlabeled, by models that did not learn that they are positive.

    Attributes
    ----------
    above, tied : each of shape (n_positive,), unlabeled rows that score higher, and the same
    scores : shape (n_positive,), in robust standard deviations above the median unlabeled row
        of the same fit
    n_unlabeled : number of unlabeled rows
    """

    above: Ints
    tied: Ints
    scores: Floats
    n_unlabeled: int

    @property
    def ranks(self) -> Floats:
        """Share of the unlabeled ranked above each positive, ties half; 0 is best."""
        return (self.above + self.tied / 2) / self.n_unlabeled

    @property
    def auc(self) -> float:
        """Hidden-positive AUC: the mean share of the unlabeled ranked below a positive."""
        return 1.0 - float(self.ranks.mean())

    @property
    def n_first(self) -> int:
        """Positives above every unlabeled row."""
        return int(((self.above == 0) & (self.tied == 0)).sum())

    def tells_of(self, n_listed: int) -> bool:
        """Whether a list is so long that it can hold a twentieth of the positives.

        Of shorter ones their recall says nothing.
        """
        return n_listed >= _LEAST_SHARE * len(self.above)

    @property
    def is_too_good(self) -> bool:
        """Whether at least a quarter of the known positives score above every unlabeled row.

        If the known positives are like the m hidden positives, a share of at most 1 / (m + 1)
        scores above every unlabeled row. So m is 3 or less, or a column reveals the labels, or the
        known positives come from the top of an earlier ranking.
        """
        return self.n_first >= _MANY_FIRST * len(self.above)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row a positive, the highest first.

        Columns: `positive` (its place among the positives), `above` and `tied` (unlabeled rows),
        `rank` (share of the unlabeled above it, ties half), `score`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first of them that is installed
            (pyarrow always is)
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
        """Share of the positives found by unlabeled rows checked, as an Altair chart.

        The dashed line is chance.
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
    """The positives, each hidden once among the unlabeled.

    Attributes
    ----------
    above, tied, scores, n_unlabeled : as in `PlacedPositives`
    unlabeled_placements : shape (n_unlabeled,), share of the positives that score higher than each
        unlabeled row, each in the fit in which it was hidden, ties half
    predicted : shape (n_positive,), which positives were predicted positive when hidden
    predicted_share : share of the unlabeled that were, the mean over the folds
    """

    unlabeled_placements: Floats
    predicted: Bools
    predicted_share: float

    @property
    def lee_liu(self) -> LeeLiuScore:
        """Criterion r² / q of Lee, Liu 2003, of hidden positives and unlabeled rows.

        In these fits a hidden positive counted as unlabeled, as did the rows that it is compared
        with. Under SCAR it is then like a positive among them, and this is precision · recall /
        prior among the unlabeled, in either scenario; the labeled rows are no part of it.

        It is of the fits of the folds, which see fewer labels: a few percent low for the fit on
        all rows. And it is on these very unlabeled rows, from which the fits learned as unlabeled.
        That tells against a flexible model, which can hold the positives among them for unlabeled:
        one that overfits (150 features, 600 rows, logistic regression at C=100) had .022 here, and
        .369 on new rows.

        The interval is for a fresh sample, given the fits. For the criterion of these finite
        unlabeled rows it covers .80 to .91 in place of .95 where many of the positives are labeled.
        """
        return LeeLiuScore(
            int(self.predicted.sum()),
            len(self.predicted),
            self.predicted_share * self.n_unlabeled,
            self.n_unlabeled,
            scenario="case-control",
        )


@dataclass(frozen=True)
class OutOfFoldScores:
    """Out-of-fold scores of the unlabeled, or out-of-bag scores of one fit.

    Attributes
    ----------
    rows : shape (n_unlabeled,), which rows of X they are
    ranks : shape (n_unlabeled,), share of the unlabeled of the same fold ranked above each,
        ties and the row itself counted half: one scale for all folds, from 0.5 / rows of a fold
    scores : shape (n_unlabeled,), in robust standard deviations above the median row of the
        fold
    """

    rows: Ints
    ranks: Floats
    scores: Floats

    def only(self, kept: Bools) -> "OutOfFoldScores":
        """Some of them, as they were scored among all.

        Parameters
        ----------
        kept : shape (n_rows,), which rows of X
        """
        chosen = kept[self.rows]
        return OutOfFoldScores(self.rows[chosen], self.ranks[chosen], self.scores[chosen])


def place(
    positives: OutOfFoldScores | PlacedPositives, unlabeled: OutOfFoldScores
) -> PlacedPositives:
    """Where positives stand that were scored as unlabeled rows, by their ranks.

    Parameters
    ----------
    positives : a part of one `OutOfFoldScores`; or hidden ones, with ranks among all unlabeled
    unlabeled : the other part, or some of the unlabeled
    """
    above, tied = rank_counts(-positives.ranks, -unlabeled.ranks)
    return PlacedPositives(above, tied, positives.scores, len(unlabeled.rows))


def hidden_positive_ranks(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: int | PositiveKFold = 5,
    groups: ArrayLike | None = None,
    random_state: RandomState = 0,
) -> Floats:
    """Share of the unlabeled ranked above each positive when it is hidden among them.

    Assumes that labels are selected completely at random (SCAR): a hidden positive is then like
    one that was never labeled.

    Parameters
    ----------
    estimator : has `fit(X, y)` and `decision_function` or `predict_proba`; pipelines too
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    cv : number of folds of the positives, or a `PositiveKFold`; below as many positives each
        is hidden alone
    groups : shape (n_rows,); positives of a group are hidden together
    random_state : of the folds

    Returns
    -------
    shape (n_positive,), in the order of the positives; 0 is best, 0.5 is chance

    Raises
    ------
    LabelError : if there are fewer than two positives

    Notes
    -----
    Geurts 2011, section 3. The rank is that among the unlabeled alone, other positives left
    out, ties counted half; one less the mean is the area under the ROC curve, averaged over the
    folds. One fit a fold.

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import PositiveNaiveBayes
    >>> X = np.array([[1], [1], [1], [0], [0], [0], [1], [0]])
    >>> y = np.array([1, 1, 1, 0, 0, 0, 0, 0])
    >>> hidden_positive_ranks(PositiveNaiveBayes(0.2), X, y)
    array([0.1, 0.1, 0.1])
    """
    return hide_and_rank(estimator, X, y, cv=cv, groups=groups, random_state=random_state).ranks


def hide_and_rank(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: int | PositiveKFold = 5,
    groups: ArrayLike | None = None,
    random_state: RandomState = 0,
    on_fold: Callable[[], None] | None = None,
) -> HiddenPositives:
    """As `hidden_positive_ranks`, with the scores beside the ranks.

    Parameters
    ----------
    estimator, X, y, cv, groups, random_state : as there
    on_fold : called after each fit
    """
    positive, names = encode_for(estimator, y)
    folds = cv if isinstance(cv, PositiveKFold) else PositiveKFold(cv, random_state=random_state)
    above, tied = np.zeros((2, len(positive)), dtype=np.int64)
    standard = np.empty(len(positive))
    beaten = np.zeros(np.count_nonzero(~positive))
    predicted = np.zeros(len(positive), dtype=bool)
    predicted_shares, cut = [], cut_of(estimator)
    for hidden, scores in hidden_positive_scores_by_fold(
        estimator, X, positive, names, folds.hidden_positives(positive, groups), on_fold=on_fold
    ):
        above[hidden], tied[hidden] = rank_counts(scores[hidden], scores[~positive])
        beaten_by, level_with = rank_counts(scores[~positive], scores[hidden])
        beaten += beaten_by + level_with / 2
        standard[hidden] = _standardize(scores[hidden], scores[~positive])
        predicted[hidden] = scores[hidden] > cut
        predicted_shares.append(np.mean(scores[~positive] > cut))
    return HiddenPositives(
        above[positive],
        tied[positive],
        standard[positive],
        len(beaten),
        beaten / np.count_nonzero(positive),
        predicted[positive],
        float(np.mean(predicted_shares)),
    )


def encode_for(estimator: Any, y: ArrayLike) -> tuple[Bools, Array]:
    """Mask of the positives, and what to call unlabeled and positive rows in fits.

    Returns
    -------
    positive : shape (n_rows,)
    names : shape (2,), 0 and 1, or the labels of y where the estimator was told which is positive
    """
    label = positive_label_of(estimator)
    positive, coding = encode_labels(y, label)
    return positive, np.arange(2) if label is None else coding.classes


def hidden_positive_scores_by_fold(
    estimator: Any,
    X: Any,
    positive: Bools,
    names: Array,
    folds: Iterable[Ints],
    *,
    params: Mapping[str, Any] | None = None,
    on_fold: Callable[[], None] | None = None,
) -> Iterator[tuple[Ints, Floats]]:
    """Hidden-positive scores, and those of all other rows, fold by fold.

    Parameters
    ----------
    estimator : copies of it are fitted
    X : n_rows rows
    positive, names : as `encode_for` gives them
    folds : rows of the positives to hide, in turn
    params : given to `fit` beside X and the labels
    on_fold : called after each fold

    Yields
    ------
    hidden rows, and scores of shape (n_rows,)
    """
    dealt = list(folds)
    tasks = ((estimator, X, _labels_without(positive, hidden, names), params) for hidden in dealt)
    for hidden, scores in zip(dealt, each_in_turn(_fit_and_score, tasks), strict=True):
        yield hidden, scores
        if on_fold is not None:
            on_fold()


def _labels_without(positive: Bools, hidden: Ints, names: Array) -> Array:
    shown = positive.copy()
    shown[hidden] = False
    return names[shown.astype(int)]


def _fit_and_score(estimator: Any, X: Any, y: Array, params: Mapping[str, Any] | None) -> Floats:
    return scores_of(clone(estimator).fit(X, y, **(params or {})), X)


def score_others(estimator: Any, X: Any, y: Array, train: Ints, test: Ints) -> Floats:
    """Scores of some rows by a copy that is fitted on others; shape (n_test,).

    Parameters
    ----------
    estimator : is not changed
    X, y : all rows
    train, test : which rows
    """
    model = clone(estimator).fit(take_rows(X, train), y[train])
    return scores_of(model, take_rows(X, test))


def unlabeled_out_of_fold_scores(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: int = 5,
    random_state: RandomState = 0,
    on_fold: Callable[[], None] | None = None,
) -> OutOfFoldScores:
    """Out-of-fold score of each unlabeled row, by a model that learned from the other folds.

    Parameters
    ----------
    estimator : has `fit(X, y)` and `decision_function` or `predict_proba`; pipelines too
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    cv : number of folds of the unlabeled
    random_state : of the folds
    on_fold : called after each fit

    Raises
    ------
    LabelError : if there are fewer than two unlabeled rows
    DataError : if a row has no out-of-bag score

    Notes
    -----
    Each model learns from all positives and the unlabeled of the other folds. Scores of
    different models are on different scales, so ranks within the fold are what compares.

    An estimator whose `scores_out_of_bag` is true (`PUBagging`), or a pipeline that ends with one,
    is fitted once on all rows: the scores are then its out-of-bag scores, `oob_decision_function_`,
    and all unlabeled rows are one fold. The other steps of the pipeline have then seen every row;
    such as learn from y should stand within the bags.
    """
    positive, coding = encode_labels(y, positive_label_of(estimator))
    check_number(cv, "cv", "Pass 5 for example.", above=1, whole=True)
    rows = np.flatnonzero(~positive)
    if len(rows) < 2:  # noqa: PLR2004 - one to learn from, one to score
        raise LabelError(
            f"There is {len(rows)} unlabeled row; if it were held out to be scored, no "
            "unlabeled row would be left to learn from.",
            "Add rows that have never been labeled.",
        )
    if getattr(_last_step(estimator), "scores_out_of_bag", False):
        model = clone(estimator).fit(X, coding.classes[positive.astype(int)])
        scores = _last_step(model).oob_decision_function_[rows]
        if np.isnan(scores).any():
            raise DataError(
                f"{np.isnan(scores).sum()} of the {len(rows)} unlabeled rows are in every "
                "bag, so they have no out-of-bag score.",
                "Raise n_estimators.",
            )
        if on_fold is not None:
            on_fold()
        return OutOfFoldScores(rows, rank_shares(scores, scores), _standardize(scores, scores))
    ranks, standard = np.empty(len(positive)), np.empty(len(positive))
    folds = list(_unlabeled_folds(rows, cv, random_state))
    shown = coding.classes[positive.astype(int)]
    everything = np.arange(len(positive))
    tasks = ((estimator, X, shown, np.setdiff1d(everything, test), test) for test in folds)
    for test, scores in zip(folds, each_in_turn(score_others, tasks), strict=True):
        ranks[test] = rank_shares(scores, scores)
        standard[test] = _standardize(scores, scores)
        if on_fold is not None:
            on_fold()
    return OutOfFoldScores(rows, ranks[rows], standard[rows])


def check_estimator(estimator: Any) -> None:
    """Refuse what cannot learn, or cannot score.

    Raises
    ------
    DataError : with what it is
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
    """An integer as it is, else one drawn: what must be the same in several places."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


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


def _last_step(estimator: Any) -> Any:
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def _unlabeled_folds(rows: Ints, cv: int, random_state: RandomState) -> Iterator[Ints]:
    seed = int(check_random_state(random_state).randint(2**31))
    folds = KFold(min(cv, len(rows)), shuffle=True, random_state=seed)
    for _, test in folds.split(rows):
        yield rows[test]


def _standardize(scores: Floats, unlabeled: Floats) -> Floats:
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


def positive_label_of(estimator: Any) -> Any:
    """The `positive_label` that an estimator, or a step of a pipeline, was given; None if none."""
    given = estimator.get_params() if hasattr(estimator, "get_params") else {}
    labels = [value for name, value in given.items() if name.split("__")[-1] == "positive_label"]
    return next((label for label in labels if label is not None), None)
