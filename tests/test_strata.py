"""Strata of rows, from columns of any kind."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from onesided._strata import match_strata
from onesided.exceptions import DataError
from onesided.models.significance import enrichment


def same(first, second):
    """Whether two partitions are one."""
    pairs = {*zip(first.tolist(), second.tolist(), strict=True)}
    return len(pairs) == len(set(first.tolist())) == len(set(second.tolist()))


@pytest.mark.parametrize("n_rows", [1, 4, 5, 9, 10, 11, 12, 100, 1001])
def test_numbers_are_cut_finely_and_in_order(rng, n_rows):
    values = rng.normal(size=n_rows)
    strata = match_strata(values, n_rows)
    assert (np.diff(strata[np.argsort(values)]) >= 0).all()
    sizes = np.bincount(strata)
    assert sizes.min() >= min(5, n_rows)
    assert len(sizes) >= min(n_rows // 6, 50)  # many, as long as 5 rows a stratum allow


def test_only_the_order_of_numbers_counts(rng):
    values = rng.normal(size=500)
    assert_array_equal(match_strata(values, 500), match_strata(np.exp(values), 500))


def test_equal_rows_are_in_one_stratum(rng):
    """Whatever their order: rows with labels often come first."""
    columns = np.column_stack([rng.integers(0, 40, 300), rng.integers(0, 3, 300)]).astype(float)
    columns[rng.random(300) < 0.1, 0] = np.nan
    strata = match_strata(columns, 300)
    order = rng.permutation(300)
    assert same(strata[order], match_strata(columns[order], 300))
    _, kind = np.unique(columns, axis=0, return_inverse=True)
    for each in range(kind.max() + 1):
        assert len(set(strata[kind == each].tolist())) == 1


def test_categories_are_strata_as_they_are_however_few_their_rows():
    kinds = np.repeat(["a", "b", "c", "d", "e"], [20, 2, 20, 1, 20])
    assert same(match_strata(kinds, 63), kinds)
    length = np.arange(63.0)
    crossed = match_strata(pd.DataFrame({"kind": kinds, "length": length}), 63)
    for kind, n_strata in zip("abcde", (4, 1, 4, 1, 4), strict=True):
        assert len(set(crossed[kinds == kind].tolist())) == n_strata


@pytest.mark.parametrize("seed", range(3))
def test_families_that_decide_who_is_chosen_are_matched(seed):
    """Whole families of three are chosen with a chance that grows with what they are like."""
    rejected = 0
    for number in range(40):
        rng = np.random.default_rng([seed, number])
        family = np.repeat([f"family {n:03}" for n in range(80)], 3)
        effect = rng.normal(size=80)
        X = (np.repeat(effect, 3) + 0.5 * rng.normal(size=240))[:, None]
        known = np.zeros(240, dtype=bool)
        for chosen in rng.choice(80, 20, replace=False, p=np.exp(effect) / np.exp(effect).sum()):
            known[3 * chosen + rng.integers(3)] = True
        found = enrichment(X, known, n_resamples=99, random_state=number, match=family)
        rejected += found.p_value[0] <= 0.05
    assert rejected <= 7  # of 40 at .05: more has a chance of .003


def test_strata_as_text_are_strata_also_of_some_of_the_rows(rng):
    """A table hands them to the tests like this, and a background leaves rows out."""
    strata = match_strata(rng.lognormal(size=2000), 2000)
    kept = rng.random(2000) < 0.15
    assert same(match_strata(strata[kept].astype(str), kept.sum()), strata[kept])


def test_infinite_and_missing_numbers_are_apart():
    values = np.repeat([np.inf, np.nan, 1.0, -np.inf], 5)
    assert same(match_strata(values, 20), np.repeat(np.arange(4), 5))


def test_missing_cells_of_text_are_one_category():
    cells = np.array(["a"] * 5 + [None, np.nan, pd.NA, None, ""] + ["b"] * 5, dtype=object)
    assert same(match_strata(cells, 15), np.repeat(np.arange(3), 5))


def test_several_columns_are_crossed(rng):
    frame = pd.DataFrame({"kind": rng.choice(["a", "b"], 800), "length": rng.normal(size=800)})
    frame["length"] += 10 * (frame["kind"] == "b")
    frame["size"] = rng.normal(size=800)
    strata = match_strata(frame, 800)
    assert np.bincount(strata).min() >= 5
    for each in range(strata.max() + 1):
        of_stratum = frame[strata == each]
        assert len(set(of_stratum["kind"])) == 1
    within = frame.groupby(["kind", strata])[["length", "size"]].std().mean()
    assert (within < 0.3).all()  # of 1: each of the two is cut


KINDS = {
    "numbers": [float(each % 7) for each in range(70)],
    "text": [f"kind {each % 7}" for each in range(70)],
    "truth values": [each % 2 == 0 for each in range(70)],
    "dates": [dt.date(2020, 1, 1 + each % 7) for each in range(70)],
    "numbers with gaps": [None if each % 7 == 0 else each % 7 for each in range(70)],
    "decimals": [Decimal(each % 7) for each in range(70)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_any_kind_of_column_in_any_frame(kind):
    """Here each value has 10 rows or more, and is a stratum."""
    cells = KINDS[kind]
    expected = np.unique([str(each) for each in cells], return_inverse=True)[1]
    given = [cells, np.array(cells, dtype=object), np.array(cells, dtype=object)[:, None]]
    given += [make({"column": cells}) for make in (pd.DataFrame, pl.DataFrame, pa.table)]
    given += [pd.Series(cells), pl.Series(cells), pl.LazyFrame({"column": cells})]
    for each in given:
        assert same(match_strata(each, 70), expected), type(each)


@pytest.mark.parametrize(
    ("match", "message"),
    [
        ([1, 2], "match has 2 rows, X has 3"),
        (pd.DataFrame(index=range(3)), "has no columns"),
        (np.ma.masked_equal([1, 2, 9], 9), "match is a masked array with 1 masked value"),
    ],
)
def test_what_cannot_be_matched(match, message):
    with pytest.raises(DataError, match=message):
        match_strata(match, 3)
