"""What is free, by the machine and by the limits of control groups."""

import pytest

from onesided._files import _memory

GB = 10**9
MACHINE = "MemTotal: 24000000 kB\nMemFree: 100 kB\nMemAvailable: 16000000 kB\n"
FREE = 16_000_000 * 1024


def lay_out(folder, monkeypatch, groups, files):
    (folder / "meminfo").write_text(MACHINE)
    (folder / "cgroup").write_text(groups)
    for name, text in files.items():
        (folder / "mount" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "mount" / name).write_text(text)
    for name, place in (("_MACHINE", "meminfo"), ("_GROUPS", "cgroup"), ("_MOUNT", "mount")):
        monkeypatch.setattr(_memory, name, folder / place)


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    {
        "no group": ("", {}, FREE),
        "no limit": (
            "0::/a\n",
            {"a/memory.max": "max\n", "a/memory.current": "5\n"},
            FREE,
        ),
        "a limit, and a cache that is given back": (
            "0::/a/b\n",
            {
                "a/b/memory.max": f"{4 * GB}\n",
                "a/b/memory.current": f"{3 * GB}\n",
                "a/b/memory.stat": f"anon 7\ninactive_file {GB}\n",
            },
            2 * GB,
        ),
        "a limit of the group above": (
            "0::/a/b\n",
            {
                "a/b/memory.max": "max\n",
                "a/memory.max": f"{4 * GB}\n",
                "a/memory.current": f"{1 * GB}\n",
            },
            3 * GB,
        ),
        "a limit of the container": (
            "0::/\n",
            {"memory.max": f"{GB}\n", "memory.current": f"{2 * GB}\n"},
            0,
        ),
        "the first version": (
            "9:cpu:/x\n4:memory:/a\n0::/\n",
            {
                "memory/a/memory.limit_in_bytes": f"{2 * GB}\n",
                "memory/a/memory.usage_in_bytes": f"{GB}\n",
                "memory/memory.limit_in_bytes": "9223372036854771712\n",
                "memory/memory.usage_in_bytes": f"{GB}\n",
            },
            GB,
        ),
    }.values(),
)
def test_what_is_free(groups, files, expected, tmp_path, monkeypatch):
    lay_out(tmp_path, monkeypatch, groups, files)
    assert _memory.available_memory() == expected


def test_a_system_that_tells_nothing(tmp_path, monkeypatch):
    for name in ("_MACHINE", "_GROUPS", "_MOUNT"):
        monkeypatch.setattr(_memory, name, tmp_path / "none")
    assert _memory.available_memory() > 1e8


def test_this_machine():
    assert 1e7 < _memory.available_memory() < 1e15
