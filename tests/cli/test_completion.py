"""Completion of verbs, options, methods and columns, as a shell asks for it."""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from onesided.cli import _completion
from onesided.formats import column_names
from onesided.methods import METHODS

PROGRAM = Path(sys.executable).with_name("onesided")
FRAME = pd.DataFrame({"gene": ["a"], "known": [1], "known by": [0], "size": [1.5]})


def completion_script(shell):
    return subprocess.run(
        [PROGRAM, "--show-completion", shell],
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def complete(line, cwd):
    """What bash offers after this line, by the script that the program prints for it."""
    script = f"""
{completion_script("bash")}
words=({line}); [[ "{line}" == *" " ]] && words+=("")
COMP_WORDS=("${{words[@]}}"); COMP_CWORD=$(( ${{#words[@]}} - 1 ))
function_name=$(complete -p onesided | sed 's/.*-F \\([^ ]*\\).*/\\1/')
$function_name onesided
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=cwd,
        env={**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    FRAME.to_csv(folder / "t.csv", index=False)
    FRAME.to_csv(folder / "t.tsv", index=False, sep="\t")
    FRAME.to_csv(folder / "semicolon.csv.gz", index=False, sep=";")
    FRAME.to_parquet(folder / "t.parquet")
    FRAME.to_json(folder / "t.jsonl", orient="records", lines=True)
    (folder / "parts").mkdir()
    FRAME.to_csv(folder / "parts" / "0.csv", index=False)
    (folder / "parts" / ".hidden").write_text("x")
    (folder / "empty.csv").write_text("")
    (folder / "torn.csv.gz").write_bytes(gzip.compress(b"gene,known")[:12])
    (folder / "binary.csv").write_bytes(bytes(range(256)))
    (folder / "broken.jsonl").write_text("{")
    return folder


needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="There is no bash.")


@needs_bash
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("onesided ra", ["rank"]),
        ("onesided rank --po", ["--positive", "--positive-table", "--positive-each"]),
        ("onesided rank t.csv --positive kn", ["known"]),
        ("onesided compare t.csv t.tsv --drop ", ["gene", "known", "size"]),
        ("onesided rank t.csv --method naive-bayes --method co", ["correlation"]),
        ("onesided prior t.csv --scenario case", ["case-control"]),
    ],
)
def test_in_bash(folder, line, expected):
    assert complete(line, folder) == expected


@pytest.mark.parametrize(
    "name", ["t.csv", "t.tsv", "semicolon.csv.gz", "t.parquet", "t.jsonl", "parts"]
)
def test_columns_of_each_format(folder, name):
    assert column_names(folder / name) == list(FRAME.columns)


@pytest.mark.parametrize(
    "name", ["empty.csv", "torn.csv.gz", "binary.csv", "broken.jsonl", "no.csv", "no.parquet"]
)
def test_a_table_that_cannot_be_read_offers_nothing(folder, name):
    class Context:
        params = {"table": None}  # noqa: RUF012 - as typer has it
        args = [str(folder / name)]  # noqa: RUF012 - read once

    assert _completion.complete_column(Context(), "") == []


def test_methods_are_all_methods():
    assert _completion.complete_method("") == list(METHODS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell):
    script = completion_script(shell)
    assert "onesided" in script
    assert "_ONESIDED_COMPLETE" in script


def test_learners_are_not_loaded(folder):
    """A shell waits."""
    code = "import sys, onesided.cli.__main__, onesided.cli._completion as c, pathlib; "
    code += f"c.column_names(pathlib.Path({str(folder / 't.csv')!r})); "
    code += "print({'numpy', 'pyarrow', 'sklearn', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
