"""A timeline as a table for the eye, and as events for Chrome's trace viewer (chrome://tracing, ui.perfetto.dev)."""

import json
from typing import Any

from runtime.trace.timeline import Layer

_ROW = "{:>4}  {:{layer}}  {:{kernel}}  {:{source}}  {:>12}  {:>12}  {:>8}  {:>6}"


def table(layers: list[Layer], unit: str) -> str:
    """One line a step, in the order in which they ran, and their sum."""
    total = sum(layer.time.duration for layer in layers)
    rows = [("step", "layer", "kernel", "source", "MACs", unit, "per MAC", "share")]
    for layer in layers:
        step, duration = layer.plan_step, layer.time.duration
        rows.append((str(step["index"]), step["layer"], step["kernel"], step["source"], *_figures(step["macs"], duration, total)))
    rows.append(("", "all", "", "", *_figures(sum(layer.plan_step["macs"] for layer in layers), total, total)))
    widths = {name: max(len(row[i]) for row in rows) for i, name in ((1, "layer"), (2, "kernel"), (3, "source"))}
    return "".join(_ROW.format(*row, **widths).rstrip() + "\n" for row in rows)


def _figures(macs: int, duration: int, total: int) -> tuple[str, str, str, str]:
    per_mac = f"{duration / macs:.2f}" if macs else ""
    return f"{macs:,}" if macs else "", f"{duration:,}", per_mac, f"{duration / max(total, 1):.1%}"


def figures_json(layers: list[Layer], core: str, unit: str) -> str:
    """{"core", "unit", "steps": [{"step", "start", "duration"}]}, for other tools."""
    steps = [{"step": layer.time.step, "start": layer.time.start, "duration": layer.time.duration} for layer in layers]
    return json.dumps({"core": core, "unit": unit, "steps": steps}, indent=1) + "\n"


def chrome_trace(layers: list[Layer], plan: dict[str, Any], unit: str, hz: float | None) -> str:
    """One event a layer, and the bytes of the arena that are alive as a counter. One `unit` is drawn as a nanosecond, or, if it is
    a tick of a clock of `hz`, as long as it is."""
    microseconds = 1e6 / hz if hz else 1e-3
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 0, "name": "process_name", "args": {"name": f"{plan['model']} ({plan['tier']})"}}
    ]
    for layer in layers:
        step, time = layer.plan_step, layer.time
        start = time.start * microseconds
        details = {key: step[key] for key in ("index", "kernel", "source", "macs")} | {unit: time.duration}
        event = {"ph": "X", "pid": 0, "tid": 0, "ts": start, "dur": time.duration * microseconds}
        events.append(event | {"name": step["layer"], "cat": step["operator"], "args": details})
        events.append({"ph": "C", "pid": 0, "ts": start, "name": "arena", "args": {"bytes": alive_bytes(plan, step["index"])}})
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}) + "\n"


def alive_bytes(plan: dict[str, Any], step: int) -> int:
    """Bytes between the lowest and the highest end of what is alive during a step, over all regions. Tensors may overlap."""
    regions: dict[str, list[dict[str, Any]]] = {}
    for tensor in plan["tensors"]:
        if tensor["first_step"] <= step <= tensor["last_step"]:
            regions.setdefault(tensor["region"], []).append(tensor)
    return sum(
        max(tensor["offset"] + tensor["bytes"] for tensor in tensors) - min(tensor["offset"] for tensor in tensors)
        for tensors in regions.values()
    )
