"""A Dask cluster in a process of its own, which may be killed."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap

CLUSTER = """
    import time
    from distributed import LocalCluster

    if __name__ == "__main__":
        with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
            print(cluster.scheduler_address, flush=True)
            time.sleep(600)
"""


@contextlib.contextmanager
def other_scheduler(folder):
    """A process with a scheduler, and its address."""
    program = folder / "cluster.py"
    program.write_text(textwrap.dedent(CLUSTER))
    with subprocess.Popen(
        [sys.executable, str(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    ) as process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            os.killpg(process.pid, signal.SIGKILL)
