"""Whether any thread of any kernel gets more than its share, by the model of a GPU: for random formulas, for ones whose points meet at
few elements, and for the examples.

    python benchmarks/gpu_sweep.py [--formulas 500] [--first 0] [--output FOLDER]

Nothing is run; a formula takes about half a second. The exit status is 1 where something cannot be compiled.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

from gpu import COLLISIONS, meeting
from random_formulas import LEAST, MOST, random_formula
from sizes import sizes_of

import tadc
from tadc.function.runs import modelled
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.plan import ModelledKernel

EXAMPLES = Path(__file__).parent.parent / "examples"
ELEMENTS = 10**7  # of the largest tensor of an example, about
MODES = ("primal", "vjp")
WORST = 20  # kernels that the table names


@dataclass(frozen=True)
class Case:
    """A formula with numbers for its sizes."""

    kind: str
    name: str
    text: str
    sizes: dict[str, int]


def random_cases(first: int, count: int) -> Iterator[Case]:
    for seed in range(first, first + count):
        made = random_formula(seed)
        yield Case("random formulas", f"{seed}", made.text, made.sizes)


def collisions() -> Iterator[Case]:
    for count in COLLISIONS:
        for formula in meeting(count):
            sizes = sizes_of(tadc.compile(formula.text), formula.shapes)
            yield Case("collisions", f"{formula.name}, {count:,}", formula.text, sizes)


def examples() -> Iterator[Case]:
    """All of them with equal sizes, but for those of filters, such that the largest tensor has about so many elements."""
    for path in sorted(EXAMPLES.glob("*.idx")):
        program = tadc.load(path).program
        size = 2
        while True:
            sizes = program.size_values(dict.fromkeys(program.sizes, 2 * size))
            shapes = [[n.at(sizes) for n in t.shape] for t in program.tensors.values()]
            if max(map(prod, shapes)) > ELEMENTS:
                break
            size *= 2
        given = dict.fromkeys(program.sizes, size)
        if path.stem == "conv2d":
            given |= {"R": 3, "T": 3}
        if path.stem == "hankel":
            given["L"] = 2 * size - 1
        yield Case("examples", path.stem, path.read_text("utf-8"), given)


def kernels(case: Case) -> tuple[ModelledKernel, ...]:
    f = tadc.compile(case.text, backend="cuda", dtype="float32")
    return modelled(f, MODES, case.sizes, HOPPER).kernels


def table(found: Sequence[tuple[Case, ModelledKernel]], failed: Sequence[str], command: str) -> str:
    """As Markdown."""
    lines = [
        "# The share of the busiest thread",
        "",
        f"Made by `{command}`, tadc {tadc.__version__}, float32, for an {HOPPER.rates.name}, by its model: nothing was run. Values and",
        f"gradients of random formulas with {LEAST:,} to {MOST:,} points (`benchmarks/random_formulas.py`), of formulas with 10,000,000 points of which up to",
        "1,000,000 meet at an element, and of the examples. A kernel is uneven if its busiest thread has more than 4 times its share of the instructions, the",
        "share being that of each thread that the machine can hold, and is busy for longer than a launch takes. The time of uneven kernels is more",
        "than their least time by *lost*.",
        "",
        "| | formulas | kernels | uneven | more than 10 us lost |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for kind in dict.fromkeys(case.kind for case, _ in found):
        own = [(case, k) for case, k in found if case.kind == kind]
        uneven = [k for _, k in own if k.is_uneven]
        much = sum(_lost(k) > 0.01 for k in uneven)
        formulas = len({case.name for case, _ in own})
        lines.append(f"| {kind} | {formulas:,} | {len(own):,} | {len(uneven)} | {much} |")
    lines += ["", f"The {WORST} that lose most:", "", "| | mode | kernel | ms | at least | limited by | busiest thread | share |", "| --- | --- | --- | ---: | ---: | --- | ---: | ---: |"]  # fmt: skip
    worst = sorted((pair for pair in found if pair[1].is_uneven), key=lambda pair: -_lost(pair[1]))
    for case, k in worst[:WORST]:
        name = k.name.removeprefix("program_")
        lines.append(f"| {case.kind}, {case.name} | {k.mode} | {name} | {k.milliseconds:.4f} | {k.ideal_milliseconds:.4f} | {k.limit} | {k.longest_thread:,.0f} | {k.mean_thread:,.1f} |")  # fmt: skip
    lines += ["", *(f"Not compiled: {line}" for line in failed)]
    return "\n".join(lines).rstrip() + "\n"


def _lost(k: ModelledKernel) -> float:
    """Milliseconds above the least."""
    return k.milliseconds - k.ideal_milliseconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--formulas", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="the first random formula")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    found: list[tuple[Case, ModelledKernel]] = []
    failed = []
    for case in (*collisions(), *examples(), *random_cases(options.first, options.formulas)):
        try:
            found += [(case, k) for k in kernels(case)]
        except tadc.Error as error:
            failed.append(f"{case.kind}, {case.name}: {error}".splitlines()[0])
    command = f"python benchmarks/gpu_sweep.py --formulas {options.formulas}"
    text = table(found, failed, command)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "gpu_sweep.md").write_text(text, "utf-8")
    print(text)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
