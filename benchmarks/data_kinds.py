"""Usual programs over data (`data_programs.py`) on one thread of a CPU, beside the same in PyTorch.

    python benchmarks/data_kinds.py [--only NAME]... [--output DIR]

First values and gradients of small arrays are compared with PyTorch's in float64. Then large ones are timed, in float32: milliseconds
of the processor, of a whole call, the least of several by turns. Index tensors are each a `tadc.Index`, which keeps its lists, those
of sparse tensors too. Writes `data_kinds.md`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import exp, log
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from cpu import cpu_name
from data_programs import KINDS, Kind

import tadc

ROUNDS, SHORT = 5, 0.03  # of repetitions; seconds that those of a short one take together


class Case:
    """A program with its arrays, for both tools."""

    def __init__(self, kind: type[Kind], dtype: str, *, large: bool) -> None:
        reals, self.indices, self.sizes = kind.arrays(np.random.default_rng(0), large)
        self.f = tadc.compile(kind.text, backend="native", threads=1, dtype=dtype)
        self.reals = {n: _of_type(a, dtype) for n, a in reals.items()}
        parts = [_parts(n, a) for n, a in self.reals.items()]
        self.leaves = [torch.from_numpy(values).requires_grad_() for _, values, _ in parts]
        integers = self.indices | {n: k for *_, more in parts for n, k in more.items()}
        known = {
            n: torch.from_numpy(np.asarray(k, np.int64)) for n, k in integers.items()
        } | self.sizes
        names = [name for name, *_ in parts]

        def in_torch(*leaves: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return _tuple(
                kind.in_torch(SimpleNamespace(**known, **dict(zip(names, leaves, strict=True))))
            )

        self.in_torch = in_torch
        self.outputs = in_torch(*(x.detach() for x in self.leaves))

    def arguments(self, *, kept: bool = False) -> dict[str, Any]:
        sizes = {n: s for n, s in self.sizes.items() if n in self.f.sizes}
        made = tadc.index if kept else lambda k: k
        indices = {n: made(k) for n, k in self.indices.items()}
        # Of a sparse tensor as a tuple, its values and its indices.
        reals = {
            n: (a[0], *map(made, a[1:])) if isinstance(a, tuple) else a
            for n, a in self.reals.items()
        }
        return {**reals, **indices, **sizes}

    def gradients_by_tadc(
        self, arguments: dict[str, Any], cotangents: list[np.ndarray]
    ) -> list[Any]:
        gradients = self.f.vjp(**arguments, wrt=list(self.reals))[1](*cotangents)
        return [gradients[n] for n in self.reals]

    def gradients_by_torch(self, cotangents: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        return torch.autograd.grad(self.in_torch(*self.leaves), self.leaves, cotangents)


def _tuple(y: Any) -> tuple[Any, ...]:
    return y if isinstance(y, tuple) else (y,)


def _of_type(a: Any, dtype: str) -> Any:
    return (a[0].astype(dtype), *a[1:]) if isinstance(a, tuple) else a.astype(dtype)


def _parts(name: str, a: Any) -> tuple[str, np.ndarray, dict[str, np.ndarray]]:
    """The values of an array by their name, and coordinates if it is sparse."""
    match a:
        case tuple():
            return f"{name}_val", a[0], {f"{name}_{d}": k for d, k in enumerate(a[1:])}
        case np.ndarray():
            return name, a, {}
        case _:
            return f"{name}_val", a.data, {f"{name}_0": a.row, f"{name}_1": a.col}


def compared(kind: type[Kind]) -> None:
    """Raises AssertionError where values or gradients of small arrays differ."""
    case = Case(kind, "float64", large=False)
    arguments = case.arguments()
    cotangents = [np.cos(np.arange(1.0, y.numel() + 1)).reshape(y.shape) for y in case.outputs]
    gradients = case.gradients_by_tadc(arguments, cotangents)
    expected = case.gradients_by_torch([torch.from_numpy(c) for c in cotangents])
    pairs = [*zip(_tuple(case.f(**arguments)), case.outputs, strict=True)]
    pairs += [(_parts("", g)[1], e) for g, e in zip(gradients, expected, strict=True)]
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11, err_msg=kind.name)


def timed(kind: type[Kind]) -> list[float]:
    """Milliseconds of a value and of gradients, by tadc and by PyTorch."""
    case = Case(kind, "float32", large=True)
    arguments = case.arguments(kept=True)
    ones = [torch.ones_like(y) for y in case.outputs]

    def value_by_torch() -> None:
        with torch.no_grad():
            case.in_torch(*case.leaves)

    return fastest(
        partial(case.f, **arguments),
        value_by_torch,
        partial(case.gradients_by_tadc, arguments, [c.numpy() for c in ones]),
        partial(case.gradients_by_torch, ones),
    )


def fastest(*runs: Callable[[], object]) -> list[float]:
    best = []
    for run in runs:
        run()
        begin = time.process_time()
        run()
        best.append(time.process_time() - begin)
    times = [max(1, int(SHORT / max(b, 1e-6))) for b in best]
    for _ in range(ROUNDS):
        for n, run in enumerate(runs):
            begin = time.process_time()
            for _ in range(times[n]):
                run()
            best[n] = min(best[n], (time.process_time() - begin) / times[n])
    return [b * 1e3 for b in best]


def table(rows: Sequence[tuple[str, list[float]]]) -> str:
    """As Markdown."""

    def mean(ratios: list[float]) -> float:
        return exp(sum(map(log, ratios)) / len(ratios))

    values, both = ([t[n] / t[n + 1] for _, t in rows] for n in (0, 2))
    lines = [
        "# Usual programs over data on one thread",
        "",
        f"Made by `python benchmarks/data_kinds.py` on {cpu_name()}: tadc {tadc.__version__}, torch {torch.__version__}, float32; milliseconds of",
        "CPU time, minima of interleaved repetitions. PyTorch is not compiled.",
        "",
        f"{len(rows)} programs: in the geometric mean tadc takes {mean(values):.2f} of PyTorch's time for values, {mean(both):.2f} with gradients.",
        "",
        "| | value, ms | torch, ms | ratio | with gradients, ms | torch, ms | ratio |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, (v, vt, b, bt) in rows:
        lines.append(
            f"| {name} | {v:.2f} | {vt:.2f} | {v / vt:.2f} | {b:.2f} | {bt:.2f} | {b / bt:.2f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", action="append", help="the name of a kind, or a part of it")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    torch.set_num_threads(1)
    chosen = [k for k in KINDS if not options.only or any(o in k.name for o in options.only)]
    rows = []
    for kind in chosen:
        compared(kind)
        rows.append((kind.name, timed(kind)))
        print(rows[-1][0], *(f"{t:.2f}" for t in rows[-1][1]), flush=True)
    if not options.only:
        (options.output / "data_kinds.md").write_text(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
