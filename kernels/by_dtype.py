"""`ByDtype`: an operator that has a description per dtype of its inputs, each in its own file."""

from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, Operator, Tier


class ByDtype:
    """The operator of calls on int8 (and whatever the int8 form refuses with a reason), of int8 with a result of int16 where there is such, and on float32."""

    def __init__(self, int8: Operator, float32: Operator, int16_result: Operator | None = None):
        self.name = int8.name
        self.int8 = int8
        self.float32 = float32
        self.int16_result = int16_result

    def form(self, call: Call) -> Operator:
        """The description that judges the call."""
        if call.inputs and call.inputs[0].dtype == "float32":
            return self.float32
        return self.int16_result if self.int16_result and call.outputs[0].dtype == "int16" else self.int8

    def kernel(self, call: Call, tier: Tier) -> str:
        return self.form(call).kernel(call, tier)

    def pack(self, call: Call, tier: Tier) -> bytes:
        return self.form(call).pack(call, tier)

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return self.form(call).scratch_bytes(call, tier)

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return self.form(call).overlap_lead(call, tier, input_index)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return self.form(call).reference(call, inputs)

    def macs(self, call: Call) -> int:
        return self.form(call).macs(call)
