"""Draw the pictures of the pages: what a page computes in Python is run, and drawn.

    python docs/pictures.py            all whose data are there
    python docs/pictures.py genes      one

The pages for customers, documents, messages and fraud read the folder ONESIDED_DATA.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

DOCS = Path(__file__).resolve().parent
sys.path.append(str(DOCS.parent / "tests"))

from pages import blocks  # noqa: E402 - the folder of the tests is no package

POSITIVE, UNLABELED, INK = "#b8431f", "#5b7795", "#333333"
PERCENT = alt.Axis(format="%")
Names = dict[str, Any]


def names_of(page: str) -> Names:
    """What the Python blocks of a page define."""
    names: Names = {"__name__": "page"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for each in (DOCS.parent / "examples" / "yeast").iterdir():
            shutil.copy(each, folder)
        for block in blocks(DOCS / "users" / f"{page}.rst"):
            if block.kind == "python":
                exec(compile(block.text, page, "exec"), names)  # noqa: S102 - our own page
    return names


def found_at(ranks: Sequence[float], what: str) -> pd.DataFrame:
    """Share of some rows that stands within each share of a list; ranks from 0, the best."""
    places = np.sort(np.asarray(ranks))
    shares = np.arange(1, len(places) + 1) / len(places)
    listed = [0.0, *places, 1.0]
    return pd.DataFrame({"listed": listed, "found": [0.0, *shares, 1.0], "of": what})


def curves(rows: pd.DataFrame, x: str, y: str, *, log: bool = False) -> alt.Chart:
    """Lines of shares found, one a kind of rows, and chance."""
    kinds = list(dict.fromkeys(rows["of"]))
    scale = alt.Scale(type="log", domain=[1e-3, 1]) if log else alt.Scale(domain=[0, 1])
    colors = alt.Scale(domain=kinds, range=[POSITIVE, INK, UNLABELED][: len(kinds)])
    return (
        alt.Chart(rows)
        .mark_line(interpolate="step-after", strokeWidth=2, clip=True)
        .encode(
            x=alt.X("listed:Q", title=x, axis=PERCENT, scale=scale),
            y=alt.Y("found:Q", title=y, axis=PERCENT, scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("of:N", title=None, scale=colors),
            strokeDash=alt.StrokeDash("of:N", title=None, scale=alt.Scale(domain=kinds)),
        )
    )


def chance() -> pd.DataFrame:
    """A list in no order."""
    listed = np.geomspace(1e-3, 1, 300)
    return pd.DataFrame({"listed": listed, "found": listed, "of": "chance"})


def genes(names: Names) -> alt.Chart:
    """The hidden targets."""
    hidden = names["found"].hidden
    rows = [found_at(hidden[name].ranks, f"targets, by {name}") for name in hidden]
    return curves(
        pd.concat([*rows, chance()]),
        "genes checked, from the top",
        "hidden targets found",
        log=True,
    )


def customers(names: Names) -> alt.Chart:
    """Hidden buyers, and those who said yes."""
    drawn, others = names["drawn"], names["others"]
    yes = others.ranks[drawn.y_true[drawn.y == 0] == 1]
    order = np.argsort(np.argsort(others.ranks)) / len(others.ranks)
    told = [
        found_at(names["hidden"].ranks, "known buyers, hidden in turn"),
        found_at(order[np.isin(others.ranks, yes)], "those who said yes"),
        chance(),
    ]
    return curves(pd.concat(told), "customers asked, from the top", "buyers found")


def documents(names: Names) -> alt.Chart:
    """Held-out papers, those that belong, and where reading ends."""
    rest, known, drawn = names["rest"], names["known"], names["drawn"]
    belongs = names["papers"]["paper"].map(
        dict(zip(names["papers"]["paper"], drawn.y_true, strict=True))
    )
    belongs = belongs[(names["papers"]["included"] == 0).to_numpy()].to_numpy() == 1

    def place(scores: Any) -> Any:
        return (rest[:, None] > scores).mean(axis=0)

    told = pd.concat(
        [
            found_at(place(known), "papers held out"),
            found_at(place(rest[belongs]), "papers that belong"),
            chance(),
        ]
    )
    end = pd.DataFrame({"end": [float(names["short"].selected.mean())]})
    rule = alt.Chart(end).mark_rule(color=INK, strokeDash=[2, 3]).encode(x="end:Q")
    return curves(told, "papers read, from the top", "papers found", log=True) + rule


def unexpected(names: Names) -> alt.Chart:
    """Scores of new stories."""
    kinds = np.where(names["is_new_kind"], "of no known kind", "of a known kind")
    rows = pd.DataFrame({"score": names["scores"].clip(-4, 4), "of": kinds})
    colors = alt.Scale(domain=["of a known kind", "of no known kind"], range=[UNLABELED, POSITIVE])
    return (
        alt.Chart(rows)
        .mark_bar(opacity=0.7)
        .encode(
            x=alt.X("score:Q", title="score", bin=alt.Bin(maxbins=40)),
            y=alt.Y("count():Q", title="new stories", stack=None),
            color=alt.Color("of:N", title=None, scale=colors),
        )
    )


def biased(names: Names) -> alt.Chart:
    """Both areas, for both kinds of reports."""
    kinds = {
        "of reported mails, hidden in turn": names["seen"],
        "of all spam, from the truth": names["true"],
    }
    rows = pd.DataFrame(
        [
            (f"{reports} reports", area, of)
            for of, by in kinds.items()
            for reports, area in by.items()
        ],
        columns=["reports", "area", "of"],
    )
    colors = alt.Scale(domain=list(kinds), range=[POSITIVE, INK])
    shapes = {"x": alt.X("area:Q", title="area under the ROC curve", scale=alt.Scale(zero=False))}
    shapes |= {"y": alt.Y("reports:N", title=None)}
    return (
        alt.Chart(rows)
        .mark_point(filled=True, size=120)
        .encode(**shapes, color=alt.Color("of:N", title=None, scale=colors))
        .properties(height=90)
    )


def report() -> None:
    """The page of a report, as a browser shows its beginning; the browser is named by CHROMIUM."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only this picture needs it

    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    genes_table = DOCS.parent / "examples" / "yeast" / "genes.csv.gz"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        page = Path(folder, "report.html")
        ask = ["rank", genes_table, "--positive", "known_target", "--id", "gene", "--report", page]
        command = [sys.executable, "-m", "onesided", *ask]
        subprocess.run(command, cwd=folder, check=True)  # noqa: S603 - our own command
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 900, "height": 1080})
        opened.goto(page.as_uri())
        opened.screenshot(path=DOCS / "_static" / "report.jpg", type="jpeg", quality=50)
        browser.close()


PICTURES: dict[str, Callable[[Names], Any]] = {
    "genes": genes,
    "customers": customers,
    "documents": documents,
    "unexpected": unexpected,
    "biased": biased,
}


def main() -> None:
    """Draw what is asked for."""
    os.environ.setdefault("ONESIDED_DATA", str(DOCS.parents[1] / "shared" / "data"))
    for page in sys.argv[1:] or [*PICTURES, "report"]:
        if page == "report":
            report()
            continue
        chart = PICTURES[page](names_of(page))
        chart = chart.properties(width=460).configure_legend(orient="top", labelLimit=300)
        chart.save(DOCS / "_static" / f"{page}.svg")
        print(DOCS / "_static" / f"{page}.svg")


if __name__ == "__main__":
    main()
