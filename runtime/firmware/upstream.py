"""Sources of a model that upstream made, which the runtime executes from its .pte by upstream's operators."""

from runtime.firmware.built_model import BuiltModel, GenerateError
from runtime.firmware.header import model_header
from runtime.firmware.interpreted import blob, program_source
from runtime.upstream.operators import operators

__all__ = ["blob", "header", "source"]


def header(model: BuiltModel) -> str:
    terms = [
        f"{sum(operator['calls'])} * kindling::upstream::{operators()[operator['name']].identifier}.call_bytes"
        for operator in model.operators
    ]
    ports = len(model.plan["inputs"]) + len(model.plan["outputs"])
    total = " +\n    ".join([*terms, f"{ports} * sizeof(void*)"])
    constants = f"""// What is kept of each call of an operator.
inline constexpr uint32_t kMethodArenaBytes =
    {total};
inline constexpr uint32_t kStateBytes = sizeof(kindling::upstream::Method) + kMethodArenaBytes;

inline constexpr uint32_t kPteBytes = {len(model.pte)};
"""
    return model_header(model, headers=("runtime/upstream/method.h", *_headers(model)), constants=constants, replaceable=True)


def source(model: BuiltModel) -> str:
    """The operators and the memory of the model, and the functions that its header declares."""
    if model.observed:
        raise GenerateError("a model of upstream's cannot be observed: there is no plan of its steps")
    table = ", ".join(f"&upstream::{operators()[operator['name']].identifier}" for operator in model.operators)
    environment = f"""constexpr const upstream::Operator* kOperators[] = {{{table}}};

[[gnu::section(".state"), gnu::aligned(alignof(void*))]] constinit uint8_t method_arena[{model.name}::kMethodArenaBytes] = {{}};
[[gnu::section(".state")]] constinit upstream::Method method;
"""
    fields = "    .operators = kOperators,\n", "    .arena = method_arena,\n"
    return program_source(
        model, headers=("runtime/upstream/method.h", *_headers(model)), environment=environment, namespace="upstream::", fields=fields
    )


def _headers(model: BuiltModel) -> list[str]:
    return sorted({operators()[operator["name"]].header for operator in model.operators})
