"""Nominal 95% intervals of a restricted noisy-or hold the truth in 88% to 99% of 100 draws.

With a right method 95% have a standard error of 2.2%, so that 88% are three of them off; the seed
is fixed. Of positives 60% are labeled: with 30% EM takes three times as many
steps, and the intervals hold as often.
"""

import numpy as np
import pytest

from onesided import NoisyOrClassifier

N_DRAWS, N_COMPARED, N_ROWS, LABEL_FREQUENCY = 100, 20, 20_000, 0.6
INHIBITION = np.array([0.15, 0.4, 0.6])
ROWS = np.array(list(np.ndindex(2, 2, 2)), dtype=float)


def counts_of(rng, leak):
    """How often each row is labeled and unlabeled, of N_ROWS: the data, each different row once."""
    attribute = np.prod(np.where(ROWS == 1, 0.4, 0.6), axis=1)
    negative = leak * np.prod(np.where(ROWS == 1, INHIBITION, 1.0), axis=1)
    labeled = attribute * (1 - negative) * LABEL_FREQUENCY
    return rng.multinomial(N_ROWS, np.concatenate([labeled, attribute - labeled])).astype(float)


@pytest.mark.parametrize("leak", [1.0, 0.85], ids=["no leak", "leak"])
def test_intervals_cover(rng, leak):
    truth = {str(j): q for j, q in enumerate(INHIBITION)}
    truth |= {"label_frequency": LABEL_FREQUENCY} | ({"leak": leak} if leak < 1 else {})
    covered = dict.fromkeys(truth, 0)
    error, naive_error = 0.0, 0.0
    X, y = np.vstack([ROWS, ROWS]), np.repeat([1, 0], len(ROWS))
    posterior = 1 - leak * np.prod(np.where(ROWS == 1, INHIBITION, 1.0), axis=1)
    params = {"restricted": True, "leak": leak < 1, "tol": 1e-8, "max_iter": 50_000}
    for draw in range(N_DRAWS):
        weight = counts_of(rng, leak)
        model = NoisyOrClassifier(label_frequency="estimate", **params)
        model.fit(X, y, sample_weight=weight)
        found = model.confidence_intervals(backend="pandas").set_index("parameter")
        for name, value in truth.items():
            covered[name] += found.lower[name] <= value <= found.upper[name]
        if draw < N_COMPARED:
            naive = NoisyOrClassifier(**params).fit(X, y, sample_weight=weight)
            error += np.abs(model.predict_proba(ROWS)[:, 1] - posterior).max()
            naive_error += np.abs(naive.predict_proba(ROWS)[:, 1] - posterior).max()
    for name, n in covered.items():
        assert 0.88 <= n / N_DRAWS < 1, (name, n)
    assert error < 0.2 * naive_error


@pytest.mark.parametrize("label_frequency", [0.3, "estimate"])
def test_the_general_form_recovers_the_class(rng, label_frequency):
    """P(C = 1 | a), not the inhibitions, which are not identified; far ahead of unlabeled as 0."""
    table = np.column_stack([[0.9, 0.95, 0.7], INHIBITION])
    negative = np.prod(np.where(ROWS == 1, table[:, 1], table[:, 0]), axis=1)
    attribute = np.prod(np.where(ROWS == 1, 0.4, 0.6), axis=1)
    labeled = attribute * (1 - negative) * 0.3
    X, y = np.vstack([ROWS, ROWS]), np.repeat([1, 0], len(ROWS))
    shares = np.concatenate([labeled, attribute - labeled])
    errors = []
    for _ in range(10):
        weight = rng.multinomial(10 * N_ROWS, shares).astype(float)
        errors.append(
            [
                np.abs(model.predict_proba(ROWS)[:, 1] - (1 - negative)).max()
                for model in (
                    NoisyOrClassifier(
                        label_frequency=label_frequency, tol=1e-10, max_iter=20_000
                    ).fit(X, y, sample_weight=weight),
                    NoisyOrClassifier().fit(X, y, sample_weight=weight),
                )
            ]
        )
    found, naive = np.mean(errors, axis=0)
    assert found < 0.05
    assert naive > 0.5
