"""The autoencoder with the weights that MLCommons publishes; compiles like ad.py (entry models.ad.official:build_model)."""

from models.ad.ad import Autoencoder, calibration, example_inputs
from models.official import load_folded, official_file

__all__ = ["build_model", "calibration", "example_inputs"]


def build_model() -> Autoencoder:
    """Ready for inference. Raises FileNotFoundError where the weights are not at hand."""
    return load_folded(Autoencoder(), official_file("ad_weights.npz"))
