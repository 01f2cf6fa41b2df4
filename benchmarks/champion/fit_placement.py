"""Improve the weights of the placement by games between changed ones and write ``placement_weights.c``.

    champion placements 10000 300 1 3 > changes.bin
    python fit_placement.py changes.bin placement_weights.c --step 40

In every game both sides place by the present weights, each with changes of its own. A ridge regression of the
outcome (of which the share ``--margin`` is the margin) on the difference of the changes estimates what each
weight is worth; the weights move by ``--step`` along it. Build again and repeat until nothing is gained.
"""

import argparse
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WEIGHTS = 71
WHITE_ONLY = [*range(43, 59), *range(65, 71)]  # the first and the third red
BLACK_ONLY = [*range(59, 65)]  # the second


def read(paths: list[Path]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """White's margins, and White's changes less Black's."""
    kind = np.dtype([("margin", "<i2"), ("white", "<i2", WEIGHTS), ("black", "<i2", WEIGHTS)])
    rows = np.concatenate([np.fromfile(path, kind) for path in paths])
    white, black = rows["white"].astype(float), rows["black"].astype(float)
    white[:, BLACK_ONLY] = 0
    black[:, WHITE_ONLY] = 0
    return rows["margin"].astype(float), white - black


def present(path: Path) -> NDArray[np.float64]:
    table = path.read_text(encoding="utf-8").split("{", 1)[1]
    return np.array([float(number) for number in re.findall(r"-?\d+", table)])


def write(path: Path, weights: NDArray[np.float64]) -> None:
    cells = [str(round(weight)) for weight in weights]
    rows = ",\n    ".join(", ".join(cells[at : at + 16]) for at in range(0, len(cells), 16))
    path.write_text(
        "// Written by benchmarks/champion/fit_placement.py.\n"
        '#include "placement.h"\n\n'
        f"const int16_t placement_weights[PLACEMENT_WEIGHTS] = {{\n    {rows},\n}};\n",
        encoding="utf-8",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("changes", nargs="+", type=Path)
    parser.add_argument("weights", type=Path, help="read, and written anew")
    parser.add_argument("--step", type=float, default=40.0, help="length of the step, in hundredths")
    parser.add_argument("--margin", type=float, default=0.5, help="share of the margin in the outcome")
    arguments = parser.parse_args()
    margins, changes = read(arguments.changes)
    wins, leads = np.sign(margins) / 2, np.clip(margins, -25, 25) / 30
    outcome = (1 - arguments.margin) * wins + arguments.margin * leads
    centred = outcome - outcome.mean()
    used = changes.any(axis=0)
    spread = changes[:, used].std()
    moments = changes.T @ changes + np.eye(WEIGHTS) * 0.02 * len(margins) * spread**2
    slope = np.linalg.solve(moments, changes.T @ centred)
    error = centred.std() / np.sqrt((changes**2).sum(axis=0) + 1e-9)
    step = slope / np.linalg.norm(slope) * arguments.step
    print(f"{len(margins)} games, White scores {wins.mean() + 0.5:.1%}; signal to noise by weight:")
    print(np.array2string(slope / error, precision=1, max_line_width=100))
    print(f"expected gain of the step: {slope @ step:+.3f}")
    write(arguments.weights, present(arguments.weights) + step)


if __name__ == "__main__":
    main()
