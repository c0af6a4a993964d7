"""Recorded inputs are the chosen samples, quantised as the plan says."""

import json
from pathlib import Path

import numpy as np
import pytest

from models import record_inputs


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"inputs": [{"shape": [1, 2, 1, 3], "dtype": "int8", "scale": 0.5, "zero_point": -3}]}))
    return path


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Six samples of shape [2, 3], full of 0, 2, 4 ..., and one that is larger than int8 can hold."""
    path = tmp_path / "samples.npz"
    np.savez(path, image=np.arange(0, 12, 2, dtype=np.uint8)[:, None, None] * np.ones((2, 3), np.uint8), other=np.zeros((6, 5)))
    return path


def _record(samples: Path, plan: Path, changed: dict[str, object] | None = None, *flags: str) -> bytes:
    arguments = {"samples": samples, "array": "image", "count": 3, "plan": plan, "output": plan.with_name("input.bin")} | (changed or {})
    record_inputs.main([f"--{name}={value}" for name, value in arguments.items()] + list(flags))
    return arguments["output"].read_bytes()


def test_samples_are_spread_evenly_and_quantised(samples: Path, plan: Path) -> None:
    assert _record(samples, plan) == bytes([256 - 3] * 6 + [5] * 6 + [13] * 6)


def test_the_unit_scales_what_is_stored(samples: Path, plan: Path) -> None:
    assert _record(samples, plan, {"unit": "1/4"}) == bytes([256 - 3] * 6 + [256 - 1] * 6 + [1] * 6)


def test_values_are_rounded_to_even_and_saturated() -> None:
    port = {"shape": [1, 6], "dtype": "int8", "scale": 0.5, "zero_point": 10}
    values = np.array([[0.25, 0.75, -0.25, 1.0, 1000.0, -1000.0]])
    assert record_inputs.quantise(values, port).tolist() == [[10, 12, 10, 12, 127, -128]]


def test_an_int16_has_its_own_range() -> None:
    port = {"shape": [1, 4], "dtype": "int16", "scale": 1 / 32768, "zero_point": 0}
    assert record_inputs.quantise(np.array([[-1.0, 0.5, 1.0, 3 / 65536]]), port).tolist() == [[-32768, 16384, 32767, 2]]


def test_a_model_that_takes_floats_gets_the_samples_themselves(samples: Path, plan: Path) -> None:
    plan.write_text(json.dumps({"inputs": [{"shape": [1, 2, 3], "dtype": "float32", "scale": 0.0, "zero_point": 0}]}))
    assert _record(samples, plan, {"unit": "1/4"}) == np.repeat(np.array([0, 1, 2], np.float32), 6).tobytes()


def test_a_sample_may_be_a_sequence_of_inputs(samples: Path, plan: Path) -> None:
    plan.write_text(json.dumps({"inputs": [{"shape": [1, 3], "dtype": "float32", "scale": 0.0, "zero_point": 0}]}))
    one = np.frombuffer(_record(samples, plan, {"unit": "1/4"}, "--sequences"), np.float32)
    assert one.reshape(3, 2, 3).tolist() == [[[float(i)] * 3] * 2 for i in range(3)]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"count": 7}, "--count=7, but there are 6 samples"),
        ({"count": 0}, "--count=0, but there are 6 samples"),
        ({"array": "other"}, r"samples of shape \[5\], but the firmware takes \[1, 2, 1, 3\]"),
        ({"array": "sound"}, "samples.npz has no array sound, only image, other"),
        ({"samples": "missing.npz"}, "No such file or directory: 'missing.npz'"),
    ],
)
def test_what_does_not_fit_is_one_clear_line(samples: Path, plan: Path, changed: dict, message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        _record(samples, plan, changed)
