"""SignificanceRanker and its adjusted p-value beside one bare one-class SVM on as many points."""

import sys

import numpy as np
from _timing import in_turn, median_ratio, memory_ratio, report
from sklearn.svm import OneClassSVM

from onesided import SignificanceRanker

N_POSITIVE = 29
SIZES = 6178, 156, 1000, 20_000  # rows, features, subsets, and rows of 1,000 features
QUICK = 600, 20, 100, 1000


def main() -> None:
    """Print the ratios."""
    quick = "--quick" in sys.argv
    n_rows, n_features, n_subsets, n_wide = QUICK if quick else SIZES
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 20)) @ rng.normal(size=(20, n_features))  # as profiles: few causes
    X += 0.5 * rng.normal(size=X.shape)
    y = np.arange(n_rows) < N_POSITIVE
    X[y] += 0.5 * rng.normal(size=n_features)
    ranker = SignificanceRanker(n_subsets=n_subsets, random_state=0).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    points = Z[y].mean(axis=0) - Z[ranker.subsets_].mean(axis=1)
    print(
        f"{n_rows:,} objects, {n_features} features, {N_POSITIVE} positives, {n_subsets:,} subsets"
    )
    fit, bare = in_turn(
        lambda: SignificanceRanker(n_subsets=n_subsets, random_state=0).fit(X, y),
        lambda: OneClassSVM(kernel="linear", nu=0.25).fit(points),
        repeats=1 if quick else 11,
    )
    report("fit / OneClassSVM.fit", median_ratio(fit, bare), 2.0)
    resampled, bare = in_turn(
        lambda: ranker.adjusted_p_value(n_subsets, random_state=0),
        lambda: OneClassSVM(kernel="linear", nu=0.25).fit(points),
        repeats=1 if quick else 3,
    )
    report(f"{n_subsets:,} resamples / OneClassSVM.fit", median_ratio(resampled, bare), 400)
    X, y = rng.normal(size=(n_wide, 1000)), np.repeat([True, False], [100, n_wide - 100])
    print(f"{n_wide:,} objects, 1,000 features, 100 positives")
    used = memory_ratio(lambda: SignificanceRanker(random_state=0).fit(X, y), X.nbytes)
    report("memory of fit with the data / the data", used, 2.0)


if __name__ == "__main__":
    main()
