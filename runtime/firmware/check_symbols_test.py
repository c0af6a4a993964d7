import pytest

from runtime.firmware.check_symbols import kernel_errors, symbol_errors

_CONV = "_ZN8kindling9conv2d_s8EPKaRKNS_12Conv2dParamsEPvPa"


@pytest.mark.parametrize(
    ("symbol", "what"),
    [
        ("malloc", "the heap"),
        ("_malloc_r", "the heap"),
        ("_sbrk", "the heap"),
        ("_Znwj", "operator new or delete"),
        ("_ZdlPv", "operator new or delete"),
        ("printf", "formatted output"),
        ("snprintf", "formatted output"),
        ("_vfiprintf_r", "formatted output"),
        ("__cxa_throw", "exceptions"),
        ("_Unwind_Resume", "exceptions"),
        ("__cxa_atexit", "static constructors or destructors"),
        ("_GLOBAL__sub_I_table", "static constructors or destructors"),
        ("_ZNSt6vectorIiE4sizeEv", "the C++ standard library or RTTI"),
    ],
)
def test_each_forbidden_kind_is_named(symbol, what):
    assert symbol_errors({symbol, "main"}) == [f"symbol {symbol}: {what} must not be in a firmware"]


def test_ordinary_symbols_pass():
    assert symbol_errors({"main", "memcpy", _CONV, "free_running_timer", "kindling_reset"}) == []


def test_a_kernel_that_nobody_selected_is_refused():
    assert kernel_errors({_CONV}, set()) == ["kernel conv2d_s8 is linked in, but the model does not use it"]


def test_a_selected_kernel_must_be_there():
    assert kernel_errors(set(), {"conv2d_s8"}) == ["kernel conv2d_s8 is used by the model, but not linked in"]


def test_exactly_the_selected_kernels_pass():
    assert kernel_errors({_CONV, "main"}, {"conv2d_s8"}) == []
