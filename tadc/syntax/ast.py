"""The syntax tree: the form of a text, before its meaning is resolved. Both spellings give the same tree.

    Program    = items in order
    Item       = SizeDeclaration | TensorDeclaration | OutputDeclaration | BaseDeclaration | EinsteinDeclaration | Requirement
               | Definition | Update | Block | Loop               (a Block and a Loop hold items)
    Expression = Number | Name | Element | Application | Unary | Binary | Choice | Reduction | Bracket
    Condition  = Comparison | Logical | Not | IsInteger          (Choice, Reduction and Bracket hold one)

Index expressions, values, sizes and bounds share `Expression`; the resolver knows which is which. Every node has the
span of the text it was read from. Nothing here is compared or hashed: nodes are places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tadc.errors import Span
from tadc.syntax.letters import Letter


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A literal as it is written: `3`, `2.5`, `1e-3`. It is an integer when it has only digits."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """A name standing alone: an index, a size, a scalar tensor, or a constant (`pi`, `inf`, `nan`, LaTeX's `e`)."""

    name: str  # NFKC-normalised
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """`name[subscripts]`: a read, or in a bound the list `max [a; b]`. `x[]` has no subscripts."""

    name: Name
    subscripts: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Application:
    """`function(args)` or `function x[i]`; also `delta(i, j)`, `where(c, a, b)`, and `pad(e)` in a subscript."""

    function: Name
    args: tuple[Expression | Condition, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Unary:
    """`-operand`."""

    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Binary:
    operator: Literal["+", "-", "*", "/", "//", "%", "**"]
    left: Expression
    right: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """`if condition then a else b`, and every row of LaTeX `cases`."""

    condition: Condition
    then: Expression
    otherwise: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """An index of a reduction or of a left side: `k`, `k: extent`, or `k = low..high` (inclusive).

    The spelling `sum{k}_low^high` gives a `Range` with `low` and `high`.
    """

    name: Name
    span: Span
    extent: Expression | None = None
    low: Expression | None = None
    high: Expression | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """`op{ranges | condition} body`; `op` is `sum prod max min mean logsumexp argmax argmin`."""

    op: Name
    ranges: tuple[Range, ...]
    condition: Condition | None
    body: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Bracket:
    """The Iverson bracket `[condition]`: 1 or 0."""

    condition: Condition
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A chain `a < b <= c`: one relation fewer than operands. `=` and `==` both are `==`."""

    operands: tuple[Expression, ...]
    relations: tuple[Literal["==", "!=", "<", "<=", ">", ">="], ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Logical:
    operator: Literal["and", "or"]
    left: Condition
    right: Condition
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Not:
    operand: Condition
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class IsInteger:
    """`1/2*i is int`, of the reference implementation's printed derivatives."""

    operand: Expression
    span: Span


Expression: TypeAlias = (
    Number | Name | Element | Application | Unary | Binary | Choice | Reduction | Bracket
)
Condition: TypeAlias = Comparison | Logical | Not | IsInteger
Values: TypeAlias = tuple[Expression, Expression]  # of an index tensor: the least and the greatest


@dataclass(frozen=True, slots=True, eq=False)
class SizeDeclaration:
    """`size N` or `size N = value`; `size N, M` gives two. `size o >= 0` is an offset: it may be 0, and is no extent."""

    name: Name
    value: Expression | None
    span: Span
    is_offset: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TensorDeclaration:
    r"""`input a[N, K]: float64`. `kind` is "shape" for `a \in \mathbb{R}^{N \times K}`: inputs and defined tensors alike.

    `extents` is None for `input a` without brackets (shape not said); a scalar declared as `a[]` has `()`.

    Of an index tensor `values` are the least and the greatest that are declared, `0..N-1`. The `dtype` of a sparse tensor is
    its layout; one that is `like` another has its shape and pattern.
    """

    kind: Literal["input", "state", "shape"]
    name: Name
    extents: tuple[Expression, ...] | None
    dtype: Name | None
    span: Span
    values: Values | None = None
    like: Name | None = None


@dataclass(frozen=True, slots=True, eq=False)
class OutputDeclaration:
    """The outputs; `likes` are those with the pattern of another tensor, until they stand at the definitions (`likes.py`)."""

    names: tuple[Name, ...]
    span: Span
    likes: tuple[tuple[Name, Name], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class BaseDeclaration:
    base: int
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class EinsteinDeclaration:
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Requirement:
    """`require condition`: a condition on sizes that every call fulfils."""

    condition: Condition
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    r"""`target[lefts]: dtype = body`. `arguments` is the list of LaTeX's `f_{ij}(a, b) =`, None elsewhere.

    A left is a `Range` without bounds (`i` or `i: N`).
    """

    target: Name
    lefts: tuple[Range, ...]
    dtype: Name | None
    arguments: tuple[Name, ...] | None
    body: Expression
    span: Span
    values: Values | None = None
    like: Name | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """`target[lefts | condition] <- body`. A left is a `Range` for a bare name, with an extent or without, else an expression."""

    target: Name
    lefts: tuple[Range | Expression, ...]
    condition: Condition | None
    body: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """`step { items }`: updates that all read the values before the block. The span is that of its head."""

    items: tuple[Item, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """`repeat { items }`, once for each value of `index` from `low` to `high`, inclusive; `down` from high to low.

    A loop over an extent has it as `extent`, and neither `low` nor `high`. The span is that of its head.
    """

    index: Name | None
    extent: Expression | None
    low: Expression | None
    high: Expression | None
    down: bool
    items: tuple[Item, ...]
    span: Span


Item: TypeAlias = (
    SizeDeclaration
    | TensorDeclaration
    | OutputDeclaration
    | BaseDeclaration
    | EinsteinDeclaration
    | Requirement
    | Definition
    | Update
    | Block
    | Loop
)


@dataclass(frozen=True, slots=True)
class Note:
    """One line on how a formula was read, where the document does not say it in so many words; a guess is refused by `--strict`."""

    span: Span
    text: str
    is_guess: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of a LaTeX document that defines no tensor, and why."""

    span: Span
    reason: str


@dataclass(frozen=True, slots=True)
class Request:
    """A derivative that a document asks for, of one result by inputs: the program is this one then."""

    mode: Literal["gradient", "jacobian", "hessian"]
    of: str
    wrt: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The items in order. `skipped` are the parts of a LaTeX document that define no tensor, with `reasons`; `notes` how it was read.

    Where states were written out, `versions` are the names that these got, each with its state, in the order of the updates, and `rounds`
    the places of the rounds in which names were defined, outermost loop first. `letters` are those that a LaTeX document prints.
    """

    items: tuple[Item, ...]
    skipped: tuple[Span, ...] = ()
    notes: tuple[Note, ...] = ()
    reasons: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    rounds: tuple[tuple[str, tuple[int, ...]], ...] = ()
    request: Request | None = None
    letters: Mapping[str, Letter] = field(default_factory=dict, compare=False)
