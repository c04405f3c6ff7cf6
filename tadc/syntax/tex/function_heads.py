r"""Left sides of functions that a document defines and applies.

\phi(x) =               a function of `x`
f_c(R_{ij}) =           a function `f_c`, whose argument is written as an element
\varepsilon_{xc}(\rho)  a label
\phi_k(x) =             a function of `k` and `x`, where `k` is an index of the formulas that apply it
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import zip_longest

from tadc.syntax.tex.calls import calls_in, declared_indices, listed
from tadc.syntax.tex.left_lists import COUNTED, names_in_subscripts
from tadc.syntax.tex.script_tokens import bound_names, comma, scripted, with_label
from tadc.syntax.tex.sides import sides_of
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.token_list import Token

__all__ = ["OwnFunction", "own_functions", "with_labelled_functions"]


@dataclass(frozen=True, slots=True)
class OwnFunction:
    r"""`\phi(x) = \log(1 + e^x)`: the function's name, its parameters, those below its name first, and the statement.

    `label` are the letters that stand below the name wherever it is written; they are part of `name`.
    """

    name: str
    parameters: tuple[Token, ...]
    statement: Statement
    label: tuple[str, ...] = ()
    has_index: bool = False
    printed: Statement | None = None  # as it stands in the document

    @property
    def letters_below(self) -> int:
        """How many of its parameters stand below its name."""
        left = self.printed.tokens[: self.printed.equal] if self.printed is not None else ()
        below = next((inner for name, _, inner in scripted(left, "SUB") if name == left[0]), ())
        return sum(t.type == "NAME" for t in below) if self.has_index else 0

    @property
    def has_tensor_below(self) -> bool:
        """Whether what stands below its name is a tensor, whose elements its body reads."""
        tensors = {name.value for name, _, _ in scripted(self.statement.right, "SUB")}
        return self.has_index and self.parameters[0].value in tensors


def own_functions(
    statements: Sequence[Statement],
    applied: Mapping[str, Set[tuple[str, ...]]],
    ranks: Mapping[str, int],
) -> list[OwnFunction]:
    """The functions that statements define, of those whose names are `applied`, with this below them; the first of each name. `ranks` are those
    of lines.
    """
    found: dict[str, OwnFunction] = {}
    heads = [(s, head) for s in statements if (head := _head(s)) is not None]
    defined = {id(s) for s, _ in heads if not s.ranges}
    bound = {n for s in statements if id(s) not in defined for n in bound_names(s.tokens)}
    at_numbers = _applied_at_numbers(statements)
    for statement, head in heads:
        found_below = applied.get(head.name.value, frozenset())
        if not found_below or (not head.below and () not in found_below):
            continue  # `L(\theta) = L_B(\theta) + ..` applies another function
        own = {h.label for _, h in heads if h.name.value == head.name.value}
        others = {other for other in applied[head.name.value] - own if other}
        is_of_integers = bool(statement.ranges) and not (  # `w(n) =`
            statement.is_shared and head.name.value in at_numbers
        )
        is_function = head.is_function and not is_of_integers
        is_function = is_function and not head.has_declared_indices(ranks)
        if is_function or (others and head.is_of_tensor):
            function = head.function(statement, bound, is_applied_otherwise=bool(others))
            first = found.setdefault(function.name, function)
            found[function.name] = _with_second(first, function)
    return list(found.values())


def _applied_at_numbers(statements: Sequence[Statement]) -> set[str]:
    r"""The `f` of `f(t) / f(0)`."""
    return {
        call.name.value
        for s in statements
        for call in calls_in(s.right)
        if not call.below and [t.type for t in call.inner] == ["NUM"]
    }


def _with_second(first: OwnFunction, second: OwnFunction) -> OwnFunction:
    r"""The function, with an error where another definition says something else: `k(j) = \sum_l a_{jl}` and `k(l) = \sum_i a_{il}`."""
    one, other = first.statement, second.statement
    if [t.value for t in one.tokens] == [t.value for t in other.tokens]:
        return first
    fact = f"`{first.name}(..)` is defined twice, and nothing tells which one a formula applies"
    fix = "give one of them another name, or a label: `f_a(x) = ..`"
    error = Token("ERROR", fact, other.start, other.tokens[other.equal].start, fix)
    return replace(first, statement=replace(one, tokens=(*one.tokens, error)))


def with_labelled_functions(
    statements: Iterable[Statement], functions: Sequence[OwnFunction]
) -> list[Statement]:
    """The statements with one name for each function whose name has a label."""
    names = {
        (f.name.removesuffix("_" + "".join(f.label)), f.label): f.name for f in functions if f.label
    }
    if not names:
        return list(statements)
    return [replace(s, tokens=tuple(_with_labels(s.tokens, names))) for s in statements]


def _with_labels(
    tokens: Sequence[Token], names: Mapping[tuple[str, tuple[str, ...]], str]
) -> list[Token]:
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        for (base, label), name in names.items():
            end = place + 4 + len(label)
            inner = tokens[place + 3 : end - 1]
            if (
                token.type == "NAME"
                and token.value == base
                and [t.type for t in tokens[place + 1 : place + 3]] == ["SUB", "LBRACE"]
                and tuple(t.value for t in inner) == label
                and tokens[end - 1 : end] != ()
                and tokens[end - 1].type == "RBRACE"
            ):
                token, place = replace(token, value=name, end=tokens[end - 1].end), end - 1
                break
        result.append(token)
        place += 1
    return result


@dataclass(frozen=True, slots=True)
class _Head:
    """`f_c(R_{ij})`: the name, what is below it, and the arguments, each a name and what is below it."""

    name: Token
    below: tuple[Token, ...]
    arguments: tuple[tuple[Token, ...], ...]
    right: tuple[Token, ...]

    @property
    def label(self) -> tuple[str, ...]:
        """What is below the name."""
        return tuple(t.value for t in self.below)

    @property
    def is_function(self) -> bool:
        """Whether it is no element `u_c(i, j)`: with a subscript, its arguments are numbers on the right side."""
        plain = {a[0].value for a in self.arguments if len(a) == 1}
        has_elements = any(len(a) > 1 for a in self.arguments)
        if not self.below and not has_elements:
            return not (len(plain) > 1 and self._are_indices(plain))
        values = {t.value for t in self.right if t.type == "NAME"}
        elements = {a[0].value for a in self.arguments if len(a) > 1}
        if elements and not elements & self._outside_of_brackets():
            return (
                False  # `\rho(r_g) = \sum_{\mu} P_\mu \chi_\mu(r_g)`: all are given at the points
            )
        return plain | elements <= values and not plain & names_in_subscripts(self.right)

    def has_declared_indices(self, ranks: Mapping[str, int]) -> bool:
        r"""Whether an argument is the `z` of `\alpha(z) = \sum_b f_b T_b(z)` and a declared `T[B, Z]`."""
        plain = {a[0].value for a in self.arguments if len(a) == 1}
        return bool(plain & declared_indices(self.right, ranks))

    def _outside_of_brackets(self) -> set[str]:
        """The names on the right side, those aside that stand in lists behind names with an index below, not in `a_i (1 + x_i)`."""
        inside = {
            place
            for call in calls_in(self.right)
            if call.below and not call.is_raised and _arguments(call.inner) is not None
            for place in range(call.start + 1, call.end)
        }
        return {t.value for n, t in enumerate(self.right) if t.type == "NAME" and n not in inside}

    def _are_indices(self, letters: Set[str]) -> bool:
        r"""Whether these letters stand nowhere but in lists behind names, together: `U(s, a) = c P(s, a)`; letters of integers may be
        numbers beside, `w(i, j) = (i - j)^2 I(i, j)`.
        """
        in_lists = {
            place
            for call in calls_in(self.right)
            if all([t.type for t in part] == ["NAME"] for part in listed(call.inner))
            if len(listed(call.inner)) > 1 and not call.is_raised
            for place in range(call.start + 1, call.end)
        }
        places = {n for n, t in enumerate(self.right) if t.value in letters}
        listed_letters = {self.right[n].value for n in places & in_lists}
        are_integers = letters <= COUNTED and listed_letters == letters
        return bool(places) and (places <= in_lists or are_integers)

    @property
    def is_of_tensor(self) -> bool:
        r"""Whether it is `P_s(j) = \exp(s_j) / \sum_k \exp(s_k)`: what stands below it has subscripts on the right side."""
        tensors = {name.value for name, _, _ in scripted(self.right, "SUB")}
        return len(self.below) == 1 and self.below[0].value in tensors

    def function(
        self, statement: Statement, bound: Set[str], *, is_applied_otherwise: bool
    ) -> OwnFunction:
        r"""The function; letters below its name are parameters where they are indices somewhere, `bound`, or where it is
        applied with something else below: `S_\alpha(z) = ..` as `S_{t\lambda}(x)`.
        """
        letters = [t for t in self.below if t.type == "NAME"]
        values = {t.value for t in self.right if t.type == "NAME"}
        has_index = any(t.value in bound and t.note != "upright" for t in letters)
        has_index |= is_applied_otherwise and all(t.value in values for t in letters)
        label = () if has_index else tuple(t.value for t in self.below if t.type != "COMMA")
        name = "_".join([self.name.value, *(["".join(label)] if label else [])])
        right = list(self.right)
        parameters = letters if has_index else []
        for argument in self.arguments:
            parameter = argument[0]
            if len(argument) > 1:
                inside = "".join(t.value for t in argument if t.type in ("NAME", "NUM"))
                inside = inside[len(parameter.value) :]
                inside += "_in" if inside.isdigit() else ""  # `a_1` of the caller is another name
                parameter = replace(parameter, value=f"{parameter.value}_{inside}")
                right = _with_parameter(right, argument, parameter)
            parameters = [*parameters, parameter]
        right = _with_constants(right, {p.value for p in parameters})
        listed = [t for p in parameters for t in (comma(p), p)][1:]
        start, end = self.name.start, self.name.end
        left = [
            replace(self.name, value=name),
            Token("LPAR", "(", start, end),
            *listed,
            Token("RPAR", ")", start, end),
        ]
        sign = statement.tokens[statement.equal]
        plain = Statement("definition", (*left, replace(sign, type="EQ"), *right))
        return OwnFunction(name, tuple(parameters), plain, label, has_index, statement)


def _with_parameter(
    tokens: Sequence[Token], argument: Sequence[Token], parameter: Token
) -> list[Token]:
    """The tokens with the parameter in place of the element that stands for it."""
    wanted = [_plain(t) for t in argument]
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        part = tokens[place : place + len(argument)]
        if [_plain(t) for t in part] == wanted:
            result.append(replace(parameter, start=part[0].start, end=part[-1].end))
            place += len(argument)
        else:
            result.append(tokens[place])
            place += 1
    return result


def _plain(token: Token) -> tuple[str, str]:
    """The token without its place; braces may be printed or not."""
    return token.type, "" if token.type in ("LBRACE", "RBRACE") else token.value


def _with_constants(right: Sequence[Token], parameters: Set[str]) -> list[Token]:
    r"""The right side with `r_0` as one name where the parameter `r` stands alone, as a number."""
    numbers = {n for n in parameters if _is_compared(right, n)}
    result: list[Token] = []
    place = 0
    while place < len(right):
        five = right[place : place + 5]
        if five[0].value in numbers and [t.type for t in five] == _NUMBERED:
            label = replace(five[3], type="NAME")
            result.append(with_label(five[0], [label], five[4].end))
            place += 5
        else:
            result.append(right[place])
            place += 1
    return result


_NUMBERED = ["NAME", "SUB", "LBRACE", "NUM", "RBRACE"]


def _is_compared(right: Sequence[Token], name: str) -> bool:
    r"""Whether `r` stands alone as a number, as in `r - r_0`, `\frac{r}{r_0}` or `\cos r`, so that no `r_0` is an element of it."""
    pairs = zip_longest(right, right[1:])
    alone = [after for t, after in pairs if t.type == "NAME" and t.value == name]
    is_vector = any(t.type in ("NORM_L", "TOP", "ANGLE_L") for t in right)
    return not is_vector and any(after is None or after.type != "SUB" for after in alone)


def _head(statement: Statement) -> _Head | None:
    sides, _ = sides_of(statement.tokens)
    if len(sides) != 2:
        return None
    left = sides[0]
    kinds = [t.type for t in left]
    place = 1
    below: tuple[Token, ...] = ()
    if kinds[:3] == ["NAME", "SUB", "LBRACE"] and "RBRACE" in kinds:
        close = kinds.index("RBRACE")
        below, place = tuple(left[3:close]), close + 1
    is_call = (
        kinds[:1] == ["NAME"]
        and kinds[place : place + 1] in (["LPAR"], ["LSQB"])
        and kinds[-1:] in (["RPAR"], ["RSQB"])
    )
    arguments = _arguments(left[place + 1 : -1]) if is_call else None
    is_name = {t.type for t in below[:1]} <= {"NAME"}  # `\mathrm{smooth}_{L1}`
    is_name = is_name and {t.type for t in below} <= {"NAME", "NUM", "COMMA"}
    if not arguments or not is_name:
        return None
    return _Head(left[0], below, arguments, tuple(sides[1]))


def _arguments(inner: Sequence[Token]) -> tuple[tuple[Token, ...], ...] | None:
    """The names between commas, with what is below them; None for anything else."""
    listed: list[list[Token]] = [[]]
    for token, depth in depths(inner):
        if token.type == "COMMA" and depth == 0:
            listed.append([])
        else:
            listed[-1].append(token)
    for part in listed:
        kinds = [t.type for t in part]
        is_element = kinds[:3] == ["NAME", "SUB", "LBRACE"] and kinds.count("RBRACE") == 1
        if kinds != ["NAME"] and not (is_element and kinds[-1] == "RBRACE"):
            return None
    return tuple(tuple(part) for part in listed)
