"""Standard streams that are closed or full, and paths that are no files: one sentence, or none."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import passed, refused, replaced, run
from every_verb import LABEL, make_inputs

ASK = ("genes.csv", *LABEL, "--id", "gene", "--method", "center-of-mass")
RANK = ("rank", *ASK, "--out", "o.csv")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    make_inputs(folder)
    passed(*RANK, cwd=folder)
    (folder / "o.csv").rename(folder / "expected.csv")
    return folder


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def in_shell(line, cwd):
    """A line of bash; $O is the command."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=cwd,
        env=os.environ | {"O": f"{sys.executable} -m onesided", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


ranked = "$O " + " ".join(RANK)
STREAMS = {
    "reader is gone": (f"{ranked} | head -0", 0),
    "reader of all is gone": (f"{ranked} -v 2>&1 | head -1", 0),
    "errors go nowhere": (f"{ranked} 2>/dev/full", 0),
    "all is closed": (f"{ranked} >&- 2>&- <&-", 0),
    "results go nowhere": (f"{ranked} >/dev/full", 2),
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("name", STREAMS)
def test_the_work_is_done_whatever_the_streams_are(name, folder):
    line, code = STREAMS[name]
    done = in_shell(line, folder)
    assert done.returncode == code, done.stderr
    assert (folder / "o.csv").read_bytes() == (folder / "expected.csv").read_bytes()
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    if code:
        refused(done, "Standard output cannot be written: No space left", "another place")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_stream_of_scores_whose_reader_has_enough(folder):
    score = "$O score kept.onesided - <genes.csv"
    assert in_shell(f"{score} | head -1", folder).returncode == 0
    done = in_shell(f"{score} >/dev/full", folder)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "onesided: Standard output cannot be written: No space left" in done.stderr


def pipe(path):
    os.mkfifo(path)


def loop(path):
    path.symlink_to(path.name)


def dangling(path):
    path.symlink_to("none/where.csv")


def into_a_loop(path):
    path.parent.joinpath("way").symlink_to("way")
    path.symlink_to("way/o.csv")


PLACES = {
    "pipe": pipe,
    "loop": loop,
    "dangling": dangling,
    "way": into_a_loop,
    "folder": Path.mkdir,
}
ROLES = {
    "table": ("rank", "odd.csv", *LABEL, "--out", "o.csv"),
    "positives": ("rank", "genes.csv", "--positive-table", "odd.csv", "--out", "o.csv"),
    "out": ("rank", *ASK, "--out", "odd.csv"),
    "gains": (*RANK, "--gains", "odd.csv"),
    "report": (*RANK, "--report", "odd.html"),
    "save": (*RANK, "--save-config", "odd.json"),
    "config": (*RANK, "--config", "odd.json"),
    "model": ("score", "odd.onesided", "genes.csv", "--out", "o.csv"),
    "scores": ("score", "kept.onesided", "genes.csv", "--out", "odd.csv"),
    "kept": ("fit", *ASK, "--out", "odd.onesided"),
}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("place", PLACES)
def test_places_that_are_no_files(place, role, folder):
    name = next(each for each in ROLES[role] if each.startswith("odd"))
    PLACES[place](folder / name)
    before = {path.name for path in folder.iterdir()}
    done = run(*ROLES[role], cwd=folder)
    if (place, role) == ("folder", "scores"):
        assert done.returncode == 0  # it gets the parts
        return
    refused(done, "odd" if place != "folder" else "", "")
    assert "hidden-positive AUC" not in done.stderr  # before the work
    assert {path.name for path in folder.iterdir()} == before


@pytest.mark.parametrize("role", ROLES)
def test_names_that_no_file_can_have(role, folder):
    done = run(
        *(f"{'x' * 300}{each}" if each[:3] == "odd" else each for each in ROLES[role]), cwd=folder
    )
    refused(done, "File name too long", "")


@pytest.mark.parametrize("option", ["--positive", "--id", "--positive-each"])
def test_an_option_that_is_no_text(option, folder):
    ask = replaced(LABEL, [option, "a\udcff", "--out", "o.csv"])
    done = run("rank", "genes.csv", *ask, cwd=folder)
    refused(done, "is not UTF-8 text", "UTF-8")


VALUES = (None, True, -1, 1e400, "", "a\0b", "\ud800", [], ["a"], {"a": 1}, 10**30, "9" * 5000)
CONTENTS = {
    "bytes": b"\xff\xfe{",
    "digits": b"1" * 6000,
    "deep": b'{"a":' * 50_000,
    "null": b"null",
    "marked": b"\xef\xbb\xbf",
}


def test_configs_of_any_content(folder):
    """Each entry has each value in turn; a config is used, or refused in one sentence."""
    passed(*RANK, "--save-config", "c.json", cwd=folder)
    config = json.loads((folder / "c.json").read_text())
    texts = dict(CONTENTS)
    audit = ("audit", "o.csv", "--draw", "9", "--sheet", "check.csv")
    passed(*audit, "--save-config", "a.json", cwd=folder)
    quick = json.loads((folder / "a.json").read_text())
    for entry in quick:
        texts |= {(entry, str(value)[:9]): {**quick, entry: value} for value in VALUES}
    for at, name in enumerate(config["options"]):
        value = VALUES[at % len(VALUES)]
        texts[name] = {**config, "options": {**config["options"], name: value}}
    shutil.copy(folder / "o.csv", folder / "kept.csv")
    for what, text in texts.items():
        is_raw = isinstance(text, bytes)
        (folder / "odd.json").write_bytes(text if is_raw else json.dumps(text).encode())
        before = {path.name for path in folder.iterdir()}
        done = run("rank", "genes.csv", "--config", "odd.json", cwd=folder)
        assert done.returncode in (0, 2), what
        assert "Traceback" not in done.stderr, what
        new = {path.name for path in folder.iterdir()} - before
        assert done.returncode == 0 or not new, what
        for path in new:
            (folder / path).unlink()
