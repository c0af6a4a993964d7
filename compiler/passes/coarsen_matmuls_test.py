import numpy as np
import pytest

from compiler.lower import lower
from compiler.passes import run_passes
from compiler.passes.coarsen_matmuls import UNITS, coarsen_matmuls
from compiler.reference import run_program
from compiler.testing import GraphBuilder, int8, operators
from kernels.registry import OPERATORS


def product(scale: float, zero_point: int, **attributes):
    b = GraphBuilder()
    x, y = b.input("x", int8(6, 8, zero_point=3)), b.input("y", int8(8, 10, scale=0.25, zero_point=-7))
    return b.graph(b.node("p", "matmul", [x, y], int8(6, 10, scale=scale, zero_point=zero_point), transposed=False, **attributes))


@pytest.mark.parametrize(
    ("scale", "zero_point", "clamp"),
    [(6 / 255, -128, (0.0, 6.0)), (0.2 / 255, 0, (-0.1, 0.1)), (0.25, -20, (-15.0, 20.0)), (0.1, -128, (0.0, None)), (0.01, 0, (None, None))],
)
def test_a_product_clamped_to_little_is_as_exact_as_its_coarser_scale(scale, zero_point, clamp):
    graph = product(scale, zero_point, clamp=clamp)
    assert operators(coarsen_matmuls(graph)) == ["matmul", "function"]
    program = lower(run_passes(graph), "scalar", OPERATORS)
    random = np.random.default_rng(2)
    x, y = random.integers(-9, 15, (6, 8), np.int8), random.integers(-20, 9, (8, 10), np.int8)
    answer = run_program(program, OPERATORS, {"x": x, "y": y})["p"]
    exact = (x.astype(float) - 3) * 0.5 @ ((y.astype(float) + 7) * 0.25)
    low, high = (bound if bound is not None else otherwise for bound, otherwise in zip(clamp, (-np.inf, np.inf)))
    wanted = np.clip(np.clip(exact, low, high), (-128 - zero_point) * scale, (127 - zero_point) * scale)
    assert answer.min() < answer.max()
    assert np.abs((answer.astype(float) - zero_point) * scale - wanted).max() <= (UNITS * 0.125 + scale) / 2 + 1e-6


def test_a_product_whose_factor_is_below_a_half_stays_as_it_is():
    graph = product(0.26, 0, clamp=(0.0, 6.0))
    assert coarsen_matmuls(graph) == graph
