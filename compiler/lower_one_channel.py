"""Convolutions from one channel to one are depthwise too: they are lowered as whichever takes fewer instructions.

Instructions for each multiply-accumulate over 28 x 28 pixels, counted on emulated cores:

    kernel   channels   scalar (M3)         dsp (M4)            mve (M55)
                        conv    depthwise   conv    depthwise   conv    depthwise
    3 x 3    1 -> 1     40.1     4.4        39.8     2.9        30.4    15.8
    5 x 5    1 -> 1     20.9    10.2        20.8    10.2        12.6    18.7
    3 x 3    1 -> 8      6.9    30.7         6.8    30.7         4.0    33.0

From one channel to several it is a convolution everywhere.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernels.operator import Tier


def is_better_depthwise(attributes: Mapping[str, Any], tier: Tier) -> bool:
    """Of a conv2d's attributes."""
    outputs, height, width, inputs = attributes["weight"].shape
    if (outputs, inputs, attributes["dilation"]) != (1, 1, (1, 1)):
        return False
    return (height, width) == (3, 3) or tier != "mve"


def as_depthwise(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of the same as depthwise_conv2d: each input channel has as many outputs as there are weights for it."""
    weight = attributes["weight"]
    outputs, groups = len(weight), attributes["groups"]
    rest = {key: value for key, value in attributes.items() if key != "groups"}
    return rest | {"weight": np.ascontiguousarray(weight[..., 0].transpose(1, 2, 0)), "depth_multiplier": outputs // groups}
