"""Model files that someone changed: equal or other scores, or one sentence, and nothing else.

`ONESIDED_EXAMPLES=3000 pytest tests/trust/test_tampered_models.py -rP` makes as many of them, of
all methods and kinds of tables, and tells what came of them; without it there are a few.
"""

import collections
import os
import random
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from types import CodeType

import pyarrow.parquet as pq
import pytest

import onesided
from command_line import run
from fuzzing import EXAMPLES, ends_in_words, enduring
from model_files import KINDS, a_table, fitted
from onesided.methods import METHODS
from onesided.scoring import load_model, save_model
from tampering import tampered

FEW = 150
WORDS = ("text", "features")
ALL_MODELS = [(k, m) for k in KINDS for m in METHODS if m != "multinomial" or k in WORDS]
FEW_MODELS = [*(each for each in ALL_MODELS if each[0] == "mixed"), ("features", "bagging")]
FEW_MODELS += [("text", "multinomial"), ("text", "text-first"), ("features", "logistic")]
SLOWEST = 10.0  # seconds
WATCHED = (
    "open",
    "os.",
    "subprocess.",
    "socket.",
    "ctypes.",
    "pickle.",
    "exec",
    "pty.",
)


class Watch:
    """What happens while it is on, by Python's audit events: kinds of events, and paths."""

    def __init__(self, *roots):
        self.is_on, self.seen, self.roots = False, set(), tuple(map(str, roots))
        sys.addaudithook(self.hear)

    def hear(self, event, arguments):
        if not self.is_on or not event.startswith(WATCHED):
            return
        what = arguments[0] if arguments else ""
        what = what.co_filename if isinstance(what, CodeType) else what
        if not isinstance(what, bytes | str | os.PathLike):
            self.seen.add((event, type(what).__name__))
            return
        path = os.path.abspath(os.fsdecode(what))  # noqa: PTH100 - of a folder that may not be
        known = next((root for root in self.roots if path.startswith(root)), path)
        self.seen.add((event, known))

    def during(self, do):
        self.seen, self.is_on = set(), True
        try:
            return do(), self.seen
        finally:
            self.is_on = False


@pytest.fixture(scope="module")
def watch(tmp_path_factory):
    made = [Path(tempfile.gettempdir(), name) for name in ("tmp", ".onesided", "onesided-table-")]
    package = Path(onesided.__file__).parent
    return Watch(sys.prefix, sys.base_prefix, package, tmp_path_factory.getbasetemp(), *made)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Folders with a model and a table, of which a cell names a file that nothing should open."""
    made = []
    for kind, method in ALL_MODELS if EXAMPLES else FEW_MODELS:
        folder = tmp_path_factory.mktemp(f"{kind}-{method}-")
        save_model(fitted(kind, method)[1], folder / "good.onesided")
        table = a_table(kind)[0].slice(0, 40)
        if "note" in table.column_names:
            notes = [__file__, f"{'a' * 40}!", *table["note"].to_pylist()[2:]]
            table = table.set_column(table.column_names.index("note"), "note", [notes])
        pq.write_table(table, folder / "t.parquet")
        made.append(folder)
    return made


def score(folder, name):
    """Score by the command line: its exit code, and the scores or what it says."""
    done = run("score", name, "t.parquet", "--out", "s.csv", cwd=folder)
    ends_in_words(done)
    return done.returncode, (folder / "s.csv").read_text() if done.returncode == 0 else done.stderr


def outcome(folder, good):
    """What comes of a changed file."""
    found = "refused on loading"
    with enduring():
        load_model(folder / "changed.onesided")
        found = "refused on scoring"
        code, said = score(folder, "changed.onesided")
        if code == 0:
            found = "equal scores" if said == good else "other scores"
    return found


def children():
    """Processes that this one has started."""
    found = Path("/proc/self/task").glob("*/children")
    return {number for path in found for number in path.read_text().split()}


def test_scores_or_one_sentence_and_nothing_else(models, watch):
    good, usual = {}, set()
    for folder in models:
        (folder / "changed.onesided").write_bytes(b"PK")
        for name in ("good.onesided", "changed.onesided", "good.onesided"):
            (code, good[folder]), seen = watch.during(partial(score, folder, name))
            usual |= seen
        assert code == 0, (folder.name, good[folder])
    before, outcomes, wrong = children(), collections.Counter(), []
    for seed in range(EXAMPLES or FEW):
        draw = random.Random(seed)  # noqa: S311 - the same each time
        folder = draw.choice(models)
        changes, content = tampered(draw, folder / "good.onesided")
        (folder / "changed.onesided").write_bytes(content)
        about = f"seed {seed}, {folder.name}, {', '.join(changes)}"
        began = time.monotonic()
        try:
            found, seen = watch.during(partial(outcome, folder, good[folder]))
        except Exception as error:  # noqa: BLE001 - any is one too many
            wrong.append(f"{about}: {error!r}")
            continue
        outcomes[found] += 1
        wrong += [f"{about}: {event}" for event in seen - usual]
        wrong += [f"{about}: slow"] * (time.monotonic() - began > SLOWEST)
    print(dict(outcomes))  # noqa: T201 - for who asks by -rP
    assert not wrong, "\n".join(wrong)
    assert children() == before
    assert outcomes["refused on loading"] > outcomes["equal scores"] > 0
