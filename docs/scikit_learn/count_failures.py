"""Write checks.csv: scikit-learn's checks of each public estimator with its own defaults.

PYTHONPATH=tests python docs/scikit_learn/count_failures.py
"""

import csv
import warnings
from pathlib import Path

from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from checks import public_estimators

TABLE = Path(__file__).with_name("checks.csv")
HEAD = ["estimator", "checks", "failures"]


def main() -> None:
    """Run all checks, which takes some minutes."""
    rows = []
    for estimator in public_estimators():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = check_estimator(clone(estimator), on_skip=None, on_fail=None)
        failed = [each["check_name"] for each in found if each["status"] == "failed"]
        rows.append([type(estimator).__name__, len(found), len(failed)])
        print(*rows[-1], *failed)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *rows])


if __name__ == "__main__":
    main()
