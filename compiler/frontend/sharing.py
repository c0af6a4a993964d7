"""Says of each tensor and each of its readers in an annotated model whose scale it has, so that PT2E need not work it out.

PT2E follows who shares with whom from one to the next, and where concats read each other's results it runs in circles. Here all
that share are found first; then the first of them alone says how it is quantised, and the others share with that one.
"""

from collections.abc import Hashable, Iterable, Mapping

from torch.fx import Graph, Node
from torchao.quantization.pt2e.quantizer import (
    FixedQParamsQuantizationSpec,
    QuantizationAnnotation,
    QuantizationSpecBase,
    SharedQuantizationSpec,
)

from compiler.frontend.inline import TWIN

ANNOTATION = "quantization_annotation"

Place = Node | tuple[Node, Node]
"""A node's result, or (operand, reader): the operand as that node reads it."""


def share_directly(graph: Graph, states: Iterable[tuple[Node, Node]] = ()) -> None:
    """Rewrites the annotations of all nodes. A tensor and its readers share a scale if they are to be quantised alike; so do twins.

    So do, whoever reads them, the two tensors of each pair in `states`: what a state is before a run, and the view that it is after it.
    Where they share with nothing else they take the fixed parameters, if any, of what the view is made of.
    """
    specs = _specs(graph)
    sharers = _Sharers()
    for place, spec in specs.items():
        if isinstance(spec, SharedQuantizationSpec):
            sharers.join(place, spec.edge_or_node)
        sharers.join(place, (_tensor(place), wished_spec(spec)))
    twins: dict[Hashable, Place] = {}
    for place in specs:
        sharers.join(place, twins.setdefault(_among_twins(place), place))
    results = {}
    for before, after in states:
        places = [place for place in specs if _tensor(place) in (before, after)]
        for place in places:
            sharers.join(place, after)
        results[after] = before
    groups: dict[Hashable, list[Place]] = {}
    for place in specs:
        groups.setdefault(sharers.representative(place), []).append(place)
    for first, *others in groups.values():
        spec = _fixed_of_state([first, *others], results) or wished_spec(specs[first])
        for other in others:
            _annotate(other, SharedQuantizationSpec(first))
        _annotate(first, spec)


def _fixed_of_state(places: list[Place], befores: Mapping[Node, Node]) -> QuantizationSpecBase | None:
    made_of = {after.args[0]: after for after in befores if after in places}
    own = {*made_of.values(), *(befores[after] for after in made_of.values())}
    if not all(_tensor(place) in own or (isinstance(place, tuple) and place[1] in own) for place in places):
        return None
    annotations = (tensor.meta.get(ANNOTATION) for tensor in made_of)
    fixed = {wished_spec(annotation.output_qspec) if annotation else None for annotation in annotations}
    (spec,) = fixed if len(fixed) == 1 else (None,)
    return spec if isinstance(spec, FixedQParamsQuantizationSpec) else None


def _tensor(place: Place) -> Node:
    return place[0] if isinstance(place, tuple) else place


def _among_twins(place: Place) -> Hashable:
    """What the place has in common with its twins, if it has any (inline.py)."""
    operand, node = place if isinstance(place, tuple) else (None, place)
    twin = node.meta.get(TWIN)
    return place if twin is None else (twin, operand and node.all_input_nodes.index(operand))


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
