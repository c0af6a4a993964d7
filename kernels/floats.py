"""What descriptions of operators on float32 share."""

from kernels.operator import Call, Tier, UnsupportedError
from kernels.params import Field

ITEMSIZE = 4

ACTIVATION = (
    Field("activation_min", "float", "-infinity for no bound"),
    Field("activation_max", "float", "infinity for no bound"),
)


def activation(call: Call) -> dict[str, float]:
    """The bounds of a call's results; of a field each, see ACTIVATION. Raises UnsupportedError where they cross."""
    low, high = (float(call.attributes[key]) for key in ("activation_min", "activation_max"))
    if not low <= high:
        raise UnsupportedError(f"{call.operator}: no number is between {low} and {high}")
    return {"activation_min": low, "activation_max": high}


def require_float(call: Call) -> None:
    """Raises UnsupportedError unless all inputs and outputs are float32."""
    if any(tensor.dtype != "float32" for tensor in (*call.inputs, *call.outputs)):
        raise UnsupportedError(f"{call.operator} of float32 needs float32 inputs and output")


class FloatOperator:
    """What such descriptions answer alike: no kernel takes working memory."""

    def scratch_bytes(self, call: Call, tier: Tier) -> int:
        return 0

    def macs(self, call: Call) -> int:
        return 0
