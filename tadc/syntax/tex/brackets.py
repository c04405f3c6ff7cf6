r"""What a name in front of a bracket means: `x(n-k)` and `u_c(i, j)` are elements, `\phi(x_i)` a function of the document.

A name whose brackets hold an index alone, or several index expressions, has its indices in brackets. What may be an element or
a product, `a(i+1)`, is an error that shows both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import zip_longest

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.calls import Call, calls_in, is_operand, listed, points
from tadc.syntax.tex.commands import FUNCTION_LETTERS, GREEK
from tadc.syntax.tex.left_lists import COUNTED
from tadc.syntax.tex.script_tokens import bound_names, comma, has_style, scripted, with_label
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.token_list import Token, closing_brackets
from tadc.syntax.tex.unread_arguments import is_declared_number

__all__ = ["Brackets", "applied_subscripts", "bare_elements", "bare_names", "indexed_names"]

_INDEX = frozenset(("NAME", "NUM", "PLUS", "MINUS", "COMMA", "CDOT", "LPAR", "RPAR", "THIN"))
_FUNCTIONS = FUNCTION_LETTERS | {"sigma"}
_PLAIN = frozenset(("NAME", "COMMA"))
_KERNELS = frozenset("KLW")
_OF_KERNELS = frozenset("KWUVkwu")
_OF_PAIRS = _OF_KERNELS | {*"aGJ"}  # letters of functions of a distance, as of gains
_NUMBERS = frozenset(("pi", "e", "inf", "nan"))


def applied_subscripts(statements: Iterable[Statement]) -> dict[str, set[tuple[str, ...]]]:
    """What stands below names in front of a bracket on right sides."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for s in statements:
        for call in calls_in(s.tokens):
            if call.start > s.equal:
                below = tuple(t.value for t in call.below[1:-1])
                found.setdefault(call.name.value, set()).add(below)
    return found


def indexed_names(definitions: Sequence[Statement]) -> set[str]:
    """The names with indices in brackets somewhere: an index alone, or several index expressions."""
    names: set[str] = set()
    for definition in definitions:
        bound = bound_names(definition.tokens)
        for call in calls_in(definition.tokens):
            parts = listed(call.inner)
            plain = [[t.type for t in part] for part in parts]
            is_index = _is_index(call.inner, bound)
            if is_index and (
                len(parts) > 1 or (plain == [["NAME"]] and not _is_function(call.name))
            ):
                names.add(call.name.value)
    return names


def _is_function(name: Token) -> bool:
    r"""Whether it is a word that may be a function, `\mathrm{sinc}`; `\mathrm{AP}` is a quantity."""
    return name.note == "upright" and not name.value.isupper()


def bare_names(definitions: Iterable[Statement]) -> set[str]:
    """The names that stand somewhere on a right side without a bracket behind, and without a subscript."""
    found: set[str] = set()
    for definition in definitions:
        following = (*definition.right[1:], None)
        for name, after in zip(definition.right, following, strict=False):
            if name.type == "NAME" and (after is None or after.type not in _BEHIND_NAMES):
                found.add(name.value)
    return found


def bare_elements(definitions: Iterable[Statement]) -> set[str]:
    """The names that stand somewhere on a right side with one letter below them, and without a bracket behind it."""
    found: set[str] = set()
    for definition in definitions:
        right = definition.right
        for n, name in enumerate(right):
            kinds = [t.type for t in right[n : n + 6]]
            if kinds[:5] == _ELEMENT and kinds[5:] not in (["LPAR"], ["LSQB"], ["SUP"]):
                found.add(name.value)
    return found


_BEHIND_NAMES = frozenset(("LPAR", "LSQB", "SUB", "SUP"))


@dataclass(frozen=True, slots=True)
class Brackets:
    r"""Names by kind: with indices in brackets, of functions of the document, of tensors and of numbers by their declarations.

    `headed` are defined with a list of arguments, `d_{ij}(X) = ..`: it says nothing where they are read. Those `at_points`
    have a list of elements, `\rho(r_g) = ..`, whose subscripts are the indices. `numbers` stand somewhere without a bracket behind, and
    `elements` with a subscript alone.
    """

    indexed: Set[str]
    functions: Set[str]
    with_index: Mapping[str, int]  # functions whose first parameters stand below, and how many
    ranks: Mapping[str, int]
    sizes: Set[str]
    headed: Set[str] = frozenset()
    at_points: Set[str] = frozenset()
    numbers: Set[str] = frozenset()
    elements: Set[str] = frozenset()  # with a subscript, and without a bracket behind it somewhere
    has_kernels: bool = False  # whether the text speaks of kernels or potentials

    def __call__(self, definition: Statement) -> Statement:
        """The definition with elements in place of indices in brackets, and with its functions marked."""
        tokens = definition.tokens
        bound = bound_names(tokens)
        left = tokens[: definition.equal]
        arguments = {t.value for t in left if t.value in COUNTED and t.note != "bold"}
        calls = {call.start: call for call in calls_in(tokens) if call.start > definition.equal}
        result: list[Token] = []
        place = 0
        while place < len(tokens):
            call = calls.get(place)
            if call is not None and call.is_raised and self._is_raised_element(call, bound):
                power = tokens[place + 1 + len(call.below) + bool(call.below) :]
                power = power[: len(power) - len(tokens) + call.end - len(call.inner) - 1]
                result += _element(replace(call, inner=points(call.inner) or call.inner), tokens)
                result += power
                place = call.end + 1
            elif call is not None and call.is_raised and self._is_headed(call, bound):
                opening = call.end - len(call.inner) - 1
                start, end = call.name.start, tokens[opening].start
                result += [
                    Token("LGROUP", "", start, start),
                    *tokens[place:opening],
                    Token("RGROUP", "", end, end),
                ]
                place = call.end + 1
            elif call is not None and self._is_at_point(call):
                result.append(_with_unclear_point(call))
                place = call.end + 1
            elif call is not None and self._is_applied_number(call):
                result.append(_with_applied_number(call))
                place = call.end + 1
            elif call is None or (call.is_raised and not self._is_function(call)):
                result.append(tokens[place])
                place += 1
            elif call.is_raised:
                result.append(self._unclear(call))
                place = call.end + 1
            elif call.name.value in self.functions and not call.below:
                result.append(replace(call.name, type="CALLED"))
                place += 1
            elif call.below and self._has_arguments_below(call):
                result += _applied(call, tokens, self.with_index[call.name.value])
                place = call.end + 1
            elif self._is_headed(call, bound):
                result += [call.name, tokens[place + 1], *call.below]
                place = call.end + 1
            elif self._is_delta(call):
                is_clear = any(t.value in bound for t in call.inner)
                result += _indicator(call, tokens) if is_clear else [_with_unclear_delta(call)]
                place = call.end + 1
            elif call.name.value in self.at_points and (below := points(call.inner)):
                result += _element(replace(call, inner=below), tokens)
                place = call.end + 1
            elif self._is_labelled_element(call, bound):
                label = [replace(t, type="NAME") for t in call.below[1:-1]]
                name = with_label(call.name, label, call.below[-1].end)
                result += _element(replace(call, name=name, below=()), tokens)
                place = call.end + 1
            elif self._is_at_letter(call, bound):
                result.append(_at_letter(call))
                place = call.end + 1
            elif self._is_element(call, bound) and self._may_be_factor(call, tokens):
                result.append(self._unclear(call))
                place = call.end + 1
            elif self._is_element(call, bound) or self._is_at_number(call, bound):
                result += _element(replace(call, inner=points(call.inner) or call.inner), tokens)
                place = call.end + 1
            elif (
                _has_itself(call)
                or _has_its_label(call, bound)
                or _is_raised_by_index(call, tokens, bound)
            ):
                end = place + 1 + len(call.below) + bool(call.below)
                at = tokens[end - 1].end
                result += [*tokens[place:end], Token("THIN", "", at, at)]
                place = end
            elif _is_factor(call, tokens):
                result += [call.name, Token("THIN", "", call.name.end, call.name.end)]
                place += 1
            elif self._is_unclear(call, bound | arguments) or self._is_of_fraction(call, tokens):
                result.append(self._unclear(call))
                place = call.end + 1
            else:
                result.append(tokens[place])
                place += 1
        return replace(definition, tokens=tuple(result))

    def _is_raised_element(self, call: Call, bound: Set[str]) -> bool:
        """Whether it is the `x^2(n)` or `x_c^2[n]` of a document that reads `x(n)` as an element, in this definition or by its declaration; or the
        `y_i^2(t)` of a declared `y[N, T]`.
        """
        is_known = call.name.value in self.indexed and (not call.below or call.is_square)
        is_known |= self.ranks.get(call.name.value, 0) > 0
        return is_known and self._is_element(call, bound)

    def _may_be_factor(self, call: Call, tokens: Sequence[Token]) -> bool:
        r"""Whether it is the `k(n-m)` of `\sum_m x(m) e^{-k(n-m)}`, in an exponent or a function, or beside signals in square brackets: all
        that tells an element is that others are written so.
        """
        is_told = call.name.value in self.indexed or call.name.value in self.ranks
        is_moved = any(t.type in ("PLUS", "MINUS") for t in call.inner)
        if is_told or call.is_square or call.below or not is_moved:
            return False
        return _is_inside(tokens, call.start) or any(c.is_square for c in calls_in(tokens))

    def _has_arguments_below(self, call: Call) -> bool:
        r"""Whether it is a function with as many letters below as it is defined with: `t_{0,a} [ .. ]` is none of `t_a(x_a)`."""
        inner = call.below[1:-1]
        count = self.with_index.get(call.name.value)
        is_run = {t.type for t in inner} == {"NAME"} and len(inner) == count
        return count is not None and (is_run or len(listed(inner)) == count)

    def _is_headed(self, call: Call, bound: Set[str]) -> bool:
        r"""Whether it is the `d_{ij}(X)` of a definition `d_{ij}(X) = ..`, whose list says what it depends on; the `j` of `f_0(j)` is an index."""
        is_list = _is_list(call.inner) and not any(t.value in bound for t in call.inner)
        return call.name.value in self.headed and bool(call.below) and is_list

    def _is_labelled_element(self, call: Call, bound: Set[str]) -> bool:
        r"""Whether it is the `f_0(j)` beside a left side `f(i)`, whose list is its index: what stands below tells a tensor of its own."""
        is_label = [t.type for t in call.below[1:-1]] == ["NUM"]
        is_listed = call.name.value in self.headed & self.indexed - self.ranks.keys()
        return is_label and is_listed and _is_index(call.inner, bound)

    def _is_at_number(self, call: Call, bound: Set[str]) -> bool:
        r"""Whether it is the `x_i(0)` of a declared `x[N, T]`, or the `u(T)` of one that is read as `u(t)`: an element, and no product with a
        number or a size.
        """
        name, parts = call.name.value, listed(call.inner)
        are_plain = all(
            len(p) == 1 and (p[0].type == "NUM" or p[0].value in self.sizes) for p in parts
        )
        is_signal = name in self.indexed - self.ranks.keys() and not call.below
        has_room = is_signal or self._is_filled(call)
        return are_plain and has_room and name not in self.sizes

    def _is_at_letter(self, call: Call, bound: Set[str]) -> bool:
        """Whether it is the `a_i(k)` of a declared `a[N, M]` and a `k` that is neither an index nor a size: an element, or a product."""
        values = {t.value for t in call.inner}
        is_letter = [t.type for t in call.inner] == ["NAME"] and not values & (bound | self.sizes)
        return is_letter and self._is_filled(call)

    def _is_filled(self, call: Call) -> bool:
        """Whether a line declares as many dimensions as there are subscripts, those in the bracket included."""
        below = sum(t.type in ("NAME", "NUM") for t in call.below)
        return self.ranks.get(call.name.value) == below + len(listed(call.inner))

    def _is_delta(self, call: Call) -> bool:
        r"""Whether it is Kronecker's `\delta(a, b)`."""
        is_two = len(listed(call.inner)) == 2 and not call.below
        return is_two and call.name.value == "delta" and "delta" not in self.ranks

    def _is_function(self, call: Call) -> bool:
        """Whether a bracket behind a power holds one name with its scripts, as of a function: `f_i^2(x)`."""
        is_known = call.name.value in self.ranks or call.name.value in self.sizes
        return not is_known and is_operand(call.inner) and call.name.value not in _NUMBERS

    def _is_at_point(self, call: Call) -> bool:
        """Whether it is the `f_i(q)` of a declared `f` that has all of its subscripts: no factor, and no index."""
        below = call.below[1:-1]
        count = sum(t.type == "NAME" for t in below) if {t.type for t in below} <= _PLAIN else 0
        is_whole = 0 < count == self.ranks.get(call.name.value, 0)
        is_point = [t.type for t in call.inner] == ["NAME"] or _is_of_angle(call)
        return is_whole and is_point

    def _is_applied_number(self, call: Call) -> bool:
        r"""Whether it is the `S_0(t)` of a declared number `S_0`: nobody puts one name in brackets to multiply it. Who declares `\sigma` says
        that it is no function.
        """
        is_number = is_declared_number(call, self.ranks) and call.name.value != "sigma"
        is_number = is_number and not call.is_raised
        return is_number and is_operand(call.inner) and not call.is_square

    @staticmethod
    def _unclear(call: Call) -> Token:
        name = call.name.value
        parameter = "x" if name != "x" else "z"
        printed = as_printed(name)
        fact = f"`{name}(..)` may be an element of `{name}`, a function of it, or a product"
        fix = (
            rf"write the element with a subscript, `{as_printed(name, 'i')}`, the product with a sign, `{printed} \cdot (..)`; define the"
            rf" function, `{printed}({parameter}) = ..`; or declare {_declared(call)}"
        )
        return Token("ERROR", fact, call.name.start, call.inner[-1].end, fix)

    def _is_element(self, call: Call, bound: Set[str]) -> bool:
        name = call.name.value
        if name in self.sizes or (name in _NUMBERS and name not in self.ranks):
            return False
        if self._is_at_declared_points(call, bound) or self._is_conditional(call, bound):
            return True
        if not _is_index(call.inner, bound):
            return False
        subscripts = len(listed(call.inner)) + len(listed(call.below[1:-1]) if call.below else [])
        if name in self.ranks:
            is_row = self.ranks[name] == subscripts + 1 and call.name.note == "bold"
            return self.ranks[name] == subscripts or is_row
        is_labelled = all(has_style(t) for t in call.below[1:-1])  # `C_{\mathrm{in}}[n-m]`
        return name in self.indexed or (bool(self.indexed) and is_labelled)

    def _is_at_declared_points(self, call: Call, bound: Set[str]) -> bool:
        """Whether it is the `f(x_i)` of a declared tensor `f` with enough dimensions, or the `f_j(x_i)` of one with as many."""
        below = [t.value for t in points(call.inner) if t.type == "NAME"]
        rank = self.ranks.get(call.name.value, 0)
        others = sum(t.type in ("NAME", "NUM") for t in call.below)
        has_room = len(below) + others == rank if call.below else 0 < len(below) <= rank
        return has_room and bool(below) and {*below} <= bound

    def _is_conditional(self, call: Call, bound: Set[str]) -> bool:
        r"""Whether it is the `\pi(a \mid s)` of a declared `pi` with as many dimensions; their order is told later."""
        kinds = [t.type for t in call.inner]
        names = {t.value for t in call.inner if t.type == "NAME"}
        is_plain = kinds == ["NAME", "GIVEN", "NAME"] and names <= bound
        return is_plain and not call.below and self.ranks.get(call.name.value, 0) == len(names)

    def _is_unclear(self, call: Call, bound: Set[str]) -> bool:
        name = call.name.value
        is_known = name in self.ranks or name in self.sizes or name in _NUMBERS or name in bound
        if call.name.note == "upright" and len(name) > 1:
            return False
        if is_known or (name in _FUNCTIONS and not call.below):
            return False  # the names of functions are looked at later
        is_index = _is_index(call.inner, bound) and (not call.below or name in _FUNCTIONS)
        is_function = is_operand(call.inner) or _is_of_angle(call) or self._is_kernel(call, bound)
        is_moved = name not in GREEK and _is_moved_by_data(call.inner, bound)
        is_delta = name == "delta" and not call.below  # Dirac's, a unit impulse, or a coefficient
        is_single = name not in self.numbers and (self._is_single(call) or _is_of_pair(call, bound))
        is_single = is_single or (name not in self.numbers and _is_step(call))
        if call.below and name in self.elements and not call.is_square and _is_quotient(call):
            is_single = False  # `\sum_i w_i (d_i / n_i)` beside `\sum_i w_i`
        return is_index or is_function or is_moved or is_delta or is_single

    @staticmethod
    def _is_single(call: Call) -> bool:
        """Whether it is `c(|x_i|)`, `c(2 x_i)`, `c(x_i / h)` or `c(-x_i)`: what no sum is in, nobody puts in brackets to multiply it."""
        kinds = [t.type for t in call.inner]
        is_sum = any(
            t.type in ("PLUS", "MINUS") for t, depth in depths(call.inner[1:]) if depth == 0
        )
        is_product = kinds[0] in ("BAR_L", "MINUS", "NUM") or "SLASH" in kinds
        return is_product and not is_sum and len(kinds) > 1 and not call.is_square

    def _is_of_fraction(self, call: Call, tokens: Sequence[Token]) -> bool:
        r"""Whether it is the `K\left(\frac{x_i - x_j}{h}\right)` of a Latin letter, without a power: nobody puts a fraction in brackets to
        multiply it.
        """
        name, closing = call.name, closing_brackets(call.inner)
        is_letter = len(name.value.split("_")[0]) == 1 and not (
            name.value in self.ranks or name.value in _NUMBERS
        )
        if (
            not is_letter
            or name.value in {*self.numbers, *self.sizes, *_FUNCTIONS}
            or call.is_square
            or call.below
        ):
            return False
        last = closing.get(closing.get(1, -2) + 1)
        is_fraction = call.inner[0].type == "FRAC" and last == len(call.inner) - 1
        behind = tokens[call.end + 1 : call.end + 2]
        return is_fraction and not (behind and behind[0].type == "SUP")

    def _is_kernel(self, call: Call, bound: Set[str]) -> bool:
        """Whether it is `K_h(x_i - x_j)`, of a letter of kernels and losses with a label, or `K(x_i - x_j)` where the text speaks of kernels:
        a function of a difference, or a gain.
        """
        letters = [t.value for t in call.below if t.type == "NAME"]
        name = call.name.value
        is_number = "_".join([name, *letters]) in self.ranks or call.name.note == "bold"
        is_labelled = bool(letters) and not {*letters} & bound and not is_number
        is_told = self.has_kernels and not call.below and name not in self.numbers
        is_difference = any(t.type == "MINUS" for t, depth in depths(call.inner) if depth == 0)
        is_letter = (name in _KERNELS and is_labelled) or (name in _OF_KERNELS and is_told)
        return is_letter and is_difference


def _is_step(call: Call) -> bool:
    r"""Whether it is `u(x_i - a)` or `\theta(x_i - a)`, the unit step of what is compared with a number, or a factor; `\theta (\mu - x_t)` is a
    rate.
    """
    outer = [t for t, depth in depths(call.inner) if depth == 0]
    kinds = [t.type for t in outer]
    is_difference = kinds == ["NAME", "SUB", "LBRACE", "RBRACE", "MINUS", "NAME"]
    return is_difference and call.name.value in ("u", "theta") and not call.below


def _is_quotient(call: Call) -> bool:
    """Whether a quotient is in the bracket."""
    return any(t.type == "SLASH" for t in call.inner)


def _is_of_pair(call: Call, bound: Set[str]) -> bool:
    r"""Whether it is the `a(x_i - x_j)` of two elements of one tensor: a function of where they are, or a gain."""
    kinds = [t.type for t in call.inner]
    if kinds != [*_ELEMENT, "MINUS", *_ELEMENT] or call.below or call.name.value not in _OF_PAIRS:
        return False
    first, i, second, j = (call.inner[n] for n in (0, 3, 6, 9))
    return first.value == second.value and i.value != j.value and {i.value, j.value} <= bound


_ELEMENT = ["NAME", "SUB", "LBRACE", "NAME", "RBRACE"]


def _is_inside(tokens: Sequence[Token], place: int) -> bool:
    """Whether an exponent or the bracket of a function is around what stands there."""
    closing = closing_brackets(tokens)
    return any(
        tokens[opening - 1].type in ("SUP", "FUNC")
        for opening, end in closing.items()
        if opening and opening < place < end
    )


def _declared(call: Call) -> str:
    r"""What a line declares: the tensor whose elements are `T_b(z)` or `h_t(x_i)`, or a number where nothing stands below."""
    name, inner = call.name.value, points(call.inner) or call.inner
    below = sum(t.type in ("NAME", "NUM") for t in call.below)
    what = "the factor" if below else "a number"
    numbers = f"{what}, `%!tadc input {name}[{', '.join(('N', 'M', 'K', 'L', 'P')[:below])}]`"
    if not {t.type for t in inner} <= _INDEX - {"LPAR", "RPAR"}:
        return numbers
    extents = ", ".join(("N", "M", "K", "L", "P")[: len(listed(inner)) + below])
    if is_operand(call.inner) and not below:
        return f"the tensor, `%!tadc input {name}[{extents}]`, or a number, given for one argument, `%!tadc input {name}[]`"
    return f"the tensor, `%!tadc input {name}[{extents}]`, or {numbers}"


def _is_index(inner: Sequence[Token], bound: Set[str]) -> bool:
    """Whether it is made of integers, names and `+ -`, with an index among them that is bound here."""
    has_index = any(t.type == "NAME" and t.value in bound for t in inner)
    return has_index and {t.type for t in inner} <= _INDEX


def _is_moved_by_data(inner: Sequence[Token], bound: Set[str]) -> bool:
    r"""Whether it is the `n - \tau_m` of a signal `x(n - \tau_m)`: an index, or what the left side is a function of, less an element."""
    outside = [t for t, depth in depths(inner) if depth == 0]
    letters = [
        t for t, after in zip_longest(outside, outside[1:]) if after is None or after.type != "SUB"
    ]
    is_sum = any(t.type in ("PLUS", "MINUS") for t in outside)
    has_letter = any(t.type == "NAME" and t.value in bound & COUNTED for t in letters)
    return is_sum and has_letter and {t.type for t in inner} <= _INDEX | _SCRIPTS


_SCRIPTS = frozenset(("SUB", "LBRACE", "RBRACE"))


def _is_of_angle(call: Call) -> bool:
    r"""Whether it is `P_n(\cos\psi)`, a letter with an index and a function of an angle: nobody puts that in brackets to multiply it. A
    Greek letter is a coefficient.
    """
    first, *rest = call.inner
    is_angle = first.type == "FUNC" and first.value in _OF_ANGLES
    is_letter = bool(call.below) and call.name.value not in GREEK
    return is_letter and is_angle and bool(rest) and is_operand(rest)


_OF_ANGLES = frozenset(("sin", "cos", "tan", "sinh", "cosh", "tanh"))


def _is_list(inner: Sequence[Token]) -> bool:
    """Whether it is a list of names with their scripts, after commas or a bar."""
    plain = [replace(t, type="COMMA") if t.type == "GIVEN" else t for t in inner]
    return all(part and is_operand(part) for part in listed(plain))


def _has_itself(call: Call) -> bool:
    r"""Whether it is `F_1 (F_1 - 1)`, a product: a function is not a number in its own argument."""
    own = [call.name.value, *(t.value for t in call.below)]
    values = [t.value for t in call.inner]
    kinds = [t.type for t in call.inner]
    size = len(own) + bool(call.below)
    is_number = all(t.type != "NAME" for t in call.below)
    is_sum = any(t.type in ("PLUS", "MINUS") for t, depth in depths(call.inner) if depth == 0)
    return (
        is_number
        and is_sum
        and any(
            [
                v
                for v, k in zip(values[n : n + size], kinds[n : n + size], strict=True)
                if k != "SUB"
            ]
            == own
            and kinds[n + size : n + size + 1] not in (["LPAR"], ["LSQB"], ["SUB"])
            for n in range(len(values))
        )
    )


def _has_its_label(call: Call, bound: Set[str]) -> bool:
    r"""Whether it is `g_L (V - E_L)`, a product: what tells a function from others is no part of its argument."""
    label = [t.value for t in call.below[1:-1]]
    is_sum = any(t.type in ("PLUS", "MINUS") for t, depth in depths(call.inner) if depth == 0)
    is_label = len(label) == 1 and label[0] not in bound and label[0].isupper()
    below = ([t.value for t in inner] for _, _, inner in scripted(call.inner, "SUB"))
    return is_label and is_sum and label in below


def _is_raised_by_index(call: Call, tokens: Sequence[Token], bound: Set[str]) -> bool:
    r"""Whether it is the `a_k (x_i)^k` of a sum over `k`: brackets that say that `k` is a power."""
    kinds = [t.type for t in tokens[call.end + 1 : call.end + 5]]
    is_power = kinds == ["SUP", "LBRACE", "NAME", "RBRACE"]
    return is_power and bool(call.below) and tokens[call.end + 3].value in bound


def _is_factor(call: Call, tokens: Sequence[Token]) -> bool:
    r"""Whether it is `\rho [1 + x]`: a Greek letter in front of a sum in square brackets is a factor, and the step `h` in front of
    one of elements.
    """
    opening = tokens[call.end - len(call.inner) - 1]
    is_sum = any(t.type in ("PLUS", "MINUS") for t, depth in depths(call.inner) if depth == 0)
    is_step = call.name.value == "h" and any(t.type == "SUB" for t in call.inner)
    is_letter = call.name.value in GREEK - {"delta"} or is_step
    return opening.type == "LSQB" and is_sum and not call.below and is_letter


def _with_unclear_point(call: Call) -> Token:
    name, point = call.name.value, " ".join(t.value for t in call.inner)
    fact = f"`({point})` behind an element of `{name}`, which is declared with as many subscripts, is no factor and no index"
    fix = f"leave `({point})` out where `{name}` is given for one `{point}`, or declare one more dimension"
    return Token("ERROR", fact, call.name.start, call.inner[-1].end, fix)


def _at_letter(call: Call) -> Token:
    r"""The error of `a_i(k)` where `k` is neither an index nor a size."""
    name = call.name.value
    below = [t.value for t in call.below[1:-1] if t.type in ("NAME", "NUM")]
    (letter,) = (t.value for t in call.inner)
    element = as_printed(name, *below, letter)
    row = as_printed(name, *below)
    fact = f"`{element}` may be meant, an element of `{name}`, or a product with `{letter}`, which no sum and no left side has as an index"
    fix = rf"write the element with its subscripts, `{element}`, and the product with a sign, `{row} \cdot {as_printed(letter)}`"
    return Token("ERROR", fact, call.name.start, call.inner[-1].end, fix)


def _with_applied_number(call: Call) -> Token:
    name, inner = call.name.value, call.inner
    printed = as_printed("_".join([name, *(t.value for t in call.below[1:-1])]))
    fact = f"`{printed}` is declared as a number, and one name stands in brackets behind it: is it given at this place, or a factor?"
    fix = (
        f"leave the bracket out where `{printed}` is given for one value of what stands in it; write the product with a sign,"
        rf" `{printed} \cdot ..`; or define the function"
    )
    return Token("ERROR", fact, call.name.start, inner[-1].end, fix)


def _with_unclear_delta(call: Call) -> Token:
    r"""The error of a `\delta(A, Z)` of two numbers."""
    fact = r"`\delta(..)` may be Kronecker's delta, or a function or a term of its own: no index stands in it"
    fix = r"write `\mathbf{1}[a = b]` for the first; declare a number, `%!tadc input delta[]`, or define the function"
    return Token("ERROR", fact, call.name.start, call.inner[-1].end, fix)


def _applied(call: Call, tokens: Sequence[Token], count: int) -> list[Token]:
    """The function with what is below its name as its first arguments, `count` letters side by side where there are several."""
    opening, closing = tokens[call.end - len(call.inner) - 1], tokens[call.end]
    sign = Token("COMMA", "", opening.start, opening.start)
    name = replace(call.name, type="CALLED")
    below = list(call.below[1:-1])
    if {t.type for t in below} == {"NAME"} and len(below) == count:  # `\psi_{ij}(x_i, x_j)`
        below = [t for i in below for t in (comma(i), i)][1:]
    return [name, opening, *below, sign, *call.inner, closing]


def _indicator(call: Call, tokens: Sequence[Token]) -> list[Token]:
    """1 where the two arguments are equal, else 0."""
    left, right = listed(call.inner)
    at = call.name.end
    word = replace(call.name, type="INDICATOR")
    opening = tokens[call.end - len(call.inner) - 1]
    return [word, opening, *left, Token("EQ", "=", at, at), *right, tokens[call.end]]


def _element(call: Call, tokens: Sequence[Token]) -> list[Token]:
    """The name with the indices of the bracket behind those of its subscript; labels there are part of the name."""
    if call.below and all(has_style(t) for t in call.below[1:-1]):
        name = with_label(call.name, call.below[1:-1], call.below[-1].end)
        call = replace(call, name=name, below=())
    closing = tokens[call.end]
    opening = next(t for t in tokens[call.start : call.end] if t.type in ("LPAR", "LSQB"))
    before = (
        [*call.below[1:-1], Token("COMMA", "", opening.start, opening.start)] if call.below else []
    )
    return [
        call.name,
        Token("SUB", "_", opening.start, opening.start),
        Token("LBRACE", "", opening.start, opening.end, "indices"),
        *before,
        *call.inner,
        Token("RBRACE", "", closing.start, closing.end, "NAME"),
    ]
