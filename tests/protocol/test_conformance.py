"""The data for testing bots is right: positions and games by the rules, dialogues by rules and language."""

import json
import re
from importlib.resources import files
from typing import Any

import pytest

from protocol import codecup, dvp
from protocol.dvp import Role, State
from protocol.rules import PASS, SPACES, Position, Rules, Side, parse_dpos, parse_ply

DATA = files("protocol") / "conformance"
README = (DATA / "README.md").read_text(encoding="utf-8")


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


POSITIONS, GAMES, DIALOGUES = rows("positions.jsonl"), rows("games.jsonl"), rows("dialogues.jsonl")
DVP = [dialogue for dialogue in DIALOGUES if dialogue["protocol"] == "dvp"]


@pytest.mark.parametrize("case", POSITIONS, ids=lambda case: case["name"])
def test_positions_have_the_plies_and_scores_of_the_rules(case: dict[str, Any]) -> None:
    position = parse_dpos(case["position"])
    assert position.dpos == case["position"]
    assert case["legal"] == sorted(ply.text for ply in position.legal_plies())
    assert (case["over"], case["score"]) == (position.is_over, list(position.score))


def test_positions_show_what_programs_get_wrong() -> None:
    legal = {case["name"]: case["legal"] for case in POSITIONS}
    assert len(legal) == len(POSITIONS) > 30
    assert not any(ply.startswith("F3") for ply in legal["surrounded"])
    assert {"F3C3", "F3I3"} <= set(legal["no longer surrounded"])
    assert not any(ply.startswith("E3") for ply in legal["lone red"])
    assert not {"F3E4", "F3G2"} & set(legal["no such directions"])
    assert legal["tall"] == ["A3K3"]
    assert len(legal["many plies"]) == 116
    assert sum(plies == [PASS.text] for plies in legal.values()) >= 5


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game["name"])
def test_games_go_by_the_rules(game: dict[str, Any]) -> None:
    position = Position.start() if game["start"] == "start" else parse_dpos(game["start"])
    for text in game["plies"]:
        position = position.play(parse_ply(text))
    assert position.is_over
    assert (position.dpos, list(position.score)) == (game["final"], game["score"])
    assert game["plies"].count("PASS") == game["passes"]


def test_names_are_told_apart() -> None:
    for data in (POSITIONS, GAMES, DIALOGUES):
        names = [row["name"] for row in data]
        assert len(set(names)) == len(names)
        assert all(row["about"].endswith(".") for row in data)


class Follower:
    """Follows what is said in a dialogue, as both ends."""

    def __init__(self, features: frozenset[str]) -> None:
        self.arbiter, self.bot = dvp.Connection(Role.ARBITER), dvp.Connection(Role.BOT)
        self.features = features
        self.rules, self.position, self.told = Rules.STANDARD, Position.start(), False

    def say(self, line: str) -> None:
        message = dvp.parse(line.encode(), Role.ARBITER)
        if isinstance(message, dvp.Unknown):
            return
        self.arbiter.send(message)
        assert self.bot.receive(f"{line}\n".encode()) == [message]
        match message:
            case dvp.NewGame(_, values):
                self.rules = Rules(values.get("rules", "standard"))
            case dvp.Setup(start, plies):
                plain = start == "start"
                self.position = Position.start(self.rules) if plain else parse_dpos(start, self.rules)
                for ply in plies:
                    self.position = self.position.play(parse_ply(ply))
            case dvp.Board(dpos):
                assert dpos == self.position.dpos
            case dvp.Legal(plies):
                assert list(plies) == sorted(ply.text for ply in self.position.legal_plies())

    def answer(self, message: dvp.Message) -> None:
        assert self.arbiter.receive(self.bot.send(message)) == [message]

    def hear(self, exchange: dict[str, Any]) -> None:
        match exchange.get("hear"):
            case "dvpok":
                if self.features:
                    self.answer(dvp.Feature(tuple(sorted(self.features))))
                self.answer(dvp.HelloOk())
            case "readyok":
                self.answer(dvp.ReadyOk())
            case "move":
                assert exchange["legal"] == sorted(ply.text for ply in self.position.legal_plies())
                self.answer(dvp.Move(exchange["legal"][0]))
            case "end":
                assert exchange.get("close") or self.arbiter.state is State.CLOSED


@pytest.mark.parametrize("dialogue", DVP, ids=lambda dialogue: dialogue["name"])
@pytest.mark.parametrize("ready", [True, False], ids=["ready", "plain"])
def test_dialogues_are_in_the_language_and_by_the_rules(dialogue: dict[str, Any], ready: bool) -> None:
    features = {dialogue.get("needs"), "ready" if ready else None} - {None}
    follower = Follower(frozenset(str(feature) for feature in features))
    for exchange in dialogue["turns"]:
        if exchange.get("needs", "") and exchange["needs"] not in features:
            continue
        for line in exchange["say"]:
            follower.say(line)
        follower.hear(exchange)
    assert dialogue["turns"][-1]["hear"] == "end"


def test_the_codecup_dialogues_are_by_the_rules() -> None:
    found = [dialogue for dialogue in DIALOGUES if dialogue["protocol"] == "codecup"]
    assert len(found) == 4
    for dialogue in found:
        is_white = dialogue["turns"][0]["say"] == ["Start"]
        talk = codecup.Connection(Side.WHITE if is_white else Side.BLACK)
        (first,) = dialogue["turns"][0]["say"]
        said = talk.start() if is_white else talk.ply(first)
        assert said == f"{first}\n".encode()
        empty = set(SPACES) if is_white else set(SPACES) - {first}
        assert set(dialogue["turns"][0]["legal"]) == empty


def test_a_move_is_asked_for_in_every_kind_of_dialogue_and_the_longest_lines_are_long() -> None:
    said = [line for dialogue in DVP for turn in dialogue["turns"] for line in turn["say"]]
    assert max(len(line) for line in said if line.startswith("position")) > 400
    assert max(len(line) for line in said if line.startswith("legal")) > 580


def test_every_key_is_explained() -> None:
    explained = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`.*?) \|", README, re.MULTILINE))))
    used = {key for row in (*POSITIONS, *GAMES, *DIALOGUES) for key in row}
    used |= {key for dialogue in DIALOGUES for turn in dialogue["turns"] for key in turn}
    assert used == explained
    heard = {turn["hear"] for dialogue in DIALOGUES for turn in dialogue["turns"] if "hear" in turn}
    assert all(f"`{word}`" in README for word in heard)
