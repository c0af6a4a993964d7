"""`pte_model`: a PyTorch model compiled to a .pte for each instruction set of Cortex-M.

The compiler runs in one neutral configuration, whatever platform is being built for: once per model for the stage that imports
torch, once per tier for the rest.
"""

load("@rules_python//python:defs.bzl", "PyInfo")
load("//platforms:neutral.bzl", "neutral_transition")

PteModelInfo = provider(
    doc = "A compiled model.",
    fields = {
        "graph": "File: the quantised graph, the same for all tiers.",
        "name": "string: the model's name.",
        "ops": "File: the kernels that a firmware needs, JSON, in the order of the .pte's operators.",
        "plan": "File: the memory plan and the parameters of inputs and outputs, JSON.",
        "pte": "File: the program.",
        "tier": "string: the instruction set, one of `TIERS`.",
    },
)

_GraphInfo = provider(
    doc = "A quantised graph.",
    fields = {
        "graph": "File",
        "name": "string: the model's name.",
    },
)

TIERS = [
    "scalar",
    "dsp",
    "mve",
]

_COMPILER = {
    "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
    "_compiler": attr.label(default = "//compiler:pte_compiler", executable = True, cfg = "exec"),
}

def _run_compiler(ctx, args, inputs, outputs, mnemonic, progress_message):
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

def _graph_impl(ctx):
    graph = ctx.actions.declare_file(ctx.attr.model + ".graph")
    sources = depset(ctx.files.srcs, transitive = [dep[PyInfo].transitive_sources for dep in ctx.attr.deps])
    calibration = ctx.file.calibration_data.path if ctx.file.calibration_data else ctx.attr.calibration
    args = ctx.actions.args()
    args.add(ctx.attr.model, format = "--name=%s")
    args.add(ctx.attr.entry, format = "--entry=%s")
    args.add_all(sources, format_each = "--srcs=%s")
    args.add(ctx.attr.example_inputs, format = "--example_inputs=%s")
    args.add(calibration, format = "--calibration=%s")
    args.add(graph, format = "--graph=%s")
    _run_compiler(
        ctx,
        args,
        inputs = depset(
            ctx.files.data + ctx.files.calibration_data,
            transitive = [sources] + [dep[DefaultInfo].default_runfiles.files for dep in ctx.attr.deps],
        ),
        outputs = [graph],
        mnemonic = "QuantiseModel",
        progress_message = "Quantising model %{label}",
    )
    return [
        DefaultInfo(files = depset([graph])),
        _GraphInfo(graph = graph, name = ctx.attr.model),
    ]

_graph = rule(
    implementation = _graph_impl,
    doc = "First stage: export, quantise, calibrate.",
    attrs = _COMPILER | {
        "calibration": attr.string(mandatory = True),
        "calibration_data": attr.label(allow_single_file = True),
        "data": attr.label_list(allow_files = True),
        "deps": attr.label_list(providers = [PyInfo]),
        "entry": attr.string(mandatory = True),
        "example_inputs": attr.string(mandatory = True),
        "model": attr.string(mandatory = True),
        "srcs": attr.label_list(allow_files = [".py"], mandatory = True),
    },
    cfg = neutral_transition,
)

def _lowered_impl(ctx):
    model = ctx.attr.graph[_GraphInfo]
    pte, ops, plan = [
        ctx.actions.declare_file("{}.{}.{}".format(model.name, ctx.attr.tier, ending))
        for ending in ["pte", "ops.json", "plan.json"]
    ]
    args = ctx.actions.args()
    args.add(model.graph, format = "--graph=%s")
    args.add(ctx.attr.tier, format = "--tier=%s")
    args.add(ctx.attr.io, format = "--io=%s")
    args.add(ctx.attr.region, format = "--region=%s")
    args.add(pte, format = "--pte=%s")
    args.add(ops, format = "--ops=%s")
    args.add(plan, format = "--plan=%s")
    _run_compiler(
        ctx,
        args,
        inputs = [model.graph],
        outputs = [pte, ops, plan],
        mnemonic = "LowerModel",
        progress_message = "Lowering model %{label}",
    )
    return [
        DefaultInfo(files = depset([pte, ops, plan])),
        PteModelInfo(graph = model.graph, name = model.name, ops = ops, plan = plan, pte = pte, tier = ctx.attr.tier),
    ]

_lowered = rule(
    implementation = _lowered_impl,
    doc = "Second stage: kernels, memory plan and .pte for one tier.",
    attrs = _COMPILER | {
        "graph": attr.label(mandatory = True, providers = [_GraphInfo]),
        "io": attr.string(mandatory = True, values = ["int8", "float"]),
        "region": attr.string(mandatory = True),
        "tier": attr.string(mandatory = True, values = TIERS),
    },
    cfg = neutral_transition,
)

def pte_model(
        *,
        name,
        srcs,
        entry,
        deps = [],
        data = [],
        example_inputs = None,
        calibration = None,
        calibration_data = None,
        io = "int8",
        region = "sram",
        visibility = None,
        tags = None,
        **kwargs):
    """Compiles a PyTorch model.

    Makes `name`, the model for the tier of the platform that is being built for; `name.scalar`, `name.dsp` and `name.mve`, the
    model for one tier; and `name.graph`, the quantised graph that they share. The first four provide PteModelInfo.

    References are "module:function", the module being the bare name of one of `srcs`, or a path from the workspace's root.

    Args:
      name: the model's name.
      srcs: the model's Python files.
      entry: function that returns the torch.nn.Module, e.g. "kws:build_model".
      deps: py_library targets that the model imports.
      data: files that the model reads, such as weights; found beside its source file, through __file__.
      example_inputs: function that returns a tuple of tensors like the model's inputs. Default: example_inputs of the entry's
        module.
      calibration: function that yields a tuple of tensors per sample, from which ranges are learnt. Default: calibration of the
        entry's module.
      calibration_data: instead of it, a .npz with one array per input, samples along the first axis, or a folder of .npy or
        .npz files, one per sample.
      io: "int8" or "float": what the firmware's inputs and outputs are.
      region: name of the memory region for activations, or name=BYTES to fail where they do not fit.
      visibility: as usual.
      tags: as usual.
      **kwargs: other common attributes.
    """
    module = entry.partition(":")[0]
    common = {"tags": tags, "visibility": visibility} | kwargs
    _graph(
        name = name + ".graph",
        srcs = srcs,
        calibration = calibration or module + ":calibration",
        calibration_data = calibration_data,
        data = data,
        entry = entry,
        example_inputs = example_inputs or module + ":example_inputs",
        model = name,
        deps = deps,
        **common
    )
    for tier in TIERS:
        _lowered(
            name = name + "." + tier,
            graph = name + ".graph",
            io = io,
            region = region,
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
