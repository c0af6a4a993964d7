import numpy as np
import pytest
import torch

from compiler.frontend.observer import MANTISSA_BITS, RangeObserver


def observed(*batches: np.ndarray) -> RangeObserver:
    observer = RangeObserver(dtype=torch.int8, quant_min=-128, quant_max=127, qscheme=torch.per_tensor_affine)
    for batch in batches:
        observer(torch.from_numpy(batch.astype(np.float32)))
    return observer


def parameters(*batches: np.ndarray) -> tuple[float, int]:
    scale, zero_point = observed(*batches).calculate_qparams()
    return float(scale), int(zero_point)


def test_an_evenly_spread_range_is_kept_whole():
    scale, zero_point = parameters(np.linspace(-1, 3, 1000))
    assert scale == pytest.approx(4 / 255, rel=2**-10)
    assert zero_point == -64


def test_values_that_are_never_negative_use_all_steps():
    scale, zero_point = parameters(np.linspace(0, 6, 1000))
    assert zero_point == -128
    assert scale == pytest.approx(6 / 255, rel=2**-10)


def test_zero_can_always_be_represented():
    scale, zero_point = parameters(np.linspace(5, 6, 100))
    assert zero_point == -128
    assert scale == pytest.approx(6 / 255, rel=2**-10)


def test_a_rare_outlier_is_clipped():
    usual = np.random.default_rng(0).normal(size=100_000)
    scale, _ = parameters(*[usual] * 20, np.array([30.0]))
    assert scale < 12 / 255


def test_the_order_of_samples_does_not_matter():
    batches = [np.random.default_rng(seed).normal(scale=2.0**seed, size=50) for seed in range(8)]
    assert parameters(*batches) == parameters(*batches[::-1])


def test_the_last_bits_of_a_value_do_not_matter():
    values = np.linspace(-1, 3, 1000).astype(np.float32)
    assert parameters(values) == parameters(np.nextafter(values, np.float32(9)))
    scale, _ = parameters(values)
    assert (np.frexp(scale)[0] * 2**MANTISSA_BITS).is_integer()


def test_nothing_but_zeros_gives_a_scale_that_can_be_used():
    assert parameters(np.zeros(10)) == (1.0, -128)


@pytest.mark.parametrize("largest", [1e-12, 1e-7, 1e30])
def test_however_small_or_large_values_are_they_have_all_steps(largest):
    scale, zero_point = parameters(largest * np.linspace(-1, 3, 1000))
    np.testing.assert_allclose(scale, largest * 4 / 255, rtol=0.02)
    assert zero_point == -64
