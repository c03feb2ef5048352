"""The command line in this process: much faster, since nothing is loaded again."""

import contextlib
import functools
import os
import subprocess
from pathlib import Path

import pytest
from typer import testing
from typer.testing import CliRunner

from onesided.cli.__main__ import app
from onesided.methods import _table
from onesided.prior import estimate_class_prior
from onesided.ranking import _effort

# A program makes its commands once, and so does this process: the parsers of all verbs take as
# long as many a command.
testing._get_command = functools.cache(testing._get_command)


_PRIOR = dict(estimate_class_prior.__kwdefaults__)


def usual_prior(monkeypatch):
    """Estimate the class prior as for a user, in a folder where rankings draw little."""
    for name in ("cv", "n_subsamples"):
        monkeypatch.setitem(estimate_class_prior.__kwdefaults__, name, _PRIOR[name])


@contextlib.contextmanager
def few_draws():
    """Fewer bags, trees, folds and random draws, which no test of a command is about."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(estimate_class_prior.__kwdefaults__, "cv", 2)
        patch.setitem(estimate_class_prior.__kwdefaults__, "n_subsamples", 8)
        patch.setattr(_table, "N_BAGS", 30)
        patch.setattr(_effort, "N_RANDOM_SETS", 99)
        patch.setattr(_effort, "N_TREES", 10)
        yield


def run(*arguments, cwd):
    """Run in a folder; an exception that is no exit is a defect, and raised."""
    before = Path.cwd()
    os.chdir(cwd)
    try:
        done = CliRunner().invoke(app, [str(each) for each in arguments])
    finally:
        os.chdir(before)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def replaced(arguments, options):
    """The arguments with other options; an option of both has only the values of the latter."""
    again = {each for each in options if str(each).startswith("--")}
    kept = [
        each
        for place, each in enumerate(arguments)
        if each not in again and (place == 0 or arguments[place - 1] not in again)
    ]
    return [*kept, *options]


def passed(*arguments, cwd):
    """Run, and it must end well."""
    done = run(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done


def refused(done, problem, mend):
    """Exit code 2; two lines at the end of stderr, the problem and the mend; nothing else."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    first, second = done.stderr.strip().splitlines()[-2:]
    assert first.startswith("onesided: ")
    assert problem in first
    assert mend in second
    assert first.endswith(".")
    assert second.endswith((".", "?"))
