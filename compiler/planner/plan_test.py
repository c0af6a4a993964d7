import pytest

from compiler.errors import CompileError
from compiler.planner.plan import plan_memory
from compiler.planner.regions import Region
from compiler.testing_program import program, step

RESIDUAL = program(
    {"x": 100, "a": 400, "b": 400, "y": 400},
    [
        step("conv", ["x"], ["a"]),
        step("block.conv", ["a"], ["b"], scratch_bytes=50),
        step("block.add", ["a", "b"], ["y"], leads=[0, 0]),
    ],
    ["x"],
    ["y"],
)


def test_the_plan_names_its_peak_and_its_bound():
    plan = plan_memory(RESIDUAL)
    assert plan.arena_bytes == plan.lower_bound == plan.peak_bytes == 850
    assert plan.peak_step == 1
    assert plan.nbytes == {"sram": 850}


def test_buffers_are_in_use_from_first_to_last_step():
    plan = plan_memory(RESIDUAL)
    spans = {name: (planned.first, planned.last) for name, planned in plan.buffers.items()}
    assert spans == {"x": (0, 0), "a": (0, 2), "b": (1, 2), "y": (2, 2), "block.conv.scratch": (1, 1)}


def test_an_add_may_write_over_an_operand_that_dies():
    plan = plan_memory(RESIDUAL)
    assert plan.buffers["y"].offset in (plan.buffers["a"].offset, plan.buffers["b"].offset)


def test_what_does_not_fit_is_refused_naming_layer_line_and_tensors():
    with pytest.raises(CompileError) as error:
        plan_memory(RESIDUAL, (Region("dtcm", 849),))
    assert str(error.value) == (
        "model.py:7: layer block.conv: the arena of 850 bytes does not fit region dtcm of 849 bytes; "
        "its peak is this layer (step 1), where these are alive: a 400, b 400, block.conv.scratch 50 bytes; "
        "the smallest change that would make it fit is 1 bytes more, dtcm=850, or 1 bytes less at this layer"
    )


def test_what_fits_exactly_is_accepted():
    assert plan_memory(RESIDUAL, (Region("dtcm", 850),)).nbytes == {"dtcm": 850}
