"""A hundred leapfrog steps of a wave in three dimensions, and the gradient by the medium, larger than memory if need be.

    python examples/dask_wave.py [--size 128] [--steps 100] [--chunk 64] [--folder wave] [--picture wave.svg]

Every step is a call on arrays in zarr stores, block by block: no more than a few blocks are in memory. The loss is the energy
at the end; its gradient by the squared speed of the medium goes back through the steps, whose states are kept in the stores.
A few elements of the gradient are compared with finite differences of small runs by the test of this file.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import zarr
from dask.diagnostics import ProgressBar

import tadc
import tadc.dask

STEP = """size X, Y, Z
input u[X,Y,Z], before[X,Y,Z], v[X,Y,Z]
next[x: X, y: Y, z: Z] = 2*u[x,y,z] - before[x,y,z] + v[x,y,z]*(u[pad(x-1),y,z] + u[pad(x+1),y,z]
    + u[x,pad(y-1),z] + u[x,pad(y+1),z] + u[x,y,pad(z-1)] + u[x,y,pad(z+1)] - 6*u[x,y,z])"""


class Stores:
    """Arrays in a folder, by name; they are written block by block."""

    def __init__(self, folder: Path, size: int, chunk: int) -> None:
        self.folder = folder
        self.shape = (size,) * 3
        self.chunks = (min(chunk, size),) * 3

    def write(self, name: str, array: Any) -> Any:
        store = zarr.create_array(
            str(self.folder / name),
            shape=self.shape,
            chunks=self.chunks,
            dtype="f4",
            overwrite=True,
        )
        da.store(array, store, lock=False)
        return store

    def lazy(self, store: Any) -> Any:
        return da.from_array(store, chunks=self.chunks)


def medium(stores: Stores) -> Any:
    """The squared speed, times the square of the time step: two layers."""
    x = da.arange(stores.shape[0], chunks=stores.chunks[0])
    layers = da.where(x < stores.shape[0] // 2, 0.1, 0.2).astype("f4")
    return da.broadcast_to(layers[:, None, None], stores.shape, chunks=stores.chunks)


def pulse(stores: Stores) -> Any:
    """A Gaussian in the middle."""
    axes = [
        da.arange(n, chunks=c) - n / 2 for n, c in zip(stores.shape, stores.chunks, strict=True)
    ]
    r2 = axes[0][:, None, None] ** 2 + axes[1][None, :, None] ** 2 + axes[2][None, None, :] ** 2
    return da.exp(-r2 / 20).astype("f4")


def counted(what: str, rounds: Sequence[int]) -> Iterator[int]:
    """The rounds, each told on the same line; a bar is Dask's, of rounds that take more than a second."""
    for count, k in enumerate(rounds, 1):
        print(f"\r{what}, step {count} of {len(rounds)}", end="", flush=True)
        yield k
    print()


def forward(step: Any, stores: Stores, v: Any, steps: int) -> list[Any]:
    """The states before and after each step, in stores."""
    states = [stores.write("state 0", pulse(stores))]
    states.append(states[0])
    for k in counted("the wave", range(steps)):
        states.append(stores.write(f"state {k + 1}", step(u=states[-1], before=states[-2], v=v)))
    return states


def backward(step: Any, stores: Stores, v: Any, states: list[Any]) -> Any:
    """The gradient of half the squared end state by the medium: the steps backwards, cotangents in stores."""
    zero = da.zeros(stores.shape, chunks=stores.chunks, dtype="f4")
    of_next, of_u = stores.lazy(states[-1]), zero
    gradient = zero
    for k in counted("its gradient", range(len(states) - 3, -1, -1)):
        _, pullback = step.vjp(u=states[k + 1], before=states[k], v=v, wrt=("u", "before", "v"))
        g = pullback(of_next)
        written = [
            stores.write(f"{name} {k % 2}", array)
            for name, array in (
                ("of u", g["u"] + of_u),
                ("of before", g["before"]),
                ("gradient", gradient + g["v"]),
            )
        ]
        of_next, of_u, gradient = map(stores.lazy, written)
    return gradient


def picture(end: Any, gradient: Any, path: str) -> None:
    """The middle planes of the end state and of the gradient; the few largest elements, at the pulse, are off the scale."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(1, 2, figsize=(8, 4))
    planes = {"the wave at the end": end, "its energy's derivative by the medium": gradient}
    for ax, (name, array) in zip(axes, planes.items(), strict=True):
        plane = np.asarray(array[:, array.shape[1] // 2])
        most = np.quantile(np.abs(plane), 0.999) or 1
        ax.imshow(plane, cmap="RdBu", vmin=-most, vmax=most)
        ax.set_title(name)
    plt.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--chunk", type=int, default=64)
    parser.add_argument("--folder", type=Path, default=Path("wave"))
    parser.add_argument("--picture", default="")
    options = parser.parse_args()
    if options.picture and find_spec("matplotlib") is None:
        parser.error("--picture needs matplotlib: pip install matplotlib")

    step = tadc.dask.wrap(tadc.compile(STEP, name="wave"))
    stores = Stores(options.folder, options.size, options.chunk)
    with ProgressBar(minimum=1), dask.config.set(scheduler="threads"):
        v = stores.write("medium", medium(stores))
        states = forward(step, stores, v, options.steps)
        gradient = backward(step, stores, v, states).compute()
    print(step.plan(u=states[-1], before=states[-2], v=v))
    print(f"energy {0.5 * float((stores.lazy(states[-1]) ** 2).sum().compute()):.6g}")
    print(f"largest derivative {np.abs(gradient).max():.6g}")
    if options.picture:
        picture(states[-1], gradient, options.picture)


if __name__ == "__main__":
    main()
