"""What the page on many rows shows runs, and Dask's scores are those of the files."""

import logging
import re
import textwrap
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

PAGE = Path(__file__).parents[1] / "docs" / "scale.rst"


@pytest.fixture
def quiet_after():
    """The page sets the level of a logger."""
    yield
    logging.getLogger("onesided").setLevel(logging.NOTSET)


@pytest.mark.usefixtures("quiet_after")
def test_snippets_run(caplog, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    blocks = r"\.\. code-block:: python\n\n((?: {3}.*\n|\n)+)"
    first, second, third = re.findall(blocks, PAGE.read_text(encoding="utf-8"))
    names = {}
    exec(textwrap.dedent(first), names)  # noqa: S102 - our own page
    scores = names["scores"]
    exec(textwrap.dedent(second), names)  # noqa: S102 - our own page
    assert len(scores) == 80_000
    assert_allclose(names["scores"], scores, atol=1e-9)
    told = [record.args[0] for record in caplog.records if record.name == "onesided"]
    assert [each.n_rows for each in told] == [80_000] * 6  # two passes and one of scores, twice
    exec(textwrap.dedent(third), names)  # noqa: S102 - our own page
    assert (names["scores"] > 0).tolist() == [True, True, False] * 100
