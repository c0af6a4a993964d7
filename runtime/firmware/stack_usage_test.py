import pytest

from runtime.firmware.stack_usage import Pointers, StackAnalysis, UnboundedStack, parse

_CODE = """
Disassembly of section .text:

00000010 <kindling_reset>:
      10:\tpush\t{r3, lr}
      12:\tbl\t20 <main>
      16:\tbl\t40 <leaf>
      1a:\tpop\t{r3, pc}

00000020 <main>:
      20:\tpush\t{r4-r7, lr}
      22:\tvpush\t{d8-d9}
      26:\tsub\tsp, #12
      28:\tbl\t40 <leaf>
      2c:\tadd\tsp, #12
      2e:\tvpop\t{d8-d9}
      32:\tldmia.w\tsp!, {r4, r5, r6, r7, lr}
      36:\tb.w\t50 <tail>

00000040 <leaf>:
      40:\tcbz\tr0, 46 <leaf+0x6>
      42:\tpush\t{r4, lr}
      44:\tpop\t{r4, pc}
      46:\tsub.w\tsp, sp, #100\t@ 0x64
      4a:\tadd\tsp, #100\t@ 0x64
      4c:\tbx\tlr

00000050 <tail>:
      50:\tstr.w\tlr, [sp, #-4]!
      54:\tldr.w\tpc, [sp], #4
"""


def usage(code: str, of: str = "kindling_reset", pointers: Pointers = Pointers()):
    analysis = StackAnalysis(parse(code), pointers)
    return analysis.usage(analysis.address_of(of))


def test_frames_add_up_along_the_deepest_call():
    found = usage(_CODE)
    assert found.nbytes == 8 + (20 + 16 + 12) + 100
    assert found.chain == (("kindling_reset", 0), ("main", 8), ("leaf", 8 + 48))


def test_a_tail_call_takes_the_place_of_its_caller():
    without_leaf = _CODE.replace("28:\tbl\t40 <leaf>", "28:\tnop")
    assert usage(without_leaf, "main").nbytes == 48
    assert usage(without_leaf.replace("#-4]!", "#-96]!"), "main").nbytes == 96


def test_a_condition_leaves_both_ways_open():
    """Not returned at 4, the frame is still there when 8 is called."""
    code = "00000002 <f>:\n  2:\tpush\t{r4, lr}\n  4:\tpopeq\t{r4, pc}\n  6:\tbl\t20 <g>\n\n00000020 <g>:\n  20:\tpush\t{r4, r5, r6, lr}\n"
    assert usage(code, "f").nbytes == 8 + 16


def test_what_is_stored_where_the_stack_pointer_points_does_not_move_it():
    assert usage("00000002 <f>:\n  2:\tsub\tsp, #8\n  4:\tstmia.w\tsp, {r0, r1}\n  8:\tadd\tsp, #8\n  a:\tbx\tlr\n", "f").nbytes == 8


def test_a_large_frame_of_armv6m_is_read_from_its_literal():
    code = "00000002 <f>:\n  2:\tldr\tr4, [pc, #4]\t@ (8 <f+0x6>)\n  4:\tadd\tsp, r4\n  6:\tbx\tlr\n  8:\t.word\t0xfffffc00\n"
    assert usage(code, "f").nbytes == 1024


def test_armv6m_returns_through_a_register_that_it_pops():
    code = "00000002 <f>:\n  2:\tsub\tsp, #16\n  4:\tpush\t{r4, lr}\n  6:\tpop\t{r4}\n  8:\tpop\t{r3}\n  a:\tadd\tsp, #16\n  c:\tbx\tr3\n"
    assert usage(code, "f").nbytes == 24


def test_a_jump_into_another_function_goes_on_there():
    code = "00000002 <f>:\n  2:\tb.n\t14 <g+0x4>\n\n00000010 <g>:\n  10:\tpush\t{r3-r7, lr}\n  14:\tpush\t{r0, lr}\n  16:\tpop\t{r1, pc}\n"
    assert usage(code, "f").nbytes == 8


_POINTERS = """
00000010 <kindling::Method::step(unsigned long)>:
      10:\tpush\t{r4, lr}
      12:\tblx\tr3

00000020 <kindling::Binder<(kindling::Verification)1>::bind_call()>:
      20:\tblx\tr3

00000030 <kernel>:
      30:\tpush\t{r4, r5, r6, lr}

00000040 <check>:
      40:\tsub\tsp, #64

00000050 <each>:
      50:\tblx\tr4

00000060 <hands_over>:
      60:\tbl\t50 <each>
      64:\t.word\t0x00000031
"""


def test_pointers_are_followed_into_the_tables_they_are_from():
    tables = Pointers(kernels=(0x30,), checks=(0x40,))
    assert usage(_POINTERS, "kindling::Method::step(unsigned long)", tables).nbytes == 8 + 16
    assert usage(_POINTERS, "kindling::Binder<(kindling::Verification)1>::bind_call()", tables).nbytes == 64


def test_a_pointer_that_is_handed_over_is_a_literal_of_the_caller():
    assert usage(_POINTERS, "hands_over").nbytes == 16


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("00000002 <f>:\n  2:\tblx\tr3\n", "f calls through a pointer"),
        ("00000002 <f>:\n  2:\tbl\t2 <f>\n", "functions call themselves: f -> f"),
        ("00000002 <f>:\n  2:\tsub\tsp, r3\n", "f takes as much stack as a variable says"),
        ("00000002 <f>:\n  2:\tmov\tsp, r7\n", "f sets the stack pointer: mov sp, r7"),
        ("00000002 <f>:\n  2:\tpush\t{r3}\n  4:\tb.n\t2 <f>\n", "f takes more stack each time round a loop"),
        ("00000002 <f>:\n  2:\tbl\t90 <g>\n", "f calls 0x90, where no function is"),
        ("00000002 <g>:\n  2:\tbx\tlr\n", "there is no function f"),
    ],
)
def test_what_has_no_bound_is_named(code, message):
    with pytest.raises(UnboundedStack) as error:
        usage(code, "f")
    assert str(error.value) == message
