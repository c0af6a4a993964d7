"""What the four models of MLPerf Tiny may cost on each core: three quarters of the instructions of the best of ExecuTorch 1.5.1 and
TensorFlow Lite Micro, both with CMSIS-NN, and the RAM and code that we hold ourselves to. README says what we need.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Bar:
    """Upper bounds: instructions of one inference, bytes of RAM (arena, state, stack), bytes of flash without the .pte."""

    instructions: int
    ram: int
    code: int


BARS = {
    ("kws", "m55"): Bar(1_336_000, 20_000, 16_384),
    ("kws", "m4f"): Bar(5_883_000, 19_000, 16_384),
    ("kws", "m3"): Bar(7_908_000, 19_000, 16_384),
    ("kws", "m0plus"): Bar(21_865_000, 19_000, 18_000),
    ("vww", "m55"): Bar(4_825_000, 60_000, 16_384),
    ("vww", "m4f"): Bar(18_540_000, 60_000, 16_384),
    ("vww", "m3"): Bar(24_062_000, 60_000, 16_384),
    ("vww", "m0plus"): Bar(72_309_000, 60_000, 18_000),
    ("ic", "m55"): Bar(3_485_000, 52_000, 14_000),
    ("ic", "m4f"): Bar(22_324_000, 52_000, 14_000),
    ("ic", "m3"): Bar(31_319_000, 52_000, 14_000),
    ("ic", "m0plus"): Bar(73_952_000, 52_000, 16_000),
    ("ad", "m55"): Bar(93_000, 3_000, 8_000),
    ("ad", "m4f"): Bar(436_000, 3_000, 8_000),
    ("ad", "m3"): Bar(716_000, 3_000, 8_000),
    ("ad", "m0plus"): Bar(1_592_000, 3_000, 9_000),
}

# A .pte may add this to its int8 weights: a constant, and bytes for each output channel.
PTE_BYTES, PTE_BYTES_PER_CHANNEL = 10 * 1024, 9
