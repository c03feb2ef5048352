r"""Pages of the documentation: what they show is run in order, and comes out as shown.

A page may have blocks of ``python``, of ``console`` and sessions with ``>>>``. They share a folder
and the names of Python. In a console block a line that begins with ``$`` is a command, to the next
one is what it prints; ``...`` stands for anything, and numbers may differ by little.

    python tests/pages.py docs/users/genes.rst

writes what the commands print now into the page.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from onesided.cli.__main__ import app

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(
    r"^\.\. code-block:: (?P<kind>python|console)\n\n(?P<body>(?: {3}.*\n|\n)+)"
    r"|^(?P<session>(?P<indent> *)>>> .*\n(?:(?P=indent).+\n)*)",
    re.MULTILINE,
)
_NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
_PROGRESS = re.compile(r"^.*: \d+% done in [\d:]+, .* left\n", re.MULTILINE)  # of slow work
_DIGITS = 2  # units of the last digit shown that a number may differ by
_SHARE = 0.02  # of a number that it may differ by: trees and BLAS differ between machines


@dataclass(frozen=True)
class Block:
    """A part of a page that is run."""

    kind: str
    text: str
    start: int


def blocks(page: Path) -> list[Block]:
    """What is run, in order."""
    found = _BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [
        Block("session", each["session"], each.start())
        if each["session"]
        else Block(
            each["kind"], re.sub(r"^ {3}", "", each["body"], flags=re.MULTILINE), each.start("body")
        )
        for each in found
    ]


def steps(text: str) -> Iterator[tuple[str, str]]:
    """Commands of a console block, each with what it prints."""
    for part in re.split(r"^\$ ", text.strip(), flags=re.MULTILINE)[1:]:
        command = re.match(r"(?:.*\\\n)*.*", part)[0]
        yield command, part[len(command) :].strip("\n")


def output_of(command: str) -> str:
    """What a command prints, standard error included."""
    program, *words = shlex.split(os.path.expandvars(command.replace("\\\n", " ")))
    if program == "onesided":
        done = CliRunner().invoke(app, words)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return re.sub(_PROGRESS, "", done.output)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    shown = subprocess.run(  # noqa: S602 - our own page, which may pipe to `onesided`
        command,
        shell=True,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": path},
    )
    return shown.stdout


def as_shown(expected: str, found: str) -> bool:
    """Whether it came out as the page says."""
    pattern = "".join(
        r".*?" if part == "..." else f"({_NUMBER})" if number else _spaced(part)
        for part, number in _parts(expected.strip())
    )
    matched = re.fullmatch(pattern, found.strip(), re.DOTALL)
    if matched is None:
        return False
    shown = [part for part, number in _parts(expected.strip()) if number]
    return all(_close(a, b) for a, b in zip(shown, matched.groups(), strict=True))


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Numbers and what is between them."""
    for part in re.split(rf"(\.\.\.|(?<![\w.])(?:{_NUMBER})(?![\w.]*\w))", text):
        yield part, re.fullmatch(_NUMBER, part) is not None


def _spaced(text: str) -> str:
    return r"\s+".join(map(re.escape, re.split(r"\s+", text)))


def _close(shown: str, found: str) -> bool:
    a, b = (float(each.replace(",", "")) for each in (shown, found))
    last = 10.0 ** -len(shown.partition(".")[2].partition("e")[0]) if "." in shown else 1.0
    return abs(a - b) <= max(_DIGITS * last, _SHARE * abs(a))


def run(page: Path, folder: Path, *, write: bool = False) -> list[str]:
    """Run a page in a folder.

    Returns
    -------
    what did not come out as shown; with `write` nothing, and the page has been changed
    """
    wrong, changes, names = [], [], {"__name__": "page"}
    with contextlib.chdir(folder):
        for block in blocks(page):
            if block.kind == "python":
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(block.text, str(page), "exec"), names)  # noqa: S102 - our own page
            elif block.kind == "session":
                wrong += _session(block, page, names)
            else:
                told = [
                    (command, shown, output_of(command)) for command, shown in steps(block.text)
                ]
                wrong += [
                    f"$ {command}\n{found}\nand not\n{shown}"
                    for command, shown, found in told
                    if shown and not as_shown(shown, found)
                ]
                changes.append((block, told))
    if write:
        _write(page, changes)
    return [] if write else wrong


class _Checker(doctest.OutputChecker):
    """What a session shows with decimals may differ by little too."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        exactly = super().check_output(want, got, optionflags)
        return exactly or (re.search(r"\d\.\d", want) is not None and as_shown(want, got))


def _session(block: Block, page: Path, names: dict[str, Any]) -> list[str]:
    parser, said = doctest.DocTestParser(), io.StringIO()
    line = page.read_text(encoding="utf-8")[: block.start].count("\n")
    test = parser.get_doctest(block.text, names, page.name, str(page), line)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    runner = doctest.DocTestRunner(checker=_Checker(), optionflags=flags)
    runner.run(test, out=said.write, clear_globs=False)
    names.update(test.globs)
    return [said.getvalue()] if runner.failures else []


def _write(page: Path, changes: list[tuple[Block, list[tuple[str, str, str]]]]) -> None:
    text = page.read_text(encoding="utf-8")
    for block, told in reversed(changes):
        lines: list[str] = []
        for command, shown, found in told:
            kept = shown if not found.strip() or as_shown(shown, found) else found.rstrip()
            lines += [*f"$ {command}".splitlines(), *kept.splitlines()]
        body = "".join(f"   {line.rstrip()}\n" if line.strip() else "\n" for line in lines)
        length = len(re.match(r"(?: {3}.*\n|\n)+", text[block.start :])[0])
        text = f"{text[: block.start]}{body}\n{text[block.start + length :]}"
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    import shutil
    import tempfile

    os.environ.setdefault("ONESIDED_DATA", str(ROOT.parent / "shared" / "data"))
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            for each in (ROOT / "examples" / "yeast").iterdir():
                shutil.copy(each, folder)
            run(Path(name).resolve(), Path(folder), write=True)
