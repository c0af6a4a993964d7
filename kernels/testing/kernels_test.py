"""Every kernel of a core's tier computes the bytes of its operator's reference, stays in its buffers, and allows the overlap it
states. Environment: KINDLING_CORE, a core of platforms/cores.bzl or "host"."""

import functools
import math
import os
import pathlib
import struct
from collections.abc import Mapping

import numpy as np
import pytest

from kernels.move.move import contiguous_steps
from kernels.operator import Call, TensorType, UnsupportedError
from kernels.registry import KERNELS, PARAMS
from kernels.testing.cases import ANY_ERROR, INVALID_ARGUMENT, Argument, Case, case_of
from kernels.testing.random_calls import OPERATOR_CALLS, random_calls
from kernels.testing.random_float_calls import FLOAT_CALLS
from kernels.testing.run_cases import run_cases, tier_of

CORE = os.environ["KINDLING_CORE"]
TIER = tier_of(CORE)
RUNNER = pathlib.Path(__file__).absolute().parent / "case_runner"
PER_OPERATOR = 80


@functools.cache
def supported_cases(seed: int, per_operator: int) -> list[tuple[Call, Case]]:
    """`per_operator` cases of each operator on int8, half as many on float32: there is one source of those for all cores."""
    calls = (*random_calls(seed, per_operator), *random_calls(seed, per_operator // 2 or 1, FLOAT_CALLS))
    cases = []
    for call, inputs in calls:
        try:
            cases.append((call, case_of(call, TIER, inputs)))
        except UnsupportedError:
            assert call.operator in ("normalise", "conv2d", "depthwise_conv2d", "transposed_conv2d", "linear", "add"), call
    return cases


def test_outputs_are_the_references() -> None:
    cases = [case for _, case in supported_cases(seed=1, per_operator=PER_OPERATOR)]
    assert {case.kernel for case in cases} == set(KERNELS)
    assert run_cases(CORE, RUNNER, cases).failures == []


def test_few_calls_are_refused() -> None:
    """So that the test above means something."""
    assert len(supported_cases(seed=1, per_operator=PER_OPERATOR)) > 0.95 * PER_OPERATOR * (len(OPERATOR_CALLS) + len(FLOAT_CALLS) / 2)


def test_the_runner_sees_a_wrong_byte() -> None:
    _, case = supported_cases(seed=2, per_operator=1)[0]
    *others, output = case.arguments
    wrong = bytes([output.data[0] ^ 1]) + output.data[1:]
    failures = run_cases(CORE, RUNNER, [Case(case.kernel, (*others, Argument("output", wrong, output.alignment)))]).failures
    assert len(failures) == 1 and "output byte 0" in failures[0]


def test_the_runner_sees_an_overlap_that_is_too_far() -> None:
    """A 1x1 convolution that grows overwrites what it has not read when its output starts with its input."""
    call, inputs = next(
        (call, inputs)
        for call, inputs in random_calls(7, 200)
        if call.operator == "conv2d"
        and call.attributes["weight"].shape[1:3] == (1, 1)
        and call.outputs[0].nbytes > call.inputs[0].nbytes
    )
    case = case_of(call, TIER, inputs)
    too_far = Case(case.kernel, case.arguments, ((0, 0),))
    assert run_cases(CORE, RUNNER, [too_far]).failures != []


def resized(case: Case, index: int, by: int) -> Case:
    """The case with one argument longer or shorter; its check must refuse it."""
    arguments = list(case.arguments)
    data = arguments[index].data
    data = data + bytes(by) if by > 0 else data[:by]
    arguments[index] = Argument(arguments[index].role, data, arguments[index].alignment)
    return Case(case.kernel, tuple(arguments), error=INVALID_ARGUMENT)


def test_arguments_of_a_wrong_size_are_refused() -> None:
    cases, seen = [], set()
    for _, case in supported_cases(seed=4, per_operator=40):
        if case.kernel in seen:
            continue
        seen.add(case.kernel)
        for index, argument in enumerate(case.arguments):
            if argument.role in ("input", "output"):
                cases += [resized(case, index, 4), resized(case, index, -1)]
            if argument.role == "scratch":
                cases.append(resized(case, index, -1))
            if argument.role == "params":
                cases.append(resized(case, index, 8 - len(argument.data)))
                if "quantize_" not in case.kernel and case.kernel not in ("avg_pool2d_s8", "max_pool2d_s8", "softmax_s8", "add_s8"):
                    cases.append(resized(case, index, -4))
    assert seen == set(KERNELS)
    assert run_cases(CORE, RUNNER, cases).failures == []


def params_of(case: Case) -> bytes:
    return next(argument.data for argument in case.arguments if argument.role == "params")


def with_fields(case: Case, numbers: Mapping[str, float], error: int) -> Case:
    """The case with some numbers of its params struct replaced."""
    params = PARAMS[KERNELS[case.kernel].params]
    arguments = list(case.arguments)
    index = next(i for i, argument in enumerate(arguments) if argument.role == "params")
    data = bytearray(arguments[index].data)
    offset = 0
    for entry in params.fields_with_offsets:
        if entry.name in numbers:
            struct.pack_into("<" + params.format_of(entry), data, offset, numbers[entry.name])
        offset += struct.calcsize(params.format_of(entry))
    arguments[index] = Argument("params", bytes(data), arguments[index].alignment)
    return Case(case.kernel, tuple(arguments), error=error)


@pytest.mark.parametrize("field", ["stride_height", "stride_width", "dilation_width", "kernel_height", "groups", "batches"])
def test_zeros_that_would_not_end_or_divide_are_refused(field: str) -> None:
    cases = {
        case.kernel: with_fields(case, {field: 0}, INVALID_ARGUMENT)
        for _, case in supported_cases(seed=5, per_operator=40)
        if field in PARAMS[KERNELS[case.kernel].params].unpack(params_of(case))
    }
    assert cases
    assert run_cases(CORE, RUNNER, list(cases.values())).failures == []


def call_of_ones(kernel: str, error: int, **numbers: int) -> Case:
    """A call of a kernel that slides a window, without pads, whose params are 1 but for `numbers`: bounds too, so that its outputs are 1.
    Its tensors are as large as such numbers need them, up to windows of 2**15 + 2 taps; pools and convolutions of 1 are valid."""
    signature = KERNELS[kernel]
    params, dtype = PARAMS[signature.params], "<f4" if signature.inputs[0] == "float" else "i1"
    values = {field.name: 0 if field.name.startswith(("pad_", "unused")) else 1 for field in params.fields} | numbers
    taps = min(values["kernel_height"] * values["kernel_width"], 2**15 + 2)
    outputs = np.ones(values["output_height"] * values["output_width"], dtype).tobytes()
    constant = params.pack(values, {array.name: bytes(5 * taps + 256) for array in params.arrays})
    scratch = [Argument("scratch", bytes(16 * taps + 64), 8)] if signature.scratch else []
    return Case(
        kernel,
        (Argument("input", np.ones(1, dtype).tobytes(), 4), Argument("params", constant, 16), *scratch, Argument("output", outputs, 4)),
        error=error,
    )


def test_windows_whose_positions_overflow_are_refused() -> None:
    """Where nothing else is wrong: sums of products of two numbers leave 32 bits."""
    cases = []
    for kernel, signature in KERNELS.items():
        fields = {field.name for field in PARAMS[signature.params].fields}
        if not {"kernel_height", "stride_height"} <= fields or "3x3" in kernel:
            continue
        cases.append(call_of_ones(kernel, error=0))
        for axis in ("height", "width"):
            far = [{"output": 32770, "stride": 65535}, {"kernel": 32770, "dilation": 65535}]
            if kernel == "transposed_conv2d_f32":
                far.append({"spread": 65535, "dilation": 65534})
            named = [{f"{name}_{axis}": number for name, number in numbers.items()} for numbers in far]
            cases += [call_of_ones(kernel, INVALID_ARGUMENT, **numbers) for numbers in named if numbers.keys() <= fields]
        if "avg_pool" in kernel:
            cases.append(call_of_ones(kernel, INVALID_ARGUMENT, kernel_height=2**11, kernel_width=2**11))
    assert run_cases(CORE, RUNNER, cases).failures == []


@pytest.mark.parametrize("kernel", ["softmax_s8", "log_softmax_s8"])
def test_rows_whose_sum_has_no_room_are_refused(kernel: str) -> None:
    _, case = next(pair for pair in supported_cases(seed=1, per_operator=PER_OPERATOR) if pair[1].kernel == kernel)
    cases = []
    for depth, error in ((2**12 - 1, ANY_ERROR), (2**12, INVALID_ARGUMENT)):
        sized = with_fields(case, {"outer": 1, "depth": depth, "inner": 1}, error)
        arguments = [a if a.role == "params" else Argument(a.role, bytes(depth), a.alignment) for a in sized.arguments]
        cases.append(Case(kernel, tuple(arguments), error=error))
    assert run_cases(CORE, RUNNER, cases).failures == []


def copy_of_one_byte(rank: int, error: int, times: int = 1) -> Case:
    """Of the only byte there is to the only place there is, again and again."""
    params = PARAMS["CopyParams"]
    values = {"rank": rank, "input_bytes": 1, "output_bytes": 1, "input_offset": 0, "output_offset": 0}
    constant = params.pack(values, {"axes": struct.pack("<3i", times, 0, 0) + struct.pack("<3i", 1, 0, 0) * (rank - 1)})
    return Case("copy_s8", (Argument("input", b"a"), Argument("params", constant, 16), Argument("output", b"a")), error=error)


def test_blocks_of_more_axes_than_fit_are_refused() -> None:
    refused = [copy_of_one_byte(rank, INVALID_ARGUMENT) for rank in (0, 1, 9, 100)]
    assert run_cases(CORE, RUNNER, [copy_of_one_byte(rank, 0) for rank in range(2, 9)] + refused).failures == []


def test_blocks_of_more_bytes_than_their_output_are_refused() -> None:
    refused = [copy_of_one_byte(rank, INVALID_ARGUMENT, times) for rank in (2, 8) for times in (2, 2**28, 2**31 - 1)]
    assert run_cases(CORE, RUNNER, refused).failures == []


def test_blocks_of_as_many_axes_as_fit_are_copied() -> None:
    x = np.arange(3 * 2**7).astype(np.int8).reshape(2, 2, 2, 3, 2, 2, 2, 2)
    shape = x.shape[::-1]
    call = Call(
        "copy",
        (TensorType(x.shape, "int8"),),
        (TensorType(shape, "int8"),),
        {"input_offset": 0, "input_steps": contiguous_steps(x.shape)[::-1]},
    )
    case = case_of(call, TIER, [x])
    assert case.arguments[-1].data == x.transpose().tobytes()
    assert run_cases(CORE, RUNNER, [case]).failures == []


def test_what_checks_let_pass_stays_in_its_buffers() -> None:
    """Params with one number replaced by another: either refused, or harmless."""
    rng, cases = np.random.default_rng(6), []
    for _, case in supported_cases(seed=6, per_operator=30):
        params = PARAMS[KERNELS[case.kernel].params]
        for entry in params.fields_with_offsets:
            largest = 127 if params.format_of(entry) in "bB" else 300
            value = (
                float(rng.normal())
                if entry.ctype == "float"
                else int(rng.choice([0, 1, 2, 3, 5, rng.integers(0, largest + 1)]))
            )
            cases.append(with_fields(case, {entry.name: value}, ANY_ERROR))
    assert run_cases(CORE, RUNNER, cases).failures == []


def test_any_field_at_the_ends_of_its_type_is_refused_or_harmless() -> None:
    """Of every kernel's params: 0, 1, -1 and the least and the greatest number, one field after another."""
    cases = []
    for case in {case.kernel: case for _, case in supported_cases(seed=8, per_operator=40)}.values():
        params = PARAMS[KERNELS[case.kernel].params]
        for entry in params.fields_with_offsets:
            if entry.ctype == "float":
                ends = (0.0, -1.0, 3e38, math.inf, math.nan)
            else:
                range_ = np.iinfo(entry.ctype.removeprefix("std::").removesuffix("_t"))
                ends = {0, 1, max(range_.min, -1), range_.min, range_.max}
            cases += [with_fields(case, {entry.name: value}, ANY_ERROR) for value in ends]
    assert {case.kernel for case in cases} == set(KERNELS)
    assert run_cases(CORE, RUNNER, cases).failures == []


def test_arrays_that_are_damaged_are_harmless() -> None:
    """Weights, biases, multipliers and shifts are not looked at, whatever they are: outputs may be wrong, nothing is undefined."""
    rng, cases = np.random.default_rng(7), []
    for _, case in supported_cases(seed=7, per_operator=20):
        params, data = PARAMS[KERNELS[case.kernel].params], bytearray(params_of(case))
        if len(data) == params.nbytes:
            continue
        for at in rng.integers(params.nbytes, len(data), 1 + len(data) // 16):
            data[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.integers(256)])
        arguments = [Argument(a.role, bytes(data), a.alignment) if a.role == "params" else a for a in case.arguments]
        cases.append(Case(case.kernel, tuple(arguments), error=ANY_ERROR))
    assert run_cases(CORE, RUNNER, cases).failures == []
