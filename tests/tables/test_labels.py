"""What labels may hold: one rule for tables and for y."""

import warnings
from itertools import combinations

import pyarrow as pa
import pytest

from command_line import refused, run
from onesided._labels import encode_labels
from onesided.exceptions import OnesidedError, TableError
from onesided.tables import read_problem
from onesided.tables._labels import read_known_negative, read_labels

VALUES = {
    "numbers": (1, 0, -1, None),
    "words": ("yes", "no", "", "NA", "?"),
    "switches": ("true", "false", "None"),
}
MIXES = [
    (*chosen, chosen[-1])
    for values in VALUES.values()
    for size in range(1, len(values) + 1)
    for chosen in combinations(values, size)
    if values[0] in chosen or values is VALUES["numbers"]  # y of text may be any two words
]


def read(function, *arguments):
    """The positive rows; or None, if the labels are refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function(*arguments)
    except OnesidedError:
        return None
    return next(each.tolist() for each in found if hasattr(each, "tolist"))


@pytest.mark.parametrize("values", MIXES, ids=repr)
def test_tables_and_learners_take_the_same_labels(values):
    """Each value twice, so that no kind of rows is too small for a table."""
    cells = [*values, *values]
    expected = read(encode_labels, cells)
    assert read(read_labels, pa.table({"y": cells}), "y") == expected
    if len({*values} - {None, "", "NA", "?", "None"}) > 2:
        assert expected is None


VERBS = {
    "rank": ("rank", "t.csv", "--positive", "y"),
    "fit": ("fit", "t.csv", "--positive", "y"),
    "fit --unlabeled": ("fit", "t.csv", "--positive", "y", "--unlabeled", "5"),
    "compare": ("compare", "t.csv", "--positive", "y"),
    "prior": ("prior", "t.csv", "--positive", "y", "--scenario", "case-control"),
    "enrich": ("enrich", "t.csv", "--positive", "y"),
    "rank --positive-each": ("rank", "t.csv", "--positive", "y", "--positive-each", "kind"),
    "rank --known-negative": ("rank", "t.csv", "--positive", "kind=a", "--known-negative", "y"),
}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (("1", "0", "-1"), "has 3 values: -1, 0, 1. It holds '-1' and '0', which both mean"),
        (("yes", "x", ""), "Column 'y' holds 'x' and 'yes', which both mean"),
        (("1", "0", "NA", "no"), "has 3 values: 0, 1, no. It holds '0' and 'no', which both mean"),
    ],
)
@pytest.mark.parametrize("verb", VERBS)
def test_a_third_value_is_refused_by_every_verb(verb, values, said, tmp_path):
    lines = [f"{values[n % len(values)]},{n * 7 % 11},{'ab'[n % 2]}" for n in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["y,size,kind", *lines]))
    refused(run(*VERBS[verb], cwd=tmp_path), said, "Use one value for all of these rows.")


def test_a_value_of_known_negatives_is_no_third_value():
    table = pa.table({"y": ["1", "0", "-1"] * 20, "size": [n % 7 for n in range(60)]})
    found = read_problem(table, "y", known_negative="y=-1")
    assert found.positive.sum() == found.negative.sum() == 20
    with pytest.raises(TableError, match="'-1' and '0', which both mean unlabeled"):
        read_problem(table, "y")
    name, negative = read_known_negative(table, "y=-1", found.positive)
    assert (name, negative.sum()) == ("y", 20)
