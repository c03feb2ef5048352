"""The folders are layers: each imports only from those before it in the list."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "onesided"
LAYERS = [
    "_public",
    "_docstrings",
    "_text",
    "_words",
    "exceptions",
    "_typing",
    "_frames",
    "_display",
    "_probabilities",
    "_charts",
    "_labels",
    "_validation",
    "_strata",
    "_numerics",
    "_files",
    "formats",
    "_blocks",
    "_statistics",
    "metrics",
    "model_selection",
    "prior",
    "promises",
    "audit",
    "preprocessing",
    "models",
    "base",
    "datasets",
    "tables",
    "methods",
    "_candidates",
    "_worth",
    "_ranked",
    "reproduce",
    "reporting",
    "ranking",
    "scoring",
    "enriched",
    "unexpected",
    "checking",
    "cli",
]
SIBLINGS_APART = PACKAGE / "models"  # one model imports no other
SHARED = ("_base", "_class_prior")
MAP = (Path(__file__).parents[1] / "docs" / "layers.rst").read_text(encoding="utf-8")
FILES = sorted(
    path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem in LAYERS
)


def imports_of(path):
    """Dotted names under onesided that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.split(".")[1:] for name in names if name.startswith("onesided."))


def layer_of(parts):
    return LAYERS.index(parts[0])


def test_every_folder_is_a_layer():
    found = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    found |= {path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("__")}
    assert found == set(LAYERS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_up(path):
    own = path.relative_to(PACKAGE).with_suffix("").parts
    for imported in imports_of(path):
        if imported == ["__version__"]:
            continue
        assert layer_of(imported) <= layer_of(own), f"{own} imports {imported}"


@pytest.mark.parametrize(
    "path", sorted(SIBLINGS_APART.rglob("*.py")), ids=lambda p: f"{p.parent.name}/{p.stem}"
)
def test_models_import_no_sibling(path):
    own = path.relative_to(SIBLINGS_APART).parts[0]
    for imported in imports_of(path):
        if imported[0] == "models":
            assert imported[1] in {own, *SHARED} or own == "composite"  # which is made of them


def test_the_arrows_are_read():
    """The reader of imports sees one that is known to be there."""
    known = [list(found) for found in imports_of(PACKAGE / "models" / "_base.py")]
    assert ["_blocks", "labeled_source"] in known


def test_two_files_import_dask():
    for path in PACKAGE.rglob("*.py"):
        imports = {"import dask", "from dask", "import distributed", "from distributed"}
        text = path.read_text(encoding="utf-8")
        does = any(each in text for each in imports)
        assert path.name in ("_cluster.py", "_dask.py") or not does, path


def test_the_map_names_all_floors_in_order():
    floors = MAP.split("The floors\n---")[1]
    named = [name for name in re.findall(r"``(\w+)``", floors) if name in LAYERS]
    assert named == LAYERS


def test_what_the_map_names_is_there():
    paths = re.findall(r"``((?:\w+/)*\w+(?:\.py)?)``", MAP)
    places = [each for each in paths if "/" in each or each.endswith(".py")]
    assert len(places) > 10
    root = PACKAGE.parents[1]
    for each in places:
        assert (PACKAGE / each).exists() or (root / each).exists(), each
    for name, place in re.findall(r"``(\w+)`` of ``([\w/.]+)``", MAP):
        assert re.search(rf"^(class )?{name}\b", (PACKAGE / place).read_text(), re.MULTILINE), name


OPTION = re.compile(r"(?:^|[ :(])--[a-z]")
SHOWS_COMMANDS = ("cli", "_text.py", "panels/next_steps.py")  # options belong there


def texts_of(path):
    """The string constants of a module that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in alone:
            yield each.value


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_command_line_speaks_of_options(path):
    """`_text.argument` names an argument as the caller wrote it, in Python and as an option."""
    place = path.relative_to(PACKAGE).as_posix()
    if place.startswith("cli/") or place.endswith(SHOWS_COMMANDS):
        return
    assert [text for text in texts_of(path) if OPTION.search(text)] == []
