"""Tables of references: their roles, whatever program wrote them."""

import numpy as np
import pyarrow as pa
import pytest

from onesided import tables
from onesided.exceptions import TableError
from onesided.methods import rankers_for
from onesided.tables import read_problem, write_table

N = 24
WORDS = ["gene", "enzyme", "mouse", "river", "market", "trial", "placebo", "cell"]


def texts(seed, n_words=6):
    """Cells of several words."""
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, n_words)) for _ in range(N)]


BESIDE = {
    "Year": np.arange(N) % 7 + 2000,
    "Authors": [f"Author {row % 9}, A" for row in range(N)],
    "DOI": [f"10.1000/{row}" for row in range(N)],
    "Cited by": np.arange(N) % 5,
}
AS_WRITTEN = {
    "plain": ("title", "abstract", "keywords"),
    "Scopus": ("Title", "Abstract", "Author Keywords"),
    "Zotero": ("Title", "Abstract Note", "Manual Tags"),
    "Web of Science": ("Article Title", "Abstract", "Keywords Plus"),
    "underscores": ("primary_title", "abstract_note", "mesh_terms"),
    "no keywords": ("title", "abstract"),
}


def references(names):
    """A table of references with other columns beside, and a column of labels."""
    words = {name: texts(seed, 2 if seed == 2 else 6) for seed, name in enumerate(names)}
    return pa.table({**words, **BESIDE, "known": (np.arange(N) % 3 == 0).astype(int)})


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("names", AS_WRITTEN.values(), ids=AS_WRITTEN)
def test_only_the_text_of_references_is_learned_from(tmp_path, names, ending):
    path = tmp_path / f"t.{ending}"
    write_table(references(names), path)
    summary = read_problem(path, "known").summary
    assert summary.used == summary.names("text") == [*names]
    assert summary.is_one_text
    assert any(
        f"{' + '.join(names)}: learned from as one text" in each for each in summary.sentences
    )
    (said,) = summary.dropped_sentences
    assert "dropped Year, Authors, DOI and " in said or "dropped Year, Authors, DOI, Cited" in said
    assert "`number=['NAME']` uses the column anyway" in said


def test_all_methods_see_one_text():
    table = references(AS_WRITTEN["plain"]).drop(["known"])
    for title, ranker in rankers_for(tables.describe(table)).items():
        ranker["columns"].fit(table)
        names = ranker["columns"].get_feature_names_out()
        assert {name.partition(":")[0] for name in names} == {"all text"}, title
    assert "logistic regression, text first" not in rankers_for(tables.describe(table))


def test_columns_that_are_asked_for_are_used():
    asked = {"number": ["Year"], "categorical": ["Cited by"], "text": ["Authors"]}
    summary = tables.describe(references(AS_WRITTEN["plain"]), without=["known"], **asked)
    assert summary.names("number") == ["Year"]
    assert summary.names("category") == ["Cited by"]
    assert "Authors" in summary.names("text")
    assert [column.name for column in summary.dropped] == ["DOI"]
    assert "logistic regression, text first" in rankers_for(summary)


@pytest.mark.parametrize(
    "others",
    [
        {"title": texts(0)},
        {"abstract": texts(1)},
        {"title": texts(0), "abstract": ["yes", "no"] * (N // 2)},
        {"title": texts(0), "abstract": pa.nulls(N, pa.string())},
        {"title": texts(0), "abstract": np.arange(N) % 2},
    ],
    ids=["no abstract", "no title", "abstract or not", "no cell", "a number"],
)
def test_other_tables_are_learned_from_as_before(others):
    summary = tables.describe(pa.table({**others, **BESIDE}))
    assert not summary.is_one_text
    assert {"Year", "Cited by"} <= {*summary.names("number")}


def test_text_is_no_number():
    with pytest.raises(TableError, match=r"'Authors' holds string values, such as 'Author 0, A'"):
        tables.describe(references(AS_WRITTEN["plain"]), number=["Authors"])
