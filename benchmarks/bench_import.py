"""What it costs to import onesided and to ask for help, in fresh interpreters."""

import statistics
import sys

from _timing import in_turn, median_ratio, python, report


def main() -> None:
    """Print the ratios."""
    package, learners, peer, bare, shown = in_turn(
        python("import onesided"),
        python("from onesided import PositiveNaiveBayes, WeightedLogisticRegression, compare"),
        python("import sklearn.linear_model"),
        python("pass"),
        python("import sys; sys.argv = ['onesided', '--help']; import onesided.__main__"),
        repeats=1 if "--quick" in sys.argv else 7,
    )
    report("import onesided / import sklearn.linear_model", median_ratio(package, peer), 1.2)
    report("all its learners / import sklearn.linear_model", median_ratio(learners, peer), 1.2)
    beyond = statistics.median(a - b for a, b in zip(shown, bare, strict=True))
    report("onesided --help, seconds beyond a bare Python", beyond, 0.5)


if __name__ == "__main__":
    main()
