"""State: the buffers that forward() changes, which last from one run to the next.

torch.export leaves such writes in the graph, to a buffer or to a part of it. Here each such buffer becomes one more input, what it
holds when a run begins, and one more output, what it holds when the run ends:

    part = slice(self.buf); shifted = cat([part, x])      ->  part = slice(buf); shifted = cat([part, x])
    copy_(self.buf, shifted); return conv(self.buf)           return conv(shifted), view(shifted)
"""

import dataclasses
from collections.abc import Collection

import torch
import torch.utils._pytree as pytree
from torch.fx import Graph, GraphModule, Node
from torch.fx.graph import CodeGen

from compiler.errors import CompileError
from compiler.frontend.in_place import READ_THROUGH_ANOTHER_VIEW, counterpart, overlap, read_later, views, writes
from compiler.frontend.nodes import attribute, layer_of, node_error, source_of
from compiler.frontend.user_code import UserCode
from compiler.frontend.writer import Writer

aten = torch.ops.aten

# Views of all elements of their operand, in order.
RESHAPES = {
    aten.flatten.using_ints,
    aten.reshape.default,
    aten.squeeze.default,
    aten.squeeze.dim,
    aten.unsqueeze.default,
    aten.view.default,
}

# How torch.export names the write, at the end of the graph, that it puts for `self.buf = value`.
ASSIGNMENT = "copy__default"


@dataclasses.dataclass(frozen=True)
class State:
    """A buffer that lasts from run to run: its path in the model, and what it holds before the first run, float32."""

    name: str
    first: torch.Tensor


def changed_buffers(module: GraphModule, buffers: Collection[str], code: UserCode) -> tuple[str, ...]:
    """The paths of what an exported module changes; `buffers` are those of what is registered as one. Raises CompileError."""
    written = (_checked(module, node, buffers, code) for node in module.graph.nodes if writes(node) and _is_kept(node))
    return tuple(dict.fromkeys(written))


def lift_state(module: GraphModule, changed: tuple[str, ...], code: UserCode) -> tuple[State, ...]:
    """The state of an exported module, which takes and returns it from now on: behind its own inputs and outputs, all in flat lists.

    `changed` are its changed_buffers(). Those that no run sees are no state; a module without state takes and returns what it did.
    Raises CompileError.
    """
    return _Lifting(module, changed, code).lift() if changed else ()


def state_pairs(graph: Graph, count: int) -> list[tuple[Node, Node]]:
    """What each state is before and after a run, in a graph whose last `count` inputs and outputs are states."""
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    (output,) = (node for node in graph.nodes if node.op == "output")
    return list(zip(inputs[len(inputs) - count :], pytree.tree_leaves(output.args[0])[-count:])) if count else []


def _storage(node: Node) -> Node:
    *_, storage = views(node)
    return storage


def _is_kept(write: Node) -> bool:
    return _storage(write.args[0]).op == "get_attr"


def _checked(module: GraphModule, write: Node, buffers: Collection[str], code: UserCode) -> str:
    """The name of the buffer that is written, which can be state."""
    name = str(_storage(write.args[0]).target)
    if name.endswith("num_batches_tracked"):
        raise CompileError("it is in training mode; call the model's eval() before torch.export", layer=name.rpartition(".")[0])
    # What torch.export adds for `self.count = self.count + 1` has no line of its own.
    makers = (write, *(operand for operand in write.all_input_nodes if operand.op == "call_function"))
    source = next(filter(None, (source_of(maker, code) for maker in makers)), None)

    def error(reason: str) -> CompileError:
        return CompileError(reason, layer=layer_of(write), source=source)

    if name not in buffers:
        kind = "parameter" if name in dict(module.named_parameters()) else "tensor"
        raise error(f"it changes the {kind} {name}; only buffers last from run to run: use register_buffer")
    value = attribute(module, name)
    if value.dtype != torch.float32:
        raise error(f"it changes the buffer {name} of {str(value.dtype).removeprefix('torch.')}; what lasts from run to run must be float32")
    tensors = dict((*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)))
    for other, tensor in tensors.items():
        if other != name and tensor.untyped_storage().data_ptr() == value.untyped_storage().data_ptr():
            raise error(f"it changes the buffer {name}, which shares its memory with {other}; what lasts from run to run needs its own")
    return name


class _Lifting:
    """Walks through the graph once. `now` is what stands for a tensor from there on: a buffer, or a part of one, that was written."""

    def __init__(self, module: GraphModule, names: tuple[str, ...], code: UserCode):
        self.module = module
        self.graph = module.graph
        self.names = names
        self.code = code
        # Found before anything changes.
        self.storages = {node: str(_storage(node.args[0]).target) for node in self.graph.nodes if writes(node) and _is_kept(node)}
        self.chains = {node: [view for view in views(node.args[0]) if view not in self.storages] for node in self.storages}
        self.now: dict[Node, Node] = {}
        self.current: dict[str, Node] = {}

    def lift(self) -> tuple[State, ...]:
        self._check_outputs()
        for write, chain in self.chains.items():
            self._check_views(write, chain)
        given = {name: self._placeholder(name) for name in self.names}
        self.current = dict(given)
        for node in list(self.graph.nodes):
            for operand in node.all_input_nodes:
                node.replace_input_with(operand, self._as_it_is_now(operand))
            if node in self.storages:
                self._write(node)
        for write in reversed(self.storages):
            self.graph.erase_node(write)
        seen = self._seen(given)
        if seen:
            self._return(seen)
            self.graph.set_codegen(CodeGen())
        self.graph.eliminate_dead_code()
        for name in self.names:
            if name not in seen:  # what no run sees need not last
                self.graph.erase_node(given[name])
        self.module.recompile()
        return tuple(State(name, attribute(self.module, name).detach().clone()) for name in seen)

    def _seen(self, given: dict[str, Node]) -> list[str]:
        """The buffers of which an output is computed, or what becomes of such a buffer: in this run or in a later one."""
        seen: list[str] = []
        needed: set[Node] = set()
        waiting = [node for node in self.graph.nodes if node.op != "placeholder" and node.is_impure()]
        while waiting:
            while waiting:
                node = waiting.pop()
                if node not in needed:
                    needed.add(node)
                    waiting += node.all_input_nodes
            found = [name for name in self.names if name not in seen and given[name] in needed]
            seen += found
            waiting = [self.current[name] for name in found]
        return [name for name in self.names if name in seen]

    def _as_it_is_now(self, operand: Node) -> Node:
        if operand in self.storages:  # what writes gives what it has written
            operand = self.chains[operand][0]
        if operand.op == "get_attr":
            return self.current.get(str(operand.target), operand)
        return self.now.get(operand, operand)

    def _check_views(self, write: Node, chain: list[Node]) -> None:
        """Whoever reads the buffer afterwards, or the very part that was written, sees what was; nobody else may look there."""
        seeing = {chain[0], chain[-1]}
        seeing |= {other for other, others in self.chains.items() if others[0] in seeing}
        if any(other not in seeing and overlap(other, chain[0]) for other in read_later(chain[-1], write)):
            raise node_error(write, self.code, READ_THROUGH_ANOTHER_VIEW)

    def _check_outputs(self) -> None:
        """For `old = self.buf; self.buf = new; return old` torch.export answers the new value, as it writes where the old one lies."""
        (output,) = (node for node in self.graph.nodes if node.op == "output")
        lying = {view for result in output.all_input_nodes for view in views(result) if self.storages.keys().isdisjoint(views(result))}
        for write, name in self.storages.items():
            if write.name.startswith(ASSIGNMENT) and any(node.op == "get_attr" and node.target == name for node in lying):
                reason = f"it returns the buffer {name}, to which it assigns something else; return self.{name}.clone() for what was there before"
                raise CompileError(reason, source=source_of(write, self.code))

    def _placeholder(self, name: str) -> Node:
        *_, last = (node for node in self.graph.nodes if node.op == "placeholder")
        with self.graph.inserting_after(last):
            node = self.graph.placeholder(f"state_{name.replace('.', '_')}")
        node.meta["val"] = next(node.meta["val"] for node in self.graph.nodes if node.op == "get_attr" and node.target == name)
        return node

    def _write(self, write: Node) -> None:
        writer, name, chain = Writer(self.module, write), self.storages[write], self.chains[write]
        contents = self._contents(writer, chain, self.current[name])
        value = self._written(writer, write, contents[0])
        self.now[chain[0]] = value
        for view, before in zip(chain[:-1], contents[1:]):
            value = self._put(writer, write, view, before, value)
        self.current[name] = value

    def _contents(self, writer: Writer, chain: list[Node], buffer: Node) -> list[Node]:
        """What each view in the chain, from the part that is written to the buffer itself, holds now."""
        contents = [buffer]
        for view in reversed(chain[:-1]):
            contents.insert(0, writer.call(view.target, contents[0], *view.args[1:]))
        return contents

    def _written(self, writer: Writer, write: Node, before: Node) -> Node:
        """The part's new value, of its shape."""
        shape = list(before.meta["val"].shape)
        if write.target in (aten.zero_.default, aten.fill_.Scalar):
            number = float(write.args[1]) if len(write.args) > 1 else 0.0
            return writer.constant(f"{write.name}_value", torch.full(shape, number))
        if write.target in (aten.copy_.default, aten.fill_.Tensor):
            value = self._as_float(writer, write, write.args[1])
            return value if list(value.meta["val"].shape) == shape else writer.call(aten.expand.default, value, shape)
        return writer.call(counterpart(write.target), before, *write.args[1:])

    def _as_float(self, writer: Writer, write: Node, value: Node) -> Node:
        """What copy_() would make of it; an assignment would change the buffer's type."""
        dtype = value.meta["val"].dtype
        if dtype == torch.float32:
            return value
        if write.name.startswith(ASSIGNMENT):
            name = self.storages[write]
            reason = f"it assigns {str(dtype).removeprefix('torch.')} to the buffer {name} of float32; assign .float() of it, or use self.{name}.copy_()"
            raise CompileError(reason, source=source_of(write, self.code))
        return writer.call(aten.to.dtype, value, torch.float32)

    def _put(self, writer: Writer, write: Node, view: Node, whole: Node, value: Node) -> Node:
        """`whole`, with `value` where the view is."""
        shape = list(whole.meta["val"].shape)
        if view.target in RESHAPES:
            return writer.call(aten.view.default, value, shape)
        if view.target is aten.select.int:
            axis, index = view.args[1] % len(shape), view.args[2] % shape[view.args[1]]
            return self._spliced(writer, whole, axis, index, index + 1, writer.call(aten.unsqueeze.default, value, axis))
        if view.target is aten.slice.Tensor:
            axis, *bounds = (*view.args[1:], *(0, None, None, 1)[len(view.args) - 1 :])
            start, end, step = slice(*bounds).indices(shape[axis])
            if step == 1:
                return self._spliced(writer, whole, axis % len(shape), start, max(start, end), value)
        raise node_error(write, self.code, f"it changes a part of the buffer {self.storages[write]} that is no slice; compute the whole and assign it")

    def _spliced(self, writer: Writer, whole: Node, axis: int, start: int, end: int, value: Node) -> Node:
        size = whole.meta["val"].shape[axis]
        before = [writer.call(aten.slice.Tensor, whole, axis, 0, start)] if start else []
        after = [writer.call(aten.slice.Tensor, whole, axis, end, size)] if end < size else []
        return writer.call(aten.cat.default, [*before, value, *after], axis) if before or after else value

    def _return(self, names: list[str]) -> None:
        (output,) = (node for node in self.graph.nodes if node.op == "output")
        writer = Writer(self.module, output)
        results = []
        for name in names:
            value = self.current[name]
            view = writer.call(aten.view.default, value, list(value.meta["val"].shape))
            view.meta = {key: item for key, item in value.meta.items() if key != "tensor_meta"}
            results.append(view)
        output.args = ((*pytree.tree_leaves(output.args[0]), *results),)
