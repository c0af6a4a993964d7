"""The operator families, a folder each."""

FAMILIES = [
    "conv2d",
    "depthwise_conv2d",
    "elementwise",
    "function",
    "linear",
    "matmul",
    "move",
    "normalise",
    "pool",
    "quantize",
    "reduce",
    "softmax",
    "table",
    "transposed_conv2d",
]
