r"""Matrices and vectors as index notation, where shapes are declared: `\mathbf{x}_i^\top \mathbf{w}` is `sum{d} x[i, d]*w[d]`.

A tensor that is written with fewer subscripts than it has dimensions is what is left: a vector, or a matrix. Products,
transposes, norms and inner products of these then have one meaning, or are errors that say which to write. The builder
writes them as applications of commands, `\top`, `\cdot`, `\odot`, `\norm2`, `\inner`, `\element`, `\softmax`; after this
there are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from tadc.errors import Span, SyntaxError, counted
from tadc.syntax import ast
from tadc.syntax.ast import Application, Binary, Definition, Element, Expression, Name, Number
from tadc.syntax.nodes import (
    Node,
    fresh_name,
    key,
    nodes,
    parts,
    rewritten,
    substituted,
    with_parts,
)
from tadc.syntax.tex.commands import ONES, words
from tadc.syntax.tex.vector_values import (
    ASKS,
    EACH,
    ONE,
    Subscripts,
    Value,
    declaration,
    elementwise,
    extents_of_product,
    identity,
    normalized,
    numbers,
    plain_product,
    rebuilt,
    reduced,
    scalar,
    scalar_of,
    unequal,
    what,
)
from tadc.trampoline import descend

__all__ = ["Ranks", "Vectors"]

MOST_NESTED = 100  # operations of vectors inside each other
FRESH = "dkmnpqrsuv"
_ELEMENTWISE = words(
    """exp expm1 log log1p sqrt sin cos tan tanh sinh cosh sigmoid relu softplus gelu silu erf sign max min atan2
    asin acos atan round floor ceil erfc abs"""
)


_OF_NUMBERS = ("\\cdot", "\\ast", EACH)  # signs between numbers, too
_SAYS_CONVOLUTION = re.compile(r"convol", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ranks of names with subscripts; some are `certain`. Bold `capitals` may be vectors or matrices, and so may be the
    elements of bold capitals that are `numbered`.
    """

    of: Mapping[str, int]
    certain: Set[str]
    capitals: Set[str] = frozenset()
    numbered: Set[str] = frozenset()


class Vectors:
    """What is known of the document: the ranks of tensors, and the names that are taken. Definitions add to both."""

    def __init__(
        self,
        ranks: Ranks,
        shapes: Mapping[str, Sequence[Expression]],
        taken: set[str],
        base: int = 0,
        columns: Set[str] = frozenset(),
    ) -> None:
        """`shapes`, where declared, win over `ranks`; `base` is the first index; `columns` are matrices that one subscript reads
        a column of.
        """
        self.base = base
        self.columns = columns
        self.ranks = {**ranks.of, **{name: len(extents) for name, extents in shapes.items()}}
        self.undeclared = ranks.of.keys() - shapes.keys() - ranks.certain
        self.capitals = ranks.capitals - shapes.keys()
        self.numbered = ranks.numbered - shapes.keys()
        self.extents: dict[str, list[object]] = {
            name: [key(e) for e in extents] for name, extents in shapes.items()
        }
        self._printed = {key(e): e.span.text for shape in shapes.values() for e in shape}
        self.taken = taken
        self.indices: set[str] = set()
        self.lefts: tuple[Name, ...] = ()  # the indices of the left side
        self.in_elements: set[str] = set()  # vectors whose elements stand in a formula of elements
        self.elements: list[Span] = []  # `A_{ij} = F M`
        self.stars: list[Span] = []  # `x * y`
        self._scaled: dict[
            int, tuple[Expression, Sequence[object]]
        ] = {}  # what stands in front of matrices, by the product
        self.softmaxes: list[Span] = []  # of matrices
        self.softmaxed: set[str] = set()  # what is defined as one
        self.squares: list[Span] = []  # `E^2` beside `E_i E_j`
        self.rows: list[
            Span
        ] = []  # products of a row and a matrix, without a sign of transposition

    def __call__(self, definition: Definition) -> tuple[Definition, bool]:
        """The definition in index notation, and whether it was none. Raises SyntaxError for what has no one meaning."""
        target = definition.target.name
        self.lefts = tuple(r.name for r in definition.lefts)
        self.indices = {name.name for name in self.lefts}
        self.indices |= {
            r.name.name
            for node in nodes((definition.body,))
            if isinstance(node, ast.Reduction)
            for r in node.ranges
        }
        definition = self._with_order(definition)
        self.in_elements = self._vectors_in_elements(definition)
        if not self._is_needed(definition):
            self.ranks.setdefault(target, len(definition.lefts))
            self.undeclared -= {target}
            body = rewritten(definition.body, plain_product)
            return replace(definition, body=body), False
        _refuse_deep(definition.body)
        self._scaled.clear()
        value: Value = descend(self._walk(definition.body))
        for factor, extent in self._scaled.values():
            self._refuse_element(factor, "in front of", extent)
        if value.is_row and not value.is_plain and not self._knows_all(definition):
            raise SyntaxError(
                value.span,
                f"{what(value).rstrip(',')}, is what the right side comes to: what follows a transpose is a number as far as the document tells",
                fix=r"declare the shape of what follows it, `x \in \mathbb{R}^{N}`",
            )
        lefts = definition.lefts
        if value.rank:
            self._refuse_undeclared(definition)
        declared = self.ranks.get(target)
        if self._is_element_of(definition, value.rank):
            self.elements.append(definition.span)
            self.ranks[target] = len(lefts)
            self.undeclared -= {target}
            return replace(definition, body=value.at(self.lefts)), True
        if declared is not None and declared != len(lefts) + value.rank:
            raise SyntaxError(
                definition.span,
                f"`{definition.target.span.text}` has {declared} dimensions, {len(lefts)} subscripts here, and the right"
                f" side has {value.rank} more",
                fix="give both sides the same dimensions",
            )
        new = tuple(self._fresh(definition.target.span) for _ in range(value.rank))
        body = value.at(new)
        more = tuple(ast.Range(name, name.span) for name in new)
        self.ranks[target] = len(lefts) + value.rank
        self.undeclared -= {target}
        if self._is_softmax(definition.body) and value.rank == 2:
            self.softmaxed.add(target)
        return replace(definition, lefts=(*lefts, *more), body=body), True

    def _is_element_of(self, definition: Definition, rank: int) -> bool:
        r"""Whether it is `A_{ij} = F M^\top`, an element of a product that is written whole: the right side has no index of it."""
        names = {n.name for n in nodes((definition.body,)) if isinstance(n, Name)}
        is_open = self.ranks.get(definition.target.name, rank) == rank and rank > 0
        return is_open and rank == len(self.lefts) and not names & {n.name for n in self.lefts}

    def _knows_all(self, definition: Definition) -> bool:
        """Whether every tensor of the right side is declared or defined, so that a row is what its author means."""
        return all(
            name.name in self.extents.keys() | self.indices | (self.ranks.keys() - self.undeclared)
            for node in nodes((definition.body,))
            if isinstance(name := node.name if isinstance(node, Element) else node, Name)
        )

    def _vectors_in_elements(self, definition: Definition) -> set[str]:
        """The declared vectors that the formula, one of elements, reads at an index of its left side: their squares are numbers."""
        lefts = {r.name.name for r in definition.lefts}
        return {
            node.name.name
            for node in nodes((definition.body,))
            if isinstance(node, Element) and len(self.extents.get(node.name.name, ())) == 1
            if any(isinstance(s, Name) and s.name in lefts for s in node.subscripts)
        }

    def _refuse_undeclared(self, definition: Definition) -> None:
        """Raise for a vector whose only sign is that its name has more subscripts elsewhere: `e_i^2 e`."""
        for node in nodes((definition.body,)):
            named = node if isinstance(node, Name) else getattr(node, "name", None)
            count = len(node.subscripts) if isinstance(node, Element) else 0
            if not isinstance(named, Name) or named.name not in self.undeclared - self.indices:
                continue
            if count < self.ranks[named.name]:
                raise SyntaxError(
                    node.span,
                    f"`{named.span.text}` has {self.ranks[named.name]} subscripts elsewhere, and {count} here",
                    fix="write all its subscripts, or declare what is a vector: "
                    rf"`${named.span.text} \in \mathbb{{R}}^{{N}}$` in the prose, or `%!tadc input {named.name}[N]`",
                )

    def _is_needed(self, definition: Definition) -> bool:
        for node in nodes((definition.body,)):
            match node:
                case Application(Name(name)) if name.startswith("\\") and name not in _OF_NUMBERS:
                    return True
                case Element(Name(name), subscripts) if self.ranks.get(name, 0) > len(subscripts):
                    return True
                case Name(name) if name == ONES:
                    return True
                case Name(name) if self.ranks.get(name, 0) > 0 and name not in self.indices:
                    return True
                case _:
                    pass
        return False

    def _with_order(self, definition: Definition) -> Definition:
        """The definition with its conditionals, `u_{j|i}`, as subscripts in the order that the declared extents tell."""
        told: dict[str, set[object]] = {}
        for node in nodes((definition.body,)):
            if isinstance(node, Element):
                extents = self.extents.get(node.name.name, [])
                for s, extent in zip(node.subscripts, extents, strict=False):
                    if isinstance(s, Name):
                        told.setdefault(s.name, set()).add(extent)
        left = [told.get(r.name.name, {None}) for r in definition.lefts]
        self.extents.setdefault(
            definition.target.name, [e.copy().pop() if len(e) == 1 else None for e in left]
        )

        def rule(node: Node) -> Node:
            match node:
                case Element(Name(name), (Application(Name("\\given"), args), *rest)):
                    extents = self.extents.get(name, [])[:2]
                    orders = [o for o in (args, args[::-1]) if [_extent(a) for a in o] == extents]
                    if len(orders) == 1 and None not in extents:
                        return replace(node, subscripts=(*orders[0], *rest))  # type: ignore[arg-type]
                    raise SyntaxError(
                        node.span,
                        "the order of the dimensions of a conditional is not told by the document",
                        fix="write `x_{ij}` or `x_{ji}` for `x_{j|i}`, or declare its shape, and that of another tensor with these"
                        " indices: `%!tadc input x[I, J], c[I, J]`",
                    )
                case _:
                    return node

        def _extent(subscript: Node) -> object:
            found = told.get(subscript.name, set()) if isinstance(subscript, Name) else set()
            return next(iter(found)) if len(found) == 1 else ""

        return replace(definition, body=rewritten(definition.body, rule))

    def _fresh(self, span: Span) -> Name:
        return Name(fresh_name(self.taken, FRESH), span)

    # ------------------------------------------------------------------ the walk

    def _walk(self, e: Node) -> Generator[Any, Any, Value]:
        match e:
            case Element(name, subscripts):
                return self._read(name, subscripts, e)
            case Name(name) if name == ONES:
                return Value(1, lambda _: Number("1", e.span), e.span)
            case Name():
                return self._read(e, (), e)
            case Number():
                return scalar(e)
            case ast.Unary():
                operand: Value = yield self._walk(e.operand)
                return replace(operand, at=lambda i: replace(e, operand=operand.at(i)), span=e.span)
            case Binary(operator, left, right) if operator in ("+", "-"):
                a: Value | None = None if self._is_identity(left) else (yield self._walk(left))
                b: Value | None = None if self._is_identity(right) else (yield self._walk(right))
                if a is None:
                    if b is not None and b.rank == 2:
                        a = identity(left, b)
                    else:
                        a = yield self._walk(left)
                if b is None:
                    b = identity(right, a) if a.rank == 2 else (yield self._walk(right))
                return self._sum(e, a, b)
            case Binary("*", left, right):
                before, behind = (yield self._walk(left)), (yield self._walk(right))
                if before.rank == 2 and behind.rank == 0:
                    self._refuse_unknown(right, "behind a matrix", "a vector")
                    self._refuse_element(right, "behind", before.extents[-1:])
                if before.rank == 0 and behind.rank == 2:
                    self._scaled[id(e)] = _last_factor(left), behind.extents[:1]
                if behind.rank == 1:
                    self._scaled.pop(id(left), None)  # `\alpha_{ij} W h_j`
                is_read = isinstance(right, (Name, Element))
                if before.rank == 0 and behind.rank == 1 and is_read and _is_capital(left):
                    self._refuse_unknown(left, "in front of a vector", "a matrix")
                self._refuse_softmax(right, before, behind)
                return self._product(e.span, "", before, behind)
            case Binary("**", Application(Name("\\norm2"), (inner,)), Number("2")):
                return self._squares((yield self._walk(inner)), e.span)
            case Binary("**", Name(name), Number("2")) if name in self.in_elements:
                self.squares.append(e.span)
                return self._squares((yield self._walk(e.left)), e.span)
            case Binary("**", base, power):
                return self._power(e, (yield self._walk(base)), (yield self._walk(power)))
            case Binary(_, left, right):
                return self._quotient(e, (yield self._walk(left)), (yield self._walk(right)))
            case Application(Name("\\each"), (left, right)):
                return self._product(
                    e.span, "\\odot", (yield self._walk(left)), (yield self._walk(right))
                )
            case Application(Name("\\cdot" | "\\odot" | "\\ast" as sign), (left, right)):
                a, b = (yield self._walk(left)), (yield self._walk(right))
                if sign == "\\odot" and a.rank == b.rank == 2 and _is_bare_product(right):
                    factors = (yield self._walk(right.left)), (yield self._walk(right.right))
                    if all(f.rank == 2 for f in factors):
                        raise _unclear_factors(e.span)
                if sign == "\\cdot":
                    self._refuse_softmax(right, a, b)
                self._refuse_numbered(left, a, b)
                self._refuse_numbered(right, b, a)
                return self._product(e.span, sign, a, b)
            case Application(Name(name), args) if name.startswith("\\"):
                values = []
                for arg in args if name != "\\element" else args[:1]:
                    values.append((yield self._walk(arg)))
                return self._operation(e, name, values)
            case Application():
                return self._applied(e, (yield from self._parts(e)))
            case ast.Choice():
                return self._choice(e, (yield from self._parts(e)))
            case ast.Reduction():
                return self._reduction(e, (yield from self._parts(e)))
            case _:
                return rebuilt(e, (yield from self._parts(e)))

    def _parts(self, node: Node) -> Generator[Any, Any, list[Value]]:
        values = []
        for part in parts(node):
            if isinstance(part, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)):
                inner = yield from self._parts(part)
                values.append(elementwise(part, inner))
            else:
                values.append((yield self._walk(part)))
        return values

    # ------------------------------------------------------------------ reads

    def _read(self, name: Name, subscripts: Subscripts, e: Name | Element) -> Value:
        rank = max(self.ranks.get(name.name, 0) - len(subscripts), 0)
        if isinstance(e, Name) and rank == 0 and name.name in self.capitals - self.indices:
            raise SyntaxError(
                e.span,
                f"`{e.span.text}` beside vectors may be a vector or a matrix, and nothing declares it",
                fix=declaration(e),
            )
        if rank == 0 or (isinstance(e, Name) and name.name in self.indices):
            return scalar(e)
        extents = tuple(self.extents.get(name.name, ())[len(subscripts) :])
        if name.name in self.columns and len(subscripts) == 1:
            extents = tuple(self.extents[name.name][:1])
            return Value(
                1, lambda i: Element(name, (*i, *subscripts), e.span), e.span, extents=extents
            )
        return Value(
            rank, lambda i: Element(name, (*subscripts, *i), e.span), e.span, extents=extents
        )

    # ------------------------------------------------------------------ sums and products

    def _sum(self, e: Binary, left: Value, right: Value) -> Value:
        if self._is_number(e.left) and right.rank == 1:
            return replace(right, at=lambda i: replace(e, right=right.at(i)), span=e.span)
        if self._is_number(e.right) and left.rank == 1:
            return replace(left, at=lambda i: replace(e, left=left.at(i)), span=e.span)
        is_plain = left.is_plain or right.is_plain
        if left.rank != right.rank or (left.is_row != right.is_row and not is_plain):
            raise unequal(e.span, left, right)
        return Value(
            left.rank,
            lambda i: replace(e, left=left.at(i), right=right.at(i)),
            e.span,
            left.is_row or right.is_row,
            left.extents or right.extents,
            is_plain
            and (left.is_plain or not left.is_row)
            and (right.is_plain or not right.is_row),
        )

    def _is_identity(self, e: Expression) -> bool:
        r"""Whether it is `I`, `\lambda I_n` or `I / \sqrt{n}`, which nothing declares or defines: the identity beside a matrix."""
        match e:
            case Binary("/", over, under):
                return self._is_identity(over) and not self._has_tensors(under)
            case Binary("*", Number(), unit):
                is_scaled = True
            case Binary("*", Name(n) | Binary("**", Name(n), Number()), unit):
                is_scaled = not self.ranks.get(n)
            case _:
                is_scaled, unit = True, e
        match unit:
            case Name("I"):
                is_unit = True
            case Element(Name("I"), (Name() | Number() as size,)):
                is_unit = any(key(size) in extents for extents in self.extents.values())
                is_unit = is_unit and not (isinstance(size, Name) and size.name in self.indices)
            case _:
                is_unit = False
        return is_scaled and is_unit and "I" not in self.extents.keys() | self.indices

    def _has_tensors(self, e: Expression) -> bool:
        """Whether a name in it has dimensions."""
        named = (n for n in nodes((e,)) if isinstance(n, Name))
        return any(self.ranks.get(n.name) for n in named)

    def _is_number(self, e: Expression) -> bool:
        """Whether it is one for sure, such as the 1 of `1 - z`: written as one, declared without dimensions, or an element."""
        is_declared = (
            isinstance(e, Name) and self.extents.get(e.name) == [] and not self.ranks.get(e.name)
        )
        is_element = (
            isinstance(e, Element)
            and e.name.name in self.extents
            and self.ranks.get(e.name.name, 0) == len(e.subscripts)
        )
        return isinstance(e, Number) or is_declared or is_element

    def _refuse_unknown(self, e: Expression, place: str, kind: str) -> None:
        """Raise for a letter beside a matrix or vector that nothing in the document is said of: a number, or what is usual there?"""
        if not isinstance(e, Name) or e.name in self.ranks or e.name in self.indices:
            return
        if e.name in ("pi", "inf", "nan"):
            return
        if any(key(e) in extents for extents in self.extents.values()):
            return  # a size
        raise SyntaxError(
            e.span,
            f"`{_shown(e)}` {place} may be {kind} or a number, and nothing declares it",
            fix=f"{_declared_as(e, kind)}; or the number: `%!tadc input {e.name}[]`",
        )

    def _refuse_element(self, e: Expression, place: str, extent: Sequence[object]) -> None:
        """Raise for the `x_j` of `W x_j` and `x_j W` that nothing declares: an element, or a vector at each `j`? `extent` is that of the matrix."""
        if not isinstance(e, Element) or e.name.name not in self.undeclared:
            return
        name, shown = e.name.name, e.span.text
        extents = ("N", "M", "K", "L")[: len(e.subscripts)]
        last = next((self._printed[n] for n in extent if n in self._printed), "D")
        listed, longer = ", ".join(extents), ", ".join((*extents, last))
        raise SyntaxError(
            e.span,
            f"`{shown}` {place} a matrix may be a vector or a number, and nothing declares it",
            fix=rf"declare its shape: `%!tadc input {name}[{longer}]`, or `${shown} \in \mathbb{{R}}^{{{last}}}$` in the prose;"
            f" or the numbers: `%!tadc input {name}[{listed}]`",
        )

    def _refuse_numbered(self, e: Node, value: Value, other: Value) -> None:
        r"""Raise for the `\mathbf{S}_i` of `\mathbf{S}_i \cdot \mathbf{h}` as a number in front of a vector."""
        if not isinstance(e, Element) or e.name.name not in self.numbered:
            return
        if value.rank == 0 and other.rank == 1:
            raise SyntaxError(
                e.span,
                f"`{e.span.text}` beside a vector may be a vector or a number, and nothing declares it",
                fix=declaration(e),
            )

    def _product(self, span: Span, sign: str, left: Value, right: Value) -> Value:
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
            self._star(span, left, right)
        if sign in ("\\odot", "\\ast"):
            if a != b or left.is_row != right.is_row:
                raise unequal(span, left, right)
            extents = left.extents or right.extents
            return Value(a, lambda i: times(left.at(i), right.at(i)), span, left.is_row, extents)
        if a == b == 1 and right.is_row and not left.is_row:
            return Value(2, lambda i: times(left.at(i[:1]), right.at(i[1:])), span)
        if not sign and (row := self._by_rows(left, right)) is not None:
            self.rows.append(span)
            left, right = row
        if not sign and self._is_row_of_matrix(left, right):
            self.rows.append(span)
            left = replace(left, is_row=True, is_plain=True)
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
            k = self._fresh(span)
            body = times(left.at((*i[: a - 1], k)), right.at((k, *i[a - 1 :])))
            return reduced("sum", k, body, span)

        extents = extents_of_product(left, right)
        if extents and set(extents) == {ONE}:  # `w^T x` of a column `w` with the shape `L x 1`
            first = (Number(str(self.base), span),) * len(extents)
            return scalar_of(lambda: at(first), span)
        is_plain = left.is_plain or right.is_plain
        return Value(a + b - 2, at, span, a == 1 and b == 2, extents, is_plain)

    def _star(self, span: Span, left: Value, right: Value) -> None:
        """Learn of `x * y`, which is read as the product of elements. Raises SyntaxError where the document has convolutions."""
        if _SAYS_CONVOLUTION.search(span.source.text):
            raise SyntaxError(
                span,
                f"`*` between {what(left)} and {what(right)} may be the product of elements, or a convolution, which the document names",
                fix=r"write `x \odot y` for the product of elements, and the convolution as a sum, `\sum_k x_{i-k} y_k`",
            )
        self.stars.append(span)

    def _is_row_of_matrix(self, left: Value, right: Value) -> bool:
        """Whether it is `W_i v`, the row of a declared matrix in front of a declared vector that is as long."""
        if not left.rank == right.rank == 1 or left.is_row or right.is_row:
            return False
        row = left.at((Number("0", left.span),))
        is_row = isinstance(row, Element) and len(self.extents.get(row.name.name, ())) == 2
        vector = right.at((Number("0", left.span),))
        is_vector = isinstance(vector, Element) and len(vector.subscripts) == 1
        return is_row and is_vector and left.extents == right.extents != ()

    @staticmethod
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

    def _quotient(self, e: Binary, left: Value, right: Value) -> Value:
        if right.rank and right.rank == left.rank and right.is_row == left.is_row:
            return replace(
                left, at=lambda i: replace(e, left=left.at(i), right=right.at(i)), span=e.span
            )
        if right.rank:
            raise SyntaxError(
                e.span,
                f"{what(right)} stands in a denominator",
                fix=r"divide by elements, `x_i`, or by a number such as the norm, `\|x\|`",
            )
        return replace(
            left, at=lambda i: replace(e, left=left.at(i), right=right.at(())), span=e.span
        )

    def _power(self, e: Binary, base: Value, power: Value) -> Value:
        is_square = base.rank == 2 and len(base.extents) == 2 and base.extents[0] == base.extents[1]
        if is_square and isinstance(e.right, Number) and e.right.text in ("2", "3"):
            self.squares.append(e.span)
            result = base
            for _ in range(int(e.right.text) - 1):
                result = self._product(e.span, "", result, base)
            return result
        if base.rank or power.rank:
            place = base if base.rank else power
            raise SyntaxError(
                place.span,
                f"{what(place)} has no power that index notation knows",
                fix=r"write the product, `A A`, the power of an element, `x_i^2`, or of the norm, `\|x\|^2`; an inverse is an input"
                " of its own",
            )
        return scalar_of(lambda: replace(e, left=base.at(()), right=power.at(())), e.span)

    # ------------------------------------------------------------------ operations of vectors

    def _operation(self, e: Application, name: str, values: list[Value]) -> Value:
        first = values[0]
        if name == "\\element":
            return self._element(e, first)
        if name == "\\given":
            raise SyntaxError(
                e.span,
                "a conditional stands where a number is expected",
                fix="write the element with its indices in the order of the dimensions, `p_{ij}` for `p(i | j)`",
            )
        if first.rank == 0 and name != "\\softmax":
            raise SyntaxError(
                first.span,
                f"`{first.span.text}` is a number as far as the document tells, and {ASKS.get(name, 'this')} is of a vector or matrix",
                fix=declaration(first.at(())),
            )
        match name:
            case "\\top":
                if first.rank > 2:
                    raise SyntaxError(
                        e.span,
                        "the transpose of more than two dimensions",
                        fix="write its subscripts",
                    )
                return Value(
                    first.rank,
                    lambda i: first.at(i[::-1]),
                    e.span,
                    first.rank == 1 and not first.is_row,
                    first.extents[::-1],
                )
            case "\\inner":
                second = values[1]
                if first.rank != second.rank:
                    raise unequal(e.span, first, second)
                return self._over_all(
                    first.rank,
                    "sum",
                    lambda i: Binary("*", first.at(i), second.at(i), e.span),
                    e.span,
                )
            case "\\tr":
                if first.rank != 2:
                    raise SyntaxError(
                        e.span,
                        f"the trace is of a matrix, and this is {what(first)}",
                        fix=r"write `\operatorname{tr}(A)`",
                    )

                def trace() -> Expression:
                    k = self._fresh(e.span)
                    return reduced("sum", k, first.at((k, k)), e.span)

                return scalar_of(trace, e.span)
            case "\\softmax":
                return self._softmax(e, first)
            case _:
                return self._norm(e, name.removeprefix("\\norm"), first)

    def _element(self, e: Application, base: Value) -> Value:
        subscripts = numbers(e.args[1:])
        if base.rank < len(subscripts):
            raise SyntaxError(
                e.span,
                f"what stands in the brackets is {what(base).rstrip(',')}, and it has {counted(len(subscripts), 'subscript')}",
                fix="write subscripts on names, or declare the shapes of what stands in the brackets: "
                + declaration(base.at(())).removeprefix("declare its shape: "),
            )
        return Value(base.rank - len(subscripts), lambda i: base.at((*subscripts, *i)), e.span)

    def _norm(self, e: Application, kind: str, inner: Value) -> Value:
        if kind == "2" and inner.rank == 1:
            return self._root(self._squares(inner, e.span), e.span)
        if kind == "F":
            return self._root(self._squares(inner, e.span, of_any=True), e.span)
        if kind in ("1", "inf") and inner.rank == 1:
            op = "sum" if kind == "1" else "max"
            return self._over_all(
                1, op, lambda i: Application(Name("abs", e.span), (inner.at(i),), e.span), e.span
            )
        raise SyntaxError(
            e.span,
            f"the norm of {what(inner)} is not told by this",
            fix=r"write `\|A\|_F` for the root of the sum of squares, `\|x\|_1`, `\|x\|_2` and `\|x\|_\infty` for vectors, or the sum",
        )

    def _root(self, value: Value, span: Span) -> Value:
        return scalar_of(lambda: Application(Name("sqrt", span), (value.at(()),), span), span)

    def _squares(self, inner: Value, span: Span, *, of_any: bool = False) -> Value:
        if inner.rank == 0:
            raise SyntaxError(
                inner.span,
                f"`{inner.span.text}` is a number as far as the document tells, and a norm is of a vector",
                fix=declaration(inner.at(())),
            )
        if inner.rank > 1 and not of_any:
            return self._norm(Application(Name("\\norm2", span), (), span), "2", inner)
        two = Number("2", span)
        return self._over_all(
            inner.rank, "sum", lambda i: Binary("**", inner.at(i), two, span), span
        )

    def _over_all(
        self, rank: int, op: str, body: Callable[[Subscripts], Expression], span: Span
    ) -> Value:
        def at() -> Expression:
            k = tuple(self._fresh(span) for _ in range(rank))
            ranges = tuple(ast.Range(name, span) for name in k)
            return ast.Reduction(Name(op, span), ranges, None, body(k), span)

        return scalar_of(at, span)

    def _is_softmax(self, e: Node) -> bool:
        r"""Whether it is a softmax without an index, or a name that is defined as one."""
        if isinstance(e, Name):
            return e.name in self.softmaxed
        return isinstance(e, Application) and e.function.name == "\\softmax" and len(e.args) == 1

    def _refuse_softmax(self, e: Node, left: Value, value: Value) -> None:
        r"""Raise for `V \operatorname{softmax}(K^\top Q)`, where papers mean that columns add up to 1, and others rows."""
        if left.rank and value.rank == 2 and self._is_softmax(e):
            raise SyntaxError(
                e.span,
                "something multiplies the softmax of a matrix from the left: do its rows add up to 1, or its columns?",
                fix=r"write it by elements, `A_{ij} = \operatorname{softmax}_i(S_{ij})` for columns and `\operatorname{softmax}_j` for rows",
            )

    def _softmax(self, e: Application, value: Value) -> Value:
        """`exp(x - logsumexp x)` over the index that is named, or over the last dimension."""
        index = e.args[1] if len(e.args) > 1 else self._left_index(value)
        if isinstance(index, Name):

            def at_index(i: Subscripts) -> Expression:
                k = self._fresh(e.span)
                body = substituted(value.at(i), {index.name: k}, self.taken)
                return normalized(value.at(i), reduced("logsumexp", k, body, e.span), e.span)

            return replace(value, at=at_index, span=e.span)
        if value.rank not in (1, 2):
            raise SyntaxError(
                e.span,
                f"the softmax of {what(value)} does not say over which index",
                fix=r"write it below: `\operatorname{softmax}_j(x_{ij})`, or declare the shape of what it is applied to",
            )

        def at(i: Subscripts) -> Expression:
            k = self._fresh(e.span)
            total = reduced("logsumexp", k, value.at((*i[:-1], k)), e.span)
            return normalized(value.at(i), total, e.span)

        if value.rank == 2:
            self.softmaxes.append(e.span)
        return replace(value, at=at, span=e.span)

    def _left_index(self, value: Value) -> Name | None:
        r"""The `i` of `p_i = \operatorname{softmax}(z_i)`: the one index of the left side, of a number that has it."""
        if value.rank or len(self.lefts) != 1:
            return None
        (left,) = self.lefts
        is_read = any(isinstance(n, Name) and n.name == left.name for n in nodes((value.at(()),)))
        return left if is_read else None

    # ------------------------------------------------------------------ what is applied to elements

    def _applied(self, e: Application, values: list[Value]) -> Value:
        rank = max((v.rank for v in values), default=0)
        if rank == 0:
            return rebuilt(e, values)
        name = e.function.name
        if name == "abs" and rank == 1:
            if _is_put_in(e):
                raise SyntaxError(
                    e.span,
                    f"{what(values[0]).rstrip(',')}, is put in here: the norm, or the absolute value of each element?",
                    fix=r"apply the function to an element, `f(x_i)`; for a norm, write `\|x\|` in the function",
                )
            if _adds_number(e.args[0], values[0], self._is_number):
                raise SyntaxError(
                    e.span,
                    f"{what(values[0]).rstrip(',')}, adds a number to each element: are the bars a norm, or absolute values?",
                    fix=r"write elements, `|x_i - a|`, or `\|x\|` for the norm",
                )
            return self._norm(e, "2", values[0])
        if name not in _ELEMENTWISE or (name in ("exp", "log", "sqrt") and rank > 1):
            raise SyntaxError(
                e.span,
                f"`{name}` of {what(values[0])} has no one meaning",
                fix=r"write it of an element, `\exp(x_i)`; for a norm, `\|x\|`",
            )
        if any(v.rank not in (0, rank) for v in values):
            raise unequal(e.span, *values[:2])
        whole = next(v for v in values if v.rank)
        return Value(
            rank,
            lambda i: replace(e, args=tuple(v.at(i if v.rank else ()) for v in values)),
            e.span,
            whole.is_row,
            whole.extents,
            whole.is_plain,
        )

    def _choice(self, e: ast.Choice, values: list[Value]) -> Value:
        return elementwise(e, values)

    def _reduction(self, e: ast.Reduction, values: list[Value]) -> Value:
        body = values[-1]
        if body.rank and e.op.name not in ("sum", "mean"):
            raise SyntaxError(
                e.span,
                f"`{e.op.name}` of {what(body)} has no one meaning",
                fix="write it of an element, with all its subscripts",
            )
        before = values[:-1]
        return replace(
            body,
            at=lambda i: with_parts(e, (*(v.at(()) for v in before), body.at(i))),
            span=e.span,
        )


def _is_capital(e: Expression) -> bool:
    """Whether it is a capital letter, as matrices have."""
    base = e.name.split("_")[0] if isinstance(e, Name) else ""
    return base[:1].isupper() and (len(base) == 1 or base in _GREEK_MATRICES)


_GREEK_MATRICES = words("Sigma Lambda Phi Psi Theta")


def _shown(e: Name) -> str:
    r"""What is printed; of `\bm{W_f}` without its last brace the name."""
    text = e.span.text
    return text if len(text) <= 20 and text.count("{") == text.count("}") else e.name


def _declared_as(e: Name, kind: str) -> str:
    """What declares the letter as a vector or a matrix."""
    if kind == "a vector":
        return declaration(e)
    return rf"declare its shape: `%!tadc input {e.name}[N, D]`, or `${_shown(e)} \in \mathbb{{R}}^{{N \times D}}$` in the prose"


def _last_factor(e: Expression) -> Expression:
    """What stands next to what multiplies it from the right."""
    while isinstance(e, Binary) and e.operator == "*":
        e = e.right
    return e


def _is_bare_product(e: Node) -> TypeGuard[Binary]:
    """Whether it is a product that stands in no brackets."""
    text, start = e.span.source.text, e.span.start
    is_product = isinstance(e, Binary) and e.operator == "*"
    return is_product and not text[max(start - 20, 0) : start].rstrip().endswith(("(", "["))


def _unclear_factors(span: Span) -> SyntaxError:
    return SyntaxError(
        span,
        r"`A \odot B C` may be `(A \odot B) C` or `A \odot (B C)`",
        fix="put brackets around what belongs together",
    )


def _adds_number(e: Node, value: Value, is_number: Callable[[Expression], bool]) -> bool:
    """Whether it is a vector plus or minus a number, so that what stands around is about elements."""
    is_sum = isinstance(e, Binary) and e.operator in ("+", "-") and value.rank == 1
    return is_sum and isinstance(e, Binary) and (is_number(e.left) or is_number(e.right))


def _is_put_in(e: Application) -> bool:
    """Whether the function of the document that it stands in was applied elsewhere, which its name tells."""
    place = e.function.span
    return place.start < e.span.start or place.end > e.span.end


def _refuse_deep(root: Expression) -> None:
    todo: list[tuple[Node, int]] = [(root, 0)]
    while todo:
        node, level = todo.pop()
        if level > MOST_NESTED:
            raise SyntaxError(
                node.span,
                "vectors and matrices stand in very many brackets here",
                fix="give the inner parts statements of their own",
            )
        todo += [(part, level + 1) for part in parts(node)]
