"""`onesided enrich`, run as a user runs it."""

import csv
import gzip
import re
import signal
import subprocess
import sys
from collections import defaultdict
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import command_line
from command_line import refused

YEAST = Path(__file__).parents[2] / "examples" / "yeast"
COLUMNS = ["feature", "statistic", "direction", "p_value", "adjusted_p_value", "q_value"]
COLUMNS += ["size", "overlap", "fold"]
BY_LABEL = ["--positive", "known", "--id", "gene"]


run, passed = (partial(each, "enrich") for each in (command_line.run, command_line.passed))


def write_sets(sets, path):
    text = "".join("\t".join([name, "about", *members]) + "\n" for name, members in sets.items())
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.fixture
def genes(rng, tmp_path):
    """400 genes, 20 known; `up` is higher in these, 12 of them are in `planted`."""
    known = np.arange(400) < 20
    frame = pd.DataFrame(
        {
            "gene": [f"g{n:03}" for n in range(400)],
            "known": known.astype(int),
            "noise": rng.normal(size=400),
            "up": rng.normal(size=400) + 1.5 * known,
            "arm": np.where(known & (rng.random(400) < 0.8), "left", rng.choice(["left", "right"])),
            "note": np.where(known, "a membrane protein, seen twice", "of no known role at all"),
        }
    )
    frame["arm"] = np.where(rng.random(400) < 0.5, "left", "right")
    frame.loc[rng.random(400) < 0.1, "noise"] = np.nan
    frame.to_csv(tmp_path / "genes.csv", index=False)
    return frame


@pytest.fixture
def gene_sets(rng, tmp_path):
    """40 random sets and a planted one; one gene, none, and all of the table."""
    names = [f"g{n:03}" for n in range(400)]
    sets = {f"random {n}": rng.choice(names, 5 + 2 * n, replace=False) for n in range(40)}
    sets["planted"] = [*names[:12], *names[100:120]]
    sets |= {"one": ["g001", "elsewhere"], "none": ["elsewhere"], "all": names}
    write_sets(sets, tmp_path / "sets.gmt")
    return sets


@pytest.mark.usefixtures("genes")
def test_columns(tmp_path):
    done = passed("genes.csv", *BY_LABEL, cwd=tmp_path)
    assert done.stdout == "genes-enrichment.csv\n"
    found = pd.read_csv(tmp_path / "genes-enrichment.csv")
    assert list(found.columns) == COLUMNS
    assert {"up", "noise", "arm = left", "arm = right", "note: membrane"} <= {*found["feature"]}
    first = found.set_index("feature")
    assert first.loc["up", "adjusted_p_value"] < 0.01
    assert first.loc["note: membrane", "direction"] == "higher"
    assert first.loc["note: role", "direction"] == "lower"
    assert (first.loc[["noise", "arm = left", "arm = right"], "adjusted_p_value"] > 0.05).all()
    assert found["adjusted_p_value"].is_monotonic_increasing
    assert "positive          20  (column known)" in done.stderr
    assert "columns: 2 of numbers, 1 of categories, 1 of text" in done.stderr
    assert re.search(r"0\.0001 +\S+ +higher +- +- +up\n", done.stderr)
    assert "noise" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["genes-enrichment.csv", "genes.csv"]


@pytest.mark.usefixtures("genes", "gene_sets")
def test_sets(tmp_path):
    done = passed("genes.csv", *BY_LABEL, "--sets", "sets.gmt", cwd=tmp_path)
    found = pd.read_csv(tmp_path / "genes-enrichment.csv")
    assert "sets.gmt: 41 sets; left out 1 without a row of the table, 1 of fewer than 3 rows, " in (
        done.stderr
    )
    assert "1 of all rows" in done.stderr
    assert found["feature"][0] == "planted"
    assert found["adjusted_p_value"][0] < 0.05
    assert (found["adjusted_p_value"][1:] >= 0.05).all()
    assert "Adjusted p < 0.05: 1 of 41 features\n" in done.stderr
    table = [[12, 8], [20, 360]]
    assert_allclose(found["p_value"][0], stats.fisher_exact(table).pvalue, rtol=1e-6)


@pytest.mark.usefixtures("genes")
def test_sets_beside_columns(gene_sets, tmp_path):
    ask = [*BY_LABEL, "--sets", "sets.gmt", "--with-columns", "--drop", "note"]
    passed("genes.csv", *ask, cwd=tmp_path)
    found = pd.read_csv(tmp_path / "genes-enrichment.csv")
    assert set(found["feature"][:2]) == {"planted", "up"}
    assert len(found) == 41 + 4
    sizes = ["--min-size", "20", "--max-size", "40"]
    passed("genes.csv", *ask, *sizes, cwd=tmp_path)
    n_sets = sum(20 <= len(members) <= 40 for members in gene_sets.values())
    assert len(pd.read_csv(tmp_path / "genes-enrichment.csv")) == n_sets + 4


def test_positive_sets_are_each_as_if_alone(genes, gene_sets, tmp_path):
    ask = ["--id", "gene", "--drop", "known", "--drop", "note", "--resamples", "499"]
    done = passed("genes.csv", *ask, "--positive-sets", "sets.gmt", cwd=tmp_path)
    found = pd.read_csv(tmp_path / "genes-enrichment.csv")
    assert list(found.columns) == ["set", "n_positive", *COLUMNS]
    assert "sets.gmt: 41 positive sets; left out 1 without a row" in done.stderr
    said = "By chance alone up to 5% of the sets have an adjusted p-value below 0.05."
    assert said in done.stderr
    bound = "bound the chance of any false finding over all 41 sets"
    assert f"{bound}, use the threshold 0.0012 (--resamples 820)" in done.stderr
    sizes = found.groupby("set", sort=False)["n_positive"].first()
    assert list(sizes.index) == [n for n in gene_sets if n not in ("one", "none", "all")]
    assert sizes["planted"] == 32
    planted = genes.assign(known=genes["gene"].isin(gene_sets["planted"]).astype(int))
    planted.to_csv(tmp_path / "planted.csv", index=False)
    passed("planted.csv", *BY_LABEL, "--drop", "note", "--resamples", "499", cwd=tmp_path)
    alone = pd.read_csv(tmp_path / "planted-enrichment.csv")
    own = found[found["set"] == "planted"][COLUMNS].reset_index(drop=True)
    pd.testing.assert_frame_equal(own, alone)
    assert own["feature"][0] == "up"
    assert own["adjusted_p_value"][0] < 0.05


@pytest.mark.usefixtures("genes", "gene_sets")
def test_random_sets_are_not_found(tmp_path):
    """40 sets by chance, 4 features: 5 % of them, that is 2; 7 or more are 3 deviations off."""
    ask = ["--id", "gene", "--drop", "known", "--drop", "note", "--resamples", "499"]
    passed("genes.csv", *ask, "--positive-sets", "sets.gmt", cwd=tmp_path)
    found = pd.read_csv(tmp_path / "genes-enrichment.csv")
    random = found[found["set"].str.startswith("random")]
    assert (random.groupby("set")["adjusted_p_value"].min() < 0.05).sum() < 7


def test_the_example(tmp_path):
    """Targets of SWI4 rise in the first phase of the cycle; and one set for each factor."""
    sets = defaultdict(list)
    with (YEAST / "targets.csv").open() as file:
        for factor, gene in list(csv.reader(file))[1:]:
            sets[factor].append(gene)
    write_sets(sets, tmp_path / "targets.gmt.gz")
    ask = [YEAST / "genes.csv.gz", "--id", "gene", "--resamples", "999"]
    passed(*ask, "--positive", "known_target", "--out", "a.csv", cwd=tmp_path)
    done = passed(
        *ask,
        *["--positive-sets", "targets.gmt.gz", "--drop", "known_target", "--out", "b.parquet"],
        cwd=tmp_path,
    )
    assert done.stdout == "b.parquet\n"
    alone, found = pd.read_csv(tmp_path / "a.csv"), pd.read_parquet(tmp_path / "b.parquet")
    assert len(found) == 5 * 77
    swi4 = found[found["set"] == "SWI4"]
    assert set(swi4["n_positive"]) == {29}
    pd.testing.assert_frame_equal(swi4[COLUMNS].reset_index(drop=True), alone, check_dtype=False)
    assert (alone["adjusted_p_value"][:20] < 0.05).all()
    assert "Adjusted p < 0.05 in 5 of 5 sets\n" in done.stderr


def test_numeric_identifiers_and_a_gap(genes, tmp_path):
    """Whole numbers, which a gap makes fractions of in a frame; and some stand twice."""
    ids = np.arange(400.0)
    ids[5], ids[6] = np.nan, 7
    genes.assign(gene=ids).to_parquet(tmp_path / "genes.parquet")
    write_sets({"planted": [str(n) for n in range(12)]}, tmp_path / "sets.gmt")
    done = passed("genes.parquet", *BY_LABEL, "--sets", "sets.gmt", "--out", "r.tsv", cwd=tmp_path)
    assert "rows without a value of gene, which are in no set: 1\n" in done.stderr
    assert "sets.gmt: 1 set\n" in done.stderr
    assert "values of gene that several rows share (each of these rows counts): 1\n" in done.stderr
    found = pd.read_csv(tmp_path / "r.tsv", sep="\t")
    assert list(found["feature"]) == ["planted"]
    # 0 to 11 without 5 and 6, and the row that is 7 as well: 11 rows.
    expected = stats.fisher_exact([[11, 9], [0, 380]]).pvalue
    assert_allclose(found["p_value"][0], expected, rtol=1e-6)


@pytest.mark.usefixtures("genes", "gene_sets")
def test_sets_without_descriptions(tmp_path):
    found = []
    for _ in range(2):
        done = passed("genes.csv", *BY_LABEL, "--sets", "sets.gmt", cwd=tmp_path)
        found.append((tmp_path / "genes-enrichment.csv").read_bytes())
        text = (tmp_path / "sets.gmt").read_text()
        (tmp_path / "sets.gmt").write_text(text.replace("\tabout\t", "\t"))
    assert found[0].replace(b'"about"', b'""') == found[1]
    assert "the file has no descriptions: the cells after the names are rows" in done.stderr


def test_windows_lines_and_names_with_spaces(genes, tmp_path):
    genes.assign(gene="my " + genes["gene"]).to_csv(tmp_path / "genes.csv", index=False)
    members = [f"my g{n:03}" for n in range(9)]
    write_sets({"a set, of some": members}, tmp_path / "sets.gmt")
    text = (tmp_path / "sets.gmt").read_bytes()
    (tmp_path / "sets.gmt").write_bytes(text.replace(b"\n", b"\r\n"))
    passed("genes.csv", *BY_LABEL, "--sets", "sets.gmt", cwd=tmp_path)
    found = pd.read_csv(tmp_path / "genes-enrichment.csv")
    assert list(found["feature"]) == ["a set, of some"]
    assert found["adjusted_p_value"][0] < 0.001


@pytest.mark.usefixtures("gene_sets")
def test_only_identifiers_and_labels(genes, tmp_path):
    genes[["gene", "known"]].to_csv(tmp_path / "ids.csv", index=False)
    passed("ids.csv", *BY_LABEL, "--sets", "sets.gmt", cwd=tmp_path)
    passed("genes.csv", *BY_LABEL, "--sets", "sets.gmt", cwd=tmp_path)
    assert (tmp_path / "ids-enrichment.csv").read_bytes() == (
        tmp_path / "genes-enrichment.csv"
    ).read_bytes()


@pytest.mark.usefixtures("genes")
def test_few_random_sets(tmp_path):
    done = passed("genes.csv", *BY_LABEL, "--drop", "note", "--resamples", "1", cwd=tmp_path)
    assert "Adjusted p < 0.05: none of 4 features" in done.stderr
    assert "with so few random sets, no p-value can be this small: --resamples 9999" in done.stderr


@pytest.mark.usefixtures("genes", "gene_sets")
def test_seed_and_top(tmp_path):
    ask = ["genes.csv", *BY_LABEL, "--resamples", "99"]
    for out, more in {"a": [], "b": [], "c": ["--seed", "1"], "d": ["--top", "2"]}.items():
        passed(*ask, *more, "--out", f"{out}.csv", cwd=tmp_path)
    read = {out: (tmp_path / f"{out}.csv").read_text() for out in "abcd"}
    assert read["a"] == read["b"] != read["c"]
    assert read["d"].splitlines() == read["a"].splitlines()[:3]
    ask = ["genes.csv", "--id", "gene", "--positive-sets", "sets.gmt", "--resamples", "9"]
    passed(*ask, "--top", "2", "--out", "e.csv", cwd=tmp_path)
    assert (pd.read_csv(tmp_path / "e.csv").groupby("set").size() == 2).all()


def test_student_t(genes, tmp_path):
    ask = ["genes.csv", *BY_LABEL, "--drop", "note", "--statistic", "t"]
    refused(
        run(*ask, cwd=tmp_path),
        "--statistic t works only for columns of numbers, but column 'arm'",
        "--drop arm",
    )
    passed(*ask, "--drop", "arm", cwd=tmp_path)
    found = pd.read_csv(tmp_path / "genes-enrichment.csv")
    up, known = genes["up"], genes["known"] == 1
    expected = (up[known].mean() - up.mean()) / up[known].std()
    assert found["feature"][0] == "up"
    assert_allclose(found["statistic"][0], expected)


SETS = ["--positive", "known", "--sets", "sets.gmt"]
BAD = {
    "no positives": ([], "Neither --positive nor --positive-sets", "--positive COLUMN"),
    "two kinds of positives": (
        ["--positive", "known", "--positive-sets", "sets.gmt", "--id", "gene"],
        "--positive and --positive-sets both say which rows are positive.",
        "Pass one of them",
    ),
    "sets without identifier": (SETS, "--sets needs a column that says which rows", "--id COLUMN"),
    "positive sets without identifier": (
        ["--positive-sets", "sets.gmt"],
        "--positive-sets needs a column that says which rows",
        "--id COLUMN",
    ),
    "no such identifier": ([*SETS, "--id", "gen"], "no column 'gen'", "Did you mean 'gene'?"),
    "no such sets": (
        [*BY_LABEL, "--sets", "no.gmt"],
        "There is no file 'no.gmt'",
        "Check the path",
    ),
    "columns without sets": (
        [*BY_LABEL, "--with-columns"],
        "--with-columns only matters with --sets",
        "--sets FILE.gmt",
    ),
    "no folder": (
        [*BY_LABEL, "--out", "no/r.csv"],
        "There is no folder",
        "Make this folder first.",
    ),
    "no known ending": ([*BY_LABEL, "--out", "r.doc"], "does not end in .csv", "ending"),
    "out is the table": ([*BY_LABEL, "--out", "genes.csv"], "would be overwritten", "another name"),
    "out are the sets": (
        [*BY_LABEL, "--sets", "sets.csv", "--out", "sets.csv"],
        "'sets.csv' is the input file and would be overwritten",
        "another name",
    ),
    "other identifiers": (
        [*BY_LABEL, "--sets", "other.gmt"],
        "the table has 'g000', 'g001', 'g002', ..., the sets have 'TP53', 'MYC'",
        "the same kind of identifier",
    ),
    "other case": ([*BY_LABEL, "--sets", "case.gmt"], "has 'g000'", "upper and lower case"),
    "sets of no size": (
        [*SETS, "--id", "gene", "--min-size", "500"],
        "a set must have 500 to 2,000 of the table's 400 rows",
        "--min-size or --max-size",
    ),
    "limits that cross": (
        [*SETS, "--id", "gene", "--min-size", "9", "--max-size", "8"],
        "--min-size 9 is above --max-size 8",
        "a --max-size of at least 9",
    ),
    "sets of one gene": (
        ["--positive-sets", "single.gmt", "--id", "gene"],
        "None of 1 set of 'single.gmt' can be tested: a set must have at least 2",
        "larger sets",
    ),
    "a set with the name of a column": (
        [*BY_LABEL, "--sets", "up.gmt", "--with-columns"],
        "'up' is both the name of a set and the name of a feature.",
        "Rename",
    ),
    "t of sets": (
        [*SETS, "--id", "gene", "--statistic", "t"],
        "--statistic t works only for columns of numbers, not for --sets",
        "Use the statistic sum",
    ),
    "no columns": (
        [*BY_LABEL, *["--drop", "noise", "--drop", "up", "--drop", "arm", "--drop", "note"]],
        "No column is left",
        "Drop fewer columns",
    ),
    "a table as sets": ([*BY_LABEL, "--sets", "other.csv"], "Line 1 of 'other.csv' has no tab", ""),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.usefixtures("genes", "gene_sets")
def test_bad_input(tmp_path, case):
    write_sets({"other": ["TP53", "MYC"]}, tmp_path / "other.gmt")
    write_sets({"case": ["G001", "G002", "G003"]}, tmp_path / "case.gmt")
    write_sets({"single": ["g001"]}, tmp_path / "single.gmt")
    write_sets({"up": ["g001", "g002", "g003"]}, tmp_path / "up.gmt")
    write_sets({"x": ["g001", "g002", "g003"]}, tmp_path / "sets.csv")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    options, problem, mend = BAD[case]
    refused(run("genes.csv", *options, cwd=tmp_path), problem, mend)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_usage(tmp_path):
    assert run(cwd=tmp_path).returncode == 2
    for options in (["--resamples", "0"], ["--statistic", "mean"], ["--top", "0"]):
        assert run("t.csv", "--positive", "known", *options, cwd=tmp_path).returncode == 2
    shown = run("--help", cwd=tmp_path).stdout
    assert "onesided enrich genes.csv" in shown
    assert "for each set of positives by itself" in " ".join(shown.split())


@pytest.mark.usefixtures("genes", "gene_sets")
def test_interrupted(tmp_path):
    (tmp_path / "genes-enrichment.csv").write_text("old")
    ask = ["genes.csv", "--id", "gene", "--positive-sets", "sets.gmt", "--resamples", "1000000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "onesided", "enrich", *ask],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert any(line.startswith("Testing") for line in process.stderr)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted. No output file is left half written." in stderr
    assert (tmp_path / "genes-enrichment.csv").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("cell", ["a 1 2 b", "the and of 3 4 b", ""])
def test_text_without_a_word(tmp_path, cell):
    rows = "".join(f"{i % 13},{cell} {i},{int(i < 8)}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("a,note,label\n" + rows)
    for more in ([], ["--text", "note"]):
        done = passed("t.csv", "--positive", "label", *more, cwd=tmp_path)
        assert "dropped note" in done.stderr


@pytest.fixture
def planted(tmp_path):
    """300 genes, of which the first 30 are known, ten of them in one set of 15."""
    rng = np.random.default_rng(7)
    genes = [f"{n:05}" for n in range(300)]
    table = pd.DataFrame({"gene": genes, "known": np.arange(300) < 30, "up": rng.normal(size=300)})
    table["arm"] = np.where(np.arange(300) % 3 == 0, "p", "q")
    table.to_csv(tmp_path / "t.csv", index=False)
    sets = {f"random {n}": rng.choice(genes, 20, replace=False) for n in range(12)}
    sets["planted"] = np.array(genes[20:35])
    lines = ["\t".join([name, f"about {name}", *members]) for name, members in sets.items()]
    (tmp_path / "one.gmt").write_text("\n".join(lines[:6]))
    (tmp_path / "two.gmt").write_text("\n".join(lines[6:]))
    return tmp_path, table, sets


SETS = ["--id", "gene", "--sets", "one.gmt", "--sets", "two.gmt", "--resamples", "999"]


def test_what_the_positives_share_with_a_set(planted):
    folder, table, sets = planted
    done = passed("t.csv", "--positive", "known", *SETS, "--with-columns", cwd=folder)
    found = pd.read_csv(folder / "t-enrichment.csv", dtype={"members": str}).set_index("feature")
    known = set(table.gene[table.known])
    for name, members in sets.items():
        row = found.loc[name]
        assert (row["size"], row.overlap) == (len(members), len(known & set(members)))
        shared = set() if pd.isna(row.members) else set(row.members.split("; "))
        assert shared == known & set(members)
        assert row.fold == pytest.approx((row.overlap / 30) / (len(members) / 300))
        assert row.description == f"about {name}"
    arm = found.loc["arm = p"]
    assert (arm["size"], arm.overlap, arm.fold) == (100, 10, 1)
    assert found.loc["up", ["size", "overlap", "fold", "members", "description"]].isna().all()
    assert found.index[0] == "planted"
    assert "10 of 15    6.7  planted" in done.stderr


def test_lists_of_genes_and_the_top_of_a_ranking_are_positive(planted):
    folder, table, _ = planted
    passed("t.csv", "--positive", "known", *SETS, "--out", "column.csv", cwd=folder)
    genes = table.gene[table.known].tolist()
    (folder / "no header.txt").write_text("\n".join(genes))
    (folder / "header.txt").write_text("\n".join(["Ensembl", *genes]))
    order = [*genes, *table.gene[~table.known]]
    ranking = pd.DataFrame({"gene": order, "rank": np.arange(1, 301), "score": 0.5})
    ranking.assign(recall=1.0).to_csv(folder / "ranking.csv", index=False)
    asked = {
        "no header.txt": ("no header.txt", []),
        "header.txt": ("header.txt", []),
        "ranking.csv": ("the first 30 rows of ranking.csv", ["--first", "30"]),
    }
    ask = ["t.csv", "--drop", "known", *SETS, "--out", "o.csv"]
    for name, (label, more) in asked.items():
        done = passed(*ask, "--positive-table", name, *more, cwd=folder)
        assert f"positive          30  (from {label})" in done.stderr
        assert (folder / "o.csv").read_bytes() == (folder / "column.csv").read_bytes()
    done = run("t.csv", "--positive", "known", "--first", "30", cwd=folder)
    refused(done, "--first counts rows of a file, but --positive-table names none", "ranking")
    done = run(*ask, "--positive-table", "ranking.csv", "--first", "301", cwd=folder)
    refused(done, "--first 301 is more than the 300 rows of 'ranking.csv'", "Pass 300 or less")
    done = run(*ask, "--positive-table", "header.txt", "--positive", "known", cwd=folder)
    refused(done, "--positive and --positive-table both say", "Pass one of them")
    (folder / "two.gmt").write_text((folder / "one.gmt").read_text())
    done = run("t.csv", "--positive", "known", *SETS, cwd=folder)
    refused(done, "have a set named 'random 0'; the second is 'two.gmt'", "pass each file once")
