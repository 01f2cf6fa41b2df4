"""A bot whose behaviour is a script, so that a test can draw one and shorten it.

    chaos.py dvp|codecup SCRIPT

SCRIPT is a JSON list of actions; bytes stand in hexadecimal. After the last action it plays on to the end.

    ["turn", BEFORE, PLY, AFTER]  once it is to move: BEFORE, a ply by the rules if PLY is true, AFTER, in one write
    ["play", N]                   N plies by the rules
    ["await"]                     wait until it is to move
    ["write", BYTES]              now, whoever is to move
    ["repeat", BYTES, N]          the same N times
    ["drip", BYTES, MS]           byte by byte, with pauses
    ["pause", MS]
    ["stderr", BYTES]
    ["deaf"] ["close"]            close standard input, standard output
    ["exit", STATUS] ["signal", NUMBER] ["hang"]

It always plays the first legal ply by text, and never ends unless the script, or the end of its input, says so.
"""

import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def write(data, descriptor=1):
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        # Closed by its own script or by an arbiter that is done with it.
        pass


def hang():
    while True:
        time.sleep(60)


class Bot:
    is_deaf = False
    is_on_turn = False

    def read(self):
        """The next line; ends the program at the end of the input."""
        if self.is_deaf:
            hang()
        line = sys.stdin.buffer.readline()
        if not line or line.strip() in (b"quit", b"Quit"):
            os._exit(0)
        return line.decode().strip()

    def await_turn(self):
        while not self.is_on_turn:
            self.hear(self.read())

    def turn(self, before=b"", plays=True, after=b""):
        self.await_turn()
        ply = self.ply() if plays else b""
        write(before + ply + after)


class Dvp(Bot):
    position, legal = "start", []

    def hear(self, line):
        word, _, rest = line.partition(" ")
        if word == "dvp":
            write(b"dvpok\n")
        elif word == "isready":
            write(b"readyok\n")
        elif word == "position":
            self.position, self.legal = rest, []
        elif word == "legal":
            self.legal = rest.split()
        elif word == "go":
            self.is_on_turn = True

    def ply(self):
        self.is_on_turn = False
        return b"move %s\n" % (self.legal or self.derived())[0].encode()

    def derived(self):
        """The legal plies when some noise of the script was understood as a wish not to be told."""
        from protocol.rules import Position, parse_dpos, parse_ply

        start, _, plies = self.position.partition(" moves ")
        position = Position.start() if start == "start" else parse_dpos(start)
        for ply in plies.split():
            position = position.play(parse_ply(ply))
        return sorted(ply.text for ply in position.legal_plies())


class Codecup(Bot):
    def __init__(self):
        from protocol.errors import ProtocolError
        from protocol.rules import Position, Side, parse_ply

        self.position, self.own = Position.start(), None
        self.side, self.parse, self.error = Side, parse_ply, ProtocolError

    def hear(self, line):
        try:
            if line == "Start":
                self.own = self.side.WHITE
            else:
                self.own = self.side.BLACK if self.own is None else self.own
                self.position = self.position.play(self.parse(line))
        except self.error:
            # Something that the script wrote was a ply: from here on it knows nothing.
            while True:
                self.read()
        self.look()

    def look(self):
        self.is_on_turn = not self.position.is_over and self.position.to_move is self.own

    def ply(self):
        ply = min(self.position.legal_plies())
        self.position = self.position.play(ply)
        self.look()
        return f"{ply}\n".encode()


def perform(bot, word, *values):
    if word == "turn":
        bot.turn(bytes.fromhex(values[0]), values[1], bytes.fromhex(values[2]))
    elif word == "play":
        for _ in range(values[0]):
            bot.turn()
    elif word == "await":
        bot.await_turn()
    elif word == "write":
        write(bytes.fromhex(values[0]))
    elif word == "repeat":
        write(bytes.fromhex(values[0]) * values[1])
    elif word == "drip":
        for byte in bytes.fromhex(values[0]):
            write(bytes([byte]))
            time.sleep(values[1] / 1000)
    elif word == "pause":
        time.sleep(values[0] / 1000)
    elif word == "stderr":
        write(bytes.fromhex(values[0]), 2)
    elif word == "deaf":
        bot.is_deaf = True
        os.close(0)
    elif word == "close":
        os.close(1)
    elif word == "exit":
        os._exit(values[0])
    elif word == "signal":
        os.kill(os.getpid(), values[0])
        hang()
    elif word == "hang":
        hang()
    else:
        sys.exit(f"no such action: {word}")


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    bot = {"dvp": Dvp, "codecup": Codecup}[sys.argv[1]]()
    for action in json.loads(sys.argv[2]):
        perform(bot, *action)
    while True:
        bot.turn()


main()
