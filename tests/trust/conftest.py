"""Inputs that all tests here start from, made once, with few bags and trees."""

import shutil

import pytest

from every_verb import make_inputs
from onesided.cli import _prepare, rank
from onesided.tables import _rankers


@pytest.fixture(autouse=True, scope="package")
def _few_draws():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_rankers, "_BAGS", 3)
        patch.setattr(rank, "_RANDOM_SETS", 19)
        patch.setattr(_prepare, "_FEW_HALVES", 2)
        patch.setattr(_prepare, "_FEW_TREES", 10)
        yield


@pytest.fixture(scope="package")
def made(tmp_path_factory, _few_draws):
    """What `make_inputs` makes; it is not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    make_inputs(folder)
    return folder


@pytest.fixture
def inputs(made, tmp_path):
    """A copy, to work in."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path
