"""Records what the commands do now: ``python tests/golden/record.py``.

With ``--kept`` it makes the kept models and page data anew, which only a change of their form asks
for: they stand for the files that users have.
"""

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from golden.commands import COMMANDS, MODELS, PAGES
from golden.inputs import (
    KEPT,
    as_csv,
    as_svmlight,
    cases,
    genes,
    make_inputs,
    notes,
    papers,
)
from golden.replay import EXPECTED, replay, run


def record() -> None:
    """Write what each command says and writes into its folder."""
    shutil.rmtree(EXPECTED, ignore_errors=True)
    with tempfile.TemporaryDirectory() as made:
        make_inputs(Path(made))
        for name, command in COMMANDS.items():
            with tempfile.TemporaryDirectory() as folder:
                for part, text in replay(command, Path(made), Path(folder) / "here").items():
                    path = EXPECTED / name / part
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(text.encode())


def keep() -> None:
    """Write the kept models, tables, scores and page data; folders in it stay as they are."""
    KEPT.mkdir(exist_ok=True)
    texts = {
        "kept-genes.csv": as_csv(genes(0, 60)),
        "kept-few.csv": as_csv(genes(0, 30)),
        "kept-cases.csv": as_csv(cases(60), ";"),
        "kept-papers.csv": as_csv(papers(60)),
        "kept-notes.csv": as_csv(notes(60)),
        "kept-vectors.svm": as_svmlight(60),
    }
    for name, text in texts.items():
        (KEPT / name).write_bytes(text.encode())
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        make_inputs(folder)
        for method, line in MODELS.items():
            model, table = f"{method}.onesided", line.split()[0]
            _passed(f"fit {line} --method {method} --out {model}", folder)
            _passed(f"score {model} {table} --out {method}-scores.csv", folder)
            for name in (model, f"{method}-scores.csv"):
                shutil.copy(folder / name, KEPT)
        for name, line in PAGES.items():
            _passed(f"{line} --report {name}.html", folder)
            shutil.copy(folder / f"{name}.json", KEPT)


def _passed(line: str, folder: Path) -> None:
    done = run(line.split(), folder)
    if done.exit_code:
        raise SystemExit(f"onesided {line}\n{done.stderr}")


if __name__ == "__main__":
    if "--kept" in sys.argv[1:]:
        keep()
    record()
