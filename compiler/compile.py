"""The compiler's two stages, from files to files."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.elide import elide
from compiler.errors import CompileError
from compiler.graph_file import graph_bytes, read_graph
from compiler.ir import Graph
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.planner.best import plan_best
from compiler.planner.regions import SRAM, Memory
from compiler.pte.assemble import assemble
from compiler.pte.writer import pte_bytes
from compiler.reports import ops_json, plan_json
from kernels.operator import Tier
from kernels.registry import OPERATORS

if TYPE_CHECKING:
    from compiler.frontend.build_graph import ModelRequest


@dataclasses.dataclass(frozen=True)
class LoweringRequest:
    """How to lower a graph. `dump` is a folder for the graph's text after each pass; for `placement` see plan_memory."""

    tier: Tier
    int8_io: bool = True
    memory: Memory = (SRAM,)
    placement: Mapping[str, str] = dataclasses.field(default_factory=dict)
    dump: Path | None = None


@dataclasses.dataclass(frozen=True)
class Compiled:
    """The contents of the output files."""

    pte: bytes
    ops: str
    plan: str


def build(request: "ModelRequest") -> Graph:
    """First stage: the user's model as a quantised graph. Imports torch."""
    from compiler.frontend.build_graph import build_graph

    return build_graph(request)


def lower_graph(graph: Graph, request: LoweringRequest) -> Compiled:
    """Second stage: the graph as a .pte for one tier. Does not need torch. Raises CompileError."""
    graph = run_passes(graph, int8_io=request.int8_io, dump=request.dump)
    program = lower(graph, request.tier, OPERATORS)
    program, plan = plan_best(
        program, request.memory, request.placement, lambda program, layers: elide(program, OPERATORS, layers)
    )
    contents = assemble(program, plan)
    pte = pte_bytes(contents)
    return Compiled(pte, ops_json(program, contents), plan_json(program, plan, contents, pte))


def load_graph(path: Path) -> Graph:
    try:
        return read_graph(path.read_bytes())
    except OSError as error:
        raise CompileError(f"cannot read {path}: {error.strerror}") from error


def save_graph(path: Path, graph: Graph) -> None:
    path.write_bytes(graph_bytes(graph))
