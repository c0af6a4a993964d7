"""All operators and kernels by name."""

from collections.abc import Mapping
from types import ModuleType

from kernels.conv2d import conv2d
from kernels.depthwise_conv2d import depthwise_conv2d
from kernels.elementwise import elementwise
from kernels.function import function
from kernels.linear import linear
from kernels.matmul import matmul
from kernels.move import move
from kernels.normalise import normalise
from kernels.operator import Operator
from kernels.params import ParamsStruct
from kernels.pool import pool
from kernels.quantize import quantize
from kernels.reduce import reduce
from kernels.signature import KernelSignature
from kernels.softmax import softmax
from kernels.table import table
from kernels.transposed_conv2d import transposed_conv2d

_FAMILIES: tuple[ModuleType, ...] = (
    conv2d,
    depthwise_conv2d,
    transposed_conv2d,
    linear,
    matmul,
    move,
    normalise,
    pool,
    reduce,
    softmax,
    elementwise,
    table,
    function,
    quantize,
)

_ALL_OPERATORS: tuple[Operator, ...] = (
    conv2d.OPERATOR,
    depthwise_conv2d.OPERATOR,
    transposed_conv2d.OPERATOR,
    linear.OPERATOR,
    matmul.OPERATOR,
    *move.OPERATORS,
    normalise.OPERATOR,
    *pool.OPERATORS,
    *reduce.OPERATORS,
    *softmax.OPERATORS,
    *elementwise.OPERATORS,
    table.OPERATOR,
    *function.OPERATORS,
    *quantize.OPERATORS,
)

OPERATORS: Mapping[str, Operator] = {operator.name: operator for operator in _ALL_OPERATORS}

KERNELS: Mapping[str, KernelSignature] = {kernel.name: kernel for family in _FAMILIES for kernel in family.KERNELS}

PARAMS: Mapping[str, ParamsStruct] = {params.name: params for family in _FAMILIES for params in family.PARAMS}


def kernel_signature(name: str) -> KernelSignature:
    """The C++ face of a kernel, e.g. of "conv2d_1x1_s8". Raises KeyError naming an unknown kernel."""
    try:
        return KERNELS[name]
    except KeyError:
        raise KeyError(f"no kernel is called {name}") from None
