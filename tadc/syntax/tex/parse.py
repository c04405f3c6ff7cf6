r"""The `.tex` spelling: a document or a bare formula to syntax tree.

`document` finds the mathematics, `tex_tokens` and `tex_statements` cut it into statements, `tex_names` decides for the
whole document what its names are, and then each statement is parsed alone by the grammar. What is wrong in one does not
hide the others: the errors of a source are reported together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

from lark import Lark, Tree, UnexpectedToken

from tadc.errors import Error, Source, Span, SyntaxError, merged
from tadc.syntax import ast, reading
from tadc.syntax.idx.load import parser
from tadc.syntax.idx.parse import MOST_ERRORS, parse_piece
from tadc.syntax.paths import refuse_path
from tadc.syntax.tex.build import Build
from tadc.syntax.tex.document import Region, scanned
from tadc.syntax.tex.hints import explained
from tadc.syntax.tex.labels import left_labels
from tadc.syntax.tex.names import Vocabulary, assembled, spelled
from tadc.syntax.tex.statements import Statement, depths, refused_behind, statements
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.tokens import tokenize
from tadc.syntax.tex.vocabulary import mixed_styles, vocabulary

__all__ = ["parse_tex"]


def parse_tex(source: Source) -> ast.Program:
    r"""The program that a LaTeX document, or a bare formula, holds; `skipped` are the displays that define nothing.

    Raises `SyntaxError` for every display whose left side is a tensor element and whose right side cannot be read, for
    wrong `%!tadc` lines, and for a document without any definition; several in one.
    """
    refuse_path(source)
    source = replace(source, lang="tex")
    with reading.reading(source):
        return _program(source)


def _program(source: Source) -> ast.Program:
    document = scanned(source)
    errors: list[Error] = list(document.errors)
    items: list[ast.Item] = []
    shapes: list[Statement] = []
    in_prose: list[Statement] = []
    displays: list[list[Statement]] = []
    tokens = {r: _tokens(source, r) for r in document.regions if r.kind != "directive"}
    labels = {x for r in tokens if r.kind != "inline" for x in left_labels(tokens[r])}
    end = 0  # of the last display, and of the ranges after it
    for region in document.regions:
        if region.kind == "directive":
            _collect(items, errors, lambda r=region: parse_piece(source, r.start, r.end))
            continue
        if region.kind != "inline":
            end = region.end
        elif displays and _BEHIND.fullmatch(source.text, end, region.start):
            end = region.end if refused_behind(displays[-1], tokens[region]) else end
        said = statements(assembled(tokens[region], labels))
        where = in_prose if region.kind == "inline" else shapes
        where += [s for s in said if s.kind == "shape"]
        if region.kind != "inline":
            displays.append(said)
    definitions, skipped = _counted(displays, source, document.macros)
    used = {token.value for d in definitions for token in d.tokens if token.type == "NAME"}
    declared = {item.name.name for item in items if isinstance(item, ast.TensorDeclaration)}
    shapes = _about([*shapes, *filter(_is_plain, in_prose)], used - declared)
    words = vocabulary(items, definitions, shapes)
    sizes = _sizes(source, items, shapes)
    read = [*definitions, *shapes]
    errors += mixed_styles(source, definitions)
    for statement in sorted(read, key=lambda s: s.start):
        _collect(items, errors, lambda s=statement: _parsed(source, s, words))
        if len(errors) >= MOST_ERRORS:
            break
    if not definitions and not errors and not items:
        errors.append(_nothing(source, skipped))
    if errors:
        raise merged(errors[:MOST_ERRORS])
    ordered = sorted(items, key=lambda item: item.span.start)
    return ast.Program((*sizes, *ordered), tuple(Span(source, s.start, s.end) for s in skipped))


_BEHIND = re.compile(
    r"(?:[\s.,;~&()$]|\\\]|\\\(|\\\)|\\end\{\w+\*?\}|\\label\{[^{}]*\}|\b(?:for|where|with|and|all|each|every|any)\b)*"
)  # tokens that may stand between a display and a range that belongs to it


def _collect(items: list[ast.Item], errors: list[Error], parse: Any) -> None:
    try:
        items += parse()
    except SyntaxError as error:
        errors += error.errors


def _tokens(source: Source, region: Region) -> list[Token]:
    tokens = tokenize(source, region.start, region.end)
    return _with_lines(source, tokens) if region.kind == "bare" else tokens


def _with_lines(source: Source, tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens of a file without displays, where a new line may begin a new formula, as `\\` does in a display."""
    result: list[Token] = []
    for token, depth in depths(tokens):
        if result and depth == 0 and "\n" in source.text[result[-1].end : token.start]:
            result.append(Token("BREAK", "\n", token.start, token.start))
        result.append(token)
    return result


def _counted(
    displays: Sequence[Sequence[Statement]], source: Source, macros: frozenset[str]
) -> tuple[list[Statement], list[Statement]]:
    """The definitions of the program, and the skipped parts.

    A tensor element always counts. A scalar counts if others use it, if it reads what others define, if it is alone, or
    if its display defines more.
    """
    candidates = [s for display in displays for s in display if s.kind == "definition"]
    used_in: dict[str, set[int]] = {}
    for number, statement in enumerate(candidates):
        for token in statement.tokens:
            places = used_in.setdefault(token.value, set())
            if len(places) < 2:
                places.add(number)
    tensors = {s.target for s in candidates if not s.is_scalar}
    counted, skipped = [], []
    for display in displays:
        in_display = sum(s.kind == "definition" for s in display)
        for statement in display:
            if statement.kind == "definition" and (
                (not statement.is_scalar and _is_readable(statement, source, macros))
                or len(candidates) == 1
                or in_display > 1
                or (len(used_in[statement.target]) > 1 and statement.tokens[0].type == "NAME")
                or statement.reads(tensors)
            ):
                counted.append(statement)
            elif statement.kind != "shape":
                skipped.append(statement)
    return counted, skipped


def _is_readable(statement: Statement, source: Source, macros: frozenset[str]) -> bool:
    """Whether its name is one; or an own macro, which should be one and is an error."""
    first = statement.tokens[0]
    return first.type == "NAME" or source.text[first.start : first.end] in macros


def _about(shapes: Iterable[Statement], used: set[str]) -> list[Statement]:
    """The shapes that are of the names `used`, each said once."""
    result: dict[tuple[str, ...], Statement] = {}
    for shape in shapes:
        names = [t for t in shape.tokens[: _place_of_in(shape)] if t.type == "NAME"]
        rest = shape.tokens[_place_of_in(shape) :]
        for name in names:
            if name.value in used or (name.note == "compound" and name.value.split("_")[0] in used):
                key = (name.value, *(token.value for token in rest))
                result.setdefault(key, Statement("shape", (name, *rest)))
    return list(result.values())


def _sizes(
    source: Source, items: Sequence[ast.Item], shapes: Sequence[Statement]
) -> list[ast.SizeDeclaration]:
    r"""The names in shapes that no line declares: `n` of `x \in \mathbb{R}^{2 n}`."""
    known = {item.name.name for item in items if isinstance(item, ast.SizeDeclaration)}
    sizes: dict[str, ast.SizeDeclaration] = {}
    for shape in shapes:
        for token in shape.tokens[_place_of_in(shape) :]:
            if token.type == "NAME" and token.value not in known:
                span = Span(source, token.start, token.end)
                size = ast.SizeDeclaration(ast.Name(token.value, span), None, span)
                sizes.setdefault(token.value, size)
    return list(sizes.values())


def _is_plain(shape: Statement) -> bool:
    r"""Whether its extents can be read; prose may also say `\mathbb{R}^*`, which is no business of a program."""
    try:
        _tree(shape.kind, shape.tokens)
    except UnexpectedToken:
        return False
    return all(token.type != "ERROR" for token in shape.tokens)


def _place_of_in(shape: Statement) -> int:
    return next(n for n, token in enumerate(shape.tokens) if token.type == "IN")


def _nothing(source: Source, skipped: Sequence[Statement]) -> SyntaxError:
    span = Span(source, skipped[0].start, skipped[0].end) if skipped else Span(source, 0, 0)
    if re.match(r"\s*\w+ *\[[\w, :]*\] *=", source.text[span.start : span.end]):
        return SyntaxError(
            span,
            "this is no LaTeX, but the other spelling of tadc",
            fix='leave `lang="tex"` out, or write it in an .idx file',
        )
    return SyntaxError(
        span,
        "no display defines an element of a tensor",
        fix=r"write one with a left side such as `f_{ij}`: `\[ f_{ij} = \sum_k a_{ik} b_{kj} \]`",
    )


def _parsed(source: Source, statement: Statement, words: Vocabulary) -> list[ast.Item]:
    tokens = spelled(statement.tokens, words)
    _raise_first_error(source, tokens)
    try:
        tree = _tree(statement.kind, tokens)
    except UnexpectedToken as error:
        raise explained(source, tokens, _place_of(error, tokens)) from None
    built = Build(source, words, tokens)(tree)
    return cast("list[ast.Item]", built if isinstance(built, list) else [built])


def _tree(start: str, tokens: Sequence[Token]) -> Tree[Any]:
    parser = _parser().parse_interactive(start=start)
    for token in tokens:
        parser.feed_token(cast(Any, token))
    return cast("Tree[Any]", parser.feed_eof())  # type: ignore[no-untyped-call]


def _place_of(error: UnexpectedToken, tokens: Sequence[Token]) -> int:
    """The number of the token that the grammar refused; the end has a token of lark's own."""
    return next((n for n, token in enumerate(tokens) if token is error.token), len(tokens))


def _raise_first_error(source: Source, tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.type == "ERROR":
            raise SyntaxError(Span(source, token.start, token.end), token.value, fix=token.note)


@cache
def _parser() -> Lark:
    """Without a lexer: the tokens are fed by hand."""
    return parser("tex", lexer="basic", start=["definition", "shape"], maybe_placeholders=False)
