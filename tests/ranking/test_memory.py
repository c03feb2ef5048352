"""How much memory the steps of a ranking take beside the table, in sizes of the table.

Of so small a table the blocks that are worked on at a time are a large part; see docs/scale.rst.
"""

import tracemalloc
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from onesided._blocks import _pass
from onesided.model_selection import _parallel
from onesided.model_selection._fits import IGNORE_LABELS, score_by_each
from onesided.model_selection._labels import Labels
from onesided.ranking import fits_elsewhere, plan_ranking, read_problem
from onesided.ranking._rank import _test_features
from onesided.reporting._explanations import _nearest

N_ROWS, N_NUMBERS, N_CATEGORIES = 10_000, 25, 5
TABLE = 8 * N_ROWS * (N_NUMBERS + N_CATEGORIES)  # bytes


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(N_ROWS, N_NUMBERS))).add_prefix("number")
    for j in range(N_CATEGORIES):
        rows[f"category{j}"] = rng.choice([*"abcdefgh"], N_ROWS)
    rows["known"] = (np.arange(N_ROWS) < 200).astype(int)
    path = tmp_path_factory.mktemp("memory") / "table.csv"
    rows.to_csv(path, index=False)
    found = plan_ranking(read_problem(path, "known"))
    for pipeline in found.rankers.values():
        if hasattr(pipeline["model"], "n_estimators"):
            pipeline["model"].set_params(n_estimators=30, n_unlabeled_per_bag=3500)
    return found


def fitted(*names):
    def step(plan):
        estimators = {name: plan.rankers[name] for name in names}
        score_by_each(estimators, plan.problem.features, Labels.of(plan.positive))

    return step


def compared(plan):
    """By two threads, which share the features of a method."""
    with fits_elsewhere(n_workers=2):
        return plan.compare()


def nearest(plan):
    problem = plan.problem
    features = problem.features
    _nearest(features, features.slice(0, 200), problem.summary, np.flatnonzero(problem.positive))


STEPS = {
    "naive Bayes": (fitted("naive Bayes", "tree-augmented naive Bayes"), 4.0),
    "logistic": (
        fitted("weighted logistic regression, C=1", "weighted logistic regression, C=0.01"),
        5.0,
    ),
    "bagging": (fitted("bagging"), 5.6),
    "bagging of decision trees": (fitted("bagging of decision trees"), 5.3),
    "features, one by one": (lambda plan: _test_features(plan, None), 3.5),
    "nearest positives": (nearest, 4.2),
}


@pytest.mark.parametrize("step", STEPS)
def test_memory_beside_the_table(plan, step):
    run, most = STEPS[step]
    run(plan)  # modules are loaded
    tracemalloc.start()
    run(plan)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < most * TABLE, f"{peak / TABLE:.1f} tables"


@dataclass
class WorstOverlap:
    """What several threads hold at most, however their work overlaps.

    `threaded` replaces the function of this name. It does the tasks one after the other, with as
    many of them read ahead as can be, and measures what each needs at most beside what was there
    before. At worst as many tasks as there are threads are at their peaks at once, and the reading
    thread, which makes the features of the next method, is at its own.

    Attributes
    ----------
    most : bytes that are held at most at once
    grown : bytes that each task needs at most beside what was there before
    """

    most: int = 0
    grown: list[int] = field(default_factory=list)

    def look(self) -> None:
        """Take the peak since the last look into account."""
        self.most = max(self.most, tracemalloc.get_traced_memory()[1])
        tracemalloc.reset_peak()

    @contextmanager
    def measured(self) -> Iterator[list[int]]:
        """A list that gets what was held before, and by how much the peak was above it."""
        self.look()
        earlier, self.most = self.most, 0
        found = [tracemalloc.get_traced_memory()[0]]
        yield found
        self.look()
        found.append(self.most - found[0])
        self.most = max(self.most, earlier)

    def threaded(
        self, items: Iterable[Any], of: Callable[[Any], Any], n_threads: int
    ) -> Iterator[Any]:
        """Yield `of(item)` in order."""
        items, waiting, grown, moments = iter(items), deque(), [], []
        n_read, is_left = 0, True
        while is_left or waiting:
            in_flight = slice(len(grown), n_read)
            if is_left and len(waiting) < _pass._IN_FLIGHT * n_threads:
                with self.measured() as found:
                    waiting.extend([next(items, None)])
                moments.append((sum(found), in_flight))
                if is_left := waiting[-1] is not None:
                    n_read += 1
                else:
                    waiting.pop()
                continue
            with self.measured() as found:
                result = copy_context().run(of, waiting.popleft())
            moments.append((found[0], in_flight))
            grown.append(found[1])
            yield result
        if tracemalloc.is_tracing():
            for held, in_flight in moments:
                at_once = sorted(grown[in_flight])[-n_threads:]
                self.most = max(self.most, held + sum(at_once))
            self.grown += grown


def test_memory_of_two_threads(plan, monkeypatch):
    """The peak of a run depends on how the threads happen to overlap; the worst one does not."""
    compared(plan)  # modules are loaded
    overlap = WorstOverlap()
    for module in (_pass, _parallel):
        monkeypatch.setattr(module, "threaded", overlap.threaded)
    tracemalloc.start()
    compared(plan)
    overlap.look()
    tracemalloc.stop()
    most_of_one = max(overlap.grown)
    assert len(overlap.grown) >= 2 * len(plan.fold_sizes), "fits of two groups of methods"
    assert overlap.most < 11.5 * TABLE, f"{overlap.most / TABLE:.1f} tables"
    # With features of its own, a fit would need 4.5 tables.
    assert most_of_one < 3.2 * TABLE, f"{most_of_one / TABLE:.1f} tables for one fit"


def test_shared_features_and_threads_change_no_number(plan):
    """Each fit may have features and processes of its own."""
    rankers = {
        name: Pipeline([("columns", clone(each["columns"])), ("model", each["model"])])
        for name, each in plan.rankers.items()
    }
    assert all(each["columns"] in IGNORE_LABELS for each in plan.rankers.values())
    assert not any(each["columns"] in IGNORE_LABELS for each in rankers.values())
    alone, shared = replace(plan, rankers=rankers).compare(), compared(plan)
    assert alone.weights == shared.weights
    for name, hidden in alone.hidden.items():
        assert_array_equal(hidden.unlabeled_placements, shared.hidden[name].unlabeled_placements)
    models = alone.best_estimator_, shared.best_estimator_
    assert_array_equal(*(model.decision_function(plan.problem.features) for model in models))
