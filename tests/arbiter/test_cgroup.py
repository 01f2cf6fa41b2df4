"""Control groups, on directories that look like the kernel's: most machines that test hand none down."""

import os
from pathlib import Path

import pytest

from arbiter.isolation.cgroup import Group, Place, choose_place, make


def tree(root: Path, groups: dict[str, str]) -> Path:
    """A hierarchy; each group with the controllers that it hands down."""
    for name, handed_down in groups.items():
        path = root / name
        path.mkdir(parents=True, exist_ok=True)
        (path / "cgroup.procs").write_text("")
        (path / "cgroup.subtree_control").write_text(handed_down)
    return root


def mounts(root: Path) -> str:
    return (
        f"22 1 0:21 / /proc rw - proc proc rw\n30 1 0:26 / {root} rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
    )


def test_the_nearest_group_with_the_most_controllers(tmp_path: Path) -> None:
    groups = {".": "cpu memory pids", "user": "memory pids", "user/app": "cpu memory pids", "user/app/me": ""}
    root = tree(tmp_path, groups)
    expected = Place(root / "user/app", frozenset({"memory", "pids"}))
    assert choose_place(mounts(root), "1:name=systemd:/x\n0::/user/app/me\n") == expected


def test_less_is_taken_where_there_is_no_more(tmp_path: Path) -> None:
    root = tree(tmp_path, {".": "", "user": "pids", "user/me": "cpu"})
    assert choose_place(mounts(root), "0::/user/me\n") == Place(root / "user", frozenset({"pids"}))


@pytest.mark.parametrize("own", ["0::/user/me\n", "5:memory:/user\n", "0::/gone\n"])
def test_none_without_controllers(own: str, tmp_path: Path) -> None:
    root = tree(tmp_path, {".": "", "user": "cpu", "user/me": ""})
    assert choose_place(mounts(root), own) is None
    assert choose_place("22 1 0:21 / /proc rw - proc proc rw\n", own) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_groups_that_are_not_ours_are_left_alone(tmp_path: Path) -> None:
    root = tree(tmp_path, {"user": "memory pids"})
    (root / "user").chmod(0o555)
    assert choose_place(mounts(root), "0::/user\n") is None


def group(tmp_path: Path, *controllers: str, **files: str) -> Group:
    made = make(Place(tmp_path, frozenset(controllers)), "1.2.3")
    assert made is not None
    for name in (
        "memory.max",
        "memory.swap.max",
        "memory.oom.group",
        "pids.max",
        "cgroup.procs",
        "cgroup.kill",
    ):
        (made.path / name).write_text("")
    for name, text in files.items():
        (made.path / name.replace("_", ".", 1)).write_text(text)
    return made


def test_what_controllers_bound(tmp_path: Path) -> None:
    both = group(tmp_path, "memory", "pids")
    both.limit(1000, 20)
    assert (both.path / "memory.max").read_text() == "1000"
    assert (both.path / "memory.oom.group").read_text() == "1"
    assert (both.path / "pids.max").read_text() == "20"
    both.kill()
    assert (both.path / "cgroup.kill").read_text() == "1"


def test_nothing_is_bounded_without_a_controller(tmp_path: Path) -> None:
    only = group(tmp_path, "pids")
    only.limit(1000, None)
    assert (only.path / "memory.max").read_text() == (only.path / "pids.max").read_text() == ""
    assert not only.ran_out_of_memory()


@pytest.mark.parametrize("count, expected", [("0", False), ("1", True)])
def test_a_kill_by_the_kernel_is_seen(count: str, expected: bool, tmp_path: Path) -> None:
    text = f"low 0\nhigh 0\nmax 9\noom {count}\noom_kill {count}\n"
    made = group(tmp_path, "memory", memory_events=text, cgroup_procs="12\n13\n")
    assert made.ran_out_of_memory() is expected
    assert made.members() == [12, 13]


def test_a_process_joins_through_the_door(tmp_path: Path) -> None:
    made = group(tmp_path, "memory")
    door = made.door()
    os.write(door, b"0")
    os.close(door)
    assert made.members() == [0]


def test_groups_that_cannot_be_made(tmp_path: Path) -> None:
    assert make(Place(tmp_path / "gone", frozenset()), "1.2.3") is None
    empty = Group(tmp_path / "empty", frozenset())
    empty.path.mkdir()
    empty.remove()
    empty.remove()
    assert not empty.path.exists()
    assert empty.members() == []
    assert not empty.freeze(True)
