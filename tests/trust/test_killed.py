"""A process that is ended while it writes: each file is old or new, and never half."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from every_verb import OUTPUTS, RUNS
from fuzzing import EXAMPLES
from onesided.cli._talk import interrupt_on_terminate
from onesided.tables import write_files

NAMES = ("ranking.csv", "report.html", "config.json")
POINTS = [(act, number) for act in ("write", "rename") for number in range(len(NAMES))]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


def ended_at(folder, kind, point):
    """Write the files in a process of its own, which gets the signal at one point."""

    def reach(act, number):
        if (act, number) == point:
            os.kill(os.getpid(), kind)

    def writer(number):
        def write(path):
            path.write_text("ne")
            reach("write", number)
            path.write_text("new")

        return write

    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    renamed, replace = iter(range(len(NAMES))), os.replace

    def watched(*paths):
        reach("rename", next(renamed))
        replace(*paths)

    os.replace = watched
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # it is ignored under nohup
    interrupt_on_terminate()
    code = 1
    try:
        write_files({folder / name: writer(number) for number, name in enumerate(NAMES)})
        code = 0
    except KeyboardInterrupt:
        code = 130
    finally:
        os._exit(code)


@pytest.mark.parametrize("kind", SIGNALS)
@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"{point[0]}-{point[1]}")
def test_all_old_or_all_new(kind, point, tmp_path):
    for name in NAMES:
        (tmp_path / name).write_text("old")
    status = ended_at(tmp_path, kind, point)
    found = [(tmp_path / name).read_text() for name in NAMES]
    left = {path.name for path in tmp_path.iterdir()} - {*NAMES}
    if kind == signal.SIGKILL:
        assert os.WTERMSIG(status) == kind
        n_new = point[1] if point[0] == "rename" else 0
        assert found == ["new"] * n_new + ["old"] * (len(NAMES) - n_new)
        assert len(left) <= len(NAMES)
        assert all(name.startswith(".onesided-") and name.endswith(".part") for name in left)
    else:
        assert os.waitstatus_to_exitcode(status) == 130
        assert found == ["new" if point[0] == "rename" else "old"] * len(NAMES)
        assert not left


KILL = """
    import os, signal, sys
    from onesided.cli.__main__ import main
    replace, renamed = os.replace, []
    def watched(*paths):
        if not str(paths[1]).endswith(".part"):  # as a model is written into
            renamed.append(paths)
        if len(renamed) == {number}:
            os.kill(os.getpid(), {kind})
        replace(*paths)
    os.replace = watched
    main()
"""
CASES = (
    [(verb, kind) for verb in OUTPUTS if verb != "score" for kind in SIGNALS[1:]]
    if EXAMPLES
    else [("fit", signal.SIGKILL), ("unexpected", signal.SIGTERM)]
)


@pytest.mark.parametrize(("verb", "kind"), CASES)
def test_verbs_ended_between_two_renamings(verb, kind, inputs):
    """The config, which says what was run, is the last that is new."""
    outputs = {*OUTPUTS[verb], "saved.json"}
    for name in outputs:
        old = '{"form": "old"}' if name.endswith("json") else "old"
        (inputs / name).write_text(old)
    before = {path.name: path.read_bytes() for path in inputs.iterdir() if path.is_file()}
    program = textwrap.dedent(KILL.format(number=2, kind=int(kind)))
    command = [sys.executable, "-c", program, *RUNS[verb], "--save-config", "saved.json"]
    done = subprocess.run(command, cwd=inputs, capture_output=True, text=True, check=False)
    after = {path.name: path.read_bytes() for path in inputs.iterdir() if path.is_file()}
    left = after.keys() - before.keys()
    changed = {name for name in before if after[name] != before[name]}
    assert changed <= outputs
    if kind == signal.SIGKILL:
        assert done.returncode == -kind
        assert len(changed) == 1
        assert "saved.json" not in changed
        assert all(name.startswith(".onesided-") for name in left)
    else:
        assert done.returncode == 130, done.stderr
        assert "Traceback" not in done.stderr
        assert changed == outputs
        assert not left


def test_an_interruption_that_a_library_caught(tmp_path):
    """It is not lost: nothing is written."""
    (tmp_path / "t.csv").write_text("y,a\n" + "".join(f"{i % 3 // 2},{i % 7}\n" for i in range(60)))
    code = """
        import os, signal, sys
        from onesided.tables import _problem
        from onesided.cli.__main__ import main

        read = _problem.read_known_rows

        def caught(*args, **given):
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            except BaseException:
                pass
            return read(*args, **given)

        _problem.read_known_rows = caught
        sys.argv = ["onesided", "rank", "t.csv", "--positive", "y", "--method", "logistic"]
        main()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 130
    assert "Interrupted" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv"}
