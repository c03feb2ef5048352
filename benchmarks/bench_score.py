"""What a plain `GridSearchCV` loses to the best of its grid, by the criterion that it maximises.

Protocol: labels are hidden in data whose classes are known, among 10 or 30 percent of positives.
The rows are in random order. A search sees the positive and the unlabeled rows only, in its five
folds, and takes the candidate with the highest criterion. Each candidate is also fitted on all of
these rows, and judged by the true classes of rows that were set apart: by the area under the ROC
curve of its scores and by F1 of its predictions. The loss is the difference to the best of the
grid, which for the area and for F1 may be two different candidates.
"""

import argparse
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _timing import report
from sklearn.base import clone
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import GridSearchCV

from onesided import PositiveNaiveBayes, WeightedLogisticRegression
from onesided.datasets import hide_labels, make_gaussians, make_tan
from onesided.metrics import lee_liu_score, pu_f1_score
from onesided.model_selection import CorrectedScorer, LeeLiuScorer

_POSITIVE = {
    "adult": ">50K",
    "kr_vs_kp": "nowin",
    "nursery": "spec_prior",
    "spambase": "1",
    "splice_junctions": "EI",
}
_MODELS: dict[str, tuple[Any, dict[str, list[float]]]] = {
    "PositiveNaiveBayes": (
        PositiveNaiveBayes(),
        {"class_prior": [0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9]},
    ),
    "WeightedLogisticRegression": (
        WeightedLogisticRegression(),
        {"C": [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0]},
    ),
}
_PRIORS, _N_POSITIVE = (0.1, 0.3), (100, 300)
_MOST_UNLABELED, _MOST_APART = 2000, 2000
_MOST_AUC, _MOST_F1 = 0.01, 0.03


def table(name: str) -> tuple[pd.DataFrame, np.ndarray] | None:
    """Columns, and which rows are positive; None where the file is not in ONESIDED_DATA."""
    if name == "gaussians":
        drawn = make_gaussians(2.0, n_features=8, class_prior=0.5).sample(10, 9990, random_state=0)
        return pd.DataFrame(drawn.X).add_prefix("f"), drawn.y_true == 1
    if name == "tan":
        drawn = make_tan("random", n_features=12, random_state=1).sample(
            10, 9990, 0.5, random_state=0
        )
        return pd.DataFrame(drawn.X).astype("category").add_prefix("f"), drawn.y_true == 1
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data"))
    found = sorted(folder.rglob(f"{name}.parquet"))
    if not found:
        print(f"{name}: not in ONESIDED_DATA, left out")
        return None
    rows = pd.read_parquet(found[0])
    positive = rows.pop(rows.columns[-1]).astype(str) == _POSITIVE[name]
    kept = [column for column in rows if str(rows[column].dtype) not in ("str", "object")]
    return rows[kept], positive.to_numpy()


def codes(rows: pd.DataFrame) -> np.ndarray:
    """Categories, and numbers in five bins, as codes."""
    columns = [
        column.cat.codes
        if column.dtype == "category"
        else pd.qcut(column, 5, labels=False, duplicates="drop").fillna(-1)
        for _, column in rows.items()
    ]
    return np.column_stack(columns).astype(int)


def numbers(rows: pd.DataFrame) -> np.ndarray:
    """One column a category, and numbers, all standardized."""
    found = pd.get_dummies(rows).astype(float)
    return ((found - found.mean()) / found.std().replace(0, 1)).fillna(0).to_numpy()


def criteria(prior: float) -> dict[str, Any]:
    """The criteria to compare, by their names; the last is told the class prior."""
    return {
        "score": lambda model, X, y: model.score(X, y),
        "accuracy": "accuracy",
        "area under the ROC curve of the labels": "roc_auc",
        "F1 of the labels": "f1",
        "r2/q, unlabeled rows": LeeLiuScorer("case-control"),
        "r2/q, all rows": LeeLiuScorer("single-training-set"),
        "lower limit of r2/q, unlabeled rows": _lower_limit,
        "pu_f1_score with the true prior": CorrectedScorer(
            pu_f1_score, class_prior=prior, scenario="case-control"
        ),
    }


def _lower_limit(model: Any, X: Any, y: Any) -> float:
    return lee_liu_score(y, model.predict(X), scenario="case-control").interval(0.68)[0]


def losses(
    rows: pd.DataFrame, positive: np.ndarray, draw: int
) -> dict[tuple[str, str], tuple[float, float]]:
    """Loss of area and of F1 by the model and the criterion, for one draw of the labels."""
    prior, n_positive = _PRIORS[draw % 2], _N_POSITIVE[draw // 2 % 2]
    n_unlabeled = min(
        _MOST_UNLABELED,
        int((~positive).sum() * 0.6 / (1 - prior)),
        int((positive.sum() - n_positive) * 0.6 / prior),
    )
    drawn = hide_labels(
        np.arange(len(positive)),
        positive,
        n_positive=n_positive,
        n_unlabeled=n_unlabeled,
        class_prior=prior,
        random_state=draw,
    )
    rng = np.random.default_rng(draw)
    order = rng.permutation(len(drawn.rows))
    train, y = drawn.rows[order], drawn.y[order]
    rest = np.setdiff1d(np.arange(len(positive)), train)
    hidden, negative = rest[positive[rest]], rest[~positive[rest]]
    n_apart = int(min(len(hidden) / prior, len(negative) / (1 - prior), _MOST_APART))
    apart = np.append(
        rng.choice(hidden, int(n_apart * prior), replace=False),
        rng.choice(negative, int(n_apart * (1 - prior)), replace=False),
    )
    found = {}
    for name, (model, grid) in _MODELS.items():
        X = codes(rows) if name == "PositiveNaiveBayes" else numbers(rows)
        scoring = criteria(prior)
        search = GridSearchCV(model, grid, scoring=scoring, refit=False).fit(X[train], y)
        truth = np.array(
            [
                _by_truth(
                    clone(model).set_params(**given).fit(X[train], y), X[apart], positive[apart]
                )
                for given in search.cv_results_["params"]
            ]
        )
        for criterion in scoring:
            chosen = int(np.argmin(search.cv_results_[f"rank_test_{criterion}"]))
            auc, f1 = truth.max(axis=0) - truth[chosen]
            found[name, criterion] = auc, f1
    return found


def _by_truth(model: Any, X: np.ndarray, positive: np.ndarray) -> tuple[float, float]:
    scores = model.decision_function(X)
    return roc_auc_score(positive, scores), f1_score(positive, model.predict(X))


def main() -> None:
    """Print the mean loss of each model and criterion, and that of `score` on each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one draw of three sets")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")  # of small samples and corrected figures above 1
    names = ["kr_vs_kp", "gaussians", "tan"] if quick else [*_POSITIVE, "gaussians", "tan"]
    lines = []
    for name in names:
        given = table(name)
        if given is None:
            continue
        for draw in range(1 if quick else 10):
            found = losses(*given, draw)
            lines += [(name, *key, *each) for key, each in found.items()]
    frame = pd.DataFrame(lines, columns=["set", "model", "criterion", "auc", "f1"])
    means = frame.groupby(["model", "criterion"], sort=False)[["auc", "f1"]].mean()
    print("mean loss to the best of the grid, by the criterion\n")
    print(means.round(4).to_string(), "\n")
    of_score = frame[frame["criterion"] == "score"]
    print("by set, of a search that maximises score\n")
    print(of_score.groupby(["set", "model"])[["auc", "f1"]].mean().round(4).to_string(), "\n")
    for model in _MODELS:
        auc, f1 = means.loc[(model, "score")]
        report(f"{model}: loss of area", auc, _MOST_AUC)
        report(f"{model}: loss of F1", f1, _MOST_F1)


if __name__ == "__main__":
    main()
