"""Messages of the six functions against the enumeration of all hidden states."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose

from onesided._numerics._convolve import count_posteriors
from onesided._numerics._logspace import log_complement, sums_without_each
from onesided.models.noisy._combiners import MESSAGES
from oracles import vomlel2004

CLASSES = {"or": 2, "and": 2, "xor": 2, "max": 4, "min": 4, "add": 9}


def tables(rng, function, k):
    """Tables of k attributes of three values, some entries near 0 and 1."""
    n_levels = 4 if function in ("max", "min") else 2
    theta = rng.dirichlet(np.full(n_levels, 0.5), size=(k, 3))
    return theta / theta.sum(axis=2, keepdims=True)


@pytest.mark.parametrize(
    ("function", "k"),
    [
        (function, k)
        for function in sorted(MESSAGES)
        for k in (1, 2, 5 if function in ("max", "min") else 8)  # of four levels, or of two
    ],
)
def test_against_enumeration(rng, function, k):
    theta = tables(rng, function, k)
    rows = rng.integers(0, 3, size=(5, k))
    for c in range(k + 1 if function == "add" else CLASSES[function]):
        effects = theta[np.arange(k), rows]
        log_prob, posterior = MESSAGES[function](effects, np.full(5, c))
        for i, row in enumerate(rows):
            expected = vomlel2004.class_probability(function, theta.tolist(), row, c, [[]] * k)
            assert_allclose(np.exp(log_prob[i]), expected, rtol=1e-12, atol=1e-300)
            if expected > 0:
                found = vomlel2004.messages(function, theta.tolist(), row.tolist(), c, [[]] * k)
                given = [table[value] for table, value in zip(found, row, strict=True)]
                assert_allclose(posterior[i], given, rtol=1e-9, atol=1e-14)


def test_lemma_1(rng):
    """The paper's recipe by the hidden variable B gives the same messages."""
    theta = tables(rng, "or", 5)
    rows = rng.integers(0, 3, size=(4, 5))
    for c in (0, 1):
        _, posterior = MESSAGES["or"](theta[np.arange(5), rows], np.full(4, c))
        for i, row in enumerate(rows):
            for j in range(5):
                expected = vomlel2004.lemma_1_or(theta.tolist(), row, c, j)
                assert_allclose(posterior[i, j], expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("function", sorted(MESSAGES))
def test_500_attributes(rng, function):
    """Products of 500 probabilities far below the smallest number: finite, and they sum to one."""
    n_levels = 3 if function in ("max", "min") else 2
    effects = rng.dirichlet(np.full(n_levels, 0.3), size=(6, 500))
    top = {"max": 2, "min": 2, "add": 500}.get(function, 1)
    effects = np.clip(effects, 1e-12, 1.0)
    effects /= effects.sum(axis=2, keepdims=True)
    for c in (0, 1, top):
        log_prob, posterior = MESSAGES[function](effects, np.full(6, c))
        assert np.isfinite(log_prob).all()
        assert_allclose(posterior.sum(axis=2), 1.0, rtol=1e-9)


@pytest.mark.parametrize("count", [0, 1, 30, 250, 499, 500])
def test_add_against_exact_convolution(rng, count):
    """To 1e-10, in the tails too, where P is 1e-300 and below."""
    p = rng.beta(0.3, 3.0, size=500).clip(1e-9, 1 - 1e-9)
    log_prob, posterior = count_posteriors(p[None], 1 - p[None], np.array([count]))
    with localcontext() as context:
        context.prec = 60
        exact = [Decimal(each) for each in p.tolist()]
        whole = vomlel2004.poisson_binomial(exact)[count]
        assert_allclose(log_prob[0], float(whole.ln()), rtol=1e-10)
        for j in (0, 17, 499):
            others = vomlel2004.poisson_binomial(exact[:j] + exact[j + 1 :])
            present = exact[j] * others[count - 1] / whole if count else Decimal(0)
            assert_allclose(posterior[0, j], float(present), rtol=1e-10, atol=1e-280)


def test_certain_events():
    """Probabilities 0 and 1: what must be is, what cannot be has no probability."""
    p = np.array([[1.0, 0.0, 0.3]])
    for count, expected in ((1, 0.7), (2, 0.3)):
        log_prob, posterior = count_posteriors(p, 1 - p, np.array([count]))
        assert_allclose(np.exp(log_prob), expected)
        assert_allclose(posterior[0], [1.0, 0.0, count - 1], atol=1e-12)
    for count in (0, 3):
        assert np.exp(count_posteriors(p, 1 - p, np.array([count]))[0]) == 0


def test_log_complement():
    exact = [0.0, 1e-40, 1e-20, 1e-8, 0.3, 0.5, 0.9, 1.0]
    with np.errstate(divide="ignore"):
        found = log_complement(np.log(exact))
    with localcontext() as context:
        context.prec = 80
        expected = [float((1 - Decimal(each)).ln()) for each in exact[:-1]]
    assert_allclose(found[:-1], expected, rtol=1e-13)
    assert found[-1] == -np.inf
    assert_allclose(log_complement(np.array([-1e-20])), np.log(1e-20))


def test_sums_without_each():
    values = np.array([[1.0, 2.0, 4.0], [-np.inf, 1.0, 0.0], [-np.inf, -np.inf, 1.0]])
    expected = [[6.0, 5.0, 3.0], [1.0, -np.inf, -np.inf], [-np.inf] * 3]
    assert_allclose(sums_without_each(values), expected)
    assert_allclose(sums_without_each(np.ones((2, 1))), 0.0)
