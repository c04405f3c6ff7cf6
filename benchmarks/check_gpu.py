"""What a device computes at large sizes, against float64 on the CPU: staged tiles, teams, rows, sums in parts, products of cuBLAS.

    python benchmarks/check_gpu.py [--backend cuda|opencl] [--divide 1] [--only NAME]...

Each formula of `gpu_large.py`, its value and all gradients in float32: compared with native code in float64, run twice for the same bits,
and timed once. With CUDA, a graph too. Exits with 1 where anything is wrong. `--divide 8` makes the sizes smaller, for a device of OpenCL
that is a CPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gpu_large import Large, large_formulas

import tadc

TOLERANCE = 1e-4  # of the norm
LEAST = 3  # of a size that is divided
SMALL = 64  # sizes up to here stay


def right(found: Any, expected: Any) -> float:
    """The norm of the difference, relative to that of what is expected."""
    difference = np.asarray(found, np.float64) - expected
    return float(np.linalg.norm(difference) / (np.linalg.norm(expected) + 1e-30))


def divided(sizes: dict[str, int], by: int) -> dict[str, int]:
    """Smaller sizes, those that are small already as they are."""
    return {s: n if n <= SMALL else max(LEAST, n // by) for s, n in sizes.items()}


def check(large: Large, backend: str, by: int) -> str:
    """What is wrong with a formula on the device, empty if nothing is; prints the largest error, and the time."""
    sizes = divided(large.check, by)
    options = large.options if backend == "cuda" else {}
    f = tadc.compile(large.text, backend=backend, dtype="float32", **options)
    oracle = tadc.compile(large.text, backend="native", dtype="float64")
    random = np.random.default_rng(1)
    shapes = [tuple(n.at(sizes) for n in f.program.tensors[x].shape) for x in f.inputs]
    arrays = [np.asarray(random.uniform(-1, 1, s), np.float32) for s in shapes]
    expected, pull = oracle.vjp(*arrays)
    seed = np.asarray(random.uniform(0, 1, np.shape(expected)), np.float32)
    others = pull(seed)
    put, get, wait = on_device(backend)
    given, cotangent = [put(a) for a in arrays], put(seed)

    def run() -> tuple[Any, dict[str, Any]]:
        value, pullback = f.vjp(*given)
        return value, pullback(cotangent)

    value, gradients = run()
    wait()
    start = time.perf_counter()
    again, gradients_again = run()
    wait()
    seconds = time.perf_counter() - start
    errors = {"value": right(get(value), expected)}
    errors |= {x: right(get(gradients[x]), others[x]) for x in f.inputs}
    pairs = [(value, again), *((gradients[x], gradients_again[x]) for x in f.inputs)]
    same = all(np.asarray(get(a)).tobytes() == np.asarray(get(b)).tobytes() for a, b in pairs)
    worst = max(errors, key=errors.__getitem__)
    print(f"{large.name:24s} {errors[worst]:.1e} ({worst})  {1e3 * seconds:10.3f} ms with gradients", flush=True)  # fmt: skip
    wrong = [f"{x} is off by {e:.1e}" for x, e in errors.items() if not e < TOLERANCE]
    wrong += [] if same else ["a second run has other bits"]
    if backend == "cuda":
        replayed, by_name = f.graph(*given, cotangents=cotangent)()
        wait()
        off = max([right(get(replayed), expected), *(right(get(by_name[x]), others[x]) for x in f.inputs)])  # fmt: skip
        wrong += [] if off < TOLERANCE else [f"the graph is off by {off:.1e}"]
    return "; ".join(wrong)


def on_device(backend: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any], Callable[[], Any]]:
    """Functions that copy an array to the device, and back, and that wait for the device."""
    if backend != "cuda":
        return (lambda a: a), np.asarray, lambda: None
    import cupy

    return cupy.asarray, cupy.asnumpy, cupy.cuda.get_current_stream().synchronize


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--backend", choices=("cuda", "opencl"), default="cuda")
    parser.add_argument("--divide", type=int, default=1, help="the sizes")
    parser.add_argument("--only", action="append", default=[], help="a formula's name")
    options = parser.parse_args(arguments)
    failed = 0
    for large in large_formulas():
        if options.only and large.name not in options.only:
            continue
        try:
            wrong = check(large, options.backend, options.divide)
        except Exception as error:  # the others are checked all the same
            wrong = f"{type(error).__name__}: {error}"
        if wrong:
            failed += 1
            print(f"{large.name:24s} WRONG: {wrong[:500]}", flush=True)
    print(f"{failed} wrong" if failed else "all right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
