"""Each command says and writes what was recorded; README.md says how to record it again."""

import pytest

from golden.commands import COMMANDS
from golden.inputs import make_inputs
from golden.replay import EXPECTED, difference, expected, replay


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    make_inputs(folder)
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_and_writes_what_was_recorded(name, inputs, tmp_path):
    recorded, found = expected(name), replay(COMMANDS[name], inputs, tmp_path / "here")
    differences = {
        part: line
        for part in recorded | found
        if (line := difference(recorded.get(part, ""), found.get(part, "")))
    }
    assert not differences
    assert set(recorded) == set(found)


def test_each_recorded_command_is_run():
    assert {path.name for path in EXPECTED.iterdir()} == set(COMMANDS)


@pytest.mark.parametrize(
    ("recorded", "found"),
    [
        ("AUC 0.97", "AUC 0.96"),
        ("AUC 0.97", "AUC 0.970"),
        ("AUC 0.97", "auc 0.97"),
        ("code 01234", "code 1234"),
        ("code 0123456789", "code 123456789"),
        ("1234567890", "1234567890.0"),
        ("0.123456789", "0.123457789"),
        ("a\n", "a\nb\n"),
        ("a\n", "a"),
    ],
)
def test_texts_that_differ(recorded, found):
    assert difference(recorded, found)


def test_the_last_digits_of_a_long_number_may_differ():
    assert not difference("a,0.30000000000000004\n", "a,0.3\n")
