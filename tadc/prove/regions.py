"""Regions of reads: the integer points at which each read of a statement or of a loop nest is evaluated.

The proofs rest on this reading of a program, and on isl. Nothing here calls the solver, the derivation or the emitters:
it is their witness.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Condition, Derived, Domain, quotients
from tadc.ir.expr import Call, Comparison, Const, Expr, Read, Reduce, Select
from tadc.ir.program import Statement
from tadc.ir.walk import postorder
from tadc.schedule.nest.loop_nest import (
    Branch,
    Kernel,
    LetIndex,
    Loop,
    Step,
    Store,
    values_of,
)

__all__ = ["Occurrence", "Region", "reads_of_kernel", "reads_of_statement", "stores_of_kernel"]


@dataclass(frozen=True, slots=True)
class Region:
    """Integer points: values of `loops`, of `divisions` that follow from them, under conditions in isl's notation.

    `{symbol}` stands for a symbol in a condition.
    """

    loops: tuple[Symbol, ...]
    divisions: tuple[Symbol, ...] = ()
    conditions: tuple[str, ...] = ()

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that the region binds."""
        return (*self.loops, *self.divisions)

    def where(self, *conditions: str) -> Region:
        return replace(self, conditions=(*self.conditions, *conditions))

    def looped(self, *indices: Symbol) -> Region:
        return replace(self, loops=(*self.loops, *indices))

    def divided(self, derived: Derived) -> Region:
        """The region with a derived index, by its definition."""
        q, form = f"{{{derived.name}}}", text(derived.form)
        exact = f"{derived.modulus}*{q} <= {form} < {derived.modulus}*{q} + {derived.modulus}"
        return replace(self, divisions=(*self.divisions, derived.name)).where(exact)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Subscripts of a tensor, and the points for which its element is read, or stored.

    `unless_zero` are conditions that hold where no other factor is the number 0, as `x` of `[i > 0]*x` may be.
    """

    tensor: str
    subscripts: tuple[Affine, ...]
    region: Region
    unless_zero: tuple[str, ...] = ()

    @property
    def needed(self) -> Region:
        """The points at which the element says something about the value."""
        return self.region.where(*self.unless_zero)


def text(form: Affine) -> str:
    """The form in isl's notation."""
    terms = [f"{c}*{{{s}}}" for s, c in form.terms]
    return " + ".join([*terms, str(form.constant)])


def condition(c: Condition) -> str:
    match c.relation:
        case "|":
            return f"({text(c.form)}) mod {c.modulus} = 0"
        case "==":
            return f"{text(c.form)} = 0"
        case ">=":
            return f"{text(c.form)} >= 0"


def holds(domain: Domain) -> str:
    return " and ".join(map(condition, domain)) or "true"


def reads_of_statement(statement: Statement) -> Iterator[Occurrence]:
    """Every read of the statement, with the indices of the statement and of the reductions around it."""
    yield from _reads(statement.body, _box(statement.extents.items(), quotients(statement.derived)))


def reads_of_kernel(kernel: Kernel) -> Iterator[Occurrence]:
    """Every read of memory by the kernel's loop nest."""
    for step, region in _steps(kernel.body, _box(zip(kernel.indices, kernel.extents, strict=True))):
        for value in values_of(step):
            for read in _reads(value, region):
                if read.tensor not in kernel.locals:
                    yield read


def stores_of_kernel(kernel: Kernel) -> Iterator[Occurrence]:
    """Every store that writes an element, and does not change one."""
    for step, region in _steps(kernel.body, _box(zip(kernel.indices, kernel.extents, strict=True))):
        if isinstance(step, Store) and step.op is None:
            yield Occurrence(step.tensor, step.subscripts, region)


def _box(extents: Iterable[tuple[Symbol, Affine]], derived: Sequence[Derived] = ()) -> Region:
    pairs = tuple(extents)
    conditions = tuple(f"0 <= {{{i}}} < {text(n)}" for i, n in pairs)
    region = Region(tuple(i for i, _ in pairs), (), conditions)
    for d in derived:
        region = region.divided(d)
    return region


def _reads(root: Expr, around: Region) -> Iterator[Occurrence]:
    """A comparison of values excludes no point: whether it holds is not known."""
    regions: list[tuple[Expr, Region, tuple[str, ...]]] = [(root, around, ())]
    seen = set(regions)
    for root, around, unless in regions:  # grows on the way
        inner: list[tuple[Expr, Region, tuple[str, ...]]] = []
        for e in postorder(root, _of_same_region):
            match e:
                case Read(tensor, subscripts):
                    yield Occurrence(tensor, subscripts, around, unless)
                case Reduce(_, indices, derived, domain, body):
                    region = around.looped(*indices)
                    for d in quotients(derived):
                        region = region.divided(d)
                    inner.append((body, region.where(holds(domain)), unless))
                case Select(Domain() as domain, then, otherwise):
                    inner.append((then, around.where(holds(domain)), unless))
                    inner.append((otherwise, around.where(f"not ({holds(domain)})"), unless))
                case Call("mul" | "gate" | "div" as function, (a, b)) if _may_be_zero(e):
                    divided = function == "div"  # by zero: it is no factor
                    inner.append((a, around, unless if divided else (*unless, *_not_zero(b))))
                    inner.append((b, around, (*unless, *_not_zero(a))))
                case _:
                    pass
        new = [each for each in dict.fromkeys(inner) if each not in seen]
        seen.update(new)
        regions += new


def _of_same_region(e: Expr) -> tuple[Expr, ...]:
    is_separate = isinstance(e, Reduce) or _chooses_points(e) or _may_be_zero(e)
    return () if is_separate else e.operands


def _may_be_zero(e: Expr) -> bool:
    """Whether it is a product, or a quotient, with a choice of the number 0 above."""
    match e:
        case Call("mul" | "gate", (a, b)):
            return bool(_not_zero(a) or _not_zero(b))
        case Call("div", (a, _)):
            return bool(_not_zero(a))
        case _:
            return False


def _not_zero(e: Expr) -> tuple[str, ...]:
    """Conditions that hold where no choice makes it the number 0."""
    match e:
        case Select(Domain() as domain, Const(0), otherwise):
            return (f"not ({holds(domain)})", *_not_zero(otherwise))
        case Select(Domain() as domain, then, Const(0)):
            return (holds(domain), *_not_zero(then))
        case Call("mul" | "gate", (a, b)):
            return (*_not_zero(a), *_not_zero(b))
        case Call("neg", (a,)) | Call("div", (a, _)):
            return _not_zero(a)
        case _:
            return ()


def _chooses_points(e: Expr) -> bool:
    return isinstance(e, Select) and isinstance(e.condition, Domain)


def _steps(steps: Sequence[Step], region: Region) -> Iterator[tuple[Step, Region]]:
    """Every step of a plain nest with the points for which it runs."""
    for step in steps:
        match step:
            case LetIndex(derived):
                for d in quotients((derived,)):
                    region = region.divided(d)
            case Loop(r, body):
                bounds = (
                    *(f"{text(e)} <= {c}*{{{r.index}}}" for e, c in r.lows),
                    *(f"{c}*{{{r.index}}} <= {text(e)}" for e, c in r.highs),
                )
                yield from _steps(body, region.looped(r.index).where(*bounds))
            case Branch(Domain() as domain, then, otherwise):
                yield from _steps(then, region.where(holds(domain)))
                yield from _steps(otherwise, region.where(f"not ({holds(domain)})"))
            case Branch(Comparison(), then, otherwise):
                yield step, region
                yield from _steps((*then, *otherwise), region)
            case _:
                yield step, region
