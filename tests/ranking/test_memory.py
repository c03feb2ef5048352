"""How much memory the steps of a ranking take beside the table, in sizes of the table.

Of so small a table the blocks that are worked on at a time are a large part; see docs/scale.rst.
"""

import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import Pipeline

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
    "comparison by two threads": (compared, 9.0),
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
