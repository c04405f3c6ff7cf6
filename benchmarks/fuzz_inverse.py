"""Random programs that work in place against dense linear algebra: tangents, adjoints and all inverse modes, of every kind of step.

    python benchmarks/fuzz_inverse.py [--count 1000] [--first 0] [--targets 40]

For each program, by numpy or native code, in float64 or float32, for sizes such as 0, 1 and primes: `J v` and `Jᵀw` against central
differences and the matrix of all tangents, `J⁻¹v`, `J⁻ᵀw`, `log |det J|` and `f.inverse(x)` against that matrix, and the invariants that
tie them together; programs with loops round by round too, with all choices of `memory`. Every third program, where its systems are small, as a `.function()` too; every one in `--targets` of these also by the
interpreter, as CUDA text on the host and by a device of OpenCL, where there is one. Differences are printed with their programs; at the
end the steps are counted by kind.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import tadc
from tadc.inplace import versions
from tadc.schedule.lowered import GpuModule, modules_of

SIZES = (0, 1, 2, 3, 5, 7, 11, 13, 17, 23, 37)
MOST_WRITTEN = 5  # rows of systems whose elimination is written out here

# ---------------------------------------------------------------------- programs

STATES = "size N; state x[N], z[N], a[N, 3], y; input w[N], m[3, 3]"

# Steps by what they are likely to be; `{c}` is a coefficient that makes the diagonal the largest of its row.
STEPS: dict[str, tuple[str, ...]] = {
    "diagonal": (
        "x[i] <- {c}*x[i] + sin(y)*w[i] + z[i]",
        "z[i] <- z[i]*exp(w[i]*sin(x[i]))",
        "a[p, s] <- {c}*a[p, s] + a[p, s]**2/9 + x[p]",
        "y <- {c}*y + sin(y) + sum{{i}} x[i]*w[i]/9",
        "x[i | i % 2 = 0] <- {c}*x[i] + sin(x[pad(i+1)]) + sin(x[pad(i-1)])",
        "x[i | i % 3 != 1] <- {c}*x[i] + y*sum{{k | k % 3 = 1}} x[k]/9",
        "a[p, s | s = 1] <- {c}*a[p, s] + sin(a[p, 0])*a[p, 2]",
        "a[p, 2] <- {c}*a[p, 2] + a[p, 0]*a[p, 1]/4",
        "x[i | i >= N] <- 2*x[i]",
    ),
    "bijection": (
        "x[i] <- (2 + w[i])*x[wrap(i-1)]",
        "x[i] <- {c}*x[N-1-i] + y",
        "z[i] <- sin(x[i]) + {c}*z[wrap(i+2)]",
        "a[p, s] <- {c}*a[wrap(p + s), 2-s]",
        "a[p, s] <- {c}*a[N-1-p, 2-s] + sin(a[N-1-p, pad(1-s)])/2",
        "step {{ x[i] <- z[i] + sin(y); z[i] <- {c}*x[i] }}",
    ),
    "triangular": (
        "x[i] <- {c}*x[i] + sin(x[pad(i-1)])",
        "x[i] <- {c}*x[i] + y*x[pad(i+1)]/2 + x[pad(i+3)]/4",
        "x[i] <- {c}*x[i] + sum{{j | j < i}} sin(x[j])/(i-j+1)**2",
        "z[i] <- {c}*z[i] + sum{{j | j > i}} z[j]*x[j]/9",
        "a[p, s] <- {c}*a[p, s] + a[pad(p-1), s]/2 + sin(a[p, pad(s-1)])",
        "a[p, s] <- {c}*a[p, s] + sum{{q}} sin(a[pad(p-1), q])/4",
        "x[i] <- {c}*x[N-1-i] + sin(x[pad(N-2-i)])",
        "x[i] <- {c}*x[N-1-i] + sum{{j | j < N-1-i}} sin(x[j])*w[i]/9",
        "z[i] <- {c}*z[N-1-i] + sin(z[pad(N-2-i)])/2 + x[i]*z[pad(N-i)]/4",
        "x[i] <- {c}*x[i] + x[clamp(i-1)]",
        "x[i | i >= 1] <- {c}*x[i] + sin(x[i-1])/2",
        "repeat k = 1..N-1 {{ x[k] <- {c}*x[k]/2 + sin(x[k-1])/4 }}",
    ),
    "blocks": (
        "a[p, s] <- {c}*a[p, s] + sum{{q}} m[s, q]*sin(a[p, q])",
        "step {{ x[i] <- {c}*x[i] + sin(z[i]); z[i] <- {c}*z[i] - x[i]*w[i] }}",
        "step {{ a[p, s | s < 2] <- {c}*a[p, s] + sum{{q}} m[s, q]*a[p, q]**2/4; y <- 2*y }}",
        "t[p: N, s: 3] = {c}*a[p, s] + sum{{q}} m[s, q]*a[p, q]/2; a[p, s] <- t[p, s] + sum{{q}} m[q, s]*sin(t[p, q])/9",
    ),
    "banded": (
        "x[i] <- {c}*x[i] + sin(x[pad(i-1)]) - w[i]*x[pad(i+1)]",
        "x[i] <- {c}*x[i] + x[pad(i-2)]/2 + sin(x[pad(i+1)])/2",
        "a[p, s] <- {c}*a[p, s] + sin(a[pad(p+1), s]) - a[pad(p-1), s]/2",
        "step {{ x[i] <- {c}*x[i] + sin(z[pad(i-1)]); z[i] <- {c}*z[i] + x[pad(i+1)]*w[i] }}",
        "t[i: N] = x[i] + (x[pad(i-1)] - 2*x[i] + x[pad(i+1)])/9; x[i] <- t[i] + sin(t[pad(i-1)] - 2*t[i] + t[pad(i+1)])/9",
        "x[i | i % 4 != 0] <- {c}*x[i] + x[pad(i-1)] + sin(x[pad(i+1)])",
    ),
    "cyclic": (
        "x[i] <- {c}*x[i] + sin(x[wrap(i-1)]) - w[i]*x[wrap(i+1)]",
        "z[i] <- {c}*z[i] + x[i]*sin(z[wrap(i-2)])/2",
        "a[p, s] <- {c}*a[p, s] + sin(a[wrap(p-1), s])/2 + a[wrap(p+1), s]/4",
    ),
    "dense": (
        "x[i] <- {c}*x[i] + sum{{j}} sin(x[j]*w[i])/9",
        "a[p, s] <- {c}*a[p, s] + sum{{q, r}} sin(a[q, r] + s)/30",
        "step {{ y <- {c}*y + sum{{i}} x[i]/20; x[i] <- {c}*x[i] + sin(y)*w[i] }}",
        "x[i] <- {c}*x[i] + x[i//2]/3 + sin(x[pad(2*i + 1)])",
    ),
}  # fmt: skip

WITHOUT_STATES = (
    "size N; input x[N], z[N], w[N]; s[i: N] = {c}*x[i] + sin(z[i]); t[i: N] = x[i]*w[i] - {c}*z[i]; output s, t",
    "size N; input x[N], z[N], w[N]; s[i: N] = {c}*x[i] + sin(z[pad(i-1)]); t[i: N] = {c}*z[i] + s[i]*w[i]; output t, s",
    "size N; input x[N], y, w[N]; u[i: N] = {c}*x[i] + sin(x[pad(i-1)])*y; output u, y",
    "size N; input x[N, 3], w[3, 3]; u[p: N, s: 3] = {c}*x[p, s] + sum{{q}} w[s, q]*sin(x[p, q])",
    "size N; input x[N]; g[i: N] = sin(x[i]) + x[pad(i+1)]/2; u[i: N] = {c}*x[i] + g[i]/2 - g[pad(i-1)]/3",
)


def program(seed: int) -> tuple[str, dict[str, Any]]:
    """A program, and what its inverse is by: nothing for the states."""
    draw = random.Random(seed)
    if draw.random() < 0.15:
        text = draw.choice(WITHOUT_STATES).format(c=draw.choice((3, 4)))
        partner = [n for n, declared in (("z", " z["), ("y", " y,")) if declared in text]
        return text, {"wrt": ["x", *partner]}
    kinds = [draw.choice(list(STEPS)) for _ in range(draw.randint(1, 3))]
    diagonals = ("3", "(-3)", "4", "(3 + y**2)")
    lines = [draw.choice(STEPS[kind]).format(c=draw.choice(diagonals)) for kind in kinds]
    if draw.random() < 0.25 and sum("t[" in line for line in lines) < 2:
        rounds = draw.choice(("2", "1", "0", "t: 2", "down t = 1..2"))
        lines = [f"repeat {rounds} {{", *lines, "}"]
    elif sum("t[" in line for line in lines) > 1:
        lines = lines[:1]
    return "\n".join([STATES, *lines]), {}


def arrays(f: Any, n: int, rng: np.random.Generator, dtype: str) -> dict[str, np.ndarray]:
    """Random inputs for the size `n`."""
    inputs = (f.fix(N=n) if f.sizes else f).program.inputs
    shapes = {t.name: [e.constant for e in t.shape] for t in inputs}
    return {name: np.asarray(rng.uniform(0.2, 0.9, shape), dtype) for name, shape in shapes.items()}


# ---------------------------------------------------------------------- what is checked


class Checked:
    """A function at a point, with its Jacobian as a matrix."""

    def __init__(
        self, f: Any, point: dict[str, np.ndarray], sides: dict[str, Any], seed: int
    ) -> None:
        self.f, self.point, self.sides = f, point, sides
        self.wrt = sides.get("wrt") or list(f.states)
        self.rng = np.random.default_rng(seed)
        self.dtype = next(iter(point.values())).dtype
        self.before = [point[x].shape for x in self.wrt]
        self.after = [np.shape(y) for y in listed(f(**self.call))][: len(f.outputs)]
        self.matrix = self.jacobian()
        self.condition = np.linalg.cond(self.matrix.astype(float)) if self.matrix.size else 1.0
        self.scale = 2e3 * float(np.finfo(self.dtype).eps) * max(1.0, self.condition)

    @property
    def call(self) -> dict[str, Any]:
        return dict(self.point)

    def tangent(self, v: np.ndarray) -> np.ndarray:
        mode = self.f.tangent(self.wrt)
        names = mode.inputs[len(self.f.inputs) :]
        return packed(mode(**self.call, **dict(zip(names, unpacked(v, self.before), strict=True))))

    def adjoint(self, w: np.ndarray) -> np.ndarray:
        mode = self.f.adjoint(self.wrt)
        names = mode.inputs[len(self.f.inputs) :]
        return packed(mode(**self.call, **dict(zip(names, unpacked(w, self.after), strict=True))))

    def jacobian(self) -> np.ndarray:
        n = sum(int(np.prod(s)) for s in self.before)
        columns = [self.tangent(e) for e in np.eye(n, dtype=self.dtype)]
        return np.array(columns).T if columns else np.zeros((0, 0), self.dtype)

    def same(self, what: str, found: Any, expected: Any, tolerance: float | None = None) -> None:
        found, expected = np.asarray(found), np.asarray(expected)
        tolerance = self.scale if tolerance is None else tolerance
        size = max(1.0, float(np.max(np.abs(expected), initial=0)))
        np.testing.assert_allclose(
            found, expected, rtol=tolerance, atol=tolerance * size, err_msg=what
        )

    def products(self) -> None:
        """`J v` by central differences, and `Jᵀw` by the matrix."""
        v, w = self.vectors()
        if self.dtype == np.float64:
            eps = 1e-6
            moved = []
            for sign in (1, -1):
                parts = unpacked(sign * eps * v, self.before)
                shifted = {x: self.point[x] + d for x, d in zip(self.wrt, parts, strict=True)}
                moved.append(packed(self.f(**{**self.call, **shifted})))
            difference = (moved[0] - moved[1]) / (2 * eps)
            self.same("J v by differences", self.matrix @ v, difference, 1e-6)
        self.same("adjoint", self.adjoint(w), self.matrix.T @ w)

    def inverses(self, memory: str | None) -> tuple[np.ndarray, np.ndarray]:
        """All inverse modes by the matrix."""
        v, w = self.vectors()
        inverse = self.f.inverse(**self.call, **self.sides)
        back = self.f.inverse_tangent(**self.sides, memory=memory)
        forth = self.f.inverse_adjoint(**self.sides)
        count = len(self.f.inputs)
        called = dict(zip(back.inputs[count:], unpacked(v, self.after), strict=True))
        solved = packed(back(**self.call, **called))
        called = dict(zip(forth.inputs[count:], unpacked(w, self.before), strict=True))
        transposed = packed(forth(**self.call, **called))
        logdet = self.f.logdet(**self.sides)(**self.call)
        assert solved.dtype == transposed.dtype == self.dtype, (solved.dtype, transposed.dtype)
        wide = self.matrix.astype(float)
        self.same("J⁻¹v", solved, np.linalg.solve(wide, v))
        self.same("J⁻ᵀw", transposed, np.linalg.solve(wide.T, w))
        self.same("logdet", logdet, np.linalg.slogdet(wide)[1])
        self.same("<J⁻ᵀw, v> = <w, J⁻¹v>", transposed @ v, w @ solved)
        self.same("J⁻¹ J v", packed(inverse.tangent(*unpacked(self.tangent(v), self.after))), v)
        self.same("J⁻ᵀ Jᵀ w", packed(inverse.adjoint(*unpacked(self.adjoint(w), self.before))), w)
        self.same("f.inverse, J⁻¹v", packed(inverse.tangent(*unpacked(v, self.after))), solved)
        self.same("f.inverse, J⁻ᵀw", packed(inverse.adjoint(*unpacked(w, self.before))), transposed)
        self.same("f.inverse, logdet", inverse.logdet, logdet)
        return solved, transposed

    def programs(
        self, n: int, solved: np.ndarray, transposed: np.ndarray, *, targets: bool
    ) -> None:
        """The modes as programs; with `targets` on all backends that run here."""
        v, w = self.vectors()
        sizes = {"N": n} if self.f.sizes else {}
        for mode, vector, shapes, expected in (
            (self.f.inverse_tangent(**self.sides), v, self.after, solved),
            (self.f.inverse_adjoint(**self.sides), w, self.before, transposed),
            (
                self.f.logdet(**self.sides),
                v[:0],
                [],
                np.linalg.slogdet(self.matrix.astype(float))[1:],
            ),
        ):
            g = mode.function(**sizes)
            values = [*self.point.values(), *unpacked(vector, shapes)]
            self.same(f"{mode.mode} as a program", packed(g(*values)), expected)
            # launchers take no empty extents
            for run in (by_interpreter, on_a_hosted_gpu, on_opencl) if targets and n else ():
                self.same(f"{mode.mode}, {run.__name__}", packed(run(g, values)), expected)

    def by_rounds(self, text: str, n: int, memory: str) -> None:
        """The program again, its loops run round by round: values, tangents, adjoints and inverse modes."""
        v, w = self.vectors()
        with patch.object(versions, "MOST_VERSIONS", 0):
            f = tadc.compile(text, backend="numpy", sizes={"N": n}, memory=memory)
            if type(f).__name__ != "RolledFunction":  # no rounds
                return
            values = list(self.point.values())
            self.same("rounds: value", packed(f(*values)), packed(self.f(**self.call)))
            cotangents, tangents = unpacked(w, self.after), unpacked(v, self.before)
            found = f.tangent(self.wrt)(*values, *tangents)
            self.same("rounds: J v", packed(found), self.matrix @ v)
            try:
                found = f.adjoint(self.wrt)(*values, *cotangents)
                self.same("rounds: adjoint", packed(found), self.matrix.T @ w)
                every = f.adjoint()(*values, *cotangents)
                expected = self.f.adjoint()(*values, *cotangents)
                self.same("rounds: adjoint by all", packed(every), packed(expected))
            except tadc.DerivativeError:  # a step that cannot be run backwards
                assert memory == "reverse", memory
            wide = self.matrix.astype(float)
            found = f.inverse_tangent()(*values, *unpacked(v, self.after))
            self.same("rounds: J⁻¹v", packed(found), np.linalg.solve(wide, v))
            found = f.inverse_adjoint()(*values, *unpacked(w, self.before))
            self.same("rounds: J⁻ᵀw", packed(found), np.linalg.solve(wide.T, w))
            self.same("rounds: logdet", f.logdet()(*values), np.linalg.slogdet(wide)[1])

    def vectors(self) -> tuple[np.ndarray, np.ndarray]:
        """v after and w before the program, the same ones each time."""
        rng = np.random.default_rng(3)
        v, w = rng.standard_normal((2, len(self.matrix))).astype(self.dtype)
        return v, w


def listed(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def packed(results: Any) -> np.ndarray:
    return np.concatenate([np.ravel(a) for a in listed(results)])


def unpacked(vector: np.ndarray, shapes: list[tuple[int, ...]]) -> list[np.ndarray]:
    if not shapes:
        return []
    ends = np.cumsum([int(np.prod(s)) for s in shapes])
    return [p.reshape(s) for p, s in zip(np.split(vector, ends[:-1]), shapes, strict=True)]


# ---------------------------------------------------------------------- targets


def by_interpreter(f: Any, values: list[Any]) -> Any:
    g = tadc.compile(f.source("idx"), backend="interpreter")
    return g(*values)


def on_a_hosted_gpu(f: Any, values: list[Any]) -> Any:
    from emitted import cuda_file
    from host_run import HostProgram

    dtype = values[0].dtype.name
    file = cuda_file({"f": f.program}, "", dtype)
    results = HostProgram(file.text, file.manifest).run(
        "f", dict(zip(f.inputs, values, strict=True)), {}
    )
    return tuple(results[y] for y in f.outputs)


def on_opencl(f: Any, values: list[Any]) -> Any:
    """By a device of OpenCL; the interpreter's values where there is none, or its compiler dies of the text."""
    import pytest

    try:
        from opencl_run import run_on_opencl
    except ImportError:
        return by_interpreter(f, values)
    dtype = values[0].dtype.name
    (module,) = modules_of({"f": f.program})
    lowered = GpuModule.of(module, {}, dtype=dtype)
    try:
        results = run_on_opencl(lowered, dict(zip(f.inputs, values, strict=True)), {}, dtype)
    except pytest.skip.Exception:
        return by_interpreter(f, values)
    return tuple(results[y] for y in f.outputs)


# ---------------------------------------------------------------------- a run


def checked(seed: int, every: int) -> list[str]:
    """The kinds of the steps of one program, which is held against its matrix."""
    text, sides = program(seed)
    draw = random.Random(-seed - 1)
    n = draw.choice(SIZES if "a[" not in text.partition("w[N]")[2] else SIZES[:-2])
    dtype = draw.choice(("float64", "float64", "float32"))
    backend = "native" if seed % 8 == 0 else "numpy"
    memory = draw.choice((None, "recompute", "materialize"))
    f = tadc.compile(text, backend=backend)
    point = arrays(f, n, np.random.default_rng(seed), dtype)
    it = Checked(f, point, sides, seed)
    if it.condition > (1e7 if dtype == "float64" else 1e2):
        return ["ill-conditioned"]
    it.products()
    kinds = [p.kind for p in f.inverse_tangent(**sides).plan(**({"N": n} if f.sizes else {})).steps]
    results = it.inverses(memory)
    structures = [k.partition("(")[0].partition(",")[0] for k in kinds]
    if "repeat" in text:
        it.by_rounds(text, n, draw.choice(("auto", "recompute", "reverse")))
        structures.append("by rounds")
    small = n * (3 if "a[" in text.partition("w[N]")[2] else 2) <= MOST_WRITTEN
    if seed % 3 == 0 and (small or set(structures) <= {"diagonal", "bijection"}):
        it.programs(n, *results, targets=seed % (3 * every) == 0)
        structures.append("as a program")
    return structures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--targets", type=int, default=40)
    given = parser.parse_args()
    kinds: Counter[str] = Counter()
    different, begin = 0, time.time()
    for seed in range(given.first, given.first + given.count):
        try:
            kinds.update(checked(seed, given.targets))
        except Exception:  # whatever it is, it is reported
            different += 1
            print(f"--- program {seed}: {program(seed)}", flush=True)
            traceback.print_exc(file=sys.stdout)
        if seed % 100 == 99:
            print(f"programs {given.first}..{seed}, {time.time() - begin:.0f} s", flush=True)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    print(f"{different or 'no'} difference{'s' if different > 1 else ''}")
    return 1 if different else 0


if __name__ == "__main__":
    os.environ.setdefault("TADC_REMEMBER", "0")
    sys.exit(main())
