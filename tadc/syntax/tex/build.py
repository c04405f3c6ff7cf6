r"""From the tree of `grammar/tex.lark` to the syntax tree.

One walk with a stack of its own, operands first: formulas may be deep. Each rule has a method that is given the span of its
text and what its symbols gave, as the grammar shows them. Values needed before the operands are in `_enter`: the names
that a reduction binds, whether a subscript is around, and the forms that may be read in two ways and so are errors.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from lark import Tree

from tadc.errors import Span, SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Application, Binary, Condition, Expression, Name, Number
from tadc.syntax.nodes import nodes
from tadc.syntax.tex import time_steps
from tadc.syntax.tex.cases import Row, choice
from tadc.syntax.tex.commands import GATED, INVERSES
from tadc.syntax.tex.factorials import binomial, logarithm_of_factorial
from tadc.syntax.tex.limits import Limit, Limits, limits, read_limits
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.parts import (
    Part,
    Script,
    Several,
    conjunction,
    number,
    raised,
    scientific,
    script_of,
    truth,
    unwrapped,
)
from tadc.syntax.tex.quotients import IndexText, rounded
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.trees import (
    Formula,
    bind_minus,
    entries_of_limits,
    has_high,
    refuse_factors_behind,
    refuse_unclear,
)
from tadc.syntax.tex.vocabulary import Vocabulary

__all__ = ["Build"]


class Target(NamedTuple):
    """A left side. `arguments` is None where there is no list."""

    name: Name
    lefts: tuple[ast.Range, ...]
    arguments: tuple[Name, ...] | None


_Printed: TypeAlias = tuple[tuple[tuple[str, ...], tuple[str | None, ...]], ...]


class _Exit(NamedTuple):
    tree: Formula


class Build:
    """The walk over one statement of `source`; `tokens` are its tokens as they were parsed."""

    def __init__(self, source: Expansion, vocabulary: Vocabulary, tokens: Sequence[Token]) -> None:
        self.source = source
        self.vocabulary = vocabulary
        self.index_text = IndexText(tokens, vocabulary)
        self.bound: Counter[str] = Counter(_left_names(tokens))
        self.reductions: list[Limits] = []  # those around the walk's place
        self.alike: defaultdict[_Printed, list[Limits]] = defaultdict(list)  # by what they print
        self.subscripts = 0  # how many subscripts are around it

    def __call__(self, root: Formula) -> Part:
        values: list[tuple[Part, int, int]] = []  # with first and last character
        todo: list[Formula | Token | _Exit] = [root]
        while todo:
            part = todo.pop()
            if isinstance(part, Tree):
                self._enter(part)
                todo.append(_Exit(part))
                todo.extend(reversed(part.children))
            elif isinstance(part, Token):
                values.append((part, part.start, part.end))
            else:
                count = len(part.tree.children)
                operands = values[-count:]
                del values[-count:]
                start, end = operands[0][1], operands[-1][2]
                method = getattr(self, f"_{part.tree.data}")
                value = method(self.source.span(start, end), *[v for v, _, _ in operands])
                values.append((value, start, end))
        return values[0][0]

    def number(self, root: Formula) -> Expression:
        """The tree of an expression, alone or in brackets."""
        return number(self(root))

    def _enter(self, tree: Formula) -> None:
        match str(tree.data):
            case "negative":
                bind_minus(tree)
            case "juxtaposed" | "product" | "binary":
                refuse_unclear(self.source, tree)
            case "subscript":
                self.subscripts += 1
            case "reduction":
                self._enter_reduction(tree)

    def _enter_reduction(self, tree: Formula) -> None:
        if self.subscripts:
            raise SyntaxError(
                self._at(cast(Token, tree.children[0])),
                "a reduction stands in a subscript or in limits",
                fix="subscripts and bounds are made of indices, sizes and integers",
            )
        entries = entries_of_limits(self.source, tree)
        alike = self.alike[_printed(entries)]
        again = {  # of `\sum_{i<j} a_{ij} \sum_{i<j} b_{ij}`, in which the inner one has its own
            name.name for around in alike[-1:] for name in around.names
        }
        read = read_limits(
            entries,
            has_high=has_high(tree),
            is_bound=lambda name: (
                (self.bound[name] > 0 and name not in again) or name in self.vocabulary.sizes
            ),
            is_subscript=lambda name: name in self.index_text.subscripts,
        )
        refuse_factors_behind(self.source, tree, {name.name for name in read.names})
        self.reductions.append(read)
        alike.append(read)
        self.bound.update(name.name for name in read.names)

    def _at(self, token: Token) -> Span:
        return self.source.span(token.start, token.end)

    def _named(self, token: Token) -> Name:
        return Name(token.value, self._at(token))

    # ---------------------------------------------------------------- statements

    def _definition(self, span: Span, target: Target, _equal: Token, body: Part) -> ast.Item:
        name, lefts, arguments = target
        return ast.Definition(name, lefts, None, arguments, number(body), span)

    def _target(self, span: Span, name: Token, *rest: Part) -> Target:
        lefts: list[ast.Range] = []
        for left in rest[0].items if rest and isinstance(rest[0], Script) else ():
            if isinstance(left, Application) and left.function.name == "\\given":
                raise SyntaxError(
                    left.span,
                    "the order of the dimensions of a conditional is not told by the document",
                    fix="write `p_{ij}` or `p_{ji}` for `p_{j|i}`",
                )
            if not isinstance(left, Name):
                raise SyntaxError(
                    left.span,
                    f"`{left.span.text}` is not a bare index, but on the left side only these stand",
                    fix=_moved(name.value, left, len(rest[0].items) - 1),
                )
            lefts.append(ast.Range(left, left.span))
        listed = [token for token in rest if isinstance(token, Token)]
        arguments = tuple(self._named(token) for token in listed if token.type == "NAME")
        return Target(self._named(name), tuple(lefts), arguments if listed else None)

    def _shape(self, span: Span, *symbols: Part) -> list[ast.Item]:
        names = [s for s in symbols if isinstance(s, Token) and s.type == "NAME"]
        (numbers,) = [s for s in symbols if isinstance(s, Token) and s.type == "RR"]
        dtype = self._named(numbers) if numbers.note == "typewriter" else None
        extents = tuple(number(s) for s in symbols if not isinstance(s, Token))
        return [ast.TensorDeclaration("shape", self._named(n), extents, dtype, span) for n in names]

    # ---------------------------------------------------------------- sums and products

    def _binary(self, span: Span, left: Part, sign: Token, right: Part) -> Expression:
        return Binary("+" if sign.type == "PLUS" else "-", number(left), number(right), span)

    def _negative(self, span: Span, _minus: Token, operand: Part) -> Expression:
        return ast.Unary(number(operand), span)

    def _bound_minus(self, span: Span, term: Part) -> Part:
        return term

    def _juxtaposed(self, span: Span, left: Part, right: Part) -> Expression:
        return Binary("*", number(left), number(right), span)

    def _product(self, span: Span, left: Part, sign: Token, right: Part) -> Expression:
        operator: Literal["*", "/", "%"] = "*"
        if sign.value.removeprefix("\\") in GATED:
            return Application(Name("gate", self._at(sign)), (number(left), number(right)), span)
        if sign.type in ("SLASH", "BMOD"):
            operator = "/" if sign.type == "SLASH" else "%"
        elif (
            sign.type == "CDOT" and not self.subscripts and (whole := scientific(left, right, span))
        ):
            return whole
        elif not self.subscripts and sign.value in _SIGNS_OF_VECTORS:
            command = Name(_SIGNS_OF_VECTORS[sign.value], self._at(sign))
            return Application(command, (number(left), number(right)), span)
        return Binary(operator, number(left), number(right), span)

    def _reduction(self, span: Span, word: Token, *rest: Part) -> Expression:
        *scripts, body = rest
        read = self.reductions.pop()
        self.alike[_printed(read.entries)].pop()
        self.bound.subtract(name.name for name in read.names)
        below, above = script_of(scripts, "SUB"), script_of(scripts, "SUP")
        if below is None:
            raise SyntaxError(
                self._at(word),
                f"`{word.value}` does not say over which index",
                fix=r"write it below: `\sum_{k}`, `\max_k`",
            )
        raised(body, [script for script in scripts if script.kind == "PRIME"])
        high = None if above is None else number(above.items[0])
        ranges, condition = limits(read, below.items, high, below.span)
        return ast.Reduction(self._named(word), ranges, condition, number(body), span)

    # ---------------------------------------------------------------- functions

    def _call(self, span: Span, function: Token, *rest: Part) -> Expression:
        first = next(n for n, part in enumerate(rest) if not isinstance(part, Script))
        on_name, argument, behind = rest[:first], rest[first], rest[first + 1 :]
        of_argument = [
            script
            for script in behind
            if script.kind == "FACTORIAL" or not isinstance(argument, Several)
        ]
        if function.type == "FUNC" and of_argument:  # `\log |x|^2` and `\log (n-k)!`
            argument = Several((raised(number(argument), of_argument),), False, span)
            behind = tuple(script for script in behind if script not in of_argument)
        if function.value == "mod" and len(argument.items) == 2:
            over, under = map(number, argument.items)
            return raised(Binary("%", over, under, span), behind)
        is_of_values = function.value == "clamp" and len(argument.items) == 3
        if function.value == "clip" or is_of_values:
            return raised(_clipped(argument, self._at(function), span), behind)
        if function.type != "FUNC":
            return raised(Application(self._named(function), argument.items, span), behind)
        base, power = script_of(on_name, "SUB"), script_of(on_name, "SUP")
        name = self._named(function) if base is None else self._logarithm(function, base)
        if power is not None and _is_minus_one(power.items[0]):
            name, power = _inverse(name, power), None
        primes = [script for script in on_name if script.kind == "PRIME"]
        application = logarithm_of_factorial(Application(name, (number(argument),), span))
        return raised(application, [*([power] if power else []), *primes, *behind])

    def _logarithm(self, function: Token, base: Script) -> Name:
        digits = base.items[0].text if isinstance(base.items[0], Number) else ""
        if function.value == "log" and digits in ("2", "10"):
            return Name(f"log{digits}", self._at(function))
        raise SyntaxError(
            base.span,
            f"the function `{function.value}` takes no such subscript",
            fix=r"only `\log_2` and `\log_{10}` have one; else write `\frac{\log x}{\log b}`",
        )

    # ---------------------------------------------------------------- factors

    def _scripted(self, span: Span, base: Part, *scripts: Script) -> Part:
        if not scripts:
            return base
        below = script_of(scripts, "SUB")
        if below is None or not isinstance(base, Several) or len(base.items) != 1:
            return raised(number(base), scripts)
        command = Name("\\element", below.span)
        element = Application(command, (number(base), *below.items), base.span.to(below.span))
        return raised(element, [script for script in scripts if script is not below])

    def _norm(
        self, span: Span, opening: Token, inner: Part, _closing: Token, *scripts: Script
    ) -> Expression:
        below = script_of(scripts, "SUB")
        kind = "2" if below is None else _kind_of_norm(below)
        norm = Application(Name(f"\\norm{kind}", self._at(opening)), (number(inner),), span)
        return raised(norm, [script for script in scripts if script is not below])

    def _inner(
        self, span: Span, opening: Token, items: Part, _closing: Token, *scripts: Script
    ) -> Part:
        if len(items) != 2:
            raise SyntaxError(
                span,
                "what stands in angles is no inner product of two",
                fix=r"write `\langle x, y \rangle`; an average is a sum, `\frac{1}{N} \sum_i x_i`",
            )
        product = Application(Name("\\inner", self._at(opening)), tuple(map(number, items)), span)
        return raised(product, scripts)

    def _softmax(self, span: Span, word: Token, *rest: Part) -> Expression:
        place = next(n for n, part in enumerate(rest) if isinstance(part, Several))
        index = rest[0].items if place else ()
        arguments = (number(rest[place]), *map(number, index))
        application = Application(Name("\\softmax", self._at(word)), arguments, span)
        return raised(application, rest[place + 1 :])

    def _element(self, span: Span, token: Token, *scripts: Script) -> Expression:
        name = self._named(token)
        below, above = script_of(scripts, "SUB"), script_of(scripts, "SUP")
        if below is None and token.note == "euler":
            raised(name, scripts)
            power = Number("1", name.span) if above is None else number(above.items[0])
            return Application(Name("exp", name.span), (power,), span)
        if below is None:
            return raised(name, scripts)
        place = name.span.to(below.span)
        subscripts = tuple(number(item) for item in below.items)
        others = [script for script in scripts if script is not below]
        is_kronecker = len(subscripts) == 2 and "delta" not in self.vocabulary.declared
        if token.value == "delta" and is_kronecker:
            return raised(Application(name, subscripts, place), others)
        return raised(ast.Element(name, subscripts, place), others)

    def _number(self, span: Span, digits: Token, *scripts: Script) -> Expression:
        return raised(Number(digits.value, self._at(digits)), scripts)

    def _fraction(
        self, span: Span, _frac: Token, over: Part, under: Part, *scripts: Script
    ) -> Expression:
        return raised(Binary("/", number(over), number(under), span), scripts)

    def _binomial(
        self, span: Span, _binom: Token, over: Part, under: Part, *scripts: Script
    ) -> Expression:
        return raised(binomial(number(over), number(under), span), scripts)

    def _root(self, span: Span, sqrt: Token, *rest: Part) -> Expression:
        symbols = [s for s in rest if not isinstance(s, Token)]
        scripts = [s for s in symbols if isinstance(s, Script)]
        *degrees, radicand = [number(s) for s in symbols if not isinstance(s, Script)]
        digits = [d.text if isinstance(d, Number) else "" for d in degrees]
        if digits in ([], ["2"], ["3"]):
            function = Name("cbrt" if digits == ["3"] else "sqrt", self._at(sqrt))
            return raised(Application(function, (radicand,), span), scripts)
        (degree,) = degrees
        power = Binary("/", Number("1", degree.span), degree, degree.span)
        return raised(Binary("**", radicand, power, span), scripts)

    def _floor(self, span: Span, *symbols: Part) -> Expression:
        return self._rounded("floor", span, *symbols)

    def _ceil(self, span: Span, *symbols: Part) -> Expression:
        return self._rounded("ceil", span, *symbols)

    def _nearest(
        self, span: Span, opening: Token, inner: Part, _closing: Token, *scripts: Script
    ) -> Expression:
        return raised(
            Application(Name("round", self._at(opening)), (number(inner),), span), scripts
        )

    def _rounded(
        self,
        function: Literal["floor", "ceil"],
        span: Span,
        opening: Token,
        inner: Part,
        closing: Token,
        *scripts: Script,
    ) -> Expression:
        operand = number(inner)
        of_indices = self.subscripts > 0 or self.index_text.covers(opening.end, closing.start)
        quotient = rounded(function, operand, span, self.vocabulary) if of_indices else None
        whole = Application(Name(function, self._at(opening)), (operand,), span)
        return raised(quotient or whole, scripts)

    def _indicator(self, span: Span, _word: Token, holder: Script | Several) -> Expression:
        return ast.Bracket(conjunction([truth(item) for item in holder.items]), span)

    def _cases(self, span: Span, *symbols: Part) -> Expression:
        scripts = [s for s in symbols if isinstance(s, Script)]
        return raised(
            choice([s for s in symbols if isinstance(s, Row)], span, self.vocabulary.indices),
            scripts,
        )

    def _row(self, span: Span, value: Part, *rest: Part) -> Row:
        stated = [part for part in rest if not isinstance(part, Token)]
        return Row(number(value), truth(stated[0]) if stated else None, span)

    def _absolute(self, span: Span, opening: Token, inner: Part, _closing: Token) -> Expression:
        return Application(Name("abs", self._at(opening)), (number(inner),), span)

    def _braced(self, span: Span, _opening: Token, inner: Part, _closing: Token) -> Part:
        return inner

    def _group(self, span: Span, _opening: Token, inner: Part, _closing: Token) -> Part:
        return inner

    def _bracket(self, span: Span, opening: Token, items: Part, _closing: Token) -> Several:
        return Several(items, opening.type == "LSQB", span)

    # ---------------------------------------------------------------- scripts

    def _subscript(self, span: Span, _sign: Token, _open: Token, items: Part, _: Token) -> Script:
        self.subscripts -= 1
        return Script("SUB", items, span)

    def _superscript(self, span: Span, _sign: Token, _open: Token, item: Part, _: Token) -> Script:
        return Script("SUP", (number(item),), span)

    def _transpose(self, span: Span, *signs: Token) -> Script:
        is_dagger = any(sign.value == r"\dagger" for sign in signs)
        return Script("DAGGER" if is_dagger else "TOP", (), span)

    def _positive(self, span: Span, *_: Token) -> Script:
        return Script("PLUS", (), span)

    def _prime(self, span: Span, _sign: Token) -> Script:
        return Script("PRIME", (), span)

    def _factorial(self, span: Span, _sign: Token) -> Script:
        return Script("FACTORIAL", (), span)

    # ---------------------------------------------------------------- conditions

    def _conditions(self, span: Span, *listed: Part) -> tuple[Expression | Condition, ...]:
        items = tuple(unwrapped(item) for item in listed[::2])
        if any(token.type == "GIVEN" for token in listed[1::2]):
            return (Application(Name("\\given", span), items, span),)
        return items

    def _chain(self, span: Span, *parts: Part) -> Condition:
        relations: Any = tuple("==" if sign.type == "EQ" else sign.value for sign in parts[1::2])
        return ast.Comparison(tuple(number(part) for part in parts[::2]), relations, span)

    def _either(self, span: Span, left: Part, _or: Token, right: Part) -> Condition:
        return ast.Logical("or", truth(left), truth(right), span)

    def _both(self, span: Span, left: Part, _and: Token, right: Part) -> Condition:
        return ast.Logical("and", truth(left), truth(right), span)

    def _negated(self, span: Span, _not: Token, operand: Part) -> Condition:
        return ast.Not(truth(operand), span)


_SIGNS_OF_VECTORS = {
    "\\cdot": "\\cdot", "\\odot": "\\odot", "\\circ": "\\odot", "*": "\\ast", "\\ast": "\\ast",
}  # fmt: skip


def _moved(name: str, left: Expression | Condition, others: int) -> str:
    """What to write for a left side at `t + 1`, which is a step in time, or at another place than a bare index."""
    match left:
        case Binary("+", Name(letter), Number("1")) if letter.isupper():  # `s_{N+1} = s_1`
            return rf"write the boundary where it is read, `{name}_{{\operatorname{{wrap}}(i+1)}}` for a periodic one, and leave this out"
        case Binary("+", Name(letter), Number("1")):
            # States are told by their letter, `x^{(i)}_{t+1}` by x.
            own, _, label = name.rpartition("_")
            return time_steps.remedy(own if own and len(label) == 1 else name, letter, others)
        case Binary("*", Number("2"), Name(letter)) | Binary(
            _, Binary("*", Number("2"), Name(letter)), _
        ):
            return (
                rf"define the even and the odd places, `{name}_{{2{letter}}} = ..` and `{name}_{{2{letter}+1}} = ..`, in a document that"
                rf" counts from 0; or write one definition, `{name}_j = \begin{{cases}} .. & j \bmod 2 = 0 \\ .. & \text{{otherwise}} \end{{cases}}`"
            )
        case _:
            return "write the element at a bare index, and move the rest to the right side"


def _printed(entries: Sequence[Limit]) -> _Printed:
    """What limits say, without where they say it."""
    return tuple((e.relations, e.ends) for e in entries)


def _left_names(tokens: Sequence[Token]) -> list[str]:
    """The indices of the left side."""
    names: list[str] = []
    for token in tokens[1:] if len(tokens) > 1 and tokens[1].type == "SUB" else ():
        if token.type == "RBRACE":
            break
        if token.type == "NAME":
            names.append(token.value)
    return names


_NORMS = {"1": "1", "2": "2", "F": "F", "Fro": "F", "fro": "F", "inf": "inf"}


def _kind_of_norm(below: Script) -> str:
    """The kind of a norm by its subscript."""
    words = "".join(
        node.name if isinstance(node, Name) else node.text
        for node in nodes(below.items)
        if isinstance(node, (Name, Number))
    )
    if words not in _NORMS:
        raise SyntaxError(
            below.span,
            "this norm is not one that tadc knows",
            fix=r"norms are `\|x\|`, `\|x\|_1`, `\|x\|_2`, `\|x\|_\infty` and `\|A\|_F`; else write the sum",
        )
    return _NORMS[words]


def _clipped(arguments: Several, function: Span, span: Span) -> Expression:
    r"""`\operatorname{clip}(x, a, b)`: between `a` and `b`, and `b` where these cross, as of numpy."""
    if len(arguments.items) != 3:
        raise SyntaxError(
            span,
            "`clip` has three arguments",
            fix=r"write `\operatorname{clip}(x, a, b)`, with the least and the largest value",
        )
    x, low, high = map(number, arguments.items)
    above = Application(Name("max", function), (x, low), span)
    return Application(Name("min", function), (above, high), span)


def _is_minus_one(power: Expression | Condition) -> bool:
    match power:
        case ast.Unary(Number("1", _), _):
            return True
        case _:
            return False


def _inverse(function: Name, power: Script) -> Name:
    if function.name in INVERSES:
        return Name(INVERSES[function.name], function.span)
    raise SyntaxError(
        power.span,
        f"`{function.name}` has no inverse that tadc knows",
        fix=rf"write the power behind the brackets: `\{function.name}(x)^{{-1}}`",
    )
