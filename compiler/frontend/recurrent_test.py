"""Recurrent layers, unrolled: near PyTorch in int8 and float32, with the weights of all steps stored once."""

from collections.abc import Callable

import pytest

from compiler.errors import CompileError
from compiler.frontend.testing import Shapes, compiled, signal_to_noise

import torch  # isort: skip  (after the front end, which sets it up)
from torch import Tensor, nn  # isort: skip

SERIES: Shapes = ((6, 10),)

FLOAT_RATIO = 120.0  # dB


class Last(nn.Module):
    """A layer's last output, as a classifier reads it."""

    def __init__(self, layer: nn.Module):
        super().__init__()
        self.layer, self.head = layer, nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        y, _ = self.layer(x)
        return self.head(y[:, -1])


class Loop(nn.Module):
    """A cell that the user calls at each step."""

    def __init__(self, cell: nn.Module):
        super().__init__()
        self.cell = cell

    def forward(self, x: Tensor) -> Tensor:
        state = None
        for t in range(x.shape[1]):
            state = self.cell(x[:, t], state)
        return state


class Unbatched(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.GRU(10, 8)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x[0])[0]


class Streaming(nn.Module):
    """The state is an input and an output."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.GRU(10, 8, batch_first=True)

    def forward(self, x: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        y, h = self.layer(x, h.transpose(0, 1))
        return y, h


# The model, shapes of its inputs, the least ratio of int8 to float in dB, and how many linear layers its weights are.
MODELS: dict[str, tuple[Callable[[], nn.Module], Shapes, float, int]] = {
    "an LSTM's last output": (lambda: Last(nn.LSTM(10, 8, batch_first=True)), SERIES, 26, 3),
    "a GRU's last output": (lambda: Last(nn.GRU(10, 8, batch_first=True)), SERIES, 26, 3),
    "a GRU without biases": (lambda: nn.GRU(10, 8, bias=False, batch_first=True), SERIES, 28, 2),
    "two layers of LSTM, both ways": (lambda: nn.LSTM(10, 8, 2, batch_first=True, bidirectional=True), ((3, 10),), 22, 8),
    "a layer of no batch": (lambda: Unbatched(), SERIES, 26, 2),
    "two layers of GRU": (lambda: nn.GRU(10, 8, 2, batch_first=True), SERIES, 26, 4),
    "a plain layer": (lambda: nn.RNN(10, 8, batch_first=True), SERIES, 26, 2),
    "a plain layer with ReLU": (lambda: nn.RNN(10, 8, batch_first=True, nonlinearity="relu"), SERIES, 26, 2),
    "a layer whose first axis is time": (lambda: nn.LSTM(10, 8), ((5, 10),), 26, 1),  # one step of batch 5, from a constant state
    "a state that goes in and out": (lambda: Streaming(), ((4, 10), (1, 8)), 22, 2),
    "a GRU's cell in a loop": (lambda: Loop(nn.GRUCell(10, 8)), SERIES, 24, 7),  # the inputs' layers are apart, as is each step
    "an LSTM's cell in a loop": (lambda: Loop(nn.LSTMCell(10, 8)), SERIES, 24, 7),
}


def made(name: str) -> tuple[nn.Module, Shapes]:
    torch.manual_seed(1)
    build, shapes, *_ = MODELS[name]
    return build().eval(), shapes


@pytest.mark.parametrize("name", MODELS)
def test_int8_is_near_float_and_steps_share_their_weights(name: str) -> None:
    model, shapes = made(name)
    program = compiled(model, shapes, samples=24)
    *_, least, layers = MODELS[name]
    assert signal_to_noise(model, program, shapes) >= least
    weighted = [step for step in program.steps if "weight" in step.call.attributes]
    assert len({step.params for step in weighted}) == layers


@pytest.mark.parametrize("name", MODELS)
def test_float_is_what_pytorch_computes(name: str) -> None:
    model, shapes = made(name)
    assert signal_to_noise(model, compiled(model, shapes, "float32"), shapes) >= FLOAT_RATIO


def test_projections_are_refused() -> None:
    with pytest.raises(CompileError, match="an LSTM with projections is not supported: leave out proj_size"):
        compiled(nn.LSTM(10, 8, proj_size=4, batch_first=True), SERIES)
