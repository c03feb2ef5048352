"""Small files of each kind for the golden test, the same on each machine."""

import csv
import gzip
import io
import json
import shutil
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
KEPT = HERE / "kept"
_EXAMPLE = HERE.parents[1] / "examples" / "yeast"
_METALS = ("zinc", "copper", "trace", "metal", "supplement")
_KINDS = {
    "grain": ("wheat", "corn", "grain", "harvest", "barley"),
    "ship": ("port", "cargo", "crew", "vessel", "ship"),
}
_SPORT = ("goal", "match", "team", "league", "coach")
_NORMAL_PARTS = 12  # the sum of so many uniform numbers minus six is nearly normal


def _random(seed):
    """A generator whose numbers no version of a library changes."""
    return Random(seed)  # noqa: S311 - nothing here is secret


def _normal(random, mean=0.0):
    return round(mean + sum(random.random() for _ in range(_NORMAL_PARTS)) - 6, 3)


def _pick(random, values):
    return values[int(random.random() * len(values))]


def _words(random, values, n):
    return " ".join(_pick(random, values) for _ in range(n))


def genes(seed, n=120):
    """Rows with numbers, a category, a group, gaps, and labels of a third of the first rows."""
    random = _random(seed)
    rows = []
    for row in range(n):
        positive = row % 5 < 2
        known = positive and row % 10 < 6
        rows.append(
            {
                "gene": f"G{row:03}",
                "size": _normal(random, 1.5 * positive),
                "charge": _normal(random),
                "length": "" if row % 17 == 5 else 100 + int(random.random() * 900),
                "region": _pick(random, ("north", "south", "east")[positive:]),
                "family": f"F{row // 4}",
                "known": int(known),
                "checked": "no" if not positive and row % 10 == 9 else "",
            }
        )
    return rows


def papers(n=200):
    """Rows with a text and a year; of the 80 that are about metals 60 are known."""
    random = _random(11)
    words = [f"word{number}" for number in range(40)]
    rows = []
    for row in range(n):
        about = row % 5 < 2
        text = f"{_words(random, words, 8)} {_words(random, _METALS, 3 if about else row % 2)}"
        rows.append(
            {
                "paper": f"P{row:03}",
                "text": text.strip(),
                "year": 2001 + row % 8,
                "known": int(about and row % 20 not in {0, 1}),
            }
        )
    return rows


def notes(n):
    """Papers whose text is in two columns, the first three words and the others."""
    rows = [(row, row["text"].split()) for row in papers(n)]
    return [row | {"title": " ".join(w[:3]), "text": " ".join(w[3:])} for row, w in rows]


def cases(n=100):
    """Rows as a German spreadsheet writes them, with codes and a label that is one word."""
    random = _random(5)
    rows = []
    for row in range(n):
        positive = row % 3 == 0
        amount = f"{1000 + 4000 * random.random() + 2500 * positive:,.2f}"
        rows.append(
            {
                "Fall": f"{row * 7:05}",
                "Betrag (€)": amount.translate(str.maketrans(",.", ".,")),
                "Anteil": f"{random.random() * 50:.1f} %".replace(".", ","),
                "PLZ": _pick(random, ("01234", "04109", "10115", "80331")),
                "Straße": _pick(random, ("Süd", "Nord", "Köln")),
                "Betrug": "bestätigt" if positive and row % 2 == 0 else "",
            }
        )
    return rows


def species():
    """Records of two species, few of a third, and background."""
    random = _random(6)
    names = ["owl"] * 25 + ["frog"] * 20 + ["newt"] * 3 + [""] * 80
    return [
        {
            "site": f"S{row:03}",
            "species": name,
            "height": _normal(random, 3.0 * (name == "owl")),
            "rain": _normal(random, 3.0 * (name == "frog")),
            "block": int(random.random() * 12),
        }
        for row, name in enumerate(names)
    ]


def as_csv(rows, delimiter=","):
    """Rows as the text of a CSV file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_json_lines(rows):
    """Rows as JSON lines."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def as_svmlight(n=80):
    """Rows of numbered counts; the first features are more frequent in positive rows."""
    random = _random(3)
    lines = []
    for row in range(n):
        positive = row % 4 == 0
        counts = {
            number: 1 + int(random.random() * 3)
            for number in range(1, 31)
            if random.random() < (0.5 if positive and number < 8 else 0.2)
        }
        cells = " ".join(f"{number}:{count}" for number, count in counts.items())
        lines.append(f"{'+1' if positive and row % 8 == 0 else '-1'} {cells}")
    return "\n".join(lines) + "\n"


def _records():
    """Keys, titles and abstracts of 90 records; of each five the first two are about metals."""
    return [
        (row["paper"], f"Study {number} of {row['text'].split()[0]}", row["text"])
        for number, row in enumerate(papers(90))
    ]


def _ris(records):
    return "".join(
        f"TY  - JOUR\nID  - {key}\nTI  - {title}\nAB  - {text}\nPY  - 2019\nER  -\n\n"
        for key, title, text in records
    )


def _bibtex(records):
    return "".join(
        f"@article{{{key}, title = {{{title}}}, abstract = {{{text}}}, year = {{2020}}}}\n"
        for key, title, text in records
    )


def _pubmed(records):
    return "\n".join(
        f"PMID- {31000000 + int(key[1:])}\nTI  - {title}\nAB  - {text}\nDP  - 2019 Nov\n"
        for key, title, text in records
    )


def make_inputs(folder):
    """Write all inputs into an empty folder."""
    _make_tables(folder)
    _make_references(folder)
    _make_documents(folder)
    _make_broken(folder)
    for path in (_EXAMPLE / "genes.csv.gz", *KEPT.glob("*.*")):
        shutil.copy(path, folder)


def _write(path, text, encoding="utf-8"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))


def _make_tables(folder):
    for seed, name in enumerate(("genes", "more")):
        _write(folder / f"{name}.csv", as_csv(genes(seed)))
    rows = genes(0)
    _write(folder / "genes.tsv", as_csv(rows, "\t"))
    numbers = [row | {"length": row["length"] or None} for row in rows]
    _write(folder / "genes.jsonl", as_json_lines(numbers))
    (folder / "more.csv.gz").write_bytes(gzip.compress(as_csv(genes(1)).encode(), mtime=0))
    pq.write_table(pa.Table.from_pylist(numbers), folder / "genes.parquet")
    for number, start in enumerate(range(0, len(rows), 40)):
        _write(folder / "parts" / f"part-{number}.csv", as_csv(rows[start : start + 40]))
    _write(folder / "papers.csv", as_csv(papers()))
    _write(folder / "cases.csv", as_csv(cases(), ";"))
    _write(folder / "cases-windows.csv", as_csv(cases(), ";"), "cp1252")
    _write(folder / "cases-utf16.csv", as_csv(cases(), ";"), "utf-16")
    _write(folder / "cases-sep.csv", f"sep=;\n{as_csv(cases(), ';')}")
    _write(folder / "species.csv", as_csv(species()))
    _write(folder / "vectors.svm", as_svmlight())
    sets = {"first": range(30), "second": range(20, 70), "odd": range(1, 120, 2)}
    sets["positive"] = range(0, 120, 5)
    lines = ["\t".join([name, "", *(f"G{row:03}" for row in of)]) for name, of in sets.items()]
    _write(folder / "sets.gmt", "\n".join(lines))
    kinds = ("positive", "odd")
    _write(folder / "chosen.gmt", "\n".join(each for each in lines if each.startswith(kinds)))


def _make_references(folder):
    records = _records()
    included, excluded = records[0:60:5], records[4:80:5]
    _write(folder / "search.ris", _ris(records))
    _write(folder / "included.ris", _ris(included))
    _write(folder / "excluded.ris", _ris(excluded))
    _write(folder / "search.bib", _bibtex(records))
    _write(folder / "included.bib", _bibtex(included))
    _write(folder / "search.nbib", _pubmed(records))
    _write(folder / "included.nbib", _pubmed(included))
    for key, _, text in records:
        _write(folder / "letters" / f"{key}.txt", text)
    for key, _, text in included:
        _write(folder / "chosen-letters" / f"{key}.txt", text)


def _make_documents(folder):
    """Documents of two known kinds, and new ones of which some are about sport."""
    random = _random(8)
    known = []
    for kind, words in _KINDS.items():
        for number in range(20):
            text = _words(random, words, 12)
            _write(folder / "known" / kind / f"{number:02}.txt", text)
            known.append({"id": f"{kind}{number}", "text": text, "kind": kind})
    of = [*(list(_KINDS.values()) * 8)[:15], *[_SPORT] * 6]
    new = [{"id": f"N{row:02}", "text": _words(random, words, 12)} for row, words in enumerate(of)]
    _write(folder / "known.csv", as_csv(known))
    _write(folder / "new.csv", as_csv(new))
    for row in new:
        _write(folder / "new" / f"{row['id']}.txt", row["text"])


def _make_broken(folder):
    """Files that are refused."""
    _write(folder / "empty.csv", "")
    _write(folder / "header.csv", "gene,size,known\n")
    _write(folder / "ragged.csv", "gene,size,known\na,1,1\nb,2,0,7\nc,3\n")
    _write(folder / "book.xlsx", "PK\x03\x04 and more", "latin-1")
    levels = [row | {"known": ("yes", "no", "maybe")[at % 3]} for at, row in enumerate(genes(0))]
    _write(folder / "levels.csv", as_csv(levels))
    _write(folder / "none.csv", as_csv([row | {"known": 0} for row in genes(0)]))
    _write(folder / "mixed.jsonl", as_json_lines(genes(0)))
    _write(folder / "no-model.onesided", "gene,size\n")
    (folder / "no-papers").mkdir()
