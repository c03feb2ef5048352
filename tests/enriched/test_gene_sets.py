"""Gene sets from files, and as sets of the rows of a table."""

import bz2
import gzip
import lzma

import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from onesided import enriched
from onesided.enriched._tested import _sets_sentence
from onesided.exceptions import TableError

PLAIN = "cycle\thttp://a\tYAL1\tYAL2\nstress\t\tYAL3\n"
CYCLE = {"cycle": ["YAL1", "YAL2"], "stress": ["YAL3"]}


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        "\ufeff" + PLAIN,
        "\n" + PLAIN.replace("\n", "\n\n \t\n"),
        PLAIN.replace("\n", "\t\t\n"),
        PLAIN.replace("\tYAL", "\t YAL").replace("cycle", " cycle "),
        PLAIN.replace("YAL1", "YAL1\tYAL1"),
    ],
    ids=["plain", "no end", "CRLF", "CR", "mark", "blank", "tabs at the end", "spaces", "twice"],
)
def test_read(tmp_path, content):
    path = tmp_path / "sets.gmt"
    path.write_bytes(content.encode())
    assert enriched.read_gene_sets(path) == CYCLE


def test_compressed(tmp_path):
    packs = {"a.gmt.gz": gzip.compress, "a.gmt.bz2": bz2.compress, "a.gmt": lzma.compress}
    for name, pack in packs.items():
        (tmp_path / name).write_bytes(pack(PLAIN.encode()))
        assert enriched.read_gene_sets(tmp_path / name) == CYCLE


def test_names_with_spaces_and_members_with_spaces(tmp_path):
    (tmp_path / "a.gmt").write_text("cell cycle, G1\tn/a\tgene one\tß\n", encoding="utf-8")
    assert enriched.read_gene_sets(tmp_path / "a.gmt") == {"cell cycle, G1": ["gene one", "ß"]}


BAD = {
    "empty": (b"", "holds no set", "name, a description"),
    "blank": (b"\n \n", "holds no set", "name, a description"),
    "no tab": (b"a\tx\tg\nb,x,g\n", "Line 2 of 'a.gmt' has no tab: 'b,x,g'", "tabs between"),
    "no tab in CRLF": (b"a\tx\tg\r\nb,x,g\r\n", "Line 2 of 'a.gmt' has no tab", "tabs between"),
    "no name": (b"\tx\tg\n", "Line 1 of 'a.gmt' does not have a name", "tabs between"),
    "no members": (b"\na\tx\n", "Line 2 of 'a.gmt', set 'a', has no members", "two tabs"),
    "blank members": (b"a\tx\t\t \n", "set 'a', has no members", "remove the line"),
    "same name": (
        b"a\tx\tg\nb\tx\tg\na\tx\th\n",
        "Line 3 of 'a.gmt' is a second set named 'a'; the first is on line 1",
        "Give each set its own name",
    ),
    "Latin-1": (
        b"a\tx\tg\nb\tx\t\xe9\n",
        "Line 2 of 'a.gmt' is not UTF-8 text: byte 0xe9",
        "UTF-8",
    ),
    "torn UTF-16": (PLAIN.encode("utf-16")[:-1], "of 'a.gmt' is not UTF-16 text", "as UTF-8"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_gmt(tmp_path, case):
    content, problem, mend = BAD[case]
    path = tmp_path / "a.gmt"
    path.write_bytes(content)
    with pytest.raises(TableError) as caught:
        enriched.read_gene_sets(path)
    assert problem in caught.value.problem
    assert mend in caught.value.mend


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings(encoding, tmp_path):
    path = tmp_path / "a.gmt"
    path.write_bytes("é\tx\tg\nb\tx\tü\n".encode(encoding))
    assert enriched.read_gene_sets(path) == {"é": ["g"], "b": ["ü"]}


def test_no_file(tmp_path):
    with pytest.raises(TableError, match="There is no file"):
        enriched.read_gene_sets(tmp_path / "a.gmt")
    with pytest.raises(TableError, match="is not an ordinary file"):
        enriched.read_gene_sets(tmp_path)
    (tmp_path / "a.gmt.gz").write_bytes(gzip.compress(PLAIN.encode())[:-20])
    with pytest.raises(TableError, match="cannot be read"):
        enriched.read_gene_sets(tmp_path / "a.gmt.gz")


def match(tmp_path, text, ids, **limits):
    path = tmp_path / "sets.gmt"
    path.write_text(text)
    return enriched.match_sets(path, pa.chunked_array([pa.array(ids)]), **{"min_size": 1} | limits)


def test_rows_of_sets(tmp_path):
    found = match(tmp_path, "s\tx\tc\ta\tzz\nt\tx\tb\tb\n", ["a", "b", None, "c", "", "a"])
    assert found.names == ["s", "t"]
    assert_array_equal(found.members.toarray(), [[1, 0, 0, 1, 0, 1], [0, 1, 0, 0, 0, 0]])
    assert found.left_out == {}


@pytest.mark.parametrize(
    "ids",
    [[12, 7, 300], [12.0, 7.0, 300.0], ["12", "7", "300"], ["12.0", " 7", "300"]],
    ids=["whole", "float", "text", "odd text"],
)
def test_numbers_are_compared_as_text(tmp_path, ids):
    found = match(tmp_path, "s\tx\t300\t12.0\nt\tx\t7\t07\n", ids)
    assert_array_equal(found.members.toarray(), [[1, 0, 1], [0, 1, 0]])


def test_genes_that_stand_in_place_of_descriptions_are_counted(tmp_path):
    """In another letter case they cannot be told from descriptions."""
    found = match(tmp_path, "s\ta\tB\tC\nt\tof b\tB\tC\nu\tC\tB\tA\n", list("ABC"))
    assert (found.has_descriptions, found.n_like_rows) == (True, 2)
    said = "descriptions that equal a row of the table, in any letter case: 2, which do not count"
    assert said in _sets_sentence("sets.gmt", "set", found)
    found = match(tmp_path, "s\tof a\tB\tC\n", list("ABC"))
    assert found.n_like_rows == 0
    assert "descriptions" not in _sets_sentence("sets.gmt", "set", found)


def test_identifiers_keep_their_zeros(tmp_path):
    found = match(tmp_path, "s\tabout\t07\t9\n", ["7", "07", "x"])
    assert_array_equal(found.members.toarray(), [[0, 1, 0]])


def test_left_out(tmp_path):
    text = "".join(f"s{n}\tx\t" + "\t".join("abcdef"[:n] or "z") + "\n" for n in range(7))
    found = match(tmp_path, text, list("abcdef"), min_size=2, max_size=4)
    assert found.names == ["s2", "s3", "s4"]
    assert_array_equal(found.members.sum(axis=1), [2, 3, 4])
    assert found.left_out == {
        "without a row of the table": 1,
        "of fewer than 2 rows": 1,
        "of more than 4 rows": 1,
        "of all rows": 1,
    }
    assert match(tmp_path, text, list("abcdef")).names == ["s1", "s2", "s3", "s4", "s5"]


def test_nothing_left(tmp_path):
    with pytest.raises(
        TableError, match=r"must have 3 to 9 of the table's 3 rows.* have 1 to 2 rows of the table"
    ):
        match(tmp_path, "s\tx\ta\nt\tx\ta\tb\n", list("abc"), min_size=3, max_size=9)
    with pytest.raises(TableError, match="Pass larger sets"):
        match(tmp_path, "s\tx\ta\n", list("abc"), min_size=2)
    with pytest.raises(
        TableError, match=r"the table has 'a', 'b', 'c', the sets have 'TP53'\. Name"
    ):
        match(tmp_path, "s\tx\tTP53\n", list("abc"))
    with pytest.raises(TableError, match="differ only in upper and lower case"):
        match(tmp_path, "s\tx\tA\n", list("abc"))


def test_a_file_without_descriptions(tmp_path):
    """The first member is no description, even if few genes of the sets are in the table."""
    genes = [f"g{n}" for n in range(12)]
    lines = [[f"s{n}", *genes[n : n + 3 * n + 1]] for n in range(4)]
    for table in (genes, genes[::3]):
        plain = match(tmp_path, "".join("\t".join(each) + "\n" for each in lines), table)
        described = "".join("\t".join([each[0], "x", *each[1:]]) + "\n" for each in lines)
        found = match(tmp_path, described, table)
        assert found.has_descriptions
        assert not plain.has_descriptions
        assert plain.names == found.names
        assert_array_equal(plain.members.toarray(), found.members.toarray())


def test_a_description_that_is_a_row_by_chance(tmp_path):
    text = "s\tg0\tg1\tg2\nt\ta text\tg0\tg1\nu\t\tg2\tg0\n"
    found = match(tmp_path, text, ["g0", "g1", "g2", "g3"])
    assert found.has_descriptions
    assert_array_equal(found.members.sum(axis=1), [2, 2, 2])
