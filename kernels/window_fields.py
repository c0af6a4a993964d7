"""The integers in params of kernels with a window, declared once for all of them; their values are those of `Window.fields`."""

from kernels.params import Field


def _sizes(*names: str) -> tuple[Field, ...]:
    return tuple(Field(name, "std::uint16_t", "") for name in names)


def channelwise(channels: str) -> tuple[Field, ...]:
    """Of kernels that treat each channel alone, in pools and depthwise convolutions; `channels` names how many there are."""
    return _sizes(
        *("batches", "input_height", "input_width", channels, "output_height", "output_width"),
        *("kernel_height", "kernel_width", "stride_height", "stride_width", "pad_top", "pad_left"),
    )


DILATION = _sizes("dilation_height", "dilation_width")

CONVOLUTION = (
    *_sizes("batches", "input_height", "input_width"),
    Field("input_channels", "std::uint16_t", "all groups together"),
    *_sizes("output_height", "output_width"),
    Field("output_channels", "std::uint16_t", "all groups together"),
    *_sizes("groups", "kernel_height", "kernel_width", "stride_height", "stride_width"),
    *DILATION,
    Field("pad_top", "std::int16_t", ""),
    Field("pad_left", "std::int16_t", ""),
)
