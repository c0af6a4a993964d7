"""sum, amax, amin and argmax over any axes of an int8 tensor.

    sum      y = requantise(sum of (x - input zero point), factor) + output zero point, clamped to int8; a mean has 1/count in its factor
             Attributes: axes; multiplier, shift (factor: input scale / output scale, for a mean / count); input_zero_point,
             output_zero_point
    amax     the largest element; amin the smallest. Input and output share scale and zero point. Attribute: axes
    argmax   int32, the index of the first of the largest elements along one axis. Attribute: axes, with one element

The output may keep the reduced axes, with size 1, or not. Neighbouring axes that are all reduced, or all kept, count as one; of
either kind there may be two.

Kernels: sum_s8, amax_s8, amin_s8, argmax_s8
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field, ParamsStruct
from kernels.requantise import INT32_MAX, requantise
from kernels.signature import KernelSignature

_GEOMETRY = tuple(
    Field(f"{kind}_{place}{what}", "std::uint32_t", doc)
    for kind in ("kept", "reduced")
    for place, what, doc in (
        ("outer", "", "size"),
        ("inner", "", "size"),
        ("outer", "_step", "elements between neighbours in the input"),
        ("inner", "_step", "likewise"),
    )
)

SUM_PARAMS = ParamsStruct(
    "SumParams",
    "A sum or mean over axes.",
    (
        *_GEOMETRY,
        Field("offset", "std::int32_t", "to be added to a sum: -count * input zero point"),
        Field("multiplier", "std::int32_t", ""),
        Field("shift", "std::int32_t", ""),
        Field("output_zero_point", "std::int32_t", ""),
    ),
)

REDUCTION_PARAMS = ParamsStruct("ReductionParams", "A maximum or minimum over axes, or where it is.", _GEOMETRY)

PARAMS = (SUM_PARAMS, REDUCTION_PARAMS)


def _kernel(name: str, params: ParamsStruct, output: str = "std::int8_t") -> KernelSignature:
    return KernelSignature(name, ("std::int8_t",), params.name, False, (output,), "kernels/reduce/reduce.h")


KERNELS = (
    _kernel("sum_s8", SUM_PARAMS),
    _kernel("amax_s8", REDUCTION_PARAMS),
    _kernel("amin_s8", REDUCTION_PARAMS),
    _kernel("argmax_s8", REDUCTION_PARAMS, "std::int32_t"),
)


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


class _Reduction:
    name: str
    output_dtype = "int8"

    def kernel(self, call: Call, tier: Tier) -> str:
        self._geometry(call)
        return f"{self.name}_s8"

    def pack(self, call: Call, tier: Tier) -> bytes:
        return REDUCTION_PARAMS.pack(self._geometry(call).fields())

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        """Outputs are written in order, each after the elements it depends on are read."""
        (outer, outer_step), (inner, inner_step) = self._geometry(call).kept
        first_read = (np.arange(outer)[:, None] * outer_step + np.arange(inner) * inner_step).reshape(-1)
        still_read = np.minimum.accumulate(first_read[::-1])[::-1]
        written = np.arange(1, len(first_read)) * np.dtype(self.output_dtype).itemsize
        return max(0, int((written - still_read[1:]).max(initial=0)))

    def macs(self, call: Call) -> int:
        return 0

    def _geometry(self, call: Call) -> Geometry:
        if (call.inputs[0].dtype, call.outputs[0].dtype) != ("int8", self.output_dtype):
            raise UnsupportedError(f"{self.name} needs int8 input and {self.output_dtype} output")
        return Geometry.of(call)


class Sum(_Reduction):
    name = "sum"

    def pack(self, call: Call, tier: Tier) -> bytes:
        geometry, attributes = self._geometry(call), call.attributes
        values = {
            "offset": -geometry.count * attributes["input_zero_point"],
            "multiplier": attributes["multiplier"],
            "shift": max(attributes["shift"], -31),
            "output_zero_point": attributes["output_zero_point"],
        }
        return SUM_PARAMS.pack(geometry.fields() | values)

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        attributes = call.attributes
        total = (inputs[0].astype(np.int64) - attributes["input_zero_point"]).sum(axis=attributes["axes"])
        y = requantise(total, attributes["multiplier"], attributes["shift"]) + attributes["output_zero_point"]
        return [np.clip(y, -128, 127).astype(np.int8).reshape(call.outputs[0].shape)]

    def _geometry(self, call: Call) -> Geometry:
        geometry, attributes = super()._geometry(call), call.attributes
        if not all(-128 <= attributes[key] <= 127 for key in ("input_zero_point", "output_zero_point")):
            raise UnsupportedError("sum: a zero point is outside int8")
        if attributes["multiplier"] and not 2**30 <= attributes["multiplier"] <= INT32_MAX:
            raise UnsupportedError("sum: the multiplier is neither 0 nor in [2^30, 2^31)")
        if geometry.count * 255 << max(attributes["shift"], 0) > INT32_MAX:
            raise UnsupportedError(f"sum: {geometry.count} elements with shift {attributes['shift']} could overflow int32")
        return geometry


class _Extreme(_Reduction):
    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        choose = np.max if self.name == "amax" else np.min
        return [choose(inputs[0], axis=tuple(call.attributes["axes"])).reshape(call.outputs[0].shape)]


class AMax(_Extreme):
    name = "amax"


class AMin(_Extreme):
    name = "amin"


class ArgMax(_Reduction):
    name = "argmax"
    output_dtype = "int32"

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        (axis,) = call.attributes["axes"]
        return [np.argmax(inputs[0], axis=axis).astype(np.int32).reshape(call.outputs[0].shape)]

    def _geometry(self, call: Call) -> Geometry:
        if len(call.attributes["axes"]) != 1:
            raise UnsupportedError("argmax is over one axis")
        return super()._geometry(call)


OPERATORS = (Sum(), AMax(), AMin(), ArgMax())
