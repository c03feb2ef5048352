"""Fewer bags, trees and random draws, which no test of a command is about."""

import pytest

from onesided.cli import _prepare, rank
from onesided.tables import _rankers


@pytest.fixture(autouse=True, scope="package")
def _few_draws():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_rankers, "_BAGS", 30)
        patch.setattr(rank, "_RANDOM_SETS", 99)
        patch.setattr(_prepare, "_FEW_HALVES", 2)
        patch.setattr(_prepare, "_FEW_TREES", 10)
        yield
