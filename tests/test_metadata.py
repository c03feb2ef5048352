"""What scikit-learn's metadata routing passes on to learners, splitters and criteria."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import clone, config_context
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils.metadata_routing import get_routing_for_object

from checks import public_estimators, takes_weights
from onesided import (
    NearestKnown,
    PositiveKFold,
    PositiveNaiveBayes,
    PUBagging,
    WeightedLogisticRegression,
    WeightedLogisticRegressionCV,
    compare,
)
from onesided.exceptions import DataError
from onesided.metrics import pu_roc_auc
from onesided.model_selection import (
    AllRows,
    CorrectedScorer,
    LeeLiuScorer,
    PositiveTimeSplit,
    hidden_positive_auc,
)
from onesided.preprocessing import QuantileBinner

NAMES = [type(each).__name__ for each in public_estimators()]
FOLDS = PositiveKFold(3, random_state=0)
SCORER = LeeLiuScorer("case-control")


@pytest.fixture(autouse=True)
def routing():
    with config_context(enable_metadata_routing=True):
        yield


@pytest.fixture(name="X")
def rows(rng):
    return rng.normal(size=(90, 3))


@pytest.fixture
def y(X, rng):
    return (X[:, 0] + rng.normal(size=90) > 0.6).astype(int)


@pytest.fixture
def groups():
    return np.arange(90) // 3


@pytest.mark.parametrize("estimator", public_estimators(), ids=NAMES)
def test_what_each_learner_can_be_given(estimator):
    expected = {"sample_weight"} if takes_weights(estimator) else set()
    beside = {
        "NearestKnown": {"kinds"},
        "SignificanceRanker": {"match"},
        "WeightedLogisticRegressionCV": {"groups"},
        "WeightedLogisticRegression": {"known_negative"},
        "RankAverage": {"known_negative"},
    }
    if type(estimator).__name__ in (
        "BestBinPrior",
        "BinormalPrior",
        "DensityRatioPrior",
        "ElkanNotoPrior",
        "SubtypePrior",
    ):
        expected = {"groups"}
    expected |= beside.get(type(estimator).__name__, set())
    assert set(get_routing_for_object(estimator).fit.requests) == expected


@pytest.mark.parametrize("splitter", [FOLDS, PositiveTimeSplit(3)])
def test_groups_reach_the_splitter(splitter, X, y, groups, rng):
    groups = rng.permutation(groups)
    found = cross_validate(
        LogisticRegression(),
        X,
        y,
        cv=splitter,
        params={"groups": groups},
        scoring=SCORER,
        return_indices=True,
    )
    expected = list(splitter.split(X, y, groups))
    for test, (_, expected_test) in zip(found["indices"]["test"], expected, strict=True):
        assert_array_equal(test, expected_test)


def test_groups_reach_the_splitter_of_a_search(X, y, groups):
    search = GridSearchCV(
        WeightedLogisticRegression(), {"C": [0.1, 1.0]}, cv=FOLDS, scoring=SCORER
    ).fit(X, y, groups=groups)
    by_hand = GridSearchCV(
        WeightedLogisticRegression(),
        {"C": [0.1, 1.0]},
        cv=list(FOLDS.split(X, y, groups)),
        scoring=SCORER,
    ).fit(X, y)
    assert_array_equal(
        search.cv_results_["mean_test_score"], by_hand.cv_results_["mean_test_score"]
    )


def test_weights_reach_a_learner_in_a_pipeline_in_a_search(X, y, rng):
    """Weight 0 is no row."""
    weight = rng.integers(0, 2, 90).astype(float)
    model = make_pipeline(
        SelectKBest(k=2), WeightedLogisticRegression().set_fit_request(sample_weight=True)
    )
    search = GridSearchCV(
        model,
        {"weightedlogisticregression__C": [1.0]},
        cv=FOLDS,
        scoring=LeeLiuScorer("case-control").set_score_request(sample_weight=False),
    ).fit(X, y, sample_weight=weight)
    chosen = SelectKBest(k=2).fit(X, y).transform(X)
    alone = WeightedLogisticRegression().fit(chosen[weight > 0], y[weight > 0])
    assert_allclose(search.best_estimator_[-1].coef_, alone.coef_, rtol=1e-5)


def test_weights_that_were_not_asked_for_are_refused(X, y):
    model = make_pipeline(QuantileBinner(), PositiveNaiveBayes())
    with pytest.raises(UnsetMetadataPassedError, match=r"PositiveNaiveBayes\.fit"):
        model.fit(X, y, sample_weight=np.ones(90))


def test_weights_for_what_takes_none_are_refused(X, y):
    """Bags are drawn of whole rows, whatever the model in them would take."""
    model = PUBagging(LogisticRegression().set_fit_request(sample_weight=True), 3)
    with pytest.raises(TypeError, match="sample_weight"):
        make_pipeline(QuantileBinner(), model).fit(X, y, sample_weight=np.ones(90))


def test_bags_of_a_pipeline(X, y):
    model = PUBagging(make_pipeline(QuantileBinner(), PositiveNaiveBayes()), 20, random_state=0)
    with config_context(enable_metadata_routing=False):
        expected = clone(model).fit(X, y).oob_decision_function_
    assert_array_equal(model.fit(X, y).oob_decision_function_, expected)


def test_kinds_reach_the_nearest_known(rng):
    X = rng.poisson(2, (60, 8))
    y, kinds = np.repeat([1, 0], [30, 30]), np.arange(60) % 3
    model = make_pipeline(SelectKBest(chi2, k=6), NearestKnown().set_fit_request(kinds=True))
    assert_array_equal(model.fit(X, y, kinds=kinds)[-1].kinds_, [0, 1, 2])
    assert clone(model).fit(X, y)[-1].kinds_ is None


@pytest.mark.filterwarnings("ignore:There are only")
def test_criteria_ask_for_nothing(X, y):
    found = cross_validate(
        LogisticRegression(),
        X,
        y,
        cv=FOLDS,
        scoring={"lee_liu": SCORER, "auc": CorrectedScorer(pu_roc_auc, class_prior=0.01)},
    )
    assert np.isfinite([found["test_lee_liu"], found["test_auc"]]).all()


def test_groups_of_a_criterion_that_hides_positives(X, y, groups):
    """`AllRows` splits nothing, so it refuses groups as `KFold` does; the criterion takes them."""
    scoring = partial(hidden_positive_auc, groups=groups)
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=AllRows(), scoring=scoring)
    expected = hidden_positive_auc(LogisticRegression(), X, y, groups=groups)
    assert_allclose(search.fit(X, y).best_score_, expected)
    assert expected != hidden_positive_auc(LogisticRegression(), X, y)
    with pytest.raises(TypeError, match="groups"):
        search.fit(X, y, groups=groups)


def test_compare_with_groups(X, y, groups):
    methods = {"one": LogisticRegression()}
    found = compare(methods, X, y, groups=groups)
    with config_context(enable_metadata_routing=False):
        expected = compare(methods, X, y, groups=groups)
    assert_array_equal(found.hidden["one"].ranks, expected.hidden["one"].ranks)


@pytest.mark.parametrize("validation", [FOLDS, PositiveTimeSplit(3)])
def test_groups_reach_the_choice_of_a_penalty(validation, X, y, groups, rng):
    groups = rng.permutation(groups)
    found = WeightedLogisticRegressionCV([0.1, 1.0], validation=validation)
    splits = list(validation.split(X, y, groups))
    by_hand = WeightedLogisticRegressionCV([0.1, 1.0], validation=splits).fit(X, y)
    in_pipeline = make_pipeline(found.set_fit_request(groups=True)).fit(X, y, groups=groups)
    assert_array_equal(in_pipeline[-1].scores_, by_hand.scores_)
    assert vars(in_pipeline[-1]).keys() - {"_metadata_request"} <= vars(by_hand).keys()


def test_folds_by_number_are_of_groups(X, y):
    """Rows that are there twice, in one group each time: no copy is learned from."""
    X, y, groups = np.vstack([X, X]), np.append(y, y), np.tile(np.arange(90), 2)
    seen = []

    def count(labels, scores):
        seen.append(len(scores))
        return labels.mean()

    model = WeightedLogisticRegressionCV([1.0], validation=3, random_state=0, criterion=count)
    model.fit(X, y, groups=groups)
    assert sum(seen) == 180
    assert all(n % 2 == 0 for n in seen)


def test_a_share_has_no_groups(X, y, groups):
    with pytest.raises(
        DataError, match=r"validation=0\.2 holds out rows without regard to their groups."
    ):
        WeightedLogisticRegressionCV([1.0]).fit(X, y, groups=groups)
