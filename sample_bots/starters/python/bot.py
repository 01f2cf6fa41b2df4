"""A DVONN bot that plays any legal ply, each as likely as the others. Begin with `choose`.

The arbiter writes one message a line, and this program answers two of them: "dvp" with "dvpok", and "go"
with "move". Whatever it does not know it skips. It needs Python alone, nothing of the arbiter's.
"""

import random
import sys

chance = random.Random(0)


def choose(board, legal, clock):
    """The ply to play: change this first.

    `board` is the position as protocol/SPEC.md writes it (DPOS), `legal` all plies that are allowed, such as
    "D1", "H1G1" or "PASS", and `clock["time"]` what is left for the whole game, in milliseconds.
    """
    return chance.choice(legal)


def say(*words):
    print(*words, flush=True)  # without flush Python keeps the answer back, and the bot loses on time


def main():
    seed, board, legal = 0, "", []
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    for line in sys.stdin:  # the end of the input means quit, too
        word, *rest = line.split() or [""]
        if word == "dvp":  # say who you are and what can be set; the last word is dvpok
            say("id name random-python")
            say("option Seed spin 0 0 2147483647")
            say("dvpok")
        elif word == "setoption":  # the same Seed, the same game
            if rest[0] == "Seed":
                seed = int(rest[1])
        elif word == "newgame":  # forget the game before
            chance.seed(seed)
        elif word == "board":
            board = " ".join(rest)
        elif word == "legal":
            legal = rest
        elif word == "go":  # the clock runs until "move" is out
            clock = dict(zip(rest[::2], map(int, rest[1::2])))
            say("info nodes", len(legal))  # what you thought, for the record: depth, score, pv, ...
            say("move", choose(board, legal, clock))
        elif word == "quit":
            break


if __name__ == "__main__":
    main()

# With the arbiter's rules and its helper, where they are installed, this is all there is to write.
# It plays the ply that leaves the opponent the fewest:
#
#     from protocol.bot import run
#
#     def choose(position, clock):
#         return min(position.legal_plies(), key=lambda ply: len(position.play(ply).legal_plies()))
#
#     run(choose, name="random-python")
