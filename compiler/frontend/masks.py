"""Attention masks: scores that softmax is to see as minus infinity become numbers that int8 and float can hold.

    masked_fill(scores, mask, -inf)              the mask is constant
    scores + mask                                of a constant mask that holds -inf, or -10000 and less as some write it

become scores * keep + depth * (1 - keep). Computed in float, depth is -1e9. In int8 every step of depth costs resolution, so it is
no lower than calibration data need: ln(count of the masked) + 7 below the least maximum of a row, where all masked elements of the
row together weigh at most e^-7 of it, less than half a step of softmax's result.
"""

import math
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


def unify_masks(module: GraphModule, code: UserCode) -> None:
    """The second form becomes the first, after fold_constants. Raises CompileError where infinity stays elsewhere."""
    for node in list(module.graph.nodes):
        if node.target is aten.add.Tensor and not node.kwargs:
            for scores, mask in (node.args, node.args[::-1]):
                if is_masking(module, mask) and isinstance(scores, Node):
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
    return node.target is aten.masked_fill.Scalar and node.args[2] <= MASKING


def fill_masks(module: GraphModule, depth_of: Callable[[Node], float]) -> None:
    for node in [node for node in module.graph.nodes if is_masked(node)]:
        scores, mask = node.args[:2]
        masked = attribute(module, str(mask.target)).detach()
        writer = Writer(module, node)
        kept = writer.call(aten.mul.Tensor, scores, writer.constant(f"{node.name}_keep", (~masked).float()))
        fill = writer.constant(f"{node.name}_depth", masked.float() * depth_of(node))
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
    fill_masks(module, lambda node: search.least[node] - _VANISHING - math.log(node.meta["val"].shape[-1]))
    return samples


class _Maxima(Interpreter):
    """Of each masked tensor the least maximum of a row, over all samples."""

    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.least: dict[Node, float] = {}

    def run_node(self, n: Node) -> object:
        value = super().run_node(n)
        if is_masked(n):
            maxima = value.amax(-1)
            seen = maxima[maxima.isfinite()]  # a row may be masked whole
            self.least[n] = min([self.least.get(n, math.inf), *([seen.min().item()] if seen.numel() else [])])
        return value
