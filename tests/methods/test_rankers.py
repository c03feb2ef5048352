"""The rankers of a table."""

import numpy as np
import pyarrow as pa
import pytest

from onesided import tables
from onesided.exceptions import TableError
from onesided.methods import _columns, rankers_for
from onesided.tables import Column, TableSummary


@pytest.mark.parametrize("method", ["tree", "k-dependence", "one-dependence"])
def test_categories_of_too_many_values_together_are_named(method):
    """Nine of 1,000 values, or what counts as such, are beyond 8,192."""
    columns = [Column(f"zip{n}", "category", 0, 5000 + n) for n in range(9)]
    few, many = (TableSummary(20_000, columns[:n]) for n in (8, 9))
    assert len(rankers_for(few, methods=[method])) == 1
    assert "tree-augmented naive Bayes" in rankers_for(few)
    assert "tree-augmented naive Bayes" not in rankers_for(many)
    with pytest.raises(TableError, match=rf"'zip0'; {method} needs .* `drop=\['zip0'\]`, or"):
        rankers_for(many, methods=[method])


def test_rare_values_share_a_code(monkeypatch):
    monkeypatch.setattr(_columns, "MOST_VALUES", 3)
    table = pa.table({"color": list("aaaabbbcde"), "known": [1, 0] * 5})
    summary = tables.describe(table, without=["known"])
    (ranker,) = rankers_for(summary, methods=["naive-bayes"]).values()
    codes = ranker["columns"].fit_transform(table.select(["color"]))
    np.testing.assert_array_equal(codes[:, 0], [0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
