"""Programs that do not start: each reason told apart, with what to do about it."""

import os
import sys
from pathlib import Path

import pytest
import trio

from arbiter.isolation import scratch
from arbiter.isolation.confine import Confinement
from arbiter.isolation.environment import withheld
from arbiter.isolation.launch import StartError, launch
from arbiter.isolation.levels import choose
from arbiter.isolation.sandbox import Sandbox


def script(path: Path, text: str | bytes, mode: int = 0o755) -> str:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(mode)
    return str(path)


def refusal(word: str, directory: Path) -> str:
    with pytest.raises(StartError) as caught:
        launch([word], directory, {})
    return str(caught.value)


def test_each_reason_is_told_apart(tmp_path: Path) -> None:
    cases = {
        str(tmp_path / "missing"): "missing: no such file; is it built, and is the path right?",
        str(tmp_path): "this is a directory; name the program in it",
        "no-such-command-here": "no-such-command-here: no such command on PATH; write ./no-such-command-here",
        script(
            tmp_path / "plain.py", "print()", 0o644
        ): "run `chmod +x plain.py`, or start it as `python3 plain.py`",
        script(tmp_path / "crlf", "#!/bin/sh\r\nexit 0\r\n"): "ends in a carriage return (Windows line ends)",
        script(tmp_path / "lost", "#!/no/such/interpreter\n"): "its #! line names /no/such/interpreter",
        script(tmp_path / "bare", "echo hello\n"): "a script without a #! line",
        script(tmp_path / "arm", b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xb7\x00" + bytes(100)): (
            "built for another machine"
        ),
        "nul\0byte": "cannot be a command",
    }
    for word, expected in cases.items():
        assert expected in refusal(word, tmp_path), word


def test_what_cannot_be_read_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo", 0o755)
    assert "this is no program but a device, a pipe or a socket" in refusal(str(tmp_path / "fifo"), tmp_path)


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    assert refusal("sh", tmp_path / "gone") == f"its directory {tmp_path}/gone does not exist"


def test_a_program_has_its_own_session_and_our_variables(tmp_path: Path) -> None:
    code = (
        "import os; print(os.getsid(0) == os.getpid(), os.environ['MINE'], os.getcwd(),"
        " sorted(os.listdir('/proc/self/fd')))"
    )
    program = launch([sys.executable, "-c", code], tmp_path, {"MINE": "yes"})
    output = program.process.communicate()[0].decode().split(maxsplit=3)
    assert output[:3] == ["True", "yes", str(tmp_path)]
    # The standard three, and the one that lists them.
    assert output[3].strip() == "['0', '1', '2', '3']"
    assert program.poll() == 0
    trio.run(program.kill)


@pytest.mark.parametrize(
    ("name", "value", "passed_on"),
    [
        ("PYTHONUNBUFFERED", "1", None),
        ("_STDBUF_O", "L", None),
        ("NSUnbufferedIO", "YES", None),
        ("GFORTRAN_UNBUFFERED_ALL", "y", None),
        ("LD_PRELOAD", "/usr/libexec/coreutils/libstdbuf.so", None),
        ("LD_PRELOAD", "libdl.so.2:/usr/libexec/coreutils/libstdbuf.so", "libdl.so.2:"),
        ("DYLD_INSERT_LIBRARIES", "libstdbuf.so:mine.dylib", "mine.dylib"),
        ("LD_PRELOAD", "libdl.so.2", "libdl.so.2"),
        ("PYTHONHASHSEED", "1", "1"),
    ],
)
def test_what_hides_a_missing_flush_is_not_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, passed_on: str | None
) -> None:
    monkeypatch.setenv(name, value)
    code = f"import os; print(os.environ.get({name!r}))"
    for given, expected in (({}, passed_on), ({name: "0"}, "0")):
        program = launch([sys.executable, "-c", code], tmp_path, given)
        # What the linker cannot preload it says on standard error.
        assert program.process.communicate()[0].decode().strip() == str(expected)
        trio.run(program.kill)
    shown = "stdbuf" if "stdbuf" in (name + value).casefold() else name
    assert withheld() == ([] if passed_on == value else [shown])


def test_a_scratch_directory_goes_however_deep_it_is(tmp_path: Path) -> None:
    """Deeper than any path may be long, and closed to everybody."""
    scratch_directory = scratch.root() / f"test-{os.getpid()}"
    scratch_directory.mkdir()
    home = Path.cwd()
    try:
        os.chdir(scratch_directory)
        for _ in range(3_000):
            Path("d").mkdir()
            Path("f").touch()
            os.chdir("d")
        Path().chmod(0)
    finally:
        os.chdir(home)
    for index in range(50):
        (scratch_directory / f"{index}").mkdir(mode=0)
    scratch.remove(scratch_directory)
    assert not [path for path in scratch.root().iterdir() if path.name.startswith(scratch_directory.name)]


def test_two_may_end_a_program_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dissolved: list[Confinement] = []
    dissolve = Confinement.dissolve

    def counting(confinement: Confinement) -> None:
        dissolved.append(confinement)
        dissolve(confinement)

    monkeypatch.setattr(Confinement, "dissolve", counting)
    program = launch(["sleep", "60"], tmp_path, {}, Sandbox(level=choose("auto")))

    async def end_twice() -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(4):
                nursery.start_soon(program.kill)

    before = len(list(Path("/proc/self/fd").iterdir()))
    trio.run(end_twice)
    # Others may be there: choosing the level starts a program to try it.
    own = [confinement for confinement in dissolved if confinement is program.confinement]
    assert len(own) == (program.confinement is not None)
    assert program.poll() is not None
    for pipe in (program.process.stdin, program.process.stdout, program.process.stderr):
        assert pipe is not None
        pipe.close()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before - 3
