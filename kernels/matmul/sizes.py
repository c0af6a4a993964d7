"""What descriptions of matrix products share, of whatever dtype."""

import math

from kernels.operator import Call, UnsupportedError


def matmul_sizes(call: Call) -> tuple[tuple[int, int], int, int, int]:
    """Batches of a and of b (equal, or one of them 1), rows, depth, columns. Raises UnsupportedError where they do not fit together."""
    a, b = (tensor.shape for tensor in call.inputs)
    if min(len(a), len(b)) < 2:
        raise UnsupportedError("matmul needs inputs of rank 2 or more")
    depth, columns = b[-2:][::-1] if call.attributes["transposed"] else b[-2:]
    batches, rows = (math.prod(a[:-2]), math.prod(b[:-2])), a[-2]
    if batches[1] == 1 and batches[0] > 1:  # one matrix b: all rows are alike
        batches, rows = (1, 1), batches[0] * rows
    fronts = {tuple(size for size in shape[:-2] if size != 1) for shape in (a, b)}
    if a[-1] != depth or not (len(fronts) == 1 or 1 in batches) or math.prod(call.outputs[0].shape) != max(batches) * rows * columns:
        raise UnsupportedError(f"matmul: {list(a)} and {list(b)} do not give {list(call.outputs[0].shape)}")
    if min(depth, columns, rows, *batches) < 1:
        raise UnsupportedError(f"matmul: a size of {list(a)} and {list(b)} is 0")
    return batches, rows, depth, columns
