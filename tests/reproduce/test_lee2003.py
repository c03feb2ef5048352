"""Lee, Liu 2003 on a part of the data: its tasks are as printed, its tables add up."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from onesided.exceptions import TableError
from onesided.metrics import lee_liu_regret
from onesided.reproduce import _lee2003 as paper
from oracles import lee_liu2003

CS = np.array([0.03, 100.0])


@pytest.fixture(scope="module")
def part(data_dir, tmp_path_factory):
    """One message in fifteen, one story in twenty, one customer in forty."""
    folder = tmp_path_factory.mktemp("part")
    for name, step in {
        "text/newsgroups": 15,
        "text/reuters": 20,
        "tabular/bank_marketing": 40,
    }.items():
        table = pq.read_table(data_dir / f"{name}.parquet")
        rows = table.take(np.arange(0, table.num_rows, step))
        pq.write_table(rows, folder / f"{name.split('/')[1]}.parquet")
    return folder


@pytest.fixture(scope="module")
def newsgroups(part):
    return paper._newsgroups(part)


@pytest.fixture(scope="module")
def out(part, tmp_path_factory):
    """The folder of a whole run, of two topics and three groups."""
    folder = tmp_path_factory.mktemp("out")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"PENALTIES": CS, "_N_TOPICS": 2, "_RUNS": 2}.items():
            patch.setattr(paper, name, value)
        patch.setattr(paper, "_newsgroups", lambda data: _some(NEWSGROUPS(data), 7))
        paper.lee2003(part, folder)
    return folder


NEWSGROUPS = paper._newsgroups


def _some(corpus, step):
    names = list(corpus.classes)[::step]
    return paper.Corpus(corpus.counts, {name: corpus.classes[name] for name in names})


@pytest.fixture(scope="module")
def written(out):
    return {path.name: pd.read_csv(path) for path in out.glob("*.csv")}


def test_corpora(part, newsgroups):
    """Words five times or more in the corpus, stop words out, rows of unit length."""
    assert len(newsgroups.classes) == 20
    assert np.asarray(newsgroups.counts.sum(axis=0)).min() >= 5
    lengths = np.sqrt(newsgroups.unit.multiply(newsgroups.unit).sum(axis=1))
    assert_allclose(lengths[lengths > 0], 1.0)
    reuters = paper._reuters(part)
    assert len(reuters.classes) == 10
    assert list(reuters.classes)[:2] == ["earn", "acq"]
    assert max(sum(each) for each in reuters.classes.values()) < reuters.counts.shape[0]
    bank = paper._bank_marketing(part)
    table = pq.read_table(part / "bank_marketing.parquet")
    assert_allclose(bank.counts.sum(axis=1), table.num_columns - 2)  # an indicator a column
    assert bank.classes["subscribed"].sum() == table["subscribed"].to_pylist().count("yes")


@pytest.mark.parametrize("run", [0, 3])
def test_splits_and_hiding(newsgroups, run):
    positive = newsgroups.classes["sci.space"]
    n = len(positive)
    tasks = {h: paper.Task.of(positive, paper.VARYING, h, run) for h in (0, 30, 70)}
    for task in tasks.values():
        parts = np.concatenate([task.train, task.validate, task.test])
        assert_array_equal(np.sort(parts), np.arange(n))
        assert [len(task.train), len(task.validate)] == [
            round(0.5 * n),
            round(0.7 * n) - len(task.train),
        ]
        assert_array_equal(task.test, tasks[0].test)
        assert not (task.labeled & ~positive).any()
    assert_array_equal(tasks[0].labeled, positive)
    assert (tasks[70].labeled <= tasks[30].labeled).all()
    for h in (30, 70):
        share = 1 - tasks[h].labeled.sum() / positive.sum()
        assert abs(share - h / 100) < 4 * np.sqrt(0.25 / positive.sum())


def test_fixed_positives(rng):
    """The labeled are those of the largest share; of the positives that are there so many hide."""
    positive = rng.random(40_000) < 0.5
    last = paper.Task.of(positive, paper.VARYING, 70, 1)
    for hidden in (0, 30):
        task = paper.Task.of(positive, paper.FIXED, hidden, 1)
        assert_array_equal(task.labeled, last.labeled)
        assert_array_equal(task.test, last.test)
        for rows, all_rows in ((task.train, last.train), (task.validate, last.validate)):
            assert set(rows) <= set(all_rows)
            assert (~positive[rows]).sum() == (~positive[all_rows]).sum()
            there = positive[rows]
            assert np.mean(~task.labeled[rows][there]) == pytest.approx(hidden / 100, abs=0.02)


def test_all_is_written(out, written):
    names = ["figure.svg", "made-from.json", "results.csv", "summary.csv"]
    names += ["table1.csv", "table2.csv", "table3.csv"]
    assert sorted(path.name for path in out.iterdir() if path.is_file()) == names
    results = written["results.csv"]
    per_share = len(paper.METHODS) - 1
    n_first, n_second = 3 + 2 + 1, 3  # groups, topics, customers; groups
    expected = 2 * (n_first * (3 * per_share + 1) + n_second * (2 * per_share + 1))
    assert len(results) == expected
    assert set(results[results.method == paper.SVM].hidden) == {0}


def test_choices_by_hand(part, written):
    """scikit-learn's fits, the printed criteria."""
    corpus = NEWSGROUPS(part)
    name = list(corpus.classes)[7]
    task = paper.Task.of(corpus.classes[name], paper.VARYING, 30, 1)
    X, y = corpus.unit.toarray(), task.labeled.astype(int)

    def called(rows, at, C):
        weight = np.where(y[rows] == 1, (y[rows] == 0).mean(), (y[rows] == 1).mean())
        model = LogisticRegression(C=C, fit_intercept=False, tol=1e-8, max_iter=10_000)
        with_one = np.column_stack([X, np.ones(len(X))])
        model.fit(with_one[rows], y[rows], sample_weight=weight)
        return with_one[at] @ model.coef_[0] > 0

    both = np.concatenate([task.train, task.validate])
    of_validate = y[task.validate]
    held_out = [called(task.train, task.validate, C).astype(int) for C in CS]
    one = [lee_liu2003.criterion(of_validate, each, population="all") for each in held_out]
    two = [(each[of_validate == 0]).mean() - each[of_validate == 1].mean() for each in held_out]
    truth = task.positive[task.test]
    f = [100 * f1_score(truth, called(both, task.test, C)) for C in CS]
    results = written["results.csv"]
    rows = results[
        (results.corpus == "newsgroups")
        & (results.experiment == paper.VARYING)
        & (results.positive == name)
        & (results.hidden == 30)
        & (results.run == 1)
    ].set_index("method")
    for method, best in {
        paper.CRITERION_I: np.argmax(one),
        paper.CRITERION_II: np.argmin(two),
        paper.BEST: np.argmax(f),
    }.items():
        assert rows.loc[method, "C"] == CS[best]
        assert rows.loc[method, "f"] == pytest.approx(f[best])
    assert abs(f[0] - f[1]) > 1  # so that the test can fail
    found = np.array(held_out)
    regret = lee_liu_regret(
        found[:, of_validate == 1], found.sum(axis=1), chosen=int(np.argmax(one)), ratio=3
    )
    chosen = rows.loc[paper.CRITERION_I]
    assert chosen.regret == pytest.approx(regret.max())
    assert chosen.n_not_told_apart == (regret >= 1).sum() - 1


def test_criteria_by_hand():
    """Of four positives three are found, of six unlabeled two are called positive."""
    y = np.repeat([1, 0], [4, 6])
    called = np.array([1, 1, 1, 0, 1, 1, 0, 0, 0, 0], dtype=bool)
    assert paper._criterion_one(y, called) == pytest.approx((3 / 4) ** 2 / (5 / 10))
    assert paper._criterion_two(y, called) == pytest.approx(1 / 4 + 2 / 6)


def test_tables_are_means_of_the_results(written):
    results = written["results.csv"]
    first = results[results.experiment == paper.VARYING]
    table = written["table1.csv"].set_index(["corpus", "positive"])
    for method in paper.CHOICES:
        of_method = first[(first.method == method) & (first.hidden == 70)]
        for corpus in ("newsgroups", "reuters"):
            of_corpus = of_method[of_method.corpus == corpus]
            expected = of_corpus.groupby("positive").f.mean()
            found = table.loc[corpus][f"{method}, 70% hidden"]
            assert_allclose(found[expected.index], expected)
            assert found["average"] == pytest.approx(expected.mean())
    summary = written["summary.csv"]
    row = summary[
        (summary.corpus == "newsgroups")
        & (summary.experiment == paper.FIXED)
        & (summary.hidden == 30)
        & (summary.method == paper.NAIVE_BAYES)
    ].iloc[0]
    second = results[(results.experiment == paper.FIXED) & (results.hidden == 30)]
    ours, other = (
        second[second.method == method].groupby("positive").f.mean()
        for method in (paper.CRITERION_I, paper.NAIVE_BAYES)
    )
    assert row.f == pytest.approx(other.mean())
    assert row.lead_of_criterion_I == pytest.approx(ours.mean() - other.mean())
    assert row.share_below_criterion_I == pytest.approx((ours > other).mean())


def test_wrong_data(tmp_path):
    with pytest.raises(TableError, match=r"no newsgroups\.parquet"):
        paper.lee2003(tmp_path, tmp_path / "out")
    pd.DataFrame({"text": ["a"]}).to_parquet(tmp_path / "newsgroups.parquet")
    with pytest.raises(TableError, match="no column 'group'"):
        paper.lee2003(tmp_path, tmp_path / "out")


def test_each_column_has_a_meaning(written, explained):
    explained("lee2003", written, paper.METHODS)
