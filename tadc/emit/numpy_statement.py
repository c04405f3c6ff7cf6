"""One statement as whole-array numpy: index arrays, masks, and the expression over them.

A reduction runs over the rectangular hull of its domain; a mask leaves out what is not in the domain, and what a masked
point reads is moved inside its tensor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeAlias

from tadc.emit.numpy_scope import Axis, Scope, surely
from tadc.emit.numpy_spelling import Precedence, Text, atom, bracketed, literal, spell, typed
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.bounds import Bounded, bounded
from tadc.ir.domain import Condition
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import descend, postorder
from tadc.normalize.simplify import NEUTRAL

__all__ = ["statement_lines"]

Walk: TypeAlias = Generator[Any, Any, Text]
INDENT = "    "
DEEPEST = (
    12  # operations within one line of text: Python's parser has its limits, and so have readers
)
LONGEST = 100  # characters of an operand that stays without a name
FEW = 2**20  # elements for which a statement needs no blocks

_REDUCTIONS = {"sum": "np.sum", "prod": "np.prod", "max": "np.max", "min": "np.min"}
_COMBINED = {
    "sum": "{0} + {1}",
    "prod": "{0} * {1}",
    "max": "np.maximum({0}, {1})",
    "min": "np.minimum({0}, {1})",
}
_RELATIONS = {"==": "==", "!=": "!=", "<": "<", "<=": "<="}


def statement_lines(
    statement: Statement,
    program: Program,
    names: Mapping[str, str],
    dtypes: Mapping[str, str],
    taken: Names,
) -> list[str]:
    """The lines that compute the statement's target. `names` has tensors and sizes; `taken` is changed."""
    return _StatementText(statement, program, names, dtypes, taken).lines()


class _StatementText:
    def __init__(
        self,
        statement: Statement,
        program: Program,
        names: Mapping[str, str],
        dtypes: Mapping[str, str],
        taken: Names,
    ) -> None:
        self.statement = statement
        self.names = names
        self.dtypes = dtypes
        self.tensors: Mapping[str, Tensor] = program.tensors
        self.taken = taken
        self.sizes = frozenset((*program.sizes, *(d.name for d in program.derived_sizes)))
        self.scalars: dict[Symbol, str] = {s: names[s] for s in self.sizes}
        nodes = list(postorder(statement.body))
        users = Counter(o for e in nodes for o in e.operands)
        self.shared = {e for e, n in users.items() if n > 1 and isinstance(e, (Call, Select))}
        read = (dtypes[e.tensor] for e in nodes if isinstance(e, Read))
        self.dtype = _widest((dtypes[statement.target.name], *read))
        self.real = f"np.{self.dtype}"
        self.symbols = _symbols(statement, nodes)
        self.levels = len(statement.indices) + _levels(nodes, statement.body)
        self.outside = Scope(None)

    # ------------------------------------------------------------------ the statement

    def lines(self) -> list[str]:
        s = self.statement
        target = self.names[s.target.name]
        extents = [self.scalar(n) for n in s.target.shape]
        stored = f"np.{self.dtypes[s.target.name]}"
        self.outside.lines.append(f"{target} = np.empty({_tuple(extents)}, {stored})")
        axes, loop = self._output_axes()
        scope = Scope(self.outside, axes, {d.name: d for d in s.derived})
        certain = all(surely(n - 1, self.sizes) for n in s.target.shape)
        value = descend(self.value(s.body, scope, risky=not certain))
        scope.lines.append(f"{self._place(target, axes)} = {value.text}")
        self._close(scope, loop)
        return self.outside.lines

    def _output_axes(self) -> tuple[dict[Symbol, Axis], tuple[str, str] | None]:
        s = self.statement
        axes: dict[Symbol, Axis] = {}
        loop = None
        for position, (i, n) in enumerate(zip(s.indices, s.target.shape, strict=True)):
            low, stop = constant(0), n
            if position == 0 and not self._is_small():
                low, stop = self._fresh(f"{i}_0"), self._fresh(f"{i}_1")
                loop = (f"{self.scalar(low)}, {self.scalar(stop)}", self.scalar(n))
            axes[i] = Axis(i, position, low, stop, constant(0), n - 1)
        return axes, loop

    def _is_small(self) -> bool:
        """Whether all extents are known, and no array of the statement is large."""
        count = 1
        for n in self.statement.target.shape:
            count *= n.constant if n.is_constant else FEW + 1
        ranges = [e for e in postorder(self.statement.body) if isinstance(e, Reduce)]
        return count <= FEW and not ranges  # TODO

    def _place(self, target: str, axes: Mapping[Symbol, Axis]) -> str:
        parts = [
            ":" if a.low.is_constant else f"{self.scalar(a.low)}:{self.scalar(a.stop)}"
            for a in axes.values()
        ]
        more = self.levels - len(axes)
        if not any(p != ":" for p in parts) and not more:
            return f"{target}[...]"
        while parts and parts[-1] == ":" and not more:
            parts.pop()
        return f"{target}[{', '.join([*parts, *['None'] * more]) or '...'}]"

    def _close(self, scope: Scope, loop: tuple[str, str] | None) -> None:
        """Hand the lines of a scope on to what is around it, inside a loop over blocks if there is one."""
        assert scope.outer is not None
        if loop is None:
            scope.outer.lines += scope.lines
            return
        variables, stop = loop
        rest = " * ".join(self._rest) or "1"
        scope.outer.lines.append(f"for {variables} in blocks(0, {stop}, {rest}):")
        scope.outer.lines += [INDENT + line for line in scope.lines]

    @property
    def _rest(self) -> list[str]:
        factors = [_factor(self.scalar(n)) for n in self.statement.target.shape[1:]]
        return [*factors, *self._widths] if hasattr(self, "_widths") else factors

    # ------------------------------------------------------------------ scalars

    def scalar(self, form: Affine) -> str:
        """A form of sizes and named scalars as text."""
        return form.text(self.scalars)

    def _fresh(self, hint: str) -> Affine:
        """A new scalar, as a form. It is a symbol beside those of the statement, so it must differ from them."""
        name = next(n for n in iter(lambda: self.taken.fresh(hint), None) if n not in self.symbols)
        self.scalars[name] = name
        return symbol(name)

    def _named(self, hint: str, text: str) -> Affine:
        """A new scalar with a value that follows from the sizes."""
        form = self._fresh(hint)
        self.outside.lines.append(f"{self.scalar(form)} = {text}")
        return form

    def extreme(self, form: Affine, scope: Scope, *, highest: bool) -> Affine:
        """The least or greatest value that a form of axes can have, from those of each axis alone."""
        result = constant(form.constant)
        for s, c in form.terms:
            axis, division = scope.axis(s), scope.division(s)
            top = highest == (c > 0)
            if axis is not None:
                result += (axis.most if top else axis.least) * c
            elif division is not None:
                inner = self.extreme(division.form, scope, highest=top)
                if inner.is_constant:
                    result += inner.constant // division.modulus * c
                else:
                    quotient = f"{_factor(self.scalar(inner))} // {division.modulus}"
                    result += self._named(f"{s}_{'last' if top else 'first'}", quotient) * c
            else:
                result += symbol(s) * c
        return result

    # ------------------------------------------------------------------ index arrays

    def index(self, s: Symbol, scope: Scope) -> str:
        """The name of the array of an index's values; the line that makes it is written where it first is needed."""
        if s in self.scalars:
            return self.scalars[s]
        home = scope.home(frozenset((s,)))
        if s in home.arrays:
            return home.arrays[s]
        axis = home.axes.get(s)
        if axis is not None:
            low, stop = self.scalar(axis.low), self.scalar(axis.stop)
            values = f"np.arange({stop})" if low == "0" else f"np.arange({low}, {stop})"
            after = self.levels - axis.position - 1
            shaped = f"{values}.reshape(-1{', 1' * after})" if after else values
            text = f"{axis.offset} + {shaped}" if axis.offset else shaped
        else:
            division = home.derived[s]
            text = f"{self._grouped(division.form, home)} // {division.modulus}"
        name = self.taken.fresh(s if s.isidentifier() else "q")
        home.lines.append(f"{name} = {text}")
        home.arrays[s] = name
        return name

    def form(self, form: Affine, scope: Scope) -> str:
        """A form of axes and scalars as text over index arrays."""
        return form.text({s: self.index(s, scope) for s in form.symbols})

    def _grouped(self, form: Affine, scope: Scope) -> str:
        return _factor(self.form(form, scope))

    def condition(self, condition: Condition, scope: Scope) -> str:
        if condition.relation == "|":
            return f"{self._grouped(condition.form, scope)} % {condition.modulus} == 0"
        positive = {s: c for s, c in condition.form.terms if c > 0}
        negative = {s: -c for s, c in condition.form.terms if c < 0}
        number = condition.form.constant
        left = self.form(Affine.of(negative, max(0, -number)), scope)
        right = self.form(Affine.of(positive, max(0, number)), scope)
        return f"{left} {'==' if condition.relation == '==' else '<='} {right}"

    def conditions(self, conditions: Sequence[Condition], scope: Scope) -> str:
        texts = [self.condition(c, scope) for c in conditions]
        if not texts:
            return "True"
        return texts[0] if len(texts) == 1 else " & ".join(f"({t})" for t in texts)

    # ------------------------------------------------------------------ expressions

    def value(self, e: Expr, scope: Scope, *, risky: bool) -> Walk:
        """The value of `e` as text. `risky`: where it is computed at points that do not need it, reads may be outside."""
        home = scope.home(e.symbols)
        if e in home.known:
            return home.known[e]
        match e:
            case Const(number):
                return literal(number)
            case IndexValue(form):
                return self._index_value(form, home)
            case Read():
                return self._read(e, home, risky)
            case Reduce():
                text = yield self._reduce(e, home, risky)
                home.known[e] = text
                return text
            case Call(function, args):
                operands = []
                for a in args:
                    operands.append(self._short((yield self.value(a, home, risky=risky)), a, home))
                text = spell(function, operands, self.real)
            case Select(condition, then, otherwise):
                if isinstance(condition, Comparison):
                    left = yield self.value(condition.left, home, risky=risky)
                    right = yield self.value(condition.right, home, risky=risky)
                    left = typed(left, self.real) if right.literal else left
                    a, b = bracketed(left, Precedence.SUM), bracketed(right, Precedence.SUM)
                    test = f"{a} {_RELATIONS[condition.relation]} {b}"
                    inner = risky
                else:
                    test = self.conditions(condition.conditions, home)
                    inner = True
                yes = yield self.value(then, home, risky=inner)
                no = yield self.value(otherwise, home, risky=inner)
                yes = typed(yes, self.real) if no.literal else yes
                text = atom(
                    f"np.where({test}, {yes.text}, {no.text})", 1 + max(yes.depth, no.depth)
                )
        if e in self.shared and not text.literal:
            text = self._let(e, text, home)
        return text

    def _short(self, text: Text, e: Expr, home: Scope) -> Text:
        """The operand's text, or a name for it where it is long or deep."""
        if text.depth < DEEPEST and len(text.text) <= LONGEST:
            return text
        return self._let(e, text, home)

    def _let(self, e: Expr, text: Text, home: Scope) -> Text:
        home = home.home(e.symbols)
        name = self.taken.fresh(_hint(e))
        home.lines.append(f"{name} = {text.text}")
        home.known[e] = atom(name)
        return home.known[e]

    def _index_value(self, form: Affine, scope: Scope) -> Text:
        text = self.form(form, scope)
        if all(s in self.scalars for s in form.symbols):
            return atom(f"{self.real}({text})")
        return atom(f"{_factor(text)}.astype({self.real})")

    def _read(self, e: Read, scope: Scope, risky: bool) -> Text:
        tensor = self.names[e.tensor]
        subscripts = [self.form(s, scope) for s in e.subscripts]
        if risky and not self._is_inside(e, scope):
            text = f"at({', '.join([tensor, *subscripts])})"
        else:
            text = f"{tensor}[{', '.join(subscripts) or '()'}]"
        if self.dtypes[e.tensor] != self.dtype:
            text += f".astype({self.real})"
        return atom(text)

    def _is_inside(self, e: Read, scope: Scope) -> bool:
        """Whether the read is inside its tensor at all points of the hull, for any sizes of at least 1."""
        return all(
            surely(self.extreme(s, scope, highest=False), self.sizes)
            and surely(n - 1 - self.extreme(s, scope, highest=True), self.sizes)
            for s, n in zip(e.subscripts, self.tensors[e.tensor].shape, strict=True)
        )

    # ------------------------------------------------------------------ reductions

    def _reduce(self, e: Reduce, outer: Scope, risky: bool) -> Walk:
        scope = Scope(outer, {}, {d.name: d for d in e.derived})
        bounds = bounded(e)
        mask: list[Condition] = list(bounds.tests)
        axes: dict[Symbol, Axis] = {}
        scope.axes = axes
        certain = True
        for b in bounds.each:
            axes[b.index], left = self._reduction_axis(b, scope)
            mask += [*left, *b.tests]
            certain = certain and surely(axes[b.index].most - axes[b.index].least, self.sizes)
        inner_risk = risky or bool(mask) or not certain
        body = yield self.value(e.body, scope, risky=inner_risk)
        body = typed(body, self.real)
        test = self.conditions(mask, scope)
        symbols = e.body.symbols.union(*(c.form.symbols for c in mask))
        text = self._reduced(e, body, test if mask else None, scope, self._through(symbols, scope))
        name = self.taken.fresh("s" if e.op == "sum" else e.op)
        scope.lines.append(f"{name} = {text}")
        self._close(scope, None)
        return atom(name)

    def _through(self, symbols: frozenset[Symbol], scope: Scope) -> set[Symbol]:
        """The symbols, and those that their derived indices are made of, and that offsets of axes are."""
        found: set[Symbol] = set()
        stack = list(symbols)
        while stack:
            s = stack.pop()
            found.add(s)
            division = scope.division(s)
            if division is not None:
                stack += division.form.symbols
        return found

    def _reduced(
        self, e: Reduce, body: Text, test: str | None, scope: Scope, symbols: set[Symbol]
    ) -> str:
        positions = [a.position for a in scope.axes.values()]
        axis = ", ".join(str(p - self.levels) for p in positions)
        axis = axis if len(positions) == 1 else f"({axis})"
        if e.op in ("argmax", "argmin"):
            (i,) = e.indices
            extent = self._extent(scope.axes[i])
            values = self._spread(body.text, scope, symbols)
            found = f"place(np.{e.op}, {values}, {test or True}, {axis})"
            a = scope.axes[i]
            first = f"{a.offset} + {self.scalar(a.low)}" if a.offset else self.scalar(a.low)
            del extent
            if first == "0":
                return f"{found}.astype({self.real})"
            p = self.taken.fresh("p")
            scope.lines.append(f"{p} = {found}")
            return f"np.where({p} < 0, -1, {p} + {first}).astype({self.real})"
        values = body.text
        if test is not None:
            values = f"np.where({test}, {values}, {literal(NEUTRAL[e.op]).text})"
        values = self._spread(values, scope, symbols)
        initial = "" if e.op in ("sum", "prod") else f", initial={literal(NEUTRAL[e.op]).text}"
        return f"{_REDUCTIONS[e.op]}({values}, axis={axis}, keepdims=True{initial})"

    def _spread(self, values: str, scope: Scope, symbols: set[Symbol]) -> str:
        """Repeated along the reduction's axes that it does not depend on."""
        if all(i in symbols for i in scope.axes):
            return values
        first = min(a.position for a in scope.axes.values())
        extents = ["1"] * (self.levels - first)
        for a in scope.axes.values():
            extents[a.position - first] = self._extent(a)
        return f"spread({values}, {', '.join(extents)})"

    def _extent(self, a: Axis) -> str:
        return f"max(0, {self.scalar(a.stop - a.low)})"

    def _reduction_axis(self, b: Bounded, scope: Scope) -> tuple[Axis, list[Condition]]:
        """The hull of an index's range, and what it leaves to the mask."""
        position = scope.depth
        low = self._bound(
            [(self.extreme(e, scope, highest=False) + (c - 1), c) for e, c in b.lows],
            "max",
            f"{b.index}_low",
        )
        high = self._bound(
            [(self.extreme(e, scope, highest=True), c) for e, c in b.highs],
            "min",
            f"{b.index}_high",
        )
        left = []
        for e, c in b.lows:
            if not all(s in self.scalars for s in e.symbols):
                left.append(Condition(">=", symbol(b.index) * c - e))
        for e, c in b.highs:
            if not all(s in self.scalars for s in e.symbols):
                left.append(Condition(">=", e - symbol(b.index) * c))
        return Axis(b.index, position, low, high + 1, low, high), left

    def _bound(self, forms: list[tuple[Affine, int]], op: str, hint: str) -> Affine:
        """The greatest or least of the rounded quotients, as a form: a new scalar unless it is one already."""
        if len(forms) == 1 and forms[0][1] == 1:
            return forms[0][0]
        if all(e.is_constant for e, _ in forms):
            values = [e.constant // c for e, c in forms]
            return constant(max(values) if op == "max" else min(values))
        texts = dict.fromkeys(
            self.scalar(e) if c == 1 else f"{_factor(self.scalar(e))} // {c}" for e, c in forms
        )
        text = f"{op}({', '.join(texts)})" if len(texts) > 1 else next(iter(texts))
        return self._named(hint, text)


def _levels(nodes: Sequence[Expr], root: Expr) -> int:
    """The number of axes that nested reductions take at most."""
    deepest: dict[Expr, int] = {}
    for e in nodes:  # operands first
        inner = max((deepest[o] for o in e.operands), default=0)
        deepest[e] = inner + (len(e.indices) if isinstance(e, Reduce) else 0)
    return deepest[root]


def _symbols(statement: Statement, nodes: Sequence[Expr]) -> frozenset[Symbol]:
    """Every index of the statement, bound ones included."""
    derived = [*statement.derived]
    found = {*statement.indices}
    for e in nodes:
        if isinstance(e, Reduce):
            found |= {*e.indices}
            derived += e.derived
    return frozenset(found | {d.name for d in derived})


def _widest(dtypes: Sequence[str]) -> str:
    order = ("float16", "float32", "float64")
    return max(dtypes, key=order.index)


def _hint(e: Expr) -> str:
    match e:
        case Call(function) if function not in ("add", "sub", "mul", "div", "neg", "pow", "gate"):
            return f"{function}_"
        case _:
            return "t"


def _tuple(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _factor(text: str) -> str:
    return text if text.isidentifier() or text.isdigit() else f"({text})"
