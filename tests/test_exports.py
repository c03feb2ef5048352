"""The public names are a list."""

import subprocess
import sys

import onesided

PUBLIC = [
    "BetaPrior",
    "CenterOfMassRanker",
    "CenteredOneClassSVM",
    "CorrelationRanker",
    "CrossFitSVM",
    "ICIClassifier",
    "LGN",
    "NearestKnown",
    "NoisyOrClassifier",
    "PEBL",
    "PUBagging",
    "PositiveAODE",
    "PositiveKDB",
    "PositiveKFold",
    "PositiveMultinomialNB",
    "PositiveNaiveBayes",
    "PositiveTAN",
    "RocchioSVM",
    "SignificanceRanker",
    "SpyEM",
    "TwoStep",
    "WeightedLogisticRegression",
    "WeightedLogisticRegressionCV",
    "__version__",
    "apparent_p_value",
    "compare",
    "datasets",
    "enrichment",
    "exceptions",
    "hidden_positive_ranks",
    "metrics",
    "model_selection",
    "preprocessing",
    "prior",
    "promises",
    "scoring",
    "tables",
]


def test_public_names():
    assert onesided.__all__ == PUBLIC
    for name in PUBLIC:
        assert getattr(onesided, name) is not None


def test_every_name_is_there_for_a_type_checker():
    source = onesided.__loader__.get_source("onesided")
    for name in onesided._HOMES:
        assert f" {name} as {name}" in source


def loaded_by(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


def test_import_loads_nothing_heavy():
    assert not loaded_by("import onesided") & {"numpy", "sklearn", "pyarrow", "altair", "typer"}


def test_learners_load_no_table_reader_and_no_plots():
    heavy = {"pyarrow", "altair", "vl_convert", "typer", "rich", "jinja2", "pandas", "polars"}
    by_scikit_learn = loaded_by("import sklearn.model_selection, sklearn.utils.validation")
    found = loaded_by("from onesided import PositiveNaiveBayes, compare")
    assert not (found - by_scikit_learn) & heavy


def test_help_loads_no_learner():
    heavy = {"numpy", "sklearn", "pyarrow", "altair", "scipy"}
    assert not loaded_by("import onesided.cli.__main__") & heavy
