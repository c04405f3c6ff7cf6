"""The steps of a program: its finest lumps, the smallest sets of statements between two cuts of the width of the state.

A cut is a set of values closed under operands; its width is the number of elements that later statements or outputs still
need. The width is a directed hyperedge cut, hence submodular: the sets of the least width are closed under union and
intersection, and all their maximal chains have the same differences. So one maximum flow finds the lumps: they are the
strongly connected components of its residual graph (Picard and Queyranne 1980).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from tadc.ir.program import Program

__all__ = ["Lump", "Narrow", "active_values", "lumps"]


@dataclass(frozen=True, slots=True)
class Lump:
    """One step: `statements` by their targets, in order. The values `before` are replaced by those `after`.

    `kept` are the active values that it reads and that live on. `before` and `after` have equally many elements in all.
    """

    statements: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Narrow:
    """A cut that is too narrow: after the statement of `value` (None: of the inputs) only `width` numbers are live."""

    value: str | None
    width: int


def active_values(program: Program, wrt: Iterable[str], of: Iterable[str]) -> tuple[str, ...]:
    """The inputs of `wrt`, and the targets that depend on one of them and that something of `of` depends on, in order."""
    dependent = set(wrt)
    for s in program.statements:
        if not dependent.isdisjoint(s.reads):
            dependent.add(s.target.name)
    needed = set(of)
    for s in reversed(program.statements):
        if s.target.name in needed:
            needed |= s.reads
    targets = (s.target.name for s in program.statements)
    return (*wrt, *(t for t in targets if t in dependent and t in needed))


def lumps(
    program: Program, wrt: Sequence[str], of: Sequence[str], elements: Mapping[str, int]
) -> tuple[Lump, ...] | Narrow:
    """The finest lumps in an order in which they can run, or a cut whose width is below the number of elements of `wrt`.

    `elements` are the numbers of elements of all tensors; those of `wrt` and of `of` have the same sum.
    """
    active = active_values(program, wrt, of)
    reads = {s.target.name: s.reads for s in program.statements}
    operands = {v: tuple(x for x in active if x in reads[v]) for v in active if v not in wrt}
    size = sum(elements[x] for x in wrt)
    flow = _Flow(active, wrt, of, operands, elements)
    width = flow.maximum()
    if width < size:
        reached = flow.reached()
        inside = [v for v in active if v in reached and v not in wrt]
        return Narrow(inside[-1] if inside else None, width)
    groups = flow.components([v for v in active if v not in wrt])
    return tuple(_with_values(groups, wrt, of, operands))


def _with_values(
    groups: Sequence[Sequence[str]],
    wrt: Sequence[str],
    of: Sequence[str],
    operands: Mapping[str, Sequence[str]],
) -> Iterable[Lump]:
    """The lumps of these groups of values, which are in an order in which they can run."""
    computed = set(wrt)
    for k, group in enumerate(groups):
        live = [v for v in (*wrt, *operands) if v in computed]
        computed.update(group)
        later = {x for g in groups[k + 1 :] for v in g for x in operands[v]} | set(of)
        read = dict.fromkeys(x for v in group for x in operands[v] if x not in group)
        dies = [x for x in live if x in read and x not in later]
        yield Lump(
            tuple(group),
            tuple(sorted(dies, key=list(read).index)),
            tuple(v for v in group if v in later),
            tuple(x for x in read if x not in dies),
        )


class _Flow:
    """The network of the cuts: `v -> h_v` with the size of `v`; `h_v -> u` for each consumer `u` of `v`, `u -> v` for each
    operand, source to inputs and `h_out` to sink without bound.
    """

    def __init__(
        self,
        active: Sequence[str],
        wrt: Sequence[str],
        of: Sequence[str],
        operands: Mapping[str, Sequence[str]],
        elements: Mapping[str, int],
    ) -> None:
        unbounded = sum(elements[v] for v in active) + 1
        self._nodes = {v: 2 * k for k, v in enumerate(active)}
        self._source, self._sink = 2 * len(active), 2 * len(active) + 1
        self._edges: list[list[int]] = [[] for _ in range(2 * len(active) + 2)]
        self._to: list[int] = []
        self._left: list[int] = []
        for v, node in self._nodes.items():
            self._arc(node, node + 1, elements[v])
            for x in operands.get(v, ()):
                self._arc(node, self._nodes[x], unbounded)
                self._arc(self._nodes[x] + 1, node, unbounded)
        for x in wrt:
            self._arc(self._source, self._nodes[x], unbounded)
        for y in of:
            if y in self._nodes:
                self._arc(self._nodes[y] + 1, self._sink, unbounded)

    def _arc(self, a: int, b: int, capacity: int) -> None:
        for begin, end, left in ((a, b, capacity), (b, a, 0)):
            self._edges[begin].append(len(self._to))
            self._to.append(end)
            self._left.append(left)

    def maximum(self) -> int:
        """The maximum flow, by shortest augmenting paths (Edmonds and Karp 1972)."""
        total = 0
        while True:
            came = self._search()
            if self._sink not in came:
                return total
            path = []
            node = self._sink
            while node != self._source:
                path.append(came[node])
                node = self._to[came[node] ^ 1]
            pushed = min(self._left[e] for e in path)
            for e in path:
                self._left[e] -= pushed
                self._left[e ^ 1] += pushed
            total += pushed

    def _search(self) -> dict[int, int]:
        """The arc by which each node is reached from the source."""
        came = {self._source: -1}
        waiting = deque([self._source])
        while waiting and self._sink not in came:
            node = waiting.popleft()
            for e in self._edges[node]:
                if self._left[e] and self._to[e] not in came:
                    came[self._to[e]] = e
                    waiting.append(self._to[e])
        return came

    def reached(self) -> frozenset[str]:
        """The values on the source's side of the least cut that is smallest."""
        came = self._search()
        return frozenset(v for v, node in self._nodes.items() if node in came)

    def components(self, values: Sequence[str]) -> list[list[str]]:
        """The values, grouped by the strongly connected components of the residual graph, each in their order.

        The groups are in an order in which all cuts between them are least ones: an arc leads to what comes before. Of
        those that can be next the one comes first that stands first among the values.
        """
        component = self._components()
        groups: dict[int, list[str]] = {c: [] for c in component}
        for v in values:
            groups[component[self._nodes[v]]].append(v)
        before: dict[int, set[int]] = {c: set() for c in groups}
        for node, edges in enumerate(self._edges):
            for e in edges:
                if self._left[e] and component[self._to[e]] != component[node]:
                    before[component[node]].add(component[self._to[e]])
        after: dict[int, list[int]] = {c: [] for c in groups}
        for c, those in before.items():
            for b in sorted(those):
                after[b].append(c)
        place = {v: k for k, v in enumerate(values)}
        rank = {c: place[group[0]] if group else -1 for c, group in groups.items()}
        ready = [(rank[c], c) for c in groups if not before[c]]
        heapify(ready)
        ordered = []
        while ready:
            _, c = heappop(ready)
            if groups[c]:
                ordered.append(groups[c])
            for a in after[c]:
                before[a].discard(c)
                if not before[a]:
                    heappush(ready, (rank[a], a))
        return ordered

    def _components(self) -> list[int]:
        """The component of each node, by two searches (Kosaraju and Sharir 1981)."""
        count = len(self._edges)
        forward = [[self._to[e] for e in edges if self._left[e]] for edges in self._edges]
        backward = [[self._to[e] for e in edges if self._left[e ^ 1]] for edges in self._edges]
        order: list[int] = []
        seen = [False] * count
        for root in range(count):
            if not seen[root]:
                seen[root] = True
                stack = [(root, iter(forward[root]))]
                while stack:
                    node, rest = stack[-1]
                    following = next((n for n in rest if not seen[n]), None)
                    if following is None:
                        order.append(node)
                        stack.pop()
                    else:
                        seen[following] = True
                        stack.append((following, iter(forward[following])))
        component = [-1] * count
        for root in reversed(order):
            waiting = [root] if component[root] < 0 else []
            while waiting:
                node = waiting.pop()
                if component[node] < 0:
                    component[node] = root
                    waiting += backward[node]
        return component
