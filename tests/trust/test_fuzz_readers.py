"""Damaged and hostile files: each reader reads them or refuses them in words, and in time."""

import bz2
import contextlib
import copy
import gzip
import io
import json
import lzma
import shutil
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import passed, run
from every_verb import RUNS
from fuzzing import ends_in_words, enduring, mutated, some
from onesided import PositiveNaiveBayes
from onesided._files._batches import column_types, count_rows, read_batches, whole_batches
from onesided._files._find import find_files
from onesided._files._rows import read_rows
from onesided.enriched import read_gene_sets
from onesided.exceptions import DataError
from onesided.tables import describe
from onesided.tables._features import feature_matrices
from onesided.tables._known_rows import read_known_rows
from onesided.tables._labels import read_labels
from onesided.unexpected import read_documents
from workbooks import write_workbook

N_ROWS = 8
ROWS = [
    (f"g{row:02}", int(row < 3), row / 4, "north" if row % 2 else "süd, ost", "some words")
    for row in range(N_ROWS)
]
NAMES = ("gene", "known", "size", "region", "note")


def csv(delimiter, quote='"', end="\n"):
    """A table as text, with quotes where the delimiter is in a cell."""
    lines = [NAMES, *ROWS]
    cells = [[quote + str(c) + quote if delimiter in str(c) else str(c) for c in r] for r in lines]
    return end.join(map(delimiter.join, cells)).encode()


JSON = "\n".join(json.dumps(dict(zip(NAMES, row, strict=True))) for row in ROWS).encode()
NESTED = b'{"known": 1, "a": {"b": [1, {"c": null}]}}\n{"known": 0, "a": {"b": []}}\n' * 3
RIS = b"""TY  - JOUR\nTI  - A title of many words\nAU  - Ada, B.\nPY  - 1999\nDO  - 10.1234/abc
AB  - An abstract that\ngoes on\nKW  - one\nKW  - two\nUR  - http://a.b\nER  - \n
TY  - BOOK\nT1  - Another title of words\nN1  - RAYYAN-INCLUSION: {"a"=>"b"}\nER  - \n"""
PUBMED = b"""
PMID- 12345\nTI  - A title that goes\n      on and on\nFAU - Ada, Bea\nDP  - 1999 Jan
AID - 10.1234/x [doi]\nMH  - Humans\n\nPMID- 12346\nTI  - Another\n"""
BIBTEX = rb"""@string{jour = "Journal of " # "Things"}
@article{key1, title = {A {T}itle of \"{o}ther words}, author = "Ada B and C{\'e}line D",
 journal = jour, year = 1999, doi = {10.1234/abc}}
@comment{nothing}
@book{key2, title = "Another $\alpha$ title", note = {a # b}}
"""
SVMLIGHT = b"1 1:0.5 3:2 # yes\n0 2:1e-3\n-1 qid:1 1:1\n0 7:3\n"
GMT = b"first\tdescription\tg01\tg02\nsecond\t\tg03\tg04\tg04\n"


def packed(write):
    """What a function writes into a file."""
    held = io.BytesIO()
    write(held)
    return held.getvalue()


def parquet(**options):
    table = pa.Table.from_pylist([dict(zip(NAMES, row, strict=True)) for row in ROWS])
    return packed(lambda file: pq.write_table(table, file, **options))


def arrow(new):
    table = pa.Table.from_pylist([dict(zip(NAMES, row, strict=True)) for row in ROWS])
    with new(held := pa.BufferOutputStream(), table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    return held.getvalue().to_pybytes()


def workbook(ending):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{ending}"
        write_workbook(path, {"one": [NAMES, *ROWS], "two": [["a"], [1]]})
        return path.read_bytes()


def zst(content):
    return pa.compress(content, codec="zstd", asbytes=True)


def as_rank(path):
    """What `rank` and `enrich` do to a table before they learn."""
    rows = read_rows(path, as_text=["gene"])
    names = rows.data.column_names
    if "known" in names:
        read_labels(rows.data, "known", lists=rows.lists)
    summary = describe(rows.data, without=["known"] * ("known" in names), text=rows.text)
    feature_matrices(rows.data, summary)


def in_passes(path):
    """What an estimator does to a path."""
    with contextlib.suppress(DataError):  # it takes no text
        PositiveNaiveBayes(class_prior=0.3).fit(path, y="known")


def in_batches(path):
    """What `score` and `fit --unlabeled` do to a table."""
    (file,) = find_files(path)
    list(whole_batches(file))
    count_rows(file)
    columns = column_types(file)
    if "gene" in columns:
        list(read_batches(file, [], "gene"))


def as_documents(path):
    read_documents(path, kind="region", text=["note"])


def as_both_kinds(path):
    """A damaged file of positives beside a good table."""
    good = path.with_name(f"good{''.join(path.suffixes)}")
    good.write_bytes(GOOD_BESIDE[path.suffix])
    read_known_rows(good, positive=path)


TABLES = {
    "t.csv": [
        *(csv(","), csv(","), b"sep=;\n" + csv(";"), b"\xef\xbb\xbf" + csv(",", end="\r\n")),
        csv(";").decode().replace(".", ",").replace("0,5", "1.000,5 €").encode("cp1252"),
        csv("\t").decode().encode("utf-16"),
    ],
    "t.tsv": [csv("\t"), csv("\t", quote="'")],
    "t.csv.gz": [gzip.compress(csv(",")), gzip.compress(csv(";")) * 2],
    "t.csv.bz2": [bz2.compress(csv("|"))],
    "t.csv.zst": [zst(csv(","))],
    "t.csv.xz": [lzma.compress(csv(","))],
    "t.txt": [b"id,size,known\n" + b"".join(b"r%d,g%d,.5,%d\n" % (n, n, n % 2) for n in range(8))],
    "t.xlsx": [workbook("xlsx")],
    "t.ods": [workbook("ods")],
    "t.arrow": [arrow(pa.ipc.new_file), arrow(pa.ipc.new_stream)],
    "t.jsonl": [JSON, NESTED],
    "t.jsonl.gz": [gzip.compress(JSON)],
    "t.parquet": [
        parquet(),
        parquet(compression="zstd", data_page_version="2.0", row_group_size=3),
        parquet(use_dictionary=False, compression="none", write_page_checksum=True),
    ],
}
RECORDS = {
    "t.ris": [RIS, RIS.replace(b"\n", b"\r\n")],
    "t.nbib": [PUBMED],
    "t.bib": [BIBTEX, RIS],
    "t.svm": [SVMLIGHT],
    "t.svm.gz": [gzip.compress(SVMLIGHT)],
    "t.svm.bz2": [bz2.compress(SVMLIGHT)],
}
GOOD_BESIDE = {
    ".csv": csv(","),
    ".ris": RIS.replace(b"itle", b"itles").replace(b"1234", b"4321") * 2,
    ".bib": BIBTEX.replace(b"key", b"other").replace(b"itle", b"itles").replace(b"1234", b"4321"),
    ".svm": SVMLIGHT,
}
CASES = [
    *((name, good, read) for name, good in TABLES.items() for read in (as_rank, in_batches)),
    *((name, good, in_passes) for name, good in TABLES.items()),
    *((name, good, as_rank) for name, good in RECORDS.items()),
    *((name, TABLES[name], as_documents) for name in ("t.csv", "t.jsonl", "t.parquet")),
    ("t.csv", [csv(",")], as_both_kinds),
    *((name, RECORDS[name], as_both_kinds) for name in ("t.ris", "t.bib", "t.svm")),
    ("t.gmt", [GMT], read_gene_sets),
    ("t.gmt.gz", [gzip.compress(GMT)], read_gene_sets),
]


@pytest.mark.filterwarnings("ignore::onesided.exceptions.OnesidedWarning")
@pytest.mark.parametrize(
    ("name", "good", "read"), CASES, ids=[f"{name}-{read.__name__}" for name, _, read in CASES]
)
def test_damaged_files(name, good, read, tmp_path):
    (tmp_path / name).write_bytes(good[0])
    read(tmp_path / name)  # undamaged it is not refused

    @some(12)
    @given(mutated(good))
    def holds(content):
        path = tmp_path / name
        path.write_bytes(content)
        with enduring():
            read(path)
        assert path.read_bytes() == content

    holds()


def test_text_files(tmp_path):
    """Folders of documents, and of records among other files."""
    (tmp_path / "kind").mkdir()

    @some(12)
    @given(st.lists(mutated([b"some words of text", RIS, csv(",")]), min_size=1, max_size=3))
    def holds(contents):
        for number, content in enumerate(contents):
            (tmp_path / "kind" / f"{number}").write_bytes(content)
        with enduring():
            read_rows(tmp_path)
        with enduring():
            read_documents(tmp_path)

    holds()


@pytest.fixture(scope="module")
def kept(made, tmp_path_factory):
    """A folder with the data of two reports."""
    folder = tmp_path_factory.mktemp("kept")
    shutil.copytree(made, folder, dirs_exist_ok=True)
    passed(*RUNS["unexpected"], cwd=folder)
    return folder


_VALUES = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        10**30,
        1e308,
        0.5,
        "",
        "x" * 300,
        "\x1b[31m",
        "<b>",
        [],
        [[]],
        {},
        {"a": 1},
    ]
) | st.integers(-3, 300)


def places(value, path=()):
    """Where something can be replaced in what JSON holds."""
    yield path
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, each in inner:
        yield from places(each, (*path, key))


@st.composite
def changed_json(draw, content):
    """JSON with one to three values replaced, left out, or put elsewhere."""
    value = json.loads(content)
    for _ in range(draw(st.integers(1, 3))):
        everywhere = list(places(value))
        *path, last = draw(st.sampled_from(everywhere[1:] or [("nothing",)]))
        holder = value
        for key in path:
            holder = holder[key]
        if not isinstance(holder, dict | list):
            break
        if draw(st.integers(0, 3)) == 0:
            del holder[last]
        elif draw(st.booleans()):
            holder[last] = draw(_VALUES)
        else:
            other = value
            for key in draw(st.sampled_from(everywhere)):
                other = other[key]
            holder[last] = copy.deepcopy(other)
        if not isinstance(value, dict):
            break
    return json.dumps(value).encode()


@pytest.mark.parametrize("name", ["kept.json", "new.json"])
def test_data_of_reports(kept, name, tmp_path):
    good = (kept / name).read_bytes()
    path = tmp_path / "r.json"

    @some(10)
    @given(mutated([good]) | changed_json(good))
    def holds(content):
        path.write_bytes(content)
        (tmp_path / "r.html").unlink(missing_ok=True)
        done = run("report", path, cwd=tmp_path)
        ends_in_words(done)
        assert (tmp_path / "r.html").exists() == (done.returncode == 0)
        assert path.read_bytes() == content

    holds()


def test_config_files(kept, tmp_path):
    ask = ("enrich", kept / "genes.csv", "--positive", "known", "--id", "gene", "--resamples", "9")
    passed(*ask, "--out", "e.csv", "--save-config", "c.json", cwd=tmp_path)
    good = (tmp_path / "c.json").read_bytes()
    path = tmp_path / "other.json"

    @some(25)
    @given(mutated([good]) | changed_json(good))
    def holds(content):
        path.write_bytes(content)
        ends_in_words(run("enrich", "--config", path, "--resamples", "9", cwd=tmp_path))
        assert path.read_bytes() == content

    holds()
