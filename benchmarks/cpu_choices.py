"""Schedules on a CPU against those that were not chosen: does the model's order agree with the measured one?

    python benchmarks/cpu_choices.py --seeds 0 20 [--output DIR]     measures, and appends to cpu_choices.jsonl
    python benchmarks/cpu_choices.py --report [--output DIR]         makes cpu_choices.md of that

Formulas of even seeds are those of `random_formulas.py`, of odd ones those of `random_kinds.py`, in float32. Of each, value and gradients
are compiled as they are, and once for every other way of each decision that the scheduler takes by a model of cost (`tadc/schedule/choices.py`):
for all of the program, and for every kernel that takes a tenth of the time. What is faster is then combined. All run on one thread,
interleaved; the least time of the process counts, and what is far behind drops out after a few repetitions. Results are compared.
Programs whose value takes less than half a millisecond, or a call more than 60, are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp, log
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # of BLAS

import numpy as np
from random_formulas import RandomFormula, random_formula
from random_kinds import random_kind

import tadc
from tadc.options import Options
from tadc.runtime.cpu.c_compiler import processor
from tadc.runtime.cpu.native import Launch, NativeRunner
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.lowered import CpuModule
from tadc.schedule.nest.cost import program_cost

LEAST, MOST = 0.5, 60.0  # milliseconds
SHARE = 0.1  # of the time of a program: kernels with less are left as they are
BEHIND = 1.4  # times as slow: not measured further
FAR_BEHIND = 4.0  # times as slow at first, when memory is new too: not measured again
FEWEST, REPETITIONS = 3, 9
WITHIN = 1.3
MUCH_MORE = 20  # times as many operations: not measured
TOLERANCE = 1e-2
MEMORY = ("recompute", "materialize")
OF_PROGRAM = (
    "values of combined indices are stored",
    "running sums are one pass",
    "inner sums are stored",
    "invariant values are stored",
    "shared values are stored",
    "small sizes are numbers",
    "rows are kept",
    "sums over pairs are by rows",
    "sums of columns are in parts",
)
OF_KERNEL = {
    "lanes of {}": 3,
    "tile of {}": 3,
    "whether {} is tiled": 1,
    "streams of {}": 1,
    "copies for {}": 1,
    "whether {} has copies": 1,
    "blocks of {} stand outside": 1,
    "group of {}": 1,
    "whether {} streams": 1,
    "loops of {}": 2,
}  # the alternatives of each, besides the chosen one


@dataclass(frozen=True)
class Way:
    """A way to run a program: options for memory, and choices of the scheduler."""

    memory: str = "auto"
    choices: Choices = BY_MODEL

    def __str__(self) -> str:
        said = [f"memory {self.memory}"] if self.memory != "auto" else []
        said += [name if rank == 1 else f"{name}, {rank}" for name, rank in self.choices.ranks]
        return "; ".join(said) or "as chosen"


@dataclass(frozen=True)
class Result:
    """Milliseconds of a mode of a seed's formula as it was chosen and the best way, and of every way."""

    seed: int
    mode: str
    text: str
    sizes: Mapping[str, int]
    chosen: float
    best: float
    way: str
    ways: Mapping[str, float]
    wrong: Sequence[str] = ()

    @property
    def ratio(self) -> float:
        return self.chosen / self.best


@dataclass
class Contender:
    """A way with its launch and the least of its times."""

    way: Way
    launch: Launch
    least: float = float("inf")

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        start = time.process_time()
        results = self.launch(inputs)
        self.least = min(self.least, 1e3 * (time.process_time() - start))
        return results


class Contest:
    """The ways of one program on one set of arrays."""

    def __init__(self, f: Any, sizes: Mapping[str, int]) -> None:
        self.f = f
        self.sizes = f.program.size_values({s: sizes[s] for s in f.program.sizes})
        random = np.random.default_rng(0)
        self.inputs = [
            random.uniform(-1, 1, tuple(n.at(self.sizes) for n in t.shape)).astype(t.dtype or "float32")
            for t in f.program.inputs
        ]  # fmt: skip
        self.lowered: list[CpuModule] = []
        self.contenders: list[Contender] = []
        self.wrong: list[str] = []

    def runner(self, way: Way) -> NativeRunner:
        options = Options.of(threads=1, backend="native", memory=way.memory)
        return NativeRunner(self.f.program, "float32", options, way.choices)

    def enter(self, way: Way) -> bool:
        """Let the way take part, unless one with the same schedules does, or it does many times as much."""
        runner = self.runner(way)
        lowered = runner.lowered(self.sizes)
        if lowered in self.lowered or self.does_much_more(lowered):
            return False
        self.lowered.append(lowered)
        self.contenders.append(Contender(way, runner.launch(self.sizes)))
        return True

    def does_much_more(self, lowered: CpuModule) -> bool:
        """Whether it does many times as many operations as the first."""

        def work(of: CpuModule) -> int:
            kernels = of.module.kernels
            return program_cost(of.module.program, kernels, self.sizes, "float32").operations

        return bool(self.lowered) and work(lowered) > MUCH_MORE * work(self.lowered[0])

    def measure(self) -> None:
        """Run all, those that are behind no longer than needed."""
        first = self.contenders[0]
        expected = first.run(self.inputs)
        for c in self.contenders[1:]:
            found = c.run(self.inputs)
            if not all(map(_is_near, found, expected)):
                self.wrong.append(str(c.way))
        for n in range(REPETITIONS):
            best = min(c.least for c in self.contenders)
            for c in self.contenders:
                behind = FAR_BEHIND if n < FEWEST else BEHIND
                if c is first or c.least <= behind * best:
                    c.run(self.inputs)

    def kernels(self) -> list[str]:
        """The kernels that take a part of the time as they are chosen, each by a tensor that it stores."""
        timed = self.runner(Way()).timed(self.sizes)
        runs = [timed(self.inputs)[1] for _ in range(FEWEST)]
        seconds = [min(each) for each in zip(*runs, strict=True)]
        groups = [
            (g.kernels[0].kernel.writes[0], {k.kernel.writes[0] for k in g.kernels})
            for g in timed.lowered.groups.values()
        ]
        names = [k.kernel.writes[0] for k in timed.lowered.kernels]
        long = [n for n, s in zip(names, seconds, strict=True) if s >= SHARE * sum(seconds)]
        return [n for n in names if n in long or any(first in long and n in g for first, g in groups)]  # fmt: skip


def _is_near(found: Any, expected: Any) -> bool:
    found, expected = np.asarray(found), np.asarray(expected)
    finite = np.isfinite(expected)
    if not np.array_equal(finite, np.isfinite(found)):
        return False
    values = np.abs(expected[finite])
    most = values.max() if values.size else 0
    return bool(np.all(np.abs(found[finite] - expected[finite]) <= TOLERANCE * most + 1e-30))


def others(kernels: Sequence[str]) -> Iterator[Way]:
    """The ways with one decision taken otherwise."""
    yield from (Way(memory) for memory in MEMORY)
    yield from (Way(choices=Choices(((name, 1),))) for name in OF_PROGRAM)
    for kernel in kernels:
        for name, most in OF_KERNEL.items():
            for rank in range(1, most + 1):
                yield Way(choices=Choices(((name.format(kernel), rank),)))


def combined(contenders: Sequence[Contender]) -> Way | None:
    """The ways that were faster than what was chosen, the best of each decision, as one; None where there are not several."""
    first, *rest = contenders
    better = sorted((c for c in rest if c.least < 0.95 * first.least), key=lambda c: c.least)
    memory = next((c.way.memory for c in better if c.way.memory != "auto"), "auto")
    ranks: dict[str, int] = {}
    for c in better:
        for name, rank in c.way.choices.ranks:
            ranks.setdefault(name, rank)
    return Way(memory, Choices(tuple(ranks.items()))) if len(ranks) + (memory != "auto") > 1 else None  # fmt: skip


def formula_of(seed: int) -> RandomFormula:
    return random_kind(seed) if seed % 2 else random_formula(seed)


def results_of(seed: int) -> Iterator[Result]:
    """The results of a seed's formula: none if it is too small or too large."""
    made = formula_of(seed)
    try:
        value = tadc.compile(made.text, backend="native", threads=1)
        gradients = value.adjoint()
        modes = {"value": value, "gradients": gradients}
        for mode, f in modes.items():
            contest = Contest(f, made.sizes)
            contest.enter(Way())
            for _ in range(FEWEST):
                contest.contenders[0].run(contest.inputs)
            if not (LEAST if mode == "value" else 0) <= contest.contenders[0].least <= MOST:
                return
            for way in others(contest.kernels()):
                contest.enter(way)
            contest.measure()
            both = combined(contest.contenders)
            if both and contest.enter(both):
                contest.measure()
            best = min(contest.contenders, key=lambda c: c.least)
            chosen = contest.contenders[0].least
            ways = {str(c.way): round(c.least, 4) for c in contest.contenders}
            yield Result(seed, mode, made.text, made.sizes, chosen, best.least, str(best.way), ways, contest.wrong)  # fmt: skip
    except tadc.Error as error:  # a program that cannot be derived, or is too large
        print(seed, "left out:", str(error).splitlines()[0], flush=True)


def measured(path: Path) -> list[Result]:
    """The results so far, of several of a seed and mode the last."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    found = [Result(**json.loads(line)) for line in lines]
    return [*{(r.seed, r.mode): r for r in found}.values()]


def table(results: Sequence[Result]) -> str:
    """As Markdown."""
    from cpu import cpu_name

    ratios = [r.ratio for r in results]
    seeds = {r.seed for r in results}
    worst = {s: max(r.ratio for r in results if r.seed == s) for s in seeds}
    mean = exp(sum(map(log, ratios)) / len(ratios))
    within = [r for r in ratios if r <= WITHIN]
    both = [r for r in worst.values() if r <= WITHIN]
    count = sum(len(r.ways) for r in results)
    lines = [
        "# Schedules on a CPU that were chosen, and those that were not",
        "",
        f"Made by `python benchmarks/cpu_choices.py` on {cpu_name()} ({processor().name}), {time.strftime('%Y-%m-%d')}: tadc {tadc.__version__},",
        "float32, one thread; least milliseconds of the process, interleaved. The script says what is varied.",
        "",
        f"{len(seeds)} random programs, values and gradients in {count} ways: of {len(results)} the chosen schedule is within {WITHIN} times of the best way in"
        f" {len(within)} ({len(within) / len(ratios):.0%}), in both modes in {len(both)} of the programs; the geometric mean of the ratios is {mean:.3f}.",
        "",
        "The ten that are worst:",
        "",
        "| seed | mode | formula | chosen, ms | best, ms | ratio | what was faster |",
        "| ---: | --- | --- | ---: | ---: | ---: | --- |",
        *(_row(r, detailed=True) for r in sorted(results, key=lambda r: -r.ratio)[:10]),
        "",
        "All:",
        "",
        "| seed | mode | ways | chosen, ms | best, ms | ratio | what was faster |",
        "| ---: | --- | ---: | ---: | ---: | ---: | --- |",
        *(_row(r, detailed=False) for r in sorted(results, key=lambda r: (r.seed, r.mode != "value"))),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _row(r: Result, *, detailed: bool) -> str:
    definitions = "; ".join(line for line in r.text.splitlines() if "=" in line)
    sizes = ", ".join(f"{s}={n}" for s, n in r.sizes.items())
    what = f"`{definitions}`, {sizes}".replace("|", "\\|") if detailed else str(len(r.ways))
    way = r.way if r.ratio > 1.05 else ""
    return (
        f"| {r.seed} | {r.mode} | {what} | {r.chosen:.2f} | {r.best:.2f} | {r.ratio:.2f} | {way} |"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, nargs=2, metavar=("FIRST", "END"))
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "cpu_choices.jsonl"
    for seed in range(*options.seeds) if options.seeds else ():
        for r in results_of(seed):
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(r)) + "\n")
            print(seed, r.mode, len(r.ways), f"{r.chosen:.2f} ms, {r.ratio:.2f}", r.way, *r.wrong, flush=True)  # fmt: skip
    if options.report:
        (options.output / "cpu_choices.md").write_text(table(measured(path)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
