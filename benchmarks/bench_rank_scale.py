"""`onesided rank` with its report by the number of rows, beside a forest of scikit-learn.

The table has 25 numbers, of which 10 matter, and 5 categories that are noisy copies of numbers; a
tenth of the rows is positive, of which a fifth is labeled. The peer reads the same file and scores
each row by a balanced random forest that did not learn from it, in five folds.

    python benchmarks/bench_rank_scale.py [--quick] [--rows 10000 100000 1000000]

Each run is a process of its own. Printed are its seconds by the clock, its seconds of CPU with
those of its processes, and the highest memory of all its processes together, where memory that
they share counts once. This memory less that of the imports of one process is printed in sizes of
the table, which is 8 bytes a cell; from the second number of rows on, what it grew by is printed in
sizes of what the table grew by. Memory is looked at five times a second, on Linux; elsewhere it is
that of the largest process. Above 10,000 rows the forest has fewer trees, and its seconds are those
of as many trees as it has below.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score

N_NUMBERS, N_INFORMATIVE, N_CATEGORIES, N_VALUES = 25, 10, 5, 8
N_TREES, N_FEW_TREES, N_FEW_ROWS = 100, 2, 10_000
CELL = 8  # bytes
SCALE = 1 if sys.platform == "darwin" else 1024  # bytes in the unit of getrusage
FOREST = """
import sys
import numpy as np, pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
path, out, n_trees = sys.argv[1:]
rows = pd.read_csv(path)
y = rows.pop("buyer"); rows = rows.drop(columns="id")
text = make_column_selector(dtype_exclude=np.number)
columns = make_column_transformer(
    (OneHotEncoder(sparse_output=False), text), remainder="passthrough")
forest = RandomForestClassifier(int(n_trees), min_samples_leaf=3, class_weight="balanced")
scores = cross_val_predict(make_pipeline(columns, forest), rows, y, method="predict_proba",
                           cv=StratifiedKFold(5, shuffle=True, random_state=0))[:, 1]
pd.DataFrame({"id": np.arange(len(y)), "score": scores})[y == 0].to_csv(out, index=False)
"""


def write_table(path: Path, n_rows: int) -> np.ndarray:
    """Write a table, and return which rows are positive."""
    rng = np.random.default_rng(0)
    X, y = make_classification(
        n_rows,
        n_features=N_NUMBERS,
        n_informative=N_INFORMATIVE,
        weights=[0.9],
        random_state=0,
        flip_y=0.02,
    )
    rows = pd.DataFrame(X.round(4), columns=[f"num{j}" for j in range(N_NUMBERS)])
    letters = np.array(list("abcdefgh"))
    for j in range(N_CATEGORIES):
        noisy = X[:, j] * 1.2 + 2 * rng.normal(size=n_rows) + N_VALUES / 2
        rows[f"cat{j}"] = letters[np.clip(noisy.astype(int), 0, N_VALUES - 1)]
    rows["id"] = np.arange(n_rows)
    rows["buyer"] = ((y == 1) & (rng.random(n_rows) < 0.2)).astype(int)  # noqa: PLR2004 - a fifth
    rows.to_csv(path, index=False)
    return y == 1


def measured(command: list[str]) -> tuple[float, float, float]:
    """Seconds by the clock, seconds of CPU, and the highest memory of all processes, in bytes."""
    program = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, capture_output=True)\n"
        "found = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(found.ru_utime + found.ru_stime, found.ru_maxrss)"
    )
    start, together = time.perf_counter(), [0]
    with subprocess.Popen(
        [sys.executable, "-c", program, *command], stdout=subprocess.PIPE, text=True
    ) as run:
        over = threading.Event()

        def look() -> None:
            while not over.wait(0.2):
                below = descendants(run.pid)[1:]  # the first one only measures
                together.append(sum(map(memory_of, below)))

        watch = threading.Thread(target=look)
        watch.start()
        printed, _ = run.communicate()
        seconds = time.perf_counter() - start
        over.set()
        watch.join()
    if run.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    cpu, largest = map(float, printed.split())
    return seconds, cpu, max(together) if sys.platform == "linux" else largest * SCALE


def descendants(pid: int) -> list[int]:
    """A process and all that it started, as far as they are still there."""
    try:
        threads = [*Path(f"/proc/{pid}/task").iterdir()]
        started = [(thread / "children").read_text().split() for thread in threads]
    except OSError:
        started = []
    return [pid, *(each for some in started for child in some for each in descendants(int(child)))]


def memory_of(pid: int) -> int:
    """Memory of a process, in bytes; its part of what several processes share."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def main() -> None:
    """Print a line for each number of rows and each of the two."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--workers", type=int, help="processes or threads of `onesided rank`")
    parser.add_argument("--no-forest", action="store_true", help="leave the forest out")
    parser.add_argument("--quick", action="store_true", help="1,000 rows, one method, no forest")
    given = parser.parse_args()
    if given.quick:
        given.rows, given.no_forest = [1000], True
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    command = [sys.executable, "-m", "onesided"]
    base, before = {}, {}
    loaded = {"rank": "onesided.ranking"} | ({} if given.no_forest else {"forest": "pandas"})
    for name, modules in loaded.items():
        load = f"import {modules}, sklearn.ensemble, sklearn.pipeline, time; time.sleep(1)"
        *_, base[name] = measured([sys.executable, "-c", load])
        print(f"memory of the imports of {name}: {base[name] / 1e6:.0f} MB")
    for n_rows in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder) / "table.csv", Path(folder) / "scores.csv"
            truth = write_table(path, n_rows)
            size = n_rows * (N_NUMBERS + N_CATEGORIES) * CELL
            workers = ["--workers", str(given.workers)] if given.workers else []
            ask = ["rank", str(path), "--positive", "buyer", "--id", "id", "--out", str(out)]
            ask += ["--method", "naive-bayes"] if given.quick else []
            report = ["--report", str(Path(folder) / "report.html")]
            found = {"rank": (1.0, measured([*command, *ask, *report, *workers]), area(out, truth))}
            if not given.no_forest:
                n_trees = N_TREES if n_rows <= N_FEW_ROWS else N_FEW_TREES
                run = measured([sys.executable, "-c", FOREST, str(path), str(out), str(n_trees)])
                found["forest"] = (N_TREES / n_trees, run, area(out, truth))
            for name, (times, (seconds, cpu, memory), auc) in found.items():
                tables = f"{(memory - base[name]) / size:.1f} tables"
                if name in before:
                    less, smaller = before[name]
                    tables += f", grown by {(memory - less) / (size - smaller):.1f}"
                before[name] = memory, size
                print(
                    f"{n_rows:>9,} rows  {name:<6} {times * seconds:>8.0f} s {times * cpu:>8.0f} s "
                    f"of CPU  {memory / 1e6:>6.0f} MB, {tables}  "
                    f"AUC {auc:.3f}{'  (of few trees)' if times > 1 else ''}",
                    flush=True,
                )


def area(path: Path, truth: np.ndarray) -> float:
    """Area under the true ROC curve of the unlabeled rows."""
    scores = pd.read_csv(path).set_index("id")["score"]
    return float(roc_auc_score(truth[scores.index], scores))


if __name__ == "__main__":
    main()
