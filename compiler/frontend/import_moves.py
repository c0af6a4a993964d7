"""Imports ATen operators that move data: each is a concat, or takes elements along its axes (compiler/ir.py: take)."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.fx import Node

Indices = tuple[tuple[int, ...] | None, ...]
Imported = tuple[str, Sequence[Node], dict[str, Any]]


class UnsupportedMove(Exception):
    """A use that cannot be compiled; the message says which, in one clause."""


def concat(node: Node, a: Mapping[str, Any]) -> Imported:
    # PyTorch lets an empty vector be joined to anything.
    tensors = [tensor for tensor in a["tensors"] if tensor.meta["val"].numel()]
    return "concat", tensors, {"axis": a["dim"] % node.meta["val"].dim()}


def slice_(node: Node, a: Mapping[str, Any]) -> Imported:
    return _take_along(a["self"], a["dim"], range(_size(a["self"], a["dim"]))[a["start"] : a["end"] : a["step"]])


def flip(node: Node, a: Mapping[str, Any]) -> Imported:
    rank = a["self"].meta["val"].dim()
    flipped = {axis % rank for axis in a["dims"]}
    return _take(a["self"], [range(_size(a["self"], axis))[::-1] if axis in flipped else None for axis in range(rank)])


def expand(node: Node, a: Mapping[str, Any]) -> Imported:
    sizes = zip(a["self"].meta["val"].shape, node.meta["val"].shape)
    return _take(a["self"], [None if before == after else (0,) * after for before, after in sizes])


def repeat(node: Node, a: Mapping[str, Any]) -> Imported:
    shape = a["self"].meta["val"].shape
    if len(shape) != len(a["repeats"]):
        raise UnsupportedMove("repeat that adds axes is not supported: unsqueeze first")
    return _take(a["self"], [None if n == 1 else tuple(range(size)) * n for size, n in zip(shape, a["repeats"])])


def repeat_interleave(node: Node, a: Mapping[str, Any]) -> Imported:
    if a["dim"] is None:
        raise UnsupportedMove("repeat_interleave needs an axis: flatten first")
    return _take_along(a["self"], a["dim"], [i for i in range(_size(a["self"], a["dim"])) for _ in range(a["repeats"])])


def index_select(node: Node, a: Mapping[str, Any], index: torch.Tensor | None) -> Imported:
    """`index` is the operand's value, None if it is not constant."""
    if index is None:
        raise UnsupportedMove("index_select needs constant indices")
    return _take_along(a["self"], a["dim"], index.tolist())


def upsample_nearest(node: Node, a: Mapping[str, Any]) -> Imported:
    """Which pixel PyTorch takes depends on the rounding of its scale factors; so it is asked, with pixels that know their place."""
    x = a["self"] if "self" in a else a["input"]
    shape, result = x.meta["val"].shape, node.meta["val"].shape
    others = node.args[1:]
    indices: list[tuple[int, ...] | None] = [None, None]
    for axis in range(2, len(shape)):
        if max(shape[axis], result[axis]) >= 2**24:
            raise UnsupportedMove("upsampling of an axis of 2^24 pixels or more is not supported")
        ramp = torch.arange(shape[axis], dtype=torch.float32).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        places = node.target(ramp.expand(1, 1, *shape[2:]), *others, **node.kwargs)
        line = places[tuple(slice(None) if i == axis else 0 for i in range(len(shape)))].int().tolist()
        indices.append(None if line == list(range(shape[axis])) else tuple(line))
    return _take(x, indices)


def pad_with_itself(node: Node, a: Mapping[str, Any]) -> Imported:
    """Padding by elements of the tensor (circular, reflect, replicate), and cutting off; PyTorch is asked which, axis by axis."""
    rank = a["self"].meta["val"].dim()
    indices: list[tuple[int, ...] | None] = [None] * rank
    for i, pads in enumerate(zip(a["pad"][::2], a["pad"][1::2])):
        if any(pads):
            line = torch.arange(_size(a["self"], rank - 1 - i), dtype=torch.float32)
            padded = torch.nn.functional.pad(line[None, None], pads, mode=a["mode"]) if a["mode"] != "constant" else line[_uncut(line, pads)]
            indices[rank - 1 - i] = tuple(padded.flatten().int().tolist())
    return _take(a["self"], indices)


def _uncut(line: torch.Tensor, pads: tuple[int, int]) -> slice:
    return slice(-pads[0], len(line) + pads[1])


def _size(x: Node, axis: int) -> int:
    return int(x.meta["val"].shape[axis])


def _take_along(x: Node, axis: int, indices: Sequence[int]) -> Imported:
    rank = x.meta["val"].dim()
    if not indices:
        raise UnsupportedMove("its result is empty")
    return _take(x, [tuple(indices) if i == axis % rank else None for i in range(rank)])


def _take(x: Node, indices: Sequence[Sequence[int] | None]) -> Imported:
    return "take", [x], {"indices": tuple(None if picks is None else tuple(int(i) for i in picks) for picks in indices)}
