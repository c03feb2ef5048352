"""What a notebook shows of estimators and results."""

import html
import importlib
import inspect
import os
import pickle
import re
import subprocess
import sys

import altair as alt
import numpy as np
import pandas as pd
import pytest
import vl_convert
from numpy.testing import assert_allclose
from sklearn import set_config
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from checks import public_estimators
from onesided import (
    PositiveTAN,
    SignificanceRanker,
    WeightedLogisticRegression,
    _charts,
    compare,
    enrichment,
)
from onesided._display import Displayed
from onesided.audit import Audit
from onesided.enriched import enrich_table
from onesided.metrics import (
    ResampledPValue,
    lee_liu_score,
    pu_precision_recall_curve,
    pu_roc_auc,
    pu_roc_curve,
)
from onesided.model_selection import PlacedPositives
from onesided.preprocessing import QuantileBinner
from onesided.prior import ClassPriorEstimate, SubtypeEstimate, TIcEPrior
from onesided.promises import (
    ConformalTest,
    calibrate_posterior,
    positives_at_fdr,
    recall_shortlist,
)
from onesided.unexpected import Documents, compare_documents

COLUMNS = re.compile(r"\S {3,}\S")  # of a printed table
NAMES = [type(each).__name__ for each in public_estimators()]
estimators = pytest.mark.parametrize("estimator", public_estimators(), ids=NAMES)
METHODS = {"loose <b>": WeightedLogisticRegression(), "tight": WeightedLogisticRegression(1e-6)}


@pytest.fixture(scope="module")
def results():
    """One of each kind of result."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 12))
    y = (np.arange(240) < 40).astype(int)
    X[:60, 0] += 2
    known, rest = rng.normal(2, 1, 100), rng.normal(size=300)
    scores, labels = np.append(known, rest), np.repeat([1, 0], [100, 300])
    found = compare(METHODS, X, y)
    hidden = found.hidden["tight"]
    table = pd.DataFrame(X, columns=[*map(str, range(12))]).assign(known=y)
    audit = Audit(rest)
    audit.record(np.arange(300), rest > 1)
    posterior = calibrate_posterior(known, rest, class_prior=0.1, scenario="case-control")
    of_all = (
        found,
        compare(METHODS, X, {"a": y, "b": np.roll(y, 100)}),
        hidden,
        PlacedPositives(hidden.above, hidden.tied, hidden.scores, hidden.n_unlabeled),
        ClassPriorEstimate(
            0.3, (0.25, 0.35), 0.9, 0.4, 0.8, "tice", {"best-bin": 0.2, "tice": 0.3},
            "case-control", 100, 1000, 0
        ),
        SubtypeEstimate(
            np.array([0.02, 0.1]), np.array([90, 10]), np.zeros(400, int), 300, (80.0, 3.0), 30.0
        ),
        recall_shortlist(known, rest, recall=0.9),
        positives_at_fdr(known, rest, fdr=0.3, prior_at_least=0.1),
        ConformalTest.of_scores(known, rest),
        posterior,
        posterior.expected_positives(rest),
        enrichment(X, y, n_resamples=199, random_state=0),
        SignificanceRanker(
            n_subsets=50, sources={"a": [0, 1], "b": slice(2, 12)}, random_state=0
        ).fit(X, y).source_p_values(99, random_state=0),
        ResampledPValue.of(2.0, rng.normal(size=6000)),
        pu_roc_auc(labels, scores, class_prior=0.1),
        lee_liu_score(labels, scores > 1, scenario="case-control"),
        pu_roc_curve(labels, scores, class_prior=0.1),
        pu_precision_recall_curve(labels, scores, class_prior=0.1, scenario="case-control"),
        enrich_table(table, "known", n_resamples=199),
        compare_documents(
            Documents([*"abcd"], ["late parcel", "lost parcel", "a parcel", "parcel is late"]),
            Documents([*"ef"], ["the parcel is lost", "my account <b> was hacked"]),
        ),
        audit.label_odds_ratio(2, rng.normal(size=40)),
    )  # fmt: skip
    return {called(type(each)): each for each in of_all}


def called(kind):
    """The name of a class of results; two are called `Enrichment`."""
    return f"{'of a table, ' * (kind.__module__ == 'onesided.enriched')}{kind.__name__}"


def kinds_of_results():
    """Each public class that has a table."""
    modules = ("metrics", "model_selection", "models.significance", "prior", "promises")
    modules += ("audit", "enriched", "unexpected")
    for module in [importlib.import_module(f"onesided.{name}") for name in modules]:
        members = [getattr(module, name) for name in module.__all__]
        yield from (each for each in members if inspect.isclass(each) and hasattr(each, "to_frame"))


KINDS = sorted({called(kind) for kind in kinds_of_results()})
NUMBERS = sorted({called(kind) for kind in kinds_of_results() if issubclass(kind, float)})
PLOTTED = sorted({called(kind) for kind in kinds_of_results() if hasattr(kind, "plot")})


def test_all_results_are_under_test(results):
    assert set(KINDS) == set(results)
    assert len(KINDS) == 21
    assert len(PLOTTED) == 16
    assert all(issubclass(kind, Displayed) for kind in kinds_of_results())


def cells(page):
    """Texts of the cells of each row, the names of columns first."""
    rows = re.findall("<tr>(.*?)</tr>", page)
    return [re.findall("<t[hd]>(.*?)</t[hd]>", row) for row in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_is_a_table_with_what_it_says(kind, results):
    result = results[kind]
    page = result._repr_html_()
    head, *body = cells(page)
    rows = result.to_frame("pyarrow")
    assert head == rows.column_names
    assert len(body) == min(10, rows.num_rows)
    for name, shown in zip(head, body[0], strict=True):
        value = rows[name][0].as_py()
        if isinstance(value, float):
            assert_allclose(float(shown or "nan"), value, rtol=1e-3)
        else:
            assert html.unescape(shown) == ("" if value is None else str(value))
    said = html.unescape(re.search("<p .*?>(.*?)</p>", page, re.DOTALL)[1])
    assert len(said) > 10
    assert said[0].isalnum()
    if not (isinstance(result, float) or COLUMNS.search(str(result))):
        assert said.split() == (str(result) + said[len(str(result)) :]).split()
    assert ("to_frame() has all" in said) == (rows.num_rows > 10)


@pytest.mark.parametrize("kind", KINDS)
def test_words_are_short(kind, results):
    """No array is printed in full."""
    assert len(str(results[kind])) < 700


def test_text_is_escaped(results):
    page = results["Comparison"]._repr_html_()
    assert "loose &lt;b&gt;" in page
    assert "<b>" not in page


def test_what_is_missing_is_empty(results):
    """The p-value of the best method against itself."""
    head, best, _ = cells(results["Comparison"]._repr_html_())
    assert best[head.index("p_value_against_best")] == ""


def test_what_is_said(results):
    first = results["Comparison"].to_frame("pandas").iloc[0]
    assert first["method"] == "tight"
    assert f"tight ranks hidden positives highest: AUC {first['hidden_positive_auc']:.3f}" in str(
        results["Comparison"]
    )
    loose, tight = results["TaskComparison"].auc.mean(axis=0)
    assert str(results["TaskComparison"]).endswith(f"tight {tight:.3f}, loose <b> {loose:.3f}.")
    n_flagged = results["ConformalTest"].flagged(0.1).sum()
    assert str(results["ConformalTest"]).startswith(f"{n_flagged} of 300 rows are flagged as neg")
    assert "p-value of 0.05 or less: 0 (higher)" in str(results["Enrichment"])


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_number_stays_one(kind, results):
    result = results[kind]
    assert isinstance(result, float)
    assert repr(result) == str(result) == repr(float(result))
    again = pickle.loads(pickle.dumps(result))
    assert again._repr_html_() == result._repr_html_()


@pytest.mark.parametrize("kind", PLOTTED)
def test_a_plot_is_a_chart_that_can_be_drawn(kind, results):
    chart = results[kind].plot()
    assert isinstance(chart, alt.Chart | alt.LayerChart)
    picture = vl_convert.vegalite_to_svg(chart.to_dict())
    assert _charts.POSITIVE in picture or _charts.UNLABELED in picture
    assert "NaN" not in picture
    alt.hconcat(chart, chart).to_dict()  # no setting of its own is in the way


def values(chart, layer):
    """The rows that a layer shows."""
    spec = chart.to_dict()
    data = spec["layer"][layer].get("data", spec.get("data"))
    return spec["datasets"][data["name"]]


def test_many_random_sets_are_plotted(results):
    """More than the 5,000 rows that Altair allows."""
    chart = results["ResampledPValue"].plot()
    assert sum(each["count"] for each in values(chart, 0)) == 6000
    assert list(values(chart, 1)) == [{"cut": 2.0}]


def test_the_curve_of_hidden_positives(results):
    hidden = results["HiddenPositives"]
    curve = values(hidden.plot(), 1)
    found = {each["above"]: each["recall"] for each in curve}  # the last of equals
    for above, recall in found.items():
        assert_allclose(recall, max(np.mean(hidden.ranks * hidden.n_unlabeled <= above), 0.0))
    assert max(found) == hidden.n_unlabeled


def test_the_best_is_on_top(results):
    assert [each["method"] for each in values(results["Comparison"].plot(), 0)] == [
        "tight",
        "loose <b>",
    ]


def test_what_no_picture_may_hold():
    chart = _charts.bars(["a\x00", "b"], [1.0, np.inf], "nats")
    assert list(values(alt.layer(chart), 0)) == [
        {"name": "a�", "value": 1.0},
        {"name": "b", "value": None},
    ]


@estimators
def test_an_estimator_is_a_diagram(estimator):
    page = estimator._repr_html_()
    assert type(estimator).__name__ in page
    for name in estimator.get_params(deep=False):
        assert name in page
    assert "/api/generated" not in page, "no address of the pages is stated"
    assert type(estimator).__name__ in make_pipeline(StandardScaler(), estimator)._repr_html_()


def test_a_fitted_one_says_so(rng):
    X, y = rng.normal(size=(60, 3)), np.repeat([1, 0], 30)
    model = make_pipeline(QuantileBinner(), PositiveTAN())
    assert "Not fitted" in model._repr_html_()
    page = model.fit(X, y)._repr_html_()
    assert "Not fitted" not in page
    assert "<span>Fitted</span>" in page
    set_config(display="text")
    try:
        assert not hasattr(model[-1], "_repr_html_")
    finally:
        set_config(display="diagram")


def test_a_diagram_links_to_the_page(tmp_path):
    address = "https://example.org/onesided"
    stated = f"Project-URL: Source, https://example.org\nProject-URL: Documentation, {address}/\n"
    assert linked(tmp_path, stated) == [
        f"{address}/api/generated/onesided.PositiveTAN.html",
        f"{address}/api/generated/onesided.preprocessing.QuantileBinner.html",
        "",
    ]


def linked(folder, stated):
    """Links of two estimators and of one that is not ours, the package having such metadata."""
    info = folder / "onesided-9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: onesided\nVersion: 9\n{stated}")
    code = (
        "from onesided import PositiveTAN\n"
        "from onesided.preprocessing import QuantileBinner\n"
        "class Own(PositiveTAN): pass\n"
        "for each in (PositiveTAN, QuantileBinner, Own):\n"
        "    print(each()._get_doc_link())\n"
        "    assert each()._get_doc_link() in each()._repr_html_()\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )
    return out.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    ("estimator", "page"),
    [
        (PositiveTAN(), "onesided.PositiveTAN"),
        (QuantileBinner(), "onesided.preprocessing.QuantileBinner"),
        (TIcEPrior(), "onesided.prior.TIcEPrior"),
    ],
)
def test_the_page_of_a_link_is_that_of_the_public_name(estimator, page):
    assert estimator._doc_link_url_param_generator() == {"public_name": page}
    module, _, name = page.rpartition(".")
    assert getattr(importlib.import_module(module), name) is type(estimator)


def test_words_stand_in_no_columns(results):
    """A page puts spaces together, so a printed table above the table of the page is unreadable."""
    for each in results.values():
        words = each._repr_html_().split("<table>")[0]
        assert not COLUMNS.search(words), words


@pytest.mark.parametrize("n", [20, 520, 2000, 6149, 10**6])
def test_the_axis_of_the_curve_has_round_numbers_that_keep_apart(n):
    """Labels of 7 pixels a letter on an axis of 480 pixels."""
    chart = _charts.found_along(np.linspace(0, 1, 9), n).to_dict()
    ticks = chart["layer"][1]["encoding"]["x"]["axis"]["values"]
    assert ticks[:2] == [0, 1]
    assert n / 10 < ticks[-1] <= n
    places = 480 * np.log1p(ticks) / np.log1p(n)
    widths = np.array([7 * len(f"{each:.3g}".replace("e+0", "")) for each in ticks])
    assert (np.diff(places) > (widths[1:] + widths[:-1]) / 2 - 3).all()
    assert "dashed: a random order" in chart["layer"][1]["encoding"]["x"]["title"]


def test_p_values_are_drawn_from_0_to_1(results):
    bars = values(results["ConformalTest"].plot(), 0)
    assert (bars[0]["low"], bars[-1]["high"]) == (0, 1)


def test_features_of_a_table_are_drawn_as_those_of_an_array(results):
    of_table, of_array = (
        next(iter(results[name].plot(most=5).to_dict()["datasets"].values()))
        for name in ("of a table, Enrichment", "Enrichment")
    )
    assert of_table == of_array
    assert len(of_table) == 5
