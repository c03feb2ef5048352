"""`enrich_table` in Python: the table of the command, and what it says of it."""

import numpy as np
import pandas as pd
import pytest

from command_line import passed
from onesided.enriched import LEVEL, enrich_table
from onesided.exceptions import DataError, TableError
from onesided.tables import write_table


@pytest.fixture
def folder(rng, tmp_path):
    """200 genes, 20 known, and sets: one of 12 known genes and 20 by chance."""
    known = np.arange(200) < 20
    names = [f"g{n:03}" for n in range(200)]
    pd.DataFrame(
        {
            "gene": [*names[:-1], None],
            "known": known.astype(int),
            "up": rng.normal(size=200) + 2 * known,
            "arm": np.where(rng.random(200) < 0.5, "left", "right"),
        }
    ).to_csv(tmp_path / "genes.csv", index=False)
    sets = {f"random {n}": rng.choice(names[:-1], 15, replace=False) for n in range(20)}
    sets |= {"planted": names[:12], "none": ["elsewhere"]}
    lines = ["\t".join([name, "about", *members]) for name, members in sets.items()]
    (tmp_path / "sets.gmt").write_text("\n".join(lines))
    return tmp_path


CASES = {
    "columns": ({"positive": "known", "identifier": "gene"}, ["--positive", "known"]),
    "sets": (
        {"positive": "known", "sets": "sets.gmt", "with_columns": True, "top": 3},
        ["--positive", "known", "--sets", "sets.gmt", "--with-columns", "--top", "3"],
    ),
    "matched": (
        {"positive": "known", "match": ["arm"]},
        ["--positive", "known", "--match", "arm"],
    ),
    "positive sets": (
        {"positive_sets": "sets.gmt", "drop": ["known"], "random_state": 4},
        ["--positive-sets", "sets.gmt", "--drop", "known", "--seed", "4"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_table_is_that_of_the_command(folder, monkeypatch, case):
    monkeypatch.chdir(folder)
    asked, options = CASES[case]
    found = enrich_table("genes.csv", n_resamples=99, **{"identifier": "gene"} | asked)
    write_table(found.table, folder / "python.csv")
    ask = ["enrich", "genes.csv", "--id", "gene", "--resamples", "99", *options]
    done = passed(*ask, cwd=folder)
    written = (folder / "genes-enrichment.csv").read_bytes()
    assert (folder / "python.csv").read_bytes() == written
    said = str(found).replace("`n_resamples=420`", "--resamples 420")
    assert said in done.stderr
    pd.testing.assert_frame_equal(found.to_frame("pandas"), pd.read_csv("genes-enrichment.csv"))


def test_what_was_understood(folder):
    read, steps = [], []
    found = enrich_table(
        folder / "genes.csv",
        positive_sets=folder / "sets.gmt",
        sets=folder / "sets.gmt",
        identifier="gene",
        min_size=15,
        n_resamples=19,
        on_read=lambda tested: read.append((tested, len(steps))),
        on_progress=lambda *step: steps.append(step),
    )
    tested = found.tested
    assert read == [(tested, 0)]
    assert tested.positive_sets.left_out == {"without a row of the table": 1}
    assert tested.sets.left_out == {"without a row of the table": 1, "of fewer than 15 rows": 1}
    assert tested.features == [f"random {n}" for n in range(20)]
    assert (tested.n_unnamed, tested.n_shared, tested.summary) == (1, 0, None)
    assert tested.positive["planted"].sum() == 12
    assert list(found.results) == [*tested.features, "planted"]
    stages, done, of = zip(*steps, strict=True)
    assert {*stages} == {"testing"}
    assert list(done) == sorted(done)
    assert done[-1] == of[-1]
    assert len({*of}) == 1


def test_what_was_found(folder):
    found = enrich_table(folder / "genes.csv", "known", identifier="gene", sets=folder / "sets.gmt")
    assert list(found.firsts) == list(found.n_found) == ["known"]
    assert found.least == found.firsts["known"]["adjusted_p_value"] < LEVEL
    assert found.n_found["known"] == sum(found.table["adjusted_p_value"].to_numpy() < LEVEL)
    assert found.notes == ()
    each = enrich_table(
        folder / "genes.csv", positive_sets=folder / "sets.gmt", identifier="gene", n_resamples=99
    )
    (note,) = each.notes
    assert "threshold 0.0024 (`n_resamples=420`)" in note
    assert next(iter(each.firsts)) == "planted"
    assert "planted: " in each._repr_html_()


def test_a_data_frame_is_a_table(folder):
    asked = {"identifier": "gene", "sets": folder / "sets.gmt", "with_columns": True}
    frame = pd.read_csv(folder / "genes.csv")
    found, expected = (
        enrich_table(table, "known", n_resamples=99, **asked)
        for table in (frame, folder / "genes.csv")
    )
    assert found.table == expected.table
    with pytest.raises(TableError, match="neither a path nor a data frame"):
        enrich_table(3, "known")


def test_errors_name_arguments(folder):
    genes, sets = folder / "genes.csv", folder / "sets.gmt"
    for asked, problem, mend in (
        ({}, "Neither `positive` nor `positive_sets`", "`positive='COLUMN'`"),
        ({"positive": "known", "sets": sets}, "`sets` needs a column", "`identifier='COLUMN'`"),
        ({"positive": "known", "statistic": "t"}, "`statistic='t'`", "`drop=['arm']`"),
    ):
        with pytest.raises(TableError) as caught:
            enrich_table(genes, **asked)
        assert problem in caught.value.problem
        assert mend in caught.value.mend
    with pytest.raises(DataError, match="`top` is 0"):
        enrich_table(genes, "known", top=0)


def length_bias(rng, n_rows=300):
    """Positives are long, and `signal` goes with the length; `other` does not."""
    length = rng.lognormal(size=n_rows)
    frame = pd.DataFrame({"length": length, "signal": np.log(length) + rng.normal(size=n_rows)})
    frame["known"] = 0
    chosen = rng.choice(n_rows, 25, replace=False, p=length / length.sum())
    frame.loc[chosen, "known"] = 1
    return frame.assign(other=rng.normal(size=n_rows))


def test_what_differs_with_the_matched_column_alone_is_chance(rng):
    frame = length_bias(rng)
    plain = enrich_table(frame, "known", n_resamples=999, drop=["length"])
    matched = enrich_table(frame, "known", n_resamples=999, match=["length"])
    assert matched.tested.features == plain.tested.features == ["signal", "other"]
    assert plain.least < 0.01
    assert matched.least > 0.05
    assert "matched by: length" in "\n".join(matched.tested.sentences)


def test_overlap_is_held_against_matched_sets(tmp_path):
    """Of 6 a all are in the set, of 294 b none: 3 of the 3 positive a, by chance 3."""
    kinds = ["a"] * 6 + ["b"] * 294
    frame = pd.DataFrame({"gene": [f"g{n}" for n in range(300)], "kind": kinds})
    frame["known"] = [n < 3 or 100 <= n < 110 for n in range(300)]
    (tmp_path / "s.gmt").write_text("all a\t-\t" + "\t".join(frame.gene[:6]) + "\n")
    ask = {"sets": tmp_path / "s.gmt", "identifier": "gene", "n_resamples": 99}
    for match, fold in (([], (3 / 13) / (6 / 300)), (["kind"], 1.0)):
        found = enrich_table(frame, "known", match=match, **ask)
        (row,) = found.to_frame("pyarrow").to_pylist()
        assert (row["size"], row["overlap"]) == (6, 3)
        assert row["fold"] == pytest.approx(fold)
        assert row["direction"] == ("neither" if match else "higher")
    assert row["statistic"] == 0
    assert not np.signbit(row["statistic"])


def test_a_set_of_all_rows_of_its_strata_leaves_the_others(tmp_path):
    kinds = ["a"] * 6 + ["b"] * 294
    frame = pd.DataFrame({"gene": [f"g{n}" for n in range(300)], "kind": kinds})
    frame["x"] = np.arange(300.0)
    sets = {"full": range(6), "some": range(10, 30), "mixed": range(2, 9)}
    lines = ["\t".join([name, "-", *(f"g{n}" for n in rows)]) for name, rows in sets.items()]
    (tmp_path / "p.gmt").write_text("\n".join(lines) + "\n")
    ask = {"identifier": "gene", "n_resamples": 99, "match": ["kind"]}
    found = enrich_table(frame, positive_sets=tmp_path / "p.gmt", **ask)
    assert [*found.n_found] == ["some", "mixed"]
    assert "left out 1 of all rows of their strata" in "\n".join(found.tested.sentences)
    (tmp_path / "q.gmt").write_text(lines[0] + "\n")
    with pytest.raises(TableError, match="None of 1 positive set can be matched"):
        enrich_table(frame, positive_sets=tmp_path / "q.gmt", **ask)


@pytest.mark.parametrize(
    ("match", "message"),
    [
        (["arm"], "All rows are in one stratum of arm"),
        (["lenght"], "Did you mean 'length'"),
        (["known"], "is the column of labels"),
        ("length", "match.*is 'length'"),
    ],
)
def test_columns_that_cannot_be_matched(rng, match, message):
    with pytest.raises((TableError, DataError), match=message):
        enrich_table(length_bias(rng).assign(arm="left"), "known", match=match)
