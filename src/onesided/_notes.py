"""Warnings as text: what long work has to say of its result is returned, not printed."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from onesided.exceptions import OnesidedWarning


@contextmanager
def gathered_warnings() -> Iterator[list[str]]:
    """Collect the warnings of onesided, and those on convergence, as text, each once.

    Yields
    ------
    the list, which is filled when the context ends
    """
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 - help does not pay for it

    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", OnesidedWarning)
        warnings.simplefilter("always", ConvergenceWarning)
        yield found
    found.extend(dict.fromkeys(str(each.message) for each in caught))
