import json
import re
import struct
from pathlib import Path

import pytest

from runtime.trace import reports
from runtime.trace.timeline import StepTime, TraceError, join, read_ring
from runtime.trace.trace import main

_CAPACITY = 84

_PLAN = {
    "model": "two",
    "tier": "mve",
    "steps": [
        {"index": 0, "operator": "conv2d", "layer": "stem.0", "kernel": "conv2d_s8", "source": "two.py:7", "macs": 1000},
        {"index": 1, "operator": "softmax", "layer": "head", "kernel": "softmax_s8", "source": "", "macs": 0},
    ],
    "tensors": [
        {"name": "x", "region": "sram", "offset": 16, "bytes": 32, "first_step": 0, "last_step": 0},
        {"name": "y", "region": "sram", "offset": 0, "bytes": 20, "first_step": 0, "last_step": 1},
        {"name": "z", "region": "dtcm", "offset": 64, "bytes": 8, "first_step": 1, "last_step": 1},
    ],
}
_LAYERS = join([StepTime(0, 0, 300), StepTime(1, 310, 100)], _PLAN)


def _ring(steps: list[tuple[int, int, int]], recorded: int, following: int) -> bytes:
    filled = steps + [(0, 0, 0)] * (_CAPACITY - len(steps))
    return struct.pack("<2I", recorded, following) + b"".join(struct.pack("<3I", *step) for step in filled)


def test_the_ring_is_as_large_here_as_on_the_core():
    header = Path(__file__).with_name("trace.h").read_text()
    assert re.search(r"kCapacity = (\d+);", header)[1] == str(_CAPACITY)
    assert len(_ring([], 0, 0)) <= 1024


def test_a_ring_that_is_not_full_gives_its_steps_from_the_first_start():
    assert read_ring(_ring([(0, 500, 7), (1, 510, 9)], 2, 2)) == ([StepTime(0, 0, 7), StepTime(1, 10, 9)], 0)
    assert read_ring(_ring([], 0, 0)) == ([], 0)


def test_a_full_ring_starts_with_the_oldest_and_says_how_many_are_lost():
    steps = [(i, 10 * i, 1) for i in range(100)]
    ring = steps[_CAPACITY:] + steps[100 - _CAPACITY : _CAPACITY]
    times, lost = read_ring(_ring(ring, 100, 100 - _CAPACITY))
    assert lost == 100 - _CAPACITY
    assert [time.step for time in times] == list(range(lost, 100))
    assert [time.start for time in times] == [10 * i for i in range(_CAPACITY)]


def test_a_clock_that_wraps_goes_on():
    assert [time.start for time in read_ring(_ring([(0, 0xFFFFFFF0, 7), (1, 16, 9)], 2, 2))[0]] == [0, 32]


@pytest.mark.parametrize(
    ("ring", "why"),
    [(b"KNDL", "1016 bytes, not 4"), (_ring([], 3, 2), "damaged"), (_ring([], 90, 84), "damaged")],
)
def test_what_is_no_ring_is_refused(ring, why):
    with pytest.raises(TraceError, match=why):
        read_ring(ring)


def test_a_step_of_another_model_is_refused():
    with pytest.raises(TraceError, match="step 2 ran, but the plan of two has 2"):
        join([StepTime(2, 0, 1)], _PLAN)


def test_the_table_names_layer_kernel_and_line_and_sums_up():
    assert reports.table(_LAYERS, "ticks") == (
        "step  layer   kernel      source            MACs         ticks   per MAC   share\n"
        "   0  stem.0  conv2d_s8   two.py:7         1,000           300      0.30   75.0%\n"
        "   1  head    softmax_s8                                   100             25.0%\n"
        "      all                                  1,000           400      0.40  100.0%\n"
    )


def test_chrome_sees_each_layer_where_it_ran_and_the_memory_it_had():
    events = json.loads(reports.chrome_trace(_LAYERS, _PLAN, "ticks", hz=1e6))["traceEvents"]
    layers = [event for event in events if event["ph"] == "X"]
    assert [(event["name"], event["ts"], event["dur"]) for event in layers] == [("stem.0", 0, 300), ("head", 310, 100)]
    assert layers[0]["args"] == {"index": 0, "kernel": "conv2d_s8", "source": "two.py:7", "macs": 1000, "ticks": 300}
    assert [event["args"]["bytes"] for event in events if event["ph"] == "C"] == [48, 20 + 8]


def test_without_a_clock_rate_a_tick_is_a_nanosecond():
    events = json.loads(reports.chrome_trace(_LAYERS, _PLAN, "instructions", hz=None))["traceEvents"]
    assert [event["dur"] for event in events if event["ph"] == "X"] == [0.3, 0.1]


def test_a_ring_from_a_board_becomes_a_table_and_files(tmp_path, capsys):
    (tmp_path / "ring.bin").write_bytes(_ring([(0, 5, 300), (1, 310, 100)], 2, 2))
    (tmp_path / "plan.json").write_text(json.dumps(_PLAN))
    files = [f"--{name}={tmp_path}/{file}" for name, file in {"ring": "ring.bin", "plan": "plan.json", "json": "out.json"}.items()]
    main(files)
    assert capsys.readouterr().out == reports.table(_LAYERS, "ticks")
    assert json.loads((tmp_path / "out.json").read_text()) == {
        "core": "",
        "unit": "ticks",
        "steps": [{"step": 0, "start": 0, "duration": 300}, {"step": 1, "start": 305, "duration": 100}],
    }


def test_a_file_that_is_not_there_is_an_error_of_one_line():
    with pytest.raises(SystemExit, match="^trace: .*No such file"):
        main(["--ring=nowhere.bin", "--plan=nowhere.json"])
