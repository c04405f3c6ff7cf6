"""The tensors that a document's formulas have made known so far: their dimensions, the names that are taken, and what was guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from tadc.errors import Span
from tadc.syntax import ast
from tadc.syntax.ast import Definition, Element, Expression, Name, Note
from tadc.syntax.nodes import fresh_name, key, nodes

__all__ = ["Known", "Ranks"]

FRESH = "dkmnpqrsuv"


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ranks of names with subscripts; some are `certain`. Bold `capitals` may be vectors or matrices, and so may be the
    elements of bold capitals that are `numbered`; small bold ones that are `added` to a vector are vectors.
    """

    of: Mapping[str, int]
    certain: Set[str]
    capitals: Set[str] = frozenset()
    numbered: Set[str] = frozenset()
    added: Set[str] = frozenset()


class Known:
    """What is known while the definitions of a document are read in their order; each adds to it.

    `ranks` are those of all names; of the `undeclared` only subscripts elsewhere tell. `extents` are declared ones, by key;
    of `columns`, which are matrices, one subscript reads a column. `indices` are those of the definition that is read, and
    `lefts` those of its left side.
    """

    def __init__(
        self,
        ranks: Ranks,
        shapes: Mapping[str, Sequence[Expression]],
        taken: set[str],
        base: int = 0,
        columns: Set[str] = frozenset(),
        *,
        is_elementwise: bool = False,
    ) -> None:
        """`shapes`, where declared, win over `ranks`; `base` is the first index; `is_elementwise` is whether the document says that
        functions are applied to elements.
        """
        self.base = base
        self.is_elementwise = is_elementwise
        self.columns = columns
        self.ranks = {**ranks.of, **{name: len(extents) for name, extents in shapes.items()}}
        self.undeclared = ranks.of.keys() - shapes.keys() - ranks.certain
        self.capitals = ranks.capitals - shapes.keys()
        self.numbered = ranks.numbered - shapes.keys()
        self.added = ranks.added - shapes.keys()
        self.extents: dict[str, list[object]] = {
            name: [key(e) for e in extents] for name, extents in shapes.items()
        }
        self.printed = {key(e): e.span.text for shape in shapes.values() for e in shape}
        self.sizes = {
            n.name for shape in shapes.values() for n in nodes(shape) if isinstance(n, Name)
        }
        self.taken = taken
        self.indices: set[str] = set()
        self.lefts: tuple[Name, ...] = ()
        self.in_elements: set[str] = set()  # vectors whose elements stand in a formula of elements
        self.softmaxed: set[str] = set()  # what is defined as the softmax of a matrix
        self.diagonals: set[str] = set()  # matrices of which the definition has the diagonal alone
        self.wholes: Set[str] = (
            frozenset()
        )  # undeclared names that are read, and no element of them
        self.guesses: dict[str, Note] = {}

    def begin(self, definition: Definition) -> None:
        """Learn the indices of the definition that is read next."""
        self.lefts = tuple(r.name for r in definition.lefts)
        self.indices = {name.name for name in self.lefts}
        self.indices |= {
            r.name.name
            for node in nodes((definition.body,))
            if isinstance(node, ast.Reduction)
            for r in node.ranges
        }

    def define(self, name: str, rank: int) -> None:
        """Learn of the tensor that was defined."""
        self.ranks[name] = rank
        self.undeclared -= {name}

    def has_all(self, definition: Definition) -> bool:
        """Whether every tensor of the right side is declared or defined."""
        bounds = (
            bound
            for node in nodes((definition.body,))
            if isinstance(node, ast.Reduction)
            for r in node.ranges
            for bound in (r.low, r.high)
            if bound is not None
        )
        known = self.extents.keys() | self.indices | (self.ranks.keys() - self.undeclared)
        known |= self.sizes | {n.name for n in nodes([*bounds]) if isinstance(n, Name)}
        return all(
            name.name in known
            for node in nodes((definition.body,))
            if isinstance(name := node.name if isinstance(node, Element) else node, Name)
        )

    def vectors_in_elements(self, definition: Definition) -> set[str]:
        """The declared vectors that the formula, one of elements, reads at an index of its left side: their squares are numbers."""
        lefts = {r.name.name for r in definition.lefts}
        return {
            node.name.name
            for node in nodes((definition.body,))
            if isinstance(node, Element) and len(self.extents.get(node.name.name, ())) == 1
            if any(isinstance(s, Name) and s.name in lefts for s in node.subscripts)
        }

    def fresh(self, span: Span) -> Name:
        """An index that nothing else is."""
        return Name(fresh_name(self.taken, FRESH), span)

    def guess(self, text: str, span: Span) -> None:
        """Note what was guessed, once for each kind of guess; `{}` stands for what is printed there."""
        self.guesses.setdefault(text, Note(span, text.format(span.text), is_guess=True))
