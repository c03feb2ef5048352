"""A weight of 2 is a row twice and 0 is no row, in all metrics and in `score`."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning

from onesided import WeightedLogisticRegression, metrics
from onesided.exceptions import DataError, LabelError

SCENARIOS = ("single-training-set", "case-control")
WITH_PRIOR = {"class_prior": 0.2}
SETTINGS = {
    "lift": {},
    "lee_liu_score": {},
    "pu_recall": {"label_odds_ratio": 2.0},
    "pu_precision": WITH_PRIOR,
    "pu_f1_score": WITH_PRIOR,
    "pu_accuracy": WITH_PRIOR,
    "pu_roc_auc": WITH_PRIOR,
    "pu_average_precision": WITH_PRIOR,
    "bedroc_score": WITH_PRIOR,
    "enrichment_factor": {"fraction": 0.3},
    "pu_recall_at_k": {"k": 5},
}
OF_VALUES = {"label_bias_band": {"ratio": 3}, "label_bias_tipping_point": {}}
OF_RANKS = ("rank_counts", "rank_shares", "recall_at")
ROWS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(1, 9)), min_size=3, max_size=9
)
pytestmark = [
    pytest.mark.filterwarnings("ignore:The .* comes out at"),
    pytest.mark.filterwarnings("ignore:There (is|are) only"),
]


def test_every_metric_takes_weights():
    functions = {name for name in metrics.__all__ if inspect.isfunction(getattr(metrics, name))} - {
        name for name in metrics.__all__ if name.endswith("_curve")
    }
    assert functions == {*SETTINGS, *OF_VALUES, *OF_RANKS, "lee_liu_regret"}
    for name in functions:
        assert "sample_weight" in inspect.signature(getattr(metrics, name)).parameters, name


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", SETTINGS)
@given(known=ROWS, rest=ROWS)
@settings(max_examples=20, deadline=None)
def test_weight_two_is_the_row_twice(name, scenario, known, rest):
    metric, given_to_it = getattr(metrics, name), dict(SETTINGS[name])
    scores, weight, propensity = np.array([*known, *rest]).T
    y = np.repeat([1, 0], [len(known), len(rest)])
    if min(weight[y == 1].sum(), weight[y == 0].sum()) < 2:
        return
    parameters = inspect.signature(metric).parameters
    if "scenario" in parameters:
        given_to_it["scenario"] = scenario
    asked = scores if "y_score" in parameters else (scores > 2).astype(int)
    by_row = {"propensity": propensity / 10} if "propensity" in parameters else {}
    found = metric(y, asked, sample_weight=weight, **by_row, **given_to_it)
    by_row = {key: np.repeat(values, weight) for key, values in by_row.items()}
    expected = metric(np.repeat(y, weight), np.repeat(asked, weight), **by_row, **given_to_it)
    assert_allclose(found, expected, atol=1e-12)
    assert_allclose(found.interval(), expected.interval(), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", [*SETTINGS, "pu_roc_curve", "pu_precision_recall_curve"])
def test_small_weights_say_how_rows_compare(name, scenario, rng):
    """Weights of the mean 1 are numbers of rows; those that are all below 1 give the same."""
    metric = getattr(metrics, name)
    parameters = inspect.signature(metric).parameters
    asked = dict(SETTINGS.get(name, WITH_PRIOR))
    if "scenario" in parameters:
        asked["scenario"] = scenario
    y, scores = np.repeat([1, 0], [12, 48]), np.round(rng.normal(size=60), 1)
    scores[:12] += 4  # so high that no unlabeled row is called positive, and half a row counts
    values = scores if "y_score" in parameters else (scores > 4).astype(int)
    uneven = rng.uniform(0.5, 2.0, 60)
    for weight in (None, uneven / uneven.mean()):
        given_weight = np.ones(60) if weight is None else weight
        expected = figures(metric(y, values, sample_weight=weight, **asked))
        for scale in (1 / 60, 1e-3, 1e-9):
            found = figures(metric(y, values, sample_weight=given_weight * scale, **asked))
            assert_allclose(found, expected, rtol=1e-6)


def figures(found):
    """A figure with its interval, or the heights of a curve with their band."""
    if hasattr(found, "band"):
        places = [0.0, 0.1, 0.5]
        return [found.at(places), *found.band(places)]
    return [found, *found.interval()]


def test_small_weights_of_ranks_and_values(rng):
    """These depend on how weights compare alone, but for counts, which are their sums."""
    values, others, weight = rng.random((3, 30))
    found = rng.random((3, 30)) < 0.5
    for scale in (1e-3, 1e3):
        small = weight * scale
        for of in (
            lambda w: metrics.rank_shares(others, values, sample_weight=w),
            lambda w: metrics.recall_at([1, 5], np.arange(30), np.zeros(30), sample_weight=w),
            lambda w: metrics.label_bias_band(values, ratio=3, sample_weight=w),
            lambda w: metrics.label_bias_tipping_point(values, sample_weight=w),
            lambda w: metrics.lee_liu_regret(found, [9, 5, 3], chosen=1, ratio=2, sample_weight=w),
        ):
            assert_allclose(of(small), of(weight))
        counts = metrics.rank_counts(others, values, sample_weight=small)
        assert_allclose(
            counts, np.multiply(metrics.rank_counts(others, values, sample_weight=weight), scale)
        )
    assert_allclose(
        metrics.rank_shares(others, values, sample_weight=0.5), metrics.rank_shares(others, values)
    )


@pytest.mark.parametrize("name", [*OF_VALUES, *OF_RANKS, "lee_liu_regret"])
def test_weights_that_are_all_0(name):
    arguments = {
        "rank_counts": ([1.0], [1.0, 2.0]),
        "rank_shares": ([1.0], [1.0, 2.0]),
        "recall_at": ([1], [0, 1], [0, 0]),
        "label_bias_band": ([0.1, 0.2],),
        "label_bias_tipping_point": ([0.1, 0.2],),
        "lee_liu_regret": ([[1, 0]], [1]),
    }[name]
    asked = dict(OF_VALUES.get(name, {}))
    asked |= {"chosen": 0, "ratio": 2} if name == "lee_liu_regret" else {}
    with pytest.raises(
        DataError, match=r"sample_weight is 0 for all 2 rows\. Give some rows a weight"
    ):
        getattr(metrics, name)(*arguments, sample_weight=[0, 0], **asked)


@given(rows=ROWS, others=ROWS)
def test_weights_of_ranks_and_values(rows, others):
    scores, weight, _ = np.array(rows).T
    asked, times, _ = np.array(others).T
    if not (weight.sum() and times.sum()):
        return
    repeated = np.repeat(scores, weight)
    assert_allclose(
        metrics.rank_counts(asked, scores, sample_weight=weight),
        metrics.rank_counts(asked, repeated),
    )
    assert_allclose(
        metrics.rank_shares(asked, scores, sample_weight=weight),
        metrics.rank_shares(asked, repeated),
    )
    above, tied = metrics.rank_counts(asked, repeated)
    assert_allclose(
        metrics.recall_at([1, 2, 4], above, tied, sample_weight=times),
        metrics.recall_at([1, 2, 4], np.repeat(above, times), np.repeat(tied, times)),
    )
    for name, given_to_it in OF_VALUES.items():
        metric = getattr(metrics, name)
        assert_allclose(
            metric(scores / 5, sample_weight=weight, **given_to_it),
            metric(repeated / 5, **given_to_it),
        )
    found = [scores > cut for cut in (0, 1, 3)]
    chosen = {"predicted": [9, 5, 3], "chosen": 1, "ratio": 2}
    assert_allclose(
        metrics.lee_liu_regret(found, sample_weight=weight, **chosen),
        metrics.lee_liu_regret(np.repeat(found, weight, axis=1), **chosen),
    )


@pytest.mark.parametrize("name", SETTINGS)
def test_a_kind_without_weight_is_refused(name):
    metric, given_to_it = getattr(metrics, name), dict(SETTINGS[name])
    if "scenario" in inspect.signature(metric).parameters:
        given_to_it["scenario"] = "case-control"
    with pytest.raises(DataError, match="sample_weight is 0 for all 2 positive rows"):
        metric([1, 1, 0, 0], [1, 0, 1, 0], sample_weight=[0, 0, 1, 1], **given_to_it)


def test_recall_of_positives_alone(rng):
    y, predicted = np.repeat([1, 0], [30, 40]), rng.integers(0, 2, 70)
    words, said = np.where(y, "hit", "no"), np.where(predicted, "hit", "no")
    expected = metrics.pu_recall(y, predicted)
    for labels, found, label in (
        (y, predicted, None),
        (y == 1, predicted == 1, None),
        (words, said, "hit"),
    ):
        alone = metrics.pu_recall(labels[:30], found[:30], positive_label=label)
        assert_allclose([alone, *alone.interval()], [expected, *expected.interval()])
    assert metrics.pu_recall([1, 1], [1, 1]) == 1
    assert metrics.pu_recall([1, 1], [0, 0]) == 0
    with pytest.raises(LabelError, match="no row is positive"):
        metrics.pu_recall([0, 0], [1, 0])
    with pytest.raises(LabelError, match="none unlabeled"):
        metrics.lift([1, 1], [1, 0], scenario="case-control")


# score


@pytest.fixture(name="model")
def fitted(rng):
    X, y = rng.normal(size=(200, 3)), np.arange(200) < 50
    X[:60] += 1
    return WeightedLogisticRegression().fit(X, np.where(y, "yes", None))


def test_score_by_hand(model, rng):
    X, y = rng.normal(size=(90, 3)) + 0.5, np.arange(90) < 30
    found = model.predict(X) == "yes"
    expected = found[:30].mean() / np.sqrt((found[30:].sum() + 1) / 61)
    assert_allclose(model.score(X, np.where(y, "yes", "unlabeled")), expected)
    assert_allclose(model.score(X[:30], ["yes"] * 30), found[:30].mean())
    everything, nothing = (model.__class__().fit(X, y) for _ in range(2))
    everything.intercept_ = np.array([1e9])
    nothing.intercept_ = np.array([-1e9])
    assert everything.score(X, y) == 1
    assert nothing.score(X, y) == 0


def test_score_with_weights(model, rng):
    X, y = rng.normal(size=(60, 3)) + 0.5, np.where(np.arange(60) < 20, "yes", None)
    weight = rng.integers(0, 4, 60)
    found = model.score(X, y, sample_weight=weight)
    assert_allclose(found, model.score(np.repeat(X, weight, axis=0), np.repeat(y, weight)))
    assert_allclose(model.score(X, y, sample_weight=np.full(60, 1 / 60)), model.score(X, y))
    with pytest.raises(DataError, match="sample_weight is 0 for all 60 rows"):
        model.score(X, y, sample_weight=np.zeros(60))


def test_score_of_a_fold_without_positives(model, rng):
    with pytest.warns(UndefinedMetricWarning, match="No row is positive"):
        assert model.score(rng.normal(size=(5, 3)), [None] * 5) == 0
    with pytest.raises(LabelError, match="neither 'yes'"):
        model.score(rng.normal(size=(2, 3)), ["yes", "maybe"])
