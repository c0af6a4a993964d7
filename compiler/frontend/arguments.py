"""The arguments of a call in an exported model."""

from collections.abc import Mapping
from typing import Any

from torch.fx import Node


def arguments_of(node: Node) -> Mapping[str, Any]:
    """The call's arguments by the schema's names, defaults included."""
    arguments = {}
    for position, argument in enumerate(node.target._schema.arguments):
        if position < len(node.args):
            arguments[argument.name] = node.args[position]
        elif argument.name in node.kwargs:
            arguments[argument.name] = node.kwargs[argument.name]
        else:
            arguments[argument.name] = argument.default_value
    return arguments
