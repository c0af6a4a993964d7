"""Puts what a Python function of tensors computes into an exported model."""

import contextlib
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree


def inline(module: GraphModule, place: Node, function: Callable[..., Any], *arguments: Any, as_written: bool = True) -> Any:
    """The function's results, as nodes that stand before `place` and look to the user as if they were it.

    arguments: trees of nodes, and of what is no tensor, which the function takes as it is. Operators stay those that the function
    calls, linear or chunk, as torch.export leaves them, unless they are not to be `as_written`: then PyTorch breaks up what it can.
    """
    leaves, structure = pytree.tree_flatten(arguments)
    nodes = [leaf for leaf in leaves if isinstance(leaf, Node)]

    def of_tensors(*tensors: torch.Tensor) -> Any:
        given = iter(tensors)
        values = [next(given) if isinstance(leaf, Node) else leaf for leaf in leaves]
        return function(*pytree.tree_unflatten(values, structure))

    mode = next((node.meta["val"].fake_mode for node in nodes if isinstance(node.meta["val"], FakeTensor)), contextlib.nullcontext())
    with torch.no_grad(), mode:
        traced = make_fx(of_tensors, pre_dispatch=as_written)(*(node.meta["val"] for node in nodes))
    return _copied(module, place, traced, nodes)


def _copied(module: GraphModule, place: Node, traced: GraphModule, nodes: list[Node]) -> Any:
    copies: dict[Node, Node] = {}
    given = iter(nodes)
    for node in traced.graph.nodes:
        if node.op == "placeholder":
            copies[node] = next(given)
        elif node.op == "output":
            return torch.fx.node.map_arg(node.args[0], copies.__getitem__)
        else:
            with module.graph.inserting_before(place):
                copies[node] = module.graph.node_copy(node, copies.__getitem__)
            copies[node].meta = {**place.meta, "val": node.meta.get("val")}
    raise AssertionError("a graph without an output")
