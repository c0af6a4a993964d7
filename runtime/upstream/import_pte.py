"""Says of a .pte that upstream made what the compiler says of one of ours: its operators and its memory plan.

    import_pte --name mlp --pte mlp.pte --ops mlp.ops.json --plan mlp.plan.json

Refuses a program that the runtime could not run: one of several methods, or of an operator that is not here.
"""

import argparse
import json
import math
import pathlib
import sys
from typing import Any

from compiler.errors import CompileError
from compiler.pte.reader import Instruction, MethodView, PteView, Value, read_pte
from runtime.upstream.operators import operators

_DTYPES = {
    0: ("uint8", 1),
    1: ("int8", 1),
    2: ("int16", 2),
    3: ("int32", 4),
    4: ("int64", 8),
    6: ("float32", 4),
    7: ("float64", 8),
    11: ("bool", 1),
}


class UnsupportedProgramError(ValueError):
    """The program cannot be run; the message is one line."""


def describe(name: str, view: PteView) -> tuple[dict[str, Any], dict[str, Any]]:
    """ops.json and plan.json of a program. Raises UnsupportedProgramError."""
    if len(view.methods) != 1:
        raise UnsupportedProgramError(f"it has {len(view.methods)} methods; firmware is made of programs of one")
    (method,) = view.methods
    for number, instruction in enumerate(method.instructions):
        if instruction.kind != "KernelCall" or instruction.operator not in operators():
            what = f"{instruction.kind} {instruction.operator}".strip()
            raise UnsupportedProgramError(f"instruction {number} is {what}, which the runtime does not have")
    return _ops(method), _plan(name, view, method)


def _ops(method: MethodView) -> dict[str, Any]:
    """Only the operators that are called; each says in `calls` what it takes to keep each of its calls: a call of a list of tensors
    takes as much as one call for each of them."""
    used: dict[str, list[int]] = {}
    for instruction in method.instructions:
        lists = [method.values[index] for index in instruction.arguments[:-1] if method.values[index].kind == "TensorList"]
        used.setdefault(instruction.operator, []).append(sum(len(value.fields["items"]) for value in lists) if lists else 1)
    return {
        "tier": "any",
        "operators": [{"name": name, "kernel": name, "layers": [], "calls": calls} for name, calls in used.items()],
    }


def _plan(name: str, view: PteView, method: MethodView) -> dict[str, Any]:
    inputs = [_port(f"input{i}", method.values[index]) for i, index in enumerate(method.inputs)]
    outputs = [_port(f"output{i}", method.values[index]) for i, index in enumerate(method.outputs)]
    arena = sum(method.memory_bytes)
    constants = sum(nbytes for _, nbytes in view.segments)
    return {
        "model": name,
        "tier": "any",
        "method": method.name,
        "inputs": inputs,
        "outputs": outputs,
        "regions": [{"name": "sram", "bytes": nbytes, "alignment": 16} for nbytes in method.memory_bytes],
        "states": [],
        "state_bytes": 0,
        "arena_bytes": arena,
        "peak": {"bytes": arena, "step": 0, "layer": "planned by upstream"},
        "constants_bytes": constants,
        "weights_bytes": constants,
        "metadata_bytes": view.file_bytes - constants,
        "values": len(method.values),
        "steps": [_step(index, instruction) for index, instruction in enumerate(method.instructions)],
    }


def _step(index: int, instruction: Instruction) -> dict[str, Any]:
    """Scratch is among the planned tensors, and not told apart."""
    name = instruction.operator
    return {"index": index, "operator": name, "kernel": name, "layer": "", "source": "", "scratch_bytes": 0, "params_bytes": 0}


def _port(name: str, value: Value) -> dict[str, Any]:
    """Axes in the order in which they lie in memory."""
    if value.kind != "Tensor" or value.fields["memory"] is None:
        raise UnsupportedProgramError(f"{name} is not in planned memory")
    if value.fields["scalar_type"] not in _DTYPES:
        raise UnsupportedProgramError(f"{name} is of scalar type {value.fields['scalar_type']}, which the runtime does not have")
    dtype, element_bytes = _DTYPES[value.fields["scalar_type"]]
    sizes, order = value.fields["sizes"], value.fields["dim_order"]
    return {
        "name": name,
        "shape": [sizes[axis] for axis in order],
        "dtype": dtype,
        "scale": 0.0,
        "zero_point": 0,
        "bytes": math.prod(sizes) * element_bytes,
        "offset": value.fields["offset"],
        "region": "sram",
        "permutation": list(order),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", required=True, help="name of the model")
    for flag, what in {"pte": "the program", "ops": "its operators, to write", "plan": "its memory plan, to write"}.items():
        parser.add_argument(f"--{flag}", type=pathlib.Path, required=True, help=what)
    arguments = parser.parse_args()
    try:
        ops, plan = describe(arguments.name, read_pte(arguments.pte.read_bytes()))
    except (CompileError, UnsupportedProgramError) as error:
        sys.exit(f"error: {arguments.pte.name}: {error}")
    arguments.ops.write_text(json.dumps(ops, indent=1) + "\n")
    arguments.plan.write_text(json.dumps(plan, indent=1) + "\n")


if __name__ == "__main__":
    main()
