"""Operators of two int8 tensors, element by element: add (and subtract), mul, div, minimum, maximum."""

from kernels.elementwise import add, div, extremes, mul
from kernels.signature import KernelSignature

OPERATORS = (add.OPERATOR, mul.OPERATOR, div.OPERATOR, *extremes.OPERATORS)

PARAMS = (add.ADD_PARAMS, mul.MUL_PARAMS, div.DIV_PARAMS, extremes.EXTREME_PARAMS)

KERNELS = tuple(
    KernelSignature(f"{name}_s8", ("std::int8_t",) * 2, params.name, False, ("std::int8_t",), "kernels/elementwise/elementwise.h")
    for name, params in (
        ("add", add.ADD_PARAMS),
        ("mul", mul.MUL_PARAMS),
        ("div", div.DIV_PARAMS),
        ("minimum", extremes.EXTREME_PARAMS),
        ("maximum", extremes.EXTREME_PARAMS),
    )
)
