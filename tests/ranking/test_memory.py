"""How much memory the steps of a ranking take beside the table, in sizes of the table.

Of so small a table the blocks that are worked on at a time are a large part; see docs/scale.rst.
"""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from onesided.model_selection._hidden import Labels, score_by_each
from onesided.ranking import plan_ranking, read_problem
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
    "bagging": (fitted("bagging"), 6.0),
    "bagging of decision trees": (fitted("bagging of decision trees"), 5.5),
    "features, one by one": (lambda plan: _test_features(plan, None), 7.0),
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
