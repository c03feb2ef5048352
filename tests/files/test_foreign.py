"""Files that hold no table are refused by what they are, whatever their names say."""

import gzip
import io
import pickle
import sqlite3
import tarfile
import wave
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from command_line import refused, run
from onesided._files._foreign import refuse_foreign
from onesided._files._rows import read_rows
from onesided.exceptions import TableError


def zipped(**members):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "/"), text)
    return made.getvalue()


def tarred():
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name in ("a.csv", "b.csv"):
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    return made.getvalue()


def written(write):
    made = io.BytesIO()
    write(made)
    return made.getvalue()


def sound():
    def write(file):
        with wave.open(file, "wb") as out:
            out.setparams((1, 2, 8000, 40, "NONE", "none"))
            out.writeframes(bytes(80))

    return written(write)


def database(folder):
    made = sqlite3.connect(folder / "made.db")
    made.execute("create table t (a)")
    made.commit()
    made.close()
    return (folder / "made.db").read_bytes()


RECORDS = {
    "Web of Science records": "FN Clarivate Analytics Web of Science\nVR 1.0\n"
    + "PT J\nAU Doe, J\n   Roe, R\nTI A title\nER\n\n" * 5
    + "EF",
    "Cochrane records": "\n".join(
        f"Record #{n} of 5\nID: CN-0123456{n}\nAU: Doe J\nAU: Roe R\nTI: A title, and more\n"
        f"SO: A journal\nYR: 2020\nAB: Some words: these.\nUS: https://example.org\n\n"
        for n in range(1, 6)
    ),
    "PubMed records in XML": '<?xml version="1.0"?>\n<!DOCTYPE PubmedArticleSet PUBLIC '
    '"-//NLM//DTD PubMedArticle, 1st January 2024//EN" "pubmed.dtd">\n<PubmedArticleSet>'
    "<PubmedArticle><PMID>1</PMID></PubmedArticle></PubmedArticleSet>",
    "MODS records in XML": '<?xml version="1.0"?><!-- made --><modsCollection xmlns="a">'
    "<mods><title>A</title></mods></modsCollection>",
}

OVID = [
    "<1. >\nVN  - Ovid Technologies\nDB  - Ovid MEDLINE(R)\nUI  - 123\nTI  - A title.\n",
    "<1>\nUnique Identifier\n  123\nTitle\n  A title, and more.\nAuthors\n  Doe J.\n",
    "VN  - Ovid Technologies\nDB  - Embase\nAN  - 123\nTI  - A title, and more.\n",
]
"""With tags and with names of fields; with a mark of each record, and without."""


@pytest.mark.parametrize("text", OVID)
@pytest.mark.parametrize("name", ["a.txt", "a.cgi", "a.ris", "a.ovd", "a"])
def test_records_of_ovid(text, name, tmp_path):
    later = text.replace("<1", "<2")
    (tmp_path / name).write_text(f"{text}\n{later}\n", encoding="utf-8")
    with pytest.raises(TableError, match=f"'{name}' holds Ovid records, .* as RIS"):
        read_rows(tmp_path / name)


@pytest.mark.parametrize("start", ["Record #{} of 2\nProvider: A\nContent: text\n\n", ""])
def test_records_of_ris_after_such_a_start_are_read(start, tmp_path):
    """Cochrane's own export as RIS begins as its plain text does."""
    titles = ["A title", "Another title"]
    record = start + "TY  - JOUR\nID  - {}\nTI  - {}\nDB  - Ovid MEDLINE\nER  - \n\n"
    records = (record.format(*[n] * bool(start), n, each) for n, each in enumerate(titles, 1))
    (tmp_path / "a.ris").write_text("".join(records))
    assert read_rows(tmp_path / "a.ris").data["title"].to_pylist() == titles


@pytest.mark.parametrize("what", RECORDS)
@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.ciw", "a.ris", "a.xml", "a", "folder/a.txt"])
def test_records_in_formats_that_are_not_read(what, start, name, tmp_path):
    """One sentence, which names the format; a folder of such files is no folder of texts."""
    (tmp_path / "folder").mkdir()
    (tmp_path / name).write_text(start + RECORDS[what], encoding="utf-8", newline="\r\n")
    given = name.partition("/")[0]
    (tmp_path / "known.ris").write_text("TY  - JOUR\nTI  - A title\nER  - \n" * 2)
    done = run("rank", given, "--positive-table", "known.ris", cwd=tmp_path)
    said = f"{name.rpartition('/')[2]!r} holds {what}, a format that onesided does not read."
    refused(done, said, "Export the records again as RIS")
    assert "was read as" not in done.stderr


FRAME = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000)
OPEN = "application/vnd.oasis.opendocument."
FOREIGN = {
    "a picture": [
        b"II*\0" + bytes(90),
        b"MM\0*" + bytes(90),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\xff\xd8\xff\xe0\0\x10JFIF\0",
        b"GIF89a\1\0\1\0",
        b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0",
        b"RIFF\x24\0\0\0WEBPVP8 ",
        b"\0\0\0\x18ftypheic\0\0\0\0",
        b'<?xml version="1.0"?>\n<!-- drawn --><svg xmlns="http://www.w3.org/2000/svg"/>',
    ],
    "a PDF": [b"%PDF-1.7\n1 0 obj\n", b"%PDF-1.4\n\0"],
    "a Word document": [
        zipped(**{"[Content_Types].xml": "<x/>", "word__document.xml": "<x/>"}),
        b"{\\rtf1\\ansi a table}",
        OLE + "WordDocument".encode("utf-16-le"),
    ],
    "a PowerPoint presentation": [
        zipped(**{"[Content_Types].xml": "<x/>", "ppt__presentation.xml": "<x/>"}),
        OLE + "PowerPoint Document".encode("utf-16-le"),
    ],
    "a text document": [zipped(mimetype=f"{OPEN}text", **{"content.xml": "<x/>"})],
    "a presentation": [zipped(mimetype=f"{OPEN}presentation", **{"content.xml": "<x/>"})],
    "an e-book": [zipped(mimetype="application/epub+zip", **{"META-INF__container.xml": "<x/>"})],
    "an archive of 2 files": [zipped(**{"a.csv": "a,b\n1,2\n", "b.csv": "a,b\n1,2\n"})],
    "an archive": [
        tarred(),
        gzip.compress(tarred()),
        b"7z\xbc\xaf\x27\x1c\0\4",
        b"Rar!\x1a\x07\1\0",
    ],
    "a recording": [sound(), b"ID3\4\0\0\0\0", b"\0\0\0\x20ftypisom\0\0\2\0"],
    "a file of data of another program": [
        written(lambda file: np.save(file, np.eye(3))),
        written(lambda file: savemat(file, {"x": np.eye(3)})),
        pickle.dumps({"a": np.eye(3)}),
        written(lambda file: FRAME.to_stata(file, version=118)),
    ],
    "a web page": [b"<!DOCTYPE html>\n<html><body><table></table>", b"\n<html>\n"],
    "a program": [b"\x7fELF\2\1\1\0"],
}
CASES = [(what, n) for what, contents in FOREIGN.items() for n in range(len(contents))]


@pytest.mark.parametrize("name", ["x.tif", "x.csv", "x.ris"])
@pytest.mark.parametrize(("what", "n"), CASES)
def test_by_what_it_is(tmp_path, what, n, name):
    content = FOREIGN[what][n]
    (tmp_path / name).write_bytes(content)
    done = run("rank", name, "--positive", "known", cwd=tmp_path)
    mend = "Unpack it" if "archive" in what else "Save the table that it holds as CSV"
    refused(done, f"'{name}' is {what}", mend)
    assert ", not a table." in done.stderr


def test_a_database_and_other_zero_bytes(tmp_path):
    (tmp_path / "d.csv").write_bytes(database(tmp_path))
    refused(
        run("rank", "d.csv", "--positive", "a", cwd=tmp_path),
        "'d.csv' is a database",
        "Save the table",
    )
    (tmp_path / "d.xyz").write_bytes(b"abc\0\1\2")
    done = run("rank", "d.xyz", "--positive", "known", cwd=tmp_path)
    refused(done, "'d.xyz' is neither text nor of a format that onesided reads", "as CSV in UTF-8")
    assert "Rename" not in done.stderr


@pytest.mark.parametrize("option", ["--positive-table", "--verdicts"])
def test_in_the_place_of_another_file(tmp_path, option):
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n3,4\n" * 9)
    (tmp_path / "m.pdf").write_bytes(FOREIGN["a PDF"][0])
    more = ["--positive", "a=1"] if option == "--verdicts" else []
    done = run("rank", "t.csv", *more, option, "m.pdf", cwd=tmp_path)
    refused(done, "'m.pdf' is a PDF, not a table.", "as CSV in UTF-8")


def test_among_documents_and_gene_sets(tmp_path):
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "a.docx").write_bytes(FOREIGN["a Word document"][0])
    (tmp_path / "known" / "b.html").write_text("<html><p>The words of a page are read")
    done = run("unexpected", "--known", "known", "--new", "known", cwd=tmp_path)
    refused(done, "'a.docx' is a Word document", "as CSV in UTF-8")
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n3,4\n" * 9)
    (tmp_path / "s.gmt").write_bytes(FOREIGN["a Word document"][0])
    done = run("enrich", "t.csv", "--positive", "a=1", "--id", "b", "--sets", "s.gmt", cwd=tmp_path)
    refused(done, "'s.gmt' is a Word document", "as CSV in UTF-8")


@pytest.mark.parametrize(
    "text", ["ID3,size\n1,2\n", "MZ,size\n1,2\n", "ORC,GIF87a\n1,2\n", "BM,RIFF\n1,2\n", "II*,x\n"]
)
def test_names_of_columns_are_no_signatures(tmp_path, text):
    for content in (text.encode(), gzip.compress(text.encode()), zipped(**{"a.csv": text})):
        (tmp_path / "t.csv").write_bytes(content)
        refuse_foreign(tmp_path / "t.csv")


def test_workbooks_are_tables(tmp_path):
    FRAME.to_excel(tmp_path / "t.xlsx")
    refuse_foreign(tmp_path / "t.xlsx")
    (tmp_path / "t.xls").write_bytes(OLE + "Workbook".encode("utf-16-le"))
    refuse_foreign(tmp_path / "t.xls")
    (tmp_path / "t.doc").write_bytes(FOREIGN["a Word document"][2])
    with pytest.raises(TableError, match=r"'t\.doc' is a Word document"):
        refuse_foreign(tmp_path / "t.doc")


@pytest.mark.parametrize("name", ["t.gsheet", "t.numbers"])
def test_a_spreadsheet_of_another_program_is_named(name, tmp_path):
    (tmp_path / name).write_text("a link to the sheet")
    done = run("rank", name, "--positive", "known", cwd=tmp_path)
    refused(done, f"{name!r} is a spreadsheet of an unknown kind", "CSV UTF-8")
