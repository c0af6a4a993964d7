"""ExecuTorch 1.5.1's own loader opens our files and reads the method's meta data."""

import numpy as np
import pytest

portable_lib = pytest.importorskip("executorch.extension.pybindings.portable_lib")

from compiler.compile import LoweringRequest, lower_graph  # noqa: E402
from compiler.pte.testing import SMALL  # noqa: E402
from compiler.pte.writer import pte_bytes  # noqa: E402
from compiler.testing import GraphBuilder, int8  # noqa: E402
from kernels.operator import TIERS  # noqa: E402


def convolutional(tier: str) -> bytes:
    b = GraphBuilder()
    x = b.input("x", int8(1, 3, 8, 6))
    y = b.conv2d("conv", x, np.ones((4, 3, 3, 3), np.int8), int8(1, 4, 6, 4, scale=40.0))
    y = b.node("flat", "reshape", [y], int8(1, 96, scale=40.0), shape=(1, 96))
    y = b.linear("fc", y, np.ones((5, 96), np.int8), int8(1, 5, scale=2000.0))
    y = b.node("softmax", "softmax", [y], int8(1, 5, scale=1 / 256, zero_point=-128), axis=1)
    return lower_graph(b.graph(y), LoweringRequest(tier)).pte


def meta_of(file: bytes):
    verification = portable_lib.Verification.InternalConsistency
    module = portable_lib._load_for_executorch_from_buffer(file, program_verification=verification)
    return module.method_meta("forward")


@pytest.mark.parametrize("tier", TIERS)
def test_a_compiled_model_loads_with_the_right_inputs_and_outputs(tier):
    meta = meta_of(convolutional(tier))
    assert (meta.num_inputs(), meta.num_outputs()) == (1, 1)
    x, y = meta.input_tensor_meta(0), meta.output_tensor_meta(0)
    assert (list(x.sizes()), x.nbytes(), x.is_memory_planned()) == ([1, 8, 6, 3], 144, True)
    assert (list(y.sizes()), y.nbytes(), y.is_memory_planned()) == ([1, 5], 5, True)
    char = 1
    assert x.dtype() == y.dtype() == char


def test_a_file_with_float_tensors_and_scratch_loads():
    meta = meta_of(pte_bytes(SMALL))
    assert (meta.input_tensor_meta(0).nbytes(), meta.output_tensor_meta(0).nbytes()) == (8, 96)
