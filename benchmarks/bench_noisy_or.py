"""An iteration of the noisy-or's EM beside products of its data with a vector."""

import warnings

import numpy as np
from _timing import in_turn, median_ratio, memory_ratio, report
from problems import words
from sklearn.exceptions import ConvergenceWarning

from onesided import NoisyOrClassifier

N_ROWS, N_WORDS, N_A_ROW = 7775, 13_600, 55  # Reuters: its training stories and their words
FEW, MANY = 2, 22


def main() -> None:
    """Print the ratios."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, y = words(N_ROWS, N_WORDS, N_A_ROW)
    print(f"{N_ROWS:,} rows, {N_WORDS:,} words, {X.nnz / N_ROWS:.0f} a row")
    v, w = np.ones(N_WORDS), np.ones(N_ROWS)

    def fit(n_iter: int) -> None:
        NoisyOrClassifier(tol=0, max_iter=n_iter).fit(X, y)

    few, many, forth, back = in_turn(
        lambda: fit(FEW),
        lambda: fit(MANY),
        lambda: [X @ v for _ in range(MANY - FEW)],
        lambda: [X.T @ w for _ in range(MANY - FEW)],
        repeats=9,
    )
    iteration = [a - b for a, b in zip(many, few, strict=True)]
    product = [(a + b) / 2 for a, b in zip(forth, back, strict=True)]
    report("an iteration / a sparse product with the data", median_ratio(iteration, product), 3.0)
    n_bytes = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    used = memory_ratio(lambda: fit(FEW), n_bytes)
    report("memory of fit with the data / the data", used, 2.0)


if __name__ == "__main__":
    main()
