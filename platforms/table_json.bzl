"""table_json: a table of Starlark for Python tools."""

def _table_json_impl(ctx):
    table = ctx.actions.declare_file(ctx.label.name + ".json")
    ctx.actions.write(table, ctx.attr.content)
    return [DefaultInfo(files = depset([table]), runfiles = ctx.runfiles([table]))]

_table_json = rule(
    implementation = _table_json_impl,
    attrs = {"content": attr.string(mandatory = True)},
)

def table_json(*, name, table, visibility = None, tags = None, **kwargs):
    """Writes a table (a dict of structs) to <name>.json.

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
