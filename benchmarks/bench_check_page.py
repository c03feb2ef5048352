"""How fast a page with 2,000 rows to check opens in a browser, beside an empty page.

    python benchmarks/bench_check_page.py [--quick]

Opens the page in headless Chromium (named by CHROMIUM, or found), and gives verdicts.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

import numpy as np
from bench_report import EMPTY, REPEATS, chromium, seconds_to_open
from playwright.sync_api import sync_playwright

from onesided.audit import Audit
from onesided.checking._page import CheckData, render


def make_data(n: int) -> CheckData:
    """A page of an audit of 100,000 rows, with ten columns and some text for each row."""
    rng = np.random.default_rng(0)
    audit = Audit(np.sort(rng.normal(size=100_000))[::-1])
    drawn = audit.draw(n)
    return {
        "title": "records-ranking.csv",
        "audit": "benchmark",
        "sheet": "check.csv",
        "id_name": "record",
        "n_rows": audit.n_rows,
        "so_far": "",
        "mode": "anytime",
        "unit": "",
        "rows": [
            {
                "id": f"record {row}",
                "rank": row + 1,
                "score": 1 - row / audit.n_rows,
                "stands_for": 50.0,
                "fields": [
                    [f"column {j}", f"{value:.4f}"] for j, value in enumerate(rng.random(10))
                ],
                "text": "A sentence of an abstract of some length. " * 30,
                "drivers": [[f"column {j}", 1.0 - j / 3, "0.5"] for j in range(5)],
                "verdict": "",
                "note": "",
            }
            for row in drawn.tolist()
        ],
        "steps": audit.page_constants(drawn),
    }


def main() -> None:
    """Print seconds, the ratio and the time of a verdict."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    n, repeats = (200, 1) if parser.parse_args().quick else (2000, REPEATS)
    if (found := chromium()) is None:
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        page, empty = Path(folder, "check.html"), Path(folder, "empty.html")
        page.write_text(render(make_data(n)), encoding="utf-8")
        empty.write_text(EMPTY.format("name"), encoding="utf-8")
        print(f"page: {page.stat().st_size / 1e6:.1f} MB")
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        of_page = [seconds_to_open(browser, page, "#name")[0] for _ in range(repeats)]
        of_empty = [seconds_to_open(browser, empty, "#name")[0] for _ in range(repeats)]
        opened = browser.new_page()
        opened.goto(page.as_uri())
        spent = opened.evaluate(
            """n => {
            const began = performance.now();
            for (let i = 0; i < n; i += 1) {
              const key = i % 10 ? "n" : "y";
              document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            }
            return performance.now() - began;
        }""",
            n,
        )
        browser.close()
    seconds, seconds_empty = statistics.median(of_page), statistics.median(of_empty)
    print(
        f"{n:,} rows open in {seconds:.2f} s, {seconds - seconds_empty:.2f} s more than an empty "
        f"page, {seconds / seconds_empty:.1f} times as long"
    )
    print(f"a verdict takes {spent / n:.1f} ms")


if __name__ == "__main__":
    main()
