"""Public architectures, small and untrained, go through the compiler whole: int8 from end to end, near their floats.

Being untrained, they are given batch norms and calibration from noise, and judged on noise that they have not seen.
"""

import importlib

import numpy as np
import pytest

from compiler.frontend.build_graph import quantise
from compiler.frontend.capture import capture_module
from compiler.frontend.importer import import_graph
from compiler.frontend.user_code import UserCode
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.reference import from_firmware, run_program, to_firmware
from kernels.registry import OPERATORS

import torch  # isort: skip  (after the front end, which sets it up)

IMAGE = ((3, 32, 32),)

# By module and function: shapes of inputs without the batch, and the least signal-to-noise ratio of any output in dB.
ARCHITECTURES = {
    "mobile.mobilenet_v1": (IMAGE, 22),
    "mobile.mobilenet_v2": (IMAGE, 24),
    "mobile.mobilenet_v3_small": (IMAGE, 27),
    "mobile.efficientnet_lite0": (IMAGE, 16),
    "mobile.efficientnet_b": (IMAGE, 24),
    "mobile.mcunet": (IMAGE, 18),
    "mobile.shufflenet_v2": (IMAGE, 24),
    "mobile.ghostnet": (IMAGE, 27),
    "mobile.mobileone": (IMAGE, 30),
    "classic.lenet": (IMAGE, 30),
    "classic.vgg": (IMAGE, 36),
    "classic.squeezenet": (IMAGE, 36),
    "classic.resnet": (IMAGE, 30),
    "classic.se_resnet": (IMAGE, 30),
    "classic.resnext": (IMAGE, 30),
    "classic.densenet": (IMAGE, 30),
    "classic.inception": (IMAGE, 36),
    "classic.convnext": (IMAGE, 30),
    "images.unet": (((1, 32, 32),), 24),
    "images.convolutional_autoencoder": (((1, 28, 28),), 36),
    "images.unet_nearest": (((1, 32, 32),), 24),
    "images.tiny_yolo": (((3, 64, 64),), 30),
    "images.super_resolution": (((1, 16, 16),), 30),
    "images.fomo": (((3, 64, 64),), 30),
    "signals.tcn": (((6, 48),), 30),
    "signals.ecg_cnn": (((1, 187),), 30),
    "signals.matchboxnet": (((16, 50),), 30),
    "signals.bc_resnet": (((1, 20, 32),), 30),
    "signals.mlp_mixer": (IMAGE, 30),
    "signals.siamese": (((1, 24, 24),) * 2, 36),
    "signals.sensor_fusion": (((6, 32), (4,)), 30),
    "signals.deep_and_cross": (((20,),), 36),
    "signals.attention": (((16, 12),), 30),
}


def noise(shapes: tuple[tuple[int, ...], ...], batch: int, seed: int) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn((batch, *shape), generator=generator) for shape in shapes)


def settled(name: str, shapes: tuple[tuple[int, ...], ...]) -> torch.nn.Module:
    """The network with seeded weights, its batch norms set from noise."""
    torch.manual_seed(1)
    module, function = name.split(".")
    model = getattr(importlib.import_module(f"tests.architectures.{module}"), function)()
    for layer in model.modules():
        if isinstance(layer, (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d)):
            layer.momentum = None  # the mean of all batches
    with torch.no_grad():
        model.train()(*noise(shapes, 64, seed=2))
    return model.eval()


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_it_is_int8_throughout_and_near_float(name: str) -> None:
    shapes, least = ARCHITECTURES[name]
    model = settled(name, shapes)
    with UserCode(()) as code:
        captured = capture_module(code, model, noise(shapes, 1, seed=3), name)
        calibration = zip(*(tensor.split(1) for tensor in noise(shapes, 48, seed=4)))
        graph = import_graph(name, captured, quantise(captured, calibration, code), code)
    program = lower(run_passes(graph), "scalar", OPERATORS)
    assert not [
        step.layer for step in program.steps if "float32" in {type_.dtype for type_ in (*step.call.inputs, *step.call.outputs)}
    ]

    signal, error = np.zeros(len(program.outputs)), np.zeros(len(program.outputs))
    for sample in zip(*(tensor.split(1) for tensor in noise(shapes, 12, seed=5))):
        inputs = {port.name: to_firmware(port, tensor.numpy()) for port, tensor in zip(program.inputs, sample, strict=True)}
        answers = run_program(program, OPERATORS, inputs)
        with torch.inference_mode():
            wanted = torch.utils._pytree.tree_leaves(model(*sample))
        for i, (port, tensor) in enumerate(zip(program.outputs, wanted, strict=True)):
            signal[i] += np.square(tensor.numpy()).sum()
            error[i] += np.square(from_firmware(port, answers[port.name]) - tensor.numpy()).sum()
    ratio = 10 * np.log10(signal / error)
    assert ratio.min() >= least
