"""What the sources of an observed model have beside those of any other: see observer.h."""

from runtime.firmware import cpp
from runtime.firmware.built_model import BuiltModel

HEADER = "runtime/firmware/observer.h"


def step_outputs(model: BuiltModel) -> str:
    """The definition of kStepOutputs, for namespace kindling behind the model's regions."""
    plan = model.plan
    regions = {name: index for index, name in enumerate([*(region["name"] for region in plan["regions"]), "state"])}
    tensors = {tensor["name"]: tensor for tensor in plan["tensors"]}

    def output(name: str) -> str:
        tensor = tensors[name]
        return f"{{region_{regions[tensor['region']]} + {tensor['offset']}, {tensor['bytes']}}}"

    tables = (
        f"constexpr Span<const uint8_t> kOutputsOfStep{index}[] = {{{', '.join(map(output, step['outputs']))}}};"
        for index, step in enumerate(plan["steps"])
    )
    steps = (f"kOutputsOfStep{index}," for index in range(len(plan["steps"])))
    return f"""namespace {{
{cpp.lines(tables)}constexpr StepOutputs kOutputsOfSteps[] = {{
{cpp.lines(steps, indent=4)}}};
}}  // namespace

const Span<const StepOutputs> kStepOutputs = kOutputsOfSteps;
"""
