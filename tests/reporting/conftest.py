"""A headless browser, and a report of a table with all that a table may hold."""

import os
import shutil

import numpy as np
import pandas as pd
import pytest

from command_line import few_draws, passed
from onesided import tables
from onesided._ranked import Doubt, KeptPromises, Ranked
from onesided.model_selection import compare, place, unlabeled_out_of_fold_scores
from onesided.prior import estimate_class_prior
from onesided.promises import calibrate_posterior, recall_shortlist
from onesided.reporting import read_report

NASTY = "</script><script>alert(1)</script><!--"


@pytest.fixture(scope="session")
def browser():
    """Chromium, run by Playwright; it is a program of the system, not a package."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("there is no Chromium; name it as CHROMIUM")
    with sync_api.sync_playwright() as started:
        # No sandbox, which root cannot have; nothing but our own page is opened.
        opened = started.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu"]
        )
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def reported(tmp_path_factory):
    """The folder of a run on numbers, categories and text, one value of which is markup."""
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(0)
    n = 400
    spend = rng.gamma(2, 100, n).round(2)
    words = ["garden", "tools", "summer", "bicycle", "winter", "snow", "boots", "kitchen", "piano"]
    is_buyer = spend > 250
    table = pd.DataFrame(
        {
            "customer": [f"c{i:03d}" for i in range(n)],
            "buyer": np.where(is_buyer & (rng.random(n) < 0.4), "x", ""),
            "spend": spend,
            NASTY: rng.choice([NASTY, "south"], n),
            "note": [
                " ".join(rng.choice(words, 6)) + " sunflower seeds" * bool(likes)
                for likes in is_buyer & (rng.random(n) < 0.7)
            ],
        }
    )
    table.loc[5, "customer"] = NASTY
    table.to_csv(folder / "customers.csv", index=False)
    ask = ["--positive", "buyer", "--id", "customer", "--method", "logistic"]
    with few_draws():
        passed("rank", "customers.csv", *ask, "--report", "r.html", cwd=folder)
    return folder


@pytest.fixture(scope="session")
def ranked(reported):
    """The record of a ranking by one method, with a prior and a promise."""
    problem = tables.read_problem(reported / "customers.csv", "buyer", identifier="customer")
    rankers = tables.default_rankers(problem.summary, methods=["tree"], class_prior=0.2)
    comparison = compare(rankers, problem.features, problem.positive, random_state=0)
    scored = unlabeled_out_of_fold_scores(
        rankers[comparison.best_], problem.features, problem.positive, random_state=0
    )
    hidden = comparison.hidden[comparison.best_]
    prior = estimate_class_prior(
        problem.features,
        problem.positive,
        scenario="case-control",
        estimator=rankers[comparison.best_],
        n_subsamples=2,
        random_state=0,
    )
    posterior = calibrate_posterior(
        -hidden.ranks, -scored.ranks, class_prior=prior, scenario="case-control"
    )
    kept = KeptPromises(
        n_held_out=len(hidden.ranks),
        n_rows=len(scored.rows),
        confidence=0.9,
        upper_bound=0.5,
        scar=None,
        prior_at_least=None,
        shortlist=recall_shortlist(1 - hidden.ranks, 1 - scored.ranks, recall=0.6, confidence=0.9),
        n_hidden=40,
        discard=None,
        discarded=None,
        listed=None,
    )
    placed = place(hidden, scored)
    return Ranked(
        problem=problem,
        comparison=comparison,
        scored=scored,
        placed=placed,
        table=tables.ranking_table(problem.ids, "customer", scored, placed),
        prior=prior,
        no_prior="",
        posterior=posterior,
        scenario="case-control",
        promises=kept,
        enriched=None,
        chance={},
        doubt=Doubt("", ""),
        notes=(),
        command="onesided rank customers.csv",
        top=50,
    )


@pytest.fixture(scope="session")
def report(reported):
    return read_report(reported / "r.json")


@pytest.fixture
def page(browser):
    """A new page, and after the test: nothing was fetched, and nothing went wrong."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    opened = context.new_page()
    wrong, fetched = [], []
    opened.on("console", lambda message: wrong.append(message.text))
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("dialog", lambda dialog: (wrong.append("dialog"), dialog.dismiss()))
    opened.on("request", lambda request: fetched.append(request.url))
    yield opened
    context.close()
    assert wrong == []
    assert len(fetched) == 1
    assert fetched[0].startswith("file://")
