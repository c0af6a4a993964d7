"""The graph of a model, laid out: one step a row, in the order in which they run, branches side by side."""

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class Node:
    """A step, or an input of the model (`step` is None). Rows and lanes count from 0."""

    name: str
    step: dict[str, Any] | None
    row: int
    lane: int


@dataclasses.dataclass(frozen=True)
class Edge:
    """A tensor on its way from the node that gives it to one that takes it."""

    tensor: str
    start: Node
    end: Node


@dataclasses.dataclass(frozen=True)
class Graph:
    nodes: list[Node]
    edges: list[Edge]

    @property
    def lanes(self) -> int:
        return 1 + max(node.lane for node in self.nodes)


def graph_of(plan: dict[str, Any]) -> Graph:
    """A node takes the first lane of its sources that nobody else needs, or else the first lane that is free."""
    sources = tensor_sources(plan)
    last_use = {source: step["index"] for step in plan["steps"] for _, source in sources[step["index"]]}
    placed: dict[int | str, Node] = {}
    occupied: dict[int, int | str] = {}  # by lane
    edges: list[Edge] = []

    def place(key: int | str, name: str, step: dict[str, Any] | None, wanted: list[int]) -> None:
        free = (lane for lane in (*wanted, *range(len(occupied) + 1)) if lane not in occupied)
        placed[key] = Node(name, step, len(placed), next(free))
        if key in last_use:
            occupied[placed[key].lane] = key

    for step in plan["steps"]:
        index = step["index"]
        for tensor, source in sources[index]:
            if source not in placed:  # an input of the model, where it is first needed
                place(source, tensor, None, [])
        for _, source in sources[index]:
            if last_use[source] == index:
                occupied.pop(placed[source].lane, None)
        place(index, step["layer"], step, sorted(placed[source].lane for _, source in sources[index]))
        edges += [Edge(tensor, placed[source], placed[index]) for tensor, source in sources[index]]
    return Graph(list(placed.values()), edges)


def tensor_sources(plan: dict[str, Any]) -> list[list[tuple[str, int | str]]]:
    """By step: its inputs in working memory, each with the index of the step that it comes from, or its own name if it is an input of the
    model. A tensor that no step computes may be made of others' (a concatenation, a slice): it comes from all steps that it shares memory
    with.
    """
    tensors = {tensor["name"]: tensor for tensor in plan["tensors"]}
    origin: dict[str, int] = {}
    found = []
    for step in plan["steps"]:
        of_step: list[tuple[str, int | str]] = []
        for name in (name for name in step["inputs"] if name in tensors):
            parts = [origin[name]] if name in origin else [i for other, i in origin.items() if _share(tensors[name], tensors[other])]
            of_step += [(name, source) for source in parts or [name]]
        found.append(of_step)
        origin |= dict.fromkeys(step["outputs"], step["index"])
    return found


def _share(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two tensors have bytes in common, and are alive at a time."""
    return (
        one["region"] == other["region"]
        and one["offset"] < other["offset"] + other["bytes"]
        and other["offset"] < one["offset"] + one["bytes"]
        and one["first_step"] <= other["last_step"]
        and other["first_step"] <= one["last_step"]
    )
