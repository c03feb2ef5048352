"""SignificanceRanker and its adjusted p-value beside one bare one-class SVM on as many points."""

import numpy as np
from _timing import in_turn, median_ratio, memory_ratio, report
from sklearn.svm import OneClassSVM

from onesided import SignificanceRanker

N_ROWS, N_FEATURES, N_POSITIVE, N_SUBSETS = 6178, 156, 29, 1000


def main() -> None:
    """Print the ratios."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 20)) @ rng.normal(size=(20, N_FEATURES))  # as profiles: few causes
    X += 0.5 * rng.normal(size=X.shape)
    y = np.arange(N_ROWS) < N_POSITIVE
    X[y] += 0.5 * rng.normal(size=N_FEATURES)
    ranker = SignificanceRanker(n_subsets=N_SUBSETS, random_state=0).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    points = Z[y].mean(axis=0) - Z[ranker.subsets_].mean(axis=1)
    print(
        f"{N_ROWS:,} objects, {N_FEATURES} features, {N_POSITIVE} positives, {N_SUBSETS:,} subsets"
    )
    fit, bare = in_turn(
        lambda: SignificanceRanker(n_subsets=N_SUBSETS, random_state=0).fit(X, y),
        lambda: OneClassSVM(kernel="linear", nu=0.25).fit(points),
    )
    report("fit / OneClassSVM.fit", median_ratio(fit, bare), 2.0)
    resampled, bare = in_turn(
        lambda: ranker.adjusted_p_value(1000, random_state=0),
        lambda: OneClassSVM(kernel="linear", nu=0.25).fit(points),
        repeats=3,
    )
    report("1,000 resamples / OneClassSVM.fit", median_ratio(resampled, bare), 400)
    X, y = rng.normal(size=(20_000, 1000)), np.repeat([True, False], [100, 19_900])
    print("20,000 objects, 1,000 features, 100 positives")
    used = memory_ratio(lambda: SignificanceRanker(random_state=0).fit(X, y), X.nbytes)
    report("memory of fit with the data / the data", used, 2.0)


if __name__ == "__main__":
    main()
