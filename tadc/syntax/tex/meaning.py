"""From the trees of a document's statements to a program: functions put in, ranges bound, vectors in index notation, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice

from tadc.errors import Error, SyntaxError, merged
from tadc.syntax import ast
from tadc.syntax.ast import Binary, Definition, Expression, Name, Note, Range
from tadc.syntax.base import declared_base
from tadc.syntax.nodes import Node, names_of, nodes, rewritten, values_in
from tadc.syntax.tex.base_values import refuse_compared
from tadc.syntax.tex.behind_transposes import vectors_behind_transposes
from tadc.syntax.tex.bold import NO_BOLD, Bold
from tadc.syntax.tex.centred import with_centred
from tadc.syntax.tex.columns import columns
from tadc.syntax.tex.composed import about_composed, composed_functions
from tadc.syntax.tex.extents import Extents
from tadc.syntax.tex.first_index import base_of
from tadc.syntax.tex.idle_sums import refuse_idle_sums
from tadc.syntax.tex.implicit import with_left_indices
from tadc.syntax.tex.inner_indices import with_inner_indices
from tadc.syntax.tex.integer_powers import with_products
from tadc.syntax.tex.known_tensors import Known, Ranks
from tadc.syntax.tex.left_ranges import with_extents, with_ranges_of_results
from tadc.syntax.tex.lost_deltas import refuse_lost_deltas
from tadc.syntax.tex.open_ranges import with_ends
from tadc.syntax.tex.order import in_order
from tadc.syntax.tex.own_functions import Inlined, inlined
from tadc.syntax.tex.periods import NO_PERIODS, Periods
from tadc.syntax.tex.primed_ranges import with_ranges_of_primes
from tadc.syntax.tex.ranges_of_others import with_ranges_of_others
from tadc.syntax.tex.read_ranges import with_ranges_of_reads
from tadc.syntax.tex.shortened import refuse_shortened
from tadc.syntax.tex.sizes import bound_sizes
from tadc.syntax.tex.summation import with_inner_sums
from tadc.syntax.tex.two_vectors import refuse_two_vectors
from tadc.syntax.tex.unclear_starts import refuse_unclear_starts, zeros_by_shape
from tadc.syntax.tex.updates import Brace, nested, refuse_range, states_of, update
from tadc.syntax.tex.vectors import in_index_notation
from tadc.syntax.tex.wide_sums import with_wide_sums
from tadc.syntax.tex.zero_starts import beginning_at_zero, with_starts_at_one, zeros_beside_all

__all__ = ["Read", "meaning"]


@dataclass(frozen=True, slots=True)
class Read:
    """A definition, and the ranges of its indices that are printed behind it; or an update of a state, read as one."""

    definition: Definition
    ranges: Mapping[str, Range] = field(default_factory=dict)
    is_shared: bool = False  # some may be those of other definitions
    is_update: bool = False


def meaning(
    items: Sequence[ast.Item],
    read: Sequence[Read],
    functions: Mapping[str, tuple[tuple[str, ...], Expression]],
    rows: Sequence[ast.TensorDeclaration],
    ranks_of_rows: Mapping[str, int],
    index_base: int,
    notes: list[Note],
    skipped: Sequence[ast.Skipped],
    braces: Sequence[Brace],
    bold: Bold = NO_BOLD,
    periods: Periods = NO_PERIODS,
    *,
    is_elementwise: bool = False,
) -> ast.Program:
    r"""The program; `rows` are shapes of what stands at an index, `x_i \in \mathbb{R}^{D}`, with the numbers of dimensions of the whole. Raises SyntaxError, one for all statements."""
    errors: list[Error] = []
    defined = {r.definition.target.name for r in read}
    updates = {r.definition.span.start for r in read if r.is_update}
    taken = names_of([*items, *(r.definition for r in read)])
    taken |= _names_of_ranges(read)
    bodies = composed_functions() | {name: Inlined(*body) for name, body in functions.items()}
    notes += about_composed([r.definition for r in read])
    definitions: list[Definition] = []
    is_einstein = any(isinstance(i, ast.EinsteinDeclaration) for i in items)
    named = {
        i.name.name for i in items if isinstance(i, (ast.SizeDeclaration, ast.TensorDeclaration))
    }
    for name, body in functions.items():
        said = f"`{name}` is a function: it is put in where it is applied"
        notes.append(Note(body[1].span, said))
    for r in read:
        try:
            if r.is_update:
                refuse_range(r.definition, r.ranges)
            bound = with_inner_indices(_bound(r), taken, notes)
            if not is_einstein:
                bound = with_wide_sums(bound, named, notes)
            whole = inlined(bound, bodies, taken)
            if not is_einstein:
                refuse_idle_sums(whole, named)
            definition = with_products(whole)
            definition = periods.applied(definition, notes)
            _refuse_imaginary(definition, items)
            refuse_lost_deltas(definition)
            definitions.append(_with_used_arguments(definition, defined))
        except SyntaxError as error:
            errors += error.errors
    _raise(errors)
    definitions = with_ranges_of_primes(with_ranges_of_reads(definitions, notes), notes)
    shaped = {i.name.name for i in items if isinstance(i, ast.TensorDeclaration) and i.extents}
    definitions = with_ranges_of_others(definitions, shaped, notes)
    notes += _about_deltas(definitions)
    declared = declared_base(items)
    printed = {i.name.name: i.extents for i in items if isinstance(i, ast.TensorDeclaration)}
    tensors = [i for i in items if isinstance(i, ast.TensorDeclaration)]
    integers = {i.name.name for i in tensors if i.values or _has_integers(i)}
    refuse_compared(definitions, integers)
    refuse_two_vectors(definitions, printed.keys())
    told = _base(definitions, printed, notes) if declared is None else declared
    base = index_base if told is None else told
    more: list[ast.Item] = []
    if base != index_base and declared is None:
        more.append(ast.BaseDeclaration(base, definitions[0].span))
    definitions = with_ranges_of_results(definitions, base)
    at_zero = beginning_at_zero(definitions, is_declared=declared is not None) or set()
    if base == 1:
        at_zero |= zeros_by_shape(definitions, at_zero, printed)
        definitions = _with_starts_at_one(definitions, at_zero, shaped, notes)
    definitions = with_centred(definitions, base, printed.keys(), notes)
    definitions = _with_left_indices(definitions, items, notes)
    definitions = with_ends(definitions, printed, base, taken, notes)
    definitions, moved = _placed(definitions, base, notes)
    known = {
        i.name.name for i in items if isinstance(i, (ast.SizeDeclaration, ast.TensorDeclaration))
    }
    rows = [r for r in rows if r.name.name not in known]
    known |= {n.name for d in definitions for n in d.arguments or ()}
    for size in bound_sizes(definitions, known):
        more.append(ast.SizeDeclaration(size, None, size.span))
        notes.append(Note(size.span, f"`{size.name}` is a size: it is a bound"))
    targets = {d.target.name for d in definitions}
    ranks = {n: rank for n, rank in _ranks(definitions).items() if n not in targets}
    ranks |= {r.name.name: ranks_of_rows[r.name.name] for r in rows}
    vectors = _with_bold(ranks, definitions, bold.vectors - targets, notes)
    vectors |= _with_vectors_behind(ranks, definitions, items, notes)
    # Updates keep their places, and so does what reads states before or after one.
    ordered = list if states_of(items) else in_order
    definitions = _in_index_notation(
        [*items, *more],
        ordered(definitions),
        Ranks(
            ranks,
            {r.name.name for r in rows} | vectors,
            bold.capitals - known,
            bold.numbered - known - targets,
            bold.added - known - targets,
        ),
        taken,
        notes,
        base,
        is_elementwise=is_elementwise,
    )
    sizes = {i.name.name for i in (*items, *more) if isinstance(i, ast.SizeDeclaration)}
    if any(isinstance(i, ast.EinsteinDeclaration) for i in items):
        definitions = [with_inner_sums(d, sizes) for d in definitions]
    shapes: dict[str, Sequence[Expression] | None] = {}
    shapes |= dict.fromkeys(n.name for d in definitions for n in d.arguments or ())
    shapes |= {i.name.name: i.extents for i in items if isinstance(i, ast.TensorDeclaration)}
    trailing = {r.name.name: r.extents or () for r in rows}
    extents = Extents(definitions, base, sizes, shapes, trailing, moved)
    inputs = extents.inputs(taken)
    undeclared = {i.name.name for i in more if isinstance(i, ast.SizeDeclaration)}
    refuse_shortened(inputs, items, undeclared, at_zero if base == 1 else None)
    definitions = extents.with_lefts()
    placed = [
        update(i) if isinstance(i, Definition) and i.span.start in updates else i
        for i in _in_places(items, ordered(definitions))
    ]
    return ast.Program(
        (*more, *nested(placed, braces), *inputs),
        tuple(s.span for s in skipped),
        tuple(notes),
        tuple(s.reason for s in skipped),
    )


def _names_of_ranges(read: Sequence[Read]) -> set[str]:
    """The names in ranges that are printed behind definitions: no new index may be called so."""
    bounds = [b for r in read for said in r.ranges.values() for b in (said.low, said.high) if b]
    return {n.name for n in nodes(bounds) if isinstance(n, Name)}


def _in_places(items: Sequence[ast.Item], definitions: Sequence[Definition]) -> list[ast.Item]:
    """All in the order of the text, but definitions in their own order at the places of definitions."""
    places = {id(d) for d in definitions}
    following = iter(definitions)
    ordered = sorted([*items, *definitions], key=lambda item: item.span.start)
    return [next(following) if id(i) in places else i for i in ordered]


def _with_used_arguments(definition: Definition, defined: Set[str]) -> Definition:
    """The definition without arguments that nothing in it reads, such as the `X` of `d_{ij}(X)`, that are `defined`, or that are bounds of
    sums: these are sizes.
    """
    if definition.arguments is None:
        return definition
    reductions = [n for n in nodes((definition.body,)) if isinstance(n, ast.Reduction)]
    bounds = {r.high.name for n in reductions for r in n.ranges if isinstance(r.high, Name)}
    used = names_of([replace(definition, arguments=None)]) - defined - bounds
    return replace(definition, arguments=tuple(n for n in definition.arguments if n.name in used))


def _refuse_unit_in_front(definition: Definition) -> None:
    r"""Raise for the `i` of `e^{i \theta_i}` and `e^{-i E_i t}` that is an index: in front of other factors it may be the imaginary unit."""
    bound = {r.name.name for r in definition.lefts}
    bound |= {
        r.name.name
        for node in nodes((definition.body,))
        if isinstance(node, ast.Reduction)
        for r in node.ranges
    }
    for node in nodes((definition.body,)):
        is_power = isinstance(node, ast.Application) and node.function.name == "exp"
        if not is_power or not isinstance(node, ast.Application):
            continue
        first, has_more = _first_factor(node.args[0])
        if has_more and isinstance(first, Name) and first.name in bound & {"i", "j"}:
            i = first.name
            raise SyntaxError(
                first.span,
                f"`{i}` may be the index or the imaginary unit, which is not there yet",
                fix=f"write the index behind the other factors, `e^{{-r {i}}}`",
            )


def _first_factor(e: Node) -> tuple[Node, bool]:
    """The first factor of an expression without sums, and whether others follow."""
    has_more = False
    while isinstance(e, (ast.Unary, Binary)):
        if isinstance(e, ast.Unary):
            e = e.operand
        elif e.operator in ("*", "/"):
            has_more, e = has_more or e.operator == "*", e.left
        else:
            break
    return e, has_more


def _refuse_imaginary(definition: Definition, items: Sequence[ast.Item]) -> None:
    r"""Raise for `e^{-i k x}`: an `i` that is no index and not declared is the imaginary unit; `j` too, in an exponent or as in `x + j y`."""
    known = {
        i.name.name for i in items if isinstance(i, (ast.SizeDeclaration, ast.TensorDeclaration))
    }
    known |= {r.name.name for r in definition.lefts} | {n.name for n in definition.arguments or ()}
    free = values_in(definition.body)
    if not known & {"i", "j"} - {r.name.name for r in definition.lefts}:
        _refuse_unit_in_front(definition)
    exponents = (
        node.args
        for node in nodes((definition.body,))
        if isinstance(node, ast.Application) and node.function.name == "exp"
    )
    with_j = [a for args in exponents for a in args]
    with_j += [
        node.right
        for node in nodes((definition.body,))
        if isinstance(node, Binary) and node.operator in ("+", "-") and _begins_with_j(node.right)
    ]
    for name, roots in (("i", [definition.body]), ("j", with_j)):
        for root in roots:
            place = values_in(root).get(name)
            if place is not None and name in free and name not in known:
                raise SyntaxError(
                    place.span,
                    f"`{name}` is no index here, and complex numbers are not there yet",
                    fix=rf"write real and imaginary part as formulas with `\cos` and `\sin`; a number is declared: `%!tadc input {name}[]`",
                )


def _begins_with_j(e: Expression) -> bool:
    """Whether it is a product that begins with `j`."""
    is_product = isinstance(e, Binary) and e.operator == "*"
    while isinstance(e, Binary) and e.operator == "*":
        e = e.left
    return is_product and isinstance(e, Name) and e.name == "j"


def _about_deltas(definitions: Sequence[Definition]) -> list[Note]:
    """A line on Kronecker's delta, for the first one."""
    said = r"`\delta_{ij}` is Kronecker's delta; data of that name is declared, `%!tadc input delta[N, M]`"
    deltas = (
        node
        for d in definitions
        for node in nodes((d.body,))
        if isinstance(node, ast.Application) and node.function.name == "delta"
    )
    return [Note(node.span, said) for node in islice(deltas, 1)]


def _raise(errors: Sequence[Error]) -> None:
    if errors:
        raise merged(errors)


def _bound(read: Read) -> Definition:
    """The definition with its printed ranges on the indices of its left side, and on sums that have none."""
    d, ranges = read.definition, dict(read.ranges)
    lefts = tuple(
        replace(r, low=ranges[r.name.name].low, high=ranges[r.name.name].high)
        if r.name.name in ranges
        else r
        for r in d.lefts
    )
    for r in d.lefts:
        ranges.pop(r.name.name, None)
    if not ranges:
        return replace(d, lefts=lefts)
    used: set[str] = set()

    def rule(node: Node) -> Node:
        if not isinstance(node, ast.Reduction):
            return node
        new = []
        for r in node.ranges:
            said = ranges.get(r.name.name)
            if said is not None and r.low is None and r.extent is None:
                r = replace(r, low=said.low, high=said.high)
                used.add(r.name.name)
            new.append(r)
        return replace(node, ranges=tuple(new))

    body = rewritten(d.body, rule)
    for name, said in ranges.items():
        if name not in used and not read.is_shared:
            raise SyntaxError(
                said.span,
                f"`{name}` has a range here, and is no index of the formula that has none",
                fix="remove the range, or put the index where it belongs",
            )
    return replace(d, lefts=lefts, body=body)


def _base(
    definitions: Sequence[Definition],
    shapes: Mapping[str, Sequence[Expression] | None],
    notes: list[Note],
) -> int | None:
    base, reason, span = base_of(definitions, shapes)
    if base == 1:
        refuse_unclear_starts(definitions, shapes.keys())
    if base is not None and span is not None:
        notes.append(Note(span, f"indices start at {base}, since {reason}"))
    places = (node.span for d in definitions for node in nodes((d.body,)) if _has_places(node))
    if base is None and (place := next(places, None)) is not None:
        said = "indices that are values count from 0: nothing tells the first one"
        notes.append(Note(place, said, is_guess=True))
    return base


def _has_places(node: Node) -> bool:
    r"""Whether some value counts elements: that of `\argmax`, or the `k_i` of `x_{k_i}`."""
    if isinstance(node, ast.Element):
        return any(isinstance(n, ast.Element) for n in nodes(node.subscripts))
    return isinstance(node, ast.Reduction) and node.op.name in ("argmax", "argmin")


def _with_starts_at_one(
    definitions: Sequence[Definition],
    dimensions: Set[tuple[str, int]],
    shaped: set[str],
    notes: list[Note],
) -> list[Definition]:
    """The definitions with first subscripts of 1 for the 0 of these dimensions; `shaped` are tensors whose extents are declared, so that
    these count.
    """
    for name in dict.fromkeys(sorted(name for name, _ in dimensions)):
        reads = [n for d in definitions for n in nodes((d.body,)) if isinstance(n, ast.Element)]
        place = next(read for read in reads if read.name.name == name)
        if name not in shaped and (at := next(zeros_beside_all(definitions, name), None)):
            raise SyntaxError(
                at.span,
                f"`{at.span.text}` may be the first element of `{name}`, or a number of its own",
                fix=f"write `%!tadc input {name}_0[]` for the number; for the element declare `{name}`, `%!tadc input {name}[N+1]`",
            )
        said = f"`{name}` begins at 0, since a subscript is 0; the other tensors begin at 1"
        notes.append(Note(place.span, said, is_guess=name not in shaped))
    return [with_starts_at_one(d, dimensions) if dimensions else d for d in definitions]


def _with_left_indices(
    definitions: Sequence[Definition], items: Sequence[ast.Item], notes: list[Note]
) -> list[Definition]:
    if any(isinstance(i, ast.EinsteinDeclaration) for i in items):
        return list(definitions)
    known = {
        i.name.name for i in items if isinstance(i, (ast.SizeDeclaration, ast.TensorDeclaration))
    }
    shapes = {i.name.name: i.extents for i in items if isinstance(i, ast.TensorDeclaration)}
    result = []
    for d in definitions:
        new = with_left_indices(d, known, shapes)
        if new is not d:
            notes.append(
                Note(
                    d.span,
                    f"the free indices are those of the left side: {_left(new)}",
                    is_guess=True,
                )
            )
        result.append(new)
    return result


def _placed(
    definitions: Sequence[Definition], base: int, notes: list[Note]
) -> tuple[list[Definition], set[str]]:
    """The definitions with extents for printed ranges, and the names of those that begin at another element than the base."""
    result = []
    moved = set()
    for definition, said in with_extents(definitions, base):
        if said:
            notes.append(Note(definition.target.span, said))
            moved.add(definition.target.name)
        result.append(definition)
    return result, moved


def _in_index_notation(
    items: Sequence[ast.Item],
    definitions: Sequence[Definition],
    ranks: Ranks,
    taken: set[str],
    notes: list[Note],
    base: int,
    *,
    is_elementwise: bool,
) -> list[Definition]:
    shapes = {
        i.name.name: i.extents
        for i in items
        if isinstance(i, ast.TensorDeclaration) and i.extents is not None
    }
    of_columns = columns(definitions, shapes, base)
    for read in of_columns.values():
        text = f"`{read.span.text}` is a column: its index runs along the second dimension"
        notes.append(Note(read.span, text, is_guess=True))
    known = Known(ranks, shapes, taken, base, of_columns.keys(), is_elementwise=is_elementwise)
    every = list(nodes([d.body for d in definitions]))
    known.wholes = {n.name for n in every if isinstance(n, Name)}
    known.wholes -= {n.name.name for n in every if isinstance(n, ast.Element)} | shapes.keys()
    errors: list[Error] = []
    result: list[Definition] = []
    for definition in definitions:
        try:
            new, is_other = in_index_notation(known, definition)
        except SyntaxError as error:
            errors += error.errors
            continue
        result.append(new)
        if is_other:
            notes.append(
                Note(definition.span, "vectors and matrices are written in index notation")
            )
    notes += known.guesses.values()
    _raise(errors)
    return result


def _with_bold(
    ranks: dict[str, int], definitions: Sequence[Definition], bold: Set[str], notes: list[Note]
) -> set[str]:
    """The bold names that formulas read as vectors, at each of their indices; `ranks` learns them."""
    vectors: set[str] = set()
    for node in (node for d in definitions for node in nodes((d.body,))):
        name = node if isinstance(node, Name) else getattr(node, "name", None)
        if not isinstance(name, Name) or name.name not in bold - vectors:
            continue
        if isinstance(node, ast.Element) and name.name not in ranks:
            continue  # with other numbers of subscripts elsewhere
        vectors.add(name.name)
        ranks[name.name] = ranks.get(name.name, 0) + 1
        style = "it has an arrow" if r"\vec" in node.span.text else "it is bold"
        text = f"`{node.span.text}` is a vector: {style}"
        notes.append(Note(node.span, text, is_guess=True))
    return vectors


def _with_vectors_behind(
    ranks: dict[str, int],
    definitions: Sequence[Definition],
    items: Sequence[ast.Item],
    notes: list[Note],
) -> set[str]:
    """The names behind transposes of vectors that nothing declares, which are vectors; `ranks` learns them."""
    shapes = {i.name.name: i.extents for i in items if isinstance(i, ast.TensorDeclaration)}
    declared = {n: len(extents) for n, extents in shapes.items() if extents is not None}
    sizes = {i.name.name for i in items if isinstance(i, ast.SizeDeclaration)}
    found = vectors_behind_transposes(
        definitions, ranks | declared, shapes.keys() | sizes | ranks.keys()
    )
    for name, place in found.items():
        ranks[name] = 1
        text = f"`{place.span.text}` is a vector: it stands behind the transpose of one"
        notes.append(Note(place.span, text, is_guess=True))
    return {*found}


def _ranks(definitions: Sequence[Definition]) -> dict[str, int]:
    """The ranks of names that have as many subscripts wherever they have some."""
    counts: dict[str, set[int]] = {}
    for d in definitions:
        for node in nodes((d.body,)):
            if isinstance(node, ast.Element):
                counts.setdefault(node.name.name, set()).add(len(node.subscripts))
    return {name: ranks.pop() for name, ranks in counts.items() if len(ranks) == 1}


def _left(definition: Definition) -> str:
    listed = ", ".join(r.name.name for r in definition.lefts)
    return f"`{definition.target.name}[{listed}]`" if listed else f"`{definition.target.name}`"


def _has_integers(i: ast.TensorDeclaration) -> bool:
    """Whether the line declares an index tensor by its type."""
    return i.dtype is not None and (i.dtype.name == "index" or "int" in i.dtype.name)
