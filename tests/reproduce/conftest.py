"""What each table of a paper must have: a meaning of all of its columns."""

import re

import pytest

from onesided.reproduce import MEANINGS


@pytest.fixture(scope="session")
def explained():
    """A check of the tables of a paper, which are data frames by their names."""

    def check(paper, tables, methods):
        meanings = MEANINGS[paper]
        assert sorted(name for name in tables if name.endswith(".csv")) == sorted(meanings)
        for name, meaning in meanings.items():
            other = re.match(r"As (\w+\.csv)", meaning)
            said = {*re.findall(r"\w+", meanings[other[1]] if other else meaning)}
            columns = [column.split(",")[0] for column in tables[name].columns]
            rest = {column.removesuffix("_paper") for column in columns} - said - {*methods}
            assert not rest, f"{name} does not say what {rest} are"
            assert meaning.endswith("."), name

    return check
