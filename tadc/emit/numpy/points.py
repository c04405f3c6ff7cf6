"""Statements that read through data as numpy: their points are rows of a table, a column for each index.

A table begins with the elements of the target. A loop of a reduction makes another one: a row of the table around it
becomes as many rows as the loop has values there, and `rows` says from which row each of them comes. A test leaves some
rows. So every value is computed for the points that there are and no others, and the terms of a row are neighbours.

Indices of the target that no data and no bounds depend on are axes behind the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tadc.emit.numpy.extents import largest
from tadc.emit.numpy.reads import Risk, unsafe_dimensions
from tadc.emit.numpy.scope import INDENT, Axis, Frame, Scope, factor
from tadc.emit.numpy.spelling import Text, atom
from tadc.emit.numpy.values import Values, Walk
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.bounds import bounded
from tadc.ir.domain import Condition, Derived, Determined, Looked
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.range import Bound
from tadc.ir.walk import descend, postorder

__all__ = ["follows_data", "point_lines"]


def follows_data(statement: Statement) -> bool:
    """Whether an index of the statement is an element of a tensor."""
    made = list(statement.derived)
    for e in postorder(statement.body):
        made += e.derived if isinstance(e, Reduce) else ()
    return any(isinstance(d, Looked) for d in made)


def point_lines(
    statement: Statement,
    program: Program,
    names: Mapping[str, str],
    dtypes: Mapping[str, str],
    taken: Names,
) -> list[str]:
    """The lines that compute the statement's target. `names` has tensors and sizes; `taken` is every name in use."""
    return _StatementText.of(statement, Frame.of(statement, program, names, dtypes, taken)).lines()


@dataclass(slots=True)
class _StatementText:
    statement: Statement
    frame: Frame
    rows: int  # the first so many indices are columns, the others axes
    outputs: Scope

    @classmethod
    def of(cls, s: Statement, frame: Frame) -> _StatementText:
        needed = _needed_for_points(s)
        rows = len(s.indices)
        while rows and s.indices[rows - 1] not in needed:
            rows -= 1
        outputs = Scope(frame.outside, {}, {d.name: d for d in s.derived})
        for position, (i, n) in enumerate(
            zip(s.indices[rows:], s.target.shape[rows:], strict=True)
        ):
            outputs.axes[i] = Axis(i, position + 1, constant(0), n, constant(0), n - 1)
        return cls(s, frame, rows, outputs)

    def lines(self) -> list[str]:
        s, frame, outputs = self.statement, self.frame, self.outputs
        extents = [frame.text(n) for n in s.target.shape]
        target, dense = frame.names[s.target.name], extents[self.rows :]
        first, stop = (frame.taken.fresh(hint) for hint in ("first", "stop"))
        axes = len(dense)
        shape = f"({', '.join(extents)}{',' if len(extents) == 1 else ''})"
        others = largest(frame, (), [tuple(s.target.shape[self.rows :])])
        values = _PointValues(frame, s.body, outputs, f"({stop} - {first})", others)
        lines = self._columns(f"np.arange({first}, {stop}){_column(axes)}", values)
        value = descend(values.value(s.body, outputs, frozenset()))
        count = largest(frame, (), [tuple(s.target.shape[: self.rows])])
        flat = f"{target}.reshape({', '.join([count, *dense])})"
        return [
            f"{target} = np.empty({shape}, np.{frame.dtypes[s.target.name]})",
            *frame.outside.lines,
            f"for {first}, {stop} in blocks(0, {count}, {others}):",
            *(INDENT + line for line in (*lines, *outputs.lines)),
            f"{INDENT}{flat}[{first}:{stop}] = {value.text}",
        ]

    def _columns(self, numbers: str, values: _PointValues) -> list[str]:
        """The columns of the rows' indices, from the rows' numbers."""
        indices = self.statement.indices[: self.rows]
        values.columns.update(indices)
        self.outputs.arrays |= {i: self.frame.taken.fresh(i) for i in indices}
        names = [self.outputs.arrays[i] for i in indices]
        if len(names) < 2:
            return [f"{name} = {numbers}" for name in names]
        extents = map(self.frame.text, self.statement.target.shape[: self.rows])
        columns = f"np.unravel_index({numbers}, ({', '.join(extents)}))"
        return [f"{', '.join(names)} = {columns}"]


def _needed_for_points(s: Statement) -> set[Symbol]:
    """The indices that data, quotients or bounds of reductions depend on."""
    made = list(s.derived)
    needed: set[Symbol] = set()
    for e in postorder(s.body):
        if isinstance(e, Reduce):
            made += e.derived
            needed |= {t for c in e.domain for t in c.form.symbols}
    return needed.union(*(d.symbols for d in made))


def _column(axes: int) -> str:
    """What makes a column of a vector, in front of so many axes."""
    return f".reshape(-1{', 1' * axes})" if axes else ""


@dataclass(slots=True, eq=False)
class _Table:
    """Rows that come from those of the table around it: the name of the array that says from which.

    Or the `same` rows; then it is only the name of a risk.
    """

    scope: Scope
    rows: str
    same: bool
    columns: dict[Symbol, str] = field(default_factory=dict)  # those of tables around it, here
    values: dict[Expr, Text] = field(default_factory=dict)


class _PointValues(Values):
    """`columns` are the symbols that have a value for each row. Behind the rows are `axes`, with so many elements as `others` says."""

    def __init__(self, frame: Frame, root: Expr, outputs: Scope, count: str, others: str) -> None:
        super().__init__(frame, root, 0)
        self.axes = len(outputs.axes)
        self.levels = 1 + self.axes
        self.others = others
        self.counts = {outputs: count}  # of the rows of a table
        self.tables: dict[Scope, _Table] = {}
        self.columns: set[Symbol] = set(outputs.derived)

    # ------------------------------------------------------------------ columns

    def index(self, s: Symbol, scope: Scope) -> str:
        """The name of an index's column, or of an axis's values, or of a scalar."""
        home = scope.home(frozenset((s,)))
        if s not in self.columns:
            return super().index(s, scope)
        if home is not scope:
            table = self.tables[scope]
            if s not in table.columns:
                assert scope.outer is not None
                around = self.index(s, scope.outer)
                if table.same:
                    return around
                table.columns[s] = self.frame.taken.fresh(s)
                scope.lines.append(f"{table.columns[s]} = {around}[{table.rows}]")
            return table.columns[s]
        if s not in home.arrays:
            name = self.frame.taken.fresh(s)
            text = self._determined(home.derived[s], home)
            home.lines.append(f"{name} = {text}")
            home.arrays[s] = name
        return home.arrays[s]

    def _determined(self, d: Determined, scope: Scope) -> str:
        """The values of a derived or data index, a row for each of the table's: one of no columns is repeated."""
        match d:
            case Derived(_, form, modulus):
                text = f"{factor(form, self.form(form, scope))} // {modulus}"
            case Looked(_, tensor, subscripts):
                name = self.frame.names[tensor]
                at = ", ".join(self.form(form, scope) for form in subscripts)
                loaded = d.inside or not subscripts
                text = f"{name}[{at or '()'}]" if loaded else f"at({name}, {at})"
        if self.columns.isdisjoint(d.symbols):
            return f"np.full({self.counts[scope]}, {text}){_column(self.axes)}"
        return text

    # ------------------------------------------------------------------ values

    def value(self, e: Expr, scope: Scope, risk: Risk) -> Walk:
        """The value for the rows of the scope's table: computed in the outermost one that has its symbols."""
        home = scope.place(e.symbols)
        text: Text = yield super().value(e, scope, risk)
        if home is scope or self.columns.isdisjoint(e.symbols):
            return text
        return self._carried(e, text, scope, home)

    def _carried(self, e: Expr, text: Text, scope: Scope, home: Scope) -> Text:
        """The value of a table further out for the rows of this one."""
        if scope is home:
            return text if text.text.isidentifier() else self._let(e, text, home)
        table = self.tables[scope]
        if e not in table.values:
            assert scope.outer is not None
            around = self._carried(e, text, scope.outer, home)
            if table.same:
                return around
            name = self.frame.taken.fresh("t")
            scope.lines.append(f"{name} = {around.text}[{table.rows}]")
            table.values[e] = atom(name)
        return table.values[e]

    def _read(self, e: Read, scope: Scope, risk: Risk) -> Text:
        # Of a table's own rows every one is a point: a risk is that of tables inside, in whose rows it might not occur.
        own = {self.tables[s].rows for s in scope.chain if s in self.tables}
        return self._whole_rows(e, scope, risk - own) or super()._read(e, scope, risk - own)

    def _whole_rows(self, e: Read, scope: Scope, risk: Risk) -> Text | None:
        """The read as rows of the tensor, where all axes are its last dimensions: much faster than element by element."""
        axes = [a for s in scope.chain for a in s.axes.values()]
        first = len(e.subscripts) - len(axes)
        if not axes or first < 1 or unsafe_dimensions(e, scope, self.frame, risk):
            return None
        rows, last = e.subscripts[:first], e.subscripts[first:]
        extents = self.frame.tensors[e.tensor].shape[first:]
        whole = all(
            form == symbol(a.index) and a.stop == n
            for form, a, n in zip(last, axes, extents, strict=True)
        )
        numbers = {t for form in rows for t in form.symbols}
        if not whole or self.columns.isdisjoint(numbers) or any(a.index in numbers for a in axes):
            return None
        vector = f"[:{', 0' * len(axes)}]"
        names = {t: self.index(t, scope) + vector * (t in self.columns) for t in numbers}
        text = f"{self.frame.names[e.tensor]}[{', '.join(form.text(names) for form in rows)}]"
        return self._typed(text, e)

    def _index_value(self, form: Affine, scope: Scope) -> Text:
        if self.columns.isdisjoint(form.symbols):
            return super()._index_value(form, scope)
        return atom(f"{factor(form, self.form(form, scope))}.astype({self.frame.real})")

    def reduced(self, e: Reduce, outer: Scope, risk: Risk) -> Walk:
        """The name of the reduction's value, a row for each of the table around it."""
        frame, bounds = self.frame, bounded(e)
        follows = not self.columns.isdisjoint(e.symbols)
        count = self.counts[outer] if follows and outer in self.counts else "1"
        name = frame.taken.fresh("s" if e.op == "sum" else e.op)
        begin = f'{name} = OfRows("{e.op}", {count}, {self.axes}, {frame.real})'
        # What is known before the first loop stands in a table of its own.
        scope = self._table(outer, {d.name: d for d in bounds.derived}, count, same=True)
        first = scope
        headers: list[tuple[Scope, str]] = []
        scope = self._tested(scope, bounds.tests, headers)
        for b in bounds.each:
            index = b.range.index
            low = self._extreme("np.maximum", b.range.lows, scope, up=True)
            high = self._extreme("np.minimum", b.range.highs, scope, up=False)
            inner = self._table(scope, {d.name: d for d in b.derived})
            own_rows, column = self.tables[inner].rows, frame.taken.fresh(index)
            self.columns.add(index)
            inner.arrays[index] = column
            some = f"points({low}, {high}, {self.counts[scope]}, {self.axes}, {self.others})"
            headers.append((inner, f"for {own_rows}, {column} in {some}:"))
            scope = self._tested(inner, b.tests, headers)
        rows = [self.tables[table].rows for table, _ in headers]
        within = risk | {self.tables[first].rows, *rows}
        body = yield self.value(e.body, scope, within)
        own = (
            rows[0] + "".join(f"[{inner}]" for inner in rows[1:]) if rows else f"np.arange({count})"
        )
        lines = [f"{name}.add({own}, {body.text})"]
        for table, header in reversed(headers):
            lines = [*table.lines, *lines]
            lines = [INDENT + line for line in lines] if header.endswith(":") else lines
            lines = [header, *lines]
        outer.lines += [begin, *first.lines, *lines, f"{name} = {name}.end()"]
        return atom(name)

    def _table(
        self,
        outer: Scope,
        derived: Mapping[Symbol, Determined],
        count: str = "",
        *,
        same: bool = False,
        filters: bool = False,
    ) -> Scope:
        """A table inside; of its own rows unless a `count` is given."""
        scope = Scope(outer, {}, derived, filters=filters)
        rows = self.frame.taken.fresh("rows")
        count = count or f"len({rows})"
        self.tables[scope] = _Table(scope, rows, same)
        self.counts[scope] = count
        self.columns |= set(derived)
        return scope

    def _tested(
        self, scope: Scope, tests: Sequence[Condition], headers: list[tuple[Scope, str]]
    ) -> Scope:
        """The table of the rows that meet the tests."""
        if not tests:
            return scope
        inner = self._table(scope, {}, filters=True)
        rows = self.tables[inner].rows
        held = self.conditions(tests, scope)
        headers.append((inner, f"{rows} = held({held}, {self.counts[scope]})"))
        return inner

    def _extreme(self, function: str, bounds: Sequence[Bound], scope: Scope, *, up: bool) -> str:
        texts = []
        for form, divisor in bounds:
            form = form + (divisor - 1 if up else 0)
            text = self.form(form, scope)
            texts.append(text if divisor == 1 else f"{factor(form, text)} // {divisor}")
        result = texts[0]
        for text in texts[1:]:
            result = f"{function}({result}, {text})"
        return result
