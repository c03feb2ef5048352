"""Li, Liu, Ng 2007 on a part of the messages: its tasks are as printed, its tables add up."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import f1_score

from onesided import LGN
from onesided.exceptions import TableError
from onesided.reproduce import _lgn2007 as paper

FILES = ["figure4.csv", "figure4.svg", "figure5.csv", "figure5.svg"]
FILES += ["made-from.json", "ours.csv", "prior.csv", "results.csv", "table1.csv"]


@pytest.fixture(scope="module")
def part(data_dir, tmp_path_factory):
    """One message in eight."""
    folder = tmp_path_factory.mktemp("part")
    pq.write_table(_every(data_dir, 8), folder / "newsgroups.parquet")
    return folder


def _every(data_dir, step):
    table = pq.read_table(data_dir / "text" / "newsgroups.parquet")
    return table.take(np.arange(0, table.num_rows, step))


@pytest.fixture(scope="module")
def messages(part):
    return paper._messages(pq.read_table(part / "newsgroups.parquet"))


@pytest.fixture(scope="module")
def out(part, tmp_path_factory):
    """The folder of a run on four pairs."""
    folder = tmp_path_factory.mktemp("out")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "COMPUTER": ("comp.graphics", "comp.windows.x"),
            "SCIENCE": ("sci.med", "sci.space"),
            "CHOSEN_ON": ("comp.graphics",),
            "PRINTED": paper.PRINTED[2:4] + paper.PRINTED[18:],
            "_QUICK_ALPHAS": (5, 40),
        }.items():
            patch.setattr(paper, name, value)
        paper.lgn2007(part, folder, quick=True, draws=2)
    return folder


@pytest.fixture(scope="module")
def written(out):
    return {path.name: pd.read_csv(path) for path in out.glob("*.csv")}


def test_print_was_copied_right():
    """Columns add up to the sums of the print, and their averages are the printed ones."""
    assert len(paper.PRINTED) == 20
    assert_allclose(np.sum(paper.PRINTED, axis=0), [404.6, 883.5, 335.6, 10.9, 1540.1])
    assert_allclose(np.mean(paper.PRINTED, axis=0), paper.PRINTED_MEAN, atol=0.05)


@pytest.mark.parametrize("known", [["comp.graphics", "sci.med"], ["sci.med", "sci.space", "x"]])
def test_tasks_are_as_printed(messages, known):
    known = [name if name != "x" else "rec.autos" for name in known]
    task = paper.Task.of(messages, known, 20, [0, 1])
    n_known = np.isin(messages.group, known).sum()
    assert abs(task.y.sum() - 0.7 * n_known) <= len(known)
    n_new = n_known - task.y.sum()
    assert task.unexpected.sum() == round(0.2 * n_new)
    assert len(task.y) == n_known + task.unexpected.sum()
    of_new = task.kinds[task.y == 0]
    assert (np.isin(of_new, known) == ~task.unexpected).all()
    more = paper.Task.of(messages, known, 60, [0, 1])
    assert (more.X[: len(task.y)] != task.X).nnz == 0  # α adds messages, all else stays
    other = paper.Task.of(messages, known, 20, [1, 1])
    assert (other.kinds != task.kinds).any()


def test_all_is_written(out, written):
    assert sorted(path.name for path in out.iterdir() if path.is_file()) == FILES
    results = written["results.csv"]
    assert (results.third.notna() == (results.protocol == "3-class")).all()
    per_task = len(paper.METHODS) + len(paper.NEGATIVE_PRIORS)
    assert len(results) == per_task * 2 * 2 * (4 + 1)  # α, runs, pairs of 2 and 3 classes


def test_results_by_hand(messages, written):
    results = written["results.csv"]
    one = results[
        (results.computer == "comp.windows.x")
        & (results.science == "sci.space")
        & (results.protocol == "2-class")
        & (results.alpha == 40)
        & (results.run == 1)
    ].set_index(["method", "negative_prior"])
    task = paper.Task.of(messages, ["comp.windows.x", "sci.space"], 40, [1, 3, 0])
    scores = LGN().fit(task.X, task.y).decision_function(task.X[task.y == 0])
    for prior in (0.1, 0.5, 0.9):
        called = scores + np.log((1 - prior) / prior) <= 0
        expected = 100 * f1_score(task.unexpected, called)
        assert one.loc[("LGN", prior), "f"] == pytest.approx(expected)


def test_tables_are_means_of_the_results(written):
    results = written["results.csv"]
    results = results[results.negative_prior.isna() | (results.negative_prior == 0.5)]
    two = results[(results.protocol == "2-class") & (results.method != paper.PROMISED)]
    table = written["table1.csv"].set_index("pair")
    at_5 = two[two.alpha == 5]
    for method in paper.METHODS:
        of_method = at_5[at_5.method == method]
        assert table.loc["average", method] == pytest.approx(of_method.f.mean())
        one = of_method[(of_method.computer == "comp.graphics") & (of_method.science == "sci.med")]
        assert table.loc["comp.graphics, sci.med", method] == pytest.approx(one.f.mean())
    assert table.loc["comp.graphics, sci.med", "LGN_paper"] == 64.9
    figure = written["figure4.csv"].set_index(["method", "alpha"]).f_mean
    expected = two.groupby(["method", "alpha"]).f.mean()
    assert_allclose(figure.sort_index(), expected.sort_index())
    ours = written["ours.csv"]
    ours = ours[(ours.protocol == "2-class") & (ours.alpha == 40) & (ours.method == "LGN")]
    by_pairs = two[(two.alpha == 40) & (two.method == "LGN")].groupby("computer").f.mean()
    assert_allclose(ours.set_index("pairs").f_mean[["chosen on", "reported"]], by_pairs)


def test_goes_on_where_it_was(part, out, monkeypatch):
    """A cell that is there is not run again."""
    monkeypatch.setattr(paper, "COMPUTER", ("comp.graphics", "comp.windows.x"))
    monkeypatch.setattr(paper, "SCIENCE", ("sci.med", "sci.space"))
    monkeypatch.setattr(paper, "PRINTED", paper.PRINTED[:4])
    monkeypatch.setattr(paper, "_QUICK_ALPHAS", (5, 40))
    monkeypatch.setattr(paper, "_results", None)  # would fail if called
    done = []
    paper.lgn2007(part, out, quick=True, draws=2, on_progress=lambda _, n, of: done.append((n, of)))
    assert done[-1] == (10, 10)


def test_wrong_data(tmp_path):
    with pytest.raises(TableError, match=r"no newsgroups\.parquet"):
        paper.lgn2007(tmp_path, tmp_path / "out")
    pd.DataFrame({"text": ["a"]}).to_parquet(tmp_path / "newsgroups.parquet")
    with pytest.raises(TableError, match="no column 'group'"):
        paper.lgn2007(tmp_path, tmp_path / "out")


def test_each_column_has_a_meaning(written, explained):
    explained("lgn2007", written, paper.METHODS)
