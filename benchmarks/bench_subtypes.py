"""The class prior where labels are even only within a kind: error of the sub-types and of best bin.

The positives are several classes of a table, as in the protocol of PULSNAR (Kumar, Lambert 2024).
So many of them are hidden that the unlabeled have a given share of positives. In even draws all are
hidden alike. In uneven draws each kind has twice as many hidden positives as the kind before, the
rarest first, or in random order where the kinds have about one size. At most nine in ten of a kind
are hidden. Letter is as in PULSNAR: D is negative, and A, B, C, E and F are positive. Shuttle and
satellite are read where they are in ONESIDED_DATA. Spambase, mushroom and letters A to M against N
to Z are drawn evenly only.
"""

import argparse
import warnings
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pandas as pd
from bench_prior import data, read
from sklearn.datasets import load_digits

from onesided.exceptions import OnesidedWarning
from onesided.prior import best_bin, out_of_fold_scores, subtype_prior

_PRIORS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
_MOST_NEGATIVE, _MOST_A_KIND, _MOST_HIDDEN, _MOST_OF_A_KIND_HIDDEN = 4000, 2000, 0.6, 0.9
_KINDS = {  # of positives; all other classes are negative
    "letter": "ABCEF",
    "vowels": "AEIOU",
    "page_blocks": "3452",
    "shuttle": ("Bpv.Close", "Bpv.Open", "Fpv.Close", "Fpv.Open", "Bypass", "High"),
    "satellite": ("damp grey soil", "cotton crop", "vegetation stubble"),
    "digits": "02468",
}
_OF_ONE_SIZE = ("letter", "vowels", "digits")
_EVEN_ONLY = ("spambase", "mushroom", "letters A to M")


def classes(name: str) -> tuple[np.ndarray, np.ndarray, list[str]] | None:
    """Rows, their classes, and which of these are positive; None where there is no such file."""
    if name in _EVEN_ONLY:
        found = data("letter" if name == "letters A to M" else name)
        return None if found is None else (found[0], found[1].astype(str), ["True"])
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return X, y.astype(str), list(_KINDS[name])
    found = read("letter" if name == "vowels" else name)
    if found is None:
        return None
    X, label = (each.to_numpy() for each in found)
    X = X.astype(float)
    kept = np.isin(label, list("ABCDEF")) if name == "letter" else np.full(len(label), True)
    return X[kept], label[kept], list(_KINDS[name])


def draw(
    problem: tuple[np.ndarray, np.ndarray, list[str]],
    prior: float,
    seed: int,
    *,
    uneven: bool,
    of_one_size: bool,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Rows, 1 for labeled, and the share of positives among the unlabeled."""
    X, label, kinds = problem
    rng = np.random.default_rng(seed)
    rows = {kind: rng.permutation(np.flatnonzero(label == kind))[:_MOST_A_KIND] for kind in kinds}
    sizes = np.array([len(rows[kind]) for kind in kinds])
    negative = rng.permutation(np.flatnonzero(~np.isin(label, kinds)))[:_MOST_NEGATIVE]
    odds = prior / (1 - prior)
    n_hidden = min(len(negative) * odds, _MOST_HIDDEN * sizes.sum())
    negative = negative[: round(n_hidden / odds)]
    if uneven:
        weights = 2.0 ** np.arange(len(kinds))
        weights = (
            rng.permutation(weights) if of_one_size else weights[np.argsort(np.argsort(sizes))]
        )
        hidden = _shared_out(n_hidden, weights, _MOST_OF_A_KIND_HIDDEN * sizes)
        parts = [np.split(rows[kind], [n]) for kind, n in zip(kinds, hidden, strict=True)]
        unlabeled, labeled = (np.concatenate(part) for part in zip(*parts, strict=True))
    else:
        both = rng.permutation(np.concatenate(list(rows.values())))
        unlabeled, labeled = np.split(both, [round(n_hidden)])
    chosen = np.concatenate([labeled, unlabeled, negative])
    y = np.repeat([1, 0], [len(labeled), len(unlabeled) + len(negative)])
    order = rng.permutation(len(chosen))
    return X[chosen[order]], y[order], len(unlabeled) / (len(unlabeled) + len(negative))


def _shared_out(total: float, weights: np.ndarray, most: np.ndarray) -> np.ndarray:
    """`total` in shares like `weights`; what is above `most` goes to the others."""
    shares = np.zeros(len(weights))
    while (left := total - shares.sum()) > 1e-6 and (shares < most).any():  # noqa: PLR2004 - rounding
        open_ = weights * (shares < most)
        shares = np.minimum(shares + left * open_ / open_.sum(), most)
    return np.round(shares).astype(int)


def draws(names: list[str], priors: tuple[float, ...], n_draws: int) -> Iterator[dict[str, object]]:
    """Errors, a row a draw."""
    for name in names:
        problem = classes(name)
        if problem is None:
            continue
        for uneven in (False,) if name in _EVEN_ONLY else (True, False):
            for seed in range(n_draws):
                for prior in priors:
                    X, y, truth = draw(
                        problem, prior, seed, uneven=uneven, of_one_size=name in _OF_ONE_SIZE
                    )
                    known, rest = out_of_fold_scores(X, y, random_state=seed)
                    scores = np.empty(len(y))
                    scores[y == 1], scores[y == 0] = known, rest
                    found = subtype_prior(X, y, scores, random_state=seed)
                    yield {
                        "labels": "uneven" if uneven else "even",
                        "table": name,
                        "best bin": best_bin(known, rest) - truth,
                        "sub-types": float(found) - truth,
                        "kinds": len(found.n_labeled),
                        "positives": int(y.sum()),
                    }


def main() -> None:
    """Print the mean absolute error of both by table and labels."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--tables", nargs="+", default=[*_KINDS, *_EVEN_ONLY])
    given = parser.parse_args()
    quick, names = given.quick, ["digits"] if given.quick else given.tables
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OnesidedWarning)
        found = draws(names, _PRIORS[-1:] if quick else _PRIORS, 2)
        rows = pd.DataFrame(islice(found, 1 if quick else None))
    errors = rows.assign(**{name: rows[name].abs() for name in ("best bin", "sub-types")})
    means = errors.groupby(["labels", "table"], sort=False).mean()
    print("Mean absolute error of the class prior")
    print(means.round({"best bin": 4, "sub-types": 4, "kinds": 1, "positives": 0}).to_string())
    for labels, part in means.groupby(level=0):
        print(
            f"{labels} labels, mean of the tables: best bin {part['best bin'].mean():.4f}, "
            f"sub-types {part['sub-types'].mean():.4f}"
        )


if __name__ == "__main__":
    main()
