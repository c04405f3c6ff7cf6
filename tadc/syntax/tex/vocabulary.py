r"""The vocabulary of a document: the kinds of its names, found in its declarations, left sides, limits and subscripts before anything is parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from tadc.syntax import ast
from tadc.syntax.tex.calls import calls_in
from tadc.syntax.tex.commands import STYLES
from tadc.syntax.tex.names import closing_braces, limit_names
from tadc.syntax.tex.script_tokens import bound_names, left_indices, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["Vocabulary", "styled_apart", "vocabulary"]


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
    has_charges: bool = False  # whether it is about charges, such as `e`
    lists_letters: bool = False  # whether `c` and `d` are numbers, so that an `e` may be one more
    bounds: frozenset[str] = frozenset()  # names that stand above sums
    labelled: frozenset[str] = frozenset()  # those with labels that stand as numbers, `\sigma_d^2`

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


def vocabulary(
    items: Sequence[ast.Item],
    definitions: Iterable[Statement],
    shapes: Sequence[Statement],
    *,
    is_sigmoid: bool = True,
    has_charges: bool = False,
) -> Vocabulary:
    r"""`items` are those of the `%!tadc` lines; `is_sigmoid` and `has_charges` are what the document says, as in a `Vocabulary`."""
    definitions = list(definitions)
    declared: set[str] = set()
    subscripted: set[str] = set()
    indices: set[str] = set()
    sizes: set[str] = set()
    for item in items:
        if isinstance(item, ast.SizeDeclaration | ast.TensorDeclaration):
            declared.add(item.name.name)
        if isinstance(item, ast.SizeDeclaration):
            sizes.add(item.name.name)
        elif isinstance(item, ast.TensorDeclaration):
            sizes |= {n for extent in item.extents or () for n in _names(extent)}
    for statement in definitions:
        _learn(statement.tokens, declared, subscripted, indices)
    for shape in shapes:
        in_braces = False
        for token in shape.tokens:
            in_braces = in_braces or token.type == "SUP"
            if token.type == "NAME":
                (sizes if in_braces else declared).add(token.value)
    directed = {
        item.name.name
        for item in items
        if isinstance(item, ast.SizeDeclaration | ast.TensorDeclaration)
    }
    explicit = {item.name.name for item in items if isinstance(item, ast.SizeDeclaration)}
    return Vocabulary(
        frozenset(declared),
        frozenset(subscripted),
        frozenset(indices - explicit),
        frozenset((sizes - indices) | explicit),
        frozenset(directed),
        frozenset(t.value for shape in shapes for t in shape.tokens if t.note == "compound")
        | _numbers(items),
        is_sigmoid,
        has_charges,
        {"c", "d"} <= {*_plain_numbers(definitions)},
        frozenset(_bounds(definitions)),
        frozenset(_labelled_numbers(definitions)),
    )


def _plain_numbers(definitions: Iterable[Statement]) -> Iterator[str]:
    """The names that a right side has without a script and a bracket behind them."""
    for definition in definitions:
        for name, after in zip_longest(definition.right, definition.right[1:]):
            kind = "" if after is None else after.type
            if name.type == "NAME" and kind not in (*_BEHIND_FUNCTIONS, "SUP"):
                yield name.value


def _labelled_numbers(definitions: Iterable[Statement]) -> Iterator[str]:
    """The names with labels that a right side has without a subscript and a bracket behind them."""
    for definition in definitions:
        for name, after in zip_longest(definition.right, definition.right[1:]):
            kind = "" if after is None else after.type
            if name.type == "NAME" and "_" in name.value and kind not in _BEHIND_FUNCTIONS:
                yield name.value


_BEHIND_FUNCTIONS = frozenset(("LPAR", "LSQB", "SUB"))


def _bounds(definitions: Iterable[Statement]) -> Iterator[str]:
    """The letters that stand alone above sums."""
    for definition in definitions:
        tokens = definition.tokens
        for opening, name, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
            if opening.type == "LBRACE" and name.type == "NAME" and closing.note == "RED":
                yield name.value


def _numbers(items: Sequence[ast.Item]) -> frozenset[str]:
    """Names that are declared as numbers: a `w_0` among them is no element of `w`."""
    tensors = (i for i in items if isinstance(i, ast.TensorDeclaration))
    return frozenset(i.name.name for i in tensors if i.extents == ())


def _learn(
    tokens: Sequence[Token], declared: set[str], subscripted: set[str], indices: set[str]
) -> None:
    """Add the vocabulary of a definition: names declared by its left side and argument list, its indices, names with subscripts."""
    closing = closing_braces(tokens)
    on_the_left = True
    for place, token in enumerate(tokens):
        if token.type in ("EQ", "DEF"):
            on_the_left = False
        follows = tokens[place + 1].type if place + 1 < len(tokens) else ""
        if token.type == "NAME" and on_the_left:
            (indices if _in_braces(tokens, place, closing) else declared).add(token.value)
        if follows != "SUB" and token.type != "SUB":
            continue
        if token.type in ("NAME", "CALLED"):
            subscripted.add(token.value)
        elif token.type == "FUNC" and token.note and token.value != "log":
            subscripted.add(token.note)
        elif token.type == "SUB" and tokens[min(place + 1, len(tokens) - 1)].note == "limits":
            indices.update(limit_names(tokens, place + 1, closing))


def _in_braces(tokens: Sequence[Token], place: int, closing: dict[int, int]) -> bool:
    return 2 < place < closing.get(2, 0) and tokens[1].type == "SUB"


def _names(extent: ast.Expression) -> set[str]:
    result: set[str] = set()
    todo: list[object] = [extent]
    while todo:
        match todo.pop():
            case ast.Name(name, _):
                result.add(name)
            case ast.Binary(_, left, right, _):
                todo += [left, right]
            case ast.Unary(operand, _):
                todo.append(operand)
            case ast.Application(_, args, _):
                todo += args
    return result


def styled_apart(
    statements: Sequence[Statement],
    shapes: Sequence[Statement],
    declared: Set[str] = frozenset(),
    parameters: Mapping[int, Set[str]] | None = None,
) -> tuple[list[Statement], list[Statement]]:
    r"""The statements with names of their own for one letter in two styles: `\mathbf{x}` beside `x` is `x_bf`, `\mathrm{e}` Euler's number.

    Lists of arguments do not count: there a vector is bold, in `f_{ij}(a, \mathbf{d})`, whose elements are `d_i`. Nor do
    letters of names that are `declared` with a label, such as the `c` of `c_s`, nor in a function its `parameters`, by the place
    where it starts.
    """
    parameters = parameters or {}
    of_declared = {name.rpartition("_")[2] for name in declared if "_" in name}
    bound = {
        name
        for s in statements
        for name in _bound_here(s, declared) - (of_declared - bound_names(s.right))
    }
    styles: dict[str, set[str]] = {}
    for statement in statements:
        labels = {
            token
            for _, _, inner in scripted(statement.tokens, "SUB")
            for token in inner
            if token.value not in bound
        }
        labels |= {
            name
            for name, _, inner in scripted(statement.tokens, "SUB")
            if f"{name.value}_{''.join(t.value for t in inner)}" in declared
        }
        labels |= {  # Euler's number, beside a bold letter
            t
            for t, behind in pairwise(statement.tokens)
            if t.value == "e" and not _style(t) and behind.type == "SUP"
        }
        own = parameters.get(statement.start, frozenset())
        for token in _outside_lists(statement):
            if token not in labels and token.value not in own:
                styles.setdefault(token.value, set()).add(_style(token))
    mixed = {name for name, found in styles.items() if len(found) > 1}
    mixed -= {name for name in mixed if _is_vector_of_elements(name, statements, bound)}
    vectors = {
        s.target for s in statements if s.kind == "definition" and s.tokens[0].note == "bold"
    }
    vectors -= {s.target for s in statements if s.tokens[0].note != "bold"}
    mixed -= {
        name
        for name in mixed & (declared | vectors)
        if f"{name}_bf" not in declared and _are_rows_of_elements(name, statements)
    }
    own_bold = {name for name in mixed & declared if f"{name}_bf" not in declared}
    own_bold = {name for name in own_bold if _is_norm_of_bold(name, statements)}

    def renamed(token: Token) -> Token:
        style = _style(token) if token.type == "NAME" and token.value in mixed else ""
        if token.type == "NAME" and token.value in own_bold and style in ("", "bold"):
            return token if style else replace(token, value=f"{token.value}_norm")
        if not style or style not in styles[token.value]:
            return token
        if (token.value, style) == ("e", "upright"):
            return replace(token, note="euler")
        return replace(token, value=f"{token.value}_{STYLES[style]}")

    def all_renamed(statement: Statement, own: Set[str]) -> tuple[Token, ...]:
        return tuple(t if t.value in own else renamed(t) for t in statement.tokens)

    if not mixed:
        return list(statements), list(shapes)
    first, second = (
        [replace(s, tokens=all_renamed(s, parameters.get(s.start, frozenset()))) for s in listed]
        for listed in (statements, shapes)
    )
    return first, second


def _bound_here(statement: Statement, declared: Set[str]) -> set[str]:
    r"""The indices of a statement; not the `r` of a left side `E_{dir}`, the `x` of `R_{xx}` or the `r` of `f_r` beside a `declared` tensor `r`,
    where the right side has no such letter, or has it in another style alone.
    """
    left = left_indices(statement.tokens)
    is_word = len(left) > 2 or len({t.value for t in left}) < len(left)
    is_run = is_word and all(a.end == b.start for a, b in pairwise(left))
    is_label = len(left) == 1 and left[0].value in declared and not statement.ranges
    if not is_run and not is_label:
        return bound_names(statement.tokens)
    plain = {t.value for t in statement.right if t.type == "NAME" and not _style(t)}
    other = {t.value for t in left} - plain
    return bound_names(statement.tokens) - (other - bound_names(statement.right))


def _is_norm_of_bold(name: str, statements: Sequence[Statement]) -> bool:
    r"""Whether the plain letter is defined by the bold one, `r_{ij} = |\mathbf{r}_{ij}|`: a line with this name is about the bold one."""
    for s in statements:
        letters = [t.value for t in left_indices(s.tokens)]
        if s.target == name and s.tokens[0].note != "bold" and len(letters) > 1:
            below = [
                [t.value for t in inner if t.type == "NAME"]
                for base, _, inner in scripted(s.right, "SUB")
                if base.value == name and base.note == "bold"
            ]
            if letters in below:
                return True
    return False


def _is_vector_of_elements(name: str, statements: Sequence[Statement], bound: Set[str]) -> bool:
    r"""Whether the bold letter stands only alone and the plain one only with subscripts: `\mathbf{a}` and its elements `a_i`; labels
    aside, such as the `a` of `W_a`, which is not `bound`.
    """
    for statement in statements:
        below = {id(t) for _, _, inner in scripted(statement.tokens, "SUB") for t in inner}
        for place, token in enumerate(statement.tokens):
            is_label = id(token) in below and token.value not in bound
            if token.type == "NAME" and token.value == name and not is_label:
                following = statement.tokens[place + 1 : place + 2]
                has_subscript = bool(following) and following[0].type == "SUB"
                if _style(token) not in ("", "bold") or has_subscript == (_style(token) == "bold"):
                    return False
    return True


def _are_rows_of_elements(name: str, statements: Sequence[Statement]) -> bool:
    r"""Whether the bold letter has one index everywhere and the plain one another behind it, `\mathbf{x}_i` and its elements
    `x_{ij}` or `x_i(j)`, which is never that of a bold one: `\mathbf{r}_i` and the distance `r_{ij}` of `\mathbf{r}_j` differ.
    """
    rows: set[str] = set()
    inner: set[str] = set()
    for statement in statements:
        calls = {call.start: call for call in calls_in(statement.tokens)}
        below = {id(t): n for t, _, n in scripted(statement.tokens, "SUB")}
        for place, token in enumerate(statement.tokens):
            if token.type != "NAME" or token.value != name:
                continue
            parts = [t for t in below.get(id(token), ()) if t.type != "COMMA"]
            if place in calls and _style(token) == "":
                parts += calls[place].inner
            if _style(token) not in ("", "bold") or any(t.type != "NAME" for t in parts):
                return False
            if len(parts) != (1 if _style(token) else 2):
                return False
            rows.add(parts[0].value)
            inner |= {t.value for t in parts[1:]}
    return bool(inner) and not rows & inner and _are_apart(name, rows, inner, statements)


def _are_apart(base: str, rows: Set[str], inner: Set[str], statements: Sequence[Statement]) -> bool:
    """Whether letters of `inner` stand below other names than `base`, never at a place or in limits where one of `rows` stands."""
    places: dict[tuple[str, int], set[str]] = {}
    for statement in statements:
        closing = closing_braces(statement.tokens)
        for name, _, n in scripted(statement.tokens, "SUB"):
            for place, token in enumerate(t for t in n if t.type != "COMMA"):
                places.setdefault((f"{name.value} {name.note}", place), set()).add(token.value)
        for place, token in enumerate(statement.tokens[:-2]):
            if token.type == "RED" and place + 2 in closing:
                limits = statement.tokens[place + 2 : closing[place + 2]]
                places.setdefault(("", place + statement.start), set()).update(
                    t.value for t in limits
                )
    others = (found for (name, _), found in places.items() if name and name.split()[0] != base)
    is_elsewhere = any(found & inner for found in others)
    return is_elsewhere and not any(found & rows and found & inner for found in places.values())


def _outside_lists(statement: Statement) -> Iterator[Token]:
    """The names of a definition, without those in the list of arguments of its left side."""
    in_list = False
    for place, token in enumerate(statement.tokens):
        if place >= statement.equal:
            in_list = False
        elif token.type in ("LPAR", "LSQB") and place:
            in_list = True
        if token.type == "NAME" and not in_list:
            yield token


def _style(token: Token) -> str:
    """Words are upright by nature; single letters are not."""
    return "" if len(token.value) > 1 and token.note == "upright" else token.note
