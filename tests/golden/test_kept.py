"""Models and page data that were written before can be used now."""

import csv
import re
import shutil

import pytest
from numpy.testing import assert_allclose

from command_line import passed, refused, run
from golden.commands import MODELS, PAGES
from golden.inputs import KEPT


def _read(path):
    """The scores of a table by the rows of other columns."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    numbers = [[float(row.pop(name)) for name in ("score", "share_below")] for row in rows]
    return rows, numbers


KEPT_MODELS = [*MODELS, *(f"{path.parent.name}/{path.stem}" for path in KEPT.glob("*/*.onesided"))]


@pytest.mark.parametrize("name", KEPT_MODELS)
def test_a_kept_model_scores_as_it_did(name, tmp_path):
    method = name.rpartition("/")[2]
    model, table = KEPT / f"{name}.onesided", KEPT / MODELS[method].split()[0]
    passed("score", model, table, "--out", "scores.csv", cwd=tmp_path)
    kept_rows, kept = _read(KEPT / f"{method}-scores.csv")
    rows, found = _read(tmp_path / "scores.csv")
    assert rows == kept_rows
    assert_allclose(found, kept, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", PAGES)
def test_kept_page_data_make_a_page(name, tmp_path):
    shutil.copy(KEPT / f"{name}.json", tmp_path)
    passed("report", f"{name}.json", cwd=tmp_path)
    assert "<html" in (tmp_path / f"{name}.html").read_text(encoding="utf-8")


def test_page_data_with_a_number_that_cannot_be_drawn(tmp_path):
    kept = (KEPT / "kept-ranking.json").read_text(encoding="utf-8")
    changed = re.sub(r'"n_listed": \d+', f'"n_listed": {10**30}', kept, count=1)
    assert changed != kept
    (tmp_path / "r.json").write_text(changed, encoding="utf-8")
    refused(run("report", "r.json", cwd=tmp_path), "is not the data of a report", "Pass the .json")
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
