"""Compiles a PyTorch model to a .pte for Cortex-M.

Two stages, together or apart:
  from Python:  --entry, --srcs, --calibration, --dtype      writes --graph, if given
  to a .pte:    --tier, and --graph if there is no --entry      writes --pte, --ops, --plan
and --accuracy and --accuracy_text, which say what int8 costs, from Python too.

By hand, from the workspace's root:
  pte_compiler --srcs=models/kws/kws.py --entry=kws:build_model --tier=mve --pte=kws.pte --plan=kws.plan.json
"""

import dataclasses
import os
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from absl import app, flags

from compiler.compile import LoweringRequest, build, load_graphs, lower_graphs, save_graphs
from compiler.errors import CompileError
from compiler.planner.regions import memory_from_texts
from compiler.port_types import port_types_from_texts
from compiler.worker import serve_requests
from kernels.operator import TIERS


def define_flags(values: flags.FlagValues) -> None:
    text = {"flag_values": values}
    flags.DEFINE_string(
        "name", None, "The model's name in reports. Default: the module of --entry, or the name of --graph.", **text
    )
    flags.DEFINE_string(
        "entry",
        None,
        "module:function that returns the torch.nn.Module, e.g. kws:build_model, or a torch.export.ExportedProgram; or for a model of "
        "several methods a dict of these by name, a module with its example inputs: {'encode': (module, inputs), ...}. Or such a program "
        "as torch.export.save writes it, e.g. kws.pt2.",
        **text,
    )
    flags.DEFINE_multi_string(
        "srcs", [], "The model's Python files, relative to the workspace. Repeated or comma-separated.", **text
    )
    flags.DEFINE_string(
        "example_inputs",
        None,
        "module:function that returns a tuple of tensors like the model's inputs. Default: example_inputs of --entry's module.",
        **text,
    )
    flags.DEFINE_string(
        "calibration",
        None,
        "Typical inputs, from which the ranges of activations are learnt: module:function that yields a tuple of tensors per "
        "sample; a .npz with an array per input, samples along the first axis; or a folder of .npy or .npz files, one per "
        "sample. For a model that changes its buffers they are sequences: None among them, an array `reset`, or a folder for each says "
        "where one begins. Default: calibration of --entry's module.",
        **text,
    )
    flags.DEFINE_enum(
        "dtype", "int8", ("int8", "float32"), "What the model computes in; float32 needs no --calibration. Only with --entry.", **text
    )
    flags.DEFINE_string("graph", None, "The model's graph: written if there is an --entry, else read.", **text)
    flags.DEFINE_enum(
        "tier",
        None,
        TIERS,
        "The instruction set to lower for: scalar (M0 M0+ M3 M23), dsp (M4 M7 M33 M35P), mve (M52 M55 M85).",
        **text,
    )
    flags.DEFINE_multi_string(
        "io",
        ["int8"],
        "What inputs and outputs are: DTYPE of all, or NAME=DTYPE of one, with DTYPE int8, int16 or float32; NAME=int16:SCALE says too what "
        "a step stands for, e.g. 1/32768, which else is learnt from calibration. A float32 model has float32 unless it says int16. Repeated.",
        **text,
    )
    flags.DEFINE_multi_string(
        "region",
        ["sram"],
        "A memory region for activations: NAME, or NAME=BYTES for one that must suffice, then ,cycles=N for what an access costs "
        "beside the others (1), ,alignment=N for where it starts (16). Repeated: the more often used per byte, the faster.",
        **text,
    )
    flags.DEFINE_multi_string(
        "place", [], "NAME=REGION: the results of the layer, or the tensor or scratch, named in the plan, lie there.", **text
    )
    flags.DEFINE_string("method", "", "The method that --ops and --plan are of, and firmware runs. Default: the first.", **text)
    flags.DEFINE_string("pte", None, "The .pte to write.", **text)
    flags.DEFINE_string("ops", None, "The list of kernels to write, JSON.", **text)
    flags.DEFINE_string("plan", None, "The memory plan to write, JSON.", **text)
    flags.DEFINE_string("accuracy", None, "The error of int8, layer by layer, to write, JSON. Needs --entry.", **text)
    flags.DEFINE_string("accuracy_text", None, "The same for the eye.", **text)
    flags.DEFINE_string(
        "dataset",
        "",
        "Labelled samples for --accuracy: a .npz with an array per input, samples along the first axis, and integers `label`; or "
        "module:function that yields (inputs, label) per sample. Default: the calibration data, without labels.",
        **text,
    )
    flags.DEFINE_string("dump_passes", None, "Folder for the graph's text after each pass.", **text)
    flags.DEFINE_bool("verbose", False, "Show the stack trace of an error.", **text)
    flags.DEFINE_bool("persistent_worker", False, "Serve Bazel's worker protocol on stdin and stdout.", **text)


def run(values: flags.FlagValues) -> tuple[int, str]:
    """The exit code, and what to tell the user: nothing, or why it failed, in one line (more if --verbose)."""
    try:
        compile_files(values)
        return 0, ""
    except BaseException as error:  # a worker lives on, whatever the user's code raised
        trace = traceback.format_exc() if values.verbose else ""
        return 1, f"{trace}error: {_explanation(error)}"


def _explanation(error: BaseException) -> str:
    if isinstance(error, CompileError):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    reason = next(iter(str(error).splitlines()), "")
    return f"the compiler itself failed ({type(error).__name__}: {reason}); --verbose shows where"


def compile_files(values: flags.FlagValues) -> None:
    _check_flags(values)
    if values.accuracy or values.accuracy_text:
        _write_accuracy(values)
        if not (values.graph or values.pte or values.ops or values.plan):
            return
    if values.entry:
        graphs = build(_model_request(values))
        if values.graph:
            save_graphs(Path(values.graph), graphs)
    else:
        graphs = load_graphs(Path(values.graph))
        if values.name:
            graphs = tuple(dataclasses.replace(graph, name=values.name) for graph in graphs)
    if not (values.pte or values.ops or values.plan):
        return
    compiled = lower_graphs(graphs, _lowering_request(values))
    if values.pte:
        Path(values.pte).write_bytes(compiled.pte)
    if values.ops:
        Path(values.ops).write_text(compiled.ops)
    if values.plan:
        Path(values.plan).write_text(compiled.plan)


def _check_flags(values: flags.FlagValues) -> None:
    """Raises CompileError where flags do not go together, or name what is not there."""
    lowered, accuracy = values.pte or values.ops or values.plan, values.accuracy or values.accuracy_text
    if not (values.entry or values.graph):
        raise CompileError("nothing to compile: give --entry (a PyTorch model) or --graph; see --help")
    if accuracy and not values.entry:
        raise CompileError("to measure accuracy, --entry must be given: it is held against the float model")
    if values.dataset and not accuracy:
        raise CompileError("--dataset is for --accuracy and --accuracy_text, of which neither is given")
    if lowered and not values.tier:
        raise CompileError("to write a .pte, --tier must be given: scalar, dsp or mve")
    if not (lowered or accuracy or (values.entry and values.graph)):
        raise CompileError("nothing to write: give --pte, --ops, --plan, --accuracy, or --graph with --entry; see --help")
    _check_purposes(values)
    for source in _sources(values):
        if not Path(source).is_file():
            raise CompileError(f"--srcs: there is no file {source}")


def _check_purposes(values: flags.FlagValues) -> None:
    """Raises CompileError for a flag that nothing of what is to be done reads."""
    lowered, accuracy = values.pte or values.ops or values.plan, values.accuracy or values.accuracy_text

    def given(*names: str) -> str | None:
        return next((name for name in names if values[name].present and values[name].value), None)

    if not values.entry and (name := given("dtype", "srcs", "example_inputs", "calibration")):
        raise CompileError(f"--{name} is for a model from --entry, which is not given; --graph is of one made already")
    if not lowered and (name := given("tier", "region", "place", "method", "dump_passes")):
        raise CompileError(f"--{name} is for --pte, --ops and --plan, of which none is given")
    if not (lowered or accuracy) and given("io"):
        raise CompileError("--io is for --pte, --ops, --plan and --accuracy, of which none is given")


def _sources(values: flags.FlagValues) -> tuple[str, ...]:
    return tuple(source for group in values.srcs for source in group.split(",") if source)


def _write_accuracy(values: flags.FlagValues) -> None:
    from compiler.accuracy.accuracy import accuracy_json, accuracy_text
    from compiler.accuracy.measure import measure

    accuracy = measure(_model_request(values), values.dataset, port_types_from_texts(values.io))
    if values.accuracy:
        Path(values.accuracy).write_text(accuracy_json(accuracy))
    if values.accuracy_text:
        Path(values.accuracy_text).write_text(accuracy_text(accuracy))


def _model_request(values: flags.FlagValues):
    from compiler.frontend.build_graph import ModelRequest

    module = values.entry.partition(":")[0]
    if values.entry.endswith(".pt2"):
        if not values.calibration and values.dtype == "int8":
            raise CompileError(f"{values.entry} needs --calibration: typical inputs, from which the ranges of activations are learnt")
        module = Path(values.entry).stem
    return ModelRequest(
        name=values.name or module,
        entry=values.entry,
        example_inputs=values.example_inputs or f"{module}:example_inputs",
        calibration=values.calibration or f"{module}:calibration",
        sources=_sources(values),
        dtype=values.dtype,
    )


def _lowering_request(values: flags.FlagValues) -> LoweringRequest:
    for placed in values.place:
        if not all(placed.rpartition("=")):
            raise CompileError(f"--place={placed}: write NAME=REGION")
    return LoweringRequest(
        tier=values.tier,
        io=port_types_from_texts(values.io),
        memory=memory_from_texts(values.region),
        placement={name: region for name, _, region in (placed.rpartition("=") for placed in values.place)},
        dump=Path(values.dump_passes) if values.dump_passes else None,
        method=values.method,
    )


def serve(arguments: Sequence[str]) -> tuple[int, str]:
    """One request to the worker: the same flags as on a command line."""
    values = flags.FlagValues()
    define_flags(values)
    try:
        _, *stray = values(["pte_compiler", *spelt_with_underscores(arguments)])
    except flags.Error as error:
        return 2, f"error: {error}"
    return _refusal(stray) or run(values)


def _refusal(stray: Sequence[str]) -> tuple[int, str] | None:
    return (2, f"error: {stray[0]!r} belongs to no flag") if stray else None


def main(arguments: Sequence[str]) -> None:
    if flags.FLAGS.persistent_worker:
        serve_requests(serve)
        return
    exit_code, message = _refusal(arguments[1:]) or run(flags.FLAGS)
    if message:
        print(message, file=sys.stderr)
    sys.exit(exit_code)


def expand_parameter_files(arguments: Sequence[str]) -> list[str]:
    """Replaces @file by the file's lines."""
    expanded: list[str] = []
    for argument in arguments:
        expanded += Path(argument[1:]).read_text().splitlines() if argument.startswith("@") else [argument]
    return expanded


def spelt_with_underscores(arguments: Sequence[str]) -> list[str]:
    """--dump-passes=x-y as absl wants it: --dump_passes=x-y."""
    return [
        re.sub(r"^--?[\w-]+", lambda flag: "--" + flag[0].lstrip("-").replace("-", "_"), argument) for argument in arguments
    ]


if __name__ == "__main__":
    define_flags(flags.FLAGS)
    if workspace := os.environ.get("BUILD_WORKING_DIRECTORY"):  # set by `bazel run`: paths are relative to the user's folder
        os.chdir(workspace)
    app.run(main, argv=spelt_with_underscores(expand_parameter_files(sys.argv)))
