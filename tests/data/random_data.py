"""Random programs that read through data: loops over lists, rows and windows, of forms around data and of data in data.

`random_data(seed)` draws a program, its arrays, and what each of its statements means at every point (`points.py`). Reads are inside by
their kind: `src` holds places of nodes, `typ` of kinds, and so on; what holds anything (`wild`, `far`) is compared, or stands under a
boundary form.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.data.duals import Dual
from tests.data.points import NOWHERE, Expression, Scope, element, look_up, mirrored, reduction

__all__ = ["RandomData", "random_data"]

N, M, E, C = "NMEC"  # nodes, kinds, edges, columns

# Index tensors by the extents of their dimensions and what they are places in; none: anything.
INDEX_TENSORS = {
    "src": ((E,), N), "dst": ((E,), N), "typ": ((E,), M), "nxt": ((E,), E), "k": ((N,), M), "l": ((M,), N), "m": ((N,), N),
    "tab": ((N, M), M), "ends": ((2, E), N), "one": ((), N),
    "wild": ((E,), None), "far": ((N,), None), "grid": ((N, E), None),
    "ptr": ((N,), None), "lo": ((N,), None), "hi": ((N,), None), "len": ((N,), None),
}  # fmt: skip
TENSORS = {"x": (N,), "u": (M,), "w": (E,), "X": (N, C), "W": (E, C), "A": (N, M)}
LETTERS = "efghabpqrstv"


@dataclass
class RandomData:
    """A program: its text, sizes and arrays, and its statements, each with the extents of its left side."""

    text: str
    sizes: dict[str, int]
    indices: dict[str, np.ndarray]
    tensors: dict[str, np.ndarray]
    statements: list[tuple[str, tuple[tuple[str, int], ...], Expression, bool]]
    names: dict[str, Dual] = field(default_factory=dict)

    @property
    def arrays(self):
        return {**self.indices, **self.tensors}

    @property
    def outputs(self):
        return [name for name, _, _, index in self.statements if not index]

    def evaluated(self, one=None, other=None):
        """The outputs, with their tangents along two directions."""
        zero = {n: np.zeros_like(a) for n, a in self.tensors.items()}
        one, other = one or zero, other or zero
        data = dict(self.indices)
        tensors = {n: Dual(a, one[n], other[n], np.zeros_like(a)) for n, a in self.tensors.items()}
        for name, left, body, index in self.statements:
            scope = Scope({}, data, tensors)
            for n, extent in left:
                scope = scope.inside(n, extent)
            found = body.at(scope)
            shape = tuple(extent for _, extent in left)
            if index:
                data[name] = np.broadcast_to(found, shape)
            else:
                tensors[name] = found.each(lambda a, shape=shape: np.broadcast_to(a, shape))
        return {n: tensors[n] for n in self.outputs}


class Draft:
    """A program while it is drawn."""

    def __init__(self, seed, small):
        self.rng = np.random.default_rng(seed)
        r = max(self.rng.random(), small)
        self.large = r < 0.15
        if r < 0.08:  # lists of more than a piece
            extents = self.pick(1, 3), self.pick(1, 2), self.pick(600, 1300), self.pick(1, 3)
        elif self.large:
            extents = self.pick(9, 40), self.pick(2, 6), self.pick(40, 70), self.pick(2, 9, 17)
        else:
            extents = self.pick(1, 2, 3, 4, 5, 9), self.pick(1, 2, 4, 6), self.pick(0, 1, 3, 7, 12, 12), self.pick(1, 2, 3)  # fmt: skip
        self.extents = dict(zip((N, M, E, C), map(int, extents), strict=True))
        self.numbered = self.chance(0.5)
        self.declared = set()
        self.index_tensors = dict(INDEX_TENSORS)
        self.tensors = dict(TENSORS)
        self.letters = iter(LETTERS)
        self.forms = 0

    def pick(self, *options):
        return options[self.rng.integers(len(options))]

    def chance(self, p):
        return self.rng.random() < p

    def extent(self, kind):
        return self.extents.get(kind, kind)

    def points(self, indices):
        return float(np.prod([self.extent(k) for k in indices.values()] or [1]))

    # ------------------------------------------------------------------ indices

    def place(self, kind, indices, depth=0, forms="of a subscript"):
        """An index that is inside of an extent; None where there is none."""
        own = [n for n, k in indices.items() if k == kind]
        ways = ["own"] * 2 * bool(own)
        if depth < 2 or (depth < 3 and self.chance(0.3)):
            ways += ["data"] * (3 if depth == 0 else 1)
            if (
                self.forms
                and kind in (N, M)
                and forms
                and (forms == "of a subscript" or self.chance(0.2))
            ):
                ways += ["form"] * (1 if depth else 2)
        way = self.pick(*ways) if ways else "first"
        if way == "own":
            return _index(self.pick(*own))
        found = None
        if way == "data":
            found = self.looked_up(kind, indices, depth)
        elif way == "form":
            found = self.formed(kind, indices, depth, forms)
        if found is not None:
            return found
        if own:
            return _index(self.pick(*own))
        return _number(0) if self.extent(kind) else None

    def looked_up(self, kind, indices, depth, loose=False):
        """An element of an index tensor whose elements are places of a kind, or anything."""
        names = [
            n
            for n, (_, of) in self.index_tensors.items()
            if (of is None and n not in ("ptr", "lo", "hi", "len") if loose else of == kind)
        ]
        if not names:
            return None
        name = self.pick(*names)
        padded = self.forms and depth > 0 and self.chance(0.15) and not loose
        subscripts = [
            self.form("pad", k, self.affine(indices, depth + 1))
            if padded and k in (N, M) and self.index_tensors[name][1] in (N, M)
            else self.place(k, indices, depth + 1)
            for k in self.index_tensors[name][0]
        ]
        if None in subscripts:
            return None
        self.declared.add(name)
        return look_up(name, subscripts)

    def affine(self, indices, depth=0):
        """Any integer: multiples, sums and remainders of indices and of data."""
        terms, text, total = int(self.pick(1, 1, 1, 1, 1, 2)), "", []
        for t in range(terms):
            kind = self.pick(*(k for k in (N, M, E) if self.extent(k)))
            one = self.looked_up(kind, indices, depth + 1, self.chance(0.4))
            if one is None or self.chance(0.3):
                one = self.place(kind, {n: k for n, k in indices.items() if k != C}, 3)
            factor = int(self.pick(1, 1, 1, 2, -1, 3))
            if t == 0 and self.chance(0.15):
                by = int(self.pick(2, 3))
                sign = self.pick("//", "%")
                one = _divided(one, sign, by)
                one = one if factor == 1 else Expression(f"({one.text})", one.at)
            sign = "-" if factor < 0 else "+" if t else ""
            text += f" {sign} " if t else sign
            text += one.text if abs(factor) == 1 else f"{abs(factor)}*{one.text}"
            total.append((factor, one.at))
        shift = int(self.pick(0, 0, 1, 2, -1))
        if shift:
            text += f" {'-' if shift < 0 else '+'} {abs(shift)}"
        return Expression(text, lambda s: sum(f * at(s) for f, at in total) + s.constant(shift))

    def formed(self, kind, indices, depth, forms):
        """Any integer, brought inside."""
        ways = ["least"]
        if self.numbered:
            ways += ["%"]
        if forms == "of a subscript":
            ways += ["clamp"] * 4 + [
                *(["wrap", "wrap", "reflect", "symmetric"] if self.numbered else [])
            ]
        return self.form(self.pick(*ways), kind, self.affine(indices, depth + 1))

    def form(self, form, kind, of):
        """A boundary form: one of the few that a statement has, since each is up to three pieces."""
        self.forms -= 1
        n = self.extent(kind)
        last = n - 1 if self.numbered or kind == 2 else f"{kind} - 1"
        at, text = of.at, f"{form}({of.text})"
        match form:
            case "pad":
                found = lambda s: _padded(at(s), n)  # noqa: E731
            case "clamp":
                found = lambda s: np.clip(at(s), 0, n - 1)  # noqa: E731
            case "least":
                text = f"min(max({of.text}, 0), {last})"
                found = lambda s: np.clip(at(s), 0, n - 1)  # noqa: E731
            case "wrap":
                found = lambda s: at(s) % n  # noqa: E731
            case "%":
                text = f"({of.text}) % {n}"
                found = lambda s: at(s) % n  # noqa: E731
            case _:
                found = lambda s: mirrored(at(s), n, form == "symmetric")  # noqa: E731
        return Expression(text, found)

    # ------------------------------------------------------------------ conditions

    def equation(self, inner, indices):
        """What makes a list: data along an inner index, equal to something around it."""
        around = {n: k for n, k in indices.items() if n != inner and k != C}
        target = self.place(self.pick(N, M, N), around, int(self.pick(1, 1, 2, 3)), "anywhere")
        if self.chance(0.2):
            target = self.affine(around, 2)
        name = self.pick(
            "src", "dst", "wild", "src", "dst", "typ", "ends", "composed", "grid", "same"
        )
        e = _index(inner)
        if indices[inner] != E:
            name = {N: self.pick("k", "m", "far"), M: self.pick("l", "tab")}[indices[inner]]
        if name == "composed":
            self.declared |= {"m", "dst"}
            one = look_up("m", [look_up("dst", [e])])
        elif name == "same":
            self.declared |= {"src", "dst"}
            a, b = look_up("src", [e]), look_up("dst", [e])
            sign = self.pick("-", "+")
            one = Expression(
                f"{a.text} {sign} {b.text}",
                lambda s: a.at(s) - b.at(s) if sign == "-" else a.at(s) + b.at(s),
            )
        else:
            self.declared.add(name)
            first = [] if name not in ("ends", "grid", "tab") else [_number(int(self.pick(0, 1)))]
            if name in ("grid", "tab"):
                first = [self.place(N, around, int(self.pick(2, 3)))]
            one = look_up(name, [*first, e])
        return _compared(self.around_data(one, inner), "=", target)

    def around_data(self, one, inner):
        """What stands around data in an equation."""
        at, e = one.at, _index(inner).at
        return self.pick(
            one,
            one,
            Expression(f"{one.text} + 1", lambda s: at(s) + 1),
            Expression(f"{one.text} - 1", lambda s: at(s) - 1),
            Expression(f"3 - {_bracketed(one.text)}", lambda s: 3 - at(s)),
            _times(2, one),
            _times(3, one),
            _divided(one, "//", 2),
            _divided(one, "%", 3),
            Expression(f"{one.text} + {inner} % 2", lambda s: at(s) + e(s) % 2),
        )

    def condition(self, indices):
        """A comparison of two integers."""
        indices = {n: k for n, k in indices.items() if k != C}
        kind = self.pick(N, M, N)
        one = self.looked_up(kind, indices, 1, self.chance(0.2)) or self.place(
            kind, indices, 1, None
        )
        other = self.place(kind, indices, int(self.pick(1, 2, 3)), None)
        return _compared(one, self.pick("=", "<=", "<", "!=", "=", ">="), other)

    # ------------------------------------------------------------------ numbers

    def read(self, indices):
        """An element of a tensor."""
        for _ in range(20):
            name = self.pick(*self.tensors)
            kinds = self.tensors[name]
            if C in kinds and C not in indices.values():
                continue
            subscripts, otherwise = [], 0.0
            for kind in kinds:
                if kind == C:
                    subscripts.append(_index(next(n for n, k in indices.items() if k == C)))
                elif self.forms and kind != C and self.extent(kind) and self.chance(0.2):
                    subscripts.append(self.form("pad", kind, self.affine(indices, 1)))
                else:
                    subscripts.append(self.place(kind, indices))
            if None not in subscripts:
                self.declared.add(name)
                return element(name, subscripts, otherwise)
        return Expression("1.5", lambda s: Dual.of(s.constant(1.5)))

    def number(self, indices, depth=0):
        q = self.rng.random() * (1, 0.5, 0.4, 0.4)[depth]
        if q < 0.4:
            return self.read(indices)
        one = self.number(indices, depth + 1)
        if q < 0.65:
            other = self.number(indices, depth + 1)
            return Expression(f"{one.text}*{other.text}", lambda s: one.at(s) * other.at(s))
        if q < 0.75:
            other = self.number(indices, depth + 1)
            return Expression(f"({one.text} - {other.text})", lambda s: one.at(s) - other.at(s))
        if q < 0.82:
            name = self.pick("sin", "tanh", "exp")
            if name == "exp":
                name, one = (
                    "exp",
                    Expression(f"sin({one.text})", lambda s, one=one: one.at(s).sin()),
                )
            return Expression(f"{name}({one.text})", lambda s: getattr(one.at(s), name)())
        if q < 0.86:
            other = self.number(indices, depth + 1)
            return Expression(
                f"{one.text}/(2 + ({other.text})**2)",
                lambda s: one.at(s) / (Dual.of(s.constant(2.0)) + other.at(s) * other.at(s)),
            )
        if q < 0.91:
            holds = self.condition(indices)
            return Expression(f"[{holds.text}]*{one.text}", lambda s: one.at(s).where(holds.at(s)))
        if q < 0.95:
            holds, other = self.condition(indices), self.number(indices, depth + 1)

            def chosen(s):
                c = holds.at(s)
                return one.at(s).where(c) + other.at(s).where(~c)

            return Expression(f"(if {holds.text} then {one.text} else {other.text})", chosen)
        value = self.place(
            self.pick(N, M), {n: k for n, k in indices.items() if k != C}, 2, "anywhere"
        )
        return Expression(
            f"({value.text} + 1)*{one.text}",
            lambda s: Dual.of(value.at(s) + 1.0) * one.at(s),
        )

    # ------------------------------------------------------------------ reductions

    def reduced(self, indices, depth=0):
        """A reduction over a list, a row or a window."""
        op = self.pick("sum", "sum", "sum", "sum", "max", "min", "prod", "logsumexp")
        e = next(self.letters)
        nodes = [n for n, k in indices.items() if k == N]
        ways = ["list"] * 4 + ["two", "tab", "over nodes", "plain"]
        if nodes:
            ways += ["rows", "windows", "length"]
        way = self.pick(*ways)
        i = _index(self.pick(*nodes)) if nodes else None
        kind = {"tab": M, "length": M, "over nodes": N}.get(way, E)
        inner = {**indices, e: kind}
        loops, conditions = [(e, kind)], []
        head = f"{e}: {kind}"
        if way in ("list", "two", "tab", "over nodes"):
            conditions = [self.equation(e, inner) for _ in range(2 if way == "two" else 1)]
        elif way == "rows":
            self.declared.add("ptr")
            head = f"{e} = ptr[{i.text}]..ptr[{i.text}+1]-1"
            after = Expression("", lambda s: i.at(s) + 1)
            conditions = _between(look_up("ptr", [i]), _index(e), look_up("ptr", [after]), 1)
        elif way == "windows":
            self.declared |= {"lo", "hi"}
            head = f"{e} = lo[{i.text}]..hi[{i.text}]"
            conditions = _between(look_up("lo", [i]), _index(e), look_up("hi", [i]), 0)
        elif way == "length":
            self.declared.add("len")
            conditions = [_compared(_index(e), "<", look_up("len", [i]))]
        shown = [c.text for c in conditions if c.text]
        if self.chance(0.35):
            more = self.condition(inner)
            conditions.append(more)
            shown.append(more.text)
        if way == "list" and depth == 0 and self.chance(0.1) and not self.large:
            f = next(self.letters)
            inner[f] = M
            loops.append((f, M))
            head += f", {f}: {M}"
        if shown:
            head += f" | {' and '.join(shown)}"
        body = self.number(inner)
        room = self.points(inner) * max(self.extents[E], self.extents[N]) < 3e5
        if depth == 0 and room and self.chance(0.3):
            nested = self.reduced(inner, 1)
            one = body
            body = Expression(f"{one.text}*{nested.text}", lambda s: one.at(s) * nested.at(s))
        if op == "prod":
            factor = body
            body = Expression(
                f"(1 + {factor.text}/4)",
                lambda s: Dual.of(s.constant(1.0)) + factor.at(s) * Dual.of(s.constant(0.25)),
            )
        at = reduction(op, [(n, self.extent(k)) for n, k in loops], conditions, body)
        text = f"{op}{{{head}}} ({body.text})"
        if op in ("sum", "prod"):
            return Expression(f"({text})", at)
        return Expression(f"tanh({text})", lambda s: at(s).tanh())  # infinite where it is empty

    # ------------------------------------------------------------------ statements

    def computed_indices(self):
        """An index tensor that a statement defines."""
        name = self.pick("cell", "best")
        i = next(self.letters)
        indices = {i: N}
        if name == "best":
            j = next(self.letters)
            self.declared.add("A")
            self.index_tensors[name] = ((N,), M)
            body = Expression(
                f"argmax{{{j}}} A[{i}, {j}]", lambda s: s.tensors["A"].value.argmax(1)
            )
        else:
            of, factor = self.read(indices), int(self.pick(1, 3))
            self.index_tensors[name] = ((N,), None)
            way = self.pick("floor", "ceil", "round")
            rounding = {"floor": np.floor, "ceil": np.ceil, "round": np.rint}[way]
            body = Expression(
                f"{way}({factor}*{of.text})",
                lambda s: rounding(factor * of.at(s).value).astype(int),
            )
        return f"{name}[{i}: N]: index", name, ((i, N),), body, True

    def statement(self, name):
        kinds = self.pick((N,), (N,), (N, C), (E,), (), (N, M), (M,), (E, C))
        self.forms = int(self.pick(0, 1, 2, 2))
        left = tuple(("c" if k == C else v, k) for k, v in zip(kinds, "ij", strict=False))
        indices = dict(left)
        one = self.reduced(indices) if self.chance(0.8) else self.number(indices)
        if self.chance(0.3):
            first, other = one, self.number(indices)
            one = Expression(f"{first.text} + {other.text}", lambda s: first.at(s) + other.at(s))
        self.tensors[name] = kinds
        head = f"{name}[{', '.join(f'{v}: {k}' for v, k in left)}]" if left else name
        return head, name, left, one, False

    def arrays(self):
        """All index tensors."""
        rng, x = self.rng, self.extents
        kind = self.pick(np.int32, np.int64, np.int64)
        made = {}
        for name, (kinds, of) in INDEX_TENSORS.items():
            shape = tuple(self.extent(k) for k in kinds)
            if of is not None:
                found = rng.integers(0, max(1, x[of]), shape)
                if name == "dst" and self.chance(0.2):
                    found = np.sort(found)
                if name in ("src", "dst") and self.chance(0.2):
                    found = np.where(rng.random(shape) < 0.8, x[N] - 1, found)
            else:
                found = rng.integers(-3, x[N] + 3, shape)
            made[name] = np.asarray(found).astype(kind)
        if self.chance(0.1):
            made["far"] = made["far"].astype(np.int64) + rng.choice([0, 2**40], x[N])
        made["ptr"] = np.array([0, *np.sort(rng.integers(0, x[E] + 1, x[N] - 1)), x[E]]).astype(
            kind
        )
        if self.chance(0.2):
            made["ptr"] = rng.integers(0, x[E] + 1, x[N] + 1).astype(kind)
        lo = rng.integers(0, x[E] + 1, x[N])
        made["lo"] = lo.astype(kind)
        made["hi"] = np.minimum(lo + rng.integers(-2, 4, x[N]), x[E] - 1).astype(kind)
        made["len"] = rng.integers(0, x[M] + 2, x[N]).astype(kind)
        return made


def random_data(seed, small=False):
    """A program, with its arrays; a small one has few points."""
    d = Draft(seed, small)
    lines, statements = [], []
    drawn = [d.computed_indices()] if d.chance(0.15) else []
    drawn += [
        d.statement(name)
        for name, _ in zip("yzv", range(d.pick(1, 1, 1, 1, 2, 2, 3)), strict=False)
    ]
    for head, name, left, body, index in drawn:
        lines.append(f"{head} = {body.text}")
        statements.append((name, tuple((n, d.extent(k)) for n, k in left), body, index))
    x = d.extents
    sizes = f"size N = {x[N]}, M = {x[M]}, E, C" if d.numbered else "size N, M, E, C"
    inputs = []
    for name in sorted(d.declared):
        if name in INDEX_TENSORS:
            kinds = [*INDEX_TENSORS[name][0]]
            shape = ["N+1"] if name == "ptr" else kinds
            inputs.append(f"input {name}[{', '.join(map(str, shape))}]: index")
        elif name in TENSORS:
            inputs.append(f"input {name}[{', '.join(TENSORS[name])}]")
    outputs = ", ".join(name for name, _, _, index in statements if not index)
    text = "\n".join([sizes, *inputs, *lines, f"output {outputs}"])
    indices = {n: a for n, a in d.arrays().items() if n in d.declared}
    numbers = {
        n: d.rng.standard_normal([x[k] for k in kinds], np.float32).astype(float)
        for n, kinds in TENSORS.items()
        if n in d.declared
    }
    return RandomData(text, x, indices, numbers, statements)


def _index(name):
    return Expression(name, lambda s: s.indices[name])


def _number(value):
    return Expression(str(value), lambda s: s.constant(value))


def _bracketed(text):
    return text if " " not in text else f"({text})"


def _times(factor, one):
    return Expression(f"{factor}*{_bracketed(one.text)}", lambda s: factor * one.at(s))


def _divided(one, sign, by):
    text = _bracketed(one.text)
    if sign == "//":
        return Expression(f"{text}//{by}", lambda s: one.at(s) // by)
    return Expression(f"{text} % {by}", lambda s: one.at(s) % by)


def _padded(place, extent):
    return np.where((place >= 0) & (place < extent), place, NOWHERE)


COMPARISONS = {
    "=": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip


def _compared(one, sign, other):
    return Expression(
        f"{one.text} {sign} {other.text}", lambda s: COMPARISONS[sign](one.at(s), other.at(s))
    )


def _between(low, e, high, short):
    """From `low` to `high - short`, which the range says and no condition."""
    return [
        Expression("", lambda s: low.at(s) <= e.at(s)),
        Expression("", lambda s: e.at(s) <= high.at(s) - short),
    ]
