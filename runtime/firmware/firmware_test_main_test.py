from runtime.firmware.firmware_test_main import first_difference


def test_equal_outputs_have_no_difference():
    assert first_difference(b"\x01\x02\x03\x04", b"\x01\x02\x03\x04", 2) is None


def test_difference_names_the_inference_and_the_byte():
    assert first_difference(b"\x01\x02\x03\xff", b"\x01\x02\x03\x04", 2) == "inference 1, output byte 1: 0xff, the host gave 0x04"


def test_missing_outputs_are_a_difference():
    assert first_difference(b"\x01", b"\x01\x02", 2) == "1 bytes of output, the host gave 2"
