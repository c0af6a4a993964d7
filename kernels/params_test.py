"""Parameter structs as bytes and as C++."""

import pytest

from kernels.params import Array, Field, ParamsStruct, cpp_header

PARAMS = ParamsStruct(
    "ThingParams",
    "Parameters of a thing.",
    (Field("count", "std::uint16_t", "of things"), Field("low", "std::int8_t", ""), Field("high", "std::int8_t", "")),
    (Array("weights", "std::int8_t", "[count]"), Array("bias", "std::int32_t", "[count]")),
)


def test_arrays_are_aligned_and_found_by_offset() -> None:
    packed = PARAMS.pack({"count": 3, "low": -1, "high": 5}, {"weights": b"abc", "bias": b"wxyz"})
    assert packed == bytes([16, 0, 0, 0, 32, 0, 0, 0, 3, 0, 255, 5]) + bytes(4) + b"abc" + bytes(13) + b"wxyz"
    assert PARAMS.unpack(packed) == {"weights_offset": 16, "bias_offset": 32, "count": 3, "low": -1, "high": 5}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"count": 3, "low": -1}, "high missing or unknown"),
        ({"count": 3, "low": -1, "high": 5, "width": 1}, "width missing or unknown"),
        ({"count": -1, "low": -1, "high": 5}, "count cannot be -1"),
    ],
)
def test_wrong_values_are_named(values: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PARAMS.pack(values, {"weights": b"", "bias": b""})


def test_a_field_off_its_alignment_is_refused() -> None:
    with pytest.raises(ValueError, match="Bad.wide is at byte 1"):
        ParamsStruct("Bad", "", (Field("narrow", "std::int8_t", ""), Field("wide", "std::int32_t", "")))


def test_the_header_declares_the_same_layout() -> None:
    header = cpp_header([PARAMS])
    assert "static_assert(sizeof(ThingParams) == 12);" in header
    assert "  std::uint16_t count;  ///< of things\n" in header
    assert "const std::int32_t* bias() const {" in header
