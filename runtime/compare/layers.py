"""What every step of an inference gave, on a core and on the host, and where the two part."""

import dataclasses
import pathlib
import struct
import subprocess
import tempfile
from typing import Any

import numpy as np

from toolchains.qemu import emulator

_STEPS = "steps.bin"  # written by main.cc


class CompareError(ValueError):
    """The two cannot be compared; the message is one line."""


@dataclasses.dataclass(frozen=True)
class Output:
    """One output of a step that ran. `plan_step` is the plan's entry of the step; `values` has the tensor's shape and dtype."""

    plan_step: dict[str, Any]
    tensor: str
    values: np.ndarray


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first layer that differs. `core` and `host` are its output there."""

    plan_step: dict[str, Any]
    tensor: str
    core: np.ndarray
    host: np.ndarray

    def __str__(self) -> str:
        step, core, host = self.plan_step, self.core, self.host
        unlike = np.flatnonzero(_bits(core) != _bits(host))
        first = int(unlike[0])
        place = ", ".join(map(str, np.unravel_index(first, core.shape)))
        where = f"step {step['index']}, {step['layer']} ({step['kernel']}{', ' * bool(step['source'])}{step['source']})"
        apart = np.max(np.abs(core.astype(np.float64) - host.astype(np.float64)))
        return (
            f"{where}: element {first} [{place}] of {self.tensor} is {core.flat[first]} on the core, {host.flat[first]} on the host; "
            f"{len(unlike):,} of {core.size:,} differ, by up to {apart:g}"
        )


def read_steps(data: bytes, plan: dict[str, Any]) -> list[Output]:
    """The outputs in steps.bin, in the order in which they came. Raises CompareError if they are not those of the plan's steps."""
    tensors = {tensor["name"]: tensor for tensor in plan["tensors"]}
    outputs, at = [], 0
    while at < len(data):
        if len(data) - at < 8:
            raise CompareError("the outputs of the steps are cut short")
        index, nbytes = struct.unpack_from("<2I", data, at)
        at += 8
        if index >= len(plan["steps"]):
            raise CompareError(f"step {index} ran, but the plan of {plan['model']} has {len(plan['steps'])}: it is another model's")
        step = plan["steps"][index]
        planned = [tensors[name] for name in step["outputs"]]
        if nbytes != sum(tensor["bytes"] for tensor in planned):
            raise CompareError(f"step {index}, {step['layer']}: {nbytes} bytes of outputs, but the plan says otherwise")
        if len(data) - at < nbytes:
            raise CompareError("the outputs of the steps are cut short")
        for tensor in planned:
            flat = np.frombuffer(data[at : at + tensor["bytes"]], tensor["dtype"])
            outputs.append(Output(step, tensor["name"], flat.reshape(tensor["shape"])))
            at += tensor["bytes"]
    return outputs


def first_difference(core: list[Output], host: list[Output]) -> Difference | None:
    """Outputs are matched by name, as steps may be numbered otherwise for another instruction set. Raises CompareError if the host
    lacks one or has it in another shape."""
    on_host = {output.tensor: output.values for output in host}
    for output in core:
        theirs = on_host.get(output.tensor)
        if theirs is None or (theirs.shape, theirs.dtype) != (output.values.shape, output.values.dtype):
            raise CompareError(f"the host has no {output.tensor} of {output.values.dtype}{list(output.values.shape)}")
        if not np.array_equal(_bits(output.values), _bits(theirs)):
            return Difference(output.plan_step, output.tensor, output.values, theirs)
    return None


def _bits(values: np.ndarray) -> np.ndarray:
    """Elements as unsigned numbers of the same bits: floats are equal only if all their bits are."""
    return values.reshape(-1).view(f"u{values.dtype.itemsize}")


def steps_on_core(elf: pathlib.Path, core: str, inputs: bytes, plan: dict[str, Any]) -> list[Output]:
    """Runs a firmware .steps in the emulator. Raises EmulationError or CompareError."""
    files = emulator.run_firmware(elf=elf, core=core, inputs=inputs).files
    if _STEPS not in files:
        raise CompareError(f"{elf.name} does not show its steps: take the target's twin .steps")
    return read_steps(files[_STEPS], plan)


def steps_on_host(program: pathlib.Path, inputs: bytes, plan: dict[str, Any]) -> list[Output]:
    """Runs the program that came with a firmware .steps. Raises CompareError."""
    with tempfile.TemporaryDirectory(prefix="kindling_") as folder:
        work = pathlib.Path(folder)
        (work / "input.bin").write_bytes(inputs)
        code = subprocess.run([program.absolute()], cwd=work, check=False).returncode
        if code or not (work / _STEPS).exists():
            raise CompareError(f"{program.name} failed on the host (exit code {code})")
        return read_steps((work / _STEPS).read_bytes(), plan)
