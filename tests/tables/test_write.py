"""Outputs are on the disk before the command ends."""

import errno
import os
from pathlib import Path

import pytest

from onesided.exceptions import TableError
from onesided.tables import write_files


def test_files_and_folders_are_on_the_disk(tmp_path, monkeypatch):
    """Each file before it gets its name, and the folder after it has the name."""
    done = []
    sync, replace = os.fsync, os.replace

    def synced(descriptor):
        done.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        sync(descriptor)

    def replaced(*paths):
        done.append("named")
        replace(*paths)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    write_files({tmp_path / "a": lambda path: path.write_text("a")})
    first, *others = done
    assert first.endswith(".part")
    assert others == ["named", str(tmp_path)]


@pytest.mark.parametrize(
    ("number", "mend"),
    [(errno.ENOSPC, "Free some disk space"), (errno.ENOENT, "Pass another path")],
)
def test_only_a_full_disk_asks_for_space(number, mend, tmp_path):
    def fails(_):
        raise OSError(number, os.strerror(number))

    with pytest.raises(TableError, match=mend):
        write_files({tmp_path / "a": fails})
    assert not list(tmp_path.iterdir())
