"""The memory plan of a program: where each tensor and each scratch lies, and why the regions are filled as far as they are."""

import dataclasses
import difflib
from collections.abc import Mapping

from compiler.errors import CompileError
from compiler.planner.bound import step_bound
from compiler.planner.buffers import Piece, Problem, aligned, memory_problem
from compiler.planner.checker import check_plan
from compiler.planner.regions import SRAM, Assignment, Memory, Region, assign, placed_in, traffic_of
from compiler.program import Program

STATE = "state"
"""Where state lies, by name."""


@dataclasses.dataclass(frozen=True)
class PlannedBuffer:
    """A tensor or a step's scratch: `nbytes` at `offset` of a region, in use from step `first` to step `last`, both included."""

    name: str
    nbytes: int
    region: str
    offset: int
    first: int
    last: int

    @property
    def end(self) -> int:
        return self.offset + self.nbytes


@dataclasses.dataclass(frozen=True)
class PlannedRegion:
    """A region in use. Its tensors cannot do with less than `lower_bound` bytes; `peak_step` needs `peak_bytes` of them at once."""

    region: Region
    nbytes: int
    lower_bound: int
    peak_step: int
    peak_bytes: int


@dataclasses.dataclass(frozen=True)
class MemoryPlan:
    """`buffers` by name. At `peak_step` all regions together need the most, `peak_bytes`.

    No plan can do with less than `lower_bound` bytes: of one region in any order of the steps, of several as the tensors are spread
    over them.
    """

    buffers: Mapping[str, PlannedBuffer]
    regions: tuple[PlannedRegion, ...]
    traffic: Mapping[str, int]  # bytes read and written in an inference, by body
    peak_step: int
    peak_bytes: int
    lower_bound: int
    state_bytes: int = 0  # of region STATE, which is beside those above and lasts from run to run

    @property
    def nbytes(self) -> dict[str, int]:
        """Bytes of each region in use."""
        return {planned.region.name: planned.nbytes for planned in self.regions}

    @property
    def arena_bytes(self) -> int:
        return sum(planned.nbytes for planned in self.regions)


def plan_memory(program: Program, memory: Memory = (SRAM,), placement: Mapping[str, str] | None = None) -> MemoryPlan:
    """Plans everything, in the program's order, and checks the result.

    `placement` says by name of layer, tensor or scratch which region it has to lie in. Raises CompileError for what does not fit,
    and for names that are not there.
    """
    if program.states and STATE in {region.name for region in memory}:
        raise CompileError(f"a region of memory cannot be named {STATE}, as this model keeps its state in one of that name")
    problem = memory_problem(program)
    traffic = traffic_of(program)
    assignment = assign(problem, memory, traffic, _placed_by_hand(program, memory, placement or {}))
    regions, offsets = [], {}
    for region in (region for region in memory if region in assignment.values()):
        placed = placed_in(problem, assignment, region)
        offsets |= placed.offsets
        peak_bytes, peak_step = _peak(program, [_part(problem, assignment, region)])
        regions.append(PlannedRegion(region, placed.nbytes, placed.lower_bound, peak_step, peak_bytes))
    peak_bytes, peak_step = _peak(program, [_part(problem, assignment, planned.region) for planned in regions])
    buffers = _buffers(program, problem, assignment, offsets)
    state_bytes = max((buffer.end for buffer in buffers.values() if buffer.region == STATE), default=0)
    lower_bound = sum(planned.lower_bound for planned in regions)
    plan = MemoryPlan(buffers, tuple(regions), traffic, peak_step, peak_bytes, lower_bound, state_bytes)
    places = {name: (b.region, b.offset) for name, b in plan.buffers.items()}
    check_plan(program, places, plan.nbytes | {STATE: state_bytes}, _alignments(regions))
    for planned in regions:
        if planned.region.limit is not None and planned.nbytes > planned.region.limit:
            raise _does_not_fit(program, _part(problem, assignment, planned.region), planned)
    return plan


def _alignments(regions: list[PlannedRegion]) -> dict[str, int]:
    return {planned.region.name: planned.region.alignment for planned in regions}


def _part(problem: Problem, assignment: Assignment, region: Region) -> Problem:
    return problem.only((body for body, home in assignment.items() if home == region), region.alignment)


def _peak(program: Program, parts: list[Problem]) -> tuple[int, int]:
    """The most bytes that any step needs, and the first that does."""
    nbytes, step = max((sum(step_bound(part, step) for part in parts), -step) for step in range(len(program.steps)))
    return nbytes, -step


def _buffers(program: Program, problem: Problem, assignment: Assignment, offsets: Mapping[str, int]) -> dict[str, PlannedBuffer]:
    """Every tensor, views too, and every scratch."""
    pieces: dict[str, list[Piece]] = {}
    for piece in problem.pieces:
        pieces.setdefault(piece.body, []).append(piece)
    scratches = {step.scratch: step.scratch_bytes for step in program.steps if step.scratch_bytes}
    tensors = {tensor: program.tensors[tensor].nbytes for tensor in program.tensors}
    kept = _state_offsets(program)
    buffers = {}
    for name, nbytes in (tensors | scratches).items():
        place = program.location(name)
        if place.storage in kept:
            buffers[name] = PlannedBuffer(name, nbytes, STATE, kept[place.storage] + place.offset, 0, len(program.steps) - 1)
            continue
        own = [p for p in pieces[place.storage] if p.start < place.offset + nbytes and place.offset < p.end]
        buffers[name] = PlannedBuffer(
            name,
            nbytes,
            assignment[place.storage].name,
            offsets[place.storage] + place.offset,
            min(piece.first for piece in own),
            max(piece.last for piece in own),
        )
    return buffers


def _state_offsets(program: Program) -> dict[str, int]:
    """Each state has its own bytes."""
    offsets, end = {}, 0
    for state in program.states:
        offsets[state.before] = end
        end = aligned(end + state.type.nbytes)
    return offsets


def placeable(program: Program) -> dict[str, set[str]]:
    """What `placement` may name, layers, tensors and scratches, with the bodies that each stands for."""
    bodies = {tensor: program.location(tensor).storage for tensor in program.tensors}
    bodies = {tensor: body for tensor, body in bodies.items() if body not in program.kept}
    known: dict[str, set[str]] = {tensor: {body} for tensor, body in bodies.items()}
    for step in (*program.steps, *program.elided):
        for tensor in step.outputs:
            if tensor in bodies:
                known.setdefault(step.layer, set()).add(bodies[tensor])
    return known | {step.scratch: {step.scratch} for step in program.steps if step.scratch_bytes}


def _placed_by_hand(program: Program, memory: Memory, placement: Mapping[str, str]) -> dict[str, Region]:
    """The region of each body that the user has placed."""
    regions, known = {region.name: region for region in memory}, placeable(program)
    placed: dict[str, Region] = {}
    for name, region in placement.items():
        if region not in regions:
            raise CompileError(f"{name} is to lie in region {region}, but the regions are {', '.join(regions)}")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3)
            hint = f"; there is {', '.join(near)}" if near else ""
            raise CompileError(f"{name} is to lie in region {region}, but no layer or tensor has that name{hint}")
        for body in sorted(known[name]):
            if placed.setdefault(body, regions[region]) != regions[region]:
                raise CompileError(f"{name} is to lie in region {region}, but shares memory with what is to lie in {placed[body].name}")
    return placed


def _does_not_fit(program: Program, part: Problem, planned: PlannedRegion) -> CompileError:
    """Names the step at which the region holds the most, what is alive there, and what would help."""
    region, step = planned.region, program.steps[planned.peak_step]
    alive = sorted(part.alive(planned.peak_step), key=lambda piece: -piece.nbytes)
    listed = ", ".join(f"{piece.body} {piece.nbytes}" for piece in alive)
    needs = [step_bound(part, index) for index in range(len(program.steps))]
    over = [program.steps[index].layer for index, nbytes in enumerate(needs) if nbytes > region.limit]
    missing = planned.nbytes - region.limit
    remedy = f"the smallest change that would make it fit is {missing} bytes more, {region.name}={planned.nbytes}"
    if over:
        remedy += f", or {planned.peak_bytes - region.limit} bytes less at this layer"
        if len(over) > 1:
            remedy += f" and fewer at {_some(layer for layer in over if layer != step.layer)}"
    return CompileError(
        f"the arena of {planned.nbytes} bytes does not fit region {region.name} of {region.limit} bytes; "
        f"its peak is this layer (step {planned.peak_step}), where these are alive: {listed} bytes; {remedy}",
        layer=step.layer,
        source=step.source,
    )


def _some(names) -> str:
    names = list(names)
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
