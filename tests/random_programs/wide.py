"""Random programs with extents on both sides of the numbers at which schedules change.

`random_program` makes all that the language has, with a handful of elements: a schedule sees the first strip of it, and
no block, tile, interior or row group. Here the forms are those that schedules look for (contractions, convolutions, sums
over pairs, softmax and norms of rows, running sums, windows, sums of columns, quotients of indices), filled with random
terms, put one after the other, with extents such as 31, 33, 65, 129 and 513. What they mean is what `grids.py` computes.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace

import numpy as np

# fmt: off
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 24, 31, 32, 33, 40, 48, 56, 63, 64, 65, 72, 97, 127, 128, 129, 131, 192,
           255, 256, 257, 300, 509, 511, 512, 513, 515, 521, 700, 1000, 1009, 1023, 1024, 1025, 1031, 2047, 2049, 4099)
SMALL = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16)
# fmt: on
MOST_ELEMENTS = 400_000  # of a tensor
UNARY = ("sin", "tanh", "cos", "sigmoid", "relu", "abs", "silu", "softplus", "atan", "erf", "gelu")


class Dull(Exception):
    """The program got too large, or reads nothing: another attempt is made."""


@dataclass(frozen=True)
class Size:
    text: str
    value: int

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Index:
    """An index with the least and the greatest value that it has anywhere; `size` where it has all from 0 on."""

    name: str
    low: int
    high: int
    size: Size | None = None


@dataclass
class Tensor:
    """`extents` of an input grow with what is read, unless the shape is declared."""

    name: str
    extents: list[int]
    texts: list[str] | None = None
    kind: str = "real"  # or "positive", or "index"
    below: int = 0  # of an index tensor: its values

    @property
    def fixed(self) -> bool:
        return self.texts is not None


@dataclass(frozen=True)
class WideProgram:
    """A text, the shapes of its inputs and numbers for its sizes, and which inputs hold what."""

    seed: int
    text: str
    inputs: dict[str, tuple[int, ...]]
    kinds: dict[str, str]
    below: dict[str, int]
    sizes: dict[str, int]
    shapes: dict[str, list[str]]  # of declared inputs
    numbers: dict[str, int]  # of sizes that the text defines

    def sample(self, seed: int, lattice: bool = False) -> dict[str, np.ndarray]:
        """Arrays for all inputs; on a `lattice` of halves, where ties and kinks are met."""
        rng = np.random.default_rng(seed)
        made = {}
        for name, shape in self.inputs.items():
            if self.kinds[name] == "index":
                made[name] = rng.integers(0, max(1, self.below[name]), shape)
            elif self.kinds[name] == "positive":
                made[name] = rng.uniform(0.3, 1.5, shape)
            else:
                made[name] = rng.uniform(-1, 1, shape)
                if lattice:
                    made[name] = np.round(made[name] * 2) / 2
        return made


def wide_program(seed: int, budget: int = 300_000) -> WideProgram:
    """The program of this seed; no statement has more than about `budget` points."""
    for attempt in range(200):
        try:
            return Wide(random.Random(f"wide {seed} {attempt}"), budget).program(seed)
        except Dull:
            continue
    raise AssertionError("unreachable")


@dataclass
class Scope:
    indices: list[Index]
    points: int
    depth: int = 2
    reduced: int = 0  # reductions around

    def with_(self, *indices: Index, points: int) -> Scope:
        return Scope([*self.indices, *indices], self.points * points, self.depth, self.reduced + 1)


@dataclass
class Wide:
    rng: random.Random
    budget: int
    sizes: dict[str, int] = field(default_factory=dict)
    declared: dict[str, str] = field(default_factory=dict)
    inputs: list[Tensor] = field(default_factory=list)
    targets: list[Tensor] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    count: int = 0

    # -- Chances

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def one(self, *options):
        return self.rng.choice(options)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # -- Programs

    def program(self, seed: int) -> WideProgram:
        self.symbolic = self.chance(0.6)
        for _ in range(self.rng.choices((1, 2, 3), (5, 4, 2))[0]):
            form = self.rng.choice(FORMS)
            form(self)
        if len(self.targets) > 1 and self.chance(0.35):
            self.elementwise()
        read = "\n".join(self.lines)
        if not self.inputs:
            raise Dull
        head = []
        free = [n for n in self.sizes if n not in self.declared]
        if free:
            head.append(f"size {', '.join(free)}")
        head += [f"size {n} = {self.declared[n]}" for n in self.declared]
        for t in self.inputs:
            if t.kind == "index":
                head.append(f"input {t.name}[{', '.join(t.texts or map(str, t.extents))}]: index")
            elif t.texts is not None:
                head.append(f"input {t.name}[{', '.join(t.texts)}]")
        names = [t.name for t in self.targets]
        if self.chance(0.4):
            k = self.rng.randint(1, min(3, len(names)))
            chosen = self.rng.sample(names, k)
            if names[-1] not in chosen:
                chosen.append(names[-1])
            head.append("output " + ", ".join(chosen))
        shapes = {}
        for t in self.inputs:
            if math.prod(t.extents) > MOST_ELEMENTS:
                raise Dull
            shapes[t.name] = tuple(max(1, n) for n in t.extents)
        return WideProgram(
            seed,
            "\n".join([*head, read, ""]),
            shapes,
            {t.name: t.kind for t in self.inputs},
            {t.name: t.below for t in self.inputs},
            {n: v for n, v in self.sizes.items() if n not in self.declared},
            {t.name: t.texts for t in self.inputs if t.texts is not None},
            {n: v for n, v in self.sizes.items() if n in self.declared},
        )

    # -- Sizes and indices

    def size(self, most: int, least: int = 1, pool=EXTENTS) -> Size:
        options = [n for n in pool if least <= n <= most] or [max(1, min(most, least))]
        if self.sizes and self.chance(0.45):
            name = self.rng.choice(list(self.sizes))
            if least <= self.sizes[name] <= most:
                return Size(name, self.sizes[name])
        value = self.rng.choice(options)
        if not self.symbolic:
            return Size(str(value), value)
        if self.chance(0.2):
            return Size(str(value), value)
        name = next(n for n in "NMKHTCBDPQRSUVWXYZAEFGIJLO" if n not in self.sizes)
        self.sizes[name] = value
        if self.chance(0.12):
            self.declared[name] = str(value)
        return Size(name, value)

    def index(self, size: Size) -> Index:
        return Index(self.fresh("i"), 0, size.value - 1, size)

    def shaped(self, rank: int, budget: int | None = None) -> list[Index]:
        budget = budget or self.budget
        indices = []
        for n in range(rank):
            most = max(1, budget if n == rank - 1 else int(budget ** self.rng.uniform(0.2, 0.8)))
            size = self.size(min(most, 4099))
            budget //= max(1, size.value)
            indices.append(self.index(size))
        self.rng.shuffle(indices)
        return indices

    def target(self, indices: list[Index], body: str) -> Tensor:
        """A statement with these left indices."""
        name = self.fresh("t")
        left = ", ".join(f"{i.name}: {i.size}" for i in indices)
        self.lines.append(f"{name}[{left}] = {body}" if indices else f"{name} = {body}")
        made = Tensor(name, [i.high + 1 for i in indices], [str(i.size) for i in indices])
        self.targets.append(made)
        return made

    # -- Reads

    def read(self, scope: Scope, *, positive: bool = False) -> str:
        kinds = ("positive",) if positive else ("real", "positive")
        known = [t for t in self.inputs if t.kind in kinds]
        if not positive:
            known += self.targets
        if known and self.chance(0.55):
            t = self.rng.choice(known)
            text = self.read_of(t, scope)
            if text is not None:
                return text
        rank = self.rng.choices((0, 1, 2, 3), (1, 6, 6, 1))[0]
        rank = min(rank, max(1, len(scope.indices)))
        chosen = self.rng.sample(scope.indices, min(rank, len(scope.indices)))
        while len(chosen) < rank:
            chosen.append(self.rng.choice(scope.indices))
        return self.new_read(chosen, scope, "positive" if positive else "real")

    def new_read(self, chosen: list[Index], scope: Scope, kind: str = "real") -> str:
        t = Tensor(self.fresh("x"), [1] * len(chosen), None, kind)
        plain = all(i.size for i in chosen) and self.chance(0.5)
        if plain:
            t.texts = [str(i.size) for i in chosen]
            t.extents = [i.high + 1 for i in chosen]
            self.inputs.append(t)
            return self.bracketed(t, [i.name for i in chosen])
        self.inputs.append(t)
        text = self.read_of(t, scope, chosen)
        return text

    @staticmethod
    def bracketed(t: Tensor, subscripts: list[str]) -> str:
        return f"{t.name}[{', '.join(subscripts)}]" if subscripts else t.name

    def read_of(self, t: Tensor, scope: Scope, chosen: list[Index] | None = None) -> str | None:
        if t.kind == "index":
            return None
        if t.extents and not scope.indices:
            return None
        if chosen is None:
            chosen = [self.fitting(t, d, scope) for d in range(len(t.extents))]
        parts = [self.subscript(t, d, i, scope) for d, i in enumerate(chosen)]
        return self.bracketed(t, parts)

    def fitting(self, t: Tensor, d: int, scope: Scope) -> Index:
        same = [i for i in scope.indices if i.size and i.high + 1 == t.extents[d]]
        return (
            self.rng.choice(same) if same and self.chance(0.8) else self.rng.choice(scope.indices)
        )

    def subscript(self, t: Tensor, d: int, i: Index, scope: Scope) -> str:
        text, low, high = self.form(i, scope)
        if t.fixed:
            n = t.extents[d]
            if low >= 0 and high < n:
                return text
            if i.low >= 0 and i.high < n and self.chance(0.6):
                return i.name
            if t.fixed and t.texts is not None:
                return f"{self.one('pad', 'clamp', 'wrap', 'pad')}({text})"
        if low < 0:
            text, high = f"{text} + {-low}", high - low
        if high >= 6000:
            text, high = i.name, i.high
            if i.low < 0:
                text, high = f"{i.name} + {-i.low}", i.high - i.low
        t.extents[d] = max(t.extents[d], high + 1)
        return text

    def form(self, i: Index, scope: Scope) -> tuple[str, int, int]:
        """An index expression, mostly the index itself, with its least and greatest value."""
        kind = self.rng.choices(range(8), (60, 8, 6, 6, 5, 5, 5, 5))[0]
        n = i.name
        match kind:
            case 1:
                c = self.rng.randint(-3, 4)
                return f"{n} {'+' if c >= 0 else '-'} {abs(c)}", i.low + c, i.high + c
            case 2:
                m = self.one(2, 2, 3, 4, 5)
                c = self.rng.randint(0, 3)
                return f"{m}*{n} + {c}", m * i.low + c, m * i.high + c
            case 3:
                j = self.rng.choice(scope.indices)
                a, b = self.one((1, 1), (1, 2), (2, 1), (1, -1), (-1, 1), (2, 3), (1, 3), (-2, 1))
                ends = [a * p + b * q for p in (i.low, i.high) for q in (j.low, j.high)]
                sign = "+" if b >= 0 else "-"
                return f"{a}*{n} {sign} {abs(b)}*{j.name}", min(ends), max(ends)
            case 4:
                if i.size:
                    return f"{i.size} - 1 - {n}", 0, i.high
                return f"{i.high} - {n}", 0, i.high - i.low
            case 5:
                m = self.one(2, 3, 4, 7)
                return f"{n} // {m}", i.low // m, i.high // m
            case 6:
                m = self.one(2, 3, 4, 7)
                return f"{n} % {m}", 0, m - 1
            case 7:
                j = self.rng.choice(scope.indices)
                m = self.one(2, 3)
                ends = (i.low + j.low, i.high + j.high)
                return f"({n} + {j.name}) // {m}", ends[0] // m, ends[1] // m
            case _:
                return n, i.low, i.high

    # -- Expressions: all have values of about 1

    def expression(self, scope: Scope, depth: int | None = None) -> str:
        depth = scope.depth if depth is None else depth
        if depth <= 0:
            return self.read(scope)
        kind = self.rng.choices(range(9), (30, 20, 14, 12, 6, 6, 5, 8, 3))[0]
        a = lambda: self.expression(scope, depth - 1)  # noqa: E731
        match kind:
            case 0:
                return self.read(scope)
            case 1:
                return f"{self.factor(scope, depth)}*{self.factor(scope, depth)}"
            case 2:
                return f"({a()} {self.one('+', '-')} {a()})"
            case 3:
                return f"{self.one(*UNARY)}({a()})"
            case 4:
                return f"exp(-({a()})**2)"
            case 5:
                return f"({a()} if_else {a()})" if False else self.choice(scope, depth)
            case 6:
                return f"{self.one('max', 'min')}({a()}, {a()})"
            case 7:
                return self.reduction(scope, depth) or self.read(scope)
            case _:
                b = self.read(scope, positive=True)
                return self.one(
                    f"sqrt({b})", f"log({b})", f"({a()})/{b}", f"{b}**1.5", f"{b}**-0.5", f"{b}**-1"
                )

    def factor(self, scope: Scope, depth: int) -> str:
        return f"({self.expression(scope, depth - 1)})" if self.chance(0.4) else self.read(scope)

    def condition(self, scope: Scope) -> str:
        i, j = self.rng.choice(scope.indices), self.rng.choice(scope.indices)
        c = self.rng.randint(i.low, max(i.low, i.high))
        return self.one(
            f"{i.name} <= {j.name}",
            f"{i.name} = {j.name}",
            f"{i.name} != {j.name}",
            f"{i.name} < {c}",
            f"{i.name} % 2 = 0",
            f"{i.name} + {j.name} < {c + j.low}",
            f"{self.read(scope)} > {self.read(scope)}",
            f"{self.read(scope)} < 0.2",
            f"{i.name} > {c} or {j.name} % 3 = 1",
        )

    def choice(self, scope: Scope, depth: int) -> str:
        if not scope.indices:
            return self.read(scope)
        then, otherwise = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        if self.chance(0.3):
            otherwise = "0"
        if self.chance(0.15):
            x = self.read(scope)
            return f"(if {x} > 0.1 then {self.one('log', 'sqrt')}({x}) else {otherwise})"
        return f"(if {self.condition(scope)} then {then} else {otherwise})"

    def reduction(self, scope: Scope, depth: int, op: str | None = None) -> str | None:
        """A reduction over one or two new indices, or None if there are too many points already."""
        room = self.budget // max(1, scope.points)
        if room < 2 or scope.reduced > 1:
            return None
        op = (
            op
            or self.rng.choices(
                ("sum", "max", "min", "mean", "logsumexp", "prod"), (60, 9, 5, 8, 9, 5)
            )[0]
        )
        moving = [i for i in scope.indices if i.size and i.low == 0 and i.high < room]
        if moving and self.chance(0.35):
            range_, index, number = self.moving(self.rng.choice(moving), scope)
            inner = scope.with_(index, points=number)
            limits = range_
        else:
            size = self.size(min(room, 2049), 1, SMALL if self.chance(0.3) else EXTENTS)
            index = self.index(size)
            number = size.value
            inner = scope.with_(index, points=number)
            limits = f"{index.name}: {size}"
            if op in ("sum", "max") and number and room // number >= 2 and self.chance(0.25):
                more = self.index(self.size(min(room // number, 64), 1, SMALL))
                number *= more.high + 1
                inner = inner.with_(more, points=more.high + 1)
                limits += f", {more.name}: {more.size}"
            if self.chance(0.12):
                limits = (
                    f"{index.name}=0..{size}-1 | {self.condition(inner)}"
                    if "," not in limits
                    else limits
                )
        body = self.expression(inner, depth - 1)
        if op == "prod":
            return f"prod{{{limits}}} (1 + 0.02*({body}))"
        text = f"{op}{{{limits}}} ({body})"
        if op == "sum" and number > 8:
            return f"0.{'0' * (len(str(number)) - 2)}3*({text})"
        if op in ("max", "min") and ("|" in limits or ".." in limits):
            return f"max(-9, min(9, {text}))"
        if op == "logsumexp" and ("|" in limits or ".." in limits):
            return f"max(-9, {text})"
        if op == "mean" and ("|" in limits or ".." in limits):
            return text.replace("mean", "sum", 1) + f"/{number}"
        return f"({text})"

    def moving(self, i: Index, scope: Scope) -> tuple[str, Index, int]:
        """Limits that move with an index, and the new index."""
        name, n = self.fresh("k"), i.size
        last = i.high
        kind = self.rng.randrange(9)
        match kind:
            case 0:
                return f"{name}=0..{i.name}", Index(name, 0, last), last // 2 + 1
            case 1:
                return f"{name}={i.name}..{n}-1", Index(name, 0, last), last // 2 + 1
            case 2:
                return f"{name}=0..{i.name}-1", Index(name, 0, max(0, last - 1)), last // 2 + 1
            case 3:
                return f"{name}=0..{n}-1 | {name} != {i.name}", Index(name, 0, last), last + 1
            case 4:
                w = self.one(2, 3, 4, 5, 9)
                return (
                    f"{name}={w}*{i.name}..{w}*{i.name}+{w - 1}",
                    Index(name, 0, w * last + w - 1),
                    w,
                )
            case 5:
                w = self.one(1, 2, 5, 17, 33)
                return (
                    f"{name}=max [0; {i.name}-{w}]..min [{n}-1; {i.name}+{w}]",
                    Index(name, 0, last),
                    2 * w + 1,
                )
            case 6:
                return f"{name}={i.name}+1..{n}-1", Index(name, 0, last), last // 2 + 1
            case 7:
                m = self.one(2, 3)
                return (
                    f"{name}=0..{n}-1 | ({name} + {i.name}) % {m} = 0",
                    Index(name, 0, last),
                    last // m + 1,
                )
            case _:
                w = self.one(2, 3, 6)
                return f"{name}={i.name}..{i.name}+{w}", Index(name, 0, last + w), w + 1

    # -- Forms

    def elementwise(self) -> None:
        indices = self.shaped(self.rng.choices((1, 2, 3), (4, 5, 1))[0])
        scope = self.scope(indices)
        self.target(indices, self.expression(scope, 3))

    def scope(self, indices: list[Index], depth: int = 2) -> Scope:
        return Scope(list(indices), math.prod(i.high + 1 for i in indices), depth)

    def reduced(self) -> None:
        """A reduction over what is left of the budget."""
        rank = self.rng.choices((0, 1, 2), (2, 5, 3))[0]
        indices = self.shaped(rank, int(self.budget ** self.one(0.3, 0.5, 0.7)))
        scope = self.scope(indices)
        body = self.reduction(scope, 3)
        if body is None:
            raise Dull
        if self.chance(0.3):
            body = f"{body} + {self.expression(scope, 1)}" if indices else body
        self.target(indices, body)

    def product(self) -> None:
        """A contraction, or something like it."""
        n, m, k = (self.index(self.size(s)) for s in self.rng.sample((129, 65, 40), 3))
        if (n.high + 1) * (m.high + 1) * (k.high + 1) > self.budget:
            raise Dull
        inner = self.scope([n, m, k])
        a = self.new_read(self.one([n, k], [k, n]), inner)
        b = self.new_read(self.one([k, m], [m, k]), inner)
        term = self.one(
            f"{a}*{b}",
            f"{a}*{b}",
            f"({a} - {b})**2",
            f"abs({a} - {b})",
            f"max({a}, {b})",
            f"{a}*{b}*{self.read(inner)}",
            f"exp(-({a} - {b})**2)",
        )
        op = self.rng.choices(("sum", "max", "logsumexp"), (8, 1, 1))[0]
        scale = f"/{k.size}" if op == "sum" else ""
        body = f"({op}{{{k.name}: {k.size}}} ({term})){scale}"
        outer = self.scope([n, m], 1)
        if self.chance(0.3):
            body = f"{self.one(*UNARY)}({body} + {self.expression(outer)})"
        self.target(self.one([n, m], [m, n]), body)

    def convolution(self) -> None:
        two = self.chance(0.4)
        stride, dilation = self.one(1, 1, 1, 2, 3, 4), self.one(1, 1, 1, 2, 3)
        sign = self.one("+", "+", "+", "-")
        taps = self.size(9, 1, SMALL)
        channels = self.size(9, 1, SMALL)
        length = self.size(self.one(40, 140, 1031) if not two else 40, 3)
        i, r, c, o = (
            self.index(length),
            self.index(taps),
            self.index(channels),
            self.index(self.size(17)),
        )
        at = f"{stride}*{i.name} {sign} {dilation}*{r.name}"
        low = 0 if sign == "+" else -dilation * r.high
        high = stride * i.high + (dilation * r.high if sign == "+" else 0)
        pad = self.chance(0.4)
        x = Tensor(self.fresh("x"), [])
        w = Tensor(self.fresh("w"), [])
        lefts, sums = [o, i], [c, r]
        if two:
            j, s = self.index(self.size(40, 3)), self.index(self.size(5, 1, SMALL))
            sums.append(s)
            lefts.append(j)
        if math.prod(k.high + 1 for k in (*lefts, *sums)) > 4 * self.budget:
            raise Dull
        if pad:
            first = f"{self.one('pad', 'pad', 'wrap', 'clamp', 'reflect', 'symmetric')}({at} - {self.rng.randint(0, 3)})"
            x.extents, x.texts = [c.high + 1, length.value], [str(c.size), str(length)]
        else:
            first = f"{at} + {-low}" if low < 0 else at
            x.extents = [c.high + 1, high - low + 1]
        subs = [c.name, first]
        ws = [o.name, c.name, r.name]
        w.extents, w.texts = [k.high + 1 for k in (o, c, r)], [str(k.size) for k in (o, c, r)]
        if two:
            x.extents.append(j.high + s.high + 1)
            if x.texts is not None:
                x.texts.append(f"{j.size} + {s.size} - 1")
            subs.append(f"{j.name} + {s.name}")
            ws.append(s.name)
            w.extents.append(s.high + 1)
            w.texts.append(str(s.size))
        depthwise = self.chance(0.2)
        if depthwise:
            lefts, sums = [c, *lefts[1:]], sums[1:]
            ws, w.extents, w.texts = ws[1:], w.extents[1:], w.texts[1:]
        self.inputs += [x, w]
        limits = ", ".join(f"{k.name}: {k.size}" for k in sums)
        xr, wr = self.bracketed(x, subs), self.bracketed(w, ws)
        op = self.rng.choices(("sum", "max"), (6, 1))[0]
        self.target(
            lefts,
            f"{op}{{{limits}}} ({xr}*{wr})" if op == "sum" else f"{op}{{{limits}}} ({xr} + {wr})",
        )

    def pairs(self) -> None:
        n, d = self.size(257), self.size(9, 1, (1, 2, 3, 3, 4, 5, 7, 8, 9, 10, 16))
        same = self.chance(0.5)
        m = n if same else self.size(257)
        if n.value * m.value * d.value > 2 * self.budget:
            raise Dull
        i, j, k = self.index(n), self.index(m), self.index(d)
        x = Tensor(self.fresh("x"), [n.value, d.value], [str(n), str(d)])
        y = x if same else Tensor(self.fresh("y"), [m.value, d.value], [str(m), str(d)])
        self.inputs += [x] if same else [x, y]
        diff = f"{x.name}[{i.name},{k.name}] - {y.name}[{j.name},{k.name}]"
        square = (
            f"sum{{{k.name}: {d}}} {self.one(f'({diff})**2', f'abs({diff})', f'({diff})*({diff})')}"
        )
        if self.chance(0.3):  # the distances are a tensor of their own
            r = self.target([i, j], f"0.01 + {square}").name + f"[{i.name},{j.name}]"
        else:
            r = f"(0.01 + {square})"
        term = self.one(
            f"exp(-{r})",
            f"1/{r}",
            f"{r}**-1.5",
            f"{r}**-0.5",
            f"1/(1 + {r})",
            f"sqrt({r})",
            f"tanh({r})",
            f"log({r})",
            f"exp(-sqrt({r}))",
        )
        scope = self.scope([i, j], 1)
        for _ in range(self.rng.randint(0, 2)):
            term = f"{term}*{self.read(scope)}"
        limits = f"{j.name}: {m}"
        if same:
            limits = self.one(
                limits,
                f"{j.name}=0..{m}-1 | {j.name} != {i.name}",
                f"{j.name}=0..{m}-1 | {j.name} < {i.name}",
                f"{j.name}={i.name}+1..{m}-1",
            )
        kind = self.rng.randrange(5)
        op = self.rng.choices(("sum", "logsumexp"), (7, 2))[0]
        if op == "logsumexp" and ".." in limits:
            op = "sum"
        match kind:
            case 0:
                self.target(
                    [i],
                    f"({op}{{{limits}}} {term})/{m}"
                    if op == "sum"
                    else f"{op}{{{limits}}} ({term})",
                )
            case 1:
                self.target(
                    [],
                    f"(sum{{{i.name}: {n}, {limits}}} {term})/{n}"
                    if "=" not in limits
                    else f"(sum{{{i.name}: {n}}} (sum{{{limits}}} {term}))/{n}",
                )
            case 2:
                o = self.index(self.size(5, 1, SMALL))
                w = self.new_read([j, o], self.scope([j, o]))
                self.target([i, o], f"(sum{{{limits}}} {term}*{w})/{m}")
            case 3:
                axis = self.index(d)
                self.target(
                    [i, axis],
                    f"(sum{{{limits}}} {term}*({x.name}[{i.name},{axis.name}] - {y.name}[{j.name},{axis.name}]))/{m}",
                )
            case _:
                self.target([i, j], term)

    def rows(self) -> None:
        """Softmax, log-softmax, or a normalisation of rows."""
        n, m = self.size(self.one(33, 300, 1031)), self.size(self.one(65, 513, 1031))
        if n.value * m.value > self.budget:
            raise Dull
        i, j = self.index(n), self.index(m)
        scope = self.scope([i, j], 2)
        x = self.expression(scope) if self.chance(0.4) else self.new_read([i, j], scope)
        if self.chance(0.5):
            x = self.target([i, j], x).name + f"[{i.name},{j.name}]"
        sum_ = f"{j.name}: {m}"
        match self.rng.randrange(5):
            case 0:
                top = self.target([i], f"max{{{sum_}}} ({x})").name + f"[{i.name}]"
                e = self.target([i, j], f"exp({x} - {top})").name + f"[{i.name},{j.name}]"
                z = self.target([i], f"sum{{{sum_}}} {e}").name + f"[{i.name}]"
                self.target([i, j], f"{e}/{z}")
            case 1:
                z = self.target([i], f"logsumexp{{{sum_}}} ({x})").name + f"[{i.name}]"
                self.target([i, j], f"({x}) - {z}")
            case 2 | 3:
                mean = self.target([i], f"mean{{{sum_}}} ({x})").name + f"[{i.name}]"
                var = self.target([i], f"mean{{{sum_}}} (({x}) - {mean})**2").name + f"[{i.name}]"
                y = f"(({x}) - {mean})/sqrt({var} + 0.01)"
                if self.chance(0.6):
                    w = self.new_read([j], self.scope([j]))
                    y = f"{y}*{w} + {self.new_read([j], self.scope([j]))}"
                self.target([i, j], y)
            case _:
                z = f"logsumexp{{{sum_}}} ({x})"
                w = self.read(scope)
                self.target(
                    [],
                    f"(sum{{{i.name}: {n}, {sum_}}} {w}*(({x}) - {z}))/{n}"
                    if False
                    else f"(sum{{{i.name}: {n}}} ({z}))/{n}",
                )
        if self.chance(0.3):
            last = self.targets[-1]
            if len(last.extents) == 2:
                axis = self.one([i], [j], [])
                over = ", ".join(f"{k.name}: {k.size}" for k in (i, j) if k not in axis)
                self.target(
                    axis, f"0.1*(sum{{{over}}} ({last.name}[{i.name},{j.name}]*{self.read(scope)}))"
                )

    def attention(self) -> None:
        n, d, h = self.size(129), self.size(24, 1), self.size(4, 1, SMALL)
        if n.value**2 * d.value * h.value > 4 * self.budget:
            raise Dull
        i, j, k, a = self.index(n), self.index(n), self.index(d), self.index(h)
        with_heads = self.chance(0.4)
        heads = [a] if with_heads else []
        everything = self.scope([*heads, i, j, k])
        q = self.new_read([*heads, i, k], everything)
        kk = self.new_read([*heads, j, k], everything)
        v = self.new_read([*heads, j, k], everything)
        s = self.target(
            [*heads, i, j],
            f"(sum{{{k.name}: {d}}} {q}*{kk})/{self.one('2', '4', 'sqrt(' + str(d) + ')')}",
        )
        s = self.bracketed(s, [x.name for x in (*heads, i, j)])
        causal = self.chance(0.5)
        limits = f"{j.name}=0..{i.name}" if causal else f"{j.name}: {n}"
        total = self.target([*heads, i], f"logsumexp{{{limits}}} {s}")
        total_at = self.bracketed(total, [x.name for x in (*heads, i)])
        self.target([*heads, i, k], f"sum{{{limits}}} exp({s} - {total_at})*{v}")

    def running(self) -> None:
        """Running sums along one index."""
        t = self.index(self.size(self.one(65, 300, 1031), 2))
        other = self.shaped(self.one(0, 1, 1), 300)
        lefts = [t, *other]
        self.rng.shuffle(lefts)
        k = Index(self.fresh("k"), 0, t.high)
        limits = self.one(
            f"{k.name}=0..{t.name}",
            f"{k.name}={t.name}..{t.size}-1",
            f"{k.name}=0..{t.name}-1",
            f"{k.name}={t.name}+1..{t.size}-1",
        )
        inner = Scope([k, *other], (t.high + 1) * 8, 2, 1)
        outer = self.scope(lefts, 1)
        whole = Scope([t, k, *other], (t.high + 1) * 8, 1, 1)
        if (t.high + 1) ** 2 * math.prod(o.high + 1 for o in other) > 8 * self.budget:
            raise Dull
        e = self.expression(inner) if self.chance(0.5) else self.read(inner)
        match self.rng.randrange(7):
            case 0 | 1:
                body = f"0.01*(sum{{{limits}}} ({e}))"
            case 2:
                body = f"prod{{{limits}}} (1 + 0.1*({e}))"
            case 3:
                body = f"max(-5, max{{{limits}}} ({e}))"
            case 4:
                body = f"0.01*(sum{{{limits}}} ({e})*{self.read(whole)})"
            case 5:
                body = f"max(-9, logsumexp{{{limits}}} ({e}))"
            case _:
                last = Index(self.fresh("l"), 0, t.high)
                w = self.new_read([last, *other], Scope([last, *other], 1, 1, 1), "positive")
                body = f"0.1*(sum{{{k.name}=0..{t.name}}} ({e})*(prod{{{last.name}={k.name}+1..{t.name}}} (0.6*{w})))"
        if self.chance(0.3):
            body = f"{body} + {self.expression(outer)}"
        self.target(lefts, body)

    def columns(self) -> None:
        """Long sums of few rows of columns."""
        n, m = self.size(4099, 257), self.size(self.one(17, 65, 129))
        if n.value * m.value > 2 * self.budget:
            raise Dull
        i, j = self.index(n), self.index(m)
        inner = self.scope([i, j], 2)
        x = self.new_read([i, j], inner)
        if self.chance(0.4):
            x = self.target([i, j], self.expression(inner)).name + f"[{i.name},{j.name}]"
        self.target([j], f"0.01*(sum{{{i.name}: {n}}} {x}*({self.expression(inner, 1)}))")

    def pooling(self) -> None:
        w = self.one(2, 2, 3, 4, 5)
        stride = self.one(w, w, 1, 2)
        i, j = self.index(self.size(300)), self.index(self.size(300))
        if (i.high + 1) * (j.high + 1) * w * w > 2 * self.budget:
            raise Dull
        r, s = self.index(Size(str(w), w)), self.index(Size(str(w), w))
        x = Tensor(self.fresh("x"), [stride * i.high + w, stride * j.high + w])
        self.inputs.append(x)
        op = self.one("max", "mean", "sum", "min", "logsumexp")
        at = f"{stride}*{i.name} + {r.name}", f"{stride}*{j.name} + {s.name}"
        body = f"{op}{{{r.name}: {w}, {s.name}: {w}}} {x.name}[{at[0]}, {at[1]}]"
        self.target([i, j], body)

    def shuffled(self) -> None:
        """Quotients and remainders of indices: up-sampling, pixel shuffles."""
        i, j = self.index(self.size(300)), self.index(self.size(300))
        if (i.high + 1) * (j.high + 1) > self.budget:
            raise Dull
        m = self.one(2, 3, 4)
        x = Tensor(self.fresh("x"), [m * m, i.high // m + 1, j.high // m + 1])
        y = Tensor(self.fresh("x"), [i.high // m + 1, j.high // m + 1])
        self.inputs.append(self.one(x, y))
        if self.inputs[-1] is x:
            e = f"{x.name}[{m}*({i.name} % {m}) + {j.name} % {m}, {i.name} // {m}, {j.name} // {m}]"
        else:
            e = f"{y.name}[{i.name} // {m}, {j.name} // {m}]"
        if self.chance(0.5):
            e = f"{e}*({self.expression(self.scope([i, j], 1))})"
        self.target([i, j], e)

    def data(self) -> None:
        """Gathers, and sums over lists."""
        e = self.index(self.size(2049, 2))
        n = self.index(self.size(self.one(9, 65, 300)))
        c = [self.index(self.size(40))] if self.chance(0.6) else []
        if (e.high + 1) * math.prod(o.high + 1 for o in c) > self.budget:
            raise Dull
        src = Tensor(self.fresh("p"), [e.high + 1], [str(e.size)], "index", n.high + 1)
        dst = Tensor(self.fresh("q"), [e.high + 1], [str(e.size)], "index", n.high + 1)
        self.inputs += [src, dst]
        x = Tensor(self.fresh("x"), [k.high + 1 for k in (n, *c)], [str(k.size) for k in (n, *c)])
        self.inputs.append(x)
        read = self.bracketed(x, [f"{src.name}[{e.name}]", *(k.name for k in c)])
        term = (
            f"{read}*({self.expression(self.scope([e, *c], 1), 1)})" if self.chance(0.7) else read
        )
        match self.rng.randrange(4):
            case 0:
                self.target([e, *c], term)
            case 1 | 2:
                op = self.rng.choices(("sum", "max", "logsumexp"), (6, 1, 1))[0]
                body = f"{op}{{{e.name} | {dst.name}[{e.name}] = {n.name}}} ({term})"
                self.target([n, *c], body if op == "sum" else f"max(-9, {body})")
            case _:
                u = self.target([e, *c], term)
                u_at = self.bracketed(u, [k.name for k in (e, *c)])
                z = self.target(
                    [n, *c], f"sum{{{e.name} | {dst.name}[{e.name}] = {n.name}}} exp({u_at})"
                )
                z_at = self.bracketed(z, [f"{dst.name}[{e.name}]", *(k.name for k in c)])
                self.target([e, *c], f"exp({u_at})/{z_at}")

    def diagonal(self) -> None:
        n = self.size(300)
        i, j, k = self.index(n), self.index(n), self.index(self.size(40))
        if (n.value**2) > self.budget:
            raise Dull
        s = self.scope([i, j, k], 1)
        a, b = self.new_read([i, k], s), self.new_read([j, k], s)
        two = self.scope([i, j], 1)
        body = self.one(
            f"if {i.name} = {j.name} then (sum{{{k.name}: {k.size}}} {a}*{b}) else {self.one('0', self.expression(two))}",
            f"[{i.name} <= {j.name}]*({self.expression(two)})",
            f"delta({i.name}, {j.name})*({self.expression(two)})",
            f"if {i.name} < {j.name} then {self.expression(two)} else {self.expression(two)}",
        )
        self.target([i, j], body)


FORMS = (
    *(Wide.elementwise,) * 3, *(Wide.reduced,) * 5, *(Wide.product,) * 3, *(Wide.convolution,) * 3, *(Wide.pairs,) * 4,
    *(Wide.rows,) * 3, *(Wide.attention,) * 2, *(Wide.running,) * 3, *(Wide.columns,) * 2, Wide.pooling, Wide.shuffled,
    *(Wide.data,) * 2, Wide.diagonal,
)  # fmt: skip


def resized(program: WideProgram, rng: random.Random) -> list[WideProgram]:
    """The program with other numbers for its sizes, and inputs that are as much larger or smaller."""
    made = []
    for n in (0, 1, 2):
        sizes = {
            s: v + rng.choice((-1, 1, 2, -v + 1, -v + 8, -v + 33)) for s, v in program.sizes.items()
        }
        sizes = {s: 0 if n == 2 and rng.random() < 0.5 else max(1, v) for s, v in sizes.items()}
        inputs = {}
        for name, shape in program.inputs.items():
            texts = program.shapes.get(name)
            if texts is None:
                inputs[name] = tuple(k + 300 for k in shape) if len(shape) < 3 else shape
            else:
                numbers = {**program.numbers, **sizes}
                inputs[name] = tuple(int(eval(t, {}, numbers)) for t in texts)
        below = {
            name: min([v, *inputs_below(program, name, sizes)]) for name, v in program.below.items()
        }
        made.append(replace(program, sizes=sizes, inputs=inputs, below=below))
    return made


def inputs_below(program: WideProgram, name: str, sizes: dict[str, int]) -> list[int]:
    """The least that a size of the program is: what an index tensor holds is below it."""
    return [*sizes.values()]
