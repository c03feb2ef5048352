"""What the README shows runs, and its commands are the ones that there are."""

import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_snippets_run(capsys):
    (snippet,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names = {}
    exec(snippet, names)  # noqa: S102 - our own README
    assert "hidden_positive_auc" in capsys.readouterr().out
    assert names["found"].hidden[names["found"].best_].auc > 0.75
    assert np.isfinite(names["scores"]).all()


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
