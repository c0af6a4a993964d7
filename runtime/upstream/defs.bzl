"""`pte_import`: a .pte that upstream made, as a model of which firmware can be made."""

load("//compiler:defs.bzl", "PteModelInfo")
load("//platforms:neutral.bzl", "neutral_transition")

def _pte_import_impl(ctx):
    name = ctx.label.name
    ops, plan = [ctx.actions.declare_file("{}.{}.json".format(name, kind)) for kind in ["ops", "plan"]]
    args = ctx.actions.args()
    args.add("--name", name)
    args.add("--pte", ctx.file.src)
    args.add("--ops", ops)
    args.add("--plan", plan)
    ctx.actions.run(
        executable = ctx.executable._import_pte,
        arguments = [args],
        inputs = [ctx.file.src],
        outputs = [ops, plan],
        mnemonic = "ImportPte",
        progress_message = "Reading %{label}",
    )
    return [
        DefaultInfo(files = depset([ctx.file.src, ops, plan])),
        PteModelInfo(graph = None, name = name, ops = ops, plan = plan, pte = ctx.file.src, tier = "any"),
    ]

pte_import = rule(
    implementation = _pte_import_impl,
    doc = """A .pte that ExecuTorch 1.5.1 made, of aten float or cortex_m int8 operators, as a model for `pte_firmware`.

Provides PteModelInfo. The firmware holds the file as it is, and exactly the operators that it calls. Fails if it calls one that
is not in runtime/upstream/operators, and names it. The name of the target must be a C++ identifier.""",
    attrs = {
        "src": attr.label(allow_single_file = [".pte"], mandatory = True, doc = "The file."),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
        "_import_pte": attr.label(default = "//runtime/upstream:import_pte", executable = True, cfg = "exec"),
    },
    cfg = neutral_transition,
)
