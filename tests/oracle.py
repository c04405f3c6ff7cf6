"""What the end-to-end tests share: the examples with sizes to run them at, random arrays, and emitted text run on the host.

The scalar interpreter is the oracle: `tadc.compile(.., backend="interpreter")`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from emitted import cuda_file

from tadc.runtime.binding import bind_sizes

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(p for p in (ROOT / "examples").iterdir() if p.suffix in (".idx", ".tex"))

# Distinct, so that no extent is taken for another; what is not a size of an example is ignored.
SIZES = {
    "acoustic": {"X": 3, "Y": 9, "Z": 5},
    "batch_norm": {"N": 3, "C": 2, "Y": 2, "X": 4},
    "bilinear": {"N": 2, "C": 1, "H": 3, "W": 4},
    "conv2d": {"B": 2, "C": 3, "H": 9, "W": 10, "O": 4, "R": 2, "T": 3},
    "equivariant": {"A": 4, "C": 2},
    "flownet_correlation": {"N": 1, "K": 2, "Y": 3, "X": 5},
    "group_norm": {"N": 2, "P": 2, "Y": 3, "X": 2},
    "hankel": {"L": 9, "N": 4},
    "ising": {"N": 3, "M": 4},
    "lennard_jones": {"N": 3},
    "locally_connected": {"B": 2, "C": 3, "L": 7, "P": 5, "O": 4, "K": 3},
    "mamba2": {"B": 2, "T": 5, "H": 2, "N": 3, "P": 2},
    "matmul": {"N": 3, "K": 4, "M": 5},
    "mttkrp": {"I": 3, "J": 4, "K": 5, "R": 2},
    "paper": {},
    "pixel_shuffle": {"N": 2, "C": 2, "H": 3, "W": 2},
    "pooling": {"N": 2, "C": 1, "H": 7, "W": 6},
    "rbf": {"N": 4, "M": 5, "D": 3},
    "relative_attention": {"N": 4, "H": 2, "D": 3},
    "rwkv": {"B": 2, "C": 3, "T": 5},
    "total_variation": {"N": 4, "M": 3},
    "triangular": {"N": 5},
    "trilinear": {"N": 1, "D": 2, "H": 3, "W": 2},
    "wave": {"N": 6, "M": 7},
    "window_attention": {"N": 6, "D": 2},
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
    emitted = cuda_file({"primal": f.program, "adjoint": f.adjoint().program}, source, dtype)
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
