"""How long programs of unusual length or depth take: seconds of CPU, each in a process of its own with an empty cache.

    python benchmarks/compile_time_hard.py [--limit 60] [--only REGEX] [--stages compile,text,call,vjp]

`compile` is from text to program, `text` prints it, `call` is the first call, `vjp` the first call with its pullback.
A stage above the limit ends its program.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

STAGES = ("compile", "text", "call", "vjp")


@dataclass(frozen=True, slots=True)
class Case:
    """A program, the shapes of its inputs, numbers of its sizes, and the stages that are timed."""

    text: str
    shapes: dict[str, tuple[int, ...]]
    sizes: dict[str, int] = field(default_factory=dict)
    adjoints: int = 0  # derived so often before the first stage


def chain(length: int, step: str = "tanh({})") -> str:
    """Statements that each read the one before."""
    names = ["x", *(f"t{n}" for n in range(1, length)), "y"]
    lines = (f"{b}[i] = {step.format(f'{a}[i]')}" for a, b in pairwise(names))
    return "size N\ninput x[N]\n" + "\n".join(lines) + "\noutput y"


def shifted_windows() -> str:
    """Attention in windows of 4 x 4 of an image of 16 x 16 that is rolled by 2, with relative positions."""
    rolled = "wrap(4*(w//4) + {0}//4 + 2), wrap(4*(w%4) + {0}%4 + 2)"
    p, r = rolled.format("p"), rolled.format("r")
    return f"""
        size H = 2, D = 8
        input q[H, 16, 16, D], k[H, 16, 16, D], v[H, 16, 16, D], bias[H, 7, 7]
        s[h, w: 16, p: 16, r: 16] = sum{{d}} q[h, {p}, d]*k[h, {r}, d]/sqrt(D) + bias[h, p//4 - r//4 + 3, p%4 - r%4 + 3]
        m[h, w, p] = max{{r}} s[h, w, p, r]
        e[h, w, p, r] = exp(s[h, w, p, r] - m[h, w, p])
        z[h, w, p] = sum{{r}} e[h, w, p, r]
        y[h, w, p, d] = sum{{r}} e[h, w, p, r]*v[h, {r}, d]/z[h, w, p]
        output y
    """


def many_statements(count: int) -> str:
    """Statements of four kinds, most of which nobody reads later."""
    return "input x[9]\n" + "\n".join(f"t{n}[i]=x[i]+1" for n in range(count))


PRODUCT = """
    input np[5], q, s0[5]
    y[i: 4] = prod{w=0..i, l=-3*i-1..i-2} ((np[0] + q) + np[symmetric(7*w - 3*i + 4 + 1)]*s0[clamp(-7*i + 1)])
"""

CASES: dict[str, Callable[[], Case]] = {
    **{
        f"{n} divisions inside each other": lambda n=n: Case(
            f"input x[9]\ny[i: 9] = x[i{'//2' * n}]", {"x": (9,)}
        )
        for n in (200, 1000)
    },
    **{
        f"{n} remainders added": lambda n=n: Case(
            f"y[i: 9] = x[{' + '.join(f'i%{m}' for m in range(2, n + 2))}]\ninput x[{n * n * 2}]",
            {"x": (n * n * 2,)},
        )
        for n in (50, 200)
    },
    **{
        f"{n} sums without an index": lambda n=n: Case(
            f"input x[9]\ny[i] = x[i] + {' '.join(['sum{k: 1}'] * n)} x[i]", {"x": (9,)}
        )
        for n in (200, 1000)
    },
    "1000 `or`s": lambda: Case(
        f"input x[3000]\ny[i] = if {' or '.join(f'i = {3 * n}' for n in range(1000))} then x[i] else 0",
        {"x": (3000,)},
    ),
    "1000 `or`s of two indices": lambda: Case(
        "input x[3000]\ny[i] = if "
        + " or ".join(f"{2 * n} <= i and i <= {2 * n + 1}" for n in range(1000))
        + " then x[i] else 0",
        {"x": (3000,)},
    ),
    **{f"a chain of {n} `tanh`": lambda n=n: Case(chain(n), {"x": (9,)}) for n in (50, 200, 800)},
    "a chain of 200 stencils": lambda: Case(
        chain(200)
        .replace("tanh(", "sin(")
        .replace("[i])", "[pad(i - 1)])")
        .replace("y[i]", "y[i: N]"),
        {"x": (300,)},
    ),
    **{f"{n} statements": lambda n=n: Case(many_statements(n), {"x": (9,)}) for n in (1000, 13000)},
    "the adjoint's adjoint of a product": lambda: Case(
        PRODUCT, {"np": (5,), "q": (), "s0": (5,)}, adjoints=2
    ),
    "attention in shifted windows": lambda: Case(
        shifted_windows(),
        {**dict.fromkeys("qkv", (2, 16, 16, 8)), "bias": (2, 7, 7)},
    ),
}


def measured(case: Case, stages: list[str]) -> None:
    """Print the seconds of each stage as they are known, those of the C compiler included."""
    import numpy as np

    import tadc

    warm = tadc.compile("y[i] = x[i]")  # the tables of the parser are made
    warm(np.zeros(1, np.float32))

    def spent() -> float:
        return sum(os.times()[:4])

    start = spent()

    def report(stage: str) -> None:
        nonlocal start
        print(json.dumps([stage, round(spent() - start, 2)]), flush=True)
        start = spent()

    f = tadc.compile(case.text, sizes=case.sizes)
    for _ in range(case.adjoints):
        f = f.adjoint()
    report("compile")
    if "text" in stages:
        str(f)
        report("text")
    shapes = [
        tuple(n.constant for n in t.shape) if case.adjoints else case.shapes[t.name]
        for t in f.program.inputs
    ]
    arrays = [np.full(shape, 0.5, np.float32) for shape in shapes]
    if "call" in stages:
        f(*arrays)
        report("call")
    if "vjp" in stages:
        values, pullback = f.vjp(*arrays)
        pullback(*values if isinstance(values, tuple) else (values,))
        report("vjp")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--limit", type=float, default=60, help="seconds of a program")
    parser.add_argument("--only", default="", help="a regular expression that names contain")
    parser.add_argument("--stages", default=",".join(STAGES))
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        measured(CASES[options.worker](), options.stages.split(","))
        return

    print(f"{'program':36}" + "".join(f"{stage:>10}" for stage in STAGES))
    for name in CASES:
        if not re.search(options.only, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, __file__, "--worker", name, "--stages", options.stages]
            environment = {**os.environ, "TADC_CACHE_DIR": folder}
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=options.limit, env=environment
                )
                output, failure = done.stdout, done.stderr.strip().splitlines()[-1:]
            except subprocess.TimeoutExpired as stopped:
                output, failure = (stopped.stdout or b"").decode(), [f"> {options.limit:g} s"]
        times = dict(map(json.loads, output.splitlines()))
        print(
            f"{name:36}" + "".join(f"{times.get(stage, ''):>10}" for stage in STAGES),
            *(line[:100] for line in failure),
            flush=True,
        )


if __name__ == "__main__":
    main()
