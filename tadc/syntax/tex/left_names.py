r"""Left sides of several signs that are one name, in the whole document.

\frac{dx_i}{dt} =, \partial_t x_i =     the element `dx_dt[i]`
\nabla_w L =, \nabla^2 u_{ij} =          `dL_dw`, and the element `nabla2_u[i, j]`
\Delta w_{ij} =                         the element `Delta_w[i, j]`; `\Delta t` is one name everywhere, unless `\Delta` stands alone
MSE =, TV(u) =                          `MSE` and `TV`, whose letters mean nothing else here
w^*_i =, \hat{x}_k^- =                  `w_star[i]` and `x_hat_minus[k]`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import NamedTuple, TypeAlias

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.left_lists import COUNTED
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, bound_names, scripted
from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token, closing_brackets
from tadc.syntax.tex.told_letters import TOLD

__all__ = ["LeftNames", "Variable", "variable_at"]

LONGEST_FRACTION = 60  # tokens; longer ones are no derivatives
_SEPARATORS = frozenset(("BREAK", "QUAD", "COMMA", "DOT", "TEXT", "AND", "IF", "FORALL"))
_IN_FACTORS = frozenset(("NAME", "NUM", "SUB", "SUP", "LBRACE", "RBRACE", "CDOT", "THIN"))
_MARKS = {"*": "star", r"\ast": "star", r"\star": "star", "+": "plus", "-": "minus"}
_STEPS = frozenset(("Delta", "delta"))
_WHY = {
    "mark": "the mark above is no power",
    "difference": "it is a change, and its letter stands nowhere else",
}

Key: TypeAlias = "tuple[str, ...]"


class _Head(NamedTuple):
    """Signs that may be one name: what tells them from others, the name, its subscripts, and the place behind."""

    key: Key
    name: str
    subscripts: tuple[Token, ...]
    end: int


@dataclass(slots=True)
class LeftNames:
    """The signs that left sides of a document define as one name."""

    has_steps: bool = True  # whether `\Delta t` is one name
    declared: Set[str] = frozenset()
    has_small_steps: bool = False  # whether `\delta x` is one name
    is_unclear: bool = False  # whether `\Delta` stands alone, too
    _defined: set[Key] = field(default_factory=set)
    _only_steps: set[str] = field(
        default_factory=set
    )  # the `x` of `\Delta x`, if `x` stands nowhere else
    _changes: set[str] = field(default_factory=set)  # the `Delta_f` of `\Delta_f G_i = ..`
    _lone_changes: set[Key] = field(default_factory=set)  # of letters that stand nowhere else
    _vectors: set[str] = field(default_factory=set)  # what has one letter below it, and never two

    @classmethod
    def of(
        cls,
        displays: Iterable[Sequence[Token]],
        declared: Set[str],
        formulas: Iterable[Sequence[Token]] = (),
    ) -> LeftNames:
        """`displays` are the assembled tokens of each; `declared` the names of `%!tadc` lines; `formulas` may say shapes."""
        displays = [list(tokens) for tokens in displays]
        is_number = any(map(_has_delta_alone, displays))
        is_told = "Delta" in declared
        names = cls(not is_told and not is_number, declared, is_unclear=is_number and not is_told)
        letters = Counter(_plain(t) for tokens in displays for t in tokens if t.type == "NAME")
        steps = Counter(name for tokens in displays for name in _behind_steps(tokens))
        names._only_steps = {n for n, count in steps.items() if count == letters[n]} - declared
        keys = dict.fromkeys(head.key for tokens in displays for head in _heads(tokens))
        words = [key[1:] for key in keys if key[0] == "letters" and key[1] not in _STEPS]
        names._defined = {key for key in keys if _is_free(key, words, letters, displays)}
        names._defined |= {key for tokens in displays for key in _functions(tokens)}
        names._vectors = _vectors(displays)
        names.has_small_steps = "delta" not in declared and _has_small_steps(displays, keys)
        names._defined |= {key for tokens in formulas for key in _shaped(tokens)}
        # An operator would be applied to a `G_i` that stands somewhere without it.
        behind = Counter(key for tokens in displays for key in _differences(tokens))
        names._changes = {
            key[1]
            for key in names._defined
            if key[0] == "difference" and letters[key[2]] == behind[key]
        }
        alone = {*declared}.union(*(_letters_below_steps(tokens) for tokens in displays))
        names._lone_changes = {
            key for key in behind if letters[key[2]] == behind[key] and key[1] not in alone
        }
        return names

    def applied(self, tokens: Sequence[Token], guesses: list[Guess]) -> list[Token]:
        """The tokens with these signs as names."""
        result: list[Token] = []
        closing = closing_braces(tokens)
        place = 0
        while place < len(tokens):
            head = _head(tokens, place, closing)
            if head is not None and self._is_name(head, tokens[head.end : head.end + 1]):
                result += _element(head, tokens[place], tokens[head.end - 1])
                why = _WHY.get(head.key[0]) if head.key not in self._defined else None
                if head.key[0] == "mark" or why is not None:
                    text = f"`{head.name}` is one name: {why or _WHY['mark']}"
                    guess = Guess(text, tokens[place].start, tokens[head.end - 1].end)
                    guesses += [guess] if all(g.text != text for g in guesses) else []
                place = head.end
            elif head is not None and head.key[:2] == ("letters", "Delta") and self.is_unclear:
                result.append(_unclear_step(head, tokens[place], tokens[head.end - 1]))
                place = head.end
            else:
                result.append(tokens[place])
                place += 1
        return result

    def _is_name(self, head: _Head, following: Sequence[Token]) -> bool:
        is_small = head.key[:2] == ("letters", "delta")
        if is_small and self.has_small_steps and len(head.key) == 3:
            return not following or following[0].type != "SUP" or head.key[-1] in self._only_steps
        is_step = head.key[:2] == ("letters", "Delta")
        is_raised = bool(following) and following[0].type == "SUP"
        is_change = head.key[0] == "difference" and head.key[1] in self._changes
        is_change = is_change or head.key in self._lone_changes
        if is_change or head.key in self._defined or head.key[-1] == r"\star":
            return True
        is_star = head.key[0] == "mark" and head.name.endswith("_star")
        if is_star and (_is_optimum(head) or head.key[1] in self._vectors):
            return True
        if head.key[0] == "mark" and (self._has_other_mark(head) or _is_estimate(head)):
            return True
        if head.key[0] == "letters" and head.name in self.declared:
            return True
        is_clear = not is_raised or head.key[-1] in self._only_steps
        return is_step and self.has_steps and is_clear  # `\Delta t^2` beside a `t` has two readings

    def _has_other_mark(self, head: _Head) -> bool:
        """Whether `x^+` is defined, so that `x^-` is no power; or the name with its mark is declared."""
        pairs = {"+": "-", "-": "+"}
        other = ("mark", head.key[1], pairs.get(head.key[2], ""))
        return other in self._defined or head.name in self.declared


def _is_estimate(head: _Head) -> bool:
    r"""Whether it is `\hat{x}^-` or `\hat{x}^+`, before and after a measurement: estimates have no negative part."""
    return head.key[1].endswith("_hat") and head.key[2] in ("+", "-")


def _is_optimum(head: _Head) -> bool:
    r"""Whether it is `x^*` or `A_{ij}^*`, and no matrix `A^*`, which may be an adjoint."""
    return bool(head.subscripts) or not head.key[1][:1].isupper()


def _vectors(displays: Iterable[Sequence[Token]]) -> set[str]:
    r"""The names with one letter below them somewhere, and never with two: the `L` of `L_i / L^*` is no matrix."""
    counts: dict[str, set[int]] = {}
    for tokens in displays:
        for name, _, inner in scripted(tokens, "SUB"):
            counts.setdefault(name.value, set()).add(sum(t.type == "NAME" for t in inner))
    return {name for name, found in counts.items() if found == {1}}


def _has_small_steps(displays: Sequence[Sequence[Token]], lefts: Iterable[Key]) -> bool:
    r"""Whether `\delta` stands in front of letters alone: of that of a left side, `\delta y = ..`, or of several different ones."""
    letters: set[str] = set()
    for tokens in displays:
        for token, after in zip_longest(tokens, tokens[1:]):
            if (token.type, token.value) != ("NAME", "delta"):
                continue
            if after is None or after.type != "NAME":
                return False
            letters.add(after.value)
    return len(letters) > 1 or (bool(letters) and any(k[:2] == ("letters", "delta") for k in lefts))


def _has_delta_alone(tokens: Sequence[Token]) -> bool:
    r"""Whether `\Delta` is a number of its own here."""
    pairs = zip_longest(tokens, tokens[1:])
    return any(
        t.type == "NAME"
        and t.value == "Delta"
        and (after is None or after.type not in ("NAME", "SUB"))  # `\Delta_i` is an element
        for t, after in pairs
    )


def _behind_steps(tokens: Sequence[Token]) -> Iterator[str]:
    r"""The `x` of each `\Delta x`, `\partial x` and `dx`."""
    for before, token in pairwise(tokens):
        is_step = before.value in ("Delta", "delta", "d") or before.type == "PARTIAL"
        if token.type == "NAME" and is_step:
            yield token.value


def _left_sides(tokens: Sequence[Token]) -> Iterator[int]:
    """The places where left sides begin."""
    start: int | None = 0
    depth = 0
    for place, token in enumerate(tokens):
        depth -= token.type in CLOSERS
        if depth <= 0 and token.type in _SEPARATORS:
            start = place + 1
        elif depth <= 0 and token.type in ("EQ", "DEF", "APPROX") and start is not None:
            yield start
            start = None
        depth += token.type in OPENERS


def _behind_factors(tokens: Sequence[Token], start: int, closing: Mapping[int, int]) -> int:
    r"""The place of the derivative of `\tau \frac{dV}{dt} =` and of `\frac{1}{N} \frac{dN}{dt} =`; `start` where there is none."""
    place = start
    if [t.value for t in tokens[start + 1 : start + 4]] == ["{", "1", "}"]:
        place = closing.get(closing[start + 1] + 1, start - 1) + 1
    while place < len(tokens) and tokens[place].type in _IN_FACTORS:
        place += 1
    is_derivative = place < len(tokens) and tokens[place].type in ("FRAC", "PARTIAL")
    return place if is_derivative else start


def _heads(tokens: Sequence[Token]) -> Iterator[_Head]:
    """What may be one name on left sides."""
    closing = closing_braces(tokens)
    for start in _left_sides(tokens):
        start += tokens[start].type == "LPAR"  # `\left( \frac{du}{dx} \right)_i`
        head = _head(tokens, _behind_factors(tokens, start, closing), closing)
        if head is not None:
            yield head


def _shaped(tokens: Sequence[Token]) -> Iterator[Key]:
    r"""The names with a sign above, `\mathbf{v}_s^+`, that have a shape."""
    closing = closing_braces(tokens)
    end = next((n for n, t in enumerate(tokens) if t.type == "IN"), 0)
    for place in range(end if any(t.type == "RR" for t in tokens[end:]) else 0):
        head = _marked(tokens, place, closing) if tokens[place].type == "NAME" else None
        if head is not None and head.key[2] in ("+", "-"):
            yield head.key


def _functions(tokens: Sequence[Token]) -> Iterator[Key]:
    """The letters side by side, three or more, that a left side has in front of a list: no product is defined."""
    for start in _left_sides(tokens):
        head = _letters(tokens, start) if tokens[start].type == "NAME" else None
        is_word = head is not None and len(head.key) > 3 and head.key[1] not in _STEPS
        if head is not None and is_word and tokens[head.end].type == "LPAR":
            yield head.key
    closing = closing_brackets(tokens)
    for start, token in enumerate(tokens[:-1], 1):  # `y = PACT(x) = ..`
        head = (
            _letters(tokens, start)
            if token.type in ("EQ", "DEF") and tokens[start].type == "NAME"
            else None
        )
        end = -1 if head is None else closing.get(head.end, -1)
        is_side = end > 0 and [t.type for t in tokens[end + 1 : end + 2]] in (["EQ"], ["DEF"])
        is_acronym = head is not None and all(n.isupper() for n in head.key[1:])
        if head is not None and is_side and is_acronym and len(head.key) > 3:
            yield head.key


def _is_free(
    key: Key,
    words: Sequence[Key],
    letters: Counter[str],
    displays: Sequence[Sequence[Token]],
) -> bool:
    """Whether letters side by side may be one name: an acronym, or letters that stand nowhere but in such `words`."""
    if key[0] != "letters" or key[1] in _STEPS:
        return True
    word = key[1:]
    if len(word) > 2 and all(letter.isupper() for letter in word):
        return True
    together = Counter(letter for w in words for letter in w * _count(w, displays))
    free = [letters[letter] == together[letter] for letter in word]
    is_acronym = all(letter.isupper() for letter in word)  # `ET_o` beside a temperature `T`
    return all(free) or (is_acronym and free[0])


def _plain(token: Token) -> str:
    return token.value.removesuffix("_prime")


def _count(word: Key, displays: Sequence[Sequence[Token]]) -> int:
    """How often these letters stand side by side."""
    return sum(
        tuple(map(_plain, tokens[n : n + len(word)])) == word
        for tokens in displays
        for n in range(len(tokens))
    )


def _element(head: _Head, first: Token, last: Token) -> list[Token]:
    notes = {"mark": first.note, "derivative": "derivative", "difference": "derivative"}
    note = notes.get(head.key[0], "")
    if head.key[:2] == ("letters", "Delta"):
        note = last.note  # `\Delta\mathbf{r}_i` is a vector, too
    name = Token("NAME", head.name, first.start, last.end, note)
    if not head.subscripts:
        return [name]
    start, end = head.subscripts[0].start, head.subscripts[-1].end
    opening = Token("LBRACE", "", start, start, "indices")
    closing = Token("RBRACE", "", end, end, "NAME")
    return [name, Token("SUB", "_", start, start), opening, *head.subscripts, closing]


def _unclear_step(head: _Head, first: Token, last: Token) -> Token:
    r"""The error of a `\Delta t` in a document where `\Delta` is a number."""
    letter = as_printed(head.key[2])
    fact = rf"`\Delta {letter}` may be one name, a step, or a product: `\Delta` stands alone, too"
    fix = (
        rf"write the product with a sign, `\Delta \cdot {letter}`, or declare the number, `%!tadc input Delta[]`; the step is declared,"
        f" `%!tadc input {head.name}[]`"
    )
    return Token("ERROR", fact, first.start, last.end, fix)


def _head(tokens: Sequence[Token], place: int, closing: dict[int, int]) -> _Head | None:
    match tokens[place].type:
        case "FRAC":
            return _fraction(tokens, place, closing)
        case "PARTIAL":
            return _partial(tokens, place, closing)
        case "NABLA":
            return _gradient(tokens, place, closing)
        case "NAME" if tokens[place].note != TOLD:
            return (
                _difference(tokens, place, closing)
                or _marked(tokens, place, closing)
                or _letters(tokens, place)
            )
        case _:
            return None


# ---------------------------------------------------------------------- derivatives


class _Differential(NamedTuple):
    """`d^2 x_i` or `dt^2`: the order, the variable if there is one, and its subscripts."""

    order: str
    variable: str
    subscripts: tuple[Token, ...]


def _fraction(tokens: Sequence[Token], place: int, closing: dict[int, int]) -> _Head | None:
    r"""`\frac{dx_i}{dt}` or `\frac{d}{dt} x_i`."""
    middle = closing.get(place + 1, -1)
    end = closing.get(middle + 1, -1)
    if middle < 0 or end < 0 or end - place > LONGEST_FRACTION:
        return None
    over, under = _differential(tokens[place + 2 : middle]), _differential(tokens[middle + 2 : end])
    if over is None or under is None or not under.variable:
        return None
    behind = end + 1
    if not over.variable:
        named = _variable(tokens, behind, closing)
        if named is None:
            return None
        over, behind = over._replace(variable=named[0], subscripts=named[1]), named[2]
    return _derivative(over, under, behind)


def _partial(tokens: Sequence[Token], place: int, closing: dict[int, int]) -> _Head | None:
    r"""`\partial_t x_i`."""
    end = closing.get(place + 2, -1)
    inner = tokens[place + 3 : end]
    if end < 0 or tokens[place + 1].type != "SUB" or [t.type for t in inner] != ["NAME"]:
        return None
    named = _variable(tokens, end + 1, closing)
    if named is None:
        return None
    under = _Differential("", inner[0].value, ())
    return _derivative(_Differential("", *named[:2]), under, named[2])


def _gradient(tokens: Sequence[Token], place: int, closing: dict[int, int]) -> _Head | None:
    r"""`\nabla_w L`, `\nabla u_{ij}`, or the Laplacian `\nabla_h^2 u_{ij}`."""
    scripts: dict[str, Sequence[Token]] = {}
    place += 1
    while place < len(tokens) and tokens[place].type in ("SUB", "SUP") and place + 1 in closing:
        scripts[tokens[place].type] = tokens[place + 2 : closing[place + 1]]
        place = closing[place + 1] + 1
    named = _variable(tokens, place, closing)
    by = scripts.get("SUB", ())
    variable = _variable(by, 0, closing_braces(by)) if by else None
    if named is not None and variable is not None and variable[1] and variable[2] == len(by):
        under = _Differential("", *variable[:2])  # `\nabla_{w_j} E`
        return _derivative(_Differential("", *named[:2]), under, named[2])
    inner = [*by, *scripts.get("SUP", ())]
    if named is None or not {t.type for t in inner} <= {"NAME", "NUM"}:
        return None
    below, order = ("".join(t.value for t in scripts.get(kind, ())) for kind in ("SUB", "SUP"))
    label = f"_{below}" if below else ""
    name = f"d{named[0]}_d{below}" if below and not order else f"nabla{label}{order}_{named[0]}"
    return _Head(("derivative", name), name, named[1], named[2])


def _differences(tokens: Sequence[Token]) -> Iterator[Key]:
    """What stands behind operators of differences."""
    closing = closing_braces(tokens)
    for place, token in enumerate(tokens):
        if token.type == "NAME" and (head := _difference(tokens, place, closing)) is not None:
            yield head.key


def _letters_below_steps(tokens: Sequence[Token]) -> Iterator[str]:
    r"""The `Delta_i` of an index or a letter that counts, and the `Delta_s` that stands alone: no changes of what is behind them."""
    closing = closing_braces(tokens)
    bound = bound_names(tokens) | COUNTED
    for place, token in enumerate(tokens):
        if token.value not in _STEPS or token.type != "NAME" or place + 2 not in closing:
            continue
        label = "".join(t.value for t in tokens[place + 3 : closing[place + 2]])
        if label in bound or token.value == "delta" or _difference(tokens, place, closing) is None:
            yield f"{token.value}_{label}"


def _difference(tokens: Sequence[Token], place: int, closing: dict[int, int]) -> _Head | None:
    r"""`\Delta_h u_{ij}` or `\delta_x^2 u_{ij}`, an operator of differences; or the `\Delta_f H` of a reaction."""
    operator = tokens[place].value
    if operator not in _STEPS:
        return None
    scripts: dict[str, str] = {}
    place += 1
    while place < len(tokens) and tokens[place].type in ("SUB", "SUP") and place + 1 in closing:
        inner = tokens[place + 2 : closing[place + 1]]
        if len(inner) != 1 or inner[0].type not in ("NAME", "NUM"):
            return None
        scripts[tokens[place].type] = inner[0].value
        place = closing[place + 1] + 1
    named = _variable(tokens, place, closing)
    if "SUB" not in scripts or named is None:
        return None
    if not named[1] and "SUP" in scripts:
        return None
    operator = f"{operator}{scripts.get('SUP', '')}_{scripts['SUB']}"
    name = f"{operator}_{named[0]}"
    return _Head(("difference", operator, named[0]), name, named[1], named[2])


def _derivative(over: _Differential, under: _Differential, end: int) -> _Head:
    name = f"d{over.order}{over.variable}_d{under.variable}{over.order}"
    comma = [Token("COMMA", "", t.start, t.start) for t in under.subscripts[:1] if over.subscripts]
    subscripts = (*over.subscripts, *comma, *under.subscripts)
    return _Head(("derivative", name), name, subscripts, end)


def _differential(tokens: Sequence[Token]) -> _Differential | None:
    closing = closing_braces(tokens)
    if not tokens or not (tokens[0].type == "PARTIAL" or tokens[0].value == "d"):
        return None
    order, place = "", 1
    if (power := _number_above(tokens, 1, closing)) is not None:
        order, place = power, closing[2] + 1
    if place == len(tokens):
        return _Differential(order, "", ())
    if [t.type for t in (*tokens[place : place + 1], *tokens[-1:])] == ["LSQB", "RSQB"]:
        tokens = [*tokens[:place], *tokens[place + 1 : -1]]  # `d[X_i]`, of a concentration
        closing = closing_braces(tokens)
    named = _variable(tokens, place, closing)
    if named is None:
        return None
    variable, subscripts, place = named
    if _number_above(tokens, place, closing) is not None:
        place = closing[place + 1] + 1
    if place < len(tokens) and tokens[place].type == "LPAR" and tokens[-1].type == "RPAR":
        place = len(tokens)  # `dx(t)`
    return _Differential(order, variable, subscripts) if place == len(tokens) else None


def _number_above(tokens: Sequence[Token], place: int, closing: dict[int, int]) -> str | None:
    """The number that stands above what ends before `place`."""
    end = closing.get(place + 1, -1)
    is_power = end == place + 3 and tokens[place].type == "SUP" and tokens[place + 2].type == "NUM"
    return tokens[place + 2].value if is_power else None


class Variable(NamedTuple):
    """A name, and what is below it."""

    name: str
    subscripts: tuple[Token, ...]


def variable_at(
    tokens: Sequence[Token], place: int, closing: dict[int, int]
) -> tuple[Variable, int] | None:
    """The name at `place` with what is below it, and the place behind."""
    named = _variable(tokens, place, closing)
    return None if named is None else (Variable(*named[:2]), named[2])


def _variable(
    tokens: Sequence[Token], place: int, closing: dict[int, int]
) -> tuple[str, tuple[Token, ...], int] | None:
    """The name at `place`, what is below it, and the place behind."""
    if place >= len(tokens) or tokens[place].type != "NAME":
        return None
    end = closing.get(place + 2, -1)
    if end < 0 or tokens[place + 1].type != "SUB":
        return tokens[place].value, (), place + 1
    return tokens[place].value, tuple(tokens[place + 3 : end]), end + 1


# ---------------------------------------------------------------------- letters and marks


def _letters(tokens: Sequence[Token], place: int) -> _Head | None:
    r"""`\Delta x`, or plain letters without blanks between them."""
    end = place + 1
    while (
        end < len(tokens)
        and tokens[end].type == "NAME"
        and (not tokens[end].note or tokens[end - 1].value == "Delta")
        and not tokens[end - 1].note
        and (tokens[end - 1].end == tokens[end].start or tokens[end - 1].value in _STEPS)
    ):
        end += 1
    letters = tuple(t.value for t in tokens[place:end])
    suffix = "_prime" if len(letters) > 1 and letters[-1].endswith("_prime") else ""
    letters = (*letters[:-1], letters[-1].removesuffix(suffix))  # `TL_i'` beside `TL_j`
    if letters[0] in _STEPS:
        letters = letters[:2]
    is_word = len(letters) > 1 and (letters[0] in _STEPS or all(len(n) == 1 for n in letters))
    if not is_word:
        return None
    name = ("_".join(letters) if letters[0] in _STEPS else "".join(letters)) + suffix
    return _Head(("letters", *letters), name, (), place + len(letters))


def _marked(tokens: Sequence[Token], place: int, closing: dict[int, int]) -> _Head | None:
    """A name with a mark above, and what is below it."""
    named = _variable(tokens, place, closing)
    below = named[1] if named is not None else ()
    for sign in (place + 1, named[2] if named is not None else place + 1):
        end = closing.get(sign + 1, -1)
        inner = tokens[sign + 2 : end] if end > 0 and tokens[sign].type == "SUP" else ()
        if len(inner) == 1 and inner[0].value in _MARKS:
            behind = end + 1
            then = closing.get(behind + 1, -1)
            if not below and then > 0 and tokens[behind].type == "SUB":
                below, behind = tuple(tokens[behind + 2 : then]), then + 1
            base = tokens[place].value
            mark = inner[0].value
            return _Head(("mark", base, mark), f"{base}_{_MARKS[mark]}", below, behind)
    return None
