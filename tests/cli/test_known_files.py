"""Positives and known negatives in files of their own, of every format, as a user passes them."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import dump_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer

from command_line import passed, refused, run

FAST = ["--method", "logistic"]


@pytest.fixture(scope="module")
def papers():
    """300 records, of which 60 are about zinc; half of those are known."""
    rng = np.random.default_rng(11)
    about = np.arange(300) % 5 == 0
    words = np.array([f"word{n}" for n in range(80)])
    zinc = np.array(["zinc", "copper", "trace", "metal", "supplement"])
    texts = [
        " ".join(
            rng.permutation(
                [*rng.choice(words, 12), *rng.choice(zinc, 4 if t else rng.integers(2))]
            )
        )
        for t in about
    ]
    return pd.DataFrame(
        {
            "key": [f"P{n:03}" for n in rng.permutation(300)],
            "title": [f"study {n} of {text.split()[0]}" for n, text in enumerate(texts)],
            "abstract": texts,
            "about": about,
            "known": about & (np.arange(300) % 10 == 0),
        }
    )


def ris(rows, note=""):
    mark = f"N1  - {note}\n" if note else ""
    return "".join(
        f"TY  - JOUR\nID  - {row.key}\nTI  - {row.title}\nAB  - {row.abstract}\n{mark}ER  -\n"
        for row in rows.itertuples()
    )


def bibtex(rows):
    return "".join(
        f"@article{{{row.key}, title = {{{row.title}}}, abstract = {{{row.abstract}}}}}\n"
        for row in rows.itertuples()
    )


def ranking(folder, name):
    return pd.read_csv(folder / name)


def test_the_loop_of_a_reviewer(tmp_path, papers):
    """Rank, screen the first, save what was decided, rank again."""
    (tmp_path / "search.ris").write_text(ris(papers))
    (tmp_path / "included.bib").write_text(bibtex(papers[papers.known]))
    ask = ["rank", "search.ris", "--positive-table", "included.bib", *FAST]
    done = passed(*ask, cwd=tmp_path)
    assert "search.ris + included.bib: 300 rows" in done.stderr
    assert "positive          30  (from included.bib)" in done.stderr
    assert "unlabeled        270" in done.stderr
    assert "rows in more than one file, each counted once: 30" in done.stderr
    assert "dropped authors, journal, year, type, notes" in done.stderr
    assert "title + abstract: learned from as one text" in done.stderr
    first = ranking(tmp_path, "search-ranking.csv")
    assert list(first.columns[:2]) == ["record", "rank"]
    assert not set(first.record) & set(papers.key[papers.known])

    screened = papers[papers.key.isin(first.record[:50])]
    assert screened.about.sum() >= 20  # of the 30 that are hidden
    (tmp_path / "excluded.ris").write_text(ris(screened[~screened.about]))
    included = papers[papers.known | (papers.about & papers.key.isin(screened.key))]
    (tmp_path / "included.bib").write_text(bibtex(included))
    done = passed(*ask, "--known-negative-table", "excluded.ris", "--fdr", 0.5, cwd=tmp_path)
    n_excluded = int((~screened.about).sum())
    assert f"known negative {n_excluded:>5}  (from excluded.ris)" in done.stderr
    again = ranking(tmp_path, "search-ranking.csv")
    assert not set(again.record) & set(screened.key)
    assert len(again) == 270 - len(screened)
    assert "in_positive_list" in again


def test_the_loop_with_a_table_cut_from_the_ranking(tmp_path, papers):
    """Rows of the list that were screened come back as a table, whatever else they are called."""
    (tmp_path / "search.ris").write_text(ris(papers))
    (tmp_path / "included.ris").write_text(ris(papers[papers.known]))
    ask = ["rank", "search.ris", "--positive-table", "included.ris", *FAST]
    passed(*ask, cwd=tmp_path)
    screened = ranking(tmp_path, "search-ranking.csv")[:40]
    screened[["record", "title"]][:20].to_csv(tmp_path / "by_name.csv", index=False)
    screened[["title", "rank"]][20:].to_csv(tmp_path / "by_title.csv", index=False)
    for name in ("by_name", "by_title"):
        done = passed(*ask, "--known-negative-table", f"{name}.csv", cwd=tmp_path)
        assert f"known negative    20  (from {name}.csv)" in done.stderr
        again = ranking(tmp_path, "search-ranking.csv")
        assert list(again.columns[:2]) == ["record", "rank"]
        assert len(again) == 250
    papers[:20].assign(title="unheard of", record="x").to_csv(tmp_path / "others.csv", index=False)
    done = run(*ask, "--known-negative-table", "others.csv", "--drop", "key", cwd=tmp_path)
    assert "No row of 'others.csv' is in 'search.ris': 'x'" in done.stderr
    pd.DataFrame({"record": ["x"]}).to_csv(tmp_path / "others.csv", index=False)
    done = run(*ask, "--known-negative-table", "others.csv", cwd=tmp_path)
    refused(done, "None of 1 row of 'others.csv' is in 'search.ris'", "record, doi, pmid")


@pytest.mark.parametrize("title", ["title", "Titel ", "Betreff", "NAME"])
def test_titles_of_a_table_stand_in_the_ranking_and_the_report(title, tmp_path, papers):
    named = papers.rename(columns={"title": title}).drop(columns="about")
    named.loc[1, title] = None  # has its identifier
    named.to_csv(tmp_path / "all.csv", index=False)
    ask = ["rank", "all.csv", "--positive", "known", "--drop", "key", *FAST]
    passed(*ask, "--report", "r.html", cwd=tmp_path)
    found = ranking(tmp_path, "all-ranking.csv")
    titles = papers.title.where(papers.index != 1, "2")
    assert found.title.astype(str).tolist() == titles[found.row - 1].tolist()
    shown = json.loads((tmp_path / "r.json").read_text())["candidates"]
    assert shown["title"] == found.title.astype(str).tolist()


def test_what_does_not_tell_rows_apart_is_no_title(tmp_path, papers):
    addressed = papers.assign(title=np.where(papers.index % 2, "Mr", "Mrs"))
    addressed.drop(columns="about").to_csv(tmp_path / "all.csv", index=False)
    passed("rank", "all.csv", "--positive", "known", "--id", "key", *FAST, cwd=tmp_path)
    assert "title" not in ranking(tmp_path, "all-ranking.csv")


def test_a_field_of_records_is_the_label(tmp_path, papers):
    (tmp_path / "all.ris").write_text(
        ris(papers[~papers.known]) + ris(papers[papers.known], "included\nN1  - by hand")
    )
    done = passed("rank", "all.ris", "--positive", "notes=included", *FAST, cwd=tmp_path)
    assert "positive          30  (column notes)" in done.stderr
    done = run("rank", "all.ris", "--positive", "notes=include", cwd=tmp_path)
    refused(done, "No row of column 'notes' is 'include'", "Name one of its values")


def test_records_of_search_and_table_agree(tmp_path, papers):
    """One table with a column of labels ranks like records with a file of positives."""
    (tmp_path / "search.ris").write_text(ris(papers))
    (tmp_path / "known.ris").write_text(ris(papers[papers.known]))
    papers.to_csv(tmp_path / "all.csv", index=False)
    passed("rank", "search.ris", "--positive-table", "known.ris", *FAST, cwd=tmp_path)
    columns = ["--id", "key", "--drop", "about", "--text", "title", "--text", "abstract"]
    passed("rank", "all.csv", "--positive", "known", *columns, *FAST, cwd=tmp_path)
    of_records = ranking(tmp_path, "search-ranking.csv").set_index("record").score
    of_table = ranking(tmp_path, "all-ranking.csv").set_index("key").score
    assert_allclose(of_records, of_table[of_records.index])


def test_folders_of_text_files(tmp_path, papers):
    for name, rows in (("new", papers[~papers.known]), ("known", papers[papers.known])):
        (tmp_path / name).mkdir()
        for number, row in enumerate(rows.itertuples()):
            (tmp_path / name / f"{number:03}.txt").write_text(row.abstract)
    done = passed("rank", "new", "--positive-table", "known", *FAST, cwd=tmp_path)
    assert "columns: 1 of text" in done.stderr
    assert "identifier: document" in done.stderr
    found = ranking(tmp_path, "new-ranking.csv")
    assert set(found.document) == {f"{n:03}.txt" for n in range(270)}
    both = tmp_path / "both"
    both.mkdir()
    (tmp_path / "new").rename(both / "new")
    (tmp_path / "known").rename(both / "known")
    done = passed("rank", "both", "--positive", "folder=known", *FAST, cwd=tmp_path)
    assert "dropped" not in done.stderr
    again = ranking(tmp_path, "both-ranking.csv")
    assert set(again.document) == {f"new/{n:03}.txt" for n in range(270)}


def test_pairs_of_svmlight_files(tmp_path, papers):
    """A file of positives and one of unlabeled rank like one file with labels."""
    X = CountVectorizer().fit_transform(papers.abstract)
    known = papers.known.to_numpy()
    for name, rows, labels in (
        ("positives.svm", known, 1),
        ("unlabeled.svm", ~known, -1),
    ):
        dump_svmlight_file(X[rows], np.full(rows.sum(), labels), str(tmp_path / name))
    order = np.argsort(known, kind="stable")
    dump_svmlight_file(X[order], np.where(known, 1, -1)[order], str(tmp_path / "all.svm"))
    methods = [*FAST, "--method", "naive-bayes", "--method", "multinomial"]
    pair = ["unlabeled.svm", "--positive-table", "positives.svm", *methods]
    done = passed("rank", *pair, "--report", "r.html", cwd=tmp_path)
    assert f"columns: 1 of {X.shape[1]} numbered features" in done.stderr
    passed("rank", "all.svm", "--positive", "label", *methods, cwd=tmp_path)
    of_pair, of_one = (ranking(tmp_path, f"{name}-ranking.csv") for name in ("unlabeled", "all"))
    assert len(of_pair) == 270
    pd.testing.assert_frame_equal(of_pair, of_one)

    passed("compare", *pair[:3], *FAST, cwd=tmp_path)
    passed("prior", *pair[:3], "--scenario", "case-control", cwd=tmp_path)
    passed("enrich", "all.svm", "--positive", "label", "--resamples", 99, cwd=tmp_path)
    numbers = set(pd.read_csv(tmp_path / "all-enrichment.csv").feature)
    assert numbers == set(range(X.shape[1]))  # of which scikit-learn counts from 0
    passed("fit", *pair, "--out", "m.onesided", cwd=tmp_path)
    for table in ("unlabeled.svm", "all.svm"):
        passed("score", "m.onesided", table, "--out", f"{table}.csv", cwd=tmp_path)
    of_unlabeled = pd.read_csv(tmp_path / "unlabeled.svm.csv").score
    assert_allclose(of_unlabeled, pd.read_csv(tmp_path / "all.svm.csv").score[:270])
    papers.to_csv(tmp_path / "no.csv", index=False)
    done = run("score", "m.onesided", "no.csv", "--out", "s.csv", cwd=tmp_path)
    refused(done, "'no.csv' has no column 'features'", "The model needs the column features.")


def test_a_model_of_records_scores_records(tmp_path, papers):
    (tmp_path / "search.ris").write_text(ris(papers))
    (tmp_path / "known.ris").write_text(ris(papers[papers.known]))
    (tmp_path / "later.bib").write_text(bibtex(papers[:50]))
    pair = ["search.ris", "--positive-table", "known.ris", *FAST]
    passed("fit", *pair, "--out", "m.onesided", cwd=tmp_path)
    passed("score", "m.onesided", "later.bib", "--out", "s.csv", cwd=tmp_path)
    assert list(ranking(tmp_path, "s.csv").record) == list(papers.key[:50])
    done = run("fit", *pair, "--unlabeled", 9, "--out", "m.onesided", cwd=tmp_path)
    refused(done, "--unlabeled draws rows of the table by their labels", "--positive COLUMN")


def test_tables_by_identifier_and_the_warning_of_a_column(tmp_path, papers):
    table = papers[["key", "abstract"]].assign(length=papers.abstract.str.len())
    table.to_csv(tmp_path / "all.csv", index=False)
    known = table[papers.known].drop(columns="length").assign(seen=range(30))
    known.to_csv(tmp_path / "known.csv", index=False)
    ask = ["rank", "all.csv", "--positive-table", "known.csv", *FAST]
    done = passed(*ask, "--id", "key", cwd=tmp_path)  # all are in the table, with its columns
    assert "warning" not in done.stderr
    done = passed(*ask, "--drop", "key", cwd=tmp_path)
    assert "330 rows" in done.stderr
    lacking = "their values are missing in some rows: 'length' (known.csv), 'seen' (all.csv)"
    assert f"These columns are not in all files, so {lacking}" in done.stderr


@pytest.mark.parametrize(
    ("ask", "problem", "mend"),
    [
        ([], "Neither --positive nor --positive-table says", "--positive COLUMN"),
        (
            ["--positive", "known", "--positive-table", "p.csv"],
            "--positive and --positive-table both",
            "Pass one of them",
        ),
        (["--positive-table", "none.ris"], "no file or folder 'none.ris'", "Check the path"),
        (
            ["--positive-table", "t.csv"],
            "'t.csv' is given more than once",
            "Pass each file once",
        ),
        (
            ["--positive-table", "p.csv", "--known-negative-table", "n.csv", "--id", "key"],
            "'P2' is both in 'p.csv' and in 'n.csv'",
            "Remove the row from one",
        ),
        (
            ["--positive-table", "p.csv", "--out", "p.csv"],
            "'p.csv' is the input file and would be overwritten",
            "another name",
        ),
    ],
)
def test_what_is_refused(tmp_path, ask, problem, mend):
    for name, keys in (("t.csv", range(9)), ("p.csv", (1, 2)), ("n.csv", (2, 3))):
        frame = pd.DataFrame({"key": [f"P{n}" for n in keys], "x": list(keys)})
        frame.assign(known=frame.x < 4).to_csv(tmp_path / name, index=False)
    refused(run("rank", "t.csv", *ask, cwd=tmp_path), problem, mend)
