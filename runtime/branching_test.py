"""Control flow on the host, under AddressSanitizer and UndefinedBehaviorSanitizer."""

import struct

import pytest

from compiler.pte.contents import BoolValue, Free, JumpFalse, KernelCall, Move, ScalarType, TensorValue
from runtime.testing.programs import ANSWER, ERRORS, Result, program, run_programs, values

# Of the sound program: x, scale, y, add, scratch, z; then these.
X, SCALE, Y, ADD, SCRATCH, Z, CONDITION, FALSE = range(8)
_INPUT = [i - 3 for i in range(8)]
_SCALE = KernelCall(0, (X, SCALE, Y))  # y = 3 x
_ADD = KernelCall(1, (X, Y, ADD, SCRATCH, Z))  # z = 2 (x + y)


def branching(*calls, condition=BoolValue(True), **changes) -> bytes:
    return program(values=(*values(**changes), condition, BoolValue(False)), calls=calls)


def run(file: bytes, **request) -> Result:
    first, full = (run_programs([file], branching=True, full=full, **request)[0] for full in (False, True))
    assert first == full
    return first


def answer(*values: int) -> Result:
    return Result(0, 0, bytes(value % 256 for value in values))


def error(name: str, instruction: int = 0) -> Result:
    return Result(ERRORS[name], instruction, b"")


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_without_control_flow_it_is_as_any_method(steps):
    assert run(program(), instructions_a_step=steps) == Result(0, 0, ANSWER)


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("taken", [True, False])
def test_a_condition_chooses_between_two_branches_as_torch_cond_does(taken, steps):
    file = branching(
        _SCALE,
        JumpFalse(CONDITION, 4),
        Move(Y, Z),
        JumpFalse(FALSE, 5),
        Move(X, Z),
        Free(Y),
        condition=BoolValue(taken),
    )
    expected = [3 * x for x in _INPUT] if taken else _INPUT
    assert run(file, instructions_a_step=steps) == answer(*expected)


@pytest.mark.parametrize(("flags", "taken"), [(b"\1\1", True), (b"\1\0", False), (b"\0\0", False), (b"\xff\2", True)])
def test_a_tensor_is_true_if_all_its_elements_are(flags, taken):
    constants = (struct.pack("<Ii", 8, 3), struct.pack("<Iii", 8, 2, 0), flags)
    condition = TensorValue(ScalarType.BOOL, (2,), constant=2)
    calls = (_SCALE, JumpFalse(CONDITION, 4), Move(Y, Z), JumpFalse(FALSE, 5), Move(X, Z))
    file = program(constants, values=(*values(), condition, BoolValue(False)), calls=calls)
    assert run(file) == answer(*([3 * x for x in _INPUT] if taken else _INPUT))


def test_a_loop_ends_when_its_condition_does():
    """Triples x while two of its elements, seen as truth values, are not 0."""
    never = TensorValue(ScalarType.BOOL, (2,), offset=5)  # -3 and -2, which no tripling makes 0
    once = TensorValue(ScalarType.BOOL, (2,), offset=7)  # -1 and 0
    body = (_SCALE, Move(Y, X))
    back = (JumpFalse(CONDITION, 4), JumpFalse(FALSE, 0), Move(X, Z))
    assert run(branching(*body, *back, condition=once)) == answer(*(3 * x for x in _INPUT))
    endless = run(branching(*body, *back, condition=never))
    assert endless == error("InvalidProgram", endless.instruction), "a program that does not end is given up"


def test_runs_do_not_depend_on_what_moved_before():
    file = branching(_SCALE, Move(Y, Z), _ADD)
    assert run(file, runs=3) == Result(0, 0, ANSWER)


@pytest.mark.parametrize(
    ("file", "expected"),
    {
        "a jump beyond the end": (branching(_SCALE, JumpFalse(CONDITION, 3)), error("InvalidProgram", 1)),
        "a jump before the start": (branching(_SCALE, JumpFalse(CONDITION, -1)), error("InvalidProgram", 1)),
        "a condition that does not exist": (branching(JumpFalse(8, 0)), error("InvalidProgram")),
        "a condition that is a tensor of numbers": (branching(JumpFalse(X, 0)), error("InvalidType")),
        "a move between sizes": (branching(Move(SCRATCH, Z)), error("InvalidArgument")),
        "a move between types": (branching(Move(X, Z), z=TensorValue(ScalarType.BYTE, (8,), offset=16)), error("InvalidType")),
        "a move into a constant": (branching(Move(X, SCALE)), error("InvalidArgument")),
        "a move of what does not exist": (branching(Move(9, Z)), error("InvalidProgram")),
        "a move of no tensor": (branching(Move(CONDITION, Z)), error("InvalidType")),
        "freeing what does not exist": (branching(_SCALE, Free(8)), error("InvalidProgram", 1)),
        "a kernel on a truth value": (branching(KernelCall(0, (CONDITION, SCALE, Y))), error("InvalidType")),
    }.values(),
)
def test_an_instruction_that_is_not_sound_is_refused(file, expected):
    assert run(file) == expected


def test_a_jump_to_the_end_ends_the_method():
    file = branching(_SCALE, _ADD, JumpFalse(FALSE, 4), KernelCall(0, (X, SCALE, Z)))
    assert run(file) == Result(0, 0, ANSWER)


def test_a_method_without_control_flow_refuses_it():
    assert run_programs([branching(_SCALE, Move(Y, Z))]) == [error("NotSupported", 1)]


@pytest.mark.parametrize("full", [False, True])
def test_whatever_byte_is_changed_the_runtime_stays_within_bounds_and_ends(full):
    whole = branching(_SCALE, JumpFalse(CONDITION, 4), Move(Y, Z), JumpFalse(FALSE, 5), Move(X, Z), Free(Y))
    files = [whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :] for at in range(len(whole)) for flip in (0x01, 0x80, 0xFF)]
    results = run_programs(files, branching=True, full=full)
    assert {result.error for result in results} <= set(ERRORS.values())
