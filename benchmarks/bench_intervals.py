"""How often 95 percent intervals of corrected figures of scores cover, with few positives.

Protocol: negatives of a normal distribution of spread 1, positives of one or two normal
distributions, 1,000 unlabeled rows, a known prior. The truth of the population is an integral.
Beside each coverage stands that of Student's interval from the errors of the rows alone.
"""

import argparse
import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm, t

from onesided.exceptions import OnesidedWarning
from onesided.metrics import bedroc_score, pu_average_precision, pu_roc_auc

_N_UNLABELED, _ALPHA, _LEVEL = 1000, 20.0, 0.95
_METRICS: dict[str, Callable[..., Any]] = {
    "AUC": pu_roc_auc,
    "AP": pu_average_precision,
    "BEDROC": bedroc_score,
}
LAWS = {
    "1 apart": [(1.0, 1.0, 1.0)],
    "2 apart": [(1.0, 2.0, 1.0)],
    "3 apart": [(1.0, 3.0, 1.0)],
    "3.5 apart": [(1.0, 3.5, 1.0)],
    "spread 2": [(1.0, 3.0, 2.0)],
    "spread 0.5": [(1.0, 2.0, 0.5)],
    "15 % low": [(0.85, 3.0, 1.0), (0.15, 0.5, 1.0)],
}
"""Of the positives: share, mean and spread of each kind."""


def truth(law: str, prior: float) -> dict[str, float]:
    """The figures of a population with this share of positives."""
    z = np.linspace(-8, 16, 24_001)
    weight = sum(w * norm.pdf(z, mean, spread) for w, mean, spread in LAWS[law]) * (z[1] - z[0])
    recall = sum(w * norm.sf(z, mean, spread) for w, mean, spread in LAWS[law])
    share = prior * recall + (1 - prior) * norm.sf(z)
    most = (1 - np.exp(-_ALPHA * prior)) / (_ALPHA * prior)
    least = most * np.exp(-_ALPHA * (1 - prior))
    return {
        "AUC": float((weight * norm.cdf(z)).sum()),
        "AP": float((weight * prior * recall / share).sum()),
        "BEDROC": float(((weight * np.exp(-_ALPHA * share)).sum() - least) / (most - least)),
    }


def draw(
    rng: np.random.Generator, law: str, class_prior: float, n_positive: int, scenario: str
) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores of one sample; in a single training set the positives vary in number."""
    n_rows, n_hidden = _N_UNLABELED + n_positive, class_prior * _N_UNLABELED
    if scenario == "case-control":
        labeled, hidden = n_positive, rng.binomial(_N_UNLABELED, class_prior)
    else:
        of_kinds = np.array([n_positive, n_hidden, _N_UNLABELED - n_hidden]) / n_rows
        labeled, hidden, _ = rng.multinomial(n_rows, of_kinds)
    weights, means, spreads = np.array(LAWS[law]).T
    kind = rng.choice(len(weights), labeled + hidden, p=weights)
    negatives = rng.normal(size=n_rows - labeled - hidden)
    scores = np.append(rng.normal(means[kind], spreads[kind]), negatives)
    return (np.arange(len(scores)) < labeled).astype(int), scores


def coverage(
    law: str, class_prior: float, n_positive: int, scenario: str, n_draws: int
) -> dict[str, float]:
    """Share of intervals that cover, by metric, and of Student's."""
    prior = class_prior
    if scenario != "case-control":
        n_rows = n_positive + _N_UNLABELED
        prior = (n_positive + class_prior * _N_UNLABELED) / n_rows
    truths = truth(law, prior)
    rng = np.random.default_rng(0)
    hits: dict[str, list[bool]] = {f"{name}{of}": [] for name in _METRICS for of in ("", " (rows)")}
    while len(hits["AUC"]) < n_draws:
        y, scores = draw(rng, law, class_prior, n_positive, scenario)
        if y.sum() < 2:  # noqa: PLR2004 - one positive has no interval
            continue
        for name, metric in _METRICS.items():
            found = metric(y, scores, class_prior=class_prior, scenario=scenario)
            low, high = found.interval(_LEVEL)
            hits[name].append(low <= truths[name] <= high)
            reach = t.ppf((1 + _LEVEL) / 2, y.sum() - 1) * found.estimates[0].error
            hits[f"{name} (rows)"].append(abs(found - truths[name]) <= reach)
    return {"area": truths["AUC"]} | {name: float(np.mean(each)) for name, each in hits.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--draws", type=int, default=500)
    options = parser.parse_args()
    laws, priors, counts = list(LAWS), [0.02, 0.1, 0.3], [10, 20, 30, 100]
    if options.quick:
        laws, priors, counts, options.draws = ["2 apart"], [0.02], [10], 50
    cells = itertools.product(laws, priors, counts, ["case-control", "single-training-set"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OnesidedWarning)  # figures above 1, and few positives
        rows = {cell: coverage(*cell, options.draws) for cell in cells}
    frame = pd.DataFrame(rows).T.rename_axis(["positives", "prior", "labeled", "scenario"])
    print(f"Share of 95 percent intervals that cover, of {options.draws} draws a cell")
    print(frame.round(3).to_string())
    print()
    equal = frame.loc[[law for law in laws if "apart" in law]]
    columns = list(_METRICS)
    print("Least and greatest where the spreads are equal, as the intervals suppose")
    print(equal.groupby("labeled")[columns].agg(["min", "max", "mean"]).round(3).to_string())


if __name__ == "__main__":
    main()
