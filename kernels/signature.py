"""What a kernel looks like from C++, and the table row through which the runtime reaches it (kernels/kernel.h)."""

import dataclasses


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

    @property
    def argument_count(self) -> int:
        """Tensors an instruction lists for this kernel, without ExecuTorch's repetition of the last output."""
        return len(self.inputs) + 1 + self.scratch + len(self.outputs)

    @property
    def aligned_arguments(self) -> int:
        """Bit i: argument i must be aligned to 16 bytes, as all are but int8 tensors."""
        types = [*self.inputs, "params", *(["scratch"] if self.scratch else []), *self.outputs]
        return sum(1 << i for i, ctype in enumerate(types) if ctype != "std::int8_t")


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
