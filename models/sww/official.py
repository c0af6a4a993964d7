"""The network with the weights that MLCommons publishes; compiles like sww.py (entry models.sww.official:build_model).

Unlike the other models' these have their BatchNorm apart.
"""

import numpy as np

from models.official import fill, official_file
from models.sww.sww import WakeWord, calibration, example_inputs

__all__ = ["build_model", "calibration", "example_inputs"]

# Place of a layer in a block by its published name.
PLACES = {"dwconv": 0, "conv": 1, "bn": 2}


def build_model() -> WakeWord:
    """Ready for inference. Raises FileNotFoundError where the weights are not at hand."""
    model = WakeWord()
    ours = model.state_dict()
    with np.load(official_file("sww_weights.npz")) as arrays:
        for name in arrays.files:
            fill(ours[our_name(name)], arrays[name])
    return model.eval()


def our_name(published: str) -> str:
    """
    >>> our_name("2_bn.running_mean"), our_name("linear.bias")
    ('blocks.2.2.running_mean', 'classifier.bias')
    """
    layer, _, tensor = published.partition(".")
    if layer == "linear":
        return f"classifier.{tensor}"
    block, _, kind = layer.partition("_")
    return f"blocks.{block}.{PLACES[kind]}.{tensor}"
