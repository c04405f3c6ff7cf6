"""The inner loops of kernels on processors that are not at hand: instructions in a trip, of GCC for AVX-512, AVX2 and NEON.

    python benchmarks/inner_loops.py [--output benchmarks/results]

For each formula the kernel's C is made for the processor and compiled to assembly for it, and the innermost loop with the most fused
multiplications, or arithmetic of vectors where there are none, is read: its instructions, those that are fused, that read memory (operands of arithmetic
included), and that touch the stack, where a value that no register holds would be. A processor whose compiler is not
installed is left out: `apt install gcc-aarch64-linux-gnu`. Writes `inner_loops.md`.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import tadc
from tadc.compiler import decisions, lowered_for_cpu
from tadc.emit.c.file import emit_c
from tadc.options import Options
from tadc.runtime.cpu.c_compiler import FLAGS
from tadc.schedule.cpu.machine import AVX2, AVX512, NEON

TARGETS = {
    AVX512: ("gcc", "-march=skylake-avx512 -mprefer-vector-width=512"),
    AVX2: ("gcc", "-march=haswell"),
    NEON: ("aarch64-linux-gnu-gcc", "-march=armv8-a"),
}
FORMULAS = {
    "a matrix product": ("size N, M, K\ninput a[N,K], b[K,M]\nc[i,j] = sum{k} a[i,k]*b[k,j]", {"N": 500, "M": 500, "K": 500}),
    "a convolution of channels": (
        "size N, C, O, L, R\ninput x[N,C,L], w[O,C,R]\ny[n,o,p: L-R+1] = sum{c, r} x[n,c,p+r]*w[o,c,r]",
        {"N": 16, "C": 64, "O": 64, "L": 1028, "R": 5},
    ),
    "a Hankel product": ("size N\ninput x[2*N-1], v[N]\ny[i: N] = sum{j} x[i+j]*v[j]", {"N": 4000}),
    "sums of rows": ("size N, M\ninput x[N,M], y[N,M]\ns[i] = sum{j} x[i,j]*y[i,j]", {"N": 3000, "M": 1000}),
    "Gaussians": (
        "size N, M\ninput x[N,3], y[M,3], w[M]\nf[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j]",
        {"N": 2000, "M": 2000},
    ),
    "squared distances": (
        "size N, M, K\ninput a[N,K], b[M,K]\ns[i,j] = sum{k} (a[i,k] - b[j,k])**2",
        {"N": 1000, "M": 1000, "K": 64},
    ),
}  # fmt: skip
PER_CORE = {AVX512: "zmm", AVX2: "ymm", NEON: "v"}
LABEL = re.compile(r"^(\.\w+):")


def assembly(text: str, command: str, march: str) -> list[str]:
    """The lines of the compiled text."""
    flags = [f for f in FLAGS if not f.startswith(("-march", "-Wl", "-shared"))]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "program.c")
        source.write_text(text, "utf-8")
        subprocess.run(
            [command, *flags, *march.split(), "-S", str(source), "-o", f"{folder}/program.s"],
            check=True,
        )
        return Path(folder, "program.s").read_text("utf-8").splitlines()


def loops(lines: list[str]) -> list[list[str]]:
    """The instructions of every loop without another one inside: from a label to the jump back."""
    found, labels = [], dict[str, int]()
    for n, line in enumerate(lines):
        if label := LABEL.match(line):
            labels[label[1]] = n
            continue
        words = line.split()
        if words and re.match(r"j|b|cb|tb", words[0]) and words[-1] in labels:
            body = lines[labels[words[-1]] + 1 : n + 1]
            if not any(LABEL.match(inner) for inner in body):
                found.append(
                    [i.strip() for i in body if i.strip() and not i.strip().startswith(".")]
                )
    return found


def row(lines: list[str], register: str) -> str:
    """Numbers of instructions of the innermost loop that does most."""

    def fused(body: list[str]) -> int:
        return sum(bool(re.match(r"vfn?m|fml[as]\b", i)) and f"{register}" in i for i in body)

    def arithmetic(body: list[str]) -> int:
        return sum(
            bool(re.match(r"v(add|sub|mul|max|min)p|f(add|sub|mul|max|min)\b", i)) for i in body
        )

    body = max(loops(lines), key=lambda b: (fused(b), arithmetic(b)))
    memory = sum("(" in i or i.startswith(("ld", "st")) for i in body)
    stack = sum("(%rsp)" in i or "(%rbp)" in i or "[sp" in i for i in body)
    return f"{len(body)} | {fused(body)} | {memory} | {stack}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("results"))
    output = parser.parse_args().output
    table = [
        "# Inner loops",
        "",
        "Made by `python benchmarks/inner_loops.py`, float32, with the compilers named. A trip is all that the innermost loop does before it jumps back.",
        "",
        "| formula | processor | compiler | side by side | instructions a trip | fused multiplications | reads and writes of memory | of the stack |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, (text, sizes) in FORMULAS.items():
        f = tadc.compile(text, dtype="float32")
        numbers = f.program.size_values(sizes)
        decided = decisions(f.program, numbers, "float32", Options())
        for processor, (command, march) in TARGETS.items():
            if not shutil.which(command):
                continue
            lowered = lowered_for_cpu(f.program, "run", decided, "float32", processor, blas=False)
            version = subprocess.run(
                [command, "-dumpversion"], capture_output=True, text=True, check=True
            )
            lines = assembly(emit_c([lowered], "float32", "int64"), command, march)
            points = max((len(s.names) for k in lowered.kernels for s in k.sides), default=1)
            shape = " x ".join(str(len(s.names)) for k in lowered.kernels[-1:] for s in k.sides)
            table.append(
                f"| {name} | {processor.name} | gcc {version.stdout.strip()} {march} | {shape or points} | {row(lines, PER_CORE[processor])} |"
            )
    output.joinpath("inner_loops.md").write_text("\n".join([*table, ""]), "utf-8")
    print("\n".join(table))


if __name__ == "__main__":
    main()
