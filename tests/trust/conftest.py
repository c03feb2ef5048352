"""Inputs that all tests here start from, made once."""

import shutil

import pytest

from command_line import few_draws
from every_verb import make_inputs


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """What `make_inputs` makes; it is not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    with few_draws():
        make_inputs(folder)
    return folder


@pytest.fixture
def inputs(made, tmp_path):
    """A copy, to work in."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path
