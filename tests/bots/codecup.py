"""A CodeCup bot that plays the first legal ply, and does something odd where it is told to.

    codecup.py [ODDITY]

    waits      reads a line before its first stack move, as if Black moved first
    garbage    answers its third ply with words
    passes     answers PASS in its third turn
    forgets    plays the same placement twice
    leaves     exits as soon as it has written its third ply
    vanishes   exits in the opponent's turn, after its third ply
    rash       writes its first stack move together with the last placement
    late       thinks for a minute at its third ply
    banner     greets before it reads anything
    debug      tells before each ply how many there are
    lower      writes in lower case
    dvp        writes `move` before its plies
    deaf       reads on after `Quit`
    endless    runs on when its input has ended
    stuck      waits for its opponent when it has to pass
    stickler   dies of its opponent's pass
    relaxed    ends itself as soon as the game is over
"""

import os
import sys
import time

from protocol.rules import Phase, Position, Side, parse_ply


def main():
    oddity = sys.argv[1] if len(sys.argv) > 1 else ""
    position, own, turns = Position.start(), None, 0
    if oddity == "banner":
        os.write(1, b"Odd 1.0 by nobody\n")
    while True:
        if position.is_over and oddity == "relaxed":
            return
        line = sys.stdin.readline().strip()
        while oddity == "endless" and not line:
            time.sleep(0.1)
        while oddity == "deaf" and line == "Quit":
            line = sys.stdin.readline().strip()
        if line in ("", "Quit"):
            return
        if line == "PASS" and oddity == "stickler":
            raise ValueError("PASS is no move")
        if line == "Start":
            own = Side.WHITE
        else:
            own = Side.BLACK if own is None else own
            position = position.play(parse_ply(line))
        written = ""
        while not position.is_over and position.to_move is own:
            turns += 1
            ply = sorted(position.legal_plies(), key=str)[0]
            is_double = position.phase is Phase.MOVEMENT and written != "" or turns == 26 and own is Side.WHITE
            if is_double and oddity == "waits":
                sys.stdin.readline()
            if turns == 3:
                if oddity == "late":
                    time.sleep(60)
                text = {"garbage": "what now?", "passes": "PASS", "forgets": first}.get(oddity, ply.text)
            else:
                text = ply.text
            if turns == 1:
                first = text
            if oddity == "stuck" and text == "PASS":
                sys.stdin.readline()
            if oddity == "debug":
                written += f"{len(position.legal_plies())} plies\n"
            position = position.play(ply)
            text = {"lower": text.lower(), "dvp": f"move {text}"}.get(oddity, text)
            written += text + "\n"
            if oddity != "rash" or not (own is Side.WHITE and turns == 25):
                os.write(1, written.encode())
                written = ""
            if turns == 3 and oddity in ("leaves", "vanishes"):
                time.sleep(0.02 if oddity == "vanishes" else 0)
                os._exit(7)


main()
