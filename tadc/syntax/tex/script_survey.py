r"""What the scripts of a whole document tell of its names, before the meaning of any is decided: which letters are summed or tell names
apart, which names have numbers, two letters or two digits below them, and which stand as values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from tadc.syntax.tex.diagonals import AXES
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import LONGEST_SCRIPT, bound_names, left_indices, scripted
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = [
    "COUNTING",
    "above_numbers",
    "above_the_left",
    "counting_above_the_left",
    "counts_of_subscripts",
    "counts_on_left",
    "numbers",
    "raised_over_indices",
    "summed",
    "told_apart",
    "unbalanced",
    "values",
    "with_digits_of_others",
    "with_free_capitals",
    "with_given_numbers",
    "with_numbers_alone",
    "with_two_digits",
    "with_two_letters",
]

COUNTING = frozenset("ijklmn")  # letters that are no labels of what has indices


def with_free_capitals(definitions: Sequence[Statement], bound: Sequence[Set[str]]) -> set[str]:
    """The names with one capital letter below them that nothing binds."""
    everywhere: set[str] = set().union(*bound)
    return {
        name.value
        for d in definitions
        for name, _, inner in scripted(d.tokens, "SUB")
        if [t.type for t in inner] == ["NAME"]
        if inner[0].value.isupper() and inner[0].value not in everywhere
    }


def counts_on_left(definitions: Sequence[Statement]) -> dict[str, int]:
    """How many letters stand below the names that left sides define, one each."""
    counts: dict[str, set[int]] = {}
    for d in definitions:
        if letters := left_indices(d.tokens):
            counts.setdefault(d.target, set()).add(len(letters))
    return {name: found.pop() for name, found in counts.items() if len(found) == 1}


def numbers(definitions: Sequence[Statement], in_intervals: Set[str]) -> set[str]:
    r"""The names that a number is added to, `1 - q`, that lie between two numbers, that have a logarithm or are a power of Euler's number,
    `e^{-\lambda}`, or that a function is of, `G(z) = ..`; none of them has subscripts.
    """
    found = {*in_intervals}
    for d in definitions:
        found |= {*_of_logarithms(d.right), *_arguments(d)}
        fours = zip(d.tokens, d.tokens[1:], d.tokens[2:], (*d.tokens[3:], None), strict=False)
        for number, sign, name, behind in fours:
            is_sum = number.type == "NUM" and sign.type in ("PLUS", "MINUS")
            is_bare = behind is None or behind.type not in ("SUB", "SUP", "PRIME", "LPAR", "LSQB")
            if is_sum and is_bare and name.type == "NAME":
                found.add(name.value)
    with_subscripts = {name.value for d in definitions for name, _, _ in scripted(d.tokens, "SUB")}
    numbered = {  # `x^{(i)}` beside `h(x) = ..`
        name.value
        for d in definitions
        for name, _, inner in scripted(d.tokens, "SUP")
        if [t.type for t in inner[:1]] == ["LPAR"]
    }
    return found - with_subscripts - numbered


def _of_logarithms(tokens: Sequence[Token]) -> Iterator[str]:
    r"""The `u` of `\ln u` and `\sqrt{u}`, and the `\lambda` of `e^{-\lambda}`."""
    for place, token in enumerate(tokens):
        behind = [t for t in tokens[place + 1 : place + 6] if t.type not in ("LPAR", "LGROUP")]
        if token.type == "FUNC" and token.value in ("log", "log2", "log10", "sqrt") and behind:
            is_bare = len(behind) < 2 or behind[1].type not in ("SUB", "SUP", "LPAR", "LSQB")
            if behind[0].type == "NAME" and is_bare and behind[0].note != "bold":
                yield behind[0].value
        power = [t for t in tokens[place + 1 : place + 6] if t.type != "MINUS"]
        kinds = [t.type for t in power[:4]]
        if token.value == "e" and kinds == ["SUP", "LBRACE", "NAME", "RBRACE"]:
            yield power[2].value


def _arguments(definition: Statement) -> Iterator[str]:
    r"""The `z` of `G(z) = ..`, where it is all of the list, and no vector; with lists on the right side, `K(x, x^k)`, it may be a point."""
    left = definition.tokens[: definition.equal]
    kinds = [t.type for t in left]
    if any(t.type == "COMMA" for t in definition.right):
        return
    if kinds == ["NAME", "LPAR", "NAME", "RPAR"] and left[2].note != "bold":
        yield left[2].value


def values(tokens: Sequence[Token]) -> set[str]:
    """The names that stand outside of scripts, on right sides, or above a bracket, as powers."""
    closing = closing_braces(tokens)
    names: set[str] = set()
    place = next((n for n, t in enumerate(tokens) if t.type in ("EQ", "DEF")), len(tokens))
    while place < len(tokens):
        if tokens[place].type in ("SUB", "SUP"):
            end = closing.get(place + 1, place)
            is_power = tokens[place - 1].type in ("RPAR", "RSQB", "NUM")
            is_power |= _is_number(tokens[place - 1], tokens[place + 2 : end])
            if tokens[place].type == "SUP" and is_power:
                names |= _outside_subscripts(tokens[place:end])
            place = end
        elif tokens[place].type == "NAME":
            names.add(tokens[place].value)
        place += 1
    return names


def _outside_subscripts(tokens: Sequence[Token]) -> set[str]:
    closing = closing_braces(tokens)
    names: set[str] = set()
    place = 0
    while place < len(tokens):
        if tokens[place].type == "SUB":
            place = closing.get(place + 1, place)
        elif tokens[place].type == "NAME":
            names.add(tokens[place].value)
        place += 1
    return names


def _is_number(base: Token, inner: Sequence[Token]) -> bool:
    r"""Whether it is the `1-\alpha` of `K^\alpha L^{1-\alpha}`, the `-\beta` of `d^{-\beta}` or the `1/n` of `x^{1/n}`, no index and no label; or
    stands above Euler's number.
    """
    kinds = [t.type for t in inner]
    is_rest = kinds == ["NUM", "MINUS", "NAME"] or kinds == ["MINUS", "NAME"]
    is_quotient = bool({"FRAC", "SLASH"} & {*kinds}) and "NUM" in kinds
    is_euler = base.type == "NAME" and (base.value == "e" or base.note == "euler")
    return is_rest or is_quotient or is_euler


def summed(right: Sequence[Token]) -> set[str]:
    """The letters that stand below two names of one term, or twice below one: sums under Einstein's convention, which have none below a
    line. Letters that papers count with are, too, where one name has them twice, `s_{ij} s_{ij}`.
    """
    found: set[str] = set()
    owners: dict[str, set[str]] = {}
    terms: list[list[Token]] = [[]]
    for token, depth in depths(_above_lines(right)):
        if depth == 0 and token.type in ("PLUS", "MINUS"):
            terms.append([])
        terms[-1].append(token)
    for term in terms:
        owners.clear()
        for name, _, inner in scripted(term, "SUB"):
            counts = Counter(t.value for t in inner if t.type == "NAME")
            for letter, count in counts.items():
                is_again = letter in COUNTING and letter in owners and len(counts) > 1
                owners.setdefault(letter, set()).add(name.value)
                if count > 1 or len(owners[letter]) > 1 or is_again:
                    found.add(letter)
    return found


def unbalanced(tokens: Sequence[Token]) -> set[str]:
    r"""The letters below names in some terms of a bracket and not in others, the `L` of `g_L (V_i - E_L)`: no sum that is not written runs
    over them.
    """
    found: set[str] = set()
    for opening, end in closing_brackets(tokens).items():
        if tokens[opening].type not in ("LPAR", "LSQB") or end - opening > LONGEST_SCRIPT:
            continue
        terms: list[list[Token]] = [[]]
        for token, depth in depths(tokens[opening + 1 : end]):
            if depth == 0 and token.type in ("PLUS", "MINUS"):
                terms.append([])
            terms[-1].append(token)
        letters = [{t.value for _, _, inner in scripted(x, "SUB") for t in inner} for x in terms]
        found |= set().union(*letters) - letters[0].intersection(*letters[1:])
    return found


def _above_lines(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without what fractions divide by."""
    closing = closing_braces(tokens)
    lines = {
        closing[place + 1] + 1
        for place, token in enumerate(tokens)
        if token.type == "FRAC" and place + 1 in closing
    }
    result: list[Token] = []
    end = -1
    for place, token in enumerate(tokens):
        if place in lines:
            end = max(end, closing.get(place, place))
        if place > end:
            result.append(token)
    return result


def with_numbers_alone(definitions: Sequence[Statement], bound: Set[str]) -> set[str]:
    r"""The names with no other subscripts than one number, `T_1`, `k_{-1}` and `TD_{50}`, or labels beside it, `T_R`, and no name that is written like
    them, such as `x_1` for `x^{(1)}`. Labels are words, and capitals and letters of axes that are not `bound`; of several numbers of two digits and more,
    these may be two subscripts each where none has a 0.
    """
    numbers: dict[str, set[str]] = {}
    others: set[str] = set()
    for definition in definitions:
        others |= {t.value for t in definition.tokens if t.type == "NAME"}
        for name, _, inner in scripted(definition.tokens, "SUB"):
            found = numbers.setdefault(name.value, set())
            kinds = [t.type for t in inner]
            if kinds in (["NUM"], ["MINUS", "NUM"]) and inner[-1].value.isdigit():
                found.add("".join(t.value for t in inner))
            elif not _is_label(inner, bound):
                found.add("")
    return {
        name
        for name, found in numbers.items()
        if found and "" not in found and not any(f"{name}_{n}" in others for n in found)
        if len(found) == 1 or all(len(n.lstrip("-")) == 1 or "0" in n for n in found)
    }


def _is_label(inner: Sequence[Token], bound: Set[str]) -> bool:
    is_one = len(inner) == 1 and inner[0].type == "NAME" and inner[0].value not in bound
    return is_one and (
        inner[0].value.isupper() or len(inner[0].value) > 1 or inner[0].value in AXES
    )


def with_given_numbers(definitions: Sequence[Statement]) -> set[str]:
    r"""The names of which one formula defines all elements by some with numbers, `x_i = x_0 + v t_i`, that nothing else reads: these are
    given, as an element would be defined by itself.
    """
    found: set[str] = set()
    others: set[str] = set()
    for d in definitions:
        for name, _, inner in scripted(d.right, "SUB"):
            is_own = name.value == d.target and bool(left_indices(d.tokens))
            is_given = is_own and [t.type for t in inner] == ["NUM"]
            (found if is_given else others).add(name.value)
    return found - others


def raised_over_indices(definitions: Sequence[Statement]) -> set[str]:
    r"""The names with an index in brackets above that their reader binds, the `W` of `\sum_j W_t^{(j)}` and of `s_j = W_t^{(j)} x_t`."""
    return {
        name.value
        for d in definitions
        for indices in [bound_names(d.tokens)]
        for name, _, inner in scripted(d.right, "SUP")
        if [t.type for t in inner] == ["LPAR", "NAME", "RPAR"] and inner[1].value in indices
    }


def above_the_left(definition: Statement) -> set[str]:
    """The letter in brackets above the left side."""
    left = definition.tokens[: definition.equal]
    return {
        inner[1].value
        for _, _, inner in scripted(left, "SUP")
        if [t.type for t in inner] == ["LPAR", "NAME", "RPAR"]
    }


def counting_above_the_left(definition: Statement) -> set[str]:
    r"""The `i` of `Q_H^{(i)} = U_i (T_i - \theta_i)`: a letter of indices that stands alone below a name of the right side."""
    below = [inner for _, _, inner in scripted(definition.right, "SUB")]
    alone = {inner[0].value for inner in below if [t.type for t in inner] == ["NAME"]}
    return above_the_left(definition) & alone & COUNTING


def with_two_letters(definitions: Sequence[Statement]) -> set[str]:
    r"""The names that have two letters and more below them, or one number: of `g_{ij} = g_0 d_{ij}` the `g_0` is no element."""
    counts: dict[str, set[int]] = {}
    for definition in definitions:
        for name, _, inner in scripted(definition.tokens, "SUB"):
            is_number = [t.type for t in inner] == ["NUM"] and len(inner[0].value) == 1
            letters = sum(t.type == "NAME" for t in inner)
            counts.setdefault(name.value, set()).add(0 if is_number else letters or 1)
    return {
        name for name, found in counts.items() if 0 in found and min(found - {0}, default=0) > 1
    }


def counts_of_subscripts(definitions: Sequence[Statement]) -> dict[str, int]:
    r"""The numbers of subscripts of names that have as many wherever these are letters alone, or 0 or 1 and letters, `y_{1j}`."""
    counts: dict[str, set[int]] = {}
    for d in definitions:
        for name, _, inner in scripted(d.tokens, "SUB"):
            parts = [t for t in inner if t.type != "COMMA"]
            if parts and {t.type for t in parts} <= {"NAME", "NUM"}:
                numbers = [t.value for t in parts if t.type == "NUM"]
                is_product = any(n not in ("0", "1") for n in numbers) and len(inner) == len(parts)
                counts.setdefault(name.value, set()).update([] if is_product else [len(parts)])
    return {name: found.pop() for name, found in counts.items() if len(found) == 1}


def _numbers_below(definitions: Sequence[Statement]) -> dict[str, set[str]]:
    """The numbers that are subscripts of each name; an empty text stands for all others."""
    found: dict[str, set[str]] = {}
    for definition in definitions:
        for name, _, inner in scripted(definition.tokens, "SUB"):
            is_number = [t.type for t in inner] == ["NUM"]
            found.setdefault(name.value, set()).add(inner[0].value if is_number else "")
    return found


def with_two_digits(definitions: Sequence[Statement]) -> set[str]:
    r"""The names with several subscripts of two digits from 1 on and no others: `\sigma_{11} + \sigma_{22}`."""
    found = _numbers_below(definitions)
    return {
        name
        for name, numbers in found.items()
        if len(numbers) > 1 and all(len(n) == 2 and n.isdigit() and "0" not in n for n in numbers)
    }


def with_digits_of_others(definitions: Sequence[Statement]) -> set[tuple[str, str]]:
    r"""The `\beta_{12}` beside `\beta_0`, `\beta_1` and `\beta_2` alone: names and numbers of two digits that are subscripts of the name, too."""
    found = _numbers_below(definitions)
    return {
        (name, number)
        for name, numbers in found.items()
        if "" not in numbers
        for number in numbers
        if len(number) == 2 and {*number} <= numbers and str(int(number) - 1) not in numbers
    }


def told_apart(definitions: Sequence[Statement]) -> set[str]:
    r"""The letters of which a definition has several below one name, each alone: `C_a \alpha_a + C_b \alpha_b (1 - \alpha_a)`; and those below
    what is added to a name without any, `g_L (V - E_L)`.
    """
    found: set[str] = set()
    for d in definitions:
        below: dict[str, set[str]] = {}
        right = d.right
        for name, place, inner in scripted(right, "SUB"):
            if [t.type for t in inner] != ["NAME"]:
                continue
            below.setdefault(name.value, set()).add(inner[0].value)
            before = [t.type for t in right[max(place - 3, 0) : place - 1]]
            if before in (["NAME", "MINUS"], ["NAME", "PLUS"]):
                found.add(inner[0].value)
        found = found.union(*(letters for letters in below.values() if len(letters) > 1))
    return found


def above_numbers(definitions: Sequence[Statement]) -> set[str]:
    r"""The names above elements that stand as terms of a sum elsewhere, the `w` of `w_{x_i} (r_i - x_i)^2`: these may be no indices."""
    terms: set[str] = set()
    above: dict[str, set[str]] = {}
    for d in definitions:
        inside = {
            id(t) for _, _, inner in scripted(d.tokens, "SUB") for t in inner if t.type == "NAME"
        }
        closing = closing_braces(d.tokens)
        for name, place, inner in scripted(d.tokens, "SUB"):
            kinds = [t.type for t in inner[:3]]
            if kinds == ["NAME", "SUB", "LBRACE"]:
                above.setdefault(inner[0].value, set()).add(name.value)
            start, end = place - 1, closing[place + 1]
            signs = [*d.tokens[max(start - 1, 0) : start], *d.tokens[end + 1 : end + 2]]
            is_term = any(t.type in ("PLUS", "MINUS") for t in signs)
            if place > d.equal and is_term and id(name) not in inside:
                terms.add(name.value)
    return {base for letter, bases in above.items() if letter in terms for base in bases}
