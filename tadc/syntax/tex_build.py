r"""From the tree of `grammar/tex.lark` to the syntax tree.

One walk with a stack of its own, operands first: formulas may be deep. Each rule has a method that is given the span of its
text and what its symbols gave, as the grammar shows them. What must be known before the operands is in `_enter`: the names
that a reduction binds, whether a subscript is around, and the forms that may be read in two ways and so are errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from lark import Tree

from tadc.errors import Source, Span, SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Application, Binary, Condition, Expression, Name, Number
from tadc.syntax.tex_cases import Row, choice
from tadc.syntax.tex_commands import INVERSES
from tadc.syntax.tex_limits import Limit, Limits, limits, read_limits
from tadc.syntax.tex_names import Vocabulary
from tadc.syntax.tex_quotients import IndexText, rounded
from tadc.syntax.tex_tokens import Token

__all__ = ["Build"]

Formula: TypeAlias = "Tree[Any]"
Value: TypeAlias = Any  # what a rule gives: a node, or one of the tuples below


class Script(NamedTuple):
    """`_{..}` or `^{..}` with what it holds, or a prime."""

    kind: Literal["SUB", "SUP", "PRIME"]
    items: tuple[Expression | Condition, ...]
    span: Span


class List(NamedTuple):
    """What stands in round or square brackets; one expression, or arguments, or a condition."""

    items: tuple[Expression | Condition, ...]
    is_square: bool
    span: Span


class Target(NamedTuple):
    name: Name
    lefts: tuple[ast.Range, ...]
    arguments: tuple[Name, ...] | None


class _Exit(NamedTuple):
    tree: Formula


class Build:
    """The walk over one statement of `source`; `tokens` are its tokens as they were parsed."""

    def __init__(self, source: Source, vocabulary: Vocabulary, tokens: Sequence[Token]) -> None:
        self.source = source
        self.vocabulary = vocabulary
        self.index_text = IndexText(tokens, vocabulary)
        self.bound: Counter[str] = Counter(_left_names(tokens))
        self.reductions: list[Limits] = []  # those around the walk's place
        self.subscripts = 0  # how many subscripts are around it

    def __call__(self, root: Formula) -> Value:
        values: list[tuple[Value, int, int]] = []  # with first and last character
        todo: list[Any] = [root]
        while todo:
            part = todo.pop()
            if isinstance(part, Tree):
                self._enter(part)
                todo.append(_Exit(part))
                todo.extend(reversed(part.children))
            elif isinstance(part, _Exit):
                count = len(part.tree.children)
                operands = values[-count:]
                del values[-count:]
                start, end = operands[0][1], operands[-1][2]
                method = getattr(self, f"_{part.tree.data}")
                values.append(
                    (method(self._span(start, end), *[v for v, _, _ in operands]), start, end)
                )
            else:
                values.append((part, part.start, part.end))
        return values[0][0]

    def _span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    def _at(self, token: Token) -> Span:
        return self._span(token.start, token.end)

    # ---------------------------------------------------------------- on the way down

    def _enter(self, tree: Formula) -> None:
        match str(tree.data):
            case "negative":
                _bind_minus(tree)
            case "juxtaposed":
                self._refuse_unclear_quotient(tree)
            case "binary":
                self._refuse_unclear_remainder(tree)
            case "subscript":
                self.subscripts += 1
            case "reduction":
                self._enter_reduction(tree)

    def _refuse_unclear_quotient(self, tree: Formula) -> None:
        """`a/b c` is `a/(b c)` to some readers and `(a/b) c` to others."""
        left = tree.children[0]
        if (
            isinstance(left, Tree)
            and left.data == "product"
            and left.children[1].type in ("SLASH", "BMOD")
        ):
            sign = left.children[1]
            raise SyntaxError(
                self._at(sign),
                f"it is unclear whether `{sign.value}` takes one factor or all that follow",
                fix=r"write `\frac{a}{b} c` or `\frac{a}{b c}`"
                if sign.type == "SLASH"
                else r"write brackets: `(i \bmod 3)\, j`",
            )

    def _refuse_unclear_remainder(self, tree: Formula) -> None:
        right = tree.children[2]
        while isinstance(right, Tree) and right.data in ("product", "juxtaposed"):
            if right.data == "product" and right.children[1].type == "BMOD":
                raise SyntaxError(
                    self._at(right.children[1]),
                    f"it is unclear whether `{right.children[1].value}` takes the whole sum before it",
                    fix=r"write `(i + j) \bmod 3` or `i + (j \bmod 3)`",
                )
            right = right.children[0]

    def _enter_reduction(self, tree: Formula) -> None:
        scripts = [c for c in tree.children[1:-1] if isinstance(c, Tree)]
        subscripts = [c for c in scripts if c.data == "subscript"]
        if self.subscripts:
            raise SyntaxError(
                self._at(tree.children[0]),
                "a reduction stands in a subscript or limit",
                fix="give it a statement of its own",
            )
        entries = [
            _limit(entry, self._at)
            for script in subscripts
            for entry in script.children[2].children[::2]
        ]
        read = read_limits(
            entries,
            has_high=len(scripts) > len(subscripts),
            is_bound=lambda name: self.bound[name] > 0 or name in self.vocabulary.sizes,
            is_subscript=lambda name: name in self.index_text.subscripts,
        )
        self.reductions.append(read)
        self.bound.update(name.name for name in read.names)

    # ---------------------------------------------------------------- statements

    def _definition(self, span: Span, target: Target, _equal: Token, body: Value) -> ast.Item:
        return ast.Definition(
            target.name, target.lefts, None, target.arguments, self._value(body), span
        )

    def _target(self, span: Span, name: Token, *rest: Value) -> Target:
        lefts: list[ast.Range] = []
        for left in rest[0].items if rest and isinstance(rest[0], Script) else ():
            if not isinstance(left, Name):
                raise SyntaxError(
                    left.span,
                    f"`{left.span.text}` is not a bare index, but on the left side only these stand",
                    fix="write the element at a bare index, and move the rest to the right side",
                )
            lefts.append(ast.Range(left, left.span))
        in_brackets = [t for t in rest if isinstance(t, Token)]
        arguments = (
            tuple(self._name(t) for t in in_brackets if t.type == "NAME") if in_brackets else None
        )
        return Target(self._name(name), tuple(lefts), arguments)

    def _shape(self, span: Span, *symbols: Value) -> list[ast.Item]:
        names = [s for s in symbols if isinstance(s, Token) and s.type == "NAME"]
        extents = tuple(self._value(s) for s in symbols if not isinstance(s, Token))
        return [ast.TensorDeclaration("shape", self._name(n), extents, None, span) for n in names]

    def _name(self, token: Token) -> Name:
        return Name(token.value, self._at(token))

    # ---------------------------------------------------------------- sums and products

    def _binary(self, span: Span, left: Value, sign: Token, right: Value) -> Expression:
        return Binary(
            "+" if sign.type == "PLUS" else "-", self._value(left), self._value(right), span
        )

    def _negative(self, span: Span, _minus: Token, operand: Value) -> Expression:
        return ast.Unary(self._value(operand), span)

    def _bound_minus(self, span: Span, term: Value) -> Value:
        return term

    def _juxtaposed(self, span: Span, left: Value, right: Value) -> Expression:
        return Binary("*", self._value(left), self._value(right), span)

    def _product(self, span: Span, left: Value, sign: Token, right: Value) -> Expression:
        operator = cast(Literal["*", "/", "%"], {"SLASH": "/", "BMOD": "%"}.get(sign.type, "*"))
        return Binary(operator, self._value(left), self._value(right), span)

    def _reduction(self, span: Span, word: Token, *rest: Value) -> Expression:
        *scripts, body = rest
        read = self.reductions.pop()
        self.bound.subtract(name.name for name in read.names)
        below = self._one(scripts, "SUB")
        above = self._one(scripts, "SUP")
        if below is None:
            raise SyntaxError(
                self._at(word),
                f"`{word.value}` does not say over which index",
                fix=r"write `\sum_{k}`",
            )
        high = None if above is None else self._value(above.items[0])
        self._refuse_primes(scripts)
        ranges, condition = limits(read, below.items, high, below.span)
        return ast.Reduction(self._name(word), ranges, condition, self._value(body), span)

    # ---------------------------------------------------------------- functions

    def _call(self, span: Span, function: Token, *rest: Value) -> Expression:
        after_name: list[Script] = []
        for item in rest:
            if not isinstance(item, Script):
                break
            after_name.append(item)
        argument = rest[len(after_name)]
        powers = [*after_name, *rest[len(after_name) + 1 :]]
        if function.type != "FUNC":
            assert isinstance(argument, List), "these are called with brackets"
            return self._raised(Application(self._name(function), argument.items, span), powers)
        name = self._function_name(function, after_name)
        inverse = [s for s in after_name if s.kind == "SUP" and _is_minus_one(s.items[0])]
        if inverse:
            if name.name not in INVERSES:
                raise SyntaxError(
                    inverse[0].span,
                    f"`{name.name}` has no inverse that tadc knows",
                    fix=rf"write the power behind the brackets: `\{name.name}(x)^{{-1}}`",
                )
            name = Name(INVERSES[name.name], name.span)
        powers = [
            s for s in powers if s not in inverse and not (s.kind == "SUB" and s in after_name)
        ]
        return self._raised(Application(name, (self._value(argument),), span), powers)

    def _function_name(self, function: Token, scripts: list[Script]) -> Name:
        base = self._one(scripts, "SUB")
        if base is None:
            return self._name(function)
        digits = base.items[0].text if isinstance(base.items[0], Number) else ""
        if function.value == "log" and digits in ("2", "10"):
            return Name(f"log{digits}", self._at(function))
        raise SyntaxError(
            base.span,
            f"the function `{function.value}` takes no such subscript",
            fix=r"only `\log_2` and `\log_{10}` have one; else write `\frac{\log x}{\log b}`",
        )

    # ---------------------------------------------------------------- factors

    def _scripted(self, span: Span, base: Value, *scripts: Script) -> Expression | Condition:
        if not scripts:
            return self._unwrapped(base)
        return self._raised(self._value(base), scripts)

    def _element(self, span: Span, token: Token, *scripts: Script) -> Expression:
        name = self._name(token)
        below = self._one(scripts, "SUB")
        above = self._one(scripts, "SUP")
        self._refuse_primes(scripts)
        if token.note == "euler" and below is None:
            exponent = Number("1", name.span) if above is None else self._value(above.items[0])
            return Application(Name("exp", name.span), (exponent,), span)
        if below is None:
            return self._raised(name, scripts)
        place = name.span.to(below.span)
        subscripts = tuple(self._value(item) for item in below.items)
        others = [s for s in scripts if s is not below]
        if (
            token.value == "delta"
            and len(subscripts) == 2
            and "delta" not in self.vocabulary.declared
        ):
            return self._raised(Application(name, subscripts, place), others)
        return self._raised(ast.Element(name, subscripts, place), others)

    def _number(self, span: Span, digits: Token, *scripts: Script) -> Expression:
        return self._raised(Number(digits.value, self._at(digits)), scripts)

    def _fraction(
        self, span: Span, _frac: Token, over: Value, under: Value, *scripts: Script
    ) -> Expression:
        return self._raised(Binary("/", self._value(over), self._value(under), span), scripts)

    def _root(self, span: Span, sqrt: Token, *rest: Value) -> Expression:
        symbols = [s for s in rest if not isinstance(s, Token)]
        scripts = [s for s in symbols if isinstance(s, Script)]
        operands = [self._value(s) for s in symbols if not isinstance(s, Script)]
        radicand, degree = operands[-1], operands[0] if len(operands) == 2 else None
        digits = degree.text if isinstance(degree, Number) else ""
        if degree is None or digits in ("2", "3"):
            function = Name("cbrt" if digits == "3" else "sqrt", self._at(sqrt))
            return self._raised(Application(function, (radicand,), span), scripts)
        exponent = Binary("/", Number("1", degree.span), degree, degree.span)
        return self._raised(Binary("**", radicand, exponent, span), scripts)

    def _floor(
        self, span: Span, opening: Token, inner: Value, closing: Token, *scripts: Script
    ) -> Expression:
        return self._rounded("floor", span, opening, inner, closing, scripts)

    def _ceil(
        self, span: Span, opening: Token, inner: Value, closing: Token, *scripts: Script
    ) -> Expression:
        return self._rounded("ceil", span, opening, inner, closing, scripts)

    def _rounded(
        self,
        function: Literal["floor", "ceil"],
        span: Span,
        opening: Token,
        inner: Value,
        closing: Token,
        scripts: Sequence[Script],
    ) -> Expression:
        operand = self._value(inner)
        of_indices = self.subscripts > 0 or self.index_text.covers(opening.end, closing.start)
        quotient = rounded(function, operand, span, self.vocabulary) if of_indices else None
        if quotient is None:
            quotient = Application(Name(function, self._at(opening)), (operand,), span)
        return self._raised(quotient, scripts)

    def _indicator(self, span: Span, _word: Token, holder: Script | List) -> Expression:
        conditions = [self._condition(item) for item in holder.items]
        return ast.Bracket(
            reduce(lambda a, b: ast.Logical("and", a, b, a.span.to(b.span)), conditions), span
        )

    def _cases(self, span: Span, *symbols: Value) -> Expression:
        scripts = [s for s in symbols if isinstance(s, Script)]
        return self._raised(choice([s for s in symbols if isinstance(s, Row)], span), scripts)

    def _row(self, span: Span, value: Value, *rest: Value) -> Row:
        stated = [item for item in rest if not isinstance(item, Token)]
        condition = self._condition(stated[0]) if stated else None
        return Row(self._value(value), condition, span)

    def _absolute(self, span: Span, _left: Token, inner: Value, _right: Token) -> Expression:
        return Application(Name("abs", span), (self._value(inner),), span)

    def _braced(self, span: Span, _opening: Token, inner: Value, _closing: Token) -> Value:
        return inner

    def _group(self, span: Span, _opening: Token, inner: Value, _closing: Token) -> Value:
        return inner

    def _bracket(self, span: Span, opening: Token, items: Value, _closing: Token) -> List:
        return List(items, opening.type == "LSQB", span)

    def _subscript(
        self, span: Span, _sign: Token, _opening: Token, items: Value, _closing: Token
    ) -> Script:
        self.subscripts -= 1
        return Script("SUB", items, span)

    def _superscript(
        self, span: Span, _sign: Token, _opening: Token, item: Value, _closing: Token
    ) -> Script:
        return Script("SUP", (self._value(item),), span)

    def _raised(self, base: Expression, scripts: Sequence[Value]) -> Expression:
        """`base` to the power of its scripts; a second power or a subscript is an error."""
        if any(isinstance(s, Token) or s.kind == "SUB" for s in scripts):
            script = next(s for s in scripts if isinstance(s, Token) or s.kind == "SUB")
            place = self._at(script) if isinstance(script, Token) else script.span
            raise SyntaxError(
                place,
                f"`{place.text}` stands on something that is no name",
                fix="only names have subscripts and primes: write them inside the brackets, or name the part in a statement of its own",
            )
        power = self._one(scripts, "SUP")
        if power is None:
            return base
        return Binary("**", base, cast(Expression, power.items[0]), base.span.to(power.span))

    def _one(self, scripts: Sequence[Value], kind: str) -> Script | None:
        found = [s for s in scripts if isinstance(s, Script) and s.kind == kind]
        if len(found) > 1:
            name = "subscripts" if kind == "SUB" else "superscripts"
            raise SyntaxError(
                found[1].span,
                f"two {name} stand on one symbol",
                fix="put them in one, `x_{i,j}`, or use brackets",
            )
        return found[0] if found else None

    def _refuse_primes(self, scripts: Sequence[Value]) -> None:
        self._raised(Number("0", self._span(0, 0)), [s for s in scripts if isinstance(s, Token)])

    # ---------------------------------------------------------------- conditions

    def _conditions(self, span: Span, *listed: Value) -> tuple[Expression | Condition, ...]:
        return tuple(self._unwrapped(item) for item in listed[::2])

    def _chain(self, span: Span, *parts: Value) -> Condition:
        relations: Any = tuple("==" if t.type == "EQ" else t.value for t in parts[1::2])
        return ast.Comparison(tuple(self._value(p) for p in parts[::2]), relations, span)

    def _either(self, span: Span, left: Value, _or: Token, right: Value) -> Condition:
        return ast.Logical("or", self._condition(left), self._condition(right), span)

    def _both(self, span: Span, left: Value, _and: Token, right: Value) -> Condition:
        return ast.Logical("and", self._condition(left), self._condition(right), span)

    def _negated(self, span: Span, _not: Token, operand: Value) -> Condition:
        return ast.Not(self._condition(operand), span)

    # ---------------------------------------------------------------- what is wanted

    def _unwrapped(self, item: Value) -> Expression | Condition:
        """What brackets around one thing hold: a condition in square ones is the number 1 or 0."""
        if not isinstance(item, List):
            return cast("Expression | Condition", item)
        if len(item.items) != 1:
            raise SyntaxError(
                item.span,
                f"`{item.span.text}` is a list, but what stands before it is no function that tadc knows",
                fix=r"functions are `\max(a, b)`, `\exp(x)`, `\operatorname{pow}(a, b)`; tensors have subscripts, `k_{ij}`",
            )
        inside = item.items[0]
        if isinstance(inside, Condition) and item.is_square:
            return ast.Bracket(inside, item.span)
        return inside

    def _value(self, item: Value) -> Expression:
        result = self._unwrapped(item)
        if isinstance(result, Condition):
            raise SyntaxError(
                result.span,
                "a condition stands where a number is expected",
                fix=r"write `\mathbf{1}[i = j]` for 1 or 0, or `\begin{cases}`",
            )
        return result

    def _condition(self, item: Value) -> Condition:
        result = self._unwrapped(item)
        if isinstance(result, ast.Bracket):
            return result.condition
        if isinstance(result, Condition):
            return result
        raise SyntaxError(
            result.span,
            "a number stands where a condition is expected",
            fix=r"compare it with something: `i = j`, `x_i > 0`",
        )


def _left_names(tokens: Sequence[Token]) -> list[str]:
    names = []
    for token in tokens[1:]:
        if token.type in ("RBRACE", "EQ", "DEF", "IN"):
            break
        if token.type == "NAME":
            names.append(token.value)
    return names


def _bind_minus(tree: Formula) -> None:
    """A leading minus belongs to the first factor, as in `.idx`: `-i \\bmod 3` is `(-i) % 3`."""
    minus, term = tree.children
    parent, first = tree, term
    while isinstance(first, Tree) and first.data in ("product", "juxtaposed"):
        parent, first = first, first.children[0]
    if parent is not tree:
        parent.children[0] = Tree("negative", [minus, first])
        tree.data, tree.children = "bound_minus", [term]


def _is_minus_one(exponent: Expression | Condition) -> bool:
    return (
        isinstance(exponent, ast.Unary)
        and isinstance(exponent.operand, Number)
        and exponent.operand.text == "1"
    )


def _limit(entry: Any, at: Any) -> Limit:
    """An entry of the limits, seen before its expressions are built."""
    chain = isinstance(entry, Tree) and entry.data == "chain"
    operands = entry.children[::2] if chain else [entry]
    relations = (
        tuple("==" if t.type == "EQ" else t.value for t in entry.children[1::2]) if chain else ()
    )
    names: list[Name] = []
    todo = [entry]
    while todo:
        part = todo.pop()
        if not isinstance(part, Tree):
            continue
        if (name := _lone_name(part)) is not None:
            names.append(Name(name.value, at(name)))
        else:
            todo.extend(reversed(part.children))
    ends = tuple(None if (n := _lone_name(operand)) is None else n.value for operand in operands)
    return Limit(relations, ends, tuple(names))


def _lone_name(part: Any) -> Token | None:
    if isinstance(part, Tree) and part.data == "element" and len(part.children) == 1:
        return cast(Token, part.children[0])
    return None
