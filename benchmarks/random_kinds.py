"""Random formulas of the kinds that are met: convolutions, stencils, sums over pairs, normalisations, products with structured matrices,
pooling, correlation volumes, prefix sums, contractions, attention; with random windows, strides, functions and sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from random_formulas import RandomFormula

__all__ = ["random_kind"]

LEAST, MOST = 10**6, 6 * 10**7  # points of the largest sum
KERNELS = (
    "exp(-{})",
    "1/sqrt({} + 0.1)",
    "{}**2",
    "exp(-sqrt({} + 1e-3))",
    "log({} + 1)",
    "1/({} + 0.5)**1.5",
)
FUNCTIONS = ("{}", "tanh({})", "max(0, {})", "{}**2", "exp({})")


def random_kind(seed: int) -> RandomFormula:
    """The formula of this seed, the same in every process."""
    random = Random(f"random kind {seed}")
    make = random.choice(MAKERS)
    return make(random)


def _sizes(random: Random, fixed: int, **least: int) -> dict[str, int]:
    """Random sizes from these least values on, so that all, times `fixed`, are the points of a formula."""
    points = LEAST * (MOST / LEAST) ** random.random() / fixed
    shares = {s: random.random() + 0.2 for s in least}
    for n in least.values():
        points /= n
    total = sum(shares.values())
    return {s: round(least[s] * max(1.0, points) ** (shares[s] / total)) for s in least}


def _formula(sizes: Mapping[str, int], inputs: str, *lines: str) -> RandomFormula:
    text = "\n".join((f"size {', '.join(sizes)}", f"input {inputs}", *lines))
    return RandomFormula(text, dict(sizes))


def _depthwise(random: Random) -> RandomFormula:
    k, m, d = random.choice((1, 3, 5, 7)), random.choice((3, 5)), random.choice((1, 1, 2, 3))
    sizes = _sizes(random, k * m, N=1, C=4, H=12, W=16)
    if random.random() < 0.5:
        body = f"sum{{r: {k}, s: {m}}} x[n,c,pad(i+r*{d}-{k // 2}),pad(j+s*{d}-{m // 2})]*w[c,r,s]"
        return _formula(sizes, f"x[N,C,H,W], w[C,{k},{m}]", f"y[n,c,i: H,j: W] = {body}")
    body = f"sum{{r: {k}, s: {m}}} x[n,c,i+r*{d},j+s*{d}]*w[c,r,s]"
    inputs = f"x[N,C,H+{d * (k - 1)},W+{d * (m - 1)}], w[C,{k},{m}]"
    return _formula(sizes, inputs, f"y[n,c,i: H,j: W] = {body}")


def _grouped(random: Random) -> RandomFormula:
    k = random.choice((1, 3, 5))
    sizes = _sizes(random, k * k, N=1, G=2, C=2, O=2, H=8, W=8)
    inputs = f"x[N,G,C,H+{k - 1},W+{k - 1}], w[G,O,C,{k},{k}]"
    body = f"sum{{c, r: {k}, s: {k}}} x[n,g,c,i+r,j+s]*w[g,o,c,r,s]"
    return _formula(sizes, inputs, f"y[n,g,o,i: H,j: W] = {body}")


def _convolution(random: Random) -> RandomFormula:
    k, stride, d = random.choice((2, 3, 5, 9)), random.choice((1, 1, 2, 3)), random.choice((1, 1, 2))  # fmt: skip
    sizes = _sizes(random, k, N=1, C=2, O=2, L=32)
    inputs = f"x[N,C,{stride}*L+{d * (k - 1)}], w[O,C,{k}]"
    body = f"sum{{c, r: {k}}} x[n,c,{stride}*p+{d}*r]*w[o,c,r]"
    return _formula(sizes, inputs, f"y[n,o,p: L] = {body}")


def _transposed(random: Random) -> RandomFormula:
    k, stride = random.choice((2, 3, 4, 5)), random.choice((2, 2, 3))
    sizes = _sizes(random, k, N=1, C=2, O=2, L=16)
    tests = f"i-{stride}*p >= 0 and i-{stride}*p < {k}"
    body = f"sum{{c, p | {tests}}} x[n,c,p]*w[c,o,i-{stride}*p]"
    inputs = f"x[N,C,L], w[C,O,{k}]"
    return _formula(sizes, inputs, f"y[n,o,i: {stride}*(L-1)+{k}] = {body}")


def _stencil(random: Random) -> RandomFormula:
    sizes = _sizes(random, 4, N=16, M=24)
    form = random.choice(("{}", "wrap({})", "clamp({})", "pad({})"))
    at = [(0, 0), *random.sample([(a, b) for a in (-2, -1, 0, 1, 2) for b in (-1, 0, 1) if a or b], 4)]  # fmt: skip
    reads = []
    for a, b in at:
        if form == "{}":
            reads.append(f"u[i+{2 + a},j+{1 + b}]")
        else:
            reads.append(f"u[{form.format(f'i+{a}')},{form.format(f'j+{b}')}]")
    coefficient = random.choice(("k[i,j]", "k[i]", "0.25", "(k[i,j] + 0.1)"))
    value = f"{reads[0]} + {coefficient}*({' + '.join(reads[1:])} - 4*{reads[0]})"
    shape = "N+4,M+2" if form == "{}" else "N,M"
    inputs = f"u[{shape}]" + (", k[N]" if coefficient == "k[i]" else "" if "k" not in coefficient else ", k[N,M]")  # fmt: skip
    return _formula(sizes, inputs, f"v[i: N,j: M] = {random.choice(FUNCTIONS).format(f'({value})')}")  # fmt: skip


def _pairs(random: Random) -> RandomFormula:
    dims = random.choice(("2", "3", "5", "D"))
    sizes = _sizes(random, 8 if dims == "D" else 2 * int(dims), N=64, M=64)
    sizes |= {"D": random.choice((6, 8, 12, 16, 32, 64))} if dims == "D" else {}
    value = random.choice(KERNELS).format(f"(sum{{d: {dims}}} (x[i,d] - y[j,d])**2)")
    condition = random.choice(("", "", "", " | j != i", " | j < i"))
    if condition:
        sizes["M"] = sizes["N"] = round((sizes["N"] * sizes["M"]) ** 0.5)
    kind = random.choice(("rows", "rows", "scalar", "matrix", "vectors"))
    inputs = f"x[N,{dims}], y[M,{dims}], w[M]"
    match kind:
        case "rows":
            line = f"f[i: N] = sum{{j: M{condition}}} {value}*w[j]"
        case "scalar":
            line = f"f = sum{{i: N, j: M{condition}}} {value}*w[j]"
        case "matrix":
            line = f"f[i: N, j: M] = {value}*w[j]"
        case _:
            line = f"f[i: N, e: {dims}] = sum{{j: M{condition}}} {value}*w[j]*(y[j,e] - x[i,e])"
    return _formula(sizes, inputs, line)


def _norm(random: Random) -> RandomFormula:
    left, right = random.choice((("i", "j"), ("j", "i"), ("i", "j"), ("i, k", "j"), ("k", "i, j")))
    sizes = _sizes(random, 4, N=16, M=16, K=8) if "k" in left else _sizes(random, 3, N=16, M=32)
    every = "i, k, j" if "k" in left else "i, j"
    shape = "N,K,M" if "k" in left else "N,M"
    x = f"x[{every}]"
    kind = random.choice(("norm", "softmax", "logsumexp", "length"))
    match kind:
        case "norm":
            lines = [
                f"m[{left}] = mean{{{right}}} {x}",
                f"v[{left}] = mean{{{right}}} ({x} - m[{left}])**2",
                f"y[{every}] = ({x} - m[{left}])/sqrt(v[{left}] + 1e-3)*g[j]",
            ]
        case "softmax":
            lines = [
                f"m[{left}] = max{{{right}}} {x}",
                f"e[{every}] = exp({x} - m[{left}])*g[j]",
                f"z[{left}] = sum{{{right}}} e[{every}]",
                f"y[{every}] = e[{every}]/z[{left}]",
            ]
        case "logsumexp":
            lines = [f"y[{left}] = logsumexp{{{right}}} ({x}*g[j])"]
        case _:
            lines = [
                f"s[{left}] = sum{{{right}}} {x}**2",
                f"y[{every}] = {x}*g[j]/sqrt(s[{left}] + 0.1)",
            ]
    return _formula(sizes, f"x[{shape}], g[M]", *lines)


def _banded(random: Random) -> RandomFormula:
    band = random.choice((3, 5, 9, 17, 33))
    sizes = _sizes(random, band, N=64, B=random.choice((1, 8, 32)))
    half = band // 2
    body = f"sum{{k: {band} | i+k-{half} >= 0 and i+k-{half} < N}} a[i,k]*x[i+k-{half},b]"
    return _formula(sizes, f"a[N,{band}], x[N,B]", f"y[i,b] = {body}")


def _toeplitz(random: Random) -> RandomFormula:
    sizes = _sizes(random, 1, N=64, M=64, B=random.choice((1, 1, 8)))
    form, extent = random.choice((("i-j+M-1", "N+M-1"), ("i+j", "N+M-1"), ("2*i+j", "2*N+M-2")))
    order = random.choice((("b,j", "B,M", "b,i: N"), ("j,b", "M,B", "i: N,b")))
    return _formula(
        sizes,
        f"t[{extent}], x[{order[1]}]",
        f"y[{order[2]}] = sum{{j}} t[{form}]*x[{order[0]}]",
    )


def _pooling(random: Random) -> RandomFormula:
    k, s = random.choice((2, 3, 4)), random.choice((1, 2, 3))
    sizes = _sizes(random, k * k, N=2, H=8, W=8)
    op = random.choice(("max", "mean", "max"))
    inputs = f"x[N,{s}*H+{k},{s}*W+{k}]"
    lines = [f"p[n,i: H,j: W] = {op}{{r: {k}, t: {k}}} x[n,{s}*i+r,{s}*j+t]"]
    if s > 1 and random.random() < 0.5:
        lines.append(f"y[n,i: {s}*H,j: {s}*W] = x[n,i,j] - p[n,i//{s},j//{s}]")
    return _formula(sizes, inputs, *lines)


def _correlation(random: Random) -> RandomFormula:
    u, w = random.choice(((5, 5), (9, 9), (1, 16), (3, 7)))
    sizes = _sizes(random, u * w, C=4, H=8, W=16)
    read = f"b[c,pad(i+u-{u // 2}),pad(j+w-{w // 2})]"
    body = f"mean{{c}} a[c,i,j]*{read}"
    return _formula(sizes, "a[C,H,W], b[C,H,W]", f"v[u: {u}, w: {w}, i: H, j: W] = {body}")


def _prefix(random: Random) -> RandomFormula:
    sizes = _sizes(random, 1, N=64, M=64)
    op = random.choice(("sum", "sum", "max", "logsumexp"))
    value = random.choice(FUNCTIONS)
    if random.random() < 0.5:
        line = f"y[i: N,j: M] = {op}{{k=0..j}} {value.format('x[i,k]')}"
    else:
        line = f"y[i: N,j: M] = {op}{{k=0..i}} {value.format('x[k,j]')}"
    return _formula(sizes, "x[N,M]", line)


def _contraction(random: Random) -> RandomFormula:
    names = "ijkl"[: random.choice((2, 3, 3, 4))]
    sizes = _sizes(random, 1, **dict.fromkeys(names.upper(), 4))
    count = random.choice((2, 2, 3))
    while True:
        reads = ["".join(random.sample(names, random.randint(1, min(3, len(names))))) for _ in range(count)]  # fmt: skip
        if set("".join(reads)) == set(names):
            break
    left = "".join(random.sample(names, random.randint(0, min(3, len(names) - 1))))
    summed = [n for n in names if n not in left]
    inputs = ", ".join(f"x{n}[{','.join(r.upper())}]" for n, r in enumerate(reads))
    product = "*".join(f"x{n}[{','.join(r)}]" for n, r in enumerate(reads))
    function = random.choice(("{}", "{}", "{}", "tanh({})", "exp({})"))
    head = f"y[{', '.join(left)}]" if left else "y"
    return _formula(
        sizes, inputs, f"{head} = sum{{{', '.join(summed)}}} {function.format(product)}"
    )


def _attention(random: Random) -> RandomFormula:
    sizes = _sizes(random, 1, H=1, N=32, M=32, D=8)
    return _formula(
        sizes,
        "q[H,N,D], k[H,M,D], v[H,M,D]",
        "s[h,i,j] = 0.2*sum{d} q[h,i,d]*k[h,j,d]",
        "m[h,i] = max{j} s[h,i,j]",
        "e[h,i,j] = exp(s[h,i,j] - m[h,i])",
        "o[h,i,d] = sum{j} e[h,i,j]*v[h,j,d]/sum{j} e[h,i,j]",
    )


MAKERS: tuple[Callable[[Random], RandomFormula], ...] = (
    _depthwise,
    _grouped,
    _convolution,
    _transposed,
    _stencil,
    _pairs,
    _pairs,
    _norm,
    _norm,
    _banded,
    _toeplitz,
    _pooling,
    _correlation,
    _prefix,
    _contraction,
    _contraction,
    _attention,
)
