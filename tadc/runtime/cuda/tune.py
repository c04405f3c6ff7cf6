"""Tiles of kernels chosen by their times on a GPU: of the choices that change no bit, and kept for later processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tadc.cache import digest, own_files, read, write
from tadc.runtime.cuda.arrays import cupy, milliseconds
from tadc.schedule.gpu.tile import Shape

if TYPE_CHECKING:
    from tadc.runtime.cuda.launch import CudaLaunch

__all__ = ["Tiles", "is_tuning", "recalled", "store", "tuned", "tuning"]

Tiles: TypeAlias = Mapping[str, Shape]  # by kernel

REPETITIONS = 9
BETTER = 0.97  # of the time of the model's choice, which counts if nothing is clearly better

_tuning: ContextVar[bool] = ContextVar("tuning", default=False)


@contextmanager
def tuning() -> Iterator[None]:
    """A context in which programs compiled for a GPU are tuned first, which takes seconds for each set of sizes."""
    token = _tuning.set(True)
    try:
        yield
    finally:
        _tuning.reset(token)


def is_tuning() -> bool:
    return _tuning.get()


def tuned(choices: Mapping[str, Sequence[Shape]], launch: Callable[[Tiles], CudaLaunch]) -> Tiles:
    """The fastest of each kernel's choices, of which the first is the model's, one kernel after the other."""
    best: dict[str, Shape] = {}
    for name, counts in choices.items():
        times = _times([launch({**best, name: c}) for c in counts])
        fastest = min(range(len(counts)), key=lambda n: times[n])
        best[name] = counts[fastest if times[fastest] < BETTER * times[0] else 0]
    return best


def _times(launches: Sequence[CudaLaunch]) -> list[float]:
    """Milliseconds of each, the fastest of interleaved repetitions, on random input."""
    xp = cupy()
    random = np.random.default_rng(0)
    inputs = [
        xp.asarray(np.asarray(random.random(shape, np.float32))).astype(dtype)
        for shape, dtype in launches[0].input_forms
    ]
    best = [float("inf")] * len(launches)
    for _ in range(REPETITIONS):
        for n, launch in enumerate(launches):
            best[n] = min(best[n], milliseconds(partial(launch, inputs)))
    return best


def recalled(key: object) -> Tiles:
    """The tiles stored for the key, none if nothing was."""
    content = read(_name(key))
    return {k: Shape(**shape) for k, shape in json.loads(content).items()} if content else {}


def store(key: object, tiles: Tiles) -> None:
    write(_name(key), json.dumps(tiles, default=asdict).encode())


def _name(key: object) -> str:
    return f"tuned-{digest(own_files(), repr(key))}.json"
