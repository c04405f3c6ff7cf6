r"""The tokens of a formula as the grammar reads them, once the whole document is known.

`x_{ij}` is `x_{i,j}` but `x_{Mi+j}` is not split, and `\sigma(..)`, `e` and `f(..)` are functions or names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.commands import FUNCTION_LETTERS, ONES, TWO_READINGS
from tadc.syntax.tex.names import PREFIXES, closing_braces
from tadc.syntax.tex.token_list import CLOSERS, ENDS_OPERAND, OPENERS, STARTS_OPERAND, Token
from tadc.syntax.tex.vocabulary import Vocabulary

__all__ = ["spelled"]


def spelled(tokens: Sequence[Token], vocabulary: Vocabulary) -> list[Token]:
    """The tokens as the grammar reads them: functions told from names, and a comma between two subscripts."""
    tokens = _with_declared_names(tokens, vocabulary)
    with_commas = _braces_with_commas(tokens)
    result: list[Token] = []
    contexts: list[str] = []
    commas = [False]
    arguments = [False]  # whether factors are the argument of a function without brackets
    for place, token in enumerate(tokens):
        following = tokens[place + 1].type if place + 1 < len(tokens) else ""
        if _is_gamma(token, result, following):
            result.pop()
            token = Token("FUNC", "lgamma", token.start, token.end)
        elif _is_gamma_alone(token, following, vocabulary):
            at = token.start
            result.append(Token("FUNC", "exp", at, at))
            token = Token("FUNC", "lgamma", at, token.end)
        if (statistic := _statistic(tokens, place)) is not None:
            token = statistic
        if token.type == "INDICATOR" and following not in ("SUB", "LPAR", "LSQB", "RBRACE"):
            token = replace(token, type="NAME", value=ONES, note="bold")
        is_upright = token.note in ("upright", "euler")
        token = _identified(token, following, vocabulary)
        if token.note == "euler" and _is_transposed(tokens[place + 1 : place + 5], vocabulary):
            fact = "`e` with a transpose may be a vector of errors, or Euler's number to a power"
            fix = r"declare the vector, `%!tadc input e[N]`, or the exponent, `%!tadc input T[]`"
            token = Token("ERROR", fact, token.start, tokens[place + 4].end, fix)
        if token.note == "euler" and not is_upright and _is_plain_e(tokens, place, vocabulary):
            fact = "`e` may be Euler's number, or a number of its own, such as a charge"
            fix = r"write Euler's number as `\exp(1)`, its powers as `\exp(..)`; a number is declared: `%!tadc input e[]`"
            token = Token("ERROR", fact, token.start, token.end, fix)
        if _is_operator(token, tokens[place + 1 : place + 3], vocabulary) and not (
            contexts and contexts[-1] in ("indices", "limits")
        ):
            token = _unclear_operator(token)
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
        if token.value == "H" and in_power and not vocabulary.knows("H"):
            token = _raised_h(token, result[-3:-2], tokens[place + 1], vocabulary)
        if token.type in CLOSERS and contexts:
            contexts.pop()
            commas.pop()
            arguments.pop()
        elif (
            contexts
            and contexts[-1] in ("indices", "limits")
            and _separate(result[-1], token, commas[-1], vocabulary)
            and not _is_multiple(result, tokens[place : place + 3], vocabulary)
        ):
            result.append(Token("COMMA", "", token.start, token.start))
        if token.type in OPENERS:
            contexts.append(token.note)
            commas.append(place in with_commas)
            arguments.append(False)
        elif token.type in ("FUNC", *_ENDS_ARGUMENT):
            arguments[-1] = token.type == "FUNC"
        elif (
            arguments[-1]
            and following == "SUP"
            and token.note == "euler"
            and (result[-1].type in ENDS_OPERAND)
        ):  # `\sin \omega t e^{-t}`: an exponential is a function
            result.append(Token("THIN", "", token.start, token.start))
            arguments[-1] = False
        result.append(token)
    return result


_ENDS_ARGUMENT = frozenset(("PLUS", "MINUS", "CDOT", "THIN", "SLASH", "EQ", "REL", "COMMA", "RED"))


def _is_operator(word: Token, behind: Sequence[Token], vocabulary: Vocabulary) -> bool:
    r"""Whether it is the `\det` of `\det A` or the `\mathrm{sinc}` of `\mathrm{sinc}\, x_i`: a word in small letters that nothing declares, in
    front of what it may be applied to; or one of a few others, in front of a letter.
    """
    operand = next((t for t in behind if t.type != "THIN"), None)
    if word.type != "NAME" or word.note != "upright" or operand is None:
        return False
    if (
        (len(word.value) < 2 and word.value not in _OPERATORS | {"d"})
        or vocabulary.knows(word.value)
        or operand.type not in STARTS_OPERAND
    ):
        return False
    is_letter = operand.type == "NAME" and operand.note != "upright"
    if word.value == "d":
        return is_letter
    return word.value.islower() or (word.value in _OPERATORS and is_letter)


_OPERATORS = frozenset(("Re", "Im", "Pr", "E", "P", "Var", "Cov", "Corr", "Std"))


def _unclear_operator(word: Token) -> Token:
    name = word.value
    if name == "d":
        fix = r"write a step as `\Delta x`; a factor is declared, `%!tadc input d[]`"
        return Token("ERROR", "a differential is no factor", word.start, word.end, fix)
    fact = f"`{name}` may be a function of what follows, or a factor"
    fix = _MEANT.get(name.lower()) or (
        f"define the function, `\\mathrm{{{name}}}(x) = ..`, in the document; for the factor declare the number,"
        f" `%!tadc input {name}[]`"
    )
    return Token("ERROR", fact, word.start, word.end, fix)


def _is_transposed(behind: Sequence[Token], vocabulary: Vocabulary) -> bool:
    r"""Whether `^\top`, or a `^T` of which the document tells nothing, stands above a name."""
    if [t.type for t in behind[:2]] != ["SUP", "LBRACE"] or behind[-1].type != "RBRACE":
        return False
    above = behind[2]
    is_letter = above.value == "T" and not (
        vocabulary.knows("T") or "T" in vocabulary.bounds or above.value in vocabulary.directed
    )
    return above.type == "TOP" or is_letter


def _raised_h(
    letter: Token, before: Sequence[Token], closing: Token, vocabulary: Vocabulary
) -> Token:
    """The `H` of `x^H`, which signals and matrices have for the adjoint, and few formulas for an exponent; not one of `e`, or above a sum."""
    is_number = letter.value in vocabulary.bounds or [t.note for t in before] == ["euler"]
    if is_number or closing.note in PREFIXES:
        return letter
    fact = "`^H` may be the conjugate transpose, or a power"
    fix = r"write `^\top` for the transpose of real numbers, or declare the exponent, `%!tadc input H[]`"
    return Token("ERROR", fact, letter.start, letter.end, fix)


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


def _is_plain_e(tokens: Sequence[Token], place: int, vocabulary: Vocabulary) -> bool:
    r"""Whether the `e` has a number above, which Euler's number seldom has, `e^2`, or no power beside a factor, `e V`, in a document about
    charges, or with coefficients `c` and `d`; not that of `\log_2 e`.
    """
    kinds = [t.type for t in tokens[place + 1 : place + 5]]
    before = place - 1
    if [t.type for t in tokens[max(place - 4, 0) : place]] == ["SUB", "LBRACE", "NUM", "RBRACE"]:
        before = place - 5
    if before >= 0 and tokens[before].value in ("log", "ln"):
        return False
    is_charge = vocabulary.has_charges or vocabulary.lists_letters or _is_factor(tokens, place)
    is_charge = is_charge or _is_number_of_names(tokens, place)
    is_bare = kinds[:1] != ["SUP"] and is_charge
    return is_bare or kinds == ["SUP", "LBRACE", "NUM", "RBRACE"]


def _is_factor(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether a name, a bracket or a sum stands beside the `e` at `place`, with at most a dot or a space between them; that of `2\pi e` is
    Euler's number.
    """
    signs = ("CDOT", "THIN")
    behind = next((t for t in tokens[place + 1 :] if t.type not in signs), None)
    before = next((t for t in reversed(tokens[:place]) if t.type not in signs), None)
    is_below = [t.type for t in tokens[max(place - 2, 0) : place]] == ["SUB", "LBRACE"]
    if is_below or (before is not None and before.value == "pi"):
        return False
    is_in_front = behind is not None and behind.type in STARTS_OPERAND - {"NUM"}
    is_behind = before is not None and before.type in ENDS_OPERAND - {"NUM"}
    return is_in_front or (is_behind and before is not None and before.note != "limits")


def _is_number_of_names(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether it is the `e` of `0.622 e`, of a difference of names, `p - e`, or a numerator over names, `\frac{e}{e_s}`: a pressure or an error."""
    before = tokens[place - 1] if place else None
    behind = tokens[place + 1] if place + 1 < len(tokens) else None
    if before is not None and before.type == "NUM" and "." in before.value:
        return True
    if place > 1 and tokens[place - 2].type == "FRAC" and behind is not None:
        closing = closing_braces(tokens[place - 1 : place + 40])
        line = closing.get(0, 0)
        below = tokens[place + line : place - 1 + closing.get(line + 1, 0)]
        return line == 2 and any(t.type == "NAME" and t.value != "e" for t in below)
    is_term = before is not None and before.type == "MINUS" and place > 1
    beside = [tokens[place - 2].type] if is_term else []
    if behind is not None and behind.type in ("PLUS", "MINUS"):
        beside += [t.type for t in tokens[place + 2 : place + 3]]
    ends = behind is None or behind.type in (*CLOSERS, "PLUS", "MINUS")
    return is_term and ends and "NUM" not in beside and tokens[place - 2].type in ENDS_OPERAND


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
    if left.type not in ENDS_OPERAND or left.note in PREFIXES or right.type not in STARTS_OPERAND:
        return False
    if left.type == "NUM":
        return right.type == "NUM" or (left.value in ("0", "1") and not has_commas)
    return not (left.type == "NAME" and left.value in vocabulary.sizes and right.type != "NUM")


def _is_multiple(
    before: Sequence[Token], following: Sequence[Token], vocabulary: Vocabulary
) -> bool:
    r"""Whether a size behind an index multiplies it: the `D` of `x_{n+mD}` and of `x_{mD+n}`, in which a sum goes on."""
    size = following[0]
    if before[-1].type != "NAME" or size.type != "NAME" or size.value not in vocabulary.sizes:
        return False
    if before[-2].type in ("PLUS", "MINUS"):
        return before[-3].type in ENDS_OPERAND
    kinds = [t.type for t in following[1:]]
    return before[-2].type == "LBRACE" and kinds == ["PLUS", "NAME"]


def _is_gamma(token: Token, before: Sequence[Token], following: str) -> bool:
    r"""Whether it is the function of `\log\Gamma(x)`."""
    is_logarithm = bool(before) and before[-1].type == "FUNC" and before[-1].value == "log"
    return is_logarithm and following in ("LPAR", "LSQB") and token.value == "Gamma"


def _is_gamma_alone(token: Token, following: str, vocabulary: Vocabulary) -> bool:
    r"""Whether it is the function of `\Gamma(k)`, in a document with no other use of the letter; right for positive numbers."""
    known = vocabulary.declared | vocabulary.subscripted
    is_letter = token.type == "NAME" and token.value == "Gamma" and "Gamma" not in known
    return is_letter and following == "LPAR"


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
        case "NAME", "e" if token.note == "euler":
            return token
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
        case "NAME", name if name in vocabulary.labelled:
            return token  # a function has its bracket everywhere
        case "NAME", "e" if token.note != "bold":  # `\mathbf{e}` is a vector
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
                or f"define it, `{as_printed(name)}(x) = ..`, in the document; for a product write `{as_printed(name)} \\cdot (..)`;"
                f" what is given for one argument is a number, `%!tadc input {name}[]`; elements of a tensor are declared, `%!tadc input {name}[N]`",
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
    "mod": r"write `i \bmod 3`",
    "det": r"write the sum, for two rows that are counted from 1 `a_{11} a_{22} - a_{12} a_{21}`",
}


def _is_word(token: Token) -> bool:
    r"""Whether it is `\mathrm{softmax}`, which is hardly a factor."""
    return token.note == "upright" and len(token.value) > 1
