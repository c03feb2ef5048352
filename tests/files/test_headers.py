"""Names of columns as other programs write them: R's row names, and letters with accents apart."""

import io
import json
import unicodedata

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import typer
from numpy.testing import assert_array_equal

from command_line import passed
from onesided import PositiveMultinomialNB, PositiveNaiveBayes, rank_table, tables
from onesided._files._find import find_files
from onesided._files._passes import FileTable
from onesided.cli.__main__ import app
from onesided.enriched import enrich_table
from onesided.exceptions import OnesidedWarning, TableError
from onesided.formats import column_names
from onesided.preprocessing import HashedText
from onesided.scoring import Stream, fit_table, score_table
from onesided.unexpected import find_unexpected

N_ROWS = 40
FORMS = ("NFC", "NFD")
NAMES = ("bébé", "größe", "señal", "ärger")  # labels, a number, a category, text
ASKED = {"methods": ["naive-bayes"]}


def r_table(mark, n_rows=6, quote='"', end=""):
    """What R's write.table writes, without a name for the names of the rows."""
    quoted = [f"{quote}{name}{quote}" for name in ("id", "size", "kind")]
    lines = [mark.join(quoted)]
    lines += [
        mark.join([f"{quote}row {n}{quote}", f"{quote}g{n}{quote}", f"{n / 4}", f"{quote}x{quote}"])
        for n in range(n_rows)
    ]
    return "".join(f"{line}{end}\n" for line in lines)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|", " "])
def test_row_names_of_r(mark, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(r_table(mark))
    names = ["row_names", "id", "size", "kind"]
    with pytest.warns(OnesidedWarning, match="'t.csv' has one cell fewer than the rows, as R wr"):
        found = tables.read_table(path)
    assert found.column_names == column_names(path) == names
    assert found["row_names"].to_pylist() == [f"row {n}" for n in range(6)]
    assert found["size"].to_pylist() == [n / 4 for n in range(6)]
    with pytest.warns(OnesidedWarning, match="as R writes it"):
        data = FileTable(path)
    assert pa.Table.from_batches(list(data.to_batches(names))).to_pydict() == found.to_pydict()
    path.write_text("sep=" + mark + "\n" + r_table(mark, quote=""))
    if mark != " ":
        with pytest.warns(OnesidedWarning, match="as R writes it"):
            assert tables.read_table(path)["id"].to_pylist() == [f"g{n}" for n in range(6)]


def test_row_names_are_not_learned_from_but_may_name_rows(tmp_path):
    """Numbers of rows that were drawn would give the labels away."""
    numbers = np.random.default_rng(0).permutation(1000)[:N_ROWS]
    lines = [f"{n},{n % 7},{int(n < 300)}\n" for n in numbers]
    (tmp_path / "t.csv").write_text("size,known\n" + "".join(lines))
    done = passed(
        *("rank", "t.csv", "--positive", "known", "--id", "row_names", "--method", "naive-bayes"),
        *("--out", "r.csv"),
        cwd=tmp_path,
    )
    assert "columns: 1 of numbers" in done.stderr
    assert "the first cell of each row was read as its name, column 'row_names'" in done.stderr
    with pytest.warns(OnesidedWarning, match="as R writes it"):
        (file,) = find_files(tmp_path / "t.csv")
    assert file.names == ("row_names", "size", "known")
    model = fit_table(tmp_path / "t.csv", "known", **ASKED)
    assert [column.name for column in model.features] == ["size"]
    scored = score_table(model, tmp_path / "t.csv", identifier="row_names").to_frame("pandas")
    assert scored["row_names"].astype(int).tolist() == numbers.tolist()


@pytest.mark.parametrize(
    "text",
    [
        r_table(",", end=","),  # each row ends in the delimiter
        "a,b\n1,2,3\n1,5,6\n",  # the first cells do not name the rows
        "a,b\nx,1,2\ny,1\n",
        "a,b\n,1,2\n,3,4\n",
    ],
)
def test_other_rows_that_are_too_long_are_refused(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(TableError, match=r"cannot be read as csv: .*Expected [234]"):
        tables.read_table(tmp_path / "t.csv")


TABLE = "id,size,kind,known\n" + "".join(f"g{n},{n / 4},x,{n % 2}\n" for n in range(6))
TEXTS = "id,title,kind,of\n" + "".join(f"g{n},on zinc,x,y\n" for n in range(6))


@pytest.mark.parametrize(
    ("above", "table"),
    [
        ("# made by R\n", TABLE),
        ("# made by R\n", TEXTS),
        ("My data\n", TABLE),
        ("My data\n", TEXTS),
        ("My data\n\nMade in May\n", TEXTS.replace(",", ";")),
        ("Export\n", "id|title\n" + "a| on zinc\nb| on iron\n" * 2),
        ("My data, 2024\n", TABLE),
        ("My data, 2024\n", TEXTS),
        ("My data\n\nof 2024, all\n", TABLE),
        ("##source=a\n##date=2024,5\n", TABLE.replace(",", "\t").replace("id", "#id")),
        ("\nExport; of all\n" * 9, TABLE.replace(",", ";")),
        ("@relation genes\n@attribute size numeric\n@data\n", TABLE),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@pytest.mark.filterwarnings("ignore::onesided.exceptions.OnesidedWarning")
def test_lines_above_the_header_are_named(above, table, ending, tmp_path):
    path = tmp_path / f"t{ending}"
    path.write_text(above + (table.replace(",", "\t") if ending == ".tsv" else table))
    first = next(line for line in above.split("\n") if line)
    n_above = len(above.lstrip("\n").split("\n")) - 1
    with pytest.raises(TableError) as caught:
        tables.read_table(path)
    assert f"of 't{ending}' does not look like the header: it is {first!r}" in caught.value.problem
    header = above.count("\n") + 1
    assert f"each line from line {header} on has" in caught.value.problem
    assert (
        caught.value.mend
        == f"Remove the {f'{n_above} lines' if n_above > 1 else 'line'} above the header."
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize(
    ("above", "table", "n_above"),
    [
        ("Export of May,,,\n", TABLE, 1),
        ("\nExport of May,,,\n2024-05-01,,,\n\n", TEXTS, 3),
        ('"Export, and more",,,\n', TEXTS, 1),
        ("Export,\n", "id,size\na,1\nb,2\n", 1),
        ("Export,,\n", "id,size,\na,1,\nb,2,\n", 1),
    ],
)
def test_padded_lines_above_the_header_are_left_out(above, table, n_above, mark, end, tmp_path):
    """As spreadsheet programs write a title: with the delimiters of the empty cells beside it."""
    if mark == ";" and '"' in above:
        above = above.replace(", and", "; and")
    text = above.replace(",", mark) + table.replace(",", mark)
    path = tmp_path / "t.csv"
    path.write_text(text.replace("\n", end), newline="")
    plain = tmp_path / "plain.csv"
    plain.write_text(table)
    with pytest.warns(OnesidedWarning, match=f"lines above the header, left out: {n_above} "):
        found = tables.read_table(path)
    assert found.equals(tables.read_table(plain))


@pytest.mark.parametrize(
    "text",
    [
        "a,\nx,y\nz,w\n",  # a column without a name
        ",a,b\nx,1,2\ny,3,4\n",  # row names
        "a,,\n1,2,3\n4,5,6\n",
        "a,,\nx,,\ny,,\n",
        "a,,\nx,x,y\nz,z,z\n",  # no names, since two are equal
    ],
)
def test_a_header_of_one_name_is_a_header(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    assert tables.read_table(tmp_path / "t.csv", at_least=1).num_rows == 2


@pytest.mark.parametrize(
    "text",
    [
        "name\nDoe, Jane\nRoe, Richard\nPoe, Edgar\n",  # one column
        "name\nDoe, Jane\nRoe,Richard\nPoe,Edgar\nFoe,Ann\n",
        "name\n1, 2\n3, 4\n5, 6\n",
        "genes\na,b\nc,d\ne\nf,g\n",  # not always as many
        "genes\na,b\nc,d\n",  # too few to tell
        "#id,size\na,1\nb,2\nc,3\n",
        "text\nof two words\nthe other words\nno more words\n",
    ],
)
def test_other_headers_are_headers(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    first, *rows = text.splitlines()
    found = tables.read_table(tmp_path / "t.csv")
    assert found.column_names == first.split(",")
    assert found.num_rows == len(rows)


def frame(form):
    labels, number, category, text = (unicodedata.normalize(form, name) for name in NAMES)
    n = np.arange(N_ROWS)
    return pd.DataFrame(
        {
            labels: (n < 12).astype(int),
            number: n % 9 / 4 + (n < 12),
            category: n % 3,
            text: [f"words on {'steel' if k < 12 else 'trial'} number {k % 5}" for k in n],
            unicodedata.normalize(form, "ïd"): [f"{k:03}" for k in n],
        }
    )


@pytest.mark.parametrize(("written", "asked"), [FORMS, FORMS[::-1]])
def test_accents_may_stand_apart(written, asked, tmp_path):
    """In the file, in the arguments or in both, for each argument that names a column."""
    labels, number, category, text, name = (
        unicodedata.normalize(asked, each) for each in (*NAMES, "ïd")
    )
    table = frame(written)
    table.to_csv(tmp_path / "t.csv", index=False)
    of = {"categorical": [category], "text": [text], "identifier": name}
    for door in (tmp_path / "t.csv", table):
        found = rank_table(door, labels, drop=[number], **of, **ASKED)
        assert found.problem.summary.used == ["señal", "ärger"]
        assert found.table["ïd"].to_pylist()[0].startswith("0")
        model = fit_table(door, f"{labels}=1", group=category, identifier=name, **ASKED)
        assert score_table(model, door, identifier=name, positive=labels).n_rows == N_ROWS
        assert enrich_table(door, labels, drop=[number], **of, n_resamples=9).table.num_rows
        find_unexpected(door, door, kind=category, text=[text], identifier=name)
        estimator = PositiveNaiveBayes(0.3).fit(door, labels)
        assert estimator.n_features_in_ == 4
    sampled = fit_table(tmp_path / "t.csv", labels, unlabeled=20, identifier=name, **ASKED)
    assert sampled.n_learned == 32


_FEW = ("--method", "naive-bayes", "--seed", "1")
_KNOWN = ("--positive", "bébé", "--id", "ïd")
_READ = ("--drop", "órt", "--number", "größe", "--categorical", "señal", "--text", "ärger")
_PLACES = ("--space", "länge,bréite")
COMMANDS = {
    "rank": (
        (*_KNOWN, *_READ, *_FEW, *_PLACES, "--show", "órt", "--known-negative", "nég"),
        (*_KNOWN, *_FEW, "--match", "größe", "--resamples", "19"),
        (*_KNOWN, *_READ, *_FEW, "--time", "zéit"),
        ("--positive-each", "órt", "--id", "ïd", *_FEW, "--group", "señal"),
    ),
    "fit": (
        (*_KNOWN, *_READ, *_FEW, *_PLACES),
        (*_KNOWN, *_FEW, "--group", "señal"),
        (*_KNOWN, *_FEW, "--time", "zéit"),
    ),
    "score": (_KNOWN,),
    "compare": (
        (*_KNOWN, *_READ, *_FEW, *_PLACES),
        (*_KNOWN, *_FEW, "--group", "señal"),
        (*_KNOWN, *_FEW, "--time", "zéit"),
    ),
    "prior": (
        (*_KNOWN, *_READ, *_PLACES, "--scenario", "case-control"),
        (*_KNOWN, "--group", "größe", "--scenario", "case-control"),
    ),
    "enrich": ((*_KNOWN, *_READ, "--match", "zéit", "--resamples", "19"),),
    "unexpected": (("--kind", "señal", "--id", "ïd", "--text", "ärger"),),
    "audit": (("--by", "órt", "--verdict-column", "vérdict"),),
}
"""Options that name columns, by verb."""


def test_each_option_that_names_columns_is_tried():
    for verb, command in typer.main.get_command(app).commands.items():
        named = {
            max(each.opts, key=len)
            for each in command.params
            if str(each.metavar).startswith(("COLUMN", "X,Y"))
        }
        assert named <= {name for each in COMMANDS.get(verb, ()) for name in each}, verb


@pytest.mark.parametrize("verb", COMMANDS)
def test_the_command_takes_accents_apart(verb, tmp_path):
    """Each spelling of the file and of the options gives the same output."""
    found = {}
    for written, asked in (("NFC", "NFC"), FORMS, FORMS[::-1]):
        folder = tmp_path / (written + asked)
        folder.mkdir()
        write_inputs(folder, written, verb)
        for number, options in enumerate(COMMANDS[verb]):
            arguments = [unicodedata.normalize(asked, each) for each in (*_begin(verb), *options)]
            done = passed(*arguments, cwd=folder)
            files = sorted(folder.glob("out*"))
            said = [each.read_text() for each in files] or [done.stdout]
            found.setdefault(number, []).append(said)
    for usual, *others in found.values():
        assert others == [usual, usual]


def _begin(verb):
    return {
        "score": ("score", "m.onesided", "t.csv", "--out", "out.csv"),
        "unexpected": ("unexpected", "--known", "t.csv", "--new", "new.csv", "--out", "out.csv"),
        "audit": ("audit", "r.csv", "--table", "t.csv", "--verdicts", "check.csv"),
        "fit": ("fit", "t.csv", "--out", "m.onesided"),
    }.get(verb, (verb, "t.csv", "--out", "out.csv"))


def write_inputs(folder, form, verb):
    """What a verb reads, with names in this form."""
    n = np.arange(N_ROWS)
    table = frame("NFC")
    table["órt"] = np.where(n % 2, "north", "south")
    table["nég"] = np.where(n > 36, 1, 0)
    table["zéit"] = 2000 + n * 7 % N_ROWS
    table["länge"], table["bréite"] = n * 5 % 17, n * 3 % 19
    table.columns = [unicodedata.normalize(form, name) for name in table.columns]
    table.to_csv(folder / "t.csv", index=False)
    table[20:].to_csv(folder / "new.csv", index=False)
    if verb == "score":
        passed(*_begin("fit"), *_KNOWN, *_FEW, cwd=folder)
    if verb == "audit":
        passed("rank", "t.csv", "--out", "r.csv", *_KNOWN, *_FEW, cwd=folder)
        passed("audit", "r.csv", "--draw", "9", "--sheet", "check.csv", cwd=folder)
        sheet = pd.read_csv(folder / "check.csv", dtype=str)
        sheet[unicodedata.normalize(form, "vérdict")] = "yes"
        sheet.to_csv(folder / "check.csv", index=False)


@pytest.mark.parametrize(("written", "asked"), [FORMS, FORMS[::-1], ("NFD", "NFD")])
def test_streams_and_words_take_accents_apart(written, asked, tmp_path):
    """The model learned from names with composed accents."""
    labels, text, name = (unicodedata.normalize(asked, each) for each in ("bébé", "ärger", "ïd"))
    frame("NFC").to_csv(tmp_path / "t.csv", index=False)
    frame(written).to_csv(tmp_path / "new.csv", index=False)
    model = fit_table(tmp_path / "t.csv", "bébé", identifier="ïd", **ASKED)
    rows = frame(written).to_dict("records")
    as_json = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    scored = score_table(model, tmp_path / "new.csv", identifier=name).to_frame("pandas")
    for lines in (as_json, (tmp_path / "new.csv").read_text()):
        found = [
            line
            for batch in Stream(model, name).score(io.BytesIO(lines.encode()))
            for line in batch
        ]
        last = found[-1]
        score = json.loads(last)["score"] if last.startswith("{") else float(last.split(",")[1])
        assert score == pytest.approx(scored["score"].iloc[-1])
        assert "039" in last
    for data in (frame(written), tmp_path / "new.csv"):
        words = HashedText(data, text, n_features=64)
        estimator = PositiveMultinomialNB(0.3).fit(words, labels)
        expected = HashedText(frame("NFC"), "ärger", n_features=64)
        assert_array_equal(
            estimator.decision_function(words), estimator.decision_function(expected)
        )


@pytest.mark.parametrize("form", FORMS)
def test_cells_may_have_accents_apart(form, tmp_path):
    """Names of rows and values of labels are the same however they are written."""
    table = frame("NFC").rename(columns={"bébé": "known"})
    table["ïd"] = [unicodedata.normalize("NFC", f"é{n}") for n in range(N_ROWS)]
    table["known"] = [
        unicodedata.normalize("NFC", "oué" if n < 12 else "nö") for n in range(N_ROWS)
    ]
    known = table[:12].copy()
    known["ïd"] = [unicodedata.normalize(form, each) for each in known["ïd"]]
    table.to_csv(tmp_path / "t.csv", index=False)
    known.to_csv(tmp_path / "k.csv", index=False)
    found = rank_table(
        tmp_path / "t.csv", positive_table=tmp_path / "k.csv", identifier="ïd", **ASKED
    )
    assert found.problem.known.n_shared == 12
    label = unicodedata.normalize(form, "known=oué")
    assert rank_table(tmp_path / "t.csv", label, **ASKED).problem.positive.sum() == 12


def written_as(table, ending, folder):
    """A table as a file with this ending, or the frame itself."""
    path = folder / f"t{ending}"
    if ending == ".csv":
        table.to_csv(path, index=False)
    elif ending == ".jsonl":
        table.to_json(path, orient="records", lines=True, force_ascii=False)
    elif ending == ".parquet":
        table.to_parquet(path)
    else:
        return table
    return path


KINDS = (".csv", ".jsonl", ".parquet", "")


@pytest.mark.parametrize("ending", KINDS)
@pytest.mark.parametrize(("written", "asked"), [FORMS, FORMS[::-1], ("NFD", "NFD")])
def test_marks_of_missing_values_may_have_accents_apart(written, asked, ending, tmp_path):
    table = frame("NFC")
    table["größe"] = [
        unicodedata.normalize(written, "né") if n % 5 == 0 else f"{n % 9 / 4}"
        for n in range(N_ROWS)
    ]
    table["señal"] = [
        unicodedata.normalize(written, "né" if n % 4 == 0 else "sí") for n in range(N_ROWS)
    ]
    path = written_as(table, ending, tmp_path)
    mark = unicodedata.normalize(asked, "né")
    found = rank_table(path, "bébé", identifier="ïd", missing=[mark], **ASKED)
    columns = {column.name: column for column in found.problem.summary.columns}
    assert columns["größe"].role == "number"
    assert found.problem.data["größe"].null_count == N_ROWS // 5
    assert found.problem.data["señal"].null_count == N_ROWS // 4
    model = fit_table(path, "bébé", identifier="ïd", missing=[mark], **ASKED)
    assert score_table(model, path, identifier="ïd").n_rows == N_ROWS


@pytest.mark.parametrize("ending", KINDS)
@pytest.mark.parametrize("written", FORMS)
def test_categories_and_words_may_have_accents_apart(written, ending, tmp_path):
    """A model that learned from the other spelling gives the same scores and knows all values."""

    def table(form):
        given = frame("NFC")
        given["señal"] = [
            unicodedata.normalize(form, "gö" if n < 20 else "né") for n in range(N_ROWS)
        ]
        given["ärger"] = [
            unicodedata.normalize(form, f"prüfung von {'stählen' if n < 12 else 'tönen'} {n % 3}")
            for n in range(N_ROWS)
        ]
        return given

    learned, new = table("NFD" if written == "NFC" else "NFC"), table(written)
    model = fit_table(written_as(learned, ".csv", tmp_path), "bébé", identifier="ïd", **ASKED)
    usual = score_table(model, learned, identifier="ïd").to_frame("pandas")
    found = score_table(model, written_as(new, ending, tmp_path), identifier="ïd")
    assert not found.drift.unseen
    np.testing.assert_allclose(found.to_frame("pandas")["score"], usual["score"])
    as_json = new.to_json(orient="records", lines=True, force_ascii=False)
    lines = [
        each for batch in Stream(model, "ïd").score(io.BytesIO(as_json.encode())) for each in batch
    ]
    np.testing.assert_allclose([json.loads(each)["score"] for each in lines], usual["score"])
