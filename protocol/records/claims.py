"""Results as foreign records state them: codes, and sentences in several languages."""

import re
from typing import NamedTuple

_CODES = {"1-0": "1-0", "0-1": "0-1", **dict.fromkeys(("1/2-1/2", "½-½", "0.5-0.5", "0"), "1/2-1/2")}
_NOTHING = {"", "*", "?", "-", "void", "unknown", "unfinished", "none", "in progress", "not finished"}
_SGF = re.compile(r"([bw])\+(.*)")
_ON_TIME = re.compile(r"\b(?:time|timed out|timeout|zeit\w*|temps|tiempo|tempo|tijd)\b|^t$")
# A letter or digit that would make a name part of a longer one; East Asian words follow without a blank.
_PART = r"[^\W\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"

_DRAW = re.compile(
    r"\b(?:draws?|drawn|drew|tied?|remis|remi|unentschieden|gelijkspel|match nul|partie nulle|nulle|égalité"
    r"|empate|empatada|empatado|tablas|pareggio|patta|oavgjort?|uafgjort|uavgjort|tasapeli|remíza|döntetlen"
    r"|berabere|ничья)\b|引き分け|引分|平局|和棋|무승부"
)
_LOSS = re.compile(
    r"\b(?:lost|loses|loser|defeated|beaten|verlor|verloren|verliert|verliest|perdu|perdue|perd|perdió|perdido"
    r"|pierde|perdeu|perso|perde|förlorade|förlorat|tabte|tapte|hävisi|przegrał\w*|prohrál\w*|проигра\w+)\b"
    r"|負|败|敗|패배"
)
_GAVE_UP = re.compile(
    r"\b(?:resigns|resigned|forfeits|forfeited|abandonne|abandonné|abandona|abandonó|aufgegeben|gibt auf"
    r"|gab auf|opgegeven|ha abbandonato|desistiu|timed out|сдался|сдалась)\b"
)
_WIN = re.compile(
    r"\b(?:won|wins?|winner|winning|victory|gewonnen|gewinnt|gewann|gewinner\w*|sieger\w*|sieg|gagne|gagnée?"
    r"|gagnant\w*|vainqueur|victoire|remporte\w*|gana|ganó|ganad[oa]|ganador\w*|gagnat|victoria|vencedor\w*"
    r"|ganhou|ganha|ganho|venceu|vence|vitória|vince|vinto|vinta|vincitore|vittoria|wint|winnaar|vann|vinner"
    r"|vunnit|vandt|vinder|vant|voitti|voittaja|wygrał\w*|wygrywa|zwycięzca|vyhrál\w*|vítěz|выиграл\w*"
    r"|победил\w*|победитель|победа|nyert|győztes|kazandı|kazanan|câștigat|a câștigat|guanyat|guanya)\b"
    r"|勝|胜|赢|승리"
)


class Claim(NamedTuple):
    """What a record says about its result; ``result`` is None when that could not be understood."""

    result: str | None
    text: str
    on_time: bool = False
    line: int = 0


def read_claim(text: str, white: str, black: str, line: int = 0) -> Claim | None:
    """The result in a property or header; None when it says nothing.

    Understood are ``1-0`` and the like, the codes of SGF (``W+R``, ``B+T``, ``Draw``), and a sentence
    that names one player and says that this one won or lost, or speaks of a draw.
    """
    words = " ".join(text.split())
    plain = words.casefold()
    if plain in _NOTHING:
        return None
    if plain in _CODES:
        return Claim(_CODES[plain], words, line=line)
    if code := _SGF.fullmatch(plain):
        return Claim("1-0" if code[1] == "w" else "0-1", words, bool(_ON_TIME.search(code[2])), line)
    result, on_time = _read_sentence(plain, white.casefold(), black.casefold())
    return Claim(result, words, on_time, line)


def _read_sentence(text: str, white: str, black: str) -> tuple[str | None, bool]:
    named, rest = _take_names(text, {"1-0": white, "0-1": black})
    if not named:
        named, rest = _take_names(text, {"1-0": "white", "0-1": "black"})
    on_time = bool(_ON_TIME.search(rest))
    wins, losses = bool(_WIN.search(rest)), bool(_LOSS.search(rest))
    if _DRAW.search(rest):
        return (None if wins or losses else "1/2-1/2"), False
    if not wins and not losses:
        losses = bool(_GAVE_UP.search(rest))
    if len(named) != 1 or wins == losses:
        return None, False
    return (named[0] if wins else {"1-0": "0-1", "0-1": "1-0"}[named[0]]), on_time


def _take_names(text: str, names: dict[str, str]) -> tuple[list[str], str]:
    """Whose names occur (by the result when that side wins), and the text without them.

    The longer name goes first: it may hold the shorter one.
    """
    found = []
    for result, name in sorted(names.items(), key=lambda item: -len(item[1])):
        pattern = rf"(?<!{_PART}){re.escape(name)}(?!{_PART})"
        if name and re.search(pattern, text):
            found.append(result)
            # A shared name is found for both.
            if len(set(names.values())) > 1:
                text = re.sub(pattern, " ", text)
    return found, text
