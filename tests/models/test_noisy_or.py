"""The noisy-or classifier: conversions, restricted form, threshold, hidden classes."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score

from onesided import NoisyOrClassifier, WeightedLogisticRegression
from onesided._blocks import Block
from onesided.exceptions import DataError, LabelWarning
from onesided.models.noisy._curvature import Curvature
from onesided.models.noisy._em import Expectation
from oracles import vomlel2004

ALL_ROWS = np.array(list(np.ndindex(2, 2, 2, 2)), dtype=float)

stops_early = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def drawn(rng, n=400, k=4, inhibition=None, leak=1.0):
    """Rows, and classes drawn from a restricted noisy-or."""
    X = (rng.random((n, k)) < 0.4).astype(float)
    q = rng.uniform(0.1, 0.9, k) if inhibition is None else inhibition
    negative = leak * np.prod(np.where(X == 1, q, 1.0), axis=1)
    return X, (rng.random(n) > negative).astype(int), q


def grouped(X, y):
    """Each different row once, and how often it was there: the same fit, much faster."""
    rows, weight = np.unique(np.column_stack([X, y]), axis=0, return_counts=True)
    return {"X": rows[:, :-1], "y": rows[:, -1], "sample_weight": weight.astype(float)}


def of_tables(inhibition, log_threshold):
    """A fitted noisy-or with these inhibitions, by way of the logistic regression of Lemma 5."""
    logs = np.log(inhibition)
    clf = LogisticRegression()
    clf.coef_ = (logs[:, 0] - logs[:, 1])[None]
    clf.intercept_ = np.array([log_threshold - logs[:, 0].sum()])
    clf.classes_, clf.n_features_in_ = np.array([0, 1]), len(logs)
    return NoisyOrClassifier.from_logistic(clf)


inhibitions = arrays(float, (4, 2), elements=st.floats(1e-6, 1 - 1e-6))


@settings(deadline=None, max_examples=60)
@given(inhibitions, st.floats(-20, 5))
def test_conversions_keep_every_decision(inhibition, log_threshold):
    """Lemmas 4 and 5, and the canonical form: the same scores, so the same decisions."""
    model = of_tables(inhibition, log_threshold)
    expected = log_threshold - np.log(
        np.where(ALL_ROWS == 1, inhibition[:, 1], inhibition[:, 0])
    ).sum(axis=1)
    assert_allclose(model.decision_function(ALL_ROWS), expected, atol=1e-9)
    clf = model.to_logistic()
    assert_allclose(clf.decision_function(ALL_ROWS), expected, atol=1e-9)
    back = NoisyOrClassifier.from_logistic(clf)
    assert_allclose(back.decision_function(ALL_ROWS), expected, atol=1e-9)
    canonical = back.canonical()
    assert_allclose(canonical.inhibition_.sum(axis=1), 1.0)
    assert_allclose(canonical.inhibition_, inhibition / inhibition.sum(axis=1, keepdims=True))
    assert_allclose(canonical.decision_function(ALL_ROWS), expected, atol=1e-9)
    assert_allclose(canonical.canonical().log_threshold_, canonical.log_threshold_, atol=1e-9)


@settings(deadline=None, max_examples=60)
@given(inhibitions, st.floats(-20, 5))
def test_restricted_form_keeps_every_decision(inhibition, log_threshold):
    """Lemma 3, under the monotonicity condition."""
    inhibition = np.sort(inhibition, axis=1)[:, ::-1]
    model = of_tables(inhibition, log_threshold)
    restricted = model.to_restricted()
    assert_allclose(restricted.inhibition_[:, 0], 1.0)
    assert_allclose(restricted.inhibition_[:, 1], inhibition[:, 1] / inhibition[:, 0], rtol=1e-6)
    assert_allclose(
        restricted.decision_function(ALL_ROWS), model.decision_function(ALL_ROWS), atol=1e-9
    )


def test_restricted_form_names_what_it_cannot_say():
    model = of_tables(np.array([[0.9, 0.2], [0.3, 0.4], [0.5, 0.5], [0.1, 0.9]]), 0.0)
    with pytest.raises(DataError, match="Attributes 1, 3 make a row less likely"):
        model.to_restricted()


def test_from_any_logistic(rng):
    X, y, _ = drawn(rng)
    for clf in (LogisticRegression(), WeightedLogisticRegression()):
        model = NoisyOrClassifier.from_logistic(clf.fit(X, y))
        assert_allclose(model.decision_function(X), clf.decision_function(X), atol=1e-9)
        assert_array_equal(model.predict(X), clf.predict(X))
    with pytest.raises(DataError, match=r"coef_ of shape \(3, 4\)"):
        NoisyOrClassifier.from_logistic(LogisticRegression().fit(X, np.arange(400) % 3))


def test_extreme_coefficients():
    """Weights of 900: probabilities of 1e-390 are no number, their logarithms are."""
    clf = LogisticRegression()
    clf.coef_, clf.intercept_ = np.array([[900.0, -900.0, 0.0, 1.0]]), np.array([-0.5])
    clf.classes_, clf.n_features_in_ = np.array([0, 1]), 4
    model = NoisyOrClassifier.from_logistic(clf)
    expected = clf.decision_function(ALL_ROWS)
    assert_allclose(model.decision_function(ALL_ROWS), expected, atol=1e-9)
    assert_allclose(model.canonical().to_logistic().coef_, clf.coef_)


@pytest.mark.parametrize("leak", [False, True])
def test_fitted_conversions(rng, leak):
    X, y, _ = drawn(rng, leak=0.8 if leak else 1.0)
    model = NoisyOrClassifier(restricted=True, leak=leak, tol=1e-9, max_iter=5000).fit(X, y)
    scores = model.decision_function(X)
    for converted in (model.canonical(), model.to_restricted(), model.to_logistic()):
        assert_allclose(converted.decision_function(X), scores, atol=1e-9)
    assert model.to_restricted().leak_ == 1


@pytest.mark.parametrize("restricted", [False, True])
@pytest.mark.parametrize("leak", [False, True])
def test_recovery(rng, restricted, leak):
    """Restricted, the inhibitions; general, P(C = 1 | a) and one canonical form of all starts."""
    X, y, q = drawn(rng, n=20_000, leak=0.7 if leak else 1.0)
    models = [
        NoisyOrClassifier(
            restricted, leak, tol=1e-10, max_iter=20_000, n_init=1 + number, random_state=number
        ).fit(**grouped(X, y))
        for number in range(3)
    ]
    truth = 1 - (0.7 if leak else 1.0) * np.prod(np.where(ALL_ROWS == 1, q, 1.0), axis=1)
    for model in models:
        assert_allclose(model.predict_proba(ALL_ROWS)[:, 1], truth, atol=0.03)
        assert_allclose(model.log_likelihood_[-1], models[0].log_likelihood_[-1], atol=1e-2)
        assert_allclose(model.canonical().inhibition_, models[0].canonical().inhibition_, atol=5e-3)
        if restricted:
            assert_allclose(model.inhibition_[:, 1], q, atol=0.05)
            assert_allclose(model.inhibition_[:, 0], 1.0)
            assert abs(model.leak_ - (0.7 if leak else 1.0)) < 0.03


@pytest.mark.parametrize("leak", [False, True])
def test_hidden_class_is_recovered(rng, leak):
    """A third of the positives labeled: the inhibitions, f, and better than unlabeled as 0."""
    q, c = np.array([0.2, 0.4, 0.6, 0.5]), 0.9 if leak else 1.0
    X, y, _ = drawn(rng, n=100_000, inhibition=q, leak=c)
    labeled = y * (rng.random(len(y)) < 0.3)
    params = {"restricted": True, "leak": leak, "tol": 1e-9, "max_iter": 20_000}
    model = NoisyOrClassifier(label_frequency="estimate", **params).fit(**grouped(X, labeled))
    assert_allclose(model.label_frequency_, 0.3, atol=0.03)
    assert_allclose(model.inhibition_[:, 1], q, atol=0.08)
    truth = 1 - c * np.prod(np.where(ALL_ROWS == 1, q, 1.0), axis=1)
    found = model.predict_proba(ALL_ROWS)[:, 1]
    naive = NoisyOrClassifier(**params).fit(**grouped(X, labeled)).predict_proba(ALL_ROWS)[:, 1]
    assert np.abs(found - truth).max() < 0.06
    assert np.abs(naive - truth).max() > 0.3


def test_rows_without_a_cause(rng):
    X, y, _ = drawn(rng, n=300)
    kept = (X.any(axis=1)) | (y == 0)
    y[~X.any(axis=1)] = 1
    n_impossible = int((~X.any(axis=1)).sum())
    with pytest.warns(LabelWarning, match=f"{n_impossible} positive rows have no active attribute"):
        model = NoisyOrClassifier(restricted=True).fit(X, y)
    seen = X.any(axis=1)
    plain = NoisyOrClassifier(restricted=True).fit(X[seen], y[seen])
    assert_allclose(model.inhibition_, plain.inhibition_, atol=2e-3)
    assert kept.any()
    assert NoisyOrClassifier(restricted=True, leak=True).fit(X, y).leak_ < 0.9
    assert np.isfinite(NoisyOrClassifier().fit(X, y).inhibition_).all()


@pytest.mark.parametrize("criterion", ["accuracy", "f1", "break-even"])
def test_threshold_by_trying_all(rng, criterion):
    X, y, _ = drawn(rng, n=150, k=6)
    model = NoisyOrClassifier(restricted=True, leak=True, threshold=criterion).fit(X, y)
    log_q = np.log(model.predict_proba(X)[:, 0])
    levels = np.unique(log_q)
    cuts = [levels[0] - 1, *(levels[1:] + levels[:-1]) / 2, levels[-1] + 1]

    def value(cut):
        called = log_q < cut
        if criterion == "accuracy":
            return accuracy_score(y, called)
        if criterion == "f1":
            return f1_score(y, called, zero_division=0.0)
        return -abs(int(called.sum()) - int(y.sum()))

    assert_allclose(value(model.log_threshold_), max(map(value, cuts)))
    assert_array_equal(model.predict(X), log_q < model.log_threshold_)


def test_contributions_add_up(rng):
    X, y, _ = drawn(rng)
    X[0, 0] = np.nan
    model = NoisyOrClassifier(leak=True).fit(X, y)
    found = model.contributions(X)
    assert (found >= 0).all()
    scores = found.sum(axis=1) - np.log(model.leak_) + model.log_threshold_
    assert_allclose(scores, model.decision_function(X))
    gap = np.log(model._marginals[0] @ model.inhibition_[0])
    assert_allclose(found[0, 0], -gap)


@pytest.mark.parametrize("extra", [{"label_frequency": 0.5}, {"n_profiles": 2}])
def test_in_every_source(make_source, rng, labels, extra):
    X = (rng.random((60, 5)) < 0.4).astype(float)
    source = make_source(X)
    params = {"leak": True, "restricted": True, "random_state": 0, "tol": 1e-3, **extra}
    model = NoisyOrClassifier(**params).fit(source, labels)
    plain = NoisyOrClassifier(**params).fit(X, labels)
    assert_allclose(model.inhibition_, plain.inhibition_, rtol=1e-7)
    assert_allclose(model.decision_function(source), plain.decision_function(X), atol=1e-7)


def test_curvature_by_differences(rng):
    """Second derivatives of the log-likelihood of the oracle, in the units of the parameters."""
    X, y, _ = drawn(rng, n=60)
    labeled = y * (rng.random(60) < 0.5) * X.any(axis=1)
    at = np.array([0.3, 0.5, 0.7, 0.4, 0.8, 0.35])  # inhibitions, leak, f

    def log_likelihood(logs):
        Q = np.exp(X @ logs[:4] + logs[4])
        f = logs[5]
        return np.where(labeled == 1, np.log(f * (1 - Q)), np.log(1 - f * (1 - Q))).sum()

    point = np.append(np.log(at[:5]), at[5])
    found = Curvature.of(Block(X, 0, labeled > 0), point[:4], point[4], at[5])
    h, unit = 1e-4, np.eye(6)
    for i in range(6):
        first = (log_likelihood(point + h * unit[i]) - log_likelihood(point - h * unit[i])) / (
            2 * h
        )
        assert_allclose(found.slope[i], first, rtol=1e-5, atol=1e-5)
        for j in range(6):
            second = sum(
                a * b * log_likelihood(point + h * (a * unit[i] + b * unit[j]))
                for a in (-1, 1)
                for b in (-1, 1)
            ) / (4 * h * h)
            assert_allclose(found.second[i, j], second, rtol=1e-3, atol=1e-3)


def test_intervals(rng):
    X, y, _ = drawn(rng, n=2000, leak=0.9)
    model = NoisyOrClassifier(True, True, tol=1e-10, max_iter=5000).fit(X, y)
    found = model.confidence_intervals(backend="pandas")
    assert found.parameter.tolist() == ["0", "1", "2", "3", "leak"]
    assert_allclose(found.estimate, [*model.inhibition_[:, 1], model.leak_])
    assert ((found.lower < found.estimate) & (found.estimate < found.upper)).all()
    wide = model.confidence_intervals(0.99, backend="pandas")
    assert (wide.upper - wide.lower > found.upper - found.lower).all()
    rare = sparse.csr_array(X)
    again = NoisyOrClassifier(True, True, tol=1e-10, max_iter=5000).fit(rare, y)
    assert_allclose(again.confidence_intervals(backend="pandas").lower, found.lower, rtol=1e-5)
    with pytest.raises(DataError, match="are no longer in memory"):
        pickle.loads(pickle.dumps(model)).confidence_intervals()
    with pytest.raises(DataError, match="not identified"):
        NoisyOrClassifier().fit(X, y).confidence_intervals()
    with pytest.raises(DataError, match="level=1"):
        model.confidence_intervals(1)


def test_many_attributes(rng):
    """13,000 words, of which a row has 50: nothing underflows, and the causes are found."""
    others = sparse.random(1000, 12_997, 0.004, format="csr", random_state=0)
    others.data[:] = 1.0
    causes = (rng.random((1000, 3)) < 0.3).astype(float)
    X, y = sparse.csr_array(sparse.hstack([causes, others])), causes.any(axis=1).astype(int)
    model = NoisyOrClassifier(restricted=True, tol=1e-4, max_iter=2000).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    likely = {"inhibition_prior": (5.0, 1.0)}  # a rare word is likely to be no cause
    shrunk = NoisyOrClassifier(restricted=True, tol=1e-4, max_iter=2000, **likely).fit(X, y)
    assert shrunk.inhibition_[:3, 1].max() < 0.3 < model.inhibition_[:3, 1].min()
    assert shrunk.inhibition_[3:, 1].min() > 0.4 > model.inhibition_[3:, 1].min()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"threshold": 0}, "threshold=0"),
        ({"threshold": 1.5}, "threshold=1.5 is not a number above 0 and of at most 1"),
        ({"threshold": "recall"}, "threshold='recall'"),
        ({"label_frequency": 0}, "label_frequency=0"),
        ({"label_frequency": 1.5}, "label_frequency=1.5 is not a number above 0 and of at most 1"),
        ({"label_frequency": "guess"}, "label_frequency='guess'"),
        ({"n_profiles": 0}, "n_profiles=0"),
        ({"n_profiles": 2, "init": np.full((4, 2), 0.5)}, r"of shape \(2, 4, 2\)"),
        ({"label_frequency": 0.5, "threshold": "f1"}, "threshold='f1' is tuned on known negatives"),
    ],
)
def test_bad_parameters(rng, params, message):
    X, y, _ = drawn(rng)
    with pytest.raises(DataError, match=message):
        NoisyOrClassifier(**params).fit(X, y)


def of_profiles(rng, f, *, gap=False):
    """Rows of four causes and labels, weights, and two profiles to start at."""
    X = rng.integers(0, 2, (16, 4)).astype(float)
    X[:4, 0], X[4] = 1, 0
    if gap:
        X[[2, 7, 9], [1, 0, 3]] = np.nan
    labeled = (np.arange(16) < 4) if f != 1 else np.arange(16) % 3 == 0
    X[labeled, 0] = 1
    return X, labeled, rng.uniform(0.5, 2, 16), rng.uniform(0.2, 0.8, size=(2, 4, 2))


@stops_early
@pytest.mark.parametrize("f", [1, 0.4, "estimate"])
@pytest.mark.parametrize("leak", [False, True])
@pytest.mark.parametrize("kind", ["restricted", "general", "gap", "sparse"])
@pytest.mark.parametrize("n_profiles", [1, 2])
def test_each_step_by_enumeration(rng, f, leak, kind, n_profiles):
    """Each step of EM is that of all hidden states: profiles, effects, leaks and classes."""
    X, labeled, weights, start = of_profiles(rng, f, gap=kind == "gap")
    start = start[:n_profiles]
    restricted = kind == "restricted"
    params = {"restricted": restricted, "leak": leak, "label_frequency": f, "tol": 0}
    model = NoisyOrClassifier(
        n_profiles=n_profiles, init=start if n_profiles > 1 else start[0], **params
    )
    given = sparse.csr_array(X) if kind == "sparse" else X
    profiles = np.stack([start, 1 - start], axis=3)
    if restricted:
        profiles[:, :, 0] = [1.0, 0.0]
    leaks = np.exp(np.log(start[:, :, 1]).mean(axis=1)) if leak else [1.0] * n_profiles
    shares, frequency = [1 / n_profiles] * n_profiles, 0.5 if f == "estimate" else f
    rows = [[None if np.isnan(v) else int(v) for v in row] for row in X]
    marginals = [
        [np.average(1 - x[seen], weights=w), np.average(x[seen], weights=w)]
        for x in X.T
        for seen in [~np.isnan(x)]
        for w in [weights[seen]]
    ]
    likelihoods = []
    for n_iter in (1, 2, 3):
        *new, log_likelihood = vomlel2004.profiles_em_step(
            profiles, leaks, shares, frequency, rows, labeled, weights, marginals
        )
        profiles, leaks, shares, estimated = np.array(new[0]), *new[1:]
        if restricted:
            profiles[:, :, 0] = [1.0, 0.0]
        frequency = estimated if f == "estimate" else f
        likelihoods.append(log_likelihood)
        model.set_params(max_iter=n_iter).fit(given, labeled.astype(int), sample_weight=weights)
        assert_allclose(model.profile_inhibition_, profiles[..., 0], rtol=1e-9)
        assert_allclose(model.profile_leak_, leaks)
        assert_allclose(model.profile_shares_, shares)
        assert_allclose(model.label_frequency_, frequency)
        assert_allclose(model.log_likelihood_[:-1], likelihoods)
    negative = [
        sum(
            share
            * vomlel2004.class_probability(
                "or", [*theta, [[c, 1 - c]]], [*row, 0], 0, [*marginals, [1.0]]
            )
            for theta, c, share in zip(profiles, leaks, shares, strict=True)
        )
        for row in rows
    ]
    assert_allclose(model.predict_proba(given)[:, 0], negative)
    assert_allclose(model.inhibition_, np.tensordot(shares, profiles[..., 0], 1))
    assert_allclose(model.leak_, np.dot(shares, leaks))


def test_profiles_are_recovered():
    """Causes that fail together: P(C = 1 | a), which no product of inhibitions gives."""
    of_each = np.array([[0.1, 0.2, 0.1, 0.3], [0.9, 0.95, 0.8, 0.9]])
    truth = 1 - np.exp(np.log(of_each) @ ALL_ROWS.T).mean(axis=0)
    X, y = np.vstack([ALL_ROWS, ALL_ROWS]), np.repeat([1, 0], 16)
    weight = np.append(truth, 1 - truth) * 1000
    params = {"restricted": True, "tol": 1e-9, "max_iter": 2000, "random_state": 0}
    kept = weight > 0
    errors = []
    for n_profiles in (1, 2):
        model = NoisyOrClassifier(n_profiles=n_profiles, **params)
        model.fit(X[kept], y[kept], sample_weight=weight[kept])
        assert (np.diff(model.log_likelihood_) >= -1e-9).all()
        errors.append(np.abs(model.predict_proba(ALL_ROWS)[:, 1] - truth).max())
    assert errors[1] < 0.01
    assert errors[0] > 0.05


@pytest.mark.parametrize(
    "asked",
    [
        NoisyOrClassifier.canonical,
        NoisyOrClassifier.to_logistic,
        NoisyOrClassifier.to_restricted,
        NoisyOrClassifier.confidence_intervals,
        NoisyOrClassifier.plot_activations,
        lambda model: model.contributions(ALL_ROWS),
        lambda model: model.explain(ALL_ROWS),
    ],
)
def test_what_several_profiles_do_not_have(rng, asked):
    X, y, _ = drawn(rng, n=60)
    model = NoisyOrClassifier(True, True, n_profiles=2, tol=1e-2, random_state=0).fit(X, y)
    with pytest.raises(DataError, match=r"is not defined for a noisy-or of 2 profiles\. Fit with"):
        asked(model)


@stops_early
def test_an_inhibition_of_zero_has_no_canonical_form():
    X, y = np.eye(4)[[0, 1, 2, 3] * 5], np.array([1, 1, 0, 0] * 5)
    model = NoisyOrClassifier(tol=0, max_iter=3000).fit(X, y)
    model._log_inhibition[0, 1, 1] = -np.inf
    with pytest.raises(DataError, match="those of 1 are 0"):
        model.canonical()


def test_explanation():
    """The evidence named is that of Lemma 5, its share of all that speaks for positive."""
    inhibition = np.array([[0.9, 0.1], [0.8, 0.4], [0.5, 0.45], [0.3, 0.6]])
    model = of_tables(inhibition, np.log(0.5))
    model.feature_names_in_ = np.array(["oil", "crude", "barrel", "wheat"], dtype=object)
    weights = np.log(inhibition[:, 0] / inhibition[:, 1])
    rows = pd.DataFrame([[1, 1, 1, 1], [0, 0, 0, 1]], columns=model.feature_names_in_)
    first, second = model.explain(rows, most=2)
    share = weights[:2].sum() / weights[:3].sum()
    assert "1, " in first
    assert f"2 of 4 present attributes give {share:.0%} of the evidence" in first
    assert f"(oil {weights[0]:.2f}, crude {weights[1]:.2f})" in first
    assert f"1 speak against it ({weights[3]:.2f})" in first
    assert "none of 1 present attribute speaks for it" in second
    same = model.canonical()
    assert same.explain(rows, most=2) == [first, second]
    chart = model.plot_activations(3).to_dict()
    (data,) = chart["datasets"].values()
    assert [row["name"] for row in data] == ["oil", "crude", "wheat"]
    assert_allclose([row["value"] for row in data], weights[[0, 1, 3]])


def hidden(seed, n=3000, k=30):
    """Rows of a noisy-or with a leak, 30 % of whose positives are labeled, and its inhibitions."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, k)) < 0.2).astype(float)
    q = rng.uniform(0.3, 1, k)
    positive = rng.random(n) > 0.95 * np.prod(np.where(X > 0, q, 1), 1)
    return X, positive & (rng.random(n) < 0.3), np.append(q, 0.95)


def optimum_near(X, y, inhibitions, frequency):
    """The highest log-likelihood on the way up from given parameters; −log q and f may change."""
    causes = np.column_stack([X, np.ones(len(X))])

    def loss(at):
        theta, f = at[:-1], at[-1]
        Q = np.exp(-causes @ theta)
        by_row = np.where(y, np.log(f * (1 - Q)), np.log(1 - f + f * Q)).sum()
        of_evidence = np.where(y, Q / (1 - Q), -f * Q / (1 - f + f * Q))
        of_f = np.where(y, 1 / f, (Q - 1) / (1 - f + f * Q)).sum()
        return -by_row, -np.append(causes.T @ of_evidence, of_f)

    limits = [(0, 50)] * X.shape[1] + [(1e-9, 50), (1e-4, 1 - 1e-6)]
    start = np.append(-np.log(inhibitions), frequency)
    end = {"maxiter": 5000, "maxfun": 9000, "ftol": 1e-14, "gtol": 1e-6}
    return -minimize(loss, start, jac=True, method="L-BFGS-B", bounds=limits, options=end).fun


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_a_fit_by_default_ends_at_an_optimum(seed):
    """One step that gains little is no end: f was .57 and .58, where the truth is .3."""
    X, y, q = hidden(seed)
    model = NoisyOrClassifier(True, True, label_frequency="estimate").fit(X, y)
    assert model.converged_
    assert_allclose(model.label_frequency_, 0.3, atol=0.03)
    reached, theta = model.log_likelihood_[-1], np.append(model.inhibition_[:, 1], model.leak_)
    assert optimum_near(X, y, theta, model.label_frequency_) - reached < 0.02
    # The optimum near the truth may be another one.
    assert optimum_near(X, y, q, 0.3) - reached < 0.3


@stops_early
@pytest.mark.parametrize("max_iter", [1, 9, 10, 11, 12, 13, 17, 30, 60])
def test_no_more_passes_than_asked(max_iter, monkeypatch):
    X, y, _ = hidden(0, 500, 8)
    n_passes = 0

    def of_products(*args, **kwargs):
        nonlocal n_passes
        n_passes += 1
        return counted(*args, **kwargs)

    counted = Expectation.of_products
    monkeypatch.setattr(Expectation, "of_products", of_products)
    params = {"label_frequency": "estimate", "tol": 0, "max_iter": max_iter}
    model = NoisyOrClassifier(True, True, **params).fit(X, y)
    assert model.n_iter_ == n_passes - 1 == max_iter
    assert not model.converged_


@pytest.mark.parametrize("params", [{}, {"n_profiles": 3, "random_state": 0}])
@pytest.mark.parametrize("frequency", ["estimate", 0.3, 1.0])
@pytest.mark.parametrize("active", [0, 1])
def test_no_positive_row_has_an_active_attribute(params, frequency, active):
    y = np.arange(40) < 5
    X = np.where(y[:, None], 0, np.full((40, 4), active))
    X[5, 0] = 1 - active
    weight = np.where(np.arange(40) < 6, 1.0, 2.0)
    model = NoisyOrClassifier(restricted=True, label_frequency=frequency, **params)
    said = r"No positive row has an active attribute \(5 positive rows\).*leak=True"
    with pytest.raises(DataError, match=said):
        model.fit(X, y, weight)
    X[0], weight[0] = 1, 0  # of no row
    with pytest.raises(DataError, match=said.replace("5", "4")):
        model.fit(X, y, weight)
    with_leak = NoisyOrClassifier(True, True, label_frequency=frequency, **params)
    assert 0 < with_leak.fit(X, y).label_frequency_ <= 1


@pytest.mark.parametrize("leak", [False, True])
def test_a_frequency_that_reaches_one(leak):
    """Fully labeled rows: the estimate ends at 1, where the unlabeled are negative, and count."""
    X = np.array([[0, 0], [1, 1], [1, 1], [1, 1], [0, 1], [1, 0]])
    y = np.array([1, 1, 1, 1, 0, 1]) if leak else np.array([0, 1, 1, 1, 0, 1])
    params = {"restricted": True, "leak": leak, "tol": 0, "max_iter": 4000}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = NoisyOrClassifier(label_frequency="estimate", **params).fit(X, y)
        told = NoisyOrClassifier(**params).fit(X, y)
    assert (np.diff(model.log_likelihood_) >= -1e-9).all()
    P = model.predict_proba(X)[:, 1]
    f = model.label_frequency_
    with np.errstate(divide="ignore"):
        exact = np.where(y == 1, np.log(f * P), np.log(1 - f * P)).sum()
    assert_allclose(model.log_likelihood_[-1], exact, atol=1e-6)
    assert_allclose(model.log_likelihood_[-1], told.log_likelihood_[-1], atol=0.05)


def test_a_gap_that_is_stored(rng):
    X, y, _ = drawn(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    rare = sparse.csr_array(X)
    dense, found = (NoisyOrClassifier(leak=True).fit(each, y) for each in (X, rare))
    assert_allclose(found.inhibition_, dense.inhibition_)
    assert_allclose(found.decision_function(rare), dense.decision_function(X))


def test_a_frame_in_another_order(rng):
    X, y, _ = drawn(rng)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = NoisyOrClassifier.from_logistic(LogisticRegression().fit(frame, y))
    expected = model.decision_function(frame)
    assert_allclose(model.decision_function(frame[list("dbca")]), expected)
    for converted in (model.canonical(), NoisyOrClassifier(tol=1e-3).fit(frame, y).canonical()):
        assert np.isfinite(converted.decision_function(frame[list("dbca")])).all()
        assert not converted.restricted
    with pytest.raises(ValueError, match="unseen at fit time"):
        model.predict(frame.assign(e=1))


def test_sparse_and_odd_coefficients(rng):
    X, y, _ = drawn(rng)
    clf = LogisticRegression().fit(X, y)
    expected = clf.decision_function(X)
    assert_allclose(
        NoisyOrClassifier.from_logistic(clf.sparsify()).decision_function(X), expected, atol=1e-9
    )
    clf.densify().coef_[0, 0] = np.nan
    with pytest.raises(DataError, match="not finite"):
        NoisyOrClassifier.from_logistic(clf)


def test_intervals_of_what_cannot_be_told_apart(rng):
    """Of two equal columns nothing is known apart; of the third all."""
    X = rng.integers(0, 2, (3000, 1))
    X = np.hstack([X, X, rng.integers(0, 2, (3000, 1))])
    y = rng.random(3000) > np.prod(np.where(X == 1, [0.6, 0.6, 0.5], 1), axis=1)
    model = NoisyOrClassifier(True, tol=1e-12, max_iter=20_000).fit(X, y)
    found = model.confidence_intervals(backend="pandas")
    assert_allclose(found.lower[:2], 0.0, atol=1e-3)
    assert_allclose(found.upper[:2], 1.0, atol=1e-3)
    assert 0.4 < found.lower[2] < 0.5 < found.upper[2] < 0.6
    with pytest.warns(ConvergenceWarning):
        model = NoisyOrClassifier(True, max_iter=1, tol=0).fit(X, y)
    with pytest.raises(DataError, match="EM stopped before"):
        model.confidence_intervals()


def test_a_start_next_to_one():
    X, y = np.array([[1, 1]] * 3 + [[0, 1], [1, 0], [0, 0]]), np.array([1, 1, 1, 0, 1, 0])
    with pytest.warns(ConvergenceWarning):
        model = NoisyOrClassifier(init=[[1e-3, 1 - 1e-16]] * 2, max_iter=5, tol=0).fit(X, y)
    assert (np.diff(model.log_likelihood_) >= 0).all()


@pytest.mark.parametrize("params", [{"restricted": "yes"}, {"leak": 0.3}])
def test_switches(rng, params):
    X, y, _ = drawn(rng)
    with pytest.raises(DataError, match="is not True or False"):
        NoisyOrClassifier(**params).fit(X, y)
