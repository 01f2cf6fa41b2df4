"""A DVP bot with one fault, named on its command line; without one it is a correct bot.

    faulty.py [FAULT] [ARGUMENT]

It announces what the fault is about, and plays the first legal ply.
"""

import os
import signal
import sys
import time

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
ARGUMENT = sys.argv[2] if len(sys.argv) > 2 else ""
FEATURES = {
    "no-readyok": "ready",
    "deaf-to-stop": "stop",
    "impatient": "stop",
    "remembers": "reuse",
    "leaves-after-result": "reuse",
    "everything": "reuse ready stop",
    "misspelled-feature": "resue",
}
OPTIONS = {
    "spin-order": ["option Hash spin 1 1024 64"],
    "spin-short": ["option Hash spin 64"],
    "name-with-blank": ["option Own Book check true"],
    "odd-default": ["option Style combo quick solid wild"],
    "default-only-once": ["option Style combo solid wild"],
    "one-choice": ["option Style combo solid"],
    "dies-of-option": ["option Depth spin 4 1 9", "option Hash spin 64 1 1024"],
    "in-pieces": ["option Hash spin 64 1 1024", "option Seed spin 0 0 9"],
    "unseeded": ["option Seed spin 0 0 2147483647"],
    "deaf-to-seed": ["option Seed spin 0 0 2147483647"],
    "everything": [
        "option Hash spin 64 1 1024",
        "option Book check true",
        "option Style combo solid solid wild",
        "option File string my book.txt",
        "option Clear button",
        "option Seed spin 0 0 2147483647",
    ],
}


def start_sleeping(**how):
    import subprocess

    return subprocess.Popen(["sleep", "60"], **how)


def write(text):
    data = text.encode()
    while data:
        data = data[os.write(1, data) :]


def say(*lines):
    for line in lines:
        for piece in line.replace(" ", " |").split("|") if FAULT == "in-pieces" else [line]:
            write(piece)
            time.sleep(0.001 if FAULT == "in-pieces" else 0)
        write("\n")


def wrong_ply(rule, dpos):
    """A ply that breaks just this rule, if there is one here."""
    from protocol.rules import SPACES, Phase, parse_dpos, parse_ply

    position = parse_dpos(dpos)
    if position.phase is not Phase.MOVEMENT:
        return None
    for source in SPACES:
        for target in SPACES:
            fault = position.check(parse_ply(source + target))
            if fault is not None and fault.rule == rule:
                return source + target
    return None


class Bot:
    def __init__(self):
        self.legal, self.dpos, self.position, self.side = [], "", "", ""
        self.infinite, self.games, self.number = False, 0, 0

    def hear(self, line):
        words = line.split()
        handler = getattr(self, "on_" + words[0], None) if words else None
        if handler:
            return handler(words, line)
        if words and FAULT == "dies-of-words":
            raise ValueError(f"unknown command {words[0]!r}")
        if words and FAULT == "leaves-unknown":
            sys.exit(1)
        if words and FAULT == "complains":
            say(f"unknown command {words[0]!r}")
        return None

    def on_dvp(self, words, line):
        if FAULT == "dies-of-hello":
            raise KeyError("dvp")
        if FAULT == "mute":
            return
        if FAULT == "unflushed":
            print("dvpok")
            return
        if FAULT == "hello":
            write(ARGUMENT.encode().decode("unicode_escape"))
            return
        say("id name Faulty", *OPTIONS.get(FAULT, []))
        if FAULT in FEATURES:
            say(f"feature {FEATURES[FAULT]}")
        say("dvpok")

    def on_setoption(self, words, line):
        if FAULT == "dies-of-option" and words[1] == "Hash" and int(words[2]) < 16:
            raise MemoryError(f"a table of {words[2]} MB is too small")

    def on_newgame(self, words, line):
        self.side = words[1]
        self.games += 1
        if FAULT == "dies-as-black" and self.side == "black":
            raise NotImplementedError("black")
        if FAULT == "ascii-names":
            line.encode("ascii")
        if FAULT == "strict-newgame":
            for key in words[2 : words.index("opponent") : 2]:
                {"time", "inc", "movetime", "grace", "clock", "ponder", "rules", "game"}.remove(key)

    def on_isready(self, words, line):
        if FAULT != "no-readyok":
            say("readyok")

    def on_position(self, words, line):
        self.position = line.strip()
        if FAULT == "no-tall-stacks" and words[1] != "start":
            cells = words[1].replace("*", "")
            for digit in "0123456789":
                cells = cells.replace(f"w1{digit}", "?").replace(f"b1{digit}", "?")
            assert "?" not in cells, "a stack of ten or more"
        if FAULT == "own-games-only" and words[1] == "start" and len(words) > 5 and not self.number:
            raise IndexError("I did not play this")

    def on_board(self, words, line):
        self.dpos = " ".join(words[1:])

    def on_legal(self, words, line):
        self.legal = words[1:]
        if FAULT == "answers-legal":
            say(f"move {self.legal[0]}")
        if FAULT == "debug":
            say(f"I see {len(self.legal)} plies", "info depth 1 cp 35 nodes 12")

    def on_result(self, words, line):
        if FAULT == "leaves-after-result":
            sys.exit(0)

    def on_quit(self, words, line):
        if FAULT not in ("ignores-quit", "ignores-the-end", "stubborn"):
            if FAULT == "leaves-a-child":
                start_sleeping()
            if FAULT == "waits-for-a-child":
                start_sleeping().wait()
            sys.exit(4 if FAULT == "odd-status" else 0)

    def on_stop(self, words, line):
        if self.infinite and FAULT != "deaf-to-stop":
            self.infinite = False
            say(f"move {self.legal[0]}")

    def on_go(self, words, line):
        values = dict(zip(words[1::2], map(int, words[2::2]), strict=False))
        if FAULT == "strict-go":
            for key in values:
                {"ply", "time", "opptime", "inc", "movetime", "used", "depth", "nodes"}.remove(key)
        self.number = values["ply"]
        self.think(values)
        if values.get("infinite") and FAULT not in ("impatient",):
            self.infinite = True
            return
        self.answer()

    def think(self, values):
        if FAULT == "slow":
            time.sleep(float(ARGUMENT))
        stacks = sum(cell in "wb" for cell in self.dpos.split()[0]) if self.dpos else 49
        if FAULT == "slow-late" and stacks < 20:
            time.sleep(1.3)  # more than a machine can be blamed for
        if FAULT in ("asked", "hangs"):
            open("asked", "w").close()
        if FAULT == "asked" and self.number == 1:
            time.sleep(0.1)
        if FAULT == "hangs":
            time.sleep(600)
        if FAULT == "stops-itself":
            os.kill(os.getpid(), signal.SIGSTOP)
        if FAULT == "forks":
            for _ in range(3):
                start_sleeping(start_new_session=True)
        if FAULT == "needs-time":
            values["time"] / 30
        if FAULT == "no-time-is-no-limit" and values.get("time") == 0:
            time.sleep(60)
        if FAULT == "dies-at" and self.number >= int(ARGUMENT):
            raise RuntimeError(f"table overrun at ply {self.number}")
        if FAULT == "flood":
            while True:
                write("info string thinking\n" * 100)

    def answer(self):
        ply = self.legal[-1 if FAULT == "short-buffer" else 0]
        if FAULT == "bare":
            say(ply)
        elif FAULT == "no-line-end":
            write(f"move {ply}")
        elif FAULT == "says":
            say(ARGUMENT.replace("PLY", ply))
        elif FAULT == "always-a1":
            say("move A1" if len(ply) == 2 else f"move {ply}")
        elif FAULT == "waits-at-50" and self.number == 50:
            pass
        elif FAULT == "breaks":
            say(f"move {wrong_ply(ARGUMENT, self.dpos) or ply}")
        elif FAULT == "moves-say" and len(ply) == 4 and ply != "PASS":
            say(*ARGUMENT.replace("PLY", ply).split(","))
        elif FAULT == "passes-say" and ply == "PASS":
            say(*ARGUMENT.replace("PLY", ply).split(","))
        elif FAULT == "dies-at-50" and self.number == 50:
            raise IndexError("stack index")
        elif FAULT == "breaks-after-pass" and self.position.endswith("PASS"):
            say(f"move {wrong_ply(ARGUMENT, self.dpos) or ply}")
        elif FAULT == "passes" and len(ply) == 4 and self.number > 54:
            say("move PASS")
        elif FAULT == "never-passes" and ply == "PASS":
            pass
        elif FAULT == "dies-of-pass" and ply == "PASS":
            raise IndexError("no moves")
        elif FAULT == "dies-after-pass" and self.position.endswith("PASS"):
            raise ValueError("PASS is no move")
        elif FAULT == "start-only" and not self.position.startswith("position start"):
            say("move A1")
        elif FAULT == "twice":
            write(f"move {ply}\nmove {ply}\n")
        elif FAULT == "wrong-number":
            say(f"move {ply} ply {self.number - 2}")
        elif FAULT == "remembers" and self.games > 1:
            say("move B1A1")
        elif FAULT == "unseeded":
            say(f"move {self.legal[os.urandom(1)[0] % len(self.legal)]}")
        else:
            say(f"move {ply}")


def main():
    if FAULT == "stubborn":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    if FAULT == "floods":
        while True:
            write("nonsense\n" * 1000)
    if FAULT == "blob":
        while True:
            write("x" * 65536)
    if FAULT == "starts-a-child":
        start_sleeping()
    if FAULT == "exits":
        sys.exit(3)
    if FAULT == "sleepy":
        time.sleep(float(ARGUMENT))
    if FAULT == "lock":
        os.mkdir("lock")
    if FAULT == "waits-for-lock":
        import fcntl

        lock = open("lock", "w")
        fcntl.flock(lock, fcntl.LOCK_EX)
    if FAULT == "leaves-a-file":
        with open("log.txt", "a") as log:
            log.write("started\n")
    if FAULT == "banner":
        say("Faulty 1.0, a bot for DVONN")
    bot = Bot()
    try:
        while True:
            line = sys.stdin.readline()
            if FAULT == "short-buffer" and len(line) > int(ARGUMENT):
                bot.hear(line[: int(ARGUMENT)])
            elif line:
                bot.hear(line)
            elif FAULT in ("ignores-the-end", "stubborn"):
                time.sleep(0.1)
            elif FAULT != "deaf-to-the-end":
                break
    finally:
        if FAULT == "lock":
            os.rmdir("lock")


main()
