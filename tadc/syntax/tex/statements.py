r"""The statements in a display: its rows, continued or not, and the parts after commas, `\quad` and words.

    f_{ij} &= \sum_k a_{ik} b_{kj} \\      a row that continues
           &\quad + c_{ij}, \qquad \text{for all } i, j.    and a remark, which is dropped

A display need not be a program: what is no definition and no shape is `skipped`, and errors in it do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from tadc.syntax.tex.commands import GREEK, REFUSED, words
from tadc.syntax.tex.labels import with_compounds
from tadc.syntax.tex.left_quotients import quotient_name
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.proportions import without_proportion
from tadc.syntax.tex.ranges import indices_of, said_ranges, says_range, word_says_range
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token, closing_brackets

__all__ = [
    "Statement",
    "add_range_behind",
    "depths",
    "is_integral",
    "statements",
    "with_ranges_of_prose",
    "with_shared_ranges",
]


@dataclass(frozen=True, slots=True)
class Statement:
    """One definition or shape, or a part of a display that is neither; `tokens` is never empty."""

    kind: Literal["definition", "shape", "skipped"]
    tokens: tuple[Token, ...]
    ranges: tuple[Token, ...] = ()  # what is said behind a definition of where its indices run
    is_shared: bool = False  # whether the ranges are those of other definitions of the display too

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end

    @property
    def target(self) -> str:
        """The name that a definition defines."""
        first = self.tokens[0]
        return self.tokens[1].value if first.type == "FUNC" and self.equal > 1 else first.value

    @property
    def is_scalar(self) -> bool:
        """Whether the left side has no subscript, and no index in brackets."""
        left = self.tokens[: self.equal]
        return not any(token.type == "SUB" for token in left)

    @property
    def equal(self) -> int:
        """The place of the first equality sign outside of brackets."""
        for place, (token, depth) in enumerate(depths(self.tokens)):
            if depth == 0 and token.type in ("EQ", "DEF", "APPROX"):
                return place
        return len(self.tokens)

    @property
    def right(self) -> tuple[Token, ...]:
        """The tokens behind the first equality sign."""
        return self.tokens[self.equal + 1 :]

    def reads(self, names: Set[str]) -> bool:
        """Whether an element of one of these is on the right side."""
        pairs = zip(self.tokens[1:], self.tokens[2:], strict=False)
        return any(t.value in names and after.type == "SUB" for t, after in pairs)

    @property
    def has_reduction(self) -> bool:
        """Whether the right side has a sum or another reduction over indices."""
        right = self.tokens[self.equal :]
        pairs = pairwise(right)
        return any(t.type == "RED" and after.type in ("SUB", "SUP") for t, after in pairs)


MOST_WITH_ONE_RANGE = 8  # definitions of a display that share a range behind it


@dataclass(frozen=True, slots=True)
class _Part:
    """The tokens between two separators, and the separators before them."""

    separators: tuple[Token, ...]
    tokens: tuple[Token, ...]


_IN_FACTORS = words("NAME NUM SUB SUP LBRACE RBRACE CDOT THIN")
_OPERATORS = words("PLUS MINUS CDOT ODOT THIN SLASH BMOD EQ DEF APPROX PROPTO")
_RELATIONS = frozenset(("EQ", "DEF", "APPROX", "IN", "PROPTO"))
_SEPARATORS = words("COMMA DOT QUAD TEXT FORALL IF")
_REMARKS = ("for", "where", "with", "all", "in ", "on ", "s.t.", "such that", "as ", "(")


def statements(tokens: Sequence[Token]) -> list[Statement]:
    """The statements of the (assembled) tokens of a display, in order."""
    result: list[Statement] = []
    reading: set[str] = set()  # the names on right sides so far
    for row in _rows(tokens):
        _add_row(result, _parts(row), reading)
    return result


def add_range_behind(display: list[Statement], tokens: Sequence[Token]) -> bool:
    """Whether the tokens after the display give the range of an index of its last definitions; then the last has it."""
    defined = _last_definitions(display)
    is_shape = any(token.type == "RR" for token in tokens) or _is_of_number(tokens, defined)
    is_range = bool(defined) and not is_shape and says_range(tokens, indices_of(defined), None)
    if is_range:
        _add_ranges(display, tokens)
    return is_range


def with_ranges_of_prose(
    display: Sequence[Statement], said: Sequence[Sequence[Token]]
) -> list[Statement]:
    """The statements, those definitions that have no range with what the prose says of their indices."""
    return [_with_range_of_prose(s, said) if s.kind == "definition" else s for s in display]


def _with_range_of_prose(statement: Statement, said: Sequence[Sequence[Token]]) -> Statement:
    if statement.ranges:
        return statement
    indices = {*indices_of(statement.tokens)}
    ranges: list[Token] = []
    for tokens in said:
        if indices & {s.name.value for s in said_ranges(tokens) or ()}:
            comma = [Token("COMMA", ",", tokens[0].start, tokens[0].start)] if ranges else []
            ranges += [*comma, *tokens]
    return replace(statement, ranges=tuple(ranges), is_shared=True) if ranges else statement


def with_shared_ranges(display: Sequence[Statement]) -> list[Statement]:
    r"""The statements with the ranges behind the last one at those others that have its indices: all on their left sides, or
    some of them where the last one lacks some.
    """
    last = next((s for s in reversed(display) if s.kind == "definition"), None)
    said = said_ranges(last.ranges) if last is not None and last.ranges else None
    if last is None or not said:
        return list(display)
    names = {s.name.value for s in said}
    others = [
        s
        for s in display
        if s.kind == "definition" and not s.ranges and names & {*indices_of(s.tokens)}
    ]
    covered = {i for s in (last, *others) for i in indices_of(s.tokens)}
    if names <= {*indices_of(last.tokens)}:
        others = [s for s in others if names <= {*indices_of(s.tokens[: s.equal])}]
    if not others or not names <= covered:
        return list(display)
    shared = {id(s) for s in (last, *others)}
    return [
        replace(s, ranges=last.ranges, is_shared=True) if id(s) in shared else s for s in display
    ]


def _last_definitions(display: Sequence[Statement]) -> tuple[Token, ...]:
    """The tokens of the definitions that a range behind the display may be about."""
    if not display or display[-1].kind != "definition":
        return ()
    last = [s for s in display[-MOST_WITH_ONE_RANGE:] if s.kind == "definition"]
    return tuple(token for s in last for token in s.tokens)


def depths(tokens: Sequence[Token]) -> Iterator[tuple[Token, int]]:
    """Each token with the number of brackets open around it; a bracket is outside of itself."""
    depth = 0
    for token in tokens:
        if token.type in CLOSERS:
            depth = max(0, depth - 1)
        yield token, depth
        if token.type in OPENERS:
            depth += 1


def _rows(tokens: Sequence[Token]) -> list[list[Token]]:
    """The rows, each with those that continue it: rows that define nothing, or begin or follow upon an operator."""
    rows: list[list[Token]] = [[]]
    for token, depth in depths(tokens):
        if token.type == "BREAK":
            if depth == 0:
                rows.append([])
        else:
            rows[-1].append(token)
    joined: list[list[Token]] = []
    for row in filter(None, rows):
        if joined and (
            row[0].type in _OPERATORS or joined[-1][-1].type in _OPERATORS or not _has_relation(row)
        ):
            joined[-1] += [*_comma_before(joined[-1], row), *row]
        else:
            joined.append(row)
    return joined


def _comma_before(above: Sequence[Token], row: Sequence[Token]) -> list[Token]:
    r"""The comma that `\begin{matrix} 0 \le p < M \\ 0 \le q < N \end{matrix}` has not: its rows are ranges, one below the other."""
    places = [n for n, (t, depth) in enumerate(depths(above)) if depth == 0 and _separates(t)]
    last = above[places[-1] + 1 :] if places else ()
    are_ranges = all(said_ranges(part) for part in (last, row))
    return [Token("COMMA", ",", row[0].start, row[0].start)] if are_ranges else []


def _has_relation(tokens: Sequence[Token]) -> bool:
    return any(token.type in _RELATIONS and depth == 0 for token, depth in depths(tokens))


def _parts(row: Sequence[Token]) -> list[_Part]:
    r"""Cut at commas, words and `\quad`; a `\quad` next to an operator is only space."""
    parts: list[_Part] = []
    before: list[Token] = []
    tokens: list[Token] = []
    separators: list[Token] = []
    for token, depth in depths(row):
        if depth == 0 and _separates(token):
            separators.append(token)
            continue
        if tokens and separators and not _is_space(separators, tokens[-1], token):
            parts.append(_Part(tuple(before), tuple(tokens)))
            before, tokens = separators, []
        elif not tokens:
            before += separators
        separators = []
        tokens.append(token)
    if tokens:
        parts.append(_Part(tuple(before), tuple(tokens)))
    if separators:
        parts.append(_Part(tuple(separators), ()))
    return parts


def _separates(token: Token) -> bool:
    r"""`\land` joins conditions, but `\text{and}` outside of brackets joins formulas."""
    return token.type in _SEPARATORS or (token.type == "AND" and token.value == "and")


def _is_space(separators: Sequence[Token], left: Token, right: Token) -> bool:
    if any(token.type != "QUAD" for token in separators):
        return False
    return left.type in _OPERATORS or right.type in _OPERATORS


def _add_row(result: list[Statement], parts: list[_Part], reading: set[str]) -> None:
    """Add the statements of a row; what it says of ranges belongs to the last definition, in the row before too."""
    before = len(result)
    names: list[Token] = []  # `a` and `b` of `a, b, c \in \mathbb{R}`
    in_remark = False
    ranges: list[Token] = []  # ranges stated for the indices of the last definition
    for n, part in enumerate(parts):
        words = [t for t in part.separators if t.type in ("TEXT", "IF", "FORALL")]
        if words:
            in_remark = _is_remark(words[-1])
        tokens = part.tokens
        defined = _last_definitions(result)
        if defined and (spoken := [w for w in words if word_says_range(w)]):
            ranges += spoken
        if not tokens or _is_unbounded(tokens) or _is_of_number(tokens, defined):
            continue
        is_range = bool(ranges) or (
            bool(defined)
            and not (len(parts) == 1 and _is_equation(tokens))
            and _says_range([*names, *tokens], defined, words[-1:])
        )
        if [t.type for t in with_compounds(tokens)] == ["NAME"] and not in_remark and not ranges:
            names += [*part.separators[:1], *tokens] if names else tokens
            continue
        tokens = _without_shape_behind(tokens)
        if shape := _shape([*names, *part.separators[:1], *tokens] if names else tokens):
            _add_ranges(result, ranges)
            result.append(shape)
            names, ranges = [], []
            in_remark = False
            continue
        if not defined and _begins_list(
            tokens, parts[n + 1 : n + 2]
        ):  # `a_n \ge 0, n = 1, \dots, N`
            in_remark = True
            continue
        definition = _definition(tokens)
        is_other = definition is not None and definition.target not in indices_of(defined)
        if is_range and (definition is None or definition.is_scalar) and not (ranges and is_other):
            between = [t for t in part.separators if t.type in ("COMMA", "DOT")]
            ranges += [*names, *(between if names or ranges else ()), *tokens]
            names = []
            in_remark = True
            continue
        _add_ranges(result, ranges)
        ranges = []
        if names:
            _add_unread(result, tuple(names))
            names = []
        if definition is not None and not (
            definition.is_scalar
            and in_remark
            and len(result) > before
            and definition.target not in reading
        ):
            result.append(definition)
            reading.update(t.value for t in definition.tokens[definition.equal :])
            in_remark = False
        elif definition is not None or _ranges_over(tokens):
            in_remark = in_remark or bool(result)
            if not in_remark:
                result.append(Statement("skipped", tokens))
        elif in_remark or _only_dots(tokens):
            pass
        else:
            _add_unread(result, tokens, words)
    _add_ranges(result, ranges)
    if names:
        _add_unread(result, tuple(names))


def _without_shape_behind(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    r"""The tokens of `z_n = B^\top x_n \in \mathbb{R}^{M}` without the shape, which the right side has already; and of
    `B := [b_1, \dots, b_M] \in \mathbb{R}^{D \times M}`, which defines nothing, the shape of `B`.
    """
    kinds = [t.type for t in tokens]
    if "RR" not in kinds:
        return tokens
    place = kinds.index("RR") - 1
    equal = next(
        (
            n
            for n, (t, depth) in enumerate(depths(tokens))
            if depth == 0 and t.type in ("EQ", "DEF")
        ),
        place,
    )
    if equal >= place or kinds[place] != "IN":
        return tokens
    if "DOTS" in kinds[equal:place]:
        return (*tokens[:equal], *tokens[place:])
    return tokens[:place]


def _is_unbounded(tokens: Sequence[Token]) -> bool:
    r"""Whether it is `1 \le m < \infty`, a condition on a number: no index of a tensor has such a range."""
    return any(t.type == "REL" for t in tokens) and tokens[-1].value == "inf"


def _is_of_number(tokens: Sequence[Token], defined: Sequence[Token]) -> bool:
    r"""Whether it is the `t \in [0, 1]` of a formula that has no `t` below a name: a number between two; or the `\alpha \ne 1` of one
    that reads the number `\alpha`.
    """
    kinds = [t.type for t in tokens]
    if kinds == ["NAME", "REL", "NUM"] and tokens[0].value in GREEK:
        return _is_read_alone(tokens[0].value, defined)
    is_interval = kinds[:2] == ["NAME", "IN"] and kinds[2:3] in (["LSQB"], ["LPAR"])
    if not is_interval or "DOTS" in kinds or kinds[4:5] != ["COMMA"] or tokens[2].value == r"\{":
        return False
    below = {t.value for _, _, inner in scripted(defined, "SUB") for t in inner}
    return tokens[0].value not in below


def _is_read_alone(name: str, defined: Sequence[Token]) -> bool:
    """Whether the name stands as a value behind an equality sign, and below no name there."""
    equal = next((n for n, t in enumerate(defined) if t.type in ("EQ", "DEF")), len(defined))
    right = defined[equal:]
    below = {t.value for _, _, inner in scripted(right, "SUB") for t in inner}
    return any(t.type == "NAME" and t.value == name for t in right) and name not in below


def _begins_list(tokens: Sequence[Token], following: Sequence[_Part]) -> bool:
    r"""Whether it is the `n = 1` of `n = 1, \dots, N`."""
    is_start = [t.type for t in tokens[:2]] == ["NAME", "EQ"] and len(tokens) == 3
    return is_start and any([t.type for t in p.tokens] == ["DOTS"] for p in following)


def _is_equation(tokens: Sequence[Token]) -> bool:
    """Whether a row of its own defines a value, `L = 3 - D`: the range of an index has dots."""
    kinds = {t.type for t in tokens}
    return "EQ" in kinds and "DOTS" not in kinds


def _says_range(tokens: Sequence[Token], defined: Sequence[Token], words: Sequence[Token]) -> bool:
    word = words[-1] if words else None
    if word is not None and word.value.startswith(("if", "when")):
        return False
    return says_range(tokens, indices_of(defined), word)


def _add_ranges(result: list[Statement], ranges: Sequence[Token]) -> None:
    if ranges:
        comma = Token("COMMA", ",", ranges[0].start, ranges[0].start)
        before = result[-1].ranges
        result[-1] = replace(result[-1], ranges=(*before, *([comma] if before else ()), *ranges))


def _is_remark(word: Token) -> bool:
    return word.type == "FORALL" or word.value.lower().startswith(_REMARKS)


def _only_dots(tokens: Sequence[Token]) -> bool:
    return all(token.type == "DOTS" for token in tokens)


def _ranges_over(tokens: Sequence[Token]) -> bool:
    r"""`i \in \{1, \dots, N\}`: a set that is no shape."""
    return len(tokens) > 1 and tokens[0].type == "NAME" and tokens[1].type == "IN"


def _add_unread(
    result: list[Statement], tokens: tuple[Token, ...], words: Sequence[Token] = ()
) -> None:
    """Add tokens that are not understood: after a definition they are an error of that definition."""
    if not result or result[-1].kind != "definition":
        result.append(Statement("skipped", tokens))
        return
    if result[-1].tokens[-1].type == "ERROR":
        return
    if not words and _is_property(tokens):
        result.append(Statement("skipped", tokens))
        return
    fact = "the formula has ended before this, which is no remark that tadc knows"
    fix = r"put `\text{for}` before a remark, write conditions as `\begin{cases}`, or give the second formula a display of its own"
    if words and words[-1].value.startswith(("if", "when")):
        fact = "a condition on a whole formula would be dropped"
        fix = r"write `\begin{cases} a & \text{if } c \\ b & \text{otherwise} \end{cases}`"
    unread = Token("ERROR", fact, tokens[0].start, tokens[-1].end, fix)
    result[-1] = replace(result[-1], tokens=(*result[-1].tokens, unread))


def _is_property(tokens: Sequence[Token]) -> bool:
    r"""Whether it is an equation such as `a_c + b_c = 1`, which defines no name and is true of what others define."""
    place = next(
        (n for n, (t, depth) in enumerate(depths(tokens)) if depth == 0 and t.type == "EQ"), 0
    )
    left = tokens[:place]
    is_sum = any(t.type in ("PLUS", "RED") and depth == 0 for t, depth in depths(left))
    return is_sum and {t.type for t in tokens[place + 1 :]} == {"NUM"}


def _definition(tokens: tuple[Token, ...]) -> Statement | None:
    """The definition, where the left side is that of a tensor or of a function, whatever the right side is."""
    tokens = _without_sign(_without_prescript(without_proportion(_with_base(tokens))))
    statement = Statement("definition", tokens)
    place = statement.equal
    if place == len(tokens):
        return None
    left = tokens[:place]
    if _lacks_braces(left):
        fact = "TeX takes one letter as a subscript, so that this is a product"
        fix = "put all subscripts in braces: `y_{ij}`"
        unread = Token("ERROR", fact, left[0].start, left[-1].end, fix)
        return Statement("definition", (*left[:5], unread, *tokens[place:]))
    if (integral := _integral(left)) is not None:
        return Statement("definition", (integral, *tokens[place:]))
    is_about = tokens[place].type == "APPROX" and statement.is_scalar and not is_integral(left)
    if is_about and any(t.type == "EQ" for t, depth in depths(tokens[place:]) if depth == 0):
        return _definition(tokens[place + 1 :])  # `n(r) \approx n_l = ..`
    if is_about and not statement.has_reduction:
        return None  # `\pi \approx 3.14`
    if (objective := _objective(left, tokens[place:])) is not None:
        return objective
    if (solved := _solved(left, tokens[place:])) is not None:
        return solved
    if (negative := _negative(left, tokens[place:])) is not None:
        return negative
    if (reciprocal := _reciprocal(left, tokens[place:])) is not None:
        return reciprocal
    if (quotient := quotient_name(left, tokens[place:])) is not None:
        return Statement("definition", (*quotient, *tokens[place:]))
    return statement if _is_target(left) else None


def _with_base(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    r"""The tokens of `\log_{10} \gamma_i = ..` with one function in front, `log10`."""
    kinds = [t.type for t in tokens[:6]]
    is_log = (
        kinds == ["FUNC", "SUB", "LBRACE", "NUM", "RBRACE", "NAME"] and tokens[0].value == "log"
    )
    if not is_log or tokens[3].value not in ("2", "10"):
        return tokens
    function = replace(tokens[0], value=f"log{tokens[3].value}", end=tokens[4].end)
    return (function, *tokens[5:])


def _without_prescript(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    r"""The tokens of `{}^{q}D = ..` with what stands in front of the name in it, `D_q`: a label, or a parameter."""
    kinds = [t.type for t in tokens[:6]]
    if kinds[:2] not in (["SUP", "LBRACE"], ["SUB", "LBRACE"]) or kinds[3:5] != ["RBRACE", "NAME"]:
        return tokens
    label, name = tokens[2], tokens[4]
    if label.type not in ("NAME", "NUM"):
        return tokens
    whole = replace(name, value=f"{name.value}_{label.value}", start=tokens[0].start)
    return (whole, *tokens[5:])


def _without_sign(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    r"""The tokens without the `> 0` or `\ge 0` behind a formula, which says what it is like."""
    is_equation = False
    for place, (token, depth) in enumerate(depths(tokens)):
        is_equation = is_equation or (depth == 0 and token.type in ("EQ", "DEF"))
        if depth == 0 and token.type == "REL" and is_equation:
            rest = [t.value for t in tokens[place + 1 :]]
            is_sign = rest == ["0"] and token.value in (">", ">=")
            return tokens[:place] if is_sign else tokens
    return tokens


def _integral(left: Sequence[Token]) -> Token | None:
    r"""A name for a left side that is one integral, `\int_a^b f(x)\,dx \approx ..`; None for others."""
    is_integral = bool(left) and left[0].type == "ERROR" and left[0].value == REFUSED["int"][0]
    is_whole = [t.value for t in left[-2:-1]] == ["d"] and left[-1].type == "NAME"
    if not is_integral or not is_whole or any(t.type == "ERROR" for t in left[1:]):
        return None
    return Token("NAME", "integral", left[0].start, left[-1].end)


def _negative(left: Sequence[Token], right: Sequence[Token]) -> Statement | None:
    r"""`-D_{KL}(q \| p) = ..` as the definition of `D_KL` with the other sign; None for other left sides."""
    if [t.type for t in left[:2]] != ["MINUS", "NAME"] or not _is_target(left[1:]):
        return None
    equal, *rest = right
    if not rest:
        return None
    opening = Token("LPAR", "(", rest[0].start, rest[0].start)
    closing = Token("RPAR", ")", rest[-1].end, rest[-1].end)
    sign = replace(left[0], start=rest[0].start, end=rest[0].start)
    return Statement("definition", (*left[1:], equal, sign, opening, *rest, closing))


def _objective(left: Sequence[Token], right: Sequence[Token]) -> Statement | None:
    r"""`\min f(X) = ..` and `\min_\theta L(\theta) = ..` as the definition of what is minimised; None for other left sides, such as
    `\max_i x_i`, which is a number itself.
    """
    if not left or left[0].type != "RED" or left[0].value not in ("min", "max"):
        return None
    closing = closing_braces(left)
    end = closing.get(2, 0) + 1 if [t.type for t in left[1:2]] == ["SUB"] else 1
    limits = {t.value for t in left[1:end] if t.type == "NAME"}
    target = left[end:]
    below = {t.value for _, _, inner in scripted(target, "SUB") for t in inner}
    if not _is_target(target) or limits & below or target[0].type != "NAME":
        return None
    return Statement("definition", (*target, *right))


def _solved(left: Sequence[Token], right: Sequence[Token]) -> Statement | None:
    r"""`\tau \frac{dV_i}{dt} = ..` and `\tau \dot{v}_i = ..` as the definition of the derivative; None for other left sides."""
    place = next((n for n, t in enumerate(left) if _is_rate(t)), 0)
    factor = left[:place]
    is_product = {t.type for t in factor} <= _IN_FACTORS
    if not place or not is_product or not _is_target(left[place:]):
        return None
    start, end = right[0].end, right[-1].end
    opening, closing = Token("LBRACE", "", start, start), Token("RBRACE", "", end, end)
    over = [opening, *right[1:], closing]
    under = [replace(opening, start=end, end=end), *factor, closing]
    fraction = Token("FRAC", r"\frac", start, start)
    return Statement("definition", (*left[place:], right[0], fraction, *over, *under))


def _reciprocal(left: Sequence[Token], right: Sequence[Token]) -> Statement | None:
    r"""`\frac{1}{f} = ..` as the definition of `f`, 1 divided by the right side; None for other left sides."""
    closing = closing_braces(left)
    middle = closing.get(1, 0)
    end = closing.get(middle + 1, 0)
    is_one = [t.value for t in left[2:middle]] == ["1"] and left[0].type == "FRAC"
    name = left[middle + 2 : end]
    if not is_one or end != len(left) - 1 or not _is_target(name) or name[0].type != "NAME":
        return None
    start, stop = right[0].end, right[-1].end
    fraction = Token("FRAC", r"\frac", start, start)
    one = [Token("LBRACE", "", start, start), Token("NUM", "1", start, start)]
    under = [Token("RBRACE", "", start, start), Token("LBRACE", "", start, start), *right[1:]]
    tokens = (*name, right[0], fraction, *one, *under, Token("RBRACE", "", stop, stop))
    return Statement("definition", tokens)


def _lacks_braces(left: Sequence[Token]) -> bool:
    """Whether it is `y_ij`, which TeX reads as `y_{i} j`."""
    kinds = [token.type for token in left]
    return (
        kinds[:5] == ["NAME", "SUB", "LBRACE", "NAME", "RBRACE"]
        and not left[2].value
        and len(kinds) > 5
        and set(kinds[5:]) <= {"NAME", "NUM"}
        and not any(_is_rate(t) for t in left[5:])  # `C_m \frac{dV}{dt} =`
    )


def _is_target(left: Sequence[Token]) -> bool:
    r"""Whether it is `f`, `f_{ij}`, `f_i^2(a, b)`, `f(x)_i`, `\log p(x)`, or brackets with subscripts."""
    if [t.type for t in left[:2]] == ["FUNC", "NAME"]:
        left = left[1:]
    if not left:
        return False
    closing = closing_brackets(left)
    in_brackets = left[0].type in ("LPAR", "LSQB") and 0 in closing
    if not in_brackets and left[0].type not in (
        "NAME",
        "ERROR",
        "SOFTMAX",
        "FUNC",
        "CALLED",
        "LGROUP",
    ):
        return False
    place = closing.get(0, 0) + 1
    if is_integral(left):
        return True
    if in_brackets and (place >= len(left) or left[place].type not in ("SUB", "LPAR", "LSQB")):
        return False
    has_list = has_operand = False  # `F[v](i)` has an operand and a list
    while place < len(left):
        kind = left[place].type
        if kind == "PRIME":
            place += 1
        elif kind in ("SUB", "SUP"):
            place = closing.get(place + 1, len(left)) + 1
        elif kind == "LSQB" and not has_operand and not has_list:
            place, has_operand = closing.get(place, len(left)) + 1, True
        elif kind in ("LPAR", "LSQB") and not has_list:
            place, has_list = closing.get(place, len(left)) + 1, True
        else:
            return False
    return place == len(left) and (left[0].type != "FUNC" or has_list or has_operand)


def _is_rate(token: Token) -> bool:
    r"""Whether it is a name for a derivative: `\frac{dx}{dt}` or `\dot{x}`."""
    return token.note == "derivative" or token.value.endswith(("_dot", "_ddot"))


def is_integral(left: Sequence[Token]) -> bool:
    """Whether it is `(ij|kl)`."""
    kinds = [t.type for t in left]
    return kinds == ["LPAR", "NAME", "NAME", "GIVEN", "NAME", "NAME", "RPAR"]


def _shape(tokens: Sequence[Token]) -> Statement | None:
    r"""`a, b \in \mathbb{R}^{3 \times 5}`, without restrictions of the numbers (`\mathbb{R}_{+}`)."""
    tokens = with_compounds(tokens)
    kinds = [token.type for token in tokens]
    if "RR" not in kinds:
        return None
    place = kinds.index("RR")
    names = kinds[: place - 1]
    well_formed = (
        kinds[place - 1] == "IN"
        and len(names) % 2 == 1
        and set(names[::2]) == {"NAME"}
        and set(names[1::2]) <= {"COMMA"}
    )
    if not well_formed:
        return None
    kept = list(tokens[: place + 1])
    closing = closing_braces(tokens)
    place += 1
    while place < len(tokens):
        end = closing.get(place + 1)
        if kinds[place] not in ("SUB", "SUP") or end is None:
            return None
        if kinds[place] == "SUP":
            kept += tokens[place : end + 1]
        place = end + 1
    return Statement("shape", tuple(kept))
