"""Fit champion's net to what searches thought and how games went on, and write ``net_weights.c``.

    champion rows < games.txt > rows.bin
    python fit_net.py rows.bin net_weights.c

The net corrects the linear evaluation: its output, in log-odds, is added to the linear score, and Adam brings
the sum near a target. For a position of a game that is what the searches of this and all later moves thought,
each weighing less by a factor than the one before, and the outcome in the end; for a leaf of a search, from
which no game went on, it is the thought alone. What is proved counts as an outcome.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

KNOTS = (8, 14, 20, 27, 34, 41, 49)  # those of the linear evaluation
ROWS, MOST, HIDDEN = 640, 98, 16  # see features.h and net.h
ONE, UNIT = 256, 16
UNKNOWN, FINAL_BASE = 99, 10_000  # see selfplay.h and eval.h
BATCH = 1024
HEAD = ("stacks", "score", "margin", "game", "linear")
RECORD = np.dtype([*((name, "<i4") for name in HEAD), ("rows", "<u2", MOST)])
Floats = NDArray[np.float32]
Records = NDArray[np.void]
Net = dict[str, Floats]


def sigmoid(odds: Floats) -> Floats:
    return 1 / (1 + np.exp(-odds))


def thoughts(scores: Floats, scale: float) -> Floats:
    """The probability of a win as the search thought."""
    return np.where(np.abs(scores) >= FINAL_BASE, (np.sign(scores) + 1) / 2, sigmoid(scores / (100 * scale)))


def targets(records: Records, scale: float, trust: float) -> Floats:
    """The probability of a win, each later thought counting ``trust`` times as much as the one before it."""
    goal = thoughts(records["score"].astype(np.float32), scale)
    games, margins = records["game"].tolist(), records["margin"].tolist()
    game, last, ahead = -1, 0, 0.0
    for at in range(len(goal) - 1, -1, -1):
        margin = margins[at]
        if margin == UNKNOWN:
            continue
        if games[at] != game:
            game, ahead = games[at], (np.sign(margin) + 1) / 2
        elif margin * last < 0:  # the other side is to move
            ahead = 1 - ahead
        elif margin == 0:  # a draw does not tell whose move it is
            ahead = goal[at]
        last = margin
        goal[at] = ahead = (1 - trust) * goal[at] + trust * ahead
    return np.clip(goal, 0, 1).astype(np.float32)


def blend(stacks: NDArray[np.int32]) -> Floats:
    """How much each knot counts at a number of stacks; the parts of a row add up to 1."""
    parts = [np.interp(stacks, KNOTS, np.eye(len(KNOTS))[i]) for i in range(len(KNOTS))]
    return np.stack(parts, axis=1).astype(np.float32)


def design(rows: NDArray[np.uint16]) -> Floats:
    """How often each row counts in each position; what fills the records up is left out."""
    flat = rows + (np.arange(len(rows)) * (ROWS + 1))[:, None]
    counts = np.bincount(flat.ravel(), minlength=len(rows) * (ROWS + 1)).astype(np.float32)
    return counts.reshape(len(rows), ROWS + 1)[:, :ROWS]


def fresh(rng: np.random.Generator) -> Net:
    def small(*shape: int) -> Floats:
        return rng.normal(0, 0.05, shape).astype(np.float32)

    return {
        "rows": small(ROWS, HIDDEN),
        "bias": np.full(HIDDEN, 0.3, np.float32),
        "output": np.repeat(small(1, HIDDEN), len(KNOTS), axis=0),
        "constant": np.zeros(len(KNOTS), np.float32),
    }


def step(net: Net, records: Records, goal: Floats, scale: float) -> tuple[Net, float]:
    """The gradient of the mean loss over a batch, and how far that loss is above the least possible one."""
    counts, parts = design(records["rows"]), blend(records["stacks"])
    before = counts @ net["rows"] + net["bias"]
    hidden, output = np.clip(before, 0, 1), parts @ net["output"]
    linear = records["linear"] / np.float32(100 * scale)
    odds = linear + (hidden * output).sum(axis=1) + parts @ net["constant"]
    wrong = ((sigmoid(odds) - goal) / len(goal))[:, None]
    back = wrong * output * ((before > 0) & (before < 1))
    gradient = {
        "rows": counts.T @ back,
        "bias": back.sum(axis=0),
        "output": parts.T @ (hidden * wrong),
        "constant": (parts * wrong).sum(axis=0),
    }
    return gradient, excess(odds, goal)


def excess(odds: Floats, goal: Floats) -> float:
    """The cross entropy beyond the entropy of the target."""
    least = goal * np.log(goal + 1e-9) + (1 - goal) * np.log(1 - goal + 1e-9)
    return float(np.mean(np.logaddexp(0, odds) - goal * odds + least))


class Adam:
    def __init__(self, net: Net) -> None:
        self.mean = {name: np.zeros_like(values) for name, values in net.items()}
        self.square = {name: np.zeros_like(values) for name, values in net.items()}
        self.steps = 0

    def update(self, net: Net, gradient: Net, rate: float) -> None:
        self.steps += 1
        for name, slope in gradient.items():
            self.mean[name] += 0.1 * (slope - self.mean[name])
            self.square[name] += 0.001 * (slope * slope - self.square[name])
            mean = self.mean[name] / (1 - 0.9**self.steps)
            square = self.square[name] / (1 - 0.999**self.steps)
            net[name] -= (rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


def batches(order: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    for at in range(0, len(order) - BATCH + 1, BATCH):
        yield np.sort(order[at : at + BATCH])


def train(records: Records, goal: Floats, arguments: argparse.Namespace) -> Net:
    rng = np.random.default_rng(arguments.seed)
    net = fresh(rng)
    kept = len(goal) - len(goal) // 20  # the last games are for checking
    adam, total = Adam(net), arguments.epochs * (kept // BATCH)
    for epoch in range(arguments.epochs):
        losses = list[float]()
        for chosen in batches(rng.permutation(kept)):
            gradient, loss = step(net, records[chosen], goal[chosen], arguments.scale)
            adam.update(net, gradient, arguments.rate * (1 + np.cos(np.pi * adam.steps / total)) / 2)
            losses.append(loss)
        held = batches(np.arange(kept, len(goal)))
        checks = [step(net, records[chosen], goal[chosen], arguments.scale)[1] for chosen in held]
        print(
            f"epoch {epoch + 1}: {np.mean(losses):.5f}, on the last games {np.mean(checks):.5f}", flush=True
        )
    return net


def table(name: str, values: Floats, unit: float) -> str:
    cells = np.clip(np.round(values * unit), -32767, 32767).astype(int).tolist()
    if values.ndim == 1:
        return f"const int16_t {name} = {{{', '.join(map(str, cells))}}};\n"
    lines = [f"    {{{', '.join(map(str, row))}}}," for row in cells]
    return "\n".join([f"const int16_t {name} = {{", *lines, "};\n"])


def write(path: Path, net: Net, scale: float, source: str) -> None:
    """Rows that no position had are small by chance, and never read."""
    hundredths = 100 * scale * UNIT
    tables = (
        "_Alignas(16) " + table("net_rows[ROWS][HIDDEN]", net["rows"], ONE),
        "_Alignas(16) " + table("net_bias[HIDDEN]", net["bias"], ONE),
        table("net_output[WEIGHT_KNOTS][HIDDEN]", net["output"], hundredths),
        table("net_constant[WEIGHT_KNOTS]", net["constant"], hundredths),
    )
    head = f'// Written by benchmarks/champion/fit_net.py: {source}\n#include "net.h"\n\n'
    path.write_text(head + "\n".join(tables), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=0.002)
    parser.add_argument("--trust", type=float, default=0.85, help="of the next thought against this one")
    parser.add_argument("--scale", type=float, default=6.0, help="pieces to a unit of log-odds")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    records = np.concatenate([np.fromfile(path, RECORD) for path in arguments.games])
    goal = targets(records, arguments.scale, arguments.trust)
    linear = records["linear"] / np.float32(100 * arguments.scale)
    print(f"{len(records)} positions; the linear score alone: {excess(linear, goal):.5f}", flush=True)
    write(arguments.target, train(records, goal, arguments), arguments.scale, f"{len(records)} positions")


if __name__ == "__main__":
    main()
