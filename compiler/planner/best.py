"""The plan that needs least: with steps spared where that costs no memory, and in the best order of execution."""

import dataclasses
from collections.abc import Callable, Mapping

from compiler.errors import CompileError
from compiler.planner.order import least_peak_order, reordered
from compiler.planner.plan import MemoryPlan, plan_memory
from compiler.planner.regions import SRAM, Memory
from compiler.program import Program

Elide = Callable[[Program, frozenset[str]], Program]  # the program without those steps of the layers named that can be spared


@dataclasses.dataclass(frozen=True)
class Planned:
    """A program as it is to run, and its plan; or why there is none."""

    program: Program
    plan: MemoryPlan | None
    error: CompileError | None = None

    @property
    def nbytes(self) -> float:
        return self.plan.arena_bytes if self.plan else float("inf")


def plan_best(
    program: Program, memory: Memory = (SRAM,), placement: Mapping[str, str] | None = None, elide: Elide | None = None
) -> tuple[Program, MemoryPlan]:
    """The program as it is to run, and its plan. Raises CompileError as plan_memory does."""
    best = _in_best_order(program, memory, placement or {})
    if elide:
        best = _with_steps_spared(best, lambda layers: _in_best_order(elide(program, layers), memory, placement or {}))
    if best.plan is None:
        raise best.error
    return best.program, best.plan


def _with_steps_spared(plain: Planned, planned: Callable[[frozenset[str]], Planned]) -> Planned:
    """All that can be spared, unless what must stay in use for that needs more memory: then those for which it does not."""
    everything = planned(frozenset(step.layer for step in plain.program.steps))
    spared = [step.layer for step in everything.program.elided]
    if not spared or everything.nbytes <= plain.nbytes:
        return everything
    kept, best = frozenset(), plain
    for layer in spared:
        trial = planned(kept | {layer})
        if trial.nbytes <= best.nbytes:
            kept, best = kept | {layer}, trial
    return best


def _in_best_order(program: Program, memory: Memory, placement: Mapping[str, str]) -> Planned:
    """In the program's own order, unless another one needs less."""
    order = least_peak_order(program)
    best = _planned(program, memory, placement)
    if best.nbytes > order.lower_bound and order.steps != tuple(range(len(program.steps))):
        other = _planned(reordered(program, order.steps), memory, placement)
        best = min(best, other, key=lambda planned: planned.nbytes)
    if best.plan and len(best.plan.regions) == 1 and not order.is_only:
        best = dataclasses.replace(best, plan=dataclasses.replace(best.plan, lower_bound=order.lower_bound))
    return best


def _planned(program: Program, memory: Memory, placement: Mapping[str, str]) -> Planned:
    try:
        return Planned(program, plan_memory(program, memory, placement))
    except CompileError as error:
        return Planned(program, None, error)
