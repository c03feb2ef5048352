"""Arguments of the functions on tables, and data frames, that cannot be used."""

import numpy as np
import pandas as pd
import pytest

from onesided import rank_table
from onesided.enriched import enrich_table
from onesided.exceptions import DataError, OnesidedError, TableError
from onesided.scoring import fit_table, score_table
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
        ({"drop": [3]}, "`drop` holds a int, which is not a name"),
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
        (lambda table: find_unexpected(table, table, text="size"), r"`text=\['size'\]`"),
    ],
)
def test_every_function_on_tables_checks_its_arguments(table, call, message):
    with pytest.raises(DataError, match=message):
        call(table)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([2**70] * N_ROWS, "has a column that cannot be read"),
        ([1, "a", None] * 20, "has a column that cannot be read: .*odd"),
        (np.ones(N_ROWS) * 1j, "has a column that cannot be read: .*odd"),
    ],
)
def test_a_column_that_cannot_be_read_is_named(table, values, message):
    with pytest.raises(TableError, match=message):
        rank_table(table.assign(odd=values), "known")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: pd.concat([table, table[["size"]]], axis=1), "two columns of the same name"),
        (lambda table: table.assign(**{"1": 0}).rename(columns={"size": 1}), "two columns named"),
        (lambda table: table["size"], "of type Series"),
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
