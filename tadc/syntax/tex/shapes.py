r"""Shapes that a document declares, `x_i \in \mathbb{R}^{D}`: those that count, of what, and their sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from lark import UnexpectedToken

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.reader import tree
from tadc.syntax.tex.real_numbers import COMPLEX
from tadc.syntax.tex.script_tokens import bound_names, scripted
from tadc.syntax.tex.statement import Statement

__all__ = [
    "about",
    "extents_of",
    "is_plain",
    "of_rows",
    "place_of_in",
    "rank_of",
    "refuse_complex",
    "sizes_of",
]


def about(shapes: Iterable[Statement], used: Set[str], declared: Set[str]) -> list[Statement]:
    """The shapes that are of the names `used`, each said once; none of a labelled name, `M_k`, that a line has `declared`."""
    result: dict[tuple[str, ...], Statement] = {}
    for shape in shapes:
        names = [t for t in shape.tokens[: place_of_in(shape)] if t.type == "NAME"]
        rest = shape.tokens[place_of_in(shape) :]
        for name in names:
            if name.note == "compound" and name.value in declared:
                continue
            bases = {name.value.split("_")[0], name.value.rpartition("_")[0]}
            if name.value in used or (name.note == "compound" and bases & used):
                key = (name.value, *(token.value for token in rest))
                result.setdefault(key, Statement("shape", (name, *rest)))
    return list(result.values())


def of_rows(
    shapes: Sequence[Statement], definitions: Sequence[Statement], functions: Sequence[Statement]
) -> tuple[list[Statement], dict[str, int], list[Statement]]:
    r"""The shapes of what stands at indices, `x_i \in \mathbb{R}^{D}`, as those of `x`; the number of dimensions of each such
    tensor; and the other shapes. The indices of `functions` may be those of the definitions that apply them.
    """
    bound = {name for d in definitions for name in bound_names(d.tokens)}
    names = _at_indices(definitions, set()) | _at_indices(functions, bound)
    names |= {name.removesuffix("_prime") for name in names}  # which may be a transpose
    rows, others = [], []
    ranks: dict[str, int] = {}
    for shape in shapes:
        first = shape.tokens[0]
        base, _, index = first.value.rpartition("_")
        if first.note == "compound" and base in names and not index.isdigit():
            named = replace(first, value=base, note="")
            rows.append(replace(shape, tokens=(named, *shape.tokens[1:])))
            ranks[base] = 1 + index.count(",") + rank_of(shape)
        else:
            others.append(shape)
    return rows, ranks, others


def _at_indices(definitions: Sequence[Statement], others: Set[str]) -> set[str]:
    """The names with an index below them, or in brackets above; `others` are indices of what stands around."""
    found: set[str] = set()
    for d in definitions:
        bound = bound_names(d.tokens) | others
        for kind in ("SUB", "SUP"):
            for name, _, inner in scripted(d.tokens, kind):
                is_above = [t.type for t in inner] == ["LPAR", "NAME", "RPAR"]
                if (kind == "SUB" or is_above) and any(t.value in bound for t in inner):
                    found.add(name.value)
    return found


def sizes_of(
    text: Expansion, items: Sequence[ast.Item], shapes: Sequence[Statement]
) -> list[ast.SizeDeclaration]:
    r"""The names in shapes that no line declares: `n` of `x \in \mathbb{R}^{2 n}`."""
    known = {item.name.name for item in items if isinstance(item, ast.SizeDeclaration)}
    sizes: dict[str, ast.SizeDeclaration] = {}
    for shape in shapes:
        for token in shape.tokens[place_of_in(shape) :]:
            if token.type == "NAME" and token.value not in known:
                span = text.span(token.start, token.end)
                size = ast.SizeDeclaration(ast.Name(token.value, span), None, span)
                sizes.setdefault(token.value, size)
    return list(sizes.values())


def is_plain(shape: Statement) -> bool:
    r"""Whether its extents can be read; prose may also say `\mathbb{R}^*`, which is no business of a program."""
    try:
        tree(shape.kind, shape.tokens)
    except UnexpectedToken:
        return False
    return all(token.type != "ERROR" for token in shape.tokens)


def refuse_complex(shapes: Iterable[Statement], text: Expansion) -> None:
    r"""Raise SyntaxError for the first shape in `\mathbb{C}`."""
    for shape in shapes:
        for token in shape.tokens:
            if token.type == "RR" and token.note == COMPLEX:
                raise SyntaxError(
                    text.span(shape.tokens[0].start, token.end),
                    "complex numbers are not there yet",
                    fix=r"give real and imaginary parts names of their own, each in `\mathbb{R}`; what is real is said to be in `\mathbb{R}`",
                )


def place_of_in(shape: Statement) -> int:
    return next(n for n, token in enumerate(shape.tokens) if token.type == "IN")


def rank_of(shape: Statement) -> int:
    """The number of extents of a shape."""
    return sum(t.type == "BY" for t in shape.tokens) + any(t.type == "SUP" for t in shape.tokens)


def extents_of(
    tensors: Iterable[ast.TensorDeclaration], shapes: Iterable[Statement]
) -> dict[str, list[str]]:
    """The text of each extent of the tensors that lines and shapes declare."""
    found = {s.tokens[0].value: _extents(s) for s in shapes}
    for t in tensors:
        found[t.name.name] = [e.span.text for e in t.extents or ()]
    return found


def _extents(shape: Statement) -> list[str]:
    listed: list[list[str]] = [[]]
    for token in shape.tokens[place_of_in(shape) + 2 :]:
        if token.type == "BY":
            listed.append([])
        elif token.type not in ("SUP", "LBRACE", "RBRACE"):
            listed[-1].append(token.value)
    return ["".join(extent) for extent in listed if extent]
