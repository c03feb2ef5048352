"""`onesided score`, run as a user runs it: any form of table, interrupted, on several processes."""

import gzip
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from typer.testing import CliRunner

from clusters import other_scheduler
from command_line import passed, refused, run
from onesided.cli.__main__ import app
from onesided.scoring import _plan, load_model
from onesided.scoring._model_file import score_quantiles
from onesided.tables._write import locked

N_ROWS = 900
N_FILES = 14  # of the table that takes some seconds


@pytest.fixture(scope="module")
def all_rows():
    """Numbers with gaps, categories, booleans, text; identifiers with leading zeros."""
    rng = np.random.default_rng(20070815)
    truth = rng.random(N_ROWS) < 0.3
    words = np.array(["tools", "oven", "coat", "shoes"])
    frame = pd.DataFrame(
        {
            "customer": [f"{row:05}" for row in rng.permutation(N_ROWS)],
            "age": rng.normal(40, 10, N_ROWS).round(1) + 8 * truth,
            "visits": rng.integers(0, 50, N_ROWS) + 5 * truth,
            "region": np.where(
                rng.random(N_ROWS) < 0.7, np.where(truth, "north", "south"), "west"
            ).astype(object),
            "member": np.where(truth, rng.random(N_ROWS) < 0.8, rng.random(N_ROWS) < 0.3),
            "code": rng.integers(1, 5, N_ROWS),
            "note": [
                f"asked about {'garden' if t else 'kitchen'} {rng.choice(words)} today"
                for t in truth
            ],
        }
    )
    frame.loc[rng.random(N_ROWS) < 0.1, "age"] = np.nan
    frame.loc[rng.random(N_ROWS) < 0.1, "region"] = None
    frame["buyer"] = np.where(truth & (rng.random(N_ROWS) < 0.4), 1, 0)
    return frame


def fit(table, out, *more):
    passed(
        *("fit", table, "--positive", "buyer", "--id", "customer", "--categorical", "code"),
        *("--method", "naive-bayes", "--out", out, *more),
        cwd=out.parent,
    )
    return out


@pytest.fixture(scope="module")
def model(all_rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    all_rows.to_csv(folder / "customers.csv", index=False)
    return fit(folder / "customers.csv", folder / "buyers.onesided")


@pytest.fixture
def rows(all_rows):
    """Without labels, as new rows are; of one test, which may change them."""
    return all_rows.drop(columns="buyer").copy()


@pytest.fixture(scope="module")
def expected(all_rows, model):
    """Scores by the model in memory, in the order of the rows."""
    found = load_model(model)
    names = [column.name for column in found.features]
    return found.pipeline.decision_function(
        pa.Table.from_pandas(all_rows[names], preserve_index=False)
    )


def write(frame, path):
    name = path.name.removesuffix(".gz")
    if name.endswith(".parquet"):
        frame.to_parquet(path, index=False, row_group_size=130)
    elif name.endswith(".jsonl"):
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in name else ",")
    return path


def in_parts(frame, folder, n_parts, ending=".parquet"):
    folder.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), n_parts)):
        write(frame.iloc[rows], folder / f"{number:03}{ending}")
    return folder


def apart(*arguments, cwd, env=os.environ, **options):
    """The command line in a process of its own."""
    environment = {**env, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "onesided", *map(str, arguments)],
        cwd=cwd,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def stamps(folder):
    """What changes when a part is written again."""
    return {path.name: path.stat().st_ino for path in folder.glob("part-*")}


def scores_of(folder):
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("part-*"))])


@pytest.mark.parametrize(
    "name", ["new.csv", "new.tsv", "new.parquet", "new.jsonl", "new.csv.gz", "new.jsonl.gz"]
)
def test_every_form_of_table(name, rows, model, expected, tmp_path):
    table = write(rows, tmp_path / name)
    done = passed("score", model, table, "--out", "scores.csv", cwd=tmp_path)
    assert done.stdout == "scores.csv\n"
    found = pd.read_csv(tmp_path / "scores.csv", dtype={"customer": str})
    assert list(found.columns) == ["customer", "score", "share_below"]
    assert found["customer"].tolist() == rows["customer"].tolist()
    assert_allclose(found["score"], expected, rtol=1e-12)
    assert np.ptp(expected) > 1
    assert "Scored 900 rows, " in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "scores.csv"])


@pytest.mark.parametrize("out", ["scores.csv", "scores.tsv", "scores.parquet"])
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_folder_of_parts_into_one_file(ending, out, rows, model, expected, tmp_path):
    table = in_parts(rows, tmp_path / "new", 3, ending)
    passed("score", model, table, "--out", out, cwd=tmp_path)
    path = tmp_path / out
    if out.endswith(".parquet"):
        found = pd.read_parquet(path)
    else:
        found = pd.read_csv(path, sep="\t" if ".tsv" in out else ",", dtype={"customer": str})
    assert found["customer"].tolist() == rows["customer"].tolist()
    assert_allclose(found["score"], expected, rtol=1e-12)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["new", out])


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_rows_are_numbered_over_all_files(ending, rows, model, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(_plan, "PART_ROWS", 100)
    table = in_parts(rows.drop(columns="customer"), tmp_path / "new", 3, ending)
    passed("score", model, table, "--out", "scores", cwd=tmp_path)
    found = scores_of(tmp_path / "scores")
    assert_array_equal(found["row"], np.arange(1, N_ROWS + 1))
    assert_allclose(found["score"], expected, rtol=1e-12)


def test_folder_has_a_manifest(rows, model, tmp_path, monkeypatch):
    """A part for each run of rows of each file; row groups of 130 are kept whole."""
    monkeypatch.setattr(_plan, "PART_ROWS", 200)
    table = in_parts(rows, tmp_path / "new", 2)
    passed("score", model, table, "--out", "scores", cwd=tmp_path)
    manifest = json.loads((tmp_path / "scores" / "manifest.json").read_text())
    assert manifest["model"] == hashlib.sha256(model.read_bytes()).hexdigest()
    assert manifest["rows"] == N_ROWS
    assert [(each["name"], each["size"]) for each in manifest["inputs"]] == [
        (path.name, path.stat().st_size) for path in sorted(table.iterdir())
    ]
    assert [(part["input"], part["rows"]) for part in manifest["parts"]] == [
        ("000.parquet", 260),
        ("000.parquet", 190),
        ("001.parquet", 260),
        ("001.parquet", 190),
    ]
    for part in manifest["parts"]:
        assert pq.read_metadata(tmp_path / "scores" / part["name"]).num_rows == part["rows"]


def test_finished_folder(rows, all_rows, model, tmp_path):
    """Nothing is scored again; another model, table or identifier is refused."""
    table = in_parts(rows, tmp_path / "new", 3)
    passed("score", model, table, "--out", "scores", cwd=tmp_path)
    before = content(tmp_path / "scores"), stamps(tmp_path / "scores")
    done = passed("score", model, table, "--out", "scores", cwd=tmp_path)
    assert "900 rows had been scored by an earlier run" in done.stderr
    all_rows.to_csv(tmp_path / "customers.csv", index=False)
    other = fit(tmp_path / "customers.csv", tmp_path / "other.onesided", "--drop", "note")
    first = write(rows[:300], tmp_path / "first.parquet")
    for arguments in ((other, table), (model, first), (model, table, "--id", "visits")):
        done = run("score", *arguments, "--out", "scores", cwd=tmp_path)
        refused(done, "holds files other than the scores", "--out")
    assert (content(tmp_path / "scores"), stamps(tmp_path / "scores")) == before
    (tmp_path / "scores" / "manifest.json").unlink()  # as if interrupted at the end
    done = run("score", other, table, "--out", "scores", cwd=tmp_path)
    refused(done, "holds files other than the scores", "--out")


def test_changed_input_is_not_mixed_in(rows, model, tmp_path):
    table = in_parts(rows, tmp_path / "new", 3)
    passed("score", model, table, "--out", "scores", cwd=tmp_path)
    write(rows[300:600].assign(visits=0), table / "001.parquet")
    refused(
        run("score", model, table, "--out", "scores", cwd=tmp_path), "holds files other", "--out"
    )


def test_a_file_that_was_mended_is_scored_again_alone(rows, model, tmp_path):
    """What was begun with a bad cell goes on with the mended file, the others are kept."""
    table = in_parts(rows, tmp_path / "new", 3, ".csv")
    passed("score", model, table, "--out", "clean", cwd=tmp_path)
    bad = table / "001.csv"
    whole = bad.read_text(encoding="utf-8")
    for number, text in enumerate((whole + whole.splitlines()[-1] + "\n", whole)):
        (tmp_path / "scores" / "manifest.json").unlink(missing_ok=True)
        bad.write_text(text, encoding="utf-8")
        done = passed("score", model, table, "--out", "scores", cwd=tmp_path)
        assert ("600 rows had been scored by an earlier run" in done.stderr) == bool(number)
    assert content(tmp_path / "scores") == content(tmp_path / "clean")


def test_changed_in_the_middle_at_the_same_size(rows, model, tmp_path):
    more = pd.concat([rows] * 12)  # the change is far from both ends
    table = write(more.assign(visits=7), tmp_path / "new.csv")
    passed("score", model, table, "--out", "scores", cwd=tmp_path)
    size = table.stat().st_size
    more.assign(visits=np.where(np.arange(len(more)) == len(more) // 2, 8, 7)).to_csv(
        table, index=False
    )
    assert table.stat().st_size == size > 300_000
    refused(
        run("score", model, table, "--out", "scores", cwd=tmp_path), "holds files other", "--out"
    )


def cut(whole):
    return whole[:100]


def turn_a_bit(whole):
    """Of a score: the file can be read as before."""
    middle = len(whole) // 3
    return whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]


@pytest.mark.parametrize("spoil", [cut, turn_a_bit])
@pytest.mark.parametrize("is_finished", [True, False])
def test_a_damaged_part_is_written_again(spoil, is_finished, rows, model, tmp_path):
    table = in_parts(rows, tmp_path / "new", 3)
    passed("score", model, table, "--out", "scores", cwd=tmp_path)
    before = content(tmp_path / "scores")
    part = tmp_path / "scores" / "part-00001-00000.parquet"
    part.write_bytes(spoil(part.read_bytes()))
    if not is_finished:
        (tmp_path / "scores" / "manifest.json").unlink()
    (tmp_path / "scores" / ".DS_Store").write_bytes(b"")
    done = passed("score", model, table, "--out", "scores", cwd=tmp_path)
    assert "600 rows had been scored by an earlier run" in done.stderr
    (tmp_path / "scores" / ".DS_Store").unlink()
    assert content(tmp_path / "scores") == before


def as_pipe(path):
    os.mkfifo(path)


def as_link(path):
    path.symlink_to("nowhere")


MANIFESTS = {
    "empty": b"",
    "cut": b'{"parts": [',
    "list": b"[1, 2]",
    "number": b"7",
    "deep": b"[" * 100_000,
    "no text": b"\xff\xfe\x00",
    "no parts": b"{}",
    "parts of another kind": b'{"parts": [{"name": 3, "input": 1, "rows": "x"}]}',
    "another place": b'{"parts": [{"name": "../new/000.parquet", "input": "", "rows": 1}]}',
    "folder": Path.mkdir,
    "pipe": as_pipe,
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_of_any_content(name, rows, model, tmp_path):
    table = in_parts(rows, tmp_path / "new", 3)
    passed("score", model, table, "--out", "scores", cwd=tmp_path)
    manifest = tmp_path / "scores" / "manifest.json"
    manifest.unlink()
    made = MANIFESTS[name]
    manifest.write_bytes(made) if isinstance(made, bytes) else made(manifest)
    kept = stamps(tmp_path / "scores")
    done = run("score", model, table, "--out", "scores", cwd=tmp_path)
    refused(done, "holds files other than the scores", "--out")
    assert stamps(tmp_path / "scores") == kept
    assert len(list(table.iterdir())) == 3


@pytest.mark.parametrize("make", [as_pipe, as_link, Path.mkdir])
def test_a_part_that_is_no_file(make, rows, model, tmp_path):
    (tmp_path / "scores").mkdir()
    make(tmp_path / "scores" / "part-00000-00000.parquet")
    table = write(rows, tmp_path / "new.csv")
    done = run("score", model, table, "--out", "scores", cwd=tmp_path)
    refused(done, "holds files other than the scores", "--out")


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not locked there")
def test_two_runs_into_one_folder(rows, model, tmp_path):
    table = write(rows, tmp_path / "new.csv")
    (tmp_path / "scores").mkdir()
    with locked(tmp_path / "scores"):
        done = run("score", model, table, "--out", "scores", cwd=tmp_path)
    refused(done, "Another run is writing into the folder", "Wait until it ends")
    assert content(tmp_path / "scores") == {}
    passed("score", model, table, "--out", "scores", cwd=tmp_path)


@pytest.mark.parametrize("first", [[1, 2], ["1", "b"]])
def test_identifiers_of_several_types(rows, model, tmp_path, first):
    """Whole numbers in one file, in another text, in a third no row."""
    table = tmp_path / "new"
    table.mkdir()
    for number, ids in enumerate((first, [3, 4], [])):
        part = rows[: len(ids)].assign(customer=ids)
        write(part.astype({"customer": object if "b" in ids else int}), table / f"{number}.parquet")
    passed("score", model, table, "--out", "scores.csv", cwd=tmp_path)
    found = pd.read_csv(tmp_path / "scores.csv", dtype=str)["customer"]
    assert found.tolist() == [*map(str, first), "3", "4"]


def test_share_of_the_unlabeled_below(all_rows, rows, model, expected, tmp_path):
    """By hand, of the rows learned from; those of new rows are against them too."""
    unlabeled = expected[all_rows["buyer"] == 0]
    by_hand = [((unlabeled < s).mean() + (unlabeled <= s).mean()) / 2 for s in expected]
    passed("score", model, write(rows, tmp_path / "new.csv"), cwd=tmp_path)
    found = pd.read_csv(tmp_path / "new-scores.csv")
    assert_allclose(found["share_below"], by_hand, atol=1e-4)
    rows["visits"] = 10_000
    passed("score", model, write(rows, tmp_path / "new.csv"), "--out", "o.parquet", cwd=tmp_path)
    again = pq.read_table(tmp_path / "o.parquet").to_pandas()
    assert again["share_below"].min() > found["share_below"].min()
    assert again["share_below"].max() == 1


def test_quantiles_of_many_scores():
    scores = np.random.default_rng(0).normal(size=50_000)
    kept = score_quantiles(scores)
    assert len(kept) == 1000
    at = np.linspace(-4, 4)
    shares = [np.searchsorted(np.sort(each), at) / len(each) for each in (kept, scores)]
    assert_allclose(*shares, atol=0.001)
    assert score_quantiles(scores[:3]) == tuple(sorted(scores[:3].tolist()))


def test_a_missing_column_may_be_left_out_of_the_model(rows, model, tmp_path):
    new = rows.rename(columns={"visits": "visits in May"})
    done = run("score", model, write(new, tmp_path / "new.csv"), cwd=tmp_path)
    mend = "or learn the model again without it: --drop visits."
    refused(done, "'new.csv' has no column 'visits'", mend)
    new = new.drop(columns=["note", "age"])
    done = run("score", model, write(new, tmp_path / "new.csv"), cwd=tmp_path)
    mend = "without them: --drop age --drop visits --drop note."
    refused(done, "no column 'age', nor 2 other columns that the model learned", mend)


def test_an_identifier_named_score(rows, model, tmp_path):
    table = write(rows.rename(columns={"customer": "score"}), tmp_path / "new.csv")
    passed("score", model, table, "--id", "score", "--out", "o.csv", cwd=tmp_path)
    found = pd.read_csv(tmp_path / "o.csv", dtype=str)
    assert list(found) == ["score (identifier)", "score", "share_below"]
    assert found["score (identifier)"].tolist() == rows["customer"].tolist()


def test_folder_of_others_is_not_touched(rows, model, tmp_path):
    table = write(rows, tmp_path / "new.csv")
    home = tmp_path / "home"
    home.mkdir()
    (home / "letter.txt").write_text("dear all")
    refused(run("score", model, table, "--out", "home", cwd=tmp_path), "holds files other", "--out")
    assert content(home) == {"letter.txt": b"dear all"}


def test_interrupted_inside_a_file(rows, model, tmp_path, monkeypatch):
    """Some parts of a text file are there, others not: the rest has the same bytes."""
    monkeypatch.setattr(_plan, "PART_ROWS", 100)
    table = write(rows.drop(columns="customer"), tmp_path / "new.csv")
    passed("score", model, table, "--out", "scores", cwd=tmp_path)
    before = content(tmp_path / "scores")
    kept = stamps(tmp_path / "scores")
    for number in (2, 3, 7, 8):
        name = f"part-00000-{number:05}.parquet"
        (tmp_path / "scores" / name).unlink()
        del kept[name]
    (tmp_path / "scores" / "manifest.json").unlink()
    done = passed("score", model, table, "--out", "scores", cwd=tmp_path)
    assert "500 rows had been scored by an earlier run" in done.stderr
    assert content(tmp_path / "scores") == before
    assert kept.items() <= stamps(tmp_path / "scores").items()


def test_columns_that_do_not_match(rows, model, tmp_path):
    def is_refused(frame, name, problem, mend):
        table = write(frame, tmp_path / name)
        done = run("score", model, table, "--out", "scores.csv", cwd=tmp_path)
        refused(done, problem, mend)
        table.unlink()

    less = rows.drop(columns=["age", "region"])
    is_refused(
        less,
        "new.csv",
        "no column 'age', nor 1 other column that",
        "The model needs the columns age, visits, region",
    )
    words = rows.assign(visits=["many"] * N_ROWS)
    learned = "the model learned from numbers"
    is_refused(
        words,
        "new.parquet",
        f"Column 'visits' of 'new.parquet' holds 'many' in row 1; {learned}",
        "Correct the cell",
    )
    is_refused(words, "new.jsonl", "'visits' of 'new.jsonl' holds 'many' in row 1", "Correct")
    times = rows.assign(visits=pd.Timestamp("2024-01-01"))
    is_refused(
        times,
        "new.parquet",
        "Column 'visits' of 'new.parquet' holds timestamp",
        "Convert the column",
    )
    words = rows.assign(age=[*rows["age"][:500], "forty", *rows["age"][501:]])
    is_refused(
        words,
        "new.csv",
        f"Column 'age' of 'new.csv' holds 'forty' in row 501; {learned}",
        "Correct the cell",
    )
    is_refused(
        rows.assign(code=rows["code"].map("c{}".format)),
        "new.csv",
        "holds 'c",
        "Correct the cell",
    )
    is_refused(
        rows.assign(age=np.inf),
        "new.csv",
        "Column 'age' of 'new.csv' holds inf in row 1",
        "below 1e100",
    )
    is_refused(
        rows.assign(member="maybe"),
        "new.parquet",
        "learned from categories that are bool",
        "Convert",
    )
    done = run(
        "score",
        model,
        write(rows, tmp_path / "new.csv"),
        "--out",
        "scores.csv",
        "--id",
        "gene",
        cwd=tmp_path,
    )
    refused(done, "no column 'gene' to name the rows", "--id COLUMN")


@pytest.mark.parametrize("name", ["t.csv", "blank.csv", "t.parquet", "-"])
def test_a_table_without_rows_is_said_to_have_none(name, rows, model, tmp_path):
    none = rows[:0]
    if name == "t.parquet":
        none.to_parquet(tmp_path / name, index=False)
    else:
        blank = "," * (rows.shape[1] - 1) + "\n"
        text = none.to_csv(index=False) + 2 * blank * (name == "blank.csv")
        (tmp_path / name).write_text(text)
    if name == "-":
        done = CliRunner().invoke(app, ["score", str(model), "-"], input=text)
        written, said = done.stdout, "Scored 0 rows"
    else:
        done = passed("score", model, name, "--out", "s.csv", cwd=tmp_path)
        written, said = (tmp_path / "s.csv").read_text(), "The table has no rows, so there is"
    assert said in done.stderr
    assert "drift" not in done.stderr
    assert len(written.splitlines()) == 1
    assert ("left out: 2" in done.stderr) == (name == "blank.csv")


def test_columns_more_and_in_another_order(rows, model, expected, tmp_path):
    table = rows[rows.columns[::-1]].assign(shoe_size=42, buyer=0)
    done = passed(
        "score", model, write(table, tmp_path / "new.csv"), "--out", "s.csv", cwd=tmp_path
    )
    assert "not used: shoe_size; the model did not learn from them" in done.stderr
    assert_allclose(pd.read_csv(tmp_path / "s.csv")["score"], expected, rtol=1e-12)


def test_numbers_with_decimal_commas(rows, model, expected, tmp_path):
    path = tmp_path / "new.csv"
    rows.to_csv(path, index=False, sep=";", decimal=",")
    passed("score", model, path, "--out", "s.csv", cwd=tmp_path)
    assert_allclose(pd.read_csv(tmp_path / "s.csv")["score"], expected, rtol=1e-12)


def test_new_categories_and_gaps(rows, model, expected, tmp_path):
    """A value that was not there in fit is scored; a column may be empty."""
    rows["region"] = "east"
    rows["age"] = None
    passed("score", model, write(rows, tmp_path / "new.csv"), "--out", "s.csv", cwd=tmp_path)
    found = pd.read_csv(tmp_path / "s.csv")["score"]
    assert found.notna().all()
    assert (np.abs(found - expected) > 1e-3).mean() > 0.5


def lacks_a_column(rows, table):
    write(rows[600:].drop(columns="visits"), table / "002.csv")
    return "'002.csv' has no column 'visits'", "The model needs"


def holds_a_word(rows, table):
    late = rows[600:].astype({"visits": object})
    late.iloc[-1, rows.columns.get_loc("visits")] = "many"
    write(late, table / "002.csv")
    return "Column 'visits' of '002.csv' holds 'many' in row 300", "Correct the cell"


def is_cut_off(rows, table):
    (table / "002.csv").unlink()
    text = rows[600:].sample(6000, replace=True, random_state=0).to_csv(index=False)
    packed = gzip.compress(text.encode())
    (table / "002.csv.gz").write_bytes(packed[: len(packed) // 2])
    return "'002.csv.gz' cannot be read as", "Check that the file is complete"


@pytest.mark.parametrize(
    ("spoil", "workers"),
    [
        (lacks_a_column, ()),
        (holds_a_word, ()),
        (holds_a_word, ("--workers", 2)),
        (is_cut_off, ()),
    ],
)
def test_a_refusal_leaves_the_folder_as_it_was(spoil, workers, rows, model, tmp_path):
    """No folder where there was none; the parts of an interrupted run, and no others."""
    table = in_parts(rows, tmp_path / "new", 3, ".csv")
    passed("score", model, table, "--out", "clean", cwd=tmp_path)
    out = tmp_path / "scores"
    problem, mend = spoil(rows, table)
    if not workers:  # they take seconds to start, and the second refusal is of them
        refused(run("score", model, table, "--out", out, cwd=tmp_path), problem, mend)
        assert not out.exists()
    out.mkdir()
    first = "part-00000-00000.parquet"
    (out / first).write_bytes((tmp_path / "clean" / first).read_bytes())
    kept = stamps(out)
    refused(run("score", model, table, "--out", out, *workers, cwd=tmp_path), problem, mend)
    assert stamps(out) == kept
    assert content(out).keys() == {first}


@pytest.mark.parametrize("out", ["scores", "scores.csv"])
def test_full_disk(out, rows, model, tmp_path):
    """No file may pass 3,000 bytes: one error, and no half-written file under a final name."""
    table = in_parts(rows, tmp_path / "new", 3)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    process = apart("score", model, table, "--out", out, cwd=tmp_path, preexec_fn=limit)
    stdout, stderr = process.communicate(timeout=120)
    done = subprocess.CompletedProcess([], process.returncode, stdout, stderr)
    refused(done, "cannot be written: ", "Free some disk space,")
    assert not (tmp_path / "scores.csv").exists()
    for folder in tmp_path.glob("*scores*"):
        assert list(folder.iterdir()) == []
    passed("score", model, table, "--out", out, cwd=tmp_path)


@pytest.fixture(scope="module")
def slow(all_rows, tmp_path_factory):
    """A table of many files, a model of 30 trees, and their scores: some seconds of work."""
    folder = tmp_path_factory.mktemp("slow")
    all_rows.drop(columns="note").to_csv(folder / "customers.csv", index=False)
    model = folder / "bags.onesided"
    passed(
        *("fit", folder / "customers.csv", "--positive", "buyer", "--drop", "customer"),
        *("--method", "bagging", "--out", model),
        cwd=folder,
    )
    large = pd.concat([all_rows.drop(columns="buyer")] * 4, ignore_index=True)
    table = folder / "new"
    table.mkdir()
    for number in range(N_FILES):
        write(large, table / f"{number:03}.parquet")
    passed("score", model, table, "--out", "clean", cwd=folder)
    return model, table, content(folder / "clean")


def wait_for_parts(folder, n_parts, process):
    ends = time.monotonic() + 120
    while len(list(folder.glob("part-*"))) < n_parts:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < ends
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("number", "workers"),
    [
        (signal.SIGKILL, ()),
        (signal.SIGINT, ()),
        (signal.SIGTERM, ()),
        (signal.SIGINT, ("--workers", 2)),
    ],
)
def test_killed_and_run_again(number, workers, slow, tmp_path):
    model, table, clean = slow
    arguments = ("score", model, table, "--out", "scores", *workers)
    out = tmp_path / "scores"
    process = apart(*arguments, cwd=tmp_path, start_new_session=True)
    wait_for_parts(out, 3, process)
    os.killpg(process.pid, number) if number != signal.SIGTERM else process.terminate()
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == (-9 if number == signal.SIGKILL else 130), stderr
    assert "Traceback" not in stderr
    if number != signal.SIGKILL:
        assert "the same command continues from there" in stderr
    kept = stamps(out)
    assert 3 <= len(kept) < N_FILES
    assert "manifest.json" not in content(out)
    assert all(content(out)[name] == clean[name] for name in kept)
    passed("score", model, table, "--out", "scores", cwd=tmp_path)
    assert content(out) == clean
    assert kept.items() <= stamps(out).items()


def test_workers_write_the_same_and_number_rows_of_text(rows, model, tmp_path):
    table = in_parts(rows.drop(columns="customer"), tmp_path / "new", 3, ".csv")
    passed("score", model, table, "--out", "one", cwd=tmp_path)
    passed("score", model, table, "--out", "two", "--workers", 2, cwd=tmp_path)
    assert content(tmp_path / "one") == content(tmp_path / "two")
    assert_array_equal(scores_of(tmp_path / "two")["row"], np.arange(1, N_ROWS + 1))


def test_error_of_a_worker(rows, model, tmp_path):
    table = in_parts(rows, tmp_path / "new", 3)
    write(rows[300:600].drop(columns="visits"), table / "001.parquet")
    done = run("score", model, table, "--out", "scores", "--workers", 2, cwd=tmp_path)
    refused(done, "'001.parquet' has no column 'visits'", "The model needs")


def test_workers_that_are_killed(slow, tmp_path):
    """Others take their place, even if Dask is set up not to wait for them."""
    model, table, clean = slow
    environment = os.environ | {"DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT": "10ms"}
    arguments = ("score", model, table, "--out", "scores", "--workers", 2)
    process = apart(*arguments, cwd=tmp_path, env=environment)
    wait_for_parts(tmp_path / "scores", 3, process)
    workers = [
        each
        for each in psutil.Process(process.pid).children(recursive=True)
        if "spawn_main" in " ".join(each.cmdline())
    ]
    assert len(workers) == 2
    for each in workers:
        each.kill()
    _, stderr = process.communicate(timeout=180)
    assert process.returncode == 0, stderr
    assert "Traceback" not in stderr
    assert content(tmp_path / "scores") == clean


def test_a_scheduler_that_dies(slow, tmp_path):
    """One sentence, and the same command goes on."""
    model, table, clean = slow
    arguments = ("score", model, table, "--out", "scores")
    with other_scheduler(tmp_path) as (scheduler, address):
        process = apart(*arguments, "--cluster", address, cwd=tmp_path)
        wait_for_parts(tmp_path / "scores", 2, process)
        scheduler.kill()
        stdout, stderr = process.communicate(timeout=120)
    done = subprocess.CompletedProcess([], process.returncode, stdout, stderr)
    refused(done, "The connection to the Dask scheduler is lost; ", "Check that the scheduler")
    assert "the same command continues from there" in stderr
    kept = stamps(tmp_path / "scores")
    assert len(kept) >= 2
    passed(*arguments, cwd=tmp_path)
    assert content(tmp_path / "scores") == clean
    assert kept.items() <= stamps(tmp_path / "scores").items()


def test_scheduler_elsewhere(slow, tmp_path):
    from distributed import LocalCluster  # noqa: PLC0415 - an extra

    model, table, clean = slow
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        passed("score", model, table, "--out", "scores", "--cluster", address, cwd=tmp_path)
    assert content(tmp_path / "scores") == clean


def test_no_dask(rows, model, tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "dask"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "onesided._blocks._cluster", raising=False)
    monkeypatch.setitem(sys.modules, "dask", None)
    table = write(rows, tmp_path / "new.csv")
    done = run("score", model, table, "--out", "scores", "--workers", 2, cwd=tmp_path)
    refused(done, "needs Dask, which is not installed", "pip install 'onesided[dask]'")


def test_options_that_exclude_each_other(rows, model, tmp_path):
    table = write(rows, tmp_path / "new.csv")
    more = ("--workers", 2, "--cluster", "tcp://127.0.0.1:1")
    done = run("score", model, table, "--out", "scores", *more, cwd=tmp_path)
    refused(done, "--workers and --cluster cannot be used together.", "Pass one")


def test_no_scheduler(rows, model, tmp_path, monkeypatch):
    from onesided._blocks import _cluster  # noqa: PLC0415 - an extra

    monkeypatch.setattr(_cluster, "_SECONDS_TO_CONNECT", 1)
    table = write(rows, tmp_path / "new.csv")
    done = run("score", model, table, "--out", "s", "--cluster", "tcp://127.0.0.1:1", cwd=tmp_path)
    refused(done, "There is no Dask scheduler at 'tcp://127.0.0.1:1'", "Start a scheduler")


def test_outputs_that_cannot_be(rows, model, tmp_path):
    table = in_parts(rows, tmp_path / "new", 2)
    for out, problem in (
        ("scores.csv.gz", "is not a folder and does not end in .csv"),
        (
            "scores.cvs",
            "'scores.cvs' ends as a file does, but not in .csv or .tsv or .xlsx or .parquet",
        ),
        ("scores.parqet", "ends as a file does"),
        ("scores.xls", "is not a folder and does not end in .csv"),
        ("new/scores", "lies in the input folder"),
        ("new", "lies in the input folder"),
        ("new/scores.csv", "lies in the input folder"),
        ("none/scores", "There is no folder"),
        ("none/scores.csv", "There is no folder"),
    ):
        refused(run("score", model, table, "--out", out, cwd=tmp_path), problem, ".")


def test_the_table_is_no_model(rows, tmp_path):
    table = write(rows, tmp_path / "new.csv")
    refused(
        run("score", table, table, "--out", "s", cwd=tmp_path),
        "is not a model file",
        "Pass a file that holds a saved model",
    )


def test_nothing_is_left_of_a_run_into_one_file_that_fails(rows, model, tmp_path):
    """Only a folder of parts goes on where it was: one file is made anew."""
    table = in_parts(rows, tmp_path / "new", 3)
    broken = table / "002.parquet"
    whole = broken.read_bytes()
    broken.write_bytes(whole[:2000])
    run("score", model, table, "--out", "scores.csv", cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    broken.write_bytes(whole)
    done = passed("score", model, table, "--out", "scores.csv", cwd=tmp_path)
    assert "by an earlier run" not in done.stderr


def test_nothing_is_left_of_a_run_into_one_file_that_is_interrupted(slow, tmp_path):
    model, table, _ = slow
    process = apart("score", model, table, "--out", "scores.csv", cwd=tmp_path)
    ends = time.monotonic() + 120
    while not list(tmp_path.glob(".onesided-*.parts/part-*")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < ends
        time.sleep(0.02)
    process.terminate()
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "continues from there" not in stderr
    assert list(tmp_path.iterdir()) == []
