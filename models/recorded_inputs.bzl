"""`recorded_inputs`: samples of a .npz as the inputs of a firmware."""

load("//compiler:defs.bzl", "PteModelInfo")

def _recorded_inputs_impl(ctx):
    output = ctx.actions.declare_file(ctx.label.name + ".bin")
    plan = ctx.attr.model[PteModelInfo].plan
    args = ctx.actions.args()
    args.add(ctx.file.samples, format = "--samples=%s")
    args.add(ctx.attr.array, format = "--array=%s")
    args.add(ctx.attr.unit, format = "--unit=%s")
    args.add(ctx.attr.count, format = "--count=%s")
    if ctx.attr.sequences:
        args.add("--sequences")
    args.add(plan, format = "--plan=%s")
    args.add(output, format = "--output=%s")
    ctx.actions.run(
        executable = ctx.executable._record_inputs,
        arguments = [args],
        inputs = [ctx.file.samples, plan],
        outputs = [output],
        mnemonic = "RecordInputs",
        progress_message = "Quantising %{label}",
    )
    return [DefaultInfo(files = depset([output]))]

recorded_inputs = rule(
    implementation = _recorded_inputs_impl,
    doc = "Gives <name>.bin: `count` samples, spread evenly over the array, quantised as the model's input, one after another.",
    attrs = {
        "array": attr.string(mandatory = True, doc = "Name of the array: samples along the first axis, laid out like the firmware's input (NHWC)."),
        "count": attr.int(mandatory = True, doc = "Number of samples."),
        "model": attr.label(providers = [PteModelInfo], mandatory = True, doc = "The `pte_model`."),
        "samples": attr.label(allow_single_file = [".npz"], mandatory = True, doc = "The file."),
        "sequences": attr.bool(doc = "Whether each sample is a sequence of inputs along its own first axis, for a model that keeps state."),
        "unit": attr.string(default = "1", doc = "What 1 in the array stands for in the model's input, e.g. 1/255."),
        "_record_inputs": attr.label(default = "//models:record_inputs", executable = True, cfg = "exec"),
    },
)
