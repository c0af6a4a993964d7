"""Which elements are normalised together: of [outer][positions][groups][depth] those of one (outer, group)."""

import dataclasses
import math

import numpy as np

from kernels.operator import Call, UnsupportedError
from kernels.params import Field

GEOMETRY_FIELDS = (
    Field("outer", "std::uint32_t", ""),
    Field("positions", "std::uint32_t", ""),
    Field("groups", "std::uint32_t", ""),
    Field("depth", "std::uint32_t", ""),
)


@dataclasses.dataclass(frozen=True)
class Geometry:
    outer: int
    positions: int
    groups: int
    depth: int

    @classmethod
    def of(cls, call: Call) -> "Geometry":
        """Raises UnsupportedError where the attributes do not fit the shape or each other."""
        positions, groups, depth = (call.attributes[key] for key in ("positions", "groups", "depth"))
        size, image = math.prod(call.inputs[0].shape), positions * groups * depth
        if image <= 0 or size == 0 or size % image:
            raise UnsupportedError(f"normalise: {positions} x {groups} x {depth} elements do not divide {list(call.inputs[0].shape)}")
        if any(np.shape(call.attributes[key]) != (groups * depth,) for key in ("factor", "offset")):
            raise UnsupportedError(f"normalise needs {groups * depth} factors and offsets")
        return cls(size // image, positions, groups, depth)

    @property
    def count(self) -> int:
        """Elements that are normalised together."""
        return self.positions * self.depth

    def fields(self) -> dict[str, int]:
        return dataclasses.asdict(self)

    def overlap_lead(self) -> int:
        """In elements. A group may overwrite itself; where groups interlace, the last of one must not reach the first of the next."""
        return 0 if self.groups == 1 or self.positions == 1 else (self.positions - 1) * self.groups * self.depth

    def rows(self, x: np.ndarray) -> np.ndarray:
        """[outer * groups, positions * depth]"""
        wide = x.reshape(self.outer, self.positions, self.groups, self.depth)
        return wide.transpose(0, 2, 1, 3).reshape(self.outer * self.groups, self.count)

    def unrowed(self, rows: np.ndarray) -> np.ndarray:
        """What `rows` has made these rows of."""
        return rows.reshape(self.outer, self.groups, self.positions, self.depth).transpose(0, 2, 1, 3)
