"""How fast a report of 100,000 candidates opens in a browser, beside an empty page.

    python benchmarks/bench_report.py [--quick]

Makes a table, ranks it, and opens the page in headless Chromium (named by CHROMIUM, or found).
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from playwright.sync_api import Browser, sync_playwright

REPEATS = 5
N_POSITIVE, N_TELLING = 500, 3  # rows labeled, and columns that tell
EMPTY = "<!doctype html><html lang=en><title>Empty</title><p id={}>Nothing"


def chromium() -> str | None:
    """Path of the browser; None, which is said, without one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        print("There is no Chromium; name it as CHROMIUM.")
    return found


def make_table(path: Path, n_unlabeled: int) -> None:
    """Write a table of numbers and a category, of whose rows a tenth is positive."""
    rng = np.random.default_rng(0)
    n = n_unlabeled + N_POSITIVE
    is_positive = np.arange(n) < n // 10
    columns = {f"x{j}": rng.normal(size=n) + (j < N_TELLING) * is_positive for j in range(8)}
    columns["kind"] = rng.choice(["a", "b", "c"], n)
    columns["known"] = (np.arange(n) < N_POSITIVE).astype(int)
    columns["id"] = np.array([f"row {i}" for i in range(n)])
    pacsv.write_csv(pa.table(columns), path)


def seconds_to_open(browser: Browser, page: Path, part: str = "#list") -> tuple[float, int]:
    """From the start of loading to the drawn part, and elements in the page."""
    opened = browser.new_page()
    began = time.perf_counter()
    opened.goto(page.as_uri(), wait_until="load")
    opened.wait_for_selector(part)
    opened.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    seconds = time.perf_counter() - began
    n_elements = opened.evaluate("document.getElementsByTagName('*').length")
    opened.close()
    return seconds, n_elements


def main() -> None:
    """Print seconds and the ratio."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    n, repeats = (300, 1) if parser.parse_args().quick else (100_000, REPEATS)
    if (found := chromium()) is None:
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        table, page, empty = (Path(folder, each) for each in ("t.csv", "r.html", "empty.html"))
        make_table(table, n)
        empty.write_text(EMPTY.format("list"), encoding="utf-8")
        began = time.perf_counter()
        command = ["rank", table, "--positive", "known", "--id", "id", "--method", "logistic"]
        subprocess.run(
            [
                sys.executable,
                "-m",
                "onesided",
                *command,
                "--out",
                table.with_name("o.csv"),
                "--report",
                page,
            ],
            check=True,
        )
        print(f"rank with a report of {n:,} candidates: {time.perf_counter() - began:.0f} s")
        print(f"page: {page.stat().st_size / 1e6:.1f} MB")
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        of_page = [seconds_to_open(browser, page) for _ in range(repeats)]
        of_empty = [seconds_to_open(browser, empty)[0] for _ in range(repeats)]
        browser.close()
    median = statistics.median(seconds for seconds, _ in of_page)
    print(
        f"opens in {median:.2f} s, {median / statistics.median(of_empty):.1f} times an empty page"
    )
    print(f"elements in the page: {of_page[0][1]:,}")


if __name__ == "__main__":
    main()
