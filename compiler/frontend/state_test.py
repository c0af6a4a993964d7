"""Buffers that forward() changes last from run to run, in int8 and in float32, and one line says where they cannot."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from compiler.accuracy.measure import measure
from compiler.compile import LoweringRequest, lower_graphs
from compiler.elide import elide
from compiler.errors import CompileError
from compiler.frontend import qat
from compiler.frontend.build_graph import ModelRequest, build_graph
from compiler.ir import Graph
from compiler.keep_state import keep_state
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.planner.best import plan_best
from compiler.port_types import port_types_from_texts
from compiler.program import Program
from compiler.pte_compiler import serve
from compiler.reference import HostStream, from_firmware, to_firmware
from kernels.registry import OPERATORS

import torch  # isort: skip  (after the front end, which sets it up)

MODEL = """\
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.register_buffer("s", torch.linspace(-1, 1, 12).reshape(1, 4, 3, 1))
        self.register_buffer("h", torch.zeros(1, 5))
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))
        self.register_buffer("four", torch.zeros(1, 4, 1, 1))
        self.register_buffer("whole", torch.arange(5, dtype=torch.int32).reshape(1, 5))
        self.register_buffer("pair", torch.zeros(1, 5))
        self.register_buffer("earlier", torch.zeros(1, 5))
        self.register_buffer("twin", self.pair[:])
        self.plain = torch.zeros(1, 5)
        self.scale = nn.Parameter(torch.ones(1, 5))
        self.conv = nn.Conv2d(4, 5, (3, 1))
        self.line = nn.Conv1d(4, 5, 3)
        self.cell = nn.Linear(10, 5)
        self.last = nn.Linear(5, 3)

    def forward(self, x):
        FORWARD

def build_model():
    return Model()

def export_model():
    return torch.export.export(build_model().eval(), example_inputs())

def export_functional_model():
    return export_model().run_decompositions({})

def example_inputs():
    return (torch.zeros(1, 4, 1, 1),)

def calibration():
    for seed in range(20):
        if seed == 12:
            yield None
        yield torch.randn(1, 4, 1, 1, generator=torch.Generator().manual_seed(seed))
"""

_ONE_SEQUENCE = ("        if seed == 12:\n            yield None\n", "")
_RUN = "return self.last(torch.relu(self.conv(self.s)).flatten(1))"
_CELL = "h = torch.tanh(self.cell(torch.cat([self.h, x.reshape(1, 4).repeat(1, 2)[:, :5]], 1)))"

STATES = {
    "a shift that is assigned": f"self.s = torch.cat([self.s[:, :, 1:], x], 2); {_RUN}",
    "a shift that is copied": f"self.s.copy_(torch.cat([self.s[:, :, 1:], x], 2)); {_RUN}",
    "a shift that fills a slice": f"self.s[:] = torch.cat([self.s[:, :, 1:], x], 2); {_RUN}",
    "a shift by parts": f"self.s[:, :, :-1] = self.s[:, :, 1:].clone(); self.s[:, :, -1] = x[:, :, 0]; {_RUN}",
    "a shift of one part after another": f"p = self.s[:, :, 0]; p.copy_(self.s[:, :, 1]); self.s[:, :, 1].copy_(self.s[:, :, 2]); self.s[:, :, 2:].copy_(x); {_RUN}",
    "a window that is longer than its buffer": (
        "w = torch.cat([self.s[:, :, 1:], x], 2); y = self.last(torch.relu(self.conv(w)).flatten(1)); self.s.copy_(w); return y"
    ),
    "a line": "w = torch.cat([self.s[:, :, 1:], x], 2)[..., 0]; self.s = w.unsqueeze(3); return self.last(torch.relu(self.line(w)).flatten(1))",
    "a cell": f"{_CELL}; self.h = h; return self.last(h)",
    "a cell whose state is an output": f"{_CELL}; self.h.copy_(h); return self.h, self.last(h)",
    "what is read before it is written": f"old = self.h.clone(); {_CELL}; self.h = h; return self.last(old + h)",
    "two that swap": f"{_CELL}; a = self.s[:, :1, :, 0].mean(2); self.s = self.s * 0.5 + self.h.mean() + x; self.h = h * 0.5 + a; return self.last(self.h)",
    "a delay of two runs": "y = self.last(self.h + x.mean()); self.h.copy_(self.earlier); self.earlier.copy_(x.reshape(1, 4).repeat(1, 2)[:, :5]); return y",
    "a mean that is written in place": "self.h.mul_(0.5).add_(x.mean()); return self.last(self.h)",
    "an input that is kept": "y = self.s[:, :, :1] - x; self.s[:, :, 0] = x[:, :, 0]; return y",
    "a constant": "y = self.h + x.mean(); self.h.fill_(0.5); return y",
    "a constant in a part": "y = self.h + x.mean(); self.h[:, 1:3].zero_(); return y",
    "an input that is assigned": "y = self.s[:, :, :1] * self.four; self.four = x; return y",
    "a part of an input that is assigned": "y = self.last(self.h) + x.mean(); self.h = x.reshape(1, 4).repeat(1, 2)[:, :5]; return y",
    "the old value as output": f"old = self.h.clone(); {_CELL}; self.h = h; return old, self.last(h)",
    "the new value as output": f"{_CELL}; self.h = h; return self.h, self.last(h)",
    "what is added and returned": "self.h += x.mean(); return self.h",
    "integers that are copied": "y = self.h + x.mean(); self.h.copy_(self.whole); return y",
    "a comparison that is copied": "y = self.four * 2 + x; self.four.copy_(x > 0); return y",
    "a parameter": "y = self.h + x.mean(); self.h.copy_(self.scale); return y",
}


@pytest.fixture(autouse=True)
def in_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(forward: str, *changes: tuple[str, str]) -> None:
    text = MODEL.replace("FORWARD", forward)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    Path("m.py").write_text(text)


def request(dtype: str = "int8", entry: str = "build_model", calibration: str = "m:calibration") -> ModelRequest:
    return ModelRequest("m", f"m:{entry}", "m:example_inputs", calibration, ("m.py",), dtype)


def planned(graph: Graph) -> Program:
    program = keep_state(lower(run_passes(graph), "scalar", OPERATORS), OPERATORS)
    return plan_best(program, elide=lambda program, layers: elide(program, OPERATORS, layers))[0]


def user_model() -> tuple[torch.nn.Module, list]:
    names: dict = {}
    exec(Path("m.py").read_text(), names)
    return names["build_model"]().eval(), list(names["calibration"]())


def answers_of(program: Program, items: list) -> list[list[np.ndarray]]:
    stream, answers = HostStream(program, OPERATORS), []
    for item in items:
        if item is None:
            stream.reset()
            continue
        results = stream.run({"x": to_firmware(program.inputs[0], item.numpy())})
        answers.append([from_firmware(port, results[port.name]) for port in program.outputs])
    return answers


def answers_of_user(model: torch.nn.Module, items: list) -> list[list[np.ndarray]]:
    first, answers = {name: value.clone() for name, value in model.named_buffers()}, []
    for item in items:
        if item is None:
            model.load_state_dict({**model.state_dict(), **first})
            continue
        with torch.no_grad():
            answers.append([tensor.numpy().copy() for tensor in torch.utils._pytree.tree_leaves(model(item.clone()))])
    return answers


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("forward", STATES.values(), ids=STATES)
def test_a_stream_is_answered_as_the_users_model_answers_it(forward, dtype):
    write(forward)
    program = planned(build_graph(request(dtype)))
    assert program.states and all(str(state.first.dtype) == dtype for state in program.states)
    model, items = user_model()
    found, wanted = answers_of(program, items), answers_of_user(model, items)
    assert len(found) == len(wanted) == 20
    for i, port in enumerate(program.outputs):
        span = np.ptp([answer[i] for answer in wanted])
        worst = max(np.abs(ours[i] - theirs[i]).max() for ours, theirs in zip(found, wanted))
        assert worst <= (0.08 if dtype == "int8" else 1e-5) * span


def test_state_that_no_run_reads_is_not_kept():
    write("self.h = x.reshape(1, 4).mean(1, keepdim=True).expand(1, 5); return self.last(self.h)", _ONE_SEQUENCE)
    assert not planned(build_graph(request())).states


def test_state_that_only_itself_reads_is_not_kept():
    write("self.h = self.h + 1; t = self.earlier * 2; self.earlier.copy_(t); return {'y': self.last(x.reshape(1, 4).repeat(1, 2)[:, :5])}", _ONE_SEQUENCE)
    program = planned(build_graph(request("float32")))
    assert not program.states and [port.name for port in program.outputs] == ["y"]


def test_a_delay_of_two_runs_is_exact_in_float32():
    write("y = torch.neg(self.h); self.h.copy_(self.earlier); self.earlier.copy_(x.reshape(1, 4).repeat(1, 2)[:, :5]); return y")
    model, items = user_model()
    assert np.array_equal(answers_of(planned(build_graph(request("float32"))), items), answers_of_user(model, items))


def test_exported_programs_keep_state_too():
    write(STATES["a shift that is assigned"])
    plain = build_graph(request())
    for entry in ("export_model", "export_functional_model"):
        program = planned(build_graph(request(entry=entry)))
        model, items = user_model()
        assert np.array_equal(answers_of(program, items), answers_of(planned(plain), items))


def test_a_shift_has_one_scale_and_lies_in_its_place_channels_last():
    write(STATES["a shift that is assigned"])
    program = planned(build_graph(request()))
    (state,) = program.states
    assert (state.name, state.type.shape, state.permutation) == ("s", (1, 3, 1, 4), (0, 2, 3, 1))
    assert state.type.scale == program.inputs[0].type.scale
    assert [step.kernel for step in program.steps] == ["concat_2_s8", "conv2d_s8", "linear_s8"]
    assert program.location(state.after) == program.location(state.before)
    real = (state.first.astype(np.float64) - state.type.zero_point) * state.type.scale
    assert np.abs(real - np.linspace(-1, 1, 12).reshape(1, 4, 3, 1).transpose(0, 2, 3, 1)).max() <= state.type.scale


def test_calibration_is_a_sequence_that_begins_anew_where_it_says_so():
    """The sum of ones grows to 4 in one sequence of four, to 2 in two of two, told by whatever kind of data."""
    write("self.h += x.mean(); return self.h * 1", ("range(20)", "range(4)"), _ONE_SEQUENCE)
    text = Path("m.py").read_text().replace("torch.randn(1, 4, 1, 1, generator=torch.Generator().manual_seed(seed))", "torch.ones(1, 4, 1, 1)")
    Path("m.py").write_text(text + "\ndef halves():\n    for sample in (None, 1, 1, None, 1, 1):\n        yield sample and torch.ones(1, 4, 1, 1)\n")
    np.savez("whole.npz", x=np.ones((4, 4, 1, 1), np.float32))
    np.savez("halves.npz", x=np.ones((4, 4, 1, 1), np.float32), reset=np.array([1, 0, 1, 0]))
    for name, count in {"whole": [4], "folders": [2, 2]}.items():
        for sequence, length in enumerate(count):
            folder = Path(name, str(sequence)) if len(count) > 1 else Path(name)
            folder.mkdir(parents=True)
            for index in range(length):
                np.save(folder / f"{index}.npy", np.ones((4, 1, 1), np.float32))

    def largest(calibration: str) -> float:
        (state,) = planned(build_graph(request(calibration=calibration))).states
        return state.type.scale * (127 - state.type.zero_point)

    assert [largest(data) for data in ("m:calibration", "whole.npz", "whole")] == pytest.approx([4] * 3, rel=0.02)
    assert [largest(data) for data in ("m:halves", "halves.npz", "folders")] == pytest.approx([2] * 3, rel=0.02)


def test_accuracy_is_measured_over_sequences():
    write(STATES["a shift that is assigned"])
    accuracy = measure(request())
    assert accuracy.samples == 16
    assert min(ratio.decibels for ratio in accuracy.outputs.values()) > 25


_RETURNED = "it returns the buffer h, to which it assigns something else; return self.h.clone() for what was there before"

REFUSED = {
    "self.count.add_(1); return x * self.count": "layer add_: it changes the buffer count of int64; what lasts from run to run must be float32",
    "self.pair.add_(1); return self.last(self.twin * x.mean())": (
        "layer add_: it changes the buffer pair, which shares its memory with twin; what lasts from run to run needs its own"
    ),
    "self.scale.add_(1); return x * self.scale.mean()": (
        "layer add_: it changes the parameter scale; only buffers last from run to run: use register_buffer"
    ),
    "self.plain.add_(1); return self.last(self.plain * x.mean())": (
        "layer add_: it changes the tensor plain; only buffers last from run to run: use register_buffer"
    ),
    "p = self.s[:, :, 0]; self.s.add_(1); return p * x[:, :, 0]": (
        "layer add_: it writes in place to a tensor that is read afterwards through another view; use the operator that is not in place, or torch.cat to put parts together"
    ),
    "self.s = self.s.roll(-1, 2); self.s[:, :, -1] = x[:, :, 0]; return x * self.s": (
        "layer copy_: it writes in place to a tensor that is read afterwards through another view; use the operator that is not in place, or torch.cat to put parts together"
    ),
    "y = self.h + x.mean(); self.h = self.whole; return y": (
        "it assigns int32 to the buffer h of float32; assign .float() of it, or use self.h.copy_()"
    ),
    "y = self.h + x.mean(); self.h.copy_(x.reshape(1, 4).argmax(1)); return y": (
        "layer to_dtype: conversion of int64 is not supported: indices can only be outputs of the model"
    ),
    "self.s.transpose(1, 2).add_(1); return x * self.s": (
        "layer add_: it changes a part of the buffer s that is no slice; compute the whole and assign it"
    ),
    "self.s[:, ::2].add_(1); return x * self.s": (
        "layer add_: it changes a part of the buffer s that is no slice; compute the whole and assign it"
    ),
    f"old = self.h; {_CELL}; self.h = h; return old, self.last(h)": _RETURNED,
    f"old = self.h.view(5); {_CELL}; self.h = h; return old, self.last(h)": _RETURNED,
}


@pytest.mark.parametrize("forward", REFUSED)
def test_state_that_cannot_be_kept_is_refused_with_its_name_and_line(forward):
    write(forward)
    for dtype in ("int8", "float32"):
        exit_code, message = serve(["--srcs=m.py", "--entry=m:build_model", f"--dtype={dtype}", "--graph=m.graph"])
        assert (exit_code, message) == (1, f"error: m.py:24: {REFUSED[forward]}")


def test_a_tensor_assigned_to_an_attribute_that_is_no_buffer_is_refused():
    for forward in ("self.plain = self.plain + x.mean(); return self.last(self.plain)", "self.new = x.mean(); return x + self.new"):
        write(forward)
        name = "new" if "new" in forward else "plain"
        assert serve(["--srcs=m.py", "--entry=m:build_model", "--graph=m.graph"]) == (
            1,
            f"error: forward() assigns a tensor to self.{name}, which is no buffer: what lasts from run to run needs register_buffer",
        )


def test_a_model_with_state_cannot_be_trained_for_int8():
    write(STATES["a cell"])
    model, _ = user_model()
    with pytest.raises(CompileError, match="it changes the buffer h: a model with state cannot be trained for int8, only calibrated"):
        qat.prepare(model, (torch.zeros(1, 4, 1, 1),))


def test_none_among_the_samples_of_a_model_without_state_is_refused():
    write("return x * 2")
    assert serve(["--srcs=m.py", "--entry=m:build_model", "--example_inputs=m:example_inputs", "--calibration=m:calibration", "--graph=m.graph"]) == (
        1,
        "error: m:calibration: a sample is None, which says where a sequence of a model with state begins; this model has no state",
    )


def test_one_method_of_a_model_may_keep_state():
    write(STATES["a cell"])
    graph = build_graph(request())
    lower_graphs((graph, dataclasses.replace(graph, method="other", states=(), inputs=graph.inputs[:1] + graph.inputs[1:])), LoweringRequest("scalar"))
    with pytest.raises(CompileError, match="methods forward and other change buffers; only one method of a model may keep something"):
        lower_graphs((graph, dataclasses.replace(graph, method="other")), LoweringRequest("scalar"))


METHODS = """
class Peek(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, y):
        return y + self.model.h

def build_methods():
    model = Model()
    return {"peek": (Peek(model), torch.zeros(1, 5)), "step": (model, example_inputs())}

def build_programs():
    return {name: torch.export.export(module, args if name == "step" else (args,)) for name, (module, args) in build_methods().items()}
"""


@pytest.mark.parametrize("entry", ["build_methods", "build_programs"])
@pytest.mark.parametrize("forward", ["self.h = self.h * 0.5 + x.mean(); return self.last(self.h)", "self.h.fill_(1); return x * 2"])
def test_a_method_that_reads_what_another_changes_is_refused(forward, entry):
    write(forward)
    text = Path("m.py").read_text() + METHODS
    Path("m.py").write_text(text)
    line = text.splitlines().index("        return y + self.model.h") + 1
    for dtype in ("int8", "float32"):
        assert serve(["--srcs=m.py", f"--entry=m:{entry}", f"--dtype={dtype}", "--graph=m.graph"]) == (
            1,
            f"error: m.py:{line}: method peek reads the buffer h, which method step changes; two methods cannot share state",
        )


def test_state_has_no_type_at_the_ports():
    write(STATES["a cell"])
    with pytest.raises(CompileError, match="^h is to be int16, but no input or output has that name: they are last, x$"):
        lower_graphs((build_graph(request()),), LoweringRequest("scalar", io=port_types_from_texts(["h=int16"])))


def test_a_reset_array_that_does_not_suit_is_refused():
    write(STATES["a cell"])
    np.savez("m.npz", x=np.ones((4, 4, 1, 1), np.float32), reset=np.zeros(3))
    with pytest.raises(CompileError, match=r"m.npz: reset must have one number for each of the 4 samples, not \[3\]"):
        build_graph(request(calibration="m.npz"))
