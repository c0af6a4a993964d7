"""Float rewrites before quantisation: pools as operators that there are.

max_pool2d_with_indices, read for its values    ->  max_pool2d; 1d alike
adaptive_max_pool2d, read for its values        ->  index_select, where windows are uneven, and max_pool2d; 1d alike
avg_pool2d with divisor_override                ->  a convolution of each channel whose weights are 1 / divisor, behind a pad if ceil_mode
                                                    lets windows hang over
sign(y) * relu(abs(y)), as in lp_pool            ->  y

Windows that are uneven are made even by taking their last row, or column, as often as the largest has more: a maximum stays as it is.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.writer import Writer
from kernels.adaptive_windows import AdaptiveWindows

aten = torch.ops.aten


def decompose_pools(module: GraphModule) -> None:
    for node in list(module.graph.nodes):
        if node.target in MAXIMA:
            _replace_values(module, node, MAXIMA[node.target])
        elif node.target is aten.avg_pool2d.default and len(node.args) > 6 and node.args[6] is not None:
            node.replace_all_uses_with(_sum_over(Writer(module, node), node))
            module.graph.erase_node(node)
        elif node.target is aten.mul.Tensor and (signed := _with_own_sign(*node.args)) is not None:
            node.replace_all_uses_with(signed)
    module.graph.eliminate_dead_code()
    module.recompile()


def _with_own_sign(sign: Any, size: Any) -> Node | None:
    """y, if these are sign(y) and relu(abs(y))."""
    if not (_calls(sign, aten.sign.default) and _calls(size, aten.relu.default) and _calls(size.args[0], aten.abs.default)):
        return None
    return sign.args[0] if sign.args[0] is size.args[0].args[0] else None


def _calls(node: Any, target: Any) -> bool:
    return isinstance(node, Node) and node.target is target


def _replace_values(module: GraphModule, node: Node, values: Callable[[Writer, Node], Node]) -> None:
    """The indices of the largest elements are left to be refused."""
    for user in list(node.users):
        if user.target is operator.getitem and user.args[1] == 0:
            user.replace_all_uses_with(values(Writer(module, user), node))
            module.graph.erase_node(user)


def _adaptive_maximum(pool: Any) -> Callable[[Writer, Node], Node]:
    def values(writer: Writer, node: Node) -> Node:
        x, sizes = node.args
        kernel, stride = [], []
        for axis, outputs in enumerate(sizes, start=node.args[0].meta["val"].dim() - len(sizes)):
            windows = AdaptiveWindows(node.args[0].meta["val"].shape[axis], outputs)
            step = windows.step
            if step is None:
                step = max(windows.sizes)
                taken = [min(start + i, end - 1) for start, end in zip(windows.starts, windows.ends) for i in range(step)]
                x = writer.call(aten.index_select.default, x, axis, writer.constant(f"{node.name}_axis_{axis}", torch.tensor(taken)))
            kernel.append(max(windows.sizes))
            stride.append(step)
        return writer.call(pool, x, kernel, stride)

    return values


def _plain_maximum(pool: Any) -> Callable[[Writer, Node], Node]:
    return lambda writer, node: writer.call(pool, *node.args)


MAXIMA: dict[Any, Callable[[Writer, Node], Node]] = {
    aten.adaptive_max_pool1d.default: _adaptive_maximum(aten.max_pool1d.default),
    aten.adaptive_max_pool2d.default: _adaptive_maximum(aten.max_pool2d.default),
    aten.max_pool1d_with_indices.default: _plain_maximum(aten.max_pool1d.default),
    aten.max_pool2d_with_indices.default: _plain_maximum(aten.max_pool2d.default),
}


def _sum_over(writer: Writer, node: Node) -> Node:
    x, kernel, stride, padding, _, _, divisor = node.args
    height, width = _pair(kernel)
    stride, padding = _pair(stride) if stride else (height, width), _pair(padding)
    *_, channels, rows, columns = x.meta["val"].shape
    hanging = [
        max(0, (result - 1) * step + size - length - 2 * pad)
        for result, step, size, length, pad in zip(node.meta["val"].shape[-2:], stride, (height, width), (rows, columns), padding)
    ]
    if any(hanging):
        x = writer.call(aten.pad.default, x, [0, hanging[1], 0, hanging[0]])
    weight = writer.constant(f"{node.name}_weight", torch.full((channels, 1, height, width), 1 / divisor))
    return writer.call(aten.conv2d.default, x, weight, None, list(stride), list(padding), [1, 1], channels)


def _pair(value: Sequence[int] | int) -> tuple[int, int]:
    first, *rest = value if isinstance(value, (list, tuple)) else (value,)
    return first, rest[0] if rest else first
