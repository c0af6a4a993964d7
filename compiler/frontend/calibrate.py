"""Runs a prepared module on calibration data, so that its observers see what every layer computes."""

from collections.abc import Iterable

import torch
from torch.fx import GraphModule, Interpreter, Node

from compiler.frontend.capture import Captured, Sample
from compiler.frontend.nodes import node_error
from compiler.frontend.observer import NotFinite
from compiler.frontend.streams import Item, Stream
from compiler.frontend.user_code import UserCode


def calibrate(prepared: GraphModule, captured: Captured, items: Iterable[Item], code: UserCode) -> None:
    """Raises CompileError where what an observer is to see is not finite, at the layer that made it so."""
    stream = Stream(captured, lambda sample, states: captured.call(prepared, sample, states))
    with torch.no_grad():
        for item in items:
            try:
                stream.feed(item)
            except NotFinite as error:
                layer = _Search(prepared).first_not_finite((*item, *stream.states))
                raise node_error(layer, code, "its output is not finite over the calibration data") from error


class _Search(Interpreter):
    """Runs the module again to find the layer: what is observed may be computed of what is not."""

    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.not_finite: set[Node] = set()
        self.last: Node | None = None

    def first_not_finite(self, tensors: Sample) -> Node:
        try:
            self.run(*tensors, enable_io_processing=False)
        except NotFinite:
            pass
        node = self.last
        while made_of := [operand for operand in node.all_input_nodes if operand in self.not_finite]:
            node = made_of[0]
        return node

    def run_node(self, n: Node) -> object:
        self.last = n
        value = super().run_node(n)
        if isinstance(value, torch.Tensor) and value.is_floating_point() and not value.isfinite().all():
            self.not_finite.add(n)
        return value
