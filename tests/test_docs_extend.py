"""What docs/extend/one_of_each.rst adds works in a clone, in as many places as its headings say."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "extend" / "one_of_each.rst"
_SECTIONS = dict(
    re.findall(
        r"^An? ([\w ]+): [^\n]*\n-+\n(.*?)(?=^An? [\w ]+: |\Z)",
        PAGE.read_text(encoding="utf-8"),
        flags=re.DOTALL | re.MULTILINE,
    )
)
_FILE = re.compile(r"^\.\. literalinclude:: (\S+)\n   :caption: (\S+)\n", re.MULTILINE)
_ENTRY = re.compile(
    r"^\.\. code-block:: python\n   :caption: (\w+) in (\S+)\n\n((?: {3}.*\n|\n)+)", re.MULTILINE
)
CARDS = "\n\n".join(
    f"name: r{n}\nsize: {n / 4}\nkind: {'red' if n % 3 else 'blue'}\nknown: {int(n >= 40)}"
    for n in range(60)
)


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the package, which has a table beside it."""
    clone = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT / "src" / "onesided", clone / "src" / "onesided")
    (clone / "t.cards").write_text(CARDS)
    rows = [dict(line.split(": ") for line in card.splitlines()) for card in CARDS.split("\n\n")]
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    (clone / "t.csv").write_text("\n".join(lines) + "\n")
    return clone


def add(clone, kind):
    """Do what a section says; numbers of new files and of files with an entry."""
    section = _SECTIONS[kind]
    new = {
        clone / target: (PAGE.parent / shown).resolve() for shown, target in _FILE.findall(section)
    }
    for target, shown in new.items():
        assert not target.exists()
        shutil.copy(shown, target)
    entries = _ENTRY.findall(section)
    for name, target, block in entries:
        enter(clone / target, name, re.sub(r"^ {3}", "", block, flags=re.MULTILINE).strip())
    return len(new), len(entries)


def enter(path, name, text):
    """Add an entry to a list, a loop or a class by its name, and the import to the others."""
    text, *rest = reversed(text.split("\n\n"))
    imports = rest[0] if rest else ""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    body = ast.parse("".join(lines)).body
    at = next(each for each in body if name in names_of(each))
    if isinstance(at, ast.ClassDef):
        lines.insert(at.end_lineno, "".join(f"    {line}\n" for line in text.splitlines()))
    else:
        value = at.iter if isinstance(at, ast.For) else at.value
        line = lines[value.end_lineno - 1]
        end = value.end_col_offset - 1
        before = "".join(lines[: value.end_lineno - 1]) + line[:end]
        comma = "" if before.rstrip().endswith(",") else ","
        lines[value.end_lineno - 1] = f"{line[:end]}{comma} {text}{line[end:]}"
    last = max(each.end_lineno for each in body if isinstance(each, ast.Import | ast.ImportFrom))
    lines.insert(last, f"{imports}\n")
    path.write_text("".join(lines), encoding="utf-8")


def names_of(statement):
    """What a statement defines, or loops by."""
    targets = {
        ast.Assign: lambda: statement.targets,
        ast.AnnAssign: lambda: [statement.target],
        ast.For: lambda: [statement.target],
        ast.ClassDef: lambda: [ast.Name(statement.name)],
    }.get(type(statement), list)()
    return {each.id for each in targets if isinstance(each, ast.Name)}


def python(clone, *arguments, path=()):
    """Run Python in the clone, which finds its own package first."""
    paths = [clone / "src", *path]
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=clone,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


IN_TURN = """
import json, sys
from command_line import few_draws, passed

with few_draws():
    done = [passed(*words, cwd=".") for words in json.loads(sys.argv[1])]
json.dump([[each.stdout, each.stderr] for each in done], sys.stdout)
"""


def onesided(clone, *commands, path=()):
    """Run commands in one process; what each says on stdout and on stderr."""
    words = json.dumps(commands)
    done = python(clone, "-c", IN_TURN, words, path=(*path, Path(__file__).parent))
    return json.loads(done.stdout)


RANKED = ("--positive", "known", "--id", "name", "--method", "logistic")


def test_headings_say_the_places():
    """A format, a method and a verb are one file and one entry, a promise at most three files."""
    shown = {
        kind: (len(_FILE.findall(text)), len(_ENTRY.findall(text)))
        for kind, text in _SECTIONS.items()
    }
    assert shown == {
        "file format": (1, 1),
        "method": (1, 1),
        "promise": (1, 2),
        "panel": (0, 0),
        "verb": (1, 1),
    }
    for kind, (n_files, n_entries) in shown.items():
        heading = re.search(rf"^An? {kind}: (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        entries = f"{n_entries} entr{'y' if n_entries == 1 else 'ies'}"
        asked = "1 module and 1 template" if kind == "panel" else f"{n_files} file and {entries}"
        assert heading[1] == asked


IN_PYTHON = """
import pyarrow as pa
from onesided import PositiveNaiveBayes, rank_table
from onesided.scoring import fit_table, score_table
from onesided.tables import read_table

table = read_table("t.cards")
assert table.column_names == ["name", "size", "kind", "known"]
assert table.schema.types == [pa.string(), pa.float64(), pa.string(), pa.int64()]
assert PositiveNaiveBayes().fit("codes.cards", y="known").n_features_in_ == 1
from_cards, from_csv = (
    rank_table(f"t.{ending}", "known", identifier="name", methods=["logistic"])
    for ending in ("cards", "csv")
)
assert from_cards.table.equals(from_csv.table)
model = fit_table("t.cards", "known", identifier="name", methods=["logistic"])
assert score_table(model, "t.cards", "scores.csv").n_rows == 60
"""


def test_a_format(clone):
    assert add(clone, "file format") == (1, 1)
    codes = "\n\n".join(f"kind: {n % 3}\nknown: {n // 40}" for n in range(60))
    (clone / "codes.cards").write_text(codes)
    python(clone, "-c", IN_PYTHON)
    onesided(clone, ("rank", "t.cards", *RANKED))
    assert len((clone / "t-ranking.csv").read_text().splitlines()) == 41
    assert completed(clone, "onesided rank t.cards --positive k") == ["kind", "known"]


def completed(clone, words):
    """What a shell offers for the last word."""
    asked = {
        "PYTHONPATH": str(clone / "src"),
        "_ONESIDED_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    program = "import sys; sys.argv[0] = 'onesided'; from onesided.cli.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=clone,
        env=os.environ | asked,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


def test_a_method(clone):
    assert add(clone, "method") == (1, 1)
    (part,) = re.findall(r"number of features::\n\n((?: {3}.*\n)+)", _SECTIONS["method"])
    enter(clone / "src" / "onesided" / "scoring" / "_model_parts.py", "PARTS", part)
    asked = ("t.csv", "--positive", "known", "--id", "name", "--method", "independence")
    (ranked, _), *_ = onesided(
        clone,
        ("rank", *asked, "--report", "r.html", "--json"),
        ("fit", *asked, "--out", "m.onesided"),
        ("score", "m.onesided", "t.csv", "--out", "s.csv"),
    )
    (method,) = json.loads(ranked)["result"]["methods"]
    assert method["name"] == "independence rule"
    assert "independence rule" in (clone / "r.html").read_text(encoding="utf-8")
    assert len((clone / "s.csv").read_text().splitlines()) == 61


def test_a_method_of_another_package(clone):
    """Nothing of the clone is changed."""
    (clone / "other-1.dist-info").mkdir()
    (clone / "other-1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: other\nVersion: 1\n"
    )
    (entry,) = re.findall(r"code-block:: toml\n\n.*\n {3}(.*)\n", _SECTIONS["method"])
    (clone / "other-1.dist-info" / "entry_points.txt").write_text(
        f"[onesided.methods]\n{entry.replace('independence =', 'other =').replace(chr(34), '')}\n"
    )
    path = (clone, ROOT / "examples" / "one_file")
    asked = ("--positive", "known", "--id", "name", "--json", "--method", "other")
    ((ranked, _),) = onesided(clone, ("rank", "t.csv", *asked), path=path)
    (method,) = json.loads(ranked)["result"]["methods"]
    assert method["name"] == "other"


def test_a_promise(clone):
    assert add(clone, "promise") == (1, 2)
    (_, ranked), _ = onesided(
        clone,
        ("rank", "t.csv", *RANKED, "--expected-recall", "80%", "--report", "r.html"),
        ("report", "r.json", "--out", "again.html"),
    )
    (said,) = re.findall(r"(\d+) rows hold at least 80% of the positives", ranked)
    page = (clone / "r.html").read_text(encoding="utf-8")
    assert f"{said} rows hold at least 80% of the positives, in expectation.</strong>" in page
    assert (clone / "again.html").read_text(encoding="utf-8") == page
    header, *rows = (clone / "t-ranking.csv").read_text().splitlines()
    assert header.endswith(',"in_expected_list"')
    marks = [row.split(",")[-1] for row in rows]
    assert marks.count("true") == int(said)
    assert len(marks) == 40


def test_a_verb(clone):
    assert add(clone, "verb") == (1, 1)
    (shown, _), _, (again, _) = onesided(
        clone,
        ("columns", "t.csv"),
        ("columns", "t.csv", "--quiet", "--save-config", "run.json"),
        ("columns", "--config", "run.json", "--json"),
    )
    assert shown.split("\n")[:2] == ["name: string", "size: double"]
    assert json.loads(again)["result"]["columns"]["known"] == "int64"
