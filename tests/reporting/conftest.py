"""A report of a table with all that a table may hold, and a page of a headless browser."""

import numpy as np
import pandas as pd
import pytest

from command_line import few_draws, passed
from onesided import rank_table
from onesided.reporting import read_report

NASTY = "</script><script>alert(1)</script><!--"


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
    with few_draws():
        return rank_table(
            reported / "customers.csv",
            "buyer",
            identifier="customer",
            methods=["tree"],
            class_prior=0.2,
            recall=0.5,
            scenario="case-control",
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
