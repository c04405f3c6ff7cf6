r"""Inputs that nothing declares, and that are printed as what the document defines.

F_x = \sum_j f_j, \qquad M = \sum_{x=1}^{N} F_x     `F_x` is a number by its right side, and an element of `F` in the second formula
Z = \sum_i c_i(x_i), \qquad c_i(x_i) = ..           no `c` with two indices is meant

The other rules of reading decide about a left side by its own formula, and about what reads it by that of the reader. So this is looked at
once more when the program is made: what is printed alike, up to the letters of its indices, is one thing, or an error shows both readings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.nodes import all_ranges, names_of, nodes
from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import LONGEST_SCRIPT, has_style
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["refuse_dropped", "refuse_new_inputs"]

_INDEX = "#"
_Key = tuple[str, str, tuple[str, ...], tuple[str, ...]]
_Places = Mapping[int, tuple[Sequence[Token], int, Mapping[int, int]]]


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A name as it is printed: `key` is its letter, its font and its scripts with `#` for letters of indices, which are `letters`."""

    key: _Key
    letters: tuple[str, ...]
    start: int = field(compare=False)


def refuse_new_inputs(
    items: Sequence[ast.Item],
    declared: Set[str],
    definitions: Sequence[Statement],
    printed: Iterable[Sequence[Token]],
    text: Expansion,
) -> None:
    r"""Raise where an input that is not `declared` is spelled as the left side of a definition that is another name.

    `definitions` are those of tensors and of functions, as they were read; `printed` are the formulas before anything was made of them.
    A definition that reads such an element itself, `E_t = \sum_k E_k`, is told apart from it; so is a name that is read by its own letters.
    """
    places = _places(printed)
    inputs = _inputs(items, declared)
    lefts: dict[_Key, dict[tuple[str, ...], tuple[Statement, _Spelling]]] = {}
    by_start: dict[int, _Spelling] = {}
    for d in definitions:
        name = _defined(d, places)
        is_printed = _is_equal(d.tokens[d.equal], places)  # a mean that was put in is not
        spelling = _spelling(name, places) if name is not None and is_printed else None
        if spelling is not None:
            lefts.setdefault(spelling.key, {}).setdefault(spelling.letters, (d, spelling))
            by_start[d.start] = spelling
    reads: dict[tuple[_Spelling, str], Token] = {}  # the first of each
    of_itself: set[tuple[_Spelling, str]] = set()  # left sides with what their right sides read
    for d in definitions:
        for t in d.right if lefts else ():
            spelling = _spelling(t, places) if t.type == "NAME" else None
            if spelling is not None and spelling.key in lefts:
                reads.setdefault((spelling, t.value), t)
                left = by_start.get(d.start)
                if left is not None and left.key == spelling.key:
                    of_itself.add((left, t.value))
    spelled = {spelling for spelling, _ in reads}
    for (spelling, name_read), token in reads.items():
        for d, left in lefts[spelling.key].values() if name_read in inputs else ():
            is_labelled = name_read.count("_") > left.key[0].count("_")  # `k_B` beside a `k_i`
            is_apart = is_labelled or (left, name_read) in of_itself or left in spelled
            if spelling.letters == left.letters or not is_apart:
                raise _error(text, d, left, token)


def _places(printed: Iterable[Sequence[Token]]) -> _Places:
    """The formula, the place in it and its brackets for the start of each token."""
    found: dict[int, tuple[Sequence[Token], int, dict[int, int]]] = {}
    for tokens in printed:
        closing = closing_braces(tokens)
        found |= {t.start: (tokens, n, closing) for n, t in enumerate(tokens)}
    return found


def _defined(definition: Statement, places: _Places) -> Token | None:
    r"""The name on the left side; for the `\tanh(p_i) = ..` of a known function the one that it is applied to."""
    tokens, place, _ = places.get(definition.start, _NOTHING)
    if tokens and tokens[place].type == "FUNC":
        inside = islice(tokens, place, place + LONGEST_SCRIPT)
        name = next((t for t in inside if t.type in ("NAME", "EQ", "DEF")), None)
        is_function = name is not None and any(t.value == name.value for t in definition.right)
        return None if is_function else name
    return next((t for t in definition.tokens[: definition.equal] if t.type == "NAME"), None)


def refuse_dropped(
    items: Sequence[ast.Item],
    declared: Set[str],
    definitions: Sequence[Statement],
    spoken: Sequence[Statement],
    printed: Iterable[Sequence[Token]],
    text: Expansion,
) -> None:
    """Raise where an input that is not `declared` is printed as the left side of a formula in the prose, letter by letter, that no rule took."""
    places = _places(printed)
    inputs = _inputs(items, declared)
    taken = {d.start for d in definitions}
    lefts = {
        _spelling(s.tokens[0], places): s
        for s in spoken
        if s.start not in taken and s.tokens[0].type == "NAME"
    }
    for d in definitions:
        for token in d.right:
            if token.type != "NAME" or token.value not in inputs:
                continue
            spelling = _spelling(token, places)
            if spelling is not None and (said := lefts.get(spelling)) is not None:
                span = text.span(token.start, token.end)
                formula = text.span(said.start, said.end).text
                raise SyntaxError(
                    span,
                    f"the prose says `{formula}`, and this would be read as an input",
                    fix=f"write it as a display, or declare the input: {_line(items, token.value)}",
                )


def _inputs(items: Sequence[ast.Item], declared: Set[str]) -> set[str]:
    """The names that definitions read and nothing defines or declares."""
    definitions = [i for i in items if isinstance(i, ast.Definition)]
    bound = {r.name.name for d in definitions for r in all_ranges(d)}
    sizes = {i.name.name for i in items if isinstance(i, ast.SizeDeclaration)}
    targets = {d.target.name for d in definitions}
    return names_of(definitions) - bound - sizes - targets - declared


def _error(text: Expansion, definition: Statement, left: _Spelling, token: Token) -> SyntaxError:
    head = definition.tokens[: definition.equal]
    printed = text.span(definition.start, definition.tokens[definition.equal].start).text.strip()
    name = as_printed(token.value)
    label = "".join(left.letters)
    if left.start > definition.start:  # behind a function
        fix = f"solve it, `{as_printed(token.value, *left.letters)} = ..`, or give one of them another letter"
    elif any(t.type in ("LPAR", "LSQB") for t in head) or not label:
        fix = f"give what is defined with the same arguments wherever it is read, or another letter to the input `{name}`"
    else:
        fix = (
            rf"write `{name}_{{\mathrm{{{label}}}}}` for what is defined, there and wherever it is read, if `{name}` is an input beside it;"
            f" or define all elements, with `{as_printed(left.letters[0])}` on the right side"
        )
    return SyntaxError(
        text.span(token.start, token.end),
        f"this may be the `{printed}` that the document defines, or an element of another `{name}`, an input",
        fix=fix,
    )


def _line(items: Sequence[ast.Item], name: str) -> str:
    """The line that declares this input, by how it is read."""
    bodies = [i.body for i in items if isinstance(i, ast.Definition)]
    elements = (n for n in nodes(bodies) if isinstance(n, ast.Element) and n.name.name == name)
    rank = max((len(n.subscripts) for n in elements), default=0)
    return f"`%!tadc input {name}[{', '.join('NMKLPQ'[:rank])}]`"


_NOTHING: tuple[Sequence[Token], int, Mapping[int, int]] = ((), 0, {})


def _is_equal(token: Token, places: _Places) -> bool:
    tokens, place, _ = places.get(token.start, _NOTHING)
    return bool(tokens) and tokens[place].type in ("EQ", "DEF", "APPROX")


def _spelling(name: Token, places: _Places) -> _Spelling | None:
    """How the name is printed at its place; None where no formula has a name there, as of what was put in."""
    tokens, place, closing = places.get(name.start, _NOTHING)
    if not tokens or tokens[place].type != "NAME":
        return None
    first = tokens[place]
    below: list[str] = []
    above: list[str] = []
    letters: list[str] = []
    place += 1
    while place < len(tokens) and tokens[place].type in ("SUB", "SUP", "PRIME"):
        if tokens[place].type == "PRIME":
            above.append("'")
            place += 1
            continue
        if closing.get(place + 1, len(tokens)) - place > LONGEST_SCRIPT:
            return None
        inner = tokens[place + 2 : closing[place + 1]]
        if tokens[place].type == "SUB":
            for entry in _entries(inner):
                is_index = any(t.type == "NAME" and not has_style(t) for t in entry)
                below.append(_INDEX if is_index else "".join(t.value for t in entry))
                letters += ["".join(t.value for t in entry)] if is_index else ()
        elif any(t.type in _LABELS or t.note for t in inner):
            above += [t.value for t in inner if t.type not in ("LPAR", "RPAR")]
        place = closing[place + 1] + 1
    if not f"{name.value}_".startswith(f"{first.value}_"):
        return None  # a word out of letters
    labels = name.value.removeprefix(first.value).split("_")[1:]  # `0` of the `t_0` that `t_a^0` is
    above += [label for label in labels if label not in letters]
    key = (first.value, first.note, tuple(below), tuple(above))
    return _Spelling(key, tuple(letters), first.start)


_LABELS = ("LPAR", "PRIME", "STAR", "TEXT")


def _entries(inner: Sequence[Token]) -> list[list[Token]]:
    """What stands between commas, and letters side by side each alone: `ij` are two, `t-1` is one."""
    entries: list[list[Token]] = [[]]
    for token in inner:
        if token.type == "COMMA":
            entries.append([])
        elif entries[-1] and token.type == "NAME" and entries[-1][-1].type == "NAME":
            entries.append([token])
        else:
            entries[-1].append(token)
    return [e for e in entries if e]
