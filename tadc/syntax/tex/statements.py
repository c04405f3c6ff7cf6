r"""The statements in a display: its rows, continued or not, and the parts after commas, `\quad` and words.

    f_{ij} &= \sum_k a_{ik} b_{kj} \\      a row that continues
           &\quad + c_{ij}, \qquad \text{for all } i, j.    and a remark, which is dropped

A display need not be a program: what is no definition and no shape is `skipped`, and errors in it do not count.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from tadc.syntax.tex.commands import GREEK, words
from tadc.syntax.tex.definitions import read_definition
from tadc.syntax.tex.labels import with_compounds
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.numbered_sizes import is_linear
from tadc.syntax.tex.ranges import indices_of, said_ranges, says_range, word_says_range
from tadc.syntax.tex.script_tokens import bound_names, scripted
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = [
    "add_range_behind",
    "statements",
    "with_ranges_of_prose",
    "with_shared_ranges",
]


MOST_WITH_ONE_RANGE = 8  # definitions of a display that share a range behind it


@dataclass(frozen=True, slots=True)
class _Part:
    """The tokens between two separators, and the separators before them."""

    separators: tuple[Token, ...]
    tokens: tuple[Token, ...]


_OPERATORS = words("PLUS MINUS CDOT ODOT THIN SLASH BMOD EQ DEF APPROX PROPTO")
_RELATIONS = frozenset(("EQ", "DEF", "APPROX", "IN", "PROPTO"))
_SEPARATORS = words("COMMA DOT QUAD TEXT FORALL IF")
_REMARKS = ("for", "where", "with", "all", "in ", "on ", "s.t", "such that", "as ", "(")


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
        others = [
            s
            for s in others
            if names <= {*indices_of(s.tokens)} & {t.value for t in s.tokens[: s.equal]}
        ]
    if not others or not names <= covered:
        return list(display)
    shared = {id(s) for s in (last, *others)}
    ranged = [
        replace(s, ranges=last.ranges, is_shared=True) if id(s) in shared else s for s in display
    ]
    if not names & {*indices_of(last.tokens)}:  # `\qquad f(u) = u^2 / 2` behind the formulas
        ranged = [
            replace(s, ranges=()) if old is last else s
            for s, old in zip(ranged, display, strict=True)
        ]
    return ranged


def _last_definitions(display: Sequence[Statement]) -> tuple[Token, ...]:
    """The tokens of the definitions that a range behind the display may be about."""
    if not display or display[-1].kind != "definition":
        return ()
    last = [s for s in display[-MOST_WITH_ONE_RANGE:] if s.kind == "definition"]
    return tuple(token for s in last for token in s.tokens)


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
        is_condition = bool(words) and words[-1].value.lower().startswith(("if", "when"))
        is_of_number = not is_condition and _is_of_number(tokens, defined)
        if not tokens or _is_unbounded(tokens) or is_of_number:
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
        definition = read_definition(tokens)
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
        in_row = in_remark and len(result) > before
        if definition is not None and not (
            in_row and definition.is_scalar and _is_remark_on(definition, result, reading, words)
        ):
            result.append(definition)
            reading.update(t.value for t in definition.tokens[definition.equal :])
            in_remark = False
        elif definition is not None and in_row and definition.target not in _indices(result):
            result.insert(len(result) - 1, replace(definition, kind="skipped"))
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


def _is_remark_on(
    definition: Statement, before: Sequence[Statement], reading: Set[str], words: Sequence[Token]
) -> bool:
    r"""Whether the scalar behind a range or a word is a remark, such as a value of an index: the `m = c + d` and
    `y = \sum_i x_i w_i` behind the range of `x_i = ..` are none, nor are what the definitions before it read and the sizes in ranges.
    """
    target = definition.target
    targets = {s.target for s in before if s.kind == "definition"}
    if target in reading or (definition.has_reduction and definition.reads(targets)):
        return False
    in_ranges = {t.value for s in before for t in s.ranges}
    if target in _indices(before) | in_ranges:
        return target in _indices(before) or bool(words) or not is_linear(definition.right)
    is_value = not definition.has_reduction and len(definition.right) == 1
    return is_value or any(not w.value.lower().startswith(_GIVES) for w in words)


_GIVES = ("where", "with")  # a formula behind such a word tells what it has read


def _indices(statements: Sequence[Statement]) -> set[str]:
    return {i for s in statements if s.kind == "definition" for i in indices_of(s.tokens)}


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
    r"""Whether it is the `t \in [0, 1]` of a formula that has no `t` below a name: a number between two; the `\alpha \ne 1`, `a > 0` or
    `0 < p < 1` of one that reads this number; or the `b_i \in \{0, 1\}` of one that reads these elements.
    """
    kinds = [t.type for t in tokens]
    if kinds in (["NAME", "REL", "NUM"], ["NUM", "REL", "NAME", "REL", "NUM"]):
        name = tokens[kinds.index("NAME")].value
        is_strict = all(t.value in ("<", ">") for t in tokens if t.type == "REL")
        return _is_given(name, defined) or (is_strict and _is_argument(name, defined))
    if kinds[:2] == ["NAME", "SUB"] and _is_in_numbers(tokens):
        return _is_read_below(tokens[0].value, defined)
    is_interval = kinds[:2] == ["NAME", "IN"] and kinds[2:3] in (["LSQB"], ["LPAR"])
    if not is_interval or "DOTS" in kinds or kinds[4:5] != ["COMMA"] or tokens[2].value == r"\{":
        return False
    below = {t.value for _, _, inner in scripted(defined, "SUB") for t in inner}
    return tokens[0].value not in below


_REAL = frozenset(("r", "s", "u", "v", "w", "x", "y", "z", *GREEK))  # letters of arguments


def _is_given(name: str, defined: Sequence[Token]) -> bool:
    """Whether it is a number that the formulas read: no index, nothing on a left side."""
    left = next((n for n, t in enumerate(defined) if t.type in ("EQ", "DEF")), 0)
    is_own = any(t.value == name for t in defined[:left])
    indices = bound_names(defined) | {*indices_of(defined)}
    return not is_own and name not in indices and _is_read_alone(name, defined)


def _is_argument(name: str, defined: Sequence[Token]) -> bool:
    """Whether it is the real argument `x` of `f(x) = ..`; an integer may be an index."""
    left = next((n for n, t in enumerate(defined) if t.type in ("EQ", "DEF")), 0)
    is_call = any(t.type == "LPAR" for t in defined[:left])
    return name in _REAL and is_call and any(t.value == name for t in defined[:left])


def _is_in_numbers(tokens: Sequence[Token]) -> bool:
    r"""Whether it is `b_i \in \{0, 1\}` or `b_i \in [0, 1]`: in a set or an interval of numbers."""
    place = behind_scripts(tokens, 1, closing_brackets(tokens))
    behind = [t.type for t in tokens[place:]]
    is_set = behind[:1] == ["IN"] and behind[1:2] in (["LSQB"], ["LPAR"])
    return is_set and {*behind[2:-1]} <= {"NUM", "MINUS", "COMMA"}


def _is_read_below(name: str, defined: Sequence[Token]) -> bool:
    """Whether elements of that name stand on the right side, and it is not what is defined."""
    elements = {base.value for base, _, _ in scripted(defined[1:], "SUB")}
    return name in elements and name != defined[0].value


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
    return word.type == "FORALL" or f"{word.value.lower()} ".startswith(_REMARKS)


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
    if words and words[-1].value.lower().startswith(("s.t", "subject to")):
        result.append(Statement("skipped", tokens))  # a constraint, which changes no value
        return
    target = result[-1].target
    is_known = _is_property(tokens) or _is_bound_of(tokens, target) or _is_order(tokens, target)
    if not words and is_known:
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


def _is_bound_of(tokens: Sequence[Token], target: str) -> bool:
    r"""Whether it is the `0 \le d \le 1` behind a definition of `d`, which says between which numbers the result is."""
    kinds = {t.type for t in tokens}
    names = {t.value for t in tokens if t.type == "NAME"}
    return names == {target} and "REL" in kinds and kinds <= _OF_BOUNDS


def _is_order(tokens: Sequence[Token], target: str) -> bool:
    r"""Whether it is the `b_1 \ge b_2 \ge \dots \ge b_n` of given elements, which says how they are sorted; not of the `target`."""
    elements = {id(name) for name, _, _ in scripted(tokens, "SUB") if name.value != target}
    outside = [t for t, depth in depths(tokens) if depth == 0 and t.type != "SUB"]
    signs = {t.value for t in outside if t.type == "REL"}
    operands = [t for t in outside if t.type not in ("REL", "LBRACE", "RBRACE")]
    are_sorted = len(signs) == 1 and any(t.type == "DOTS" for t in operands)
    return are_sorted and all(t.type == "DOTS" or id(t) in elements for t in operands)


_OF_BOUNDS = words("NAME NUM REL MINUS")


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
