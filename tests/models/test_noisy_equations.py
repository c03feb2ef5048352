"""Messages, sums and cuts of the noisy-or where ordinary data do not lead."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from onesided import ICIClassifier, NoisyOrClassifier
from onesided._blocks import ArraySource, Block
from onesided.models.noisy import _loop
from onesided.models.noisy._climb import _Free
from onesided.models.noisy._combiners import MESSAGES
from onesided.models.noisy._em import Expectation, Parameters, Settings
from onesided.models.noisy._loop import run_em
from onesided.models.noisy._threshold import tune_log_threshold
from oracles import vomlel2004

HALF = np.full((3, 2), 0.5)


class TestMessages:
    @pytest.mark.parametrize("present", [1e-20, 1e-300])
    def test_effects_that_are_hardly_ever_there(self, present):
        """log P(C = 0) is −Σ p, though 1 − p is 1."""
        effects = np.array([[[1.0, present], [1.0, 2 * present]]])
        for function in ("or", "max"):
            log_prob, posterior = MESSAGES[function](effects, np.zeros(1, dtype=int))
            assert_allclose(log_prob, -3 * present)
            assert_allclose(posterior[0], [[1.0, 0.0], [1.0, 0.0]])
            log_prob, posterior = MESSAGES[function](effects, np.ones(1, dtype=int))
            assert_allclose(log_prob, np.log(3 * present))
            assert_allclose(posterior[0, :, 1], [1 / 3, 2 / 3])

    def test_effects_that_are_hardly_ever_inhibited(self):
        effects = np.array([[[1e-200, 1.0], [1e-180, 1.0]]])
        log_prob, _ = MESSAGES["or"](effects, np.zeros(1, dtype=int))
        assert_allclose(log_prob, np.log(1e-200) + np.log(1e-180))
        log_prob, _ = MESSAGES["and"](effects, np.zeros(1, dtype=int))
        assert_allclose(log_prob, np.log(1e-180))

    @pytest.mark.parametrize("c", [0, 1])
    def test_parity_at_one_half(self, c):
        """An effect that is a coin decides alone: even and odd are as likely."""
        effects = np.array([[[0.5, 0.5], [0.9, 0.1], [0.3, 0.7]]])
        log_prob, posterior = MESSAGES["xor"](effects, np.full(1, c))
        assert_allclose(log_prob, np.log(0.5))
        expected = vomlel2004.messages("xor", [[x] for x in effects[0].tolist()], [0] * 3, c, HALF)
        assert_allclose(posterior[0], [part[0] for part in expected])

    def test_parity_of_certain_effects(self):
        effects = np.array([[[1.0, 0.0], [0.0, 1.0], [0.8, 0.2]]])
        for c, last in ((0, 1.0), (1, 0.0)):
            log_prob, posterior = MESSAGES["xor"](effects, np.full(1, c))
            assert_allclose(np.exp(log_prob), 0.2 if c == 0 else 0.8)
            assert_allclose(posterior[0, :, 1], [0.0, 1.0, last], atol=1e-15)


@pytest.fixture
def drawn(rng):
    """Effects of three causes, rows without one among them, labels and weights."""
    effects = rng.dirichlet([2.0, 2.0], size=(3, 2))
    X = rng.integers(0, 2, size=(12, 3)).astype(float)
    X[:2] = 0
    return effects, X, np.arange(12) % 3 == 0, rng.integers(1, 4, 12).astype(float)


def compare(found, expected, leak):
    counts, of_leak, n_positive, n_labeled, log_likelihood = expected
    assert_allclose(found.counts, counts, rtol=1e-9, atol=1e-12)
    if leak < 1:
        assert_allclose(found.leak, [of_leak], rtol=1e-9, atol=1e-12)
    assert_allclose(found.n_positive, n_positive)
    assert_allclose(found.n_labeled, n_labeled)
    assert_allclose(found.log_likelihood, log_likelihood)


def as_rows(X):
    return [[None if np.isnan(value) else int(value) for value in row] for row in X]


@pytest.mark.parametrize("f", [1.0, 0.4])
@pytest.mark.parametrize("leak", [1.0, 0.7])
class TestExpectation:
    def expected(self, drawn, leak, f, marginals=HALF):
        effects, X, labeled, weights = drawn
        return vomlel2004.expectation(
            effects.tolist(), leak, f, as_rows(X), labeled.tolist(), weights, marginals
        )

    def by_messages(self, drawn, leak, f, marginals=HALF):
        effects, X, labeled, weights = drawn
        return Expectation.of_messages(
            Block(X, 0, labeled, weights),
            Parameters(effects, np.array([leak]), f),
            message=MESSAGES["or"],
            class_of=lambda block: block.labels().astype(int),
            marginals=np.array(marginals),
        )

    def test_by_messages(self, drawn, leak, f):
        compare(self.by_messages(drawn, leak, f), self.expected(drawn, leak, f), leak)

    def test_gaps(self, drawn, leak, f):
        drawn[1][3:7, 0] = drawn[1][5:9, 1] = drawn[1][5, 2] = np.nan
        marginals = [[0.8, 0.2], [0.3, 0.7], [0.5, 0.5]]
        expected = self.expected(drawn, leak, f, marginals)
        compare(self.by_messages(drawn, leak, f, marginals), expected, leak)

    def test_by_products(self, drawn, leak, f):
        effects, X, labeled, weights = drawn
        parameters, known = Parameters(effects, np.array([leak]), f), f == 1
        block = Block(X, 0, labeled, weights)
        found = Expectation.of_products(block, parameters, negated=False, known=known)
        if known:
            rows, weight = X[~labeled], weights[~labeled]
            counts = np.zeros_like(effects)
            counts[:, :, 0] = np.stack([weight @ (rows == 0), weight @ (rows == 1)], axis=1)
            found = found + Expectation.of_negatives(counts, weight.sum(), parameters)
        compare(found, self.expected(drawn, leak, f), leak)

    def test_rows_that_cannot_be(self, drawn, leak, f):
        """A labeled row whose causes are never there: it counts for nothing, unless by the leak."""
        effects, X, labeled, weights = drawn
        effects[:, 0] = [1.0, 0.0]
        assert labeled[0]
        expected = self.expected(drawn, leak, f)
        compare(self.by_messages(drawn, leak, f), expected, leak)
        if f < 1:
            block, parameters = (
                Block(X, 0, labeled, weights),
                Parameters(effects, np.array([leak]), f),
            )
            found = Expectation.of_products(block, parameters, negated=False, known=False)
            compare(found, expected, leak)

    def test_causes_that_are_always_there(self, drawn, leak, f):
        """An unlabeled row that has one is of class 1 for sure: impossible where f is 1."""
        effects, X, _, _ = drawn
        effects[0, 1] = [0.0, 1.0]
        X[1:6, 0] = 1
        compare(self.by_messages(drawn, leak, f), self.expected(drawn, leak, f), leak)


def test_gap_of_an_effect_that_cannot_be():
    """P(A' = 1) is 0 whatever the value: nothing of a gap is shared out to it."""
    effects = np.array([[[1.0, 0.0], [1.0, 0.0]], [[0.6, 0.4], [0.3, 0.7]]])
    X = np.array([[np.nan, 1.0], [0.0, np.nan]])
    block = Block(X, 0, np.array([True, False]), np.ones(2))
    found = Expectation.of_messages(
        block,
        Parameters(effects),
        message=MESSAGES["or"],
        class_of=lambda block: block.labels().astype(int),
        marginals=HALF[:2],
    )
    expected = vomlel2004.expectation(
        effects.tolist(), 1.0, 1.0, as_rows(X), [1, 0], [1.0, 1.0], HALF[:2].tolist()
    )
    compare(found, expected, 1.0)


class TestMaximize:
    def found(self, counts, *, leak=(3.0, 1.0), n_positive=8.0, n_labeled=2.0):
        return Expectation(np.array(counts), np.array([leak]), n_positive, n_labeled, 0.0)

    def test_frequencies(self):
        start = Parameters(np.full((1, 2, 2), 0.5), np.array([0.9]), 0.5)
        found = self.found([[[1.0, 3.0], [0.0, 0.0]]])
        new = Settings().maximize(found, start)
        assert_allclose(new.effects, [[[0.25, 0.75], [0.5, 0.5]]])  # no row has the second value
        assert_allclose(new.leak, 0.75)
        assert new.label_frequency == 0.5
        assert Settings(estimates_frequency=True).maximize(found, start).label_frequency == 0.25
        assert Settings().maximize(found, Parameters(start.effects)).leak == 1.0

    def test_restricted(self):
        start = Parameters(np.array([[[1.0, 0.0], [0.5, 0.5]]]))
        new = Settings(restricted=True).maximize(self.found([[[1.0, 3.0], [1.0, 4.0]]]), start)
        assert_allclose(new.effects, [[[1.0, 0.0], [0.2, 0.8]]])

    def test_a_probability_that_changes_is_never_zero(self):
        start = Parameters(np.full((1, 2, 2), 0.5), np.array([0.9]))
        found = self.found([[[0.0, 3.0], [2.0, 0.0]]], leak=(0.0, 2.0))
        new = Settings().maximize(found, start)
        assert_allclose(new.effects, [[[1e-300, 1.0], [1.0, 1e-300]]], rtol=1e-9)
        assert_allclose(new.leak, 1e-300)

    def test_mode_of_the_prior(self):
        start = Parameters(np.full((1, 2, 2), 0.5))
        new = Settings(prior=(3.0, 2.0)).maximize(self.found([[[1.0, 3.0], [0.0, 0.0]]]), start)
        assert_allclose(new.effects, [[[3 / 7, 4 / 7], [2 / 3, 1 / 3]]])

    def test_log_prior(self):
        """(α − 1) log q + (β − 1) log(1 − q), of the inhibitions that may change."""
        parameters = Parameters(np.array([[[0.9, 0.1], [0.3, 0.7]]]))
        assert Settings().log_prior(parameters) == 0.0
        one = [2 * np.log(q) + 0.5 * np.log(1 - q) for q in (0.9, 0.3)]
        prior = (3.0, 1.5)
        assert_allclose(Settings(prior=prior).log_prior(parameters), sum(one))
        assert_allclose(Settings(prior=prior, restricted=True).log_prior(parameters), one[1])
        assert Settings(prior=(1.0, 2.0)).log_prior(parameters) < 0


class TestLoop:
    def run(self, gains, *, tol, total_weight, max_iter=10):
        """EM whose log-likelihoods are given."""
        values = iter(np.cumsum([-100.0, *gains]))
        likelihoods = []

        def known(_):
            likelihoods.append(next(values))
            effects = np.ones((1, 2, 2))
            return Expectation(effects, np.array([[1.0, 1.0]]), 1.0, 1.0, likelihoods[-1])

        fit = run_em(
            ArraySource(np.ones((2, 1))),
            lambda _, parameters: Expectation.zero(parameters),
            Parameters(np.full((1, 2, 2), 0.5)),
            Settings(tol=tol, max_iter=max_iter),
            total_weight,
            known,
        )
        assert_array_equal(fit.log_likelihood, likelihoods)
        return len(likelihoods) - 1, fit.converged

    def test_ends_where_the_gain_a_row_is_small(self):
        gains = [8.0, 4.0, 2.0, 1.0, 0.5]
        assert self.run(gains, tol=0.25, total_weight=4.0) == (4, True)  # 1 over 4 rows: equal
        assert self.run(gains, tol=0.24, total_weight=4.0) == (5, True)
        assert self.run(gains, tol=0.01, total_weight=4.0, max_iter=3) == (3, False)
        assert self.run([-1.0, 1.0], tol=0.0, total_weight=4.0) == (1, True)


class TestThreshold:
    """Half way between the last row called positive and the first that is not."""

    def tuned(self, log_q, positive, criterion, weight=None):
        weight = np.ones(len(log_q)) if weight is None else np.array(weight, dtype=float)
        return tune_log_threshold(
            np.array(log_q), np.array(positive, dtype=bool), weight, criterion
        )

    @pytest.mark.parametrize("criterion", ["accuracy", "f1", "break-even"])
    def test_between_the_kinds(self, criterion):
        found = self.tuned([-5.0, -4, -1, -0.5], [1, 1, 0, 0], criterion)
        assert_allclose(found, -2.5)

    @pytest.mark.parametrize("criterion", ["accuracy", "f1", "break-even"])
    def test_all_are_called(self, criterion):
        """Half way between the last row and one beyond it."""
        found = self.tuned([-5.0, -4, -1], [1, 0, 1], criterion, [1, 0.3, 1])
        assert_allclose(found, -0.5)

    def test_none_is_called(self):
        """Nothing gains accuracy: half way between the first row and one before it."""
        assert_allclose(self.tuned([-5.0, -4, -1, -3], [0, 0, 1, 0], "accuracy"), -5.5)

    def test_criteria_differ(self):
        log_q = [-9.0, -8, -7, -6, -5, -4, -3, -2]
        positive = [1, 0, 0, 1, 0, 1, 0, 0]
        assert_allclose(self.tuned(log_q, positive, "accuracy"), -8.5)
        assert_allclose(self.tuned(log_q, positive, "f1"), -3.5)
        assert_allclose(self.tuned(log_q, positive, "break-even"), -6.5)

    def test_weights_count_rows(self):
        log_q, positive, weight = [-4.0, -3, -2, -1], [1, 0, 1, 0], [1, 3, 2, 1]
        for criterion in ("accuracy", "f1", "break-even"):
            repeated = self.tuned(np.repeat(log_q, weight), np.repeat(positive, weight), criterion)
            assert_allclose(self.tuned(log_q, positive, criterion, weight), repeated)


class TestStart:
    """EM starts where the classes have about the shares that they have among the rows."""

    def start(self, function, share, k=3, n_values=2):
        counts = SimpleNamespace(counts=np.ones((k, n_values)))
        shape = (k, n_values, len(share) if function in ("max", "min") else 2)
        effects = ICIClassifier(function)._start(np.array(share), counts, np.ones((k, n_values, 1)))
        assert effects.shape == shape
        assert_allclose(effects.sum(axis=2), 1.0)
        return effects

    @pytest.mark.parametrize(
        ("function", "share"),
        [
            ("or", (0.8, 0.2)),
            ("and", (0.3, 0.7)),
            ("max", (0.2, 0.5, 0.3)),
            ("min", (0.2, 0.7, 0.1)),
        ],
    )
    def test_shares_of_the_classes(self, function, share):
        effects = self.start(function, share)
        for c, each in enumerate(share):
            found = vomlel2004.class_probability(function, effects.tolist(), [0, 1, 0], c, HALF)
            assert_allclose(found, each, rtol=1e-9)

    def test_mean_of_the_number(self):
        effects = self.start("add", (0.5, 0.2, 0.2, 0.1))
        assert_allclose(effects[:, 0, 1].sum(), 0.2 + 2 * 0.2 + 3 * 0.1)
        assert_allclose(self.start("xor", (0.7, 0.3))[:, :, 1], 0.1)
        assert_allclose(self.start("add", (0.0, 0.0, 0.0, 1.0))[:, :, 1], 0.9)
        assert (self.start("add", (1.0, 0.0, 0.0, 0.0))[:, :, 1] > 0).all()
        assert (self.start("add", (1.0, 0.0, 0.0, 0.0))[:, :, 1] < 0.05).all()

    def test_a_class_that_no_row_has_is_possible(self):
        for function in ("max", "min"):
            effects = self.start(function, (0.0, 1.0, 0.0))
            assert (effects > 0).all()
            found = vomlel2004.class_probability(function, effects.tolist(), [0, 1, 0], 1, HALF)
            assert found > 0.8


class TestClimb:
    """Quasi-Newton steps where the class is hidden."""

    @pytest.mark.parametrize("n_profiles", [1, 2])
    @pytest.mark.parametrize("prior", [(1.0, 1.0), (1.5, 1.2)])
    @pytest.mark.parametrize("restricted", [False, True])
    def test_slope_by_differences(self, rng, restricted, prior, n_profiles):
        """The slope of the log-likelihood by enumeration of the hidden states."""
        X = rng.integers(0, 2, (9, 3)).astype(float)
        labeled, weights = np.arange(9) < 3, rng.uniform(0.5, 2, 9)
        X[:3, 0] = 1
        effects = rng.uniform(0.2, 0.8, (3 * n_profiles, 2))
        effects = np.stack([effects, 1 - effects], axis=2)
        if restricted:
            effects[:, 0] = [1.0, 0.0]
        leak, shares = np.array([0.7, 0.9]), np.array([0.3, 0.7])
        at = Parameters(effects, leak[:n_profiles], 0.4, shares if n_profiles == 2 else np.ones(1))
        settings = Settings(restricted=restricted, estimates_frequency=True, prior=prior)
        free = _Free(at, settings)

        def log_likelihood(vector):
            there = free.parameters_of(vector)
            of_rows = vomlel2004.profiles_em_step(
                there.by_profile(there.effects).tolist(),
                there.leak,
                there.shares,
                there.label_frequency,
                X.astype(int).tolist(),
                labeled.tolist(),
                weights.tolist(),
                HALF.tolist(),
            )[-1]
            changed = there.effects[:, restricted:]
            return of_rows + ((np.array(prior) - 1) * np.log(changed)).sum()

        here = free.vector_of(at)
        by_differences = [
            (log_likelihood(here + step) - log_likelihood(here - step)) / 2e-5
            for step in 1e-5 * np.eye(len(here))
        ]
        block = Block(X, 0, labeled, weights)
        found = Expectation.of_products(block, at, negated=False, known=False)
        assert_allclose(free.slope(found, at), by_differences, rtol=1e-6, atol=1e-6)

    @pytest.mark.parametrize("restricted", [False, True])
    def test_optimum_of_plain_em(self, rng, monkeypatch, restricted):
        """Same likelihood, frequency and probabilities, in a tenth of the passes."""
        rows = np.array(list(np.ndindex(2, 2, 2, 2)), dtype=float)
        q = np.array([0.2, 0.4, 0.6, 1.0])  # the last one has no effect
        negative = np.prod(np.where(rows == 1, q, 1.0), axis=1)
        labeled = 0.4 * (1 - negative) / 16
        weight = rng.multinomial(4000, np.append(labeled, 1 / 16 - labeled)).astype(float)
        X, y = np.vstack([rows, rows]), np.repeat([1, 0], 16)

        def fitted():
            model = NoisyOrClassifier(
                restricted, label_frequency="estimate", tol=1e-10, max_iter=100_000
            )
            return model.fit(X, y, sample_weight=weight)

        climbed = fitted()
        monkeypatch.setattr(_loop, "climb", lambda start, *_, **__: start)
        plain = fitted()
        assert climbed.n_iter_ <= plain.n_iter_ / 10
        assert climbed.log_likelihood_[-1] >= plain.log_likelihood_[-1] - 1e-6
        assert_allclose(climbed.label_frequency_, plain.label_frequency_, atol=2e-3)
        assert_allclose(climbed.predict_proba(rows), plain.predict_proba(rows), atol=2e-3)
