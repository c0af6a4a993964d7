"""Adds nodes to an exported model."""

from typing import Any

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.inline import TWIN


class Writer:
    """Adds calls before a node, which look to the user as if they were it."""

    def __init__(self, module: GraphModule, node: Node):
        self.module = module
        self.node = node

    def call(self, target: Any, *args: Any) -> Node:
        with self.module.graph.inserting_before(self.node):
            new = self.module.graph.call_function(target, args)
        new.meta = {key: value for key, value in self.node.meta.items() if key != TWIN}
        new.meta["val"] = target(*torch.fx.node.map_arg(args, lambda argument: argument.meta["val"]))
        return new

    def constant(self, name: str, value: torch.Tensor) -> Node:
        """A tensor, or a parameter, that belongs to the module under this name."""
        if isinstance(value, torch.nn.Parameter):
            self.module.register_parameter(name, value)
        else:
            self.module.register_buffer(name, value)
        with self.module.graph.inserting_before(self.node):
            new = self.module.graph.get_attr(name)
        new.meta["val"] = self.node.meta["val"].new_empty(value.shape, dtype=value.dtype)
        return new
