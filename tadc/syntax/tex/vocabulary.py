r"""The vocabulary of a document: the kinds of its names, found in its declarations, left sides, limits and subscripts before anything is parsed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tadc.errors import Source, Span, SyntaxError
from tadc.syntax import ast
from tadc.syntax.tex.names import Vocabulary, closing_braces, limit_names
from tadc.syntax.tex.statements import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["mixed_styles", "vocabulary"]


def vocabulary(
    items: Sequence[ast.Item], definitions: Iterable[Statement], shapes: Sequence[Statement]
) -> Vocabulary:
    """`items` are those of the `%!tadc` lines."""
    declared: set[str] = set()
    subscripted: set[str] = set()
    indices: set[str] = set()
    sizes: set[str] = set()
    for item in items:
        if isinstance(item, ast.SizeDeclaration | ast.TensorDeclaration):
            declared.add(item.name.name)
        if isinstance(item, ast.SizeDeclaration):
            sizes.add(item.name.name)
        elif isinstance(item, ast.TensorDeclaration):
            sizes |= {n for extent in item.extents or () for n in _names(extent)}
    for statement in definitions:
        _learn(statement.tokens, declared, subscripted, indices)
    for shape in shapes:
        in_braces = False
        for token in shape.tokens:
            in_braces = in_braces or token.type == "SUP"
            if token.type == "NAME":
                (sizes if in_braces else declared).add(token.value)
    directed = {
        item.name.name
        for item in items
        if isinstance(item, ast.SizeDeclaration | ast.TensorDeclaration)
    }
    explicit = {item.name.name for item in items if isinstance(item, ast.SizeDeclaration)}
    return Vocabulary(
        frozenset(declared),
        frozenset(subscripted),
        frozenset(indices - explicit),
        frozenset((sizes - indices) | explicit),
        frozenset(directed),
        frozenset(t.value for shape in shapes for t in shape.tokens if t.note == "compound"),
    )


def _learn(
    tokens: Sequence[Token], declared: set[str], subscripted: set[str], indices: set[str]
) -> None:
    """Add the vocabulary of a definition: names declared by its left side and argument list, its indices, names with subscripts."""
    closing = closing_braces(tokens)
    on_the_left = True
    for place, token in enumerate(tokens):
        if token.type in ("EQ", "DEF"):
            on_the_left = False
        follows = tokens[place + 1].type if place + 1 < len(tokens) else ""
        if token.type == "NAME" and on_the_left:
            (indices if _in_braces(tokens, place, closing) else declared).add(token.value)
        if follows != "SUB" and token.type != "SUB":
            continue
        if token.type in ("NAME", "CALLED"):
            subscripted.add(token.value)
        elif token.type == "FUNC" and token.note and token.value != "log":
            subscripted.add(token.note)
        elif token.type == "SUB" and tokens[min(place + 1, len(tokens) - 1)].note == "limits":
            indices.update(limit_names(tokens, place + 1, closing))


def _in_braces(tokens: Sequence[Token], place: int, closing: dict[int, int]) -> bool:
    return 2 < place < closing.get(2, 0) and tokens[1].type == "SUB"


def _names(extent: ast.Expression) -> set[str]:
    result: set[str] = set()
    todo: list[object] = [extent]
    while todo:
        match todo.pop():
            case ast.Name(name, _):
                result.add(name)
            case ast.Binary(_, left, right, _):
                todo += [left, right]
            case ast.Unary(operand, _):
                todo.append(operand)
            case ast.Application(_, args, _):
                todo += args
    return result


def mixed_styles(source: Source, definitions: Iterable[Statement]) -> list[SyntaxError]:
    r"""An error for each name written in two styles, `\mathbf{x}` and `x`, which would be one tensor.

    Lists of arguments do not count: there a vector is bold, in `f_{ij}(a, \mathbf{d})`, whose elements are `d_i`.
    r
    """
    first: dict[str, Token] = {}
    errors: dict[str, SyntaxError] = {}
    for statement in definitions:
        on_the_left, in_arguments = True, False
        for token in statement.tokens:
            if token.type in ("EQ", "DEF"):
                on_the_left, in_arguments = False, False
            elif token.type == "LPAR" and on_the_left:
                in_arguments = True
            if token.type != "NAME" or in_arguments:
                continue
            other = first.setdefault(token.value, token)
            if _style(other) != _style(token) and token.value not in errors:
                one, two = (
                    source.text[other.start : other.end],
                    source.text[token.start : token.end],
                )
                errors[token.value] = SyntaxError(
                    Span(source, token.start, token.end),
                    f"`{one}` and `{two}` would be one name, `{token.value}`: styles are dropped",
                    fix=rf"use one style for both, or another letter or accent, such as `\hat{{{token.value[0]}}}`",
                )
    return list(errors.values())


def _style(token: Token) -> str:
    """Words are upright by nature; single letters are not."""
    return "" if len(token.value) > 1 and token.note == "upright" else token.note
