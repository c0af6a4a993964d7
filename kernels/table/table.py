"""table: any function of one int8 value, as a table of its 256 results.

    y[i] = table[x[i] + 128]

Attributes of a call: table, int8[256], the results for -128 to 127.

Kernel: table_s8
"""

from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Array, Field, ParamsStruct
from kernels.signature import KernelSignature

TABLE_PARAMS = ParamsStruct(
    "TableParams",
    "A function of int8.",
    (Field("count", "std::uint32_t", "elements"),),
    (Array("table", "std::int8_t", "256 results, for 0 to 127, then -128 to -1: by the argument's bits as an unsigned number."),),
)

PARAMS = (TABLE_PARAMS,)

KERNELS = (
    KernelSignature("table_s8", ("std::int8_t",), TABLE_PARAMS.name, False, ("std::int8_t",), "kernels/table/table.h"),
)


class Table:
    name = "table"

    def kernel(self, call: Call, tier: Tier) -> str:
        source, result = call.inputs[0], call.outputs[0]
        if source.dtype != "int8" or result.dtype != "int8" or source.shape != result.shape:
            raise UnsupportedError("table needs int8 input and output of one shape")
        table = call.attributes["table"]
        if table.dtype != np.int8 or table.shape != (256,):
            raise UnsupportedError("table needs 256 int8 results")
        return "table_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        self.kernel(call, tier)
        return TABLE_PARAMS.pack({"count": call.outputs[0].nbytes}, {"table": np.roll(call.attributes["table"], 128).tobytes()})

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        return 0

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [call.attributes["table"][inputs[0].astype(np.int64) + 128]]

    def macs(self, call: Call) -> int:
        return 0


OPERATOR = Table()
