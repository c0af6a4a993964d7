"""Puts what a Python function of tensors computes into an exported model."""

import contextlib
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

TWIN = "kindling_twin"
"""Meta data of nodes that are one and the same piece of a model, used again and again: equal for those that are to be quantised alike."""


def inline(module: GraphModule, place: Node, function: Callable[..., Any], *arguments: Any, as_written: bool = True) -> Any:
    """The function's results, as nodes that stand before `place` and look to the user as if they were it.

    arguments: trees of nodes, and of what is no tensor, which the function takes as it is. Operators stay those that the function
    calls, linear or chunk, as torch.export leaves them, unless they are not to be `as_written`: then PyTorch breaks up what it can.
    """
    return Piece(function, *arguments, as_written=as_written).put(module, place, *arguments)


class Piece:
    """A function of tensors that can be put into a model several times, for arguments like these."""

    def __init__(self, function: Callable[..., Any], *arguments: Any, as_written: bool = True):
        leaves, structure = pytree.tree_flatten(arguments)

        def of_tensors(*tensors: torch.Tensor) -> Any:
            given = iter(tensors)
            values = [next(given) if isinstance(leaf, Node) else leaf for leaf in leaves]
            return function(*pytree.tree_unflatten(values, structure))

        values = [node.meta["val"] for node in _nodes(arguments)]
        mode = next((value.fake_mode for value in values if isinstance(value, FakeTensor)), contextlib.nullcontext())
        with torch.no_grad(), mode:
            # New tensors, as make_fx takes one for the other where two nodes have the same.
            self.traced = make_fx(of_tensors, pre_dispatch=as_written)(*map(torch.empty_like, values))

    def put(self, module: GraphModule, place: Node, *arguments: Any, twins: str | None = None) -> Any:
        """`twins` names the piece if it is to be quantised alike wherever it is put."""
        copies: dict[Node, Node] = {}
        given = iter(_nodes(arguments))
        for index, node in enumerate(self.traced.graph.nodes):
            if node.op == "placeholder":
                copies[node] = next(given)
            elif node.op == "output":
                return torch.fx.node.map_arg(node.args[0], copies.__getitem__)
            else:
                with module.graph.inserting_before(place):
                    copies[node] = module.graph.node_copy(node, copies.__getitem__)
                copies[node].meta = {**place.meta, "val": node.meta.get("val")}
                if twins is not None:
                    copies[node].meta[TWIN] = (twins, index)
        raise AssertionError("a graph without an output")


def _nodes(arguments: Any) -> list[Node]:
    return [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, Node)]
