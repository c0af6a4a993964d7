import contextlib
import dataclasses
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.errors import CompileError
from compiler.pte.contents import Contents, Method, ScalarType, TensorValue
from compiler.pte.reader import read_pte
from compiler.pte.testing import SMALL
from compiler.pte.writer import pte_bytes
from runtime.schema import program_generated as schema


def test_the_file_has_executorchs_container():
    file = pte_bytes(SMALL)
    root, identifier, magic, header_bytes, program_bytes, base, segment_bytes = struct.unpack_from("<I4s4sIQQQ", file)
    assert (identifier, magic, header_bytes) == (b"ET12", b"eh00", 32)
    assert 40 <= root < program_bytes
    assert base % 128 == 0 and 16 <= base - program_bytes < 128 + 16
    assert not any(file[program_bytes + 16 : base])
    assert segment_bytes == 16 + 6
    assert file[base:] == b"hello".ljust(16, b"\0") + b"world!"


def test_the_bytes_are_those_of_the_golden_file():
    """Whoever changes the format on purpose writes it anew."""
    golden = Path(__file__).parent / "testdata/small.pte.hex"
    assert pte_bytes(SMALL) == bytes.fromhex(golden.read_text())


def test_every_byte_is_under_a_checksum():
    file = pte_bytes(SMALL)
    (program_bytes,) = struct.unpack_from("<Q", file, 16)
    magic, count, *crcs = struct.unpack_from("<4s3I", file, program_bytes)
    assert (magic, count) == (b"KCRC", 2)
    assert crcs == [zlib.crc32(file[:program_bytes]), zlib.crc32(file[program_bytes + 16 :])]


def test_first_values_have_a_segment_of_their_own_under_a_checksum_of_its_own():
    (method,) = SMALL.methods
    values = (*method.values, TensorValue(ScalarType.CHAR, (3,), offset=112, first=1))
    file = pte_bytes(Contents((dataclasses.replace(method, values=values),), SMALL.constants, (b"one", b"two")))
    view = read_pte(file)
    (constants, constant_bytes), (first, first_bytes) = view.segments
    assert file[constants:][:constant_bytes] == b"hello".ljust(16, b"\0") + b"world!"
    assert file[first:] == b"one".ljust(16, b"\0") + b"two" and first_bytes == 19 and first % 128 == 0
    table = schema.Program.GetRootAs(bytearray(file)).MutableDataSegments(0)
    assert (table.SegmentIndex(), list(table.OffsetsAsNumpy())) == (1, [0, 0, 16])
    fields = view.methods[0].values[-1].fields
    assert (fields["constant"], fields["first"], fields["memory"], fields["offset"]) == (None, 1, 0, 112)
    (program_bytes,) = struct.unpack_from("<Q", file, 16)
    magic, count, *crcs = struct.unpack_from("<4s4I", file, program_bytes)
    assert (magic, count) == (b"KCRC", 3)
    parts = file[:program_bytes], file[program_bytes + 20 : constants + constant_bytes], file[constants + constant_bytes :]
    assert crcs == [zlib.crc32(part) for part in parts]


def test_readers_find_what_was_written():
    view = read_pte(pte_bytes(SMALL))
    (method,) = view.methods
    assert view.constant_offsets == (0, 0, 16)
    assert view.segments == ((view.file_bytes - 22, 22),)
    assert (method.name, method.inputs, method.outputs) == ("forward", (0,), (3,))
    assert method.operators == ("kindling::convert_s8.out",)
    assert method.memory_bytes == (160,)
    assert method.instructions[0].arguments == (0, 1, 2, 3, 3), "the last output is repeated"
    assert [value.fields["sizes"] for value in method.values] == [(1, 8), (5,), (20,), (1, 2, 3, 4)]
    assert [value.fields["dim_order"] for value in method.values] == [(0, 1), (0,), (0,), (0, 1, 2, 3)]
    assert [value.fields["scalar_type"] for value in method.values] == [1, 0, 0, 6]
    assert [value.fields["constant"] for value in method.values] == [None, 0, None, None]
    assert [value.fields["offset"] for value in method.values] == [0, None, 32, 64]


def test_what_upstreams_loader_insists_on_is_there():
    """Empty vectors must be present, and a constant segment with its reserved entry even without constants."""
    nothing = Contents(methods=(Method("forward", (), (), (), (), (), ()),), constants=())
    file = pte_bytes(nothing)
    assert file[8:12] != b"eh00", "no segment, no header"
    root = schema.Program.GetRootAs(bytearray(file))
    plan = root.ExecutionPlan(0)
    for table, name in (
        (plan, "Values"),
        (plan, "Inputs"),
        (plan, "Outputs"),
        (plan, "Chains"),
        (plan, "Operators"),
        (plan, "Delegates"),
        (plan, "NonConstBufferSizes"),
        (root, "Segments"),
        (root, "ConstantBuffer"),
        (root, "BackendDelegateData"),
    ):
        assert not getattr(table, f"{name}IsNone")(), name
    assert root.ConstantSegment().OffsetsLength() == 1
    assert plan.NonConstBufferSizes(0) == 0


def test_the_bytes_are_always_the_same():
    assert pte_bytes(SMALL) == pte_bytes(SMALL)


def test_equal_tables_are_written_once():
    """Ten calls alike cost their ten table entries, not ten calls."""
    (method,) = SMALL.methods
    ten = Contents((Method(**{**vars(method), "calls": method.calls * 10}),), SMALL.constants)
    assert len(pte_bytes(ten)) - len(pte_bytes(SMALL)) <= 128
    assert len(read_pte(pte_bytes(ten)).methods[0].instructions) == 10


def test_what_is_no_pte_is_refused():
    file = pte_bytes(SMALL)
    with pytest.raises(CompileError, match=r"not a \.pte file"):
        read_pte(b"TFL3" * 4)
    with pytest.raises(CompileError, match="cut off"):
        read_pte(file[:64])


@given(st.data())
def test_a_damaged_file_never_breaks_the_reader(data):
    file = bytearray(pte_bytes(SMALL))
    for _ in range(data.draw(st.integers(1, 4))):
        file[data.draw(st.integers(8, len(file) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(CompileError):
        read_pte(bytes(file))
