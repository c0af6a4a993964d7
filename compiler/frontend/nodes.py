"""What is known of a node of an exported model: its layer, its line, and the tensors that it names."""

from typing import Any

import torch
from torch.fx import Node

from compiler.errors import CompileError, Source
from compiler.frontend.user_code import UserCode


def layer_of(node: Node) -> str:
    """The path of the layer that computes the node: "blocks.3", or "blocks.relu" for a function call in forward()."""
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    path, kind = stack[-1] if stack else ("", "")
    kind = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"
    if kind.startswith("torch.nn.modules.") and ".container." not in kind:
        return path
    return f"{path}.{node.name}" if path else node.name


def source_of(node: Node, code: UserCode) -> Source | None:
    return code.innermost_source(node.meta.get("stack_trace"))


def node_error(node: Node, code: UserCode, reason: str) -> CompileError:
    return CompileError(reason, layer=layer_of(node), source=source_of(node, code))


def attribute(module: torch.nn.Module, path: str) -> Any:
    """What stands at a dotted path in the module."""
    value: Any = module
    for name in path.split("."):
        value = getattr(value, name)
    return value


def is_finite_or_mask(value: torch.Tensor) -> bool:
    """Masks of scores are -inf where nothing is to be seen, numbers elsewhere (masks.py)."""
    if not value.is_floating_point():
        return True
    finite = torch.isfinite(value)
    return bool(finite.all() or (finite.any() and (finite | torch.isneginf(value)).all()))
