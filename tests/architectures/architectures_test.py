"""Public architectures, small and untrained, go through the compiler whole: int8 from end to end, near their floats.

Being untrained, they are given batch norms and calibration from noise, and judged on noise that they have not seen.
"""

import importlib

import pytest

from compiler.frontend.testing import Shapes, compiled, noise, signal_to_noise

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
    "images.unet_bilinear": (((1, 32, 32),), 24),
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
    "sequences.conformer": (((20, 12),), 20),
    "sequences.keyword_transformer": (((16, 10),), 20),
    "sequences.crnn": (((1, 20, 12),), 24),
    "sequences.speaker_embedding": (((10, 32),), 28),
}


def settled(name: str, shapes: Shapes) -> torch.nn.Module:
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
    program = compiled(model, shapes)
    assert not [
        step.layer for step in program.steps if "float32" in {type_.dtype for type_ in (*step.call.inputs, *step.call.outputs)}
    ]
    assert signal_to_noise(model, program, shapes) >= least
