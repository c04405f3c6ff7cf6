"""The command line: `PYTHONPATH=tests python -m random_programs [LEVEL [SEED]]`."""

from __future__ import annotations

import sys
from collections import Counter

from random_programs.generator import random_program


def print_statistics(level: str, count: int = 500) -> None:
    programs = [random_program(seed, level) for seed in range(count)]
    features = Counter(feature for p in programs for feature in p.features)
    for feature, n in sorted(features.items(), key=lambda item: (-item[1], item[0])):
        print(f"{n:5}  {feature}")
    operations = sorted(p.operations for p in programs)
    print(f"{sum(p.smooth for p in programs):5}  smooth, of {count}")
    print(f"operations: median {operations[count // 2]}, largest {operations[-1]}")


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "core"
    if len(sys.argv) > 2:
        print(random_program(int(sys.argv[2]), chosen).text, end="")
    else:
        print_statistics(chosen)
