"""The compiler's two stages, from files to files."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.elide import elide
from compiler.errors import CompileError
from compiler.graph_file import graph_bytes, read_graphs
from compiler.ir import Graph
from compiler.keep_state import keep_state
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.planner.best import plan_best
from compiler.planner.plan import MemoryPlan, placeable
from compiler.planner.regions import SRAM, Memory
from compiler.port_types import PortTypes
from compiler.program import Program
from compiler.pte.assemble import assemble_methods
from compiler.pte.writer import pte_bytes
from compiler.reports import ops_json, plan_json
from kernels.operator import Tier
from kernels.registry import OPERATORS

if TYPE_CHECKING:
    from compiler.frontend.build_graph import ModelRequest


@dataclasses.dataclass(frozen=True)
class LoweringRequest:
    """How to lower a model's graphs. `dump` is a folder for the graphs' text after each pass; for `placement` see plan_memory.

    `method` is the one that ops and plan are of, by default the first.
    """

    tier: Tier
    io: PortTypes = PortTypes()
    memory: Memory = (SRAM,)
    placement: Mapping[str, str] = dataclasses.field(default_factory=dict)
    dump: Path | None = None
    method: str = ""


@dataclasses.dataclass(frozen=True)
class Compiled:
    """The contents of the output files."""

    pte: bytes
    ops: str
    plan: str


def build(request: "ModelRequest") -> tuple[Graph, ...]:
    """First stage: the user's model as graphs, one for each method. Imports torch."""
    from compiler.frontend.build_graph import build_graphs

    return build_graphs(request)


def lower_graph(graph: Graph, request: LoweringRequest) -> Compiled:
    return lower_graphs((graph,), request)


def lower_graphs(graphs: Sequence[Graph], request: LoweringRequest) -> Compiled:
    """Second stage: the graphs as the methods of a .pte for one tier. Does not need torch. Raises CompileError."""
    keeping = [graph.method for graph in graphs if graph.states]
    if len(keeping) > 1:
        raise CompileError(f"methods {' and '.join(keeping)} change buffers; only one method of a model may keep something from run to run")
    methods = {graph.method: _planned(graph, request, several=len(graphs) > 1) for graph in graphs}
    for name in request.placement:
        if not any(name in placeable(program) for program, _ in methods.values()):
            raise CompileError(f"{name} is to lie in region {request.placement[name]}, but no method has a layer or tensor of that name")
    ports = {port.name for graph in graphs for port in (*graph.called_inputs, *graph.called_outputs)}
    for name in request.io.named:
        if name not in ports:
            wish, known = request.io.of(name).dtype, ", ".join(sorted(ports))
            raise CompileError(f"{name} is to be {wish}, but no input or output has that name: they are {known}")
    main = request.method or graphs[0].method
    if main not in methods:
        raise CompileError(f"there is no method {main}, only {', '.join(methods)}")
    contents = assemble_methods(methods.values())
    pte = pte_bytes(contents)
    program, plan = methods[main]
    return Compiled(pte, ops_json(program, contents), plan_json(program, plan, contents, pte))


def _planned(graph: Graph, request: LoweringRequest, several: bool) -> tuple[Program, MemoryPlan]:
    dump = request.dump / graph.method if request.dump and several else request.dump
    program = keep_state(lower(run_passes(graph, io=request.io, dump=dump), request.tier, OPERATORS), OPERATORS)
    placement = {name: region for name, region in request.placement.items() if not several or name in placeable(program)}
    return plan_best(program, request.memory, placement, lambda program, layers: elide(program, OPERATORS, layers))


def load_graphs(path: Path) -> tuple[Graph, ...]:
    try:
        return read_graphs(path.read_bytes())
    except OSError as error:
        raise CompileError(f"cannot read {path}: {error.strerror}") from error
    except CompileError as error:
        raise CompileError(f"{path}: {error}") from error


def save_graphs(path: Path, graphs: Sequence[Graph]) -> None:
    path.write_bytes(graph_bytes(*graphs))
