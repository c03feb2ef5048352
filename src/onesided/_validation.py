"""Checks that scikit-learn does not have."""

from typing import Any

import numpy as np

from onesided.exceptions import DataError


def check_number(
    value: Any,
    name: str,
    mend: str,
    *,
    above: float | None = None,
    at_least: float | None = None,
    whole: bool = False,
) -> None:
    """Refuse what is not a finite number, or lies below its range.

    Parameters
    ----------
    value : to check
    name : of the parameter
    mend : one sentence on what to pass
    above, at_least : ends of the range, exclusive and inclusive
    whole : whether only whole numbers will do

    Raises
    ------
    DataError : with the value, the range and the mend
    """
    kinds = int | np.integer if whole else int | float | np.integer | np.floating
    fits = isinstance(value, kinds) and not isinstance(value, bool) and np.isfinite(value)
    if fits and above is not None:
        fits = value > above
    if fits and at_least is not None:
        fits = value >= at_least
    if fits:
        return
    kind = "whole number" if whole else "finite number"
    bound = f" above {above:g}" if above is not None else ""
    bound = f" of at least {at_least:g}" if at_least is not None else bound
    raise DataError(f"{name}={value!r} is not a {kind}{bound}.", mend)
