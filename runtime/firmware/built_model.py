"""What the compiler has written about a model, as the generators of its firmware sources read it."""

import dataclasses
import functools
import json
import pathlib
from typing import Any

from compiler.pte.reader import PteView, read_pte
from kernels.registry import kernel_signature
from kernels.signature import KernelSignature


class GenerateError(ValueError):
    """The model cannot be built into a firmware; the message is one line."""


@dataclasses.dataclass(frozen=True)
class BuiltModel:
    """`plan` and `operators` are those of plan.json and ops.json."""

    name: str  # a C++ namespace
    pte_path: str  # as the assembler will find it
    pte: bytes
    plan: dict[str, Any]
    operators: list[dict[str, Any]]
    observed: bool = False  # its code tells of every step: see observer.h
    verification: str = "structure"  # one of kindling::Verification
    checksums: bool = False  # whether the .pte is held against its checksums first

    @property
    def is_upstream(self) -> bool:
        """Whether the program calls upstream's operators, not kernels."""
        return not all(operator["name"].startswith("kindling::") for operator in self.operators)

    @property
    def kernels(self) -> list[KernelSignature]:
        """By operator number. Raises GenerateError if there is no such kernel."""
        return [_kernel(operator) for operator in self.operators]

    @property
    def kernel_headers(self) -> list[str]:
        return sorted({kernel.header for kernel in self.kernels})

    @functools.cached_property
    def view(self) -> PteView:
        return read_pte(self.pte)

    @property
    def method_number(self) -> int:
        """Which of the .pte's methods the plan is of."""
        return [method.name for method in self.view.methods].index(self.plan["method"])


def _kernel(operator: dict[str, Any]) -> KernelSignature:
    try:
        return kernel_signature(operator["kernel"])
    except KeyError:
        layers = ", ".join(operator["layers"])
        raise GenerateError(f"there is no kernel {operator['kernel']}, which {layers} would need") from None


def read_model(
    *,
    name: str,
    pte: pathlib.Path,
    ops: pathlib.Path,
    plan: pathlib.Path,
    observed: bool = False,
    verification: str = "structure",
    checksums: bool = False,
) -> BuiltModel:
    """Raises GenerateError if `name` cannot be a C++ namespace."""
    if not (name.isidentifier() and name.isascii()) or name in ("kindling", "std"):
        raise GenerateError(f"a model named '{name}' cannot have a C++ header: the name must be an identifier")
    operators = json.loads(ops.read_text())["operators"]
    return BuiltModel(
        name, pte.as_posix(), pte.read_bytes(), json.loads(plan.read_text()), operators, observed, verification, checksums
    )
