"""What the page for ecologists shows runs, and finds what a survey found."""

import re
import textwrap
from pathlib import Path

import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

PAGE = Path(__file__).parents[1] / "docs" / "species.rst"


def test_snippet_runs(data_dir, monkeypatch, capsys):
    if not (data_dir / "tabular" / "disdat_awt_train.parquet").is_file():
        pytest.skip(f"ONESIDED_DATA: there is no tabular/disdat_awt_train.parquet in {data_dir}")
    monkeypatch.setenv("ONESIDED_DATA", str(data_dir))
    blocks = r"\.\. code-block:: python\n\n((?: {3}.*\n|\n)+)"
    (snippet,) = re.findall(blocks, PAGE.read_text(encoding="utf-8"))
    names = {}
    exec(textwrap.dedent(snippet), names)  # noqa: S102 - our own page
    assert "hidden_positive_auc" in capsys.readouterr().out
    sites = names["sites"].assign(suitability=names["suitability"]).dropna(subset="awt02")
    assert isinstance(sites, pd.DataFrame)
    assert roc_auc_score(sites["awt02"], sites["suitability"]) > 0.7
