"""What a description of an operator is.

An operator is described once, by an `Operator` object in its family's folder. The compiler (lowering, packing, planning), the
generator of the C++ parameter header and the tests all read that object; nothing about an operator is written down twice.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np

Tier = Literal["scalar", "dsp", "mve"]
TIERS: tuple[Tier, ...] = ("scalar", "dsp", "mve")


class UnsupportedError(ValueError):
    """No kernel of this operator serves the call; the message says why, in one clause."""


@dataclasses.dataclass(frozen=True)
class TensorType:
    """Shape (NHWC where rank is 4), dtype ("int8", "int16", "int32", "float32", "uint8") and affine quantisation of a tensor.

    real = (q - zero_point) * scale; scale is 0.0 where the tensor is not quantised.
    """

    shape: tuple[int, ...]
    dtype: str
    scale: float = 0.0
    zero_point: int = 0

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize


@dataclasses.dataclass(frozen=True)
class Call:
    """One use of an operator: what flows in and out, and its attributes (plain ints, tuples and NumPy arrays)."""

    operator: str
    inputs: tuple[TensorType, ...]
    outputs: tuple[TensorType, ...]
    attributes: Mapping[str, Any]


class Operator(Protocol):
    """The description. All functions are pure; those that take a tier may answer differently for each."""

    name: str

    def kernel(self, call: Call, tier: Tier) -> str:
        """The kernel that serves this call, e.g. "conv2d_1x1_s8". Raises UnsupportedError."""

    def pack(self, call: Call, tier: Tier) -> bytes:
        """The params constant: the struct, then arrays (weights in the kernel's order, bias with zero points folded, ...)."""

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        """Bytes of working memory the kernel needs beside inputs and outputs; 0 for none."""

    def overlap_lead(self, call: Call, tier: Tier, input_index: int) -> int | None:
        """A d >= 0, as small as can be promised, such that output[0] may start d or more bytes before this input; None: never overlap."""

    def reference(self, call: Call, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The operator in exact integer arithmetic, or in float32 rounded step by step: what every tier must compute, byte for byte."""

    def macs(self, call: Call) -> int:
        """Multiply-accumulates of this call, for reports."""
