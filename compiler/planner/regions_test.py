import pytest

from compiler.errors import CompileError
from compiler.planner.plan import plan_memory
from compiler.planner.regions import Region, memory_from_texts, region_from_text, traffic_of
from compiler.testing_program import program, step

# x is read twice, a and b once; c is large and cold.
BRANCHES = program(
    {"x": 64, "a": 64, "b": 64, "c": 640, "y": 64},
    [
        step("first", ["x"], ["a"]),
        step("second", ["x"], ["b"]),
        step("spread", ["a", "b"], ["c"]),
        step("last", ["c"], ["y"], scratch_bytes=32),
    ],
    ["x"],
    ["y"],
)
DTCM, SRAM, DRAM = (Region(name, None, cycles) for name, cycles in (("dtcm", 1), ("sram", 2), ("dram", 16)))


def limited(region: Region, limit: int) -> Region:
    return Region(region.name, limit, region.cycles, region.alignment)


def regions(plan) -> dict[str, str]:
    return {name: buffer.region for name, buffer in plan.buffers.items()}


def test_all_that_fits_the_fastest_region_lies_there_whatever_the_order_given():
    for memory in ((DTCM, SRAM), (SRAM, DTCM)):
        assert plan_memory(BRANCHES, memory).nbytes == {"dtcm": 768}


def test_what_is_used_most_per_byte_lies_in_the_fastest_region():
    plan = plan_memory(BRANCHES, (limited(DTCM, 192), SRAM))
    assert regions(plan) == {"x": "dtcm", "a": "dtcm", "b": "dtcm", "c": "sram", "y": "dtcm", "last.scratch": "dtcm"}
    assert plan.nbytes == {"dtcm": 192, "sram": 640}
    assert plan.arena_bytes == plan.lower_bound == 832


def test_each_region_takes_what_the_faster_ones_have_no_room_for():
    plan = plan_memory(BRANCHES, (limited(DTCM, 64), limited(SRAM, 128), DRAM))
    assert plan.nbytes == {"dtcm": 64, "sram": 128, "dram": 640}
    assert regions(plan)["x"] == "dtcm", "caller, first and second use it"


def test_the_largest_go_first_where_the_hottest_would_leave_them_no_room():
    """c fits nowhere but in the faster region, and x, a and b together would keep it out of there."""
    plan = plan_memory(BRANCHES, (limited(DTCM, 640), limited(SRAM, 256)))
    assert regions(plan)["c"] == "dtcm"


def test_the_user_places_by_layer_tensor_or_scratch():
    plan = plan_memory(BRANCHES, (DTCM, SRAM), {"first": "sram", "y": "sram", "last.scratch": "sram"})
    assert regions(plan) == {"x": "dtcm", "a": "sram", "b": "dtcm", "c": "dtcm", "y": "sram", "last.scratch": "sram"}


def test_regions_are_aligned_as_their_board_says():
    plan = plan_memory(BRANCHES, (Region("dram", alignment=32),))
    assert all(buffer.offset % 32 == 0 for buffer in plan.buffers.values())


def test_traffic_counts_the_windows_of_a_convolution():
    assert traffic_of(BRANCHES) == {"x": 3 * 64, "a": 2 * 64, "b": 2 * 64, "c": 2 * 640, "y": 2 * 64, "last.scratch": 64}


def test_each_region_is_named_that_does_not_suffice():
    with pytest.raises(CompileError) as error:
        plan_memory(BRANCHES, (limited(DTCM, 64), limited(SRAM, 600)))
    assert str(error.value) == (
        "model.py:7: layer spread: the arena of 768 bytes does not fit region sram of 600 bytes; its peak is this layer (step 2), "
        "where these are alive: c 640, a 64, b 64 bytes; the smallest change that would make it fit is 168 bytes more, sram=768, "
        "or 168 bytes less at this layer and fewer at last"
    )


@pytest.mark.parametrize(
    ("placement", "message"),
    [
        ({"x": "ddr"}, "x is to lie in region ddr, but the regions are dtcm, sram"),
        ({"frist": "sram"}, "frist is to lie in region sram, but no layer or tensor has that name; there is first"),
        ({"a": "sram", "first": "dtcm"}, "first is to lie in region dtcm, but shares memory with what is to lie in sram"),
    ],
)
def test_a_placement_that_cannot_be_is_refused(placement, message):
    with pytest.raises(CompileError) as error:
        plan_memory(BRANCHES, (DTCM, SRAM), placement)
    assert str(error.value) == message


def test_regions_are_written_with_size_cycles_and_alignment():
    assert region_from_text("sram") == Region("sram")
    assert region_from_text("dtcm=65536") == Region("dtcm", 65536)
    assert region_from_text("dram=1048576,cycles=16,alignment=32") == Region("dram", 1048576, 16, 32)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["sram=big"], "region 'sram=big': write NAME, NAME=BYTES or NAME=BYTES,cycles=N,alignment=N"),
        (["sram=1,cycles=0"], "region 'sram=1,cycles=0': cycles must be 1 or more, alignment a multiple of 16"),
        (["sram,alignment=8"], "region 'sram,alignment=8': cycles must be 1 or more, alignment a multiple of 16"),
        (["sram", "sram=64"], "two regions have one name: sram, sram"),
    ],
)
def test_a_region_that_cannot_be_is_refused(texts, message):
    with pytest.raises(CompileError) as error:
        memory_from_texts(texts)
    assert str(error.value) == message
