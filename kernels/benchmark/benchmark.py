"""Counts the instructions and bytes of kernels on emulated cores.

    ./bazelw run //kernels:benchmark -- --cores=m55,m4 --models=kws
    ./bazelw run //kernels:benchmark -- --update          writes kernels/benchmark/figures.json anew

Instructions are those of a kernel called once on a model's layer (exact); a model's sum leaves out what the runtime adds. Bytes
are of a kernel with its check and all it needs from kernels/.
"""

import json
import os
import pathlib
import sys

import numpy as np
from absl import app, flags

from kernels.benchmark.code_size import Code
from kernels.benchmark.layers import MODELS
from kernels.operator import TensorType
from kernels.registry import KERNELS, OPERATORS
from kernels.testing.cases import case_of
from kernels.testing.run_cases import run_cases, tier_of

CORES = ("m0plus", "m3", "m4", "m55")
_HERE = pathlib.Path(__file__).absolute().parent

_CORES = flags.DEFINE_list("cores", list(CORES), "Cores to count on.")
_MODELS = flags.DEFINE_list("models", list(MODELS), "Models whose layers to count.")
_UPDATE = flags.DEFINE_bool(
    "update", False, "Write the figures of all cores and models to the table that the test holds them to."
)

Figures = dict[
    str, dict[str, int]
]  # {"kws": {"conv 10x4": instructions, ..., "all": of the model}, ..., "bytes": {kernel: bytes}}


def count(core: str, models: list[str]) -> Figures:
    """Figures of one core."""
    tier = tier_of(core)
    layers = [(model, layer) for model in models for layer in MODELS[model]]
    cases = []
    for _, layer in layers:
        rng = np.random.default_rng(1)  # anew, so that no layer depends on those before it
        inputs = [_numbers(rng, tensor) for tensor in layer.call.inputs]
        cases.append(case_of(layer.call, tier, inputs, extra_leads=()))
    run = run_cases(core, _HERE / f"runner.{core}" / "case_runner", cases)
    if run.failures:
        sys.exit(f"benchmark: {core}: {run.failures[0]}")
    figures: Figures = {model: {"all": 0} for model in models}
    for (model, layer), instructions in zip(layers, run.instructions):
        figures[model][layer.name] = instructions
        figures[model]["all"] += layer.times * instructions
    return figures | {"bytes": bytes_of_kernels(core)}


def _numbers(rng: np.random.Generator, tensor: TensorType) -> np.ndarray:
    """Any integers, or floats in (0, 4), of which every function has a value."""
    if tensor.dtype == "float32":
        return rng.uniform(2.0**-10, 4, tensor.shape).astype(np.float32)
    range_ = np.iinfo(tensor.dtype)
    return rng.integers(range_.min, range_.max + 1, tensor.shape).astype(tensor.dtype)


def bytes_of_kernels(core: str) -> dict[str, int]:
    """Bytes of each kernel, and of those that each model uses together."""
    code, tier = Code(_HERE.glob(f"libraries.{core}/**/*.a")), tier_of(core)
    figures = {kernel: code.bytes_of([kernel]) for kernel in KERNELS}
    for model, layers in MODELS.items():
        figures[f"all of {model}"] = code.bytes_of(
            {OPERATORS[layer.call.operator].kernel(layer.call, tier) for layer in layers}
        )
    return figures


def table(core: str, figures: Figures) -> str:
    """The figures of a core for people to read."""
    lines = []
    for model, layers in MODELS.items():
        for layer in layers if model in figures else ():
            instructions, operator = figures[model][layer.name], OPERATORS[layer.call.operator]
            macs, outputs = operator.macs(layer.call), int(np.prod(layer.call.outputs[0].shape))
            each = f"{instructions / macs:9.3f} a MAC" if macs else " " * 15
            lines.append(
                f"{core:7} {model:4} {layer.name:20} x{layer.times} {instructions:11,} {each} {instructions / outputs:8.1f} an output"
            )
        if model in figures:
            lines.append(f"{core:7} {model:4} {'all':20}    {figures[model]['all']:11,}")
    lines += [f"{core:7} {kernel:30} {size:7,} bytes" for kernel, size in figures["bytes"].items()]
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    if len(arguments) > 1:
        sys.exit(f"benchmark: what is {arguments[1]}?")
    if _UPDATE.value:
        file = pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"]) / "kernels/benchmark/figures.json"
        file.write_text(json.dumps({core: count(core, list(MODELS)) for core in CORES}, indent=2) + "\n")
        return
    for core in _CORES.value:
        print(table(core, count(core, _MODELS.value)))


if __name__ == "__main__":
    app.run(main)
