import pytest

from runtime.firmware.size_report import input_sections, owner

_MAP = """\
Discarded input sections

 .text.unused   0x00000000        0x8 bazel-out/m55/bin/kernels/conv2d/libconv2d.a(conv2d.o)

Linker script and memory map

.text           0x10000040      0x100
 *(.text .text.*)
 .text.kindling_reset
                0x10000040       0x60 bazel-out/m55/bin/platforms/boards/_objs/startup/startup.o
 *fill*         0x100000a0        0x4
 .text.x        0x100000a4       0x20 bazel-out/m55/bin/kernels/conv2d/_objs/conv2d/conv2d_s8.o

.bss            0x30000000        0x4
 .bss.state     0x30000000        0x4 bazel-out/m55/bin/runtime/_objs/runtime/method.o
"""


def test_merged_strings_are_counted_where_they_come_from():
    text = """\
Linker script and memory map

.rodata         0x10003000      0x40
 .rodata.str1.1
                0x10003000       0x32 bazel-out/bin/models/kws/_objs/firmware/model.o
                                 0x12 (size before relaxing)
 .rodata._ZN8kindling11run_harnessERKNS_5ModelE.str1.1
                0x10003040       0x20 bazel-out/bin/runtime/firmware/libharness.a(harness.o)
"""
    assert [nbytes for _, _, nbytes in input_sections(text)] == [0x12, 0x20]


def test_sections_come_with_their_object_and_output_and_without_what_was_discarded():
    boards = "bazel-out/m55/bin/platforms/boards/_objs/startup/startup.o"
    conv = "bazel-out/m55/bin/kernels/conv2d/_objs/conv2d/conv2d_s8.o"
    method = "bazel-out/m55/bin/runtime/_objs/runtime/method.o"
    assert input_sections(_MAP) == [(".text", boards, 0x60), (".text", conv, 0x20), (".bss", method, 4)]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("bazel-out/m55/bin/kernels/pool/_objs/pool/avg.o", "kernels"),
        ("bazel-out/m55/bin/runtime/firmware/_objs/harness/harness.o", "harness"),
        ("bazel-out/m55/bin/models/sww_streaming/_objs/firmware.harness/harness.o", "harness"),
        ("bazel-out/m55/bin/runtime/_objs/runtime/method.o", "runtime"),
        ("bazel-out/m55/bin/platforms/boards/_objs/startup/startup.o", "startup"),
        ("external/arm_gnu/lib/thumb/libc_nano.a(memcpy.o)", "startup"),
        ("external/arm_gnu/lib/thumb/libgcc.a(_udivsi3.o)", "startup"),
        ("bazel-out/m55/bin/models/kws/_objs/firmware/model.o", "runtime"),
        ("bazel-out/m55/bin/app/_objs/main/main.o", "other"),
    ],
)
def test_owner_is_read_off_the_path(path, name):
    assert owner(path) == name
