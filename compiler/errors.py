"""What a user is told when a model cannot be compiled."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Source:
    """A line of the user's model. `file` is relative to the workspace, `line` counts from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class CompileError(Exception):
    """The model cannot be compiled, through the user's doing. One line: where, which layer, why.

    >>> str(CompileError("weights hold NaN", layer="stem.0", source=Source("models/kws/kws.py", 35)))
    'models/kws/kws.py:35: layer stem.0: weights hold NaN'
    """

    def __init__(self, reason: str, *, layer: str = "", source: Source | None = None):
        self.reason = " ".join(reason.split())
        self.layer = layer
        self.source = source
        where = f"{source}: " if source else ""
        which = f"layer {layer}: " if layer else ""
        super().__init__(where + which + self.reason)
