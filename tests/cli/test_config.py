"""`--save-config` and `--config`: a run that is recorded runs again, to the same bytes."""

import inspect
import json
import os
import shlex
import shutil
import subprocess
import sys
from typing import get_args

import pytest
import typer.main

from command_line import passed, refused, run
from every_verb import OUTPUTS, RUNS, make_inputs
from onesided import __version__
from onesided.cli.__main__ import app
from onesided.reproduce import _calvo2007

VERBS = typer.main.get_command(app).commands
MAY_DIFFER = "The results may differ."
SHARED = {"config", "save_config", "as_json", "verbose", "quiet", "help"}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    make_inputs(folder)
    return folder


@pytest.fixture
def folder(inputs, tmp_path):
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    return tmp_path


def contents(folder, names):
    """Bytes of each file, by its path."""
    found = {}
    for name in names:
        path = folder / name
        files = (
            sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        )
        found |= {str(each.relative_to(folder)): each.read_bytes() for each in files}
    return found


def test_every_verb_is_tried():
    assert set(RUNS) | {"reproduce"} == set(VERBS)  # reproduce is below


AGAIN = """
import json, sys
from command_line import few_draws, passed

ask = ("--config", "run.json", "--save-config", "again.json")
with few_draws():
    json.dump({verb: passed(verb, *ask, cwd=verb).stderr for verb in sys.argv[1:]}, sys.stdout)
"""


@pytest.fixture(scope="module")
def repeated(inputs, tmp_path_factory):
    """A folder a verb, what was written there, and what the same said in another process."""
    home = tmp_path_factory.mktemp("repeated")
    first = {}
    for verb in RUNS:
        folder = home / verb
        shutil.copytree(inputs, folder)
        before = {path.name for path in folder.iterdir()}
        passed(*RUNS[verb], "--save-config", "run.json", cwd=folder)
        assert {path.name for path in folder.iterdir()} - before == OUTPUTS[verb] | {"run.json"}
        first[verb] = contents(folder, OUTPUTS[verb])
        for name in OUTPUTS[verb]:
            shutil.rmtree(folder / name) if (folder / name).is_dir() else (folder / name).unlink()
    done = subprocess.run(
        [sys.executable, "-c", AGAIN, *RUNS],
        cwd=home,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return home, first, json.loads(done.stdout)


@pytest.mark.parametrize("verb", [*RUNS])
def test_same_bytes_in_another_process(repeated, verb):
    home, first, said = repeated
    assert MAY_DIFFER not in said[verb]
    second = contents(home / verb, OUTPUTS[verb])
    assert second.keys() == first[verb].keys()
    for name, content in second.items():
        assert content == first[verb][name], name
    assert (home / verb / "again.json").read_bytes() == (home / verb / "run.json").read_bytes()


def test_reproduce_again(data_dir, tmp_path, monkeypatch):
    monkeypatch.setattr(
        _calvo2007, "PRIORS", _calvo2007.PRIORS[:2]
    )  # the second, where it is quick
    databases, few = _calvo2007._databases, ("nursery", "acceptor")  # one is of splice sites
    monkeypatch.setattr(
        _calvo2007,
        "_databases",
        lambda data: (each for each in databases(data) if each.name in few),
    )
    ask = ["reproduce", "calvo2007", "--data", data_dir, "--out", "first", "--quick"]
    passed(*ask, "--draws", "1", "--save-config", "run.json", cwd=tmp_path)
    passed("reproduce", "--config", "run.json", "--out", "second", cwd=tmp_path)
    names = [path.name for path in (tmp_path / "first").iterdir() if path.is_file()]
    first, second = (contents(tmp_path / each, names) for each in ("first", "second"))
    assert "results.csv" in names
    assert first == second


def test_what_is_recorded(folder):
    """Every option of the verb, and the SHA-256 of the inputs as sha256sum prints it."""
    hidden = folder / "parts" / ".cache"
    hidden.mkdir()
    (hidden / "notes.csv").write_text("no part of the table")
    passed(*RUNS["score"], "--save-config", "run.json", cwd=folder)
    kept = json.loads((folder / "run.json").read_text())
    assert kept["onesided"] == __version__
    assert kept["verb"] == "score"
    assert kept["options"] == {
        "model": "kept.onesided",
        "table": "parts",
        "out": "scores",
        "id": None,
        "top": None,
        "positive": None,
        "gains": None,
        "skip-bad-lines": False,
        "workers": None,
        "cluster": None,
        "for-spreadsheet": False,
        "delimiter": None,
        "sheet": None,
    }
    sums = subprocess.run(
        ["sha256sum", "genes.csv", "more.csv"],
        cwd=folder / "parts",
        capture_output=True,
        check=True,
    ).stdout
    whole, model = (
        subprocess.run(["sha256sum", "-"], input=each, capture_output=True, check=True)
        .stdout.decode()
        .split()[0]
        for each in (sums, (folder / "kept.onesided").read_bytes())
    )
    assert kept["inputs"] == {"kept.onesided": model, "parts": whole}


@pytest.mark.parametrize("verb", [*VERBS])
def test_all_options_are_recorded(verb):
    """And each path is known to be read or to be written."""
    own = [each for each in VERBS[verb].params if each.name not in SHARED]
    asked = inspect.signature(VERBS[verb].callback).parameters
    assert {each.name for each in own} == set(asked) - SHARED - {"ctx"}
    outputs = {
        each.name
        for each in own
        if (each.help or "").startswith(("File for", "Folder for", "Where to write"))
    }
    assert outputs == VERBS[verb].callback.outputs != set()


ENDINGS = {
    "--out": {"fit": ".onesided", "report": ".html"},
    "--plot": {"compare": ".svg"},
    "--report": dict.fromkeys(VERBS, ".html"),
    "--page": dict.fromkeys(VERBS, ".html"),
    "--save-config": dict.fromkeys(VERBS, ".json"),
}
NEEDED = {
    "audit --by": ["--by", "a"],
    "audit --checked": ["--page", "p.html"],
    "prior": ["--scenario", "case-control"],
    "score --gains": ["--positive", "a"],
}
"""What an option needs beside it, to be looked at."""


def paths_of(verb):
    """The parameters of a verb that are paths or lists of paths."""
    asked = inspect.signature(VERBS[verb].callback).parameters
    return [
        each
        for each in VERBS[verb].params
        if each.name in asked and "Path" in str(get_args(asked[each.name].annotation)[:1])
    ]


def written_and_read():
    """Each option that writes, with each that reads; reproduce writes only into a folder."""
    for verb in set(VERBS) - {"reproduce"}:
        outputs = VERBS[verb].callback.outputs | {"save_config"}
        for written in (each for each in paths_of(verb) if each.name in outputs):
            for read in (each for each in paths_of(verb) if each.name not in outputs):
                if read.name != "config":
                    yield verb, written, read


@pytest.mark.parametrize(
    ("verb", "written", "read"),
    [
        pytest.param(*each, id=f"{each[0]} {each[1].opts[0]} {each[2].opts[0]}")
        for each in sorted(written_and_read(), key=lambda each: each[0])
    ],
)
def test_no_output_replaces_a_file_that_the_command_reads(tmp_path, verb, written, read):
    option = max(written.opts, key=len)
    path = tmp_path / f"given{ENDINGS.get(option, {}).get(verb, '.csv')}"
    path.write_bytes(b"row,rank,a\nx,1,1\ny,2,0\n")
    (tmp_path / "other.csv").write_bytes(path.read_bytes())
    ask, rest = [], []
    for each in VERBS[verb].params:
        at = "given" + path.suffix if each is read else "other.csv"
        if each.param_type_name == "argument":
            ask.append("calvo2007" if each.name == "paper" else at)
        elif each is read or (each.required and each in paths_of(verb)):
            rest += [max(each.opts, key=len), at]
    rest += [option, path.name, *NEEDED.get(verb, []), *NEEDED.get(f"{verb} {option}", [])]
    before = contents(tmp_path, ["other.csv", path.name])
    refused(run(verb, *ask, *rest, cwd=tmp_path), "is the input file", "Pass another name.")
    assert contents(tmp_path, [each.name for each in tmp_path.iterdir()]) == before


def test_the_command_line_wins(folder):
    passed(*RUNS["enrich"], "--drop", "size", "--save-config", "run.json", cwd=folder)
    ask = ["enrich", "--config", "run.json", "--json"]
    done = passed(*ask, "--out", "other.csv", "--drop", "charge", cwd=folder)
    command = json.loads(done.stdout)["command"].split()
    assert command[command.index("--out") + 1] == "other.csv"
    assert command[command.index("--drop") + 1] == "charge"
    assert command.count("--drop") == 1
    assert {"--with-columns", "--sets", "sets.gmt"} < set(command)
    assert len((folder / "other.csv").read_text().splitlines()) == 1 + 3


def test_an_empty_text_differs_from_no_text(folder):
    """Without --kind, a column with few values is looked for; with '' there are no kinds."""
    known = "id,text,kind\n" + "".join(
        f"{n},{'late parcel' if n % 2 else 'lost card'} {n},{'ab'[n % 2]}\n" for n in range(20)
    )
    (folder / "known.csv").write_text(known)
    ask = ["unexpected", "--known", "known.csv", "--new", "new.csv", "--id", "id"]
    ask += ["--text", "text", "--kind", "", "--report", "r.html", "--json"]
    done = passed(*ask, "--save-config", "run.json", cwd=folder)
    said = json.loads(done.stdout)
    assert "of 2 kinds" not in done.stderr
    assert "--kind '' " in said["command"]
    assert "--kind '' " in said["result"]["adopt"]
    assert json.loads((folder / "run.json").read_text())["options"]["kind"] == ""
    again = passed("unexpected", "--config", "run.json", cwd=folder)
    assert "of 2 kinds" not in again.stderr
    command = shlex.split(said["command"])[1:]
    assert "of 2 kinds" not in passed(*command, cwd=folder).stderr
    ask = ["--positive", "known", "--id", "gene", "--missing", "", "--missing", "7", "--json"]
    done = passed("enrich", "genes.csv", *ask, "--save-config", "e.json", cwd=folder)
    assert "--missing '' --missing 7" in json.loads(done.stdout)["command"]
    assert json.loads((folder / "e.json").read_text())["options"]["missing"] == ["", "7"]


def test_another_table_has_its_own_name(folder):
    """A default that follows from the table is not written down."""
    passed("enrich", "genes.csv", "--positive", "known", "--save-config", "run.json", cwd=folder)
    done = passed("enrich", "more.csv", "--config", "run.json", cwd=folder)
    assert done.stdout == "more-enrichment.csv\n"
    assert "warning: The" not in done.stderr


def test_what_differs_is_said(folder):
    passed(*RUNS["enrich"], "--save-config", "run.json", cwd=folder)
    kept = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**kept, "onesided": "0.0.1"}))
    (folder / "sets.gmt").write_text((folder / "sets.gmt").read_text() + "\n")
    done = passed("enrich", "--config", "run.json", "-q", cwd=folder)
    versions = f"The run was saved by onesided 0.0.1, but this is onesided {__version__}."
    changed = "The content of the input 'sets.gmt' has changed since the run was saved."
    assert done.stderr.splitlines() == [
        f"warning: {versions} {MAY_DIFFER}",
        f"warning: {changed} {MAY_DIFFER}",
    ]


GOOD = {"onesided": __version__, "verb": "enrich", "options": {}, "inputs": {}}
BAD = {
    "no file": (None, "cannot be read: No such file", "--save-config FILE"),
    "no JSON": ("{", "is not valid JSON", "Correct the file"),
    "another encoding": (b"\xff\xfe{", "is not valid JSON", "Correct the file"),
    "an array": ("[1]", "has no entry 'options'", "Write the config file again with"),
    "no options": ({"options": 3}, "has no entry 'options'", "Write the config file again with"),
    "no verb": ({"verb": None}, "has no entry 'verb'", "Write the config file again with"),
    "another verb": (
        {"verb": "rank"},
        "was saved by onesided rank, not by onesided enrich",
        "Run onesided rank",
    ),
    "unknown option": (
        {"options": {"resample": 9}},
        "has the option 'resample', which onesided enrich does not have",
        "Did you mean 'resamples'?",
    ),
    "shared option": ({"options": {"quiet": True}}, "has the option 'quiet'", "Remove this option"),
    "a list": ({"options": {"seed": [1]}}, "sets 'seed' to [1]", "a text or a number"),
    "no list": ({"options": {"drop": "a"}}, "sets 'drop' to \"a\"", "a list"),
    "list of lists": ({"options": {"drop": [["a"]]}}, "sets 'drop' to [[\"a\"]]", "a list"),
    "no switch": ({"options": {"with-columns": "yes"}}, 'to "yes"', "true or false"),
    "a switch": ({"options": {"seed": True}}, "sets 'seed' to true", "a text or a number"),
}


@pytest.mark.parametrize("name", [*BAD])
def test_a_config_that_cannot_be_used(tmp_path, name):
    content, problem, mend = BAD[name]
    if isinstance(content, dict):
        content = json.dumps({**GOOD, **content})
    if content is not None:
        encoded = content if isinstance(content, bytes) else content.encode()
        (tmp_path / "run.json").write_bytes(encoded)
    refused(run("enrich", "--config", "run.json", cwd=tmp_path), problem, mend)


def test_a_value_is_checked_as_a_typed_one(tmp_path):
    content = {**GOOD, "options": {"table": "t.csv", "top": 0}}
    (tmp_path / "run.json").write_text(json.dumps(content))
    done = run("enrich", "--config", "run.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "Invalid value for '--top'" in done.stderr


@pytest.mark.parametrize(
    ("path", "problem", "mend"),
    [
        ("run.toml", "does not end in .json", "ending"),
        ("no/run.json", "There is no folder", "Make this folder first"),
        (
            "rank.json",
            "'rank.json' is the file that will hold the data of the report.",
            "another name",
        ),
    ],
)
def test_a_config_that_cannot_be_written(folder, path, problem, mend):
    """Said before the work."""
    done = run(*RUNS["rank"], "--save-config", path, cwd=folder)
    refused(done, problem, mend)
    assert "rows" not in done.stderr
    assert not (folder / "papers-ranking.csv").exists()


def test_all_or_nothing(folder, monkeypatch):
    """A disk that is full when the config is written leaves the old table."""

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("onesided.tables.write_text", fail)
    (folder / "genes-enrichment.csv").write_text("old")
    ask = ["enrich", "genes.csv", "--positive", "known", "--drop", "gene"]
    done = run(*ask, "--save-config", "run.json", cwd=folder)
    refused(done, "cannot be written: No space left on device", "Free")
    assert (folder / "genes-enrichment.csv").read_text() == "old"
    assert not (folder / "run.json").exists()
