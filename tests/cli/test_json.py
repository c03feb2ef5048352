"""`--json`: stdout is one strict JSON object, whatever happens."""

import json
import math
import re
import shutil
import types
import typing

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from command_line import passed, run
from every_verb import FEW, OUTPUTS, RUNS, make_inputs
from onesided import __version__
from onesided._text import as_json, as_percent
from onesided.prior import PriorFacts
from onesided.prior._facts import LIMITS
from onesided.reporting import Report, UnexpectedReport

COMPARED = {
    "method": str,
    "hidden_positive_auc": float,
    "auc_standard_error": float,
    "auc_low": float,
    "auc_high": float,
    "average_rank": float,
    "lee_liu": float,
    "lee_liu_low": float,
    "lee_liu_high": float,
    "p_value_against_best": float | None,
    "n_positive": int,
    "seconds": float,
}
OVER_TASKS = {
    "method": str,
    "auc_mean": float,
    "auc_sd": float,
    "rank_mean": float,
    "rank_sd": float,
    "place_mean": float,
    "lee_liu_share": float | None,
    "seconds": float,
    "n_tasks": int,
}
MOVED = {
    "name": str,
    "index": float,
    "moved": bool,
    "what": str,
    "share": float,
    "learned_share": float,
}
FORMS = {
    "rank": Report,
    "compare": {
        "tasks": [
            {
                "name": str,
                "n_positive": int,
                "n_unlabeled": int,
                "best": str,
                "weights": dict,
                "methods": [COMPARED],
            }
        ],
        "best": str,
        "methods": [OVER_TASKS],
    },
    "prior": PriorFacts,
    "enrich": {"n_features": int, "n_resamples": int, "features": list},
    "unexpected": UnexpectedReport,
    "fit": {
        "method": str,
        "auc": float | None,
        "methods": [{"name": str, "auc": float}],
        "n_positive": int,
        "n_unlabeled": int,
        "n_learned": int,
        "columns": [{"name": str, "role": str}],
        "alerts": types.NoneType,
        "class_prior": types.NoneType,
        "class_prior_at_most": types.NoneType,
    },
    "score": {
        "method": str,
        "n_rows": int,
        "n_scored": int,
        "seconds": float,
        "drift": {
            "n_rows": int,
            "learned": str,
            "score": MOVED,
            "columns": [MOVED],
            "unseen": [{"name": str, "n_rows": int, "values": [str]}],
            "codes": [str],
            "useless": [[str]],
            "outside": [[str]],
        },
        "positives": types.NoneType,
        "n_alerts": types.NoneType,
    },
}
"""What --json prints of each verb: types, a list of one form, or a dictionary of forms."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    make_inputs(folder)
    return folder


def strict(text):
    """As jq reads it: NaN and Infinity are no JSON."""

    def refuse(name):
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


@pytest.fixture(scope="module")
def outcomes(inputs, tmp_path_factory):
    """Each verb, run once."""
    folder = tmp_path_factory.mktemp("run")
    shutil.copytree(inputs, folder, dirs_exist_ok=True)
    return folder, {verb: passed(*RUNS[verb], "--json", cwd=folder) for verb in RUNS}


@pytest.mark.parametrize("verb", [*RUNS])
def test_each_verb(outcomes, verb):
    folder, done = outcomes
    found = strict(done[verb].stdout)
    assert done[verb].stdout.count("\n") == 1
    assert list(found) == ["verb", "version", "command", "warnings", "result", "written"]
    assert found["verb"] == verb
    assert found["version"] == __version__
    assert found["command"].startswith(f"onesided {verb} ")
    assert set(found["written"].values()) == OUTPUTS[verb]
    assert all((folder / path).exists() for path in found["written"].values())
    if verb in FORMS:
        assert_has_form(found["result"], FORMS[verb])


def assert_has_form(value, form):
    """What a form says, and no more."""
    if typing.is_typeddict(form):
        needed, hints = form.__required_keys__, typing.get_type_hints(form)
        form = {name: each for name, each in hints.items() if name in needed or name in value}
    origin, inner = typing.get_origin(form), typing.get_args(form)
    if form is typing.Any:
        return
    if isinstance(form, dict):
        assert set(value) == set(form)
        for name, each in form.items():
            assert_has_form(value[name], each)
    elif isinstance(form, list) or origin is list:
        (each_form,) = form if isinstance(form, list) else inner
        for each in value:
            assert_has_form(each, each_form)
    elif origin is dict:
        for each in value.values():
            assert_has_form(each, inner[1])
    elif type(None) in inner:
        others = [each for each in inner if each is not type(None)]
        if value is not None:
            assert_has_form(value, others[0] if len(others) == 1 else typing.Any)
    elif form is float:
        assert isinstance(value, (int, float))
    elif isinstance(form, type):
        assert isinstance(value, form)


def test_numbers_are_those_that_are_written(outcomes):
    folder, done = outcomes
    results = {verb: strict(each.stdout)["result"] for verb, each in done.items()}
    compared = pd.read_csv(folder / "comparison.csv")
    told = pd.concat(
        [
            pd.DataFrame(task["methods"]).assign(task=task["name"])
            for task in results["compare"]["tasks"]
        ]
    )
    assert_allclose(told.hidden_positive_auc, compared.hidden_positive_auc)
    assert (told.seconds > 0).all()
    assert results["compare"]["best"] in set(compared.method)
    estimates = pd.read_csv(folder / "prior.tsv", sep="\t")
    by_method = {each["method"]: each["class_prior"] for each in results["prior"]["methods"]}
    assert_allclose(estimates.class_prior, [by_method[name] for name in estimates.method])
    prior = results["prior"]
    known = "class_prior_at_most" if prior["only_at_most"] else "class_prior"
    assert prior[known] in {*by_method.values(), prior["high"]}
    assert (prior["class_prior"] is None) == prior["only_at_most"]
    assert (prior["population_prior_at_most"] is None) != prior["only_at_most"]
    enriched = pd.read_csv(folder / "genes-enrichment.csv")
    assert [row["feature"] for row in results["enrich"]["features"]] == enriched.feature.tolist()
    assert results["enrich"]["n_features"] > len(enriched)
    assert results["fit"]["method"] in {each["name"] for each in results["fit"]["methods"]}
    assert results["fit"]["n_learned"] == 120
    assert {each["name"] for each in results["fit"]["columns"]} >= {"size", "gene"}
    assert results["score"]["n_rows"] == results["score"]["n_scored"] == 240


@pytest.mark.parametrize("ratio", [1, 3])
def test_a_ranking_says_of_the_prior_what_prior_says(rng, tmp_path, ratio):
    """With the same names; a number that is only a bound stands under the name of a bound.

    Positives lie apart, so even labels give an estimate; uneven labels give only a bound.
    """
    x = rng.normal(size=400) + 5 * (np.arange(400) < 80)
    known = (np.arange(400) < 40).astype(int)
    table = pd.DataFrame({"gene": [f"g{n}" for n in range(400)], "size": x, "known": known})
    table.to_csv(tmp_path / "genes.csv", index=False)
    ask = ["genes.csv", "--positive", "known", "--scenario", "single-training-set", "--json"]
    ask += ["--confidence", 0.8, "--label-odds-ratio", ratio]
    alone = strict(passed("prior", *ask, "--drop", "gene", cwd=tmp_path).stdout)["result"]
    ranked = passed("rank", *ask, "--id", "gene", *FEW, cwd=tmp_path)
    for found in (alone, strict(ranked.stdout)["result"]["prior"]):
        assert list(found) == list(alone)
        end = "_at_most" if found["only_at_most"] else ""
        other = "" if end else "_at_most"
        assert found["only_at_most"] == (ratio > 1)
        for name in ("class_prior", "n_hidden", "population_prior"):
            assert found[name + end] is not None
            assert found[name + other] is None
        assert (found["label_frequency"] is None) == found["only_at_most"]
        shown = found["high"] if end else found["class_prior"]
        assert_allclose(found[f"n_hidden{end}"], shown * found["n_unlabeled"])


def test_what_no_number_is_is_null():
    value = {"a": [math.nan, np.float64("inf"), np.int64(3)], "b": {"c": np.array([1.5, np.nan])}}
    assert strict(as_json(value)) == {"a": [None, None, 3], "b": {"c": [1.5, None]}}


def test_the_best_of_one_method_has_no_p_value(inputs, tmp_path):
    shutil.copy(inputs / "genes.csv", tmp_path)
    ask = ["compare", "genes.csv", "--positive", "known", "--drop", "gene", *FEW, "--json"]
    (task,) = strict(passed(*ask, cwd=tmp_path).stdout)["result"]["tasks"]
    without = [row["method"] for row in task["methods"] if row["p_value_against_best"] is None]
    assert without == [task["best"]] == ["average of methods"]


def test_warnings_are_in_it(inputs, tmp_path):
    table = pd.read_csv(inputs / "genes.csv")
    table["leak"] = table["known"] + np.arange(120) / 1e3
    table.to_csv(tmp_path / "t.csv", index=False)
    ask = ["rank", "t.csv", "--positive", "known", "--id", "gene", "--method", "naive-bayes"]
    done = passed(*ask, "--json", "-q", cwd=tmp_path)
    found = strict(done.stdout)["warnings"]
    assert any("'leak'" in warning for warning in found)
    assert done.stderr.splitlines() == [f"warning: {warning}" for warning in found]


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """A table of chance, which has a doubt; 90 of its rows were screened at random."""
    path = tmp_path_factory.mktemp("noise") / "noise.csv"
    rng = np.random.default_rng(9)
    table = pd.DataFrame(rng.normal(size=(300, 3)).round(3), columns=["a", "b", "c"])
    verdicts = np.where(rng.permutation(300) < 100, "yes", "no")
    table["found"] = np.where(np.arange(300) < 90, verdicts, "")
    table.to_csv(path, index=False)
    return path


ASK = ("--positive", "found=yes", "--method", "naive-bayes", "--json")


@pytest.mark.parametrize("verb", ["rank", "fit"])
def test_a_doubt_is_a_warning_everywhere(noise, tmp_path, verb):
    done = passed(verb, noise, *ASK, "--method", "center-of-mass", cwd=tmp_path)
    found = strict(done.stdout)
    (doubt,) = [each for each in found["warnings"] if "The best hidden-positive AUC" in each]
    assert done.stderr.splitlines().count(f"warning: {doubt}") == 1
    assert done.stderr.count("The best hidden-positive AUC") == 1
    if verb == "rank":  # the data of the page name no options
        without = [each.partition(" Try random labels")[0] for each in found["warnings"]]
        assert found["result"]["warnings"] == without


SHARES = {
    "population_prior": "share of positives among all rows: ",
    "label_frequency": "share of the positives that are labeled: ",
}
SCREENED = ("--known-negative", "found=no", "--screened-at-random")


@pytest.mark.parametrize(
    ("verb", "more", "told"),
    [
        ("rank", SCREENED, {"population_prior", "label_frequency"}),
        ("rank", (), set()),
        ("rank", ("--scenario", "case-control"), {"population_prior"}),
        ("prior", ("--scenario", "case-control"), {"population_prior"}),
        ("prior", ("--scenario", "single-training-set"), {"population_prior", "label_frequency"}),
    ],
)
def test_what_follows_for_all_rows_is_said_alike(noise, inputs, tmp_path, verb, more, told):
    """In case-control data the population is the unlabeled rows, whose share is said anyway."""
    table, ask = (noise, ASK) if more == SCREENED else (inputs / "genes.csv", ASK_GENES)
    done = passed(
        verb, table, *ask[: None if verb == "rank" else -4], *more, "--json", cwd=tmp_path
    )
    prior = strict(done.stdout)["result"]
    prior = prior["prior"] if verb == "rank" else prior
    known = {name for name in SHARES if known_as(prior, name) is not None}
    assert known == told
    if "label_frequency" not in told:
        assert not any(words in done.stderr for words in SHARES.values())
        return
    bound = {True: {"population_prior": "at most ", "label_frequency": "at least "}}
    for name, words in SHARES.items():
        least = bound.get(prior["only_at_most"], {}).get(name, "")
        assert f"{words}{least}{as_percent(known_as(prior, name))}" in done.stderr


def known_as(prior, name):
    """The number, or its bound where only this is known."""
    return prior[LIMITS[name] if prior["only_at_most"] else name]


ASK_GENES = ("--positive", "known", "--drop", "gene", "--drop", "region")


def test_one_table_is_compared_with_one_best_method(noise, tmp_path):
    """The average, though another method is higher by chance; its weights are said too."""
    ask = ["compare", noise, *ASK, "--method", "center-of-mass"]
    done = passed(*ask, cwd=tmp_path)
    found = strict(done.stdout)["result"]
    (task,) = found["tasks"]
    assert found["best"] == task["best"] == "average of methods"
    assert task["methods"][0]["method"] != found["best"]
    assert_allclose(sum(task["weights"].values()), 1)
    for name, weight in task["weights"].items():
        assert f"{name} {as_percent(weight)}" in done.stderr


@pytest.mark.parametrize(
    ("distance", "told"), [(6, "class_prior"), (1.5, "class_prior_at_most"), (0, None)]
)
def test_a_model_says_whether_its_prior_is_a_bound(tmp_path, distance, told):
    rng, known = np.random.default_rng(0), np.arange(300) < 60
    size = rng.normal(size=300) + distance * (np.arange(300) < 150)
    table = pd.DataFrame({"size": size, "found": np.where(known, "yes", "")})
    table.to_csv(tmp_path / "t.csv", index=False)
    more = ("--method", "center-of-mass", "--scenario", "single-training-set")
    done = passed("fit", "t.csv", *ASK, *more, cwd=tmp_path)
    found = strict(done.stdout)
    shares = {name: found["result"][name] for name in ("class_prior", "class_prior_at_most")}
    assert [name for name, share in shares.items() if share is not None] == [told] * bool(told)
    if told is None:
        assert "The model gives no probabilities. The data give no upper" in found["warnings"][-1]
        return
    at_most = "at most " * told.endswith("at_most")
    words = f"Probabilities are for {at_most}{as_percent(shares[told])} positive rows among"
    assert words in done.stderr


@pytest.mark.parametrize(
    ("ask", "problem", "mend"),
    [
        (["rank", "no.csv", "--positive", "a"], "There is no file", "Check the path."),
        (["rank", "--config", "no.json"], "The config file 'no.json' cannot be read", "--save"),
        (["rank", "no.csv", "--positve", "a"], "No such option: --positve", "onesided rank --help"),
        (["prior", "no.csv", "--positive", "a"], "Missing option '--scenario'", "prior --help"),
    ],
)
def test_an_error_is_an_object_too(tmp_path, ask, problem, mend):
    done = run(*ask, "--json", cwd=tmp_path)
    assert done.returncode == 2
    found = strict(done.stdout)
    assert list(found) == ["verb", "version", "error"]
    assert found["verb"] == ask[0]
    assert problem in found["error"]["problem"]
    assert mend in found["error"]["mend"]
    assert re.search("Error|onesided: ", done.stderr)
    assert run(*ask, cwd=tmp_path).stdout == ""


def test_a_config_can_be_written_too(inputs, tmp_path):
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    done = passed(*RUNS["report"], "--json", "--save-config", "run.json", cwd=tmp_path)
    assert strict(done.stdout)["written"] == {"report": "again.html", "config": "run.json"}


def test_help_on_a_command_that_there_is_not(tmp_path):
    done = run("foo", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["error"]["mend"] == "See onesided --help."
    done = run("rank", "--foo", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["error"]["mend"] == "See onesided rank --help."
