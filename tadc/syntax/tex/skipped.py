"""What becomes of displays that define nothing: why each was skipped, and errors where it was needed."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.found import Found
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.proportions import unnormalized
from tadc.syntax.tex.requests import asked_derivative
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.sides import is_about_probabilities
from tadc.syntax.tex.statement import Statement, depths

__all__ = [
    "determining_equations",
    "nothing",
    "products",
    "told",
    "unread_equations",
    "without_factors",
]


def nothing(text: Expansion, skipped: Sequence[Statement]) -> SyntaxError:
    span = text.span(skipped[0].start, skipped[0].end) if skipped else text.span(0, 0)
    fix = r"write one with a left side such as `f_{ij}`: `\[ f_{ij} = \sum_k a_{ik} b_{kj} \]`"
    equation = next((s for s in skipped if 0 < s.equal < len(s.tokens)), None)
    if equation is not None:
        left = text.span(equation.start, equation.tokens[equation.equal - 1].end)
        span = left
        shown = f"`{left.text}`" if len(left.text) <= 40 else "what stands there"
        fix = (
            f"{shown} is no name and no element: give what is defined a name, `f = ..`, or a left side such as `f_{{ij}}`:"
            r" `\[ f_{ij} = \sum_k a_{ik} b_{kj} \]`"
        )
    first = skipped[0].tokens[0] if skipped else None
    if first is not None and first.type == "RED" and first.value in ("min", "max"):
        fix = r"give what is minimised a name: `f = ..`, without the `\min` over its arguments"
    return SyntaxError(span, "no display defines an element of a tensor", fix=fix)


def without_factors(
    text: Expansion,
    found: Found,
    skipped: Sequence[Statement],
    definitions: Sequence[Statement],
) -> list[SyntaxError]:
    """The errors of what a formula gives up to a factor, and another one reads."""
    known = {i.name.name for i in found.items if isinstance(i, ast.TensorDeclaration)}
    known |= {d.target for d in definitions}
    read = {t.value for d in definitions for t in d.right if t.type == "NAME"}
    parts = (s.tokens for s in (*skipped, *found.in_prose) if s.kind == "skipped")
    errors: dict[str, SyntaxError] = {}
    for name, token in unnormalized(parts, known):
        if name in read and name not in errors:
            span = text.span(token.start, token.end)
            errors[name] = SyntaxError(
                span,
                f"`{span.text}` is given up to a factor here, and another formula reads it",
                fix=f"write the equation with what divides it, or declare `{name}` as an input: `%!tadc input {name}[N]`",
            )
    return [*errors.values()]


def products(
    text: Expansion, skipped: Sequence[Statement], definitions: Sequence[Statement]
) -> list[SyntaxError]:
    r"""The errors of `\rho \mathbf{u} = \sum_i f_i \mathbf{c}_i` beside a definition of `\rho`: it defines the one name that nothing else has."""
    known = {t.value for d in definitions for t in d.tokens if t.type == "NAME"}
    errors = []
    for s in skipped:
        left = s.tokens[: s.equal]
        names = [t for t, depth in depths(left) if depth == 0 and t.type == "NAME"]
        is_product = len(names) > 1 and {t.type for t in left} <= _IN_PRODUCTS
        new = [t for t in names if t.value not in known]
        has_sum = any(t.type == "RED" for t in s.right)
        if is_product and has_sum and len(new) == 1 and len({t.value for t in names}) > 1:
            span = text.span(left[0].start, left[-1].end)
            shown = text.span(new[0].start, new[0].end).text
            errors.append(
                SyntaxError(
                    span,
                    f"`{span.text}` is a product, and a left side is a name or an element",
                    fix=rf"divide by the other factors, `{shown} = \frac{{1}}{{..}} ( .. )`, or give the product a name",
                )
            )
    return errors


def unread_equations(
    text: Expansion, skipped: Sequence[Statement], definitions: Sequence[Statement]
) -> list[SyntaxError]:
    r"""The errors of equations such as `\ln \frac{a}{b} + c = \sum_l \xi_l` that alone read what is defined: they are what the document is about."""
    defined = {d.target for d in definitions}
    read = {t.value for d in definitions for t in d.right if t.type == "NAME"}
    errors = []
    for s in skipped:
        is_equation = s.kind == "skipped" and 0 < s.equal < len(s.tokens) - 1
        is_equation = is_equation and s.tokens[0].type in _BEGIN_VALUES
        on_right = {t.value for t in s.right if t.type == "NAME"} & defined - read
        if is_equation and on_right and not {t.type for t in s.right} <= {"NAME", "NUM"}:
            span = text.span(s.start, s.tokens[s.equal - 1].end)
            errors.append(
                SyntaxError(
                    span,
                    f"`{span.text}` is no name, and its equation reads what others define",
                    fix="give what is defined a name, `f = ..`, or leave the equation out",
                )
            )
    return errors


def determining_equations(
    text: Expansion,
    declared: Set[str],
    skipped: Sequence[Statement],
    definitions: Sequence[Statement],
) -> list[SyntaxError]:
    r"""The errors of equations such as `\sqrt{p_i} = a_i + 1`, which tell the one name of their left side, where definitions read it: it would be an input."""
    known = declared | {d.target for d in definitions}
    read = {t.value for d in definitions for t in d.right if t.type == "NAME"}
    errors = []
    for s in skipped:
        left = s.tokens[: s.equal]
        is_equation = s.kind == "skipped" and 0 < s.equal < len(s.tokens) - 1
        if not is_equation or left[0].type not in _AROUND_ONE or {t.type for t in left} & _OTHERS:
            continue
        inside = {id(t) for kind in ("SUB", "SUP") for _, _, b in scripted(left, kind) for t in b}
        names = {t.value for t in left if t.type == "NAME" and id(t) not in inside}
        right = {t.value for t in s.right if t.type == "NAME"}
        if len(names) == 1 and right and names <= read - known - right:
            span = text.span(left[0].start, left[-1].end)
            (name,) = names
            errors.append(
                SyntaxError(
                    span,
                    f"this equation tells `{as_printed(name)}`, which another formula reads, and only a name or an element is defined",
                    fix=f"solve it, `{as_printed(name)} = ..`, or declare what is given: `%!tadc input {name}[N]`",
                )
            )
    return errors


_AROUND_ONE = frozenset(("FRAC", "FUNC", "NUM", "SQRT", "MINUS", "LPAR"))
_OTHERS = frozenset(("RED", "ERROR", "TEXT", "REL", "IN", "CASES_B"))
_BEGIN_VALUES = frozenset(("FRAC", "FUNC", "NUM", "LPAR", "LSQB", "SQRT", "MINUS"))
_IN_PRODUCTS = frozenset(("NAME", "SUB", "LBRACE", "RBRACE", "COMMA", "CDOT", "THIN"))


def told(text: Expansion, skipped: Sequence[Statement]) -> list[ast.Skipped]:
    """The skipped parts with their reasons."""
    told = []
    for s in skipped:
        reason = "it has no left side that is an element or a name"
        if s.kind == "definition":
            reason = "nothing reads the number that it defines"
        elif is_about_probabilities(replace(s, kind="definition")):
            reason = "it is about conditional probabilities, which are no tensors"
        elif asked_derivative(s.tokens) is not None:
            reason = "no display defines what it is a derivative of"
        elif s.equal == len(s.tokens):
            reason = "it defines nothing"
        told.append(ast.Skipped(text.span(s.start, s.end), reason))
    return told
