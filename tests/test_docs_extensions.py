"""What the build adds to the pages: formulas, links, types, and the check that pages are whole."""

import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from formulas import mathml
from links import elsewhere
from plain_parameters import in_words, types_and_defaults
from whole_pages import problems_of

EXTENSIONS = Path(__file__).parents[1] / "docs" / "extensions"
SKLEARN = "https://scikit-learn.org/stable"


def test_a_page_that_is_not_whole_is_noticed(tmp_path):
    (tmp_path / "other.html").write_text('<h1 id="top">Other</h1>')
    whole = '<a href="other.html#top">a</a> <a href="https://elsewhere.org">b</a> <i id="c"></i>'
    page = tmp_path / "page.html"
    page.write_text(f'{whole} <a href="#c">c</a> <img src="data:image/png;base64,AA">')
    assert not list(problems_of(tmp_path))
    broken = {
        '<a href="none.html">a</a>': "does not exist",
        '<a href="other.html#none">a</a>': "a place that does not exist",
        '<a class="x" href="#none">a</a>': "a place that does not exist",
        '<script async src="https://elsewhere.org/a.js"></script>': "fetches https://elsewhere",
        '<link rel="stylesheet" href="//elsewhere.org/a.css">': "fetches //elsewhere",
        "<style>a {background: url('https://elsewhere.org/a.png')}</style>": "fetches https://else",
        '<style>@import "https://elsewhere.org/a.css"</style>': "fetches https://elsewhere",
    }
    for part, told in broken.items():
        page.write_text(whole + part)
        (problem,) = problems_of(tmp_path)
        assert told in problem


@pytest.mark.parametrize(
    ("tex", "said"),
    [
        (r"\lVert w \rVert^2", '<mo stretchy="false">'),
        (r"p \sim q", "<mo>&#x0223C;</mo>"),
        (r"a \log a", '<mi>a</mi><mspace width="0.17em"></mspace><mi>log</mi><mspace'),
        (r"\min_{w, v} f", "<munder>"),
    ],
)
def test_formulas_are_drawn_as_tex_draws_them(tex, said):
    assert said in mathml(tex)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (int | None, "``int`` or ``None``"),
        (ArrayLike | None, "array-like or ``None``"),
        (Literal["a", "b"], "``'a'`` or ``'b'``"),
        (Sequence[str | PathLike[str]], "sequence of ``str`` or path"),
        (Mapping[str, float], "mapping"),
        (Callable[[int], str], "function"),
        (NDArray[np.float64], "array of floats"),
        (Any, ""),
        (Any | None, ""),
    ],
)
def test_types_are_said_in_words(kind, said):
    assert in_words(kind) == said


def test_types_that_are_written_as_text_are_said_too():
    def known(n: "int | None" = None): ...
    def unknown(source: "Nowhere" = 1): ...  # noqa: F821 - as under TYPE_CHECKING

    assert types_and_defaults(known) == {"n": "``int`` or ``None``, default ``None``"}
    assert types_and_defaults(unknown) == {"source": "``Nowhere``, default ``1``"}


def test_names_of_other_libraries_have_addresses():
    assert elsewhere("GridSearchCV").endswith("/sklearn.model_selection.GridSearchCV.html")
    assert elsewhere("pandas.DataFrame").endswith("/pandas.DataFrame.html")
    assert elsewhere("sklearn.svm.NoSuchThing") is None
    assert elsewhere("groups") is None


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Three small pages, built with the extensions."""
    folder = tmp_path_factory.mktemp("pages")
    pages = {
        "conf.py": f"""
            import sys
            sys.path.append({str(EXTENSIONS)!r})
            extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
            extensions += ["formulas", "links", "plain_parameters", "whole_pages"]
            html_math_renderer = "mathml"
            """,
        "commands/rank.rst": """
            Rank
            ====

            .. program:: onesided rank
            .. option:: --top N

               How many.
            """,
        "names.rst": """
            Names
            =====

            .. autoclass:: onesided.PUBagging
               :members: fit
            """,
        "index.rst": """
            Home
            ====

            .. toctree::

               names
               commands/rank

            ``PUBagging(n_estimators=3)``, ``PUBagging.fit``, ``GridSearchCV``, ``words``,
            ``onesided rank --top 3``, ``--top 3`` and ``predict_proba``. :math:`\\alpha`

            >>> from onesided import PUBagging
            >>> from sklearn.svm import SVC
            >>> PUBagging(SVC())
            """,
    }
    for name, text in pages.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text).lstrip())
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", folder, folder / "built"]
    subprocess.run(command, check=True)
    return folder / "built"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("PUBagging(n_estimators=3)", "names.html#onesided.PUBagging"),
        ("PUBagging.fit", "names.html#onesided.PUBagging.fit"),
        ("onesided rank --top 3", "commands/rank.html"),
        ("--top 3", "commands/rank.html#cmdoption-onesided-rank-top"),
        ("GridSearchCV", f"{SKLEARN}/modules/generated/sklearn.model_selection.GridSearchCV.html"),
        ("predict_proba", f"{SKLEARN}/glossary.html#term-predict_proba"),
        ("words", None),
    ],
)
def test_names_on_pages_are_links(built, text, address):
    page = (built / "index.html").read_text(encoding="utf-8")
    found = dict.fromkeys(re.findall(r'href="([^"]+)"[^>]*><code[^>]*>(.*?)</code></a>', page))
    links = {re.sub(r"<[^>]+>", "", name): link for link, name in found}
    assert links.get(text) == address


def test_names_in_code_are_links(built):
    page = (built / "index.html").read_text(encoding="utf-8")
    for name, address in {"PUBagging": "names.html#", "SVC": f"{SKLEARN}/modules/"}.items():
        found = re.findall(rf'<a class="in-code" href="([^"]+)"><span[^>]*>{name}<', page)
        assert len(found) == 2
        assert all(each.startswith(address) for each in found)


def test_pages_of_names_have_types_defaults_and_sources(built):
    page = (built / "names.html").read_text(encoding="utf-8")
    assert "_modules/onesided/models/composite/_bagging.html#PUBagging" in page
    text = re.sub(r"<[^>]+>", "", page)
    assert re.search(r"n_estimators.{1,3}int, default 100", text)
    assert "<math" in (built / "index.html").read_text(encoding="utf-8")
