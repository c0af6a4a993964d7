import dataclasses
import re
import struct

import pytest

from compiler.pte.contents import Contents, KernelCall, Method, ScalarType, TensorValue
from compiler.pte.writer import pte_bytes
from runtime.firmware import baked, interpreted
from runtime.firmware.built_model import BuiltModel, GenerateError, read_model

_PLAN = {
    "method": "forward",
    "inputs": [{"name": "mfcc", "shape": [1, 64], "dtype": "int8", "scale": 0.1, "zero_point": -3, "bytes": 64}],
    "outputs": [{"name": "softmax", "shape": [1, 12], "dtype": "int8", "scale": 1 / 256, "zero_point": -128, "bytes": 12}],
    "regions": [{"name": "sram", "bytes": 640, "alignment": 16}],
    "states": [],
    "state_bytes": 0,
    "arena_bytes": 640,
    "values": 6,
    "tensors": [
        {"name": "linear.y", "region": "sram", "offset": 256, "bytes": 12},
        {"name": "softmax.y", "region": "sram", "offset": 0, "bytes": 12},
    ],
    "steps": [{"outputs": ["linear.y"]}, {"outputs": ["softmax.y"]}],
}


def _operator(kernel: str) -> dict:
    return {"name": f"kindling::{kernel}", "kernel": kernel, "layers": ["classifier"]}


def _contents() -> Contents:
    """linear_s8, then softmax_s8; the constants are 20 and 8 bytes."""
    values = (
        TensorValue(ScalarType.CHAR, (1, 64), offset=32),
        TensorValue(ScalarType.BYTE, (20,), constant=0),
        TensorValue(ScalarType.BYTE, (64,), offset=128),
        TensorValue(ScalarType.CHAR, (1, 12), offset=256),
        TensorValue(ScalarType.BYTE, (8,), constant=1),
        TensorValue(ScalarType.CHAR, (1, 12), offset=0),
    )
    method = Method(
        name="forward",
        values=values,
        inputs=(0,),
        outputs=(5,),
        operators=("kindling::linear_s8", "kindling::softmax_s8"),
        calls=(KernelCall(0, (0, 1, 2, 3)), KernelCall(1, (3, 4, 5))),
        memory_bytes=(640,),
    )
    return Contents((method,), (bytes(20), bytes(8)))


_CONTENTS = _contents()


def _model(*kernels: str) -> BuiltModel:
    return BuiltModel("kws", "out/kws.pte", pte_bytes(_CONTENTS), _PLAN, [_operator(kernel) for kernel in kernels])


_MODEL = _model("linear_s8", "softmax_s8")


def _with_state() -> BuiltModel:
    """Softmax leaves its answer in a state that is not zero at first, behind one that is."""
    (method,) = _CONTENTS.methods
    answer = TensorValue(ScalarType.CHAR, (1, 12), memory=1, offset=16)
    values = (*method.values[:-1], answer, dataclasses.replace(answer, first=0))
    changed = dataclasses.replace(method, values=values, memory_bytes=(640, 28))
    state = {"name": "s", "shape": [1, 12], "dtype": "int8", "scale": 0.5, "zero_point": 1, "bytes": 12, "offset": 16}
    plan = _PLAN | {"states": [state], "state_bytes": 28}
    plan["tensors"] = [_PLAN["tensors"][0], {"name": "softmax.y", "region": "state", "offset": 16, "bytes": 12}]
    return dataclasses.replace(_MODEL, pte=pte_bytes(Contents((changed,), _CONTENTS.constants, (bytes(range(12)),))), plan=plan)


@pytest.mark.parametrize("mode", [interpreted, baked])
def test_what_lasts_from_run_to_run_has_a_region_of_its_own(mode):
    header, source = mode.header(_with_state()), mode.source(_with_state())
    assert "inline constexpr uint32_t kKeptBytes = 28;" in header and "+ kKeptBytes;" in header or "kStateBytes = kKeptBytes;" in header
    assert '{"s", "int8", kState0Shape, 0.5f, 1, 12},' in header
    assert "kindling::Error reset_state();" in header and ".reset_state = reset_state," in header
    assert '[[gnu::section(".state")]] alignas(16) uint8_t region_1[28];' in source
    for text in (mode.header(_MODEL), mode.source(_MODEL)):
        assert "reset" not in text and "region_1" not in text and "Kept" not in text


def test_an_interpreted_model_with_state_is_ready_once_that_is_reset():
    source = interpreted.source(_with_state())
    assert "kRegions[] = {{region_0, 640}, {region_1, 28}};" in source and ".state = kRegions[1]," in source
    assert source.count("kindling::reset_state(program, 0, kindling::kEnvironment)") == 2


def test_a_baked_model_copies_first_values_from_their_segment():
    model = _with_state()
    source, blob = baked.source(model), baked.blob(model)
    assert "for (uint8_t& byte : region_1) byte = 0;" in source
    assert "copy_first(region_1 + 16, kws_first_values + 0, 12);" in source
    (start, size) = model.view.segments[1]
    assert f'.incbin "out/kws.pte", {start}, {size}' in blob and "kws_first_values:" in blob and size == 12
    assert "first_values" not in baked.source(_MODEL) + baked.blob(_MODEL)


def test_an_observer_finds_what_a_step_leaves_in_the_state():
    for mode in (interpreted, baked):
        assert "{region_1 + 16, 12}" in mode.source(dataclasses.replace(_with_state(), observed=True))


@pytest.mark.parametrize("mode", [interpreted, baked])
def test_header_states_shapes_and_exact_quantisation(mode):
    text = mode.header(_MODEL)
    assert "namespace kws {" in text
    assert "kInput0Shape[] = {1, 64};" in text
    assert '{"mfcc", "int8", kInput0Shape, 0.10000000149011612f, -3, 64},' in text
    assert '{"softmax", "int8", kOutput0Shape, 0.00390625f, -128, 12},' in text
    assert "kArenaBytes = 640;" in text


def test_header_of_an_output_without_axes():
    plan = _PLAN | {"outputs": [_PLAN["outputs"][0] | {"shape": []}]}
    text = interpreted.header(dataclasses.replace(_MODEL, plan=plan))
    assert "kOutput0Shape" not in text and '{"softmax", "int8", {}, 0.00390625f' in text


def test_interpreted_table_has_exactly_the_kernels_of_the_model_in_their_order():
    text = interpreted.source(_model("softmax_s8", "linear_s8"))
    assert "{run_softmax_s8, check_softmax_s8},\n    {run_linear_s8, check_linear_s8},\n" in text
    assert '#include "kernels/linear/linear.h"\n#include "kernels/softmax/softmax.h"\n' in text
    assert "conv2d" not in text


def test_interpreted_names_are_padded_to_words_with_at_least_one_zero():
    text = interpreted.source(_MODEL)
    assert '"kindling::softmax_s8\\0\\0\\0\\0"' in text  # 20 bytes of name
    assert '"kindling::linear_s8\\0"' in text  # 19


def test_interpreted_signatures_tell_the_loader_what_arguments_must_be():
    text = interpreted.source(_model("linear_s8", "quantize_s8"))
    assert "arguments_of_linear_s8[] = {input_of(kInt8), kParamsArgument, kScratchArgument, output_of(kInt8)};" in text
    assert "arguments_of_quantize_s8[] = {input_of(kFloat32), kParamsArgument, output_of(kInt8)};" in text
    assert "{19, 1, 4, arguments_of_linear_s8},\n    {21, 1, 3, arguments_of_quantize_s8},\n" in text


def test_interpreted_environment_has_types_and_shapes_of_inputs_and_outputs():
    text = interpreted.source(_MODEL)
    assert "Port kInputs[] = {{kInt8, kws::kInput0Shape}};\nconstexpr Port kOutputs[] = {{kInt8, kws::kOutput0Shape}};\n" in text
    scalar = _PLAN | {"outputs": [_PLAN["outputs"][0] | {"shape": [], "dtype": "float32"}]}
    assert "Port kOutputs[] = {{kFloat32, {}}};" in interpreted.source(dataclasses.replace(_MODEL, plan=scalar))


def test_interpreted_blob_is_the_whole_file():
    text = interpreted.blob(_MODEL)
    assert '.section .model, "a", %progbits' in text and ".balign 16" in text
    assert f'.incbin "out/kws.pte", 0, {len(_MODEL.pte)}' in text


def test_baked_instructions_are_calls_in_their_order():
    calls = re.findall(r"^  (\w+_s8\(.*\);)$", baked.source(_MODEL), re.MULTILINE)
    assert calls == [
        "linear_s8(at<const std::int8_t>(region_0 + 32), *at<const LinearParams>(kws_constants + 0), "
        "at<void>(region_0 + 128), at<std::int8_t>(region_0 + 256));",
        "softmax_s8(at<const std::int8_t>(region_0 + 256), *at<const SoftmaxParams>(kws_constants + 32), "
        "at<std::int8_t>(region_0 + 0));",
    ]


def test_baked_blob_is_the_segment_of_constants():
    (base,) = struct.unpack_from("<Q", _MODEL.pte, 24)
    assert f'.incbin "out/kws.pte", {base}, 40' in baked.blob(_MODEL)


def test_baked_model_knows_nothing_of_the_runtime():
    for text in (baked.header(_MODEL), baked.source(_MODEL)):
        assert set(re.findall(r'"(runtime/[^"]*)"', text)) <= {"runtime/firmware/model.h"}


@pytest.mark.parametrize("mode", [interpreted, baked])
def test_an_observed_model_tells_of_each_step_and_of_its_outputs(mode):
    text = mode.source(dataclasses.replace(_MODEL, observed=True))
    assert '#include "runtime/firmware/observer.h"' in text
    assert "kOutputsOfStep0[] = {{region_0 + 256, 12}};\nconstexpr Span<const uint8_t> kOutputsOfStep1[] = {{region_0 + 0, 12}};" in text
    assert "const Span<const StepOutputs> kStepOutputs = kOutputsOfSteps;" in text
    assert "bserve" not in mode.source(_MODEL) and "Step" not in mode.source(_MODEL)


def test_an_observed_interpreter_stops_after_each_instruction():
    text = interpreted.source(dataclasses.replace(_MODEL, observed=True))
    assert "ObservedStep step(kindling::method.next_instruction());\n    error = kindling::method.step(1);" in text


def test_an_observed_baked_model_has_each_call_in_a_scope_of_its_own():
    text = baked.source(dataclasses.replace(_MODEL, observed=True))
    assert re.findall(r"^  \{ ObservedStep step\((\d)\); (\w+)\(.*\); \}$", text, re.MULTILINE) == [("0", "linear_s8"), ("1", "softmax_s8")]


@pytest.mark.parametrize("mode", [interpreted, baked])
def test_a_kernel_that_does_not_exist_is_named_with_its_layers(mode):
    with pytest.raises(GenerateError, match="no kernel fold_s8, which classifier would need"):
        mode.source(_model("fold_s8", "softmax_s8"))


def test_a_name_that_is_no_identifier_is_refused(tmp_path):
    for name in ("2fast", "kws-small", "kindling", "größe"):
        with pytest.raises(GenerateError, match="must be an identifier"):
            read_model(name=name, pte=tmp_path, ops=tmp_path, plan=tmp_path)
