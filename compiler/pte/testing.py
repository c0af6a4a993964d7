"""Contents with a bit of everything, for tests of what writes and reads .pte files."""

from compiler.pte.contents import Contents, KernelCall, Method, ScalarType, TensorValue

SMALL = Contents(
    methods=(
        Method(
            name="forward",
            values=(
                TensorValue(ScalarType.CHAR, (1, 8)),
                TensorValue(ScalarType.BYTE, (5,), constant=0),
                TensorValue(ScalarType.BYTE, (20,), memory=0, offset=32),
                TensorValue(ScalarType.FLOAT, (1, 2, 3, 4), memory=0, offset=64),
            ),
            inputs=(0,),
            outputs=(3,),
            operators=("kindling::convert_s8",),
            calls=(KernelCall(0, (0, 1, 2, 3)),),
            memory_bytes=(160,),
        ),
    ),
    constants=(b"hello", b"world!"),
)
