"""Functions of logarithms, for products of many probabilities."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from onesided._typing import Floats


def log_complement(log_p: Floats) -> Floats:
    """log(1 − exp(log_p)), accurate for log_p close to 0 and far below 0; −inf at 0.

    It uses expm1 close to 0, and log1p far below 0. Source: M. Mächler, Accurately computing
    log(1 − exp(−|a|)), 2012.

    Parameters
    ----------
    log_p : at most 0, any shape
    """
    log_p = np.asarray(log_p, dtype=np.float64)
    with np.errstate(divide="ignore"):
        near = np.log(-np.expm1(np.maximum(log_p, -1.0)))
        return np.where(log_p > -np.log(2), near, np.log1p(-np.exp(log_p)))


def probabilities_of(log_odds: Floats) -> Floats:
    """Probabilities of no and of yes, both accurate if they are small; shape (n_rows, 2).

    Parameters
    ----------
    log_odds : shape (n_rows,), of yes, in nats
    """
    return np.column_stack([expit(-log_odds), expit(log_odds)])


def sums_without_each(values: Floats) -> Floats:
    """For each entry of a row, the sum of the other entries of the row.

    Nothing is subtracted, so the sums are right even if an entry is −inf.

    Parameters
    ----------
    values : shape (n_rows, n)
    """
    left, right = np.zeros_like(values), np.zeros_like(values)
    np.cumsum(values[:, :-1], axis=1, out=left[:, 1:])
    right[:, :-1] = np.cumsum(values[:, :0:-1], axis=1)[:, ::-1]
    return left + right
