"""Random programs, each made by the chances of its seed.

Whoever makes an expression carries the list of *points* (values of all indices) that reach it. What a reader could find
ambiguous is written explicitly: `misjudged` applies the rules for ranges to the finished program, and an index that
they miss gets its extent printed.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from random_programs.arithmetic import Arithmetic
from random_programs.choices import Choices
from random_programs.draft import LEVELS, Scope, TooLarge
from random_programs.expressions import Expr, tensors_read
from random_programs.indices import Index
from random_programs.program import SAMPLES, RandomProgram, Statement
from random_programs.ranges import indices_of, misjudged, spread_guards
from random_programs.reductions import Reductions
from random_programs.tensors import Dimension, Tensor


def random_program(seed: int, level: str = "core") -> RandomProgram:
    """The program of this seed, the same in every process. `level="full"` adds what is not affine, and more reductions."""
    assert level in LEVELS, f"no level {level}"
    for attempt in itertools.count():
        try:
            return Generator(random.Random(f"{level} {seed} {attempt}"), level).program(seed)
        except TooLarge:
            continue
    raise AssertionError("unreachable")


class Generator(Arithmetic, Reductions, Choices):
    """Makes one program."""

    def program(self, seed: int) -> RandomProgram:
        self.make_sizes()
        count = self.pick([(3, 1), (3, 2), (2, 3), (2, 4)])
        while len(self.statements) < count:
            self.make_statement()
        self.finish_inputs()
        for statement in self.statements:
            self.settle(statement)
        outputs, declaration = self.choose_outputs()
        self.note(f"{len(self.statements)} statements")
        if len(outputs) > 1:
            self.note("several outputs")
        text, inputs = self.text(seed, declaration)
        return RandomProgram(
            seed,
            self.level,
            text,
            {t.name: t.shape for t in inputs},
            {t.name: t.shape for t in outputs},
            {s.name: s.value for s in self.sizes if not s.definition},
            tuple(sorted(self.features)),
            self.smooth,
            self.operations,
            self.numbers,
            tuple(self.statements),
        )

    def make_statement(self) -> None:
        rank = self.pick([(1.5, 0), (4, 1), (4, 2), (1.5, 3)])
        names = self.rng.sample(("i", "j", "k", "l", "m", "n", "p", "q"), rank)
        if self.chance(0.5):
            names = ["i", "j", "k"][:rank]
        lefts = []
        for name in names:
            n, text = self.extent(most=(6, 6, 6, 4)[rank])
            lefts.append(Index(name, range(n), text, implicit=self.chance(0.75)))
        if any(not i.implicit for i in lefts):
            self.note("left side with extents")
        places = itertools.product(*(i.values for i in lefts))
        points = [{**self.numbers, **dict(zip(names, p, strict=True))} for p in places]
        self.uses, self.lefts = [], set(names)
        body = self.expression(Scope({i.name: i for i in lefts}, points), self.rng.randint(2, 4))
        if not self.uses and not (rank == 0 and self.chance(0.1)):
            raise TooLarge
        body = self.moderate(body, 20, len(points))
        target = Tensor(
            self.fresh_target(), [Dimension(len(i.values), i.text, True) for i in lefts], body.bound
        )
        folded = self.chance(0.04)
        self.statements.append(Statement(target, tuple(lefts), body, self.uses, folded))
        self.note(f"output of rank {rank}")

    def fresh_target(self) -> str:
        return ("f", "g", "h", "t", "e2", "r2", "F", "out")[len(self.statements)]

    def choose_outputs(self) -> tuple[list[Tensor], str]:
        """The outputs, and the declaration that names them, or nothing."""
        targets = [s.target for s in self.statements if not s.target.masked]
        if self.chance(0.3):
            self.note("output declaration")
            outputs = self.rng.sample(targets, self.rng.randint(1, len(targets)))
            if self.full and self.inputs and self.chance(0.1):
                self.note("an input is an output")
                outputs.append(self.rng.choice(self.inputs))
            if outputs and self.statements[-1].target not in outputs:
                self.note("statement without effect")
            return outputs, f"output {', '.join(t.name for t in outputs)}\n"
        read = {name for s in self.statements for name in tensors_read(s.body)}
        return [t for t in targets if t.name not in read], ""

    def text(self, seed: int, declaration: str) -> tuple[str, list[Tensor]]:
        """The program's text, and the inputs in the order of their declarations, then of first use."""
        body = "".join(f"{s.show()}\n" for s in self.statements)
        first_use = re.findall(r"[A-Za-z]\w*", body)
        declared = [t for t in self.inputs if t.declared]
        undeclared = sorted(
            (t for t in self.inputs if not t.declared), key=lambda t: first_use.index(t.name)
        )
        self.rng.shuffle(declared)
        lines = [f"# seed {seed}, {self.level}\n"]
        free = [s.name for s in self.sizes if not s.definition]
        lines += [f"size {', '.join(free)}\n"] if free else []
        lines += [f"size {s.name} = {s.definition}\n" for s in self.sizes if s.definition]
        for tensor in declared:
            extents = ", ".join(d.text for d in tensor.dimensions)
            lines.append(f"input {tensor.name}[{extents}]\n")
        return "".join(lines) + declaration + body, [*declared, *undeclared]

    # -- Shapes of inputs, ranges of indices

    def finish_inputs(self) -> None:
        undeclared = self.chance(0.2)
        for tensor in self.inputs:
            for dimension in tensor.dimensions:
                self.finish(dimension)
            tensor.declared = not (undeclared and self.chance(0.6))
        if any(not t.declared for t in self.inputs):
            self.note("undeclared input")
        if not self.inputs or self.chance(0.05):
            self.note("unused input")
            n, text = self.extent()
            self.inputs.append(Tensor("unused", [Dimension(n, text, True)], SAMPLES))
        found = self.sizes_of_shapes()
        for size in self.sizes:
            if size.definition or size.name in found:
                continue
            if self.chance(0.25):
                self.note("size by keyword only")
                continue
            self.note("unused input")
            name = f"only{size.name}"
            self.inputs.append(Tensor(name, [Dimension(size.value, size.name, True)], SAMPLES))

    def finish(self, dimension: Dimension) -> None:
        if dimension.fixed:
            return
        dimension.extent = max(1, dimension.extent)
        if self.chance(0.35):
            self.note("input longer than read")
            dimension.extent += self.rng.randint(1, 3)
        self.fix(dimension)

    def sizes_of_shapes(self) -> set[str]:
        """The symbolic sizes that declared shapes determine, one unknown at a time."""
        free = {s.name for s in self.sizes if not s.definition}
        parts = [
            set(re.findall(r"[A-Z]", d.text)) - {"L"}
            for t in self.inputs
            if t.declared
            for d in t.dimensions
            if "min(" not in d.text
        ]
        found: set[str] = set()
        while True:
            new = {name for p in parts if len(p - found) == 1 for name in p - found} & free
            if not new:
                return found
            found |= new

    def settle(self, statement: Statement) -> None:
        """Makes explicit every index that the rules for ranges do not find, or do not find the same for."""
        spread_guards(statement)
        while True:
            wrong = misjudged(statement, self.numbers)
            if wrong is None:
                break
            wrong.implicit = False
        implicit = {i for i in indices_of(statement) if i.implicit}
        bare = {use.subscript.form.bare for use in statement.uses if not use.subscript.boundary}
        if implicit:
            self.note("implicit range")
        if implicit - bare:
            self.note("largest valid range (rule 3)")

    # -- Expressions

    def expression(self, scope: Scope, depth: int) -> Expr:
        while True:
            options = [
                (p.weight * (0.4 if p.leaf and depth > 1 else 1), p)
                for p in PRODUCTIONS
                if (p.leaf or depth > 0) and LEVELS.index(p.level) <= LEVELS.index(self.level)
            ]
            made = self.pick(options).make(self, scope, depth)
            if made is not None:
                self.charge(len(scope.points))
                return made


@dataclass(frozen=True)
class Production:
    """A way to make an expression; of `level`, taken with this weight. `leaf`: it needs no depth."""

    make: Callable[[Generator, Scope, int], Expr | None]
    weight: float
    leaf: bool = False
    level: str = "core"


# fmt: off
PRODUCTIONS = (
    Production(Generator.read,             9, leaf=True),
    Production(Generator.number,         1.2, leaf=True),
    Production(Generator.index_value,      1, leaf=True),
    Production(Generator.repeated,       1.5, leaf=True),
    Production(Generator.arithmetic,       8),
    Production(Generator.negative,       0.7),
    Production(Generator.quotient,         1),
    Production(Generator.unary,            4),
    Production(Generator.of_positive,      1),
    Production(Generator.binary,         1.3),
    Production(Generator.power,            2),
    Production(Generator.summation,      6.5),
    Production(Generator.gaussian,       0.9),
    Production(Generator.choice,         1.3),
    Production(Generator.guarded,        1.8),
    Production(Generator.choice_by_value, 0.8),
    Production(Generator.masked,           1),
    Production(Generator.other_reduction, 3, level="full"),
    Production(Generator.iverson,        1.5, level="full"),
    Production(Generator.delta,          0.7, level="full"),
)
# fmt: on
