"""Reference records of RIS, PubMed and BibTeX files."""

import pytest

from onesided._files import _extra
from onesided._files._references import lines_of
from onesided._files._rows import read_rows
from onesided.exceptions import DataError, TableError

pytestmark = pytest.mark.filterwarnings("ignore:.* was read as:onesided.exceptions.OnesidedWarning")

RIS = """TY  - JOUR
TI  - Effects of zinc on the heart of mice
AU  - Müller, Ann
AU  - Smith, John
PY  - 2019/11/05/
JO  - Journal of Hearts
DO  - https://doi.org/10.1000/ABC.1
AB  - Zinc was given to mice.
KW  - zinc
KW  - heart
N1  - included
N1  - read twice
SP  - 17
ER  -

TY  - JOUR
T1  - An abstract that is missing
Y1  - 2020
JF  - Annals
ER  -
"""
PUBMED = """PMID- 31000001
OWN - NLM
DP  - 2019 Nov-Dec
TI  - Effects of zinc on the heart
      of mice.
LID - S0000-0000 [pii]
AID - 10.1000/abc.1 [doi]
AB  - BACKGROUND: Zinc was given
      to mice.
FAU - Müller, Ann
AU  - Müller A
JT  - Journal of hearts
MH  - Heart/*drug effects
OT  - zinc

PMID- 31000002
TI  - A record of which the last line
OT  -
DP  - 2020"""
BIBTEX = """@comment{made by hand}
@string{joh = "Journal of Hearts"}
@article{mueller2019,
  title = {Effects of {Zinc} on the heart of mice \\& men},
  author = {M{\\"u}ller, Ann and Smith, John},
  journal = joh, year = 2019,
  doi = {10.1000/ABC_1},
  abstract = "Zinc was given to 50\\% of the mice.",
  keywords = {zinc; heart},
  included = {1}
}
@inproceedings{b, title = {Notes on method in general}, booktitle = {Proceedings}, date = {2020-05}}
@inproceedings{b, title = {Of the same key, yet another}, year = {2021}, year = {2022}}
"""


def write(folder, text, name, encoding="utf-8"):
    (folder / name).write_text(text, encoding=encoding)
    return folder / name


def cells(path, *names):
    data = read_rows(path, at_least=1).data
    return [data.column(name).to_pylist() for name in names]


def test_ris(tmp_path):
    rows = read_rows(write(tmp_path, RIS, "search.ris"))
    first, second = rows.data.to_pylist()
    assert (first["record"], first["doi"]) == ("10.1000/abc.1", "10.1000/abc.1")
    assert first["title"] == "Effects of zinc on the heart of mice"
    assert (first["authors"], first["keywords"]) == ("Müller, Ann; Smith, John", "zinc; heart")
    assert (first["year"], first["journal"]) == (2019, "Journal of Hearts")
    assert (first["notes"], first["start_page"]) == ("included; read twice", "17")
    assert second["record"] == "an abstract that is missing 2020"
    assert second["title"] == "An abstract that is missing"
    assert (second["abstract"], second["year"], second["journal"]) == (None, 2020, "Annals")
    assert rows.identifier == "record"
    assert "title" in rows.text
    assert {"authors", "doi", "start_page"} <= set(rows.aside)


@pytest.mark.parametrize("other", ["  -", " - ", " -"])
def test_blanks_around_the_dash_change_no_cell(tmp_path, other):
    """Nor the lines that a list written as RIS keeps."""
    usual, unusual = (
        read_rows(write(tmp_path, text, "a.ris")).data for text in (RIS, RIS.replace("  - ", other))
    )
    assert unusual.to_pydict() == usual.to_pydict()
    assert lines_of(unusual) == lines_of(usual)


def test_names_of_records_are_the_same_in_every_file(tmp_path):
    """Without a DOI or the like: the title and the year, whatever the case and the marks."""
    records = [record(title="On Zink: Ünd <i>more</i>.", year=2001), record(title="Editorial")]
    records += [record(title=" ".join(["long"] * 40), year=2002), record(abstract="no title")]
    one = write(tmp_path, "".join(records), "one.ris")
    other = write(tmp_path, "".join(records[::-1]).replace("Ünd", "und"), "two.ris")
    first, second = (cells(path, "record")[0] for path in (one, other))
    assert first[:3] == ["on zink und more 2001", "editorial", f"{'long ' * 16}2002"]
    assert first[:3] == second[:0:-1]
    assert (first[3], second[0]) == ("one.ris: 4", "two.ris: 1")


def test_pubmed(tmp_path):
    first, second = read_rows(write(tmp_path, PUBMED, "a.nbib")).data.to_pylist()
    assert (first["record"], first["pmid"]) == ("31000001", "31000001")
    assert first["title"] == "Effects of zinc on the heart of mice."
    assert first["abstract"] == "BACKGROUND: Zinc was given to mice."
    assert (first["doi"], first["year"]) == ("10.1000/abc.1", 2019)
    assert first["keywords"] == "Heart/*drug effects; zinc"
    assert first["authors"] == "Müller, Ann"
    assert (second["title"], second["year"]) == ("A record of which the last line", 2020)


def test_bibtex(tmp_path):
    first, second, third = read_rows(write(tmp_path, BIBTEX, "a.bib")).data.to_pylist()
    assert (first["record"], first["type"]) == ("mueller2019", "article")
    assert first["title"] == "Effects of Zinc on the heart of mice & men"
    assert first["authors"] == "Müller, Ann; Smith, John"
    assert (first["journal"], first["year"]) == ("Journal of Hearts", 2019)
    assert first["abstract"] == "Zinc was given to 50% of the mice."
    assert (first["doi"], first["included"]) == ("10.1000/abc_1", "1")
    assert (second["journal"], second["year"]) == ("Proceedings", 2020)
    assert (third["record"], third["year"]) == ("b (2)", 2021)


def test_bibtex_joins_parts_of_a_value(tmp_path):
    """As BibTeX does: names of strings in any case, braces and quotes that hide the sign."""
    text = """@string{kd = "kidney disease"}
@string(both = KD # " and " # {heart # disease})
@article{a, title = "Study 1 of " # kd, abstract = {Of } # Both # ".", journal = both,
  note = {a # b}, keywords = "x {"} # y" # "; two", year = "20" # 19, month = 10 # "~" # jan,
  series = "Letters, " # unknown}
"""
    (record,) = read_rows(write(tmp_path, text, "a.bib"), at_least=1).data.to_pylist()
    assert record["title"] == "Study 1 of kidney disease"
    assert record["abstract"] == "Of kidney disease and heart # disease."
    assert record["journal"] == "kidney disease and heart # disease"
    assert (record["notes"], record["year"]) == ("a # b", 2019)
    assert record["keywords"] == 'x " # y; two'
    assert (record["month"], record["series"]) == ("10~jan", "Letters, unknown")


def test_no_record_depends_on_the_day(tmp_path):
    text = r"@misc{a, title = {Read on \today{} at \emph{night}, \maketitle{} late}, year = \today}"
    (record,) = read_rows(write(tmp_path, text, "a.bib"), at_least=1).data.to_pylist()
    assert record["title"] == "Read on at night, late"
    assert record["year"] is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encodings_and_ends_of_lines(tmp_path, encoding, line_end):
    (tmp_path / "a.ris").write_bytes(RIS.replace("\n", line_end).encode(encoding))
    authors, titles = cells(tmp_path / "a.ris", "authors", "title")
    assert authors[0] == "Müller, Ann; Smith, John"
    assert len(titles) == 2


def test_names_of_records_without_spaces(tmp_path):
    titles = ["肺がんの早期診断", "研究" * 100, "การรักษา"]
    text = "".join(record(title=each, year=2001) for each in titles)
    names = cells(write(tmp_path, text, "a.ris"), "record")[0]
    assert names == ["肺がんの早期診断 2001", f"{'研究' * 40} 2001", "การรักษา 2001"]


def test_a_line_that_is_not_utf8_spoils_no_other(tmp_path):
    text = (RIS + RIS.replace("10.1000/ABC.1", "10.1000/2")).encode()
    at = text.rindex("ü".encode())
    (tmp_path / "a.ris").write_bytes(text[:at] + "ü".encode("latin-1") + text[at + 2 :])
    assert cells(tmp_path / "a.ris", "authors")[0][::2] == ["Müller, Ann; Smith, John"] * 2


def test_utf16(tmp_path):
    write(tmp_path, RIS, "a.ris", "utf-16")
    assert cells(tmp_path / "a.ris", "authors")[0][0] == "Müller, Ann; Smith, John"


def test_a_folder_of_several_formats_and_what_is_in_a_file_counts(tmp_path):
    folder = tmp_path / "search"
    (folder / "deep").mkdir(parents=True)
    write(folder, RIS, "a.ris")
    write(folder / "deep", PUBMED, "b.nbib")
    write(folder, BIBTEX, "c.ris")  # of another format than its name says
    write(folder, "how they were found", "README.txt")
    rows = read_rows(folder)
    assert rows.n_merged == 1  # the first of RIS and of PubMed have one DOI
    assert sorted(rows.data["record"].to_pylist()) == [
        *("31000001", "31000002", "an abstract that is missing 2020", "b", "b (2)", "mueller2019"),
    ]
    write(folder, "a,b\n1,2\n", "d.csv")
    with pytest.raises(TableError, match="mixes formats: csv, references"):
        read_rows(folder)


def record(**fields):
    tags = {
        "title": "TI",
        "year": "PY",
        "doi": "DO",
        "abstract": "AB",
        "number": "AN",
        "base": "DB",
    }
    lines = [f"{tags[name]}  - {value}" for name, value in fields.items()]
    return "\n".join(["TY  - JOUR", *lines, "ER  -", ""])


ZINC = "Effects of zinc on the heart"


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ({"doi": "10.1000/A"}, {"doi": "https://doi.org/10.1000/a"}, True),
        ({"doi": "10.1000/a"}, {"doi": "10.1000/b"}, False),
        ({"title": ZINC}, {"title": "EFFECTS of <i>zinc</i>, on the héart."}, True),
        ({"title": ZINC, "year": 2019}, {"title": ZINC, "year": 2020}, False),
        ({"title": ZINC, "year": 2019}, {"title": ZINC + "s", "year": 2019}, False),
        ({"title": ZINC, "doi": "10.1000/a"}, {"title": ZINC}, True),
        ({"title": ZINC, "doi": "10.1000/a"}, {"title": ZINC, "doi": "10.1000/b"}, False),
        ({"title": "Editorial", "year": 2019}, {"title": "Editorial", "year": 2019}, False),
        (
            {"number": "12345", "base": "PubMed", "title": "x"},
            {"number": "12345", "base": "Medline", "title": "y"},
            True,
        ),
        ({"number": "12345", "base": "Embase"}, {"number": "12345", "base": "PubMed"}, False),
        ({"title": "关于高血压患者的研究"}, {"title": "关于高血压\n患者的研究。"}, True),
        ({"title": "关于高血压患者的研究"}, {"title": "关于低血压患者的研究"}, False),
        ({"title": "作者回复"}, {"title": "作者回复"}, False),
        ({"title": "肺がんの早期診断"}, {"title": "肺か\u3099んの早期診断"}, True),
        ({"title": "肺がんの早期診断"}, {"title": "肺かんの早期診断"}, False),
        ({"title": "การรักษาโรคความดันโลหิตสูง"}, {"title": "การรักษาโรคความดันโลหิตสูง"}, True),
        ({"title": "การรักษาโรคความดันโลหิตสูง"}, {"title": "การรักษาโรคความดันโลหิตสูง่"}, False),
        ({"title": "บทความ"}, {"title": "บทความ"}, False),
    ],
)  # fmt: skip
def test_what_is_the_same_record(tmp_path, one, other, are_same):
    rows = read_rows(write(tmp_path, record(**one) + record(**other), "a.ris"), at_least=1)
    assert rows.data.num_rows == 2 - are_same
    assert rows.n_merged == are_same


def test_the_record_with_most_fields_stays_at_its_place(tmp_path):
    few, many = {"doi": "10.1000/a"}, {"doi": "10.1000/a", "title": ZINC, "abstract": "Zinc."}
    other = {"doi": "10.1000/b", "title": "Another"}
    text = "".join(record(**each) for each in (few, other, many, few))
    titles, records = cells(write(tmp_path, text, "a.ris"), "title", "record")
    assert titles == ["Another", ZINC]
    assert records == ["10.1000/b", "10.1000/a"]


def test_the_same_by_way_of_another(tmp_path):
    """The first and the last share nothing."""
    chain = [{"doi": "10.1000/a"}, {"doi": "10.1000/a", "title": ZINC}, {"title": ZINC}]
    text = "".join(record(**each) for each in chain)
    assert read_rows(write(tmp_path, text, "a.ris"), at_least=1).data.num_rows == 1


def test_long_lines(tmp_path):
    words = "zinc " * 250_000
    text = RIS.replace("Zinc was given to mice.", words)
    (abstracts,) = cells(write(tmp_path, text, "a.ris"), "abstract")
    assert len(abstracts[0]) == len(words) - 1
    pubmed = PUBMED.replace("to mice.", "\n      ".join(["zinc"] * 100_000))
    (abstracts,) = cells(write(tmp_path, pubmed, "a.nbib"), "abstract")
    assert abstracts[0].count("zinc") == 100_000
    ris = RIS.replace("to mice.", "\n".join(["zinc"] * 100_000))
    (abstracts,) = cells(write(tmp_path, ris, "b.ris"), "abstract")
    assert abstracts[0].count("zinc") == 100_000
    bibtex = BIBTEX.replace("Zinc was given", "{zinc} " * 5000)
    (abstracts,) = cells(write(tmp_path, bibtex, "a.bib"), "abstract")
    assert abstracts[0].count("zinc") == 5000


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is empty"),
        ("just some words\n" * 3, "holds no reference record"),
        ("x" * 1_000_000, "holds no reference record"),
        ("\n" * 1_000_000, "holds no reference record"),
        (
            RIS.replace("ER  -", ""),
            "holds no record that can be read: record 1 (line 1): it does not",
        ),
        ("@string{a = {b}}\n", "holds no entry"),
        (
            "TY  - \0\nER  - ",
            "holds no record that can be read: record 1 (line 1): it holds a zero",
        ),
    ],
)
def test_odd_files(tmp_path, content, problem):
    path = write(tmp_path, content, "odd.ris")
    with pytest.raises(TableError) as caught:
        read_rows(path)
    assert problem in caught.value.problem
    assert "odd.ris" in caught.value.problem


def test_what_reads_them_may_be_missing(tmp_path, monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(_extra, "import_module", missing)
    for text, name in ((RIS, "rispy"), (BIBTEX, "bibtexparser")):
        with pytest.raises(DataError, match=rf"To read 'a\.ris' onesided needs {name}") as caught:
            read_rows(write(tmp_path, text, "a.ris"))
        assert "pip install 'onesided[references]'" in caught.value.mend
