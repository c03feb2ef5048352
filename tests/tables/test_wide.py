"""Tables of many columns: the work grows as their number, not as its square."""

import time

import numpy as np
import pyarrow as pa

from onesided.tables import TableSummary
from onesided.tables._describe import Column
from onesided.tables._leaks import find_leaks

FEW, MANY = 1000, 12_000
MOST = 2.5  # times what is due to the number of columns; asking all names for each took 6 times


def seconds_of_leaks(n_columns):
    names = [f"g{n}" for n in range(n_columns)]
    cells = np.random.default_rng(0).integers(0, 30, 12)
    table = pa.table(dict.fromkeys(names, cells))
    summary = TableSummary(12, [Column(name, "number", 0, 12) for name in names])
    began = time.process_time()
    assert not find_leaks(table, np.arange(12) % 2 == 0, summary)
    return time.process_time() - began


def test_leaks_are_found_in_linear_time():
    few = min(seconds_of_leaks(FEW) for _ in range(3))
    assert seconds_of_leaks(MANY) < MOST * few * MANY / FEW
