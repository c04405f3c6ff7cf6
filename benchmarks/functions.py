"""Scalar functions in loops over lanes, as native code computes them, against the same loops with C's own functions.

    python benchmarks/functions.py [--rounds 15] [--output benchmarks/results/functions.md]

Evaluations per nanosecond on one thread, of 4096 arguments that stay in the first cache: the minimum over rounds in which
the functions take turns. Errors are in `docs/accuracy.md`.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import time
from collections.abc import Callable
from ctypes import c_void_p
from functools import partial
from pathlib import Path

import numpy as np

from tadc.emit.clike.spelling import device_functions, lane_functions, name, spell
from tadc.emit.templates import template
from tadc.ir.functions import FUNCTIONS, OPERATORS
from tadc.runtime.cpu.c_compiler import Library, compiler, loaded

COUNT = 4096
TYPES = {"float32": "float", "float64": "double"}
NAMES = [f for f, row in FUNCTIONS.items() if not row.cheap and f not in {"polygamma", "digamma", "rsqrt", *OPERATORS}]  # fmt: skip
# Where a function is no number, or of no interest, between -6 and 6.
ENDS = {
    **dict.fromkeys(("log", "log2", "log10", "log1p", "log1mexp", "lgamma", "pow", "xlogy"), (0.01, 20)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-0.99, 0.99)),
    "acosh": (1, 20),
}  # fmt: skip
HEAD = template("c/head.c").render() + "#define INLINED __attribute__((always_inline))\n"


def library(with_lanes: bool) -> Library:
    """A loop for each function and type, over strips of lanes as kernels have them."""
    kernels = []
    for function in NAMES:
        for dtype, real in TYPES.items():
            arguments = [name("a"), name("b")][: FUNCTIONS[function].arity]
            kernels.append(
                f"void {function}_{dtype}(const {real}* restrict x, const {real}* restrict z, {real}* restrict y) {{\n"
                f"  for (int first = 0; first < {COUNT}; first += {128 // np.dtype(dtype).itemsize})\n"
                f"    for (int lane = 0; lane < {128 // np.dtype(dtype).itemsize}; lane++) {{\n"
                f"      const {real} a = x[first + lane], b = z[first + lane];\n      (void)b;\n"
                f"      y[first + lane] = {spell(function, arguments, dtype).text};\n    }}\n}}"
            )
    body = "\n".join(kernels)
    functions = device_functions(body, "int32", "c")
    lanes = lane_functions(body + functions) if with_lanes else ""
    return loaded("\n".join([HEAD, lanes, functions, body]))


def call(
    function: Callable[..., None], dtype: str, ends: tuple[float, float]
) -> Callable[[], None]:
    x = np.linspace(*ends, COUNT).astype(dtype)
    arrays = (x, np.linspace(-3, 3, COUNT).astype(dtype), np.empty_like(x))
    return partial(function, *(a.ctypes.data_as(c_void_p) for a in arrays))  # which keep the arrays


def rates(rounds: int) -> dict[tuple[str, str, bool], float]:
    """Evaluations per nanosecond by function, type, and whether lanes have functions of their own."""
    libraries = {True: library(True), False: library(False)}
    calls = {
        (f, dtype, lanes): call(found[f"{f}_{dtype}"], dtype, ENDS.get(f, (-6, 6)))
        for f in NAMES
        for dtype in TYPES
        for lanes, found in libraries.items()
    }
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for key, run in calls.items():
            repetitions = 40 if key[2] else 4
            start = time.thread_time_ns()
            for _ in range(repetitions):
                run()
            least[key] = min(least[key], (time.thread_time_ns() - start) / repetitions)
    return {key: COUNT / nanoseconds for key, nanoseconds in least.items()}


def table(rounds: int) -> str:
    found = rates(rounds)
    command = compiler()
    assert command is not None
    version = subprocess.run([*command, "--version"], capture_output=True, text=True).stdout
    rows = []
    for f in NAMES:
        cells = []
        for dtype in TYPES:
            lanes, own = found[f, dtype, True], found[f, dtype, False]
            cells += [f"{lanes:.2f}", f"{own:.2f}", f"{lanes / own:.1f}"]
        rows.append(f"| `{f}` | {' | '.join(cells)} |")
    return "\n".join(
        [
            "# Scalar functions on the CPU",
            "",
            f"Made by `python benchmarks/functions.py` on {cpu()}, one thread, {version.splitlines()[0]}. Evaluations per nanosecond (10^9 a second) of loops",
            "over lanes, and of the same loops with C's functions; minima over rounds in which all take turns. The machine was shared: read ratios.",
            "Where both are alike, lanes have no function of their own (`fmod`; `lgamma` of float64).",
            "",
            "| function | float32 | C's | times | float64 | C's | times |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
            *rows,
            "",
        ]
    )


def cpu() -> str:
    """The processor, with what of its instructions matters here."""
    path = Path("/proc/cpuinfo")
    text = path.read_text() if path.exists() else ""
    model = next(
        (s.split(":")[1].strip() for s in text.splitlines() if "model name" in s),
        platform.processor(),
    )
    wide = next((s for s in ("avx512f", "avx2") if f" {s} " in text), platform.machine())
    return f"{model} ({wide})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    text = table(given.rounds)
    print(text)
    if given.output:
        given.output.write_text(text, "utf-8")
