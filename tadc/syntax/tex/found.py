"""What the regions of a document hold: lines of `%!tadc`, statements of displays and of the prose, and ranges that it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from tadc.errors import Error, Source, SyntaxError
from tadc.syntax import ast
from tadc.syntax.idx.parse import parse_piece
from tadc.syntax.tex.agreed import Agreed, agreed
from tadc.syntax.tex.asides import in_asides
from tadc.syntax.tex.document import Region
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.passes import passed
from tadc.syntax.tex.printed_names import with_python_names
from tadc.syntax.tex.prose import (
    defines,
    says_case,
    says_condition,
    says_for,
    says_ranges,
    says_where,
)
from tadc.syntax.tex.real_numbers import names_in_intervals
from tadc.syntax.tex.script_tokens import Guess
from tadc.syntax.tex.shapes import place_of_in, rank_of
from tadc.syntax.tex.stated import is_stated
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.statements import add_range_behind, statements, with_ranges_of_prose
from tadc.syntax.tex.time_steps import TimeSteps
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.tokens import tokenize
from tadc.syntax.tex.told_letters import ToldLetter, told_letter, with_told_letters
from tadc.syntax.tex.told_ranges import told_range
from tadc.syntax.tex.updates import Brace, brace_of, states_of

__all__ = [
    "Found",
    "collect",
    "collect_convention",
    "collect_line",
    "collect_statements",
    "declared_ranks",
    "ranks_of",
    "refuse_two_declarations",
]


@dataclass(slots=True)
class Found:
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
    in_intervals: set[str] = field(default_factory=set)  # names
    printed: list[Sequence[Token]] = field(default_factory=list)  # formulas before all passes


def collect(into: list[Any], errors: list[Error], parse: Any) -> None:
    try:
        into += parse()
    except SyntaxError as error:
        errors += error.errors


def refuse_two_declarations(items: Sequence[ast.Item]) -> None:
    """Raise where two lines declare one tensor: every rule of reading would take the lower one."""
    first: dict[str, ast.TensorDeclaration] = {}
    for item in items:
        if not isinstance(item, ast.TensorDeclaration):
            continue
        other = first.setdefault(item.name.name, item)
        if other is not item:
            name, both = item.name.name, f"`{other.span.text}` and `{item.span.text}`"
            raise SyntaxError(
                item.span, f"`{name}` is declared twice, {both}", fix="remove one declaration"
            )


def collect_line(found: Found, source: Source, region: Region) -> None:
    if source.text[region.start : region.end].strip() == "upper":
        found.is_upper = True
        return
    if (agreement := agreed(source, region)) is not None:
        found.agreed.append(agreement)
        return
    letters: list[ToldLetter | None] = []
    collect(letters, found.errors, lambda: [told_letter(source, region)])
    if letters != [None]:
        found.letters += filter(None, letters)
        return
    told: list[ast.TensorDeclaration | None] = []
    collect(told, found.errors, lambda: [told_range(source, region)])
    if told != [None]:
        found.told += filter(None, told)
        return
    braces: list[Brace | None] = []
    collect(braces, found.errors, lambda: [brace_of(source, region)])
    if braces == [None]:
        line, at = with_python_names(source, region)
        collect(found.items, found.errors, lambda: parse_piece(line, at.start, at.end))
    else:
        found.braces += filter(None, braces)


_SAYS_SUMMATION = re.compile(
    r"(?<!no )\b(?:summ(?:ation|ing|ed)\s+(?:convention|over\s+(?:the\s+)?repeated)|repeated\s+(?:\w+\s+)?ind(?:ices|exes)"
    r"|Einstein(?:'s|ian)?\s+(?:summation|sum|notation|convention))\b",
    re.IGNORECASE,
)


def collect_convention(found: Found, text: Expansion) -> None:
    """Declare `einstein` where the document says in its prose that repeated indices are summed."""
    said = _SAYS_SUMMATION.search(text.text)
    if said is None or any(isinstance(i, ast.EinsteinDeclaration) for i in found.items):
        return
    if re.search(r"\bno\s+(?:implied\s+)?sum", text.text, re.IGNORECASE):
        return
    if not is_stated(text.text, *said.span()):
        return
    found.items.append(ast.EinsteinDeclaration(text.span(*said.span())))
    found.guesses.append(Guess("repeated indices are summed: the prose says so", *said.span()))


def collect_statements(found: Found, text: Expansion, regions: Sequence[Region]) -> None:
    """Cut the regions into statements, and give ranges in the prose to the display that they follow."""
    tokens = {r: with_told_letters(_tokens(text, r), found.letters) for r in regions}
    found.printed = [*tokens.values()]
    ranks = declared_ranks(found)
    found.in_intervals |= {name for t in tokens.values() for name in names_in_intervals(t)}
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
        declared_ranks(found),
        text.text,
        found.guesses,
        is_upper=found.is_upper,
    )
    asides = in_asides(text.text, regions)
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
            around = (text.text[: region.start], text.text[region.end : region.end + 120])
            is_case = says_case(*around)
            found.in_prose += [s for s in said if not (is_case and _defines_function(s))]
            is_told = says_where(*around) and region not in asides
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


def _defines_function(statement: Statement) -> bool:
    left = statement.tokens[: statement.equal]
    return statement.kind == "definition" and any(t.type in ("LPAR", "LSQB") for t in left)


def _conditional(statement: Statement) -> Statement:
    """The definition with an error behind it: its condition is in the words."""
    if statement.kind != "definition":
        return statement
    fact = "the condition in the words behind this definition would be dropped"
    fix = r"write `\begin{cases} a & \text{if } c \\ b & \text{otherwise} \end{cases}`, or declare what is defined as an input"
    unread = Token("ERROR", fact, statement.start, statement.end, fix)
    return replace(statement, tokens=(*statement.tokens, unread))


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


def declared_ranks(found: Found) -> dict[str, int]:
    """The numbers of dimensions that lines declare."""
    tensors = (i for i in found.items if isinstance(i, ast.TensorDeclaration))
    return {i.name.name: len(i.extents) for i in tensors if i.extents is not None}


def ranks_of(found: Found) -> dict[str, int]:
    """The numbers of dimensions that lines and shapes declare."""
    ranks = declared_ranks(found)
    shapes = (s for s in (*found.shapes, *found.in_prose) if s.kind == "shape")
    return ranks | {
        t.value: rank_of(s) for s in shapes for t in s.tokens[: place_of_in(s)] if t.type == "NAME"
    }
