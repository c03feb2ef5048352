"""The promises under even and under biased labels, and the check that tells them apart.

Protocol: rows of normal laws, 300 labeled and 2,000 unlabeled of which a fifth is positive; half of
the labeled are held out. Biased: the odds of being labeled rise by a number of natural logarithms a
standard deviation of the first column. Twonorm for posteriors: 3,000 rows, of the positives .3
labeled. Of each table 2,000 unlabeled rows are kept, of which a tenth is positive, and 120 labeled
positives.

    python benchmarks/bench_promises.py [--quick] [--rank] [--draws 5]

prints with `--rank` only what `onesided rank` promises of the tables, some minutes.
"""

import argparse
import os
import warnings
from collections import defaultdict
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
from bench_rank import problems
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from onesided.datasets import make_gaussians
from onesided.exceptions import DataError, OnesidedWarning, PriorError
from onesided.prior import out_of_fold_scores
from onesided.promises import (
    ConformalTest,
    calibrate_posterior,
    exchangeability_test,
    hidden_positive_scores,
    positives_at_fdr,
    recall_shortlist,
    scar_test,
)
from onesided.ranking import rank_table

_PRIOR = 0.2
_N_POSITIVE, _N_UNLABELED, _N_COLUMNS = 300, 2000, 5
_N_TABLES, _N_LABELED, _RARE = 10, 120, 0.1  # of what `onesided rank` promises
_RECALL, _CONFIDENCE, _SHARE = 0.9, 0.9, 0.02
_METHODS = ("logistic", "naive-bayes")


def rows(
    rng: np.random.Generator, distance: float, bias: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, labels, and which of the unlabeled are positive."""
    mean = distance / np.sqrt(3) * (np.arange(_N_COLUMNS) < 3)  # noqa: PLR2004 - columns that differ
    pool = rng.normal(size=(20 * _N_POSITIVE, _N_COLUMNS))
    known = pool[rng.random(len(pool)) < expit(bias * pool[:, 0])][:_N_POSITIVE] + mean
    hidden = rng.random(_N_UNLABELED) < _PRIOR
    rest = rng.normal(size=(_N_UNLABELED, _N_COLUMNS)) + mean * hidden[:, None]
    return np.vstack([known, rest]), np.repeat([1, 0], [_N_POSITIVE, _N_UNLABELED]), hidden


def promises(n_draws: int) -> None:
    """Print what became of recall .95, discarded positives .02 and false listed .2."""
    scorer = LogisticRegression(class_weight="balanced")
    table = {}
    for distance in (1.7, 2.5, 3.5):
        for bias in (0, 1, 2):
            found = defaultdict(list)
            for draw in range(n_draws):
                X, y, hidden = rows(np.random.default_rng(draw), distance, bias)
                known, rest = hidden_positive_scores(scorer, X, y, random_state=draw)
                kept = recall_shortlist(known, rest).selected
                discarded = ConformalTest.of_scores(known, rest).discarded(
                    0.02, prior_at_most=_PRIOR
                )
                listed = positives_at_fdr(known, rest, fdr=0.2, prior_at_least=_PRIOR).selected
                found["recall"].append(kept[hidden].mean())
                found["kept"].append(kept.mean())
                found["discarded"].append(discarded.mean())
                found["of them positive"].append(hidden[discarded].sum() / max(discarded.sum(), 1))
                found["listed"].append(listed.mean())
                found["of them false"].append((~hidden)[listed].sum() / max(listed.sum(), 1))
                p = scar_test(X, y, class_prior=_PRIOR, estimator=scorer, random_state=draw)
                found["scar_test < .05"].append(p < 0.05)  # noqa: PLR2004 - the level
                found["exchangeability < .05"].append(rejects(known, rest))
            table[distance, bias] = {what: np.nanmean(values) for what, values in found.items()}
    frame = pd.DataFrame(table).T.rename_axis(["distance", "bias"])
    print(f"Promises of .95, .02 and .2; means of {n_draws} draws")
    print(frame.round(3).to_string(), flush=True)


def rejects(known: np.ndarray, rest: np.ndarray) -> float:
    """Whether the test of exchangeability rejects at .05; NaN if it is refused."""
    try:
        return float(exchangeability_test(known, rest) < 0.05)  # noqa: PLR2004 - the level
    except DataError:
        return np.nan


def irreducible_list(known: np.ndarray, rest: np.ndarray) -> np.ndarray | None:
    """The list at .1 if the best rows are declared to be positive; None if it is refused."""
    try:
        return positives_at_fdr(known, rest, fdr=0.1, irreducible=True).selected
    except PriorError:
        return None


def overlap(n_draws: int) -> None:
    """Print what is refused of two normal laws, and what is false of the rest."""
    table = {}
    for distance in (1.0, 2.0, 2.5, 3.0, 3.5):
        for prior in (0.02, 0.1, 0.3):
            found = defaultdict(list)
            for draw in range(n_draws):
                rng = np.random.default_rng(draw)
                hidden = rng.random(_N_UNLABELED) < prior
                known = rng.normal(distance, 1, _N_POSITIVE if draw % 2 else _N_POSITIVE // 3)
                rest = rng.normal(distance * hidden, 1)
                rejected = rejects(known, rest)
                found["test refused"].append(np.isnan(rejected))
                found["test rejects"].append(np.nan_to_num(rejected))
                listed = irreducible_list(known, rest)
                found["list refused"].append(listed is None)
                listed = np.zeros(len(rest), dtype=bool) if listed is None else listed
                found["list false"].append((~hidden)[listed].sum() / max(listed.sum(), 1))
                found["positives listed"].append(listed[hidden].mean())
            table[distance, prior] = {what: np.mean(values) for what, values in found.items()}
    frame = pd.DataFrame(table).T.rename_axis(["distance", "prior"])
    print("Exchangeability at .05, which holds, and lists at .1 if the best rows are declared")
    print(f"positive; what is refused counts as neither; means of {n_draws} draws")
    print(frame.round(3).to_string(), flush=True)


def lists(n_draws: int) -> None:
    """Print the share of false rows on lists at a declared prior, which is the true one."""
    table = {}
    for distance, prior, n_known in (
        (1.7, 0.2, 150),
        (1.7, 0.2, 30),
        (1.0, 0.2, 150),
        (1.5, 0.05, 150),
        (3.0, 0.2, 150),
    ):
        rng = np.random.default_rng(0)
        false = defaultdict(list)
        for _ in range(n_draws):
            hidden = rng.random(_N_UNLABELED) < prior
            rest = rng.normal(size=_N_UNLABELED) + distance * hidden
            known = rng.normal(distance, 1, n_known)
            for fdr in (0.05, 0.1, 0.2):
                listed = positives_at_fdr(known, rest, fdr=fdr, prior_at_least=prior).selected
                false[fdr].append((~hidden)[listed].sum() / max(listed.sum(), 1))
        table[distance, prior, n_known] = {fdr: np.mean(shares) for fdr, shares in false.items()}
    frame = pd.DataFrame(table).T.rename_axis(["distance", "prior", "held out"])
    print(f"False rows on lists at fdr; means of {n_draws} draws")
    print(frame.round(3).to_string(), flush=True)


def posteriors(n_draws: int) -> None:
    """Print the expected calibration error of posteriors of unlabeled rows, and their sum."""
    model = make_gaussians(4.0, n_features=20, class_prior=0.3)
    for name, scorer in (("extra-trees", None), ("logistic regression", LogisticRegression())):
        errors, sums = [], []
        for draw in range(n_draws):
            drawn = model.sample_censored(3000, label_frequency=0.3, random_state=draw)
            known, rest = out_of_fold_scores(drawn.X, drawn.y, estimator=scorer)
            found = calibrate_posterior(
                known, rest, class_prior=0.3, scenario="single-training-set"
            )
            said, true = found.given_unlabeled(rest), model.posterior(drawn.X[drawn.y == 0])
            gaps = np.bincount(np.minimum((said * 10).astype(int), 9), said - true, minlength=10)
            errors.append(np.abs(gaps).sum() / len(said))
            sums.append(said.sum() / (0.3 * len(said)))
        print(
            f"Twonorm, {name}: expected calibration error {np.mean(errors):.3f}, "
            f"expected over true number of positives {np.mean(sums):.3f}"
        )


def of_tables(
    n_draws: int,
    n_tables: int,
    methods: tuple[str, ...] = _METHODS,
    n_unlabeled: int = _N_UNLABELED,
) -> None:
    """Print the AUC of `rank` with promises and without, and what the promises hold."""
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data")) / "tabular"
    asked_of_all = {"discard": _SHARE, "confidence": _CONFIDENCE}
    table = {}
    for name, features, truth in islice(problems(folder), n_tables):
        found = defaultdict(list)
        for draw in range(n_draws):
            rng = np.random.default_rng(draw)
            n_hidden = int(_RARE * n_unlabeled)
            positives = rng.permutation(np.flatnonzero(truth))[: _N_LABELED + n_hidden]
            n_negative = n_unlabeled - n_hidden
            others = rng.permutation(np.flatnonzero(~truth))[:n_negative]
            kept = rng.permutation(np.concatenate([positives, others]))
            is_labeled = np.isin(kept, positives[:_N_LABELED])
            rows = features.iloc[kept].assign(labeled=is_labeled.astype(int))
            is_hidden = truth[kept] & ~is_labeled
            prior = is_hidden.sum() / (~is_labeled).sum()
            for asked, promises in (
                ("without", {}),
                ("estimated", {**asked_of_all, "recall": _RECALL}),
                ("known", {**asked_of_all, "prior_at_most": float(prior)}),
            ):
                ranking = rank_table(
                    rows, "labeled", methods=methods, random_state=draw, **promises
                ).to_frame("pandas")
                positive = is_hidden[ranking["row"].to_numpy().astype(int) - 1]
                found[f"AUC {asked}"].append(roc_auc_score(positive, -ranking["rank"]))
                if "in_shortlist" in ranking:
                    marked = ranking["in_shortlist"].to_numpy()
                    found["listed"].append(marked.mean())
                    found["recall kept"].append(marked[positive].mean() >= _RECALL)
                if promises:
                    gone = ranking["discarded"].to_numpy()
                    found[f"discarded, {asked}"].append(gone.mean())
                    found[f"positive, {asked}"].append(positive[gone].sum() / max(gone.sum(), 1))
            by_rank = positive[::-1].cumsum() / np.arange(1, len(positive) + 1)
            most = np.flatnonzero(by_rank <= _SHARE).max(initial=-1) + 1
            found["could be"].append(most / len(positive))
        table[name] = {what: np.mean(values) for what, values in found.items()}
        print(f"{name}: " + ", ".join(f"{k} {v:.3f}" for k, v in table[name].items()), flush=True)
    frame = pd.DataFrame(table).T
    areas = frame.filter(like="AUC")
    change = areas.sub(areas["AUC without"], axis=0).abs().to_numpy().max()
    print(f"Means of {len(frame)} tables and {n_draws} draws; rank with promises of {_RECALL} at")
    print(f"{_CONFIDENCE} and of {_SHARE}, by the estimated and by the known share of positives")
    print(frame.mean().round(3).to_string())
    print(f"Largest change of an AUC by a promise: {change:.6f}")


def main() -> None:
    """Print all five."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--draws", type=int, default=5, help="of each table")
    parser.add_argument("--rank", action="store_true", help="only of the tables")
    given = parser.parse_args()
    quick = given.quick
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OnesidedWarning)  # few positives, for example
        if quick:
            of_tables(1, 1, _METHODS[1:], 500)
        else:
            of_tables(given.draws, _N_TABLES)
    if given.rank:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OnesidedWarning)  # biased labels are warned of
        warnings.filterwarnings("ignore", "Mean of empty slice")  # all were refused
        promises(1 if quick else 100)
        lists(2 if quick else 300)
        overlap(2 if quick else 300)
        posteriors(1 if quick else 10)


if __name__ == "__main__":
    main()
