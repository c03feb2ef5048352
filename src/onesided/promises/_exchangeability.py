"""Test whether hidden positives score like the known positives that were held out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import ks_2samp

from onesided._text import as_percent, counted
from onesided._typing import Floats
from onesided._validation import check_scores
from onesided.exceptions import DataError
from onesided.prior._separation import above_median, negatives_above_median, separation_of_scores

_FEWEST = 10  # held-out positives above the median, and unlabeled rows above it
_MOST_NEGATIVE = 0.03  # share of negatives among the unlabeled rows above the median


def exchangeability_test(
    calibration: ArrayLike, scores: ArrayLike, *, reference: ArrayLike | None = None
) -> float:
    """P-value for the assumption that hidden positives are like the held-out positives.

    All lists of this module rely on this assumption. The test can refute it, but cannot prove it.
    It is not known which unlabeled rows are positive. But if the classes are well separated, nearly
    all unlabeled rows above the median of the held-out positives are positive. Above this median,
    scores of unlabeled rows and of held-out positives must have the same distribution. Data that
    are split by date often fail the test.

    Parameters
    ----------
    calibration : shape (n_calibration,), hidden-positive scores, higher is more positive
    scores : shape (n_unlabeled,), of the unlabeled rows to test, on the same scale
    reference : scores of unlabeled rows from the same sample as the held-out positives; they show
        how well the classes are separated. By default `scores` are used

    Returns
    -------
    p-value in [0, 1]; a small one means that hidden and held-out positives differ

    Raises
    ------
    DataError : if fewer than ten held-out positives or fewer than ten unlabeled rows score above
        the median; or if classes overlap, so that more than 3 percent of the unlabeled rows above
        the median would be negative

    Notes
    -----
    This is the two-sample test of Kolmogorov and Smirnov above the median of the calibration
    scores. It detects only differences of the scores above the median. It does not detect how many
    positives score below the median, although this is what invalidates a list. If few unlabeled
    rows score above the median, many rows are negative, or their positives are of another sort. The
    calibration scores must belong to rows that the scorer has not learned from.

    Negatives above the median make the p-value small even if positives do not differ. For two
    normal distributions one standard deviation apart, the p-value was below .05 in 51 to 99 percent
    of samples. So the share of negatives above the median is estimated with normal distributions,
    and the test is refused if this share is above 3 percent. ``benchmarks/bench_promises.py``
    prints how often the test is refused, and how often it rejects otherwise. If many rows in
    `scores` are positives of another sort, the classes seem to overlap too, and the test is
    refused. Pass a `reference` to show that the classes do not overlap.

    The test needs no prior. Use it for well-separated classes and for rows that may be of another
    sort, for example from a later date. Use `scar_test` to test whether labels are drawn evenly
    among the positives of the same rows. `scar_test` needs a prior from another source, and allows
    for overlap. It found labels biased to easy positives in 73 to 100 percent of samples
    (distributions 2.5 standard deviations apart or more), and this test in 7 to 14 percent.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> known = rng.normal(size=500)
    >>> new = np.append(rng.normal(size=300), rng.normal(-4, 1, 30))  # 30 are not positives
    >>> round(exchangeability_test(known, new), 2)
    0.76
    >>> others = np.append(rng.normal(size=100), rng.normal(-4, 1, 900))  # seen with the known
    >>> moved = rng.normal(-0.5, 0.7, 300)  # another sort of positives
    >>> round(exchangeability_test(known, moved, reference=others), 3)
    0.0
    """
    known, new = check_scores(calibration, "calibration"), check_scores(scores, "scores")
    p_value, n_above = compare_above_median(known, new)
    if reference is None:
        negative = negatives_above_median(known, new)
    else:  # all rows in question could be negative
        others = check_scores(reference, "reference")
        if len(others) < _FEWEST:
            raise DataError(
                f"reference has {counted(len(others), 'score')}, too few to show how far "
                "classes are apart.",
                f"Pass the scores of at least {_FEWEST} unlabeled rows of the first sample.",
            )
        apart = separation_of_scores(known, others)
        negative = min(1.0, above_median(apart) * len(new) / n_above)
    if negative > _MOST_NEGATIVE:
        raise DataError(
            "Positive and other rows overlap: by the scores about "
            f"{as_percent(negative)} of the unlabeled rows that score above the median of the "
            "held-out positives are negative, so that a difference says nothing about the "
            "positives.",
            "Use scar_test with a share of positives that is known from another source, or pass "
            "scores of unlabeled rows of the first sample as reference= if classes are well apart "
            "there.",
        )
    return p_value


def compare_above_median(known: Floats, new: Floats) -> tuple[float, int]:
    """P-value of `exchangeability_test`, and the number of new rows above the median.

    The overlap of the classes is not checked here. Negatives above the median make the p-value too
    small. That is acceptable if the p-value leads only to a warning that a guarantee may fail.

    Parameters
    ----------
    known : shape (n_known,), scores of held-out positives
    new : shape (n_new,), scores of the rows to test

    Raises
    ------
    DataError : if fewer than ten held-out positives or ten new rows are above the median
    """
    median = np.median(known) if len(known) else np.nan
    top, top_new = known[known > median], new[new > median]
    if min(len(top), len(top_new)) < _FEWEST:
        raise DataError(
            f"{counted(len(top), 'held-out positive')} and "
            f"{counted(len(top_new), 'unlabeled row')} score above the "
            "median of the held-out positives.",
            f"At least {_FEWEST} of each are needed: pass more rows.",
        )
    return float(ks_2samp(top, top_new).pvalue), len(top_new)
