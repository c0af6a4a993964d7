"""Says of each tensor and each of its readers in an annotated model whose scale it has, so that PT2E need not work it out.

PT2E follows who shares with whom from one to the next, and where concats read each other's results it runs in circles. Here all
that share are found first; then the first of them alone says how it is quantised, and the others share with that one.
"""

from collections.abc import Hashable

from torch.fx import Graph, Node
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpecBase, SharedQuantizationSpec

ANNOTATION = "quantization_annotation"

Place = Node | tuple[Node, Node]
"""A node's result, or (operand, reader): the operand as that node reads it."""


def share_directly(graph: Graph) -> None:
    """Rewrites the annotations of all nodes. A tensor and its readers share a scale if they are to be quantised alike."""
    specs = _specs(graph)
    sharers = _Sharers()
    for place, spec in specs.items():
        if isinstance(spec, SharedQuantizationSpec):
            sharers.join(place, spec.edge_or_node)
        tensor = place[0] if isinstance(place, tuple) else place
        sharers.join(place, (tensor, wished_spec(spec)))
    firsts: dict[Hashable, Place] = {}
    for place, spec in specs.items():
        first = firsts.setdefault(sharers.representative(place), place)
        _annotate(place, wished_spec(spec) if first == place else SharedQuantizationSpec(first))


def wished_spec(spec: QuantizationSpecBase | None) -> QuantizationSpecBase | None:
    """How something is quantised that may share with something else."""
    while isinstance(spec, SharedQuantizationSpec):
        operand, reader = spec.edge_or_node
        spec = reader.meta[ANNOTATION].input_qspec_map[operand]
    return spec


def _specs(graph: Graph) -> dict[Place, QuantizationSpecBase]:
    specs: dict[Place, QuantizationSpecBase] = {}
    for node in graph.nodes:
        annotation: QuantizationAnnotation | None = node.meta.get(ANNOTATION)
        if annotation is None:
            continue
        specs |= {(operand, node): spec for operand, spec in annotation.input_qspec_map.items()}
        if annotation.output_qspec is not None:
            specs[node] = annotation.output_qspec
    return specs


def _annotate(place: Place, spec: QuantizationSpecBase) -> None:
    if isinstance(place, tuple):
        operand, reader = place
        reader.meta[ANNOTATION].input_qspec_map[operand] = spec
    else:
        reader = place
        reader.meta[ANNOTATION].output_qspec = spec
    reader.meta[ANNOTATION].allow_implicit_sharing = False


class _Sharers:
    """Sets of things that share, of which each has a representative."""

    def __init__(self) -> None:
        self.parents: dict[Hashable, Hashable] = {}

    def join(self, first: Hashable, second: Hashable) -> None:
        self.parents[self.representative(first)] = self.representative(second)

    def representative(self, thing: Hashable) -> Hashable:
        while (parent := self.parents.get(thing, thing)) != thing:
            thing = parent
        return thing
