"""The ResNet-8 with the weights that MLCommons publishes; compiles like ic.py (entry models.ic.official:build_model)."""

from models.ic.ic import ResNet8, calibration, example_inputs
from models.official import load_folded, official_file

__all__ = ["build_model", "calibration", "example_inputs"]


def build_model() -> ResNet8:
    """Ready for inference. Raises FileNotFoundError where the weights are not at hand."""
    return load_folded(ResNet8(), official_file("ic_weights.npz"))
