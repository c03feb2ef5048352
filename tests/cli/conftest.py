"""All commands here draw little."""

import pytest

from command_line import few_draws


@pytest.fixture(autouse=True, scope="module")  # that of a folder without modules is the session
def _few_draws():
    with few_draws():
        yield
