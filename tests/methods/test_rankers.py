"""The rankers of a table."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import roc_auc_score

from onesided import PositiveKFold, compare, tables
from onesided.exceptions import TableError
from onesided.methods import _columns, rankers_for
from onesided.model_selection import unlabeled_out_of_fold_scores
from onesided.tables import Column, TableSummary
from onesided.tables._features import used_columns

TEXT_FIRST = "logistic regression, text first"


@pytest.mark.parametrize("method", ["tree", "k-dependence", "one-dependence"])
def test_categories_of_too_many_values_together_are_named(method):
    """Nine of 1,000 values, or what counts as such, are beyond 8,192."""
    columns = [Column(f"zip{n}", "category", 0, 5000 + n) for n in range(9)]
    few, many = (TableSummary(20_000, columns[:n]) for n in (8, 9))
    assert len(rankers_for(few, methods=[method])) == 1
    assert "tree-augmented naive Bayes" in rankers_for(few)
    assert "tree-augmented naive Bayes" not in rankers_for(many)
    with pytest.raises(TableError, match=rf"'zip0'; {method} needs .* `drop=\['zip0'\]`, or"):
        rankers_for(many, methods=[method])


def test_rare_values_share_a_code(monkeypatch):
    monkeypatch.setattr(_columns, "MOST_VALUES", 3)
    table = pa.table({"color": list("aaaabbbcde"), "known": [1, 0] * 5})
    summary = tables.describe(table, without=["known"])
    (ranker,) = rankers_for(summary, methods=["naive-bayes"]).values()
    codes = ranker["columns"].fit_transform(table.select(["color"]))
    np.testing.assert_array_equal(codes[:, 0], [0, 0, 0, 0, 1, 1, 1, 2, 2, 2])


def messages(rng, n=400):
    """Texts of 25 words; those about one subject, a tenth, have three words more of it."""
    truth = np.arange(n) < n // 10
    often = 1 / np.arange(5, 1505)
    drawn = rng.choice(1500, size=(n, 25), p=often / often.sum())
    of_subject = rng.integers(300, 320, size=(n, 3))
    rows = [
        np.append(words, more[: 3 * of])
        for words, more, of in zip(drawn, of_subject, truth, strict=True)
    ]
    return [[f"word{each}" for each in rng.permutation(row)] for row in rows], truth


def joined(rows):
    return [" ".join(row) for row in rows]


def numbers(rng, n, n_columns=1):
    return {f"x{j}": rng.normal(size=n) for j in range(n_columns)}


def categories(rng, n, n_columns=1):
    return {f"c{j}": [f"v{each}" for each in rng.integers(8, size=n)] for j in range(n_columns)}


def dates(rng, n, n_columns=5):
    months = ["january", "march", "may", "june", "july", "august", "october"]
    return {
        f"d{j}": [f"{day} {rng.choice(months)} 2024" for day in rng.integers(1, 29, size=n)]
        for j in range(n_columns)
    }


def area(columns, truth, known):
    """True AUC of the method that has the best hidden-positive AUC."""
    table = pa.table(columns)
    summary = tables.describe(table)
    names = ["logistic", *["text-first"] * (len(summary.used) > 1)]
    rankers = rankers_for(summary, methods=names)
    table = used_columns(table, summary)
    folds = PositiveKFold(5, random_state=0)
    best = compare(rankers, table, known, cv=folds, refit=False).best_
    scored = unlabeled_out_of_fold_scores(rankers[best], table, known, cv=5, random_state=0)
    return roc_auc_score(truth[scored.rows], -scored.ranks)


NOISE = {
    "two texts": lambda rows, _: {
        "title": joined(row[:5] for row in rows),
        "body": joined(row[5:] for row in rows),
    },
    "a number": lambda rows, rng: {"text": joined(rows), **numbers(rng, len(rows))},
    "categories": lambda rows, rng: {"text": joined(rows), **categories(rng, len(rows), 5)},
    "dates": lambda rows, rng: {"text": joined(rows), **dates(rng, len(rows))},
    "all": lambda rows, rng: {
        **NOISE["two texts"](rows, rng),
        **numbers(rng, len(rows), 2),
        **categories(rng, len(rows), 2),
    },
}


@pytest.fixture(scope="module")
def subject():
    rows, truth = messages(np.random.default_rng(0))
    known = truth & (np.arange(len(rows)) % 2 == 0)
    return rows, truth, known, area({"text": joined(rows)}, truth, known)


@pytest.mark.parametrize("layout", NOISE)
def test_columns_that_say_nothing_beside_a_text_cost_nothing(layout, subject, rng):
    rows, truth, known, of_text = subject
    assert of_text > 0.85
    assert area(NOISE[layout](rows, rng), truth, known) > of_text - 0.02


@pytest.mark.parametrize("kind", ["number", "category"])
def test_a_column_decides_beside_a_text_that_says_nothing(kind, subject, rng):
    rows, truth, known, _ = subject
    told = truth & (rng.random(len(rows)) < 0.7)
    column = {
        "number": rng.normal(size=len(rows)) + 2 * truth,
        "category": np.where(told, "v0", categories(rng, len(rows))["c0"]),
    }[kind]
    text = rng.permutation(joined(rows))
    alone = area({"x": column}, truth, known)
    assert alone > 0.75
    assert area({"text": text, "x": column}, truth, known) > alone - 0.03


def test_text_first(rng):
    """All texts are one, and a row of numbers or categories is short, however many they are."""
    rows, _ = messages(rng, 60)
    columns = {**NOISE["two texts"](rows, rng), **numbers(rng, 60, 3), **categories(rng, 60, 2)}
    table = pa.table(columns)
    summary = tables.describe(table)
    coding = _columns.as_text_first(summary).set_params(sparse_threshold=0)
    squares = coding.fit_transform(table) ** 2
    lengths = {
        name: np.sqrt(squares[:, part].sum(axis=1).mean())
        for name, part in coding.output_indices_.items()
    }
    assert lengths == pytest.approx(
        {"number": 0.05, "category": 0.05, "words of all text": 1, "remainder": 0}
    )
    words = {f"all text: {word}" for each in summary.vocabularies.values() for word in each}
    assert {name for name in coding.get_feature_names_out() if ":" in name} == words


@pytest.mark.parametrize(
    ("columns", "is_compared"),
    [
        (("text",), False),
        (("x0",), False),
        (("x0", "c0"), False),
        (("text", "x0"), True),
        (("text", "c0"), True),
        (("title", "body"), True),
    ],
)
def test_text_first_is_compared_where_text_is_beside_other_columns(columns, is_compared, rng):
    rows, _ = messages(rng, 60)
    all_columns = {"text": joined(rows), **NOISE["two texts"](rows, rng)}
    all_columns |= {**numbers(rng, 60), **categories(rng, 60)}
    summary = tables.describe(pa.table({name: all_columns[name] for name in columns}))
    assert (TEXT_FIRST in rankers_for(summary)) == is_compared
