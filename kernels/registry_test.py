"""What holds of all operators and kernels."""

import numpy as np
import pytest

from kernels.operator import TIERS, Operator, UnsupportedError
from kernels.registry import KERNELS, OPERATORS, PARAMS, kernel_signature
from kernels.signature import kernel_adaptor, kernel_entry, signature_table
from kernels.testing.random_calls import random_calls
from kernels.testing.random_float_calls import ALL_CALLS


def test_every_operator_is_described_in_full() -> None:
    for operator in OPERATORS.values():
        assert all(callable(getattr(operator, name)) for name in vars(Operator) if not name.startswith("_"))


@pytest.mark.parametrize("tier", TIERS)
def test_calls_have_a_known_kernel_that_fits_their_params_and_scratch(tier: str) -> None:
    for call, inputs in random_calls(7, 20, ALL_CALLS):
        operator = OPERATORS[call.operator]
        try:
            signature = KERNELS[operator.kernel(call, tier)]
        except UnsupportedError:
            continue
        assert len(inputs) == len(signature.inputs) == len(call.inputs)
        assert (operator.scratch_bytes(call, tier) > 0) == signature.scratch
        assert len(operator.pack(call, tier)) >= PARAMS[signature.params].nbytes
        assert operator.pack(call, tier) == operator.pack(call, tier)
        lead = operator.overlap_lead(call, tier, 0)
        assert lead is None or lead >= 0


def test_references_give_the_type_that_the_call_promises() -> None:
    for call, inputs in random_calls(8, 10, ALL_CALLS):
        try:
            OPERATORS[call.operator].kernel(call, "scalar")
        except UnsupportedError:
            continue
        (result,) = OPERATORS[call.operator].reference(call, inputs)
        assert result.shape == call.outputs[0].shape and result.dtype == np.dtype(call.outputs[0].dtype)


def test_an_adaptor_hands_on_arguments_in_the_instructions_order() -> None:
    assert kernel_adaptor(kernel_signature("add_s8")) == (
        "static void run_add_s8(void* const* arguments) {\n"
        "  add_s8(static_cast<const std::int8_t*>(arguments[0]), static_cast<const std::int8_t*>(arguments[1]), "
        "*static_cast<const AddParams*>(arguments[2]), static_cast<std::int8_t*>(arguments[3]));\n"
        "}\n"
    )
    assert "arguments[2], static_cast<std::int8_t*>(arguments[3])" in kernel_adaptor(kernel_signature("conv2d_s8"))
    assert kernel_entry(kernel_signature("conv2d_s8")) == "{run_conv2d_s8, check_conv2d_s8}"


def test_arguments_have_the_types_of_the_kernel_and_the_rank_of_images() -> None:
    assert kernel_signature("argmax_s8").arguments == ("input_of(kInt8)", "kParamsArgument", "output_of(kInt32)")
    image = "_of(kInt8).of_rank(4)"
    assert kernel_signature("conv2d_s8").arguments == (f"input{image}", "kParamsArgument", "kScratchArgument", f"output{image}")
    assert kernel_signature("concat_2_s8").arguments == (
        "kInputOfAnyType",
        "kInputOfAnyType",
        "kParamsArgument",
        "kOutputOfAnyType",
    )


def test_kernels_with_arguments_alike_share_them_in_a_table() -> None:
    names = {"kindling::add_s8": "add_s8", "kindling::mul_s8": "mul_s8", "kindling::table_s8": "table_s8"}
    assert signature_table("kTable", {name: kernel_signature(kernel) for name, kernel in names.items()}) == (
        "static constexpr Argument arguments_of_add_s8[] = {input_of(kInt8), input_of(kInt8), kParamsArgument, output_of(kInt8)};\n"
        "static constexpr Argument arguments_of_table_s8[] = {input_of(kInt8), kParamsArgument, output_of(kInt8)};\n"
        "constexpr Signature kTable[] = {\n"
        "    {16, 2, 4, arguments_of_add_s8},\n"
        "    {16, 2, 4, arguments_of_add_s8},\n"
        "    {18, 1, 3, arguments_of_table_s8},\n"
        "};\n"
    )


def test_an_unknown_kernel_is_named() -> None:
    with pytest.raises(KeyError, match="no kernel is called conv3d_s8"):
        kernel_signature("conv3d_s8")
