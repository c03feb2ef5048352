"""The promise on messages of real groups: few of the flagged are of the known groups."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from onesided import NearestKnown
from onesided.promises import adjusted_p_values, conformal_p_values
from onesided.reproduce._lgn2007 import COMPUTER, SCIENCE, Task, _messages

DRAWS = 60


@pytest.fixture(scope="module")
def messages(data_dir):
    return _messages(pq.read_table(data_dir / "text" / "newsgroups.parquet"))


@pytest.mark.parametrize("alpha", [5, 60])
def test_flagged_at_a_rate(messages, alpha):
    """Three draws of each pair: the promise is on the mean share of false ones, in expectation."""
    pairs = [(computer, science) for computer in COMPUTER for science in SCIENCE]
    false, found = [], []
    for draw in range(DRAWS):
        task = Task.of(messages, pairs[draw % len(pairs)], alpha, [draw, 99])
        model = NearestKnown().fit(task.X, task.y, kinds=task.kinds)
        scores = model.decision_function(task.X[task.y == 0])
        flagged = adjusted_p_values(conformal_p_values(model.known_scores_, scores)) <= 0.1
        false.append((flagged & ~task.unexpected).sum() / max(flagged.sum(), 1))
        found.append(flagged[task.unexpected].mean())
    print(f"{alpha}%: false {np.mean(false):.3f}, found {np.mean(found):.3f}")  # noqa: T201 - with -s
    assert np.mean(false) <= 0.1
    if alpha == 60:
        assert np.mean(found) >= 0.5
