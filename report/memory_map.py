"""The memory map of a region over time, as the rectangles of a drawing: steps from left to right, bytes from the bottom up."""

import dataclasses
import math
from typing import Any

WIDTH, HEIGHT = 1060.0, 300.0  # of the plot, in the drawing's units


# Of the letters of a label.
_LETTER_WIDTH, _LINE_HEIGHT, _MARGIN = 5.8, 13.0, 5.0


@dataclasses.dataclass(frozen=True)
class Rectangle:
    """A tensor or scratch (`tensor`: the plan's entry), where it is drawn and what computes it; `role` is input, scratch or an
    operator's name."""

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
    rectangles: list[Rectangle]
    labels: list[Label]
    ticks: list[Tick]
    step_width: float


def region_maps(plan: dict[str, Any]) -> list[RegionMap]:
    """Of every region that the plan uses."""
    return [_region_map(region, plan) for region in plan["regions"] if region["bytes"]]


def _region_map(region: dict[str, Any], plan: dict[str, Any]) -> RegionMap:
    step_width = WIDTH / len(plan["steps"])
    unit = HEIGHT / region["bytes"]
    roles = {name: step["operator"] for step in plan["steps"] for name in step["outputs"]}
    inputs = {name for step in plan["steps"] for name in step["inputs"]} - set(roles)

    def rectangle(tensor: dict[str, Any]) -> Rectangle:
        role = roles.get(tensor["name"], "input" if tensor["name"] in inputs else "scratch")
        first, last = max(tensor["first_step"], 0), tensor["last_step"]
        top = HEIGHT - (tensor["offset"] + tensor["bytes"]) * unit
        return Rectangle(tensor, role, first * step_width, top, (last + 1 - first) * step_width, tensor["bytes"] * unit)

    # The largest first, so that no rectangle hides another.
    tensors = sorted((t for t in plan["tensors"] if t["region"] == region["name"]), key=lambda t: (-t["bytes"], t["first_step"], t["name"]))
    rectangles = [rectangle(tensor) for tensor in tensors]
    return RegionMap(region, rectangles, _labels(rectangles), _ticks(region["bytes"], unit), step_width)


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


def _ticks(nbytes: int, unit: float) -> list[Tick]:
    """Four to eight, a power of two apart."""
    distance = 2 ** math.ceil(math.log2(max(nbytes / 8, 1)))
    return [Tick(HEIGHT - at * unit, at) for at in range(0, nbytes + 1, distance)]
