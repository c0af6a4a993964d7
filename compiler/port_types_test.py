import pytest

from compiler.errors import CompileError
from compiler.port_types import PortType, PortTypes, port_types_from_texts


def test_all_are_int8_unless_it_is_said():
    assert port_types_from_texts([]) == PortTypes()
    assert port_types_from_texts([]).of("x") == PortType("int8")


def test_one_is_named_and_the_others_are_not():
    types = port_types_from_texts(["float", "audio=int16:1/32768", "level=int16"])
    assert types.of("audio") == PortType("int16", 1 / 32768)
    assert types.of("level") == PortType("int16", 0.0)
    assert types.of("scores") == PortType("float32")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("int4", "inputs and outputs are int8, int16 or float32, not int4"),
        ("x=int32", "inputs and outputs are int8, int16 or float32, not int32"),
        ("int16:1/32768", "a scale is of one input or output: write NAME=int16:1/32768"),
        ("x=int8:0.5", "a scale can be given to int16 only"),
        ("x=int16:1/0", "1/0 is no scale"),
        ("x=int16:-1", "-1 is no scale"),
        ("x=int16:1e-30", "1e-30 is no scale"),
        ("x=int16:1e999", "1e999 is no scale"),
        ("x=int16:small", "small is no scale"),
    ],
)
def test_what_is_wrong_is_said(text: str, reason: str):
    with pytest.raises(CompileError) as error:
        port_types_from_texts([text])
    assert str(error.value).startswith(f"--io={text}: {reason}")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["x=int16", "y=int16", "x=float32"], "--io=x=float32: another --io says already what x is"),
        (["int16", "x=int16", "float32"], "--io=float32: another --io says already what all others are"),
    ],
)
def test_nothing_is_said_twice(texts: list[str], message: str):
    with pytest.raises(CompileError) as error:
        port_types_from_texts(texts)
    assert str(error.value) == message
