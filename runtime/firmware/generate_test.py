import pytest

from runtime.firmware.generate import GenerateError, Inputs, blob, header, read_inputs, table

_PLAN = {
    "method": "forward",
    "inputs": [{"name": "mfcc", "shape": [1, 49, 10, 1], "dtype": "int8", "scale": 0.1, "zero_point": -3, "bytes": 490}],
    "outputs": [{"name": "softmax", "shape": [1, 12], "dtype": "int8", "scale": 1 / 256, "zero_point": -128, "bytes": 12}],
    "regions": [{"name": "sram", "bytes": 640}],
    "arena_bytes": 640,
    "values": 5,
}


def _operator(kernel: str) -> dict:
    return {"name": f"kindling::{kernel}", "kernel": kernel, "layers": ["classifier"]}


def _model(*kernels: str) -> Inputs:
    return Inputs("kws", "out/kws.pte", 4096, _PLAN, [_operator(kernel) for kernel in kernels])


def test_header_states_shapes_and_exact_quantisation():
    text = header(_model("softmax_s8"))
    assert "namespace kws {" in text
    assert "kInput0Shape[] = {1, 49, 10, 1};" in text
    assert '{"mfcc", "int8", kInput0Shape, 0.10000000149011612f, -3, 490},' in text
    assert '{"softmax", "int8", kOutput0Shape, 0.00390625f, -128, 12},' in text
    assert "kPteBytes = 4096;" in text and "kArenaBytes = 640;" in text and "kValueCount = 5;" in text


def test_table_has_exactly_the_kernels_of_the_model_in_their_order():
    text = table(_model("softmax_s8", "linear_s8"))
    assert "{run_softmax_s8, check_softmax_s8},\n    {run_linear_s8, check_linear_s8},\n" in text
    assert '#include "kernels/linear/linear.h"\n#include "kernels/softmax/softmax.h"\n' in text
    assert "conv2d" not in text


def test_names_are_padded_to_words_with_at_least_one_zero():
    text = table(_model("softmax_s8", "linear_s8"))
    assert '"kindling::softmax_s8\\0\\0\\0\\0"' in text  # 20 bytes of name
    assert '"kindling::linear_s8\\0"' in text  # 19


def test_signatures_tell_the_loader_what_must_be_aligned():
    # linear_s8: input, params, scratch, output; quantize_s8: float input, params, output.
    text = table(_model("linear_s8", "quantize_s8"))
    assert "{19, 1, 4, 0x6},\n    {21, 1, 3, 0x3},\n" in text


def test_blob_lies_aligned_in_the_models_section():
    text = blob(_model("softmax_s8"))
    assert '.section .model, "a", %progbits' in text and ".balign 16" in text and '.incbin "out/kws.pte"' in text


def test_a_kernel_that_does_not_exist_is_named_with_its_layers():
    with pytest.raises(GenerateError, match="no kernel fold_s8, which classifier would need"):
        table(_model("fold_s8"))


def test_a_name_that_is_no_identifier_is_refused(tmp_path):
    for name in ("2fast", "kws-small", "kindling", "größe"):
        with pytest.raises(GenerateError, match="must be an identifier"):
            read_inputs(name=name, pte=tmp_path, ops=tmp_path, plan=tmp_path)
