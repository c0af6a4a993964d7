"""Random PyTorch models of a single operator each, as the source a user would write. The same every time; needs no torch.

Families are taken in turn, so that each of them occurs about equally often.
"""

import dataclasses
import random
from collections.abc import Callable, Iterator

Shape = tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Model:
    """`layers` are statements of __init__, `forward` the expression of x (and y) that forward() returns; `shapes` those of its inputs.

    With float32 or int16 as `io`, the program itself quantises, dequantises or requantises. `spread` and `offset` say where the calibration data lie.
    """

    family: str
    seed: int
    forward: str
    shapes: tuple[Shape, ...]
    layers: str = "pass"
    io: str = "int8"
    spread: float = 1.0
    offset: float = 0.0

    @property
    def source(self) -> str:
        """A Python module with build_model(), example_inputs() and calibration()."""
        names = ", ".join("xy"[: len(self.shapes)])
        zeros = "".join(f"torch.zeros({list(shape)}), " for shape in self.shapes)
        samples = "".join(f"{self.spread} * torch.randn({list(shape)}, generator=g) + {self.offset}, " for shape in self.shapes)
        return f"""import torch
import torch.nn.functional as F
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {self.layers}

    def forward(self, {names}):
        return {self.forward}

def build_model():
    torch.manual_seed({self.seed})
    return Model()

def example_inputs():
    return ({zeros})

def calibration():
    g = torch.Generator().manual_seed({self.seed})
    for _ in range(3):
        yield ({samples})
"""


def random_models(count: int) -> Iterator[Model]:
    """`count` models; the first ones are the same whatever the count."""
    families = list(FAMILIES)
    for index in range(count):
        family = families[index % len(families)]
        chance = random.Random(f"{family} {index}")
        model = FAMILIES[family](chance)
        # Scales from tiny to huge, and zero points from one end of int8 to the other.
        spread = 1.0 if family == "clamp" else round(10 ** chance.uniform(-2, 2), 4)
        offset = 0.0 if family == "clamp" else round(spread * chance.choice([0, 0, 0, 1.5, -1.5, 4, -4]), 4)
        yield dataclasses.replace(model, family=family, seed=index, spread=spread, offset=offset)


def _model(forward: str, *shapes: Shape, layers: str = "pass") -> Model:
    return Model("", 0, forward, shapes, layers)


def _clamped(chance: random.Random, expression: str) -> str:
    """Sometimes with a clamp that is fused with what it follows."""
    return chance.choice(["{}", "{}", "F.relu({})", "F.relu6({})", "torch.clamp({}, -0.5, 0.25)"]).format(expression)


def _batch(chance: random.Random) -> int:
    return chance.choice([1, 1, 1, 2])


def _convolution(chance: random.Random, kind: str, axes: int, *, groups: int = 1, depthwise: bool = False) -> Model:
    kernel = [chance.choice([1, 2, 3, 3, 4, 5]) for _ in range(axes)]
    stride = [chance.choice([1, 1, 2, 3]) for _ in range(axes)]
    dilation = [chance.choice([1, 1, 1, 2]) for _ in range(axes)]
    if chance.random() < 0.4:
        kernel, stride, dilation = [3] * axes, [chance.choice([1, 2])] * axes, [1] * axes
    extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    padding = [chance.randrange(0, e) for e in extent]
    size = [max(e - 2 * p, 1) + chance.randrange(0, 8) for e, p in zip(extent, padding)]
    inputs, outputs = chance.randrange(1, 14) * groups, chance.randrange(1, 14) * groups
    if depthwise:
        inputs = groups = chance.randrange(2, 24)
        outputs = inputs * chance.choice([1, 1, 1, 2, 3])
    layer = (
        f"self.a = nn.{kind}({inputs}, {outputs}, {tuple(kernel)}, stride={tuple(stride)}, padding={tuple(padding)}, "
        f"dilation={tuple(dilation)}, groups={groups}, bias={chance.random() < 0.8})"
    )
    return _model(_clamped(chance, "self.a(x)"), (_batch(chance), inputs, *size), layers=layer)


def _conv1d(chance: random.Random) -> Model:
    return _convolution(chance, "Conv1d", 1, groups=chance.choice([1, 1, 2]))


def _conv2d(chance: random.Random) -> Model:
    return _convolution(chance, "Conv2d", 2)


def _grouped_conv2d(chance: random.Random) -> Model:
    return _convolution(chance, "Conv2d", 2, groups=chance.choice([2, 3, 4]))


def _depthwise_conv2d(chance: random.Random) -> Model:
    return _convolution(chance, "Conv2d", 2, depthwise=True)


def _pointwise_conv2d(chance: random.Random) -> Model:
    inputs, outputs = chance.randrange(1, 70), chance.randrange(1, 40)
    shape = (_batch(chance), inputs, chance.randrange(1, 7), chance.randrange(1, 7))
    return _model(_clamped(chance, "self.a(x)"), shape, layers=f"self.a = nn.Conv2d({inputs}, {outputs}, 1)")


def _transposed_convolution(axes: int) -> Callable[[random.Random], Model]:
    def make(chance: random.Random) -> Model:
        kernel = [chance.choice([1, 2, 3, 4, 4, 5]) for _ in range(axes)]
        stride = [chance.choice([1, 2, 2, 2, 3]) for _ in range(axes)]
        dilation = [chance.choice([1, 1, 1, 2]) for _ in range(axes)]
        padding = [chance.randrange(0, (k - 1) * d + 1) for k, d in zip(kernel, dilation)]
        extra = [chance.randrange(0, max(s, d)) for s, d in zip(stride, dilation)]
        size = [chance.randrange(p // s + 2, p // s + 6) for s, p in zip(stride, [2 * p for p in padding])]
        groups = chance.choice([1, 1, 2, 3])
        inputs, outputs = chance.randrange(1, 9) * groups, chance.randrange(1, 9) * groups
        layer = (
            f"self.a = nn.ConvTranspose{axes}d({inputs}, {outputs}, {tuple(kernel)}, stride={tuple(stride)}, padding={tuple(padding)}, "
            f"output_padding={tuple(extra)}, dilation={tuple(dilation)}, groups={groups}, bias={chance.random() < 0.8})"
        )
        return _model(_clamped(chance, "self.a(x)"), (_batch(chance), inputs, *size), layers=layer)

    return make


def _linear(chance: random.Random) -> Model:
    inputs, outputs = chance.randrange(1, 150), chance.randrange(1, 40)
    rows = chance.choice([(1,), (1,), (3,), (1, 4), (2, 3)])
    layer = f"self.a = nn.Linear({inputs}, {outputs}, bias={chance.random() < 0.8})"
    return _model(_clamped(chance, "self.a(x)"), (*rows, inputs), layers=layer)


def _matmul(chance: random.Random) -> Model:
    rows, depth, columns = (chance.randrange(1, 12) for _ in range(3))
    front = chance.choice([(), (2,), (2, 3)])
    form, b = chance.choice([("torch.matmul(x, y)", (depth, columns)), ("x @ y.transpose(-1, -2)", (columns, depth))])
    # Not clamped to a narrow range: a scale that small against the products' has no kernel.
    product = chance.choice(["{}", "F.relu({})"]).format(form)
    return _model(product, (*front, rows, depth), (*chance.choice([front, front, ()]), *b))


def _shape(chance: random.Random, least_rank: int = 1, largest: int = 7) -> Shape:
    rank = chance.randrange(least_rank, 5)
    return tuple(chance.randrange(1, largest + 1) for _ in range(rank - 1)) + (chance.randrange(2, 30),)


def _binary(form: str) -> Callable[[random.Random], Model]:
    """Of two inputs that may broadcast, or of an input and a parameter."""

    def make(chance: random.Random) -> Model:
        shape = _shape(chance)
        other = tuple(size if chance.random() < 0.7 else 1 for size in shape)[chance.randrange(len(shape)) :]
        clamped = _clamped(chance, form)
        if chance.random() < 0.3:
            return _model(clamped.replace("y", "self.y"), shape, layers=f"self.y = nn.Parameter(torch.rand({list(other)}) + 0.5)")
        return _model(clamped, shape, other)

    return make


def _division(chance: random.Random) -> Model:
    shape = _shape(chance)
    return _model("x / self.y", shape, layers=f"self.y = nn.Parameter(torch.rand({[*shape[:-1], 1]}) + 0.5)")


def _image(chance: random.Random) -> Shape:
    return (_batch(chance), chance.randrange(1, 24), chance.randrange(4, 12), chance.randrange(4, 12))


def _max_pool(chance: random.Random) -> Model:
    kernel, shape = chance.randrange(2, 5), _image(chance)
    options = f"{kernel}, {chance.randrange(1, 4)}, {chance.randrange(0, kernel // 2 + 1)}, ceil_mode={chance.random() < 0.5}"
    if chance.random() < 0.3 and kernel == 2:
        options = "2, 1, 1, dilation=2"
    if chance.random() < 0.3:
        return _model(f"F.max_pool1d(x, {options})", (shape[0], *shape[1:3]))
    return _model(_clamped(chance, f"F.max_pool2d(x, {options})"), shape)


def _average_pool(chance: random.Random) -> Model:
    kernel, shape = chance.randrange(2, 5), _image(chance)
    padding = chance.randrange(0, kernel // 2 + 1)
    options = f"{kernel}, {chance.randrange(1, 4)}, {padding}, ceil_mode={chance.random() < 0.5}"
    options += f", count_include_pad={chance.random() < 0.5}"
    if chance.random() < 0.3:
        return _model(f"F.avg_pool1d(x, {options})", (shape[0], *shape[1:3]))
    if chance.random() < 0.2:
        options += f", divisor_override={chance.randrange(2, 10)}"
    return _model(f"F.avg_pool2d(x, {options})", shape)


def _adaptive_pool(chance: random.Random) -> Model:
    output, shape = (chance.randrange(1, 8), chance.randrange(1, 8)), _image(chance)
    return _model(chance.choice(["F.adaptive_avg_pool2d(x, {})", "F.adaptive_avg_pool2d(x, {})", "F.adaptive_max_pool2d(x, {})"]).format(output), shape)


def _reduction(*names: str) -> Callable[[random.Random], Model]:
    def make(chance: random.Random) -> Model:
        shape = _shape(chance, least_rank=2)
        axes = sorted(chance.sample(range(len(shape)), chance.randrange(1, len(shape))))
        return _model(f"x.{chance.choice(names)}({axes}, keepdim={chance.random() < 0.5})", shape)

    return make


def _index_of_extreme(*names: str) -> Callable[[random.Random], Model]:
    def make(chance: random.Random) -> Model:
        shape = _shape(chance, least_rank=2)
        return _model(f"x.{chance.choice(names)}({chance.randrange(len(shape))}, keepdim={chance.random() < 0.5})", shape)

    return make


def _softmax(function: str) -> Callable[[random.Random], Model]:
    def make(chance: random.Random) -> Model:
        shape = _shape(chance)
        return _model(f"F.{function}(x, dim={chance.randrange(len(shape))})", shape)

    return make


_FUNCTIONS = (
    *("torch.sigmoid(x)", "torch.tanh(x)", "F.silu(x)", "F.gelu(x)", "F.hardswish(x)", "F.hardsigmoid(x)", "F.elu(x)"),
    *("F.leaky_relu(x, 0.1)", "torch.exp(x / 8)", "torch.log(x.abs() + 1)", "torch.sqrt(x.abs())", "torch.rsqrt(x.abs() + 0.5)"),
    *("F.softplus(x)", "F.mish(x)", "F.selu(x)", "3 - x", "x * torch.sigmoid(x)", "x * F.relu6(x + 3) / 6", "x ** 2", "-x"),
)


def _function(chance: random.Random) -> Model:
    return _model(chance.choice(_FUNCTIONS), _shape(chance))


def _clamp(chance: random.Random) -> Model:
    """Of data of which bounds cut off a part, or there would be nothing to do."""
    shape = (*_shape(chance), chance.randrange(5, 30))[-4:]
    forward = chance.choice(["F.relu(x)", "torch.clamp(x, {0}, {1})", "F.hardtanh(x, {0}, {1})"])
    return _model(forward.format(round(-chance.random(), 2), round(chance.random(), 2)), shape)


def _pad(chance: random.Random) -> Model:
    shape = _shape(chance)
    amounts = [chance.randrange(0, 4) for _ in range(2 * chance.randrange(1, len(shape) + 1))]
    return _model(f"F.pad(x, {amounts[:-1] + [amounts[-1] + 1]}, value={chance.choice([0.0, 0.5])})", shape)


def _permute(chance: random.Random) -> Model:
    shape = _shape(chance, least_rank=3)
    shape = (shape[0] + 1, *shape[1:])
    order = list(range(len(shape)))
    while order[0] == 0:  # so that something is left to do whatever the layout
        chance.shuffle(order)
    return _model(f"x.permute({order})", shape)


def _concat(chance: random.Random) -> Model:
    shape = _shape(chance)
    axis = chance.randrange(len(shape))
    other = (*shape[:axis], chance.randrange(1, 9), *shape[axis + 1 :])
    operands = "xy" + "".join(chance.choice("xy") for _ in range(chance.randrange(0, 3)))
    return _model(f"torch.cat([{', '.join(operands)}], {axis})", shape, other)


def _stack(chance: random.Random) -> Model:
    shape = _shape(chance)[-3:]
    return _model(f"torch.stack([{', '.join(chance.choice('xy') for _ in range(3))}, x, y], {chance.randrange(len(shape) + 1)})", shape, shape)


def _slice(chance: random.Random) -> Model:
    shape = _shape(chance, least_rank=2)
    axis = chance.randrange(len(shape))
    shape = (*shape[:axis], chance.randrange(5, 20), *shape[axis + 1 :])
    start, step = chance.randrange(0, 3), chance.randrange(1, 3)
    part = f"{start}::{step}" if start or step > 1 else "1:-1"
    return _model(f"x[{', '.join([':'] * axis + [part])}]", shape)


def _split(chance: random.Random) -> Model:
    shape = _shape(chance, least_rank=2)
    return _model(chance.choice(["x.split([2, 1, 4], 1)", "x.chunk(3, 1)", "x.unbind(1)"]), (shape[0], 7, *shape[2:]))


def _take(chance: random.Random) -> Model:
    shape = _shape(chance, least_rank=2)
    axis = chance.randrange(len(shape))
    size = shape[axis]
    return _model(
        chance.choice(
            [
                f"x.flip({axis}) if {size} > 1 else torch.cat((x, x), {axis})",
                f"x.repeat({[2 if i == axis else 1 for i in range(len(shape))]})",
                f"x.unsqueeze({axis}).expand({[*shape[:axis], 3, *shape[axis:]]})",
                f"torch.index_select(x, {axis}, self.i)",
            ]
        ),
        shape,
        layers=f"self.register_buffer('i', torch.tensor({[chance.randrange(size) for _ in range(5)]}))",
    )


def _upsample(chance: random.Random) -> Model:
    shape = (1, chance.randrange(1, 20), chance.randrange(1, 6), chance.randrange(1, 6))
    if chance.random() < 0.5:
        return _model(f"F.interpolate(x, scale_factor={chance.choice([2.0, 3.0])})", shape)
    size = (shape[2] + chance.randrange(1, 5), shape[3] + chance.randrange(1, 5))
    return _model(f"F.interpolate(x, size={size})", shape)


def _shuffle(chance: random.Random) -> Model:
    shape = (1, 12, chance.randrange(2, 5) * 2, chance.randrange(1, 4) * 2)
    return _model(chance.choice(["F.pixel_shuffle(x, 2)", "F.pixel_unshuffle(x, 2)", "F.channel_shuffle(x, 3)"]), shape)


def _with_io(io: str) -> Callable[[random.Random], Model]:
    return lambda chance: dataclasses.replace(chance.choice([_function, _linear, _conv1d, _concat])(chance), io=io)


FAMILIES: dict[str, Callable[[random.Random], Model]] = {
    "conv2d": _conv2d,
    "pointwise conv2d": _pointwise_conv2d,
    "grouped conv2d": _grouped_conv2d,
    "depthwise conv2d": _depthwise_conv2d,
    "conv1d": _conv1d,
    "transposed conv1d": _transposed_convolution(1),
    "transposed conv2d": _transposed_convolution(2),
    "linear": _linear,
    "add": _binary("x + y"),
    "sub": _binary("torch.sub(x, y, alpha=2)"),
    "mul": _binary("x * y"),
    "div": _division,
    "minimum": _binary("torch.minimum(x, y)"),
    "maximum": _binary("torch.maximum(x, y)"),
    "max_pool": _max_pool,
    "avg_pool": _average_pool,
    "adaptive pool": _adaptive_pool,
    "mean": _reduction("mean"),
    "sum": _reduction("sum"),
    "extremes": _reduction("amax", "amin"),
    "index of extremes": _index_of_extreme("argmax", "argmin"),
    "softmax": _softmax("softmax"),
    "log_softmax": _softmax("log_softmax"),
    "matmul": _matmul,
    "function": _function,
    "clamp": _clamp,
    "pad": _pad,
    "permute": _permute,
    "concat": _concat,
    "stack": _stack,
    "slice": _slice,
    "split": _split,
    "take": _take,
    "upsample": _upsample,
    "shuffle": _shuffle,
    "quantize and dequantize": _with_io("float32"),
    "requantize": _with_io("int16"),
}
