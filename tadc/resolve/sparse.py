"""Sparse tensors of a text (docs/data.md): their declarations as those of arrays, and statements on the pattern of one.

`S[i, j]: like A = A[i, j]*e` is `S_val[e]`, a sum over the one place `i, j` of the stored element `e`. Reads of sparse tensors
are left: ranges of indices follow from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tadc.errors import ShapeError, Span, SyntaxError
from tadc.ir.affine import Affine, symbol
from tadc.ir.domain import Condition, Domain, at_least_zero, between, equals_zero
from tadc.ir.expr import Read, Reduce
from tadc.ir.names import Names
from tadc.ir.sparse import LAYOUTS, Sparse
from tadc.resolve.data import IndexTensors
from tadc.resolve.declarations import index_names
from tadc.resolve.scope import Index, Scope
from tadc.syntax import ast
from tadc.syntax.nodes import fresh_name, nodes, rewritten

__all__ = ["SparseTensors", "read_of", "sparse_error"]

_FACTOR = "have one factor `{}` in each term, with the indices of the left side"


@dataclass(slots=True)
class SparseTensors:
    """The sparse tensors of a text by name, with what it declares as their extents, and where; `items` have arrays instead."""

    items: tuple[ast.Item, ...] = ()
    tensors: dict[str, Sparse] = field(default_factory=dict)
    extents: dict[str, tuple[ast.Expression, ...]] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)

    @classmethod
    def of(cls, items: Sequence[ast.Item], base: int) -> SparseTensors:
        """Those of a text that counts from `base`. Raises SyntaxError and ShapeError."""
        found = cls(tuple(items))
        if any(_is_sparse(i) for i in items):
            _Reader(found, base, {n for i in items for n in _words(i)}).read()
        return found

    def with_shapes(self, shape: Callable[[str], tuple[Affine, ...]]) -> tuple[Sparse, ...]:
        """The tensors with their shapes."""
        return tuple(replace(s, shape=shape(s.name)) for s in self.tensors.values())

    def declare(self, sparse: Sparse, extents: tuple[ast.Expression, ...], span: Span) -> None:
        if sparse.name in self.tensors:
            raise SyntaxError(
                span, f"`{sparse.name}` is declared twice", fix="remove one declaration"
            )
        self.tensors[sparse.name] = sparse
        self.extents[sparse.name] = extents
        self.places[sparse.name] = span


def _is_sparse(item: ast.Item) -> bool:
    match item:
        case ast.TensorDeclaration() | ast.Definition():
            return item.like is not None or (item.dtype is not None and item.dtype.name in LAYOUTS)
        case _:
            return False


@dataclass(slots=True)
class _Reader:
    """Reads the declarations and statements of a text whose words are `words`."""

    found: SparseTensors
    base: int
    words: set[str]

    def read(self) -> None:
        items = self.found.items
        for item in items:  # declarations may stand below their use
            match item:
                case ast.TensorDeclaration(dtype=ast.Name(layout), like=None) if layout in LAYOUTS:
                    self._declare(item, layout)
                case _:
                    pass
        self.found.items = tuple(new for item in items for new in self._arrays(item))
        self._check_parts(items)
        outputs = self.found.tensors
        self.found.items = tuple(_with_values(i, outputs) for i in self.found.items)

    # ------------------------------------------------------------------ declarations

    def _arrays(self, item: ast.Item) -> Iterator[ast.Item]:
        """The item, or what has arrays in its stead."""
        match item:
            case ast.TensorDeclaration(like=ast.Name() as other):
                sparse = self._like(item.name.name, item.span, other, item.extents)
                yield _declaration(sparse.values, sparse, item.span)
            case ast.TensorDeclaration(dtype=ast.Name(layout)) if layout in LAYOUTS:
                yield from self._parts(item)
            case ast.Definition(dtype=ast.Name(layout)) if layout in LAYOUTS:
                raise SyntaxError(
                    item.target.span,
                    f"`{item.target.name}` is declared {layout}, and the pattern of a result is not looked for",
                    fix=f"give it the pattern of an input: `{item.target.name}[..]: like A = A[..]*..`",
                )
            case ast.Definition(like=ast.Name() as other):
                yield self._on_pattern(item, other)
            case _:
                yield item

    def _declare(self, item: ast.TensorDeclaration, layout: str) -> None:
        name, span = item.name.name, item.span
        if item.kind != "input" or item.extents is None:
            what = "a state is dense" if item.kind == "state" else "its shape is not said"
            raise SyntaxError(
                span, f"`{name}` is sparse, and {what}", fix=f"write `input {name}[N, M]: {layout}`"
            )
        rank = len(item.extents)
        if rank == 0 or (layout != "coo" and rank != 2):
            needed = "at least one dimension" if layout == "coo" else "two dimensions"
            raise ShapeError(
                span,
                f"`{name}` is {layout}, which has {needed}, and is declared with {rank}",
                fix=f"write `input {name}[N, M]: {layout}`; `coo` has any number",
            )
        self.found.declare(Sparse(name, layout, rank, name), item.extents, span)

    def _parts(self, item: ast.TensorDeclaration) -> Iterator[ast.Item]:
        """The arrays of a sparse input."""
        assert item.extents is not None
        sparse, span = self.found.tensors[item.name.name], item.span
        yield _declaration(sparse.values, sparse, span)
        one, count = ast.Number("1", span), ast.Name(sparse.count, span)
        for d, extent in enumerate(item.extents):
            if d == sparse.compressed:
                more = ast.Binary("+", extent, one, span)
                yield _declaration(sparse.pointers, sparse, span, more, last=count)
            else:
                less = ast.Binary("-", extent, one, span)
                yield _declaration(sparse.coordinates(d), sparse, span, last=less)

    def _like(
        self, name: str, span: Span, other: ast.Name, given: Sequence[object] | None = None
    ) -> Sparse:
        """Declares a tensor that has the pattern of another."""
        pattern = self._pattern(other)
        if given is not None:
            raise ShapeError(
                span,
                f"`{name}` has the shape of `{other.name}`",
                fix=f"write `{name}: like {other.name}`",
            )
        sparse = pattern.like(name)
        self.found.declare(sparse, self.found.extents[other.name], span)
        return sparse

    def _pattern(self, other: ast.Name) -> Sparse:
        if other.name not in self.found.tensors:
            raise SyntaxError(
                other.span,
                f"`{other.name}` is no sparse tensor",
                fix=f"declare it, `input {other.name}[N, M]: csr`, or define it above",
            )
        return self.found.tensors[other.name]

    # ------------------------------------------------------------------ statements on a pattern

    def _on_pattern(self, item: ast.Definition, other: ast.Name) -> ast.Definition:
        """The definition of the values of a tensor that has the pattern of another."""
        pattern, name, span = self._pattern(other), item.target.name, item.target.span
        if name.endswith("_val") and len(item.lefts) == 1:  # as programs are printed
            self._like(name.removesuffix("_val"), span, other)
            return replace(item, like=None)
        shape = self.found.extents[other.name]
        if len(item.lefts) != pattern.rank or not all(map(_is_extent, item.lefts, shape)):
            listed = ", ".join("ijklmnop"[: pattern.rank])
            raise ShapeError(
                span,
                f"`{name}` has the shape of `{other.name}`, of {pattern.rank} dimensions",
                fix=f"write `{name}[{listed}]: like {other.name} = ..`",
            )
        indices = [r.name.name for r in item.lefts]
        e = ast.Name(fresh_name(self.words, "estuvw"), span)
        body = self._on_terms(item.body, indices, e, pattern.of)
        sparse = self._like(name, span, other)
        ranges = tuple(replace(r, extent=n) for r, n in zip(item.lefts, shape, strict=True))
        place = self._place(pattern, [r.name for r in item.lefts], e)
        there = ast.Reduction(ast.Name("sum", span), ranges, place, body, item.body.span)
        left = ast.Range(e, span, extent=ast.Name(pattern.count, span))
        return replace(
            item, target=ast.Name(sparse.values, span), lefts=(left,), body=there, like=None
        )

    def _place(self, pattern: Sparse, indices: Sequence[ast.Name], e: ast.Name) -> ast.Condition:
        """That the stored element `e` is the one at these indices."""
        tests: list[ast.Condition] = []
        for d, i in enumerate(indices):
            if d == pattern.compressed:
                at = ast.Name(pattern.pointers, i.span)
                after = ast.Binary("+", i, ast.Number("1", i.span), i.span)
                begin, end = (self._based(ast.Element(at, (s,), i.span)) for s in (i, after))
                tests.append(ast.Comparison((begin, e, end), ("<=", "<"), i.span))
            else:
                stored = ast.Element(ast.Name(pattern.coordinates(d), i.span), (e,), i.span)
                tests.append(ast.Comparison((self._based(stored), i), ("==",), i.span))
        whole = tests[0]
        for test in tests[1:]:
            whole = ast.Logical("and", whole, test, e.span)
        return whole

    def _based(self, element: ast.Element) -> ast.Expression:
        """An element of a pattern, which counts from 0, as the text counts."""
        if not self.base:
            return element
        return ast.Binary("+", element, ast.Number("1", element.span), element.span)

    def _on_terms(
        self, e: ast.Expression, indices: list[str], at: ast.Name, of: str
    ) -> ast.Expression:
        """A sum of terms, in each of which the one factor on the pattern is the stored element."""
        match e:
            case ast.Binary("+" | "-", left, right):
                return replace(
                    e,
                    left=self._on_terms(left, indices, at, of),
                    right=self._on_terms(right, indices, at, of),
                )
            case ast.Unary(operand):
                return replace(e, operand=self._on_terms(operand, indices, at, of))
        factors = [f for f in _factors(e) if self._is_stored(f, indices, of)]
        if len(factors) != 1:
            raise SyntaxError(
                e.span,
                f"the term `{e.span.text}` has {len(factors) or 'no'} factors on the pattern of `{of}`",
                fix=_FACTOR.format(f"{of}[{', '.join(indices)}]"),
            )
        (factor,) = factors
        assert isinstance(factor, ast.Element)
        stored = ast.Element(
            ast.Name(self.found.tensors[factor.name.name].values, factor.span), (at,), factor.span
        )
        return rewritten(e, lambda n: stored if _same(n, factor) else n)

    def _is_stored(self, e: ast.Expression, indices: list[str], of: str) -> bool:
        tensors = self.found.tensors
        match e:
            case ast.Element(ast.Name(name), subscripts) if (
                name in tensors and tensors[name].of == of
            ):
                return [s.name if isinstance(s, ast.Name) else None for s in subscripts] == indices
            case _:
                return False

    def _check_parts(self, items: Iterable[ast.Item]) -> None:
        """Raises SyntaxError for an array of a sparse tensor that it does not have, or whose numbers would be misread."""
        bodies = [i.body for i in items if isinstance(i, ast.Definition)]
        for node in nodes(bodies):
            if not isinstance(node, ast.Element):
                continue
            tensor, _, part = node.name.name.rpartition("_")
            sparse = self.found.tensors.get(tensor)
            if sparse is None or not (part in ("val", "ptr") or part.isdecimal()):
                continue
            if node.name.name not in (sparse.values, *sparse.pattern):
                stored = ", ".join(f"`{p}`" for p in (sparse.values, *sparse.pattern))
                raise SyntaxError(
                    node.span,
                    f"`{tensor}` is {sparse.layout}, and has no `{node.name.name}`",
                    fix=f"it has {stored}",
                )
            if self.base and part != "val":
                raise SyntaxError(
                    node.span,
                    f"`{node.name.name}` counts from 0, and this text from 1",
                    fix=f"read `{tensor}[..]`, or write the text with `base 0`",
                )


def read_of(
    sparse: Sparse,
    count: Affine,
    subscripts: Sequence[Affine],
    scope: Scope,
    span: Span,
    names: Names,
    data: IndexTensors,
) -> Reduce:
    """An element of a sparse tensor: the sum of what is stored there. Other factors of its term belong inside.

    `count` is the number of stored elements.
    """
    e = names.fresh("e")
    inner = Scope(scope, {e: Index(e, e, span, count)})
    stored = symbol(e)

    def element(of: Scope, tensor: str, at: Affine) -> Affine:
        return of.looked(tensor, (at,), data.values.get(tensor), names)

    conditions: list[Condition] = []
    for d, s in enumerate(subscripts):
        if d == sparse.compressed:
            begin, end = (element(scope, sparse.pointers, at) for at in (s, s + 1))
            conditions += (at_least_zero(stored - begin), at_least_zero(end - stored - 1))
        else:
            conditions.append(equals_zero(element(inner, sparse.coordinates(d), stored) - s))
    if sparse.compressed is None:
        conditions += between(0, stored, count - 1)
    return Reduce(
        "sum", (e,), tuple(inner.derived), Domain.of(conditions), Read(sparse.values, (stored,))
    )


def sparse_error(name: str, data: IndexTensors, roots: Iterable[ast.Expression]) -> SyntaxError:
    """The error of a sparse tensor whose elements stand where indices must stand."""
    place = next(n for n in nodes(roots) if isinstance(n, ast.Element) and n.name.name == name)
    return SyntaxError(
        place.span,
        f"`{name}` is used as an index here, and is sparse",
        fix="indices are elements of dense tensors, or the coordinates of a sparse one, as `A_1[e]`",
    )


def _is_extent(left: ast.Range, extent: ast.Expression) -> bool:
    """Whether the index of a left side has this extent, as far as it says one."""
    match left.extent, extent:
        case None, _:
            return True
        case (ast.Name(one), ast.Name(other)) | (ast.Number(one), ast.Number(other)):
            return one == other
        case _:
            return False


def _declaration(
    name: str,
    sparse: Sparse,
    span: Span,
    extent: ast.Expression | None = None,
    last: ast.Expression | None = None,
) -> ast.TensorDeclaration:
    """That of an array: by default one element for each that is stored, of which an index tensor has a `last` value."""
    extents = (extent or ast.Name(sparse.count, span),)
    values = None if last is None else (ast.Number("0", span), last)
    return ast.TensorDeclaration("input", ast.Name(name, span), extents, None, span, values)


def _with_values(item: ast.Item, tensors: Mapping[str, Sparse]) -> ast.Item:
    """The outputs by the arrays of their values."""
    if not isinstance(item, ast.OutputDeclaration):
        return item
    names = (
        ast.Name(tensors[n.name].values, n.span) if n.name in tensors else n for n in item.names
    )
    return replace(item, names=tuple(names))


def _words(item: ast.Item) -> set[str]:
    words = set(index_names([item])) if isinstance(item, ast.Definition) else set()
    if isinstance(item, ast.Definition):
        for node in nodes((item.body,)):
            match node:
                case ast.Name(name) | ast.Element(ast.Name(name)):
                    words.add(name)
                case _:
                    pass
    return words


def _factors(term: ast.Expression) -> Iterator[ast.Expression]:
    """The factors of a product, denominators left out."""
    stack = [term]
    while stack:
        match stack.pop():
            case ast.Binary("*", left, right):
                stack += [right, left]
            case ast.Binary("/", left, _):
                stack.append(left)
            case ast.Unary(operand):
                stack.append(operand)
            case factor:
                yield factor


def _same(node: object, factor: ast.Expression) -> bool:
    return node is factor
