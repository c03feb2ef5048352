"""A record that cannot be read is left out and named; the others of its file are read."""

import pytest

from onesided._files._rows import read_rows
from onesided.exceptions import OnesidedWarning

RIS = ["TY  - JOUR\nTI  - The number {}\nAB  - Some\nwords\nER  - \n"] * 3
PUBMED = ["PMID- 10{}\nTI  - The number {}\nAB  - Some\n      words\nSO  - J. 2020\n\n"] * 3
BIBTEX = ["@article{{k{}, title = {{The number {}}}, year = 2020}}\n"] * 3


ENDNOTE = ["%0 Journal Article\n%T The number {}\n%X Some\nwords\n%D 2020\n\n"] * 3
ENDINGS = {"ris": ".ris", "pubmed": ".nbib", "bibtex": ".bib", "endnote": ".enw"}


def written(records):
    """The text of records, in which {} is their number."""
    return [each.format(n, n) for n, each in enumerate(records, start=1)]


def changed(records, old, new):
    """The same text with a change in the second record."""
    first, second, third = written(records)
    assert old in second
    return first + second.replace(old, new) + third


LEFT_OUT = {
    "ris: no end": (changed(RIS, "ER  - \n", ""), "record 2 (line 6): it does not end with"),
    "ris: no start": (changed(RIS, "TY  - JOUR\n", ""), "record 2 (line 6): it does not start"),
    "ris: zero byte": (changed(RIS, "Some", "So\0me"), "record 2 (line 6): it holds a zero byte"),
    "ris: cut off": ("".join(written(RIS))[:-8], "record 3 (line 11): it does not end with"),
    "pubmed: no tag after the start": (
        changed(PUBMED, "TI  -", "stray"),
        "record 2 (102, line 7): a line without a tag follows",
    ),
    "pubmed: continued start": (
        changed(PUBMED, "TI  -", "      and on"),
        "record 2 (102, line 7): a line without a tag follows",
    ),
    "pubmed: no start": (
        changed(PUBMED, "PMID- 102\n", ""),
        "record 2 (line 7): it does not start with a line 'PMID-'",
    ),
    "pubmed: zero byte": (changed(PUBMED, "Some", "\0"), "(102, line 7): it holds a zero byte"),
    "pubmed: cut off": ("".join(written(PUBMED))[:-18], "record 3 (103, line 13): the file ends"),
    "bibtex: no last brace": (
        changed(BIBTEX, "2020}", "2020"),
        "record 2 (k2, line 2): its braces",
    ),
    "bibtex: no brace": (
        changed(BIBTEX, "2}, year", "2, year"),
        "record 2 (k2, line 2): its braces",
    ),
    "bibtex: a brace too many": (
        changed(BIBTEX, "2}, year", "2}}, year"),
        "record 2 (k2, line 2): a brace closes it before its last field",
    ),
    "bibtex: no comma": (changed(BIBTEX, "k2,", "k2"), "record 2 (k2, line 2): its braces"),
    "bibtex: no =": (changed(BIBTEX, "title =", "title"), "record 2 (k2, line 2): its braces"),
    "bibtex: no quote": (changed(BIBTEX, "{The", '"The'), "record 2 (k2, line 2): its braces"),
    "bibtex: zero byte": (changed(BIBTEX, "The", "\0"), "record 2 (k2, line 2): it holds a zero"),
    "endnote: no start": (
        changed(ENDNOTE, "%0 Journal Article\n", ""),
        "record 2 (line 7): it does not start with a line '%0'",
    ),
    "endnote: no first start": (
        "".join(written(ENDNOTE))[len("%0 Journal Article\n") :],
        "record 1 (line 1): it does not start with a line '%0'",
    ),
    "endnote: no start, and an empty line within": (
        changed(ENDNOTE, "%0 Journal Article\n", "").replace("Some\n", "Some\n\n"),
        "record 2 (line 8): it does not start with a line '%0'",
    ),
    "endnote: zero byte": (changed(ENDNOTE, "Some", "So\0me"), "record 2 (line 7): it holds a"),
    "bibtex: cut off": ("".join(written(BIBTEX))[:-3], "record 3 (k3, line 3): its braces"),
}
READ = {
    "ris: an unknown tag": changed(RIS, "AB  -", "ZZ  - of nobody\nAB  -"),
    "ris: tags of the reader": changed(RIS, "AB  -", "UK  - 1\nZZ  - 2\nUK  - 3\nAB  -"),
    "ris: a tag twice": changed(RIS, "AB  -", "TI  - Again\nAB  -"),
    "ris: a line after the start": changed(RIS, "TI  -", "stray\nTI  -"),
    "ris: one space": "".join(written(RIS)).replace("  -", " -"),
    "ris: no space after the dash": "".join(written(RIS)).replace("  - ", "  -"),
    "ris: one space, none after the dash": "".join(written(RIS)).replace("  - ", " -"),
    "ris: a tabulator after the dash": "".join(written(RIS)).replace("  - ", "  -\t"),
    "ris: lines around": "Provider: x\n\n" + changed(RIS, "ER  - \n", "ER  -\n\n2.\n") + "EF  - \n",
    "ris: no space at the end": "".join(written(RIS)).replace("ER  - ", "ER  -"),
    "pubmed: no empty line": "".join(written(PUBMED)).replace("\n\n", "\n"),
    "pubmed: an empty line within": changed(PUBMED, "Some\n", "Some\n\n"),
    "pubmed: an unknown tag": changed(PUBMED, "AB  -", "UK  - 1\nZZZZ- 2\nAB  -"),
    "pubmed: no end": "".join(written(PUBMED)).rstrip("\n"),
    "endnote: as it is": "".join(written(ENDNOTE)),
    "endnote: no empty line": "".join(written(ENDNOTE)).replace("\n\n", "\n"),
    "endnote: an empty line within the abstract": changed(ENDNOTE, "Some\n", "Some\n\n"),
    "endnote: an empty line after the abstract": changed(ENDNOTE, "words\n", "words\n\n\n"),
    "endnote: an empty line before the title": changed(ENDNOTE, "%T", "\n%T"),
    "endnote: lines around": "Exported\n\n" + "".join(written(ENDNOTE)) + "\n3 records\n",
    "bibtex: a link": changed(BIBTEX, "The", r"The\href{http://a/50%}{}"),
    "bibtex: an address": changed(BIBTEX, "year", r"note = {\url{http://a/50%20b_c}}, year"),
    "bibtex: mathematics": changed(BIBTEX, "year", r"note = {$\frac{a}{b}$ $ \(x}, year"),
    "bibtex: commands without arguments": changed(
        BIBTEX, "year", r"note = {\href \textcolor \begin{array}\end{array} \fcolorbox{a}}, year"
    ),
    "bibtex: a key twice": changed(BIBTEX, "k2", "k1"),
    "bibtex: an unknown macro": changed(BIBTEX, "year", 'journal = jmr # " of", month = jan, year'),
    "bibtex: a parent that is not there": changed(BIBTEX, "year", "crossref = {gone}, year"),
    "bibtex: other blocks": "@preamble{{a}}\n@string(a = {b})\n@comment{@article{k9, title={no}}}\n"
    + changed(BIBTEX, "@", "% a remark\n@comment{\n@"),
    "bibtex: commas between": ",\n".join(written(BIBTEX)),
    "bibtex: parentheses": changed(
        BIBTEX, BIBTEX[0].format(2, 2), "@book(k2, title={The number 2})"
    ),
}


def read(tmp_path, case, text):
    path = tmp_path / f"search{ENDINGS[case.partition(':')[0]]}"
    path.write_bytes(text.encode())
    rows = read_rows(path, at_least=1)
    return rows.data.column("title").to_pylist()


@pytest.mark.parametrize("case", LEFT_OUT)
def test_left_out(tmp_path, case):
    text, why = LEFT_OUT[case]
    with pytest.warns(
        OnesidedWarning, match=r"^1 of 3 records of search\.(ris|nbib|bib|enw) cannot be read"
    ) as told:
        titles = read(tmp_path, case, text)
    assert why in str(told[0].message)
    whole = [n for n in (1, 2, 3) if f"record {n}" not in str(told[0].message)]
    assert titles == [f"The number {n}" for n in whole]


@pytest.mark.parametrize("case", READ)
def test_read(tmp_path, case):
    assert read(tmp_path, case, READ[case]) == [f"The number {n}" for n in (1, 2, 3)]
