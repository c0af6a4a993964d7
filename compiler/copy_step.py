"""The step that copies a tensor's bytes elsewhere."""

import dataclasses
import math
from collections.abc import Mapping

from compiler.errors import Source
from compiler.program import Step
from kernels.operator import Call, Operator, TensorType, Tier


def copy_step(
    operators: Mapping[str, Operator], tier: Tier, layer: str, source: str, result: str, type_: TensorType, origin: Source | None
) -> Step:
    """From tensor `source` to tensor `result`, both of this type; `operators` has the copy."""
    operator = operators["copy"]
    flat = dataclasses.replace(type_, shape=(math.prod(type_.shape),))
    call = Call("copy", (flat,), (flat,), {"input_offset": 0, "input_steps": (1,)})
    return Step(
        layer=layer,
        kernel=operator.kernel(call, tier),
        call=call,
        inputs=(source,),
        outputs=(result,),
        params=operator.pack(call, tier),
        scratch_bytes=operator.scratch_bytes(call, tier),
        leads=(operator.overlap_lead(call, tier, 0),),
        macs=0,
        source=origin,
    )
