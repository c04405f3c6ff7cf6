"""Sums, products, quotients and powers of vectors and matrices."""

from __future__ import annotations

import re
from dataclasses import replace

from tadc.errors import Span, SyntaxError
from tadc.syntax.ast import Binary, Element, Expression, Name, Number
from tadc.syntax.nodes import key, nodes
from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.known_tensors import Known
from tadc.syntax.tex.unclear_vectors import beside_elements
from tadc.syntax.tex.vector_values import (
    ONE,
    Subscripts,
    Value,
    declaration,
    diagonal_matrix,
    extents_of_product,
    reduced,
    scalar_of,
    unequal,
    what,
)

__all__ = [
    "SQUARE",
    "declared_behind",
    "is_identity",
    "is_number",
    "power",
    "product",
    "quotient",
    "total",
]

SQUARE = "`{}` is a product: of a matrix with itself, or of a vector, the square of its norm, beside its elements"
ROW = "`{}` multiplies a row and a matrix: vectors are rows here"


def total(known: Known, e: Binary, left: Value, right: Value) -> Value:
    _refuse_beside_element(known, e.left, e.right, right)
    _refuse_beside_element(known, e.right, e.left, left)
    if is_number(known, e.left) and right.rank == 1:
        return replace(right, at=lambda i: replace(e, right=right.at(i)), span=e.span)
    if is_number(known, e.right) and left.rank == 1:
        return replace(left, at=lambda i: replace(e, left=left.at(i)), span=e.span)
    left, right = _added(known, e.left, left, right), _added(known, e.right, right, left)
    left, right = _beside_number(known, left, right), _beside_number(known, right, left)
    is_plain = left.is_plain or right.is_plain
    if left.rank != right.rank or (left.is_row != right.is_row and not is_plain):
        raise unequal(e.span, left, right, _declared_like(known, e, left, right))
    return Value(
        left.rank,
        lambda i: replace(e, left=left.at(i), right=right.at(i)),
        e.span,
        left.is_row or right.is_row,
        left.extents or right.extents,
        is_plain and (left.is_plain or not left.is_row) and (right.is_plain or not right.is_row),
    )


def _refuse_beside_element(known: Known, e: Expression, whole: Expression, vector: Value) -> None:
    r"""Raise for the `b` of `C_{ij} = A_{ij} - b`, a declared vector whose subscript is not written."""
    lefts = [n.name for n in known.lefts]
    has_left = isinstance(e, Element) and any(
        isinstance(s, Name) and s.name in lefts for s in e.subscripts
    )
    if not isinstance(whole, Name) or vector.rank != 1 or not has_left or not is_number(known, e):
        return
    elements = " or ".join(f"`{as_printed(whole.name, i)}`" for i in lefts)
    raise SyntaxError(
        vector.span,
        f"{what(vector)} is added to the number `{e.span.text}`, and its subscript is not written",
        fix=f"write which element is meant, {elements}; a number is declared, `%!tadc input {whole.name}[]`",
    )


def _added(known: Known, e: Expression, value: Value, other: Value) -> Value:
    r"""The value of one side; of the bold `\mathbf{b}` that nothing declares, beside a vector, a vector."""
    if value.rank or other.rank != 1 or not isinstance(e, Name) or e.name not in known.added:
        return value
    known.ranks[e.name] = 1
    known.guess("`{}` is a vector: it is bold, and added to one", e.span)
    return replace(other, at=lambda i: Element(e, i, e.span), span=e.span)


def _beside_number(known: Known, value: Value, other: Value) -> Value:
    r"""The value of one side; of the `q_i k_j^\top` beside a number, where vectors are rows, the inner product."""
    if value.inner is None or other.rank:
        return value
    known.guess("`{}` is an inner product beside a number: vectors are rows here", value.span)
    return value.inner


def _declared_like(known: Known, e: Binary, left: Value, right: Value) -> str:
    """The line that gives the side with fewer dimensions, a name or an element that nothing declares, those of the other."""
    few, other, side = (left, right, e.left) if left.rank < right.rank else (right, left, e.right)
    if other.is_row and not other.is_plain:
        return declared_behind(known, e.right if side is e.left else e.left)
    vector = e.right if side is e.left else e.left
    elements = {id(n.name) for n in nodes((vector,)) if isinstance(n, Element)}
    bare = (n for n in nodes((vector,)) if isinstance(n, Name) and id(n) not in elements)
    for whole in bare:
        if whole.name in known.undeclared and (number := beside_elements(e, whole.name)):
            return f"write the subscript of `{whole.span.text}` on both sides{number}"
    name = side.name if isinstance(side, Element) else side
    if few.rank or not isinstance(name, Name) or name.name in known.extents.keys() | known.indices:
        return ""
    before = ("N", "M", "K", "L")[: len(side.subscripts) if isinstance(side, Element) else 0]
    last = [known.printed[n] for n in other.extents if n in known.printed]
    last = last if len(last) == other.rank else ["D", "E"][: other.rank]
    return f"declare that both have the same dimensions, `%!tadc input {name.name}[{', '.join((*before, *last))}]`"


def declared_behind(known: Known, e: Expression) -> str:
    r"""The line that declares the `y_i` of `x^\top y_i`, the last factor behind a transpose, where nothing does; nothing for another factor."""
    while isinstance(e, Binary):
        e = e.right
    name = e.name if isinstance(e, Element) else e
    is_free = isinstance(name, Name) and name.name not in known.extents.keys() | known.indices
    return declaration(e, known.indices) if is_free else ""


def is_identity(known: Known, e: Expression) -> bool:
    r"""Whether it is `I`, `\lambda I_n` or `I / \sqrt{n}`, which nothing declares or defines: the identity beside a matrix."""
    match e:
        case Binary("/", over, under):
            return is_identity(known, over) and not _has_tensors(known, under)
        case Binary("*", Number(), unit):
            is_scaled = True
        case Binary("*", Name(n) | Binary("**", Name(n), Number()), unit):
            is_scaled = not known.ranks.get(n)
        case _:
            is_scaled, unit = True, e
    match unit:
        case Name("I"):
            is_unit = True
        case Name(n) if n.startswith("I_") and n not in known.extents:
            is_unit = _is_size(known, Name(n.removeprefix("I_"), unit.span))
        case Element(Name("I"), (Name() | Number() as size,)):
            is_unit = _is_size(known, size)
        case _:
            is_unit = False
    return is_scaled and is_unit and "I" not in known.extents.keys() | known.indices


def _is_size(known: Known, e: Name | Number) -> bool:
    """Whether it is an extent that the document declares, and no index here."""
    is_index = isinstance(e, Name) and e.name in known.indices
    return not is_index and any(key(e) in extents for extents in known.extents.values())


def _has_tensors(known: Known, e: Expression) -> bool:
    """Whether a name in it has dimensions."""
    named = (n for n in nodes((e,)) if isinstance(n, Name))
    return any(known.ranks.get(n.name) for n in named)


def is_number(known: Known, e: Expression) -> bool:
    r"""Whether it is one for sure, such as the 1 of `1 - z`: written as one, declared without dimensions, an element, or made of such
    two, `\frac{1}{2}`.
    """
    is_declared = (
        isinstance(e, Name) and known.extents.get(e.name) == [] and not known.ranks.get(e.name)
    )
    is_element = (
        isinstance(e, Element)
        and e.name.name in known.extents
        and known.ranks.get(e.name.name, 0) == len(e.subscripts)
    )
    is_quotient = isinstance(e, Binary) and all(is_number(known, x) for x in (e.left, e.right))
    return isinstance(e, Number) or is_declared or is_element or is_quotient


def product(known: Known, span: Span, sign: str, left: Value, right: Value) -> Value:
    def times(a: Expression, b: Expression) -> Expression:
        return Binary("*", a, b, span)

    a, b = left.rank, right.rank
    if a == 0 or b == 0:
        whole = left if b == 0 else right
        return Value(
            whole.rank,
            lambda i: times(left.at(i if a else ()), right.at(i if b else ())),
            span,
            whole.is_row,
            whole.extents,
            whole.is_plain,
        )
    if sign == "\\ast":
        _star(known, span, left, right)
    if sign in ("\\odot", "\\ast"):
        if a != b or left.is_row != right.is_row:
            raise unequal(span, left, right)
        extents = left.extents or right.extents
        return Value(a, lambda i: times(left.at(i), right.at(i)), span, left.is_row, extents)
    if a == b == 1 and right.is_row and not left.is_row:
        return Value(
            2,
            lambda i: times(left.at(i[:1]), right.at(i[1:])),
            span,
            inner=_inner_of_rows(known, left, right, span),
        )
    if not sign and (row := _by_rows(left, right)) is not None:
        known.guess(ROW, span)
        left, right = row
    if not sign and _is_row_of_matrix(known, left, right):
        known.guess(ROW, span)
        left = replace(left, is_row=True, is_plain=True)
    if sign != "\\ast" and (scaled := _scaled(left, right, span)) is not None:
        return scaled
    is_inner = a == b == 1 and left.is_row and not right.is_row
    is_dot = a == b == 1 and sign == "\\cdot" and left.is_row == right.is_row
    is_matrices = (
        {a, b} <= {1, 2}
        and max(a, b) == 2
        and not (a == 1 and not left.is_row)
        and not (b == 1 and right.is_row)
    )
    if not (is_inner or is_dot or is_matrices):
        raise SyntaxError(
            span,
            f"the product of {what(left)} and {what(right)} has no one meaning",
            fix=r"write `x^\top y` or `x \cdot y` for the inner product, `x \odot y` for that of elements, `x y^\top` for the outer one",
        )

    def at(i: Subscripts) -> Expression:
        k = known.fresh(span)
        body = times(left.at((*i[: a - 1], k)), right.at((k, *i[a - 1 :])))
        return reduced("sum", k, body, span)

    extents = extents_of_product(left, right)
    if extents and set(extents) == {ONE}:  # `w^T x` of a column `w` with the shape `L x 1`
        first = (Number(str(known.base), span),) * len(extents)
        return scalar_of(lambda: at(first), span)
    is_plain = left.is_plain or right.is_plain
    return Value(a + b - 2, at, span, a == 1 and b == 2, extents, is_plain)


def _inner_of_rows(known: Known, left: Value, right: Value, span: Span) -> Value | None:
    r"""The `sum{d} q[i, d]*k[j, d]` of `q_i k_j^\top` for elements `q_i` and `k_j` of declared tensors, which may be rows; None for others."""
    place = (Number("0", span),)
    are_elements = all(
        isinstance(row, Element) and len(row.subscripts) == 2
        for row in (left.at(place), right.at(place))
    )
    if not are_elements or left.extents != right.extents or not left.extents:
        return None
    k = known.fresh(span)
    return scalar_of(
        lambda: reduced("sum", k, Binary("*", left.at((k,)), right.at((k,)), span), span), span
    )


def _scaled(left: Value, right: Value, span: Span) -> Value | None:
    """The product with a diagonal matrix, which multiplies rows or columns."""
    if left.diagonal is not None and right.diagonal is not None:
        inner = _scaled(left, right.diagonal, span)
        return None if inner is None else diagonal_matrix(inner, span)
    if (rows := left.diagonal) is not None and not right.is_row:
        return replace(
            right, at=lambda i: Binary("*", rows.at(i[:1]), right.at(i), span), span=span
        )
    if (columns := right.diagonal) is not None and (left.rank == 2 or left.is_row):
        return replace(
            left, at=lambda i: Binary("*", left.at(i), columns.at(i[-1:]), span), span=span
        )
    return None


def _star(known: Known, span: Span, left: Value, right: Value) -> None:
    """Learn of `x * y`, which is read as the product of elements. Raises SyntaxError where the document has convolutions."""
    if _SAYS_CONVOLUTION.search(span.source.text):
        raise SyntaxError(
            span,
            f"`*` between {what(left)} and {what(right)} may be the product of elements, or a convolution, which the document names",
            fix=r"write `x \odot y` for the product of elements, and the convolution as a sum, `\sum_k x_{i-k} y_k`",
        )
    known.guess("`{}` is the product of elements", span)


_SAYS_CONVOLUTION = re.compile(r"convol", re.IGNORECASE)


def _is_row_of_matrix(known: Known, left: Value, right: Value) -> bool:
    """Whether it is `W_i v`, the row of a declared matrix in front of a declared vector that is as long."""
    if not left.rank == right.rank == 1 or left.is_row or right.is_row:
        return False
    row = left.at((Number("0", left.span),))
    is_row = isinstance(row, Element) and len(known.extents.get(row.name.name, ())) == 2
    vector = right.at((Number("0", left.span),))
    is_vector = isinstance(vector, Element) and len(vector.subscripts) == 1
    return is_row and is_vector and left.extents == right.extents != ()


def _by_rows(left: Value, right: Value) -> tuple[Value, Value] | None:
    r"""The factors of `x W` and of `W x^\top` where `x` is a row as it stands: with columns neither has a meaning."""
    extents = (*left.extents[-1:], *right.extents[:1])
    is_equal = len(extents) < 2 or extents[0] == extents[1]
    if left.rank == 1 and not left.is_row and right.rank == 2 and is_equal:
        return replace(left, is_row=True, is_plain=True), right
    if left.rank == 2 and right.rank == 1 and right.is_row and is_equal:
        return left, replace(right, is_row=False)
    is_transposed = right.rank == 1 and right.is_row and not right.is_plain
    if left.is_plain and left.is_row and is_transposed and is_equal:
        return left, replace(right, is_row=False)
    return None


def quotient(e: Binary, left: Value, right: Value) -> Value:
    if right.rank and right.rank == left.rank and right.is_row == left.is_row:
        return replace(
            left, at=lambda i: replace(e, left=left.at(i), right=right.at(i)), span=e.span
        )
    if right.rank:
        number = beside_elements(e.left, e.right.name) if isinstance(e.right, Name) else ""
        raise SyntaxError(
            e.span,
            f"{what(right)} stands in a denominator",
            fix=rf"divide by elements, `x_i`, or by a number such as the norm, `\|x\|`{number}",
        )
    return replace(left, at=lambda i: replace(e, left=left.at(i), right=right.at(())), span=e.span)


def power(known: Known, e: Binary, base: Value, power: Value) -> Value:
    is_square = base.rank == 2 and len(base.extents) == 2 and base.extents[0] == base.extents[1]
    if is_square and isinstance(e.right, Number) and e.right.text in ("2", "3"):
        known.guess(SQUARE, e.span)
        result = base
        for _ in range(int(e.right.text) - 1):
            result = product(known, e.span, "", result, base)
        return result
    if base.diagonal is not None and not power.rank:
        scale = base.diagonal
        raised = replace(
            scale, at=lambda i: replace(e, left=scale.at(i), right=power.at(())), span=e.span
        )
        return diagonal_matrix(raised, e.span)
    if base.rank or power.rank:
        place = base if base.rank else power
        raise SyntaxError(
            place.span,
            f"{what(place)} has no power that index notation knows",
            fix=r"write the product, `A A`, the power of an element, `x_i^2`, or of the norm, `\|x\|^2`; an inverse is an input"
            " of its own",
        )
    return scalar_of(lambda: replace(e, left=base.at(()), right=power.at(())), e.span)
