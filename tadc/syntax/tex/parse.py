r"""The `.tex` spelling: a document or a bare formula to syntax tree.

`document` finds the mathematics, `macros` expands it, `tokens` and `statements` cut it into statements; `targets`, `brackets`,
`sets` and `scripts` decide for the whole document what its left sides, brackets and scripts mean, `vocabulary` what a letter is.
Then `reader` parses each statement alone by the grammar; what the trees become is in `meaning`. What is wrong in one does not hide
the others: the errors of a source are reported together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

from tadc.errors import Error, Source, SyntaxError, merged
from tadc.syntax import ast, reading
from tadc.syntax.base import declared_base
from tadc.syntax.idx.parse import MOST_ERRORS, parse_piece
from tadc.syntax.likes import with_likes
from tadc.syntax.paths import refuse_path
from tadc.syntax.tex.agreed import Agreed, agreed, with_agreed
from tadc.syntax.tex.bare_logarithms import with_whole_logarithms
from tadc.syntax.tex.bare_sums import with_limits_of_bare_sums
from tadc.syntax.tex.bold import bold_names, with_bold_letters
from tadc.syntax.tex.brackets import Brackets, applied_subscripts, indexed_names
from tadc.syntax.tex.counted import counted
from tadc.syntax.tex.declared_sets import with_rows_of_sets
from tadc.syntax.tex.diagonals import with_diagonals
from tadc.syntax.tex.document import Region, scanned
from tadc.syntax.tex.dotted import implied_margins
from tadc.syntax.tex.dotted_sums import with_sums_for_dots
from tadc.syntax.tex.function_heads import (
    OwnFunction,
    own_functions,
    with_labelled_functions,
)
from tadc.syntax.tex.integrals import with_integrals
from tadc.syntax.tex.left_powers import with_named_squares
from tadc.syntax.tex.logarithms import with_logarithms
from tadc.syntax.tex.macros import Expansion, expanded
from tadc.syntax.tex.meaning import Read, meaning
from tadc.syntax.tex.means import implied_means
from tadc.syntax.tex.nameless import with_nameless
from tadc.syntax.tex.own_letters import own_letters
from tadc.syntax.tex.passes import passed
from tadc.syntax.tex.periods import periods_of, without_periods
from tadc.syntax.tex.points import (
    functions_at_points,
)
from tadc.syntax.tex.primes import with_primes
from tadc.syntax.tex.proportions import unnormalized
from tadc.syntax.tex.prose import (
    applying,
    defines,
    says_condition,
    says_for,
    says_ranges,
    says_where,
    spoken_definitions,
    with_prose,
)
from tadc.syntax.tex.read_dividends import with_unclear_quotients
from tadc.syntax.tex.reader import Reader
from tadc.syntax.tex.requests import asked_derivative, with_request
from tadc.syntax.tex.same_letters import letters_apart
from tadc.syntax.tex.script_tokens import Guess, left_indices, names_in_bounds, scripted
from tadc.syntax.tex.scripts import Scripts
from tadc.syntax.tex.sets import without_sets
from tadc.syntax.tex.shapes import (
    about,
    extents_of,
    is_plain,
    of_rows,
    place_of_in,
    rank_of,
    sizes_of,
)
from tadc.syntax.tex.sides import is_about_probabilities, without_named_functions
from tadc.syntax.tex.statements import (
    Statement,
    add_range_behind,
    depths,
    statements,
    with_ranges_of_prose,
    with_shared_ranges,
)
from tadc.syntax.tex.targets import at_points, with_plain_targets
from tadc.syntax.tex.time_steps import TimeSteps
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.tokens import tokenize
from tadc.syntax.tex.told_functions import says_any_function
from tadc.syntax.tex.told_letters import ToldLetter, told_letter, with_told_letters
from tadc.syntax.tex.told_ranges import told_range, with_told_ranges
from tadc.syntax.tex.updates import Brace, brace_of, states_of
from tadc.syntax.tex.vocabulary import styled_apart, vocabulary

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


@dataclass(slots=True)
class _Found:
    """What the regions of a document hold."""

    items: list[ast.Item] = field(default_factory=list)
    errors: list[Error] = field(default_factory=list)
    displays: list[list[Statement]] = field(default_factory=list)
    shapes: list[Statement] = field(default_factory=list)
    in_prose: list[Statement] = field(default_factory=list)
    spoken: list[Statement] = field(default_factory=list)  # those of `where $x = ..$`
    ranges: list[list[Token]] = field(default_factory=list)  # those that the prose says
    is_upper: bool = False
    braces: list[Brace] = field(default_factory=list)
    guesses: list[Guess] = field(default_factory=list)
    letters: list[ToldLetter] = field(default_factory=list)
    told: list[ast.TensorDeclaration] = field(default_factory=list)  # ranges of what is defined
    agreed: list[Agreed] = field(default_factory=list)


def _program(source: Source, index_base: int) -> ast.Program:
    document = scanned(source)
    found = _Found(errors=list(document.errors))
    formulas = [r for r in document.regions if r.kind != "directive"]
    text, places = expanded(source, [(r.start, r.end) for r in formulas])
    text = replace(text, text=with_bold_letters(text.text))
    for region in document.regions:
        if region.kind == "directive":
            _directive(found, source, region)
    regions = [replace(r, start=a, end=b) for r, (a, b) in zip(formulas, places, strict=True)]
    _collect_convention(found, text)
    _collect_statements(found, text, regions)

    found.displays = [with_shared_ranges(display) for display in found.displays]
    printed = [s for display in found.displays for s in display]
    periods = periods_of([*printed, *found.in_prose], text.text)
    found.displays = [without_periods(display) for display in found.displays]
    found.in_prose, found.spoken = without_periods(found.in_prose), without_periods(found.spoken)
    guesses = found.guesses
    found.displays = with_prose(found.displays, found.ranges, guesses)
    found.displays = with_diagonals(found.displays, guesses)
    found.displays = with_unclear_quotients(found.displays)
    functions = _own_functions(found)
    _drop_named_functions(found, {f.name for f in functions})
    states = states_of(found.items)
    for statement in spoken_definitions(found.displays, found.spoken):
        found.displays.append([statement])
        said = f"`{statement.target}` is defined in the prose"
        guesses.append(Guess(said, statement.start, statement.end))
    if functions and not any(found.displays):
        applied = applying(found.in_prose, {f.name for f in functions})
        found.displays += [[s] for s in with_labelled_functions(applied, functions)]
    if not functions:
        found.displays = with_nameless(found.displays, guesses)
    declared = {i.name.name for i in found.items if isinstance(i, ast.TensorDeclaration)}
    found.displays = [
        [_with_sums(s, declared, guesses) if s.kind == "definition" else s for s in d]
        for d in found.displays
    ]
    functions = [
        replace(f, statement=_with_sums(f.statement, declared, guesses)) for f in functions
    ]
    means = implied_means(found.displays, declared, source.text, guesses)
    found.displays += [[mean] for mean in means]
    margins = implied_margins(found.displays, declared, source.text, guesses)
    found.displays += [[margin] for margin in margins]
    lists = _make_targets_plain(found, states, functions)
    definitions, skipped = counted(
        found.displays,
        document.macros,
        text,
        states,
        {name for name, rank in _ranks(found).items() if rank},
        lists.headed,
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
    prose = [s for s in found.in_prose if s.kind == "shape" and is_plain(s)]
    shapes = about([*found.shapes, *prose], used - declared, declared)
    rows, ranks_of_rows, shapes = of_rows(shapes, definitions)
    every = [*definitions, *bodies_of_functions]
    parameters = {f.statement.start: {t.value for t in f.parameters} for f in functions}
    every, shapes = styled_apart(every, shapes, declared, parameters)
    every = _with_scripts(found, every, shapes, functions, lists, ranks_of_rows)
    if "delta" not in declared and _is_delta_unclear(text.text):
        every = [_with_unclear_delta(s) for s in every]
    read, function_bodies = with_named_squares(every[: len(definitions)], every[len(definitions) :])
    words = vocabulary(found.items, [*read, *function_bodies], shapes, _is_sigmoid(source))
    reader = Reader(text, words, states)

    trees: list[Read] = []
    declared_rows: list[Any] = []
    for row in rows:
        _collect(declared_rows, found.errors, lambda s=row: reader.shape(s))
    items = [*found.items, *sizes_of(text, found.items, [*shapes, *rows])]
    named = {s.tokens[0].value for s in (*shapes, *rows)} | {*words.directed, *words.sizes}
    bold = bold_names(read, named)
    for statement in sorted(shapes, key=lambda s: s.start):
        _collect(items, found.errors, lambda s=statement: reader.shape(s))
    for statement in sorted(read, key=lambda s: s.start):
        _collect(trees, found.errors, lambda s=statement: [reader.definition(s)])
        if len(found.errors) >= MOST_ERRORS:
            break
    bodies: list[Any] = []
    for function, statement in zip(functions, function_bodies, strict=True):
        _collect(bodies, found.errors, lambda f=function, s=statement: [reader.function(f, s)])
    if not definitions and not found.errors:
        found.errors.append(_nothing(text, skipped))
    found.errors += _without_factors(text, found, skipped, definitions)
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
        _told(text, skipped),
        found.braces,
        bold,
        periods,
    )
    letters = dict(own_letters(text.text, [*read, *function_bodies, *shapes]))
    letters |= {told.name: told.letter for told in found.letters}
    whole = with_request(with_told_ranges(with_likes(program), found.told), asked)
    return replace(whole, letters=letters, notes=with_agreed(whole.notes, found.agreed))


_SAYS_SUMMATION = re.compile(
    r"(?<!no )\b(?:summ(?:ation|ing|ed)\s+(?:convention|over\s+(?:the\s+)?repeated)|repeated\s+(?:\w+\s+)?ind(?:ices|exes)"
    r"|Einstein(?:'s|ian)?\s+(?:summation|sum|notation|convention))\b",
    re.IGNORECASE,
)


def _collect_convention(found: _Found, text: Expansion) -> None:
    """Declare `einstein` where the document says in its prose that repeated indices are summed."""
    said = _SAYS_SUMMATION.search(text.text)
    if said is None or any(isinstance(i, ast.EinsteinDeclaration) for i in found.items):
        return
    if re.search(r"\bno\s+(?:implied\s+)?sum", text.text, re.IGNORECASE):
        return
    found.items.append(ast.EinsteinDeclaration(text.span(*said.span())))
    found.guesses.append(Guess("repeated indices are summed: the prose says so", *said.span()))


def _with_sums(definition: Statement, declared: Set[str], guesses: list[Guess]) -> Statement:
    """The definition with its sums written out: those with dots, and those that do not say over which index."""
    return with_limits_of_bare_sums(with_sums_for_dots(definition, declared), declared, guesses)


def _directive(found: _Found, source: Source, region: Region) -> None:
    if source.text[region.start : region.end].strip() == "upper":
        found.is_upper = True
        return
    if (line := agreed(source, region)) is not None:
        found.agreed.append(line)
        return
    letters: list[ToldLetter | None] = []
    _collect(letters, found.errors, lambda: [told_letter(source, region)])
    if letters != [None]:
        found.letters += filter(None, letters)
        return
    told: list[ast.TensorDeclaration | None] = []
    _collect(told, found.errors, lambda: [told_range(source, region)])
    if told != [None]:
        found.told += filter(None, told)
        return
    braces: list[Brace | None] = []
    _collect(braces, found.errors, lambda: [brace_of(source, region)])
    if braces == [None]:
        _collect(found.items, found.errors, lambda: parse_piece(source, region.start, region.end))
    else:
        found.braces += filter(None, braces)


def _collect_statements(found: _Found, text: Expansion, regions: Sequence[Region]) -> None:
    """Cut the regions into statements, and give ranges in the prose to the display that they follow."""
    tokens = {r: with_told_letters(_tokens(text, r), found.letters) for r in regions}
    ranks = _declared_ranks(found)
    steps = TimeSteps(
        {name: ranks.get(name, 0) for name in states_of(found.items)},
        any(isinstance(b.head, ast.Block) for b in found.braces),
    )
    tokens |= {r: steps(tokens[r]) for r in regions if r.kind != "inline"}
    named = (ast.SizeDeclaration, ast.TensorDeclaration)
    streams = passed(
        [tokens[r] for r in regions],
        [r.kind == "inline" for r in regions],
        {i.name.name for i in found.items if isinstance(i, named)},
        _declared_ranks(found),
        text.text,
        found.guesses,
        is_upper=found.is_upper,
    )
    end = 0  # of the last display, and of the ranges after it
    before: Region | None = None  # the last formula in the prose
    following = {r: tokens[after] for r, after in pairwise(regions)}
    for region, stream in zip(regions, streams, strict=True):
        if region.kind != "inline":
            end = region.end
        elif found.displays and _BEHIND.fullmatch(text.text, end, region.start):
            is_range = add_range_behind(found.displays[-1], tokens[region])
            end = region.end if is_range else end
            if not is_range and says_ranges(text.text[: region.start], tokens[region]):
                found.ranges.append(tokens[region])
        elif says_ranges(text.text[: region.start], tokens[region]):
            found.ranges.append(tokens[region])
        said = statements(stream)
        if region.kind == "inline":
            behind = text.text[region.end : region.end + 40]
            if says_condition(behind, following.get(region, ())):
                said = [_conditional(s) for s in said]
            found.in_prose += said
            is_told = says_where(text.text[: region.start], behind)
            found.spoken += [s for s in said if is_told or defines(s)]
        else:
            if before is not None and says_for(
                text.text[: before.start], text.text[before.end : region.start]
            ):
                said = with_ranges_of_prose(said, [tokens[before]])
            found.shapes += [s for s in said if s.kind == "shape"]
            found.displays.append(said)
        before = region if region.kind == "inline" else None


_BEHIND = re.compile(
    r"(?:[\s.,;~&()$]|\\\]|\\\(|\\\)|\\end\{\w+\*?\}|\\label\{[^{}]*\}|\b(?:for|where|with|and|all|each|every|any)\b)*"
)  # tokens that may stand between a display and a range that belongs to it


def _conditional(statement: Statement) -> Statement:
    """The definition with an error behind it: its condition is in the words."""
    if statement.kind != "definition":
        return statement
    fact = "the condition in the words behind this definition would be dropped"
    fix = r"write `\begin{cases} a & \text{if } c \\ b & \text{otherwise} \end{cases}`, or declare what is defined as an input"
    unread = Token("ERROR", fact, statement.start, statement.end, fix)
    return replace(statement, tokens=(*statement.tokens, unread))


def _collect(into: list[Any], errors: list[Error], parse: Any) -> None:
    try:
        into += parse()
    except SyntaxError as error:
        errors += error.errors


def _tokens(text: Expansion, region: Region) -> list[Token]:
    tokens = tokenize(text, region.start, region.end)
    return _with_lines(text, tokens) if region.kind == "bare" else tokens


def _with_lines(text: Expansion, tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens of a file without displays, where a new line may begin a new formula, as `\\` does in a display."""
    result: list[Token] = []
    for token, depth in depths(tokens):
        if result and depth == 0 and "\n" in text.text[result[-1].end : token.start]:
            result.append(Token("BREAK", "\n", token.start, token.start))
        result.append(token)
    return result


# ---------------------------------------------------------------------- left sides and functions


class _Lists(NamedTuple):
    """The names that left sides have with lists: all, those whose lists are indices, and those of lists of elements."""

    headed: set[str]
    indexed: set[str]
    at_points: set[str]


def _make_targets_plain(
    found: _Found, states: frozenset[str], functions: Sequence[OwnFunction]
) -> _Lists:
    """Bring left sides to the form of the grammar."""
    printed = [s for display in found.displays for s in display if s.kind == "definition"]
    plain = with_plain_targets(
        with_logarithms(printed),
        states,
        _ranks(found),
        {f.name for f in functions},
        {f.name for f in functions if f.has_tensor_below},
        found.guesses,
    )
    pairs = list(zip(printed, plain, strict=True))
    by_place = {id(old): new for old, new in pairs}
    found.displays = [[by_place.get(id(s), s) for s in display] for display in found.displays]
    has_list = [any(t.type in ("LPAR", "LSQB") for t in d.tokens[: d.equal]) for d in printed]
    headed = {
        old.target
        for (old, new), listed in zip(pairs, has_list, strict=True)
        if listed and (old.is_scalar or new.target == old.target)  # `p_x(i) =` has an index
        if not _has_more_indices(old, new)
    }
    return _Lists(
        headed,
        {
            new.target
            for old, new in pairs
            if (old.is_scalar and not new.is_scalar) or _has_more_indices(old, new)
        },
        {new.target for old, new in pairs if at_points(old) and not at_points(new)},
    )


def _has_more_indices(old: Statement, new: Statement) -> bool:
    r"""Whether `a_t(s) =` became an element with both indices."""
    before = len(left_indices(old.tokens))
    return old.target == new.target and 0 < before < len(left_indices(new.tokens))


def _declared_ranks(found: _Found) -> dict[str, int]:
    """The numbers of dimensions that lines declare."""
    tensors = (i for i in found.items if isinstance(i, ast.TensorDeclaration))
    return {i.name.name: len(i.extents) for i in tensors if i.extents is not None}


def _ranks(found: _Found) -> dict[str, int]:
    """The numbers of dimensions that lines and shapes declare."""
    ranks = _declared_ranks(found)
    shapes = (s for s in (*found.shapes, *found.in_prose) if s.kind == "shape")
    return ranks | {s.tokens[0].value: rank_of(s) for s in shapes}


def _own_functions(found: _Found) -> list[OwnFunction]:
    """The functions that displays and prose define and that others apply; their displays are no definitions any more."""
    displayed = [s for display in found.displays for s in display if s.kind == "definition"]
    declared = {i.name.name for i in found.items if isinstance(i, ast.TensorDeclaration)}
    prose = (s for s in found.in_prose if s.kind == "definition" and s.target not in declared)
    candidates = [*displayed, *prose]
    functions = own_functions(candidates, applied_subscripts(candidates))
    heads = {id(f.printed) for f in functions}
    found.displays = [
        with_labelled_functions([s for s in display if id(s) not in heads], functions)
        for display in found.displays
    ]
    found.spoken = [s for s in found.spoken if id(s) not in heads]
    bodies = with_labelled_functions([f.statement for f in functions], functions)
    return [replace(f, statement=body) for f, body in zip(functions, bodies, strict=True)]


def _drop_named_functions(found: _Found, functions: Set[str]) -> None:
    """Leave out what only names the function that something is the value of."""
    tensors = {i.name.name for i in found.items if isinstance(i, ast.TensorDeclaration)}
    others = tensors | {name.rpartition("_")[0] for name in tensors if "_" in name}
    definitions = [s for d in found.displays for s in d if s.kind == "definition"]
    kept = {id(s) for s in without_named_functions(definitions, others, functions)}
    found.displays = [
        [s for s in d if s.kind != "definition" or id(s) in kept] for d in found.displays
    ]
    found.spoken = without_named_functions(found.spoken, others, functions)
    _skip_probabilities(found)


def _skip_probabilities(found: _Found) -> None:
    """Skip definitions by conditional probabilities where others define something, and read none of what these define."""
    definitions = [s for d in found.displays for s in d if s.kind == "definition"]
    formulas = [s for s in definitions if not is_about_probabilities(s)]
    read = {t.value for s in formulas for t in s.right if t.type == "NAME"}
    if formulas:
        found.displays = [
            [
                replace(s, kind="skipped")
                if is_about_probabilities(s) and s.target not in read
                else s
                for s in d
            ]
            for d in found.displays
        ]


def _nothing(text: Expansion, skipped: Sequence[Statement]) -> SyntaxError:
    span = text.span(skipped[0].start, skipped[0].end) if skipped else text.span(0, 0)
    fix = r"write one with a left side such as `f_{ij}`: `\[ f_{ij} = \sum_k a_{ik} b_{kj} \]`"
    first = skipped[0].tokens[0] if skipped else None
    if first is not None and first.type == "RED" and first.value in ("min", "max"):
        fix = r"give what is minimised a name: `f = ..`, without the `\min` over its arguments"
    return SyntaxError(span, "no display defines an element of a tensor", fix=fix)


def _without_factors(
    text: Expansion,
    found: _Found,
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


def _told(text: Expansion, skipped: Sequence[Statement]) -> list[ast.Skipped]:
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


# ---------------------------------------------------------------------- the meaning of brackets and scripts


def _with_scripts(
    found: _Found,
    statements: Sequence[Statement],
    shapes: Sequence[Statement],
    functions: Sequence[OwnFunction],
    lists: _Lists,
    rows: Mapping[str, int],
) -> list[Statement]:
    """The statements with elements, labels and indices told apart; `rows` are the ranks of tensors whose rows have shapes."""
    guesses = found.guesses
    tensors = [i for i in found.items if isinstance(i, ast.TensorDeclaration)]
    ranks = {i.name.name: len(i.extents) for i in tensors if i.extents is not None}
    ranks |= {s.tokens[0].value: rank_of(s) for s in shapes}
    sizes = {i.name.name for i in found.items if isinstance(i, ast.SizeDeclaration)}
    sizes |= {t.value for s in shapes for t in s.tokens[place_of_in(s) :] if t.type == "NAME"}
    names = {f.name for f in functions}
    indexed = (indexed_names(statements) | lists.indexed) - names
    known = indexed | names | lists.headed | lists.at_points | {*ranks, *sizes, "delta"}
    places = sizes | names_in_bounds(s.tokens for s in statements)
    brackets = Brackets(
        indexed,
        names,
        {f.name for f in functions if f.has_index},
        ranks,
        places,
        lists.headed,
        lists.at_points | functions_at_points(statements, known, ranks, places, guesses),
    )
    unnamed = {name for name, rank in ranks.items() if rank == 4}
    statements = with_integrals(statements, unnamed, guesses)
    statements = [brackets(s) for s in statements]
    statements = [replace(s, tokens=tuple(with_whole_logarithms(s.tokens))) for s in statements]
    statements = [
        replace(s, tokens=tuple(with_rows_of_sets(s.tokens, ranks, guesses))) for s in statements
    ]
    statements = [
        replace(s, tokens=tuple(without_sets(s.tokens, sizes, guesses))) for s in statements
    ]
    parameters = {f.statement.start: {t.value for t in f.parameters} for f in functions}
    statements = with_primes(statements, {**rows, **ranks}, parameters, guesses)
    scripts = Scripts(
        statements,
        declared={*ranks, *sizes},
        ranks=ranks,
        scalars={name for name, rank in ranks.items() if rank == 0},
        sizes=sizes,
        is_upper=found.is_upper,
        is_einstein=any(isinstance(i, ast.EinsteinDeclaration) for i in found.items),
        longer=_longer(tensors, shapes),
        extents=extents_of(tensors, shapes),
        base=declared_base(found.items),
    )
    statements = scripts.run()
    guesses += scripts.guesses.values()
    return letters_apart(statements, ranks, guesses)


def _longer(tensors: Sequence[ast.TensorDeclaration], shapes: Sequence[Statement]) -> set[str]:
    r"""The names of `\beta \in \mathbb{R}^{p+1}`, which have one element more than something else."""
    declared = {
        i.name.name
        for i in tensors
        if any(isinstance(e, ast.Binary) and e.operator == "+" for e in i.extents or ())
    }
    said = {s.tokens[0].value for s in shapes if any(t.type == "PLUS" for t in s.tokens)}
    return declared | said


_SAYS_DATA = re.compile(
    r"\\delta_\s*\{[^{}$]*\}\s*(?:\$|\\\))\s*(?:is|are|denotes?|represents?|stands?)\b([^.;]{0,120})"
)
_SAYS_KRONECKER = re.compile(r"Kronecker|delta|identity|unit\b|\b1\b|\bone\b", re.IGNORECASE)


def _is_delta_unclear(text: str) -> bool:
    r"""Whether the prose says what `\delta_{ij}` is, and not that it is Kronecker's."""
    said = _SAYS_DATA.search(text)
    return said is not None and _SAYS_KRONECKER.search(said[1]) is None


def _with_unclear_delta(definition: Statement) -> Statement:
    r"""The definition with an error for each `\delta_{ij}` on its right side."""
    deltas = {name for name, _, _ in scripted(definition.tokens, "SUB") if name.value == "delta"}
    fact = r"`\delta_{ij}` may be Kronecker's delta, or data, as the prose seems to say"
    fix = (
        r"declare the data, `%!tadc input delta[N, M]`, or write `\mathbf{1}[i = j]` for the other"
    )
    return replace(
        definition,
        tokens=tuple(
            Token("ERROR", fact, t.start, t.end, fix) if t in deltas else t
            for t in definition.tokens
        ),
    )


_SAYS_SIGMOID = re.compile(
    r"sigmoid|logistic|\\(?:log|ln)\s*\\sigma|\\(?:tanh|operatorname\{(?:relu|ReLU|softmax|tanh)\})",
    re.IGNORECASE,
)


def _is_sigmoid(source: Source) -> bool:
    r"""Whether the document tells that `\sigma(..)` is the sigmoid: by a word, or as one of several such functions."""
    return _SAYS_SIGMOID.search(source.text) is not None and not says_any_function(source.text)
