"""What the page of a model shows, brought together from the files that the build has written about it."""

import dataclasses
from typing import Any

from report.graph_layout import Graph, graph_of
from report.memory_map import RegionMap, region_maps
from runtime.trace.reports import alive_bytes

# Names of cores as Arm writes them; others are shown as they are.
_CORE_NAMES = {"m0plus": "Cortex-M0+"}

# In the order of the drawing: the model first, then what runs it.
FLASH_PARTS = {
    "constants": "weights, parameters",
    "metadata": "rest of the .pte",
    "kernels": "kernels",
    "runtime": "runtime",
    "startup": "start-up, libc",
    "harness": "harness",
    "other": "padding",
}


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a whole: `key` for its colour, bytes, and its share from 0 to 1."""

    key: str
    name: str
    nbytes: int
    share: float


@dataclasses.dataclass(frozen=True)
class Row:
    """A step in the table of layers. `step` is the plan's entry; `ram` are the bytes that its live tensors span."""

    step: dict[str, Any]
    output_shape: str
    ram: int
    instructions: int
    share: float
    snr_db: float | None

    @property
    def instructions_per_mac(self) -> float | None:
        return self.instructions / self.step["macs"] if self.step["macs"] else None


@dataclasses.dataclass(frozen=True)
class CorePage:
    """The part of the page for one core. `plan` and `sizes` are its firmware's plan.json and size.json, `figures` is what
    measure_layers.py wrote."""

    core: str
    plan: dict[str, Any]
    sizes: dict[str, Any]
    figures: dict[str, Any]
    rows: list[Row]
    maps: list[RegionMap]
    graph: Graph
    flash: list[Part]
    ram: list[Part]

    @property
    def name(self) -> str:
        return core_name(self.core)

    @property
    def flash_total(self) -> int:
        return sum(part.nbytes for part in self.flash)

    @property
    def ram_total(self) -> int:
        return sum(part.nbytes for part in self.ram)

    @property
    def stack(self) -> int:
        return next(part.nbytes for part in self.ram if part.key == "stack")

    @property
    def code(self) -> int:
        """Bytes of flash without weights and parameters."""
        return self.flash_total - next(part.nbytes for part in self.flash if part.key == "constants")

    @property
    def macs(self) -> int:
        return sum(row.step["macs"] for row in self.rows)

    @property
    def scratch(self) -> int:
        """The most bytes of working memory that a kernel takes; they are part of the arena."""
        return max(row.step["scratch_bytes"] for row in self.rows)

    @property
    def worst_snr_db(self) -> float | None:
        return min((row.snr_db for row in self.rows if row.snr_db is not None), default=None)

    @property
    def has_snr(self) -> bool:
        return self.worst_snr_db is not None


def core_name(core: str) -> str:
    return _CORE_NAMES.get(core, "Cortex-" + core.upper())


def core_page(
    core: str, plan: dict[str, Any], sizes: dict[str, Any], figures: dict[str, Any], accuracy: dict[str, Any] | None
) -> CorePage:
    """`plan`, `sizes` and `figures` are those of the core's firmware: plan.json, size.json, measure_layers.py's; `accuracy` is the model's
    accuracy.json. Raises ValueError if figures and plan are not of one model."""
    instructions = {time["step"]: time["duration"] for time in figures["steps"]}
    if sorted(instructions) != [step["index"] for step in plan["steps"]]:
        raise ValueError(f"the steps measured on {core} are not those of the plan of {plan['model']}")
    total = sum(instructions.values())
    snr = {layer["layer"]: layer["snr_db"] for layer in accuracy["layers"]} if accuracy else {}
    shapes = {tensor["name"]: tensor["shape"] for tensor in plan["tensors"]}
    rows = [
        Row(
            step=step,
            output_shape=", ".join("×".join(map(str, shapes[name])) for name in step["outputs"]),
            ram=alive_bytes(plan, step["index"]),
            instructions=instructions[step["index"]],
            share=instructions[step["index"]] / total,
            snr_db=snr.get(step["layer"]),
        )
        for step in plan["steps"]
    ]
    flash = _parts([(part, name, sizes["flash"].get(part, 0)) for part, name in FLASH_PARTS.items()])
    ram = _parts(_ram(plan, sizes, figures["ram"]))
    return CorePage(core, plan, sizes, figures, rows, region_maps(plan), graph_of(plan), flash, ram)


def _ram(plan: dict[str, Any], sizes: dict[str, Any], measured: dict[str, int]) -> list[tuple[str, str, int]]:
    """The stack is the most that the linked code can take, or, where that has no bound, what was used in a run."""
    arena = [("arena", f"arena in {region['name']}", region["bytes"]) for region in plan["regions"]]
    bound = sizes["stack_bound"]["bytes"]
    stack = ("stack, as used", measured["stack"]) if bound is None else ("stack, worst case", bound)
    state = "state of runtime and model" if sizes.get("kept") else "state of the runtime"
    return [*arena, ("state", state, sizes["ram"]["state"]), ("data", "data", sizes["ram"]["other"]), ("stack", *stack)]


def _parts(parts: list[tuple[str, str, int]]) -> list[Part]:
    total = sum(nbytes for _, _, nbytes in parts)
    return [Part(key, name, nbytes, nbytes / max(total, 1)) for key, name, nbytes in parts if nbytes]
