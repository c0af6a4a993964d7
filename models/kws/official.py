"""The DS-CNN with the weights that MLCommons publishes; compiles like kws.py (entry models.kws.official:build_model)."""

from models.kws.kws import DsCnn, calibration, example_inputs
from models.official import load_folded, official_file

__all__ = ["build_model", "calibration", "example_inputs"]


def build_model() -> DsCnn:
    """Ready for inference. Raises FileNotFoundError where the weights are not at hand."""
    return load_folded(DsCnn(), official_file("kws_weights.npz"))
