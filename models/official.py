"""The weights that MLCommons publishes with MLPerf Tiny, for the models of the same shape here.

They are not part of this repository: they are looked for in $KINDLING_MLPERF_TINY, or in shared/data/mlperf_tiny beside the workspace.
"""

import json
import os
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from torch import nn

Model = TypeVar("Model", bound=nn.Module)

NORMS = (nn.BatchNorm1d, nn.BatchNorm2d)


def official_folder() -> Path | None:
    """Where the published weights and samples are, or None."""
    if "KINDLING_MLPERF_TINY" in os.environ:
        return Path(os.environ["KINDLING_MLPERF_TINY"])
    # Bazel's runfiles link to the sources: resolving this file leads into the workspace.
    folder = Path(__file__).resolve().parents[1].parent / "shared/data/mlperf_tiny"
    return folder if folder.is_dir() else None


def official_file(name: str) -> Path:
    """Raises FileNotFoundError if there is no such folder."""
    folder = official_folder()
    if folder is None:
        raise FileNotFoundError("MLPerf Tiny's weights are not at hand; set KINDLING_MLPERF_TINY")
    return folder / name


def load_folded(model: Model, npz_path: str | Path) -> Model:
    """Fills the model with weights whose BatchNorm is folded: "00_conv.weight" OIHW, "00_conv.bias", "01_dwconv.weight" ...
    "09_linear.bias", numbered in the order of model.modules(). A bias that our layer lacks goes to the BatchNorm behind it, which
    then does nothing else. Returns the model, in eval mode.
    Raises KeyError where a layer is missing, RuntimeError where its shape is another or where one is left over."""
    with np.load(npz_path) as arrays:
        left = dict(arrays)
    index, bias = 0, None
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            name = f"{index:02}_{_kind(module)}"
            fill(module.weight, left.pop(f"{name}.weight"))
            bias = left.pop(f"{name}.bias")
            if module.bias is not None:
                fill(module.bias, bias)
            index += 1
        elif isinstance(module, NORMS):
            fill(module.bias, bias)
            module.weight.data.fill_(1.0)
            module.running_mean.fill_(0.0)
            module.running_var.fill_(1.0 - module.eps)
    if left:
        raise RuntimeError(f"the model has no layer for {next(iter(left))}")
    return model.eval()


def published_layers(model: str) -> list[list]:
    """[name, weight shape, output shape (NHWC)] of each layer in execution order, as layers.json lists them."""
    return json.loads(official_file("layers.json").read_text())[model]


@torch.no_grad()
def layers(model: nn.Module, inputs: tuple[torch.Tensor, ...]) -> list[list]:
    """The same of our model, as it runs on the inputs."""
    ran: list[list] = []

    def note(layer: nn.Conv2d | nn.Linear, _: object, output: torch.Tensor) -> None:
        shape = output.permute(0, 2, 3, 1).shape if output.dim() == 4 else output.shape
        ran.append([f"{len(ran):02}_{_kind(layer)}", list(layer.weight.shape), list(shape)])

    hooks = [m.register_forward_hook(note) for m in model.modules() if isinstance(m, (nn.Conv2d, nn.Linear))]
    model(*inputs)
    for hook in hooks:
        hook.remove()
    return ran


def fill(tensor: torch.Tensor, values: np.ndarray) -> None:
    """Raises RuntimeError if the shapes differ."""
    if tensor.shape != values.shape:
        raise RuntimeError(f"official weights of shape {values.shape} where ours are {tuple(tensor.shape)}")
    tensor.data.copy_(torch.from_numpy(values))


def _kind(layer: nn.Conv2d | nn.Linear) -> str:
    if isinstance(layer, nn.Linear):
        return "linear"
    return "conv" if layer.groups == 1 else "dwconv"
