"""The memory plan of a program: where each tensor and each scratch lies, and why the arena has its size."""

import dataclasses

from compiler.errors import CompileError
from compiler.planner.buffers import Buffer, Problem, memory_problem
from compiler.planner.checker import check_plan
from compiler.planner.search import place, step_bound
from compiler.program import Program


@dataclasses.dataclass(frozen=True)
class Region:
    """A stretch of memory for activations; `limit` in bytes, None for as much as is needed."""

    name: str
    limit: int | None = None


SRAM = Region("sram")


@dataclasses.dataclass(frozen=True)
class PlannedBuffer:
    buffer: Buffer
    region: str
    offset: int

    @property
    def end(self) -> int:
        return self.offset + self.buffer.nbytes


@dataclasses.dataclass(frozen=True)
class MemoryPlan:
    """`nbytes` per region. No plan can do with less than `lower_bound` bytes in total; `peak_step` is the step that says so."""

    buffers: dict[str, PlannedBuffer]
    nbytes: dict[str, int]
    lower_bound: int
    peak_step: int
    peak_bytes: int

    @property
    def arena_bytes(self) -> int:
        return sum(self.nbytes.values())


def plan_memory(program: Program, region: Region = SRAM) -> MemoryPlan:
    """Plans everything into one region and checks the result. Raises CompileError if it does not fit."""
    problem = memory_problem(program)
    placement = place(problem)
    peak_bytes, peak_step = max((step_bound(problem, step), -step) for step in range(len(program.steps)))
    plan = MemoryPlan(
        buffers={b.name: PlannedBuffer(b, region.name, placement.offsets[b.name]) for b in problem.buffers},
        nbytes={region.name: placement.nbytes},
        lower_bound=placement.lower_bound,
        peak_step=-peak_step,
        peak_bytes=peak_bytes,
    )
    check_plan(program, {name: planned.offset for name, planned in plan.buffers.items()}, placement.nbytes)
    if region.limit is not None and placement.nbytes > region.limit:
        raise _does_not_fit(program, problem, plan, region)
    return plan


def _does_not_fit(program: Program, problem: Problem, plan: MemoryPlan, region: Region) -> CompileError:
    step = program.steps[plan.peak_step]
    alive = [b for b in problem.buffers if b.first <= plan.peak_step <= b.last]
    listed = ", ".join(f"{b.name} {b.nbytes}" for b in sorted(alive, key=lambda b: -b.nbytes))
    return CompileError(
        f"the arena of {plan.arena_bytes} bytes does not fit region {region.name} of {region.limit} bytes; "
        f"its peak is this layer (step {plan.peak_step}), where these are alive: {listed} bytes",
        layer=step.layer,
        source=step.source,
    )
