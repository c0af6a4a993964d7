"""The table's order in the params constant, and what is refused."""

import numpy as np
import pytest

from kernels.operator import Call, TensorType, UnsupportedError
from kernels.table.table import OPERATOR, TABLE_PARAMS
from kernels.testing.random_calls import int8_tensor

SQUARES = np.clip(np.arange(-128, 128) ** 2, 0, 127).astype(np.int8)


def squares(shape: tuple[int, ...] = (256,), table: np.ndarray = SQUARES, dtype: str = "int8") -> Call:
    return Call("table", (int8_tensor(shape),), (TensorType(shape, dtype),), {"table": table})


def test_the_table_starts_with_the_result_for_minus_128() -> None:
    assert OPERATOR.reference(squares(), [np.arange(-128, 128).astype(np.int8)])[0].tolist() == SQUARES.tolist()
    assert OPERATOR.reference(squares((2,)), [np.array([-3, 5], np.int8)])[0].tolist() == [9, 25]


def test_packed_it_is_addressed_by_the_bits_of_the_argument() -> None:
    params = OPERATOR.pack(squares(), "scalar")
    offset = int(TABLE_PARAMS.unpack(params)["table_offset"])
    packed = np.frombuffer(params, np.int8, 256, offset)
    assert [packed[x & 0xFF] for x in (-128, -3, 0, 5, 127)] == [127, 9, 0, 25, 127]
    assert len(params) == offset + 256 and offset % 16 == 0


@pytest.mark.parametrize("call", [squares(table=SQUARES[:255]), squares(table=SQUARES.astype(np.int16)), squares(dtype="int32")])
def test_what_is_no_table_of_int8_is_refused(call: Call) -> None:
    with pytest.raises(UnsupportedError, match="table needs"):
        OPERATOR.pack(call, "mve")
