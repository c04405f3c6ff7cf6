"""Hints for places where the grammar of LaTeX formulas stops: one row for each common mistake."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.errors import Span, SyntaxError
from tadc.syntax.tex.commands import words
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.token_list import ENDS_OPERAND, OPENERS, Token

__all__ = ["explained"]

_OPERATORS = words("PLUS CDOT SLASH BMOD THIN EQ DEF REL MINUS")
_CLOSER = {
    "LPAR": ")", "LSQB": "]", "LBRACE": "}", "LGROUP": "}", "BAR_L": "|", "NORM_L": r"\|", "ANGLE_L": r"\rangle",
    "FLOOR_L": r"\rfloor", "CEIL_L": r"\rceil",
    "CASES_B": r"\end{cases}",
}  # fmt: skip
_CLOSES = {
    "RPAR": "LPAR", "RSQB": "LSQB", "RBRACE": "LBRACE", "RGROUP": "LGROUP", "BAR_R": "BAR_L", "NORM_R": "NORM_L",
    "ANGLE_R": "ANGLE_L", "FLOOR_R": "FLOOR_L",
    "CEIL_R": "CEIL_L", "CASES_E": "CASES_B",
}  # fmt: skip


def explained(source: Expansion, tokens: Sequence[Token], place: int) -> SyntaxError:
    """The error for `tokens[place]`, which the grammar refused; `place` is the number of tokens at the end."""
    before = tokens[place - 1] if place else None
    opened = _innermost(tokens[:place])
    if place == len(tokens):
        if opened is not None:
            at = source.span(opened.start, opened.end)
            return _error(at, f"`{at.text}` is not closed", f"add `{_CLOSER[opened.type]}`")
        end = tokens[-1].end
        return _error(
            source.span(end, end),
            "the formula ends where something should follow",
            "write what follows, or remove the last sign",
        )
    token = tokens[place]
    at = source.span(token.start, token.end)
    fact, fix = _mistake(before, token, opened, at.text)
    return _error(at, fact, fix)


def _innermost(tokens: Sequence[Token]) -> Token | None:
    opened: list[Token] = []
    for token in tokens:
        if token.type in OPENERS:
            opened.append(token)
        elif token.type in _CLOSES and opened:
            opened.pop()
    return opened[-1] if opened else None


def _mistake(
    before: Token | None, token: Token, opened: Token | None, text: str
) -> tuple[str, str]:
    previous = before.type if before is not None else ""
    after_operand = previous in ENDS_OPERAND and (
        before is None or before.note not in ("FUNC", "RED")
    )
    match token.type:
        case "TOP":
            return (
                "a transpose stands where a power is expected",
                r"write it alone above what is transposed: `A^\top`",
            )
        case "NABLA" | "PARTIAL":
            return (
                "derivatives are not written in formulas",
                r"tadc derives the program itself; a display `\[ \frac{\partial f}{\partial x_i} \]` asks for it, with `f` in another one",
            )
        case "STAR":
            return (
                r"`\star` stands between numbers",
                r"write the sum that it stands for, or `\cdot` for a product",
            )
        case "APPROX":
            return (
                r"`\approx` stands inside a formula",
                "write it for `=` once, behind the left side",
            )
        case "PROPTO":
            return (
                r"`\propto` leaves a factor open",
                "write the equation with its factor, such as the sum that divides it",
            )
        case "CDOT" if previous == "LBRACE" and text in ("*", r"\ast"):
            return "`^*` is no power", r"give the name an accent instead: `\hat{x}`"
        case "MINUS" if previous in _OPERATORS:
            return "a sign follows an operator", r"put brackets around it: `a \cdot (-b)`"
        case "MINUS" if previous in ("FUNC", "CALLED"):
            return (
                "a sign follows a function without brackets",
                r"put brackets around it: `\exp(-x)`",
            )
        case "PLUS" if not after_operand:
            return "a number has no sign `+`", "remove the sign"
        case "EQ" | "DEF" if opened is None:
            return (
                "a chain of equations defines two things",
                "write one statement for each, `a = c` and `b = c`",
            )
        case "EQ" | "DEF" | "REL" if opened is not None and opened.type in (
            "LBRACE",
            "LGROUP",
            "BAR_L",
        ):
            return (
                "a relation stands where a number is expected",
                "conditions stand in limits, cases, and square brackets",
            )
        case "REL":
            return (
                "a relation stands outside brackets",
                r"write `\mathbf{1}[i < j]` for 1 or 0, or `\begin{cases}`",
            )
        case "IN":
            return "sets have no place in a formula", r"write limits, `\sum_{k=0}^{4}`"
        case "DOTS":
            return "dots stand for what the reader guesses", r"write a sum: `\sum_{k=0}^{N-1} a_k`"
        case "TEXT" | "IF" | "OTHERWISE" | "FORALL":
            return (
                f"the words `{token.value}` stand inside a formula",
                r"remove them, or write `\begin{cases}`",
            )
        case "SUB" | "SUP" if not after_operand:
            return f"`{text}` stands on nothing", "write the name before it"
        case "SLASH" | "BMOD" if after_operand:
            return (
                f"it is unclear what `{text}` divides",
                r"write `\frac{\log x}{y}` or `\log(x/y)`",
            )
        case "RED" | "FUNC" | "CALLED" if previous not in ("RED", "FUNC", "CALLED"):
            return f"`{token.value}` cannot stand here", "put brackets around it"
        case "COMMA":
            return "a comma separates nothing here", "remove it"
        case kind if kind in _CLOSES:
            if opened is None:
                return f"`{text}` closes nothing", "remove it, or open the bracket"
            if opened.type != _CLOSES[kind]:
                return (
                    f"`{text}` does not close the bracket that is open",
                    f"write `{_CLOSER[opened.type]}` first",
                )
            return (
                f"something is missing before `{text or 'this'}`",
                "write an index or a number there",
            )
        case _ if previous == "RED" and before is not None:
            return (
                f"`{before.value}` does not say over which index",
                r"write it below: `\sum_{k}`, `\max_k`",
            )
        case _ if previous in ("FUNC", "CALLED", "RED", "FRAC", "SQRT") and before is not None:
            return (
                f"`{before.value}` is not followed by its argument",
                r"write it in brackets, or its index: `\max_k`, `\operatorname{pad}(i)`",
            )
        case "AMP" | "ROW":
            return "a row of cases has too many parts", r"write `value & \text{if } condition \\`"
        case _:
            return (
                f"`{text or token.value}` cannot stand here",
                "put brackets around what belongs together",
            )


def _error(span: Span, fact: str, fix: str) -> SyntaxError:
    return SyntaxError(span, fact, fix=fix)
