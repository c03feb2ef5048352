"""Test whether labels are drawn evenly among the positives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from onesided._frames import in_memory
from onesided._labels import as_share, encode_labels
from onesided._typing import Bools, Floats, OnProgress, RandomState
from onesided._validation import check_number, check_random_state
from onesided.exceptions import PriorError
from onesided.metrics import ResampledPValue
from onesided.model_selection import PositiveKFold
from onesided.model_selection._estimators import which_is_positive
from onesided.prior import out_of_fold_scores
from onesided.promises._calibration import check_calibration, warn_of_dependent


def scar_test(  # noqa: PLR0913 - the arguments of all evaluations
    X: Any,
    y: ArrayLike,
    *,
    class_prior: float,
    estimator: Any = None,
    cv: int | PositiveKFold = 5,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    positive_label: Any = None,
    random_state: RandomState = 0,
    on_progress: OnProgress | None = None,
) -> ResampledPValue:
    """P-value for the assumption that labels are drawn evenly among the positives (SCAR).

    All lists of this module rely on this assumption. A scorer learns to separate labeled rows from
    the other rows. The prior tells how many unlabeled rows are positive, and so many of the highest
    unlabeled rows are compared with the labeled rows. If the labeled rows score higher, some
    positives were more likely to be labeled than others. The test can refute SCAR, but cannot prove
    it. It does not detect labels that are biased to positives which are as hard to recognise as
    other positives.

    Parameters
    ----------
    X : array-like, CSR matrix or data frame with n_rows rows
    y : shape (n_rows,)
    class_prior : share of positives among the unlabeled, or a lower bound on it, in (0, 1), known
        from another source. An estimate from the same rows causes an error, because it assumes SCAR
    estimator, cv, groups, params, positive_label, on_progress : as in `out_of_fold_scores`
    random_state : of the folds, the default estimator and the artificial samples

    Returns
    -------
    p-value, a float with `statistic`, `null` and `plot()`; a small one means that labels are
    uneven, or that the prior is lower than `class_prior`

    Raises
    ------
    PriorError : if `class_prior` is not in (0, 1), or if it is an estimate
    LabelError : if there are fewer than two positives

    Warns
    -----
    DuplicateWarning : if unlabeled rows are identical to a positive row in all columns
    CalibrationWarning : if there are groups

    Notes
    -----
    The test follows Teisseyre, Furmańczyk, Mielniczuk, Verifying the selected completely at random
    assumption in positive-unlabeled learning, ECAI 2024. The highest unlabeled rows, as many as the
    prior says, are treated as positives (pseudo positives). A statistic of Kolmogorov and Smirnov
    is compared with the same statistic for artificial even labels. In their version, the statistic
    is two-sided and summed over all features, and models score the rows that they learned from. If
    classes overlap, some pseudo positives are negative, and that version rejects even labels: in 97
    percent of samples at the level .05, with out-of-fold scores of two normal distributions 1.7
    standard deviations apart.

    Here the scores are out-of-fold scores, and the statistic is one-sided (see `scar_p_value`), so
    negatives among the pseudo positives only make the statistic smaller. The test was tried at the
    level .05 with 300 labeled and 2,000 unlabeled rows, of which a fifth were positive. It rejected
    even labels in 0 to 4 percent of samples. It rejected uneven labels more often the faster the
    log odds of being labeled rise with one column:

    - 2 per standard deviation: in 83 percent of samples (distributions 1.7 standard deviations
      apart) to 100 percent (3.5 standard deviations apart)
    - 1 per standard deviation: in 18 to 90 percent of samples

    Without a prior, SCAR cannot be refuted, unless all rows above some cut are known to be
    positive. `exchangeability_test` makes this assumption: use it for well-separated classes, and
    for rows from another time or place.

    Examples
    --------
    Of two kinds of positives one is labeled in 9 of 10 cases, and the other in 1 of 10. First the
    p-value for even labels, then for these:

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> kind = np.repeat([6, 5, 0], [200, 200, 800])  # 0: negative
    >>> X = rng.normal(size=(1200, 2)) + kind[:, None]
    >>> even = (rng.uniform(size=1200) < 0.5) & (kind > 0)
    >>> biased = rng.uniform(size=1200) < np.select([kind == 6, kind == 5], [0.9, 0.1])
    >>> for y in (even, biased):
    ...     prior = (kind[~y] > 0).mean()
    ...     print(round(scar_test(X, y, class_prior=prior, estimator=LogisticRegression()), 2))
    0.73
    0.0
    """
    _check_prior(class_prior)
    X = in_memory(X)
    known, rest = out_of_fold_scores(
        X,
        y,
        estimator=estimator,
        cv=cv,
        groups=groups,
        params=params,
        positive_label=positive_label,
        random_state=random_state,
        on_progress=on_progress,
    )
    positive, _ = encode_labels(y, which_is_positive([estimator], positive_label))
    warn_of_dependent(X, positive, groups, "even labels are rejected too often")
    return scar_p_value(known, rest, class_prior=class_prior, random_state=random_state)


def scar_p_value(
    positive_scores: ArrayLike,
    unlabeled_scores: ArrayLike,
    *,
    class_prior: float,
    n_resamples: int = 999,
    random_state: RandomState = 0,
) -> ResampledPValue:
    """P-value of `scar_test` from scores that you already have.

    Parameters
    ----------
    positive_scores : shape (n_positive,), of positives that the scorer has not learned from
    unlabeled_scores : shape (n_unlabeled,), of unlabeled rows that the scorer has not learned from
    class_prior : share of positives among the unlabeled, or a lower bound on it, in (0, 1)
    n_resamples : number of artificial samples
    random_state : of the artificial samples

    Returns
    -------
    p-value, a float with `statistic`, `null` and `plot()`

    Notes
    -----
    If labels are even, the share q_u of the unlabeled rows above any cut is at least the prior α
    times the share q_p of the labeled rows above it. The statistic is the largest q_p - q_u / α
    over the cuts, or 0 if none is positive. For even labels it tends to be largest if all positives
    score above all negatives. Artificial samples are drawn for this case, with even labels and a
    binomial number of hidden positives. The p-value is valid for any scorer that has learned from
    none of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> known, hidden, negative = rng.normal(3, 1, 200), rng.normal(3, 1, 300), rng.normal(size=700)
    >>> rest = np.append(hidden, negative)
    >>> round(scar_p_value(known, rest, class_prior=0.3), 2)
    0.35
    >>> round(scar_p_value(known + 1, rest, class_prior=0.3), 2)
    0.0
    """
    _check_prior(class_prior)
    check_number(n_resamples, "n_resamples", "Pass 999 for example.", above=0, whole=True)
    known = check_calibration(positive_scores, "positive")
    rest = check_calibration(unlabeled_scores, "unlabeled")
    rng = check_random_state(random_state)
    expected = class_prior * len(rest)
    both = np.concatenate([known, rest])
    order = np.argsort(-both, kind="stable")
    ordered = both[order]
    last = np.append(ordered[1:] != ordered[:-1], True)  # last row of each set of tied scores
    statistic = _excess(order < len(known), expected)[last].max(initial=0)
    null = np.empty(n_resamples)
    for number in range(n_resamples):
        n_rows = len(known) + rng.binomial(len(rest), class_prior)
        null[number] = _excess(rng.permutation(n_rows) < len(known), expected).max(initial=0)
    return ResampledPValue.of(float(statistic), null, slack=1e-9)


def _check_prior(class_prior: float) -> None:
    """Refuse what is not a share, or is an estimate."""
    if hasattr(class_prior, "interval"):
        raise PriorError(
            f"class_prior={float(class_prior):.3g} is an estimate, and estimates assume what "
            "this test examines.",
            "Pass a share that is known from another source, or a lower bound on it.",
        )
    as_share(class_prior, "class_prior")


def _excess(labeled: Bools, expected: float) -> Floats:
    """Share of the labeled rows minus share of the hidden positives at or above each row.

    All unlabeled rows at or above the row count as hidden positives there.

    Parameters
    ----------
    labeled : shape (n_rows,), True for labeled rows, the highest score first
    expected : expected number of hidden positives
    """
    n_labeled = np.cumsum(labeled)
    found: Floats = (
        n_labeled / n_labeled[-1] - (np.arange(1, len(labeled) + 1) - n_labeled) / expected
    )
    return found
