"""Break each formula on purpose and count the changes that a test notices.

    python3 develop.py mutate              all parts
    python3 develop.py mutate bayes noisy  some of them
    python3 develop.py mutate --quick      every tenth change

or `python tests/mutation/run.py` where mutmut is installed (`pip install -e .[dev,mutation]`).

mutmut changes one place of an equation file at a time, by all of its operators: another operator,
another number, an argument dropped or None, a branch that is always taken. `parts.toml` says which
tests judge which files: few and fast ones, each change by those that reach its function, the
fastest first. A change that makes them run on without end is noticed too. What is printed is, for
each file, how many changes there were, how many were noticed, and the survivors, with those apart
that `parts.toml` holds to be equivalent, and why.

Left out by rule: texts of errors and warnings, checks of parameters, asserts (`_NO_FORMULA`),
functions that only say or show something (`_NO_EQUATION`). mutmut itself leaves out type
annotations, docstrings, module constants, and decorated functions such as properties.

A change takes half a second to a second of one core, a part with its 200 to 1,500 changes 5 to 25
minutes, with `--quick` about two. The work is done in a copy, in a folder that is printed. `--work
FOLDER` judges the survivors of an earlier run anew, by the tests of now and the sources of then.
It ends with code 1 if less than 90% of the changes of a file were noticed, equivalent ones apart.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = Path(__file__).with_name("parts.toml")
_NOTICED_IN = 0.9  # the least share of the changes of a file
_NO_FORMULA = (r"^\s*raise ", r"^\s*assert", r"^\s*mend = ", r"warnings\.warn\(", r"\bcheck_\w+\(")
_NO_EQUATION = ("warn_", "_warn", "to_frame", "to_dict", "plot", "in_words", "__repr__", "__str__")
# Files are read by the same code as arrays, and are slow.
_OTHER_SOURCES = "not (parquet or csv or json or batches or arrow-one or polars)"
_NOT_NOTICED = (0, 5, 33)  # mutmut's codes of "survived", and of "no tests" by two ways
_BECOMES = " → "
_NICENESS = 10


@dataclass
class Count:
    """Changes of one file."""

    n_noticed: int = 0
    survivors: list[str] = field(default_factory=list)  # function: what is → what it became
    equivalent: list[str] = field(default_factory=list)


def main() -> int:
    """Run, print, and say by the exit code whether 90% of each file's changes were noticed."""
    parts = tomllib.loads(PARTS.read_text("utf-8"))
    equivalent = parts.pop("equivalent", [])
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    parser.add_argument("--quick", action="store_true", help="every tenth change")
    parser.add_argument(
        "--work", type=Path, help="folder; with an earlier run in it, judge its survivors"
    )
    told = parser.parse_args()
    if unknown := set(told.parts) - set(parts):
        parser.error(f"no part is named {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    work = told.work or Path(tempfile.mkdtemp(prefix="onesided-mutation-"))
    print(f"In {work.resolve()}", flush=True)
    os.nice(_NICENESS)
    enough = True
    for name in told.parts or parts:
        folder = prepared(work.resolve() / name, parts[name])
        mutate(folder, parts[name].get("functions", []), quick=told.quick)
        for file, count in counted(folder, equivalent).items():
            enough &= show(file, count)
    return 0 if enough else 1


def prepared(folder: Path, part: dict[str, list[str]]) -> Path:
    """A copy of the tree in which mutmut is told what to change, and by which tests to judge it."""
    if not (folder / "src").exists():
        shutil.copytree(ROOT / "src", folder / "src")
    shutil.copytree(ROOT / "tests", folder / "tests", dirs_exist_ok=True)
    options = {
        "source_paths": ["src"],
        "only_mutate": [f"src/onesided/{file}" for file in part["files"]],
        "do_not_mutate_patterns": _NO_FORMULA,
        "pytest_add_cli_args_test_selection": [f"tests/{test}" for test in part["tests"]],
        "pytest_add_cli_args": [
            *("-p", "no:cacheprovider", "-k", _OTHER_SOURCES),
            *(f"--deselect=tests/{test}" for test in part.get("without", [])),
        ],
        "timeout_multiplier": 5.0,
        "timeout_constant": 2.0,  # seconds
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in options.items()]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (folder / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines]), "utf-8")
    return folder


def mutate(folder: Path, functions: list[str], *, quick: bool) -> None:
    """Let mutmut change the files and run the tests, one process."""
    before = codes_of(folder)
    # A star is of all functions, and of all changes that end in a digit.
    some = [f"*{name}__mutmut_*{7 if quick else ''}" for name in functions or [""]]
    if before:
        some = [name for name, code in before.items() if code in _NOT_NOTICED]
        if not some:
            return
    elif not functions and not quick:
        some = []
    command = [Path(sys.executable).with_name("mutmut"), "run", "--max-children", "1", *some]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    with (folder / "mutmut.log").open("w") as log:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdout=log, stderr=log, check=False
        )
    if done.returncode:
        sys.exit(f"mutmut could not run; see {folder / 'mutmut.log'}")
    # Other tests than in the earlier run, and mutmut forgets what was noticed.
    for meta in metas(folder):
        found = json.loads(meta.read_text("utf-8"))
        codes = found["exit_code_by_key"]
        for name, code in codes.items():
            codes[name] = before.get(name) if code is None else code
        meta.write_text(json.dumps(found), "utf-8")


def metas(folder: Path) -> list[Path]:
    """Files in which mutmut writes what became of the changes, one a source file."""
    return sorted((folder / "mutants").rglob("*.py.meta"))


def codes_of(folder: Path) -> dict[str, int]:
    """Exit codes of the tests, by the name of a change that was judged."""
    found = {}
    for meta in metas(folder):
        found |= json.loads(meta.read_text("utf-8"))["exit_code_by_key"]
    return {name: code for name, code in found.items() if code is not None}


def counted(folder: Path, equivalent: list[dict[str, str]]) -> dict[str, Count]:
    """What became of the changes of each file."""
    from mutmut.mutation.diff_apply import get_diff_for_mutant  # noqa: PLC0415 - once in the folder

    os.chdir(folder)
    counts: dict[str, Count] = {}
    for meta in metas(folder):
        path = meta.relative_to(folder / "mutants").with_suffix("")
        file, count = path.relative_to("src/onesided").as_posix(), Count()
        for name, code in json.loads(meta.read_text("utf-8"))["exit_code_by_key"].items():
            # x_function__mutmut_7 or xǁClassǁmethod__mutmut_7
            function = name.rpartition(".")[2].partition("__mutmut_")[0][2:].replace("ǁ", ".")
            if code is None or any(word in function for word in _NO_EQUATION):
                continue
            if code not in _NOT_NOTICED:
                count.n_noticed += 1
                continue
            change = _change(get_diff_for_mutant(name, path=path))
            why = [each["why"] for each in equivalent if _is(each, file, change)]
            if why:
                count.equivalent.append(f"{function}: {change}\n        {why[0]}")
            else:
                count.survivors.append(f"{function}: {change}")
        counts[file] = count
    return counts


def _is(known: dict[str, str], file: str, change: str) -> bool:
    """Whether a change of a file is the one of the list: its sides are parts of the lines."""
    sides = zip(known["change"].split(_BECOMES), change.split(_BECOMES), strict=True)
    return fnmatch(file, known["file"]) and all(part in line for part, line in sides)


def _change(diff: str) -> str:
    """Lines taken out and put in, on one line."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    before, after = (
        " ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+"
    )
    return before + _BECOMES + after


def show(file: str, count: Count) -> bool:
    """Print a file's counts; whether enough was noticed."""
    n = count.n_noticed + len(count.survivors)
    share = count.n_noticed / n if n else 1.0
    print(f"{file}: {n} changes and {len(count.equivalent)} equivalent ones, {share:.1%} noticed")
    for line in count.survivors:
        print(f"    survived  {line}")
    for line in count.equivalent:
        print(f"    equivalent  {line}")
    sys.stdout.flush()
    return share >= _NOTICED_IN


if __name__ == "__main__":
    sys.exit(main())
