"""Float rewrites before quantisation: LSTM, GRU and plain recurrent layers, and their cells, step by step.

What does not depend on the state is one linear layer over all steps; then each step is the same few operators on the state. Steps are
twins (inline.py): quantised alike, they share their weights, which the model holds once. So do cells that are called in a loop.

Gates of an LSTM, i f g o in PyTorch, are put in the order i f o g, so that one table serves three; those of a GRU are r z n.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import GraphModule, Node

from compiler.frontend.arguments import arguments_of
from compiler.frontend.inline import Piece, inline
from compiler.frontend.nodes import node_error
from compiler.frontend.user_code import UserCode

aten = torch.ops.aten

State = tuple[Tensor, ...]
"""h, and of an LSTM c: [N, H] each."""


def _lstm_order(row: Tensor) -> Tensor:
    i, f, g, o = row.chunk(4)
    return torch.cat([i, f, o, g])


def _gru_biases(of_input: Tensor, of_state: Tensor) -> tuple[Tensor, Tensor]:
    """That of n stays with the state, as r is multiplied with it."""
    r_and_z = 2 * (len(of_state) // 3)
    zeros = torch.zeros(len(of_state))
    return of_input + torch.cat([of_state[:r_and_z], zeros[r_and_z:]]), torch.cat([zeros[:r_and_z], of_state[r_and_z:]])


def _lstm_step(gates: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    h, c = state
    hidden = h.shape[-1]
    gates = gates + F.linear(h, weight)
    i, f, o = torch.sigmoid(gates[:, : 3 * hidden]).chunk(3, 1)
    c = f * c + i * torch.tanh(gates[:, 3 * hidden :])
    return o * torch.tanh(c), c


def _gru_step(gates: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    (h,) = state
    hidden = h.shape[-1]
    of_state = F.linear(h, weight, bias)
    r, z = torch.sigmoid(gates[:, : 2 * hidden] + of_state[:, : 2 * hidden]).chunk(2, 1)
    n = torch.tanh(gates[:, 2 * hidden :] + r * of_state[:, 2 * hidden :])
    return (n + z * (h - n),)


def _tanh_step(gates: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    return (torch.tanh(gates + F.linear(state[0], weight)),)


def _relu_step(gates: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    return (torch.relu(gates + F.linear(state[0], weight)),)


STEPS: Mapping[Any, Callable[..., State]] = {
    aten.gru.input: _gru_step,
    aten.gru_cell.default: _gru_step,
    aten.lstm.input: _lstm_step,
    aten.lstm_cell.default: _lstm_step,
    aten.rnn_relu.input: _relu_step,
    aten.rnn_relu_cell.default: _relu_step,
    aten.rnn_tanh.input: _tanh_step,
    aten.rnn_tanh_cell.default: _tanh_step,
}


def unroll_recurrent(module: GraphModule, code: UserCode) -> None:
    """After fold_constants, which is to be called again. Raises CompileError."""
    for node in list(module.graph.nodes):
        if node.op == "call_function" and node.target in STEPS:
            layer = _Recurrent(module, node)
            if node.target._schema.name.endswith("_cell"):
                layer.replace_cell()
            elif len(arguments_of(node)["params"]) % (4 if arguments_of(node)["has_biases"] else 2):
                raise node_error(node, code, "an LSTM with projections is not supported: leave out proj_size")
            else:
                layer.replace_layer()
    module.graph.eliminate_dead_code()
    module.recompile()


class _Recurrent:
    def __init__(self, module: GraphModule, node: Node):
        self.module, self.node = module, node
        self.arguments = arguments_of(node)
        self.step = STEPS[node.target]

    def replace_cell(self) -> None:
        a = self.arguments
        state = a["hx"] if isinstance(a["hx"], Sequence) else [a["hx"]]
        gates, weight, bias = self._gates(a["input"], a["w_ih"], a["w_hh"], a.get("b_ih"), a.get("b_hh"))
        state = self._steps([gates], state, weight, bias, str(a["w_hh"].target))[0]
        self._replace(state if len(state) > 1 else state[0])

    def replace_layer(self) -> None:
        a = self.arguments
        sequence, time = a["input"], 1 if a["batch_first"] else 0
        states = a["hx"] if isinstance(a["hx"], Sequence) else [a["hx"]]
        parameters = list(a["params"])
        each = 4 if a["has_biases"] else 2
        last: list[Sequence[Node]] = []
        for _ in range(a["num_layers"]):
            ways = []
            for is_backward in (False, True)[: 1 + a["bidirectional"]]:
                (w_ih, w_hh, *biases), parameters = parameters[:each], parameters[each:]
                start = [self._inline(lambda s, i=len(last): s[i], state) for state in states]
                gates, weight, bias = self._gates(sequence, w_ih, w_hh, *biases)
                steps = [self._inline(lambda g, t=t: g.select(time, t), gates) for t in range(sequence.meta["val"].shape[time])]
                results = self._steps(steps[::-1] if is_backward else steps, start, weight, bias, str(w_hh.target))
                last.append(results[-1])
                ways.append([state[0] for state in (results[::-1] if is_backward else results)])
            outputs = [self._inline(lambda *hs: torch.cat(hs, 1), *hs) if len(hs) > 1 else hs[0] for hs in zip(*ways)]
            sequence = self._inline(lambda *hs: torch.stack(hs, time), *outputs)
        self._replace([sequence, *(self._inline(lambda *each: torch.stack(each), *states) for states in zip(*last))])

    def _gates(self, x: Node, w_ih: Node, w_hh: Node, b_ih: Node | None = None, b_hh: Node | None = None) -> tuple[Node, Node, Node | None]:
        """What the inputs add to the gates at all steps; the weight and, of a GRU, the bias of the state."""
        is_lstm, is_gru = self.step is _lstm_step, self.step is _gru_step

        def gates(x: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None) -> tuple[Tensor, ...]:
            biases = (b_ih, b_hh) if b_ih is not None else ()
            if is_lstm:
                w_ih, w_hh, *biases = map(_lstm_order, (w_ih, w_hh, *biases))
            if is_gru and biases:
                of_input, of_state = _gru_biases(*biases)
                return F.linear(x, w_ih, of_input), w_hh, of_state
            return F.linear(x, w_ih, sum(biases) if biases else None), w_hh

        result = self._inline(gates, x, w_ih, w_hh, b_ih, b_hh)
        return (*result, None)[:3]

    def _steps(self, gates: Sequence[Node], state: Sequence[Node], weight: Node, bias: Node | None, name: str) -> list[Sequence[Node]]:
        """The state after each step."""
        results = []
        step = Piece(self.step, gates[0], state, weight, bias)
        for each in gates:
            state = step.put(self.module, self.node, each, state, weight, bias, twins=name)
            results.append(state)
        return results

    def _inline(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return inline(self.module, self.node, function, *arguments)

    def _replace(self, result: Any) -> None:
        if isinstance(result, Node):
            self.node.replace_all_uses_with(result)
        for user in list(self.node.users):
            assert user.target is operator.getitem
            user.replace_all_uses_with(result[user.args[1]])
            self.module.graph.erase_node(user)
        self.module.graph.erase_node(self.node)
