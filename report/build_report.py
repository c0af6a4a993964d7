"""Writes the page of a model: memory, graph, layers, instructions and accuracy in one HTML file that needs no other.

    build_report --name kws --core m55 --plan m55.plan.json --sizes m55.size.json --figures m55.figures.json [--core ...] --html kws.html

--core, --plan, --sizes and --figures are repeated, in this order, once for each core.
"""

import argparse
import json
import pathlib
import sys
from typing import Any

import jinja2

from kernels.registry import KERNELS, kernel_signature
from report.memory_map import WIDTH
from report.page_data import CorePage, core_page

_HERE = pathlib.Path(__file__).parent


def page(name: str, cores: list[CorePage], accuracy: dict[str, Any] | None) -> str:
    """The HTML."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"number": _number, "kind": _kind, "items_by_name": lambda items: {item["name"]: item for item in items}}
    return environment.get_template("page.html.j2").render(
        name=name,
        cores=cores,
        accuracy=accuracy,
        width=WIDTH,
        style=(_HERE / "page.css").read_text(),
        script=(_HERE / "page.js").read_text(),
    )


def _number(value: float, digits: int = 0) -> str:
    return f"{value:,.{digits}f}"


# Families of kernels (folders of kernels/) and roles that share a colour on the page.
KINDS = {
    "conv": ("conv2d", "transposed_conv2d"),
    "depthwise": ("depthwise_conv2d",),
    "linear": ("linear", "matmul"),
    "pool": ("pool", "reduce"),
    "elementwise": ("elementwise",),
    "function": ("function", "normalise", "softmax", "table"),
    "move": ("move", "quantize"),
    "input": ("input",),
    "scratch": ("scratch",),
    "view": ("view",),
}


def _kind(role: str) -> str:
    """Of a role of memory_map.py."""
    family = pathlib.PurePath(kernel_signature(role).header).parts[1] if role in KERNELS else role
    return next(kind for kind, families in KINDS.items() if family in families)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", required=True, help="the model's name")
    parser.add_argument("--accuracy", type=pathlib.Path, help="the model's accuracy.json")
    parser.add_argument("--html", type=pathlib.Path, required=True, help="the page to write")
    parser.add_argument("--core", action="append", required=True, help="a core")
    for flag, what in {"plan": "plan.json", "sizes": "size.json", "figures": "what measure_layers wrote"}.items():
        parser.add_argument(f"--{flag}", type=pathlib.Path, action="append", required=True, help=f"the core's {what}")
    given = parser.parse_args()

    def read(path: pathlib.Path) -> dict[str, Any]:
        return json.loads(path.read_text())

    try:
        accuracy = read(given.accuracy) if given.accuracy else None
        files = zip(given.core, given.plan, given.sizes, given.figures, strict=True)
        cores = [core_page(core, read(plan), read(sizes), read(figures), accuracy) for core, plan, sizes, figures in files]
    except (OSError, ValueError) as error:
        sys.exit(f"build_report: {error}")
    given.html.write_text(page(given.name, cores, accuracy))


if __name__ == "__main__":
    main()
