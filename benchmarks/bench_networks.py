"""PositiveTAN beside scikit-learn's CategoricalNB on the same codes, and its size by size table.

pyAgrum's TAN stands beside it where it is installed (`pip install pyagrum`) and ends in a minute.
"""

import importlib.util
import sys
import time
from collections.abc import Callable

import numpy as np
from _timing import in_turn, median_ratio, memory_ratio, report
from problems import categories
from sklearn.naive_bayes import CategoricalNB

from onesided import PositiveKDB, PositiveNaiveBayes, PositiveTAN

SIZES = [
    (n_rows, n_features, n_values)
    for n_rows in (10_000, 100_000, 1_000_000)
    for n_features in (10, 30, 100)
    for n_values in (4, 16)
]
QUICK_CELLS = 10_000 * 30  # beyond which `--quick` leaves out
PEER_CELLS = 100_000 * 10  # beyond which pyAgrum was seen to take more than a minute


def seconds(action: Callable[[], object]) -> float:
    """Wall-clock time of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> None:
    """Print ratios, then the table."""
    quick = "--quick" in sys.argv
    most, repeats = (10_000, 1) if quick else (100_000, 9)
    X, y = categories(most, 30, 4)
    print(f"{most:,} rows, 30 features of 4 values, int8 codes")
    fit = in_turn(
        lambda: PositiveTAN(0.1).fit(X, y), lambda: CategoricalNB().fit(X, y), repeats=repeats
    )
    report("PositiveTAN.fit / CategoricalNB.fit", median_ratio(*fit), 1.0)
    ours, theirs = PositiveTAN(0.1).fit(X, y), CategoricalNB().fit(X, y)
    score = in_turn(
        lambda: ours.decision_function(X),
        lambda: theirs.predict_joint_log_proba(X),
        repeats=repeats,
    )
    report("decision_function / predict_joint_log_proba", median_ratio(*score), 0.5)
    used = memory_ratio(lambda: PositiveTAN(0.1).fit(X, y), X.nbytes)
    report("memory of fit with the codes / the codes", used, 2.0)

    print(f"\n{'rows':>9} {'features':>8} {'values':>6}   times CategoricalNB.fit")
    print(f"{'':>26} {'naive':>8} {'tree':>8} {'k = 2':>8} {'pyAgrum':>8} {'peer, s':>8}")
    for n_rows, n_features, n_values in SIZES:
        if quick and n_rows * n_features > QUICK_CELLS:
            continue
        row(n_rows, n_features, n_values)


def row(n_rows: int, n_features: int, n_values: int) -> None:
    """One line of the table."""
    X, y = categories(n_rows, n_features, n_values)
    peer = seconds(lambda: CategoricalNB().fit(X, y))
    naive = seconds(lambda: PositiveNaiveBayes(0.1).fit(X, y))
    tree = seconds(lambda: PositiveTAN(0.1).fit(X, y))
    k_two = seconds(lambda: PositiveKDB(2, 0.1).fit(X, y))
    agrum = fit_pyagrum(X, y)
    other = f"{agrum / peer:8.1f}" if np.isfinite(agrum) else f"{'-':>8}"
    print(
        f"{n_rows:9,} {n_features:8} {n_values:6}   "
        f"{naive / peer:8.2f} {tree / peer:8.2f} {k_two / peer:8.2f} {other} {peer:8.3f}",
        flush=True,
    )


def fit_pyagrum(X: np.ndarray, y: np.ndarray) -> float:
    """Seconds of pyAgrum's TAN, infinite where it is not there or would take too long."""
    if X.size > PEER_CELLS or not importlib.util.find_spec("pyagrum"):
        return float("inf")
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor  # noqa: PLC0415 - a peer
    from pyagrum.skbn import BNClassifier  # noqa: PLC0415 - that may not be there

    rows = X.astype(int)  # it takes no int8
    types = DiscreteTypeProcessor(discretizationThreshold=100)  # few values are left as they are
    model = BNClassifier(type_processor=types, learningMethod="TAN", prior="Smoothing")
    return seconds(lambda: model.fit(rows, y))


if __name__ == "__main__":
    main()
