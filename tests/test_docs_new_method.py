"""The method in one file that the documentation shows passes the checks that ours do."""

import ast
import doctest
import re
from pathlib import Path

import independence_rule
import numpy as np
import pandas as pd
import pytest
from independence_rule import IndependenceRule
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import pages
from command_line import passed

ROOT = Path(__file__).parents[1]
EXTEND = (ROOT / "docs" / "extend" / "one_of_each.rst").read_text(encoding="utf-8")
COPIED = set(re.findall(r"literalinclude:: .*/extend/(\w+\.py)\n   :caption: src/", EXTEND))
EXAMPLES = [path for path in (ROOT / "examples").rglob("*.py") if path.name not in COPIED]
PAGES = [page for page in (ROOT / "docs").rglob("*.rst") if pages.blocks(page)]


def private_imports(code):
    """Names with an underscore that code imports from the package."""
    for node in ast.walk(ast.parse(code)):
        names = [each.name for each in node.names] if hasattr(node, "names") else []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{name}" for name in names]
        for name in names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            if name.startswith("onesided.") and "._" in name and not name.endswith("__"):
                yield name


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_of_strangers_import_public_names_only(path):
    """Files that a page copies into the package apart, since there they are its own."""
    assert not list(private_imports(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_import_public_names_only(page):
    for block in pages.blocks(page):
        code = block.text
        if block.kind == "session":
            code = "".join(each.source for each in doctest.DocTestParser().get_examples(code))
        if block.kind != "console":
            assert not list(private_imports(code)), code


def test_private_imports_are_seen():
    assert EXAMPLES
    assert len(COPIED) == 3
    code = "import onesided._labels\nfrom onesided.models import _base\nimport onesided.base"
    assert [*private_imports(code)] == ["onesided._labels", "onesided.models._base"]


@parametrize_with_checks([IndependenceRule()])
@pytest.mark.filterwarnings("ignore::onesided.exceptions.LabelWarning")  # text labels, by intent
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix:UserWarning")
def test_scikit_learn(estimator, check):
    check(estimator)


def test_the_example_in_it():
    failed, tried = doctest.testmod(independence_rule)
    assert tried
    assert not failed


def test_from_every_source(make_source, labels, rng):
    X = rng.normal(size=(60, 4)) + labels[:, None]
    plain = IndependenceRule().fit(X, labels)
    positive, unlabeled = X[labels == 1].mean(axis=0), X[labels == 0].mean(axis=0)
    assert_allclose(plain.coef_, (positive - unlabeled) / X.var(axis=0))
    source = make_source(X)
    fitted = IndependenceRule().fit(source, labels)
    assert_allclose(fitted.coef_, plain.coef_, atol=1e-12)
    assert_allclose(fitted.decision_function(source), plain.decision_function(X), atol=1e-10)


def test_weights_are_rows(labels, rng):
    X, weight = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    weighted = IndependenceRule().fit(X, labels, sample_weight=weight.astype(float))
    rows = np.repeat(np.arange(60), weight)
    repeated = clone(weighted).fit(X[rows], labels[rows])
    assert_allclose(weighted.coef_, repeated.coef_)


def test_the_command_line_and_its_report(labels, rng, tmp_path):
    """Named by its module and class, which is all that it asks for."""
    table = pd.DataFrame(rng.normal(size=(60, 2)) + labels[:, None], columns=["a", "b"])
    table.assign(known=labels).to_csv(tmp_path / "table.csv", index=False)
    options = ["--method", "independence_rule:IndependenceRule"]
    options += ["--positive", "known", "--report", "report.html", "--out", "ranking.csv"]
    done = passed("rank", "table.csv", *options, cwd=tmp_path)
    assert "independence_rule:IndependenceRule" in done.stderr
    assert "independence_rule:IndependenceRule" in (tmp_path / "report.html").read_text(
        encoding="utf-8"
    )
    assert len((tmp_path / "ranking.csv").read_text(encoding="utf-8").splitlines()) == 41
