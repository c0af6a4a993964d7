"""The models in models/, as ExecuTorch 1.5.1 exports and runs them: `python3 -m runtime.upstream.testing.export_models [NAME]...`.

Writes <name>.pte, <name>.inputs.bin and <name>.expected.bin, inputs and outputs laid end to end. The aten models are what its own
runtime answers; the cortex_m models, whose kernels its Python wheel does not have, are what its own reference
implementations of these operators answer: these compute softmax and averages as floats, so only an odd number of values is averaged
here, which leaves nothing to be rounded either way. Weights are random. Needs what tests/nested/executorch.txt lists, and torch.
"""

import dataclasses
import functools
import pathlib
import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

_FOLDER = pathlib.Path(__file__).with_name("models")
_RUNS = 3


@dataclasses.dataclass(frozen=True)
class Exported:
    """A program, and inputs and outputs of a few runs."""

    pte: bytes
    inputs: bytes
    expected: bytes


def export(name: str) -> Exported:
    """One of MODELS. Always the same bytes."""
    return export_model(*MODELS[name], seed=len(name))


def export_model(build: Callable[[], nn.Module], shape: tuple[int, ...], to_program: "ToProgram", seed: int) -> Exported:
    """The model of random weights that `build` makes, on random inputs of this shape."""
    torch.manual_seed(seed)
    model = build().eval()
    inputs = [torch.randn(shape) for _ in range(_RUNS)]
    if len(shape) == 4 and to_program is not _aten:
        inputs = [sample.to(memory_format=torch.channels_last) for sample in inputs]
    program, run = to_program(model, inputs)
    outputs = [output for sample in inputs for output in run(sample)]
    return Exported(program, b"".join(map(_in_memory, inputs)), b"".join(map(_in_memory, outputs)))


def _in_memory(tensor: torch.Tensor) -> bytes:
    """The elements in the order in which they lie there."""
    axes = sorted(range(tensor.dim()), key=lambda axis: (tensor.stride(axis), tensor.size(axis)), reverse=True)
    return tensor.detach().permute(axes).contiguous().numpy().tobytes()


_Run = Callable[[torch.Tensor], tuple[torch.Tensor, ...]]
ToProgram = Callable[[nn.Module, list[torch.Tensor]], tuple[bytes, _Run]]


def _aten(model: nn.Module, inputs: list[torch.Tensor]) -> tuple[bytes, _Run]:
    """A float program, and ExecuTorch's runtime for it."""
    from executorch.exir import to_edge
    from executorch.extension.pybindings import portable_lib

    program = to_edge(torch.export.export(model, (inputs[0],))).to_executorch().buffer
    module = portable_lib._load_for_executorch_from_buffer(program)
    return program, lambda sample: tuple(module.forward([sample]))


def _cortex_m(cpu: str, model: nn.Module, inputs: list[torch.Tensor]) -> tuple[bytes, _Run]:
    """An int8 program for one core, and the references of its operators."""
    from executorch.backends.cortex_m.edge_compile_config import cortex_m_edge_compile_config
    from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
    from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
    from executorch.backends.cortex_m.target_config import CortexMTargetConfig
    from executorch.exir import ExecutorchBackendConfig, to_edge
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    model = model.to(memory_format=torch.channels_last)
    prepared = prepare_pt2e(torch.export.export(model, (inputs[0],)).module(check_guards=False), CortexMQuantizer())
    for sample in inputs:
        prepared(sample)
    exported = torch.export.export(convert_pt2e(prepared), (inputs[0],))
    edge = to_edge(exported, compile_config=cortex_m_edge_compile_config())
    target = CortexMTargetConfig.from_target_string(cpu)
    lowered = CortexMPassManager(edge.exported_program(), target_config=target).transform()
    edge._edge_programs["forward"] = lowered
    reference = lowered.module()

    def run(sample: torch.Tensor) -> tuple[torch.Tensor, ...]:
        outputs = reference(sample)
        return outputs if isinstance(outputs, tuple) else (outputs,)

    # The references must run first: making the program changes the graph that they interpret.
    answers = {id(sample): run(sample) for sample in inputs}
    program = edge.to_executorch(ExecutorchBackendConfig()).buffer
    return program, lambda sample: answers[id(sample)]


def cortex_m(cpu: str) -> ToProgram:
    """Makes int8 programs for a core, by upstream's name, e.g. "cortex-m4"."""
    return functools.partial(_cortex_m, cpu)


_M0, _M4, _M55 = map(cortex_m, ("cortex-m0", "cortex-m4", "cortex-m55"))


class Mix(nn.Module):
    """Most aten operators that are exact."""

    def __init__(self) -> None:
        super().__init__()
        self.image, self.norm, self.point = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Conv2d(4, 4, 1)
        self.head = nn.Linear(8, 6)
        self.norm.running_mean.uniform_(-1, 1)
        self.norm.running_var.uniform_(0.5, 2)

    def forward(self, x):
        y = self.norm(self.image(x))
        z = F.relu(self.point(y)) + y * 0.5
        means = torch.cat([y, z], 1).mean((2, 3))
        u = F.pad(self.head(means).view(-1, 2, 3).permute(0, 2, 1), (1, 2), value=-1.5)[:, :, 1:4]
        extremes = torch.minimum(z.amax(3), torch.maximum(y.amin(3), z.sum(3))) - F.leaky_relu(y, 0.1)[:, :, 0]
        return u / (u.abs() + 1), -means.clamp(-0.2, 0.3), extremes.unsqueeze(1).squeeze(0)


class Rows(nn.Module):
    """Transposed and dilated convolutions, convolutions of rows, pools with padding."""

    def __init__(self) -> None:
        super().__init__()
        self.wider = nn.ConvTranspose2d(2, 6, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.rows = nn.Conv1d(6, 4, 5, stride=2, dilation=2, padding=3)

    def forward(self, x):
        y = self.wider(x)
        return self.rows(y.flatten(2)), F.max_pool2d(y, 3, 2, 1), F.avg_pool2d(y, 3, 2, 1, ceil_mode=True, count_include_pad=False)


class AtenFunctions(nn.Module):
    """Functions of upstream's that its machine's mathematical library computes, and sums that its optimised kernels reorder."""

    def forward(self, x):
        y, size = torch.sigmoid(x) * torch.tanh(x), x.abs() + 0.1
        roots = torch.sqrt(size) - torch.rsqrt(size) + torch.log(size)
        products = torch.bmm(F.gelu(x), torch.exp(y).transpose(1, 2))
        return F.softmax(x, 1) + F.log_softmax(roots, -1), products


class Recurrent(nn.Module):
    """An LSTM, step by step, and a normalised linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.steps, self.norm, self.slope = nn.LSTM(6, 8, batch_first=True), nn.LayerNorm(8), nn.PReLU()

    def forward(self, x):
        return self.slope(self.norm(self.steps(x)[0]))


def _encoder() -> nn.Module:
    return nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu")


def _block(channels: int, out: int, stride: int = 1) -> list[nn.Module]:
    """A depthwise and a pointwise convolution."""
    depthwise = nn.Conv2d(channels, channels, 3, stride=stride, padding=1, groups=channels)
    return [depthwise, nn.BatchNorm2d(channels), nn.ReLU(), nn.Conv2d(channels, out, 1), nn.BatchNorm2d(out), nn.ReLU()]


def _ds_cnn(channels: int, stem: nn.Module) -> nn.Module:
    blocks = [layer for _ in range(2) for layer in _block(channels, channels)]
    head = [nn.AvgPool2d((25, 5)), nn.Flatten(), nn.Linear(channels, 12)]
    return nn.Sequential(stem, nn.BatchNorm2d(channels), nn.ReLU(), *blocks, *head)


class Residual(nn.Module):
    """Two convolutions beside a way around them."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.way = nn.Sequential(
            nn.Conv2d(channels, out, 3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(out),
            nn.ReLU(),
            nn.Conv2d(out, out, 3, padding=1, bias=False),
            nn.BatchNorm2d(out),
        )
        self.around = nn.Conv2d(channels, out, 1, stride=stride, bias=False) if channels != out else nn.Identity()

    def forward(self, x):
        return F.relu(self.way(x) + self.around(x))


def _resnet8(width: int) -> nn.Module:
    first = [nn.Conv2d(3, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    stages = [Residual(width, width, 1), Residual(width, 2 * width, 2), Residual(2 * width, 4 * width, 2)]
    return nn.Sequential(*first, *stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4 * width, 10))


def _autoencoder(features: int, hidden: int, narrow: int) -> nn.Module:
    widths = [features, hidden, hidden, narrow, hidden, hidden]
    layers = [layer for a, b in zip(widths, widths[1:]) for layer in (nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU())]
    return nn.Sequential(*layers, nn.Linear(hidden, features))


class Functions(nn.Module):
    """Most cortex_m operators that are no layers of the other models."""

    def __init__(self) -> None:
        super().__init__()
        self.image, self.wider = nn.Conv2d(3, 4, 3, padding=1), nn.ConvTranspose2d(4, 4, 2, stride=2)

    def forward(self, x):
        y = F.hardswish(self.image(x))
        z = torch.sigmoid(y) * y + F.max_pool2d(torch.tanh(y), 3, 1, 1)
        means = F.avg_pool2d(F.pad(self.wider(z), (1, 0, 0, 2)), 3, 2)
        rows = means.permute(0, 2, 3, 1).flatten(1, 2)
        return means, F.relu(y - z), torch.bmm(rows, rows.transpose(1, 2))


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...], ToProgram]] = {
    "aten_mlp": (lambda: nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 10)), (1, 16), _aten),
    "aten_mix": (Mix, (2, 3, 6, 6), _aten),
    "aten_rows": (Rows, (1, 2, 5, 5), _aten),
    "aten_functions": (AtenFunctions, (1, 5, 7), _aten),
    "aten_encoder": (_encoder, (1, 4, 8), _aten),
    "aten_recurrent": (Recurrent, (1, 3, 6), _aten),
    "aten_ds_cnn": (lambda: _ds_cnn(16, nn.Conv2d(1, 16, (10, 4), stride=2, padding=(5, 1))), (1, 1, 49, 10), _aten),
    "cortex_m_ds_cnn": (lambda: _ds_cnn(16, nn.Conv2d(1, 16, (10, 4), stride=2, padding=(5, 1))), (1, 1, 49, 10), _M55),
    "cortex_m_resnet8": (lambda: _resnet8(8), (1, 3, 20, 20), _M4),
    "cortex_m_autoencoder": (lambda: _autoencoder(64, 32, 8), (1, 64), _M55),
    "cortex_m_autoencoder_scalar": (lambda: _autoencoder(64, 32, 8), (1, 64), _M0),
    "cortex_m_softmax": (lambda: nn.Sequential(nn.Linear(16, 12), nn.Softmax(-1)), (1, 16), _M0),
    "cortex_m_functions": (Functions, (1, 3, 6, 6), _M4),
}


def main(names: list[str]) -> None:
    _FOLDER.mkdir(exist_ok=True)
    for name in names or MODELS:
        exported = export(name)
        (_FOLDER / f"{name}.pte").write_bytes(exported.pte)
        (_FOLDER / f"{name}.inputs.bin").write_bytes(exported.inputs)
        (_FOLDER / f"{name}.expected.bin").write_bytes(exported.expected)
        print(f"{name}: {len(exported.pte)} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
