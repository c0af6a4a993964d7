"""`pte_model`: a PyTorch model compiled to a .pte for each instruction set of Cortex-M. `pte_accuracy_test`: what int8 may cost it.

The compiler runs in one neutral configuration, whatever platform is being built for: once per model for the stage that imports
torch, once per tier for the rest.
"""

load("@rules_python//python:defs.bzl", "PyInfo", "py_test")
load("//platforms:neutral.bzl", "neutral_transition")

PteModelInfo = provider(
    doc = "A compiled model.",
    fields = {
        "accuracy": "File: the error of int8 against float, layer by layer, worst first, JSON. Made when it is asked for.",
        "graph": "File: the graph, quantised if it computes in int8, the same for all tiers.",
        "name": "string: the model's name.",
        "ops": "File: the kernels that a firmware needs, JSON, in the order of the .pte's operators.",
        "plan": "File: the memory plan and the parameters of inputs and outputs, JSON.",
        "pte": "File: the program.",
        "request": "struct: `args` and `inputs` (depset of File) with which the compiler makes the graph from the user's Python, and `io`, " +
                   "what inputs and outputs then are.",
        "tier": "string: the instruction set, one of `TIERS`.",
    },
)

_GraphInfo = provider(
    doc = "A quantised graph.",
    fields = {
        "accuracy": "File, see PteModelInfo.",
        "graph": "File",
        "name": "string: the model's name.",
        "request": "struct, see PteModelInfo.",
    },
)

TIERS = [
    "scalar",
    "dsp",
    "mve",
]

_COMPILER = {
    "_compiler": attr.label(default = "//compiler:pte_compiler", executable = True, cfg = "exec"),
}

# Of rules that run the compiler in the neutral configuration.
_NEUTRAL_COMPILER = _COMPILER | {
    "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
}

def _run_compiler(ctx, arguments, inputs, outputs, mnemonic, progress_message):
    """Runs the compiler with flags, each a list of a format and what fills it in: a string, a File, or a list or depset of them."""
    args = ctx.actions.args()
    for format, value in arguments:
        args.add_all([value] if type(value) in ("string", "File") else value, format_each = format)
    args.use_param_file("@%s", use_always = True)
    args.set_param_file_format("multiline")
    ctx.actions.run(
        executable = ctx.executable._compiler,
        arguments = [args],
        inputs = inputs,
        outputs = outputs,
        mnemonic = mnemonic,
        progress_message = progress_message,
        execution_requirements = {
            "requires-worker-protocol": "json",
            "supports-workers": "1",
        },
    )

def _measure(ctx, request, accuracy, text, dataset = [], files = []):
    """Declares the action that writes the report of a model's accuracy; `dataset` are flags that name one, made of `files`."""
    _run_compiler(
        ctx,
        request.args + request.io + dataset + [
            ["--accuracy=%s", accuracy],
            ["--accuracy_text=%s", text],
        ],
        inputs = depset(files, transitive = [request.inputs]),
        outputs = [accuracy, text],
        mnemonic = "MeasureAccuracy",
        progress_message = "Measuring accuracy of model %{label}",
    )

def _graph_impl(ctx):
    graph, accuracy, text = [
        ctx.actions.declare_file(ctx.attr.model + ending)
        for ending in [".graph", ".accuracy.json", ".accuracy.txt"]
    ]
    sources = depset(ctx.files.srcs, transitive = [dep[PyInfo].transitive_sources for dep in ctx.attr.deps])
    calibration = ctx.file.calibration_data.path if ctx.file.calibration_data else ctx.attr.calibration
    request = struct(
        args = [
            ["--name=%s", ctx.attr.model],
            ["--entry=%s", ctx.file.program.path if ctx.file.program else ctx.attr.entry],
            ["--srcs=%s", sources],
            ["--example_inputs=%s", ctx.attr.example_inputs],
            ["--calibration=%s", calibration],
            ["--dtype=%s", ctx.attr.dtype],
        ],
        io = [["--io=%s", ctx.attr.io]],
        inputs = depset(
            ctx.files.data + ctx.files.calibration_data + ctx.files.program,
            transitive = [sources] + [dep[DefaultInfo].default_runfiles.files for dep in ctx.attr.deps],
        ),
    )
    _run_compiler(
        ctx,
        request.args + [["--graph=%s", graph]],
        inputs = request.inputs,
        outputs = [graph],
        mnemonic = "ImportModel",
        progress_message = "Importing model %{label}",
    )
    _measure(ctx, request, accuracy, text)
    return [
        DefaultInfo(files = depset([graph])),
        OutputGroupInfo(accuracy = depset([accuracy, text])),
        _GraphInfo(accuracy = accuracy, graph = graph, name = ctx.attr.model, request = request),
    ]

_graph = rule(
    implementation = _graph_impl,
    doc = "First stage: export, and unless it is to compute in float quantise and calibrate.",
    attrs = _NEUTRAL_COMPILER | {
        "calibration": attr.string(mandatory = True),
        "calibration_data": attr.label(allow_single_file = True),
        "data": attr.label_list(allow_files = True),
        "deps": attr.label_list(providers = [PyInfo]),
        "dtype": attr.string(mandatory = True, values = ["int8", "float32"]),
        "entry": attr.string(),
        "example_inputs": attr.string(),
        "io": attr.string_list(mandatory = True),
        "model": attr.string(mandatory = True),
        "program": attr.label(allow_single_file = [".pt2"]),
        "srcs": attr.label_list(allow_files = [".py"]),
    },
    cfg = neutral_transition,
)

def _lowered_impl(ctx):
    model = ctx.attr.graph[_GraphInfo]
    pte, ops, plan = [
        ctx.actions.declare_file("{}.{}.{}".format(model.name, ctx.attr.tier, ending))
        for ending in ["pte", "ops.json", "plan.json"]
    ]
    _run_compiler(
        ctx,
        [
            ["--graph=%s", model.graph],
            ["--tier=%s", ctx.attr.tier],
            ["--io=%s", ctx.attr.io],
            ["--region=%s", ctx.attr.memory],
            ["--place=%s", ["{}={}".format(*item) for item in ctx.attr.placement.items()]],
            ["--method=%s", ctx.attr.method],
            ["--pte=%s", pte],
            ["--ops=%s", ops],
            ["--plan=%s", plan],
        ],
        inputs = [model.graph],
        outputs = [pte, ops, plan],
        mnemonic = "LowerModel",
        progress_message = "Lowering model %{label}",
    )
    return [
        DefaultInfo(files = depset([pte, ops, plan])),
        ctx.attr.graph[OutputGroupInfo],
        PteModelInfo(
            accuracy = model.accuracy,
            graph = model.graph,
            name = model.name,
            ops = ops,
            plan = plan,
            pte = pte,
            request = model.request,
            tier = ctx.attr.tier,
        ),
    ]

_lowered = rule(
    implementation = _lowered_impl,
    doc = "Second stage: kernels, memory plan and .pte for one tier.",
    attrs = _NEUTRAL_COMPILER | {
        "graph": attr.label(mandatory = True, providers = [_GraphInfo]),
        "io": attr.string_list(mandatory = True),
        "memory": attr.string_list(mandatory = True),
        "method": attr.string(),
        "placement": attr.string_dict(mandatory = True),
        "tier": attr.string(mandatory = True, values = TIERS),
    },
    cfg = neutral_transition,
)

def pte_model(
        *,
        name,
        srcs = [],
        entry = None,
        program = None,
        deps = [],
        data = [],
        example_inputs = None,
        calibration = None,
        calibration_data = None,
        dtype = "int8",
        io = "int8",
        memory = ["sram"],
        placement = {},
        method = "",
        visibility = None,
        tags = None,
        **kwargs):
    """Compiles a PyTorch model.

    Makes `name`, the model for the tier of the platform that is being built for; `name.scalar`, `name.dsp` and `name.mve`, the
    model for one tier; and `name.graph`, the graph that they share. The first four provide PteModelInfo, and all an output
    group `accuracy`: `name.accuracy.json` and `name.accuracy.txt`, the error of int8 against float, layer by layer.

    References are "module:function", the module being the bare name of one of `srcs`, or a path from the workspace's root.

    Args:
      name: the model's name.
      srcs: the model's Python files.
      entry: function that returns the torch.nn.Module, e.g. "kws:build_model"; or a torch.export.ExportedProgram, which PT2E may have converted with a
        quantizer of the user's (then without calibration: int8, and int16 for inputs, outputs and results of linear); or a module that
        compiler/frontend/qat.py has prepared, and training has finished, which needs no calibration; or for a model of several methods
        a dict of these by name, a module with its example inputs: {"encode": (module, inputs), ...}.
      program: instead of it, a file that torch.export.save has written (.pt2); int8 then needs `calibration` or `calibration_data`.
      deps: py_library targets that the model imports.
      data: files that the model reads, such as weights; found beside its source file, through __file__.
      example_inputs: function that returns a tuple of tensors like the model's inputs. Default: example_inputs of the entry's
        module.
      calibration: function that yields a tuple of tensors per sample, from which ranges are learnt; of several methods a dict of
        such by name. Samples of a model whose forward() changes buffers follow each other in time, and None among them says that
        another sequence begins, with the buffers as they were at first. Default: calibration of the entry's module.
      calibration_data: instead of it, a .npz with one array per input, samples along the first axis, or a folder of .npy or
        .npz files, one per sample. Another sequence begins where array `reset` of the .npz is not 0, or with each folder within.
      dtype: what the model computes in: "int8", or "float32", which needs no calibration data and has no `accuracy`.
      io: what inputs and outputs are: "int8", "int16" or "float32" for all, or a dict of these by name, the others being int8:
        {"audio": "int16:1/32768"}. An int16 has zero point 0 and the scale behind the colon, or else one that just holds the range that
        calibration has found; int16 inputs become int8 in the firmware's first step. Inputs and outputs of a float32 model are float32,
        but for those that are said to be int16 with a scale.
      memory: the memory regions for activations: a list of names of the board's regions, each with =BYTES where it must suffice;
        `ram` of //platforms/boards:ram.bzl makes it from the board's table. Or a dict of such lists by tier.
      placement: dict from the name of a layer, tensor or scratch, as in plan.json, to the region that it must lie in. The rest is
        placed by how often it is used: the most often per byte in the fastest region.
      method: of a model with several methods the one that firmware runs; the plan is of it. Default: the first. The .pte holds all.
      visibility: as usual.
      tags: as usual.
      **kwargs: other common attributes.
    """
    if bool(entry) == bool(program):
        fail("pte_model {}: give either entry or program".format(name))
    if program and dtype == "int8" and not (calibration or calibration_data):
        fail("pte_model {}: a program needs calibration or calibration_data".format(name))
    module = entry.partition(":")[0] if entry else ""
    common = {"tags": tags, "visibility": visibility} | kwargs
    port_types = ["{}={}".format(*item) for item in io.items()] if type(io) == "dict" else [io]
    _graph(
        name = name + ".graph",
        srcs = srcs,
        calibration = calibration or module + ":calibration",
        calibration_data = calibration_data,
        data = data,
        entry = entry,
        example_inputs = example_inputs or module + ":example_inputs",
        io = port_types,
        model = name,
        program = program,
        deps = deps,
        dtype = dtype,
        **common
    )
    for tier in TIERS:
        _lowered(
            name = name + "." + tier,
            graph = name + ".graph",
            io = port_types,
            memory = memory.get(tier, ["sram"]) if type(memory) == "dict" else memory,
            method = method,
            placement = placement,
            tier = tier,
            **common
        )
    native.alias(
        name = name,
        actual = select({
            "//platforms:tier_" + tier: name + "." + tier
            for tier in TIERS
        }),
        **common
    )

def _accuracy_impl(ctx):
    accuracy, text = [ctx.actions.declare_file(ctx.label.name + ending) for ending in [".json", ".txt"]]
    _measure(
        ctx,
        ctx.attr.model[PteModelInfo].request,
        accuracy,
        text,
        dataset = [
            ["--dataset=%s", ctx.file.dataset or ctx.attr.samples],
            ["--srcs=%s", ctx.files.srcs],
        ],
        files = ctx.files.dataset + ctx.files.srcs + ctx.files.data,
    )
    return [DefaultInfo(files = depset([accuracy, text]))]

_accuracy = rule(
    implementation = _accuracy_impl,
    doc = "The report of a model's accuracy over a labelled dataset.",
    attrs = _COMPILER | {
        "data": attr.label_list(allow_files = True),
        "dataset": attr.label(allow_single_file = [".npz"]),
        "model": attr.label(mandatory = True, providers = [PteModelInfo]),
        "samples": attr.string(),
        "srcs": attr.label_list(allow_files = [".py"]),
    },
)

def pte_accuracy_test(
        *,
        name,
        model,
        max_drop,
        dataset = None,
        samples = None,
        srcs = [],
        data = [],
        visibility = None,
        tags = None,
        **kwargs):
    """Tests that int8 costs a classifier no more than `max_drop` of its top-1 accuracy.

    The test prints the report: top-1 of float and int8, and the signal-to-noise ratio of each layer, worst first, with its line.
    `name.report` makes the report, `name.report.json` and `name.report.txt`.

    Args:
      name: name of the test.
      model: a pte_model with one output of scores.
      dataset: a .npz with one array per input (any name, if there is one input), samples along the first axis, and `label`, the right
        class of each sample.
      samples: instead of it, a function "module:function" that yields (inputs, label) per sample, the inputs as in calibration data.
      srcs: Python files that it is in, beside the model's.
      data: files that it reads.
      max_drop: by how much int8 may be worse than float, as a fraction of all samples, in a string: "0.01".
      visibility: as usual.
      tags: as usual.
      **kwargs: other attributes of py_test.
    """
    if bool(dataset) == bool(samples):
        fail("pte_accuracy_test {}: give either dataset or samples".format(name))
    _accuracy(
        name = name + ".report",
        data = data,
        dataset = dataset,
        model = model,
        samples = samples,
        srcs = srcs,
        tags = tags,
        testonly = True,
        visibility = visibility,
    )
    main = "//compiler/accuracy:accuracy_test_main.py"
    py_test(
        name = name,
        size = "small",
        srcs = [main],
        main = main,
        args = ["--max_drop=" + max_drop, "$(rootpaths {}.report)".format(name)],
        data = [name + ".report"],
        tags = tags,
        visibility = visibility,
        **kwargs
    )
