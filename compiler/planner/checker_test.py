import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.planner.checker import WrongPlan, check_plan
from compiler.planner.plan import plan_memory
from compiler.program import Program, ProgramState, View
from compiler.testing_program import program, step
from kernels.operator import Call, TensorType

CHAIN = program(
    {"x": 64, "a": 64, "y": 32},
    [step("first", ["x"], ["a"], leads=[16], scratch_bytes=20), step("second", ["a"], ["y"])],
    ["x"],
    ["y"],
)


def check(offsets: dict[str, int], nbytes: int = 256, of=CHAIN) -> None:
    check_in_sram(of, {"first.scratch": 192, **offsets}, nbytes)


def check_in_sram(of: Program, offsets: dict[str, int], nbytes: int) -> None:
    check_plan(of, {name: ("sram", offset) for name, offset in offsets.items()}, {"sram": nbytes})


def test_a_right_plan_passes():
    check({"x": 0, "a": 64, "y": 0})
    check({"x": 16, "a": 0, "y": 64})


@pytest.mark.parametrize(
    "offsets, message",
    [
        ({"x": 0, "a": 0, "y": 64}, "first: output a starts too late over input x"),
        ({"x": 0, "a": 16, "y": 128}, "first: output a starts too late over input x"),
        ({"x": 0, "a": 64, "y": 64}, "second: output y starts too late over input a"),
        ({"x": 0, "a": 64, "y": 240}, "y lies at 240..272, outside the 256 bytes of sram"),
        ({"x": 8, "a": 128, "y": 0}, "x lies at 8, which is not aligned to 16"),
        ({"x": 0, "a": 64, "y": 0, "first.scratch": 48}, "first: scratch and x overlap"),
        ({"x": 0, "a": 64, "y": 0, "first.scratch": 112}, "first: scratch and a overlap"),
        ({"x": 0, "a": 64}, "y has no place"),
    ],
)
def test_a_wrong_plan_is_refused(offsets, message):
    with pytest.raises(WrongPlan, match=message):
        check(offsets)


def test_a_tensor_that_is_read_again_may_not_be_overwritten_in_between():
    residual = program(
        {"x": 32, "a": 32, "b": 32},
        [step("first", ["x"], ["a"], leads=[0]), step("add", ["x", "a"], ["b"])],
        ["x"],
        ["b"],
    )
    check_in_sram(residual, {"x": 0, "a": 32, "b": 64}, 96)
    with pytest.raises(WrongPlan, match="add reads x, of which a part is overwritten"):
        check_in_sram(residual, {"x": 0, "a": 0, "b": 64}, 96)


def test_an_output_of_the_model_may_not_be_overwritten_by_a_later_scratch():
    early = program(
        {"x": 32, "y": 32, "z": 32},
        [step("first", ["x"], ["y"]), step("second", ["x"], ["z"], scratch_bytes=16)],
        ["x"],
        ["y", "z"],
    )
    with pytest.raises(WrongPlan, match="the caller, at the end, reads y"):
        check_in_sram(early, {"x": 0, "y": 32, "z": 64, "second.scratch": 48}, 96)


def test_inputs_may_not_share_bytes():
    two = program({"x": 32, "y": 32, "z": 32}, [step("add", ["x", "y"], ["z"])], ["x", "y"], ["z"])
    with pytest.raises(WrongPlan, match="the caller, who has filled all inputs, reads x"):
        check_in_sram(two, {"x": 0, "y": 16, "z": 64}, 96)


def test_outputs_of_one_step_may_not_share_bytes():
    split = program({"x": 32, "a": 16, "b": 16}, [step("split", ["x"], ["a", "b"])], ["x"], ["a", "b"])
    with pytest.raises(WrongPlan, match="just after writing it"):
        check_in_sram(split, {"x": 0, "a": 32, "b": 32}, 64)


def joined(views: dict[str, View], operator: str = "concat", dtype: str = "int8") -> Program:
    """a and b are computed from x, and y is a, then b."""
    steps = program({"x": 32, "a": 32, "b": 32, "y": 64}, [step("a", ["x"], ["a"]), step("b", ["x"], ["b"])], ["x"], ["y"])
    part, whole = TensorType((1, 2, 16), dtype), TensorType((1, 4, 16), dtype)
    join = dataclasses.replace(step("join", ["a", "b"], ["y"]), call=Call(operator, (part, part), (whole,), {"axis": 1}))
    return dataclasses.replace(steps, elided=(join,), views=views)


def test_what_is_joined_in_place_must_lie_in_the_order_in_which_it_is_joined():
    check_in_sram(joined({"a": View("y", 0), "b": View("y", 32)}), {"x": 64, "y": 0, "a": 0, "b": 32}, 96)
    with pytest.raises(WrongPlan, match="the caller, at the end, reads y"):
        check_in_sram(joined({"a": View("y", 32), "b": View("y", 0)}), {"x": 64, "y": 0, "a": 32, "b": 0}, 96)
    with pytest.raises(WrongPlan, match="the caller, at the end, reads y"):
        check_in_sram(joined({"a": View("y", 0), "b": View("y", 32)}), {"x": 96, "y": 0, "a": 0, "b": 64}, 128)


def test_a_slice_must_lie_where_its_elements_are():
    half = dataclasses.replace(
        step("half", ["x"], ["a"]),
        call=Call("copy", (TensorType((64,), "int8"),), (TensorType((2, 16), "int8"),), {"input_offset": 32, "input_steps": (16, 1)}),
    )
    sliced = program({"x": 64, "a": 32, "y": 32}, [step("read", ["a"], ["y"])], ["x"], ["y"])
    sliced = dataclasses.replace(sliced, elided=(half,), views={"a": View("x", 32)})
    check_in_sram(sliced, {"x": 0, "a": 32, "y": 64}, 96)
    with pytest.raises(WrongPlan, match="read reads a, of which a part is overwritten"):
        check_in_sram(sliced, {"x": 0, "a": 16, "y": 64}, 96)


@pytest.mark.parametrize(
    ("operator", "dtype", "message"),
    [("add", "int8", "join is elided, but add computes something"), ("concat", "float32", "join is elided, but moves float32")],
)
def test_only_steps_that_move_bytes_are_elided(operator, dtype, message):
    with pytest.raises(WrongPlan, match=message):
        check_in_sram(joined({"a": View("y", 0), "b": View("y", 32)}, operator, dtype), {"x": 64, "y": 0, "a": 0, "b": 32}, 96)


def test_nothing_is_read_that_no_step_has_computed():
    never = joined({"a": View("y", 0), "b": View("y", 32)})
    with pytest.raises(WrongPlan, match="join is elided, but what it moves is never there"):
        check_in_sram(dataclasses.replace(never, steps=never.steps[:1]), {"x": 64, "y": 0, "a": 0, "b": 32}, 96)
    early = program({"x": 32, "a": 32, "y": 32}, [step("second", ["a"], ["y"]), step("first", ["x"], ["a"])], ["x"], ["y"])
    with pytest.raises(WrongPlan, match="second reads a, which nothing has computed yet"):
        check_in_sram(early, {"x": 0, "a": 32, "y": 64}, 96)


def test_a_place_must_be_in_a_region_that_there_is():
    with pytest.raises(WrongPlan, match="x lies in dram, which is no region"):
        check_plan(CHAIN, {"x": ("dram", 0), "a": ("sram", 0), "y": ("sram", 64), "first.scratch": ("sram", 96)}, {"sram": 128})


def test_tensors_at_one_offset_of_two_regions_are_apart():
    places = {"x": ("sram", 0), "a": ("dtcm", 0), "y": ("sram", 0), "first.scratch": ("sram", 64)}
    check_plan(CHAIN, places, {"sram": 96, "dtcm": 64})
    with pytest.raises(WrongPlan, match="a lies at 0..64, outside the 32 bytes of dtcm"):
        check_plan(CHAIN, places, {"sram": 96, "dtcm": 32})


@st.composite
def programs(draw):
    """Directed acyclic graphs: each step reads one or two earlier tensors and makes a new one."""
    sizes = {"x": draw(st.integers(1, 200))}
    steps, used = [], set()
    for index in range(draw(st.integers(1, 6))):
        operands = draw(st.lists(st.sampled_from(sorted(sizes)), min_size=1, max_size=2))
        leads = [draw(st.one_of(st.none(), st.integers(0, 100))) for _ in operands]
        name = f"t{index}"
        steps.append(step(name, operands, [name], leads=leads, scratch_bytes=draw(st.integers(0, 60))))
        sizes[name] = draw(st.integers(1, 200))
        used.update(operands)
    return program(sizes, steps, ["x"], sorted(sizes.keys() - used - {"x"}))


@settings(deadline=None, max_examples=50)
@given(programs())
def test_the_checker_accepts_what_the_planner_plans(any_program):
    plan = plan_memory(any_program)  # checks by itself
    assert plan.lower_bound <= plan.arena_bytes


@settings(deadline=None, max_examples=50)
@given(programs(), st.data())
def test_a_plan_with_one_tensor_moved_over_another_in_use_is_refused(any_program, data):
    plan = plan_memory(any_program)
    offsets = {name: planned.offset for name, planned in plan.buffers.items()}
    index = data.draw(st.integers(0, len(any_program.steps) - 1))
    moved = any_program.steps[index]
    if None not in moved.leads:
        return  # only where the kernel says that its tensors must be apart is one place surely wrong
    operand = moved.inputs[moved.leads.index(None)]
    offsets[moved.outputs[0]] = offsets[operand]
    with pytest.raises(WrongPlan):
        check_in_sram(any_program, offsets, plan.arena_bytes + 400)


def keeping(lead: int | None = 0) -> Program:
    """State s becomes n, of which y is made."""
    of = program(
        {"x": 16, "s": 32, "n": 32, "y": 32},
        [step("shift", ["s", "x"], ["n"], leads=[lead, None]), step("read", ["n"], ["y"], leads=[16])],
        ["x"],
        ["y"],
    )
    return dataclasses.replace(of, states=(ProgramState("s", "s", "n", of.tensors["s"], (0,), np.zeros(32, np.int8)),))


def test_state_may_be_written_where_it_lies():
    check_in_sram(keeping(), {"s": 0, "n": 0, "x": 32, "y": 48}, 80)


@pytest.mark.parametrize(
    ("offsets", "lead", "message"),
    [
        ({"s": 0, "n": 32, "x": 64, "y": 96}, 0, "the next run reads s where it was, but it is elsewhere"),
        ({"s": 16, "n": 16, "x": 48, "y": 0}, 0, "the next run reads n, of which a part is overwritten"),
        ({"s": 0, "n": 0, "x": 16, "y": 48}, 0, "the caller, who has filled all inputs, reads s, of which a part is overwritten"),
        ({"s": 0, "n": 0, "x": 32, "y": 48}, None, "shift: output n starts too late over input s"),
    ],
)
def test_state_that_would_be_lost_is_noticed(offsets, lead, message):
    with pytest.raises(WrongPlan, match=message):
        check_in_sram(keeping(lead), offsets, 128)
