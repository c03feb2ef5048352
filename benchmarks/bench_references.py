"""Reviews learned from by `onesided rank`, against plain linear models on one tf-idf text.

First, some included records are known and the others unlabeled; also with a fifth of the others
screened at random. The mean AUC of `rank` less that of balanced logistic regression, by the true
labels. Second, only 400 records (a third of a small review) were screened at random: records to
read until 95 % of the included ones are found, over those of a linear SVM that learned included
against excluded. Third, active loops: after 100 records at random, the first 50 of the list are
screened in turn, six times; included records found, over those that a loop with the SVM finds.
Last, the positives are counted from the screened records: shares of samples whose interval holds.

    python benchmarks/bench_references.py [--runs 2] [--only REVIEW ...] [--quick]
"""

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from bench_screening import reviews
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

from onesided._typing import Bools, Floats
from onesided.ranking import plan_ranking, rank_problem, read_problem
from onesided.ranking._counted import count_class_prior

KNOWN, SCREENED, RECALL = (40, 100), 400, 0.95
START, BATCH, N_BATCHES = 100, 50, 6
FEWEST = 40  # included records of a review, so that some are left to find

Rule = Callable[[Bools, Bools], Floats]


class Review:
    """One review; its rules give each record a score from the included and the excluded ones."""

    def __init__(
        self, records: pd.DataFrame, included: Bools, methods: list[str], n_batches: int = N_BATCHES
    ) -> None:
        names = [name for name in ("title", "abstract", "keywords", "year") if name in records]
        self.records = records[names].dropna(axis="columns", how="all").reset_index(drop=True)
        self.included, self.methods, self.n_batches = included, methods, n_batches
        texts = self.records.drop(columns="year", errors="ignore").fillna("").agg(" ".join, axis=1)
        self.words: Any = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(texts)

    def rank(self, positive: Bools, negative: Bools) -> Floats:
        """Scores by `rank`."""
        verdict = np.where(positive, "yes", np.where(negative, "no", ""))
        marks = {"known_negative": "verdict=no"} if negative.any() else {}
        problem = read_problem(self.records.assign(verdict=verdict), "verdict=yes", **marks)
        found = rank_problem(plan_ranking(problem, methods=self.methods), for_page=False)
        scores = np.full(len(positive), -np.inf)
        scores[found.scored.rows] = -found.scored.ranks
        return scores

    def logistic(self, positive: Bools, _: Bools) -> Floats:
        """Scores by balanced logistic regression of the positives against all others."""
        model = LogisticRegression(class_weight="balanced", max_iter=1000)
        return np.asarray(model.fit(self.words, positive).decision_function(self.words))

    def svm(self, positive: Bools, negative: Bools) -> Floats:
        """Scores by a linear SVM of included against excluded records."""
        known = positive | negative
        model = LinearSVC(class_weight="balanced").fit(self.words[known], positive[known])
        return np.asarray(model.decision_function(self.words))

    def auc(self, rule: Rule, positive: Bools, negative: Bools) -> float:
        """Of the records that are neither known nor screened."""
        left = ~positive & ~negative
        return float(roc_auc_score(self.included[left], rule(positive, negative)[left]))

    def to_read(self, rule: Rule, positive: Bools, negative: Bools) -> int:
        """Records to read until most of the included ones among the others are found."""
        left = ~positive & ~negative
        order = np.argsort(-rule(positive, negative)[left], kind="stable")
        found = self.included[left][order].cumsum()
        return int(np.searchsorted(found, np.ceil(RECALL * found[-1] - 1e-9))) + 1

    def found(self, rule: Rule, positive: Bools, negative: Bools) -> int:
        """Included records known after some batches from the top of the list."""
        positive, negative = positive.copy(), negative.copy()
        for _ in range(self.n_batches):
            if (~positive & ~negative).sum() <= 2 * BATCH:
                break  # nearly all of a small review is screened
            scores = rule(positive, negative)
            scores[positive | negative] = -np.inf
            top = np.argsort(-scores, kind="stable")[:BATCH]
            positive[top], negative[top] = self.included[top], ~self.included[top]
        return int(positive.sum())

    def screened(self, rng: np.random.Generator, n_rows: int) -> tuple[Bools, Bools]:
        """The included and the excluded records of a random sample."""
        drawn = np.isin(np.arange(len(self.included)), rng.permutation(len(self.included))[:n_rows])
        return drawn & self.included, drawn & ~self.included


def figures_of(
    review: Review, rng: np.random.Generator, numbers_known: tuple[int, ...]
) -> list[tuple[str, float]]:
    """Each figure of one draw, by what it is."""
    found = []
    n_rows, n_included = len(review.included), int(review.included.sum())
    for n_known in numbers_known:
        if n_included < n_known + FEWEST / 2:
            continue
        known = np.zeros(n_rows, dtype=bool)
        known[rng.permutation(np.flatnonzero(review.included))[:n_known]] = True
        also, excluded = review.screened(rng, n_rows // 5)
        nobody = np.zeros(n_rows, dtype=bool)
        for what, positive, negative in (
            ("", known, nobody),
            (", a fifth screened", known | also, excluded & ~known),
        ):
            rules = (review.rank, review.logistic)
            ours, theirs = (review.auc(rule, positive, negative) for rule in rules)
            found.append((f"AUC less that of logistic regression{what}", ours - theirs))
    screened = review.screened(rng, min(SCREENED, n_rows // 3))
    ours, theirs = (review.to_read(rule, *screened) for rule in (review.rank, review.svm))
    found.append(("records to read over those of the SVM", ours / theirs))
    start = review.screened(rng, START)
    while start[0].sum() < 2:  # noqa: PLR2004 - one is hidden, one is learned from
        start = review.screened(rng, START)
    ours, theirs = (review.found(rule, *start) for rule in (review.rank, review.svm))
    return [*found, ("found in the loop over those of the SVM", ours / theirs)]


def covers(included: Bools, rng: np.random.Generator) -> bool:
    """Whether the interval of a count from a random sample holds."""
    drawn = rng.permutation(included)
    sample, rest = np.split(drawn, [min(SCREENED, len(drawn) // 3)])
    found = count_class_prior(int(sample.sum()), int((~sample).sum()), len(rest))
    low, high = found.interval
    return bool(low - 1e-9 <= rest.mean() <= high + 1e-9)


TARGETS = {
    "AUC less that of logistic regression": (-0.01, "at least"),
    "AUC less that of logistic regression, a fifth screened": (-0.01, "at least"),
    "records to read over those of the SVM": (1.05, "at most"),
    "found in the loop over those of the SVM": (1.0, "at least"),
    "intervals of the number of positives that hold": (0.95, "at least"),
}


def main() -> None:
    """Print the figures of each review, then their means beside their targets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2, help="draws of each review")
    parser.add_argument("--only", nargs="*", default=[], help="names of reviews")
    parser.add_argument("--methods", nargs="*", default=[], help="names of methods of rank")
    parser.add_argument("--quick", action="store_true", help="one draw of one review, one method")
    given = parser.parse_args()
    if given.quick:
        given.runs, given.only, given.methods = 1, ["Estrogens"], ["known-negatives"]
    warnings.simplefilter("ignore")
    rows = []
    for name, records, included in reviews():
        if included.sum() < FEWEST or (given.only and name not in given.only):
            continue
        review = Review(records, included, given.methods, 1 if given.quick else N_BATCHES)
        for draw in range(given.runs):
            rng = np.random.default_rng([draw, len(included)])
            found = figures_of(review, rng, KNOWN[:1] if given.quick else KNOWN)
            held = float(
                np.mean([covers(included, rng) for _ in range(20 if given.quick else 200)])
            )
            found.append(("intervals of the number of positives that hold", held))
            rows += [{"review": name, "what": what, "figure": figure} for what, figure in found]
        means = pd.DataFrame(rows).query("review == @name").groupby("what", sort=False)["figure"]
        for what, figure in means.mean().items():
            print(f"{name:20} {what:56} {figure:7.3f}", flush=True)
    if rows:
        of_reviews = pd.DataFrame(rows).groupby(["what", "review"], sort=False)["figure"].mean()
        for what, figure in of_reviews.groupby("what", sort=False).mean().items():
            target, side = TARGETS[what]
            met = figure >= target if side == "at least" else figure <= target
            print(
                f"mean: {what:56} {figure:7.3f}  ({side} {target:g}: {'met' if met else 'MISSED'})"
            )


if __name__ == "__main__":
    main()
