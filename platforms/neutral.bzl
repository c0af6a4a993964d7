"""`neutral_transition`: for rules whose outputs are the same whatever is being built for, so that one action serves every platform."""

_NEUTRAL = {
    "//command_line_option:compilation_mode": "fastbuild",
    "//command_line_option:conlyopt": [],
    "//command_line_option:copt": [],
    "//command_line_option:cxxopt": [],
    "//command_line_option:features": [],
    "//command_line_option:linkopt": [],
    "//command_line_option:platforms": str(Label("//platforms:neutral")),
}

neutral_transition = transition(
    implementation = lambda _settings, _attr: _NEUTRAL,
    inputs = [],
    outputs = _NEUTRAL.keys(),
)
