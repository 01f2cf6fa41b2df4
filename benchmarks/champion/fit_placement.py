"""Fit the value of a placement to the outcomes of games from full boards and write ``placement_weights.h``.

    champion selfplay 20000 500 1 -1 boards > boards.txt
    champion placement-features < boards.txt > boards.bin
    python fit_placement.py boards.bin placement_weights.h

Logistic regression on White's win, with a ridge; the target mixes the outcome with the score of the search of
the full board. The weights are hundredths of the log-odds.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def read(paths: list[Path], features: int) -> tuple[Floats, Floats, Floats]:
    """Scores of the search, margins (both White's), and the features, a row a board."""
    kind = np.dtype([("stacks", "<i4"), ("score", "<i4"), ("margin", "<i4"), ("values", "<i4", features)])
    rows = np.concatenate([np.fromfile(path, kind) for path in paths])
    rows = rows[rows["stacks"] == 49]
    return rows["score"].astype(float), rows["margin"].astype(float), rows["values"].astype(float)


def logistic(values: Floats, goal: Floats, ridge: float) -> Floats:
    weights = np.zeros(values.shape[1])
    for _ in range(12):
        chance = 1 / (1 + np.exp(-values @ weights))
        hessian = values.T @ (values * (chance * (1 - chance))[:, None]) + np.eye(len(weights)) * ridge
        step = np.linalg.solve(hessian, values.T @ (goal - chance) - ridge * weights)
        weights += step
        if np.abs(step).max() < 1e-5:
            break
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("boards", nargs="+", type=Path)
    parser.add_argument("header", type=Path)
    parser.add_argument("--features", type=int, default=39)
    parser.add_argument("--ridge", type=float, default=3.0)
    parser.add_argument("--share", type=float, default=0.5, help="weight of the search against the outcome")
    parser.add_argument("--scale", type=float, default=4.4, help="pieces to a unit of log-odds")
    arguments = parser.parse_args()
    scores, margins, values = read(arguments.boards, arguments.features)
    outcome = (np.sign(margins) + 1) / 2
    thought = 1 / (1 + np.exp(-np.clip(scores, -9000, 9000) / (100 * arguments.scale)))
    goal = (1 - arguments.share) * outcome + arguments.share * thought
    train = np.arange(len(goal)) < len(goal) * 0.9
    weights = logistic(values[train], goal[train], arguments.ridge)
    odds = values[~train] @ weights
    right = np.mean((odds > 0) == (outcome[~train] > 0.5))
    search_right = np.mean((scores[~train] > 0) == (outcome[~train] > 0.5))
    print(f"{len(goal)} boards, White wins {outcome.mean():.1%}")
    print(f"on the last tenth {right:.1%} right, the search {search_right:.1%}")
    weights = logistic(values, goal, arguments.ridge)
    cells = [str(round(100 * weight)) for weight in weights]
    rows = ",\n    ".join(", ".join(cells[at : at + 16]) for at in range(0, len(cells), 16))
    arguments.header.write_text(
        f"// Written by benchmarks/champion/fit_placement.py from {len(goal)} games.\n"
        "#ifndef PLACEMENT_WEIGHTS_H\n#define PLACEMENT_WEIGHTS_H\n\n"
        f"static const int placement_weights[PLACEMENT_FEATURES] = {{\n    {rows},\n}};\n\n#endif\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
