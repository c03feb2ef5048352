"""The words of a text, in scripts with and without spaces between words."""

import re
import unicodedata

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import roc_auc_score

from command_line import passed
from onesided import WeightedLogisticRegression
from onesided._words import AS_CHARACTERS, RUN, count_words, plain_words, words_of
from onesided.methods._columns import as_numbers
from onesided.preprocessing import HashedText
from onesided.scoring import fit_table, load_model
from onesided.tables import describe
from onesided.tables._features import feature_matrices
from onesided.tables._text import word_counts
from onesided.unexpected import find_unexpected
from spaceless import two_topics

SCRIPTS = ("Chinese", "Japanese", "Thai")
WITHOUT_SPACES = (
    *("CJK UNIFIED", "CJK COMPAT", "IDEOGRAPHIC ITERATION", "HIRAGANA", "KATAKANA", "BOPOMOFO"),
    *("HALFWIDTH KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "TAI ", "NEW TAI LUE"),
    *("BALINESE", "JAVANESE", "HENTAIGANA"),
)
OTHER_TEXT = (
    "The hen's 2 eggs, a naïve co-op; ÉTÉ Straße x1 _y_ привет мир αβγ שלום مرحبا हिन्दी 한국어 말",
    "",
    "ẞ İ ǆ ﬁ ²x \uff11\uff12 \U0001d4b3\U0001d4b4 \u200b\u0301 e\u0301a",
)


def test_scripts_without_spaces():
    """Their letters and marks are in runs, no character of another script is, nor a digit."""
    for code in range(0x110000):
        character = chr(code)
        name, kind = unicodedata.name(character, ""), unicodedata.category(character)
        if name and kind[0] in "LMN":
            expected = name.startswith(WITHOUT_SPACES) and kind[0] in "LM"
            if name.startswith(("HANGZHOU", "VERTICAL", "COMBINING KATAKANA", "IDEOGRAPHIC")):
                continue
            assert bool(re.match(RUN, character)) == expected, name


@pytest.mark.parametrize("text", OTHER_TEXT)
def test_other_text_has_the_words_of_scikit_learn(text):
    every = "".join(map(chr, range(0x2FF)))
    analyze = CountVectorizer(lowercase=False).build_analyzer()
    for each in (text, text.lower(), every, " ".join(every)):
        assert words_of(each) == analyze(each)
    assert count_words(text) == len(text.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("细胞周期", "细 胞 周 期 细胞 胞周 周期"),
        ("细胞\uff0c周", "细 胞 细胞 周"),
        ("用iPhone手机2部 x", "用 iPhone 手 机 手机 部"),
        ("ガ", "ガ"),
        ("カ\u3099ン", "ガ ン ガン"),
        ("ｶﾞﾝ", "ガ ン ガン"),
        ("กินข้าว", "ก ิ น ข ้ า ว กิ ิน นข ข้ ้า าว กิน ินข นข้ ข้า ้าว"),
        ("ข้าวxx๒๕", "ข ้ า ว ข้ ้า าว ข้า ้าว xx๒๕"),
    ],
)
def test_words_without_spaces(text, words):
    assert words_of(text) == words.split()


def test_titles():
    """Case, accents, punctuation and broken lines count for nothing; marks of a run are letters."""
    assert plain_words("Über  Zink: (II)") == "uber zink ii"
    assert plain_words("关于ISO 9001的研究。\n综述") == "关于 iso 9001 的研究综述"
    assert plain_words("が") != plain_words("か")
    assert plain_words("か\u3099") == plain_words("が")


def test_about_how_many_words():
    column = pa.chunked_array([["two words", None, "细胞周期的研究", "", "กรุงเทพมหานคร x"]])
    np.testing.assert_allclose(word_counts(column), [2, np.nan, 3.5, 1, 3.6])


PHRASES = ["肺癌早期诊断的研究进展", "急性心力衰竭病人的护理", "儿童哮喘的综合治疗"]
NAMES = ["北京市", "内蒙古自治区", "上海", "新疆", "四川省"]


@pytest.mark.parametrize(("cells", "role"), [(PHRASES, "text"), (NAMES, "category")])
def test_roles_of_columns(cells, role):
    summary = describe(pa.table({"c": cells * 20}))
    assert summary.names(role) == ["c"]


def frame_of(texts, topics):
    known = topics.known.astype(int)
    return pd.DataFrame({"id": range(len(texts)), "text": texts, "known": known})


def auc_of(texts, topics):
    """How well the unlabeled documents of the topic are told from the others."""
    table = pa.table({"text": texts})
    X = as_numbers(describe(table)).fit_transform(table)
    model = WeightedLogisticRegression(C=1.0, tol=1e-4).fit(X, topics.known)
    unlabeled = ~topics.known
    return roc_auc_score(topics.of_topic[unlabeled], model.decision_function(X)[unlabeled])


@pytest.mark.parametrize("script", SCRIPTS)
def test_ranks_as_well_as_with_spaces(script):
    found = [
        (auc_of(topics.joined, topics), auc_of(topics.translated, topics))
        for topics in (two_topics(script, seed=seed) for seed in range(5))
    ]
    joined, translated = np.mean(found, axis=0)
    assert translated > 0.85
    assert joined > translated - 0.02


@pytest.mark.parametrize("script", SCRIPTS)
def test_unexpected_finds_as_much_as_with_spaces(script):
    topics = two_topics(script, share=0.15, times=40)
    known = np.flatnonzero(~topics.of_topic)[:300]
    new = np.setdiff1d(np.arange(len(topics.of_topic)), known)
    n_found = {}
    for form in ("joined", "translated"):
        texts = np.array(getattr(topics, form))
        found = find_unexpected(*(pd.DataFrame({"text": texts[rows]}) for rows in (known, new)))
        flagged = found.rows[found.table["flagged"].to_numpy(zero_copy_only=False)]
        n_found[form] = topics.of_topic[new[flagged]].sum()
        assert found.table["words"][0].as_py()
    assert n_found["translated"] > topics.of_topic[new].sum() / 2
    assert n_found["joined"] >= 0.8 * n_found["translated"]


def test_a_model_of_such_text(tmp_path):
    topics = two_topics("Chinese", n_documents=40)
    model = fit_table(
        frame_of(topics.joined, topics), "known", identifier="id", methods=["naive-bayes"]
    )
    model.save(tmp_path / "m.onesided")
    table = pa.table({"text": topics.joined})
    scores = load_model(tmp_path / "m.onesided").pipeline.decision_function(table)
    np.testing.assert_array_equal(scores, model.pipeline.decision_function(table))
    names, (X,) = feature_matrices(table, describe(table))
    assert all(name.startswith("text: ") for name in names)
    assert X.nnz > 0


def test_hashed_text_has_the_same_words():
    data = pd.DataFrame({"text": ["细胞周期", "the hen"]})
    rows = HashedText(data, "text", n_features=2**20).to_csr()
    assert np.diff(rows.indptr).tolist() == [7, 2]
    pairs = HashedText(data, "text", n_features=2**20, analyzer="char", ngram_range=(2, 2)).to_csr()
    assert np.diff(pairs.indptr).tolist() == [3, 5]


def test_the_commands_say_how_such_text_is_read(tmp_path):
    topics = two_topics("Thai", n_documents=40, times=40)
    frame_of(topics.joined, topics).to_csv(tmp_path / "t.csv", index=False)
    frame_of(topics.translated, topics).to_csv(tmp_path / "spaced.csv", index=False)
    ask = ("--positive", "known", "--id", "id", "--method", "naive-bayes", "--out", "r.csv")
    said = f" {AS_CHARACTERS}"
    done = passed("rank", "t.csv", *ask, cwd=tmp_path)
    assert f"  text:{said}" in done.stderr.splitlines()
    done = passed(
        "unexpected", "--known", "t.csv", "--new", "t.csv", "--text", "text", cwd=tmp_path
    )
    assert f" {said}" in done.stderr.splitlines()
    done = passed("rank", "spaced.csv", *ask, cwd=tmp_path)
    assert said not in done.stderr
