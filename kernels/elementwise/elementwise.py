"""Operators of two tensors, element by element: add (and subtract), mul, div, minimum, maximum; of int8 each with its own scale, of
float32 see elementwise_f32.py."""

from kernels.by_dtype import ByDtype
from kernels.elementwise import add, div, elementwise_f32, extremes, mul
from kernels.signature import KernelSignature

OPERATORS = tuple(
    ByDtype(operator, elementwise_f32.FORMS[operator.name])
    for operator in (add.OPERATOR, mul.OPERATOR, div.OPERATOR, *extremes.OPERATORS)
)

PARAMS = (add.ADD_PARAMS, mul.MUL_PARAMS, div.DIV_PARAMS, extremes.EXTREME_PARAMS, elementwise_f32.BINARY_F32_PARAMS)

KERNELS = tuple(
    KernelSignature(f"{name}_s8", ("std::int8_t",) * 2, params.name, False, ("std::int8_t",), "kernels/elementwise/elementwise.h")
    for name, params in (
        ("add", add.ADD_PARAMS),
        ("mul", mul.MUL_PARAMS),
        ("div", div.DIV_PARAMS),
        ("minimum", extremes.EXTREME_PARAMS),
        ("maximum", extremes.EXTREME_PARAMS),
    )
) + tuple(form.signature for form in elementwise_f32.FORMS.values())
