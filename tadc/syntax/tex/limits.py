r"""The limits of a reduction: which names it runs over, their bounds, and its conditions.

    \sum_{k}                 k                        \sum_{k=0}^{4}           k = 0..4
    \sum_{i,j=1}^{n}         i = 1..n, j = 1..n       \sum_{0 \le k < N}       k = 0..N-1
    \sum_{j \le i}           j | j <= i               \sum_{k, l \mid k < l}   k, l | k < l
    \sum_k^N                 k: N                     \sum_{j \ne i}^N         j: N | j != i
    \sum_{1 \le i, j \le n}  i = 1..n, j = 1..n       \sum_{1 \le i < j \le n} i = 1..n, j = 1..n | i < j

In the fourth form the names run that nothing outside binds; so `limits` needs to know what is bound around the reduction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

from tadc.errors import Span, SyntaxError
from tadc.syntax.ast import (
    Application,
    Binary,
    Bracket,
    Comparison,
    Condition,
    Expression,
    Name,
    Number,
    Range,
    Unary,
)
from tadc.syntax.tex.parts import conjunction, truth

__all__ = ["Limit", "Limits", "limits", "read_limits"]


@dataclass(frozen=True, slots=True)
class Limit:
    """One entry between commas, before its expressions are built: its relations, and the names that stand alone in it.

    `ends` are for each operand the name that is the whole operand, or None.
    """

    relations: tuple[str, ...]
    ends: tuple[str | None, ...]
    names: tuple[Name, ...]

    @property
    def is_name(self) -> bool:
        return len(self.ends) == 1 and self.ends[0] is not None

    @property
    def is_start(self) -> bool:
        """`k = 0`."""
        return self.relations == ("==",) and self.ends[0] is not None

    @property
    def is_interval(self) -> bool:
        """`0 <= k < N`, or downwards."""
        return (
            len(self.relations) == 2
            and self.ends[1] is not None
            and (set(self.relations) <= {"<", "<="} or set(self.relations) <= {">", ">="})
        )

    @property
    def is_chain(self) -> bool:
        """`1 <= i < j <= n`: several names between two ends."""
        ends = (self.relations[0], self.relations[-1]) if self.relations else ()
        return (
            len(self.relations) > 2
            and {*ends} <= {"<", "<="}
            and {*self.relations} <= {"<", "<=", "!="}
            and None not in self.ends[1:-1]
        )

    @property
    def is_opening(self) -> bool:
        """The `1 <= i` of `1 <= i, j <= n`."""
        return len(self.relations) == 1 and self.relations[0] in ("<", "<=") and bool(self.ends[1])

    @property
    def is_closing(self) -> bool:
        """The `j <= n` of `1 <= i, j <= n`."""
        return len(self.relations) == 1 and self.relations[0] in ("<", "<=") and bool(self.ends[0])


@dataclass(frozen=True, slots=True)
class Limits:
    """The entries with their kinds, and `names`: all that the reduction runs over, in order."""

    entries: tuple[Limit, ...]
    kinds: tuple[
        str, ...
    ]  # "name", "start", "interval", "chain", "opening", "closing" or "condition"
    names: tuple[Name, ...]


def read_limits(
    entries: Sequence[Limit],
    has_high: bool,
    is_bound: Callable[[str], bool],
    is_subscript: Callable[[str], bool],
) -> Limits:
    """Decide the kind of each entry. `is_bound`: an index of the surroundings, or a size."""
    running = {e.ends[0] for e in entries if e.is_name or (e.is_start and has_high)}
    kinds: list[str] = []

    def is_end(name: str | None) -> bool:
        """Whether it is no index that runs, too."""
        return name is None or is_bound(name) or not is_subscript(name)

    shared: dict[int, str] = {}
    if len(entries) > 1 and not has_high and is_end(entries[0].ends[0]):
        shared = (
            _shared_interval(entries, running, is_bound) if is_end(entries[-1].ends[-1]) else {}
        )
    for place, entry in enumerate(entries):
        if place in shared:
            kinds.append(shared[place])
        elif entry.is_name:
            kinds.append("name")
        elif (
            entry.is_chain
            and not any(is_bound(n or "") or n in running for n in entry.ends[1:-1])
            and is_end(entry.ends[0])
            and is_end(entry.ends[-1])
        ):
            kinds.append("chain")
            running |= {*entry.ends[1:-1]}
        elif entry.is_start and has_high:
            kinds.append("start")
        elif (
            entry.is_interval
            and entry.ends[1] not in running
            and not is_bound(entry.ends[1] or "")
            and not _starts_at_index(entry, running, is_bound, is_subscript)
        ):
            kinds.append("interval")
            running.add(entry.ends[1])
        elif entry.is_start and entry.ends[0] not in running and not is_bound(entry.ends[0] or ""):
            kinds.append("start")
        else:
            kinds.append("condition")
    names: dict[str, Name] = {}
    free: dict[str, Name] = {}
    for entry, kind in zip(entries, kinds, strict=True):
        running_here = entry.ends[1:-1] if kind == "chain" else (entry.ends[_place_in(kind)],)
        for name in entry.names:
            if kind != "condition" and name.name in running_here:
                names.setdefault(name.name, name)
            elif kind == "condition" and not is_bound(name.name):
                free.setdefault(name.name, name)
    free = {name: place for name, place in free.items() if name not in names}
    in_subscripts = {name: n for name, n in free.items() if is_subscript(name)}
    names |= in_subscripts
    if not names:
        names |= dict(list(free.items())[:1])
    return Limits(tuple(entries), tuple(kinds), tuple(names.values()))


def _place_in(kind: str) -> int:
    """The place of the name that runs among the operands of an entry."""
    return int(kind in ("interval", "opening"))


def _shared_interval(
    entries: Sequence[Limit], running: Set[str | None], is_bound: Callable[[str], bool]
) -> dict[int, str]:
    """The kinds of the entries of `1 <= i, j, k <= n`, whose names share both ends; none where there is no such list."""
    if not entries[0].is_opening or not entries[-1].is_closing:
        return {}
    names = [entries[0].ends[1], *(e.ends[0] for e in entries[1:])]
    is_list = all(e.is_name for e in entries[1:-1]) and len({*names}) == len(names)
    if not is_list or any(is_bound(n or "") for n in names) or {names[0], names[-1]} & running:
        return {}
    last = len(entries) - 1
    return {n: {0: "opening", last: "closing"}.get(n, "name") for n in range(len(entries))}


def _starts_at_index(
    entry: Limit,
    running: Set[str | None],
    is_bound: Callable[[str], bool],
    is_subscript: Callable[[str], bool],
) -> bool:
    r"""Whether it is `i < j \le n` with an `i` that runs, too: a condition on both."""
    name = entry.ends[0]
    return name is not None and name not in running and is_subscript(name) and not is_bound(name)


def limits(
    read: Limits, items: Sequence[Expression | Condition], high: Expression | None, span: Span
) -> tuple[tuple[Range, ...], Condition | None]:
    """The ranges and the condition of the reduction, from the entries' trees. `span` is that of the limits."""
    ranges: dict[str, Range] = {}
    names = {name.name: name for name in read.names}
    conditions: list[Condition] = []
    waiting: list[str] = []  # `i` of `i,j=1` takes the bounds of `j`
    for entry, kind, item in zip(read.entries, read.kinds, items, strict=True):
        if kind == "condition":
            conditions.append(_condition(item))
            continue
        if kind == "chain":
            assert isinstance(item, Comparison), "a chain is one of relations"
            middle = [names[n or ""] for n in entry.ends[1:-1]]
            ranges |= {n.name: _between(n, item) for n in middle}
            conditions.append(
                replace(item, operands=item.operands[1:-1], relations=item.relations[1:-1])
            )
            continue
        name = names[entry.ends[_place_in(kind)] or ""]
        if kind == "opening":
            assert isinstance(item, Comparison), "an opening is a relation"
            opening = item
            waiting.append(name.name)
        elif kind == "closing":
            assert isinstance(item, Comparison), "a closing is a relation"
            whole = replace(
                item,
                operands=(opening.operands[0], name, item.operands[1]),
                relations=(opening.relations[0], item.relations[0]),
            )
            ranges |= {n: _interval(names[n], whole) for n in (*waiting, name.name)}
            waiting = []
        elif kind == "name":
            ranges[name.name] = Range(name, name.span)
            waiting.append(name.name)
        elif kind == "start":
            assert isinstance(item, Comparison), "a start is an equation"
            if high is None:
                raise SyntaxError(
                    item.span,
                    f"`{name.name}` has a lower bound and no upper one",
                    fix=r"write it above, `\sum_{k=0}^{N-1}`, or a condition behind the index, `\sum_{k \mid k = 2 i}`",
                )
            bounds = _rounded_up(item.operands[1]), high
            for other in [*waiting, name.name]:
                place = ranges[other].name if other in ranges else name
                ranges[other] = Range(place, item.span, low=bounds[0], high=bounds[1])
            waiting = []
        else:
            assert isinstance(item, Comparison), "an interval is a chain of relations"
            ranges[name.name] = _interval(name, item)
    for name in read.names:
        ranges.setdefault(name.name, Range(name, name.span))
    if high is not None and waiting and "start" in read.kinds:
        raise SyntaxError(
            span,
            "the upper bound has no lower bound that it belongs to",
            fix=r"write `\sum_{k=0}^{N-1}`",
        )
    if high is not None and "start" not in read.kinds:  # `\sum_i^N` has N terms
        extent = _rounded_down(high)
        ranges = {n: Range(r.name, r.span, extent=extent) for n, r in ranges.items()}
    if not ranges:
        raise SyntaxError(
            span,
            "these limits name no index that is not bound already",
            fix=r"name the index, and the condition after `\mid`: `\sum_{k \mid k < i}`",
        )
    return tuple(ranges.values()), conjunction(conditions) if conditions else None


def _condition(item: Expression | Condition) -> Condition:
    if isinstance(item, Condition | Bracket):
        return truth(item)
    raise SyntaxError(
        item.span,
        f"`{item.span.text}` among the limits is neither an index nor a condition",
        fix=r"write `\sum_{k=0}^{4}`, `\sum_{k}` or `\sum_{k \mid k < i}`",
    )


def _interval(name: Name, chain: Comparison) -> Range:
    first, _, last = chain.operands
    below, above = chain.relations
    if below in (">", ">="):
        first, last, below, above = last, first, above, below
    low = _moved(first, "+") if below in ("<", ">") else first
    high = _moved(last, "-") if above in ("<", ">") else last
    return Range(name, chain.span, low=_rounded_up(low), high=high)


def _between(name: Name, chain: Comparison) -> Range:
    """The range of a name of a chain between its two ends."""
    ends = (chain.operands[0], name, chain.operands[-1])
    return _interval(
        name, replace(chain, operands=ends, relations=(chain.relations[0], chain.relations[-1]))
    )


def _moved(bound: Expression, sign: str) -> Expression:
    """The next integer inside an exclusive bound."""
    return Binary("+" if sign == "+" else "-", bound, Number("1", bound.span), bound.span)


def _rounded_up(low: Expression) -> Expression:
    r"""A low bound `\lceil a/c \rceil`, which is built as `-((-a) // c)`, as `(a + c - 1) // c`: a bound without a floor."""
    match low:
        case Unary(Binary("//", Unary(a), Number(c) as divisor)):
            more = Number(str(int(c) - 1), divisor.span)
            return Binary("//", Binary("+", a, more, a.span), divisor, low.span)
        case Application(Name("max"), parts):
            return Application(low.function, tuple(map(_rounded_up_part, parts)), low.span)
        case _:
            return low


def _rounded_down(high: Expression) -> Expression:
    """How many terms there are up to `N/2`: the integers that are no larger."""
    match high:
        case Binary("/", left, Number() as divisor):
            return Binary("//", left, divisor, high.span)
        case _:
            return high


def _rounded_up_part(part: Expression | Condition) -> Expression | Condition:
    return part if isinstance(part, Condition) else _rounded_up(part)
