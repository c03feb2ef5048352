"""PositiveNaiveBayes beside scikit-learn's CategoricalNB on the same codes, as ratios of time."""

import sys

import numpy as np
from _timing import in_turn, median_ratio, memory_ratio, report
from problems import categories
from sklearn.naive_bayes import CategoricalNB

from onesided import PositiveNaiveBayes

N_ROWS, N_FEATURES, N_VALUES = 100_000, 30, 4


def main() -> None:
    """Print the ratios."""
    n_rows, repeats = (10_000, 1) if "--quick" in sys.argv else (N_ROWS, 11)
    X, y = categories(n_rows, N_FEATURES, N_VALUES)
    print(f"{n_rows:,} rows, {N_FEATURES} features of {N_VALUES} values, {X.dtype} codes")
    fit = in_turn(
        lambda: PositiveNaiveBayes(0.1).fit(X, y),
        lambda: CategoricalNB().fit(X, y),
        repeats=repeats,
    )
    report("fit / CategoricalNB.fit", median_ratio(*fit), 0.25)
    ours, theirs = PositiveNaiveBayes().fit(X, y), CategoricalNB().fit(X, y)
    score = in_turn(
        lambda: ours.decision_function(X),
        lambda: theirs.predict_joint_log_proba(X),
        repeats=repeats,
    )
    report("decision_function / predict_joint_log_proba", median_ratio(*score), 0.5)
    used = memory_ratio(lambda: PositiveNaiveBayes(0.1).fit(X, y), X.nbytes)
    report("memory with the codes / the codes", used, 2.0)
    assert np.isfinite(ours.decision_function(X[:10])).all()


if __name__ == "__main__":
    main()
