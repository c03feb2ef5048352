"""The noisy-or's EM: an iteration beside sparse products, and its iterations beside plain EM's."""

import sys
import warnings

import numpy as np
from _timing import in_turn, median_ratio, memory_ratio, report
from problems import words
from sklearn.exceptions import ConvergenceWarning

from onesided import NoisyOrClassifier
from onesided._typing import Floats, Ints

N_ROWS, N_WORDS, N_A_ROW = 7775, 13_600, 55  # Reuters: its training stories and their words
FEW, MANY = 2, 22
NEAR, MOST = 0.01, 50_000  # nats below the optimum; steps
SHARE, LABELED = 0.15, 0.3  # of rows with a cause, of positives with a label


def main() -> None:
    """Print the ratios."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    quick = "--quick" in sys.argv
    n_rows, n_words, n_hidden = (800, 1_400, 500) if quick else (N_ROWS, N_WORDS, 5000)
    X, y = words(n_rows, n_words, N_A_ROW)
    print(f"{n_rows:,} rows, {n_words:,} words, {X.nnz / n_rows:.0f} a row")
    v, w = np.ones(n_words), np.ones(n_rows)

    def fit(n_iter: int) -> None:
        NoisyOrClassifier(tol=0, max_iter=n_iter).fit(X, y)

    few, many, forth, back = in_turn(
        lambda: fit(FEW),
        lambda: fit(MANY),
        lambda: [X @ v for _ in range(MANY - FEW)],
        lambda: [X.T @ w for _ in range(MANY - FEW)],
        repeats=1 if quick else 9,
    )
    iteration = [a - b for a, b in zip(many, few, strict=True)]
    product = [(a + b) / 2 for a, b in zip(forth, back, strict=True)]
    report("an iteration / a sparse product with the data", median_ratio(iteration, product), 3.0)
    n_bytes = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    used = memory_ratio(lambda: fit(FEW), n_bytes)
    report("memory of fit with the data / the data", used, 2.0)
    X, y = hidden_class(n_hidden)
    model = NoisyOrClassifier(True, True, label_frequency="estimate").fit(X, y)
    n_plain = n_of_plain_em(X, y, model.log_likelihood_[-1] - NEAR)
    report(
        f"passes with an estimated label frequency / those of EM alone ({n_plain:,})",
        model.n_iter_ / n_plain,
        0.1,
    )


def hidden_class(n_rows: int) -> tuple[Floats, Ints]:
    """Rows of which 30 % of the positives are labeled, drawn from a noisy-or with a leak."""
    rng = np.random.default_rng(0)
    X = (rng.random((n_rows, 40)) < SHARE).astype(float)
    negative = 0.98 * np.prod(np.where(X == 1, rng.uniform(0.3, 1, 40), 1), axis=1)
    return X, ((rng.random(n_rows) > negative) & (rng.random(n_rows) < LABELED)).astype(int)


def n_of_plain_em(X: Floats, y: Ints, reached: float) -> int:
    """Steps of EM of a restricted noisy-or with leak from one half each to a log-likelihood."""
    causes = np.column_stack([X, np.ones(len(X))])
    q, f = np.full(causes.shape[1], 0.95), 0.5
    for n_steps in range(MOST):
        Q = np.exp(causes @ np.log(q))
        unlabeled = 1 - f + f * Q
        log_likelihood = np.log(np.where(y == 1, f * (1 - Q), unlabeled)).sum()
        if log_likelihood >= reached:
            return n_steps
        caused = np.where(y == 1, 1 / (1 - Q), (1 - f) / unlabeled)  # P(C = 1) / (1 − Q)
        active = (1 - q) * (causes.T @ caused)
        f = y.sum() / (caused * (1 - Q)).sum()
        q = np.maximum(1 - active / causes.sum(axis=0), 1e-300)
    return MOST


if __name__ == "__main__":
    main()
