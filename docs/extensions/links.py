"""Links from names to the pages that describe them, without a word of markup.

A literal such as ``PUBagging``, ``Audit.cost(0.2)``, ``onesided rank`` or ``--recall 0.95``, and a
name that a code block imports, becomes a link to its page. Names of other libraries become links to
the pages of these libraries. Their addresses follow from the names: no inventory is fetched.
"""

import importlib
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Container, Iterator
from functools import cache
from pkgutil import iter_modules
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from onesided.methods import METHODS

PAGES = {
    "numpy": "https://numpy.org/doc/stable/reference/generated/{}.html",
    "pandas": "https://pandas.pydata.org/docs/reference/api/{}.html",
    "scipy": "https://docs.scipy.org/doc/scipy/reference/generated/{}.html",
    "sklearn": "https://scikit-learn.org/stable/modules/generated/{}.html",
}
TERMS = {"decision_function", "fit", "predict", "predict_proba", "random_state", "sample_weight"}
SHORT = {"np": "numpy.", "pd": "pandas."}
_CALL = re.compile(r"(?:\w+=(?=[A-Z]))?((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(\(.*)?", re.DOTALL)
_IMPORT = re.compile(r"from ([\w.]+) import (?:\(([^)]*)\)|([^\n(]*))")
_NAME = re.compile(r'<span class="n[nc]?">(\w+)</span>')
_CODE = re.compile(r'<div class="highlight">.*?</div>', re.DOTALL)
_BACK = re.compile(
    r"(generated/([\w.]+)\.(\w+)\.html)#(?!\2\.\3[.\"])[\w.]*?\.\3((?:\.\w+)*)(?=\")"
)
Place = tuple[str, str]  # a page and the name of a place on it


@cache
def scikit_learn() -> dict[str, str]:
    """Full names of scikit-learn's classes and functions by short names that cannot be words."""
    import sklearn  # noqa: PLC0415 - only where a page names something that is not ours

    packages = [each.name for each in iter_modules(sklearn.__path__, "sklearn.") if each.ispkg]
    return {
        name: f"{package}.{name}"
        for package in packages
        if not package.endswith(("tests", "externals")) and "._" not in package
        for name in getattr(importlib.import_module(package), "__all__", ())
        if name[0].isupper() or "_" in name
    }


@cache
def elsewhere(name: str) -> str | None:
    """The page of a name of another library, such as `sklearn.svm.SVC`; None if it has none."""
    if name in TERMS:
        return f"https://scikit-learn.org/stable/glossary.html#term-{name}"
    name = re.sub(r"^(np|pd)\.", lambda found: SHORT[found[1]], name)
    name = scikit_learn().get(name, name)
    module, _, attribute = name.rpartition(".")
    if name.partition(".")[0] not in PAGES or not module:
        return None
    try:
        getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError):
        return None
    return PAGES[name.partition(".")[0]].format(name)


class Names:
    """The places of all names of ours."""

    def __init__(self, env: BuildEnvironment) -> None:
        self.full: dict[str, Place] = {}
        short = defaultdict(set)
        for name, found in env.domains.python_domain.objects.items():
            place = found.docname, found.node_id
            self.full[name] = place
            parts = name.split(".")
            is_member = found.objtype in {"method", "property", "attribute"}
            if is_member:
                short[f"{parts[-2]}.{parts[-1]}"].add(place)
                short[f"{parts[-2].lower()}.{parts[-1]}"].add(place)
            if not is_member or (found.objtype == "method" and "_" in parts[-1].strip("_")):
                short[parts[-1]].add(place)
        self.short = {name: places.pop() for name, places in short.items() if len(places) == 1}
        self.options = env.domains.standard_domain.progoptions
        self.verbs = {program.partition("-")[2] for program, _ in self.options if program}
        self.modules = {
            f"onesided.{page.removeprefix('api/')}": (page, "")
            for page in env.found_docs
            if page.startswith("api/")
        }

    def find(self, name: str) -> Place | None:
        """The place of a class, a function or a method, if only one can be meant."""
        last = name.split(".")[-2:]
        return (
            self.full.get(name)
            or self.modules.get(name)
            or self.full.get(f"onesided.{name}")
            or self.short.get(".".join(last))
            or (self.short.get(last[-1]) if name.startswith("onesided.") else None)
        )

    def find_option(self, option: str, page: str) -> Place | None:
        """The place of an option: of the verb of the page, of `rank`, or of the only verb."""
        verbs = [page.rpartition("/")[2], "rank"]
        for verb in verbs:
            if place := self.options.get((f"onesided-{verb}", option)):
                return place
        places = [place for (_, name), place in self.options.items() if name == option]
        return places[0] if places else None


class LinkNames(SphinxPostTransform):
    """Make literals links."""

    default_priority = 400
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Change the page."""
        names = names_of(self.env)
        page = self.env.current_document.docname
        for literal in list(self.document.findall(nodes.literal)):
            if has_link(literal):
                continue
            place, address = self.place_of(literal.astext(), names, page)
            if place is not None and not (place[0] == page and is_about(page, place)):
                builder = self.env._app.builder  # noqa: SLF001 - as Sphinx's own transforms do
                link = make_refnode(builder, page, *place, literal.deepcopy())
            elif address is not None:
                link = nodes.reference("", "", literal.deepcopy(), internal=False, refuri=address)
            else:
                continue
            literal.replace_self(link)

    @staticmethod
    def place_of(text: str, names: Names, page: str) -> tuple[Place | None, str | None]:
        """The place on our pages, or else the address, that a text means."""
        if found := re.match(r"onesided ([a-z]+)\b", text):
            return ((f"commands/{found[1]}", "") if found[1] in names.verbs else None), None
        if text in METHODS and "-" in text:
            return ("methods", text), None
        if found := re.match(r"(--[a-z][a-z-]*)", text):
            return names.find_option(found[1], page), None
        if found := _CALL.fullmatch(text):
            is_verb = found[1] in names.verbs and page.startswith(("commands/", "changelog"))
            return names.find(found[1]), None if is_verb else elsewhere(found[1])
        return None, None


def is_about(page: str, place: Place) -> bool:
    """Whether a page is about the name of a place, so that the link would lead to its own top."""
    return page.endswith(f"/{place[1]}")


def has_link(node: nodes.Node) -> bool:
    """Whether a node is in a link, a title or a signature."""
    while node := node.parent:
        if isinstance(node, nodes.reference | nodes.title | nodes.Admonition):
            return True
        if node.tagname.startswith("desc_") and node.tagname != "desc_content":
            return True
        if node.tagname == "desc_content":
            return False
    return False


def imported(code: str) -> Iterator[tuple[str, str]]:
    """Names of a code that are imported from ours or from libraries, and their full names."""
    for module, several, one in _IMPORT.findall(code):
        for each in re.split(r",\s*", several or one):
            name, _, other = each.strip().partition(" as ")
            if name:
                yield other or name, f"{module}.{name}"


def link_code(app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Link the names that code blocks of a page import."""
    body = context.get("body", "")
    if page.startswith(
        "_modules/"
    ):  # Sphinx takes all names of a module to be of one public module
        context["body"] = _BACK.sub(r"\1#\2.\3\4", body)
        return
    text = re.sub(r"<[^>]+>", "", "\n".join(_CODE.findall(body)))
    text = re.sub(r"^(&gt;&gt;&gt;|\.\.\.) ", "", text, flags=re.MULTILINE)
    names, links = names_of(app.env), {}
    for name, full in imported(text):
        place = names.find(full) if full.startswith("onesided.") else None
        if place is not None:
            links[name] = f"{app.builder.get_relative_uri(page, place[0])}#{place[1]}"
        elif address := elsewhere(full):
            links[name] = address

    def linked(found: re.Match[str]) -> str:
        link = links.get(found[1])
        return f'<a class="in-code" href="{link}">{found[0]}</a>' if link else found[0]

    if links:
        context["body"] = _CODE.sub(lambda code: _NAME.sub(linked, code[0]), body)


def find_elsewhere(_app: Sphinx, _env: Any, node: Any, content: nodes.Node) -> nodes.Node | None:
    """Resolve a reference of a docstring to another library."""
    address = elsewhere(node.get("reftarget", ""))
    return nodes.reference("", "", content, refuri=address) if address else None


def find_module(_app: Sphinx, module: str | None, name: str | None) -> str | None:
    """The module whose source defines a public name, which says that it is of another module."""
    if not module or not name:
        return None
    top = name.partition(".")[0]
    found = getattr(importlib.import_module(module), top, None)
    if not inspect.isclass(found) and not inspect.isroutine(found):
        return None
    for each in sorted(name for name in sys.modules if name.startswith("onesided.")):
        if vars(sys.modules[each]).get(top) is found and top in defined_in(each):
            return each
    return None


@cache
def defined_in(module: str) -> Container[str]:
    """The names that the source of a module defines; none if Sphinx cannot read the source."""
    try:
        return ModuleAnalyzer.for_module(module).find_tags()
    except PycodeError:
        return ()


@cache
def names_of(env: BuildEnvironment) -> Names:
    """The names, which are gathered once in a build."""
    return Names(env)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the links."""
    app.add_post_transform(LinkNames)
    app.connect("html-page-context", link_code)
    app.connect("missing-reference", find_elsewhere)
    app.connect("viewcode-follow-imported", find_module)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
