"""Float rewrites before quantisation: operators that PyTorch code of simpler operators can stand for.

Each function here has the arguments of the operator that it stands for (by the names of PyTorch's schema, numbers as they are), and
computes the same. Comparisons become functions that are 1 where they hold and 0 elsewhere, float32.
"""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import GraphModule, Node

from compiler.frontend.arguments import arguments_of
from compiler.frontend.importer import Unsupported
from compiler.frontend.inline import inline
from compiler.frontend.masks import MASKING, is_masked
from compiler.frontend.nodes import node_error
from compiler.frontend.user_code import UserCode

aten = torch.ops.aten


def expand_composites(module: GraphModule, code: UserCode) -> None:
    """After fold_constants, so that operators of constants are none of these; it is to be called again after this. Raises CompileError."""
    while composites := [node for node in module.graph.nodes if _is_composite(node)]:
        for node in composites:
            function = COMPOSITES[node.target]
            try:
                as_written = node.target is not aten.einsum.default
                result = inline(module, node, lambda values, function=function: function(**values), arguments_of(node), as_written=as_written)
            except Unsupported as error:
                raise node_error(node, code, str(error)) from error
            _replace(node, result)
    module.graph.eliminate_dead_code()
    module.recompile()


def _is_composite(node: Node) -> bool:
    if node.op != "call_function" or node.target not in COMPOSITES or is_masked(node):
        return False
    if node.target is aten.group_norm.default:
        return node.args[0].meta["val"].dim() in (2, 3)
    return node.target is not aten.pad.default or _cuts_and_adds(node)


def _replace(node: Node, result: Any) -> None:
    """`result` is a node, or one for each of the node's results."""
    if isinstance(result, Node):
        node.replace_all_uses_with(result)
    else:
        for user in list(node.users):
            assert user.target is operator.getitem
            user.replace_all_uses_with(result[user.args[1]])
            user.graph.erase_node(user)
    node.graph.erase_node(node)


def _attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):  # noqa: ANN001, ANN202
    """softmax(q k^T * scale + mask) v; Vaswani et al., 2017. A mask of bools tells what is seen."""
    if enable_gqa:
        groups = query.shape[-3] // key.shape[-3]
        key, value = (each.repeat_interleave(groups, -3) for each in (key, value))
    scores = torch.matmul(query * (query.shape[-1] ** -0.5 if scale is None else scale), key.transpose(-2, -1))
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
    elif attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -torch.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    return torch.matmul(torch.softmax(scores, -1), value)


def _above(self: Tensor, other: Tensor | float) -> Tensor:
    return torch.clamp(torch.sign(self - other), min=0.0)


def _below(self: Tensor, other: Tensor | float) -> Tensor:
    return torch.clamp(torch.sign(other - self), min=0.0)


def _chosen(condition: Tensor, chosen: Tensor | float, other: Tensor | float) -> Tensor:
    """`condition` is of bools, or 1 and 0."""
    if condition.dtype == torch.bool:
        for value, rest, masked in ((chosen, other, condition), (other, chosen, ~condition)):
            if isinstance(value, (int, float)) and value <= MASKING and isinstance(rest, Tensor):
                return rest.masked_fill(masked, value)
    return _mixed(condition, chosen, other)


def _filled(self: Tensor, mask: Tensor, value: float) -> Tensor:
    return _mixed(mask, value, self)


def _mixed(condition: Tensor, chosen: Tensor | float, other: Tensor | float) -> Tensor:
    if any(isinstance(value, float) and math.isinf(value) for value in (chosen, other)):
        raise Unsupported("it puts infinity where it is no mask; only -inf in scores that softmax alone reads can be compiled")
    keep = condition.to(torch.float32)
    if isinstance(other, (int, float)) and other == 0:
        return chosen * keep
    return chosen * keep + other * (1 - keep)


def _glu(self: Tensor, dim: int) -> Tensor:
    first, second = self.chunk(2, dim)
    return first * torch.sigmoid(second)


def _group_norm(input: Tensor, num_groups: int, weight: Tensor | None, bias: Tensor | None, eps: float, **_: Any) -> Tensor:
    """Of an image, as which a vector or a sequence is seen."""
    ones = [1] * (4 - input.dim())
    image = input.reshape(*input.shape[:2], *ones, *input.shape[2:])
    return F.group_norm(image, num_groups, weight, bias, eps).reshape(input.shape)


def _instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, **_):  # noqa: ANN001, ANN202
    if not use_input_stats:
        return F.batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    return F.group_norm(input, input.shape[1], weight, bias, eps)


def _norm(self: Tensor, ord: float, dim: Sequence[int] | None, keepdim: bool, dtype: None) -> Tensor:
    dim = list(range(self.dim())) if dim is None else list(dim)
    if ord == 2:
        return torch.sqrt(torch.sum(self * self, dim, keepdim))
    if ord == 1:
        return torch.sum(torch.abs(self), dim, keepdim)
    if ord == torch.inf:
        return torch.amax(torch.abs(self), dim, keepdim)
    raise Unsupported(f"a vector norm of order {ord:g} is not supported: 1, 2 and infinity are")


def _prelu(self: Tensor, weight: Tensor) -> Tensor:
    """x + (1 - w) max(-x, 0), which of a single weight is a function of x alone.

    Of more it is max(x, 0) - w max(-x, 0), both parts tables of x: their sum is not the small difference of large int8 numbers.
    """
    negative = -self
    if weight.numel() == 1:
        return self + (1 - weight) * torch.relu(negative)
    wide = weight.reshape([-1] + [1] * (self.dim() - 2)) if self.dim() > 2 else weight
    return torch.relu(-negative) - wide * torch.relu(negative)


def _cuts_and_adds(node: Node) -> bool:
    arguments = arguments_of(node)
    return arguments["mode"] == "constant" and min(arguments["pad"]) < 0 < max(arguments["pad"])


def _pad(self: Tensor, pad: Sequence[int], mode: str, value: float | None) -> Tensor:
    """Cuts first, then adds."""
    return F.pad(F.pad(self, [min(amount, 0) for amount in pad]), [max(amount, 0) for amount in pad], value=value or 0.0)


def _variance(self: Tensor, dim: Sequence[int] | None, correction: float | None, keepdim: bool) -> Tensor:
    dim = list(range(self.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    count = math.prod(self.shape[axis] for axis in dim)
    degrees = count - (1 if correction is None else correction)
    if degrees <= 0:
        raise Unsupported(f"a variance of {count} element{'s' * (count != 1)} less a correction of {count - degrees:g} is not defined")
    centred = self - self.mean(dim, True)
    return (centred * centred).sum(dim, keepdim) * (1 / degrees)


def _power_of_number(self: float, exponent: Tensor) -> Tensor:
    if self < 0:
        raise Unsupported(f"a power of {self:g}, whose exponent is a tensor, is not supported: it is NaN for all exponents but whole ones")
    if self == 0:
        raise Unsupported("a power of 0, whose exponent is a tensor, is not supported: it is infinite for exponents below 0")
    return torch.exp(exponent * math.log(self))


def _logsumexp(self: Tensor, dim: Sequence[int], keepdim: bool) -> Tensor:
    largest = torch.amax(self, dim, True)
    total = torch.log(torch.sum(torch.exp(self - largest), dim, True)) + largest
    return total if keepdim else total.squeeze(dim)


def _quotient(self: Tensor, other: float) -> Tensor:
    return torch.floor(self * (1 / other))


def _truncated(self: Tensor) -> Tensor:
    return torch.sign(self) * torch.floor(torch.abs(self))


COMPOSITES: Mapping[Any, Callable[..., Any]] = {
    aten.baddbmm.default: lambda self, batch1, batch2, beta, alpha: torch.bmm(batch1 if alpha == 1 else batch1 * alpha, batch2)
    + (self if beta == 1 else self * beta),
    aten.clamp.Tensor: lambda self, min, max: torch.minimum(torch.maximum(self, min), max),
    aten.einsum.default: lambda equation, tensors, path: torch.einsum(equation, tensors),
    aten.expand_as.default: lambda self, other: self.expand(other.shape),
    aten.floor_divide.default: _quotient,
    aten.frac.default: lambda self: self - _truncated(self),
    aten.ge.Scalar: lambda self, other: 1 - _below(self, other),
    aten.ge.Tensor: lambda self, other: 1 - _below(self, other),
    aten.glu.default: _glu,
    aten.group_norm.default: _group_norm,
    aten.gt.Scalar: _above,
    aten.gt.Tensor: _above,
    aten.hardshrink.default: lambda self, lambd: self * _above(torch.abs(self), lambd),
    aten.instance_norm.default: _instance_norm,
    aten.le.Scalar: lambda self, other: 1 - _above(self, other),
    aten.le.Tensor: lambda self, other: 1 - _above(self, other),
    aten.linalg_vector_norm.default: _norm,
    aten.logsumexp.default: _logsumexp,
    aten.lt.Scalar: _below,
    aten.lt.Tensor: _below,
    aten.masked_fill.Scalar: _filled,
    aten.mT.default: lambda self: self.transpose(-2, -1),
    aten.numpy_T.default: lambda self: self.permute(list(range(self.dim()))[::-1]),
    aten.pad.default: _pad,
    aten.pow.Scalar: _power_of_number,
    aten.prelu.default: _prelu,
    aten.remainder.Scalar: lambda self, other: self - _quotient(self, other) * other,
    aten.rrelu.default: lambda self, lower, upper, **_: F.leaky_relu(self, (lower + upper) / 2),
    aten.scaled_dot_product_attention.default: _attention,
    aten.sgn.default: lambda self: torch.sign(self),
    aten.softshrink.default: lambda self, lambd: torch.relu(self - lambd) - torch.relu(-self - lambd),
    aten.std.correction: lambda **arguments: torch.sqrt(_variance(**arguments)),
    aten.std.dim: lambda self, dim, unbiased, keepdim: torch.sqrt(_variance(self, dim, float(unbiased), keepdim)),
    aten.threshold.default: lambda self, threshold, value: _chosen(_above(self, threshold), self, value),
    aten.trunc.default: _truncated,
    aten.var.correction: _variance,
    aten.var.dim: lambda self, dim, unbiased, keepdim: _variance(self, dim, float(unbiased), keepdim),
    aten.where.Scalar: lambda condition, self, other: _chosen(condition, self, other),
    aten.where.ScalarOther: lambda condition, self, other: _chosen(condition, self, other),
    aten.where.ScalarSelf: lambda condition, self, other: _chosen(condition, self, other),
    aten.where.self: lambda condition, self, other: _chosen(condition, self, other),
}
