"""When the steps of an inference ran: read from a firmware's ring, or counted in the emulator, and joined with the memory plan."""

import dataclasses
import pathlib
import struct
from typing import Any

from toolchains.qemu import emulator

_CAPACITY = 84  # of the ring in trace.h
_RING_BYTES = 8 + 12 * _CAPACITY


class TraceError(ValueError):
    """The trace cannot be read, or is not one of this model; the message is one line."""


@dataclasses.dataclass(frozen=True)
class StepTime:
    """One step that ran. `start` and `duration` have the timeline's unit."""

    step: int
    start: int
    duration: int


@dataclasses.dataclass(frozen=True)
class Layer:
    """A step that ran, and what the plan says of it (`plan_step`: an entry of its `steps`)."""

    time: StepTime
    plan_step: dict[str, Any]


def read_ring(ring: bytes) -> tuple[list[StepTime], int]:
    """The recorded steps, oldest first, their starts from the first one's; and how many were written over.

    Raises TraceError if these are not the bytes of a kindling::Trace.
    """
    if len(ring) != _RING_BYTES:
        raise TraceError(f"a trace has {_RING_BYTES} bytes, not {len(ring)}")
    recorded, following = struct.unpack_from("<2I", ring)
    kept = min(recorded, _CAPACITY)
    if following >= _CAPACITY or (recorded < _CAPACITY and following != recorded):
        raise TraceError("the trace is damaged: its head contradicts itself")
    entries = list(struct.iter_unpack("<3I", ring[8:]))
    ordered = [entries[(following - kept + i) % _CAPACITY] for i in range(kept)]
    times, start = [], 0
    for (step, begin, duration), (_, previous, _) in zip(ordered, [*ordered[:1], *ordered]):
        start += (begin - previous) % (1 << 32)
        times.append(StepTime(step, start, duration))
    return times, recorded - kept


def count_in_emulator(elf: pathlib.Path, core: str, inputs: bytes) -> list[StepTime]:
    """Runs a traced firmware once; the unit is instructions, exactly those of the steps. `inputs` are those of one inference.

    What a step needs includes getting from one to the next, but nothing of the tracing itself. Raises EmulationError, and
    TraceError if the firmware does not trace or ran more steps than its ring can tell apart.
    """
    run = emulator.run_firmware(elf=elf, core=core, inputs=inputs)
    if "trace.bin" not in run.files:
        raise TraceError(f"{elf.name} is not traced: take the target's twin .traced")
    if len(run.run_instructions) != 1:
        raise TraceError(f"{len(run.run_instructions)} inferences ran, not one: give the inputs of one")
    ring, lost = read_ring(run.files["trace.bin"])
    counts = run.step_instructions
    if lost + len(ring) != len(counts):
        raise TraceError(f"the firmware recorded {lost + len(ring)} steps, the emulator counted {len(counts)}")
    # Without jumps the steps that were written over are the numbers below those that were not.
    steps = [*range(lost), *(time.step for time in ring)]
    if lost and steps != list(range(len(steps))):
        raise TraceError(f"{lost} steps were written over, and their order cannot be told from the rest")
    times, start = [], 0
    for step, count in zip(steps, counts):
        times.append(StepTime(step, start, count))
        start += count
    return times


def join(times: list[StepTime], plan: dict[str, Any]) -> list[Layer]:
    """Raises TraceError for a step that the plan does not have."""
    steps = {step["index"]: step for step in plan["steps"]}
    unknown = next((time.step for time in times if time.step not in steps), None)
    if unknown is not None:
        raise TraceError(f"step {unknown} ran, but the plan of {plan['model']} has {len(steps)}: it is another model's")
    return [Layer(time, steps[time.step]) for time in times]
