"""Modules do not import each other in circles, and the command line knows public names only."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "onesided"
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}
VERBS = sorted(path for path in (PACKAGE / "cli").glob("*.py") if not path.stem.startswith("_"))
MOST_LINES = 130  # of a verb


def imported_by(tree):
    """Dotted names that are imported anywhere in a file, for a type checker too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in MODULES else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def test_no_circle():
    graph = {}
    for name, path in MODULES.items():
        if name in ("onesided", "onesided.__main__"):  # loads the others when they are asked for
            continue
        graph[name] = {each for each in imported_by(parsed(path)) if each in MODULES} - {
            name,
            "onesided",
        }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_the_command_line_imports_public_names():
    for path in (PACKAGE / "cli").glob("*.py"):
        for name in imported_by(parsed(path)):
            parts = name.split(".")
            if parts[0] == "onesided" and parts[1:2] != ["cli"]:
                assert not any(part.startswith("_") for part in parts), f"{path.name}: {name}"


@pytest.mark.parametrize("path", VERBS, ids=lambda path: path.stem)
def test_a_verb_is_short_and_loads_late_once(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    inside = [
        node
        for function in ast.walk(parsed(path))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    assert len(inside) <= 1
    for function in parsed(path).body:
        if isinstance(function, ast.FunctionDef):
            assert function.end_lineno - function.lineno < MOST_LINES, function.name
    assert len(lines) < 3 * MOST_LINES


def test_the_command_line_computes_nothing():
    """Numbers and tables are the library's business."""
    heavy = {"numpy", "scipy", "sklearn", "pyarrow", "pandas", "narwhals", "joblib"}
    for path in (PACKAGE / "cli").glob("*.py"):
        found = {name.split(".")[0] for name in imported_by(parsed(path))}
        assert not found & heavy, path.name
