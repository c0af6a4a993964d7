"""The memory map of a region over time, as the rectangles of a drawing: steps from left to right, bytes from the bottom up."""

import dataclasses
import math
from typing import Any

from report.graph_layout import tensor_sources

WIDTH, HEIGHT = 1060.0, 300.0  # of the plot, in the drawing's units
HEIGHT_OF_SEVERAL = 190.0  # of each, if there are several


# Of the letters of a label.
_LETTER_WIDTH, _LINE_HEIGHT, _MARGIN = 5.8, 13.0, 5.0


@dataclasses.dataclass(frozen=True)
class Rectangle:
    """A tensor or scratch (`tensor`: the plan's entry) and where it is drawn. `role` is the kernel that computes it, "input", "scratch", or
    "view" of what lies in the same bytes."""

    tensor: dict[str, Any]
    role: str
    x: float
    y: float
    width: float
    height: float


@dataclasses.dataclass(frozen=True)
class Label:
    """The name of a rectangle's tensor. `x` is its left end, `y` its base line."""

    text: str
    x: float
    y: float


@dataclasses.dataclass(frozen=True)
class Tick:
    """A line of the axis of bytes."""

    y: float
    nbytes: int


@dataclasses.dataclass(frozen=True)
class RegionMap:
    """`region` is the plan's entry; `step_width` that of one step."""

    region: dict[str, Any]
    height: float
    rectangles: list[Rectangle]
    labels: list[Label]
    ticks: list[Tick]
    step_width: float


def region_maps(plan: dict[str, Any]) -> list[RegionMap]:
    """Of every region that the plan uses."""
    used = [region for region in plan["regions"] if region["bytes"]]
    return [_region_map(region, plan, HEIGHT if len(used) == 1 else HEIGHT_OF_SEVERAL) for region in used]


def _roles(plan: dict[str, Any]) -> dict[str, str]:
    """By tensor; what is not there is a view."""
    inputs = {tensor: "input" for sources in tensor_sources(plan) for tensor, source in sources if source == tensor}
    scratch = {f"{step['layer']}.scratch": "scratch" for step in plan["steps"]}
    return inputs | scratch | {name: step["kernel"] for step in plan["steps"] for name in step["outputs"]}


def _region_map(region: dict[str, Any], plan: dict[str, Any], height: float) -> RegionMap:
    step_width = WIDTH / len(plan["steps"])
    unit = height / region["bytes"]
    roles = _roles(plan)

    def rectangle(tensor: dict[str, Any]) -> Rectangle:
        role = roles.get(tensor["name"], "view")
        first, last = max(tensor["first_step"], 0), tensor["last_step"]
        top = height - (tensor["offset"] + tensor["bytes"]) * unit
        return Rectangle(tensor, role, first * step_width, top, (last + 1 - first) * step_width, tensor["bytes"] * unit)

    # The largest first, so that no rectangle hides another.
    tensors = sorted((t for t in plan["tensors"] if t["region"] == region["name"]), key=lambda t: (-t["bytes"], t["first_step"], t["name"]))
    rectangles = [rectangle(tensor) for tensor in tensors]
    return RegionMap(region, height, rectangles, _labels(rectangles), _ticks(region["bytes"], height), step_width)


def _labels(rectangles: list[Rectangle]) -> list[Label]:
    """One for each tensor whose rectangle has room for its name, from the top down to where it covers no other label."""
    labels: list[Label] = []
    for rectangle in rectangles:
        text = rectangle.tensor["name"]
        fits = len(text) * _LETTER_WIDTH <= rectangle.width - 2 * _MARGIN and rectangle.role != "scratch"
        x, y, bottom = rectangle.x + _MARGIN, rectangle.y + _LINE_HEIGHT, rectangle.y + rectangle.height - 2
        while y <= bottom and any(_collide(x, y, text, label) for label in labels):
            y += _LINE_HEIGHT
        if y <= bottom and fits:
            labels.append(Label(text, x, y))
    return labels


def _collide(x: float, y: float, text: str, label: Label) -> bool:
    side_by_side = x + len(text) * _LETTER_WIDTH < label.x or label.x + len(label.text) * _LETTER_WIDTH < x
    return not side_by_side and abs(y - label.y) < _LINE_HEIGHT


def _ticks(nbytes: int, height: float) -> list[Tick]:
    """A power of two apart, and 36 units of the drawing at least."""
    distance = 2 ** math.ceil(math.log2(max(nbytes * 36 / height, 1)))
    return [Tick(height * (1 - at / nbytes), at) for at in range(0, nbytes + 1, distance)]
