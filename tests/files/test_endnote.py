"""EndNote's own formats, and RIS: the same records in every form, in and out."""

from xml.sax.saxutils import escape

import pandas as pd
import pytest
import rispy

from command_line import passed, refused, run
from onesided._files._rows import read_rows
from onesided.exceptions import TableError

RECORDS = [
    {
        "title": f"Zinc & copper in {what}, a study < of {n} people",
        "authors": ["Doe, Jane", "Müller, Ö."],
        "year": str(2000 + n),
        "journal": "Annals of Metals",
        "abstract": f"We asked {n} people about {what}. All of them said yes.",
        "keywords": ["zinc", what],
        "doi": f"10.1000/{n}",
    }
    for n, what in enumerate(["bread", "water", "soil", "rain"], start=1)
]


def enw(record, newline="\n"):
    lines = ["%0 Journal Article", *(f"%A {each}" for each in record["authors"])]
    lines += [f"%T {record['title']}", f"%J {record['journal']}", f"%D {record['year']}"]
    first, _, rest = record["abstract"].partition(" All")
    lines += [f"%X {first}", f"All{rest}"]  # which continues the line before
    lines += [f"%K {each}" for each in record["keywords"]] + [f"%R {record['doi']}", "", ""]
    return newline.join(lines)


def xml(record):
    """As EndNote writes it, with the text of each field in a style."""

    def style(text):
        return f'<style face="normal" font="default">{escape(text)}</style>'

    authors = "".join(f"<author>{style(each)}</author>" for each in record["authors"])
    keywords = "".join(f"<keyword>{style(each)}</keyword>" for each in record["keywords"])
    return (
        '<record><ref-type name="Journal Article">17</ref-type><contributors><authors>'
        f"{authors}</authors></contributors><titles><title>{style(record['title'])}</title>"
        f"</titles><periodical><full-title>{style(record['journal'])}</full-title></periodical>"
        f"<keywords>{keywords}</keywords><dates><year>{style(record['year'])}</year></dates>"
        f"<abstract>{style(record['abstract'])}</abstract>"
        f"<electronic-resource-num>{style(record['doi'])}</electronic-resource-num></record>"
    )


def ris(record):
    lines = ["TY  - JOUR", *(f"AU  - {each}" for each in record["authors"])]
    lines += [f"TI  - {record['title']}", f"T2  - {record['journal']}", f"PY  - {record['year']}"]
    lines += [f"AB  - {record['abstract']}", *(f"KW  - {each}" for each in record["keywords"])]
    return "\n".join([*lines, f"DO  - {record['doi']}", "ER  - ", ""])


def whole_xml(records):
    inside = "".join(map(xml, records))
    return f'<?xml version="1.0" encoding="UTF-8" ?><xml><records>{inside}</records></xml>'


FORMS = {
    "a.enw": "".join(map(enw, RECORDS)),
    "windows.enw": "".join(enw(each, "\r\n") for each in RECORDS),
    "a.xml": whole_xml(RECORDS),
}


@pytest.mark.parametrize("name", [*FORMS])
def test_the_same_records_in_every_form(tmp_path, name):
    (tmp_path / name).write_bytes(FORMS[name].encode())
    (tmp_path / "b.ris").write_text("".join(map(ris, RECORDS)), encoding="utf-8")
    found, expected = (read_rows(tmp_path / each).data for each in (name, "b.ris"))
    for field in ("record", "title", "authors", "year", "journal", "abstract", "keywords", "doi"):
        assert found[field].to_pylist() == expected[field].to_pylist(), field


def test_xml_that_is_cut_or_grows(tmp_path):
    (tmp_path / "a.xml").write_text(FORMS["a.xml"][:-30])
    with pytest.raises(TableError, match="cannot be read as EndNote XML"):
        read_rows(tmp_path / "a.xml")
    grows = '<?xml version="1.0"?><!DOCTYPE xml [<!ENTITY a "aa">]>'
    (tmp_path / "a.xml").write_text(grows + FORMS["a.xml"].partition("?>")[2])
    with pytest.raises(TableError, match="cannot be read as EndNote XML"):
        read_rows(tmp_path / "a.xml")
    (tmp_path / "b.xml").write_text("<svg><g/></svg>")
    refused(run("rank", "b.xml", "--positive", "x", cwd=tmp_path), "'b.xml' is a picture", "CSV")


def test_the_list_is_ris_that_others_read(tmp_path):
    """By rispy, and by ourselves: every record in the order of the ranking, with its fields."""
    many = [
        each | {"doi": f"10.1000/{n}.{round_}", "title": f"{each['title']} {round_}"}
        for round_ in range(12)
        for n, each in enumerate(RECORDS)
    ]
    (tmp_path / "all.ris").write_text("".join(map(ris, many)), encoding="utf-8")
    (tmp_path / "in.enw").write_text("".join(map(enw, many[::4][:8])), encoding="utf-8")
    ask = ["rank", "all.ris", "--positive-table", "in.enw", "--method", "logistic"]
    passed(*ask, cwd=tmp_path)
    passed(*ask, "--out", "first.ris", "--top", "10", "--save-config", "r.json", cwd=tmp_path)
    ranking = pd.read_csv(tmp_path / "all-ranking.csv")[:10]
    with (tmp_path / "first.ris").open(encoding="utf-8") as file:
        found = rispy.load(file)
    assert [each["doi"] for each in found] == ranking.record.tolist()
    by_doi = {each["doi"]: each for each in many}
    for place, each in enumerate(found, start=1):
        given = by_doi[each["doi"]]
        assert each["type_of_reference"] == "JOUR"
        for field, ours in (("authors", "authors"), ("keywords", "keywords"), ("year", "year")):
            assert each[field] == given[ours]
        assert each["abstract"] == given["abstract"]
        assert each["notes"] == [
            f"onesided: rank {place} of 40, score {ranking.score[place - 1]:g}"
        ]
    again = read_rows(tmp_path / "first.ris").data
    assert again["record"].to_pylist() == ranking.record.tolist()
    first = (tmp_path / "first.ris").read_bytes()
    passed("rank", "--config", "r.json", cwd=tmp_path)
    assert (tmp_path / "first.ris").read_bytes() == first
    passed(*ask, "--known-negative-table", "first.ris", cwd=tmp_path)  # and it comes back


def test_other_tables_hold_no_records(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n0,3\n1,4\n0,5\n" * 5)
    ask = ["rank", "t.csv", "--positive", "a", "--out", "o.ris"]
    done = run(*ask, cwd=tmp_path)
    refused(done, "'o.ris' would hold reference records, but 't.csv' holds none", "--out FILE.csv")
    done = run("rank", "t.csv", "--positive-each", "b", "--out", "o.ris", cwd=tmp_path)
    refused(done, "A .ris file holds one ranking", "--out FILE.csv")
    refused(run(*ask, "--out", "t.ris", cwd=tmp_path), "--out is given 2 times", "once")
