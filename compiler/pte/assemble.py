"""From a planned program to the contents of a .pte: tensors become values, and what is equal is there once."""

import dataclasses
from collections.abc import Hashable, Iterable

from compiler.planner.plan import STATE, MemoryPlan
from compiler.program import Program, ProgramState, Step
from compiler.pte.contents import Contents, KernelCall, Method, ScalarType, TensorValue
from kernels.operator import TensorType
from kernels.registry import KERNELS

NAMESPACE = "kindling"


def assemble(program: Program, plan: MemoryPlan) -> Contents:
    """One method; operators in the order of their first use."""
    return assemble_methods([(program, plan)])


def assemble_methods(planned: Iterable[tuple[Program, MemoryPlan]]) -> Contents:
    """Several methods, which share what constants they have in common."""
    constants, first_values = _Table(), _Table()
    methods = tuple(_Assembler(program, plan, constants, first_values).method() for program, plan in planned)
    return Contents(methods, tuple(constants), tuple(first_values))


class _Table(dict):
    """Numbers things in the order in which they are first seen."""

    def index(self, key: Hashable) -> int:
        return self.setdefault(key, len(self))


class _Assembler:
    def __init__(self, program: Program, plan: MemoryPlan, constants: _Table, first_values: _Table):
        self.program = program
        self.plan = plan
        # State last: the first memory is free until the first run.
        self.memories = plan.nbytes | ({STATE: plan.state_bytes} if plan.state_bytes else {})
        self.values = _Table()
        self.constants = constants
        self.first_values = first_values
        self.operators = _Table()
        # How tensors are seen whose shape does not matter to a kernel.
        self.types = {port.tensor: port.type for port in (*program.outputs, *program.inputs)}

    def method(self) -> Method:
        # Inputs first, so that a method's first values are its inputs.
        inputs = tuple(self._tensor(port.tensor, port.type) for port in self.program.inputs)
        calls = tuple(self._call(step) for step in self.program.steps)
        outputs = tuple(self._tensor(port.tensor, port.type) for port in self.program.outputs)
        for state in self.program.states:
            self._state(state)
        return Method(
            name=self.program.method,
            values=tuple(self.values),
            inputs=inputs,
            outputs=outputs,
            operators=tuple(f"{NAMESPACE}::{kernel}" for kernel in self.operators),
            calls=calls,
            memory_bytes=tuple(self.memories.values()),
        )

    def _call(self, step: Step) -> KernelCall:
        """Its tensors have the shapes that the kernel sees or, if it takes any rank, those that they have elsewhere: a value less."""
        if KERNELS[step.kernel].rank is not None:
            self.types |= dict(zip((*step.inputs, *step.outputs), (*step.call.inputs, *step.call.outputs), strict=True))
        arguments = [self._operand(tensor, type_) for tensor, type_ in zip(step.inputs, step.call.inputs, strict=True)]
        arguments.append(self._constant(TensorType((len(step.params),), "uint8"), step.params))
        if step.scratch_bytes:
            arguments.append(self._tensor(step.scratch, TensorType((step.scratch_bytes,), "uint8")))
        arguments += [self._operand(tensor, type_) for tensor, type_ in zip(step.outputs, step.call.outputs, strict=True)]
        return KernelCall(self.operators.index(step.kernel), tuple(arguments))

    def _operand(self, tensor: str, type_: TensorType) -> int:
        if tensor in self.program.constants:
            return self._constant(type_, self.program.constants[tensor].tobytes())
        return self._tensor(tensor, self.types.setdefault(tensor, type_))

    def _tensor(self, name: str, type_: TensorType) -> int:
        return self.values.index(self._planned(name, type_))

    def _planned(self, name: str, type_: TensorType) -> TensorValue:
        planned = self.plan.buffers[name]
        memory = list(self.memories).index(planned.region)
        return TensorValue(ScalarType.of(type_.dtype), type_.shape, memory=memory, offset=planned.offset)

    def _state(self, state: ProgramState) -> None:
        """Memory of state starts as zeros, so that a first value which is nothing else need not be in the file."""
        if state.first.any():
            value = self._planned(state.before, state.type)
            self.values.index(dataclasses.replace(value, first=self.first_values.index(state.first.tobytes())))

    def _constant(self, type_: TensorType, data: bytes) -> int:
        value = TensorValue(ScalarType.of(type_.dtype), type_.shape, constant=self.constants.index(data))
        return self.values.index(value)
