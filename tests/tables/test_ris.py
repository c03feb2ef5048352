"""Reference records as RIS: what was read goes back, and what onesided wrote is replaced."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import rispy

from onesided._files._references import REMARKS, lines_of
from onesided._files._rows import as_table, read_rows
from onesided.checking import audit_ranking
from onesided.exceptions import TableError
from onesided.tables import read_problem, write_ris
from onesided.tables._ris import places_in, write_checked_ris

N = 12
SUBJECTS = ("owls that hunt voles at night", "girders that rust under a bridge")
TAGS = [tag for tag in rispy.TAG_KEY_MAPPING if tag not in ("TY", "ER")]
VALUES = {
    "PY": "2019/11/05/",
    "DA": "2001/05/06",
    "DO": "https://doi.org/10.1000/ABC.1",
    "AN": "31000001",
    "DB": "PubMed",
    "UR": "http://a.b/c;jsessionid=1",
}


def record(number, *lines):
    """The lines of a record."""
    subject = SUBJECTS[number >= N // 2]
    return [
        "TY  - JOUR",
        f"ID  - r{number}",
        f"TI  - Study {number} of {subject}",
        f"AB  - Case {number} of the {subject}",
        *lines,
        "ER  - ",
        "",
    ]


def written(folder, name, records):
    (folder / name).write_text("\n".join(line for each in records for line in each), "utf-8")
    return folder / name


def ranked(folder, records, to="r.ris"):
    """Rank the records but the first two, which are known, in the order in which they stand."""
    path = written(folder, f"all-{to}", records)
    problem = read_problem(path, positive_table=written(folder, f"in-{to}", records[:2]))
    names = problem.data["record"].to_pylist()[2:]
    scores = [1 / place for place in range(1, len(names) + 1)]
    listed = pa.table({"record": names, "rank": range(1, len(names) + 1), "score": scores})
    write_ris(problem, listed, folder / to)
    return blocks(folder / to)


def blocks(path):
    """The lines of each record of a file."""
    found = path.read_text("utf-8").split("ER  - \n")
    return [[line for line in each.split("\n") if line] for each in found[:-1]]


def checked(path, verdict="yes", note=""):
    """The records of a file, all of them with a verdict."""
    records = read_rows(path).data
    sheet = {"record": records["record"].to_pylist(), "rank": range(1, len(records) + 1)}
    given = {"verdict": [verdict] * len(records), "note": [note] * len(records)}
    write_checked_ris(records, pa.table({**sheet, **given}), path.with_name("checked.ris"))
    return blocks(path.with_name("checked.ris"))


LINES = {
    "every tag": [f"{tag}  - {VALUES.get(tag, f'the {tag} of it; and more')}" for tag in TAGS],
    "unknown tags": ["ZZ  - one", "N9  - two", "ZZ  - three", "RT  - four", "BT  - five"],
    "repeated": [
        *("AU  - Doe, J", "AU  - Amis, K", "A2  - Ed, I", "KW  - zinc; heart", "KW  - zinc"),
        *("UR  - http://z.y/1", "UR  - http://a.b/2", "N1  - good; read", "N1  - good; read"),
        *("M1  - 1", "M1  - 2", "SN  - 1234-5678", "SN  - 8765-4321", "AB  - a second abstract"),
    ],
    "several lines": ["N1  - first", "second", "third; fourth", "AB  - Aims:", "Methods: none."],
    "other tags": ["T1  - Owls", "A1  - Doe, J", "Y1  - 2001/05//", "JO  - J Owls", "N2  - owls"],
}


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_all_lines_of_ris_go_back(tmp_path, lines):
    records = [record(number) for number in range(N)]
    where = TAGS.index("ID") if lines is LINES["every tag"] else None
    given = lines if where is None else [*lines[:where], *lines[where + 1 :]]
    records[5] = record(5, *given)
    for found in (ranked(tmp_path, records)[3], checked(tmp_path / "r.ris")[3]):
        own = [line for line in found if "onesided: " not in line]
        assert own == [line for line in records[5][:-2] if line]
        assert len(found) > len(own)


def test_all_lines_of_a_record_without_a_name_go_back(tmp_path):
    """Where a record has no identifier it gets one, which names it in the written file too."""
    records = [[line for line in record(number) if line[:2] != "ID"] for number in range(N)]
    found = ranked(tmp_path, records)
    names = read_rows(tmp_path / "all-r.ris").data["record"].to_pylist()[2:]
    assert [each[1] for each in found] == [f"ID  - {name}" for name in names]
    assert [[each[0], *each[2:-1]] for each in found] == [each[:-2] for each in records[2:]]
    assert read_rows(tmp_path / "r.ris").data["record"].to_pylist() == names


def test_records_that_share_a_name_keep_theirs(tmp_path):
    records = [record(number) for number in range(N)]
    for each in records[4:6]:
        each[1] = "ID  - same"
    found = ranked(tmp_path, [*records[:2], *records[5:], *records[2:5]])
    names = [name for each in found for name in each if name.startswith("ID") and "same" in name]
    assert names == ["ID  - same", "ID  - same (2)"]
    swapped = [each for each in found[::-1] if "same" in each[1]]
    again = read_rows(written(tmp_path, "s.ris", [[*each, "ER  - ", ""] for each in swapped]))
    assert again.data["record"].to_pylist() == ["same (2)", "same"]


BIBTEX = """@incollection{{k{n}, title = {{Study {n} of {subject}}}, date = {{2020-05-0{n}}},
  abstract = {{Case {n} of the {subject}}}, editor = {{Ed, I and Ed, J}}, publisher = {{Pub}},
  address = {{Oslo}}, edition = {{2nd}}, series = {{Owls}}, chapter = {{7}}, isbn = {{123}},
  language = {{eng}}, note = {{a}}, annote = {{b}}}}
"""
ENDNOTE = """%0 Journal Article
%F k{n}
%T Study {n} of {subject}
%X Case {n} of the {subject}
%D 2020
%8 May {n}
%I Pub
%@ 1234-5678
%G eng
%M 77
%~ Scopus
%P 101-109

"""


@pytest.mark.parametrize(
    ("name", "form", "lines"),
    [
        (
            "a.bib",
            BIBTEX,
            [
                *("PY  - 2020", "DA  - 2020-05-04", "A2  - Ed, I", "A2  - Ed, J", "PB  - Pub"),
                *("CY  - Oslo", "ET  - 2nd", "T3  - Owls", "SE  - 7", "SN  - 123", "LA  - eng"),
                *("N1  - a", "N1  - b"),
            ],
        ),
        (
            "a.enw",
            ENDNOTE,
            [
                *("PY  - 2020", "DA  - May 4", "PB  - Pub", "SN  - 1234-5678", "LA  - eng"),
                *("AN  - 77", "DB  - Scopus", "SP  - 101-109"),
            ],
        ),
    ],
)
def test_fields_of_other_formats_that_ris_has_go_out(tmp_path, name, form, lines):
    texts = [form.format(n=n, subject=SUBJECTS[n >= 4]) for n in range(8)]
    (tmp_path / name).write_text("".join(texts))
    (tmp_path / f"in-{name}").write_text("".join(texts[:2]))
    problem = read_problem(tmp_path / name, positive_table=tmp_path / f"in-{name}")
    write_ris(
        problem, pa.table({"record": ["k4"], "rank": [1], "score": [1.0]}), tmp_path / "o.ris"
    )
    (found,) = blocks(tmp_path / "o.ris")
    assert not {*lines} - {*found}


def test_a_list_of_a_list_has_one_rank_for_each_record(tmp_path):
    first = ranked(tmp_path, [record(number) for number in range(N)], "r1.ris")
    marked = [[*each, "ER  - ", ""] for each in first]
    second = ranked(tmp_path, marked[::-1], "r2.ris")
    assert [line for each in second for line in each if "onesided" in line] == [
        f"N1  - onesided: rank {place} of {N - 4}, score {1 / place:g}" for place in range(1, N - 3)
    ]
    assert places_in(read_rows(tmp_path / "r2.ris").data) == [
        (place, N - 4, float(f"{1 / place:g}")) for place in range(1, N - 3)
    ]
    assert audit_ranking(tmp_path / "r2.ris").draw(4) == 4


def test_a_record_says_which_columns_mark_it_and_a_later_list_replaces_this(tmp_path):
    texts = [record(number) for number in range(N)]
    path, included = written(tmp_path, "all.ris", texts), written(tmp_path, "in.ris", texts[:4])
    problem = read_problem(path, positive_table=included)
    names = problem.data["record"].to_pylist()[4:7]
    listed = pa.table({"record": names, "rank": [1, 2, 3], "score": [0.9, 0.5, 0.1]})
    marks = {"in_shortlist": [True, True, False], "in_positive_list": [True, False, False]}
    write_ris(
        problem,
        listed.append_column("in_shortlist", [marks["in_shortlist"]]).append_column(
            "in_positive_list", [marks["in_positive_list"]]
        ),
        tmp_path / "o.ris",
    )
    notes = [line for each in blocks(tmp_path / "o.ris") for line in each if "onesided" in line]
    assert notes == [
        "N1  - onesided: rank 1 of 3, score 0.9, marked in_shortlist, marked in_positive_list",
        "N1  - onesided: rank 2 of 3, score 0.5, marked in_shortlist",
        "N1  - onesided: rank 3 of 3, score 0.1",
    ]
    assert places_in(read_rows(tmp_path / "o.ris").data) == [(1, 3, 0.9), (2, 3, 0.5), (3, 3, 0.1)]
    marked = [[*each, "ER  - ", ""] for each in blocks(tmp_path / "o.ris")]
    others = [record(number) for number in range(N) if number not in (4, 5, 6)]
    later = ranked(tmp_path, [*others, *marked])
    notes = [line for each in later for line in each if "onesided" in line]
    assert len(notes) == len(later)
    assert not any("marked" in each for each in notes)


def test_the_last_rank_counts(tmp_path):
    """Files that were written before have several."""
    notes = [
        "N1  - onesided: rank {} of 1,600, score {}".format(*each) for each in ((9, 1), (1, 2))
    ]
    marked = [record(0, *notes), record(1, notes[0], notes[1].replace("rank 1", "rank 1,012"))]
    places = [(1, 1600, 2), (1012, 1600, 2)]
    assert places_in(read_rows(written(tmp_path, "r.ris", marked)).data) == places
    with pytest.raises(TableError, match="has no identifiers beside a column 'rank'"):
        audit_ranking(written(tmp_path, "s.ris", [*marked, record(2)]))


def test_later_verdicts_replace_earlier_ones_and_ranks(tmp_path):
    ranked(tmp_path, [record(number, "N1  - mine", "KW  - owl") for number in range(N)])
    checked(tmp_path / "r.ris", "no", "first\nER  - \nnote")
    twice = checked(tmp_path / "checked.ris", "?", "unclear")
    for place, each in enumerate(twice, start=1):
        assert each[4:] == [
            *("N1  - mine", "KW  - owl", "KW  - onesided: cannot tell"),
            f"N1  - onesided: cannot tell, rank {place}; unclear",
        ]


def test_a_ranking_keeps_verdicts(tmp_path):
    lines = ("KW  - onesided: excluded", "N1  - onesided: excluded, rank 3; far off")
    for each in ranked(tmp_path, [record(number, *lines) for number in range(N)]):
        assert each[4:-1] == [*lines]


def test_text_that_a_program_joined_with_a_remark_stays(tmp_path):
    note = "N1  - <p>onesided: rank 4 of 9, score -1e-05</p> mine"
    keys = "KW  - owl; onesided: included, night"
    found = ranked(tmp_path, [record(number, note, "its end", keys) for number in range(N)])
    assert found[0][4:-1] == ["N1  - <p></p> mine", "its end", keys]
    assert checked(tmp_path / "r.ris")[0][4:-2] == [
        *("N1  - <p></p> mine", "its end", "KW  - owl, night"),
    ]


SAID = {
    "included": ["KW  - onesided: included", "N1  - onesided: included, rank 1,234; my note"],
    "excluded": ["KW  - Onesided: Excluded", "N1  - onesided: excluded, rank 2"],
    "cannot tell": ["KW  - onesided: cannot tell"],
    "rank": ["N1  - onesided: rank 1,234 of 2,345, score -1.5e-05"],
}
AS_BIBTEX = (
    "@article{{k{n}, title = {{Study {n} of owls}}, keywords = {{{kw}}}, note = {{{n1}}}}}\n"
)
AS_PUBMED = "PMID- {n}\nTI  - Study {n} of owls\nOT  - {kw}\nGN  - {n1}\n\n"
AS_ENDNOTE = "%0 Journal Article\n%F k{n}\n%T Study {n} of owls\n%K {kw}\n%Z {n1}\n\n"
AS_RIS = "TY  - JOUR\nID  - k{n}\nTI  - Study {n} of owls\nKW  - {kw}\nN1  - {n1}\nER  - \n\n"


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.ris", AS_RIS), ("a.bib", AS_BIBTEX), ("a.nbib", AS_PUBMED), ("a.enw", AS_ENDNOTE)],
    ids=["ris", "bib", "nbib", "enw"],
)
@pytest.mark.parametrize("lines", SAID.values(), ids=SAID)
def test_no_reader_takes_remarks_for_what_others_wrote(tmp_path, name, form, lines):
    """The features and all other columns are those of the records without remarks."""
    said = dict(line.split("  - ") for line in lines)

    def tables(of, before):
        own = said if of == "marked" else {}
        if before:  # a note that follows other text may be of a person, and stays
            own = {tag: text.removesuffix("; my note") for tag, text in own.items()}
        cells = {tag.lower(): "; ".join(filter(None, (before, own.get(tag)))) for tag in TAGS}
        path = tmp_path / f"{of}-{name}"
        path.write_text("".join(form.format(n=n, **cells) for n in range(1, 5)))
        (tmp_path / of).mkdir(exist_ok=True)
        return read_rows(path).data, pq.read_table(as_table(path, tmp_path / of)[0])

    for before in ("", "owl"):
        for marked, plain in zip(tables("marked", before), tables("plain", before), strict=True):
            assert plain.column_names == [each for each in marked.column_names if each != REMARKS]
            assert plain.to_pydict() == marked.drop_columns([REMARKS]).to_pydict()
            assert marked[REMARKS].null_count == 0


def test_remarks_can_name_labels_but_are_no_feature(tmp_path):
    records = [
        record(n, f"KW  - onesided: {'included' if n < 4 else 'excluded'}") for n in range(N)
    ]
    problem = read_problem(written(tmp_path, "a.ris", records), "onesided=included")
    assert problem.positive.sum() == 4
    other = read_problem(tmp_path / "a.ris", positive_table=written(tmp_path, "b.ris", records[:2]))
    assert "onesided" not in other.summary.used
    assert any("it holds what onesided wrote" in each for each in other.summary.dropped_sentences)


def test_a_table_in_blocks_holds_no_copy_of_the_lines(tmp_path):
    path = written(tmp_path, "a.ris", [record(number) for number in range(N)])
    (tmp_path / "b").mkdir()
    assert len(lines_of(read_rows(path).data)) == N
    assert not lines_of(pq.read_table(as_table(path, tmp_path / "b")[0]))
