r"""The `.tex` spelling: a document or a bare formula to syntax tree.

`document` finds the mathematics, `macros` expands it, `found` cuts it into statements; `left_sides` and `told_apart` decide for
the whole document what its left sides, brackets and scripts mean, `vocabulary` what a letter is.
Then `reader` parses each statement alone by the grammar; what the trees become is in `meaning`. What is wrong in one does not hide
the others: the errors of a source are reported together.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

from tadc.errors import Source, merged
from tadc.syntax import ast, reading
from tadc.syntax.base import declared_base
from tadc.syntax.idx.parse import MOST_ERRORS
from tadc.syntax.likes import with_likes
from tadc.syntax.paths import refuse_path
from tadc.syntax.tex.agreed import with_agreed
from tadc.syntax.tex.approximations import without_second_values
from tadc.syntax.tex.bare_sums import with_limits_of_bare_sums
from tadc.syntax.tex.bold import bold_names, with_bold_letters
from tadc.syntax.tex.boundary_values import refuse_boundary_values
from tadc.syntax.tex.constant_vectors import refuse_constant_vectors
from tadc.syntax.tex.counted import counted
from tadc.syntax.tex.diagonal_matrices import with_diagonal_matrices
from tadc.syntax.tex.diagonals import with_diagonals
from tadc.syntax.tex.document import scanned, without_comments
from tadc.syntax.tex.dotted import implied_margins
from tadc.syntax.tex.dotted_sums import with_sums_for_dots
from tadc.syntax.tex.element_inverses import with_unclear_inverses
from tadc.syntax.tex.eulers_numbers import with_eulers_numbers
from tadc.syntax.tex.found import (
    Found,
    collect,
    collect_convention,
    collect_line,
    collect_statements,
    declared_ranks,
    ranks_of,
    refuse_two_declarations,
)
from tadc.syntax.tex.function_heads import (
    with_labelled_functions,
)
from tadc.syntax.tex.left_powers import with_named_squares
from tadc.syntax.tex.left_sides import drop_named_functions, make_targets_plain, take_functions
from tadc.syntax.tex.listed_elements import without_lists_of_elements
from tadc.syntax.tex.macros import expanded
from tadc.syntax.tex.meaning import Read, meaning
from tadc.syntax.tex.means import implied_means
from tadc.syntax.tex.nameless import with_nameless
from tadc.syntax.tex.new_inputs import refuse_dropped, refuse_new_inputs
from tadc.syntax.tex.numbered_sizes import numbered_sizes
from tadc.syntax.tex.outer_circles import with_unclear_circles
from tadc.syntax.tex.own_letters import own_letters
from tadc.syntax.tex.parameter_labels import with_parameter_labels
from tadc.syntax.tex.parities import with_parities
from tadc.syntax.tex.partitions import with_partitions
from tadc.syntax.tex.periods import periods_of, without_periods
from tadc.syntax.tex.prose import (
    applying,
    formulas_among,
    spoken_definitions,
    with_prose,
)
from tadc.syntax.tex.read_arguments import with_unclear_arguments
from tadc.syntax.tex.read_dividends import with_unclear_quotients
from tadc.syntax.tex.reader import Reader
from tadc.syntax.tex.requests import asked_derivative, with_request
from tadc.syntax.tex.script_tokens import Guess
from tadc.syntax.tex.sequences import with_unclear_sequences
from tadc.syntax.tex.shapes import (
    about,
    is_plain,
    of_rows,
    refuse_complex,
    sizes_of,
)
from tadc.syntax.tex.skipped import (
    determining_equations,
    nothing,
    products,
    told,
    unread_equations,
    without_factors,
)
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.statements import with_shared_ranges
from tadc.syntax.tex.told_apart import with_scripts
from tadc.syntax.tex.told_ranges import with_told_ranges
from tadc.syntax.tex.twin_definitions import with_capital_twins, with_twins
from tadc.syntax.tex.unclear_letters import (
    is_delta_raised,
    is_delta_unclear,
    is_sigmoid,
    says_charge,
    says_elementwise,
    says_kernel,
    with_unclear_delta,
)
from tadc.syntax.tex.unclear_subscripts import with_unclear_subscripts
from tadc.syntax.tex.updates import states_of
from tadc.syntax.tex.vocabulary import styled_apart, vocabulary
from tadc.syntax.tex.zero_logarithms import with_zero_logarithms

__all__ = ["parse_tex"]


def parse_tex(source: Source, index_base: int = 0) -> ast.Program:
    r"""The program that a LaTeX document, or a bare formula, holds; `skipped` are the displays that define nothing.

    `notes` say how formulas were read where that is not what stands there. Raises `SyntaxError` for every display whose left
    side is a tensor element and whose right side cannot be read, for wrong `%!tadc` lines, for a document without any
    definition, and for what may be read in two ways; several in one. `index_base` holds where nothing tells the first index.
    """
    refuse_path(source)
    source = replace(source, lang="tex")
    with reading.reading(source):
        return _program(source, index_base)


def _program(source: Source, index_base: int) -> ast.Program:
    document = scanned(source)
    found = Found(errors=list(document.errors))
    formulas = [r for r in document.regions if r.kind != "directive"]
    text, places = expanded(source, [(r.start, r.end) for r in formulas])
    text = replace(text, text=with_bold_letters(without_comments(text.text)))
    for region in document.regions:
        if region.kind == "directive":
            collect_line(found, source, region)
    refuse_two_declarations(found.items)
    regions = [replace(r, start=a, end=b) for r, (a, b) in zip(formulas, places, strict=True)]
    collect_convention(found, text)
    collect_statements(found, text, regions)

    found.displays = without_second_values(without_lists_of_elements(found.displays))
    found.displays = [with_shared_ranges(display) for display in found.displays]
    printed = [s for display in found.displays for s in display]
    periods = periods_of([*printed, *found.in_prose], text.text)
    found.displays = [without_periods(display) for display in found.displays]
    found.in_prose, found.spoken = without_periods(found.in_prose), without_periods(found.spoken)
    guesses = found.guesses
    found.displays = with_prose(found.displays, found.ranges, guesses)
    found.displays = with_diagonals(found.displays, guesses)
    declared = {i.name.name for i in found.items if isinstance(i, ast.TensorDeclaration)}
    found.displays, found.spoken = with_diagonal_matrices(
        found.displays, found.spoken, declared, guesses
    )
    found.displays = with_unclear_quotients(found.displays)
    found.displays = with_unclear_circles(found.displays, text.text)
    found.displays = with_unclear_inverses(found.displays, text.text)
    found.displays = [with_partitions(display) for display in found.displays]
    declared_first = declared_base(found.items)
    found.displays, first = with_parities(found.displays, declared_first, guesses)
    if first is not None and declared_first is None:
        found.items.append(ast.BaseDeclaration(first, text.span(0, 0)))
    found.displays = with_twins(found.displays, declared, guesses)
    found.displays = with_capital_twins(found.displays, declared, guesses)
    found.displays = with_parameter_labels(found.displays, declared, guesses)
    in_words = found.spoken
    functions = take_functions(found)
    drop_named_functions(found, {f.name for f in functions})
    found.displays, numbered = numbered_sizes(found.displays, declared, text)
    found.items = [*_without_sizes(found.items, numbered), *numbered]
    states = states_of(found.items)
    found.displays = with_unclear_sequences(found.displays, states)
    sizes = _sizes(found)
    spoken = [s for s in found.spoken if s.target not in sizes]
    ranks = declared_ranks(found)
    if not functions:
        found.displays = with_nameless(found.displays, guesses)
    heads = [f.statement for f in functions]
    printed_definitions = [s for d in found.displays for s in d if s.kind == "definition"]
    told_in_prose = spoken_definitions(found.displays, spoken, ranks, ranks_of(found), heads)
    for statement in told_in_prose:
        found.displays.append([statement])
        labels = [t.value for t in statement.tokens[1 : statement.equal] if t.type == "NUM"]
        said = f"`{'_'.join((statement.target, *labels))}` is defined in the prose"
        guesses.append(Guess(said, statement.start, statement.end))
    if functions and not any(found.displays):
        applied = applying(found.in_prose, {f.name for f in functions})
        found.displays += [[s] for s in with_labelled_functions(applied, functions)]
    found.displays = [
        [_with_sums(s, declared, guesses) if s.kind == "definition" else s for s in d]
        for d in found.displays
    ]
    functions = [
        replace(f, statement=_with_sums(f.statement, declared, guesses)) for f in functions
    ]
    means = implied_means(found.displays, declared, text.text, guesses)
    found.displays += [[mean] for mean in means]
    margins = implied_margins(found.displays, declared, text.text, guesses)
    found.displays += [[margin] for margin in margins]
    lists = make_targets_plain(found, states, functions)
    definitions, skipped = counted(
        found.displays,
        document.macros,
        text,
        states,
        {name for name, rank in ranks_of(found).items() if rank},
        lists.headed,
        heads,
    )
    definitions = with_unclear_arguments(
        definitions, {f.name: ({t.value for t in f.parameters}, f.statement) for f in functions}
    )
    asked = [
        (derivative, text.span(s.start, s.end))
        for s in skipped
        if s.kind == "skipped" and (derivative := asked_derivative(s.tokens)) is not None
    ]
    bodies_of_functions = [f.statement for f in functions]
    used = {
        t.value for s in (*definitions, *bodies_of_functions) for t in s.tokens if t.type == "NAME"
    }
    used |= {name.removesuffix("_prime") for name in used}  # `x_i' \beta` may be a transpose
    prose = [s for s in found.in_prose if s.kind == "shape" and is_plain(s)]
    shapes = about([*found.shapes, *prose], used - declared, declared)
    refuse_complex(shapes, text)
    refuse_boundary_values(definitions, [*found.in_prose, *found.spoken], declared, text)
    rows, ranks_of_rows, shapes = of_rows(shapes, definitions, bodies_of_functions)
    every = [*definitions, *bodies_of_functions]
    parameters = {f.statement.start: {t.value for t in f.parameters} for f in functions}
    every, shapes = styled_apart(every, shapes, declared, parameters)
    every = with_eulers_numbers(every, ranks_of(found), guesses)
    every = with_scripts(
        found,
        every,
        shapes,
        functions,
        lists,
        ranks_of_rows,
        text=text.text,
        has_kernels=says_kernel(source),
    )
    every = with_unclear_subscripts(every, ranks)
    if "delta" not in declared and (is_delta_unclear(text.text) or is_delta_raised(every)):
        every = [with_unclear_delta(s) for s in every]
    read, function_bodies = with_named_squares(
        every[: len(definitions)], every[len(definitions) :], guesses
    )
    words = vocabulary(
        found.items,
        [*read, *function_bodies],
        shapes,
        is_sigmoid=is_sigmoid(source),
        has_charges=says_charge(source),
    )
    reader = Reader(text, words, states)

    trees: list[Read] = []
    declared_rows: list[Any] = []
    for row in rows:
        collect(declared_rows, found.errors, lambda s=row: reader.shape(s))
    items = [*found.items, *sizes_of(text, found.items, [*shapes, *rows])]
    named = {s.tokens[0].value for s in (*shapes, *rows)} | {*words.directed, *words.sizes}
    bold = bold_names(read, named, function_bodies)
    for statement in sorted(shapes, key=lambda s: s.start):
        collect(items, found.errors, lambda s=statement: reader.shape(s))
    for statement in sorted(read, key=lambda s: s.start):
        collect(trees, found.errors, lambda s=statement: [reader.definition(s)])
        if len(found.errors) >= MOST_ERRORS:
            break
    bodies: list[Any] = []
    for function, statement in zip(functions, function_bodies, strict=True):
        collect(bodies, found.errors, lambda f=function, s=statement: [reader.function(f, s)])
    if not definitions and not found.errors:
        found.errors.append(nothing(text, skipped))
    found.errors += without_factors(text, found, skipped, definitions)
    found.errors += products(text, skipped, definitions)
    found.errors += unread_equations(text, skipped, definitions)
    found.errors += determining_equations(text, declared, skipped, every)
    if found.errors:
        raise merged(found.errors[:MOST_ERRORS])
    notes = [ast.Note(text.span(g.start, g.end), g.text, is_guess=True) for g in guesses]
    program = meaning(
        items,
        trees,
        dict(bodies),
        declared_rows,
        ranks_of_rows,
        index_base,
        notes,
        told(text, skipped),
        found.braces,
        bold,
        periods,
        is_elementwise=says_elementwise(text.text),
    )
    known = {i.name.name for i in items if isinstance(i, ast.TensorDeclaration)}
    refuse_constant_vectors(read, _ranged(found, named), text)
    refuse_new_inputs(program.items, known, [*read, *function_bodies], found.printed, text)
    dropped = formulas_among(in_words, [*printed_definitions, *heads], ranks, ranks_of(found))
    refuse_dropped(program.items, known, [*read, *function_bodies], dropped, found.printed, text)
    program = with_zero_logarithms(program, text)
    letters = dict(own_letters(text.text, [*read, *function_bodies, *shapes]))
    letters |= {told.name: told.letter for told in found.letters}
    whole = with_request(with_told_ranges(with_likes(program), found.told), asked)
    return replace(whole, letters=letters, notes=with_agreed(whole.notes, found.agreed))


def _ranged(found: Found, shaped: Set[str]) -> set[str]:
    """The names that a line, a shape or a range in the prose speaks of."""
    declared = {i.name.name for i in found.items if isinstance(i, ast.TensorDeclaration)}
    return {t.value for tokens in found.ranges for t in tokens} | declared | shaped


def _sizes(found: Found) -> set[str]:
    return {i.name.name for i in found.items if isinstance(i, ast.SizeDeclaration)}


def _without_sizes(
    items: Sequence[ast.Item], others: Sequence[ast.SizeDeclaration]
) -> list[ast.Item]:
    """The items without declarations of the same sizes as `others`."""
    names = {size.name.name for size in others}
    return [i for i in items if not isinstance(i, ast.SizeDeclaration) or i.name.name not in names]


def _with_sums(definition: Statement, declared: Set[str], guesses: list[Guess]) -> Statement:
    """The definition with its sums written out: those with dots, and those that do not say over which index."""
    return with_limits_of_bare_sums(with_sums_for_dots(definition, declared), declared, guesses)
