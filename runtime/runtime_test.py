"""The runtime on the host, under AddressSanitizer and UndefinedBehaviorSanitizer, on sound and on broken programs."""

import dataclasses
import random
import struct

import pytest
from flatbuffers import number_types

from compiler.pte.contents import KernelCall, ScalarType, TensorValue
from runtime.schema import program_generated as schema
from runtime.testing.programs import (
    ANSWER,
    CONSTANTS,
    ERRORS,
    REGION_BYTES,
    Result,
    altered_program,
    method,
    program,
    program_of,
    run_programs,
    stateful_program,
    values,
)

OK = Result(0, 0, ANSWER)
CHECKS = ({}, {"full": True})


def _without(fields: dict[str, int], name: str) -> dict[str, int]:
    return {key: value for key, value in fields.items() if key != name}


def _first(alter):
    """Alters the first table of its kind only; that of Tensor is x, of sizes (1, 8)."""
    tables = []

    def alter_first(writer, fields):
        tables.append(fields)
        return alter(writer, fields) if len(tables) == 1 else fields

    return alter_first


def error(name: str, instruction: int = 0) -> Result:
    return Result(ERRORS[name], instruction, b"")


def run(file: bytes) -> Result:
    return run_programs([file])[0]


def test_a_sound_program_gives_its_answer():
    assert run(program()) == OK
    assert run_programs([program()], full=True, checksums=True) == [OK]


@pytest.mark.parametrize("instructions", [1, 2, 3])
def test_steps_give_what_a_run_gives(instructions):
    assert run_programs([program()] * 2, instructions_a_step=instructions) == [OK] * 2


def test_a_first_region_too_small_for_notes_on_all_values_changes_nothing():
    swapped = tuple(v if v.constant is not None else dataclasses.replace(v, memory=1 - v.memory) for v in values())
    file = program(values=swapped, memory_bytes=REGION_BYTES[::-1])
    assert run_programs([file], region_bytes=REGION_BYTES[::-1]) == [OK]


@pytest.mark.parametrize(
    ("changes", "expected"),
    {
        "operators in another order": (
            {"operators": ("kindling::add_s8", "kindling::scale_s8")},
            error("OperatorMissing"),
        ),
        "an operator of another name": (
            {"operators": ("kindling::scale_s8", "kindling::add_s9")},
            error("OperatorMissing"),
        ),
        "an operator whose name differs in its last letter, behind the last whole word": (
            {"operators": ("kindling::scale_s9", "kindling::add_s8")},
            error("OperatorMissing"),
        ),
        "an operator's name that is longer": (
            {"operators": ("kindling::scale_s8x", "kindling::add_s8")},
            error("OperatorMissing"),
        ),
        "one operator more": (
            {"operators": ("kindling::scale_s8", "kindling::add_s8", "kindling::x")},
            error("OperatorMissing"),
        ),
        "a region larger than there is": ({"memory_bytes": (97, 16)}, error("OutOfResources")),
        "a region larger than can be": ({"memory_bytes": (96 + (1 << 32), 16)}, error("OutOfResources")),
        "a region too many": ({"memory_bytes": (96, 16, 16)}, error("OutOfResources")),
        "more values than there is room for": (
            {"values": values() + tuple(TensorValue(ScalarType.CHAR, (1,), offset=i) for i in range(3))},
            error("OutOfResources"),
        ),
        "an input of another size": (
            {"values": values(x=TensorValue(ScalarType.CHAR, (7,)))},
            error("InvalidArgument"),
        ),
        "an input of another type": ({"inputs": (1,)}, error("InvalidType", 2)),
        "an input of another rank": (
            {"values": values(x=TensorValue(ScalarType.CHAR, (1, 1, 8), offset=5))},
            error("InvalidArgument", 2),
        ),
        "an input of another shape": (
            {"values": values(x=TensorValue(ScalarType.CHAR, (8, 1), offset=5))},
            error("InvalidArgument", 2),
        ),
        "a second input": ({"inputs": (0, 2)}, error("InvalidArgument", 2)),
        "an output of another type": ({"outputs": (4,)}, error("InvalidType", 2)),
        "an output of another size": (
            {"values": (*values(), TensorValue(ScalarType.CHAR, (7,))), "outputs": (6,)},
            error("InvalidArgument", 2),
        ),
        "an output of another rank": ({"outputs": (2,)}, error("InvalidArgument", 2)),
        "an input that is a constant": (
            {"values": values(x=TensorValue(ScalarType.CHAR, (1, 8), constant=0))},
            error("NotSupported", 2),
        ),
        "an input that does not exist": ({"inputs": (6,)}, error("InvalidProgram", 2)),
        "an argument that does not exist": (
            {"calls": (KernelCall(0, (0, 1, 2)), KernelCall(1, (0, 2, 3, 4, 6)))},
            error("InvalidProgram", 1),
        ),
        "an argument -1": (
            {"calls": (KernelCall(0, (-1, 1, 2)),)},
            error("InvalidProgram"),
        ),
        "a call of an operator that does not exist": (
            {"calls": (KernelCall(0, (0, 1, 2)), KernelCall(2, (0, 1, 2)))},
            error("InvalidProgram", 1),
        ),
        "an argument too few": ({"calls": (KernelCall(0, (0, 1)),)}, error("InvalidArgument")),
        "an argument too many": ({"calls": (KernelCall(0, (0, 1, 2, 2)),)}, error("InvalidArgument")),
        "params that are not constant": (
            {"values": values(scratch=TensorValue(ScalarType.BYTE, (8,), memory=1)), "calls": (KernelCall(0, (0, 4, 5)),)},
            error("InvalidArgument"),
        ),
        "an output that is a constant": (
            {"values": values(y=TensorValue(ScalarType.CHAR, (8,), constant=0))},
            error("InvalidArgument"),
        ),
        "a scratch that is a constant": (
            {"calls": (KernelCall(0, (0, 1, 2)), KernelCall(1, (0, 2, 3, 3, 5)))},
            error("InvalidArgument", 1),
        ),
        "a scratch that is too small": (
            {"values": values(scratch=TensorValue(ScalarType.BYTE, (31,), offset=64))},
            error("InvalidArgument", 1),
        ),
        "a scratch that is misaligned": (
            {"values": values(scratch=TensorValue(ScalarType.BYTE, (32,), offset=56))},
            error("InvalidArgument", 1),
        ),
        "a scratch that goes beyond its region": (
            {"values": values(scratch=TensorValue(ScalarType.BYTE, (33,), offset=64))},
            error("InvalidProgram", 1),
        ),
        "a tensor that starts beyond its region": (
            {"values": values(y=TensorValue(ScalarType.CHAR, (8,), memory=1, offset=17))},
            error("InvalidProgram"),
        ),
        "a tensor in a region that does not exist": (
            {"values": values(y=TensorValue(ScalarType.CHAR, (8,), memory=2))},
            error("InvalidProgram"),
        ),
        "a constant that goes beyond its segment": (
            {"values": values(add=TensorValue(ScalarType.BYTE, (13,), constant=1))},
            error("InvalidProgram", 1),
        ),
        "a constant that does not exist": (
            {"values": values(add=TensorValue(ScalarType.BYTE, (8,), constant=2))},
            error("InvalidProgram", 1),
        ),
        "sizes whose product overflows": (
            {"values": values(x=TensorValue(ScalarType.CHAR, (1 << 16, 1 << 16, 8)))},
            error("InvalidProgram"),
        ),
        "elements of no known type": (
            {"values": values(x=TensorValue(8, (8,)))},
            error("InvalidProgram"),
        ),
        "a size that is negative": (
            {"values": values(x=TensorValue(ScalarType.CHAR, (-8,)))},
            error("InvalidProgram"),
        ),
        "elements of another size": (
            {"values": values(x=TensorValue(ScalarType.SHORT, (8,)))},
            error("InvalidType"),
        ),
        "truth values for numbers": (
            {"values": values(z=TensorValue(ScalarType.BOOL, (8,), offset=16))},
            error("InvalidType", 1),
        ),
        "params of signed bytes": (
            {"values": values(add=TensorValue(ScalarType.CHAR, (12,), constant=1))},
            error("InvalidType", 1),
        ),
        "params of two dimensions": (
            {"values": values(scale=TensorValue(ScalarType.BYTE, (1, 8), constant=0))},
            error("InvalidArgument"),
        ),
        "a scratch of signed bytes": (
            {"values": values(scratch=TensorValue(ScalarType.CHAR, (32,), offset=64))},
            error("InvalidType", 1),
        ),
        "a scratch of two dimensions": (
            {"values": values(scratch=TensorValue(ScalarType.BYTE, (1, 32), offset=64))},
            error("InvalidArgument", 1),
        ),
        "a tensor of 2^24 bytes": (
            {"values": values(y=TensorValue(ScalarType.CHAR, (1 << 24,), memory=1))},
            error("InvalidProgram"),
        ),
    }.values(),
)
def test_a_method_that_does_not_fit_is_refused_with_the_instruction(changes, expected):
    assert run(program(**changes)) == expected
    assert run_programs([program(**changes)], full=True) == [expected]


@pytest.mark.parametrize(
    ("table", "alter", "expected"),
    {
        "a value that is no tensor": ("EValue", lambda _, f: f | {"ValType": 2}, error("InvalidType")),
        "a value without a tensor": ("EValue", lambda _, f: {"ValType": f["ValType"]}, error("InvalidProgram")),
        "a tensor without sizes": ("Tensor", lambda _, f: _without(f, "Sizes"), error("InvalidProgram")),
        "a tensor of dynamic shape": ("Tensor", lambda _, f: f | {"ShapeDynamism": 1}, error("NotSupported")),
        "a tensor that starts within its storage": ("Tensor", lambda _, f: f | {"StorageOffset": 1}, error("NotSupported")),
        "a planned tensor that has a first value": ("Tensor", lambda _, f: f | {"DataBufferIdx": 1}, error("NotSupported")),
        "a tensor that is nowhere": ("Tensor", lambda _, f: _without(f, "AllocationInfo"), error("NotSupported")),
        "a tensor planned beyond 4 GiB": (
            "AllocationDetails",
            lambda _, f: f | {"MemoryOffsetHigh": 1},
            error("NotSupported"),
        ),
        "a constant beyond 4 GiB": (
            "SubsegmentOffsets",
            lambda writer, f: f | {"Offsets": writer._numbers([0, 1 << 32, 16], "uint64")},
            error("InvalidProgram"),
        ),
        "a segment of more than 4 GiB": ("DataSegment", lambda _, f: f | {"Size": f["Size"] + (1 << 32)}, error("InvalidProgram")),
        "a segment longer than the file": ("DataSegment", lambda _, f: f | {"Size": f["Size"] + 1}, error("InvalidProgram")),
        "an instruction that is no call of a kernel": (
            "Instruction",
            lambda _, f: f | {"InstrArgsType": 3},
            error("NotSupported"),
        ),
        "a method without instructions": ("Chain", lambda _, f: _without(f, "Instructions"), error("InvalidProgram")),
        "a method without chains": (
            "ExecutionPlan",
            lambda writer, f: f | {"Chains": writer._offsets([])},
            error("InvalidProgram"),
        ),
        "a method of two chains": (
            "ExecutionPlan",
            lambda writer, f: f | {"Chains": writer._offsets([writer._table("Chain", Instructions=writer._offsets([]))] * 2)},
            error("NotSupported"),
        ),
    }.values(),
)
def test_a_table_that_is_not_as_it_must_be_is_refused(table, alter, expected):
    assert run(altered_program(table, alter)) == expected
    assert run_programs([altered_program(table, alter)], full=True)[0].error in (expected.error, ERRORS["InvalidProgram"])


@pytest.mark.parametrize(
    "file",
    {
        "a shape with a negative size beside a zero": program(
            values=(*values(), TensorValue(ScalarType.CHAR, (-8, 0))),
        ),
        "a tensor beyond its region that nothing uses": program(
            values=(*values(), TensorValue(ScalarType.CHAR, (8,), offset=90)),
        ),
        "dimensions in an order that names one twice": altered_program(
            "Tensor", _first(lambda writer, f: f | {"DimOrder": writer._numbers([0, 0], "uint8")})
        ),
        "dimensions in an order that lacks one": altered_program("Tensor", lambda _, f: _without(f, "DimOrder")),
        "a segment beyond the file that nothing uses": altered_program(
            "Program",
            lambda writer, f: f
            | {"Segments": writer._offsets([writer._table("DataSegment", Size=n) for n in (16 + len(CONSTANTS[1]), 1 << 20)])},
        ),
    }.values(),
)
def test_what_is_wrong_where_nothing_is_used_is_found_by_full_verification(file):
    assert run(file) == OK
    assert run_programs([file], full=True)[0].error == ERRORS["InvalidProgram"]


def test_a_vtable_that_reaches_beyond_the_file_is_not_followed():
    bare = bytearray(program(constants=(), values=values(scale=TensorValue(ScalarType.BYTE, (8,), offset=0))))
    (root,) = struct.unpack_from("<I", bare)
    last = len(bare) - 4
    struct.pack_into("<i", bare, root, root - last)
    struct.pack_into("<HH", bare, last, 20, 4)
    assert run(bytes(bare)) == error("InvalidProgram")


@pytest.mark.parametrize("place", ["beyond the file", "misaligned", "half beyond the flatbuffer"])
def test_a_field_where_none_can_be_is_refused(place):
    file = bytearray(program())
    (flatbuffer_bytes,) = struct.unpack_from("<Q", file, 16)
    segment = schema.Program.GetRootAs(file).Segments(0)._tab
    vtable = segment.Pos - segment.Get(number_types.SOffsetTFlags, segment.Pos)
    distances = {
        "beyond the file": 0xFFF0,
        "misaligned": 6,
        "half beyond the flatbuffer": flatbuffer_bytes - 4 - segment.Pos,
    }
    struct.pack_into("<H", file, vtable + 6, distances[place])  # DataSegment.size, 8 bytes
    struct.pack_into("<I", file, flatbuffer_bytes - 4, len(CONSTANTS[0]))
    assert run(bytes(file)) == error("InvalidProgram")


def test_what_is_misaligned_is_refused():
    assert run_programs([program()], misaligned_file=1) == [error("InvalidArgument")]
    assert run_programs([program()], misaligned_region=8) == [error("InvalidArgument")]


def test_methods_are_found_by_name():
    other = method(name="other", calls=(KernelCall(0, (0, 1, 5)),))
    file = program_of(other, method())
    assert run_programs([file]) == [OK]
    assert run_programs([file], name="other") == [Result(0, 0, bytes(3 * (i - 3) % 256 for i in range(8)))]
    for name in ("forwar", "forward1", ""):
        assert run_programs([file], name=name) == [error("NotFound")]


def _streamed(first: bytes, runs: int) -> Result:
    """What the stateful program answers in its last run."""
    total = [byte - 256 if byte > 127 else byte for byte in first]
    for _ in range(runs):
        output = [(i - 3 + value) * 2 % 256 for i, value in enumerate(total)]
        total = [3 * value % 256 for value in output]
    return Result(0, 0, bytes(output))


@pytest.mark.parametrize("checks", CHECKS)
def test_state_lasts_from_run_to_run_and_starts_with_its_first_value_or_zeros(checks):
    first = bytes(range(8))
    for runs in (1, 2, 5):
        assert run_programs([stateful_program(first)], stateful=True, runs=runs, **checks) == [_streamed(first, runs)]
        assert run_programs([stateful_program()], stateful=True, runs=runs, **checks) == [_streamed(bytes(8), runs)]


def test_initialising_another_method_in_the_same_memory_leaves_state_alone():
    assert run_programs([stateful_program(bytes(range(8)))], stateful=True, runs=3, disturbed=True) == [_streamed(bytes(range(8)), 3)]


@pytest.mark.parametrize(
    ("file", "expected"),
    {
        "a first value outside of the state": (
            stateful_program(bytes(8), x=TensorValue(ScalarType.CHAR, (8,), offset=5, first=0)),
            error("NotSupported", 1),
        ),
        "a first value that does not exist": (
            stateful_program(bytes(8), y=TensorValue(ScalarType.CHAR, (8,), memory=1, first=1)),
            error("InvalidProgram"),
        ),
        "a first value that is too short": (stateful_program(bytes(7)), error("InvalidProgram")),
        "a first value where there are none": (
            stateful_program(y=TensorValue(ScalarType.CHAR, (8,), memory=1, first=0)),
            error("InvalidProgram"),
        ),
    }.values(),
)
def test_state_that_is_not_as_it_must_be_is_refused(file, expected):
    assert run_programs([file], stateful=True)[0].error == expected.error


def test_state_is_refused_where_no_region_is_for_it():
    assert run_programs([stateful_program(bytes(8))])[0].error == ERRORS["NotSupported"]


@pytest.mark.parametrize("checks", CHECKS)
def test_whatever_byte_of_a_stateful_program_is_changed_the_runtime_stays_within_bounds(checks):
    whole = stateful_program(bytes(range(8)))
    files = [whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :] for at in range(len(whole)) for flip in (0x01, 0x80, 0xFF)]
    results = run_programs(files, stateful=True, runs=2, **checks)
    assert {result.error for result in results} <= set(ERRORS.values())


def test_after_an_error_a_method_that_ran_before_cannot_run():
    # The runner uses one Method for all, and ends if it runs after an error.
    broken = [program()[:-1], program(outputs=(4,)), altered_program("Instruction", lambda _, f: f | {"InstrArgsType": 3})]
    for file in broken:
        good, bad, again = run_programs([program(), file, program()])
        assert good == again == OK and bad.error != 0


def test_params_that_the_kernel_refuses_are_an_error_of_its_instruction():
    assert run(program(constants=(CONSTANTS[0], struct.pack("<Iii", 9, 2, 0)))) == error("InvalidArgument", 1)


@pytest.mark.parametrize(
    ("file", "expected"),
    {
        "nothing": (b"", error("InvalidProgram")),
        "another generation": (program().replace(b"ET12", b"ET13", 1), error("InvalidProgram")),
        "a flatbuffer longer than the file": (
            program()[:16] + struct.pack("<Q", 1 << 20) + program()[24:],
            error("InvalidProgram"),
        ),
        "a flatbuffer that ends within a word": (
            program()[:16] + struct.pack("<Q", struct.unpack_from("<Q", program(), 16)[0] - 1) + program()[24:],
            error("InvalidProgram"),
        ),
        "a flatbuffer of 2^32 bytes more": (program()[:20] + b"\1" + program()[21:], error("InvalidProgram")),
        "segments beyond the file": (program()[:24] + struct.pack("<Q", 1 << 31) + program()[32:], error("InvalidProgram")),
        "the head only": (program()[:32], error("InvalidProgram")),
    }.values(),
)
def test_a_file_that_is_no_program_is_refused(file, expected):
    assert run(file) == expected


def test_a_program_without_constants_has_no_header_and_is_refused_for_want_of_params():
    bare = program(constants=(), values=values(scale=TensorValue(ScalarType.BYTE, (8,), offset=0)))
    assert bare[8:12] != b"eh00"
    assert run(bare) == error("InvalidArgument")


@pytest.mark.parametrize("checks", CHECKS)
def test_truncated_anywhere_a_program_gives_an_error(checks):
    whole = program()
    results = run_programs((whole[:length] for length in range(len(whole))), **checks)
    assert {result.error for result in results} <= set(ERRORS.values()) - {0}


def test_with_checksums_every_bit_that_is_changed_is_found():
    whole = program()
    flipped = [whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :] for at in range(len(whole)) for bit in range(8)]
    assert 0 not in {result.error for result in run_programs(flipped, checksums=True)}


def test_with_checksums_a_file_that_has_none_is_refused():
    whole = program()
    (flatbuffer_bytes,) = struct.unpack_from("<Q", whole, 16)
    without = whole[:flatbuffer_bytes] + bytes(16) + whole[flatbuffer_bytes + 16 :]
    assert run_programs([without], checksums=True) == [error("NotFound")]
    assert run_programs([without], full=True) == [OK]


@pytest.mark.parametrize("checks", CHECKS)
def test_whatever_single_byte_is_changed_the_runtime_stays_within_bounds(checks):
    whole = program()
    files = [whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :] for at in range(len(whole)) for flip in (0x01, 0x80, 0xFF)]
    results = run_programs(files, **checks)
    assert {result.error for result in results} <= set(ERRORS.values())
    assert sum(result.error != 0 for result in results) > len(results) / 4


@pytest.mark.parametrize("checks", CHECKS)
def test_whatever_words_are_changed_the_runtime_stays_within_bounds(checks):
    whole = program()
    chance = random.Random(5)
    interesting = [0, 1, 2, 4, 7, 8, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC, 0x10000000, 0xFFFF, 0x0004_0004]

    def mutated() -> bytes:
        file = bytearray(whole)
        for _ in range(chance.choice((1, 1, 2, 4))):
            at = chance.randrange(0, len(file) - 3, 2)
            old = struct.unpack_from("<I", file, at)[0]
            near = old + chance.choice((-4, -2, -1, 1, 2, 4))
            new = chance.choice((*interesting, near, chance.getrandbits(32), chance.randrange(len(whole))))
            struct.pack_into("<I", file, at, new % (1 << 32))
        return bytes(file)

    results = run_programs((mutated() for _ in range(20_000)), **checks)
    assert {result.error for result in results} <= set(ERRORS.values())
    assert len({result.error for result in results}) >= 5
