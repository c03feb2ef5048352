"""Checks that walk all public estimators: a new one is under test on arrival."""

import inspect
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from checks import (
    checked_estimators,
    configurable,
    constraints_of,
    public_classifiers,
    public_estimators,
    takes_weights,
    values_outside,
)
from onesided import (
    LGN,
    ICIClassifier,
    NearestKnown,
    NoisyOrClassifier,
    PositiveMultinomialNB,
    PositiveNaiveBayes,
    PositiveTAN,
    PUBagging,
    RankAverage,
    SignificanceRanker,
    WeightedLogisticRegression,
    WeightedLogisticRegressionCV,
    compare,
    hidden_positive_ranks,
)
from onesided.exceptions import (
    DataError,
    LabelError,
    LabelWarning,
    OnesidedError,
    PriorWarning,
)
from onesided.model_selection import unlabeled_out_of_fold_scores
from onesided.models._base import PositiveUnlabeledClassifier
from onesided.prior._scores import balanced_classifier

NAMES = [type(each).__name__ for each in public_estimators()]
MODELS = public_classifiers()
classifiers = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
weighted = pytest.mark.parametrize(
    "model", [each for each in MODELS if takes_weights(each)], ids=lambda m: type(m).__name__
)


@pytest.fixture(autouse=True)
def _few_trees(monkeypatch):
    monkeypatch.setitem(balanced_classifier.__kwdefaults__, "n_trees", 10)


@parametrize_with_checks(checked_estimators())
@pytest.mark.filterwarnings("ignore::onesided.exceptions.LabelWarning")  # text labels, by intent
@pytest.mark.filterwarnings("ignore::onesided.exceptions.SeparationWarning")  # labels at random
@pytest.mark.filterwarnings("ignore:The class prior is estimated as")  # labels at random
@pytest.mark.filterwarnings("ignore:The class prior was estimated as")  # labels at random
@pytest.mark.filterwarnings("ignore:There are fewer than 10 positive")  # its data are small
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix:UserWarning")
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", public_estimators(), ids=NAMES)
def test_checks_are_collected(estimator):
    names = {check.func.__name__ for _, check in estimator_checks_generator(estimator, mark=None)}
    assert len(names) >= 40


def test_the_table_of_the_documentation_is_of_today():
    """`test_scikit_learn` runs the same checks, with fewer bags; none of them may fail."""
    table = pd.read_csv(Path(__file__).parents[1] / "docs" / "scikit_learn" / "checks.csv")
    assert table["estimator"].tolist() == NAMES
    n_checks = [
        sum(1 for _ in estimator_checks_generator(each, mark=None)) for each in public_estimators()
    ]
    assert table["checks"].tolist() == n_checks
    assert (table["failures"] == 0).all()


def test_every_estimator_is_checked():
    assert {"PositiveTAN", "QuantileBinner", "TIcEPrior"} <= {*NAMES}, "of three public modules"
    assert len(NAMES) == len({*NAMES}) == 30


@pytest.mark.parametrize("estimator", checked_estimators(), ids=str)
@pytest.mark.filterwarnings("ignore:OneDNFStep.* finds no reliable negative")
def test_predict_agrees_with_probabilities(estimator, rng):
    """Without a cut of its own a row is called what is more probable."""
    X, y = problem(rng)
    if not hasattr(estimator, "predict"):
        return
    if hasattr(estimator, "binarize"):
        estimator.set_params(binarize=1.0)
    model = estimator.fit(X, y)
    if not hasattr(model, "predict_proba"):
        with pytest.raises(AttributeError, match=r"class_prior|calibrate_posterior"):
            model.predict_proba(X)
        return
    probabilities = model.predict_proba(X)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    called = model.predict(X)
    assert 0 < (called == model.classes_[1]).sum() < len(y), "nothing is compared"
    assert_array_equal(called, model.classes_[probabilities.argmax(axis=1)])
    if isinstance(model, PositiveUnlabeledClassifier):
        assert_array_equal(called, model.classes_[(model.decision_function(X) > 0).astype(int)])


def test_a_missing_predict_proba_says_what_gives_it(rng):
    """Also through a pipeline; and one that is there before `fit` says that it is not fitted."""
    X, y = problem(rng)
    for model, mend in (
        (WeightedLogisticRegressionCV(), "Pass class_prior, .* or class_prior="),
        (NearestKnown(), r"Pass its scores .* to onesided\.promises\.calibrate_posterior"),
        (RankAverage([("a", NearestKnown()), ("b", LGN())]), "calibrate_posterior"),
    ):
        assert not hasattr(model, "predict_proba")
        with pytest.raises(AttributeError, match=f"no attribute 'predict_proba', because .*{mend}"):
            clone(model).fit(X, y).predict_proba(X)
        with pytest.raises(AttributeError, match=r"no attribute 'predict_probably'$"):
            model.predict_probably(X)
    with pytest.raises(NotFittedError):
        PositiveMultinomialNB().predict_proba(X)
    assert hasattr(PositiveMultinomialNB().fit(X, y), "predict_proba")


def problem(rng):
    """Codes 0 to 3 of 80 rows, higher among the first 30, which are positive."""
    y = np.repeat([1, 0], [30, 50])
    return rng.integers(0, 3, (80, 4)) + y[:, None] * (rng.random((80, 4)) < 0.6), y


def test_every_parameter_has_constraints():
    for estimator in configurable():
        assert set(estimator.get_params(deep=False)) <= set(constraints_of(estimator)), estimator


@pytest.mark.parametrize(("estimator", "name", "values"), [*values_outside()])
def test_values_outside_the_constraints(estimator, name, values):
    """Each is refused before the data are looked at, by the name of the parameter."""
    for value in values:
        given = clone(estimator).set_params(**{name: value})
        with pytest.raises(OnesidedError, match=f"^{name}=") as refused:
            given.fit([[1.0]], [1]) if hasattr(given, "fit") else given.check()
        assert refused.value.mend.startswith("Pass ")


@pytest.mark.parametrize(
    ("estimator", "problem", "mend"),
    [
        (
            SignificanceRanker(kernel="cosine"),
            "kernel='cosine' is not 'linear', 'poly', 'precomputed', 'rbf' or a function.",
            'Pass "linear" for example, or a function of two rows.',
        ),
        (
            NearestKnown(n_neighbors=True),
            "n_neighbors=True is not a whole number of at least 1.",
            "Pass n_neighbors=10, which is the default.",
        ),
        (
            PositiveTAN(class_prior=1.5),
            "class_prior=1.5 is not between 0 and 1.",
            "Pass the share of positives among the unlabeled.",
        ),
    ],
)
def test_errors_of_parameters_are_plain(estimator, problem, mend):
    with pytest.raises(OnesidedError) as refused:
        estimator.fit([[1.0]], [1])
    assert (refused.value.problem, refused.value.mend) == (problem, mend)


@classifiers
def test_positives_score_higher(model, rng):
    X, y = problem(rng)
    scores = clone(model).fit(X, y).decision_function(X)
    assert scores[y == 1].mean() > scores[y == 0].mean()
    if isinstance(model, LGN | NearestKnown):  # for words: a longer document scores higher
        return
    few = np.where(rng.random(80) < 0.5, 1 - y, 0)  # some of the others, and fewer than the rest
    swapped = clone(model).fit(X, few).decision_function(X)
    assert swapped[y == 1].mean() < swapped[few == 1].mean()


@classifiers
@pytest.mark.parametrize(
    "coded",
    [
        lambda y: np.where(y, 1, -1),
        lambda y: y.astype(bool),
        lambda y: np.where(y, 1.0, np.nan),
        lambda y: np.array([1 if label else None for label in y], dtype=object),
        lambda y: pd.Series(y, dtype="Int64").where(pd.Series(y) == 1),
        lambda y: y * 7 + 3,
    ],
    ids=["1/-1", "bool", "1/NaN", "1/None", "1/NA", "10/3"],
)
def test_codings_of_y(model, rng, coded):
    X, y = problem(rng)
    plain = clone(model).fit(X, y)
    other = clone(model).fit(X, coded(y))
    assert_allclose(other.decision_function(X), plain.decision_function(X), atol=1e-9)
    called = other.predict(X) == other.classes_[1]
    assert_array_equal(called, plain.predict(X) == 1)


@pytest.mark.parametrize(
    ("model", "other"),
    [
        (ICIClassifier("max"), {"function": "or"}),
        (ICIClassifier("or"), {"function": "max"}),
        (NearestKnown(), {"n_neighbors": 1}),
        (NoisyOrClassifier(), {"label_frequency": "estimate", "restricted": False}),
        (PositiveNaiveBayes(), {"class_prior": 0.5}),
        (PositiveMultinomialNB(), {"class_prior": 0.5}),
        (PUBagging(WeightedLogisticRegression(), class_prior=0.5), {"class_prior": None}),
        (SignificanceRanker(n_subsets=50), {"kernel": "rbf"}),
        (SignificanceRanker(n_subsets=50), {"sources": {"a": [0], "b": [1, 2]}}),
        (WeightedLogisticRegression(class_prior=0.5), {"class_prior": None}),
        (WeightedLogisticRegressionCV(2, validation=2), {"label_odds_ratio": 2.0}),
        *[(each, {}) for each in MODELS],
    ],
    ids=lambda each: each if isinstance(each, dict) else type(each).__name__,
)
def test_nothing_of_an_earlier_fit_stays(model, other, rng):
    """In both orders; the rows have no names in the second fit, and had names in the first."""
    X, y = problem(rng)
    X = np.minimum(X, 1)
    frame = pd.DataFrame(X, columns=list("abcd"))
    for first, then in ((model, other), (clone(model).set_params(**other), model.get_params())):
        again = clone(first).fit(frame, y).set_params(**then).fit(X, y)
        scores = again.decision_function(X)
        once = clone(again).fit(X, y)
        assert learned(again) == learned(once) != set()
        if not isinstance(model, ICIClassifier | NearestKnown):  # their parameters act on new rows
            again.set_params(**first.get_params())
            assert_array_equal(again.decision_function(X), scores)
            assert hasattr(again, "predict_proba") == hasattr(once, "predict_proba")


def learned(model):
    """Names of what the fit set."""
    return {name for name in vars(model) if name.endswith("_")}


@pytest.mark.parametrize("estimator", public_estimators(), ids=NAMES)
def test_public_methods_need_a_fit(estimator, rng):
    made = clone(estimator)
    if getattr(made, "class_prior", 0) is None:
        made.set_params(class_prior=0.5)  # which brings `predict_proba`
    X, y = problem(rng)
    fits = {"fit", "fit_transform", "from_logistic", "learn"}
    for name, method in inspect.getmembers(type(made), callable):
        if name in fits or name.startswith(("_", "get_params", "get_metadata", "set_")):
            continue
        needed = inspect.signature(method).parameters.items()
        given = {
            each: {"X": X, "y": y}[each]
            for each, how in needed
            if each != "self" and how.default is how.empty
        }
        with pytest.raises(NotFittedError):
            getattr(made, name)(**given)


@classifiers
def test_text_labels_warn_unless_told(model, rng):
    X, y = problem(rng)
    text = np.where(y == 1, "buyer", "a stranger")
    with pytest.warns(LabelWarning, match="'buyer' was taken as positive"):
        guessed = clone(model).fit(X, text)
    told = clone(model).set_params(positive_label="buyer").fit(X, text)
    plain = clone(model).fit(X, y).decision_function(X)
    assert_allclose(told.decision_function(X), plain, atol=1e-9)
    assert_allclose(guessed.decision_function(X), plain, atol=1e-9)
    assert_array_equal(told.classes_, ["a stranger", "buyer"])
    assert_array_equal(told.predict(X) == "buyer", plain > 0)
    renamed = np.where(y == 1, "buyer", "unknown")  # now the alphabet is wrong
    told = clone(model).set_params(positive_label="buyer").fit(X, renamed)
    assert_allclose(told.decision_function(X), plain, atol=1e-9)
    assert_array_equal(told.classes_, ["unknown", "buyer"])


@classifiers
def test_frames_are_matched_by_name(model, rng):
    X, y = problem(rng)
    frame = pd.DataFrame(X, columns=list("abcd"))
    fitted = clone(model).fit(frame, y)
    expected = fitted.decision_function(frame)
    assert_allclose(fitted.decision_function(frame[list("dbca")]), expected)
    assert_array_equal(fitted.feature_names_in_, list("abcd"))
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing"):
        fitted.decision_function(frame[list("abc")])
    with pytest.raises(ValueError, match="Feature names unseen at fit time"):
        fitted.decision_function(frame.assign(e=1))


@classifiers
def test_y_may_name_a_column(model, rng, tmp_path):
    X, y = problem(rng)
    frame = pd.DataFrame(X, columns=list("abcd"))
    expected = clone(model).fit(frame, y).decision_function(frame)
    with_label = frame.assign(known=y)
    with_label.to_parquet(tmp_path / "t.parquet")
    with_label.to_csv(tmp_path / "t.csv", index=False)
    assert_allclose(
        clone(model).fit(with_label, "known").decision_function(frame), expected, atol=1e-9
    )
    for name in ("t.parquet", "t.csv"):
        fitted = clone(model).fit(tmp_path / name, "known")
        assert_allclose(fitted.decision_function(tmp_path / name), expected, atol=1e-9)
    with pytest.raises(DataError, match=r"no column 'knwon'. Did you mean 'known'\?"):
        clone(model).fit(tmp_path / "t.csv", "knwon")


@classifiers
def test_labels_that_cannot_be_used(model, rng):
    X, y = problem(rng)
    with pytest.raises(LabelError, match="y has 3 values: 0, 1, 2"):
        clone(model).fit(X, y + 2 * (np.arange(80) > 70))
    with pytest.raises(LabelError, match="every row is positive"):
        clone(model).fit(X, np.ones(80))
    with pytest.raises(LabelError, match="no row is positive"):
        clone(model).fit(X, np.zeros(80))
    with pytest.raises(LabelError, match="All 80 labels in y are missing"):
        clone(model).fit(X, np.full(80, np.nan))


@classifiers
def test_wrong_number_of_labels(model, rng, tmp_path):
    X, y = problem(rng)
    with pytest.raises(ValueError, match="80 rows"):
        clone(model).fit(X, y[:-1])
    pd.DataFrame(X, columns=list("abcd")).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="80 rows"):
        clone(model).fit(tmp_path / "t.parquet", np.append(y, 0))


@classifiers
def test_single_positive(model, rng):
    X, _ = problem(rng)
    y = np.zeros(80)
    y[5] = 1
    if isinstance(model, SignificanceRanker | NearestKnown | WeightedLogisticRegressionCV):
        with pytest.raises(DataError, match=r"1 positive row|1 of 1 positive rows"):
            clone(model).fit(X, y)
        return
    learned = clone(model)
    if getattr(model, "class_prior", None) == "estimate":
        with pytest.warns(PriorWarning, match="fewer than 10 positive"):
            learned.fit(X, y)
    else:
        learned.fit(X, y)
    assert np.isfinite(learned.decision_function(X)).all()


@classifiers
def test_fitted_models_pickle(model, rng):
    X, y = problem(rng)
    fitted = clone(model).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(again.decision_function(X), fitted.decision_function(X))


@classifiers
def test_label_column_of_a_frame_is_no_feature_at_predict(model, rng):
    X, y = problem(rng)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(known=y)
    fitted = clone(model).fit(frame, "known")
    expected = fitted.decision_function(frame[list("abcd")])
    assert_allclose(fitted.decision_function(frame), expected)


@weighted
@pytest.mark.parametrize("weight", [[1.0], np.full(80, np.nan), -np.ones(80), ["a"] * 80, []])
def test_weights_that_cannot_be_used(model, rng, weight):
    X, y = problem(rng)
    with pytest.raises(DataError, match="sample_weight"):
        clone(model).fit(X, y, sample_weight=weight)


@weighted
@pytest.mark.parametrize("kept", [0, 1])
def test_weights_that_leave_one_kind(model, rng, kept, tmp_path):
    X, y = problem(rng)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(known=y)
    frame.to_parquet(tmp_path / "t.parquet")
    for source, labels in ((X, y), (frame, "known"), (tmp_path / "t.parquet", "known")):
        with pytest.raises(DataError, match="only one class of rows is left"):
            clone(model).fit(source, labels, sample_weight=(y == kept).astype(float))


@classifiers
def test_no_features_or_rows(model, tmp_path):
    pd.DataFrame({"y": [1, 0, 0]}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(DataError, match="0 feature"):
        clone(model).fit(tmp_path / "t.csv", "y")
    for empty in (pd.DataFrame(), pd.DataFrame({"a": []})):
        with pytest.raises(ValueError, match="X has no rows"):
            clone(model).fit(empty, [1, 0])


@classifiers
def test_two_columns_of_one_name(model, rng):
    X, y = problem(rng)
    with pytest.raises(DataError, match="Two columns are named"):
        clone(model).fit(pd.DataFrame(X, columns=list("aacd")), y)


@classifiers
@pytest.mark.parametrize(
    "kind", [np.uint8, np.uint64, np.int16, np.float16, np.float32, bool, object]
)
def test_types_of_numbers(model, rng, kind):
    X, y = problem(rng)
    X = X > 1 if kind is bool else X
    plain = clone(model).fit(X.astype(float), y).decision_function(X.astype(float))
    scores = clone(model).fit(X.astype(kind), y).decision_function(X.astype(kind))
    assert_allclose(scores, plain, atol=1e-9)


@classifiers
@pytest.mark.parametrize("order", [np.asfortranarray, lambda X: np.repeat(X, 2, 0)[::2]])
def test_layouts_in_memory(model, rng, order):
    X, y = problem(rng)
    plain = clone(model).fit(X, y).decision_function(X)
    assert_allclose(clone(model).fit(order(X), y).decision_function(order(X)), plain)


@classifiers
def test_sparse_with_duplicates_and_stored_zeros(model, rng):
    X, y = problem(rng)
    halves = sparse.coo_array(X)
    rows, columns = halves.coords
    data = np.concatenate([halves.data - 1, np.ones_like(halves.data)])
    twice = sparse.csr_array((data, (np.tile(rows, 2), np.tile(columns, 2))), shape=X.shape)
    raw = sparse.csr_matrix(sparse.csr_array(X).astype(float))
    raw.data = raw.data - 1.0
    doubled = sparse.csr_matrix(
        (np.repeat(raw.data, 2), np.repeat(raw.indices, 2), raw.indptr * 2), shape=X.shape
    )
    doubled.data[1::2] = 1.0
    expected = clone(model).fit(X, y).decision_function(X)
    for given in (twice, doubled):
        assert_allclose(clone(model).fit(given, y).decision_function(given), expected, atol=1e-9)


@classifiers
def test_evaluation_keeps_text_labels(model, rng):
    X, y = problem(rng)
    text = np.where(y == 1, "a buyer", "unknown")
    told = clone(model).set_params(positive_label="a buyer")
    plain = hidden_positive_ranks(model, X, y)
    assert_allclose(hidden_positive_ranks(told, X, text), plain, atol=1e-9)
    assert_allclose(hidden_positive_ranks(make_pipeline("passthrough", told), X, text), plain)
    assert_allclose(
        unlabeled_out_of_fold_scores(told, X, text).ranks,
        unlabeled_out_of_fold_scores(model, X, y).ranks,
    )
    best = compare({"it": told}, X, text).best_estimator_
    assert_array_equal(best.classes_, ["unknown", "a buyer"])


@classifiers
def test_masked_arrays(model, rng):
    """What is masked in y is missing; X with a mask is refused: the checks would drop the mask."""
    X, y = problem(rng)
    hidden = np.zeros(X.shape, dtype=bool)
    hidden[3, :2] = True
    with pytest.raises(DataError, match="masked array with 2 masked values"):
        clone(model).fit(np.ma.array(X, mask=hidden), y)
    plain = clone(model).fit(X, y)
    scores = plain.decision_function(X)
    with pytest.raises(DataError, match="masked array with 2 masked values"):
        plain.decision_function(np.ma.array(X, mask=hidden))
    masked = np.ma.array(np.where(y == 1, 1, 7), mask=y == 0)
    assert_allclose(clone(model).fit(np.ma.array(X), masked).decision_function(X), scores)
