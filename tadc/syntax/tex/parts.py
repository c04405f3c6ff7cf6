r"""Intermediate values of the LaTeX grammar that are no nodes yet: scripts, and the contents of brackets.

Brackets around one thing are transparent, except square ones around a condition, which are the number 1 or 0; brackets
around several are arguments. The functions here take the kind that is wanted, a number or a condition, and reject the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from tadc.errors import Span, SyntaxError
from tadc.syntax.ast import (
    Application,
    Binary,
    Bracket,
    Condition,
    Expression,
    Logical,
    Name,
    Number,
    Unary,
)
from tadc.syntax.tex.factorials import factorial

__all__ = [
    "Part",
    "Script",
    "Several",
    "conjunction",
    "number",
    "raised",
    "scientific",
    "script_of",
    "truth",
    "unwrapped",
]


class Script(NamedTuple):
    r"""`_{..}` or `^{..}` with its contents, a prime, the sign of a factorial, a transpose `^\top`, `^\dagger`, or the positive part `_+`."""

    kind: Literal["SUB", "SUP", "PRIME", "FACTORIAL", "TOP", "DAGGER", "PLUS"]
    items: tuple[Expression | Condition, ...]
    span: Span


class Several(NamedTuple):
    """The contents of round or square brackets: an expression, a condition, or arguments."""

    items: tuple[Expression | Condition, ...]
    is_square: bool
    span: Span


Part: TypeAlias = Any  # the value of a rule: a node, a token, or one of the two above


def unwrapped(part: Part) -> Expression | Condition:
    """The one thing in brackets."""
    if not isinstance(part, Several):
        return cast("Expression | Condition", part)
    if len(part.items) != 1:
        raise SyntaxError(
            part.span,
            f"`{part.span.text}` is a list, but what stands before it is no function that tadc knows",
            fix=r"functions are `\max(a, b)`, `\exp(x)`, `\operatorname{pow}(a, b)`; tensors have subscripts, `k_{ij}`",
        )
    content = part.items[0]
    if isinstance(content, Condition) and part.is_square:
        return Bracket(content, part.span)
    return content


def number(part: Part) -> Expression:
    """`part` where a number is wanted."""
    result = unwrapped(part)
    if isinstance(result, Condition):
        raise SyntaxError(
            result.span,
            "a condition stands where a number is expected",
            fix=r"write `\mathbf{1}[i = j]` for 1 or 0, or `\begin{cases}`",
        )
    return result


def truth(part: Part) -> Condition:
    """`part` where a condition is wanted."""
    result = unwrapped(part)
    if isinstance(result, Bracket):
        return result.condition
    if isinstance(result, Condition):
        return result
    raise SyntaxError(
        result.span,
        "a number stands where a condition is expected",
        fix="compare it with something: `i = j`, `x_i > 0`",
    )


def conjunction(conditions: Sequence[Condition]) -> Condition:
    """All of one or more conditions."""
    return reduce(lambda a, b: Logical("and", a, b, a.span.to(b.span)), conditions)


def script_of(scripts: Sequence[Script], kind: Literal["SUB", "SUP"]) -> Script | None:
    """The script of that kind; two are an error."""
    matching = [script for script in scripts if script.kind == kind]
    if len(matching) > 1:
        what = "subscripts" if kind == "SUB" else "superscripts"
        raise SyntaxError(
            matching[1].span,
            f"two {what} stand on one symbol",
            fix="put them in one, `x_{i,j}`, or use brackets",
        )
    return matching[0] if matching else None


def raised(base: Expression, scripts: Sequence[Script]) -> Expression:
    """`base` transposed, or to the power of its script; a subscript on anything but brackets, or a prime, is an error here."""
    factorials = [script for script in scripts if script.kind == "FACTORIAL"]
    if len(factorials) > 1:
        raise SyntaxError(
            factorials[0].span,
            "a double factorial has no sign of its own in tadc",
            fix=r"write the product, `\prod_{k=1}^{n} (2k - 1)`",
        )
    for script in scripts:
        match script.kind:
            case "FACTORIAL":
                base = factorial(base, base.span.to(script.span))
            case "TOP":
                base = Application(Name("\\top", script.span), (base,), base.span.to(script.span))
            case "DAGGER":
                command = Name("\\dagger", script.span)
                base = Application(command, (base,), base.span.to(script.span))
            case "PLUS":
                zero = Number("0", script.span)
                base = Application(
                    Name("max", script.span), (base, zero), base.span.to(script.span)
                )
        if script.kind in ("SUB", "PRIME"):
            raise SyntaxError(
                script.span,
                f"`{script.span.text}` stands on something that is no name",
                fix="only names have subscripts and primes: write them inside the brackets, or give this part a statement of its own",
            )
    power = script_of(scripts, "SUP")
    if power is None:
        return base
    return Binary("**", base, number(power.items[0]), base.span.to(power.span))


def scientific(left: Part, right: Part, span: Span) -> Expression | None:
    r"""`2.5 \cdot 10^{-3}` as the one number that it is written for; None for other products."""
    match left, right:
        case Unary(Number() as digits), _:
            positive = scientific(digits, right, span)
            return positive and Unary(positive, span)
        case Number(digits), Binary("**", Number("10"), Number(power)) if "." in digits:
            exponent = power
        case Number(digits), Binary("**", Number("10"), Unary(Number(power))):
            exponent = f"-{power}"
        case _:
            return None
    return Number(f"{digits}e{exponent}", span) if exponent.lstrip("-").isdigit() else None
