"""Float rewrites before quantisation: operators that do several things, or move data in several ways, as operators that each do one.

chunk, split, tensor_split, unbind                     ->  a slice (and squeeze) per result
select                                                 ->  slice, squeeze
stack                                                  ->  unsqueeze per operand, cat
pixel_shuffle, pixel_unshuffle, channel_shuffle        ->  view, permute, view
other names of an operator (swapaxes, clip, ...)       ->  the one that there is
expand to more axes                                    ->  view, expand
max, min of all elements; max, min along an axis       ->  amax, amin; amax and argmax, amin and argmin
argmax, argmin of all elements                         ->  view, argmax, argmin
matmul of batches that repeat along some axes only     ->  expand, matmul
matmul with a vector, mv, dot                          ->  view, matmul, view
"""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.writer import Writer

aten = torch.ops.aten

SPLITS = {
    aten.chunk.default,
    aten.split.Tensor,
    aten.split.sizes,
    aten.split_with_sizes.default,
    aten.tensor_split.indices,
    aten.tensor_split.sections,
}


def decompose_moves(module: GraphModule) -> None:
    for node in list(module.graph.nodes):
        if node.op != "call_function":
            continue
        node.target = ALIASES.get(node.target, node.target)
        if node.target in SPLITS or node.target is aten.unbind.int:
            _split(module, node)
        elif node.target in (aten.max.dim, aten.min.dim):
            _split_extreme(module, node)
        elif node.target in DECOMPOSITIONS:
            result = DECOMPOSITIONS[node.target](Writer(module, node), node)
            if result is not None:
                node.replace_all_uses_with(result)
                module.graph.erase_node(node)
    module.graph.eliminate_dead_code()
    module.recompile()


def _split(module: GraphModule, node: Node) -> None:
    x = node.args[0]
    # The schemas call their second argument and their axis by several names; what they make tells all.
    dim = node.kwargs.get("dim", node.args[-1] if len(node.args) > (1 if node.target is aten.unbind.int else 2) else 0)
    dim %= x.meta["val"].dim()
    unbinds = node.target is aten.unbind.int
    starts = [0]
    for part in node.meta["val"]:
        starts.append(starts[-1] + (1 if unbinds else part.shape[dim]))
    for user in list(node.users):
        if user.target is not operator.getitem:
            return
        index = user.args[1] % (len(starts) - 1)
        writer = Writer(module, user)
        part = writer.call(aten.slice.Tensor, x, dim, starts[index], starts[index + 1])
        user.replace_all_uses_with(writer.call(aten.squeeze.dim, part, dim) if unbinds else part)
        module.graph.erase_node(user)


def _split_extreme(module: GraphModule, node: Node) -> None:
    """The values, and the indices, of max and min along an axis."""
    x, dim = node.args[:2]
    keepdim = node.args[2] if len(node.args) > 2 else node.kwargs.get("keepdim", False)
    largest = node.target is aten.max.dim
    for user in list(node.users):
        if user.target is not operator.getitem:
            continue
        writer = Writer(module, user)
        if user.args[1] == 1:
            result = writer.call(aten.argmax.default if largest else aten.argmin.default, x, dim, keepdim)
        else:
            result = writer.call(aten.amax.default if largest else aten.amin.default, x, [dim], keepdim)
        user.replace_all_uses_with(result)
        module.graph.erase_node(user)


def _over_all(target: Any) -> Callable[[Writer, Node], Node]:
    return lambda writer, node: writer.call(target, node.args[0], list(range(node.args[0].meta["val"].dim())))


def _index_in_all(writer: Writer, node: Node) -> Node | None:
    if len(node.args) > 1 and node.args[1] is not None:
        return None
    kept = node.meta["val"].dim()  # axes of size 1, as many as the operand has, or none
    flat = writer.call(aten.view.default, node.args[0], [1] * (kept - 1) + [-1])
    return writer.call(node.target, flat, -1, kept > 0)


def _select(writer: Writer, node: Node) -> Node | None:
    x, dim, index = node.args
    size = x.meta["val"].shape[dim]
    if size == 1:
        return None
    part = writer.call(aten.slice.Tensor, x, dim, index % size, index % size + 1)
    return writer.call(aten.squeeze.dim, part, dim)


def _stack(writer: Writer, node: Node) -> Node:
    operands: Sequence[Node] = node.args[0]
    dim = (node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", 0)) % node.meta["val"].dim()
    return writer.call(aten.cat.default, [writer.call(aten.unsqueeze.default, operand, dim) for operand in operands], dim)


def _shuffled(writer: Writer, node: Node, wide: Sequence[int], order: Sequence[int]) -> Node:
    view = writer.call(aten.view.default, node.args[0], list(wide))
    permuted = writer.call(aten.permute.default, view, list(order))
    return writer.call(aten.reshape.default, permuted, list(node.meta["val"].shape))


def _pixel_shuffle(writer: Writer, node: Node) -> Node:
    *batch, _, height, width = node.args[0].meta["val"].shape
    factor, n = node.args[1], len(batch)
    return _shuffled(writer, node, (*batch, -1, factor, factor, height, width), (*range(n), n, n + 3, n + 1, n + 4, n + 2))


def _pixel_unshuffle(writer: Writer, node: Node) -> Node:
    *batch, channels, height, width = node.args[0].meta["val"].shape
    factor, n = node.args[1], len(batch)
    wide = (*batch, channels, height // factor, factor, width // factor, factor)
    return _shuffled(writer, node, wide, (*range(n), n, n + 2, n + 4, n + 1, n + 3))


def _channel_shuffle(writer: Writer, node: Node) -> Node:
    batch, channels, *image = node.args[0].meta["val"].shape
    groups = node.args[1]
    order = (0, 2, 1, *range(3, 3 + len(image)))
    return _shuffled(writer, node, (batch, groups, channels // groups, *image), order)


def _expand(writer: Writer, node: Node) -> Node | None:
    x, sizes = node.args[:2]
    shape = x.meta["val"].shape
    if len(shape) == len(sizes):
        return None
    view = writer.call(aten.view.default, x, [1] * (len(sizes) - len(shape)) + list(shape))
    return writer.call(aten.expand.default, view, list(node.meta["val"].shape))


def _matmul(writer: Writer, node: Node) -> Node | None:
    """The kernel takes matrices: one for all, or as many of either operand as of the result."""
    result = node.meta["val"].shape
    shapes = [operand.meta["val"].shape for operand in node.args]
    if min(map(len, shapes)) == 1:
        wide = zip(node.args, shapes, ([1, -1], [-1, 1]))
        matrices = [writer.call(aten.view.default, x, as_matrix) if len(shape) == 1 else x for x, shape, as_matrix in wide]
        return writer.call(aten.view.default, writer.call(aten.matmul.default, *matrices), list(result))
    if any(math.prod(shape[:-2]) == 1 for shape in shapes):
        return None
    repeated = [math.prod(shape[:-2]) != math.prod(result[:-2]) for shape in shapes]
    if not any(repeated):
        return None
    return writer.call(node.target, *(_of_batches(writer, x, result[:-2]) if repeats else x for x, repeats in zip(node.args, repeated)))


def _of_batches(writer: Writer, x: Node, front: Sequence[int]) -> Node:
    shape = x.meta["val"].shape
    view = writer.call(aten.view.default, x, [1] * (len(front) + 2 - len(shape)) + list(shape))
    return writer.call(aten.expand.default, view, [*front, *shape[-2:]])


ALIASES: dict[Any, Any] = {
    aten.clip.default: aten.clamp.default,
    aten.concat.default: aten.cat.default,
    aten.concatenate.default: aten.cat.default,
    aten.divide.Tensor: aten.div.Tensor,
    aten.dot.default: aten.matmul.default,
    aten.multiply.Tensor: aten.mul.Tensor,
    aten.mv.default: aten.matmul.default,
    aten.subtract.Tensor: aten.sub.Tensor,
    aten.swapaxes.default: aten.transpose.int,
    aten.swapdims.default: aten.transpose.int,
    aten.true_divide.Tensor: aten.div.Tensor,
}
"""Operators that take the same arguments."""

DECOMPOSITIONS: dict[Any, Callable[[Writer, Node], Node | None]] = {
    aten.argmax.default: _index_in_all,
    aten.argmin.default: _index_in_all,
    aten.channel_shuffle.default: _channel_shuffle,
    aten.expand.default: _expand,
    aten.matmul.default: _matmul,
    aten.max.default: _over_all(aten.amax.default),
    aten.mean.default: _over_all(aten.mean.dim),
    aten.min.default: _over_all(aten.amin.default),
    aten.pixel_shuffle.default: _pixel_shuffle,
    aten.pixel_unshuffle.default: _pixel_unshuffle,
    aten.select.int: _select,
    aten.stack.default: _stack,
    aten.sum.default: _over_all(aten.sum.dim_IntList),
}
