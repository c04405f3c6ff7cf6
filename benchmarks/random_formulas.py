"""Random formulas with large sizes: sums of what is read at affine indices, so that any number of points meet at an element.

Every formula is in bounds by its construction: an input has the extents that its reads need.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from math import prod
from random import Random

__all__ = ["LEAST", "MOST", "RandomFormula", "random_formula"]

LEAST, MOST = 10**6, 10**8  # points of the largest sum
MOST_STORED = 2 * 10**8  # elements of an input or a result
SHORT = (2, 3, 4, 5, 7, 8, 16, 31)  # extents that are numbers in the text
FUNCTIONS = ("exp({})", "tanh({})", "sqrt({}**2 + 1)", "{}**2", "abs({})", "log({}**2 + 1)")
SUMS = ("sum",) * 6 + ("mean", "max", "min", "logsumexp")


@dataclass(frozen=True)
class RandomFormula:
    """A text, and numbers for all of its sizes."""

    text: str
    sizes: dict[str, int]


def random_formula(seed: int) -> RandomFormula:
    """The formula of this seed, the same in every process."""
    random = Random(f"random formula {seed}")
    while True:
        made = _Maker(random).formula()
        if made is not None:
            return made


@dataclass
class _Maker:
    """Makes one formula: one or two definitions, the second of which may read the first."""

    random: Random
    sizes: dict[str, int] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    largest: int = 0  # elements of a tensor

    def formula(self) -> RandomFormula | None:
        left, inner = self._indices()
        points = prod(left.values()) * prod(inner.values())
        if not LEAST <= points <= MOST:
            return None
        body = self._sum(left, inner)
        lines = [self._definition("f", left, body)]
        if left and self.random.random() < 0.4:
            lines.append(self._second(left))
        if self.largest > MOST_STORED:
            return None
        sizes = f"size {', '.join(self.sizes)}\n" if self.sizes else ""
        text = f"{sizes}input {', '.join(self.inputs)}\n" + "\n".join(lines)
        return RandomFormula(text, self.sizes)

    # ------------------------------------------------------------------ indices

    def _indices(self) -> tuple[dict[str, int], dict[str, int]]:
        """The indices of the result and those that are summed over, with extents: few of some and many of others."""
        rank = self.random.choice((0, 1, 1, 2, 2, 2, 3))
        summed = self.random.choice((0, 1, 1, 1, 2, 2, 3) if rank else (1, 1, 2))
        names = list("ijklmn"[: rank + summed])
        wanted = LEAST * (MOST / LEAST) ** self.random.random()
        weights = [self.random.random() ** 3 + 0.01 for _ in names]
        short = [n > 0 and self.random.random() < 0.25 for n in range(len(names))]
        extents = {}
        for name, is_short in zip(names, short, strict=True):
            if is_short:
                extents[name] = self.random.choice(SHORT)
                wanted /= extents[name]
        long = [
            (n, w) for n, w, is_short in zip(names, weights, short, strict=True) if not is_short
        ]
        total = sum(w for _, w in long)
        for name, w in long:
            extents[name] = max(1, round(max(1.0, wanted) ** (w / total)))
            self.sizes[name.upper()] = extents[name]
        self.random.shuffle(names)
        return {n: extents[n] for n in names[:rank]}, {n: extents[n] for n in names[rank:]}

    def _extent(self, index: str, number: int) -> str:
        return index.upper() if index.upper() in self.sizes else str(number)

    # ------------------------------------------------------------------ values

    def _definition(self, name: str, left: dict[str, int], body: str) -> str:
        self.largest = max(self.largest, prod(left.values()))
        subscripts = ", ".join(f"{i}: {self._extent(i, n)}" for i, n in left.items())
        return f"{name}[{subscripts}] = {body}" if left else f"{name} = {body}"

    def _second(self, left: dict[str, int]) -> str:
        """A definition that reads the first."""
        read = f"f[{', '.join(left)}]"
        kept = dict(self.random.sample(sorted(left.items()), self.random.randint(0, len(left))))
        value = f"{self._term(left)}*{self._function(read)}"
        summed = {i: n for i, n in left.items() if i not in kept}
        return self._definition("g", kept, self._reduced("sum", summed, value) if summed else value)

    def _sum(self, left: dict[str, int], inner: dict[str, int]) -> str:
        both = {**left, **inner}
        if len(inner) > 1 and self.random.random() < 0.3:  # a sum of functions of sums
            last = dict([inner.popitem()])
            value = self._reduced("sum", last, self._product(both))
            body = self._reduced("sum", inner, f"{self._term({**left, **inner})}*{self._function(value)}")  # fmt: skip
        elif inner:
            body = self._reduced(self.random.choice(SUMS), inner, self._product(both))
        else:
            body = self._product(both)
        return body if self.random.random() < 0.7 else f"{self._term(left)} + {body}"

    def _reduced(self, name: str, over: dict[str, int], value: str) -> str:
        ranges = ", ".join(f"{i}: {self._extent(i, n)}" for i, n in over.items())
        return f"{name}{{{ranges}}} ({value})"

    def _product(self, around: dict[str, int]) -> str:
        terms = [self._term(around) for _ in range(self.random.choice((1, 2, 2, 3)))]
        pairs = [self._function(t) if self.random.random() < 0.3 else t for t in terms]
        value = self.random.choice(("*", "*", " - ")).join(pairs)
        if len(around) > 1 and self.random.random() < 0.15:
            i, j = self.random.sample(list(around), 2)
            condition = self.random.choice(
                (f"{i} <= {j}", f"{i} = {j}", f"{i} + {j} < {around[i]}")
            )
            value = f"(if {condition} then {value} else 0)"
        return value

    def _function(self, value: str) -> str:
        return self.random.choice(FUNCTIONS).format(f"({value})")

    # ------------------------------------------------------------------ reads

    def _term(self, around: dict[str, int]) -> str:
        """A read of an input of its own."""
        name = f"x{len(self.inputs)}"
        chosen = self.random.sample(list(around), self.random.randint(0, min(3, len(around))))
        dims = [self._subscript(i, around, set(chosen)) for i in chosen]
        self.largest = max(self.largest, prod(n for _, _, n in dims))
        self.inputs.append(f"{name}[{', '.join(extent for _, extent, _ in dims)}]")
        return f"{name}[{', '.join(form for form, _, _ in dims)}]" if dims else name

    def _subscript(self, i: str, around: dict[str, int], used: Set[str]) -> tuple[str, str, int]:
        """A subscript, the extent that it needs as text, and as a number."""
        n, text = around[i], self._extent(i, around[i])
        others = [j for j in around if j not in used]
        kind = self.random.choice(("i",) * 6 + ("i + j", "2*i + j", "i % b", "i // b", "reversed", "pad", "3*i"))  # fmt: skip
        if kind in {"i + j", "2*i + j"} and others:
            j = self.random.choice(others)
            m, other, factor = around[j], self._extent(j, around[j]), 2 if "2" in kind else 1
            times = "" if factor == 1 else "2*"
            return (
                f"{times}{i} + {j}",
                f"{times}{text} + {other} - {factor}",
                factor * n + m - factor,
            )
        b = self.random.choice((2, 3, 10, max(1, round(n ** self.random.random()))))
        match kind:
            case "i % b":
                return f"{i} % {b}", str(b), b
            case "i // b":
                return f"{i} // {b}", f"({text} + {b - 1}) // {b}", -(-n // b)
            case "reversed":
                return f"{text} - 1 - {i}", text, n
            case "pad":
                return f"pad({i} - {b // 2})", text, n
            case "3*i":
                return f"3*{i}", f"3*{text} - 2", 3 * n - 2
            case _:
                return i, text, n
