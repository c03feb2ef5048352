"""What the pages show runs and comes out as shown; each name has its page and an example."""

import doctest
import importlib
import inspect
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

import onesided
import pages
from onesided.cli.__main__ import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
OWN_TESTS = {"scale", "species"}  # pages whose blocks need more than to be run in order
BUILT = {"_build", "gallery", "generated"}  # folders that the build makes
PAGES = [page for page in sorted(DOCS.rglob("*.rst")) if not BUILT & set(page.parts)]
SHOWN = [page for page in PAGES if page.stem not in OWN_TESTS and pages.blocks(page)]


def name_of(page):
    return page.relative_to(DOCS).with_suffix("").as_posix()


@pytest.fixture
def folder(tmp_path):
    """A folder with the example tables."""
    for each in (ROOT / "examples" / "yeast").iterdir():
        shutil.copy(each, tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", SHOWN, ids=name_of)
@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
def test_page_comes_out_as_shown(page, folder, monkeypatch, request):
    if "ONESIDED_DATA" in page.read_text(encoding="utf-8"):
        data_dir = request.getfixturevalue("data_dir")
        for name in re.findall(r'"\]? \+ "/(\S+\.parquet)"', page.read_text(encoding="utf-8")):
            if not (data_dir / name).is_file():
                pytest.skip(f"ONESIDED_DATA: there is no {name} in {data_dir}")
        monkeypatch.setenv("ONESIDED_DATA", str(data_dir.resolve()))
    wrong = pages.run(page, folder)
    assert not wrong, "\n".join(wrong)


def test_pages_are_run():
    assert {name_of(page) for page in SHOWN} >= {
        "index",
        "methods",
        "users/genes",
        "papers/lee2003",
    }


@pytest.mark.parametrize(
    ("shown", "found", "same"),
    [
        ("AUC 0.917  <- taken", "AUC   0.916 <- taken", True),
        ("AUC 0.917  <- taken", "AUC 0.817  <- taken", False),
        ("AUC 0.917  <- taken", "AUC 0.917", False),
        ("6,178 rows", "6,179 rows", True),
        ("6,178 rows", "8,178 rows", False),
        ("it took ... seconds", "it took 33 seconds", True),
        ("genes-ranking.csv", "genes-report.csv", False),
    ],
)
def test_what_counts_as_shown(shown, found, same):
    assert pages.as_shown(shown, found) == same


def test_a_page_that_is_wrong_is_noticed(tmp_path):
    page = tmp_path / "page.rst"
    page.write_text("Sums\n\n>>> 1 + 1\n3\n\n.. code-block:: console\n\n   $ echo two\n   three\n")
    told = pages.run(page, tmp_path)
    assert len(told) == 2
    assert "Expected:\n    3" in told[0]
    pages.run(page, tmp_path, write=True)
    assert "$ echo two\n   two\n" in page.read_text()


def public_modules():
    """All packages and modules without an underscore, the command line apart."""
    for found in pkgutil.walk_packages(onesided.__path__, "onesided."):
        parts = found.name.split(".")[1:]
        if not any(part.startswith("_") for part in parts) and parts[0] != "cli":
            yield importlib.import_module(found.name)


def names_in_the_reference():
    """Module and name of each entry."""
    for page in sorted((DOCS / "api").glob("*.rst")):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. currentmodule:: "):
                module = line.split(":: ")[1]
            elif module and re.fullmatch(r" {3}\w+", line):
                yield module, line.strip()


def test_every_public_name_is_in_the_reference():
    listed = {
        (name, id(getattr(importlib.import_module(module), name)))
        for module, name in names_in_the_reference()
    }
    missing = {
        f"{module.__name__}.{name}"
        for module in [onesided, *public_modules()]
        for name in getattr(module, "__all__", [])
        if not inspect.ismodule(member := getattr(module, name))
        and name != "__version__"
        and (name, id(member)) not in listed
    }
    assert not missing, f"in no page of docs/api: {sorted(missing)}"


def examples_of_public_names():
    """The examples in the docstring of each public class and function, by its name."""
    members = {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in [onesided, *public_modules()]
        for name in getattr(module, "__all__", [])
    }
    parser = doctest.DocTestParser()
    return {
        name: parser.get_examples(member.__doc__ or "")
        for name, member in members.items()
        if inspect.isclass(member) or inspect.isroutine(member)
    }


def test_every_public_name_has_an_example():
    without = sorted(name for name, examples in examples_of_public_names().items() if not examples)
    assert not without, f"no example in the docstring: {without}"


def test_examples_show_results():
    """A reader learns from a number or a row, but not from `True`."""
    truths = {"True", "False", "np.True_", "np.False_"}
    found = [
        f"{name}: {example.source.strip()}"
        for name, examples in examples_of_public_names().items()
        for example in examples
        if truths & set(example.want.split("\n"))
    ]
    assert not found, "these examples show only whether something is so:\n" + "\n".join(found)


def test_every_verb_has_a_page():
    verbs = set(typer.main.get_command(app).commands)
    assert {page.stem for page in (DOCS / "commands").glob("*.rst")} == verbs | {"index"}
    for verb in verbs:
        page = (DOCS / "commands" / f"{verb}.rst").read_text(encoding="utf-8")
        assert f".. verb:: {verb}\n" in page
        assert f"onesided {verb} " in page, "no example"
        assert f":doc:`{verb}`" in (DOCS / "commands" / "index.rst").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_names_in_pages_are_there(page):
    """Functions that a page says compute something exist, and files that it names."""
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"``(onesided(?:\.\w+)+)``", text):
        pkgutil.resolve_name(name)
    for package in re.findall(r"Names are in ``([\w.]+)``", text):
        private = re.findall(r"``(_\w+\.\w+)``", text)
        assert private
        for name in private:
            pkgutil.resolve_name(f"{package}.{name}")
    for folder, name in re.findall(r"``(docs|benchmarks|examples)/(\S+)``", text):
        assert (ROOT / folder / name).exists(), name


def test_pictures_are_small():
    found = [*DOCS.rglob("*.svg"), *DOCS.rglob("*.jpg")]
    pictures = [each for each in found if not BUILT & set(each.parts)]
    assert len(pictures) >= 6
    for picture in pictures:
        assert picture.stat().st_size < 100_000, picture


def test_the_first_commands_of_the_home_page_run(tmp_path):
    """With nothing but the package; the ranking itself is a block of the page on genes."""
    home = (DOCS / "index.rst").read_text(encoding="utf-8")
    block = home.split(".. code-block:: shell\n\n")[1].split("\n\n")[0]
    install, copy, rank = (line.strip() for line in block.splitlines())
    assert install == "pip install onesided"
    program, *words = shlex.split(copy)
    assert program == "python"
    subprocess.run([sys.executable, *words], cwd=tmp_path, check=True)
    assert shlex.split(rank)[2] in {each.name for each in tmp_path.iterdir()}
    assert f"$ {rank}\n" in (DOCS / "users" / "genes.rst").read_text(encoding="utf-8")


def test_the_gallery_has_an_example_for_each_paper_and_each_user():
    """The build of the documentation runs them."""
    users = "biologist ecologist fraud_analyst marketer researcher reviewer support_desk"
    papers = {page.stem for page in (DOCS / "papers").glob("*.rst")} - {"index"}
    for folder, names in {"users": set(users.split()), "papers": papers}.items():
        examples = (ROOT / "examples" / "gallery" / folder).glob("*.py")
        assert {example.stem for example in examples} >= names
