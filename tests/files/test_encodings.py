"""Files of text that are not UTF-8, and files that are no text."""

import gzip
import io
import re
import warnings
import zipfile

import pandas as pd
import pytest
from numpy.testing import assert_allclose

from onesided import WeightedLogisticRegression, tables
from onesided._blocks import read_features
from onesided._files._batches import count_rows, whole_batches
from onesided._files._find import files_below, find_files
from onesided._files._rows import read_rows
from onesided.exceptions import OnesidedWarning, TableError
from onesided.scoring import Stream, fit_table, score_table

TEXT = "Größe;Süßes\n" + "".join(f"{n};für {n} €\n" for n in range(40))
ENCODINGS = {"cp1252": "Windows-1252", "utf-16": "UTF-16"}


@pytest.fixture(params=ENCODINGS)
def encoding(request):
    return request.param


def noted(encoding, name="t.csv"):
    text = (
        rf"^{name} is not UTF-8 and was read as {ENCODINGS[encoding]}\. If letters look wrong, save"
    )
    return pytest.warns(OnesidedWarning, match=text)


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_tables(encoding, ending, tmp_path):
    path = tmp_path / f"t.{ending}"
    path.write_bytes((gzip.compress if ending.endswith("gz") else bytes)(TEXT.encode(encoding)))
    with noted(encoding, path.name):
        found = tables.read_table(path)
    assert found.column_names == ["Größe", "Süßes"]
    assert found["Süßes"][3].as_py() == "für 3 €"
    with noted(encoding, path.name):
        (file,) = find_files(path)
    assert count_rows(file) == 40
    assert next(whole_batches(file))["Süßes"].to_pylist() == found["Süßes"].to_pylist()


def test_json(encoding, tmp_path):
    text = "".join(f'{{"Größe": {n}, "b": "für"}}\n' for n in range(5))
    (tmp_path / "t.jsonl").write_bytes(text.encode(encoding))
    with noted(encoding, "t.jsonl"):
        found = tables.read_table(tmp_path / "t.jsonl")
    assert found.to_pydict() == {"Größe": [*range(5)], "b": ["für"] * 5}


def test_estimators_read_them_in_passes(encoding, tmp_path, rng):
    rows = rng.normal(size=(24, 2)).round(3).tolist()
    text = "Größe,b,y\n" + "".join(f"{a},{b},{int(n < 8)}\n" for n, (a, b) in enumerate(rows))
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    (tmp_path / "u.csv").write_text(text, encoding="utf-8")
    with noted(encoding):
        found = WeightedLogisticRegression().fit(tmp_path / "t.csv", "y")
    here = WeightedLogisticRegression().fit(tmp_path / "u.csv", "y")
    assert_allclose(found.coef_, here.coef_)


def test_parts_of_several_encodings(tmp_path):
    for name, encoding in {"a": "utf-8", "b": "cp1252", "c": "cp1252"}.items():
        (tmp_path / f"{name}.csv").write_bytes(TEXT.encode(encoding))
    with pytest.warns(OnesidedWarning, match="b.csv and 1 more are not UTF-8"):
        found = tables.read_table(tmp_path)
    assert found["Süßes"].to_pylist() == [f"für {n} €" for n in range(40)] * 3
    with pytest.warns(OnesidedWarning, match="not UTF-8"):
        blocks = list(read_features(tmp_path, numeric=False).blocks())
    cells = [cell for block in blocks for cell in block.X.column("Süßes").to_pylist()]
    assert cells == found["Süßes"].to_pylist()


def test_a_first_letter_far_behind_the_start(tmp_path):
    rows = b"1;plain\n" * 400_000
    (tmp_path / "t.csv").write_bytes(b"a;b\n" + rows + "2;für\n".encode("cp1252"))
    with noted("cp1252"):
        assert tables.read_table(tmp_path / "t.csv")["b"][-1].as_py() == "für"
    (tmp_path / "t.csv").write_bytes(b"a;b\n" + rows + "2;für\n".encode())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tables.read_table(tmp_path / "t.csv")["b"][-1].as_py() == "für"


@pytest.mark.parametrize("before", [0, (1 << 20) - 5])
def test_a_torn_letter(before, tmp_path):
    """UTF-8 with a byte that is none is damaged, not Windows-1252; also where blocks are cut."""
    start = "a;b\n" + "1;ü\n" + "2;x\n" * (before // 4)
    for rest, line in ((b"3;\xff\n", 3 + before // 4), (b"3;\xc3", 3 + before // 4)):
        (tmp_path / "t.csv").write_bytes(start.encode() + rest)
        with pytest.raises(TableError, match=f"Line {line:,} of 't.csv' is not UTF-8.* Correct"):
            tables.read_table(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_bytes((start + "3;ü\n").encode())
    assert tables.read_table(tmp_path / "t.csv")["b"][-1].as_py() == "ü"


def test_torn_utf16(tmp_path):
    (tmp_path / "t.csv").write_bytes(TEXT.encode("utf-16")[:-1])
    with pytest.raises(TableError, match=r"'t.csv' begins as UTF-16 text, but .* is complete"):
        tables.read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["t.csv", "t.txt", "t.jsonl", "t.ris"])
def test_utf32_is_named(encoding, name, tmp_path):
    (tmp_path / name).write_bytes(TEXT.encode(encoding))
    with pytest.raises(TableError, match=rf"'{name}' is text in UTF-32, .* in UTF-8"):
        read_rows(tmp_path / name)


def test_what_is_in_no_known_encoding(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a;b\n1;\xe9\n2;\x81\n")
    with pytest.raises(
        TableError, match=r"Line 3 of 't.csv' is neither .* byte 0x81.* 'CSV UTF-8'"
    ):
        tables.read_table(tmp_path / "t.csv")


ELSEWHERE = {
    "这是一个关于结构工程的文件包含许多数据": ["gb18030", "gbk", "gb2312"],
    "這是一個關於結構工程的文件包含許多資料": ["big5", "cp950"],
    "これは橋の構造に関する文書です。鋼のデータ": ["euc_jp", "shift_jis", "cp932"],
    "이것은 구조 공학에 관한 문서입니다": ["euc_kr", "cp949", "johab"],
    "Этот документ описывает конструкции мостов": [
        "koi8-r",
        "cp1251",
        "iso8859-5",
        "cp866",
        "koi8-u",
    ],
    "Αυτό είναι ένα έγγραφο για γέφυρες": ["cp1253", "iso8859-7"],  # noqa: RUF001 - these letters are meant
    "זהו מסמך על גשרים": ["cp1255", "iso8859-8"],
    "هذه وثيقة عن الجسور": ["cp1256", "iso8859-6"],
    "นี่คือเอกสารเกี่ยวกับสะพาน": ["tis-620", "cp874"],
}
FOREIGN = [(text, codec) for text, codecs in ELSEWHERE.items() for codec in codecs]


@pytest.mark.parametrize(("text", "codec"), FOREIGN, ids=[codec for _, codec in FOREIGN])
def test_other_encodings_are_not_guessed(text, codec, tmp_path):
    """Whichever letters come first: some pairs of bytes are UTF-8 by chance."""
    for place in range(0, len(text), 5):
        words = (text[place:] + text[:place]).encode(codec)
        (tmp_path / "t.csv").write_bytes(b"id,a\n1," + words + b"\n2," + words + b"\n")
        with pytest.raises(TableError, match=r"'t.csv' is neither UTF-8 nor .*iconv -f"):
            tables.read_table(tmp_path / "t.csv")
    record = b"TY  - JOUR\nTI  - %s\nER  - \n" % words
    (tmp_path / "t.ris").write_bytes(record * 2)
    with pytest.raises(TableError, match=r"'t.ris' is neither UTF-8"):
        read_rows(tmp_path / "t.ris")
    model = fit_table(pd.DataFrame({"y": [1, 0] * 9, "a": range(18)}), "y", methods=["naive-bayes"])
    with pytest.raises(TableError, match="Standard input is neither UTF-8"):
        list(Stream(model).score(io.BytesIO(b"a,t\n1," + words + b"\n")))
    (tmp_path / "texts").mkdir()
    for name, content in (("a.txt", words), ("b.txt", b"plain")):
        (tmp_path / "texts" / name).write_bytes(content)
    with pytest.warns(
        OnesidedWarning, match=r"1 of 2 text files is neither UTF-8 .*, 'a.txt' for example"
    ):
        read_rows(tmp_path / "texts")


@pytest.mark.parametrize(
    "text",
    [
        "La créée naïveté, été, déjà 5 €",
        "Größe, Süßes, Öl für Ärzte",
        "hääyöaie",
        "Það er æði, öxi",
    ],
)
def test_letters_of_western_europe_are_read(text, tmp_path):
    content = f'id,a\n1,"{text}"\n2,x\n'
    (tmp_path / "t.csv").write_bytes(content.encode("cp1252"))
    with noted("cp1252"):
        assert tables.read_table(tmp_path / "t.csv")["a"][0].as_py() == text


@pytest.mark.parametrize("name", ["t.xlsx", "t.XLS", "t.ods", "t.csv", "t.jsonl"])
def test_spreadsheets(name, tmp_path):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as file:
        file.writestr("[Content_Types].xml", "<Types/>")
        file.writestr("xl/workbook.xml", "<workbook/>")
    (tmp_path / name).write_bytes(held.getvalue())
    with pytest.raises(TableError, match=r"as a spreadsheet: .* Save the sheet as 'CSV UTF-8' and"):
        tables.read_table(tmp_path / name)


@pytest.mark.parametrize(
    ("start", "what"), [(b"%PDF-1.7\n1 0", "a PDF"), (b"\x89PNG\r\n", "a pict")]
)
def test_other_files(start, what, tmp_path):
    (tmp_path / "t.csv").write_bytes(start)
    with pytest.raises(TableError, match=f"is {what}.*, not a table"):
        tables.read_table(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("id;Name, Ort;Betrag\n1;x;3,5\n2;y;4,5\n", ["id", "Name, Ort", "Betrag"]),
        ("Name, Ort;Betrag\nx;3,5\ny;4,5\n", ["Name, Ort", "Betrag"]),
        ('a,b;c,d\n1,2,3\n"4;5",5,6\n', ["a", "b;c", "d"]),
        ('a;"b,c,d"\n1;"u,v,w"\n', ["a", "b,c,d"]),
        ('a;b\n1;"one, two\nthree, four, five"\n2;x\n', ["a", "b"]),
        ("text\none, two\nthree\n", ["text"]),
        ("a|b\tc\n1|x\t2\n", ["a|b", "c"]),
    ],
)
def test_delimiters(text, names, tmp_path):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    assert tables.read_table(tmp_path / "t.csv", at_least=1).column_names == names


@pytest.mark.parametrize("mark", [*",;|\t~^: /"])
def test_an_error_names_the_delimiter(mark, tmp_path):
    """That of which the wanted column is a part, or else a usual one."""
    (tmp_path / "t.txt").write_text("a-x|known|b\n1|1|2\n3|0|4\n".replace("|", mark))
    with pytest.raises(
        TableError, match=re.escape(f"character separates the cells: `delimiter={mark!r}`")
    ):
        tables.read_problem(tmp_path / "t.txt", "known", delimiter="#")
    right = tables.read_table(tmp_path / "t.txt", delimiter=mark)
    assert right.column_names == ["a-x", "known", "b"]
    model = fit_table(
        pd.DataFrame({"known": [1, 0] * 9, "b": range(18)}), "known", methods=["naive-bayes"]
    )
    with pytest.raises(TableError, match=re.escape(f"`delimiter={mark!r}`")):
        score_table(model, tmp_path / "t.txt", delimiter="#")


def test_files_of_the_system_are_no_documents(tmp_path):
    for name in ("a.txt", "Thumbs.db", "desktop.ini", ".DS_Store"):
        (tmp_path / name).write_bytes(b"\0\0" if name != "a.txt" else b"words")
    assert [path.name for path in files_below(tmp_path)] == ["a.txt"]


@pytest.mark.parametrize("target", ["secret.csv", "more"])
def test_links_out_of_a_folder_are_not_followed(target, tmp_path):
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "more").mkdir()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "one.csv").write_text("a,b\n1,2\n3,4\n")
    (folder / "two.csv").symlink_to(folder / "one.csv")
    assert tables.read_table(folder).num_rows == 4
    (folder / "link.csv").symlink_to(tmp_path / target)
    for read in (files_below, *([find_files] if target == "secret.csv" else [])):
        with pytest.raises(
            TableError, match=r"link.csv' is a link to a place outside .* not followed"
        ):
            read(folder)
