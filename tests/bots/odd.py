"""A DVP bot that plays the first legal ply until its turn number AT, and then does something odd.

    odd.py ODDITY [ARGUMENT] [--at AT] [--always] [--ready]

Written on raw descriptors, so that nothing is buffered that the test did not mean to be.
"""

import argparse
import os
import signal
import subprocess
import sys
import time


def write(text, descriptor=1):
    data = text.encode() if isinstance(text, str) else text
    while data:
        data = data[os.write(descriptor, data) :]


def say(text):
    write(text.encode().decode("unicode_escape"))


def daemon():
    """A grandchild in a session of its own, whose parent is gone."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "60"])
        os._exit(0)
    os.wait()


def fat_child():
    """A child with 30 MB that outlives us."""
    if os.fork() == 0:
        kept = bytearray(30_000_000)
        time.sleep(60)
        os._exit(len(kept) and 0)


def endless(line):
    while True:
        write(line)


def burn(seconds):
    """Use this much CPU time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def burn_apart(argument, stay=False):
    """Several processes at once, each this long: ``4x0.2``. Those that stay end when we do.

    Of one that ends nobody knows what it ran since somebody last looked.
    """
    done, says_done = os.pipe()
    count, seconds = argument.split("x")
    children = []
    for _ in range(int(count)):
        child = os.fork()
        if child == 0:
            burn(float(seconds))
            os.write(says_done, b".")
            while stay:
                time.sleep(60)
            os._exit(0)
        children.append(child)
    for child in children:
        os.read(done, 1)
    for child in () if stay else children:
        os.waitpid(child, 0)


def count_for_ever():
    """A child that writes a beat for every 10 ms of CPU time, so that one sees when it stood still.

    The first one is there before we move: whoever watches has the turn after ours.
    """
    beats = os.open("beats", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    before = os.path.getsize("beats")
    if os.fork() == 0:
        while True:
            burn(0.01)
            write("beat\n", 2)
            write(b".", beats)
    while os.path.getsize("beats") == before:
        time.sleep(0.001)


def await_beats(argument):
    """Let so many beats of another bot pass, or so much time, and tell how many they were: ``40x0.5``."""
    count, seconds = argument.split("x")
    before, end = os.path.getsize("beats"), time.monotonic() + float(seconds)
    while os.path.getsize("beats") - before < int(count) and time.monotonic() < end:
        time.sleep(0.01)
    write(f"beats {os.path.getsize('beats') - before}\n", 2)


def hold(argument):
    """Think until somebody lets us go on, by the file ``go-on``; ``asked`` tells that we were asked.

    ``busy`` computes meanwhile.
    """
    open("asked", "w").close()
    while not os.path.exists("go-on"):
        burn(0.01) if argument == "busy" else time.sleep(0.01)


def late_by_own_account(seconds):
    """Sleep, and tell in microseconds how long that was."""
    began = time.monotonic_ns()
    time.sleep(seconds)
    write(f"info x-took {(time.monotonic_ns() - began) // 1_000}\n")


ODDITIES = {
    "burn": lambda argument, move: (burn(float(argument)), write(move)),
    "burn-apart": lambda argument, move: (burn_apart(argument), write(move)),
    "call": lambda argument, move: (subprocess.run(argument.split(), check=True), write(move)),
    "burn-and-stay": lambda argument, move: (burn_apart(argument, stay=True), write(move)),
    "count": lambda argument, move: (count_for_ever(), write(move)),
    "await-beats": lambda argument, move: (await_beats(argument), write(move)),
    "tell-cores": lambda argument, move: (write(f"cores {sorted(os.sched_getaffinity(0))}\n", 2), write(move)),
    "hold": lambda argument, move: (hold(argument), write(move)),
    "silent": lambda argument, move: time.sleep(60),
    "exit": lambda argument, move: os._exit(int(argument)),
    "signal": lambda argument, move: (os.kill(os.getpid(), getattr(signal, argument)), time.sleep(60)),
    "say": lambda argument, move: say(argument),
    "say-then-exit": lambda argument, move: (say(argument), os._exit(0)),
    "move-then-exit": lambda argument, move: (write(move), time.sleep(float(argument or 0)), os._exit(0)),
    "late": lambda argument, move: (time.sleep(float(argument)), write(move)),
    "late-by-own-account": lambda argument, move: (late_by_own_account(float(argument)), write(move)),
    "before": lambda argument, move: (say(argument), write(move)),
    "after": lambda argument, move: write(move + argument.encode().decode("unicode_escape")),
    "raw-before": lambda argument, move: write(bytes.fromhex(argument) + move.encode()),
    "drip": lambda argument, move: [(write(byte), time.sleep(0.01)) for byte in move],
    "crlf": lambda argument, move: write(move.replace("\n", "\r\n")),
    "blob": lambda argument, move: endless(b"x" * 65536),
    "long-line": lambda argument, move: (write("x" * int(argument) + "\n"), write(move)),
    "noise": lambda argument, move: endless("info depth 1\n"),
    "close": lambda argument, move: (os.close(1), time.sleep(60)),
    "chatter": lambda argument, move: write(move + "info depth 1 score 2\n" * int(argument)),
    "stderr": lambda argument, move: (write("y" * int(argument), 2), write(move)),
    "child": lambda argument, move: (subprocess.Popen(["sleep", "60"]), os._exit(0)),
    "daemon": lambda argument, move: (daemon(), write(move)),
    "fat-child": lambda argument, move: (fat_child(), write(move)),
    "deaf": lambda argument, move: time.sleep(60),
    "stop": lambda argument, move: (os.kill(os.getpid(), signal.SIGSTOP), write(move)),
    "none": lambda argument, move: write(move),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("oddity", choices=ODDITIES)
    parser.add_argument("argument", nargs="?", default="")
    parser.add_argument("--at", type=int, default=3)
    parser.add_argument("--always", action="store_true", help="at every turn from AT on")
    parser.add_argument("--feature", default="")
    parser.add_argument("--hello", default="", help="what is said instead of dvpok")
    parser.add_argument("--sleep", type=float, default=0, help="seconds before anything is read")
    parser.add_argument("--echo", action="store_true", help="echo the number of the ply")
    parser.add_argument("--ignore-quit", action="store_true")
    parser.add_argument("--ignore-sigterm", action="store_true")
    parser.add_argument("--loud-end", action="store_true", help="writes to stderr without end at the end")
    parser.add_argument("--on-quit", type=float, help="seconds until a file is written after quit")
    options = parser.parse_args()
    if options.ignore_sigterm:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(options.sleep)
    turn, legal = 0, ""
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "dvp":
            if options.hello:
                say(options.hello)
                continue
            if options.feature:
                write(f"feature {options.feature}\n")
            write("dvpok\n")
        elif word == "isready":
            write("readyok\n")
        elif word == "legal":
            legal = rest[0]
        elif word == "go":
            turn += 1
            number = rest[rest.index("ply") + 1]
            move = f"move {legal} ply {number}\n" if options.echo else f"move {legal}\n"
            is_odd = turn == options.at or (options.always and turn > options.at)
            ODDITIES[options.oddity if is_odd else "none"](options.argument, move)
        elif word in ("error", "result"):
            write(f"heard: {line}", 2)
        elif word == "quit" and options.loud_end:
            while True:
                write("z" * 65536, 2)
        elif word == "quit" and not options.ignore_quit:
            if options.on_quit is not None:
                time.sleep(options.on_quit)
                with open("farewell.txt", "w") as file:
                    file.write("x" * 1000)
            return
    while options.ignore_quit:
        time.sleep(1)


main()
