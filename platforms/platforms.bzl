"""Platforms, tiers and the exported table, all generated from //platforms:cores.bzl."""

load(":cores.bzl", "CORES", "TIERS")

def core_platforms():
    """One platform per core: `--platforms=//platforms:m55`."""
    for name, core in CORES.items():
        native.platform(
            name = name,
            constraint_values = [
                "@platforms//os:none",
                "@platforms//cpu:" + core.cpu,
                "//platforms/core:" + name,
                "//platforms/float_abi:" + core.float_abi,
                "//platforms/fpu:" + core.fpu,
                "//platforms/mve:" + core.mve,
                "//platforms/tier:" + core.tier,
            ],
            visibility = ["//visibility:public"],
        )

def tier_settings():
    """`select({"//platforms:tier_mve": ...})`: exactly one of them holds on every platform."""
    for tier in TIERS:
        native.config_setting(
            name = "tier_" + tier,
            constraint_values = ["//platforms/tier:" + tier],
            visibility = ["//visibility:public"],
        )

def select_by_core(field):
    """Select over the cores' values of a field of the table, with none anywhere else.

    Args:
      field: name of the field.
    """
    return select(
        {"//platforms/core:" + name: getattr(core, field) for name, core in CORES.items()},
        no_match_error = "only a Cortex-M core will do: say --platforms=//platforms:<core>, one of " + " ".join(CORES),
    )

def _table_json_impl(ctx):
    json = ctx.actions.declare_file(ctx.label.name + ".json")
    ctx.actions.write(json, ctx.attr.content)
    return [DefaultInfo(files = depset([json]), runfiles = ctx.runfiles([json]))]

_table_json = rule(
    implementation = _table_json_impl,
    attrs = {"content": attr.string(mandatory = True)},
)

def table_json(*, name, table, visibility = None, tags = None, **kwargs):
    """Writes a table (a dict of structs) to <name>.json, for Python tools.

    Args:
      name: name of the target and of the file.
      table: dict from name to struct.
      visibility: as usual.
      tags: as usual.
      **kwargs: other common attributes.
    """
    _table_json(
        name = name,
        content = json.encode_indent(table, indent = "  ") + "\n",
        visibility = visibility,
        tags = tags,
        **kwargs
    )
