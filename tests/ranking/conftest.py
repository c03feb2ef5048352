"""All rankings here draw little."""

import pytest

from command_line import few_draws


@pytest.fixture(autouse=True, scope="module")
def _few_draws():
    with few_draws():
        yield
