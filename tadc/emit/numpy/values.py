"""Expressions as whole-array numpy text. Shared, long or deep values get a name, in the scope that they depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias

from tadc.emit.numpy.reads import MASKED, Risk, padded, unsafe_dimensions, view
from tadc.emit.numpy.scope import Frame, Scope, factor
from tadc.emit.numpy.spelling import Precedence, Text, atom, bracketed, literal, spell, typed
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Domain
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.walk import postorder

__all__ = ["Values", "Walk", "condition_text"]

Walk: TypeAlias = Generator[Any, Any, Text]
DEEPEST = (
    12  # operations within one line of text: Python's parser has its limits, and so have readers
)
LONGEST = 80  # characters of an operand that stays without a name


class Values:
    """Prints expressions; those with reductions need a subclass, which says how they are `reduced`."""

    def __init__(self, frame: Frame, root: Expr, rank: int) -> None:
        nodes = list(postorder(root))
        users = Counter(o for e in nodes for o in e.operands)
        self.frame = frame
        self.reused = {e for e, n in users.items() if n > 1 and isinstance(e, (Call, Select))}
        self.levels = rank + _levels(nodes)

    def reduced(self, e: Reduce, scope: Scope, risk: Risk) -> Walk:
        raise NotImplementedError

    # ------------------------------------------------------------------ index arrays

    def index(self, s: Symbol, scope: Scope) -> str:
        """The name of the array of an index's values, or of a scalar."""
        if s in self.frame.scalars:
            return self.frame.text(symbol(s))
        home = scope.home(frozenset((s,)))
        if s in home.arrays:
            return home.arrays[s]
        axis = home.axes.get(s)
        if axis is not None:
            low, stop = self.frame.text(axis.low), self.frame.text(axis.stop)
            text = f"np.arange({stop})" if axis.low == constant(0) else f"np.arange({low}, {stop})"
            if after := self.levels - axis.position - 1:
                text += f".reshape(-1{', 1' * after})"
            if axis.first:
                text = f"{axis.first} + {text}"
        else:
            division = home.division(s)
            assert division is not None, f"{s} is no index of {home}"
            text = f"{factor(division.form, self.form(division.form, home))} // {division.modulus}"
        name = self.frame.taken.fresh(s)
        home.lines.append(f"{name} = {text}")
        home.arrays[s] = name
        return name

    def form(self, form: Affine, scope: Scope) -> str:
        """A form of axes and scalars as text over index arrays."""
        return form.text({s: self.index(s, scope) for s in form.symbols})

    def condition(self, condition: Condition, scope: Scope) -> str:
        return condition_text(condition, lambda form: self.form(form, scope))

    def conditions(self, conditions: Sequence[Condition], scope: Scope) -> str:
        """All of the conditions, as a Boolean array."""
        texts = [self.condition(c, scope) for c in conditions]
        return texts[0] if len(texts) == 1 else " & ".join(f"({t})" for t in texts)

    # ------------------------------------------------------------------ expressions

    def value(self, e: Expr, scope: Scope, risk: Risk) -> Walk:
        home = scope.place(e.symbols)
        if e in home.known:
            return home.known[e]
        match e:
            case Const(number):
                return literal(number)
            case IndexValue(form):
                return self._index_value(form, home)
            case Read():
                return self._read(e, home, risk)
            case Reduce():
                text = home.known[e] = yield self.reduced(e, home, risk)
                return text
            case Call(function, args):
                operands = []
                for a in args:
                    operands.append(self._short((yield self.value(a, home, risk)), a, home))
                text = spell(function, operands, self.frame.real)
            case Select():
                text = yield self._select(e, home, risk)
        return self._let(e, text, home) if e in self.reused else text

    def _select(self, e: Select, home: Scope, risk: Risk) -> Walk:
        match e:
            case Select(Domain() as condition, Read() as read, Const(0)):
                text = padded(read, condition, home, self.frame, self.levels, risk)
                if text is not None:
                    return self._typed(text, read)
        if isinstance(e.condition, Comparison):
            left = self._short(
                (yield self.value(e.condition.left, home, risk)), e.condition.left, home
            )
            right = yield self.value(e.condition.right, home, risk)
            right = self._short(right, e.condition.right, home)
            left = typed(left, self.frame.real) if right.literal else left
            a, b = bracketed(left, Precedence.SUM), bracketed(right, Precedence.SUM)
            test = f"{a} {e.condition.relation} {b}"
        else:
            test = self.conditions(e.condition.conditions, home)
            risk = risk | {MASKED}
        yes = self._short((yield self.value(e.then, home, risk)), e.then, home)
        no = self._short((yield self.value(e.otherwise, home, risk)), e.otherwise, home)
        yes = typed(yes, self.frame.real) if no.literal else yes
        return atom(f"np.where({test}, {yes.text}, {no.text})", 1 + max(yes.depth, no.depth))

    def _short(self, text: Text, e: Expr, home: Scope) -> Text:
        """The operand's text, or a name for it where it is long or deep."""
        if text.depth < DEEPEST and len(text.text) <= LONGEST:
            return text
        return self._let(e, text, home.place(e.symbols))

    def _let(self, e: Expr, text: Text, home: Scope) -> Text:
        name = self.frame.taken.fresh(_hint(e))
        home.lines.append(f"{name} = {text.text}")
        home.known[e] = atom(name)
        return home.known[e]

    def _index_value(self, form: Affine, scope: Scope) -> Text:
        text = self.form(form, scope)
        if scope.indices(frozenset(form.symbols)):
            return atom(f"{factor(form, text)}.astype({self.frame.real})")
        return atom(f"{self.frame.real}({text})")

    def _read(self, e: Read, scope: Scope, risk: Risk) -> Text:
        unsafe = unsafe_dimensions(e, scope, self.frame, risk)
        text = view(e, scope, self.frame, self.levels, unsafe)
        if text is None:
            name = self.frame.names[e.tensor]
            subscripts = ", ".join(self.form(s, scope) for s in e.subscripts)
            text = f"at({name}, {subscripts})" if unsafe else f"{name}[{subscripts}]"
        return self._typed(text, e)

    def _typed(self, text: str, e: Read) -> Text:
        """The read value `text`, in the statement's element type."""
        if self.frame.dtypes[e.tensor] == self.frame.dtype:
            return atom(text)
        return atom(f"{text}.astype({self.frame.real})")


def condition_text(condition: Condition, form: Callable[[Affine], str]) -> str:
    """`j <= i + 1`, `i == j`, `(i + j) % 2 == 0`: negative terms stand on the left."""
    if condition.relation == "|":
        return f"{factor(condition.form, form(condition.form))} % {condition.modulus} == 0"
    number = constant(condition.form.constant)
    left = Affine.of({s: -c for s, c in condition.form.terms if c < 0})
    right = Affine.of({s: c for s, c in condition.form.terms if c > 0})
    left, right = (left, right + number) if number.constant > 0 else (left - number, right)
    return f"{form(left)} {'==' if condition.relation == '==' else '<='} {form(right)}"


def _levels(nodes: Sequence[Expr]) -> int:
    """The number of axes that nested reductions take at most."""
    deepest: dict[Expr, int] = {}
    for e in nodes:  # operands first
        inner = max((deepest[o] for o in e.operands), default=0)
        deepest[e] = inner + (len(e.indices) if isinstance(e, Reduce) else 0)
    return deepest[nodes[-1]]


def _hint(e: Expr) -> str:
    match e:
        case Call(function) if function not in ("add", "sub", "mul", "div", "neg", "pow", "gate"):
            return f"{function}_"
        case _:
            return "t"
