"""Public functions that fit an estimator take the same arguments, in the same order and meaning."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import onesided
from onesided import WeightedLogisticRegression, compare
from onesided.exceptions import LabelError, OnesidedError
from onesided.model_selection import hide_and_rank

COMMON = ("cv", "groups", "params", "positive_label", "random_state")
OTHERWISE = {"hidden_positive_scores": ("share", *COMMON[1:])}  # one split, of a share
FITS_NOTHING = {"neg_adjusted_p_value"}  # of a fitted ranker
SETTINGS = {
    "scar_test": {"class_prior": 0.3},
    "estimate_class_prior": {"scenario": "case-control", "n_subsamples": 3, "method": "binormal"},
    "label_resampling_test": {"n_resamples": 2},
}


def evaluations():
    """Public functions that take an estimator, X and y, by name."""
    found = {}
    for each in pkgutil.walk_packages(onesided.__path__, "onesided."):
        if any(part.startswith("_") for part in each.name.split(".")):
            continue
        module = importlib.import_module(each.name)
        for name in getattr(module, "__all__", ()):
            function = getattr(module, name)
            if not inspect.isfunction(function) or name in FITS_NOTHING:
                continue
            names = {*inspect.signature(function).parameters}
            if names & {"estimator", "estimators"} and {"X", "y"} <= names:
                found[name] = function
    return found


FOUND = evaluations()
evaluation = pytest.mark.parametrize("name", FOUND)
pytestmark = pytest.mark.filterwarnings("ignore::onesided.exceptions.OnesidedWarning")


class Recorder(ClassifierMixin, BaseEstimator):
    """Learns from its weights, which are the first column, and a scale that each fit shares."""

    def __init__(self, positive_label=None):
        self.positive_label = positive_label

    def fit(self, X, y, sample_weight=None, scale=1):
        self.classes_ = np.unique(y)
        if sample_weight is not None:
            assert_array_equal(sample_weight, X[:, 0])
            assert scale == 3
        self.model_ = LogisticRegression().fit(X, y, sample_weight)
        return self

    def decision_function(self, X):
        return self.model_.decision_function(X)


@pytest.fixture(name="X")
def rows(rng):
    X = rng.normal(size=(160, 3))
    X[:50, 1] += 2
    X[:, 0] = rng.integers(1, 4, 160)
    return X


Y = np.repeat([1, 0], [30, 130])


def numbers(found):
    """What a function found, as numbers."""
    if isinstance(found, tuple):
        return np.concatenate(found)
    for name in ("ranks", "p_value", "point"):
        if hasattr(found, name):
            return getattr(found, name)
    if hasattr(found, "hidden"):
        return next(iter(found.hidden.values())).ranks
    return found


def call(name, estimator, X, y, **given):
    function, settings = FOUND[name], {**SETTINGS.get(name, {}), **given}
    names = [*inspect.signature(function).parameters]
    if "estimators" in names:
        return function({"one": estimator}, X, y, **settings)
    return (
        function(estimator, X, y, **settings)
        if names[0] == "estimator"
        else function(X, y, estimator=estimator, **settings)
    )


def test_all_are_found():
    assert {"compare", "conformal_test", "estimate_class_prior", "hidden_positive_auc"} <= {*FOUND}
    assert len(FOUND) >= 11


@evaluation
def test_names_and_order(name):
    parameters = inspect.signature(FOUND[name]).parameters
    wanted = OTHERWISE.get(name, COMMON)
    assert tuple(each for each in parameters if each in wanted) == wanted
    start = [*parameters].index(wanted[0])
    assert tuple(parameters)[start : start + len(wanted)] == wanted, "they stand together"
    assert [*parameters][-1] == "on_progress"
    assert [each for each in parameters if each.startswith("on_")] == ["on_progress"]
    for each in (*wanted, "on_progress"):
        assert parameters[each].kind is inspect.Parameter.KEYWORD_ONLY
    assert [parameters[each].default for each in wanted[1:]] == [None, None, None, 0]


@evaluation
def test_params_reach_each_fit_row_by_row(name, X):
    params = {"sample_weight": X[:, 0], "scale": 3}
    found = numbers(call(name, Recorder(), X, Y, params=params))
    for pipeline, names in (
        (make_pipeline(FunctionTransformer(), Recorder()), params),
        (
            make_pipeline(FunctionTransformer(), Recorder()),
            {f"recorder__{key}": value for key, value in params.items()},
        ),
    ):
        assert_allclose(numbers(call(name, pipeline, X, Y, params=names)), found)
    if name not in ("estimate_class_prior", "label_resampling_test", "scar_test"):  # coarse
        assert np.any(numbers(call(name, Recorder(), X, Y)) != found), "weights change nothing"


@evaluation
def test_progress_ends_at_its_end(name, X):
    heard = []
    call(name, LogisticRegression(), X, Y, on_progress=lambda *each: heard.append(each))
    stages, done, total = zip(*heard, strict=True)
    assert all(isinstance(stage, str) and stage for stage in stages)
    assert [*done] == [*range(1, total[0] + 1)]
    assert len({*total}) == 1


@evaluation
def test_the_label_that_is_positive(name, X):
    """ "hit" comes before "other", so alphabetical order would turn them."""
    expected = numbers(call(name, Recorder(), X, Y))
    words = np.where(Y, "hit", "other")
    for estimator in (Recorder(), WeightedLogisticRegression(positive_label="hit")):
        found = call(name, estimator, X, words, positive_label="hit")
        if isinstance(estimator, Recorder):
            assert_allclose(numbers(found), expected)
    told = WeightedLogisticRegression(positive_label="other")
    with pytest.raises(LabelError, match="positive_label='hit' was passed, but an estimator has"):
        call(name, told, X, words, positive_label="hit")


def test_weights_with_routing(X):
    """Names are then as the steps of a pipeline asked for them."""
    model = WeightedLogisticRegression()
    expected = hide_and_rank(model, X, Y, params={"sample_weight": X[:, 0]}).ranks
    with config_context(enable_metadata_routing=True):
        asked = make_pipeline(FunctionTransformer(), model.set_fit_request(sample_weight=True))
        found = hide_and_rank(asked, X, Y, params={"sample_weight": X[:, 0]})
    assert_allclose(found.ranks, expected)


def test_weights_reach_the_average_and_the_best(X):
    """The members of the average and the method that is taken are fitted with the weights."""
    methods = {"weak": WeightedLogisticRegression(0.1), "strong": WeightedLogisticRegression(1.0)}
    weight = X[:, 0]
    found = compare(methods, X, Y, average=True, params={"sample_weight": weight})
    for name, fitted in zip(
        found.best_estimator_.names_, found.best_estimator_.estimators_, strict=True
    ):
        alone = WeightedLogisticRegression(methods[name].C).fit(X, Y, weight)
        assert_allclose(fitted.coef_, alone.coef_, rtol=1e-5)
    taken = compare({"one": methods["weak"]}, X, Y, params={"sample_weight": weight})
    alone = WeightedLogisticRegression(0.1).fit(X, Y, weight)
    assert_allclose(taken.best_estimator_.coef_, alone.coef_, rtol=1e-5)


WRONG = {
    "X": (None, 5, "no-such-table.csv", {"a": 1}, np.zeros((3, 2))),
    "estimator": (None, 5, "logistic", LogisticRegression),
    "groups": (5, "household", np.zeros((2, 2))),
    "params": (5, "sample_weight", [1, 2]),
    "positive_label": ([1], {"a": 1}, 7),
    "random_state": ("seed", -1, 3.7, np.random.default_rng(0)),
}


@evaluation
@pytest.mark.parametrize(
    ("argument", "value"),
    [
        pytest.param(name, value, id=f"{name}-{value!r:.20}")
        for name, all_wrong in WRONG.items()
        for value in all_wrong
    ],
)
def test_a_wrong_argument_is_named_with_what_to_pass(name, X, argument, value):
    given = {} if argument in ("X", "estimator") else {argument: value}
    model = value if argument == "estimator" else WeightedLogisticRegression()
    if argument == "estimator" and value is None and "estimator" not in required(name):
        pytest.skip("None is the default")
    rows = value if argument == "X" else X
    with pytest.raises(OnesidedError) as raised:
        call(name, model, rows, Y, **given)
    assert raised.value.mend


def required(name):
    parameters = inspect.signature(FOUND[name]).parameters.values()
    return {each.name.rstrip("s") for each in parameters if each.default is inspect.Parameter.empty}
