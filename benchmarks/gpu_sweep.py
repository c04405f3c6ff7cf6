"""Whether any thread of any kernel gets more than its share, by the model of a GPU: for random formulas, for ones whose points meet at
few elements, for large ones, and for the examples.

    python benchmarks/gpu_sweep.py ROWS [--others] [--seeds 0 500]
    python benchmarks/gpu_sweep.py ROWS --table [--output FOLDER]

The first adds to a file a line for each formula that it does not have yet, so that it may be interrupted, and run in pieces; `--others`
are all formulas but the random ones. The second makes a table of the file. Nothing is run; a formula takes about half a second. The exit
status is 1 where something cannot be compiled.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any

from gpu import COLLISIONS, meeting
from gpu_large import large_formulas
from random_formulas import LEAST, MOST, random_formula
from sizes import sizes_of

import tadc
from tadc.function.runs import modelled
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.plan import ModelledKernel

EXAMPLES = Path(__file__).parent.parent / "examples"
ELEMENTS = 10**7  # of the largest tensor of an example, about
MODES = ("primal", "vjp")
WORST = 30  # kernels that the table names
SHARE = 4  # times the mean
MUCH = 0.01  # milliseconds


@dataclass(frozen=True)
class Case:
    """A formula with numbers for its sizes."""

    kind: str
    name: str
    text: str
    sizes: dict[str, int]
    options: dict[str, Any] = field(default_factory=dict)


def random_cases(first: int, end: int) -> Iterator[Case]:
    for seed in range(first, end):
        made = random_formula(seed)
        yield Case("random formulas", f"{seed}", made.text, made.sizes)


def collisions() -> Iterator[Case]:
    for count in COLLISIONS:
        for formula in meeting(count):
            sizes = sizes_of(tadc.compile(formula.text), formula.shapes)
            yield Case("collisions", f"{formula.name}, {count:,}", formula.text, sizes)


def example(path: Path, elements: int) -> Case:
    """An example with equal sizes, but for those of filters, such that its largest tensor has about so many elements."""
    program = tadc.load(path).program
    size = 2
    while program.sizes:
        sizes = program.size_values(dict.fromkeys(program.sizes, 2 * size))
        shapes = [[n.at(sizes) for n in t.shape] for t in program.tensors.values()]
        if max(map(prod, shapes)) > elements:
            break
        size *= 2
    given = dict.fromkeys(program.sizes, size)
    if path.stem == "conv2d":
        given |= {"R": 3, "T": 3}
    if path.stem in {"hankel", "locally_connected"}:
        given["L"] = 2 * size - 1
    return Case("examples", path.stem, path.read_text("utf-8"), given)


def examples() -> Iterator[Case]:
    for path in sorted(EXAMPLES.glob("*.idx")):
        yield example(path, ELEMENTS)


def large() -> Iterator[Case]:
    for each in large_formulas():
        yield Case("large formulas", each.name, each.text, each.sizes, each.options)


def row(case: Case) -> dict[str, Any]:
    """The line of a formula: its kernels, or why there are none."""
    told = {"kind": case.kind, "name": case.name}
    try:
        f = tadc.compile(case.text, backend="cuda", dtype="float32", **case.options)
        found = modelled(f, MODES, case.sizes, HOPPER).kernels
    except tadc.Error as error:
        return {**told, "error": str(error).splitlines()[0]}
    return {**told, "kernels": [asdict(k) for k in found]}


def add(rows: Path, cases: Iterable[Case]) -> None:
    """A line for each of the formulas that the file does not have."""
    known = {(r["kind"], r["name"]) for r in read(rows)} if rows.exists() else set()
    with rows.open("a", encoding="utf-8") as file:
        for case in cases:
            if (case.kind, case.name) not in known:
                file.write(json.dumps(row(case)) + "\n")
                file.flush()


def read(rows: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in rows.read_text("utf-8").splitlines()]


def table(rows: Sequence[dict[str, Any]]) -> str:
    """As Markdown."""
    found = [(r, ModelledKernel(**k)) for r in rows for k in r.get("kernels", ())]
    lines = [
        "# The share of the busiest thread",
        "",
        f"Made by `python benchmarks/gpu_sweep.py`, with {_asked(rows)}, tadc {tadc.__version__}, float32, for an {HOPPER.rates.name}, by its model:",
        f"nothing was run. Values and gradients of random formulas with {LEAST:,} to {MOST:,} points (`benchmarks/random_formulas.py`), of formulas with",
        "10,000,000 points of which up to 1,000,000 meet at an element, of those of `benchmarks/gpu_large.py`, and of the examples. *Of its own threads* a kernel's",
        f"busiest one has more than {SHARE} times the mean, of as many as fit at once. A kernel is *uneven* if that is so of the mean of as many threads as the machine",
        "holds, whether or not the kernel has so many, and the busiest one works for longer than a launch takes. By what is *lost* a kernel takes more than its least time.",
        "",
        "| | formulas | kernels | of its own threads | of these more than 10 us lost | uneven | of these more than 10 us lost |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for kind in dict.fromkeys(r["kind"] for r, _ in found):
        own = [(r["name"], k) for r, k in found if r["kind"] == kind]
        formulas = len({name for name, _ in own})
        counts = [n for is_so in (_is_busy, _is_uneven) for n in _counted(is_so, own)]
        lines.append(f"| {kind} | {formulas:,} | {len(own):,} | {' | '.join(map(str, counts))} |")
    worst = sorted((pair for pair in found if _is_busy(pair[1]) or pair[1].is_uneven), key=lambda pair: -_lost(pair[1]))  # fmt: skip
    if worst:
        lines += ["", "Those that lose most:", "", "| | mode | kernel | ms | at least | limited by | threads | busiest thread | mean | share of the machine's |", "| --- | --- | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |"]  # fmt: skip
    for r, k in worst[:WORST]:
        name = k.name.removeprefix("program_")
        mean = k.longest_thread / k.busiest
        lines.append(f"| {r['kind']}, {r['name']} | {k.mode} | {name} | {k.milliseconds:.4f} | {k.ideal_milliseconds:.4f} | {k.limit} | {k.threads:,} | {k.longest_thread:,.0f} | {mean:,.1f} | {k.mean_thread:,.1f} |")  # fmt: skip
    lines += met(rows)
    lines += ["", *(f"Not compiled: {_failed(r)}" for r in rows if "error" in r)]
    return "\n".join(lines).rstrip() + "\n"


def met(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The gradients of formulas whose points meet, by how many do: microseconds of all kernels, and the least of each."""
    times: dict[str, dict[str, str]] = {}
    for r in rows:
        if r["kind"] == "collisions" and "kernels" in r:
            name, _, count = r["name"].partition(", ")
            backward = [k for k in r["kernels"] if "_backward_" in k["name"]]
            taken, least = (1e3 * sum(k[t] for k in backward) for t in ("milliseconds", "ideal_milliseconds"))  # fmt: skip
            times.setdefault(count, {})[name] = f"{taken:.0f} | {least:.0f}"
    if not times:
        return []
    names = list(next(iter(times.values())))
    head = " | ".join(f"{name}, us | at least" for name in names)
    lines = ["", "Gradients by both factors of 10,000,000 products, of which so many meet at an element of the first:", ""]  # fmt: skip
    lines += [f"| | {head} |", f"| ---: |{' ---: | ---: |' * len(names)}"]
    return lines + [f"| {n} | {' | '.join(t[name] for name in names)} |" for n, t in times.items()]


def _asked(rows: Sequence[Mapping[str, Any]]) -> str:
    """The options that the rows were made with."""
    seeds = sorted(int(r["name"]) for r in rows if r["kind"] == "random formulas")
    others = "--others " if any(r["kind"] != "random formulas" for r in rows) else ""
    if not seeds:
        return f"`{others.strip()}`"
    first = seeds[0]
    end = next((n for n, seed in enumerate(seeds, first) if n != seed), first + len(seeds))
    return f"`{others}--seeds {first} {end}`"


def _failed(r: Mapping[str, Any]) -> str:
    return f"{r['kind']}, {r['name']}: {r['error']}"


def _is_busy(k: ModelledKernel) -> bool:
    return k.busiest > SHARE


def _is_uneven(k: ModelledKernel) -> bool:
    return k.is_uneven


def _counted(
    is_so: Callable[[ModelledKernel], bool], kernels: Sequence[tuple[str, ModelledKernel]]
) -> tuple[int, int]:
    """The kernels of which that is so, and those of them that lose much."""
    found = [k for _, k in kernels if is_so(k)]
    return len(found), sum(_lost(k) > MUCH for k in found)


def _lost(k: ModelledKernel) -> float:
    """Milliseconds above the least."""
    return k.milliseconds - k.ideal_milliseconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("rows", type=Path, help="a file with a line for each formula")
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 0), metavar=("FIRST", "END"))
    parser.add_argument("--others", action="store_true", help="those that are not random")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    if options.others:
        add(options.rows, chain(collisions(), large(), examples()))
    add(options.rows, random_cases(*options.seeds))
    rows = read(options.rows)
    if options.table:
        options.output.mkdir(parents=True, exist_ok=True)
        (options.output / "gpu_sweep.md").write_text(table(rows), "utf-8")
        print(table(rows))
    return int(any("error" in r for r in rows))


if __name__ == "__main__":
    sys.exit(main())
