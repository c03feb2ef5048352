"""Inputs made to do harm: larger than they look, nested without end, or aimed at the reader."""

import gzip
import io
import json
import shutil
import struct
import time
import tracemalloc
import zipfile
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import passed, refused, run
from every_verb import LABEL
from model_files import change_header, entries, rewrite
from onesided import enriched
from onesided._files import _whole
from onesided._files._rows import read_rows
from onesided.exceptions import OnesidedWarning, TableError
from onesided.scoring import _model_file, load_model
from onesided.tables import _problem

ESCAPE = "\x1b]0;owned\x07\x1b[2J\u202e"
RANK = ("rank", "genes.csv", *LABEL, "--id", "gene", "--method", "center-of-mass")
LARGE = 10_000_000  # bytes; more than the memory that these tests pretend to have
ZEROS = gzip.compress(b"0\n" * (LARGE // 2))


@pytest.fixture
def _little_memory(monkeypatch):
    for module in (_whole, _model_file):
        monkeypatch.setattr(module, "available_memory", lambda: LARGE / 2)


def same_value(path):
    pq.write_table(pa.table({"known": np.zeros(LARGE * 5, dtype=bool)}), path)


@pytest.mark.usefixtures("_little_memory")
@pytest.mark.parametrize("name", ["t.csv.gz", "t.svm.gz", "t.jsonl.gz", "t.parquet"])
def test_files_larger_than_they_look(name, tmp_path):
    path = tmp_path / name
    if name == "t.parquet":
        same_value(path)
    else:
        path.write_bytes(ZEROS)
    assert path.stat().st_size < LARGE / 20
    with pytest.raises(TableError, match="GB that are free"):
        read_rows(path)


@pytest.mark.usefixtures("_little_memory")
def test_sets_larger_than_they_look(tmp_path):
    (tmp_path / "t.gmt.gz").write_bytes(ZEROS)
    with pytest.raises(TableError, match="GB that are free"):
        enriched.read_gene_sets(tmp_path / "t.gmt.gz")


@pytest.mark.usefixtures("_little_memory")
def test_a_model_larger_than_it_looks(inputs):
    with zipfile.ZipFile(inputs / "kept.onesided", "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("more.npy", bytes(LARGE))
    with pytest.raises(TableError, match="which is more memory than a model needs or"):
        load_model(inputs / "kept.onesided")


@pytest.mark.usefixtures("_little_memory")
def test_a_header_larger_than_any(inputs):
    """It is not unpacked: a megabyte of a file may be a gigabyte of spaces, and more as objects."""
    path = inputs / "kept.onesided"
    change_header(path, path, lambda header: header.update(more=" " * 1_000_000))
    with pytest.raises(TableError, match="which is more memory than a model needs or"):
        load_model(inputs / "kept.onesided")


def test_a_model_that_says_it_is_small(inputs):
    """The directory gives a size of 100 bytes to many more: no more than it says is unpacked."""
    path = inputs / "kept.onesided"
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("more.npy", bytes(20 * LARGE))
    content = path.read_bytes()
    assert content.count(struct.pack("<I", 20 * LARGE)) == 2
    path.write_bytes(content.replace(struct.pack("<I", 20 * LARGE), struct.pack("<I", 100)))
    tracemalloc.start()
    try:
        with pytest.raises(TableError, match="is cut off or damaged"):
            load_model(path)
        assert tracemalloc.get_traced_memory()[1] < LARGE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing(method, inputs):
    """These are unpacked at once, however large."""
    with zipfile.ZipFile(inputs / "kept.onesided", "a", method) as file:
        file.writestr("more.npy", b"")
    with pytest.raises(TableError, match="which no model of onesided has"):
        load_model(inputs / "kept.onesided")


def test_an_array_larger_than_its_bytes(inputs):
    """Its header asks for memory that the machine does not have."""
    path = inputs / "kept.onesided"
    held = io.BytesIO()
    size = {"descr": "<f8", "fortran_order": False, "shape": (10**17,)}
    np.lib.format.write_array_header_1_0(held, size)
    for name in [each for each in entries(path) if each.endswith(".npy")]:
        rewrite(path, {name: held.getvalue()}, inputs / "changed.onesided")
        with pytest.raises(TableError, match="is damaged"):
            load_model(inputs / "changed.onesided")


@pytest.mark.parametrize("value", [None, 3, ["1.6"]])
def test_a_header_without_the_version_of_scikit_learn(inputs, value):
    def other(header):
        del header["scikit-learn"]
        if value is not None:
            header["scikit-learn"] = value

    change_header(inputs / "kept.onesided", inputs / "kept.onesided", other)
    with pytest.raises(TableError, match="is damaged"):
        load_model(inputs / "kept.onesided")


@pytest.mark.parametrize(
    "name", ["../out.npy", "/out.npy", "a/b.npy", "..", "a\\b", ".hidden", "a\nb"]
)
def test_names_in_a_model_stay_inside(name, inputs):
    with zipfile.ZipFile(inputs / "kept.onesided", "a") as file:
        file.writestr(name, b"")
    before = {path.name for path in inputs.iterdir()}
    done = run("score", "kept.onesided", "genes.csv", "--out", "s.csv", cwd=inputs)
    refused(done, "which no model of onesided has", "Pass a file that holds a saved model.")
    assert {path.name for path in inputs.iterdir()} == before


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_json_without_end(name, tmp_path):
    """Arrow ends the process at such a depth."""
    deep = b'{"known": 1, "a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}\n"
    (tmp_path / name).write_bytes(gzip.compress(deep) if name.endswith("gz") else deep)
    refused(run("rank", name, *LABEL, cwd=tmp_path), "nested more than 100 deep", "one flat object")
    quoted = json.dumps({"known": 1, "a": '\\"[' * 300}) + "\n" + '{"known": 0}\n' * 3
    content = (quoted * 2).encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert read_rows(tmp_path / name).data.num_rows == 8


def test_settings_without_end(tmp_path):
    (tmp_path / "c.json").write_text('{"options":' * 100_000)
    done = run("rank", "t.csv", "--config", "c.json", cwd=tmp_path)
    refused(done, "'c.json' is not valid JSON", "Correct the file")


BIBTEX = {
    "laughs": "@string{a0 = {lol}}\n"
    + "".join(f"@string{{a{n + 1} = a{n} # a{n} # a{n} # a{n} # a{n}}}\n" for n in range(30))
    + "@article{k, title = a30 # a30}",
    "braces": "@article{k, title = {" + "{" * 50_000 + "}" * 50_000 + "}}",
    "macros": "@article{k, title = {" + "\\a{" * 3_000 + "}" * 3_000 + "}}",
    "open": '@article{k, title = "' + "a " * 100_000,
    "blanks": "@article{k, author = {a" + " " * 100_000 + "b and  c}}",
}


@pytest.mark.parametrize("name", BIBTEX)
def test_bibtex_without_end(name, tmp_path):
    pytest.importorskip("bibtexparser", reason="bibtexparser is not installed")
    (tmp_path / "t.bib").write_text(BIBTEX[name] + "\n@book{b, title = {Another}}\n")
    began = time.monotonic()
    is_broken = name == "open"  # the others are odd, and read
    with pytest.warns(OnesidedWarning, match="1 of 2 records") if is_broken else nullcontext():
        assert read_rows(tmp_path / "t.bib", at_least=1).data.num_rows == 2 - is_broken
    assert time.monotonic() - began < 10


def test_the_terminal_is_not_steered(inputs):
    table = pd.read_csv(inputs / "genes.csv")
    table["gene"] = ESCAPE + table["gene"]
    table[f"{ESCAPE}odd"] = np.arange(len(table)) / 7
    table.to_csv(inputs / f"{ESCAPE}.csv", index=False)
    done = passed("rank", f"{ESCAPE}.csv", *RANK[2:], "-v", cwd=inputs)
    assert "\\x1b]0;owned\\x07" in done.stderr
    bad = run("rank", "genes.csv", "--positive", f"{ESCAPE}\nx", cwd=inputs)
    refused(bad, "There is no column", "The columns are")
    for each in (done, bad):
        assert not {*each.stderr} & {"\x1b", "\x07", "\u202e", "\x9b"}


def test_an_error_has_two_lines(inputs):
    table = pd.read_csv(inputs / "genes.csv").rename(columns={"region": "a\nb\nc"})
    table.to_csv(inputs / "t.csv", index=False)
    done = run("rank", "t.csv", "--positive", "size=nothing", cwd=inputs)
    done = run("rank", "t.csv", "--positive", "a\nb\nc", cwd=inputs)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 2


def test_a_name_that_is_no_text(inputs):
    name = "t\udcff.csv"
    shutil.copy(inputs / "genes.csv", inputs / name)
    done = run("rank", name, *RANK[2:], cwd=inputs)
    refused(done, "is not UTF-8 text", "Rename it")
    refused(run(*RANK, "--report", "r\udcff.html", cwd=inputs), "is not UTF-8 text", "Rename it")
    (inputs / "texts").mkdir()
    (inputs / "texts" / name).write_text("some words")
    done = run("unexpected", "--known", "known", "--new", "texts", cwd=inputs)
    refused(done, "is not UTF-8 text", "Rename it")


def test_a_link_to_the_input(inputs):
    (inputs / "out.csv").symlink_to("genes.csv")
    before = (inputs / "genes.csv").read_bytes()
    refused(run(*RANK, "--out", "out.csv", cwd=inputs), "is the input file", "Pass another name")
    assert (inputs / "genes.csv").read_bytes() == before


def test_too_little_memory(inputs, monkeypatch):
    def read(*_, **__):
        raise MemoryError

    monkeypatch.setattr(_problem, "read_known_rows", read)
    mend = "Close other programs, or use a machine with more memory. With rank, fit and compare,"
    refused(run(*RANK, cwd=inputs), "does not have enough memory", mend)
