"""A learner that is fitted to rows in one layout scores rows in any other layout alike.

The table of learners, layouts, types of numbers and gaps has some 18,500 rows. A sample of them
runs, the same each time; `ONESIDED_EXAMPLES=20000 pytest tests/models/test_layouts.py` runs all.
"""

import re
from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone

from fuzzing import EXAMPLES
from layouts import LAYOUTS, NAMED, Rows, is_sparse, layouts_of, learners
from onesided.exceptions import DataError

LEARNERS = learners()
Y = np.arange(70) < 20
ANSWERS = ("decision_function", "predict_proba", "contributions")
KINDS = {
    "counts": ("float64", "float32", "int64", "uint8"),
    "presence": ("bool", "float64", "int64"),
    "decimals": ("float64", "float32"),
}
"""Values of rows, and the types that hold them."""
GAPS = {"nowhere": (False, False), "in new rows": (False, True), "everywhere": (True, True)}
"""Where rows have gaps: in those of fit, in those that are scored."""
TABLE = [
    (name, layout, values, kind, gaps)
    for values, gaps in product(KINDS, GAPS)
    for kind in KINDS[values]
    for layout in layouts_of(kind, gaps=GAPS[gaps][0])
    for name in LEARNERS
]
ONE_OF = max(1, len(TABLE) // (EXAMPLES or 124)) | 1  # odd, so that learners take turns
ONE_LAYOUT_OF = 1 if EXAMPLES else 4

pytestmark = [
    pytest.mark.filterwarnings("ignore:X (does not have|has) .*feature names:UserWarning"),
    pytest.mark.filterwarnings("ignore::onesided.exceptions.OnesidedWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@cache
def rows(values, gaps):
    """Rows to learn from, then others to score; the first of each are high where positives are."""
    rng = np.random.default_rng(20021119)
    means = np.where(np.concatenate([Y, Y])[:, None] == (np.arange(8) < 4), 1.5, 0.3)
    most = 1 if values == "presence" else 3
    whole = rng.poisson(means).clip(max=most)
    X = rng.gamma(means).round(1) if values == "decimals" else whole.astype(float)
    X[rng.random(X.shape) < (0.1 if gaps else 0.0)] = np.nan
    return X[: len(Y)], X[len(Y) :]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Rows in a layout, made once: those of fit, 0, or those to score, 1."""
    folder = tmp_path_factory.mktemp("layouts")

    @cache
    def make(layout, values, kind, gaps, part):
        return LAYOUTS[layout](Rows(rows(values, gaps)[part], kind, folder))

    return make


def learned(name, X):
    """The learner, fitted; or its refusal."""
    try:
        return clone(LEARNERS[name]).fit(X, Y)
    except DataError as refusal:
        return refused(refusal)


def answers(model, X):
    """What a model says of rows, as arrays; or its refusal."""
    try:
        found = {name: getattr(model, name)(X) for name in ANSWERS if hasattr(model, name)}
    except DataError as refusal:
        return refused(refusal)
    return {
        name: each.toarray() if sparse.issparse(each) else np.asarray(each)
        for name, each in found.items()
    }


def refused(refusal):
    """The two sentences, of any column: parts of a Dask collection are read in no order."""
    assert "\n" not in refusal.problem
    return re.sub(r"Column ('f)?\d'? of", "Column N of", f"{refusal.problem} {refusal.mend}")


@pytest.fixture(scope="module")
def expected(stored):
    """What a learner says that learned from float64, dense or sparse, of dense rows."""

    @cache
    def find(name, as_sparse, values, gaps):
        of_fit, of_new = GAPS[gaps]
        layout = "csr_array" if as_sparse else "array"
        model = learned(name, stored(layout, values, "float64", of_fit, 0))
        new = stored("array", values, "float64", of_new, 1)
        return model if isinstance(model, str) else answers(model, new)

    return find


def assert_same(found, wanted, rounding, where):
    if isinstance(wanted, str) or isinstance(found, str):
        assert found == wanted, where
        return
    for name, numbers in wanted.items():
        size = max(np.abs(numbers).max(initial=0), 1e-3)
        assert_allclose(found[name], numbers, rtol=0, atol=rounding * size, err_msg=f"{where}")


@pytest.mark.parametrize(
    ("name", "layout", "values", "kind", "gaps"),
    TABLE[::ONE_OF],
    ids=lambda each: str(each).replace(" ", "-"),
)
def test_scores_do_not_depend_on_the_layout(name, layout, values, kind, gaps, stored, expected):
    of_fit, of_new = GAPS[gaps]
    # The default bags learn from sparse rows by another model, which is documented.
    as_sparse = is_sparse(layout) and name == "PUBagging of defaults"
    wanted = expected(name, as_sparse, values, gaps)
    model = learned(name, stored(layout, values, kind, of_fit, 0))
    if isinstance(model, str):
        assert model == wanted
        return
    kinds = KINDS[values]
    for place, other in enumerate(LAYOUTS):
        of_other = kinds[place % len(kinds)]
        if other not in layouts_of(of_other, gaps=of_new):
            of_other = "float64"
        found = answers(model, stored(other, values, of_other, of_new, 1))
        rounding = 1e-3 if "float32" in (kind, of_other) else 1e-4
        assert_same(found, wanted, rounding, (other, of_other))


@pytest.mark.parametrize(("place", "name"), [*enumerate(LEARNERS)])
def test_few_rows_of_any_layout(place, name, tmp_path):
    """One row has the score that it has among others; no row is refused."""
    X, new = rows("counts", gaps=False)
    model = learned(name, X)
    wanted = answers(model, new)
    for layout, make in list(LAYOUTS.items())[place % ONE_LAYOUT_OF :: ONE_LAYOUT_OF]:
        one = answers(model, make(Rows(new[3:4], "float64", tmp_path)))
        assert_same(one, {what: each[3:4] for what, each in wanted.items()}, 1e-6, layout)
        if layout not in ("list", "json"):  # without rows they have no columns
            none = answers(model, make(Rows(new[:0], "float64", tmp_path)))
            assert none == "X has no rows. Pass one row or more.", layout


@pytest.mark.parametrize("layout", NAMED)
def test_columns_are_found_by_their_names(layout, tmp_path):
    X, new = rows("counts", gaps=True)
    model = learned("PositiveNaiveBayes", LAYOUTS[layout](Rows(X, "float64", tmp_path)))
    turned = Rows(new, "float64", tmp_path, order=(5, 3, 0, 1, 7, 2, 6, 4))
    wanted = answers(learned("PositiveNaiveBayes", X), new)
    for other in NAMED:
        assert_same(answers(model, LAYOUTS[other](turned)), wanted, 1e-9, other)
