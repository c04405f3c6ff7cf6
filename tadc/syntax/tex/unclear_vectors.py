r"""Letters beside vectors and matrices that may be either numbers or vectors, which are errors that say what declares them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from tadc.errors import Span, SyntaxError, counted
from tadc.syntax.ast import Binary, Definition, Element, Expression, Name
from tadc.syntax.nodes import Node, key, nodes
from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.known_tensors import Known
from tadc.syntax.tex.vector_values import Value, declaration

__all__ = [
    "beside_elements",
    "is_bare_product",
    "last_factor",
    "refuse_element",
    "refuse_numbered",
    "refuse_starred",
    "refuse_undeclared",
    "refuse_unknown",
    "unclear_factors",
]


def refuse_undeclared(known: Known, definition: Definition) -> None:
    """Raise for a vector whose only sign is that its name has more subscripts elsewhere: `e_i^2 e`."""
    for node in nodes((definition.body,)):
        named = node if isinstance(node, Name) else getattr(node, "name", None)
        count = len(node.subscripts) if isinstance(node, Element) else 0
        if not isinstance(named, Name) or named.name not in known.undeclared - known.indices:
            continue
        rank = known.ranks[named.name]
        if count < rank:
            extents = ("N", "M", "K", "L", "P")[:rank]
            number = "" if count else beside_elements(definition.body, named.name)
            shape = r" \times ".join(extents[count:])
            raise SyntaxError(
                node.span,
                f"`{named.span.text}` has {counted(rank, 'subscript')} elsewhere, and {count} here",
                fix="write all its subscripts, or declare what is a vector: "
                rf"`${named.span.text} \in \mathbb{{R}}^{{{shape}}}$` in the prose, or `%!tadc input {named.name}[{', '.join(extents)}]`{number}",
            )


def beside_elements(body: Expression, name: str) -> str:
    """What declares a number beside the elements of the same letter, as the end of a remedy; nothing where these have no letters below."""
    elements = (n for n in nodes((body,)) if isinstance(n, Element) and n.name.name == name)
    read = next(elements, None)
    below = () if read is None else read.subscripts
    letters = [s.name for s in below if isinstance(s, Name)]
    if not letters or len(letters) < len(below):
        return ""
    extents = ", ".join(("N", "M", "K", "L", "P")[: len(letters)])
    lines = f"{name}[], {name}_{''.join(letters)}[{extents}]"
    return f"; for a number beside its elements `%!tadc input {lines}`"


def refuse_unknown(known: Known, e: Expression, place: str, kind: str) -> None:
    """Raise for a letter beside a matrix or vector that nothing in the document is said of: a number, or what is usual there?"""
    if not isinstance(e, Name) or e.name in known.ranks or e.name in known.indices:
        return
    if e.name in ("pi", "inf", "nan"):
        return
    if any(key(e) in extents for extents in known.extents.values()):
        return  # a size
    raise SyntaxError(
        e.span,
        f"`{_shown(e)}` {place} may be {kind} or a number, and nothing declares it",
        fix=f"{_declared_as(e, kind)}; or the number: `%!tadc input {e.name}[]`",
    )


def refuse_starred(known: Known, e: Expression) -> None:
    r"""Raise for the `x^*` of a vector `x` that nothing declares: its transpose, as in `x^* A x`, or a vector of its own, the optimum?"""
    if not isinstance(e, Name) or not e.name.endswith("_star") or e.name in known.ranks:
        return
    base = e.name.removesuffix("_star")
    if not known.ranks.get(base):
        return
    printed: dict[object, str] = dict(known.printed.items())
    extents = ", ".join(printed.get(k, "D") for k in known.extents.get(base, ())) or "D"
    raise SyntaxError(
        e.span,
        f"`{_shown(e)}` may be the transpose of `{base}`, or a tensor of its own that nothing declares",
        fix=rf"write `{as_printed(base)}^\top` for the transpose; else declare it, `%!tadc input {e.name}[{extents}]`",
    )


def refuse_element(known: Known, e: Expression, place: str, extent: Sequence[object]) -> None:
    """Raise for the `x_j` of `W x_j` and `x_j W` that nothing declares: an element, or a vector at each `j`? `extent` is that of the matrix."""
    if not isinstance(e, Element) or e.name.name not in known.undeclared:
        return
    name, shown = e.name.name, e.span.text
    extents = ("N", "M", "K", "L")[: len(e.subscripts)]
    last = next((known.printed[n] for n in extent if n in known.printed), "D")
    listed, longer = ", ".join(extents), ", ".join((*extents, last))
    raise SyntaxError(
        e.span,
        f"`{shown}` {place} a matrix may be a vector or a number, and nothing declares it",
        fix=rf"declare its shape: `%!tadc input {name}[{longer}]`, or `${shown} \in \mathbb{{R}}^{{{last}}}$` in the prose;"
        f" or the numbers: `%!tadc input {name}[{listed}]`",
    )


def refuse_numbered(known: Known, e: Node, value: Value, other: Value) -> None:
    r"""Raise for the `\mathbf{S}_i` of `\mathbf{S}_i \cdot \mathbf{h}` as a number in front of a vector."""
    if not isinstance(e, Element) or e.name.name not in known.numbered:
        return
    if value.rank == 0 and other.rank == 1:
        raise SyntaxError(
            e.span,
            f"`{e.span.text}` beside a vector may be a vector or a number, and nothing declares it",
            fix=declaration(e),
        )


def unclear_factors(span: Span) -> SyntaxError:
    return SyntaxError(
        span,
        r"`A \odot B C` may be `(A \odot B) C` or `A \odot (B C)`",
        fix="put brackets around what belongs together",
    )


def is_bare_product(e: Node) -> TypeGuard[Binary]:
    """Whether it is a product that stands in no brackets."""
    text, start = e.span.source.text, e.span.start
    is_product = isinstance(e, Binary) and e.operator == "*"
    return is_product and not text[max(start - 20, 0) : start].rstrip().endswith(("(", "["))


def last_factor(e: Expression) -> Expression:
    """What stands next to what multiplies it from the right."""
    while isinstance(e, Binary) and e.operator == "*":
        e = e.right
    return e


def _declared_as(e: Name, kind: str) -> str:
    """What declares the letter as a vector or a matrix."""
    if kind == "a vector":
        return declaration(e)
    return rf"declare its shape: `%!tadc input {e.name}[N, D]`, or `${_shown(e)} \in \mathbb{{R}}^{{N \times D}}$` in the prose"


def _shown(e: Name) -> str:
    r"""What is printed; of `\bm{W_f}` without its last brace the name."""
    text = e.span.text
    return text if len(text) <= 20 and text.count("{") == text.count("}") else e.name
