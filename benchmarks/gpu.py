"""Formulas on a GPU: tadc against its own adjoint with atomic additions, and against PyTorch; without a GPU, what is in
the compiled code.

    python benchmarks/gpu.py [--repetitions 20] [--only NAME]... [--output benchmarks/results]

Where CuPy finds a GPU: milliseconds of the value and of the value with its gradients in float32, by events, minima of
interleaved repetitions, beside the bytes of inputs and results over the bandwidth of a copy; then gradients by tensors
that are read over and over, as more and more threads meet at one address. Every competitor's results are compared before
its time counts. Writes `gpu.json` and `gpu.md`.

Anywhere, with NVRTC: kernels of the value and its gradients, the registers of the largest, and loads, stores and atomic
additions in their PTX for sm_90, of the gather form and of the scatter form. Writes `gpu_code.md`.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from cpu import Formula, formulas

import tadc
from tadc.emit.cuda import GpuMode, cuda_text
from tadc.emit.launcher import Mode, atomic_mode, modes_of
from tadc.errors import BackendError
from tadc.runtime.cuda import cuda_launch
from tadc.runtime.gpu import cupy, devices
from tadc.runtime.nvrtc import compile_cuda, find_nvrtc, nvrtc_version

Run = Callable[[], Any]
COLLISIONS = [10**k for k in range(7)]  # threads that meet at an address
ELEMENTS = 10**7  # of the sweep over collisions

# ---- the compiled code


def code(chosen: Sequence[Formula]) -> str:
    """A row a formula and form: what is in the compiled kernels."""
    head = "| formula | form | kernels | registers | spilled bytes | loads | stores | atomics |"
    rows = [head, "|" + " --- |" * 8]
    for formula in chosen:
        f = tadc.compile(formula.text)
        sizes = bound(f, formula)
        gathered, scattered = gather_modes(f, sizes), scatter_modes(f)
        for form, modes in (("gather", gathered), ("scatter", scattered)):
            compiled = compile_cuda(cuda_text(modes, "", "float32").text, "sm_90")
            usage = compiled.usage.values()
            numbers = [
                len(usage),
                max(u.registers for u in usage),
                sum(u.spill_bytes for u in usage),
                *(len(re.findall(pattern, compiled.ptx)) for pattern in (r"ld\.global", r"st\.global", r"\b(?:atom|red)\.")),
            ]  # fmt: skip
            rows.append(f"| {formula.name} | {form} | {' | '.join(map(str, numbers))} |")
    version = ".".join(map(str, nvrtc_version()))
    return "\n".join(
        [
            "# In the code for a GPU",
            "",
            f"Made by `python benchmarks/gpu.py`, tadc {tadc.__version__}, NVRTC {version}, sm_90, float32: instructions in the",
            "text of the value and its gradients, each counted once, however often it is run.",
            "",
            *rows,
            "",
        ]
    )


def bound(f: Any, formula: Formula) -> dict[str, int]:
    from tadc.runtime.binding import bind_sizes

    return bind_sizes(f.program, dict(zip(f.inputs, formula.shapes, strict=True)), {})


def gather_modes(f: Any, sizes: dict[str, int]) -> list[GpuMode]:
    programs = {"primal": f.program, "adjoint": f.adjoint().program}
    return [GpuMode.of(m, sizes) for m in modes_of(programs)]


def scatter_modes(f: Any) -> list[GpuMode]:
    (primal,) = modes_of({"primal": f.program})
    return [GpuMode.plain(m) for m in (primal, scatter(f, points=False))]


def scatter(f: Any, *, points: bool) -> Mode:
    return atomic_mode(f.program, f.inputs, points=points)


# ---- times


def milliseconds(run: Run, repetitions: int) -> float:
    """The fastest of some repetitions, by events on the current stream."""
    xp = cupy()
    found = []
    for _ in range(repetitions):
        start, end = xp.cuda.Event(), xp.cuda.Event()
        start.record()
        run()
        end.record()
        end.synchronize()
        found.append(xp.cuda.get_elapsed_time(start, end))
    return min(found)


def tasks(f: Any, formula: Formula) -> dict[str, dict[str, Run]]:
    """Every competitor's runs by task, after their results were found to be the same."""
    xp = cupy()
    random = np.random.default_rng(0)
    arrays = [xp.asarray(random.uniform(0.1, 1, s).astype(np.float32)) for s in formula.shapes]
    sizes = bound(f, formula)
    value, pullback = f.vjp(*arrays)
    cotangent = xp.ones_like(value)
    gradients = [*pullback(cotangent).values()]
    runs: dict[str, dict[str, Run]] = {
        "value": {"tadc": lambda: f(*arrays)},
        "value and gradients": {"tadc": lambda: f.vjp(*arrays)[1](cotangent)},
    }
    for points in (False, True):
        launch = cuda_launch(GpuMode.plain(scatter(f, points=points)), sizes, "float32", 0)
        agree(gradients, launch([*arrays, cotangent]))
        name = "a point a thread" if points else "an element a thread"
        runs["value and gradients"][f"atomics, {name}"] = lambda launch=launch: (
            f(*arrays),
            launch([*arrays, cotangent]),
        )
    torch = eager(formula)
    if torch:
        runs["value"]["torch"], runs["value and gradients"]["torch"] = torch(
            arrays, value, gradients
        )
    return runs


def eager(formula: Formula) -> Callable[..., tuple[Run, Run]] | None:
    """PyTorch's runs, as a user would write them; None where it is not there, or has no GPU."""
    try:
        import torch
    except ImportError:
        return None
    if formula.torch is None or not torch.cuda.is_available():
        return None

    def runs(arrays: list[Any], value: Any, gradients: list[Any]) -> tuple[Run, Run]:
        own = [torch.from_dlpack(a).requires_grad_() for a in arrays]

        def both() -> list[Any]:
            result = formula.torch(*own)  # type: ignore[misc]
            return [result, *torch.autograd.grad(result, own, torch.ones_like(result))]

        found = [cupy().from_dlpack(t.detach()) for t in both()]
        agree([value, *gradients], found)

        def forward() -> Any:
            with torch.no_grad():
                return formula.torch(*own)  # type: ignore[misc]

        return forward, both

    return runs


def agree(mine: Sequence[Any], others: Sequence[Any]) -> None:
    for a, b in zip(mine, others, strict=True):
        scale = float(abs(a).max()) or 1.0
        error = float(abs(a - b).max()) / scale
        assert error < 1e-2, f"a result differs by {error}"


def copied_bytes_per_second(repetitions: int) -> float:
    xp = cupy()
    x = xp.ones(2**27, np.float32)
    y = xp.empty_like(x)

    def copy() -> None:
        y[...] = x

    return 2 * x.nbytes / (milliseconds(copy, repetitions) / 1e3)


def collisions(count: int, repetitions: int) -> dict[str, Any]:
    """The gradient of `y[i, j] = a[i]*b[j]` by `a`: as many threads meet at an element of `a` as `b` has."""
    xp = cupy()
    f = tadc.compile("size N, M\ninput a[N], b[M]\ny[i, j] = a[i]*b[j]")
    adjoint = f.adjoint(("a",))
    a, b = (xp.asarray(np.ones(n, np.float32)) for n in (ELEMENTS // count, count))
    dy = xp.asarray(np.ones((a.size, b.size), np.float32))
    scattering = GpuMode.plain(atomic_mode(f.program, ("a",), points=True))
    launch = cuda_launch(scattering, {"N": a.size, "M": b.size}, "float32", 0)
    given = {"a": a, "b": b, adjoint.inputs[-1]: dy}
    arrays = [given[t.name] for t in scattering.mode.program.inputs]
    agree([adjoint(**given)], launch(arrays))
    own = milliseconds(lambda: adjoint(**given), repetitions)
    other = milliseconds(lambda: launch(arrays), repetitions)
    return {"collisions": count, "tadc": own, "atomics": other}


def times(chosen: Sequence[Formula], repetitions: int) -> tuple[str, dict[str, Any]]:
    from rich.progress import track

    speed = copied_bytes_per_second(repetitions)
    rows = []
    for formula in track(chosen, "formulas"):
        f = tadc.compile(formula.text)
        touched = 4 * sum(int(np.prod(s)) for s in formula.shapes)
        for task, runs in tasks(f, formula).items():
            floor = 1e3 * touched * (1 if task == "value" else 2) / speed
            found = {who: milliseconds(run, repetitions) for who, run in runs.items()}
            rows.append({"formula": formula.name, "task": task, "floor": floor, **found})
    sweep = [collisions(count, repetitions) for count in COLLISIONS]
    about = f"{', '.join(devices())}, CuPy {cupy().__version__}, NVRTC {'.'.join(map(str, nvrtc_version()))}, tadc {tadc.__version__}, {time.strftime('%Y-%m-%d')}"
    lines = [
        "# On a GPU",
        "",
        f"Made by `python benchmarks/gpu.py` on {about}: minima of {repetitions} repetitions, ms, float32.",
        f"A copy moves {speed / 1e9:.0f} GB/s; the floor has the bytes of inputs and their gradients alone.",
        "",
        "| formula | task | floor | tadc | others (x tadc) |",
        "| --- | --- | --- | --- | --- |",
    ]
    for r in rows:
        others = {k: v for k, v in r.items() if k not in ("formula", "task", "floor", "tadc")}
        text = ", ".join(f"{k}: {v:.3f} ({v / r['tadc']:.2f})" for k, v in others.items())
        lines.append(
            f"| {r['formula']} | {r['task']} | {r['floor']:.3f} | {r['tadc']:.3f} | {text} |"
        )
    lines += [
        "",
        "| threads that meet at an address | tadc | atomics (x tadc) |",
        "| --- | --- | --- |",
    ]
    lines += [
        f"| {r['collisions']:,} | {r['tadc']:.3f} | {r['atomics']:.3f} ({r['atomics'] / r['tadc']:.2f}) |"
        for r in sweep
    ]
    return "\n".join([*lines, ""]), {"about": about, "rows": rows, "collisions": sweep}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args()
    chosen = [f for f in formulas() if not options.only or f.name in options.only]
    options.output.mkdir(parents=True, exist_ok=True)
    if find_nvrtc():
        text = code(chosen)
        (options.output / "gpu_code.md").write_text(text, "utf-8")
        print(text)
    try:
        cupy()
    except BackendError as error:
        print(f"no times: {error}")
        return
    text, data = times(chosen, options.repetitions)
    (options.output / "gpu.md").write_text(text, "utf-8")
    (options.output / "gpu.json").write_text(json.dumps(data, indent=2) + "\n", "utf-8")
    print(text)


if __name__ == "__main__":
    main()
