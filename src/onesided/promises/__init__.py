"""Lists that keep a promise, from positives that were held out."""

from onesided.promises._conformal import (
    ConformalTest,
    adjusted_p_values,
    check_fdr,
    conformal_p_values,
    conformal_test,
)
from onesided.promises._exchangeability import exchangeability_test

__all__ = [
    "ConformalTest",
    "adjusted_p_values",
    "check_fdr",
    "conformal_p_values",
    "conformal_test",
    "exchangeability_test",
]
