"""Presburger sets and relations of isl, from regions: points, subscripts, and facts about the sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tadc.errors import BackendError
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.program import Program
from tadc.prove.regions import Occurrence, Region, condition, holds, text
from tadc.resolve.bounds import ReadCheck

if TYPE_CHECKING:
    import islpy

__all__ = ["Sets", "Space"]

Space: TypeAlias = Sequence[Affine]  # coordinates, as forms of the symbols that a region binds


@dataclass(frozen=True, slots=True)
class Sets:
    """Makes sets whose parameters are the sizes of one program, for the sizes that it may be called with.

    `names` are those of the sizes in isl's notation. A call with other sizes than `allowed` is refused.
    """

    names: Mapping[Symbol, str]
    known: tuple[str, ...]
    allowed: islpy.Set | None = None

    @classmethod
    def of(cls, program: Program, checks: Iterable[ReadCheck] = ()) -> Sets:
        """`checks` are reads that every call tests. Raises BackendError without islpy."""
        try:
            import islpy  # noqa: F401
        except ImportError:
            raise BackendError(
                None, "proofs need islpy, which is not installed", fix="`pip install 'tadc[prove]'`"
            ) from None
        names = {s: f"p{k}" for k, s in enumerate(program.parameters)}
        sets = cls(names, tuple(map(condition, program.known)))
        for outside in (d for check in checks for d in check.outside.alternatives()):
            inner = (s for s in outside.symbols if s not in names)
            refused = sets.points(Region(tuple(inner), (), (holds(outside),)), ()).params()
            fine = sets.points(Region(()), ()).params() - refused
            sets = replace(sets, allowed=fine if sets.allowed is None else sets.allowed & fine)
        return sets

    def relation(self, region: Region, first: Space, second: Space) -> islpy.Map:
        """The pairs of the values of both spaces, over all points of the region."""
        import islpy

        variables = {s: f"v{k}" for k, s in enumerate(region.symbols)}
        spelled = {**self.names, **variables}
        places = [f"x{k}" for k in range(len(first) + len(second))]
        equal = [f"{x} = {text(f)}" for x, f in zip(places, (*first, *second), strict=True)]
        body = " and ".join((*self.known, *region.conditions, *equal)).format(**spelled) or "true"
        exists = f"exists {', '.join(variables.values())} : " if variables else ""
        left, right = ", ".join(places[: len(first)]), ", ".join(places[len(first) :])
        parameters = ", ".join(self.names.values())
        relation = islpy.Map(f"[{parameters}] -> {{ [{left}] -> [{right}] : {exists}({body}) }}")
        return relation if self.allowed is None else relation.intersect_params(self.allowed)

    def nothing(self, first: int, second: int) -> islpy.Map:
        """The empty relation between spaces of so many coordinates."""
        zeros = [constant(0)] * (first + second)
        return self.relation(Region((), (), ("1 = 0",)), zeros[:first], zeros[first:])

    def points(self, region: Region, space: Space) -> islpy.Set:
        """The values of a space over all points of the region."""
        return self.relation(region, (), space).range()

    def box(self, shape: Sequence[Affine]) -> islpy.Set:
        """All elements of a tensor."""
        places = tuple(f"'{k}" for k in range(len(shape)))
        conditions = (f"0 <= {{{i}}} < {text(n)}" for i, n in zip(places, shape, strict=True))
        return self.points(Region(places, (), tuple(conditions)), tuple(map(symbol, places)))

    def elements(self, occurrence: Occurrence) -> islpy.Set:
        """The elements that are read or stored."""
        return self.points(occurrence.region, occurrence.subscripts)

    def sample(self, points: Any, names: Sequence[str]) -> str:
        """One point of a set, with the sizes at which it is in it: `b = 3, where N = 4`."""
        import islpy

        points = points.wrap() if isinstance(points, islpy.Map) else points
        point = points.sample_point()
        space = points.get_space()
        kinds = ((islpy.dim_type.set, names), (islpy.dim_type.param, tuple(self.names)))
        told = []
        for kind, named in kinds:
            values = (point.get_coordinate_val(kind, k).to_python() for k in range(space.dim(kind)))
            told.append(", ".join(f"{s} = {n}" for s, n in zip(named, values, strict=True)))
        return ", where ".join(part for part in told if part)
