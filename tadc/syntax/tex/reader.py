"""One statement's tokens to its tree, by the grammar and the builder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from lark import Lark, Tree, UnexpectedToken

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.idx.load import parser
from tadc.syntax.tex.bound_labels import labels_below, with_labelled_bounds
from tadc.syntax.tex.build import Build
from tadc.syntax.tex.function_heads import OwnFunction
from tadc.syntax.tex.hints import explained
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.meaning import Read
from tadc.syntax.tex.ranges import Said, indices_of, refusal, said_ranges
from tadc.syntax.tex.spelling import spelled
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.updates import is_update
from tadc.syntax.tex.vocabulary import Vocabulary

__all__ = ["Reader", "tree"]


@dataclass(frozen=True, slots=True)
class Reader:
    text: Expansion
    words: Vocabulary
    states: frozenset[str]

    def shape(self, statement: Statement) -> list[ast.Item]:
        return cast("list[ast.Item]", self._built(statement.kind, statement.tokens))

    def definition(self, statement: Statement) -> Read:
        definition = cast(ast.Definition, self._built("definition", statement.tokens))
        updates = is_update(statement, self.states)
        if not statement.ranges:
            return Read(definition, is_update=updates)
        said = said_ranges(statement.ranges)
        if said is None or any(_is_parameter(s) for s in said):
            error = refusal(statement.tokens, statement.ranges)
            raise SyntaxError(self.text.span(error.start, error.end), error.value, fix=error.note)
        ranges = {}
        own = {*indices_of(statement.tokens)}
        for s in said:
            low, high = (
                self._built("extent", with_labelled_bounds(end, {*labels_below(end, own)}))
                if end
                else None
                for end in (s.low, s.high)
            )
            span = self.text.span(s.name.start, (s.high or s.low)[-1].end)
            name = ast.Name(s.name.value, self.text.span(s.name.start, s.name.end))
            ranges[s.name.value] = ast.Range(name, span, low=low, high=high)
        return Read(definition, ranges, statement.is_shared, updates)

    def function(
        self, function: OwnFunction, statement: Statement
    ) -> tuple[str, tuple[tuple[str, ...], ast.Expression]]:
        """A function's name, parameters and body."""
        tokens = statement.tokens[statement.equal + 1 :]
        if not tokens:
            span = self.text.span(statement.start, statement.end)
            raise SyntaxError(span, "the function has no right side", fix="write what it is")
        body = self._built("extent", tokens)
        return function.name, (tuple(t.value for t in function.parameters), body)

    def _built(self, start: str, tokens: Sequence[Token]) -> Any:
        tokens = spelled(tokens, self.words)
        for token in tokens:
            if token.type == "ERROR":
                span = self.text.span(token.start, token.end)
                raise SyntaxError(span, token.value, fix=token.note)
        try:
            whole = tree(start, tokens)
        except UnexpectedToken as error:
            raise explained(self.text, tokens, _place_of(error, tokens)) from None
        build = Build(self.text, self.words, tokens)
        return build.number(whole) if start == "extent" else build(whole)


def _is_parameter(said: Said) -> bool:
    r"""Whether it is the `a \le u \le b` of a curve, a real number between two others."""
    ends = [*said.low, *said.high]
    are_letters = len(ends) == 2 and all(t.type == "NAME" and t.value.islower() for t in ends)
    return are_letters and said.name.value in _REAL


_REAL = frozenset("suvwxyz")


def tree(start: str, tokens: Sequence[Token]) -> Tree[Any]:
    parser = _parser().parse_interactive(start=start)
    for token in tokens:
        parser.feed_token(cast(Any, token))
    return cast("Tree[Any]", parser.feed_eof())  # type: ignore[no-untyped-call]


def _place_of(error: UnexpectedToken, tokens: Sequence[Token]) -> int:
    """The number of the token that the grammar refused; the end has a token of lark's own."""
    return next((n for n, token in enumerate(tokens) if token is error.token), len(tokens))


@cache
def _parser() -> Lark:
    """Without a lexer: the tokens are fed by hand."""
    return parser(
        "tex", lexer="basic", start=["definition", "shape", "extent"], maybe_placeholders=False
    )
