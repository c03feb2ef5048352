"""Set up an environment beside this file and work in it; needs Python and pip, nothing else.

python3 develop.py example    rank the example table, write a ranking and a report
python3 develop.py test       run the tests; more words go to pytest
python3 develop.py check      lint, formats, types
python3 develop.py docs       build the documentation
python3 develop.py mutate     break each formula on purpose: do the tests notice? (hours)
"""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
HOME = ROOT / ".venv"
PYTHON = HOME / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
EXAMPLE = ROOT / "examples" / "yeast" / "genes.csv.gz"


def run(*words: str | Path) -> None:
    """Run a command of the environment; end with its exit code if it fails."""
    done = subprocess.run([PYTHON, *words], cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def install(extra: str = "") -> None:
    """Make the environment, unless it is there, and install onesided and an extra into it.

    What was installed is left as it is until the files that say what to install change.
    """
    mark = HOME / f"installed-{extra}"
    asked = (ROOT / "pyproject.toml", ROOT / "constraints.txt")
    if mark.exists() and mark.stat().st_mtime > max(each.stat().st_mtime for each in asked):
        return
    if not PYTHON.exists():
        print(f"Making an environment in {HOME}", file=sys.stderr)
        venv.create(HOME, with_pip=False)  # the pip that is here installs into it
    project = f"{ROOT}[{extra}]" if extra else str(ROOT)
    pip = [sys.executable, "-m", "pip", "--python", PYTHON, "--disable-pip-version-check"]
    command = [*pip, "install", "--quiet", "-c", ROOT / "constraints.txt", "-e", project]
    done = subprocess.run(command, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    mark.touch()


def example() -> None:
    """Rank yeast genes by likeness to the known targets of one transcription factor."""
    install()
    known = ["--positive", "known_target", "--id", "gene"]
    out = ["--out", "genes-ranking.csv", "--report", "genes-report.html"]
    run("-m", "onesided", "rank", EXAMPLE.relative_to(ROOT), *known, *out)


def test() -> None:
    """Run the tests, in one process more than there are cores; `-n 0` for one.

    Some tests wait for processes that they started, and another one works meanwhile.
    """
    install("dev")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # of each process
    # Without bytecode, each of the processes that tests start would compile the package again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    n_processes = str((os.cpu_count() or 1) + 1)
    spread = ["-n", n_processes, "--dist", "loadfile", "--no-loadscope-reorder"]
    run("-m", "pytest", *spread, *sys.argv[2:])


def check() -> None:
    """Lint, formats, types."""
    install("dev")
    run("-m", "ruff", "check", ".")
    run("-m", "ruff", "format", "--check", ".")
    run("-m", "mypy")


def docs() -> None:
    """Build the documentation on all cores; a warning is an error."""
    install("docs")
    shutil.rmtree(ROOT / "docs" / "api" / "generated", ignore_errors=True)  # pages of old names
    run("-m", "sphinx", "-W", "-q", "-j", "auto", "-b", "html", "docs", "docs/_build/html")


def mutate() -> None:
    """Change the equations, one place at a time; more words go to tests/mutation/run.py."""
    install("dev,mutation")
    run(ROOT / "tests" / "mutation" / "run.py", *sys.argv[2:])


COMMANDS = {"example": example, "test": test, "check": check, "docs": docs, "mutate": mutate}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:  # noqa: PLR2004 - the command's name
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]]()
