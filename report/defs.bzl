"""`pte_report`: the page of a model, on which one sees what the compiler has decided and what it costs."""

load("//compiler:defs.bzl", "PteModelInfo")
load("//platforms:for_core.bzl", "for_core")

def _file(target, ending):
    """The one file of a target with that ending."""
    found = [file for file in target[DefaultInfo].files.to_list() if file.basename.endswith(ending)]
    if len(found) != 1:
        fail("{}: a report needs a file *{}; has its firmware `inputs`?".format(target.label, ending))
    return found[0]

def _measure(ctx, core, firmware, traced):
    figures = ctx.actions.declare_file("{}.{}.figures.json".format(ctx.label.name, core))
    files = {
        "firmware": _file(firmware, ".elf"),
        "inputs": _file(firmware, ".inputs.bin"),
        "plan": _file(firmware, ".plan.json"),
        "traced": _file(traced, ".elf"),
    }
    args = ctx.actions.args()
    args.add("--core", core)
    for name, file in files.items():
        args.add("--" + name, file)
    args.add("--json", figures)
    ctx.actions.run(
        executable = ctx.executable._measure_layers,
        arguments = [args],
        inputs = files.values(),
        outputs = [figures],
        mnemonic = "MeasureLayers",
        progress_message = "Measuring the layers of %{label} on " + core,
    )
    return figures

def _pte_report_impl(ctx):
    model = ctx.attr.model[PteModelInfo]
    html = ctx.actions.declare_file(model.name + ".html")
    inputs = []
    args = ctx.actions.args()
    args.add("--name", model.name)
    if ctx.attr.accuracy:
        args.add("--accuracy", model.accuracy)
        inputs.append(model.accuracy)
    for core, firmware, traced in zip(ctx.attr.cores, ctx.attr.firmware, ctx.attr.traced):
        files = {
            "figures": _measure(ctx, core, firmware, traced),
            "plan": _file(firmware, ".plan.json"),
            "sizes": _file(firmware, ".size.json"),
        }
        args.add("--core", core)
        for name, file in files.items():
            args.add("--" + name, file)
        inputs += files.values()
    args.add("--html", html)
    ctx.actions.run(
        executable = ctx.executable._build_report,
        arguments = [args],
        inputs = inputs,
        outputs = [html],
        mnemonic = "ModelReport",
        progress_message = "Writing the page of %{label}",
    )
    return [DefaultInfo(files = depset([html]))]

_pte_report = rule(
    implementation = _pte_report_impl,
    attrs = {
        "accuracy": attr.bool(mandatory = True),
        "cores": attr.string_list(mandatory = True),
        "firmware": attr.label_list(mandatory = True),
        "model": attr.label(providers = [PteModelInfo], mandatory = True),
        "traced": attr.label_list(mandatory = True),
        "_build_report": attr.label(default = "//report:build_report", executable = True, cfg = "exec"),
        "_measure_layers": attr.label(default = "//report:measure_layers", executable = True, cfg = "exec"),
    },
)

def pte_report(*, name, model, firmware, cores, accuracy = True, visibility = None, tags = None, **kwargs):
    """Writes <model>.html, one file that needs no other: memory over time, graph, layers, instructions, flash, RAM and accuracy.

    Args:
      name: name of the target.
      model: the `pte_model`.
      firmware: its `pte_firmware`, with `inputs`, of which the first is run.
      cores: cores to build it for and to measure it on, names from platforms/cores.bzl; the page shows the first one first.
      accuracy: whether to show the error of int8 against float; False for a model that computes in float.
      visibility: as usual.
      tags: as usual.
      **kwargs: other common attributes.
    """
    for variant in ["", ".traced"]:
        for core in cores:
            for_core(
                name = "{}.{}{}".format(name, core, variant),
                core = core,
                tags = ["manual"],
                target = firmware + variant,
                visibility = ["//visibility:private"],
                **kwargs
            )
    _pte_report(
        name = name,
        accuracy = accuracy,
        cores = cores,
        firmware = ["{}.{}".format(name, core) for core in cores],
        model = model,
        tags = tags,
        traced = ["{}.{}.traced".format(name, core) for core in cores],
        visibility = visibility,
        **kwargs
    )
