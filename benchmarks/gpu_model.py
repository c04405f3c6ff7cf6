"""The kernels of the large formulas by the model of a GPU: their times, what limits them, and the least that a machine needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from gpu_large import Large

import tadc
from tadc.function.runs import modelled
from tadc.schedule.gpu.machine import HOPPER, Machine

__all__ = ["changed", "rows", "table"]

MODES = ("primal", "vjp")
FAR = 2.0  # times the least
# Why kernels of a formula take more than that, by what limits them.
OF_PRODUCTS = "what threads read of shared memory takes as long as their products, and where a block of 32 terms ends, sums of groups that have no registers are added to in memory: a fifth of the time"
REASONS = {
    ("convolution, brackets", "copies to shared memory"): OF_PRODUCTS + "; at borders each element of the gradient of the images tests for each of the nine places whether it is inside",
    ("convolution, pad", "copies to shared memory"): "as with brackets, of which each image has borders",
    ("depthwise", "L2"): "the gradient of the filters: a warp has all nine taps, each of which reads both images at addresses of its own; rows are read again for each row of taps",
    ("hankel", "copies to shared memory"): "sums along anti-diagonals have seven elements a thread, each of which reads twelve elements for eight terms; a part has 128 terms, and a block has nothing to do while the first 32 are copied",
    ("hankel", "loads and stores"): "the gradient by the matrix's elements: warps have four neighbours each, which share what they read but not the lines, and test which of them have a term; parts of a block are as fast, but for the launch that adds them up",
    ("matrix product", "copies to shared memory"): OF_PRODUCTS,
    ("paper", "copies to shared memory"): OF_PRODUCTS + "; in gradients each thread keeps elements of another matrix besides its sums, so that it has fewer of these",
    ("rbf, 64 dimensions", "copies to shared memory"): "gradients: two blocks are on a multiprocessor, whose warps wait for one another at each part; larger tiles leave registers for one block, which takes longer. The gradients by the weights and by the scale are a pass over all pairs of their own, a fifth of the time: elements of each are a row of sums, which threads of the tiles by points would have to combine",
    ("wave", "L2"): "the adjoint: neighbours above, below, in front and behind are in other blocks, which read their rows again",
}  # fmt: skip

# How many times the least value and gradient took before schedules were chosen by the model: estimates from a reading of the machine code.
BEFORE = {
    "paper": ("2.7", "40 to 60"), "rbf, 3 dimensions": ("1.6", "90"), "rbf, 64 dimensions": ("25 to 60", "more than 100"),
    "matrix product": ("1.45", ""), "convolution, pad": ("4 to 5", ""), "convolution, brackets": ("2.2", ""), "depthwise": ("1.3", ""),
    "attention": ("2.5", "30 to 40"), "wave": ("1.25", "1.75"), "hankel": ("3", ""), "bias": ("1.1", "1.5"), "max pooling": ("1.4", "3.3"),
    "layer norm, softmax": ("2.5 to 3.5", ""), "mttkrp": ("6", "4 to 5"), "total variation": ("1.15", "2"), "sum of squares": ("1.1", ""),
    "elementwise": ("1.3 to 1.6", ""), "transpose": ("3", ""),
}  # fmt: skip


def rows(formulas: Iterable[Large], machine: Machine = HOPPER) -> Iterator[dict[str, Any]]:
    """A row a kernel, and one a mode, whose `name` is empty."""
    for large in formulas:
        f = tadc.compile(large.text, backend="cuda", dtype="float32", **large.options)
        found = modelled(f, MODES, large.sizes, machine)
        for row in (*found.kernels, *found.modes):
            yield {"formula": large.name, "name": "", **asdict(row)}


def changed(
    found: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """The modes whose time is another than in the rows of `before`."""
    old = {(r["formula"], r["mode"]): r["milliseconds"] for r in before if not r["name"]}
    for r in (r for r in found if not r["name"]):
        was, now = old.get((r["formula"], r["mode"])), r["milliseconds"]
        if was and not 0.98 < now / was < 1.02:
            yield f"{r['formula']}, {r['mode']}: {was:.4g} ms -> {now:.4g} ms"


def table(found: Sequence[Mapping[str, Any]], machine: Machine = HOPPER) -> str:
    """As Markdown."""
    kernels = [r for r in found if r["name"]]
    ratios = [r["milliseconds"] / r["ideal_milliseconds"] for r in kernels]
    uneven = sum(r["is_uneven"] for r in kernels)
    far = sum(ratio > FAR for ratio in ratios)
    lines = [
        "# Kernels by the model of a GPU",
        "",
        f"Made by `python benchmarks/gpu.py --model`, tadc {tadc.__version__}, float32, for an {machine.rates.name}: nothing was run. Milliseconds with the",
        "2 us of a launch. *At least* is what the machine needs for the statements of a kernel, each tensor's bytes once and each value once; for",
        "all kernels of a mode, with inputs and outputs alone. Threads in instructions: of the one that has the most to do, and all of them for each",
        "thread that the machine can hold. Sizes are those of `benchmarks/gpu_large.py`; how the model counts stands in `docs/gpu.md`.",
        "",
        f"{len(kernels)} kernels: the median takes {median(ratios):.2f} times the least, {far} take more than {FAR:g} times, and in {uneven} a thread",
        "has more than 4 times its share to do, for longer than a launch takes.",
        "",
        "| formula | mode | kernel | ms | at least | times | limited by | threads | longest | mean |",
        "| --- | --- | --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    for r in found:
        times = f"{r['milliseconds']:.4f} | {r['ideal_milliseconds']:.4f} | {r['milliseconds'] / r['ideal_milliseconds']:.1f}"
        if r["name"]:
            name = r["name"].removeprefix("program_")
            threads = f"{r['limit']} | {r['threads']:,} | {r['longest_thread']:,.0f} | {r['mean_thread']:,.0f}"  # fmt: skip
            lines.append(f"| {r['formula']} | {r['mode']} | {name} | {times} | {threads} |")
        else:
            lines.append(f"| **{r['formula']}** | **{r['mode']}** | all | {times} | | | | |")
    lines += ["", *_before_and_after(found)]
    lines += ["", f"Why kernels take more than {FAR:g} times the least:", ""]
    slow = {(r["formula"], r["limit"]) for r, ratio in zip(kernels, ratios, strict=True) if ratio > FAR}  # fmt: skip
    lines += [f"- {name}, {limit}: {REASONS.get((name, limit), 'not looked into')}." for name, limit in sorted(slow)]  # fmt: skip
    return "\n".join([*lines, ""])


def _before_and_after(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A row a formula: its times in each mode, beside those before."""
    yield "Before schedules were chosen by this model, and now, in times of the least. *Before* are estimates from a reading of the machine code, of the"
    yield "value and of the gradient alone, which knew less than the model does, as of a product of matrices that was measured since; *now* gradients are those with the value."
    yield ""
    yield "| formula | value, before | now | ms | at least | gradients, before | now | ms | at least |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    modes = {(r["formula"], r["mode"]): r for r in found if not r["name"]}
    for formula in dict.fromkeys(name for name, _ in modes):
        cells = [formula]
        for mode, before in zip(MODES, BEFORE.get(formula, ("", "")), strict=True):
            now, least = (modes[formula, mode][n] for n in ("milliseconds", "ideal_milliseconds"))
            cells += [before, f"{now / least:.1f}", f"{now:.4f}", f"{least:.4f}"]
        yield f"| {' | '.join(cells)} |"
