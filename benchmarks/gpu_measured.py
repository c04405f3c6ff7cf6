"""The kernels of the large formulas as a GPU runs them, beside what its model says; and PyTorch, which computes the same.

    python benchmarks/gpu_measured.py [--only NAME]... [--repetitions 7] [--without-torch] [--output benchmarks/results]

Milliseconds by events on a busy stream, so that nothing waits for the host: of each kernel, and of all of a mode from the first one's
beginning to the last one's end; minima of repetitions. PyTorch's are those of its eager mode and of `torch.compile`, interleaved with
tadc's calls, its results compared with tadc's at these sizes. Writes `gpu_measured.json` and `gpu_measured.md`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import gpu
import numpy as np
from gpu_large import Large, large_formulas
from gpu_model import FAR, MODES
from gpu_plain import launch
from gpu_torch import written_in_torch

import tadc
from tadc.function.runs import modelled
from tadc.runtime.cuda import launch as launching
from tadc.runtime.cuda.arrays import cupy, devices
from tadc.schedule.gpu.machine import HOPPER, MACHINES, Rates

SAME = 2e-3  # of the norm: sums of a hundred million terms in float32
Run = Callable[[], Sequence[Any]]


def rates_of(device: str) -> Rates:
    """Those of the machine that is the device, of the one that schedules are made for if it is none of them."""
    named = (m.rates for m in MACHINES.values() if m.rates.name.split()[1] in device.split())
    return next(named, HOPPER.rates)


class Spans:
    """The beginnings and ends, on the current stream, of what is launched while `kept` is entered."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, Any]] = []

    def _timed(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            start, end = cupy().cuda.Event(), cupy().cuda.Event()
            start.record()
            found = run(*arguments)
            end.record()
            self.events.append((start, end))
            return found

        return timed

    @contextmanager
    def kept(self) -> Iterator[None]:
        driver, products = cupy().cuda.driver, launching._Product
        kernel, product = driver.launchKernel, products.run
        driver.launchKernel, products.run = self._timed(kernel), self._timed(product)  # type: ignore[method-assign]
        try:
            yield
        finally:
            driver.launchKernel, products.run = kernel, product  # type: ignore[method-assign]

    def milliseconds(self) -> list[float]:
        self.events[-1][1].synchronize()
        return [cupy().cuda.get_elapsed_time(*pair) for pair in self.events]


def kernel_times(run: Run, repetitions: int) -> tuple[list[float], float]:
    """The least milliseconds of each launch of a call, and of all of them, the gaps between them included."""
    busy = cupy().empty(1, np.float32)
    best: list[float] = []
    whole = float("inf")
    run()
    for _ in range(repetitions):
        spans = Spans()
        launch("peak", gpu.PEAK_BLOCKS, [busy, gpu.PEAK_TIMES])
        with spans.kept():
            run()
        found = spans.milliseconds()
        best = [min(pair) for pair in zip(best, found, strict=True)] if best else found
        whole = min(whole, cupy().cuda.get_elapsed_time(spans.events[0][0], spans.events[-1][1]))
    return best, whole


def arrays_of(f: Any, sizes: dict[str, int]) -> list[Any]:
    """Random inputs on the GPU, from -1 to 1."""
    xp = cupy()
    random = xp.random.RandomState(1)
    shapes = [tuple(n.at(sizes) for n in f.program.tensors[x].shape) for x in f.inputs]
    return [xp.asarray(random.uniform(-1, 1, s), dtype=np.float32) for s in shapes]


def measured(large: Large, repetitions: int, with_torch: bool) -> list[dict[str, Any]]:
    """A row a kernel, and one a mode, whose `name` is empty."""
    f = tadc.compile(large.text, backend="cuda", dtype="float32", **large.options)
    rates = rates_of(devices()[0])
    model = modelled(f, MODES, large.sizes, HOPPER, rates)
    inputs = arrays_of(f, large.sizes)
    value = f(*inputs)
    cotangent = cupy().asarray(np.ones(value.shape, np.float32))

    def both() -> list[Any]:
        value, pullback = f.vjp(*inputs)
        return [value, *pullback(cotangent).values()]

    own: dict[str, Run] = {"primal": lambda: [f(*inputs)], "vjp": both}
    rivals: dict[str, dict[str, Run]] = {}
    reasons: dict[str, str] = {}
    if with_torch:
        rivals, reasons = written_in_torch(large.name, inputs, cotangent)
    rows = []
    for mode in model.modes:
        run = own[mode.mode]
        kernels = [k for k in model.kernels if k.mode == mode.mode]
        times, whole = kernel_times(run, repetitions)
        about = {"formula": large.name, "mode": mode.mode}
        if len(times) != len(kernels):
            print(f"{large.name}, {mode.mode}: {len(times)} launches, the model has {len(kernels)} kernels", flush=True)  # fmt: skip
        else:
            for k, ms in zip(kernels, times, strict=True):
                rows.append({**about, "name": k.name, "milliseconds": ms, "modelled": k.milliseconds, "least": k.ideal_milliseconds, "limit": k.limit})  # fmt: skip
        called = {"tadc": run}
        for who, runs in rivals.items():
            try:
                wrong = difference(runs[mode.mode](), run())
            except Exception as error:  # whatever a competitor raises
                wrong = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            if wrong:
                reasons[f"{who}, {mode.mode}"] = wrong
            else:
                called[who] = runs[mode.mode]
        ms = gpu.interleaved(called, repetitions)
        rows.append({**about, "name": "", "milliseconds": whole, "modelled": mode.milliseconds, "least": mode.ideal_milliseconds, "called": ms, "reasons": dict(reasons)})  # fmt: skip
        print(f"{large.name}, {mode.mode}: {whole:.4f} ms, model {mode.milliseconds:.4f}, at least {mode.ideal_milliseconds:.4f}; calls {ms} {reasons or ''}", flush=True)  # fmt: skip
    return rows


def difference(found: Sequence[Any], expected: Sequence[Any]) -> str:
    """What is wrong with results, if anything."""
    xp = cupy()
    for each, mine in zip(found, expected, strict=True):
        other = xp.from_dlpack(each).reshape(mine.shape)
        norm = float(xp.sqrt((other.astype(np.float64) ** 2).sum()))
        off = float(xp.sqrt(((mine.astype(np.float64) - other) ** 2).sum()))
        if not off <= SAME * norm:
            return f"a result is off by {off / (norm or 1):.1e} of its norm"
    return ""


def table(rows: Sequence[dict[str, Any]], about: dict[str, Any]) -> str:
    """As Markdown."""
    kernels = [r for r in rows if r["name"]]
    calls = [r for r in rows if not r["name"]]
    of_model = [r["milliseconds"] / r["modelled"] for r in kernels]
    of_least = [r["milliseconds"] / r["least"] for r in kernels]
    names = list(dict.fromkeys(n for r in calls for n in r["called"] if n != "tadc"))
    lines = [
        "# Kernels on a GPU, and its model",
        "",
        f"Made by `python benchmarks/gpu_measured.py` on {about['device']}, {about['versions']}, {about['date']}: milliseconds in float32, minima of",
        f"{about['repetitions']} repetitions, on a stream that is busy before. A copy moves {about['bytes_per_second'] / 1e9:.0f} GB/s, multiplications with additions reach",
        f"{about['operations_per_second'] / 1e12:.1f} Tflop/s, an empty launch takes {about['launch_ms']:.4f} ms. The model is that of {about['model']}; *at least* as in `gpu_model.md`.",
        f"{len(kernels)} kernels: the median takes {median(of_model):.2f} of the model's time ({min(of_model):.2f} to {max(of_model):.2f}) and {median(of_least):.2f} times the least,",
        f"{sum(r > FAR for r in of_least)} take more than {FAR:g} times. Sizes are those of `benchmarks/gpu_large.py`.",
        "",
        f"| formula | mode | ms | model | at least | times | a call | {' | '.join(names)} |",
        f"| --- | --- | ---: | ---: | ---: | ---: | ---: | {'---: | ' * len(names)}",
    ]
    for r in calls:
        mine = r["called"]["tadc"]
        others = [r["called"].get(n) for n in names]
        cells = " | ".join(f"{ms:.4f} ({ms / mine:.2f})" if ms else "" for ms in others)
        lines.append(f"| {r['formula']} | {r['mode']} | {r['milliseconds']:.4f} | {r['modelled']:.4f} | {r['least']:.4f} | {r['milliseconds'] / r['least']:.1f} | {mine:.4f} | {cells} |")  # fmt: skip
    lines += ["", "In brackets: the time over tadc's, of a call from Python.", ""]
    lines += ["| formula | mode | kernel | ms | of the model | times the least | by the model limited by |", "| --- | --- | --- | ---: | ---: | ---: | --- |"]  # fmt: skip
    for r in kernels:
        lines.append(f"| {r['formula']} | {r['mode']} | {r['name'].removeprefix('program_')} | {r['milliseconds']:.4f} | {r['milliseconds'] / r['modelled']:.2f} | {r['milliseconds'] / r['least']:.1f} | {r['limit']} |")  # fmt: skip
    lines += ["", "Left out:", ""]
    lines += dict.fromkeys(f"- {r['formula']}, {who}: {why}" for r in calls for who, why in r["reasons"].items())  # fmt: skip
    return "\n".join([*lines, ""])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", action="append", default=[], help="a formula's name")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--without-torch", action="store_true")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    device = devices()[0]
    about = {
        "device": device,
        "versions": f"tadc {tadc.__version__}, CuPy {cupy().__version__}",
        "date": time.strftime("%Y-%m-%d"),
        "repetitions": options.repetitions,
        "model": rates_of(device).name,
        **gpu.limits(options.repetitions),
    }
    print(about, flush=True)
    rows: list[dict[str, Any]] = []
    for large in large_formulas():
        if options.only and large.name not in options.only:
            continue
        try:
            rows += measured(large, options.repetitions, not options.without_torch)
        except Exception as error:  # too little memory, say: the others count all the same
            print(f"{large.name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
        cupy().get_default_memory_pool().free_all_blocks()
        if "torch" in sys.modules:
            sys.modules["torch"].cuda.empty_cache()
        text = json.dumps({"about": about, "rows": rows}, indent=1) + "\n"
        (options.output / "gpu_measured.json").write_text(text, "utf-8")
    (options.output / "gpu_measured.md").write_text(table(rows, about), "utf-8")
    print(table(rows, about))


if __name__ == "__main__":
    main()
