"""Programs that work in place, by versions: an update defines a new tensor, a loop is its rounds one after the other.

    x[i | c] <- e          x_1[i: N] = if c then e else x[i]
    x[t] <- e              x_1[k: N] = if k = t then e else x[k]

Every read after it is of the new version. What comes of it is a program of single assignments, and nothing later knows of
states: their values before are inputs, their last versions are outputs, called `x_` for a state `x`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tadc.errors import Error, RangeError, ShapeError, SyntaxError, counted, merged
from tadc.inplace.rounds import Numbers
from tadc.inplace.trees import Renaming, number
from tadc.ir.names import Names
from tadc.syntax import ast
from tadc.syntax.arithmetic import arithmetic
from tadc.syntax.base import declared_base

__all__ = ["MOST_VERSIONS", "TooManyVersions", "works_in_place", "written_out"]

MOST_VERSIONS = 256  # of a program that is compiled as one


class TooManyVersions(SyntaxError):
    """A program is too long to be written out. It is run by rounds."""


def works_in_place(tree: ast.Program) -> bool:
    """Whether the text has states, updates, steps or loops."""
    return any(_is_in_place(item) for item in tree.items)


def _is_in_place(item: ast.Item) -> bool:
    match item:
        case ast.Update() | ast.Block() | ast.Loop():
            return True
        case ast.TensorDeclaration(kind="state"):
            return True
        case _:
            return False


def written_out(
    tree: ast.Program,
    given: Mapping[str, int],
    index_base: int,
    most_rounds: int | None = None,
) -> ast.Program:
    """The same program without states, updates, steps and loops; with `most_rounds` of each loop no more than its first rounds.

    Raises SyntaxError, ShapeError and RangeError for what is wrong in them; SyntaxError with `.sizes` where rounds of a
    loop depend on a size without a number.
    """
    if not works_in_place(tree):
        return tree
    versions = _Versions.of(tree, given, index_base)
    versions.most_rounds = most_rounds
    return versions.program(tree)


@dataclass(slots=True)
class _Update:
    """One update, its left indices named: `target[indices | conditions] <- body`, all reads renamed."""

    item: ast.Update
    indices: tuple[ast.Name, ...]
    conditions: tuple[ast.Condition, ...]
    body: ast.Expression


@dataclass(slots=True)
class _Versions:
    numbers: Numbers
    names: Names
    states: Mapping[str, ast.TensorDeclaration]
    inputs: frozenset[str]
    current: dict[str, str]  # the version of each state, and what local definitions are called
    values: dict[str, ast.Expression] = field(default_factory=dict)  # of the indices of loops
    local: set[str] = field(default_factory=set)  # names that were defined in braces
    defined: dict[str, ast.Definition] = field(default_factory=dict)  # on the top level
    read: set[str] = field(default_factory=set)
    versions: dict[str, str] = field(default_factory=dict)  # their states
    place: tuple[int, ...] = ()  # of the rounds of loops around, outermost first
    rounds: dict[str, tuple[int, ...]] = field(
        default_factory=dict
    )  # such places, by what is defined there
    most_rounds: int | None = None  # of each loop
    items: list[ast.Item] = field(default_factory=list)
    errors: list[Error] = field(default_factory=list)

    @classmethod
    def of(cls, tree: ast.Program, given: Mapping[str, int], index_base: int) -> _Versions:
        declared = [i for i in tree.items if isinstance(i, ast.TensorDeclaration)]
        base = declared_base(tree.items)
        states: dict[str, ast.TensorDeclaration] = {}
        for item in declared:
            if item.kind == "state":
                if item.name.name in states:
                    raise SyntaxError(
                        item.span,
                        f"the state `{item.name.name}` is declared twice",
                        fix="remove one declaration",
                    )
                if item.extents is None:  # `state h` is a scalar
                    item = replace(item, extents=())
                states[item.name.name] = item
        words = re.findall(r"\w+", tree.items[0].span.source.text)
        return cls(
            Numbers(tree, given, index_base if base is None else base),
            Names((*words, *given)),
            states,
            frozenset(i.name.name for i in declared if i.kind == "input"),
            {x: x for x in states},
        )

    def program(self, tree: ast.Program) -> ast.Program:
        outputs: list[ast.OutputDeclaration] = []
        for item in tree.items:
            match item:
                case ast.TensorDeclaration(kind="state"):
                    self.items.append(replace(self.states[item.name.name], kind="input"))
                case ast.OutputDeclaration():
                    outputs.append(item)
                case ast.Definition() | ast.Update() | ast.Block() | ast.Loop():
                    self.run(item)
                case _:
                    self.items.append(item)
        if self.errors:
            raise merged(e for error in self.errors for e in error.errors)
        self._keep_unchanged()
        named = self._outputs(outputs)
        declaration = ast.OutputDeclaration(tuple(named), tree.items[0].span)
        return self._finished(replace(tree, items=(*self.items, declaration)))

    # ------------------------------------------------------------------ items

    def run(self, item: ast.Item) -> None:
        """Add what comes of one item on the top level. Its errors are noted, those of missing sizes raised."""
        try:
            self._run(item, inside=False)
        except Error as error:
            if error.sizes or isinstance(error, TooManyVersions):
                raise
            self.errors.append(error)

    def _run(self, item: ast.Item, *, inside: bool) -> None:
        match item:
            case ast.Definition():
                self._define(item, inside=inside)
            case ast.Update():
                self._step((item,))
            case ast.Block(items):
                with_locals = dict(self.current)
                self._step(items)
                self._forget(with_locals)
            case ast.Loop():
                self._loop(item)
            case _:
                raise AssertionError(f"no statement: {item}")

    def _loop(self, loop: ast.Loop) -> None:
        index = loop.index.name if loop.index else None
        if index is not None:
            self._check_index(loop)
        around = self.place
        for k, value in enumerate(self.numbers.rounds(loop)[: self.most_rounds]):
            before, first = dict(self.current), len(self.items)
            self.place = (*around, k)
            if index is not None:
                assert loop.index is not None
                self.numbers.enter(index, value)
                self.values[index] = number(value, loop.index)
            for item in loop.items:
                self._run(item, inside=True)
            self._forget(before)
            for made in self.items[first:]:
                if isinstance(made, ast.Definition):
                    self.rounds.setdefault(made.target.name, self.place)
            if len(self.items) > MOST_VERSIONS:
                raise TooManyVersions(
                    loop.span,
                    f"written out, the loops have more than {MOST_VERSIONS} updates",
                    fix="run fewer rounds in a call, and call the program again with its result",
                )
        self.place = around
        if index is not None:
            self.numbers.leave(index)
            self.values.pop(index, None)

    def _check_index(self, loop: ast.Loop) -> None:
        assert loop.index is not None
        name = loop.index.name
        if self.numbers.is_fixed(name) or name in self.states:
            what = "a state" if name in self.states else "a size, or the index of a loop around"
            raise SyntaxError(
                loop.index.span, f"`{name}` is {what}", fix="give the index another name"
            )

    def _forget(self, before: Mapping[str, str]) -> None:
        """Leave braces: their definitions are gone, updates of states stay."""
        self.current = {n: v for n, v in self.current.items() if n in before}

    # ------------------------------------------------------------------ definitions

    def _define(self, item: ast.Definition, *, inside: bool) -> None:
        name = item.target.name
        if name in self.states:
            raise SyntaxError(
                item.target.span,
                f"`{name}` is a state, and `=` defines a new tensor",
                fix=f"write the update, `{item.span.text.split('=')[0].strip()} <- ...`",
            )
        renaming = self._renaming()
        bound = frozenset(left.name.name for left in item.lefts)
        body = renaming.of(item.body, bound)
        lefts = tuple(
            replace(r, extent=None if r.extent is None else renaming.of(r.extent, frozenset()))
            for r in item.lefts
        )
        target = item.target
        if inside:
            if name in self.current or name in self.defined:
                raise SyntaxError(
                    target.span,
                    f"`{name}` is defined already, outside these braces or in them",
                    fix="give this one another name",
                )
            self.local.add(name)
            self.current[name] = self.names.fresh(name)
            target = ast.Name(self.current[name], target.span)
        else:
            self.defined.setdefault(name, item)
        self.items.append(replace(item, target=target, lefts=lefts, body=body))

    # ------------------------------------------------------------------ updates

    def _step(self, items: Sequence[ast.Item]) -> None:
        """The updates of a block, all of the values before it."""
        updates: dict[str, list[_Update]] = {}
        for item in items:
            if isinstance(item, ast.Definition):
                self._define(item, inside=True)
            else:
                assert isinstance(item, ast.Update)
                self._check_target(item)
                updates.setdefault(item.target.name, []).append(self._read(item))
        after = {}
        for name, those in updates.items():
            after[name] = self.names.fresh(name)
            self.versions[after[name]] = name
            self.items.append(self._version(name, after[name], those))
        self.current |= after

    def _check_target(self, item: ast.Update) -> None:
        name = item.target.name
        if name not in self.states:
            what = "an input" if name in self.inputs else "no state"
            raise SyntaxError(
                item.target.span,
                f"`{name}` is {what}, and `<-` updates states",
                fix=f"declare it, `state {name}[..]`, or define a new tensor with `=`",
            )
        extents = self.states[name].extents or ()
        if len(item.lefts) != len(extents):
            raise ShapeError(
                item.span,
                f"the state `{name}` has {counted(len(extents), 'dimension')}, and {counted(len(item.lefts), 'subscript')} here",
                fix="write one subscript for each dimension",
            )

    def _read(self, item: ast.Update) -> _Update:
        """The update with its left indices named, the elements that it fixes as conditions, and its reads renamed."""
        indices: list[ast.Name] = []
        fixed: list[tuple[ast.Name, ast.Expression]] = []
        for left, extent in zip(
            item.lefts, self.states[item.target.name].extents or (), strict=True
        ):
            name = self._bare(left, indices)
            if name is None:
                expression = left.name if isinstance(left, ast.Range) else left
                name = ast.Name(self.names.fresh("k"), expression.span)
                self.numbers.inside(expression, extent, item.target.name)
                fixed.append((name, expression))
            indices.append(name)
        bound = frozenset(n.name for n in indices)
        renaming = self._renaming()
        if any(self.numbers.missing(e) for _, e in fixed):
            self._check_inside(item, indices, {n.name: e for n, e in fixed}, renaming)
        conditions: list[ast.Condition] = [
            ast.Comparison((name, renaming.of(e, frozenset())), ("==",), e.span)
            for name, e in fixed
        ]
        if item.condition is not None:
            _check_affine(item.condition)
            conditions.append(renaming.of(item.condition, bound))
        return _Update(item, tuple(indices), tuple(conditions), renaming.of(item.body, bound))

    def _check_inside(
        self,
        item: ast.Update,
        indices: Sequence[ast.Name],
        fixed: Mapping[str, ast.Expression],
        renaming: Renaming,
    ) -> None:
        """Check the elements that the update fixes, as a read of them: it is proved or checked like every other."""
        extents = self.states[item.target.name].extents or ()
        subscripts = tuple(
            renaming.of(fixed[n.name], frozenset()) if n.name in fixed else n for n in indices
        )
        lefts = tuple(
            ast.Range(n, n.span, extent=e)
            for n, e in zip(indices, extents, strict=True)
            if n.name not in fixed
        )
        place = item.target.span.to(item.lefts[-1].span)
        old = ast.Name(self.current[item.target.name], item.target.span)
        target = ast.Name(self.names.fresh(f"{item.target.name}_there"), item.target.span)
        body = ast.Element(old, subscripts, place)
        self.items.append(ast.Definition(target, lefts, None, None, body, item.span))

    def _bare(
        self, left: ast.Range | ast.Expression, before: Iterable[ast.Name]
    ) -> ast.Name | None:
        """The index of a left that is a bare one; None for one that is fixed."""
        if isinstance(left, ast.Range):
            if left.extent is not None:
                raise SyntaxError(
                    left.span,
                    "an index on the left of `<-` runs over the whole dimension",
                    fix=f"write `{left.name.name}`, and restrict it by a condition: `x[i | i < n]`",
                )
            if self.numbers.is_fixed(left.name.name):
                return None
            if any(left.name.name == n.name for n in before):
                raise SyntaxError(
                    left.span,
                    f"the index `{left.name.name}` stands twice on the left",
                    fix="write another index, and a condition: `x[i, j | i = j] <- ..`",
                )
            return left.name
        for name in (n for n in arithmetic(left) if isinstance(n, ast.Name)):
            if not self.numbers.is_fixed(name.name):
                raise SyntaxError(
                    left.span,
                    f"`{left.span.text}` is no bare index, and `{name.name}` is no index of a loop",
                    fix="write a bare index, and a condition: `x[i | i % 2 = 0] <- ..`",
                )
        return None

    def _version(self, name: str, new: str, updates: Sequence[_Update]) -> ast.Definition:
        """The statement of a new version: the updates where their conditions hold, and the old value elsewhere."""
        state = self.states[name]
        first = updates[0]
        span = first.item.span
        old = ast.Name(self.current[name], first.item.target.span)
        body: ast.Expression = ast.Element(old, first.indices, first.item.target.span)
        for k, update in reversed(list(enumerate(updates))):
            renamed = {
                n.name: i for n, i in zip(update.indices, first.indices, strict=True) if n is not i
            }
            as_first = Renaming(lambda n: n.name, renamed)
            written = as_first.of(update.body, frozenset()) if renamed else update.body
            conditions = [as_first.of(c, frozenset()) for c in update.conditions]
            for other in updates[:k]:
                self._check_apart(name, other, update)
            if not conditions:
                body = written
                continue
            test = conditions[0]
            for c in conditions[1:]:
                test = ast.Logical("and", test, c, span)
            body = ast.Choice(test, written, body, span)
        lefts = tuple(
            ast.Range(i, i.span, extent=e)
            for i, e in zip(first.indices, state.extents or (), strict=True)
        )
        return ast.Definition(
            ast.Name(new, first.item.target.span), lefts, state.dtype, None, body, span
        )

    def _check_apart(self, name: str, one: _Update, other: _Update) -> None:
        """Check that two updates of a tensor in one block have no element in common.

        Where both conditions hold stands a read beyond the end: that no such read is reached is proved or checked as for
        every other, and `ReadCheck` knows an update by its text.
        """
        both = (*one.conditions, *other.conditions)
        extents = self.states[name].extents or ()
        if not one.conditions or not other.conditions or not extents:
            raise RangeError(
                other.item.span,
                f"`{name}` is updated twice in one step, first in line {one.item.span.line}",
                fix="give each update a condition, or take one of them out of the step",
            )
        span = other.item.span
        renamed = dict(zip((n.name for n in one.indices), other.indices, strict=True))
        as_other = Renaming(lambda n: n.name, renamed)
        test = as_other.of(both[0], frozenset())
        for c in both[1:]:
            test = ast.Logical("and", test, as_other.of(c, frozenset()), span)
        first, *rest = other.indices
        beyond = ast.Binary("+", first, extents[0], span)
        old = ast.Name(self.current[name], other.item.target.span)
        lefts = tuple(
            ast.Range(i, i.span, extent=e) for i, e in zip(other.indices, extents, strict=True)
        )
        read = ast.Element(old, (beyond, *rest), span)
        body = ast.Choice(test, read, ast.Number("0", span), span)
        target = ast.Name(self.names.fresh(f"{name}_twice"), other.item.target.span)
        self.items.append(ast.Definition(target, lefts, None, None, body, span))

    def _keep_unchanged(self) -> None:
        """Give states that nothing updates, or a loop of no rounds, a version too: the outputs are the same for all rounds."""
        for name, state in self.states.items():
            if self.current[name] == name:
                span = state.name.span
                indices = tuple(ast.Name(self.names.fresh("i"), span) for _ in state.extents or ())
                self.current[name] = self.names.fresh(name)
                self.versions[self.current[name]] = name
                target = ast.Name(self.current[name], span)
                lefts = tuple(
                    ast.Range(i, i.span, extent=e)
                    for i, e in zip(indices, state.extents or (), strict=True)
                )
                body = ast.Element(ast.Name(name, span), indices, span)
                self.items.append(ast.Definition(target, lefts, state.dtype, None, body, span))

    # ------------------------------------------------------------------ names

    def _renaming(self) -> Renaming:
        return Renaming(self._named, dict(self.values))

    def _named(self, name: ast.Name) -> str:
        self.read.add(name.name)
        if name.name in self.current:
            return self.current[name.name]
        if name.name in self.local and name.name not in self.defined:
            raise SyntaxError(
                name.span,
                f"`{name.name}` is defined in braces, and is local to them",
                fix="define it here too, or make it a state",
            )
        return name.name

    def _outputs(self, declared: Sequence[ast.OutputDeclaration]) -> list[ast.Name]:
        """The outputs: those that are named, else the states, then definitions that nothing reads."""
        named = [n for d in declared for n in d.names]
        if not named:
            named = [s.name for s in self.states.values()]
            named += [d.target for n, d in self.defined.items() if n not in self.read]
        return [ast.Name(self.current.get(n.name, n.name), n.span) for n in named]

    def _finished(self, tree: ast.Program) -> ast.Program:
        """The tree with the last versions called `x_`."""
        last = {
            v: self.names.derivative(f"{x}_")
            for x, v in self.current.items()
            if x in self.states and v != x
        }
        renaming = Renaming(lambda n: last.get(n.name, n.name), {})

        def finished(item: ast.Item) -> ast.Item:
            match item:
                case ast.Definition():
                    bound = frozenset(left.name.name for left in item.lefts)
                    target = ast.Name(
                        last.get(item.target.name, item.target.name), item.target.span
                    )
                    return replace(item, target=target, body=renaming.of(item.body, bound))
                case ast.OutputDeclaration(names, span):
                    return ast.OutputDeclaration(
                        tuple(ast.Name(last.get(n.name, n.name), n.span) for n in names), span
                    )
                case _:
                    return item

        versions = [(last.get(v, v), x) for v, x in self.versions.items()]
        order = {x: k for k, x in enumerate(self.states)}
        final = sorted(
            (pair for pair in versions if pair[0] in last.values()), key=lambda pair: order[pair[1]]
        )
        inner = [pair for pair in versions if pair not in final]
        rounds = tuple((last.get(n, n), place) for n, place in self.rounds.items())
        items = tuple(map(finished, tree.items))
        return replace(tree, items=items, versions=(*inner, *final), rounds=rounds)


def _check_affine(condition: ast.Condition) -> None:
    """Check that no value stands in the condition of an update."""
    stack: list[object] = [condition]
    while stack:
        match node := stack.pop():
            case ast.Element() | ast.Reduction():
                raise SyntaxError(
                    node.span,
                    "the condition of an update is about indices, not about values",
                    fix="write `if` on the right side: `x[i] <- if c then .. else x[i]`",
                )
            case ast.Logical(_, left, right) | ast.Binary(_, left, right):
                stack += [right, left]
            case ast.Not(operand) | ast.Unary(operand) | ast.IsInteger(operand):
                stack.append(operand)
            case ast.Comparison(operands) | ast.Application(_, operands):
                stack += operands
            case _:
                pass
