"""Programs for tests of planner and writer: steps with sizes and leads, no real kernels."""

import dataclasses
from collections.abc import Mapping, Sequence

from compiler.errors import Source
from compiler.program import Program, ProgramPort, Step
from kernels.operator import Call, TensorType


def step(
    layer: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    leads: Sequence[int | None] | None = None,
    scratch_bytes: int = 0,
    kernel: str = "copy_s8",
    params: bytes = b"params",
) -> Step:
    """Its call has no tensors before it is in a program."""
    return Step(
        layer=layer,
        kernel=kernel,
        call=Call("copy", (), (), {}),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        params=params,
        scratch_bytes=scratch_bytes,
        leads=tuple(leads) if leads is not None else (None,) * len(inputs),
        macs=0,
        source=Source("model.py", 7),
    )


def program(sizes: Mapping[str, int], steps: Sequence[Step], inputs: Sequence[str], outputs: Sequence[str]) -> Program:
    """Tensors are int8 vectors of `sizes` bytes."""
    types = {name: TensorType((size,), "int8", 0.5, 1) for name, size in sizes.items()}

    def ports(names: Sequence[str]) -> tuple[ProgramPort, ...]:
        return tuple(ProgramPort(name, name, types[name], (0,)) for name in names)

    def called(one: Step) -> Step:
        inputs, outputs = (tuple(types[name] for name in names) for names in (one.inputs, one.outputs))
        return dataclasses.replace(one, call=Call("copy", inputs, outputs, {}))

    return Program(
        name="test",
        tier="scalar",
        inputs=ports(inputs),
        outputs=ports(outputs),
        tensors=types,
        constants={},
        steps=tuple(map(called, steps)),
        weights_bytes=0,
    )
