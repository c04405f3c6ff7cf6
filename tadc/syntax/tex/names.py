r"""Names and subscripts in the tokens of LaTeX: the meaning of a letter, before the grammar reads it.

`assembled` needs one formula: it makes `x'`, `x^{(1)}` and `i_1` one name each, and drops what is only spacing. The
braces of scripts then say in their `note` what they hold: `indices`, `limits`, `extents`.

`spelled` needs the whole document, as a `Vocabulary`: it splits `x_{ij}` into `x_{i,j}` but not `x_{Mi+j}`, and decides
whether `\sigma(..)`, `e` and `f(..)` are functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from tadc.syntax.tex.commands import FUNCTION_LETTERS, TWO_READINGS
from tadc.syntax.tex.token_list import CLOSERS, ENDS_OPERAND, OPENERS, STARTS_OPERAND, Token

__all__ = ["Vocabulary", "assembled", "closing_braces", "limit_names", "spelled"]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of a document by kind, as far as its declarations and subscripts tell."""

    declared: frozenset[str]  # by a directive, a shape, a left side or its list of arguments
    subscripted: frozenset[str]
    indices: frozenset[str]  # on a left side or in the limits of a reduction
    sizes: frozenset[str]
    directed: frozenset[str] = frozenset()  # names declared by `%!tadc` lines
    compounds: frozenset[str] = frozenset()  # `w_0`, where a shape says `w_0 \in \mathbb{R}`
    is_sigmoid: bool = True  # whether the document says that `\sigma(..)` is the sigmoid
    bounds: frozenset[str] = frozenset()  # names that stand above sums

    def has_compound(self, base: str, name: str) -> bool:
        """Whether `name`, `base` with a subscript, is a name of its own and no element of a tensor `base`."""
        if name in self.compounds or (name in self.directed and base not in self.directed):
            return True
        is_tensor = base in self.declared and base not in self.sizes
        return not is_tensor and any(name in names for names in (self.sizes, self.indices))

    def knows(self, name: str) -> bool:
        """Whether the document uses `name` as its own, so that it is no function or constant."""
        return any(
            name in names for names in (self.declared, self.subscripted, self.indices, self.sizes)
        )


_PREFIXES = ("RED", "FUNC", "CALLED")  # their scripts end no operand


def closing_braces(tokens: Sequence[Token]) -> dict[int, int]:
    """A map from the place of each `{` to that of its `}`, for groups and arguments alike; an unclosed one is absent."""
    closing, opened = {}, []
    for place, token in enumerate(tokens):
        if token.type in ("LBRACE", "LGROUP"):
            opened.append(place)
        elif token.type in ("RBRACE", "RGROUP") and opened:
            closing[opened.pop()] = place
    return closing


def assembled(tokens: Sequence[Token], labels: Set[str] = frozenset()) -> list[Token]:
    """The tokens with whole names, without empty groups and without spacing that separates nothing.

    `labels` are letters that are no power where they stand above a name.
    """
    return _Assembly(_without_idle_groups(tokens), labels).run()


def _without_idle_groups(tokens: Sequence[Token]) -> list[Token]:
    """`{x}` is `x` and `{}` is nothing, where the braces are no argument."""
    result: list[Token] = []
    for token in tokens:
        if token.type == "RGROUP" and result and result[-1].type == "LGROUP":
            result.pop()
        elif (
            token.type == "RGROUP"
            and len(result) > 1
            and result[-2].type == "LGROUP"
            and result[-1].type not in CLOSERS
        ):
            group = result.pop()
            result[-1] = group
        else:
            result.append(token)
    return result


class _Assembly:
    """One pass over the tokens. The scripts of a name are looked at from its place, by leaps from brace to brace."""

    def __init__(self, tokens: list[Token], labels: Set[str]) -> None:
        self.tokens = tokens
        self.labels = labels
        self.closing = closing_braces(tokens)
        self.holds: dict[int, str] = {}  # the place of `{` -> contents of the braces
        self.after: dict[
            int, str
        ] = {}  # the place of `}` -> type of the token whose script ends there
        self.dropped: dict[
            int, int
        ] = {}  # scripts that became part of a name: from their place to the next
        self.result: list[Token] = []

    def run(self) -> list[Token]:
        place, depth = 0, 0
        contexts: list[str] = []
        while place < len(self.tokens):
            if place in self.dropped:
                place = self.dropped[place]
                continue
            token = self.tokens[place]
            context = contexts[-1] if contexts else ""
            if (
                token.type == "SUB"
                and self.result
                and self.result[-1].type in ("RPAR", "RSQB", "RGROUP")
            ):
                self.holds.setdefault(place + 1, "indices")
            if token.type == "LBRACE":
                contexts.append(self.holds.get(place, ""))
                token = replace(token, note=contexts[-1])
            elif token.type == "RBRACE":
                token = replace(token, note=self.after.get(place, ""))
                if contexts:
                    contexts.pop()
            elif token.type in ("NAME", "RED", "FUNC", "CALLED", "RR"):
                token = self._with_scripts(place, context)
            elif token.type == "CDOT" and context == "extents" and token.value == "\\times":
                token = replace(token, type="BY")
            depth += (token.type in OPENERS) - (token.type in CLOSERS)
            self._append(token, depth, context)
            place += 1
        return self.result

    def _append(self, token: Token, depth: int, context: str) -> None:
        spacing = bool(self.result) and self.result[-1].type == "THIN"
        if spacing and token.type not in STARTS_OPERAND:
            self.result.pop()
        if token.type in ("ROW", "AMP", "CASES_E", "IF", "OTHERWISE") and depth + (
            token.type == "CASES_E"
        ):
            while self.result and self.result[-1].type in ("COMMA", "DOT", "THIN"):
                self.result.pop()
        if token.type == "THIN" and (context or not self._ends_operand()):
            return
        if token.type == "QUAD" and depth > 0:
            return
        self.result.append(token)

    def _ends_operand(self) -> bool:
        if not self.result or self.result[-1].type not in ENDS_OPERAND:
            return False
        return self.result[-1].note not in _PREFIXES

    def _with_scripts(self, base: int, context: str) -> Token:
        """The token at `base` with the scripts that are part of its name."""
        token = self.tokens[base]
        suffix, place = "", base + 1
        while place < len(self.tokens) and self.tokens[place].type in ("SUB", "SUP", "PRIME"):
            if self.tokens[place].type == "PRIME":
                suffix += "_prime"
                next_place = place + 1
                is_part = token.type == "NAME"
            else:
                end = self.closing.get(place + 1)
                if end is None:
                    break
                next_place = end + 1
                content = (
                    self.tokens[place + 2 : end] if end - place <= 5 or context == "extents" else []
                )
                label = self._label(place, content, token, context)
                suffix += label
                is_part = bool(label)
                self._note(place, end, token)
            if is_part:
                self.dropped[place] = next_place
            place = next_place
        return replace(token, value=token.value + suffix) if token.type == "NAME" else token

    def _note(self, script: int, end: int, base: Token) -> None:
        self.after[end] = base.type
        if base.type == "RR":
            self.holds[script + 1] = "extents"
        elif self.tokens[script].type == "SUB":
            self.holds[script + 1] = {"NAME": "indices", "RED": "limits"}.get(base.type, "")

    def _label(self, script: int, content: list[Token], base: Token, context: str) -> str:
        r"""The suffix that a script adds to its name: `_1` for `x^{(1)}`, `_max` for `x^{\max}`, else nothing."""
        if base.type != "NAME" or not content:
            return ""
        kinds = [token.type for token in content]
        if self.tokens[script].type == "SUB":
            if context == "extents" and set(kinds) <= {"NAME", "NUM"}:
                return "_" + "".join(token.value for token in content)
            if len(kinds) == 1 and kinds[0] in _PREFIXES:  # `x_{\max}`
                return f"_{content[0].note or content[0].value}"
            return f"_{content[0].value}" if context and kinds == ["NUM"] else ""
        if set(kinds) == {"PRIME"}:
            return "_prime" * len(kinds)
        if kinds == ["LPAR", "NUM", "RPAR"] or (
            kinds == ["LPAR", "NAME", "RPAR"] and len(content[1].value) > 1
        ):
            return f"_{content[1].value.replace('.', '_')}"
        if kinds == ["NAME"] and base.value != "e" and self._is_label(content[0]):
            return f"_{content[0].value}"
        if len(kinds) == 1 and kinds[0] in _PREFIXES:
            return f"_{content[0].note or content[0].value}"
        return ""

    def _is_label(self, above: Token) -> bool:
        """Whether it is a word or an upright letter, but no transpose; or known as a label."""
        is_upright = above.note == "upright" and above.value not in ("T", "H")
        return is_upright or above.value in self.labels


def limit_names(tokens: Sequence[Token], opening: int, closing: Mapping[int, int]) -> list[str]:
    r"""The names that limits, such as `k`, `i,j=1` or `0 \le k < N`, introduce as far as tokens tell.

    `opening` is the place of their `{`, `closing` what `closing_braces` gives.
    """
    names: list[str] = []
    operands: list[list[Token]] = [[]]  # of the entry so far: the tokens between its relations
    place, end = opening + 1, closing.get(opening, len(tokens))
    while place < end:
        token = tokens[place]
        if token.type in ("EQ", "REL", "IN"):
            operands.append([])
        elif token.type == "COMMA":
            names += _introduced(operands)
            operands = [[]]
        else:
            operands[-1].append(token)
        place = closing.get(place, place) + 1
    return names + _introduced(operands)


def _introduced(operands: Sequence[Sequence[Token]]) -> list[str]:
    """The middle of an interval; else the left side of the relation, or the first name on its right."""
    if len(operands) == 3 and [t.type for t in operands[1]] == ["NAME"]:
        return [operands[1][0].value]
    first, *others = [[t.value for t in operand if t.type == "NAME"] for operand in operands]
    return first or [name for operand in others for name in operand][:1]


def spelled(tokens: Sequence[Token], vocabulary: Vocabulary) -> list[Token]:
    """The tokens as the grammar reads them: functions told from names, and a comma between two subscripts."""
    tokens = _with_declared_names(tokens, vocabulary)
    with_commas = _braces_with_commas(tokens)
    result: list[Token] = []
    contexts: list[str] = []
    commas = [False]
    for place, token in enumerate(tokens):
        following = tokens[place + 1].type if place + 1 < len(tokens) else ""
        if _is_gamma(token, result, following):
            result.pop()
            token = Token("FUNC", "lgamma", token.start, token.end)
        if (statistic := _statistic(tokens, place)) is not None:
            token = statistic
        token = _identified(token, following, vocabulary)
        in_power = following == "RBRACE" and [t.type for t in result[-2:]] == ["SUP", "LBRACE"]
        if token.value == "Delta" and _is_raised_step(tokens[place + 1 : place + 3], vocabulary):
            fact = (
                f"`\\Delta {tokens[place + 1].value}` with a power may be raised as a whole or not"
            )
            fix = "put brackets around what is raised: `(\\Delta t)^2`"
            token = Token("ERROR", fact, token.start, tokens[place + 1].end, fix)
        if token.value == "\\times" and _is_between_vectors(tokens, place):
            fact = r"`\times` between vectors may be the cross product, or a product of numbers"
            fix = r"write the cross product in components, `c_i = \sum_{jk} \varepsilon_{ijk} a_j b_k`, or `\cdot` for numbers"
            token = Token("ERROR", fact, token.start, token.end, fix)
        if token.type == "FRAC" and _is_derivative(tokens, place) and not vocabulary.knows("d"):
            fact = "a derivative would be read as a quotient of products with `d`"
            fix = "tadc derives the program itself; give what is defined a name: `v_i`"
            token = Token("ERROR", fact, token.start, token.end, fix)
        if token.value == "T" and in_power and not vocabulary.knows("T"):
            token = _raised_t(token, result[:-2], tokens[place + 1], vocabulary)
        if token.type in CLOSERS and contexts:
            contexts.pop()
            commas.pop()
        elif (
            contexts
            and contexts[-1] in ("indices", "limits")
            and _separate(result[-1], token, commas[-1], vocabulary)
        ):
            result.append(Token("COMMA", "", token.start, token.start))
        if token.type in OPENERS:
            contexts.append(token.note)
            commas.append(place in with_commas)
        result.append(token)
    return result


def _raised_t(
    letter: Token, before: Sequence[Token], closing: Token, vocabulary: Vocabulary
) -> Token:
    r"""The `T` of `x^T`: a transpose; the bound of `\sum_{t=1}^T`, and the power `(1 + r)^T` in a document that has such a sum."""
    if closing.note == "RED":
        return letter
    if letter.value not in vocabulary.bounds:
        return replace(letter, type="TOP")
    if before and before[-1].type == "NUM":
        return letter
    if before and before[-1].type in ("RPAR", "RSQB") and _adds_number(before):
        return letter
    if before and before[-1].type == "NAME" and before[-1].note == "bold":
        return replace(letter, type="TOP")
    fact = "`^T` may be a transpose, or a power, since `T` is the bound of a sum here"
    fix = r"write `^\top` for the transpose, or declare the size, `%!tadc size T`, for the power"
    return Token("ERROR", fact, letter.start, letter.end, fix)


def _adds_number(before: Sequence[Token]) -> bool:
    """Whether the bracket that ends here adds a number to something: what it holds is no vector."""
    depth = 0
    for token in reversed(before):
        depth += (token.type in CLOSERS) - (token.type in OPENERS)
        if depth == 0:
            return False
        if depth == 1 and token.type == "NUM":
            return True
    return False


def _is_derivative(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether the fraction at `place` is `\frac{d x_i}{dt}`."""
    closing = closing_braces(tokens[place : place + 40])
    end = closing.get(1)
    if end is None:
        return False
    over, under = tokens[place + 2 : place + 3], tokens[place + end + 2 : place + end + 4]
    return [t.value for t in (*over, *under[:1])] == ["d", "d"] and under[-1].type == "NAME"


def _is_between_vectors(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether both neighbours of the sign are printed as vectors, `\mathbf{v} \times \mathbf{B}_p`."""
    before = place - 1
    while before > 0 and tokens[before].type == "RBRACE":  # what is below the name
        opening = (n for n in range(before, -1, -1) if tokens[n].type == "LBRACE")
        before = next(opening, 1) - 2
    after = place + 1
    return (
        before >= 0
        and after < len(tokens)
        and all(
            t.type == "NAME" and (t.note == "bold" or t.value.endswith("_vec"))
            for t in (tokens[before], tokens[after])
        )
    )


def _is_raised_step(following: Sequence[Token], vocabulary: Vocabulary) -> bool:
    r"""Whether it is the `t^` of `\Delta t^2`, which most authors mean as a power of the step."""
    kinds = [token.type for token in following]
    return kinds == ["NAME", "SUP"] and "Delta" not in vocabulary.declared | vocabulary.subscripted


def _with_declared_names(tokens: Sequence[Token], vocabulary: Vocabulary) -> list[Token]:
    """`N_1` as one name where a size or an index is called so, and nothing else has the subscript of an `N`."""
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if [t.type for t in tokens[place : place + 3]] == ["NAME", "SUB", "LBRACE"]:
            mark, closing = (
                tokens[place + 3 : place + 5] if place + 5 <= len(tokens) else (token,) * 2
            )
            name = f"{token.value}_{mark.value}"
            if closing.type == "RBRACE" and vocabulary.has_compound(token.value, name):
                result.append(replace(token, value=name, end=closing.end))
                place += 5
                continue
        result.append(token)
        place += 1
    return result


def _braces_with_commas(tokens: Sequence[Token]) -> set[int]:
    opened: list[int] = []
    places: set[int] = set()
    for place, token in enumerate(tokens):
        if token.type in OPENERS:
            opened.append(place)
        elif token.type in CLOSERS and opened:
            opened.pop()
        elif token.type == "COMMA" and opened:
            places.add(opened[-1])
    return places


def _separate(left: Token, right: Token, has_commas: bool, vocabulary: Vocabulary) -> bool:
    """Whether two neighbours in a subscript are two subscripts; else they multiply, or are no two operands."""
    if left.type not in ENDS_OPERAND or left.note in _PREFIXES or right.type not in STARTS_OPERAND:
        return False
    if left.type == "NUM":
        return right.type == "NUM" or (left.value in ("0", "1") and not has_commas)
    return not (left.type == "NAME" and left.value in vocabulary.sizes and right.type != "NUM")


def _is_gamma(token: Token, before: Sequence[Token], following: str) -> bool:
    r"""Whether it is the function of `\log\Gamma(x)`."""
    is_logarithm = bool(before) and before[-1].type == "FUNC" and before[-1].value == "log"
    return is_logarithm and following in ("LPAR", "LSQB") and token.value == "Gamma"


def _statistic(tokens: Sequence[Token], place: int) -> Token | None:
    r"""The error of `\operatorname{Var}(x_i)` and `\operatorname{Var}_i(x_{ij})`, which have two readings."""
    token = tokens[place]
    name = token.value.split("_")[0]
    if token.type != "NAME" or token.note != "upright" or name not in TWO_READINGS:
        return None
    behind = place + 1
    if [t.type for t in tokens[behind : behind + 2]] == ["SUB", "LBRACE"]:
        ends = (n for n in range(behind, len(tokens)) if tokens[n].type == "RBRACE")
        behind = next(ends, behind) + 1
    if behind >= len(tokens) or tokens[behind].type not in ("LPAR", "LSQB"):
        return None
    fact = f"`{name}` divides by the number of samples, `N`, or by `N - 1`, and nothing in the document tells which"
    return Token("ERROR", fact, token.start, token.end, TWO_READINGS[name])


def _identified(token: Token, following: str, vocabulary: Vocabulary) -> Token:
    before_bracket = following in ("LPAR", "LSQB")
    match token.type, token.value:
        case "FUNC", _ if token.note and vocabulary.knows(token.note):
            return replace(token, type="NAME", value=token.note, note="upright")
        case "CALLED", _ if not before_bracket:
            return replace(token, type="NAME", note="upright")
        case "NAME", name if vocabulary.knows(name):
            return token
        case "NAME", "sigma" if before_bracket and vocabulary.is_sigmoid:
            return replace(token, type="FUNC", value="sigmoid")
        case "NAME", "sigma" if before_bracket:
            fact = (
                r"`\sigma(..)` may be the sigmoid or a product, and nothing in the document tells"
            )
            fix = (
                r"write `\operatorname{sigmoid}(..)`, or say in the text that $\sigma$ is the sigmoid; for the product declare the"
                " number: `%!tadc input sigma[]`"
            )
            return Token("ERROR", fact, token.start, token.end, fix)
        case "NAME", "e":
            return replace(token, note="euler")
        case "NAME", name if before_bracket and (
            _is_word(token) or name.split("_")[0] in FUNCTION_LETTERS | {"sigma"}
        ):
            return Token(
                "ERROR",
                f"`{name}(..)` is no function that tadc knows",
                token.start,
                token.end,
                _MEANT.get(name.lower())
                or f"define it, `{name}(x) = ..`, in the document, or write `{name} \\cdot (..)` for a product",
            )
        case _:
            return token


_MEANT = {
    "softmax": r"write `\frac{\exp(x_i)}{\sum_j \exp(x_j)}`",
    "elu": r"write `\begin{cases} x_i & x_i > 0 \\ \exp(x_i) - 1 & \text{otherwise} \end{cases}`",
    "leakyrelu": r"write `\max(x_i, 0.01 x_i)`",
    "clip": r"write `\min(\max(x_i, a), b)`",
    "norm": r"write `\sqrt{\sum_i x_i^2}`",
    "tr": r"write `\sum_i a_{ii}`",
    "trace": r"write `\sum_i a_{ii}`",
    "step": r"write `\mathbf{1}[x_i > 0]`",
    "heaviside": r"write `\mathbf{1}[x_i > 0]`",
}


def _is_word(token: Token) -> bool:
    r"""Whether it is `\mathrm{softmax}`, which is hardly a factor."""
    return token.note == "upright" and len(token.value) > 1
