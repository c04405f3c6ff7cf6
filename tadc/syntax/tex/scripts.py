r"""The meaning of scripts in a whole document: indices, labels that are part of a name, or powers.

    \sigma_f        a label: nothing binds f        x_{\max}, T_{\mathrm{in}}   words are labels
    x^{(i)}         an index, where i is one        X_{ij}^2                    a power of the element
    V_i^c           an index behind the lower ones, under `%!tadc upper`; else an error that shows both readings

What may be read in two ways is an ERROR token with both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace

from tadc.syntax.tex.names import closing_braces, limit_names
from tadc.syntax.tex.statements import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["LONGEST_SCRIPT", "Guess", "Scripts", "bound_names", "scripted"]


LONGEST_SCRIPT = 100  # tokens; longer ones are left to the grammar


@dataclass(frozen=True, slots=True)
class Guess:
    """What was decided without the document saying so, and where, in positions of the expanded text."""

    text: str
    start: int
    end: int


def bound_names(tokens: Sequence[Token], *, is_upper: bool = False) -> set[str]:
    """The indices of a definition: those of its left side, above too if `is_upper`, and those that its reductions run over."""
    closing = closing_braces(tokens)
    names: set[str] = set()
    equal = _equal(tokens)
    place = 1
    while place < equal and tokens[place].type in ("SUB", "SUP") and place + 1 in closing:
        inner = tokens[place + 2 : closing[place + 1]]
        if tokens[place].type == "SUB" or is_upper:
            names |= {t.value for t in inner if t.type == "NAME" and not _has_style(t)}
        place = closing[place + 1] + 1
    for place, token in enumerate(tokens[:-1]):
        is_limit = token.type == "SUB" and tokens[place - 1].type in ("RED", "SOFTMAX")
        if is_limit and place + 1 in closing:
            names.update(limit_names(tokens, place + 1, closing))
            inside = tokens[place + 2 : min(closing[place + 1], place + LONGEST_SCRIPT)]
            if any(t.type == "REL" for t in inside):
                names |= {t.value for t in inside if t.type == "NAME"}
    return names


@dataclass(slots=True)
class Scripts:
    """What a document says of its names. `scalars` are declared without dimensions, `sizes` as sizes."""

    definitions: Sequence[Statement]
    declared: Set[str]
    scalars: Set[str]
    sizes: Set[str]
    is_upper: bool
    is_einstein: bool
    guesses: dict[str, Guess] = field(default_factory=dict)
    _bound: list[set[str]] = field(default_factory=list)
    _elements: set[str] = field(default_factory=set)  # names that have a bound index somewhere
    _values: set[str] = field(default_factory=set)  # names that stand as values somewhere
    _owners: dict[str, set[str]] = field(
        default_factory=dict
    )  # of a letter: the names that it stands below

    def __post_init__(self) -> None:
        self.definitions = [self._with_left_label(d) for d in self.definitions]
        self._bound = [bound_names(d.tokens, is_upper=self.is_upper) for d in self.definitions]
        for definition, bound in zip(self.definitions, self._bound, strict=True):
            for name, _, inner in scripted(definition.tokens, "SUB"):
                for token in inner:
                    self._owners.setdefault(token.value, set()).add(name.value)
                if any(t.type == "NAME" and t.value in bound for t in inner):
                    self._elements.add(name.value)
            self._values |= _values(definition.tokens)

    def _with_left_label(self, definition: Statement) -> Statement:
        tokens = definition.tokens
        if (named := self._with_tensors_as_label(definition)) is not None:
            return named
        labels = _label_on_the_left(definition)
        if not labels or not (_is_moving(definition) or self._is_only_here(definition)):
            return definition
        name = _named(tokens[0], [tokens[3]], tokens[4].end)
        text = f"`{name.value}` is one name: the right side has no `{tokens[3].value}`"
        self.guesses.setdefault(text, Guess(text, tokens[0].start, tokens[4].end))
        return replace(definition, tokens=(name, *tokens[5:]))

    def _with_tensors_as_label(self, definition: Statement) -> Statement | None:
        r"""`r_{xy} = ..` with `r_xy` as one name, where the right side has tensors `x_i` and `y_i`, and no index `x` or `y`."""
        tokens, equal = definition.tokens, definition.equal
        left = _left_indices(tokens)
        closing = closing_braces(tokens).get(2, 0)
        if (
            not left
            or closing + 1 != equal
            or tokens[0].value in self.declared
            or definition.ranges
        ):
            return None
        right = list(scripted(tokens[equal:], "SUB"))
        tensors = {name.value for name, _, _ in right}
        inside = {t.value for _, _, inner in right for t in inner} | bound_names(tokens[equal:])
        letters = {t.value for t in left}
        if not letters <= tensors - inside or len(left) != sum(
            t.type == "NAME" for t in tokens[3:closing]
        ):
            return None
        name = _named(tokens[0], left, tokens[closing].end)
        text = f"`{name.value}` is one name: its letters are tensors of the right side"
        self.guesses.setdefault(text, Guess(text, tokens[0].start, tokens[closing].end))
        return replace(definition, tokens=(name, *tokens[equal:]))

    def _is_only_here(self, definition: Statement) -> bool:
        r"""Whether it is `M_u = \sum ..` with an `M` that is no tensor otherwise."""
        base, letter = definition.tokens[0].value, definition.tokens[3].value
        others = (
            [t.value for t in inner]
            for d in self.definitions
            for name, _, inner in scripted(d.tokens, "SUB")
            if name.value == base
        )
        is_word = (definition.tokens[0].note == "upright" and len(base) > 1) or letter.isupper()
        is_free = is_word and base not in self.declared and not definition.ranges
        return is_free and definition.has_reduction and all(inner == [letter] for inner in others)

    def run(self) -> list[Statement]:
        """The definitions with labels in their names, and with indices in one subscript."""
        return [
            replace(d, tokens=tuple(self._read(d.tokens, bound)))
            for d, bound in zip(self.definitions, self._bound, strict=True)
        ]

    def _read(self, tokens: Sequence[Token], bound: Set[str]) -> list[Token]:
        closing = closing_braces(tokens)
        left = {t.value for t in _left_indices(tokens)}
        is_whole = left <= {t.value for t in tokens[_equal(tokens) :]}
        letters = Counter(
            t.value for _, _, inner in scripted(tokens, "SUB") for t in inner if t.type == "NAME"
        )
        moving = {
            t.value
            for _, _, inner in scripted(tokens, "SUB")
            if any(t.type in ("PLUS", "MINUS") for t in inner)
            for t in inner
            if t.type == "NAME"
        }
        result: list[Token] = []
        place = 0
        while place < len(tokens):
            token = tokens[place]
            if token.type != "NAME" or tokens[place + 1 : place + 2] == ():
                result.append(token)
                place += 1
                continue
            below, above, end = _scripts_at(tokens, place, closing)
            if below is None and above is None:
                result.append(token)
                place += 1
                continue
            name, rest = self._labelled(token, below, bound, letters if is_whole else None, moving)
            result += self._with_upper(name, rest, above, bound, tokens[place:end], below)
            place = end
        return result

    # ------------------------------------------------------------------ subscripts

    def _labelled(
        self,
        base: Token,
        below: Sequence[Token] | None,
        bound: Set[str],
        letters: Counter[str] | None,
        moving: Set[str],
    ) -> tuple[Token, Sequence[Token] | None]:
        """The name with labels, and the braces of the indices that are left; letters are labels if their counts are given."""
        if below is None:
            return base, None
        inner = below[1:-1]
        words = [t for t in inner if _is_word(t, bound)]
        if words and all(t.type in ("NAME", "COMMA", "NUM") for t in inner):
            others = [t for t in inner if t not in words and t.type != "COMMA"]
            name = _named(base, words, below[-1].end)
            if not others:
                return name, None
            return name, [below[0], *_with_commas(others), below[-1]]
        kinds = {t.type for t in inner}
        if not inner or self.is_einstein or letters is None or not kinds <= {"NAME", "COMMA"}:
            return base, below
        names = [t for t in inner if t.type == "NAME"]
        known = bound | moving | self.sizes
        is_free = not any(t.value in known for t in names)
        repeated = any(letters[t.value] > 1 and t.value not in self._values for t in names)
        if not is_free or base.value in self._elements or base.value in self.declared:
            return base, below
        compound = f"{base.value}_{''.join(t.value for t in names)}"
        if repeated and compound not in self.declared and self._is_sum(names, base):
            return base, below
        if any(t.value in b for t in names for b in self._bound) and compound not in self.declared:
            return base, below
        name = _named(base, names, below[-1].end)
        if compound not in self.declared:
            said = ", ".join(f"`{t.value}`" for t in names)
            text = f"`{name.value}` is one name: nothing binds {said}"
            self.guesses.setdefault(text, Guess(text, base.start, below[-1].end))
        return name, None

    def _is_sum(self, names: Sequence[Token], base: Token) -> bool:
        """Whether a letter that nothing binds stands on two names, which would be a sum under Einstein's convention."""
        counts = Counter(t.value for t in names)
        return any(self._owners[t.value] - {base.value} or counts[t.value] > 1 for t in names)

    # ------------------------------------------------------------------ superscripts

    def _with_upper(
        self,
        name: Token,
        below: Sequence[Token] | None,
        above: Sequence[Token] | None,
        bound: Set[str],
        whole: Sequence[Token],
        printed: Sequence[Token] | None,
    ) -> list[Token]:
        """The tokens of the element; `above` are the braces of its superscript, `whole` all as it stands."""
        subscript = [] if below is None else [_sign(whole, "SUB", below), *below]
        if above is None:
            return [name, *subscript]
        inner = above[1:-1]
        power = [_sign(whole, "SUP", above), *above]
        plain = [name, *subscript, *power]
        names = [t for t in inner if t.type == "NAME"]
        kinds = [t.type for t in inner]
        in_brackets = kinds[:1] == ["LPAR"] and kinds[-1:] == ["RPAR"] and len(inner) > 2
        core = inner[1:-1] if in_brackets else inner
        indices = [t for t in core if t.type == "NAME" and t.value in bound]
        if _is_first(whole, "SUP") and self._is_unclear_power(inner, printed):
            fact = "a power between a name and its subscripts: of the matrix, or of the element?"
            fix = r"write `X_{ij}^2` for the power of the element; give a power or the inverse of a matrix a name of its own, `Y_{ij}`"
            return [_error(whole, fact, fix)]
        is_index = bool(indices) and {t.type for t in core} <= {
            "NAME",
            "COMMA",
            "NUM",
            "PLUS",
            "MINUS",
        }
        if (
            is_index
            and name.value not in self.scalars
            and name.note != "euler"
            and name.value != "e"
        ):
            if self.is_upper or (in_brackets and below is None):
                listed = [*below[1:-1], _comma(above[0])] if below else []
                braces = below or above
                return [
                    name,
                    Token("SUB", "_", braces[0].start, braces[0].start),
                    replace(braces[0], note="indices"),
                    *listed,
                    *core,
                    replace(braces[-1], note="NAME"),
                ]
            return [_error(whole, *_two_readings(indices[0], in_brackets))]
        if in_brackets and len(core) == 1 and core[0].type == "NAME":
            label = core[0].value
            text = f"`^{{({label})}}` is a label, part of the name: nothing binds `{label}`"
            self.guesses.setdefault(text, Guess(text, name.start, above[-1].end))
            return [_named(name, core, above[-1].end), *subscript]
        if (
            [t.type for t in inner] == ["NAME"]
            and name.value != "e"
            and name.value not in self.scalars
            and not self._is_value(names[0])
        ):
            i = names[0].value
            fact = f"the superscript `{i}` may be a power or a label, and nothing in the document tells"
            fix = (
                f"write `(..)^{{{i}}}` with brackets for the power, or `^{{\\mathrm{{{i}}}}}` for a label;"
                f" or declare the exponent: `%!tadc input {i}[]`"
            )
            return [_error(whole, fact, fix)]
        return plain

    def _is_value(self, token: Token) -> bool:
        """Whether the document uses the letter as a number, so that it may be an exponent; a transpose is no letter."""
        is_known = token.value in self._values | self.declared | self.sizes
        return is_known or token.value in ("T", "H") or token.note == "upright"

    @staticmethod
    def _is_unclear_power(inner: Sequence[Token], printed: Sequence[Token] | None) -> bool:
        kinds = [t.type for t in inner]
        if kinds not in (["NUM"], ["MINUS", "NUM"]) or printed is None:
            return False
        count = sum(t.type in ("NAME", "NUM") for t in printed[1:-1])
        return count > 1 or kinds[0] == "MINUS"


def _two_readings(index: Token, in_brackets: bool) -> tuple[str, str]:
    i = index.value
    if in_brackets:
        return (
            f"the index `{i}` stands above other indices: which dimension is it?",
            f"write `%!tadc upper` if superscripts are indices behind the lower ones, or all in one subscript, `x_{{{i}, j}}`",
        )
    return (
        f"`^{i}` may be a power or an index, since `{i}` is an index here",
        f"write `%!tadc upper` if superscripts are indices behind the lower ones, or `(..)^{{{i}}}` with brackets for the"
        " power; a scalar that is raised is declared: `%!tadc input x[]`",
    )


# ---------------------------------------------------------------------- tokens


def _scripts_at(
    tokens: Sequence[Token], place: int, closing: dict[int, int]
) -> tuple[Sequence[Token] | None, Sequence[Token] | None, int]:
    """The braces below and above the name at `place`, and where its scripts end; two of a kind are left alone."""
    found: dict[str, Sequence[Token]] = {}
    end = place + 1
    while end < len(tokens) and tokens[end].type in ("SUB", "SUP") and end + 1 in closing:
        if tokens[end].type in found or closing[end + 1] - end >= LONGEST_SCRIPT:
            return None, None, place + 1
        found[tokens[end].type] = tokens[end + 1 : closing[end + 1] + 1]
        end = closing[end + 1] + 1
    return found.get("SUB"), found.get("SUP"), end


def scripted(tokens: Sequence[Token], kind: str) -> Iterator[tuple[Token, int, Sequence[Token]]]:
    """Each name with a script of that kind, the script's place, and what stands in it."""
    closing = closing_braces(tokens)
    for place, token in enumerate(tokens):
        if token.type != "NAME":
            continue
        end = place + 1
        while end < len(tokens) and tokens[end].type in ("SUB", "SUP") and end + 1 in closing:
            if tokens[end].type == kind and closing[end + 1] - end < LONGEST_SCRIPT:
                yield token, end, tokens[end + 2 : closing[end + 1]]
            end = closing[end + 1] + 1


def _values(tokens: Sequence[Token]) -> set[str]:
    """The names that stand outside of scripts, on right sides."""
    closing = closing_braces(tokens)
    names: set[str] = set()
    place = next((n for n, t in enumerate(tokens) if t.type in ("EQ", "DEF")), len(tokens))
    while place < len(tokens):
        if tokens[place].type in ("SUB", "SUP"):
            place = closing.get(place + 1, place)
        elif tokens[place].type == "NAME":
            names.add(tokens[place].value)
        place += 1
    return names


def _is_first(whole: Sequence[Token], kind: str) -> bool:
    return len(whole) > 1 and whole[1].type == kind


def _label_on_the_left(definition: Statement) -> set[str]:
    r"""The `x` of `E_x \approx E_{i+1,j} - E_{ij}` and the `u` of `M_u =`: letters that the right side does not have."""
    tokens, equal = definition.tokens, definition.equal
    if [t.type for t in tokens[:5]] != ["NAME", "SUB", "LBRACE", "NAME", "RBRACE"]:
        return set()
    letter = tokens[3].value
    is_whole = equal == 5 or (
        tokens[5].type == "SUP" and closing_braces(tokens).get(6) == equal - 1
    )
    in_right = any(t.value == letter for t in tokens[equal:])
    return set() if in_right or not is_whole else {letter}


def _is_moving(definition: Statement) -> bool:
    """Whether the right side reads moved elements, `E_{i+1,j}`, and binds no index."""
    right = definition.tokens[definition.equal :]
    if any(t.type == "RED" for t in right):
        return False
    return any(t.type == "PLUS" for _, _, inner in scripted(right, "SUB") for t in inner)


def _equal(tokens: Sequence[Token]) -> int:
    return next((n for n, t in enumerate(tokens) if t.type in ("EQ", "DEF", "APPROX")), 0)


def _left_indices(tokens: Sequence[Token]) -> list[Token]:
    """The letters in the subscript of the left side."""
    closing = closing_braces(tokens)
    has_subscript = len(tokens) > 2 and tokens[1].type == "SUB" and 2 in closing
    inner = tokens[3 : closing[2]] if has_subscript and closing[2] < _equal(tokens) else ()
    return [t for t in inner if t.type == "NAME" and not _has_style(t)]


def _has_style(token: Token) -> bool:
    is_word = token.note in ("upright", "sans") and len(token.value) > 1
    return is_word or token.note in ("calligraphic", "script", "fraktur")


def _is_word(token: Token, bound: Set[str]) -> bool:
    r"""Whether it is `\mathrm{in}` or `\mathcal{B}`, and no index."""
    has_style = token.note in ("upright", "calligraphic", "script", "sans", "fraktur")
    return token.type == "NAME" and has_style and token.value not in bound


def _named(base: Token, labels: Sequence[Token], end: int) -> Token:
    label = "".join(t.value for t in labels if t.type == "NAME")
    return replace(base, value=f"{base.value}_{label}", end=end)


def _with_commas(tokens: Sequence[Token]) -> list[Token]:
    result = [tokens[0]]
    for token in tokens[1:]:
        result += [_comma(token), token]
    return result


def _sign(whole: Sequence[Token], kind: str, braces: Sequence[Token]) -> Token:
    """The sign in front of these braces."""
    at = braces[0].start
    return next((t for t in whole if t.type == kind), Token(kind, "_", at, at))


def _comma(at: Token) -> Token:
    return Token("COMMA", "", at.start, at.start)


def _error(whole: Sequence[Token], fact: str, fix: str) -> Token:
    return Token("ERROR", fact, whole[0].start, whole[-1].end, fix)
