"""Whether positives among the unlabeled are like the known ones."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import ks_2samp

from onesided._validation import check_scores
from onesided.exceptions import DataError

_FEWEST = 10  # rows of either sort above the cut


def exchangeability_test(calibration: ArrayLike, scores: ArrayLike) -> float:
    """P-value of the wish that positives among the unlabeled are like the held-out ones.

    All promises rest on it, and it can be refuted here, not shown. Which unlabeled rows are
    positive is not known, but those that are not score low: above the median of the held-out
    positives nearly all rows are positive, and there both must have the same distribution. A
    collection split by date often fails.

    Parameters
    ----------
    calibration : shape (n_calibration,), hidden-positive scores, higher is more positive
    scores : shape (n_unlabeled,), on the same scale

    Returns
    -------
    p-value in [0, 1]; small: they differ

    Raises
    ------
    DataError : if fewer than ten of either sort lie above the median

    Notes
    -----
    Two-sample test of Kolmogorov and Smirnov above the median of the calibration scores. It sees
    differences of the score above the median alone: not how many positives fall below it, which is
    what breaks a promise. Few unlabeled rows above the median are themselves a sign of many others,
    or of another sort. The calibration scores must be of rows that the scorer has not learned from.
    Where the scorer is poor, so that many rows that are not positive lie above the median, it can
    be small without any difference: of two normal laws 1.7 deviations apart it was below .05 in 24
    percent of samples.

    It takes no prior, and is for rows that may be of another sort, as of a later date, and classes
    that are well apart. Whether labels are drawn evenly among the positives of the same rows is
    asked by `scar_test`, which takes a prior that is known otherwise: it allows for overlap, and
    found labels biased to easy positives in 73 to 100 percent of samples (laws 2.5 deviations apart
    or more) where this found 7 to 14.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> known = rng.normal(size=500)
    >>> new = np.append(rng.normal(size=300), rng.normal(-4, 1, 30))  # 30 are no positives
    >>> exchangeability_test(known, new) > 0.05
    True
    >>> exchangeability_test(known, rng.normal(-0.5, 0.7, 300)) < 0.001  # another sort of positives
    True
    """
    known, new = (
        check_scores(each, name)
        for each, name in ((calibration, "calibration"), (scores, "scores"))
    )
    median = np.median(known) if len(known) else np.nan
    known, new = known[known > median], new[new > median]
    if min(len(known), len(new)) < _FEWEST:
        raise DataError(
            f"{len(known)} held-out positives and {len(new)} unlabeled rows score above the "
            "median of the held-out positives.",
            f"At least {_FEWEST} of each are needed: pass more rows.",
        )
    return float(ks_2samp(known, new).pvalue)
