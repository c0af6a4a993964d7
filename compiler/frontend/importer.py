"""Turns the quantised torch.fx graph into the compiler's own graph. Every ATen operator that can be compiled is in `IMPORTS`."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch.fx import GraphModule
from torch.fx import Node as FxNode

from compiler import ir
from compiler.errors import CompileError
from compiler.frontend import import_moves as moves
from compiler.frontend.arguments import arguments_of
from compiler.frontend.capture import Captured
from compiler.frontend.functions import BINARY, UNARY, scalar_expression
from compiler.frontend.import_moves import UnsupportedMove
from compiler.frontend.masks import is_masked
from compiler.frontend.nodes import attribute, layer_of, node_error, source_of
from compiler.frontend.pools import MAXIMA
from compiler.frontend.user_code import UserCode
from compiler.functions import Expression
from kernels.operator import TensorType

aten = torch.ops.aten
quantised = torch.ops.quantized_decomposed

CONVERSIONS_OF_PT2E = {
    quantised.quantize_per_tensor.default,
    quantised.dequantize_per_tensor.default,
    quantised.dequantize_per_channel.default,
}

Attributes = dict[str, Any]


class Unsupported(Exception):
    """An operator, or a use of it, that cannot be compiled; the message says which, in one clause."""


def check_operators(module: GraphModule, code: UserCode) -> None:
    """Raises CompileError at the first operator that neither is in `IMPORTS` nor goes away during quantisation."""
    for node in module.graph.nodes:
        if node.target in CONVERSIONS_OF_PT2E:
            continue
        if node.op not in ("placeholder", "get_attr", "output") and node.target not in IMPORTS.keys() | VANISHING and not is_masked(node):
            raise node_error(node, code, _refusal(node))
        for operand in node.all_input_nodes:
            value = operand.meta.get("val") if not is_masked(node) and node.op == operand.op == "call_function" else None
            if isinstance(value, torch.Tensor) and not value.is_floating_point():
                raise node_error(node, code, f"{_operator_name(node)} of integers is not supported: indices can only be outputs of the model")


def _refusal(node: FxNode) -> str:
    if node.target in CONVERSIONS:
        if node.meta["val"].is_floating_point() and not node.args[0].meta["val"].is_floating_point():
            return f"conversion of {_dtype_name(node.args[0].meta['val'])} is not supported: indices can only be outputs of the model"
        return f"conversion to {_dtype_name(node.meta['val'])} is not supported: a model's tensors are float32"
    if node.target in MAXIMA:
        return "the indices of a maximum pool are not supported: only its values are"
    return f"operator {_operator_name(node)} is not supported"


def import_graph(name: str, captured: Captured, quantised_module: GraphModule, code: UserCode) -> ir.Graph:
    """The graph of a converted PT2E module. Raises CompileError where an operator or its use is not supported."""
    return Importer(name, captured, quantised_module, code).graph()


def _operator_name(node: FxNode) -> str:
    return str(node.target).removesuffix(".default") if node.op == "call_function" else f"{node.op} {node.target}"


class Importer:
    """Imports one module; afterwards `tensors` names the graph's tensor for each node of the module."""

    def __init__(self, name: str, captured: Captured, module: GraphModule, code: UserCode):
        self.name = name
        self.captured = captured
        self.module = module
        self.code = code
        self.types: dict[str, TensorType] = {}
        self.constants: dict[str, np.ndarray] = {}
        self.nodes: list[ir.Node] = []
        self.tensors: dict[FxNode, str] = {}

    def graph(self) -> ir.Graph:
        inputs: list[ir.Port] = []
        outputs: list[ir.Port] = []
        _complete_values(self.module)
        names = (*self.captured.input_names, *(state.name for state in self.captured.states))
        for node in self.module.graph.nodes:
            if node.op == "placeholder":
                inputs.append(self._input(node, names[len(inputs)]))
            elif node.op == "output":
                outputs = self._outputs(node)
            elif node.op == "call_function":
                self._call(node)
        return ir.Graph(
            self.name,
            tuple(inputs),
            tuple(outputs),
            tuple(self.nodes),
            self.types,
            self.constants,
            self.captured.method,
            tuple(ir.State(state.name, state.first.numpy()) for state in self.captured.states),
        ).check()

    def _input(self, node: FxNode, name: str) -> ir.Port:
        tensor = self._new_tensor(node, name, _type_of(node))
        return ir.Port(name, tensor, tuple(range(len(self.types[tensor].shape))))

    def _outputs(self, node: FxNode) -> list[ir.Port]:
        results = [result for result in torch.utils._pytree.tree_leaves(node.args[0]) if result is not None]
        states = self.captured.states
        count = len(results) - len(states)
        if not count or not all(isinstance(result, FxNode) for result in results):
            kinds = {type(result).__name__ for result in results if not isinstance(result, FxNode)}
            raise CompileError(f"forward() returns {', '.join(sorted(kinds)) or 'nothing'}; a model returns tensors, or tuples and dicts of them")
        names: list[str] = []
        for index, result in enumerate(results[:count]):
            wish = self.captured.output_names[index] if self.captured.output_names else layer_of(_past_dequantize(result))
            names.append(ir.fresh_name(wish, names))
        names += [state.name for state in states]
        tensors = [self._tensor(result) for result in results]
        return [ir.Port(name, tensor, tuple(range(len(self.types[tensor].shape)))) for name, tensor in zip(names, tensors)]

    def _call(self, node: FxNode) -> None:
        if node.target in (quantised.quantize_per_tensor.default, quantised.dequantize_per_tensor.default):
            self._requantise(node)
        elif node.target is quantised.dequantize_per_channel.default:
            self._dequantise_weight(node)
        else:
            self._operator(node)

    def _requantise(self, node: FxNode) -> None:
        origin, scale, zero_point, low, high, torch_dtype = node.args[:6]
        dtype = str(torch_dtype).removeprefix("torch.")
        source = self._tensor(origin)
        shape = self.types[source].shape
        if node.target is quantised.quantize_per_tensor.default:
            if dtype not in ("int8", "int16") or (low, high) != (np.iinfo(dtype).min, np.iinfo(dtype).max):
                raise node_error(node, self.code, f"quantisation to {dtype} in {low}..{high} is not supported: all of int8 or int16")
            operator, type_ = "quantize", TensorType(shape, dtype, float(scale), int(zero_point))
        else:
            operator, type_ = "dequantize", TensorType(shape, "float32")
            if source in self.constants:
                self.types[source] = TensorType(shape, dtype, float(scale), int(zero_point))
        base = source.removesuffix(".int8").removesuffix(".int16").removesuffix(".float")
        tensor = self._new_tensor(node, f"{base}.{dtype if operator == 'quantize' else 'float'}", type_)
        self.nodes.append(ir.Node(self._layer(f"{base}.{operator}"), operator, (source,), (tensor,), {}, self._source(node)))

    def _dequantise_weight(self, node: FxNode) -> None:
        weight, scale, zero_point, axis = node.args[:4]
        if np.any(self._value(zero_point)):
            raise node_error(node, self.code, "weights must be quantised symmetrically")
        source = self._tensor(weight)
        tensor = self._new_tensor(node, f"{source}.float", TensorType(self.types[source].shape, "float32"))
        attributes = {"scale": self._value(scale).astype(np.float64), "axis": int(axis)}
        self.nodes.append(ir.Node(self._layer(f"{source}.dequantize"), "dequantize", (source,), (tensor,), attributes))

    def _operator(self, node: FxNode) -> None:
        try:
            if node.target not in IMPORTS:
                raise Unsupported(f"operator {_operator_name(node)} is not supported")
            arguments = arguments_of(node)
            operator, operands, attributes = IMPORTS[node.target](node, arguments)
        except (Unsupported, UnsupportedMove) as error:
            raise node_error(node, self.code, str(error)) from error
        layer = self._layer(layer_of(node))
        inputs = tuple(self._tensor(operand) for operand in operands if operand is not None)
        tensor = self._new_tensor(node, layer, _type_of(node))
        self.nodes.append(ir.Node(layer, operator, inputs, (tensor,), attributes, self._source(node)))

    def _tensor(self, node: Any) -> str:
        if not isinstance(node, FxNode):
            raise Unsupported("an operand is a number, not a tensor")
        if node not in self.tensors and node.op == "get_attr":
            value = np.asarray(self._value(node), order="C")
            tensor = self._new_tensor(node, self._constant_name(node), TensorType(value.shape, str(value.dtype)))
            self.constants[tensor] = value
        return self.tensors[node]

    def _constant_name(self, node: FxNode) -> str:
        """Frozen parameters have lost their name; the operator that reads them knows the layer."""
        reader = next(iter(node.users))
        role = "weight"
        if reader.target is quantised.dequantize_per_channel.default:
            reader = next(iter(reader.users))
        elif len(reader.args) > 2 and reader.args[2] is node:
            role = "bias"
        return f"{layer_of(reader)}.{role}"

    def _value(self, node: FxNode) -> np.ndarray:
        return attribute(self.module, str(node.target)).detach().numpy()

    def _new_tensor(self, node: FxNode, wish: str, type_: TensorType) -> str:
        tensor = ir.fresh_name(wish, self.types)
        self.types[tensor] = type_
        self.tensors[node] = tensor
        return tensor

    def _layer(self, wish: str) -> str:
        return ir.fresh_name(wish, [node.name for node in self.nodes])

    def _source(self, node: FxNode) -> ir.Source | None:
        return source_of(node, self.code)


def _complete_values(module: GraphModule) -> None:
    """Quantisation adds nodes without a `val` in their meta data; they get that of what they convert."""
    for node in module.graph.nodes:
        if node.op == "get_attr":
            node.meta["val"] = attribute(module, str(node.target))
        elif node.op == "call_function" and "val" not in node.meta:
            node.meta["val"] = node.args[0].meta["val"]


def _type_of(node: FxNode) -> TensorType:
    """PyTorch's indices are int64; here they are int32."""
    value = node.meta["val"]
    dtype = _dtype_name(value)
    return TensorType(tuple(int(size) for size in value.shape), "int32" if dtype == "int64" else dtype)


def _dtype_name(value: torch.Tensor) -> str:
    return str(value.dtype).removeprefix("torch.")


def _past_dequantize(node: FxNode) -> FxNode:
    while node.op == "call_function" and node.target in (
        quantised.dequantize_per_tensor.default,
        quantised.quantize_per_tensor.default,
    ):
        node = node.args[0]
    return node


Imported = tuple[str, Sequence[FxNode | None], Attributes]
Import = Callable[[FxNode, Mapping[str, Any]], Imported]


def _spatial(value: Any, axes: int) -> tuple[int, ...]:
    values = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    return values * axes if len(values) == 1 else values


def _require_batch(tensor: FxNode, axes: int) -> None:
    if tensor.meta["val"].dim() != axes + 2:
        raise Unsupported(f"its input has {tensor.meta['val'].dim()} axes, not {axes + 2}: give it a batch axis")


def _both_sides(padding: tuple[int, ...]) -> tuple[int, ...]:
    """(h, w) on both sides as (top, left, bottom, right)."""
    return padding + padding


def _convolution(axes: int) -> Import:
    def convert(node: FxNode, a: Mapping[str, Any]) -> Imported:
        kernel = a["weight"].meta["val"].shape[2:]
        dilation = _spatial(a["dilation"], axes)
        if a["padding"] == "same":
            total = [d * (k - 1) for d, k in zip(dilation, kernel)]
            padding = tuple(t // 2 for t in total) + tuple(t - t // 2 for t in total)
        elif a["padding"] == "valid":
            padding = (0,) * 2 * axes
        else:
            padding = _both_sides(_spatial(a["padding"], axes))
        attributes = {
            "stride": _spatial(a["stride"], axes),
            "padding": padding,
            "dilation": dilation,
            "groups": int(a["groups"]),
        }
        return f"conv{axes}d", [a["input"], a["weight"], a["bias"]], attributes

    return convert


def _transposed_convolution(axes: int) -> Import:
    def convert(node: FxNode, a: Mapping[str, Any]) -> Imported:
        before = _spatial(a["padding"], axes)
        attributes = {
            "stride": _spatial(a["stride"], axes),
            "padding": before + tuple(p - extra for p, extra in zip(before, _spatial(a["output_padding"], axes))),
            "dilation": _spatial(a["dilation"], axes),
            "groups": int(a["groups"]),
        }
        return f"conv_transpose{axes}d", [a["input"], a["weight"], a["bias"]], attributes

    return convert


def _linear(node: FxNode, a: Mapping[str, Any]) -> Imported:
    return "linear", [a["input"], a["weight"], a["bias"]], {}


def _matmul(node: FxNode, a: Mapping[str, Any]) -> Imported:
    return "matmul", [a["self"], a["other"] if "other" in a else a["mat2"]], {"transposed": False}


def _binary(operator: str) -> Import:
    def convert(node: FxNode, a: Mapping[str, Any]) -> Imported:
        operands, alpha = (a["self"], a["other"]), a.get("alpha", 1)
        if all(isinstance(operand, FxNode) for operand in operands):
            if operator == "sub":
                return "add", operands, {"alpha": -float(alpha)}
            return operator, operands, {"alpha": float(alpha)} if operator == "add" else {}
        tensors = [operand for operand in operands if isinstance(operand, FxNode)]
        return "function", tensors, {"expression": scalar_expression(operator, operands, alpha)}

    return convert


def _function(expression: Callable[[Mapping[str, Any]], Expression]) -> Import:
    return lambda node, a: ("function", [a["self"]], {"expression": expression(a)})


def _clamp(minimum: Any, maximum: Any) -> Import:
    """Bounds are numbers, names of arguments, or None for no bound."""

    def convert(node: FxNode, a: Mapping[str, Any]) -> Imported:
        bounds = (a[bound] if isinstance(bound, str) else bound for bound in (minimum, maximum))
        return "clamp", [a["self"]], {"clamp": tuple(None if bound is None else float(bound) for bound in bounds)}

    return convert


def _pool(kind: str, axes: int) -> Import:
    def convert(node: FxNode, a: Mapping[str, Any]) -> Imported:
        kernel = _spatial(a["kernel_size"], axes)
        stride = _spatial(a["stride"], axes) if a["stride"] else kernel
        before = _spatial(a["padding"], axes)
        dilation = _spatial(a.get("dilation", 1), axes)
        sizes = a["self"].meta["val"].shape[-axes:]
        results = node.meta["val"].shape[-axes:]
        # With ceil_mode the last window may hang over the end by more than the padding.
        after = tuple(
            max(p, (result - 1) * s + d * (k - 1) + 1 - size - p)
            for p, result, s, d, k, size in zip(before, results, stride, dilation, kernel, sizes)
        )
        attributes: Attributes = {"kernel": kernel, "stride": stride, "padding": before + after}
        if kind == "max":
            return f"max_pool{axes}d", [a["self"]], {**attributes, "dilation": dilation}
        if any(before) and a["count_include_pad"]:  # what hangs over the padding does not count
            return f"avg_pool{axes}d", [a["self"]], {**attributes, "padding": before + before, "count_include_pad": True}
        return f"avg_pool{axes}d", [a["self"]], {**attributes, "count_include_pad": False}

    return convert


def _adaptive_avg_pool(axes: int) -> Import:
    def convert(node: FxNode, a: Mapping[str, Any]) -> Imported:
        return f"adaptive_avg_pool{axes}d", [a["self"]], {"output_size": tuple(node.meta["val"].shape[-axes:])}

    return convert


def _reduction(operator: str) -> Import:
    def convert(node: FxNode, a: Mapping[str, Any]) -> Imported:
        rank = a["self"].meta["val"].dim()
        dim = a["dim"]
        axes = [dim] if isinstance(dim, int) else dim or range(rank)
        return operator, [a["self"]], {"axes": tuple(sorted(axis % rank for axis in axes)), "keepdim": bool(a["keepdim"])}

    return convert


def _layer_norm(node: FxNode, a: Mapping[str, Any]) -> Imported:
    """Layer and RMS norm."""
    source = a["input"]
    shape = tuple(source.meta["val"].shape)
    count = math.prod(a["normalized_shape"])
    epsilon = torch.finfo(torch.float32).eps if a["eps"] is None else a["eps"]
    geometry = {"positions": 1, "groups": 1, "depth": count}
    factors = {"factor": _constant_row(a["weight"], count, 1.0), "offset": _constant_row(a.get("bias"), count, 0.0)}
    if math.prod(shape) == 0:
        raise Unsupported("its input is empty")
    return "normalise", [source], {**geometry, **factors, "epsilon": float(epsilon), "centred": "bias" in a}


def _group_norm(node: FxNode, a: Mapping[str, Any]) -> Imported:
    """Of an image; nhwc.py says where its elements lie."""
    _require_batch(a["input"], 2)
    channels, groups = a["input"].meta["val"].shape[1], int(a["num_groups"])
    factors = {"factor": _constant_row(a["weight"], channels, 1.0), "offset": _constant_row(a["bias"], channels, 0.0)}
    return "group_norm", [a["input"]], {**factors, "groups": groups, "epsilon": float(a["eps"]), "centred": True}


def _constant_row(operand: FxNode | None, count: int, default: float) -> np.ndarray:
    """float64 [count]"""
    if operand is None:
        return np.full(count, default)
    if operand.op != "get_attr":
        raise Unsupported("the factors and offsets of a norm must not depend on the model's inputs")
    return operand.meta["val"].detach().numpy().astype(np.float64).reshape(count)


def _softmax(operator: str) -> Import:
    return lambda node, a: (operator, [a["self"]], {"axis": a["dim"] % a["self"].meta["val"].dim()})


def _pad(node: FxNode, a: Mapping[str, Any]) -> Imported:
    if a["mode"] != "constant" or max(a["pad"]) <= 0:
        return moves.pad_with_itself(node, a)
    if min(a["pad"]) < 0:
        raise Unsupported("padding that cuts at one end and adds at another is not supported: slice, then pad")
    rank = a["self"].meta["val"].dim()
    before, after = [0] * rank, [0] * rank
    for i, amount in enumerate(a["pad"]):
        (after if i % 2 else before)[rank - 1 - i // 2] = int(amount)
    return "pad", [a["self"]], {"before": tuple(before), "after": tuple(after), "value": float(a["value"] or 0.0)}


def _index_select(node: FxNode, a: Mapping[str, Any]) -> Imported:
    index = a["index"]
    value = index.meta["val"] if index.op == "get_attr" else None
    return moves.index_select(node, a, value)


def _reshape(node: FxNode, a: Mapping[str, Any]) -> Imported:
    return "reshape", [a["self"]], {"shape": tuple(int(size) for size in node.meta["val"].shape)}


def _permute(node: FxNode, a: Mapping[str, Any]) -> Imported:
    rank = a["self"].meta["val"].dim()
    if "dims" in a:
        permutation = [axis % rank for axis in a["dims"]]
    else:
        permutation = list(range(rank))
        first, second = a.get("dim0", 0) % rank, a.get("dim1", -1) % rank
        permutation[first], permutation[second] = second, first
    return "permute", [a["self"]], {"permutation": tuple(permutation)}


# Folded into a neighbour, or replaced, before the import.
VANISHING = {aten.batch_norm.default}

CONVERSIONS = {aten.to.dtype, aten.to.dtype_layout, aten.to.device, aten.to.other, aten._to_copy.default}

IMPORTS: Mapping[Any, Import] = {
    aten._upsample_nearest_exact1d.vec: moves.upsample_nearest,
    aten._upsample_nearest_exact2d.vec: moves.upsample_nearest,
    aten.adaptive_avg_pool1d.default: _adaptive_avg_pool(1),
    aten.adaptive_avg_pool2d.default: _adaptive_avg_pool(2),
    aten.amax.default: _reduction("amax"),
    aten.amin.default: _reduction("amin"),
    aten.argmax.default: _reduction("argmax"),
    aten.argmin.default: _reduction("argmin"),
    aten.avg_pool1d.default: _pool("avg", 1),
    aten.avg_pool2d.default: _pool("avg", 2),
    aten.bmm.default: _matmul,
    aten.cat.default: moves.concat,
    aten.clamp.default: _clamp("min", "max"),
    aten.clamp_max.default: _clamp(None, "max"),
    aten.clamp_min.default: _clamp("min", None),
    aten.conv1d.default: _convolution(1),
    aten.conv1d.padding: _convolution(1),
    aten.conv2d.default: _convolution(2),
    aten.conv2d.padding: _convolution(2),
    aten.conv_transpose1d.default: _transposed_convolution(1),
    aten.conv_transpose2d.input: _transposed_convolution(2),
    aten.expand.default: moves.expand,
    aten.flatten.using_ints: _reshape,
    aten.flip.default: moves.flip,
    aten.group_norm.default: _group_norm,
    aten.hardtanh.default: _clamp("min_val", "max_val"),
    aten.index_select.default: _index_select,
    aten.layer_norm.default: _layer_norm,
    aten.linear.default: _linear,
    aten.log_softmax.int: _softmax("log_softmax"),
    aten.matmul.default: _matmul,
    aten.max_pool1d.default: _pool("max", 1),
    aten.max_pool2d.default: _pool("max", 2),
    aten.mean.dim: _reduction("mean"),
    aten.mm.default: _matmul,
    aten.pad.default: _pad,
    aten.permute.default: _permute,
    aten.relu.default: _clamp(0.0, None),
    aten.relu6.default: _clamp(0.0, 6.0),
    aten.repeat.default: moves.repeat,
    aten.repeat_interleave.self_int: moves.repeat_interleave,
    aten.reshape.default: _reshape,
    aten.rms_norm.default: _layer_norm,
    aten.select.int: _reshape,
    aten.slice.Tensor: moves.slice_,
    aten.softmax.int: _softmax("softmax"),
    aten.squeeze.default: _reshape,
    aten.squeeze.dim: _reshape,
    aten.squeeze.dims: _reshape,
    aten.sum.dim_IntList: _reduction("sum"),
    aten.t.default: _permute,
    aten.transpose.int: _permute,
    aten.unflatten.int: _reshape,
    aten.unsqueeze.default: _reshape,
    aten._upsample_nearest_exact1d.vec: moves.upsample_nearest,
    aten._upsample_nearest_exact2d.vec: moves.upsample_nearest,
    aten.upsample_nearest1d.vec: moves.upsample_nearest,
    aten.upsample_nearest2d.vec: moves.upsample_nearest,
    aten.view.default: _reshape,
    **{target: _function(expression) for target, expression in UNARY.items()},
    **{target: _binary(operator) for target, operator in BINARY.items()},
}
