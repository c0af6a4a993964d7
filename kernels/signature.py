"""What a kernel looks like from C++, and the table row through which the runtime reaches it (kernels/kernel.h)."""

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True)
class KernelSignature:
    """The C++ face of one kernel: `void <name>(inputs..., const <params>&, [void* scratch,] outputs...)`.

    Beside it stands its KernelCheck, `Error check_<name>(const std::uint32_t* argument_bytes, const void* params)`.
    """

    name: str  # "conv2d_1x1_s8"
    inputs: tuple[str, ...]  # element types, e.g. ("std::int8_t",)
    params: str  # "Conv2dParams"
    scratch: bool  # takes working memory; then scratch_bytes(call, tier) > 0 on every tier
    outputs: tuple[str, ...]
    header: str  # declares kernel, params and check: "kernels/conv2d/conv2d.h"
    rank: int | None = None  # of inputs and outputs, 4 of images; None: they may have any
    any_dtype: bool = False  # elements may be of other types than these, one for all inputs and outputs

    @property
    def arguments(self) -> tuple[str, ...]:
        """C++ expressions of the `kindling::Argument` (runtime/signature.h) that each tensor of an instruction must suit."""
        scratch = ["kScratchArgument"] if self.scratch else []
        if self.any_dtype:
            inputs, outputs = ["kInputOfAnyType"] * len(self.inputs), ["kOutputOfAnyType"] * len(self.outputs)
            return (*inputs, "kParamsArgument", *scratch, *outputs)
        rank = "" if self.rank is None else f".of_rank({self.rank})"
        inputs, outputs = (
            [f"{role}_of({element_type(ctype)}){rank}" for ctype in ctypes]
            for role, ctypes in (("input", self.inputs), ("output", self.outputs))
        )
        return (*inputs, "kParamsArgument", *scratch, *outputs)


def element_type(name: str) -> str:
    """The C++ name of a `kindling::ElementType`, by NumPy's name of the dtype or C++'s of the type: "kInt8" of "int8" or "std::int8_t"."""
    dtype = "float32" if name == "float" else name.removeprefix("std::").removesuffix("_t")
    return f"k{dtype.capitalize()}" if dtype in ("uint8", "int8", "int16", "int32", "float32", "bool") else "kOtherType"


def kernel_adaptor(kernel: KernelSignature) -> str:
    """C++ definition of `run_<kernel>`, the KernelFunction that hands typed arguments to the kernel."""
    params_index = len(kernel.inputs)
    arguments = [f"static_cast<const {ctype}*>(arguments[{i}])" for i, ctype in enumerate(kernel.inputs)]
    arguments.append(f"*static_cast<const {kernel.params}*>(arguments[{params_index}])")
    if kernel.scratch:
        arguments.append(f"arguments[{params_index + 1}]")
    first_output = params_index + 1 + kernel.scratch
    arguments += [f"static_cast<{ctype}*>(arguments[{first_output + i}])" for i, ctype in enumerate(kernel.outputs)]
    return f"static void run_{kernel.name}(void* const* arguments) {{\n  {kernel.name}({', '.join(arguments)});\n}}\n"


def kernel_entry(kernel: KernelSignature) -> str:
    """C++ initialiser of the kernel's row in a table of `kindling::Kernel`."""
    return f"{{run_{kernel.name}, check_{kernel.name}}}"


def signature_table(table: str, kernels: Mapping[str, KernelSignature]) -> str:
    """C++ definition of `table`, a `kindling::Signature` for each operator's name and its kernel, after that of what it points to."""
    shared: dict[tuple[str, ...], str] = {}
    for kernel in kernels.values():
        shared.setdefault(kernel.arguments, f"arguments_of_{kernel.name}")
    arrays = "".join(f"static constexpr Argument {name}[] = {{{', '.join(arguments)}}};\n" for arguments, name in shared.items())
    rows = "".join(
        f"    {{{len(name)}, {len(kernel.inputs)}, {len(kernel.arguments)}, {shared[kernel.arguments]}}},\n"
        for name, kernel in kernels.items()
    )
    return f"{arrays}constexpr Signature {table}[] = {{\n{rows}}};\n"
