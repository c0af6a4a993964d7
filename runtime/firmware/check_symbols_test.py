import pytest

from runtime.firmware.check_symbols import kernel_errors, library_errors, section_errors, symbol_errors

_CONV = "_ZN8kindling9conv2d_s8EPKaRKNS_12Conv2dParamsEPvPa"


@pytest.mark.parametrize(
    ("symbol", "what"),
    [
        ("malloc", "the heap"),
        ("_malloc_r", "the heap"),
        ("strdup", "the heap"),
        ("_sbrk", "the heap"),
        ("_Znwj", "operator new or delete"),
        ("_ZdlPv", "operator new or delete"),
        ("printf", "formatted output"),
        ("snprintf", "formatted output"),
        ("_vfiprintf_r", "formatted output"),
        ("__cxa_throw", "exceptions"),
        ("_Unwind_Resume", "exceptions"),
        ("__aeabi_unwind_cpp_pr0", "exceptions"),
        ("__cxa_atexit", "static constructors or destructors"),
        ("_GLOBAL__sub_I_table", "static constructors or destructors"),
        ("_ZNSt6vectorIiE4sizeEv", "the C++ standard library or RTTI"),
        ("_ZSt9terminatev", "the C++ standard library or RTTI"),
        ("_ZN9__gnu_cxx27__verbose_terminate_handlerEv", "the C++ standard library or RTTI"),
        ("_ZTVN10__cxxabiv117__class_type_infoE", "the C++ standard library or RTTI"),
        ("__cxa_pure_virtual", "the C++ standard library or RTTI"),
        ("__cxa_guard_acquire", "static constructors or destructors"),
    ],
)
def test_each_forbidden_kind_is_named(symbol, what):
    assert symbol_errors({symbol, "main"}) == [f"symbol {symbol}: {what} must not be in a firmware"]


def test_ordinary_symbols_pass():
    assert symbol_errors({"main", "memcpy", _CONV, "free_running_timer", "kindling_reset"}) == []


def test_sections_of_constructors_and_of_exceptions_must_be_empty():
    assert section_errors({".text": 100, ".init_array": 4, ".ARM.exidx": 8, ".ARM.extab": 12, ".eh_frame": 0}) == [
        "section .init_array is not empty: static constructors must not be in a firmware",
        "section .ARM.extab is not empty: tables for exceptions must not be in a firmware",
    ]


def test_objects_of_the_cxx_library_are_named():
    unused = " .text.x 0x0 0x8 lib/libstdc++.a(a.o)\nLinker script and memory map\n"
    used = " .text 0x10000040 0x4 toolchain/lib/thumb/libsupc++_nano.a(eh_alloc.o)\n .text 0x1 0x4 lib/libgcc.a(_udivsi3.o)\n"
    assert library_errors(unused + used) == ["libsupc++_nano.a(eh_alloc.o): the C++ standard library must not be in a firmware"]
    assert library_errors(unused) == []


def test_a_kernel_that_nobody_selected_is_refused():
    assert kernel_errors({_CONV}, set()) == ["kernel conv2d_s8 is linked in, but the model does not use it"]


def test_a_selected_kernel_must_be_there():
    assert kernel_errors(set(), {"conv2d_s8"}) == ["kernel conv2d_s8 is used by the model, but not linked in"]


def test_exactly_the_selected_kernels_pass():
    assert kernel_errors({_CONV, "main"}, {"conv2d_s8"}) == []
