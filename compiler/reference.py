"""Runs a lowered program on the host with the operators' integer references: what every core must compute, byte for byte."""

from collections.abc import Mapping

import numpy as np

from compiler.program import Program
from kernels.operator import Operator


def run_program(program: Program, operators: Mapping[str, Operator], inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Outputs by name for inputs by name, in the firmware's dtypes and layouts. State is what it is before the first run.

    Raises ValueError for an input that is missing or of another shape or dtype.
    """
    return HostStream(program, operators).run(inputs)


class HostStream:
    """A program that is run again and again; its state lasts from run to run."""

    def __init__(self, program: Program, operators: Mapping[str, Operator]):
        self.program = program
        self.operators = operators
        self.reset()

    def reset(self) -> None:
        """Puts the state back to where it starts."""
        self.states = {state.before: state.first for state in self.program.states}

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """As run_program, but state is what the run before has left."""
        tensors = run_steps(self.program, self.operators, inputs, self.states)
        self.states = {state.before: tensors[state.after].reshape(state.type.shape) for state in self.program.states}
        return {port.name: tensors[port.tensor].reshape(port.type.shape) for port in self.program.outputs}


def run_steps(
    program: Program,
    operators: Mapping[str, Operator],
    inputs: Mapping[str, np.ndarray],
    states: Mapping[str, np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """Every tensor of the program by name, those in memory that is written over as they are at the end. `states` are by tensor."""
    values = _Values(program)
    for state in program.states:
        values.write(state.before, state.first if states is None else states[state.before])
    for port in program.inputs:
        array = inputs.get(port.name)
        if array is None or array.shape != port.type.shape or str(array.dtype) != port.type.dtype:
            raise ValueError(f"input {port.name} must be {port.type.dtype}{list(port.type.shape)}")
        values.write(port.tensor, array)
    for step in program.steps:
        arguments = [values.read(name).reshape(type_.shape) for name, type_ in zip(step.inputs, step.call.inputs)]
        results = operators[step.call.operator].reference(step.call, arguments)
        for name, array in zip(step.outputs, results):
            values.write(name, array)
    return {name: values.read(name) for name in (*program.constants, *program.tensors)}


class _Values:
    """The tensors' bytes, those of views in their storage."""

    def __init__(self, program: Program):
        self.program = program
        self.arrays: dict[str, np.ndarray] = dict(program.constants)
        storages = {program.location(view).storage for view in program.views}
        self.storages = {name: np.zeros(program.tensors[name].nbytes, np.uint8) for name in storages}

    def write(self, tensor: str, array: np.ndarray) -> None:
        if (place := self._place(tensor)) is None:
            self.arrays[tensor] = array
        else:
            place[:] = np.array(array).reshape(-1).view(np.uint8)

    def read(self, tensor: str) -> np.ndarray:
        if (place := self._place(tensor)) is None:
            return self.arrays[tensor]
        type_ = self.program.tensors[tensor]
        return place.view(type_.dtype).reshape(type_.shape)

    def _place(self, tensor: str) -> np.ndarray | None:
        place = self.program.location(tensor)
        if place.storage not in self.storages:
            return None
        return self.storages[place.storage][place.offset :][: self.program.tensors[tensor].nbytes]


def to_firmware(port, array: np.ndarray) -> np.ndarray:
    """What the user's model takes or gives (float32), as the firmware's input or output: permuted, quantised if it has a scale."""
    permuted = np.asarray(array.transpose(port.permutation), order="C")
    if not port.type.scale:
        return permuted.astype(port.type.dtype)
    steps = np.rint(permuted.astype(np.float64) / port.type.scale) + port.type.zero_point
    range_ = np.iinfo(port.type.dtype)
    return np.clip(steps, range_.min, range_.max).astype(port.type.dtype)


def from_firmware(port, array: np.ndarray) -> np.ndarray:
    """The inverse: float32, in the user's order of axes."""
    real = array.astype(np.float32)
    if port.type.scale:
        real = ((array.astype(np.float64) - port.type.zero_point) * port.type.scale).astype(np.float32)
    return np.asarray(real.transpose(np.argsort(port.permutation)), order="C")
