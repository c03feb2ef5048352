"""The class prior that Bayesian classifiers learn: its cost and error, and F and AUC with it.

Problems are those of Calvo et al. 2007 with 1,000 unlabeled rows, of which .1 to .5 are positive.
Beside the estimate stand:

- the one from single values, which is used below 10 positives
- for the tree, the one from its own scores alone, also where naive Bayes separates better
- with `--rivals`, the share at which the mixture of both tables is most likely for the unlabeled
  rows
"""

import argparse
import os
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from _timing import in_turn, median_ratio, report
from problems import categories
from scipy.special import logit
from sklearn.metrics import f1_score, roc_auc_score

from onesided import PositiveAODE, PositiveKDB, PositiveNaiveBayes, PositiveTAN
from onesided._blocks import labeled_source
from onesided._statistics import ValueCounts
from onesided.models._class_prior import out_of_fold_by
from onesided.models.bayes._beta_prior import PROVISIONAL, estimate_from_counts
from onesided.prior._combined import combined_with_error
from onesided.reproduce._calvo2007 import _databases

NAMES = ("donor", "acceptor", "letter D", "letter P", "nursery")
MODELS = {
    "naive Bayes": PositiveNaiveBayes,
    "tree": PositiveTAN,
    "k parents": PositiveKDB,
    "average": PositiveAODE,
}
GRID = np.array([0.01, 0.03, 0.06, *np.arange(0.1, 0.91, 0.05)])


def cost(repeats: int, *, quick: bool) -> None:
    """Print the time of a fit with the estimate, in times of one without."""
    for n_rows in (1_100, 10_000, 100_000)[: 1 if quick else None]:
        X, y = categories(n_rows, 16, 4)
        for kind in (PositiveNaiveBayes, PositiveTAN, PositiveKDB, PositiveAODE):
            with_it, without = in_turn(
                lambda kind=kind, X=X, y=y: kind().fit(X, y),
                lambda kind=kind, X=X, y=y: kind(class_prior=0.1).fit(X, y),
                repeats=repeats,
                clock=time.process_time,  # a fit takes milliseconds, and other work would show
            )
            ratio = median_ratio(with_it, without)
            report(f"{kind.__name__} with the estimate over without, {n_rows:,} rows", ratio, 8)


def of_single_values(X: np.ndarray, y: np.ndarray) -> float:
    """The estimate before that by out-of-fold scores."""
    source, _ = labeled_source(X, y, numeric=False)
    return estimate_from_counts(source.total(ValueCounts.of, ValueCounts.zero(X.shape[1])))


def of_own_scores(X: np.ndarray, y: np.ndarray) -> float:
    """The estimate by the scores of a tree alone."""
    source, _ = labeled_source(X, y, numeric=False)
    learn = PositiveTAN(PROVISIONAL).fit(X, y)._scorer  # noqa: SLF001 - what is not chosen
    known, rest = out_of_fold_by(learn, source)
    return float(np.clip(combined_with_error(known[:, 0], rest[:, 0]).point, 0.001, 0.9))


def most_likely(kind: type, X: np.ndarray, y: np.ndarray) -> float:
    """The share p of the grid at which p f_1 + (1 - p) f_0 is most likely for the unlabeled rows.

    Up to f_1, which hardly depends on p, that is p + (1 - p) f_0 / f_1.
    """
    rows = X[y == 0]

    def likelihood(prior: float) -> float:
        evidence = kind(class_prior=prior).fit(X, y).decision_function(rows) - logit(prior)
        return float(np.logaddexp(np.log(prior), np.log1p(-prior) - evidence).sum())

    return float(max(GRID, key=likelihood))


def errors(options: argparse.Namespace) -> None:
    """Print absolute errors and F by problem, then their means and what they should be."""
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data"))
    found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    print(f"{'':>44}  mean absolute error of the share; F and AUC in percent")
    for database in _databases(folder):
        if database.name not in options.problem:
            continue
        for title in options.model:
            for n_positive in (100,) if options.quick else (100, 300):
                here: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
                for share in (0.3,) if options.quick else (0.1, 0.2, 0.3, 0.4, 0.5):
                    for number in range(options.draws):
                        drawn = database.draw(number, n_positive, 1000, share)
                        one_draw(MODELS[title], drawn, share, here, rivals=options.rivals)
                show(f"{database.name}, {title}, {n_positive} positives", here)
                for name, values in here.items():
                    found[name] += values
    show("all", found)
    error, f, auc = {}, {}, {}
    for name, values in found.items():
        error[name], f[name], auc[name] = np.mean(values, axis=0)
    report("mean absolute error of the estimate", error["estimate"], 0.05)
    report("F at the true share less F with the estimate", f["true share"] - f["estimate"], 1)
    report("F of single values less F with the estimate", f["single values"] - f["estimate"], -3)
    report("AUC with the estimate less AUC at .1", auc["estimate"] - auc[".1"], 0)


def one_draw(kind: type, drawn: object, share: float, into: dict, *, rivals: bool) -> None:
    """Add the error, F and AUC of each way to a prior."""
    X, y = drawn.X, drawn.y
    X = X if np.isnan(X).any() else X.astype(np.int8)
    rows, truth = X[y == 0], drawn.y_true[y == 0]
    priors = {"single values": of_single_values(X, y), "true share": share}
    priors |= {"estimate": "estimate", "average": "average", ".1": PROVISIONAL}
    if kind is PositiveTAN:
        priors["own scores"] = of_own_scores(X, y)
    if rivals:
        priors["likelihood"] = most_likely(kind, X, y)
    for name, prior in priors.items():
        model = kind(class_prior=prior).fit(X, y)
        f = 100 * f1_score(truth, model.predict(rows), zero_division=0.0)
        auc = 100 * roc_auc_score(truth, model.decision_function(rows))
        into[name].append((abs(model.class_prior_ - share), f, auc))


def show(name: str, found: dict[str, list[tuple[float, float, float]]]) -> None:
    """One line for each way to a prior."""
    for way, values in found.items():
        error, f, auc = np.mean(values, axis=0)
        print(f"{name:>44}  {way:<14} {error:6.3f} {f:6.1f} {auc:6.2f}", flush=True)


def main() -> None:
    """Print the cost, then the errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one draw of one share")
    parser.add_argument("--rivals", action="store_true", help="the likelihood of the mixture too")
    parser.add_argument("--problem", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--model", nargs="+", choices=MODELS, default=["naive Bayes", "tree"])
    options = parser.parse_args()
    if options.quick:
        options.draws = 1
    warnings.simplefilter("ignore")
    cost(1 if options.quick else 9, quick=options.quick)
    errors(options)


if __name__ == "__main__":
    main()
