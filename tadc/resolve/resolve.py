"""Syntax to program: names, ranges, sizes, and the proof that reads stay inside.

After this nothing knows of `//`, `%`, boundary forms, or of indices without a range.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tadc.errors import ArgumentError, Error, ShapeError, Span, SyntaxError, counted, merged
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import EVERYWHERE, Domain, at_least_zero
from tadc.ir.element_types import ARITHMETIC_TYPES, INDEX, INDEX_TYPES
from tadc.ir.expr import Const
from tadc.ir.functions import FUNCTIONS
from tadc.ir.names import Names
from tadc.ir.program import DerivedSize, Program, Statement, Tensor
from tadc.ir.sparse import Sparse
from tadc.ir.walk import substitute
from tadc.resolve.bounds import ReadCheck, read_checks
from tadc.resolve.data import IndexTensors, index_tensors, is_whole
from tadc.resolve.declarations import in_order, index_names, names_in
from tadc.resolve.einstein import with_sums
from tadc.resolve.elaborate import CONSTANTS, ReadUse, elaborate
from tadc.resolve.index_expression import IndexExpressions
from tadc.resolve.ranges import bound_by_cases, infer_ranges
from tadc.resolve.requirements import required
from tadc.resolve.roundings import with_roundings
from tadc.resolve.scope import Index
from tadc.resolve.shapes import Fact, Shapes
from tadc.resolve.sizes import MOST, Sizes
from tadc.resolve.sparse import SparseTensors, sparse_error
from tadc.resolve.spelling import declared, spelled
from tadc.resolve.survey import Survey, surveyed
from tadc.syntax import ast
from tadc.syntax.base import declared_base
from tadc.syntax.tex.as_printed import as_printed

__all__ = ["Place", "Range", "Resolved", "declared_places", "resolve"]


@dataclass(frozen=True, slots=True)
class Range:
    """An index of the program, its range as text, and the rule and place that gave it."""

    index: str
    statement: str
    range: str
    rule: int
    place: Span | None


@dataclass(frozen=True, slots=True)
class Place:
    """The place where the shape of an input is stated or first used, as a whole and by dimension, or a size declared."""

    whole: Span
    dimensions: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """A program, and what a call must show before it runs: `facts` of its sizes, `checks` of its reads."""

    program: Program
    facts: tuple[Fact, ...]
    checks: tuple[ReadCheck, ...]
    ranges: tuple[Range, ...]
    skipped: tuple[Span, ...] = ()  # displays of a document that define nothing
    notes: tuple[ast.Note, ...] = ()  # how a document was read
    # The input and dimension of the sizes that no declaration names, and places of inputs and sizes.
    extents: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    statements: Mapping[str, Span] = field(default_factory=dict)  # by what they define
    versions: Mapping[str, str] = field(default_factory=dict)  # the state of each version, in order
    # The places of the rounds in which names were defined, outermost loop first.
    rounds: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    request: ast.Request | None = None  # the derivative that a document asks for
    sparse: tuple[Sparse, ...] = ()
    undecided: tuple[str, ...] = ()  # inputs that are indices if their arrays are of integers
    # Where elements of index tensors are moved inside of a tensor, as by `clamp`, or by a period, as by `wrap`.
    moved: Mapping[str, Span] = field(default_factory=dict)
    wrapped: Mapping[str, Span] = field(default_factory=dict)
    base: int = 0  # from which the text counts

    @property
    def states(self) -> dict[str, str]:
        """The last version of each state, in the order of their declarations: last versions stand last."""
        last: dict[str, str] = {}
        for version, state in self.versions.items():
            last.pop(state, None)
            last[state] = version
        return last


@dataclass(slots=True)
class _Draft:
    """A statement before the open extents have names."""

    statement: Statement
    survey: Survey
    uses: list[ReadUse]


def resolve(
    source: ast.Program,
    name: str,
    given: Mapping[str, int],
    index_base: int = 0,
    values: Sequence[str] = (),
    proved: bool = False,
) -> Resolved:
    """The meaning of a syntax tree. `given` are numbers for sizes, `values` inputs that are compared with indices and are none;
    `proved`: the reads are known to be in bounds, as far as data do not decide.

    Raises SyntaxError, ShapeError or RangeError, one error carrying those of all statements.
    """
    return _Resolver(source, name, given, index_base, values, proved).resolve()


class _Resolver:
    def __init__(
        self,
        source: ast.Program,
        name: str,
        given: Mapping[str, int],
        index_base: int,
        values: Sequence[str],
        proved: bool,
    ) -> None:
        self._proved = proved
        self._values = values
        self._name = name
        self._given = given
        self._errors: list[Error] = []
        base = declared_base(source.items)
        self._base = index_base if base is None else base
        self._sparse = SparseTensors.of(source.items, self._base)
        self._items = with_roundings(self._sparse.items)
        self._versions = source.versions
        self._rounds = source.rounds
        self._definitions = [i for i in self._items if isinstance(i, ast.Definition)]
        self._targets: dict[str, ast.Definition] = {}
        for definition in self._definitions:
            self._targets.setdefault(definition.target.name, definition)
        self._declared_sizes = self._find_sizes()
        # Sizes keep their names and indices make way; sizes that are found avoid every word of the text.
        self._names = Names(i.name.name for i in self._declared_sizes)
        words = re.findall(r"\w+", source.items[0].span.source.text) if source.items else []
        self._shapes = Shapes(Names(words), given)
        self._sizes = Sizes(Names(words), given, self._shapes)
        self._einstein = any(isinstance(i, ast.EinsteinDeclaration) for i in source.items)
        self._dtypes: dict[str, str | None] = {}
        self._data = IndexTensors(frozenset(), frozenset())
        self._inputs: dict[str, None] = {}
        self._broken: set[str] = set()
        self._required: list[Fact] = []
        self._defined: set[str] = set()  # by the statements so far

    def resolve(self) -> Resolved:
        sparse = self._sparse.tensors
        self._data = index_tensors(self._items, self._indices, (*self._values, *sparse))
        for name in sparse.keys() & self._data.read:
            self._errors.append(sparse_error(name, self._data, [d.body for d in self._definitions]))
        self._declare()
        drafts = [d for d in map(self._drafted, self._definitions) if d is not None]
        if not self._definitions and not self._errors:
            self._errors.append(
                SyntaxError(
                    None,
                    "the program defines no tensor",
                    fix="write a statement, such as `y[i] = 2*x[i]`",
                )
            )
        self._raise()
        return self._finished(drafts)

    def _raise(self) -> None:
        if self._errors:
            raise merged(e for error in self._errors for e in error.errors)

    # ------------------------------------------------------------------ declarations

    def _find_sizes(self) -> list[ast.SizeDeclaration]:
        """The sizes that the program declares, followed by the undeclared names in inputs' shapes."""
        sizes = [i for i in self._items if isinstance(i, ast.SizeDeclaration)]
        inputs = [i for i in self._items if isinstance(i, ast.TensorDeclaration)]
        said = frozenset(i.name.name for i in sizes)
        known = {*said}
        spelled = {name.casefold(): name for name in known}
        tensors = {*(i.name.name for i in inputs), *self._targets}
        indices = self._indices
        shapes = [*self._sparse.extents.values()]
        shapes += [i.extents for i in inputs if i.kind == "input" and i.extents is not None]
        for extents in shapes:
            for name in names_in(extents):
                if name.name in known:
                    continue
                known.add(name.name)
                sizes.append(ast.SizeDeclaration(name, None, name.span))
                other = spelled.setdefault(name.name.casefold(), name.name)
                problem = None
                if name.name in indices:
                    line = indices[name.name].span.line
                    problem = f"`{name.name}` is no declared size, and an index in line {line}"
                elif name.name in tensors:
                    problem = f"`{name.name}` is a tensor, not a size"
                elif other != name.name:
                    problem = f"`{name.name}` is no declared size, and `{other}` is one"
                if problem is not None:
                    size = declared(name.span, f"size {name.name}")
                    fix = f"give the size another name, or declare it: {size}"
                    if other != name.name:
                        both = "it too" if other in said else "both"
                        missing = name.name if other in said else f"{name.name}, {other}"
                        fix = f"write `{other}`, or declare {both}: {declared(name.span, f'size {missing}')}"
                    self._errors.append(SyntaxError(name.span, problem, fix=fix))
        return sizes

    def _declare(self) -> None:
        try:
            sizes = in_order(self._declared_sizes)
        except Error as error:
            self._errors.append(error)
            sizes = []
            for size in self._declared_sizes:
                self._sizes.assume(size.name.name)
        for size in sizes:
            try:
                self._sizes.declare(size)
            except Error as error:
                self._errors.append(error)
                self._sizes.assume(size.name.name)  # one error is enough
        for item in self._items:
            try:
                if isinstance(item, ast.TensorDeclaration):
                    self._declare_tensor(item)
                elif isinstance(item, ast.Requirement):
                    self._required += required(item, self._sizes)
            except Error as error:
                self._errors.append(error)
        for name, extents in self._sparse.extents.items():
            shape = tuple(map(self._sizes.form, extents))
            self._shapes.declare(name, shape, self._sparse.places[name])
        for definition in self._definitions:
            for argument in definition.arguments or ():
                if self._sizes.lookup(argument.name) is None:
                    self._inputs.setdefault(argument.name)

    def _declare_tensor(self, item: ast.TensorDeclaration) -> None:
        name = item.name.name
        assert item.kind != "state", "states have versions by now"
        if name in self._shapes or name in self._dtypes:
            raise SyntaxError(
                item.span, f"`{name}` is declared twice", fix="remove one declaration"
            )
        if item.kind == "input" and name in self._targets:
            raise SyntaxError(
                item.name.span,
                f"the input `{name}` is defined by a statement too",
                fix="rename one of them",
            )
        if any(isinstance(i, ast.SizeDeclaration) and i.name.name == name for i in self._items):
            self._check_is_no_size(name, item.name.span)
        dtype = self._element_type(name, item)
        if name not in self._targets:
            self._inputs.setdefault(name)
        self._dtypes[name] = dtype
        if item.extents is not None:
            shape = tuple(map(self._sizes.form, item.extents))
            for form, extent in zip(shape, item.extents, strict=True):
                _check_extent(form, extent.span)
            self._shapes.declare(name, shape, item.span)

    # ------------------------------------------------------------------ statements

    def _element_type(self, name: str, item: ast.TensorDeclaration | ast.Definition) -> str | None:
        """The declared type, INDEX for an index tensor, whose declared range is noted."""
        if item.values is not None:
            low, high = map(self._sizes.form, item.values)
            self._data.values[name] = low, high
        dtype = _declared_type(item.dtype)
        return INDEX if name in self._data else dtype

    def _drafted(self, definition: ast.Definition) -> _Draft | None:
        target = definition.target.name
        try:
            self._check_name(definition)
            # Index names are the statement's own: each statement starts from the names of sizes.
            indexing = IndexExpressions(
                self._sizes, self._names.copy(), self._base, self._data, self._shapes
            )
            if self._einstein:
                definition = with_sums(definition, self._sizes.names)
            survey = surveyed(definition, indexing)
            if not self._find_inputs(survey, target):
                self._broken.add(target)
                return None
            self._declared_ranges(definition, survey)
            self._check_ranks(survey)
            infer_ranges(survey, self._shapes, self._sizes)
            bound_by_cases(survey, self._sizes)
            left = survey.scopes[definition]
            body, uses = elaborate(definition, survey, self._shapes, indexing, self._sparse.tensors)
            shape = tuple(i.extent for i in left.indices.values())
            assert all(n is not None for n in shape), "a left index without an extent"
            extents = tuple(n for n in shape if n is not None)
            self._shapes.declare(target, extents, definition.target.span)
            self._defined.add(target)
            if is_whole(body, self._data):
                self._data.whole.add(target)
            elif target in self._data:
                raise SyntaxError(
                    definition.body.span,
                    f"`{target}` is used as an index, and its values need not be integers",
                    fix="write `floor(..)`, `ceil(..)` or `round(..)` around the whole",
                )
            dtype = self._element_type(target, definition) or self._dtypes.get(target)
            indices = tuple(i.symbol for i in left.indices.values())
            tensor = Tensor(target, extents, dtype, self._data.values.get(target))
            statement = Statement(tensor, indices, tuple(left.derived), body)
            return _Draft(statement, survey, uses)
        except Error as error:
            self._errors.append(error)
            self._broken.add(target)
            return None

    def _check_name(self, definition: ast.Definition) -> None:
        name, span = definition.target.name, definition.target.span
        first = self._targets[name]
        if first is not definition:
            raise SyntaxError(
                span,
                f"`{name}` is defined twice, first in line {first.target.span.line}",
                fix="each tensor is defined once: give the second another name",
            )
        self._check_is_no_size(name, span)

    def _check_is_no_size(self, name: str, span: Span) -> None:
        if self._sizes.lookup(name) is not None:
            self._broken.add(name)  # one error is enough
            fix = "give the tensor another name"
            if len(name) == 1:
                fix += spelled(span, "", f": `%!tadc {name} is {name}_of_data`")
            raise SyntaxError(span, f"`{name}` is a size", fix=fix)

    def _find_inputs(self, survey: Survey, target: str) -> bool:
        """Open the shapes of inputs that are read here first; false where an earlier error hides a tensor."""
        targets = self._targets
        whole = True
        for read in survey.reads:
            name = read.name if isinstance(read, ast.Name) else read.name.name
            if name in self._sparse.tensors:
                name = self._sparse.tensors[name].values
            if name in self._shapes and name not in targets:
                continue
            if name in self._broken:
                whole = False
            elif name in targets:
                if name not in self._defined:
                    if name == target:
                        raise _reads_itself(read, targets[name])
                    raise SyntaxError(
                        read.span,
                        f"`{name}` is read before it is defined (line {targets[name].target.span.line})",
                        fix="move its statement above this one",
                    )
            elif isinstance(read, ast.Element) or name not in CONSTANTS or name in self._inputs:
                rank = len(read.subscripts) if isinstance(read, ast.Element) else 0
                self._check_is_no_size(name, read.span)
                if rank == 0 and name not in self._inputs:
                    self._check_scalar(name, read.span)
                    if name in FUNCTIONS and isinstance(read, ast.Name):
                        raise SyntaxError(
                            read.span,
                            f"the function `{name}` has no argument here",
                            fix=spelled(
                                read.span,
                                f"write `{name}(x)`",
                                rf"write `\operatorname{{{name}}}(x)`",
                            )
                            + f", or declare a scalar of that name: {declared(read.span, f'input {name}[]')}",
                        )
                self._shapes.open(name, rank, read.span)
                self._inputs.setdefault(name)
        return whole

    def _check_ranks(self, survey: Survey) -> None:
        for read in survey.reads:
            tensor, given = (
                (read.name, 0)
                if isinstance(read, ast.Name)
                else (read.name.name, len(read.subscripts))
            )
            if tensor not in self._shapes:
                continue  # a constant, `pi`
            rank = len(self._shapes.shape(tensor))
            if given != rank:
                place = self._shapes.place(tensor)
                raise ShapeError(
                    read.span,
                    f"`{tensor}` has {counted(rank, 'dimension')} (line {place.line}, column {place.column}),"
                    f" and {counted(given, 'subscript')} here",
                    fix=f"write one subscript for each dimension of `{tensor}`",
                )

    def _check_scalar(self, name: str, span: Span) -> None:
        """An undeclared scalar with the name of an index is a misspelling."""
        if name in self._indices:
            line = self._indices[name].span.line
            raise SyntaxError(
                span,
                f"`{name}` is not in scope here, and an index elsewhere (line {line})",
                fix=f"sum over it, put it on the left side, or declare the scalar: {declared(span, f'input {name}[]')}",
            )

    @cached_property
    def _indices(self) -> dict[str, ast.Range]:
        """Every name that is an index somewhere, with a place where it is."""
        return index_names(self._definitions)

    def _declared_ranges(self, definition: ast.Definition, survey: Survey) -> None:
        """The declared shape of the defined tensor gives the ranges of its indices (rule 1)."""
        target = definition.target.name
        left = list(survey.scopes[definition].indices.values())
        if target in self._shapes:
            shape = self._shapes.shape(target)
            if len(shape) != len(left):
                raise ShapeError(
                    definition.target.span,
                    f"`{target}` is declared with {counted(len(shape), 'dimension')} and defined with {len(left)}",
                    fix="give it as many indices as it has dimensions",
                )
            for index, extent in zip(left, shape, strict=True):
                if index.extent is None:
                    index.within(extent, 1, self._shapes.place(target))
        for index in left:
            extent_ = index.extent
            if extent_ is not None:
                _check_extent(extent_, index.span)

    # ------------------------------------------------------------------ the program

    def _finished(self, drafts: list[_Draft]) -> Resolved:
        for name in self._inputs:
            if name not in self._shapes:
                self._shapes.open(name, 0, self._items[0].span)
        names = self._names.copy()
        for draft in drafts:
            for scope in draft.survey.scopes.values():
                for s in sorted(scope.symbols):
                    names.fresh(s)
        for name in (*self._inputs, *self._targets, *(d.name for d in self._sizes.derived)):
            names.fresh(name)
        values = self._shapes.named(names, self._given)
        known = [*self._sizes.names, *self._shapes.open_names]
        for unknown in self._given:
            if unknown not in known and unknown not in self._shapes.extents:
                raise ArgumentError(
                    None,
                    f"there is no size `{unknown}`",
                    fix=f"the sizes are {', '.join(known)}"
                    if known
                    else "the program has no sizes",
                )
        statements = tuple(_substituted(d.statement, values) for d in drafts)
        derived = tuple(
            DerivedSize(d.name, d.op, tuple(f.substitute(values) for f in d.forms), d.modulus)
            for d in self._sizes.derived
        )
        of_shapes = dict.fromkeys(
            s
            for n in self._inputs
            for form in self._shapes.shape(n)
            for s in form.substitute(values).symbols
        )
        derived_names = {d.name for d in derived}
        sizes = tuple(
            dict.fromkeys((*self._sizes.symbols, *(s for s in of_shapes if s not in derived_names)))
        )
        inputs = tuple(
            Tensor(
                n,
                tuple(f.substitute(values) for f in self._shapes.shape(n)),
                INDEX if n in self._data else self._dtypes.get(n),
                self._data.values.get(n),
            )
            for n in self._inputs
        )
        requirements = tuple(f.substitute(values) for f in self._required)
        facts = (*requirements, *(f.substitute(values) for f in self._shapes.facts))
        program = Program(
            self._name,
            sizes,
            derived,
            EVERYWHERE,
            inputs,
            statements,
            self._outputs(drafts),
            offsets=frozenset(self._sizes.offsets),
            requirements=Domain.of(f.condition for f in requirements),
        )
        self._check_offsets(program)
        own_facts = (c for c in (f.condition for f in facts) if c not in program.known.conditions)
        program = replace(program, facts=Domain.of(own_facts))
        checks = self._checks(drafts, program, facts, values)
        self._raise()
        return Resolved(
            program,
            facts,
            checks,
            _ranges(drafts, values),
            extents=self._shapes.extents,
            places=_places(self._items, drafts),
            statements={d.target.name: d.span for d in self._definitions},
            versions=dict(self._versions),
            rounds=dict(self._rounds),
            sparse=self._sparse.with_shapes(
                lambda name: tuple(f.substitute(values) for f in self._shapes.shape(name))
            ),
            undecided=tuple(n for n in self._inputs if n in self._data.compared),
            moved=self._data.moved,
            wrapped=self._data.wrapped,
            base=self._base,
        )

    def _checks(
        self,
        drafts: list[_Draft],
        program: Program,
        facts: tuple[Fact, ...],
        values: Mapping[Symbol, Affine],
    ) -> tuple[ReadCheck, ...]:
        checks: list[ReadCheck] = []
        known = program.known
        shapes = {n: t.shape for n, t in program.tensors.items()}
        for name in self._sparse.tensors:
            shapes[name] = tuple(f.substitute(values) for f in self._shapes.shape(name))
        allowed = Domain.of(
            (
                *(at_least_zero(symbol(s)) for s in program.sizes),
                *(c for d in program.derived_sizes for c in d.conditions),
                *(f.condition for f in facts if f.unless_empty is None),
            )
        )
        for draft in drafts:
            for use in draft.uses:
                if self._proved and not use.is_under_data:
                    continue
                try:
                    checks += read_checks(
                        use, shapes[use.tensor], values, known, allowed, self._base
                    )
                except Error as error:
                    self._errors.append(error)
                    break
        return tuple(c for c in checks if c.data or not self._proved)

    def _check_offsets(self, program: Program) -> None:
        """A size that may be 0 is no extent: programs are made for extents of at least 1."""
        for tensor in program.tensors.values():
            for form in tensor.shape:
                size = form.as_symbol()
                if size in program.offsets:
                    self._errors.append(
                        ShapeError(
                            self._shapes.place(tensor.name),
                            f"`{size} >= 0` says that {size} is no extent, and it is one of {tensor.name}",
                            fix=f"declare it as `size {size}`: an extent may be 0 without more words",
                        )
                    )

    def _outputs(self, drafts: list[_Draft]) -> tuple[str, ...]:
        """The tensors named by `output`; without one, those that no later statement reads."""
        known = {*self._inputs, *self._targets}
        named = [n for i in self._items if isinstance(i, ast.OutputDeclaration) for n in i.names]
        first = {n.name: k for k, n in reversed(list(enumerate(named)))}
        for k, n in enumerate(named):
            if n.name not in known:
                self._errors.append(
                    SyntaxError(
                        n.span,
                        f"the output `{n.name}` is not defined",
                        fix="define it by a statement, or remove it here",
                    )
                )
            elif first[n.name] != k:
                self._errors.append(
                    SyntaxError(n.span, f"the output `{n.name}` is named twice", fix="name it once")
                )
        if named:
            return tuple(n.name for n in named)
        read = {u.tensor for d in drafts for u in d.uses}
        read |= {s.values for n, s in self._sparse.tensors.items() if n in read}
        return tuple(name for name in self._targets if name not in read)


def _reads_itself(read: ast.Element | ast.Name, definition: ast.Definition) -> SyntaxError:
    """The error of a loop over time, which is no statement; one step is a program, and so are sums over earlier elements."""
    name = definition.target.name
    indices = [n.name.name for n in definition.lefts]
    is_step = isinstance(read, ast.Element) and indices
    k = indices[0] if indices else "t"
    total = spelled(read.span, f"`sum{{s | s < {k}}} ..`", rf"`\sum_{{s \mid s < {k}}} ..`")
    printed = as_printed(f"{name}_prime")
    idx, tex = (f"{name}_new[..]", f"{printed}_{{..}}") if indices else (f"{name}_new", printed)
    other = spelled(read.span, f"`{idx} = ..`", f"`{tex} = ..`")
    earlier = f"; what depends on earlier inputs alone is a sum, {total}" if is_step else ""
    return SyntaxError(
        read.span,
        f"`{name}` is read before it is defined (line {definition.target.span.line}): this statement defines it,"
        " and there are no loops over time",
        fix=f"give the result another name, {other}, so that `{name}` is an input, and call the program once a step{earlier}",
    )


def _declared_type(dtype: ast.Name | None) -> str | None:
    if dtype is None:
        return None
    if dtype.name not in (*ARITHMETIC_TYPES, *INDEX_TYPES):
        raise SyntaxError(
            dtype.span,
            f"there is no element type `{dtype.name}`",
            fix=f"write one of {', '.join(ARITHMETIC_TYPES)}, or `index`",
        )
    return INDEX if dtype.name in INDEX_TYPES else dtype.name


def _check_extent(extent: Affine, span: Span) -> None:
    if extent.is_constant and not 0 <= extent.constant <= MOST:
        bound = "at least 0" if extent.constant < 0 else f"at most {MOST}"
        raise ShapeError(span, f"the extent is {extent.constant}", fix=f"an extent is {bound}")


def _substituted(s: Statement, values: Mapping[Symbol, Affine]) -> Statement:
    # The largest range inside a tensor of extent 0 is below 0 for `x[i + 2]`.
    extents = (n.substitute(values) for n in s.target.shape)
    shape = tuple(constant(max(0, n.constant)) if n.is_constant else n for n in extents)
    derived = tuple(d.substitute(values) for d in s.derived)
    empty = any(n.is_constant and n.constant == 0 for n in shape)
    body = Const(0) if empty else substitute(s.body, values)
    ends = s.target.values
    if ends is not None:
        ends = ends[0].substitute(values), ends[1].substitute(values)
    return Statement(replace(s.target, shape=shape, values=ends), s.indices, derived, body)


def declared_places(items: Iterable[ast.Item]) -> dict[str, Place]:
    """The places of declarations of sizes and shapes, by name."""
    places: dict[str, Place] = {}
    for item in items:
        match item:
            case ast.SizeDeclaration(name):
                places[name.name] = Place(name.span)
            case ast.TensorDeclaration(name=name, extents=tuple(extents)):
                places[name.name] = Place(item.span, tuple(e.span for e in extents))
            case _:
                pass
    return places


def _places(items: Iterable[ast.Item], drafts: Iterable[_Draft]) -> dict[str, Place]:
    places = declared_places(items)
    for read in (read for draft in drafts for read in draft.survey.reads):
        if isinstance(read, ast.Name):
            places.setdefault(read.name, Place(read.span))
        else:
            subscripts = tuple(s.span for s in read.subscripts)
            places.setdefault(read.name.name, Place(read.span, subscripts))
    return places


def _ranges(drafts: list[_Draft], values: Mapping[Symbol, Affine]) -> tuple[Range, ...]:
    return tuple(
        Range(
            index.name,
            draft.statement.target.name,
            f"0..{index.extent.substitute(values) - 1}"
            if index.extent is not None
            else " and ".join(_said(index, values)),
            index.rule,
            index.place,
        )
        for draft in drafts
        for index in draft.survey.indices
    )


def _said(index: Index, values: Mapping[Symbol, Affine]) -> Iterator[str]:
    """The conditions of an index, as text: those that hold together, and of each case distinction its cases."""
    for condition in index.range:
        yield str(condition.substitute(values))
    for cases in index.cases:
        each = (" and ".join(str(c.substitute(values)) for c in case) for case in cases)
        yield f"({' or '.join(each)})"
