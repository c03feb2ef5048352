"""`onesided score MODEL - --out -`: rows scored as they come."""

import io
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from command_line import passed, refused, run
from onesided._files._csv import CSV
from onesided._files._lines import CellLines
from onesided.cli.__main__ import app
from onesided.exceptions import TableError
from onesided.scoring import Stream, fit_table, load_model


@pytest.fixture(scope="module")
def letters():
    rng = np.random.default_rng(20040830)
    truth = rng.random(400) < 0.4
    words = np.array(["parcel", "invoice", "login", "refund"])
    return pd.DataFrame(
        {
            "letter": [f"{row:04}" for row in range(400)],
            "pages": rng.poisson(2, 400) + 2 * truth,
            "urgent": rng.random(400) < 0.2 + 0.5 * truth,
            "desk": np.where(rng.random(400) < 0.8, np.where(truth, "north", "south"), "west"),
            "text": [
                f"about my {'broken' if t else 'late'} {rng.choice(words)} again, please"
                for t in truth
            ],
            "complaint": (truth & (rng.random(400) < 0.5)).astype(int),
        }
    )


@pytest.fixture(scope="module")
def model(letters, tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    letters.to_csv(folder / "letters.csv", index=False)
    passed(
        *("fit", "letters.csv", "--positive", "complaint", "--id", "letter"),
        *("--method", "naive-bayes", "--out", "desk.onesided"),
        cwd=folder,
    )
    return folder / "desk.onesided"


@pytest.fixture(scope="module")
def expected(letters, model):
    kept = load_model(model)
    names = [column.name for column in kept.features]
    return kept.pipeline.decision_function(pa.Table.from_pandas(letters[names]))


def as_csv(frame):
    return frame.drop(columns="complaint").to_csv(index=False)


def as_json(frame):
    return frame.drop(columns="complaint").to_json(orient="records", lines=True)


def stream(model, text, *more):
    return CliRunner().invoke(app, ["score", str(model), "-", "--out", "-", *more], input=text)


def test_lines_of_csv(letters, model, expected):
    done = stream(model, as_csv(letters))
    unlabeled = expected[letters["complaint"] == 0]
    below = (unlabeled < expected[:, None]).mean(axis=1)
    share_below = ((below + (unlabeled <= expected[:, None]).mean(axis=1)) / 2).round(4)
    header, first = done.stdout.splitlines()[:2]
    assert header == "letter,score,share_below"
    assert first.startswith(f"0000,{float(expected[0])!r},0.")
    found = pd.read_csv(io.StringIO(done.stdout), dtype={"letter": str})
    assert_allclose(found["share_below"], share_below, atol=1e-4)
    assert found["letter"].tolist() == letters["letter"].tolist()
    assert_allclose(found["score"], expected, rtol=1e-12)
    assert "Scored 400 rows" in done.stderr
    assert "the scores have not changed" in done.stderr


@pytest.mark.parametrize("size", [1, 10_000])
@pytest.mark.parametrize("named", [["--id", "letter"], []], ids=["named", "numbered"])
def test_the_line_of_excel_names_the_delimiter(named, size, letters, model):
    """A stream reads sep=; before its header, as a file does; it may arrive alone."""
    text = as_csv(letters[:5] if named else letters[:5].drop(columns="letter"))
    cells = text.replace(",", ";").replace("; please", ", please")
    expected = stream(model, text, *named).stdout.replace(",", ";").splitlines()
    assert len(expected) == 6
    assert stream(model, f"sep=;\n{cells}", *named).stdout.splitlines() == expected
    pipe = Pipe(f"sep=;\n{cells}".encode(), size)
    found = [each for lines in Stream(load_model(model)).score(pipe) for each in lines]
    assert found == expected


@pytest.mark.parametrize("header", ["id;a,b", "id,a;b", "id|a,b", 'id;"a,b,c"', "id\ta;b,c"])
def test_a_header_is_cut_as_in_a_file(header, tmp_path):
    (tmp_path / "t.csv").write_text(f"{header}\n")
    assert CellLines(header, None, ()).names == CSV.column_names(tmp_path / "t.csv")


def test_lines_of_json(letters, model, expected):
    done = stream(model, as_json(letters))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["letter"] for each in found] == letters["letter"].tolist()
    assert_allclose([each["score"] for each in found], expected, rtol=1e-12)


def test_no_identifier_and_gaps(letters, model):
    """Cells that are missing, in each form; rows are numbered."""
    some = letters.drop(columns="letter").astype(object)[:5]
    some.loc[1, "pages"] = some.loc[2, "desk"] = some.loc[3, "urgent"] = None
    scores = [
        [json.loads(line)["score"] for line in stream(model, as_json(some)).stdout.splitlines()],
        pd.read_csv(io.StringIO(stream(model, as_csv(some)).stdout))["score"].tolist(),
    ]
    assert scores[0] == scores[1]
    assert len(set(scores[0])) > 1
    found = pd.read_csv(io.StringIO(stream(model, as_csv(some)).stdout))
    assert found["row"].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("form", [as_csv, as_json])
def test_rows_without_any_cell_are_not_scored(form, letters, model):
    """As in files; a line that is blank is no row either."""
    some = letters.drop(columns="letter").astype(object)[:5]
    some.loc[1:2] = None
    done = stream(model, form(some).replace("\n", "\n\n", 1))
    assert len(done.stdout.splitlines()) == 3 + (form is as_csv)
    assert "Rows without any cell, left out: 2." in done.stderr
    assert "Scored 3 rows" in done.stderr


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
@pytest.mark.parametrize("form", [as_csv, as_json])
def test_ends_of_lines(end, form, letters, model):
    """However the lines are cut: a line ends where its carriage return comes."""
    some = letters[:9]
    right = [
        line
        for each in Stream(load_model(model)).score(io.BytesIO(form(some).encode()))
        for line in each
    ]
    content = form(some).replace("\n", end).encode()
    for size in (1, 2, 7, 4096):

        class Cut(io.BytesIO):
            def read1(self, _=-1, size=size):
                return self.read(size)

        found = [line for each in Stream(load_model(model)).score(Cut(content)) for line in each]
        assert found == right


def test_decimal_marks_of_a_stream(tmp_path):
    """A line alone does not tell what 1,234 is, so the marks are those that the model learned."""
    table = pd.DataFrame({"a": np.arange(40) % 7 + 0.5, "y": [0, 1] * 20})
    for decimal, delimiter in ((".", ","), (",", ";")):
        path = tmp_path / f"t{delimiter}.csv"
        table.to_csv(path, sep=delimiter, decimal=decimal, index=False)
        found = fit_table(path, "y", methods=["naive-bayes"])
        cell = "3,5" if decimal == "." else "3.5"
        with pytest.raises(
            TableError, match=rf"holds '{cell}'.* must have the decimal mark '\{decimal}'"
        ):
            list(Stream(found).score(io.BytesIO(f"a;b\n{cell};1\n".encode())))
        with pytest.raises(
            TableError, match=r"holds 'x'; the model learned from numbers[^.]*\. Correct"
        ):
            list(Stream(found).score(io.BytesIO(b"a;b\nx;1\n")))


REST = '"urgent": null, "text": "about it"'
BAD_JSON = [
    (f'{{"pages": "two", "desk": null, {REST}}}', "Column 'pages' holds 'two'; the model learned"),
    (f'{{"pages": 1e999, "desk": null, {REST}}}', "Column 'pages' holds inf; the model learned"),
    (f'{{"pages": 2, "desk": 3, {REST}}}', "Column 'desk' holds 3; the model learned from categor"),
    ("{pages: 2}", "The line is not a JSON object, with each name once: '{pages: 2}'."),
    ("[2]", "The line is not a JSON object, with each name once: '[2]'."),
    ('{"pages": 2, "pages": 3}', "The line is not a JSON object, with each name once: "),
    (r'{"letter": "\ud800"}', "The line holds half a character, as in \\ud800, which is not text"),
    (f'{{"pages": 2, {REST}}}', "The line has no column 'desk'. Write null for a missing value."),
    (
        '{"colour": 1}',
        "The line has no column 'pages', nor 3 other columns that the model learned",
    ),
]


@pytest.mark.parametrize(("line", "problem"), BAD_JSON)
def test_a_bad_line_of_json(line, problem, letters, model):
    good = as_json(letters[:6]).splitlines()
    text = "\n".join([*good[:3], line, *good[3:]])
    done = stream(model, text)
    assert done.exit_code == 2
    assert f"onesided: Line 4: {problem}" in done.stderr
    assert "--skip-bad-lines" in done.stderr
    assert [json.loads(each)["letter"] for each in done.stdout.splitlines()] == [
        *("0000", "0001", "0002")
    ]
    done = stream(model, text, "--skip-bad-lines")
    assert done.exit_code == 0
    assert f"line 4 is skipped: {problem}" in done.stderr
    assert [json.loads(each)["letter"] for each in done.stdout.splitlines()] == [
        f"{row:04}" for row in range(6)
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("0007,many,True,north,about it", "Column 'pages' holds 'many'"),
        ("0007,2,True,north", "The number of cells differs from that of the header:"),
        (
            '0007,2,True,north,"about it',
            "A quotation mark is not closed, and each row of a stream must be one l",
        ),
        ("0007,2,maybe,north,about it", "Column 'urgent' holds 'maybe'"),
    ],
)
def test_a_bad_line_of_csv(line, problem, letters, model):
    text = as_csv(letters[:2]) + line + "\n" + as_csv(letters[2:3]).splitlines()[1]
    done = stream(model, text, "--skip-bad-lines")
    assert f"line 4 is skipped: {problem}" in done.stderr
    assert "warning: 1 line was skipped." in done.stderr
    found = pd.read_csv(io.StringIO(done.stdout), dtype=str)
    assert found["letter"].tolist() == ["0000", "0001", "0002"]


class Pipe:
    """Holds now this, now that; knows what was read of it."""

    def __init__(self, content, size):
        self._chunks = [content[at : at + size] for at in range(0, len(content), size)]
        self.read = b""

    def read1(self, most):
        chunk = self._chunks.pop(0) if self._chunks else b""
        assert len(chunk) <= most
        self.read += chunk
        return chunk


@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
def test_what_is_there_is_scored_before_more_is_read(size, letters, model):
    """A slow stream is not held back, wherever it is cut; not even inside a letter."""
    text = as_csv(letters[:9].assign(text="ä " + letters["text"]))
    pipe, found = Pipe(text.encode(), size), []
    for lines in Stream(load_model(model)).score(pipe):
        found += lines
        assert len(found) in (1, pipe.read.count(b"\n"))  # the header stands alone
    assert found == stream(model, text).stdout.splitlines()
    assert len(found) == 10


def test_a_process_that_streams(letters, model):
    """A line goes in, its score comes out while the pipe is open; Ctrl-C and SIGPIPE are clean."""
    command = [sys.executable, "-m", "onesided", "score", str(model), "-", "--out", "-"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:
        lines = as_json(letters[:3]).splitlines()
        for line in lines:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["letter"] == json.loads(line)["letter"]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        said = process.stderr.read()
        assert "Scored 3 rows" in said
        assert "Traceback" not in said
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:
        process.stdin.write(lines[0] + "\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(lines[0] + "\n")
        process.stdin.close()
        process.wait(30)
        said = process.stderr.read()
        assert "Traceback" not in said
        assert "Exception ignored" not in said


def test_standard_output_is_the_default(letters, model):
    text = as_csv(letters[:3])
    done = CliRunner().invoke(app, ["score", str(model), "-"], input=text)
    assert done.exit_code == 0
    assert done.stdout == stream(model, text).stdout


def test_what_is_refused(letters, model, tmp_path):
    def is_refused(text, problem, mend, *more):
        done = stream(model, text, *more)
        assert done.exit_code == 2
        first, second = done.stderr.strip().splitlines()[-2:]
        assert problem in first
        assert mend in second

    is_refused("", "Standard input holds no row", "lines of JSON or CSV")
    is_refused("letter,pages\n1,2\n", "no column 'urgent'", "--drop urgent")
    is_refused('a,"b\n', "neither a JSON object nor a header", "JSON or CSV")
    is_refused(as_csv(letters), "no 'gene' to name the rows", "--id", "--id", "gene")
    is_refused(as_csv(letters), "--top works only for a table,", "Leave --top out", "--top", "3")
    letters.to_csv(tmp_path / "letters.csv", index=False)
    done = run("score", model, "-", "--out", "o.csv", cwd=tmp_path)
    refused(done, "go to standard output, not to 'o.csv'", "--out -")
    done = run("score", model, "letters.csv", "--out", "-", cwd=tmp_path)
    refused(
        done,
        "'letters.csv' is a table, and --out - works only for a stream.",
        "onesided score MODEL -",
    )
    done = run("score", model, "letters.csv", "--out", "o.csv", "--skip-bad-lines", cwd=tmp_path)
    refused(done, "--skip-bad-lines works only for a stream.", "TABLE")
