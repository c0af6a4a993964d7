"""plan.json and ops.json: what the compiler decided, for the firmware rules, the measurements and people."""

import json
from typing import Any

from compiler.planner.plan import MemoryPlan, PlannedBuffer, PlannedRegion
from compiler.program import Program, ProgramPort, ProgramState, Step
from compiler.pte.contents import Contents
from kernels.operator import TensorType


def plan_json(program: Program, plan: MemoryPlan, contents: Contents, pte: bytes) -> str:
    """The memory plan of one method, step by step. All sizes and offsets are bytes; steps count from 0."""
    constants_bytes = sum(len(constant) for constant in contents.constants)
    return _json(
        {
            "model": program.name,
            "tier": program.tier,
            "method": program.method,
            "methods": [method.name for method in contents.methods],
            "inputs": [_port(port, plan) for port in program.inputs],
            "outputs": [_port(port, plan) for port in program.outputs],
            "regions": [_region(planned, program) for planned in plan.regions],
            "states": [_state(state, plan) for state in program.states],
            "state_bytes": plan.state_bytes,
            "arena_bytes": plan.arena_bytes,
            "arena_lower_bound": plan.lower_bound,
            "arena_gap": plan.arena_bytes - plan.lower_bound,
            "tensors": [_buffer(name, program, plan) for name in plan.buffers],
            "steps": [_step(index, step) for index, step in enumerate(program.steps)],
            "elided": [{"operator": step.call.operator, "layer": step.layer, "tensor": step.outputs[0]} for step in program.elided],
            "peak": _peak(program, plan.peak_step, plan.peak_bytes),
            "constants_bytes": constants_bytes,
            "weights_bytes": program.weights_bytes,
            "metadata_bytes": len(pte) - constants_bytes,
            "values": len(contents.method(program.method).values),
        }
    )


def ops_json(program: Program, contents: Contents) -> str:
    """The kernels the firmware needs to run the program, in the order of its method's operators in the .pte."""
    operators = []
    for name in contents.method(program.method).operators:
        kernel = name.partition("::")[2]
        steps = [step for step in program.steps if step.kernel == kernel]
        operators.append(
            {
                "name": name,
                "kernel": kernel,
                "operator": steps[0].call.operator,
                "dtype": (steps[0].call.inputs[0]).dtype,
                "layers": [step.layer for step in steps],
            }
        )
    return _json({"tier": program.tier, "operators": operators})


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _port(port: ProgramPort, plan: MemoryPlan) -> dict[str, Any]:
    return _named(port, plan.buffers[port.tensor])


def _state(state: ProgramState, plan: MemoryPlan) -> dict[str, Any]:
    """The same of what lasts from run to run."""
    return _named(state, plan.buffers[state.before])


def _named(tensor: ProgramPort | ProgramState, planned: PlannedBuffer) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "shape": list(tensor.type.shape),
        "dtype": tensor.type.dtype,
        "scale": tensor.type.scale,
        "zero_point": tensor.type.zero_point,
        "bytes": tensor.type.nbytes,
        "offset": planned.offset,
        "region": planned.region,
        "permutation": list(tensor.permutation),
    }


def _region(planned: PlannedRegion, program: Program) -> dict[str, Any]:
    return {
        "name": planned.region.name,
        "bytes": planned.nbytes,
        "limit": planned.region.limit,
        "cycles": planned.region.cycles,
        "alignment": planned.region.alignment,
        "lower_bound": planned.lower_bound,
        "peak": _peak(program, planned.peak_step, planned.peak_bytes),
    }


def _peak(program: Program, step: int, nbytes: int) -> dict[str, Any]:
    return {"step": step, "layer": program.steps[step].layer, "bytes": nbytes}


def _buffer(name: str, program: Program, plan: MemoryPlan) -> dict[str, Any]:
    planned = plan.buffers[name]
    type_ = program.tensors.get(name, TensorType((planned.nbytes,), "uint8"))  # a scratch is bytes
    layer = next((step.layer for step in program.steps if step.scratch == name), program.layer_of(name))
    return {
        "name": name,
        "shape": list(type_.shape),
        "dtype": type_.dtype,
        "bytes": planned.nbytes,
        "offset": planned.offset,
        "region": planned.region,
        "first_step": planned.first,
        "last_step": planned.last,
        "layer": layer,
        "storage": program.location(name).storage,
        "traffic": plan.traffic[name] if name in plan.traffic else 0,
    }


def _step(index: int, step: Step) -> dict[str, Any]:
    return {
        "index": index,
        "operator": step.call.operator,
        "kernel": step.kernel,
        "layer": step.layer,
        "source": str(step.source) if step.source else "",
        "macs": step.macs,
        "inputs": list(step.inputs),
        "outputs": list(step.outputs),
        "scratch_bytes": step.scratch_bytes,
        "params_bytes": len(step.params),
    }
