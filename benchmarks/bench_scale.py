"""10,000,000 rows of 20 categories in files: time against a bare scan, memory, threads, processes.

Usage: python benchmarks/bench_scale.py [--quick]     40,000 rows, and no machine to speak of

Each figure of the files is of a process of its own, of which the highest resident memory is given.
"""

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
from _timing import highest_resident, in_turn, median_ratio, report
from problems import categories

from onesided import PositiveNaiveBayes, PositiveTAN, WeightedLogisticRegression
from onesided._blocks import Block, read_features

N_FEATURES, N_VALUES = 20, 5
PART_ROWS, GROUP_ROWS = 500_000, 100_000
WORDS = ["none", "few", "some", "many", "all"]
MEGABYTE = 1 << 20


def write_parts(folder: Path, n_rows: int, *, text: bool) -> int:
    """Write Parquet files of categories and labels; their size in bytes."""
    for number, start in enumerate(range(0, n_rows, PART_ROWS)):
        X, y = categories(min(PART_ROWS, n_rows - start), N_FEATURES, N_VALUES, seed=number)
        columns = [
            pa.DictionaryArray.from_arrays(pa.array(column), WORDS) if text else pa.array(column)
            for column in X.T
        ]
        names = [f"f{j}" for j in range(N_FEATURES)]
        table = pa.table([*columns, pa.array(y.astype(np.int8))], [*names, "known"])
        pq.write_table(table, folder / f"part-{number:03}.parquet", row_group_size=GROUP_ROWS)
    return sum(part.stat().st_size for part in folder.iterdir())


def scan(folder: Path) -> int:
    """Every column of every row, as Arrow gives it; what any reader has to do."""
    return sum(batch.num_rows for batch in pads.dataset(folder).to_batches())


def fit_bayes(folder: Path) -> Any:
    """One pass for the labels, one for the counts."""
    return PositiveNaiveBayes(0.1).fit(folder, "known")


def fit_tan(folder: Path) -> Any:
    """One pass more."""
    return PositiveTAN(0.1).fit(folder, "known")


def score_tan(folder: Path) -> int:
    """Score all rows by a tree that one part gives."""
    model = PositiveTAN(0.1).fit(min(folder.iterdir()), "known")
    start, core = time.perf_counter(), time.process_time()
    scores = model.decision_function(folder)
    print(f"core {time.process_time() - core}")
    print(f"seconds {time.perf_counter() - start}")
    assert np.isfinite(scores).all()
    return len(scores)


ACTIONS: dict[str, Callable[[Path], Any]] = {
    "scan": scan,
    "PositiveNaiveBayes.fit": fit_bayes,
    "PositiveTAN.fit": fit_tan,
    "PositiveTAN.decision_function": score_tan,
}


class Passes(logging.Handler):
    """Prints each pass of onesided as a line of JSON."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one."""
        summary: Any = record.args[0] if record.args else None
        print("pass", json.dumps([summary.of, summary.n_rows, summary.n_blocks, summary.seconds]))


def act(name: str, folder: Path) -> None:
    """What a fresh process does: one action, its passes, seconds and memory."""
    logger = logging.getLogger("onesided")
    logger.setLevel(logging.DEBUG)
    logger.addHandler(Passes())
    start, core = time.perf_counter(), time.process_time()
    ACTIONS[name](folder)
    print(f"all_core {time.process_time() - core}")
    print(f"elapsed {time.perf_counter() - start}")
    print(f"memory {highest_resident()}")


@dataclass(frozen=True)
class Run:
    """One action in a process of its own.

    Attributes
    ----------
    seconds : by the clock
    core_seconds : of all threads, which other work on the machine leaves alone
    n_bytes : highest resident memory
    passes : name and seconds of each
    """

    seconds: float
    core_seconds: float
    n_bytes: int
    passes: list[tuple[str, float]]


def in_fresh_process(name: str, folder: Path) -> Run:
    """Run one action."""
    command = [sys.executable, __file__, "--act", name, "--folder", str(folder)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found = dict(line.split(" ", 1) for line in said if not line.startswith("pass"))
    passes = [json.loads(line[5:]) for line in said if line.startswith("pass")]
    return Run(
        float(found.get("seconds", found["elapsed"])),
        float(found.get("core", found["all_core"])),
        int(found["memory"]),
        [(of, took) for of, _, _, took in passes],
    )


def files(
    n_rows: int, *, text: bool, repeats: int, actions: Iterable[str] = ACTIONS
) -> dict[str, float]:
    """Print rows per second, the ratio to a scan and memory; core seconds of each action."""
    core_seconds: dict[str, float] = {}
    runs: dict[str, list[Run]] = {each: [] for each in actions}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = write_parts(folder, n_rows, text=text)
        kind = "dictionary strings" if text else "int8 codes"
        print(f"\n{n_rows:,} rows, {N_FEATURES} columns of {N_VALUES} values, {kind}, ", end="")
        print(f"{size / MEGABYTE:,.0f} MB of Parquet in {len(list(folder.iterdir()))} parts")
        for _ in range(repeats):
            for each, found in runs.items():
                found.append(in_fresh_process(each, folder))
    scans = [run.seconds for run in runs["scan"]]
    for each, found in runs.items():
        seconds = statistics.median(run.seconds for run in found)
        core_seconds[each] = statistics.median(run.core_seconds for run in found)
        ratio = median_ratio([run.seconds for run in found], scans)
        memory = max(run.n_bytes for run in found) / MEGABYTE
        print(f"{each:<30}{seconds:8.2f} s {core_seconds[each]:8.2f} core s ", end="")
        print(f"{n_rows / seconds:12,.0f} rows/s {ratio:6.2f} scans {memory:5.0f} MB resident")
        for of, took in found[-1].passes:
            print(f"    {of:<26}{took:8.2f} s")
    fits = [run.seconds for run in runs["PositiveNaiveBayes.fit"]]
    report(f"PositiveNaiveBayes.fit / scan, {kind}", median_ratio(fits, scans), 4.0)
    most = max(run.n_bytes for found in runs.values() for run in found)
    report(f"most resident memory / 1 GB, {kind}", most / 1e9, 1.0)
    return core_seconds


def with_threads(n_jobs: int, action: Callable[[], object]) -> Callable[[], None]:
    """The action in joblib's context."""

    def run() -> None:
        with joblib.parallel_config(n_jobs=n_jobs):
            action()

    return run


def dense(n_rows: int) -> tuple[Any, Any]:
    """Numbers of 50 columns, and labels that depend on the first."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 50))
    return X, (X[:, 0] + rng.normal(size=n_rows) > 2).astype(int)  # noqa: PLR2004 - few positives


def threads(n_rows: int, repeats: int) -> None:
    """Print what two threads gain."""
    print(f"\nTwo threads, {os.cpu_count()} cores, {n_rows:,} rows in memory")
    codes, of_codes = categories(n_rows, 30, 4)
    numbers, of_numbers = dense(n_rows // 2)
    for what, action in {
        "PositiveTAN.fit, int8 codes": lambda: PositiveTAN(0.1).fit(codes, of_codes),
        "WeightedLogisticRegression.fit, dense": lambda: WeightedLogisticRegression().fit(
            numbers, of_numbers
        ),
    }.items():
        one, two = in_turn(with_threads(1, action), with_threads(2, action), repeats=repeats)
        print(f"{what:<48} {median_ratio(one, two):5.2f} times as fast as one")


def _count(block: Block) -> int:
    return block.n_rows


def processes(
    n_rows: int, repeats: int, numbers: Sequence[int] = (1, 2), n_tiny: int = 200
) -> None:
    """Print what two Dask processes gain, and what two processes gain at nothing but sums.

    Parameters
    ----------
    n_rows : of the table that is learned from
    repeats : of all that is measured
    numbers : of Dask processes; without 2 nothing is said about what two of them gain
    n_tiny : number of blocks of one row that are handed out
    """
    import dask.array as da  # noqa: PLC0415 - an extra
    from distributed import Client, LocalCluster  # noqa: PLC0415 - an extra

    n_sums = 2 * n_rows

    def plain(n_processes: int) -> list[float]:
        """The same work in so many processes at once, which is what this machine has to give."""
        code = f"s = 0\nfor i in range({n_sums}): s += i"
        start = time.perf_counter()
        for each in [subprocess.Popen([sys.executable, "-c", code]) for _ in range(n_processes)]:
            each.wait()
        return [n_processes / (time.perf_counter() - start)]

    codes, labels = categories(n_rows, 30, 4)
    seconds: dict[int, list[float]] = {each: [] for each in numbers}
    handed_out: list[float] = []
    for _ in range(repeats):
        for n_workers, into in seconds.items():
            with (
                LocalCluster(
                    n_workers=n_workers, threads_per_worker=1, dashboard_address=":0"
                ) as cluster,
                Client(cluster),
            ):
                X = da.from_array(codes, chunks=(n_rows // 8, -1)).persist()
                PositiveTAN(0.1).fit(X, labels)
                start = time.perf_counter()
                PositiveTAN(0.1).fit(X, labels)
                into.append(time.perf_counter() - start)
                tiny = read_features(da.ones((n_tiny, 1), chunks=1), numeric=True)
                start = time.perf_counter()
                tiny.total(_count, 0)
                handed_out.append((time.perf_counter() - start) / n_tiny)
    ceiling = statistics.median(median_ratio(plain(2), plain(1)) for _ in range(repeats))
    for number in numbers[1:]:
        gain = median_ratio(seconds[1], seconds[number])
        print(f"\n{number} Dask processes, PositiveTAN.fit, {n_rows:,} rows: ", end="")
        print(f"{gain:.2f} times as fast as one")
    print(f"Two processes that only count: {ceiling:.2f} (2 where two cores are idle)")
    print(f"A block is handed out in {1e3 * statistics.median(handed_out):.2f} ms")


def plan(core_seconds: dict[str, float], n_rows: int) -> None:
    """Print the time of each action for other numbers of rows, by cores, if a row costs the same.

    Parameters
    ----------
    core_seconds : of each action, as measured
    n_rows : of the measurement
    """
    print("\nPlanned from the core seconds of codes:")
    plans = [(10**7, 1), (10**9, 1), (10**9, 16), (10**9, 128)]
    print(f"{'rows / cores':<30}" + "".join(f"{f'{n:,} / {c}':>20}" for n, c in plans))
    for each, took in core_seconds.items():
        times = [took / n_rows * n / c for n, c in plans]
        print(f"{each:<30}" + "".join(f"{t:>18,.1f} s" for t in times))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--act", choices=ACTIONS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.act:
        act(options.act, options.folder)
        return
    n_rows, repeats = (40_000, 1) if options.quick else (10_000_000, 3)
    actions = ("scan", "PositiveNaiveBayes.fit") if options.quick else tuple(ACTIONS)
    seconds = files(n_rows, text=False, repeats=repeats, actions=actions)
    if not options.quick:
        files(n_rows, text=True, repeats=repeats)
    in_memory = min(n_rows, 1_000_000)
    threads(in_memory, 2 * repeats - 1)
    if options.quick:
        processes(4 * in_memory, repeats, numbers=(1,), n_tiny=20)
    else:
        processes(4 * in_memory, repeats)
    plan(seconds, n_rows)


if __name__ == "__main__":
    main()
