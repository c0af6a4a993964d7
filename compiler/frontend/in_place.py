"""Operators that write in place become those that do not, x.relu_() x.relu(), and are refused where that is not the same:

    part = x[:, :2]; part.add_(1); f(x)       f is to see what was written through a view

What changes buffers is the model's state (state.py), which is lifted out before.
"""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.nodes import node_error
from compiler.frontend.user_code import UserCode

READ_THROUGH_ANOTHER_VIEW = (
    "it writes in place to a tensor that is read afterwards through another view; use the operator that is not in place, or torch.cat to put parts together"
)


def write_nothing_in_place(module: GraphModule, code: UserCode) -> None:
    """Of an exported module, as it comes. Raises CompileError."""
    writing = [node for node in module.graph.nodes if writes(node)]
    for node in writing:
        written = node.args[0]
        *_, storage = views(written)
        if any(overlap(other, written) for other in read_later(storage, node)):
            raise node_error(node, code, READ_THROUGH_ANOTHER_VIEW)
    for node in writing:
        node.target = counterpart(node.target)
    module.recompile()


def counterpart(target: torch._ops.OpOverload) -> torch._ops.OpOverload:
    """aten.relu.default for aten.relu_.default; the target itself, which is not supported, if it has none."""
    packet = getattr(torch.ops.aten, target.overloadpacket.__name__.removesuffix("_"), None)
    return getattr(packet, target._overloadname, target)


def writes(node: Node) -> bool:
    return _schema_says(node, lambda operands, _: operands and operands[0].alias_info is not None and operands[0].alias_info.is_write)


def _is_view(node: Node) -> bool:
    """Whether the result may lie in the first operand's memory: of reshape and the like too, which copy only if they must."""
    return _schema_says(node, lambda _, results: results and results[0].alias_info is not None)


def _schema_says(node: Node, says: Callable[[Sequence, Sequence], object]) -> bool:
    schema = getattr(node.target, "_schema", None) if node.op == "call_function" else None
    return schema is not None and bool(says(schema.arguments, schema.returns))


def views(node: Node) -> Iterator[Node]:
    """The node, what it is a view of, and so on up to the tensor that owns the memory."""
    yield node
    while _is_view(node) or getattr(node.target, "__name__", "") == "getitem":
        node = node.args[0]
        yield node


def read_later(storage: Node, write: Node) -> Iterator[Node]:
    """Tensors in that memory from before `write` that are read after it."""
    nodes = list(write.graph.nodes)
    before, after = nodes[: nodes.index(write)], set(nodes[nodes.index(write) + 1 :])
    for node in before:
        if storage in views(node) and not after.isdisjoint(node.users):
            yield node


def overlap(first: Node, second: Node) -> bool:
    """Whether elements of the two may share memory; parts of several tensors, such as a chunk's, are asked themselves."""
    values = first.meta.get("val"), second.meta.get("val")
    if not all(isinstance(value, torch.Tensor) for value in values):
        return False
    (start, end), (other_start, other_end) = map(_extent, values)
    return start < other_end and other_start < end


def _extent(value: torch.Tensor) -> tuple[int, int]:
    """First element and one past the last in its storage."""
    start = value.storage_offset()
    return start, start + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride())) + 1
