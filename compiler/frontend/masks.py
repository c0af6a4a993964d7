"""Attention masks: scores that softmax is to see as minus infinity become numbers that int8 and float can hold.

    masked_fill(scores, mask, -inf)              the mask is constant
    scores + mask                                of a constant mask that holds -inf, or -10000 and less as some write it

become scores * keep + depth * (1 - keep), if all that reads them is softmax, or a maximum that finds something unmasked everywhere;
elsewhere such constants are numbers like others. Computed in float, depth is -1e9. In int8 every step of depth costs resolution, so it is
no lower than calibration data need: ln(count of the masked) + 7 below the least maximum of a row, where all masked elements of the
row together weigh at most e^-7 of it, less than half a step of softmax's result.
"""

import math
import operator
from collections.abc import Callable, Iterable

import torch
from torch.fx import GraphModule, Interpreter, Node

from compiler.frontend.capture import Captured
from compiler.frontend.nodes import attribute, node_error
from compiler.frontend.streams import Item, Stream
from compiler.frontend.user_code import UserCode
from compiler.frontend.writer import Writer

aten = torch.ops.aten

MASKING = -1e4
"""Constants at and below this are meant to be minus infinity."""

FLOAT_DEPTH = -1e9
TRAINING_DEPTH = -20.0

_VANISHING = 7.0


_SOFTMAXES = {aten.log_softmax.int, aten.softmax.int}
_MAXIMA = {aten.amax.default, aten.argmax.default, aten.max.dim}
_PASSING = {
    aten.add.Tensor,
    aten.alias.default,
    aten.cat.default,
    aten.chunk.default,
    aten.clone.default,
    aten.contiguous.default,
    aten.expand.default,
    aten.flatten.using_ints,
    aten.masked_fill.Scalar,
    aten.permute.default,
    aten.reshape.default,
    aten.select.int,
    aten.slice.Tensor,
    aten.split.Tensor,
    aten.split_with_sizes.default,
    aten.squeeze.default,
    aten.squeeze.dim,
    aten.squeeze.dims,
    aten.transpose.int,
    aten.unbind.int,
    aten.unflatten.int,
    aten.unsqueeze.default,
    aten.view.default,
    aten.where.ScalarOther,
    aten.where.ScalarSelf,
    aten.where.self,
    operator.getitem,
}
"""What is masked in an operand of these is masked in their result."""


def unify_masks(module: GraphModule, code: UserCode) -> None:
    """The second form becomes the first, after fold_constants. Raises CompileError where infinity stays elsewhere."""
    for node in list(module.graph.nodes):
        if node.target is aten.sub.Tensor and not node.kwargs:
            _add_negative(module, node)
        if node.target is aten.add.Tensor and not node.kwargs:
            for scores, mask in (node.args, node.args[::-1]):
                if is_masking(module, mask) and isinstance(scores, Node) and _masks(node, attribute(module, str(mask.target)) <= MASKING):
                    _unify(module, node, scores, attribute(module, str(mask.target)).detach())
                    break
    module.graph.eliminate_dead_code()
    module.recompile()
    for node in module.graph.nodes:
        if is_masked(node) and node.args[1].op != "get_attr":
            raise node_error(node, code, "a mask of scores must be constant; add one that is an input, of numbers no less than needed")
        value = attribute(module, str(node.target)) if node.op == "get_attr" else None
        if isinstance(value, torch.Tensor) and torch.isinf(value).any():
            reason = "an operand, which is constant, holds infinity; only masks that are added to scores may"
            raise node_error(next(iter(node.users)), code, reason)


def _add_negative(module: GraphModule, node: Node) -> None:
    """In scores - 10000 * mask."""
    value = _constant(node.args[1]) if isinstance(node.args[1], Node) else None
    if value is not None and (value >= -MASKING).any() and isinstance(node.args[0], Node):
        node.target, node.args = aten.add.Tensor, (node.args[0], Writer(module, node).constant(f"{node.name}_negative", -value))


def is_masking(module: GraphModule, operand: object) -> bool:
    """Whether it is a constant that holds what is meant to be minus infinity, beside other numbers."""
    if not isinstance(operand, Node) or operand.op != "get_attr":
        return False
    value = attribute(module, str(operand.target))
    return value.is_floating_point() and value.numel() > 1 and bool((value <= MASKING).any()) and bool(value[value > MASKING].isfinite().all())


def _unify(module: GraphModule, node: Node, scores: Node, mask: torch.Tensor) -> None:
    writer = Writer(module, node)
    masked = mask <= MASKING
    rest = torch.where(masked, 0.0, mask)
    if rest.any():
        scores = writer.call(aten.add.Tensor, scores, writer.constant(f"{node.name}_bias", rest))
    elif scores.meta["val"].shape != node.meta["val"].shape:
        scores = writer.call(aten.expand.default, scores, list(node.meta["val"].shape))
    filled = writer.call(aten.masked_fill.Scalar, scores, writer.constant(f"{node.name}_mask", masked), -math.inf)
    node.replace_all_uses_with(filled)
    module.graph.erase_node(node)


def is_masked(node: Node) -> bool:
    """Whether it is a score mask of the first form."""
    if node.target is not aten.masked_fill.Scalar or node.args[2] > MASKING:
        return False
    return sharpness(node, _constant(node.args[1])) is not None


def _masks(node: Node, masked: torch.Tensor) -> bool:
    """Whether the sum `node` masks scores: a softmax of numbers that all are masked, or that none is, does not change with the mask."""
    masked = masked.expand(node.meta["val"].shape)
    softmaxes = [reader for reader in node.users if reader.target in _SOFTMAXES]
    some = [(masked.any(reader.args[1]) & ~masked.all(reader.args[1])).any() for reader in softmaxes]
    return all(some) and sharpness(node, masked) is not None


def sharpness(node: Node, masked: torch.Tensor | None) -> float | None:
    """By what the scores are multiplied, at least, before softmax. None if others than softmax read them and see what masked ones hold.

    masked: bools that broadcast to the scores, if constant.
    """
    least = None
    for reader in node.users:
        factor = _sharpness_for(reader, node, masked)
        if factor is None:
            return None
        least = factor if least is None else min(least, factor)
    return least


def _sharpness_for(reader: Node, node: Node, masked: torch.Tensor | None) -> float | None:
    if reader.target in _SOFTMAXES:
        return 1.0
    if reader.target in _MAXIMA:
        return 1.0 if masked is not None and len(reader.args) > 1 and not _masks_all(masked, node, reader.args[1]) else None
    factor = 1.0 if reader.target in _PASSING or _is_clamped_below(reader) else _factor(reader, node)
    further = None if factor is None else sharpness(reader, None)
    return None if further is None else factor * further


def _is_clamped_below(reader: Node) -> bool:
    """Whether it is a clamp that keeps what is masked from being lower than needed."""
    if reader.target is aten.clamp.default and len(reader.args) == 2 and not reader.kwargs:
        return reader.args[1] is not None and reader.args[1] <= MASKING
    return reader.target is aten.clamp_min.default and reader.args[1] <= MASKING


def _factor(reader: Node, node: Node) -> float | None:
    if reader.target not in (aten.mul.Tensor, aten.div.Tensor) or reader.args[0] is not node:
        return None
    number = reader.args[1]
    value = _constant(number) if isinstance(number, Node) else torch.tensor(float(number))
    if value is None or (value < 0).any() or not value.any():
        return None
    return value[value > 0].min().item() if reader.target is aten.mul.Tensor else 1 / value.max().item()


def _masks_all(masked: torch.Tensor, node: Node, axes: int | list[int]) -> bool:
    """Whether there is nothing unmasked along the axes somewhere."""
    return bool((~masked).expand(node.meta["val"].shape).float().amax(axes).min() == 0)


def _constant(node: Node) -> torch.Tensor | None:
    return attribute(node.graph.owning_module, str(node.target)).detach() if node.op == "get_attr" else None


def fill_masks(module: GraphModule, depth_of: Callable[[Node], float]) -> None:
    depths = {node: depth_of(node) for node in module.graph.nodes if is_masked(node)}
    for node, depth in depths.items():
        scores, mask = node.args[:2]
        masked = attribute(module, str(mask.target)).detach()
        writer = Writer(module, node)
        kept = writer.call(aten.mul.Tensor, scores, writer.constant(f"{node.name}_keep", (~masked).float()))
        fill = writer.constant(f"{node.name}_depth", masked.float() * depth)
        node.replace_all_uses_with(writer.call(aten.add.Tensor, kept, fill))
        module.graph.erase_node(node)
    module.graph.eliminate_dead_code()
    module.recompile()


def fill_masks_by_data(module: GraphModule, captured: Captured, samples: Iterable[Item]) -> Iterable[Item]:
    """To be called before a model is prepared for calibration. Returns the samples, which it may have gone through."""
    if not any(map(is_masked, module.graph.nodes)):
        return samples
    samples = list(samples)
    search = _Maxima(module)
    stream = Stream(captured, lambda sample, states: list(search.run(*sample, *states, enable_io_processing=False)))
    with torch.no_grad():
        for item in samples:
            stream.feed(item)
    fill_masks(module, search.depth)
    return samples


class _Maxima(Interpreter):
    """Of each masked tensor the least maximum of a row, over all samples. Rows lie along the axes over which it is read, if at once."""

    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.least: dict[Node, float] = {}

    def depth(self, node: Node) -> float:
        return self.least[node] - (_VANISHING + math.log(max(node.meta["val"].shape))) / min(1.0, sharpness(node, _constant(node.args[1])))

    def run_node(self, n: Node) -> object:
        value = super().run_node(n)
        if is_masked(n):
            rows = [reader.args[1] for reader in n.users if reader.target in _SOFTMAXES | _MAXIMA]
            for maxima in (value.amax(axes) for axes in rows or [-1]):
                seen = maxima[maxima > MASKING]  # a row may be masked whole
                self.least[n] = min([self.least.get(n, math.inf), *([seen.min().item()] if seen.numel() else [])])
        return value
