"""How reductions walk through their input, of whatever dtype: neighbouring axes that are all reduced, or all kept, count as one; of
either kind there may be two."""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct

GEOMETRY = tuple(
    Field(f"{kind}_{place}{what}", "std::uint32_t", doc)
    for kind in ("kept", "reduced")
    for place, what, doc in (
        ("outer", "", "size"),
        ("inner", "", "size"),
        ("outer", "_step", "elements between neighbours in the input"),
        ("inner", "_step", "likewise"),
    )
)

REDUCTION_PARAMS = ParamsStruct("ReductionParams", "A maximum or minimum over axes, or where it is.", GEOMETRY)


@dataclasses.dataclass(frozen=True)
class Geometry:
    """Axes as (size, step in elements of the input), outer before inner; kept[0], kept[1] is also the output's order."""

    kept: tuple[tuple[int, int], tuple[int, int]]
    reduced: tuple[tuple[int, int], tuple[int, int]]

    @classmethod
    def of(cls, call: Call) -> "Geometry":
        """Raises UnsupportedError where shapes and axes contradict each other, or kept and reduced axes alternate too often."""
        shape, axes = call.inputs[0].shape, set(call.attributes["axes"])
        if not axes or any(not 0 <= axis < len(shape) for axis in axes):
            raise UnsupportedError(f"{call.operator}: no axes {sorted(axes)} in {list(shape)}")
        if not 0 < math.prod(shape) < 2**30:
            raise UnsupportedError(f"{call.operator}: the input is empty or has 2^30 elements or more")
        kept = tuple(size for axis, size in enumerate(shape) if axis not in axes)
        keepdim = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
        if call.outputs[0].shape not in (kept, keepdim):
            raise UnsupportedError(f"{call.operator}: {list(shape)} over {sorted(axes)} is not {list(call.outputs[0].shape)}")
        groups: dict[bool, list[tuple[int, int]]] = {False: [], True: []}
        last = None
        for axis, size in enumerate(shape):
            if size == 1:
                continue
            own, step = groups[axis in axes], math.prod(shape[axis + 1 :])
            if last == (axis in axes):
                own[-1] = (own[-1][0] * size, step)
            else:
                own.append((size, step))
            last = axis in axes
        if max(map(len, groups.values())) > 2:
            raise UnsupportedError(f"{call.operator}: reduced axes {sorted(axes)} of {list(shape)} lie in more than two places")
        outer_first = {key: tuple([(1, 0)] * (2 - len(group)) + group) for key, group in groups.items()}
        return cls(kept=outer_first[False], reduced=outer_first[True])

    @property
    def count(self) -> int:
        """Elements that become one."""
        return self.reduced[0][0] * self.reduced[1][0]

    def fields(self) -> dict[str, int]:
        return {
            f"{kind}_{place}{suffix}": number
            for kind, axes in (("kept", self.kept), ("reduced", self.reduced))
            for place, axis in zip(("outer", "inner"), axes)
            for suffix, number in zip(("", "_step"), axis)
        }


class Reduction:
    """What descriptions of reductions share, of whatever dtype."""

    name: str
    suffix = "s8"
    input_dtype = "int8"
    output_dtype = "int8"

    def kernel(self, call: Call, tier: Tier) -> str:
        self.geometry(call)
        return f"{self.name}_{self.suffix}"

    def pack(self, call: Call, tier: Tier) -> bytes:
        return REDUCTION_PARAMS.pack(self.geometry(call).fields())

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        """Outputs are written in order, each after the elements it depends on are read."""
        (outer, outer_step), (inner, inner_step) = self.geometry(call).kept
        first_read = (np.arange(outer)[:, None] * outer_step + np.arange(inner) * inner_step).reshape(-1)
        first_read *= np.dtype(self.input_dtype).itemsize
        still_read = np.minimum.accumulate(first_read[::-1])[::-1]
        written = np.arange(1, len(first_read)) * np.dtype(self.output_dtype).itemsize
        return max(0, int((written - still_read[1:]).max(initial=0)))

    def macs(self, call: Call) -> int:
        return 0

    def geometry(self, call: Call) -> Geometry:
        if (call.inputs[0].dtype, call.outputs[0].dtype) != (self.input_dtype, self.output_dtype):
            raise UnsupportedError(f"{self.name} needs {self.input_dtype} input and {self.output_dtype} output")
        return Geometry.of(call)


class IndexReduction(Reduction):
    """argmax and argmin, of whatever dtype."""

    output_dtype = "int32"

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        (axis,) = call.attributes["axes"]
        choose = np.argmax if self.name == "argmax" else np.argmin
        return [choose(inputs[0], axis=axis).astype(np.int32).reshape(call.outputs[0].shape)]

    def geometry(self, call: Call) -> Geometry:
        if len(call.attributes["axes"]) != 1:
            raise UnsupportedError(f"{self.name} is over one axis")
        return super().geometry(call)
