"""What the README shows runs, and its commands are the ones that there are."""

import gzip
import re
from pathlib import Path

import numpy as np

from command_line import few_draws, passed
from onesided.tables import write_table

ROOT = Path(__file__).parents[1]
GENES = ROOT / "examples" / "yeast" / "genes.csv.gz"
README = (ROOT / "README.md").read_text(encoding="utf-8")


MAIN_JOB, ARRAYS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_the_main_job_is_as_short_as_the_command(capsys, tmp_path, monkeypatch):
    """And it writes the same ranking, page and numbers, with the same command in the page."""
    folders = [tmp_path / "called", tmp_path / "asked"]
    header, *genes = gzip.decompress(GENES.read_bytes()).splitlines(keepends=True)
    known = [gene.split(b",")[1] == b"1" for gene in genes]
    some = [gene for row, gene in enumerate(genes) if known[row] or row % 6 == 0]
    packed = gzip.compress(header + b"".join(some))
    for folder in folders:
        part = folder / GENES.relative_to(ROOT)
        part.parent.mkdir(parents=True)
        part.write_bytes(packed)
    monkeypatch.chdir(folders[0])
    assert len(MAIN_JOB.splitlines()) <= 10
    names = {}
    with few_draws():
        exec(MAIN_JOB, names)  # noqa: S102 - our own README
    assert "average of methods is taken: AUC 0.9" in capsys.readouterr().out
    assert len(names["ranking"].to_frame("pandas")) == len(some) - sum(known) > 1000
    write_table(names["ranking"].to_frame("pyarrow"), "genes-ranking.csv")
    asked = "examples/yeast/genes.csv.gz --positive known_target --id gene"
    shown = re.sub(r"(--[a-z_-]+)", r'<span class="option">\1</span>', asked)
    with few_draws():
        passed("rank", *asked.split(), "--report", "genes-report.html", cwd=folders[1])
    for name in ("genes-ranking.csv", "genes-report.html", "genes-report.json"):
        mine, theirs = ((folder / name).read_text(encoding="utf-8") for folder in folders)
        for command, line in ((shown, "\n"), (asked, "\\n")):  # no file of a ranking in Python
            mine = mine.replace(f"onesided rank {command}{line}onesided audit", "onesided audit")
        assert mine == theirs, name
    assert f"onesided rank {shown}" in Path("genes-report.html").read_text(encoding="utf-8")


def test_the_snippet_of_arrays_runs(capsys):
    names = {}
    exec(ARRAYS, names)  # noqa: S102 - our own README
    assert "hidden_positive_auc" in capsys.readouterr().out
    assert names["found"].hidden[names["found"].best_].auc > 0.75
    assert names["candidates"].shape == (int((names["problem"].y == 0).sum()), 20)
    assert np.isfinite(names["unlabeled"].scores).all()


def test_quick_start_has_two_commands():
    section = README.split("## Quick start")[1].split("\n## ")[0]
    commands = re.findall(r"^    (\S.*)$", section, flags=re.MULTILINE)
    assert commands == ["python3 develop.py example", "python3 develop.py test"]
    assert '"example": example, "test": test' in (ROOT / "develop.py").read_text(encoding="utf-8")


def test_no_address_of_a_registry_and_no_path_of_a_machine():
    for path in [*ROOT.glob("*.toml"), *ROOT.glob("*.txt"), *ROOT.glob("*.md"), ROOT / ".ci/run"]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://\S*/(simple|packages)/|index-url", text), path
        assert not re.search(r"(^|[\s\"'])/(root|home|work)/", text), path
