r"""Derivatives that a document asks for: `\[ \frac{\partial f}{\partial x_i} \]`, a left side without a right one.

\frac{\partial f}{\partial x_i}, \partial f / \partial x_i, \nabla_x f      the gradient of a number
\frac{\partial y_i}{\partial x_j}                                           the Jacobian
\frac{\partial^2 f}{\partial x_i \partial x_j}                              the Hessian
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal

from tadc.errors import Span, SyntaxError
from tadc.syntax import ast
from tadc.syntax.nodes import free_names, nodes
from tadc.syntax.tex.left_names import Variable, variable_at
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import Token

__all__ = ["Asked", "asked_derivative", "with_request"]

LONGEST = 60  # tokens


@dataclass(frozen=True, slots=True)
class Asked:
    r"""A derivative as it is printed: of what, by what, once or twice. `\nabla f` is by nothing that is named."""

    of: Variable
    by: tuple[Variable, ...]
    start: int
    end: int


def asked_derivative(tokens: Sequence[Token]) -> Asked | None:
    """The derivative that these tokens are, and nothing else."""
    if not tokens or len(tokens) > LONGEST:
        return None
    reader = _Reader(tokens)
    match tokens[0].type:
        case "FRAC":
            middle = reader.closing.get(1, 0)
            end = reader.closing.get(middle + 1, 0)
            if end != len(tokens) - 1:
                return None
            over, under = tokens[2:middle], tokens[middle + 2 : end]
        case "PARTIAL":
            slash = next((n for n, t in enumerate(tokens) if t.type == "SLASH"), 0)
            over, under = tokens[:slash], tokens[slash + 1 :]
        case "NABLA":
            return reader.nabla()
        case _:
            return None
    numerator, denominator = _Reader(over).differentials(), _Reader(under).differentials()
    if numerator is None or denominator is None or len(numerator) != 1:
        return None
    (of, order), by = numerator[0], tuple(v for v, n in denominator for _ in range(n))
    is_whole = len(by) == order and order in (1, 2)
    return Asked(of, by, tokens[0].start, tokens[-1].end) if is_whole else None


class _Reader:
    """The places of braces in some tokens, and the differentials that they are."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.closing = closing_braces(tokens)

    def nabla(self) -> Asked | None:
        place, by = 1, []
        end = self.closing.get(2, 0)
        if self.tokens[1:2] and self.tokens[1].type == "SUB" and end:
            named = variable_at(self.tokens[3:end], 0, closing_braces(self.tokens[3:end]))
            if named is None or named[1] != end - 3:
                return None
            by, place = [named[0]], end + 1
        of = variable_at(self.tokens, place, self.closing)
        if of is None or of[1] != len(self.tokens):
            return None
        return Asked(of[0], tuple(by), self.tokens[0].start, self.tokens[-1].end)

    def differentials(self) -> list[tuple[Variable, int]] | None:
        r"""The variables of `\partial^2 f` or of `\partial x_i \partial x_j`, and how often each is meant."""
        found: list[tuple[Variable, int]] = []
        place = 0
        while place < len(self.tokens):
            if self.tokens[place].type == "THIN":
                place += 1
                continue
            if self.tokens[place].type != "PARTIAL":
                return None
            order, place = self._order(place + 1)
            named = variable_at(self.tokens, place, self.closing)
            if named is None:
                return None
            variable, place = named
            behind, place = self._order(place)
            found.append((variable, max(order, behind)))
        return found or None

    def _order(self, place: int) -> tuple[int, int]:
        """The number above what ends before `place`, and the place behind it."""
        end = self.closing.get(place + 1, -1)
        if end != place + 3 or self.tokens[place].type != "SUP":
            return 1, place
        above = self.tokens[place + 2]
        return (int(above.value) if above.value in ("1", "2") else 0), end + 1


# ---------------------------------------------------------------------- what it asks for


def with_request(program: ast.Program, asked: Sequence[tuple[Asked, Span]]) -> ast.Program:
    """The program, and the derivative that displays ask for; its only output is what that is of.

    As it is where they are of nothing that the document defines. Raises SyntaxError where they ask for several things, for elements
    alone, or by what is no input.
    """
    ranks = {i.target.name: len(i.lefts) for i in program.items if isinstance(i, ast.Definition)}
    request = _requested(asked, ranks, _inputs(program, ranks.keys()))
    if request is None:
        return program
    output = ast.OutputDeclaration((ast.Name(request.of, request.span),), request.span)
    items = [i for i in program.items if not isinstance(i, ast.OutputDeclaration)]
    by = ", ".join(f"`{name}`" for name in request.wrt)
    words = {"gradient": "the gradient", "jacobian": "the Jacobian", "hessian": "the Hessian"}
    text = f"the document asks for {words[request.mode]} of `{request.of}` by {by}"
    places = {r.start for _, r in asked}
    kept = [n for n, span in enumerate(program.skipped) if span.start not in places]
    return replace(
        program,
        items=(*items, output),
        notes=(*program.notes, ast.Note(request.span, text)),
        skipped=tuple(program.skipped[n] for n in kept),
        reasons=tuple(program.reasons[n] for n in kept),
        request=request,
    )


def _inputs(program: ast.Program, targets: Set[str]) -> list[str]:
    """The tensors that the definitions read and do not define, in order."""
    sizes = {i.name.name for i in program.items if isinstance(i, ast.SizeDeclaration)}
    found: dict[str, None] = {}
    for item in program.items:
        if isinstance(item, ast.TensorDeclaration):
            found.setdefault(item.name.name)
        if isinstance(item, ast.Definition):
            bound = {r.name.name for r in item.lefts}
            read = [n.name.name for n in nodes((item.body,)) if isinstance(n, ast.Element)]
            found |= dict.fromkeys([*read, *(n for n in free_names(item.body) if n not in bound)])
    return [n for n in found if n not in targets | sizes | {"pi", "inf", "nan"}]


def _requested(
    asked: Sequence[tuple[Asked, Span]], ranks: Mapping[str, int], inputs: Sequence[str]
) -> ast.Request | None:
    found = [(a, span, name) for a, span in asked if (name := _named(a.of, ranks)) is not None]
    if not found:
        return None
    requests = [_request(a, span, name, ranks[name], inputs) for a, span, name in found]
    first = requests[0]
    for other in requests[1:]:
        if (other.mode, other.of) != (first.mode, first.of) or first.mode != "gradient":
            raise SyntaxError(
                other.span,
                "the document asks for several derivatives, and a program is one",
                fix="put the other display into a file of its own; several gradients of one number may stand in one file",
            )
    wrt = tuple(dict.fromkeys(name for r in requests for name in r.wrt))
    return ast.Request(first.mode, first.of, wrt, first.span)


def _request(asked: Asked, span: Span, name: str, rank: int, inputs: Sequence[str]) -> ast.Request:
    by = [_input(v, span, inputs) for v in asked.by] or list(inputs)
    names = zip((asked.of, *asked.by), (name, *by), strict=False)
    letters = [t for v, named in names if named in (v.name, f"{v.name}_bf") for t in _letters(v)]
    if any(t.type == "NUM" for t in letters):
        raise SyntaxError(
            span,
            "this is the derivative by one element, and tadc gives that by all",
            fix=r"write an index, `\frac{\partial f}{\partial x_i}`",
        )
    values = [t.value for t in letters]
    is_square = len(asked.by) == 2 and asked.by[0] == asked.by[1] and bool(asked.by[0].subscripts)
    if is_square or (len(values) != len(set(values))):
        raise SyntaxError(
            span,
            "one index stands twice: this is the diagonal of the derivative, and tadc gives all of it",
            fix=r"write two indices, `\frac{\partial y_i}{\partial x_j}` or `\frac{\partial^2 f}{\partial x_i \partial x_j}`",
        )
    if len(asked.by) == 2 and (rank or by[0] != by[1]):
        raise SyntaxError(
            span,
            "second derivatives are of a number, by one input",
            fix=r"write `\frac{\partial^2 f}{\partial x_i \partial x_j}` of a number `f`",
        )
    mode: Literal["gradient", "jacobian", "hessian"] = "jacobian" if rank else "gradient"
    if mode == "jacobian" and len(by) > 1:
        raise SyntaxError(
            span,
            f"`{asked.of.name}` has dimensions, and its derivative is by one input",
            fix=r"name the input, `\frac{\partial y_i}{\partial x_j}`",
        )
    return ast.Request(
        "hessian" if len(asked.by) == 2 else mode, name, tuple(dict.fromkeys(by)), span
    )


def _input(variable: Variable, span: Span, inputs: Sequence[str]) -> str:
    name = _named(variable, inputs)
    if name is None:
        listed = ", ".join(f"`{x}`" for x in inputs)
        raise SyntaxError(
            span, f"`{variable.name}` is no input of the document", fix=f"the inputs are {listed}"
        )
    return name


def _named(variable: Variable, known: Set[str] | Sequence[str] | Mapping[str, int]) -> str | None:
    """The name among those that are known that is printed so: with what is below it, alone, or in bold."""
    label = "".join(t.value for t in variable.subscripts if t.type in ("NAME", "NUM"))
    wishes = (f"{variable.name}_{label}", variable.name, f"{variable.name}_bf")
    return next((w for w in wishes if w in known), None)


def _letters(variable: Variable) -> list[Token]:
    """The indices below a variable."""
    return [t for t in variable.subscripts if t.type in ("NAME", "NUM") and t.note != "upright"]
