"""Captures the user's model as a graph of ATen operators, and refuses early what could never be compiled."""

import contextlib
import dataclasses
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch._export.verifier import SpecViolationError
from torch.export import ExportedProgram
from torch.fx import GraphModule
from torch.nn.modules.module import register_module_buffer_registration_hook
from torch.utils._pytree import TreeSpec

from compiler.errors import CompileError
from compiler.frontend.nodes import attribute, is_finite_or_mask, node_error, source_of
from compiler.frontend.state import State, changed_buffers, lift_state
from compiler.frontend.user_code import UserCode

Sample = tuple[torch.Tensor, ...]

# Where a module that qat.py has prepared keeps what was captured of it.
TRAINED = "kindling_trained"


@dataclasses.dataclass(frozen=True)
class Captured:
    """The exported model; the names of its inputs and outputs are those of the user's forward().

    Tuples and dicts among inputs and outputs are flattened: there is one entry per tensor.
    """

    module: GraphModule
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]  # by the keys of a dict; empty where the model returns none
    examples: Sample
    structure: TreeSpec  # of (arguments, keyword arguments)
    trained: bool = False  # by qat.py: quantised already, though not yet converted
    converted: bool = False  # by PT2E with a quantizer of the user's: it has quantize and dequantize nodes
    method: str = "forward"
    alone: bool = True  # no other methods in the model
    changed: tuple[str, ...] = ()  # paths of the buffers that it changes, also of those that no run sees
    states: tuple[State, ...] = ()  # behind its inputs and outputs, all of them then in flat lists, the module takes and returns these

    @property
    def first_states(self) -> Sample:
        return tuple(state.first for state in self.states)

    def call(self, module: GraphModule, sample: Sample, states: Sample = ()) -> list[torch.Tensor]:
        """What `module`, which is made of the captured one, answers to a sample's tensors: outputs, then the new states."""
        if self.states:
            return list(module(*sample, *states))
        arguments, named = pytree.tree_unflatten(list(sample), self.structure)
        return pytree.tree_leaves(module(*arguments, **named))


def capture(code: UserCode, entry: str, example_inputs: str) -> tuple[Captured, ...]:
    """The methods of what `entry` stands for: a saved ExportedProgram (a .pt2), or what the function "module:function" returns.

    That is a module, which is exported for inputs like those that the function `example_inputs` returns; an ExportedProgram; or a dict
    of several methods by name, in which a module stands with its example inputs: (module, inputs).
    """
    if entry.endswith(".pt2"):
        return (_saved(entry, code),)
    model = code.run(code.function(entry))
    if not isinstance(model, Mapping):
        return (_method(code, model, lambda: code.run(code.function(example_inputs)), entry, example_inputs),)
    if not model:
        raise CompileError(f"{entry} returned a dict of no methods")
    methods = tuple(_named_method(code, name, value, entry) for name, value in model.items())
    _check_no_shared_state(methods, code)
    return methods


def _check_no_shared_state(methods: Sequence[Captured], code: UserCode) -> None:
    """What one method changes, another would read as a constant."""
    for keeper in methods:
        changed = {_memory(keeper.module, name): name for name in keeper.changed}
        for other in methods:
            for node in other.module.graph.nodes if other is not keeper else ():
                if node.op == "get_attr" and node.users and _memory(other.module, str(node.target)) in changed:
                    name = changed[_memory(other.module, str(node.target))]
                    source = next(filter(None, (source_of(user, code) for user in node.users)), None)
                    reason = f"method {other.method} reads the buffer {name}, which method {keeper.method} changes; two methods cannot share state"
                    raise CompileError(reason, source=source)


def _memory(module: GraphModule, path: str) -> int:
    return attribute(module, path).untyped_storage().data_ptr()


def _named_method(code: UserCode, name: object, value: object, entry: str) -> Captured:
    if not (isinstance(name, str) and name.isidentifier()):
        raise CompileError(f"{entry}: {name!r} cannot be the name of a method")
    origin = f"{entry}: method {name}"
    model, inputs = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
    if inputs is None and not isinstance(model, ExportedProgram):
        raise CompileError(f"{origin} must be (module, example inputs) or an ExportedProgram")
    return dataclasses.replace(_method(code, model, lambda: inputs, origin, origin), method=name, alone=False)


def _method(code: UserCode, model: object, inputs: Callable[[], object], entry: str, origin: str) -> Captured:
    """`entry` and `origin` say in errors where the model and its example inputs are from."""
    if isinstance(model, ExportedProgram):
        return _exported(model, code, entry)
    if not isinstance(model, torch.nn.Module):
        raise CompileError(f"{entry} returned {type(model).__name__}, not a torch.nn.Module")
    if isinstance(model, GraphModule) and TRAINED in model.meta:
        return _trained(model, code)
    return capture_module(code, model, inputs(), origin)


def capture_module(code: UserCode, model: torch.nn.Module, inputs: object, origin: str) -> Captured:
    """Exports a module for inputs like these: a tensor, a tuple of arguments, or a dict of arguments by name."""
    arguments = call_arguments(inputs)
    _check_inputs(pytree.tree_leaves(arguments), origin)
    with _all_frames_in_stack_traces(code), _assigned_attributes() as assigned:
        exported = code.run(lambda: _export(model.eval(), *arguments))
    if assigned:
        raise CompileError(f"forward() assigns a tensor to {assigned[0]}, which is no buffer: what lasts from run to run needs register_buffer")
    return _exported(exported, code, origin)


def _saved(path: str, code: UserCode) -> Captured:
    if not Path(path).exists():
        raise CompileError(f"cannot read {path}: No such file or directory")
    try:
        exported = torch.export.load(path)
    except Exception as error:
        raise CompileError(f"{path} holds no ExportedProgram that this PyTorch ({torch.__version__}) can load") from error
    code.know_files_of(node.meta.get("stack_trace") for node in exported.graph.nodes)
    return _exported(exported, code, path)


def _exported(exported: ExportedProgram, code: UserCode, origin: str) -> Captured:
    module = exported.module(check_guards=False)
    _check_static(module, code)
    _check_finite(module, code)
    names = tuple(exported.graph_signature.user_inputs)
    values = {node.name: node.meta["val"] for node in exported.graph.nodes if node.op == "placeholder"}
    examples = _check_inputs([torch.zeros(value.shape, dtype=value.dtype) for value in (values[name] for name in names)], origin)
    converted = any(getattr(node.target, "namespace", "") == "quantized_decomposed" for node in module.graph.nodes)
    changed = changed_buffers(module, exported.graph_signature.buffers, code)
    states = lift_state(module, changed, code)
    outputs, inputs = _output_names(exported.call_spec.out_spec), exported.call_spec.in_spec
    return Captured(module, names, outputs, examples, inputs, converted=converted, changed=changed, states=states)


def _output_names(structure: TreeSpec) -> tuple[str, ...]:
    places = pytree.tree_unflatten(range(structure.num_leaves), structure)
    paths = [path for path, _ in pytree.tree_leaves_with_path(places)]
    if not any(isinstance(key, pytree.MappingKey) for path in paths for key in path):
        return ()
    return tuple(".".join(str(key.key if isinstance(key, pytree.MappingKey) else key.idx) for key in path) for path in paths)


def _trained(model: GraphModule, code: UserCode) -> Captured:
    _check_finite(model, code)
    return dataclasses.replace(model.meta[TRAINED], module=model, trained=True)


def call_arguments(inputs: object) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments and keyword arguments that the user means."""
    if isinstance(inputs, Mapping):
        return (), dict(inputs)
    return (tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)), {}


def _check_inputs(leaves: Sequence[object], origin: str) -> Sample:
    if not leaves:
        raise CompileError(f"{origin}: there are no inputs; a model needs one at least")
    for index, example in enumerate(leaves):
        if not isinstance(example, torch.Tensor):
            raise CompileError(f"{origin}: input {index} is {type(example).__name__}, not a tensor")
        if example.dtype != torch.float32:
            dtype = str(example.dtype).removeprefix("torch.")
            raise CompileError(f"{origin}: input {index} is {dtype}; a model's inputs must be float32")
        if not example.numel():
            raise CompileError(f"{origin}: input {index} has shape {list(example.shape)}, which holds no element")
    return tuple(leaves)


def _export(model: torch.nn.Module, arguments: tuple[Any, ...], named: dict[str, Any]) -> torch.export.ExportedProgram:
    try:
        with torch.no_grad():
            try:
                return torch.export.export(model, arguments, named)
            except SpecViolationError:  # torch.export cannot say where an input is from that is assigned to a buffer
                with _copies_assigned():
                    return torch.export.export(model, arguments, named)
    except Exception as error:
        if "data-dependent" in str(error) or "DataDependent" in type(error).__name__:
            reason = "shapes or control flow depend on the values of tensors" + _hint(error)
            raise DynamicModel(reason).with_traceback(error.__traceback__) from error
        raise


def _hint(error: Exception) -> str:
    """How to avoid what PyTorch's own layers do with tensors' values."""
    if "_detect_is_causal_mask" in (frame.name for frame in traceback.extract_tb(error.__traceback__)):
        return ": PyTorch looks whether the mask is causal; is_causal=True (or False if it is not) beside the mask avoids it"
    return ""


@contextlib.contextmanager
def _all_frames_in_stack_traces(code: UserCode) -> Iterator[None]:
    """By itself torch.export notes only calls of forward(), not the functions that forward() calls in turn."""
    anchors = getattr(torch.fx.proxy, "_STACK_TRACE_ANCHORS", set())
    added = code.functions - anchors
    anchors |= added
    try:
        yield
    finally:
        anchors -= added


@contextlib.contextmanager
def _copies_assigned() -> Iterator[None]:
    """Buffers take copies of what is assigned to them."""
    hook = register_module_buffer_registration_hook(lambda module, name, value: None if value is None else value.clone())
    try:
        yield
    finally:
        hook.remove()


@contextlib.contextmanager
def _assigned_attributes() -> Iterator[list[str]]:
    """Attributes to which forward() assigned tensors, as torch.export warns of them: it compiles what they held before."""
    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield found
    for warning in caught:
        told = re.match(r"The tensor attributes? (.+) (?:was|were) assigned during export", str(warning.message))
        if told:
            # Where torch.nn's recurrent layers list their parameters, which export puts tensors of its own for.
            found += [name for name in told[1].split(", ") if "._flat_weights[" not in name]
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


class DynamicModel(Exception):
    """The model's graph is not the same for all inputs."""


def _check_static(module: GraphModule, code: UserCode) -> None:
    for node in module.graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor) and not all(isinstance(size, int) for size in value.shape):
            raise node_error(node, code, f"its result has the dynamic shape {list(map(str, value.shape))}; shapes must be fixed")


def _check_finite(module: GraphModule, code: UserCode) -> None:
    for node in module.graph.nodes:
        if node.op != "get_attr":
            continue
        value = attribute(module, str(node.target))
        if isinstance(value, torch.Tensor) and not is_finite_or_mask(value):
            layer, _, name = str(node.target).rpartition(".")
            source = next((source_of(user, code) for user in node.users), None)
            raise CompileError(f"its {name} holds NaN or infinity", layer=layer or name, source=source)
