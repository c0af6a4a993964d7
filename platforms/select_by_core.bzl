"""select_by_core: a value that depends on the core of the target platform."""

load(":cores.bzl", "CORES")

def select_by_core(field):
    """Select over the cores' values of a field of the table, with none anywhere else.

    Args:
      field: name of the field.
    """
    return select(
        {"//platforms/core:" + name: getattr(core, field) for name, core in CORES.items()},
        no_match_error = "only a Cortex-M core will do: say --platforms=//platforms:<core>, one of " + " ".join(CORES),
    )
