from report.memory_map import HEIGHT, HEIGHT_OF_SEVERAL, WIDTH, Label, Rectangle, region_maps


def _tensor(name: str, offset: int, nbytes: int, first: int, last: int, region: str = "sram") -> dict:
    return {"name": name, "region": region, "offset": offset, "bytes": nbytes, "first_step": first, "last_step": last}


def _plan(*tensors: dict, regions: tuple[tuple[str, int], ...] = (("sram", 1000),)) -> dict:
    return {
        "regions": [{"name": name, "bytes": nbytes} for name, nbytes in regions],
        "tensors": list(tensors),
        "steps": [
            {"index": 0, "layer": "conv1", "kernel": "conv2d_s8", "inputs": ["x"], "outputs": ["conv"]},
            {"index": 1, "layer": "softmax1", "kernel": "softmax_s8", "inputs": ["conv"], "outputs": ["softmax"]},
        ],
    }


def test_a_tensor_is_drawn_from_its_first_to_its_last_step_and_from_the_bottom_up():
    x, conv = _tensor("x", 500, 250, 0, 0), _tensor("conv", 0, 500, 0, 1)
    (drawn,) = region_maps(_plan(x, conv))
    assert drawn.step_width == WIDTH / 2
    assert drawn.rectangles == [
        Rectangle(conv, "conv2d_s8", 0, HEIGHT / 2, WIDTH, HEIGHT / 2),
        Rectangle(x, "input", 0, HEIGHT / 4, WIDTH / 2, HEIGHT / 4),
    ]


def test_scratch_and_views_are_told_apart():
    x, conv, whole = _tensor("x", 500, 250, 0, 0), _tensor("conv", 0, 500, 0, 1), _tensor("whole", 0, 500, 0, 1)
    (drawn,) = region_maps(_plan(x, conv, whole, _tensor("conv1.scratch", 0, 8, 0, 0)))
    assert {rectangle.tensor["name"]: rectangle.role for rectangle in drawn.rectangles} == {
        "x": "input",
        "conv": "conv2d_s8",
        "whole": "view",
        "conv1.scratch": "scratch",
    }


def test_each_region_has_its_own_map_and_an_empty_one_has_none():
    maps = region_maps(_plan(_tensor("x", 0, 4, 0, 0, "dtcm"), regions=(("sram", 0), ("dtcm", 4), ("dram", 8))))
    assert [(drawn.region["name"], len(drawn.rectangles), drawn.height) for drawn in maps] == [
        ("dtcm", 1, HEIGHT_OF_SEVERAL),
        ("dram", 0, HEIGHT_OF_SEVERAL),
    ]


def test_the_axis_has_a_few_round_numbers():
    for nbytes in (1, 7, 1000, 9344, 33872, 1 << 20):
        (drawn,) = region_maps(_plan(regions=(("sram", nbytes),)))
        ticks = [tick.nbytes for tick in drawn.ticks]
        assert ticks[0] == 0 and ticks[-1] <= nbytes and 2 <= len(ticks) <= 9
        assert len({b - a for a, b in zip(ticks, ticks[1:])}) == 1
        assert drawn.ticks[0].y == HEIGHT


def test_labels_make_way_for_each_other_and_fit_into_their_rectangles():
    (drawn,) = region_maps(_plan(_tensor("conv", 0, 1000, 0, 1), _tensor("softmax", 500, 500, 0, 1), _tensor("x", 0, 10, 0, 0)))
    assert drawn.labels == [Label("conv", 5, 13), Label("softmax", 5, 26)]


def test_a_name_that_does_not_fit_is_left_out():
    (drawn,) = region_maps(_plan(_tensor("x" * 200, 0, 1000, 0, 0), _tensor("softmax", 0, 30, 0, 1)))
    assert len(drawn.rectangles) == 2 and drawn.labels == []
