"""Errors in JSON lines name the row, from 1 as in every other file, in whichever block it is."""

import re

import pytest

from onesided._files import _json
from onesided._files._batches import read_batches
from onesided._files._find import find_files
from onesided._files._passes import FileTable
from onesided._files._wanted import ModelColumn
from onesided.exceptions import OnesidedWarning, TableError
from onesided.tables import read_table

BAD = {
    '{"a": "x", "b": {"c": 1}}': "Column 'a' of 't.jsonl' holds text in row {}, where a number is",
    '{"a": 1, "b": {"c": "x"}}': "Column 'b.c' of 't.jsonl' holds text in row {}, where a number",
    '{"a": [1], "b": {"c": 1}}': "Column 'a' of 't.jsonl' holds an array in row {}, where a number",
    '{"a": 1 "b": {"c": 1}}': "as json: Missing a comma or '}}' after an object member in row {}.",
    '{"a": 1, "a": 2}': "as json: Column(/a) was specified twice in row {}.",
}
GOOD = '{"a": 1, "b": {"c": 1}}\n'


def read_as_model(path):
    (file,) = find_files(path)
    return list(read_batches(file, [ModelColumn("a", "number", "double")]))


READERS = {"whole": read_table, "in passes": FileTable, "by a model": read_as_model}


PAIRS = [
    (reader, bad)
    for reader in READERS
    for bad in BAD
    if reader != "by a model" or '"c": "x"' not in bad  # the model does not look at this column
]


@pytest.mark.parametrize(("reader", "bad"), PAIRS)
@pytest.mark.parametrize("n_before", [1, 3, 40])
def test_the_row_is_named(n_before, reader, bad, tmp_path, monkeypatch):
    monkeypatch.setattr(_json, "_BATCH_BYTES", 200)
    path = tmp_path / "t.jsonl"
    path.write_text("\n" + GOOD * n_before + bad + "\n" + GOOD * 9)
    with pytest.raises(TableError, match=re.escape(BAD[bad].format(n_before + 1))):
        READERS[reader](path)


@pytest.mark.parametrize("content", ["null\n{}", "{}\nnull\n{}", "{}null\n{}", "{}\nnullnull{}"])
def test_a_row_that_is_null_is_refused(tmp_path, content):
    """Arrow's reader takes the process down."""
    row = '{"known": 1, "a": "} null"}'
    (tmp_path / "t.jsonl").write_text(content.replace("{}", row), encoding="utf-8")
    with pytest.raises(TableError, match="holds null in place of an object"):
        read_table(tmp_path / "t.jsonl")
    (tmp_path / "t.jsonl").write_text(f"{row}\n{row}\n", encoding="utf-8")
    assert read_table(tmp_path / "t.jsonl").num_rows == 2


OTHER_JSON = {
    '{"id": 1, "known": 1},\n{"id": 2, "known": 0}\n': "with a comma after it",
    '{"columns": ["id"], "index": [0, 1], "data": [[1], ["x"]]}': "one JSON object with all col",
    '{"index": [0, 1], "columns": ["id", "b"], "data": [[1, "x"]]}': "one JSON object with all col",
    '{"index": '
    + str(list(range(30_000)))
    + ', "columns": ["id"]}': "one JSON object with all col",
}


@pytest.mark.parametrize("content", OTHER_JSON, ids=lambda each: each[:30])
@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_other_layouts_of_json_are_named(content, name, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(TableError, match=f"holds .*{OTHER_JSON[content]}"):
        read_table(tmp_path / name)


def test_a_list_in_each_row_is_no_layout(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"index": [1, 2], "known": 1}\n' * 3)
    assert read_table(tmp_path / "t.jsonl").column_names == ["index", "known"]


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_json_in_another_encoding_should_be_json_in_utf8(encoding, tmp_path):
    (tmp_path / "t.jsonl").write_bytes(('{"id": "ü", "known": 1}\n' * 3).encode(encoding))
    with pytest.warns(OnesidedWarning, match="If letters look wrong, save it as JSON in UTF-8"):
        read_table(tmp_path / "t.jsonl")
