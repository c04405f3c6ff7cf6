"""What the end-to-end tests share: the examples with sizes to run them at, random arrays, and emitted text run on the host.

The scalar interpreter is the oracle: `tadc.compile(.., backend="interpreter")`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tadc.emit.cuda import emit_cuda
from tadc.runtime.binding import bind_sizes

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.*"))

# Distinct, so that no extent is taken for another; what is not a size of an example is ignored.
SIZES = {
    "conv2d": {"B": 2, "C": 3, "H": 9, "W": 10, "O": 4, "R": 2, "T": 3},
    "hankel": {"L": 9, "N": 4},
    "locally_connected": {"B": 2, "C": 3, "L": 7, "P": 5, "O": 4, "K": 3},
    "matmul": {"N": 3, "K": 4, "M": 5},
    "mttkrp": {"I": 3, "J": 4, "K": 5, "R": 2},
    "paper": {},
    "rbf": {"N": 4, "M": 5, "D": 3},
    "triangular": {"N": 5},
    "wave": {"N": 6, "M": 7},
}


def example_name(path):
    """`rbf_tex` for `rbf.tex`: distinct also where an example stands in both spellings."""
    return f"{path.stem}_{path.suffix[1:]}"


def sizes_of(f, sizes):
    """All sizes of a program, derived ones included."""
    return f.program.size_values({s: sizes[s] for s in f.program.sizes})


def random_arrays(f, sizes, seed=0):
    """An array for every input, by name, of elements in which all functions of the examples are defined."""
    random = np.random.default_rng(seed)
    values = sizes_of(f, sizes)
    return {
        t.name: np.asarray(random.uniform(0.2, 0.9, [n.at(values) for n in t.shape]))
        for t in f.program.inputs
    }


def bound(f, arrays, given=None):
    """The sizes of a call, derived ones included."""
    program = f.program
    chosen = {s: n for s, n in (given or {}).items() if s in program.sizes}
    return bind_sizes(program, {n: np.shape(a) for n, a in arrays.items()}, chosen)


def by_name(f, results):
    return dict(zip(f.outputs, results if len(f.outputs) > 1 else (results,), strict=True))


def cuda(f, dtype, source=""):
    """The `.cu` of a program and its adjoint, with its manifest: what `HostBatch` takes."""
    emitted = emit_cuda({"primal": f.program, "adjoint": f.adjoint().program}, source, dtype)
    return emitted.text, emitted.manifest


def relative(found, expected):
    """The largest difference, relative to the largest expected magnitude. Infinities and NaNs must agree."""
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    assert found.shape == expected.shape
    differ = ~((found == expected) | (np.isnan(found) & np.isnan(expected)))
    if not differ.any():
        return 0.0
    scale = np.max(np.abs(expected), initial=1e-30)
    return float(np.max(np.abs(found - expected)[differ])) / scale
