"""Arguments of the functions on tables, and data frames, that cannot be used."""

import inspect
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose

from onesided import rank_table
from onesided.audit import Audit
from onesided.checking import Goal, audit_ranking
from onesided.enriched import enrich_table
from onesided.exceptions import DataError, LabelError, OnesidedError, TableError
from onesided.ranking import plan_ranking, rank_problem
from onesided.scoring import fit_problem, fit_table, load_model, score_table
from onesided.tables import read_problem
from onesided.unexpected import find_unexpected

N_ROWS = 60


@pytest.fixture
def table(rng):
    known = np.arange(N_ROWS) < 20
    return pd.DataFrame({"size": rng.normal(size=N_ROWS) + known, "known": known})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"methods": "ranker"}, r"`methods` is 'ranker'. Pass a list of names: `methods=\['rank"),
        ({"drop": "size"}, r"`drop` is 'size'. Pass a list of names: `drop=\['size'\]`"),
        ({"drop": [3]}, "`drop` holds 3, which is not a name"),
        ({"show": "size"}, r"`show` is 'size'. Pass a list of names: `show=\['size'\]`"),
        ({"missing": [None]}, "`missing` holds None, which is not a cell. Pass a list of cells"),
        ({"verdicts": [3]}, "`verdicts` holds 3, which is not a path. Pass the path of a file"),
        ({"irreducible": "no"}, "`irreducible` is 'no'. Pass True or False"),
        ({"on_progress": 3}, "`on_progress` is 3. Pass a function, or leave it out"),
        ({"identifier": 3}, "`identifier` is 3. Pass a name as text"),
        ({"positive_table": pd.DataFrame()}, "`positive_table` is a DataFrame. Pass the path"),
        ({"top": 0}, "`top` is 0. Pass a whole number above 0"),
        ({"top": 1.5}, "`top` is 1.5"),
        ({"top": True}, "`top` is True"),
        ({"n_workers": -1}, "`n_workers` is -1"),
        ({"resamples": -1}, "`resamples` is -1. Pass a whole number, 0 for none"),
        ({"random_state": "a"}, "`random_state` is 'a'. Pass a whole number"),
        ({"recall": "0.9"}, "`recall` '0.9' is not between 0 and 1"),
        ({"prior_at_least": "x"}, "`prior_at_least` 'x' is not between 0 and 1"),
    ],
)
def test_wrong_arguments_get_a_sentence(table, given, message):
    with pytest.raises(DataError, match=message):
        rank_table(table, "known", **given)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda table: fit_table(table, 3), "`positive` is 3"),
        (lambda table: fit_table(table, "known", unlabeled=-1), "`unlabeled` is -1. .* at least 2"),
        (lambda table: score_table("model", table, top=-1), "`top` is -1"),
        (lambda table: enrich_table(table, "known", drop="size"), r"`drop=\['size'\]`"),
        (lambda table: enrich_table(table, "known", n_resamples=10**30), "below 1e\\+08"),
        (lambda table: find_unexpected(table, table, text="size"), r"`text=\['size'\]`"),
        (lambda table: find_unexpected(table, table, make_known=3), "`make_known` is 3"),
        (lambda _: load_model(5), "`path` is 5. Pass the path of a file"),
        (lambda table: score_table(None, table), "`model` is None. Pass the path of a file"),
        (lambda _: audit_ranking(b"ranking.csv"), "`ranking` is a bytes. Pass the path"),
        (lambda _: Goal("count", 20), "share=20 is not a number above 0 and below 1"),
        (lambda _: Goal("recall", 0.9), "k=None is not a "),
        (lambda _: Goal("certainty", 0.9), "what='certainty' is not a number that an audit"),
    ],
)
def test_every_function_on_tables_checks_its_arguments(table, call, message):
    with pytest.raises(DataError, match=message):
        call(table)


FUNCTIONS = {
    rank_table: {"positive": "known", "methods": ["naive-bayes"]},
    fit_table: {"positive": "known", "methods": ["naive-bayes"]},
    enrich_table: {"positive": "known", "n_resamples": 9},
    score_table: {"model": None},
    find_unexpected: {"known": "known.csv", "new": "new.csv"},
    audit_ranking: {"ranking": "ranking.csv"},
    load_model: {},
    Audit: {"scores": np.arange(9.0)},
    Goal: {"what": "recall", "share": 0.9, "k": 5},
}
WRONG = [
    *(None, -1, 7, 10**30, 3.7, np.nan, np.inf, "", "nothing", "a\0b", "x" * 5000, "\ud800"),
    *([], ["nothing"], [None], {}, {"a": 1}, {"size"}, b"size", object(), np.zeros((2, 2))),
    *(pd.DataFrame(), Path("nowhere.csv"), Path("folder"), Path("empty.csv"), Path("garbage.bin")),
]
COSTLY = {"n_workers", "cluster"}  # they begin processes, or ask for an address of the network


def arguments_of(function):
    """Names of the arguments; what `rank_table` and `fit_table` share is tested with one."""
    names = {*inspect.signature(function).parameters} - COSTLY - {"promises"}
    return sorted(names - ({*arguments_of(fit_table)} if function is rank_table else set()))


@pytest.fixture(scope="module")
def ranked():
    known = np.arange(N_ROWS) < 20
    size = np.random.default_rng(0).normal(size=N_ROWS) + known
    table = pd.DataFrame({"size": size, "known": known})
    model = fit_table(table, "known", methods=["naive-bayes"])
    return model, rank_table(table, "known", methods=["naive-bayes"]).to_frame("pandas")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        pytest.param(function, name, id=f"{function.__name__}-{name}")
        for function in FUNCTIONS
        for name in arguments_of(function)
    ],
)
@pytest.mark.filterwarnings("ignore::onesided.exceptions.OnesidedWarning")
def test_each_argument_is_right_or_refused(function, name, table, ranked, tmp_path, monkeypatch):
    """No error of another library, and no file of a call that was refused."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.csv").touch()
    (tmp_path / "garbage.bin").write_bytes(bytes(range(256)))
    for file in ("known.csv", "new.csv"):
        pd.DataFrame({"text": ["a late parcel", "a lost card"] * 9}).to_csv(file)
    ranked[1].to_csv("ranking.csv", index=False)
    given = dict(FUNCTIONS[function])
    if "table" in inspect.signature(function).parameters:
        given["table"] = table
    if "model" in given:
        given |= {"model": ranked[0], "out": tmp_path / "scores.csv"}
    before = {*tmp_path.rglob("*")}
    for value in WRONG:
        try:
            function(**given | {name: value})
        except OnesidedError as error:
            told = error.problem, error.mend
            assert all(each.endswith((".", "?")) for each in told), told
            assert {*tmp_path.rglob("*")} == before, value
        except Exception as error:
            raise AssertionError(f"{name}={value!r:.40} ends with {error!r}") from error
        before = {*tmp_path.rglob("*")}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda audit: audit.draw(5, "count 20%"), "`goal` is 'count 20%'. Pass a goal"),
        (lambda audit: audit.next_batch(5), "`goal` is 5. Pass a goal"),
        (lambda audit: audit.estimates(first=5), "`first` is 5. Pass a list"),
        (lambda audit: audit.estimates(first=("a",)), "first='a'"),
        (lambda audit: audit.record(5), "`path` is 5"),
        (lambda audit: audit.group_by(5, "table.csv"), "`column` is 5"),
        (lambda audit: audit.group_by(None, "table.csv"), "`column` is None"),
        (lambda audit: audit.group_by("size", 5), "`table` is 5"),
        (lambda audit: audit.group_by("size", "nowhere.csv"), "There is no file"),
        (lambda audit: audit.compare_labels(5), "`report_data` is 5"),
        (lambda audit: audit.compare_labels("nowhere.json"), "nowhere.json"),
        (lambda audit: audit.page("a.csv", table=5), "`table` is 5"),
        (lambda audit: audit.page(5), "`sheet` is 5"),
        (lambda audit: audit.check_sheet(5), "`path` is 5"),
        (lambda audit: audit.records_writer(5), "`table` is 5"),
    ],
)
def test_an_audit_checks_its_arguments(ranked, tmp_path, call, message):
    ranked[1].to_csv(tmp_path / "ranking.csv", index=False)
    with pytest.raises(OnesidedError, match=message):
        call(audit_ranking(str(tmp_path / "ranking.csv")))


def test_an_audit_takes_paths_as_text(table, tmp_path):
    table["lab"] = np.where(np.arange(N_ROWS) % 2, "north", "south")
    table.to_csv(tmp_path / "table.csv", index=False)
    ranking = rank_table(str(tmp_path / "table.csv"), "known", methods=["naive-bayes"])
    ranking.to_frame("pandas").to_csv(tmp_path / "ranking.csv", index=False)
    audit = audit_ranking(str(tmp_path / "ranking.csv"), state=str(tmp_path / "state.json"))
    audit.group_by("lab", str(tmp_path / "table.csv"))
    audit.check_sheet(str(tmp_path / "sheet.csv"))
    assert [*audit.groups] == ["lab is north", "lab is south"]
    assert "south" in (audit.draw(9), audit.page("a.csv", table=str(tmp_path / "table.csv")))[1]


@pytest.mark.parametrize("function", [rank_problem, fit_problem])
def test_a_wrong_scenario_is_no_reason_in_the_data(table, function):
    """It was given as the reason why the number of positives is not known."""
    plan = plan_ranking(read_problem(table, "known"), methods=["naive-bayes"])
    with pytest.raises(LabelError, match="scenario='one sample' is neither"):
        function(plan, scenario="one sample")


def test_numbers_as_text(table):
    """Their words were counted as if the column held text."""
    table["size"] = 50 + (2 * table["size"]).round()
    model = fit_table(table, "known", text=["size"], methods=["center-of-mass"])
    assert score_table(model, table).n_rows == N_ROWS


def test_a_short_frame_is_not_called_by_a_path(table):
    with pytest.raises(TableError, match=r"^The table 'table' has 1 row\."):
        rank_table(table.head(1), "known")


@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "a", None], r"several types: 1 \(int\) in row 1 and 'a' \(str\) in row 2\. Convert"),
        (["a", 1, None], r"several types: 'a' \(str\) in row 1 and 1 \(int\) in row 2\. Convert"),
        ([None, True, 3], r"several types: True \(bool\) in row 2 and 3 \(int\) in row 3\. "),
        ([1j, 2j, 1j], r"1j \(complex\) in row 1, which is neither a number nor text nor a date\."),
        ([Fraction(1, 3)] * 3, r"Fraction\(1, 3\) \(Fraction\) in row 1, which is neither "),
    ],
)
def test_a_column_that_cannot_be_read_is_named(table, values, message, library):
    odd = np.resize(np.array(values, dtype=object), N_ROWS)
    frame = table.assign(odd=odd)
    if library is pl:
        column = pl.Series("odd", odd.tolist(), dtype=pl.Object)
        frame = pl.from_pandas(table).with_columns(column)
    for verb in (rank_table, fit_table):
        with pytest.raises(TableError, match=f"^Column 'odd' holds (values of )?{message}"):
            verb(frame, "known")


@pytest.mark.parametrize("start", [2**64, 10**30, -(10**20)])
def test_whole_numbers_beyond_64_bits(table, start):
    """They name rows as text, letter by letter; as a feature they are numbers."""
    names = [start + 7 * row for row in range(N_ROWS)]
    wide = table.assign(name=names)
    asked = {"identifier": "name", "methods": ["naive-bayes"]}
    found = rank_table(wide, "known", **asked).to_frame("pyarrow")["name"].to_pylist()
    assert set(found) <= set(map(str, names))
    as_text = rank_table(wide.assign(name=[*map(str, names)]), "known", **asked)
    assert found == as_text.to_frame("pyarrow")["name"].to_pylist()
    plain = table.assign(size=(1000 * table["size"]).round().astype(int))
    big = plain.assign(size=[each * 10**30 for each in plain["size"].tolist()])
    scores = [
        rank_table(each, "known", methods=["naive-bayes"]).to_frame("pyarrow")["score"].to_pylist()
        for each in (plain, big)
    ]
    assert_allclose(*scores)


def test_a_frame_of_dask_is_named(table):
    frame = pytest.importorskip("dask.dataframe", reason="Dask is not installed").from_pandas(
        table, npartitions=2
    )
    with pytest.raises(TableError, match=r"^The table is a Dask DataFrame, .*its compute\(\)"):
        rank_table(frame, "known")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: pd.concat([table, table[["size"]]], axis=1), "two columns of the same name"),
        (lambda table: table.assign(**{"1": 0}).rename(columns={"size": 1}), "two columns named"),
        (lambda table: table["size"], "The table is a Series, which is neither a path nor"),
        (lambda table: table.head(0), "The data frame has no rows"),
    ],
)
def test_what_is_no_usable_frame(table, change, message):
    with pytest.raises(TableError, match=message):
        rank_table(change(table), "known")


def test_all_other_rows_are_known_negatives(table):
    table["checked"] = ~table["known"]
    with pytest.raises(OnesidedError, match="No row is unlabeled"):
        rank_table(table, "known", known_negative="checked")
