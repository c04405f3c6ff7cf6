"""Mutated documents: whatever becomes of a paper's formula, `tadc.compile` gives a program or a `tadc.Error`.

    python benchmarks/mutated_papers.py [--count 10000] [--seed 0]

The documents are the formulas of `tests/published` and `tests/formulas`. A mutation drops, doubles, swaps or moves a piece of one, or puts
a piece of another in; pieces are commands, letters, scripts and brackets. Prints each document that raised anything else, or took
longer than a second of CPU time, and how many were read.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

import tadc

ROOT = Path(__file__).parent.parent
SLOW = 1.0  # seconds of CPU time
PIECE = re.compile(
    r"%!tadc[^\n]*\n|\\[A-Za-z]+\*?(?:\{[A-Za-z*]*\})?|\\.|[_^]\{[^{}]*\}|\s+|.", re.DOTALL
)


def documents() -> list[str]:
    """The texts that are mutated, each with the lines of a fair user."""
    sys.path.insert(0, str(ROOT / "tests"))
    from published import FORMULAS

    texts = [path.read_text("utf-8") for path in sorted((ROOT / "tests/formulas").glob("*.tex"))]
    for formula in FORMULAS.values():
        lines = (line if line.startswith("$") else f"%!tadc {line}" for line in formula.SHAPES)
        texts += [formula.text, "\n".join([*lines, formula.text])]
    return texts


def mutated(pieces: list[str], others: list[str], source: random.Random) -> str:
    """The pieces after one to four changes."""
    pieces = list(pieces)
    for _ in range(source.randint(1, 4)):
        place = source.randrange(len(pieces))
        match source.randrange(5):
            case 0:
                del pieces[place]
            case 1:
                pieces.insert(place, pieces[place])
            case 2:
                pieces.insert(source.randrange(len(pieces)), pieces.pop(place))
            case 3:
                pieces[place] = source.choice(others)
            case _:
                pieces.insert(place, source.choice(others))
        if not pieces:
            break
    return "".join(pieces)


def outcome(text: str) -> str:
    """`read`, `refused`, or the traceback of anything else."""
    try:
        tadc.compile(text, lang="tex", backend="interpreter")
    except tadc.Error as error:
        return "refused" if str(error) else "an error without text"
    except Exception:
        return traceback.format_exc()
    return "read"


def main() -> int:
    """The exit status: 1 where something else was raised."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    source = random.Random(arguments.seed)
    cut = [PIECE.findall(text) for text in documents()]
    counts: Counter[str] = Counter()
    for _ in range(arguments.count):
        text = mutated(source.choice(cut), source.choice(cut), source)
        started = time.process_time()
        found = outcome(text)
        took = time.process_time() - started
        if found not in ("read", "refused"):
            print(f"{found}\n{text}\n{'-' * 70}")
            found = "failed"
        elif took > SLOW:
            print(f"{took:.1f} s\n{text}\n{'-' * 70}")
        counts[found] += 1
    print(", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
