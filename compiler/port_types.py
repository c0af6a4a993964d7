"""What the user wants the firmware's inputs and outputs to be: "int8" for all, or "audio=int16:1/32768" for one."""

import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from compiler.errors import CompileError

DTYPES = ("int8", "int16", "float32")


@dataclasses.dataclass(frozen=True)
class PortType:
    """`scale` is what a step of int16 stands for, its zero point being 0; 0.0 where calibration is to say it."""

    dtype: str = "int8"
    scale: float = 0.0


@dataclasses.dataclass(frozen=True)
class PortTypes:
    """Of the inputs and outputs in `named`, and of all others."""

    others: PortType = PortType()
    named: Mapping[str, PortType] = dataclasses.field(default_factory=dict)

    def of(self, port: str) -> PortType:
        return self.named.get(port, self.others)


def port_types_from_texts(texts: Sequence[str]) -> PortTypes:
    """Each text is DTYPE, NAME=DTYPE or NAME=int16:SCALE. Raises CompileError, also for two of one name, or of none."""
    types: dict[str, PortType] = {}
    for text in texts:
        name, _, described = text.rpartition("=")
        if not name and ":" in text:
            raise CompileError(f"--io={text}: a scale is of one input or output: write NAME={text}")
        if name in types:
            raise CompileError(f"--io={text}: another --io says already what {name or 'all others'} {'is' if name else 'are'}")
        types[name] = _port_type(text, described)
    others = types.pop("", PortType())
    return PortTypes(others, types)


def _port_type(text: str, described: str) -> PortType:
    dtype, _, scale = described.partition(":")
    dtype = "float32" if dtype == "float" else dtype
    if dtype not in DTYPES:
        raise CompileError(f"--io={text}: inputs and outputs are {', '.join(DTYPES[:-1])} or {DTYPES[-1]}, not {dtype}")
    if not scale:
        return PortType(dtype)
    if dtype != "int16":
        raise CompileError(f"--io={text}: a scale can be given to int16 only")
    return PortType(dtype, _scale(text, scale))


def _scale(text: str, scale: str) -> float:
    """Rounded to float32, as the firmware's header states it."""
    try:
        value = float(np.float32(float(Fraction(scale))))
    except (ValueError, ZeroDivisionError, OverflowError):
        value = 0.0
    if not 2.0**-60 <= value <= 2.0**60:
        raise CompileError(f"--io={text}: {scale} is no scale; write one such as 1/32768")
    return value
