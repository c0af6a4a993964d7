"""A lowered model: kernels in the order in which they run, and the tensors they read and write."""

import dataclasses
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from compiler.errors import Source
from kernels.operator import Call, TensorType, Tier


@dataclasses.dataclass(frozen=True)
class Step:
    """One kernel call. Tensors are known by name; params is the constant the kernel reads beside them."""

    layer: str
    kernel: str
    call: Call
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    params: bytes
    scratch_bytes: int
    leads: tuple[int | None, ...]  # per input: Operator.overlap_lead
    macs: int
    source: Source | None = None

    @property
    def scratch(self) -> str:
        """Name of the step's working memory in the memory plan."""
        return f"{self.layer}.scratch"


@dataclasses.dataclass(frozen=True)
class ProgramPort:
    """An input or output of the firmware. Axis i is axis permutation[i] in the user's model."""

    name: str
    tensor: str
    type: TensorType
    permutation: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class ProgramState:
    """What lasts from run to run: tensor `before` when a run begins, `after`, of as many bytes, when it ends. Before the first run it is
    `first`. Axis i is axis permutation[i] in the user's model.
    """

    name: str
    before: str
    after: str
    type: TensorType
    permutation: tuple[int, ...]
    first: np.ndarray


@dataclasses.dataclass(frozen=True)
class View:
    """A tensor that has no memory of its own: its bytes are those of tensor `storage` from `offset` bytes on."""

    storage: str
    offset: int


@dataclasses.dataclass(frozen=True)
class Program:
    """`steps` run one after another. `elided` need not run: their tensors lie where the bytes are already, as `views` says."""

    name: str
    tier: Tier
    inputs: tuple[ProgramPort, ...]
    outputs: tuple[ProgramPort, ...]
    tensors: Mapping[str, TensorType]  # those in working memory
    constants: Mapping[str, np.ndarray]  # tensors that kernels read from flash, params aside
    steps: tuple[Step, ...]
    weights_bytes: int  # int8 weights before packing
    elided: tuple[Step, ...] = ()
    views: Mapping[str, View] = dataclasses.field(default_factory=dict)
    method: str = "forward"
    states: tuple[ProgramState, ...] = ()

    @cached_property
    def kept(self) -> frozenset[str]:
        """The tensors in which state lies, and nothing else."""
        return frozenset(state.before for state in self.states)

    def location(self, tensor: str) -> View:
        """The tensor with memory of its own in which it lies, and where in it."""
        offset = 0
        while tensor in self.views:
            offset += self.views[tensor].offset
            tensor = self.views[tensor].storage
        return View(tensor, offset)

    def layer_of(self, tensor: str) -> str:
        """The layer that computes the tensor; the tensor's own name for an input of the model."""
        return next((step.layer for step in (*self.steps, *self.elided) if tensor in step.outputs), tensor)
