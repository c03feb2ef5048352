"""`onesided unexpected`, run as a user runs it."""

import signal
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer

import command_line
from command_line import refused, replaced
from onesided import NearestKnown
from onesided.promises import adjusted_p_values, conformal_p_values
from onesided.unexpected import _find

COLUMNS = ["id", "rank", "score", "p_value", "adjusted_p_value", "flagged", "likely", "group"]
COLUMNS += ["words", "nearest_known", "cosine"]
TABLES = ["--known", "known.csv", "--kind", "topic", "--id", "key", "--new", "new.csv"]


run, passed = (partial(each, "unexpected") for each in (command_line.run, command_line.passed))


def text_of(rng, topic, n_words=40):
    """Words of one topic, and of all."""
    own = [f"{topic}{n}" for n in rng.zipf(1.5, n_words) % 60]
    common = [f"common{n}" for n in rng.zipf(1.5, n_words // 2) % 30]
    return " ".join([*own, *common])


@pytest.fixture(scope="module")
def messages():
    """200 known on two topics; 60 new on them, 12 on a third, 3 on nothing else's, one empty."""
    rng = np.random.default_rng(0)
    known = [(f"k{i}", topic, text_of(rng, topic)) for i in range(100) for topic in ("ape", "bee")]
    new = [(f"n{i}", text_of(rng, ("ape", "bee")[i % 2])) for i in range(60)]
    new += [(f"cat{i}", text_of(rng, "cat")) for i in range(12)]
    new += [(f"odd{i}", text_of(rng, f"odd{i}")) for i in range(3)]
    new += [("empty", "the of")]
    return (
        pd.DataFrame(known, columns=["key", "topic", "text"]),
        pd.DataFrame(new, columns=["key", "text"]),
    )


@pytest.fixture
def folder(messages, tmp_path):
    known, new = messages
    known.assign(key=known.key + known.topic).to_csv(tmp_path / "known.csv", index=False)
    new.to_csv(tmp_path / "new.csv", index=False)
    return tmp_path


def test_finds_what_is_of_no_known_kind(folder):
    done = passed(*TABLES, "--report", "r.html", cwd=folder)
    assert done.stdout == "new-unexpected.csv\n"
    found = pd.read_csv(folder / "new-unexpected.csv")
    assert list(found.columns) == ["key", *COLUMNS[1:], "kind"]
    assert_array_equal(found["rank"], np.arange(1, 77))
    odd = found.key.str.match("cat|odd")
    assert odd[:15].all()
    assert_array_equal(found.flagged & odd, odd)
    assert (found.flagged & ~odd).sum() <= 3
    cats = found[found.key.str.startswith("cat")]
    assert (cats.group == 1).all()
    assert cats.words.str.contains("cat").all()
    assert found[found.key.str.startswith("odd")].group.isna().all()
    rest = found[found.kind.notna()]
    assert not (rest.flagged | rest.likely).any()
    expected = np.where(rest.key.str[1:].astype(int) % 2, "bee", "ape")
    assert_array_equal(rest.kind, expected)
    assert rest.nearest_known.str[-3:].eq(expected).all()
    last = found.iloc[-1]
    assert last.key == "empty"
    assert not last.flagged
    assert "without words: 1" in done.stderr
    assert "group 1, 12 documents: cat" in done.stderr
    assert (
        "in expectation at most 10% of the flagged documents belong to a known kind, "
        "if new documents of known kinds resemble the known documents" in done.stderr
    )
    page = " ".join((folder / "r.html").read_text(encoding="utf-8").split())
    assert "If new documents of known kinds resemble the known documents, in expectation" in page


def test_table_is_what_the_library_says(folder, messages):
    passed(*TABLES, "--out", "o.parquet", cwd=folder)
    found = pd.read_parquet(folder / "o.parquet").set_index("key")
    known, new = messages
    X = CountVectorizer(stop_words="english").fit_transform([*known.text, *new.text])
    y = np.repeat([1, 0], [200, 76])
    model = NearestKnown().fit(X, y, kinds=np.array([*known.topic, *[""] * 76]))
    scores = model.decision_function(X[200:])
    p = conformal_p_values(model.known_scores_, scores)
    by_id = found.loc[new.key]
    assert_allclose(by_id.score, scores)
    assert_allclose(by_id.p_value, p)
    assert_allclose(by_id.adjusted_p_value, adjusted_p_values(p))
    assert_array_equal(by_id.likely, (scores <= 0) & (new.key != "empty"))
    cosine, nearest = model.kneighbors(X[200:275])
    assert_allclose(by_id.cosine[:75], cosine[:, 0])
    assert_array_equal(by_id.nearest_known[:75], (known.key + known.topic)[nearest[:, 0]])


def test_folders_and_tables_agree(folder, messages):
    known, new = messages
    for i, (_, topic, text) in enumerate(known.itertuples(index=False)):
        (folder / "known" / topic).mkdir(parents=True, exist_ok=True)
        (folder / "known" / topic / f"{i:03}.txt").write_text(text)
    (folder / "new").mkdir()
    for i, text in enumerate(new.text):
        (folder / "new" / f"{i:03}.txt").write_text(text)
    passed(*TABLES, "--out", "tables.csv", cwd=folder)
    passed("--known", "known", "--new", "new", "--out", "folders.csv", cwd=folder)
    tables, folders = (pd.read_csv(folder / f"{name}.csv") for name in ("tables", "folders"))
    assert_allclose(np.sort(folders.score), np.sort(tables.score))
    assert folders.id[0].endswith(".txt")
    inside = run("--known", "../known", "--new", ".", "--report", "r.html", cwd=folder / "new")
    refused(inside, "'new-unexpected.csv' lies in the input folder '.'", "--out")
    outs = ["--out", "../o.csv", "--report"]
    inside = run("--known", "../known", "--new", ".", *outs, "r.html", cwd=folder / "new")
    refused(inside, "'r.html' lies in the input folder '.'", "--report")
    done = passed("--known", "../known", "--new", ".", *outs, "../r.html", cwd=folder / "new")
    assert "\nnew: 76 new documents" in done.stderr
    assert "Which documents in new belong to no known kind?" in (folder / "r.html").read_text()
    assert set(folders.kind.dropna()) == {"ape", "bee"}


def test_kinds_may_be_left_out(folder):
    """The one column of few values that only the known have is taken, unless one says none."""
    ask = ("--known", "known.csv", "--new", "new.csv", "--text", "text")
    done = passed(*ask, "--kind", "", cwd=folder)
    found = pd.read_csv(folder / "new-unexpected.csv")
    assert list(found.columns) == COLUMNS
    assert set(found.id) == set(range(1, 77))  # row numbers
    assert "known.csv: 200 known documents\n" in done.stderr
    assert "If a column of known.csv holds their kinds, name it: --kind topic." in done.stderr
    done = passed(*ask, "--save-known", "k.csv", cwd=folder)
    assert "known.csv: 200 known documents, of 2 kinds (column topic)\n" in done.stderr
    assert "name it" not in done.stderr
    assert "topic" in pd.read_csv(folder / "k.csv")
    taken = pd.read_csv(folder / "new-unexpected.csv")
    passed(*ask, "--kind", "topic", cwd=folder)
    pd.testing.assert_frame_equal(taken, pd.read_csv(folder / "new-unexpected.csv"))


@pytest.mark.parametrize(
    ("of_known", "of_new", "named"),
    [
        (["desk", "topic", "sort"], ["desk"], "--kind topic or --kind sort."),
        (["desk"], ["desk"], "--kind desk."),
        ([], ["desk"], None),
    ],
)
def test_columns_that_may_hold_the_kinds_are_named(of_known, of_new, named, folder):
    for name, more in (("known", of_known), ("new", of_new)):
        frame = pd.read_csv(folder / f"{name}.csv")[["key", "text"]]
        for column in more:
            frame[column] = [f"{column}{row % 4}" for row in range(len(frame))]
        frame.to_csv(folder / f"{name}.csv", index=False)
    tables = ["--known", "known.csv", "--id", "key", "--text", "text", "--new", "new.csv"]
    done = passed(*tables, cwd=folder)
    assert (named is None) == ("count as one kind" not in done.stderr)
    assert named is None or f"name it: {named}" in done.stderr


def test_known_documents_without_a_kind(folder):
    """A group becomes a kind beside the others, which have none."""
    plain = [
        "--known",
        "known.csv",
        "--kind",
        "",
        "--id",
        "key",
        "--text",
        "text",
        "--new",
        "new.csv",
    ]
    passed(*plain, "--out", "first.csv", cwd=folder)
    again = ["--previous", "first.csv", "--make-known", "1=cats", "--report", "r.html"]
    done = passed(*plain, *again, cwd=folder)
    assert "of kind (no name): " in done.stderr
    assert '<th scope="row">(no name)</th>' in (folder / "r.html").read_text()


def test_a_group_becomes_known(folder):
    passed(*TABLES, "--out", "first.csv", cwd=folder)
    again = ["--previous", "first.csv", "--make-known", "1=cats"]
    done = passed(*TABLES, *again, "--save-known", "all.csv", "--out", "second.csv", cwd=folder)
    assert "212 known documents, of 3 kinds" in done.stderr
    second = pd.read_csv(folder / "second.csv")
    assert len(second) == 64
    assert set(second.key[:3]) == {"odd0", "odd1", "odd2"}
    assert second.likely[:3].all()
    assert "at least 4 new documents must stand out together" in done.stderr  # there are three
    saved = pd.read_csv(folder / "all.csv")
    assert list(saved.columns) == ["key", "topic", "text"]
    assert (saved.topic == "cats").sum() == 12
    more = pd.DataFrame({"key": ["new"], "text": [text_of(np.random.default_rng(5), "cat")]})
    more.to_csv(folder / "more.csv", index=False)
    options = ["--known", "all.csv", "--kind", "topic", "--id", "key", "--new", "more.csv"]
    passed(*options, "--text", "text", cwd=folder)
    assert pd.read_csv(folder / "more-unexpected.csv").kind.tolist() == ["cats"]


@pytest.mark.parametrize(
    ("options", "problem", "mend"),
    [
        (["--make-known", "1=x"], "--make-known needs the table that says", "--previous FILE"),
        (
            ["--previous", "first.csv"],
            "--previous is given without --make-known",
            "--make-known 1=KIND",
        ),
        (
            ["--previous", "first.csv", "--make-known", "x"],
            "'x' does not give the number",
            "1=spam",
        ),
        (
            ["--previous", "first.csv", "--make-known", "1="],
            "'1=' does not give the number",
            "1=spam",
        ),
        (["--previous", "first.csv", "--make-known", "9=x"], "has no group 9", "Its groups are 1"),
        (
            ["--previous", "first.csv", "--make-known", "1=x", "--make-known", "1=y"],
            "Group 1 would become both 'x' and 'y'",
            "one kind",
        ),
        (["--out", "o.csv", "--save-known", "./o.csv"], "--save-known both name", "its own name"),
        (
            ["--previous", "known.csv", "--make-known", "1=x"],
            "no column 'group' in 'known.csv'",
            "columns are",
        ),
        (["--fdr", "0"], "--fdr 0 is not", "between 0 and 1"),
        (["--fdr", "1.5"], "--fdr 1.5 is not", "between 0 and 1"),
        (["--kind", "sort"], "no column 'sort' in 'known.csv'", "columns are"),
        (["--id", "name"], "no column 'name' in 'new.csv'", "columns are"),
        (["--text", "topic"], "no column 'topic' in 'new.csv'", "columns are"),
        (["--new", "nowhere"], "no file or folder 'nowhere'", "Check the path"),
        (["--out", "known.csv"], "is the input file and would be overwritten", "another name"),
        (["--report", "r.txt"], "does not end in .html", "ending"),
        (
            ["--id", "text", "--text", "text", "--save-known", "s.csv"],
            "two columns 'text'",
            "--id, --kind and --text",
        ),
        (["--save-known", "new.csv"], "is the input file and would be overwritten", "another name"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_refused(folder, options, problem, mend):
    passed(*TABLES, "--out", "first.csv", cwd=folder)
    before = sorted(path.name for path in folder.iterdir())
    refused(run(*replaced(TABLES, options), cwd=folder), problem, mend)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_only_new_documents_need_their_names(folder):
    """Known documents are named by their rows if their table has no such column."""
    named = passed(*TABLES, cwd=folder)
    with_names = pd.read_csv(folder / "new-unexpected.csv")
    known = pd.read_csv(folder / "known.csv")
    known.drop(columns="key").to_csv(folder / "known.csv", index=False)
    assert passed(*TABLES, cwd=folder).stdout == named.stdout
    found = pd.read_csv(folder / "new-unexpected.csv")
    near = found.nearest_known.dropna()
    assert (
        known.key[near.astype(int) - 1].to_numpy() == with_names.nearest_known[near.index]
    ).all()
    rest = [found.drop(columns="nearest_known"), with_names.drop(columns="nearest_known")]
    pd.testing.assert_frame_equal(*rest)


def test_other_new_documents_than_before(folder):
    passed(*TABLES, "--out", "first.csv", cwd=folder)
    frame = pd.read_csv(folder / "new.csv")
    frame[:60].to_csv(folder / "new.csv", index=False)
    again = ["--previous", "first.csv", "--make-known", "1=cats"]
    refused(run(*TABLES, *again, cwd=folder), "'cat0' of --previous is not among", "--id COLUMN")


def test_new_documents_of_one_name(folder):
    frame = pd.read_csv(folder / "new.csv")
    frame.loc[60:62, "key"] = "twin"
    frame.to_csv(folder / "new.csv", index=False)
    passed(*TABLES, "--out", "first.csv", cwd=folder)
    again = ["--previous", "first.csv", "--make-known", "1=cats"]
    refused(run(*TABLES, *again, cwd=folder), "3 new documents are called 'twin'", "--id COLUMN")


def test_no_column_of_kinds_in_a_folder(folder):
    (folder / "texts").mkdir()
    (folder / "texts" / "1.txt").write_text("one text of several words")
    done = run("--known", "texts", "--kind", "topic", "--new", "new.csv", cwd=folder)
    refused(done, "it has no column 'topic'", "Leave --kind out")


@pytest.mark.parametrize("text", ["the of and", "! ?", ""])
def test_documents_without_words(folder, text):
    """Of the known, of the new, and of both."""
    for name in ("known", "new"):
        frame = pd.read_csv(folder / f"{name}.csv")
        frame.assign(text=text).to_csv(folder / f"no_{name}.csv", index=False)
    for known, new, problem, mend in (
        ("no_known.csv", "no_new.csv", "No document contains any word", "--text COLUMN"),
        ("no_known.csv", "new.csv", "Only 0 of 200 known documents contain words", "at least 2"),
        ("known.csv", "no_new.csv", "Only 0 of 76 new documents contain words", "at least 1"),
    ):
        done = run("--known", known, "--new", new, "--text", "text", cwd=folder)
        refused(done, problem, mend)


def test_one_known_document(folder):
    pd.read_csv(folder / "known.csv")[:1].to_csv(folder / "one.csv", index=False)
    done = run("--known", "one.csv", "--new", "new.csv", "--text", "text", cwd=folder)
    refused(done, "1 of 1 known document contains words", "at least 2 known documents")


def test_identical_documents_and_too_few_known(folder):
    pd.DataFrame({"text": ["the same words again"] * 5}).to_csv(folder / "k.csv", index=False)
    pd.DataFrame({"text": ["the same words again"] * 30}).to_csv(folder / "n.csv", index=False)
    done = passed("--known", "k.csv", "--new", "n.csv", "--text", "text", cwd=folder)
    found = pd.read_csv(folder / "n-unexpected.csv")
    assert not found.flagged.any()
    assert_allclose(found.cosine, 1)
    assert "at least 50 new documents must stand out together" in done.stderr


def of_topics(path, *topics, n=1):
    """A table of texts of these topics."""
    rng = np.random.default_rng(9)
    rows = [(topic, text_of(rng, topic)) for topic in topics for _ in range(n)]
    pd.DataFrame(rows, columns=["topic", "text"]).to_csv(path, index=False)


@pytest.mark.parametrize("report", [[], ["--report", "r.html"]])
@pytest.mark.parametrize(
    ("new", "n_flagged"), [("cat", 30), ("ape", 0), ("one cat", 1), ("one ape", 0)]
)
def test_all_or_none_is_of_a_known_kind(new, n_flagged, report, folder):
    *one, topic = new.split()
    of_topics(folder / "new.csv", topic, n=1 if one else 30)
    passed("--known", "known.csv", "--kind", "topic", "--new", "new.csv", *report, cwd=folder)
    found = pd.read_csv(folder / "new-unexpected.csv")
    assert found.flagged.sum() == n_flagged
    assert found.kind.notna().sum() == (~(found.flagged | found.likely)).sum()


@pytest.mark.parametrize("n_new", [1, 2, 30])
def test_equal_documents_of_a_kind(n_new, folder):
    of_topics(folder / "known.csv", "ape", "ape")
    pd.DataFrame({"text": ["other words than these"] * n_new}).to_csv(
        folder / "new.csv", index=False
    )
    for known in ("known.csv", "new.csv"):
        frame = pd.read_csv(folder / known).assign(topic="ape")
        pd.concat([frame] * 2).to_csv(folder / "k.csv", index=False)
        again = ["--known", "k.csv", "--kind", "topic", "--text", "text"]
        passed(*again, "--new", "new.csv", cwd=folder)
        assert len(pd.read_csv(folder / "new-unexpected.csv")) == n_new


def test_new_ones_of_another_time_are_noticed(data_dir, tmp_path):
    """Messages of two groups, known before a date and new after it."""
    table = pd.read_parquet(data_dir / "text" / "newsgroups.parquet")
    table = table[table.group.isin(["comp.graphics", "sci.space"])]
    for name, part in table.groupby("split"):
        part[["doc_id", "group", "text"]].to_csv(tmp_path / f"{name}.csv", index=False)
    options = ["--known", "train.csv", "--kind", "group", "--id", "doc_id", "--text", "text"]
    done = passed(*options, "--new", "test.csv", "--report", "r.html", cwd=tmp_path)
    page = " ".join((tmp_path / "r.html").read_text(encoding="utf-8").split())
    assert "of the flagged documents belong to a known kind does not hold here" in page
    assert "differ from the known documents as a whole" in done.stderr
    assert "flagged       0  no document stands out enough: see the note" in done.stderr
    assert "in expectation at most 10%" not in done.stderr


def test_report(folder):
    frame = pd.read_csv(folder / "new.csv")
    frame.loc[62, "key"] = "<script>alert(1)</script>"
    frame.to_csv(folder / "new.csv", index=False)
    passed(*TABLES, "--report", "r.html", cwd=folder)
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "flagged</strong>" in page
    assert "<svg" in page
    assert "76 new documents, compared with 200 known" in " ".join(page.split())
    for address in ("http://", "https://"):
        assert page.count(address) == page.count(f'xmlns="{address}') + page.count(
            f'xlink="{address}'
        )


def test_too_many_to_be_grouped(folder, monkeypatch):
    monkeypatch.setattr(_find, "_MOST_GROUPED", 5)
    done = passed(*TABLES, cwd=folder)
    assert "were not grouped, because so many distances do not fit into memory." in done.stderr
    found = pd.read_csv(folder / "new-unexpected.csv")
    assert found.group[5:].isna().all()


def test_killed_leaves_no_half_written_file(folder):
    rng = np.random.default_rng(2)
    texts = [text_of(rng, "ape", 200) for _ in range(4000)]
    pd.DataFrame({"text": texts}).to_csv(folder / "many.csv", index=False)
    command = [sys.executable, "-m", "onesided", "unexpected", "--known", "known.csv"]
    command += ["--new", "many.csv", "--text", "text", "--out", "o.csv"]
    before = sorted(path.name for path in folder.iterdir())
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr.readline()  # it has begun
        process.send_signal(signal.SIGTERM)
        process.communicate()
    assert process.returncode == 130
    after = sorted(path.name for path in folder.iterdir())
    assert after in (before, sorted([*before, "o.csv"]))
    if "o.csv" in after:
        assert len(pd.read_csv(folder / "o.csv")) == 4000


@pytest.mark.parametrize("name", ["ticket", "id", "score", "Ticket No."])
def test_the_results_name_documents_by_their_own_column(folder, name):
    for file in ("known.csv", "new.csv"):
        table = pd.read_csv(folder / file).rename(columns={"key": name})
        table.to_csv(folder / file, index=False)
    ask = ["--known", "known.csv", "--kind", "topic", "--id", name, "--new", "new.csv"]
    done = passed(*ask, "--out", "first.csv", "--report", "r.html", cwd=folder)
    found = pd.read_csv(folder / "first.csv")
    assert found.columns[0] == (f"{name} (identifier)" if name == "score" else name)
    assert f"1  {found.iloc[0, 0]}:" in done.stderr
    again = ["--previous", "first.csv", "--make-known", "1=cat", "--out", "second.csv"]
    assert ", of 3 kinds" in passed(*ask, *again, cwd=folder).stderr
    found.rename(columns={found.columns[0]: "id"}).to_csv(folder / "first.csv", index=False)
    assert ", of 3 kinds" in passed(*ask, *again, cwd=folder).stderr  # of an earlier version
