"""Computes functions of one tensor from that tensor alone where they read quantised functions of it too.

    s = sigmoid(y); z = y * s; return z, z + s      ->  s = sigmoid(y); z = y * s; t = y * s; return z, t + s

z is a result, so it is rounded to int8. Were t not computed anew, z + s would read z after rounding but s, which is nowhere kept
as int8, before it, and would be no function of one int8 tensor.
"""

from torch.fx import GraphModule, Node

from compiler.frontend.functions import function_origins, is_inside


def compute_exactly(module: GraphModule) -> None:
    """To be called before quantisation."""
    _ExactFunctions(module).rewrite()
    module.graph.eliminate_dead_code()
    module.recompile()


class _ExactFunctions:
    def __init__(self, module: GraphModule):
        self.graph = module.graph
        self.origins = function_origins(self.graph)
        self.sources: dict[Node, set[Node]] = {}
        self.copies: dict[Node, Node] = {}

    def rewrite(self) -> None:
        for node, origin in list(self.origins.items()):
            self.sources[node] = self._sources(node)
            if len(self.sources[node]) > 1 and any(is_inside(each, self.origins) for each in (node, *node.all_input_nodes)):
                self._compute_exactly(node, origin)

    def _sources(self, node: Node) -> set[Node]:
        """The tensors, of int8 later, that the node is a function of."""
        operands = node.all_input_nodes
        return set().union(*(self.sources[each] if is_inside(each, self.origins) else {each} for each in operands))

    def _compute_exactly(self, node: Node, origin: Node) -> None:
        for operand in node.all_input_nodes:
            node.replace_input_with(operand, self._exact(operand, node))
        self.sources[node] = {origin}

    def _exact(self, node: Node, reader: Node) -> Node:
        """What computes the node's value from the origin with nothing rounded in between, before the reader does."""
        origin = self.origins.get(node)
        if origin is None or (is_inside(node, self.origins) and self.sources[node] == {origin}):
            return node
        if node not in self.copies:
            operands = {operand: self._exact(operand, reader) for operand in node.all_input_nodes}
            with self.graph.inserting_before(reader):
                copy = self.graph.node_copy(node, operands.__getitem__)
            self.copies[node], self.origins[copy], self.sources[copy] = copy, origin, {origin}
        return self.copies[node]
