"""The MobileNetV1 with the weights that MLCommons publishes; compiles like vww.py (entry models.vww.official:build_model)."""

from models.official import load_folded, official_file
from models.vww.vww import MobileNetV1, calibration, example_inputs

__all__ = ["build_model", "calibration", "example_inputs"]


def build_model() -> MobileNetV1:
    """Ready for inference. Raises FileNotFoundError where the weights are not at hand."""
    return load_folded(MobileNetV1(), official_file("vww_weights.npz"))
