"""Fit champion's evaluation to the outcomes of games and write ``weights.h``.

    champion selfplay 20000 1500 1 > games.txt
    champion features < games.txt > games.bin
    python fit.py games.bin weights.h

Every position gives a row: the features of the two sides, blended between two knots by the number of stacks
left. Logistic regression with a ridge finds the weights under which the sum is the log-odds of a win; the
target mixes the outcome with what the search thought, for a single game is a coarse witness. At the end the
log-odds are stretched to pieces, so that a score reads as the margin to expect.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

KNOTS = (8, 14, 20, 27, 34, 41, 49)
UNIT = 16  # weights are kept in sixteenths of a hundredth of a piece
FINAL_BASE = 10000  # see eval.h
Floats = NDArray[np.float64]


def read(paths: list[Path], features: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Stacks, scores of the search, margins, and the matrix of features, a row a position."""
    kind = np.dtype([("stacks", "<i4"), ("score", "<i4"), ("margin", "<i4"), ("values", "<i2", features)])
    rows = np.concatenate([np.fromfile(path, kind) for path in paths])
    return rows["stacks"], rows["score"], rows["margin"], rows["values"]


def blend(stacks: Floats) -> Floats:
    """How much each knot counts at a number of stacks; the parts of a row add up to 1."""
    return np.stack([np.interp(stacks, KNOTS, np.eye(len(KNOTS))[i]) for i in range(len(KNOTS))], axis=1)


def design(stacks: Floats, values: Floats) -> NDArray[np.float32]:
    parts = blend(stacks).astype(np.float32)
    return (parts[:, :, None] * values[:, None, :].astype(np.float32)).reshape(len(stacks), -1)


def targets(scores: Floats, margins: Floats, scale: float, share: float) -> Floats:
    """The probability of a win, from the outcome and, with weight ``share``, from the search."""
    outcome = (np.sign(margins) + 1) / 2
    thought = np.where(np.abs(scores) >= FINAL_BASE, outcome, 1 / (1 + np.exp(-scores / (100 * scale))))
    return (1 - share) * outcome + share * thought


def logistic(stacks: Floats, values: Floats, goal: Floats, ridge: float, rounds: int = 8) -> Floats:
    """Newton's method, in slices that fit in memory."""
    size = len(KNOTS) * values.shape[1]
    weights = np.zeros(size)
    for number in range(rounds):
        hessian, gradient, loss = np.eye(size) * ridge, -ridge * weights, 0.0
        for at in range(0, len(goal), 50_000):
            rows = design(stacks[at : at + 50_000], values[at : at + 50_000])
            odds = rows @ weights.astype(np.float32)
            chance = 1 / (1 + np.exp(-odds.astype(float)))
            aim = goal[at : at + 50_000]
            loss -= float(np.sum(aim * np.log(chance + 1e-12) + (1 - aim) * np.log(1 - chance + 1e-12)))
            gradient += rows.T @ (aim - chance).astype(np.float32)
            hessian += rows.T @ (rows * (chance * (1 - chance))[:, None].astype(np.float32))
        step = np.linalg.solve(hessian, gradient)
        weights += step
        print(f"round {number + 1}: loss {loss / len(goal):.5f}")
        if np.abs(step).max() < 1e-3:
            break
    return weights


def predict(stacks: Floats, values: Floats, weights: Floats) -> Floats:
    pieces = [
        design(stacks[at : at + 50_000], values[at : at + 50_000]) @ weights
        for at in range(0, len(stacks), 50_000)
    ]
    return np.concatenate(pieces)


def write(path: Path, weights: Floats, scale: float, source: str) -> None:
    table = np.clip(np.round(weights * scale * 100 * UNIT), -32000, 32000).astype(int)
    lines = [
        f"// Written by benchmarks/champion/fit.py: {source}",
        "#ifndef WEIGHTS_H",
        "#define WEIGHTS_H",
        "",
        f"enum {{ WEIGHT_KNOTS = {len(KNOTS)}, WEIGHT_UNIT = {UNIT} }};",
        f"static const int weight_knots[WEIGHT_KNOTS] = {{{', '.join(map(str, KNOTS))}}};",
        "static const int16_t fitted_weights[WEIGHT_KNOTS][FEATURES] = {",
    ]
    for row in table.reshape(len(KNOTS), -1):
        cells = [str(cell) for cell in row]
        pieces = [", ".join(cells[at : at + 16]) for at in range(0, len(cells), 16)]
        lines += ["    {" + ",\n     ".join(pieces) + "},"]
    path.write_text("\n".join([*lines, "};", "", "#endif", ""]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("header", type=Path)
    parser.add_argument("--features", type=int, default=92)
    parser.add_argument("--ridge", type=float, default=30.0)
    parser.add_argument("--share", type=float, default=0.3, help="weight of the search against the outcome")
    parser.add_argument("--scale", type=float, default=6.0, help="pieces to a unit of log-odds in the games")
    arguments = parser.parse_args()
    stacks, scores, margins, values = read(arguments.games, arguments.features)
    held = np.arange(len(stacks)) >= len(stacks) * 0.9  # the last games are for checking
    goal = targets(scores, margins, arguments.scale, arguments.share)
    weights = logistic(stacks[~held], values[~held], goal[~held], arguments.ridge)
    odds = predict(stacks[held], values[held], weights)
    outcome = (np.sign(margins[held]) + 1) / 2
    right = np.mean((odds > 0) == (outcome > 0.5))
    loss = -np.mean(
        outcome * np.log(1 / (1 + np.exp(-odds))) + (1 - outcome) * np.log(1 / (1 + np.exp(odds)))
    )
    scale = float(np.sum(odds * np.clip(margins[held], -25, 25)) / np.sum(odds * odds))
    print(
        f"{len(stacks)} positions; on the last tenth: loss {loss:.4f}, right {right:.1%}, scale {scale:.2f}"
    )
    for low, high in zip((0, *KNOTS[1:-1]), (*KNOTS[1:-1], 50), strict=True):
        part = (stacks[held] >= low) & (stacks[held] < high)
        if part.any():
            share = np.mean((odds[part] > 0) == (outcome[part] > 0.5))
            print(f"  {low:2}-{high - 1:2} stacks: {share:.1%} right")
    write(arguments.header, weights, scale, f"{len(stacks)} positions of its own games")


if __name__ == "__main__":
    main()
