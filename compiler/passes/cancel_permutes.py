"""Moves permutes through the graph until they meet and cancel, or reach an input or output, whose layout then changes.

b = permute(permute(x) (0, 3, 1, 2)) (0, 2, 3, 1)     ->  b is x
c = add(permute(a) P, permute(b) P)                   ->  c = permute(add(a, b)) P         likewise clamp, softmax, concat, ...
c = mul(permute(a) P, s: [N,C,1,1])                   ->  c = permute(mul(a, reshape(s) as [N,1,1,C])) P
y = reshape(permute(x: [N,H,W,C]) as [N,2,C/2,H,W])   ->  y = permute(reshape(x) as [N,H,W,2,C/2])   where axes are split
y = reshape(permute(x: [N,H,W,C]) as [N,C,HW])        ->  y = permute(reshape(x) as [N,HW,C])       where axes are joined
y = mean(permute(x)) over axes                        ->  y = permute(mean(x)), over where those axes are in x
y: [1,64,1,1] = permute(x: [1,1,1,64])                ->  y = reshape(x)                   where no data moves
y = permute(reshape(x: [N,C,L]) as [N,C,1,L])         ->  reshape after permute            and the other way round
input x: NCHW, read by permute(x) (0, 2, 3, 1) only   ->  input x: NHWC
output permute(y) (0, 3, 1, 2)                        ->  output y, its port noting the order
z = linear(reshape(permute(x)) as [N,F], w)           ->  z = linear(reshape(x), w with its columns permuted)
"""

import dataclasses

import numpy as np

from compiler.ir import Graph, Node, Port
from compiler.passes.nhwc import permuted
from compiler.passes.remove_identities import remove_identities
from compiler.rewrite import Rewrite, Rule, prune, rewrite

ELEMENTWISE = {"add", "clamp", "dequantize", "div", "function", "maximum", "minimum", "mul", "quantize", "requantize"}

# Operators that work alike along every axis but those that these attributes name, or for which they hold something per axis.
ALONG_AXIS = {"concat": ("axis",), "log_softmax": ("axis",), "softmax": ("axis",)}
PER_AXIS = {"pad": ("before", "after"), "take": ("indices",)}
REDUCTIONS = {"amax", "amin", "argmax", "argmin", "mean", "sum"}
MOVABLE = ELEMENTWISE | ALONG_AXIS.keys() | PER_AXIS.keys()


def cancel_permutes(graph: Graph) -> Graph:
    moves = (
        *(_merge, _sink_below, _below_reduction, _before_unsqueeze, _after_squeeze),
        *(_after_split, _after_join, _before_join, _into_linear_weight, _above_first),
    )
    # Inputs and outputs come first: one with a single channel is to be NHWC too, though no data moves.
    return _until_settled(_until_settled(graph, *moves), *moves, _as_reshape)


def _until_settled(graph: Graph, *rules: Rule) -> Graph:
    while True:
        after = remove_identities(_absorb_at_ports(rewrite(graph, *rules)))
        if str(after) == str(graph):
            return after
        graph = after


def _producer(graph: Graph, tensor: str, operator: str) -> Node | None:
    producer = graph.producer(tensor)
    return producer if producer is not None and producer.operator == operator else None


def _merge(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "permute":
        return None
    first = _producer(graph, node.inputs[0], "permute")
    if first is None:
        return None
    both = tuple(first.attributes["permutation"][axis] for axis in node.attributes["permutation"])
    if both == tuple(range(len(both))):
        return Rewrite(renamed={node.output: first.inputs[0]})
    # A permute that is left over is the user's, not one that nhwc.py has put beside it.
    users = first if node.attributes.get("inserted") and graph.only_reader(first.output) else node
    merged = Node(users.name, "permute", first.inputs, node.outputs, {"permutation": both}, users.source)
    return Rewrite(nodes=(merged,))


def _as_reshape(graph: Graph, node: Node) -> Rewrite | None:
    """A permute that only moves axes of size 1 moves no data."""
    if node.operator != "permute" or not _moves_nothing(graph, node.inputs[0], node.attributes["permutation"]):
        return None
    attributes = {"shape": graph.types[node.output].shape}
    return Rewrite(nodes=(dataclasses.replace(node, operator="reshape", attributes=attributes),))


def _moves_nothing(graph: Graph, tensor: str, permutation: tuple[int, ...]) -> bool:
    """Whether the permutation leaves the order of the tensor's elements as it is."""
    shape = graph.types[tensor].shape
    moved = [axis for axis in permutation if shape[axis] != 1]
    return len(shape) == len(permutation) and moved == sorted(moved)


def _sink_below(graph: Graph, node: Node) -> Rewrite | None:
    """Permutes before an operator that works alike on every element, or along one axis, become one after it."""
    if node.operator not in MOVABLE or node.attributes.get("scale") is not None:
        return None
    given = graph.constants.keys() | _inputs_of_any_order(graph)  # of these any order can be had
    computed = {tensor: _producer(graph, tensor, "permute") for tensor in node.inputs if tensor not in given}
    permutes = [permute for permute in computed.values() if permute is not None]
    if len({permute.attributes["permutation"] for permute in permutes}) != 1:
        return None
    if all(permute.inputs[0] in _inputs_of_any_order(graph) for permute in permutes):
        return None  # the inputs take them; to sink them would undo _above_first
    permutation = permutes[0].attributes["permutation"]
    back = tuple(int(axis) for axis in np.argsort(permutation))
    others = [tensor for tensor, permute in computed.items() if permute is None]
    if others and (
        not all(_moves_nothing(graph, tensor, back) for tensor in others)
        or all(_moves_nothing(graph, permute.inputs[0], permutation) for permute in permutes)
    ):
        return None  # a permute may go where it costs nothing, instead of one that costs something
    before = {permute.output: permute.inputs[0] for permute in permutes}
    types, constants, nodes = {}, {}, []
    for tensor in dict.fromkeys(node.inputs):
        if tensor in before:
            continue
        if len(graph.types[tensor].shape) != len(permutation):
            return None
        before[tensor] = graph.fresh(f"{tensor}.permuted")
        types[before[tensor]] = permuted(graph.types[tensor], back)
        if tensor in graph.constants:
            constants[before[tensor]] = np.ascontiguousarray(graph.constants[tensor].transpose(back))
        else:
            nodes.append(Node(before[tensor], "permute", (tensor,), (before[tensor],), {"permutation": back}, node.source))
    outer = graph.fresh(f"{node.name}.permuted")
    types[outer] = graph.types[node.output]
    types[node.output] = permuted(types[outer], back)
    changed = dataclasses.replace(node, inputs=tuple(before[tensor] for tensor in node.inputs))
    changed = _with_axes(changed, permutation)
    after = Node(outer, "permute", node.outputs, (outer,), {"permutation": permutation}, node.source)
    return Rewrite(nodes=(*nodes, changed, after), types=types, constants=constants, renamed={node.output: outer})


def _below_reduction(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator not in REDUCTIONS:
        return None
    permute = _producer(graph, node.inputs[0], "permute")
    if permute is None:
        return None
    permutation, reduced = permute.attributes["permutation"], node.attributes["axes"]
    result = graph.types[node.output]
    if node.attributes["keepdim"]:
        order = permutation
    else:  # of the axes that are left, as they lie in x
        left = [place for axis, place in enumerate(permutation) if axis not in reduced]
        order = tuple(sorted(left).index(place) for place in left)
    outer = graph.fresh(f"{node.name}.permuted")
    changed = dataclasses.replace(node, inputs=permute.inputs).with_attributes(axes=tuple(sorted(permutation[axis] for axis in reduced)))
    after = Node(outer, "permute", node.outputs, (outer,), {"permutation": order}, node.source)
    types = {outer: result, node.output: permuted(result, tuple(int(axis) for axis in np.argsort(order)))}
    return Rewrite(nodes=(changed, after), types=types, renamed={node.output: outer})


def _with_axes(node: Node, permutation: tuple[int, ...]) -> Node:
    """A movable node whose axis i becomes axis permutation[i]."""
    back = np.argsort(permutation)
    changes = {key: permutation[node.attributes[key]] for key in ALONG_AXIS.get(node.operator, ())}
    changes |= {key: tuple(node.attributes[key][axis] for axis in back) for key in PER_AXIS.get(node.operator, ())}
    return node.with_attributes(**changes)


def _before_unsqueeze(graph: Graph, node: Node) -> Rewrite | None:
    """permute(unsqueeze(x)) -> reshape(permute(x)): the permute goes up to where it may cancel."""
    if node.operator != "permute":
        return None
    reshape = _producer(graph, node.inputs[0], "reshape")
    if reshape is None:
        return None
    narrow, wide = graph.types[reshape.inputs[0]].shape, graph.types[reshape.output].shape
    origin = _squeezed_axes(wide, narrow)
    if origin is None:
        return None
    permutation = tuple(origin.index(axis) for axis in node.attributes["permutation"] if axis in origin)
    return _permute_then_reshape(graph, node, reshape.inputs[0], permutation)


def _after_squeeze(graph: Graph, node: Node) -> Rewrite | None:
    """squeeze(permute(x)) -> permute(reshape(x)): the permute goes down to where it may cancel."""
    if node.operator != "reshape":
        return None
    permute = _producer(graph, node.inputs[0], "permute")
    if permute is None:
        return None
    wide, narrow = graph.types[permute.output].shape, graph.types[node.output].shape
    kept = _squeezed_axes(wide, narrow)
    if kept is None:
        return None
    survivors = [permute.attributes["permutation"][axis] for axis in kept]
    return _reshape_then_permute(graph, node, permute.inputs[0], sorted(range(len(survivors)), key=lambda i: survivors[i]))


def _after_split(graph: Graph, node: Node) -> Rewrite | None:
    """reshape(permute(x)) that splits axes -> permute(reshape(x)): the permute goes down to where it may cancel."""
    if node.operator != "reshape":
        return None
    permute = _producer(graph, node.inputs[0], "permute")
    if permute is None or graph.only_reader(permute.output) is None:
        return None
    groups = _split_axes(graph.types[permute.output].shape, graph.types[node.output].shape)
    if groups is None:
        return None
    permutation = permute.attributes["permutation"]
    in_order = [axis for place in np.argsort(permutation) for axis in groups[place]]
    return _reshape_then_permute(graph, node, permute.inputs[0], in_order)


def _after_join(graph: Graph, node: Node) -> Rewrite | None:
    """reshape(permute(x)) that joins axes which are neighbours in x too -> permute(reshape(x))."""
    if node.operator != "reshape":
        return None
    permute = _producer(graph, node.inputs[0], "permute")
    if permute is None or graph.only_reader(permute.output) is None:
        return None
    groups = _split_axes(graph.types[node.output].shape, graph.types[permute.output].shape)
    if groups is None:
        return None
    places = [[permute.attributes["permutation"][axis] for axis in group] for group in groups]
    # An axis of size 1 that comes anew is made of none.
    if any(group != list(range(group[0], group[0] + len(group))) for group in places if group):
        return None
    return _reshape_then_permute(graph, node, permute.inputs[0], sorted(range(len(groups)), key=lambda i: places[i]))


def _before_join(graph: Graph, node: Node) -> Rewrite | None:
    """permute(reshape(permute(x))) that joins axes -> reshape(permute(permute(x))): the permutes meet."""
    if node.operator != "permute":
        return None
    reshape = _producer(graph, node.inputs[0], "reshape")
    if reshape is None or _producer(graph, reshape.inputs[0], "permute") is None:
        return None
    groups = _split_axes(graph.types[reshape.output].shape, graph.types[reshape.inputs[0]].shape)
    if groups is None:
        return None
    order = tuple(axis for place in node.attributes["permutation"] for axis in groups[place])
    return _permute_then_reshape(graph, node, reshape.inputs[0], order)


def _permute_then_reshape(graph: Graph, node: Node, x: str, permutation: tuple[int, ...]) -> Rewrite:
    """In place of `node`, reshape(permute(x))."""
    middle = graph.fresh(f"{node.name}.permuted")
    nodes = (
        Node(middle, "permute", (x,), (middle,), {"permutation": permutation}, node.source),
        Node(node.name, "reshape", (middle,), node.outputs, {"shape": graph.types[node.output].shape}, node.source),
    )
    return Rewrite(nodes=nodes, types={middle: permuted(graph.types[x], permutation)})


def _reshape_then_permute(graph: Graph, node: Node, x: str, in_order: list[int]) -> Rewrite:
    """In place of `node`, permute(reshape(x)); `in_order` are the result's axes as they lie in x."""
    sizes = graph.types[node.output].shape
    middle = graph.fresh(f"{node.name}.reshaped")
    middle_type = dataclasses.replace(graph.types[x], shape=tuple(sizes[axis] for axis in in_order))
    permutation = tuple(in_order.index(axis) for axis in range(len(sizes)))
    nodes = (
        Node(middle, "reshape", (x,), (middle,), {"shape": middle_type.shape}, node.source),
        Node(node.name, "permute", (middle,), node.outputs, {"permutation": permutation}, node.source),
    )
    return Rewrite(nodes=nodes, types={middle: middle_type})


def _split_axes(joined: tuple[int, ...], split: tuple[int, ...]) -> list[list[int]] | None:
    """For each axis of `joined` the axes of `split` into which it falls; None if it does not, or if only ones come or go."""
    if not joined:
        return None
    groups: list[list[int]] = []
    axis = 0
    for size in joined:
        group, product = [], 1
        while axis < len(split) and (product < size or not group):
            if size % (product * split[axis]):
                break
            product *= split[axis]
            group.append(axis)
            axis += 1
        if product != size:
            return None
        groups.append(group)
    if any(size != 1 for size in split[axis:]):
        return None
    groups[-1] += range(axis, len(split))
    several = any(sum(split[i] != 1 for i in group) > 1 for group in groups)
    return groups if several else None


def _squeezed_axes(wide: tuple[int, ...], narrow: tuple[int, ...]) -> tuple[int, ...] | None:
    """The axes of `wide` that remain when leaving out axes of size 1 gives `narrow`; None if it does not."""
    kept: list[int] = []
    for axis, size in enumerate(wide):
        if len(kept) < len(narrow) and size == narrow[len(kept)]:
            kept.append(axis)
        elif size != 1:
            return None
    return tuple(kept) if len(kept) == len(narrow) < len(wide) else None


def _into_linear_weight(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "linear" or node.inputs[1] not in graph.constants:
        return None
    flatten = _producer(graph, node.inputs[0], "reshape")
    permute = _producer(graph, flatten.inputs[0], "permute") if flatten is not None else None
    if permute is None or permute.attributes["permutation"][0] != 0:
        return None
    shape = graph.types[permute.output].shape
    if graph.types[flatten.output].shape != (shape[0], int(np.prod(shape[1:]))):
        return None
    x, weight = permute.inputs[0], node.inputs[1]
    flat, reordered = graph.fresh(flatten.name), graph.fresh(weight)
    columns = graph.constants[weight].reshape(-1, *shape[1:])
    columns = columns.transpose(np.argsort(permute.attributes["permutation"])).reshape(len(columns), -1)
    nodes = (
        Node(flat, "reshape", (x,), (flat,), flatten.attributes, flatten.source),
        dataclasses.replace(node, inputs=(flat, reordered, *node.inputs[2:])),
    )
    return Rewrite(
        nodes=nodes,
        types={flat: graph.types[flatten.output], reordered: graph.types[weight]},
        constants={reordered: np.ascontiguousarray(columns)},
    )


def _above_first(graph: Graph, node: Node) -> Rewrite | None:
    """permute(quantize(input)) -> quantize(permute(input)), so that the input can take the permute; likewise clamp, add, ..."""
    if node.operator != "permute":
        return None
    first = graph.producer(node.inputs[0])
    if first is None or first.operator not in MOVABLE or not _inputs_of_any_order(graph).issuperset(first.inputs):
        return None
    permutation = node.attributes["permutation"]
    types, nodes = {}, []
    for tensor in dict.fromkeys(first.inputs):
        before = graph.fresh(f"{tensor}.permuted")
        types[before] = permuted(graph.types[tensor], permutation)
        nodes.append(Node(before, "permute", (tensor,), (before,), {"permutation": permutation}, node.source))
    inputs = tuple(nodes[tuple(dict.fromkeys(first.inputs)).index(tensor)].output for tensor in first.inputs)
    name = first.name if graph.only_reader(first.output) else node.name
    back = tuple(int(axis) for axis in np.argsort(permutation))
    changed = _with_axes(dataclasses.replace(first, name=name, inputs=inputs, outputs=node.outputs), back)
    return Rewrite(nodes=(*nodes, changed), types=types)


def _absorb_at_ports(graph: Graph) -> Graph:
    called = tuple(_without_permute(graph, port) for port in graph.called_outputs)
    graph = dataclasses.replace(graph, outputs=(*called, *graph.state_outputs))
    for port in graph.called_inputs:
        graph = _absorb_at_input(graph, port)
    return prune(graph).check()


def _inputs_of_any_order(graph: Graph) -> frozenset[str]:
    """Those whose layout may change; that of state is settled (settle_layouts.py)."""
    return frozenset(port.tensor for port in graph.called_inputs)


def _without_permute(graph: Graph, port: Port) -> Port:
    permute = _producer(graph, port.tensor, "permute")
    if permute is None or permute.inputs[0] in graph.input_tensors:
        return port
    inverse = tuple(int(axis) for axis in np.argsort(permute.attributes["permutation"]))
    return Port(port.name, permute.inputs[0], tuple(port.permutation[axis] for axis in inverse))


def _absorb_at_input(graph: Graph, port: Port) -> Graph:
    """If all that reads the input is one and the same permute, the input has its order from the start."""
    readers = graph.readers(port.tensor)
    permutations = {reader.attributes.get("permutation") for reader in readers}
    if port.tensor in graph.output_tensors or len(permutations) != 1 or None in permutations:
        return graph
    if any(reader.output in graph.output_tensors for reader in readers):
        return graph
    (permutation,) = permutations
    replaced = {reader.output: port.tensor for reader in readers}
    absorbed = Port(port.name, port.tensor, tuple(port.permutation[axis] for axis in permutation))
    return dataclasses.replace(
        graph,
        inputs=tuple(absorbed if other == port else other for other in graph.inputs),
        nodes=tuple(
            dataclasses.replace(node, inputs=tuple(replaced.get(tensor, tensor) for tensor in node.inputs))
            for node in graph.nodes
            if node not in readers
        ),
        types={**graph.types, port.tensor: permuted(graph.types[port.tensor], permutation)},
    )
