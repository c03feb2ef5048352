"""The content of a file decides its format, and a note says where its name says otherwise."""

import bz2
import gzip
import io
import json
import lzma
import re
import warnings
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from command_line import passed
from onesided import tables
from onesided._files._find import find_files
from onesided._files._formats import FORMATS, TEXT_FILES
from onesided._files._packed import COMPRESSIONS
from onesided._files._passes import FileTable
from onesided._files._rows import has_parts, read_rows
from onesided.exceptions import OnesidedWarning, TableError
from onesided.formats import column_names
from onesided.scoring import fit_table, score_table
from onesided.tables._known_rows import read_known_rows
from workbooks import write_workbook

N_ROWS = 12
ROWS = [(f"r{n:02}", n / 4, f"about steel, beam and bridge {n}") for n in range(N_ROWS)]
NAMES = ["id", "size", "title"]


def delimited(mark):
    cells = ([f'"{cell}"' if mark in str(cell) else str(cell) for cell in row] for row in ROWS)
    return "".join(mark.join(line) + "\n" for line in [NAMES, *cells]).encode()


def workbook(folder):
    write_workbook(folder / "made.xlsx", {"one": [NAMES, *ROWS]})
    return (folder / "made.xlsx").read_bytes()


def arrow(write):
    held = pa.BufferOutputStream()
    write(pa.Table.from_pylist([dict(zip(NAMES, row, strict=True)) for row in ROWS]), held)
    return held.getvalue().to_pybytes()


def records(form):
    return "".join(form.format(n=n, words=words) for n, (_, _, words) in enumerate(ROWS)).encode()


CONTENTS = {
    "CSV": lambda _: delimited(","),
    "TSV": lambda _: delimited("\t"),
    "Parquet": lambda _: arrow(pq.write_table),
    "Feather": lambda _: arrow(feather.write_feather),
    "JSON-lines": lambda _: b"".join(
        json.dumps(dict(zip(NAMES, row, strict=True))).encode() + b"\n" for row in ROWS
    ),
    "spreadsheet": workbook,
    "RIS records": lambda _: (
        b"Provider: a library\nContent: text\n\n"
        + records("TY  - JOUR\nTI  - {words}\nAU  - Doe, J.\nPY  - 2012\nER  - \n\n")
    ),
    "PubMed records": lambda _: records("\nPMID- 31{n}\nOWN - NLM\nTI  - {words}\nDP  - 2012\n"),
    "BibTeX records": lambda _: records("@article{{k{n}, title = {{{words}}}, year = 2012}}\n"),
    "EndNote records": lambda _: records("%0 Journal Article\n%T {words}\n%A Doe, J.\n%D 2012\n\n"),
    "EndNote XML records": lambda _: (
        b"<xml><records>"
        + records(
            "<record><rec-number>{n}</rec-number><titles><title>{words}</title></titles>"
            "<dates><year>2012</year></dates></record>"
        )
        + b"</records></xml>"
    ),
    "svmlight's format": lambda _: b"".join(
        b"%d 1:%.1f %d:2\n" % (n % 2, n / 4, n + 2) for n in range(N_ROWS)
    ),
}


def zipped(content, *names):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for name in names or ("folder/", "folder/made", "__MACOSX/folder/._made", ".DS_Store"):
            file.writestr(name, content)
    return held.getvalue()


PACK = {
    "zip": zipped,
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda content: pa.compress(content, codec="zstd", asbytes=True),
    "lz4": lambda content: pa.compress(content, codec="lz4", asbytes=True),
    "": bytes,
}
KNOWN = [each for each in FORMATS if each is not TEXT_FILES]
ENDINGS = [*dict.fromkeys(ending for each in KNOWN for ending in each.endings), ".any", ""]


def read(path):
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        rows = read_rows(path)
    return rows, [str(each.message) for each in notes]


def test_each_format_and_compression_is_here():
    assert {each.title for each in KNOWN} == set(CONTENTS)
    assert set(COMPRESSIONS.values()) | {""} == set(PACK)


@pytest.mark.parametrize("form", KNOWN, ids=lambda form: form.title)
def test_content_decides(form, tmp_path):
    """Under every ending, and in a folder of files that all have this ending."""
    content = CONTENTS[form.title](tmp_path)
    right, notes = read(named(tmp_path, content, form.endings[0]))
    assert notes == []
    assert right.data.num_rows == N_ROWS
    names = column_names(named(tmp_path, content, form.endings[0]))
    for ending in ENDINGS:
        path = named(tmp_path, content, ending)
        found, notes = read(path)
        assert found.data.equals(right.data), ending
        assert found.form == right.form
        assert column_names(path) == names
        is_said = any(f"{path.name!r} was read as" in note and form.title in note for note in notes)
        assert is_said == (ending not in form.endings), (ending, notes)
        assert len(notes) == is_said
        if found.form == "table":
            assert find_files_quietly(path)[0].format is form
        else:
            with pytest.raises(TableError, match=f"holds {form.title}, which can only be read"):
                find_files(path)


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("form", KNOWN, ids=lambda form: form.title)
def test_compression_is_found_too(form, packing, tmp_path):
    """Under the ending of each compression, and under none."""
    content = CONTENTS[form.title](tmp_path)
    right, _ = read(named(tmp_path, content, form.endings[0]))
    for ending, named_so in {**COMPRESSIONS, "": ""}.items():
        path = named(tmp_path, PACK[packing](content), form.endings[0] + ending)
        found, notes = read(path)
        assert found.data.equals(right.data), ending
        said = f"compressed with {packing}" if packing else "without compression"
        assert [said in note for note in notes] == [True] * (packing != named_so), notes


def test_archives(tmp_path):
    """The name of the only file tells what the name of the archive does not."""
    content = CONTENTS["CSV"](tmp_path)
    lines = CONTENTS["svmlight's format"](tmp_path)
    right, _ = read(named(tmp_path, content, ".csv"))
    for inner in ("a.csv", "folder/b.TXT"):
        found, notes = read(named(tmp_path, zipped(content, inner), ".zip"))
        assert (found.data.equals(right.data), notes) == (True, [])
    assert read(named(tmp_path, zipped(lines, "x.svm"), ".zip"))[0].form == "svmlight"
    assert column_names(named(tmp_path, zipped(content, "a.csv"), ".zip")) == NAMES
    for names in (("a.csv", "b.csv"), ("a.txt", "b/c.txt", "d")):
        path = named(tmp_path, zipped(content, *names), ".zip")
        with pytest.raises(TableError, match=rf"is an archive of {len(names)} files.* Unpack it"):
            read_rows(path)
    secret = bytearray(zipped(content, "a.csv"))
    secret[6] |= 1  # the mark of a password, also in the list of the files
    secret[secret.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(TableError, match="password"):
        read_rows(named(tmp_path, bytes(secret), ".csv.zip"))


@pytest.mark.parametrize("orient", ["columns", "index", "split", "table", "values", "records"])
def test_json_as_pandas_writes_it(orient, tmp_path):
    table = pd.DataFrame(ROWS, columns=NAMES)
    for frame in (table, table.set_index(table["id"].rename("key"))):
        frame.to_json(tmp_path / "t.json", orient=orient)
        for reader in (read_rows, FileTable, find_names):
            with pytest.raises(TableError, match=r'holds one JSON .* orient="records", lines=True'):
                reader(tmp_path / "t.json")
    table.to_json(tmp_path / "t.json", orient="records", lines=True)
    assert read_rows(tmp_path / "t.json").data.num_rows == N_ROWS


def find_names(path):
    (file,) = find_files(path)
    return file.format.schema(file)


@pytest.mark.parametrize("form", KNOWN, ids=lambda form: form.title)
def test_an_option_that_a_format_lacks_is_said(form, tmp_path):
    path = named(tmp_path, CONTENTS[form.title](tmp_path), form.endings[0])
    options = {"delimiter": ("csv", {"CSV": ",", "TSV": "\t"}.get(form.title, ";"))}
    options["sheet"] = ("spreadsheet", "one")
    for name, (of, given) in options.items():
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            read_rows(path, **{name: given})
        said = [f"so `{name}=" in str(each.message) for each in notes]
        assert said == [True] * (form.name != of)


@pytest.mark.parametrize("name", ["t.RIS", "t.svm.gz", "t.any", "t.jsonl", "t.tsv", "frame"])
def test_errors_name_what_the_user_gave(name, tmp_path):
    """And not the file in which its rows are held meanwhile."""
    table = pd.DataFrame({"a": range(12), "b": [0, 1] * 6})
    model = fit_table(table, "b", methods=["naive-bayes"])
    path, wrong = tmp_path / name, table.assign(a=["x"] * 12)
    if name == "t.RIS":
        path.write_bytes(CONTENTS["RIS records"](tmp_path))
    elif name == "t.svm.gz":
        path.write_bytes(gzip.compress(CONTENTS["svmlight's format"](tmp_path)))
    elif name == "t.any":
        wrong.to_parquet(path)
    elif name != "frame":
        wrong.to_csv(path, index=False, sep="\t")
    if name == "t.jsonl":
        wrong.to_json(path, orient="records", lines=True)
    with pytest.raises(TableError, match=re.escape(repr("table" if name == "frame" else name))):
        score_table(model, wrong if name == "frame" else path)


def named(folder, content, ending):
    path = folder / f"t{ending}"
    path.write_bytes(content)
    return path


def find_files_quietly(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OnesidedWarning)
        return find_files(path)


@pytest.mark.parametrize(
    "lines",
    [
        ["Steel and concrete beams", "A dose, and a trial", "[1] a title", "@bob (see above)"],
        ["TY for all", "PMID-free words", "{a} set, {b} set", "1 of 3:4 odds"],
        ["type: x", "a - b", "%0 percent", "@ home"],
        ["Ann Lee", "Bob Ray", "Cal Dow"],
    ],
)
def test_lines_of_text_stay_a_table_of_one_column(lines, tmp_path):
    """Also if a few of them look like another format."""
    path = named(tmp_path, "\n".join([*lines, *lines]).encode(), ".txt")
    assert tables.read_table(path).column_names == [lines[0]]


def test_folders(tmp_path):
    """Records in texts are records if all texts are; a table among texts stays a text."""
    for form in ("RIS records", "PubMed records"):
        named(tmp_path, CONTENTS[form](tmp_path), f"{form[:3]}.txt")
    assert has_parts(tmp_path)
    found, notes = read(tmp_path)
    assert (found.form, len(notes)) == ("references", 2)
    (tmp_path / "note.txt").write_text("how they were found")
    assert not has_parts(tmp_path)
    assert read(tmp_path)[0].form == "documents"
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(3):
        named(texts, delimited(","), f"{number}.txt")
    assert read(texts)[0].form == "documents"


def first(n_records, ris):
    return b"\n\n".join(ris.split(b"\n\n")[: n_records + 1]) + b"\n"


def test_files_of_known_rows(tmp_path):
    """A file of positives is read by its content, too."""
    content = CONTENTS["RIS records"](tmp_path)
    table = named(tmp_path, content, ".txt")
    for packing, pack in PACK.items():
        few = named(tmp_path, pack(first(4, content)), ".csv")
        with pytest.warns(OnesidedWarning, match="was read as RIS records"):
            known = read_known_rows(table, positive=few)
        assert np.flatnonzero(known.positive).tolist() == [0, 1, 2, 3], packing


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'[{"a": 1}, {"a": 2}]', "holds one JSON array"),
        (b"PK\x03\x04 no workbook", "cannot be read as a spreadsheet"),
        (b"FEA1 is too old", "cannot be read as feather"),
    ],
)
def test_what_is_recognised_but_not_read(content, problem, tmp_path):
    """Formats that would otherwise be read line by line."""
    for ending in (".txt", ".csv", ".any"):
        with pytest.raises(TableError, match=problem):
            read(named(tmp_path, content, ending))


def test_the_command_says_it(tmp_path):
    content = CONTENTS["RIS records"](tmp_path)
    named(tmp_path, content, ".txt")
    named(tmp_path, gzip.compress(first(6, content)), ".bib")
    asked = ("--positive-table", "t.bib", "--method", "naive-bayes", "--out", "r.csv")
    done = passed("rank", "t.txt", *asked, cwd=tmp_path)
    assert "'t.txt' was read as RIS records, which is what it holds" in done.stderr
    assert "'t.bib' was read as RIS records compressed with gzip, which is" in done.stderr
