"""Columns of dates: numbers of days and months, the same from every file, kept in models."""

import csv
import io
import json
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from pyarrow import feather

from onesided import rank_table
from onesided.exceptions import LeakWarning, TableError
from onesided.ranking import read_problem
from onesided.scoring import Stream, fit_table, load_model, score_table

N_ROWS = 240
MONTHS = ["when (sine of month)", "when (cosine of month)"]


@pytest.fixture
def table(rng):
    """Positives are of the winters, from December to February."""
    day = rng.integers(0, 1000, N_ROWS)
    when = pd.Series(np.datetime64("2020-01-01") + day.astype("timedelta64[D]"))
    winter = when.dt.month.isin([12, 1, 2]).to_numpy()
    found = pd.DataFrame({"size": rng.normal(size=N_ROWS), "when": when.astype("datetime64[us]")})
    found.loc[7, "when"] = None
    return found.assign(known=winter & (rng.random(N_ROWS) < 0.5))


def as_frame(table, _):
    return table


def as_csv(table, folder):
    table.to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def as_german_csv(table, folder):
    return as_csv(table.assign(when=table["when"].dt.strftime("%d.%m.%Y")), folder)


def as_american_csv(table, folder):
    return as_csv(table.assign(when=table["when"].dt.strftime("%m/%d/%Y")), folder)


def as_english_csv(table, folder):
    return as_csv(table.assign(when=table["when"].dt.strftime("%d %B %Y")), folder)


def as_json(table, folder):
    cells = table.assign(when=table["when"].dt.strftime("%Y-%m-%dT%H:%M:%S"))
    cells.to_json(folder / "t.jsonl", orient="records", lines=True)
    return folder / "t.jsonl"


def as_parquet(table, folder):
    table.to_parquet(folder / "t.parquet")
    return folder / "t.parquet"


def as_dates(table, _):
    return pa.Table.from_pandas(table.assign(when=table["when"].dt.date), preserve_index=False)


def as_feather(table, folder):
    feather.write_feather(table, folder / "t.feather")
    return folder / "t.feather"


def as_workbook(table, folder):
    table.to_excel(folder / "t.xlsx", index=False)
    return folder / "t.xlsx"


WAYS = [
    as_frame,
    as_csv,
    as_german_csv,
    as_american_csv,
    as_english_csv,
    as_json,
    as_parquet,
    as_dates,
    as_feather,
    as_workbook,
]


@pytest.mark.parametrize("way", WAYS)
def test_dates_are_the_same_features_and_scores_from_every_file(table, tmp_path, way):
    given = way(table, tmp_path)
    features = read_problem(given, "known").features
    assert features.column_names == ["size", "when", *MONTHS]
    days = (table["when"] - pd.Timestamp("1970-01-01")).dt.days.to_numpy(dtype=float)
    assert np.array_equal(features["when"].to_numpy(), days, equal_nan=True)
    angle = 2 * np.pi * (table["when"].dt.month - 1) / 12
    assert_allclose(features[MONTHS[0]].to_numpy(), np.sin(angle), atol=1e-12)
    model = fit_table(table, "known", methods=["logistic"])
    expected = score_table(model, table).table["score"].to_numpy()
    assert_allclose(score_table(model, given).table["score"].to_numpy(), expected, atol=1e-9)


def test_december_is_near_to_january(table):
    found = rank_table(table, "known", methods=["logistic"])
    assert found.comparison.taken["hidden_positive_auc"] > 0.7


@pytest.mark.parametrize("method", ["naive-bayes", "tree", "bagging", "splines", "significance"])
def test_every_method_learns_from_dates(table, method):
    assert rank_table(table, "known", methods=[method]).table.num_rows


def test_a_model_file_remembers_what_comes_first(table, tmp_path):
    american = table.assign(when=table["when"].dt.strftime("%m/%d/%Y"))
    fit_table(american, "known", methods=["logistic", "naive-bayes"]).save(tmp_path / "m.onesided")
    model = tmp_path / "m.onesided"
    few = american.iloc[[0, 1]].assign(when=["03/04/2024", None])
    iso = few.assign(when=["2024-03-04", None])
    scores = [score_table(model, each).table["score"].to_numpy() for each in (few, iso)]
    assert np.array_equal(*scores)
    assert np.isfinite(scores[0]).all()
    plain = fit_table(table, "known", methods=["logistic"])
    with pytest.raises(TableError, match=r"'03/04/2024' in row 1.* Write dates as 2024-05-01"):
        score_table(plain, few)


def test_a_cell_that_is_no_date_is_refused_by_a_model(table, tmp_path):
    model = fit_table(table, "known", methods=["logistic"])
    cells = table["when"].dt.strftime("%Y-%m-%d").tolist()
    cells[4] = "soon"
    for way in (as_csv, as_frame):
        with pytest.raises(TableError, match="holds 'soon' in row 5; the model learned from dates"):
            score_table(model, way(table.assign(when=cells), tmp_path))
    with pytest.raises(TableError, match="double values; the model learned from dates"):
        score_table(model, table.assign(when=np.arange(N_ROWS) / 3))


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["2024-05-01"] * N_ROWS, "all values are"),
        (["2024-05-01", "2024-05-01 00:00"] * (N_ROWS // 2), "all values are the same date"),
        (["12:30", "11:30"] * (N_ROWS // 2), "times without a date"),
        (
            ["2024-05-01", *["2024-06-01"] * (N_ROWS - 2), "soon"],
            f"most of its cells are dates, but row {N_ROWS} holds 'soon'",
        ),
    ],
)
def test_columns_that_are_no_use_as_dates_are_dropped(table, cells, reason):
    dropped = read_problem(table.assign(when=cells), "known").summary.dropped
    assert [each.name for each in dropped] == ["when"]
    assert reason in dropped[0].reason


def test_the_summary_says_how_dates_are_read(table):
    few = table.assign(when=["03/04/2024", "05/06/2024"] * (N_ROWS // 2))
    said = "\n".join(read_problem(few, "known").summary.sentences)
    assert "1 of numbers, 1 of dates" in said
    assert "03/04/2024 is read as day/month/year" in said
    assert "is read as" not in "\n".join(read_problem(table, "known").summary.sentences)


def test_a_date_that_is_filled_in_for_positives_is_a_leak(table):
    given = table.assign(confirmed=table["when"].where(table["known"]))
    with pytest.warns(LeakWarning, match="'confirmed' alone separates"):
        read_problem(given, "known")
    late = table["when"] + pd.to_timedelta(np.where(table["known"], 9000, 0), "D")
    with pytest.warns(LeakWarning, match="'when' alone separates"):
        read_problem(table.assign(when=late.fillna(table["when"].min())), "known")


def test_dates_can_be_dropped_or_be_categories(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read_problem(table, "known", drop=["when"]).features.column_names == ["size"]
        text = table.assign(when=table["when"].dt.strftime("%Y-%m"))
        found = read_problem(text.assign(when=text["when"] + "-01"), "known", categorical=["when"])
    assert found.features.column_names == ["size", "when"]


TIMES = {
    "days": lambda when: when.dt.date,
    "instants": lambda when: when,
    "zoned": lambda when: when.dt.tz_localize("UTC"),
    "clock": lambda when: (when + pd.to_timedelta(when.dt.month, "h")).dt.time,
    "lengths": lambda when: when - pd.Timestamp("2020-01-01"),
    "text": lambda when: when.dt.strftime("%Y-%m-%d"),
}


@pytest.mark.parametrize("kind", TIMES)
def test_times_as_categories_in_a_model_and_its_file(kind, table, tmp_path):
    """As the same categories by other names: the table, its file, a new value, a gap."""
    months = table["when"].dt.to_period("M").dt.to_timestamp().astype("datetime64[us]")
    old = table.assign(when=TIMES[kind](months))
    names = old["when"].astype("string").where(old["when"].notna(), None)
    fit = {"categorical": ["when"], "methods": ["naive-bayes"]}
    model = fit_table(old, "known", **fit)
    model.save(tmp_path / "m.onesided")
    wanted = score_table(fit_table(old.assign(when=names), "known", **fit), old.assign(when=names))
    for each in (model, load_model(tmp_path / "m.onesided")):
        scored = score_table(each, old)
        assert scored.table["score"].to_pylist() == wanted.table["score"].to_pylist()
        assert scored.drift.unseen == ()
    new = old.copy()
    new.loc[:4, "when"] = TIMES[kind](pd.Series([pd.Timestamp("2031-05-01 07:30")] * 5))
    (unseen,) = score_table(tmp_path / "m.onesided", new).drift.unseen
    assert unseen.n_rows == 5


def test_another_time_zone_is_another_category(table):
    naive = table.assign(when=table["when"].dt.floor("100D"))
    zoned = naive.assign(when=naive["when"].dt.tz_localize("UTC"))
    model = fit_table(naive, "known", categorical=["when"], methods=["naive-bayes"])
    with pytest.raises(TableError, match=r"holds timestamp.*, tz=UTC\] values; the model"):
        score_table(model, zoned)


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y-%m-%dT00:00:00", "%Y-%m-%d 00:00:00"])
def test_dates_of_text_files_as_categories(form, table, tmp_path):
    """By every door: CSV, JSON lines, and streams of both."""
    months = table["when"].dt.to_period("M").dt.to_timestamp()
    old = table.assign(when=months.dt.strftime(form), size=table["size"].round(3))
    old.to_csv(tmp_path / "t.csv", index=False)
    old.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    fit = {"categorical": ["when"], "methods": ["naive-bayes"]}
    for name, other in (("t.csv", "t.jsonl"), ("t.jsonl", "t.csv")):
        model = fit_table(tmp_path / name, "known", **fit)
        model.save(tmp_path / "m.onesided")
        model = load_model(tmp_path / "m.onesided")
        scores = score_table(model, tmp_path / name).table["score"].to_pylist()
        assert len({*scores}) > 50
        assert score_table(model, tmp_path / other).table["score"].to_pylist() == scores
        for each in (name, other):
            lines = io.BytesIO((tmp_path / each).read_bytes())
            rows = [line for some in Stream(model).score(lines) for line in some]
            given = csv.DictReader(rows) if each == "t.csv" else map(json.loads, rows)
            assert [float(row["score"]) for row in given] == scores
