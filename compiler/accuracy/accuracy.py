"""What an accuracy report holds, as JSON and for the eye."""

import dataclasses
import json
import math
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Ratio:
    """Power of a tensor in float, and of the difference that int8 makes, both summed over elements and samples."""

    signal: float = 0.0
    noise: float = 0.0

    def __add__(self, other: "Ratio") -> "Ratio":
        return Ratio(self.signal + other.signal, self.noise + other.noise)

    @property
    def decibels(self) -> float | None:
        """10 log10(signal / noise); None where there is no noise, or nothing at all."""
        if self.noise == 0:
            return None
        return 10 * math.log10(self.signal / self.noise) if self.signal > 0 else -math.inf


@dataclasses.dataclass(frozen=True)
class LayerError:
    """A layer as the memory plan names it; `source` is the user's line ("models/kws/kws.py:35"), or empty."""

    layer: str
    operator: str
    source: str
    ratio: Ratio


@dataclasses.dataclass(frozen=True)
class Top1:
    """How many of `samples` labelled inputs each model gets right, and in how many the two say the same."""

    samples: int
    float_right: int
    int8_right: int
    agree: int

    @property
    def drop(self) -> float:
        """By how much int8 is worse than float, as a fraction of all samples; negative where it is better."""
        return (self.float_right - self.int8_right) / self.samples


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """`inputs` and `outputs` by name; `top1` where there are labels."""

    model: str
    samples: int
    layers: tuple[LayerError, ...]
    inputs: dict[str, Ratio]
    outputs: dict[str, Ratio]
    top1: Top1 | None = None

    @property
    def worst_first(self) -> Sequence[LayerError]:
        return sorted(self.layers, key=lambda layer: math.inf if layer.ratio.decibels is None else layer.ratio.decibels)


def accuracy_json(accuracy: Accuracy) -> str:
    """Decibels are rounded to hundredths; null where int8 makes no difference."""
    document = {
        "model": accuracy.model,
        "samples": accuracy.samples,
        "layers": [
            {"layer": layer.layer, "operator": layer.operator, "source": layer.source, "snr_db": _rounded(layer.ratio)}
            for layer in accuracy.worst_first
        ],
        "inputs": [{"name": name, "snr_db": _rounded(ratio)} for name, ratio in accuracy.inputs.items()],
        "outputs": [{"name": name, "snr_db": _rounded(ratio)} for name, ratio in accuracy.outputs.items()],
        "top1": None,
    }
    if accuracy.top1 is not None:
        top1 = accuracy.top1
        document["top1"] = {
            "samples": top1.samples,
            "float": top1.float_right / top1.samples,
            "int8": top1.int8_right / top1.samples,
            "agree": top1.agree / top1.samples,
            "drop": top1.drop,
        }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def accuracy_text(accuracy: Accuracy) -> str:
    """The report as a table, worst layer first."""
    lines = [f"{accuracy.model}: int8 against float over {accuracy.samples} samples"]
    if accuracy.top1 is not None:
        top1 = accuracy.top1
        lines.append(
            f"top-1 of {top1.samples} labelled samples: float {top1.float_right / top1.samples:.2%}, int8 "
            f"{top1.int8_right / top1.samples:.2%}, both the same in {top1.agree / top1.samples:.2%}"
        )
    lines += [f"output {name}: {_decibels(ratio)}" for name, ratio in accuracy.outputs.items()]
    lines += [f"input {name}: {_decibels(ratio)}" for name, ratio in accuracy.inputs.items()]
    lines += ["", "signal to noise  layer (operator, source), worst first"]
    for layer in accuracy.worst_first:
        where = f", {layer.source}" if layer.source else ""
        lines.append(f"{_decibels(layer.ratio):>15}  {layer.layer} ({layer.operator}{where})")
    return "\n".join(lines) + "\n"


def _rounded(ratio: Ratio) -> float | None:
    return None if ratio.decibels is None else round(max(ratio.decibels, -999.0), 2)


def _decibels(ratio: Ratio) -> str:
    return "no difference" if ratio.decibels is None else f"{ratio.decibels:.1f} dB"
