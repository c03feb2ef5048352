"""Runs a command in a folder of its own, and compares texts but for the last digits of numbers."""

import contextlib
import json
import math
import os
import re
import shutil
import tomllib
import zipfile
from itertools import zip_longest
from pathlib import Path

import pyarrow.parquet as pq
import sklearn
from typer.testing import CliRunner

import onesided
from onesided.cli.__main__ import app

EXPECTED = Path(__file__).parent / "expected"
_ACCEPTED = Path(__file__).parent / "accepted.toml"
_WIDTH = "80"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_SHORT = 8  # characters of a number that must be the same on each machine
_RELATIVE, _ABSOLUTE = 1e-6, 1e-9
_MASKS = (
    (re.compile(r"\x1b\[[\d;]*m"), ""),
    (re.compile(r"^ .*: [\d,]+ of [\d,]+, [\d:]+; [\d:]+ left\n", re.MULTILINE), ""),  # slow work
    (re.compile(r"\b[\d,]+ a second"), "RATE a second"),
    (re.compile(r'("seconds": )[\d.e-]+'), r"\1SECONDS"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "SHA-256"),
    (re.compile(rf'"{re.escape(onesided.__version__)}"'), '"VERSION"'),
    (re.compile(rf'"{re.escape(sklearn.__version__)}"'), '"VERSION"'),
    (re.compile(rf"\bonesided {re.escape(onesided.__version__)}"), "onesided VERSION"),
)
_TIMED, _LAST_COLUMN = (re.compile(each, re.MULTILINE) for each in (r" seconds$", r" +\d+\.\d$"))


def run(words, folder, stdin=""):
    """Run a command in this process; an exception that is no exit is a defect, and raised."""
    with contextlib.chdir(folder):
        done = CliRunner(env={"COLUMNS": _WIDTH}).invoke(app, words, input=stdin)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def replay(command, inputs, folder):
    """What a command says and writes, as texts by name of a file.

    Parameters
    ----------
    command : of `commands.COMMANDS`
    inputs : folder with the files that the command reads
    folder : to make and run the command in
    """
    shutil.copytree(inputs, folder)
    if command.before:
        before = run(command.before.split(), folder)
        assert before.exit_code == 0, before.stderr
    done = run(command.words, folder, command.stdin)
    said = {"stdout": done.stdout, "stderr": done.stderr, "exit": f"{done.exit_code}\n"}
    found = {
        f"files/{path.relative_to(folder).as_posix()}.txt": _as_text(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and _is_new(path, inputs / path.relative_to(folder))
    }
    places = re.compile("|".join(map(re.escape, {str(folder), os.path.realpath(folder)})))
    return {
        name: _masked(places.sub("FOLDER", text)) for name, text in (said | found).items() if text
    }


def expected(name):
    """What a command said and wrote when it was recorded, with the changes that are accepted."""
    folder = EXPECTED / name
    texts = {
        path.relative_to(folder).as_posix(): path.read_bytes().decode()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    for change in tomllib.loads(_ACCEPTED.read_text(encoding="utf-8")).get("accepted", []):
        if change["command"] in {name, "*"}:
            old, new = change["old"], change["new"]
            texts = {part: text.replace(old, new) for part, text in texts.items()}
    return texts


def difference(recorded, found):
    """The first line that differs, empty where none does.

    Parameters
    ----------
    recorded, found : texts, in which long numbers may differ by little
    """
    if _alike(recorded, found):
        return ""
    pairs = zip_longest(recorded.splitlines(keepends=True), found.splitlines(keepends=True))
    for number, (old, new) in enumerate(pairs, start=1):
        if old is None or new is None or not _alike(old, new):
            return f"line {number}: recorded {old!r}, found {new!r}"
    raise AssertionError(recorded)


def _alike(recorded, found):
    """Whether two texts are equal but for the last digits of long numbers."""
    if recorded == found:
        return True
    if _NUMBER.split(recorded) != _NUMBER.split(found):
        return False
    pairs = zip(_NUMBER.findall(recorded), _NUMBER.findall(found), strict=True)
    return all(old == new or _close(old, new) for old, new in pairs)


def _close(old, new):
    """Whether one of two numbers with a fraction is long, and they are equal but for rounding."""
    if max(map(len, (old, new))) <= _SHORT or not all(set(each) & set(".e") for each in (old, new)):
        return False
    return math.isclose(float(old), float(new), rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def _is_new(path, given):
    """Whether a file is none of the inputs, or is no longer as it was given."""
    return not given.is_file() or given.read_bytes() != path.read_bytes()


def _as_text(path):
    """The content of a file as text; of pages and pictures no more than that there is some."""
    if path.suffix in {".html", ".svg", ".png"}:
        return "something\n" if path.stat().st_size else "nothing\n"
    if path.suffix == ".onesided":
        with zipfile.ZipFile(path) as file:
            return file.read("onesided.json").decode()
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        rows = [json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist()]
        return "\n".join([table.schema.to_string(show_schema_metadata=False), *rows, ""])
    if path.suffix == ".json":
        return json.dumps(json.loads(path.read_bytes()), indent=1, ensure_ascii=False) + "\n"
    return path.read_bytes().decode()


def _masked(text):
    """The text without times, versions and digests."""
    for pattern, instead in _MASKS:
        text = pattern.sub(instead, text)
    if _TIMED.search(text):
        text = _LAST_COLUMN.sub(" TIME", text)
    return text
