"""Shows what is in a .pte file, Kindling's or ExecuTorch's: instructions, values, memory, sizes.

inspect FILE [--json]
"""

import dataclasses
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from absl import app, flags

from compiler.errors import CompileError
from compiler.pte.contents import ScalarType
from compiler.pte.reader import MethodView, PteView, read_pte


def define_flags(values: flags.FlagValues) -> None:
    flags.DEFINE_bool("json", False, "Print JSON instead of tables.", flag_values=values)


def report(view: PteView) -> str:
    """Everything in the file, for the eye."""
    segments = "".join(
        f"  segment {number}: {nbytes} bytes at {offset}\n" for number, (offset, nbytes) in enumerate(view.segments)
    )
    head = f"file {view.file_bytes} bytes, flatbuffer {view.flatbuffer_bytes}\n{segments}"
    return head + "".join(_method_report(method) for method in view.methods)


def report_json(view: PteView) -> str:
    return json.dumps(dataclasses.asdict(view), indent=1) + "\n"


def _method_report(method: MethodView) -> str:
    memories = ", ".join(f"{nbytes} bytes" for nbytes in method.memory_bytes) or "none"
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(value.kind for value in method.values).most_common())
    lines = [
        f"method {method.name}: {len(method.instructions)} instructions, planned memory {memories}",
        f"  values: {len(method.values)} ({kinds})",
    ]
    for role, indices in (("input", method.inputs), ("output", method.outputs)):
        lines += [f"  {role} {_value_text(method, index)}" for index in indices]
    for number, instruction in enumerate(method.instructions):
        values = " ".join(_value_text(method, index) for index in instruction.arguments)
        lines.append(f"  {number:4} {instruction.kind} {instruction.operator}  {values}".rstrip())
    return "\n".join(lines) + "\n"


def _value_text(method: MethodView, index: int) -> str:
    """A list of values shows these: of "IntList(3 1)" the file holds the indices of 3 and 1."""
    value = method.values[index]
    fields = value.fields
    if value.kind == "IntList":
        return f"IntList({' '.join(str(method.values[item].fields['value']) for item in fields['items'])})"
    if value.kind in ("TensorList", "OptionalTensorList"):
        items = ("None" if item < 0 else _value_text(method, item) for item in fields["items"])
        return f"{value.kind}({' '.join(items)})"
    if value.kind != "Tensor":
        return f"{value.kind}({' '.join(map(str, fields.get('items', fields.values())))})"
    scalar_type = fields["scalar_type"]
    name = ScalarType(scalar_type).name.lower() if scalar_type in ScalarType._value2member_map_ else f"type{scalar_type}"
    shape = ",".join(map(str, fields["sizes"]))
    if fields["memory"] is not None:
        place = f"@{fields['memory']}+{fields['offset']}"
    else:
        place = "" if fields["constant"] is None else f"#{fields['constant']}"
    order = fields["dim_order"]
    layout = "" if order == tuple(range(len(order))) else f" order {','.join(map(str, order))}"
    return f"{name}[{shape}]{place}{layout}"


def main(arguments: Sequence[str]) -> None:
    if len(arguments) != 2:
        sys.exit("error: name one .pte file; --help says more")
    try:
        view = read_pte(Path(arguments[1]).read_bytes())
    except (CompileError, OSError) as error:
        sys.exit(f"error: {arguments[1]}: {error if isinstance(error, CompileError) else error.strerror}")
    sys.stdout.write(report_json(view) if flags.FLAGS.json else report(view))


if __name__ == "__main__":
    define_flags(flags.FLAGS)
    if working_folder := os.environ.get("BUILD_WORKING_DIRECTORY"):  # set by `bazel run`
        os.chdir(working_folder)
    app.run(main)
