"""Which region of memory each body lies in: by hand where the user says, else the more often used per byte, the faster."""

import dataclasses
import re
from collections.abc import Iterable, Mapping

from compiler.errors import CompileError
from compiler.planner.buffers import ALIGNMENT, Problem
from compiler.planner.search import Placement, place
from compiler.program import Program, Step


@dataclasses.dataclass(frozen=True)
class Region:
    """A stretch of memory for activations: `limit` in bytes, None for as much as is needed; `cycles` of an access, in proportion."""

    name: str
    limit: int | None = None
    cycles: int = 1
    alignment: int = ALIGNMENT


SRAM = Region("sram")

Memory = tuple[Region, ...]


def region_from_text(text: str) -> Region:
    """Of NAME, NAME=BYTES or either with ,cycles=N or ,alignment=N behind it. Raises CompileError for anything else."""
    match = re.fullmatch(r"(\w+)(?:=(\d+))?((?:,(?:cycles|alignment)=\d+)*)", text)
    if match is None:
        raise CompileError(f"region '{text}': write NAME, NAME=BYTES or NAME=BYTES,cycles=N,alignment=N")
    rest = {key: int(number) for key, _, number in (part.partition("=") for part in match[3].split(",")[1:])}
    region = Region(match[1], int(match[2]) if match[2] else None, **rest)
    if region.cycles < 1 or region.alignment % ALIGNMENT or not region.alignment:
        raise CompileError(f"region '{text}': cycles must be 1 or more, alignment a multiple of {ALIGNMENT}")
    return region


def memory_from_texts(texts: Iterable[str]) -> Memory:
    """Raises CompileError for two regions of one name."""
    memory = tuple(region_from_text(text) for text in texts)
    names = [region.name for region in memory]
    if len(set(names)) != len(names):
        raise CompileError(f"two regions have one name: {', '.join(names)}")
    return memory


Assignment = dict[str, Region]  # of every body


def assign(problem: Problem, memory: Memory, traffic: Mapping[str, int], by_hand: Mapping[str, Region]) -> Assignment:
    """The slowest region takes all that fits nowhere else, be it too much for it.

    Where the bodies that are used most would leave room for too few of the others, the largest go first instead.
    """
    sizes = problem.bodies
    free = [body for body in sizes if body not in by_hand]
    orders = (
        sorted(free, key=lambda body: (-traffic[body] / sizes[body], -traffic[body])),
        sorted(free, key=lambda body: (-sizes[body], -traffic[body])),
    )
    first, *others = (_fill(problem, order, memory, by_hand) for order in orders)
    fitting = [assignment for assignment in (first, *others) if all(fits(problem, assignment, region) for region in memory)]
    return min(fitting, key=lambda assignment: _cost(assignment, traffic)) if fitting else first


def _fill(problem: Problem, order: Iterable[str], memory: Memory, by_hand: Mapping[str, Region]) -> Assignment:
    """Each body in turn into the fastest region that still has room for it."""
    fastest_first = sorted(memory, key=lambda region: region.cycles)
    order = list(order)
    everything = {**by_hand, **dict.fromkeys(order, fastest_first[0])}
    if fits(problem, everything, fastest_first[0]):
        return everything
    assignment = dict(by_hand)
    for body in order:
        tried = ({**assignment, body: region} for region in fastest_first[:-1])
        having = (trial for trial in tried if fits(problem, trial, trial[body]))
        assignment = next(having, {**assignment, body: fastest_first[-1]})
    return assignment


def fits(problem: Problem, assignment: Assignment, region: Region) -> bool:
    return region.limit is None or placed_in(problem, assignment, region, region.limit).nbytes <= region.limit


def placed_in(problem: Problem, assignment: Assignment, region: Region, enough: int = 0) -> Placement:
    """The bodies of one region, placed there: as well as can be, or so that they need at most `enough` bytes."""
    return place(problem.only((body for body, place in assignment.items() if place == region), region.alignment), enough)


def _cost(assignment: Assignment, traffic: Mapping[str, int]) -> int:
    return sum(traffic[body] * region.cycles for body, region in assignment.items())


def traffic_of(program: Program) -> dict[str, int]:
    """Bytes of each body that are read and written in one inference, the caller's own accesses among them.

    Every output is written once. A window of a convolution or a pool is read once per output pixel, any other input once.
    """
    traffic: dict[str, int] = {}

    def count(tensor: str, nbytes: int) -> None:
        body = program.location(tensor).storage
        traffic[body] = traffic.get(body, 0) + nbytes

    for port in (*program.inputs, *program.outputs):
        count(port.tensor, port.type.nbytes)
    for step in program.steps:
        for tensor in step.inputs:
            if tensor not in program.constants:
                count(tensor, _bytes_read(step, program.tensors[tensor].nbytes))
        for tensor in step.outputs:
            count(tensor, program.tensors[tensor].nbytes)
        if step.scratch_bytes:
            traffic[step.scratch] = 2 * step.scratch_bytes
    return traffic


_WINDOWED = ("avg_pool2d", "conv2d", "depthwise_conv2d", "max_pool2d")


def _bytes_read(step: Step, nbytes: int) -> int:
    if step.call.operator not in _WINDOWED:
        return nbytes
    attributes, result = step.call.attributes, step.call.outputs[0]
    if "kernel" in attributes:
        height, width = attributes["kernel"]
    else:
        weight = attributes["weight"].shape
        height, width = weight[:2] if step.call.operator == "depthwise_conv2d" else weight[1:3]
    batch, rows, columns, _ = result.shape
    return batch * rows * columns * height * width * step.call.inputs[0].shape[3]
