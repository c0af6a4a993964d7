"""Folding of zero points, proofs of ranges, and the shortcut that narrow channels allow."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kernels.channels import Channels, finish
from kernels.operator import Call, UnsupportedError
from kernels.requantise import quantise_multiplier, requantise
from kernels.testing.properties import PROPERTY
from kernels.testing.random_calls import int8_tensor


def call_of(weights: np.ndarray, bias: list[int], real: list[float], **attributes: int) -> Call:
    pairs = [quantise_multiplier(r) for r in real]
    defaults = {"input_zero_point": 0, "output_zero_point": 0, "activation_min": -128, "activation_max": 127}
    return Call(
        "linear",
        (int8_tensor((weights.shape[1],)),),
        (int8_tensor((weights.shape[0],)),),
        {"bias": np.array(bias), "multiplier": np.array([m for m, _ in pairs]), "shift": np.array([s for _, s in pairs])}
        | defaults
        | attributes,
    )


def outputs(channels: Channels, x: np.ndarray) -> np.ndarray:
    scaled = requantise(channels.weights.astype(np.int64) @ x + channels.bias, channels.multiplier, channels.shift)
    return np.clip(scaled + channels.output_zero_point, channels.activation_min, channels.activation_max)


@PROPERTY
@given(st.integers(-128, 127), st.integers(-128, 127), st.integers(0, 2**32 - 1))
def test_folding_does_not_change_outputs(zero_point: int, output_zero_point: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights, x = rng.integers(-127, 128, (3, 5)).astype(np.int8), rng.integers(-128, 128, 5)
    call = call_of(
        weights, [100, -7000, 3], [0.01, 0.3, 1e-7], input_zero_point=zero_point, output_zero_point=output_zero_point
    )
    accumulators = weights.astype(np.int64) @ (x - zero_point) + call.attributes["bias"]
    assert (outputs(Channels.of(call, weights), x) == finish(accumulators, call)).all()


def test_dead_channels_become_tame() -> None:
    weights = np.zeros((2, 4), np.int8)
    channels = Channels.of(call_of(weights, [2**30, -5], [2.0**-25, 1e-12], output_zero_point=-3), weights)
    assert channels.is_narrow
    assert list(outputs(channels, np.zeros(4, np.int64))) == [29, -3]


def test_an_accumulator_that_may_overflow_is_refused() -> None:
    weights = np.full((1, 100), 127, np.int8)
    with pytest.raises(UnsupportedError, match="channel 0 could overflow"):
        Channels.of(call_of(weights, [2**31 - 1000], [0.001]), weights)
    with pytest.raises(UnsupportedError, match="channel 0 could overflow"):
        Channels.of(call_of(weights, [0], [5000.0]), weights)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("activation_min", -129), ("output_zero_point", 128), ("input_zero_point", 200), ("multiplier", [5])],
)
def test_attributes_out_of_range_are_refused(attribute: str, value: object) -> None:
    weights = np.ones((1, 1), np.int8)
    call = call_of(weights, [0], [0.1])
    with pytest.raises(UnsupportedError):
        Channels.of(Call(call.operator, call.inputs, call.outputs, {**call.attributes, attribute: value}), weights)


@PROPERTY
@given(st.integers(-(2**22), 2**22), st.integers(2**30, 2**31 - 1), st.integers(1, 23), st.integers(-128, 127))
def test_narrow_channels_may_round_in_one_go(accumulator: int, multiplier: int, right: int, zero_point: int) -> None:
    """The identity that `Channels.is_narrow` states, on which NarrowFactor in requantise.h stands."""
    assume(abs(accumulator) + (abs(2 * zero_point + 1) << (right - 1)) < 2**31)
    high = (2 * accumulator * multiplier + 2**31) >> 32
    shortcut = (high + ((2 * zero_point + 1) << (right - 1)) - (accumulator < 0)) >> right
    assert shortcut == requantise(accumulator, multiplier, -right) + zero_point


@pytest.mark.parametrize(("real", "lowest"), [(0.5, -127), (0.01, -128)])
def test_large_factors_and_extreme_weights_are_not_narrow(real: float, lowest: int) -> None:
    weights = np.array([[lowest, 3]], np.int8)
    assert not Channels.of(call_of(weights, [0], [real]), weights).is_narrow
    assert Channels.of(call_of(weights + np.int8(1), [0], [0.49]), weights + np.int8(1)).is_narrow


def test_records_hold_pairs_and_quads_in_order() -> None:
    weights = np.arange(1, 13, dtype=np.int8).reshape(3, 4)
    channels = Channels.of(call_of(weights, [1, 2, 3], [0.25, 0.125, 0.1]), weights)
    pairs = channels.pair_records("scalar")
    assert len(pairs) == 2 * 28
    assert np.frombuffer(pairs, "<i4", 4).tolist() == [2, 4, 2**30, 2**30]
    assert list(pairs[16:18]) == [0, 1]
    assert list(pairs[18:26]) == [1, 5, 2, 6, 3, 7, 4, 8]
    assert list(pairs[28 + 18 : 28 + 26]) == [9, 0, 10, 0, 11, 0, 12, 0]
    signed = dataclasses.replace(channels, weights=np.array([[1, -2, 3, -4], [5, 6, 7, 8], [-9, 10, 11, 12]], np.int8))
    halves = signed.pair_records("dsp")
    assert len(halves) == 2 * 28 and not any(halves[18:20])
    assert np.frombuffer(halves[20:28], "<i2").tolist() == [1 + 256 * 5, 3 + 256 * 7, -2 + 256 * 6, -4 + 256 * 8]
    assert np.frombuffer(halves[28 + 20 :], "<i2").tolist() == [-9, 11, 10, 12]
    quads = channels.quad_records()
    assert len(quads) == 36 + 64
    assert list(np.frombuffer(quads[32:36], np.int8)) == [-1, -2, -3, -1]
    assert list(quads[36:40]) == [1, 2, 3, 4] and not any(quads[40:52]) and list(quads[52:56]) == [5, 6, 7, 8]


def test_tile_records_hold_the_weights_of_two_pairs_and_then_their_constants() -> None:
    weights = np.arange(3 * 20, dtype=np.int8).reshape(3, 20)
    channels = Channels.of(call_of(weights, [1, 2, 3], [0.25, 0.125, 0.1]), weights)
    record = channels.tile_records()
    assert len(record) == 4 * 32 + 36
    assert list(record[:32]) == [*range(16), *range(20, 36)]
    assert list(record[32:64]) == [*range(16, 20), *[0] * 12, *range(36, 40), *[0] * 12]
    assert list(record[64:80]) == [*range(40, 56)] and not any(record[80:96])
    assert np.frombuffer(record[128:160], "<i4").tolist() == [1, 2, 3, 0, 2**30, 2**30, channels.multiplier[2], 0]
    assert list(np.frombuffer(record[160:], np.int8)) == [-1, -2, -3, -1]


def test_sums_of_few_or_small_weights_are_taken_out_once() -> None:
    small, large = np.full((1, 600), 54, np.int8), np.full((1, 600), 55, np.int8)
    assert Channels.of(call_of(small, [0], [0.001]), small).segment > 600
    assert Channels.of(call_of(large, [0], [0.001]), large).segment == 256
    assert 256 * 127 * 128 < 2**22
