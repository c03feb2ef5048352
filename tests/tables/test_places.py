"""Coordinates: how they are found, and the spatial blocks that the methods are judged in."""

import warnings

import numpy as np
import pandas as pd
import pytest

from onesided import rank_table
from onesided.exceptions import CalibrationWarning, DataError, OnesidedWarning, TableError
from onesided.model_selection import PositiveKFold
from onesided.ranking import Promises, plan_ranking, read_problem
from onesided.scoring import fit_table, score_table

N_ROWS = 600
PAIRS = [
    ("longitude", "latitude"),
    ("LON", "LAT"),
    ("lng", "lat"),
    ("decimalLongitude", "decimalLatitude"),
    ("site_long", "site_lat"),
    ("x", "y"),
    ("X", "Y"),
    ("x_coord", "y_coord"),
    ("ycoord", "xcoord"),
    ("UTM_X", "UTM_Y"),
    ("easting", "northing"),
]
NO_PAIRS = [
    ("x_box", "y_box"),
    ("x1", "y1"),
    ("longest", "latest"),
    ("lon", "y"),
    ("x", "lat"),
    ("start_lon", "end_lat"),
    ("longitude", "size"),
]


def sightings(rng, names=("lon", "lat"), scale=1.0):
    """Sightings around few places, of a region where one column says where people go."""
    places = rng.uniform(0, 10, size=(N_ROWS, 2))
    seen = np.zeros(N_ROWS, dtype=bool)
    for town in rng.uniform(1, 9, size=(8, 2)):
        near = np.argsort(((places - town) ** 2).sum(axis=1))
        seen[near[:8]] = True
    fields = [np.sin(places @ rng.normal(size=2) + rng.uniform(0, 6)) for _ in range(4)]
    columns = {f"field{n}": field for n, field in enumerate(fields)}
    coordinates = dict(zip(names, (places * scale).T, strict=True))
    return pd.DataFrame({"seen": seen, **columns, **coordinates})


@pytest.mark.parametrize("names", PAIRS)
def test_columns_that_are_called_like_coordinates_are_not_learned_from(rng, names):
    problem = read_problem(sightings(rng, names), "seen")
    assert {*problem.places.names} == {*names}
    assert problem.places.n_blocks == 25
    assert not {*names} & {*problem.features.column_names}


@pytest.mark.parametrize("names", NO_PAIRS)
def test_other_columns_are_no_coordinates(rng, names):
    problem = read_problem(sightings(rng, names), "seen")
    assert problem.places is None
    assert {*names} <= {*problem.features.column_names}


def test_degrees_beyond_the_globe_are_no_coordinates(rng):
    assert read_problem(sightings(rng, scale=20), "seen").places is None


def test_few_places_are_no_coordinates(rng):
    table = sightings(rng)
    table[["lon", "lat"]] = rng.integers(4, size=(N_ROWS, 2))
    assert read_problem(table, "seen").places is None


def test_coordinates_are_learned_from_if_there_is_nothing_else_or_if_asked(rng):
    table = sightings(rng)
    assert read_problem(table[["seen", "lon", "lat"]], "seen").places is None
    assert "lon" in read_problem(table, "seen", space="none").features.column_names


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"space": "lon"}, r"`space='lon'` does not name two columns\. Pass the two columns"),
        ({"space": "lon,north"}, "There is no column 'north'"),
        ({"space": "lon,kind"}, "Column 'kind' holds string values, which are not coordinates"),
        ({"space": "lon,lon"}, "given as both coordinates"),
        ({"space": "lon,lat", "group": "kind"}, "both say which rows are held out together"),
        ({"space": "lon,lat", "drop": ["field0", "kind"]}, "No column is left to learn from"),
    ],
)
def test_coordinates_that_cannot_be_used_are_refused(rng, given, sentence):
    table = sightings(rng)[["seen", "lon", "lat", "field0"]].assign(kind=["a", "b"] * (N_ROWS // 2))
    with pytest.raises(TableError, match=sentence):
        read_problem(table, "seen", **given)


def test_each_block_with_known_positives_has_unlabeled_rows_that_do_not_teach(rng):
    problem = read_problem(sightings(rng), "seen")
    plan = plan_ranking(problem, methods=["logistic"])
    folds = plan.folds.deal(plan.positive, problem.groups)
    assert sorted(np.concatenate([fold.hidden for fold in folds])) == sorted(
        np.flatnonzero(problem.positive)
    )
    for fold in folds:
        held_out = problem.groups[np.r_[fold.hidden, fold.among]]
        assert len(fold.among)
        assert not np.isin(problem.groups[fold.learned], held_out).any()
        assert {*held_out} == {*problem.groups[fold.hidden]}


def test_blocks_depend_on_neither_the_order_of_the_rows_nor_the_unit(rng):
    table = sightings(rng, ("x", "y"))
    order = rng.permutation(N_ROWS)
    blocks = read_problem(table, "seen").groups
    assert np.array_equal(read_problem(table.iloc[order], "seen").groups, blocks[order])
    in_metres = table.assign(x=table["x"] * 1024, y=table["y"] * 1024)
    assert np.array_equal(read_problem(in_metres, "seen").groups, blocks)


def test_blocks_of_degrees_cross_the_date_line(rng):
    table = sightings(rng)
    moved = table.assign(lon=(table["lon"] + 175 + 180) % 360 - 180)
    blocks = read_problem(moved, "seen").groups
    assert all(np.ptp(table["lon"][blocks == block]) < 5 for block in range(25))


def test_a_row_without_a_place_is_a_block_of_its_own(rng):
    table = sightings(rng)
    table.loc[[3, 5], "lon"] = np.nan
    groups = read_problem(table, "seen").groups
    assert [np.sum(groups == groups[row]) for row in (3, 5)] == [1, 1]


def test_positives_in_one_place_are_said_to_be(rng):
    table = sightings(rng)
    near = np.argsort(np.hypot(table["lon"], table["lat"]))[:3]
    table["seen"] = np.isin(np.arange(N_ROWS), near)
    with pytest.warns(OnesidedWarning, match="all in one place"):
        assert read_problem(table, "seen").groups is None


def test_a_group_wins_and_a_borrowed_background_needs_no_blocks(rng):
    table = sightings(rng)
    table["cell"] = np.arange(N_ROWS) % 50
    plan = plan_ranking(read_problem(table, "seen", group="cell"), methods=["logistic"])
    assert not plan.folds.holds_out_rows
    assert len(np.unique(plan.problem.groups)) == 50
    table["species"] = np.where(table["seen"], "a", np.where(rng.random(N_ROWS) < 0.4, "b", ""))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = {"positive": "species=a", "background": "others", "drop": ["seen", "cell"]}
        assert read_problem(table, **told).groups is None
        assert read_problem(table, space="lon,lat", **told).groups is not None


def test_claims_fall_where_sightings_are_near_each_other(rng):
    """The sightings have nothing in common but their places."""
    aucs = {"none": [], "lon,lat": []}
    for _ in range(2):
        table = sightings(rng)
        for space, found in aucs.items():
            ranking = rank_table(table, "seen", space=space, methods=["bagging"])
            found.append(ranking.comparison.taken["hidden_positive_auc"])
    assert np.mean(aucs["none"]) > 0.9
    assert np.mean(aucs["lon,lat"]) < 0.65


def test_the_ranking_carries_the_coordinates_and_a_model_asks_for_none(rng):
    table = sightings(rng)
    found = rank_table(table, "seen", methods=["logistic"])
    ranked = found.table.to_pandas()
    assert np.array_equal(ranked["lon"], table["lon"].to_numpy()[ranked["row"] - 1])
    assert "spatial blocks" in found.problem.places.sentence
    assert "`space='none'`" not in found.command
    model = fit_table(table, "seen", methods=["logistic", "naive-bayes"])
    assert not {"lon", "lat"} & {column.name for column in model.features}
    scored = score_table(model, table.drop(columns=["seen", "lon", "lat"]))
    assert scored.table.num_rows == N_ROWS


def test_promises_of_rows_near_each_other_are_not_proven(rng):
    with pytest.warns(CalibrationWarning, match="spatial block"):
        plan_ranking(
            read_problem(sightings(rng), "seen"),
            promises=Promises.of(discard=0.2),
        )


def test_random_labels_cannot_exchange_blocks(rng):
    with pytest.raises(DataError, match="spatial blocks, which are of different sizes"):
        rank_table(sightings(rng), "seen", resamples=9)


def test_rows_of_no_group_are_held_out_as_in_split():
    y = np.arange(60) < 12
    folds = PositiveKFold(4, random_state=0, hold_out="rows")
    for fold, (train, test) in zip(folds.deal(y), folds.split(None, y), strict=True):
        assert np.array_equal(fold.learned, train)
        assert np.array_equal(np.sort(np.r_[fold.hidden, fold.among]), test)
