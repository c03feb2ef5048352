"""Learners that hold all rows say so before they take more than the machine has."""

import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from onesided import (
    CenteredOneClassSVM,
    CorrelationRanker,
    CrossFitSVM,
    SignificanceRanker,
    WeightedLogisticRegression,
    enrichment,
)
from onesided._blocks import _sources
from onesided.exceptions import DataError

HOLDING = {
    "CrossFitSVM": lambda X, y: CrossFitSVM().fit(X, y),
    "CenteredOneClassSVM": lambda X, y: CenteredOneClassSVM().fit(X, y),
    "SignificanceRanker": lambda X, y: SignificanceRanker(kernel="rbf").fit(X, y),
    "enrichment": enrichment,
}


@pytest.fixture
def y():
    return np.arange(400) < 40


@pytest.fixture(params=["files", "dask"])
def elsewhere(request, rng, tmp_path):
    """400 rows of 5 numbers that are not in this process."""
    X = rng.normal(size=(400, 5))
    if request.param == "dask":
        return da.from_array(X, chunks=(100, 5))
    pq.write_table(pa.table({f"x{j}": X[:, j] for j in range(5)}), tmp_path / "t.parquet")
    return tmp_path


@pytest.mark.parametrize("learner", HOLDING)
def test_too_many_rows_to_hold(elsewhere, y, learner, monkeypatch):
    monkeypatch.setattr(_sources, "available_memory", lambda: 400 * 5 * 8 - 1.0)
    with pytest.raises(DataError, match=rf"{learner}.* holds all rows in memory, and 400 of 5"):
        HOLDING[learner](elsewhere, y)
    for passing in (WeightedLogisticRegression(), CorrelationRanker()):
        passing.fit(elsewhere, y)


@pytest.mark.parametrize("learner", HOLDING)
def test_rows_that_can_be_held(elsewhere, y, learner, monkeypatch):
    monkeypatch.setattr(_sources, "available_memory", lambda: 400 * 5 * 8.0)
    HOLDING[learner](elsewhere, y)


def test_the_machine_has_memory():
    assert _sources.available_memory() > 1e8
