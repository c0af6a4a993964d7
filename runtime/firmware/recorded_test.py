import pytest

from runtime.firmware.recorded import one_input

_PLAN = {"inputs": [{"bytes": 2}, {"bytes": 1}]}


def test_inputs_of_one_inference_lie_end_to_end():
    assert one_input(b"abcdef", _PLAN, 0) == b"abc"
    assert one_input(b"abcdef", _PLAN, 1) == b"def"


@pytest.mark.parametrize("number", [2, -1])
def test_an_input_that_is_not_there_is_refused(number):
    with pytest.raises(ValueError, match=f"no input {number}: there are 2"):
        one_input(b"abcdefg", _PLAN, number)
