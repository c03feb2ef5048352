"""Fixtures: a random generator, real data, and every kind of source in every cut."""

import contextlib
import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from browsers import browser  # noqa: F401 - a fixture
from command_line import few_draws
from onesided._blocks import ArraySource

ROOT = Path(__file__).parents[1]
N_ROWS = 60
DRAW_LITTLE = (  # folders
    "benchmarks",
    "checking",
    "cli",
    "files",
    "methods",
    "ranking",
    "reporting",
    "scoring",
    "tables",
    "trust",
)
LONG = ("benchmarks", "blocks", "cli", "reporting", "reproduce", "tests", "trust", "validity")

if threading.current_thread() is threading.main_thread():
    # A shell starts what runs in the background with interruptions ignored, and so would be the
    # commands that tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Rows at which a block starts. "seven": an empty block, and the last holds unlabeled rows only.
CUTS = {"one": [0], "three": [0, 7, 40], "seven": [0, 3, 3, 20, 31, 32, 55]}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Folders with long files come first, so that no process ends long after the others."""
    items.sort(key=lambda item: item.path.parent.name not in LONG)


def pytest_collection_finish() -> None:
    """What is loaded now stays, so that the garbage collector need not look at it each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(autouse=True, scope="module")
def _few_draws(request: pytest.FixtureRequest) -> Iterator[None]:
    """Rankings draw little in folders whose tests are not about the number of draws."""
    with few_draws() if request.path.parent.name in DRAW_LITTLE else contextlib.nullcontext():
        yield


@pytest.fixture
def rng() -> np.random.Generator:
    """Seeded, the same in each test."""
    return np.random.default_rng(20070815)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of real data, from ONESIDED_DATA; the test skips without it."""
    folder = Path(os.environ.get("ONESIDED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"ONESIDED_DATA: there is no folder {folder}")
    return folder


@pytest.fixture
def labels(rng: np.random.Generator) -> np.ndarray:
    """20 positives among 60 rows, none in the last five."""
    y = np.zeros(N_ROWS, dtype=int)
    y[rng.choice(N_ROWS - 5, 20, replace=False)] = 1
    return y


def _arrow(X: np.ndarray) -> pa.Table:
    return pa.table({f"f{j}": pa.array(X[:, j], from_pandas=True) for j in range(X.shape[1])})


def _parts(table: pa.Table, cuts: list[int]) -> list[pa.Table]:
    ends = [*cuts[1:], table.num_rows]
    return [table.slice(start, end - start) for start, end in zip(cuts, ends, strict=True)]


def _parquet(X: np.ndarray, cuts: list[int], folder: Path) -> Any:
    for number, part in enumerate(_parts(_arrow(X), cuts)):
        pq.write_table(part, folder / f"part-{number}.parquet")
    return folder


def _csv(X: np.ndarray, cuts: list[int], folder: Path) -> Any:
    for number, part in enumerate(_parts(_arrow(X), cuts)):
        pacsv.write_csv(part, folder / f"part-{number}.csv")
    return folder


def _json(X: np.ndarray, cuts: list[int], folder: Path) -> Any:
    for number, part in enumerate(_parts(_arrow(X), cuts)):
        (folder / f"part-{number}.jsonl").write_text(
            part.to_pandas().to_json(orient="records", lines=True) if part.num_rows else ""
        )
    return folder


def _batches(X: np.ndarray, cuts: list[int], _: Path) -> Any:
    parts = [part.combine_chunks().to_batches() for part in _parts(_arrow(X), cuts)]
    schema = _arrow(X).schema
    empty = pa.RecordBatch.from_pylist([], schema=schema)
    return pads.dataset([pa.Table.from_batches(part or [empty], schema) for part in parts])


MAKERS: dict[str, Callable[[np.ndarray, list[int], Path], Any]] = {
    "dense": lambda X, cuts, _: ArraySource(X, cuts=cuts),
    "csr": lambda X, cuts, _: ArraySource(sparse.csr_array(X), cuts=cuts),
    "pandas": lambda X, _, __: pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])]),
    "polars": lambda X, _, __: pl.from_arrow(_arrow(X)),
    "arrow": lambda X, _, __: _arrow(X),
    "batches": _batches,
    "parquet": _parquet,
    "csv": _csv,
    "json": _json,
}
UNCUT = ("pandas", "polars", "arrow")  # one block, whatever the cut
TEXT = ("csv", "json")  # once read they are what Parquet is: one cut will do


@pytest.fixture(
    params=[
        (kind, cut)
        for kind in MAKERS
        for cut in (("one",) if kind in UNCUT else ("three",) if kind in TEXT else CUTS)
    ],
    ids="-".join,
)
def make_source(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[np.ndarray], Any]:
    """Builds a source of each kind, cut in each way, from a dense array of 60 rows."""
    kind, cut = request.param

    def make(X: np.ndarray) -> Any:
        assert len(X) == N_ROWS
        if kind == "csr" and X.dtype.kind not in "biuf":
            pytest.skip("sparse matrices hold numbers only")
        folder = tmp_path / f"parts-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        return MAKERS[kind](X, CUTS[cut], folder)

    return make
