"""A constraint setting and its values, in one line."""

def constraint(*, name, values, default = None):
    """A constraint_setting with one constraint_value per value.

    Args:
      name: the setting's name.
      values: names of the values.
      default: the value of platforms that do not say, None for none.
    """
    native.constraint_setting(
        name = name,
        default_constraint_value = default and ":" + default,
        visibility = ["//visibility:public"],
    )
    for value in values:
        native.constraint_value(
            name = value,
            constraint_setting = ":" + name,
            visibility = ["//visibility:public"],
        )
