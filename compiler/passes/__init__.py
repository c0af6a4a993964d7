"""The passes, in the order in which they run."""

from collections.abc import Callable
from pathlib import Path

from compiler.ir import Graph
from compiler.passes.align_ranks import align_ranks
from compiler.passes.coarsen_matmuls import coarsen_matmuls
from compiler.passes.convert_ports import convert_ports
from compiler.passes.copy_given import copy_given, drop_copies
from compiler.passes.expand_functions import expand_functions
from compiler.passes.fold_pads import fold_pads
from compiler.passes.fold_quantization import fold_quantization
from compiler.passes.fold_transposes import fold_transposes
from compiler.passes.fuse_clamps import fuse_clamps
from compiler.passes.fuse_functions import fuse_functions, fuse_int8_functions
from compiler.passes.gather_axes import gather_axes
from compiler.passes.means_to_pools import means_to_pools
from compiler.passes.merge_takes import merge_takes
from compiler.passes.narrow_concats import narrow_concats
from compiler.passes.nhwc import nhwc
from compiler.passes.normalise_pools import normalise_pools
from compiler.passes.remove_identities import remove_identities
from compiler.passes.settle_layouts import settle_layouts
from compiler.passes.share_constants import share_constants
from compiler.passes.share_nodes import share_nodes
from compiler.passes.turn_transposed import turn_transposed
from compiler.passes.widen_1d import widen_1d
from compiler.port_types import PortTypes

Pass = Callable[[Graph], Graph]

QUANTISED_PASSES: tuple[Pass, ...] = (
    remove_identities,
    fuse_functions,
    fuse_clamps,
    fold_quantization,
    remove_identities,
    coarsen_matmuls,
    fuse_int8_functions,
)
FLOAT_PASSES: tuple[Pass, ...] = (
    remove_identities,
    expand_functions,
)
LAYOUT_PASSES: tuple[Pass, ...] = (
    copy_given,
    means_to_pools,
    fold_pads,
    fold_transposes,
    fuse_clamps,
    align_ranks,
    merge_takes,
    widen_1d,
    turn_transposed,
    nhwc,
    settle_layouts,
    drop_copies,
    gather_axes,
    normalise_pools,
    remove_identities,
    share_constants,
    share_nodes,
    narrow_concats,
    copy_given,
)


def run_passes(graph: Graph, *, io: PortTypes = PortTypes(), dump: Path | None = None) -> Graph:
    """The graph as lowering wants it: operators on NHWC tensors, of int8 if the graph is quantised, else of float32.

    `io` is what inputs and outputs are to be. `dump` is a folder for the graph's text after each pass.
    """

    def ports(graph: Graph) -> Graph:
        return convert_ports(graph, io)

    passes = (*(QUANTISED_PASSES if graph.is_quantised else FLOAT_PASSES), ports, *LAYOUT_PASSES)
    if dump is not None:
        dump.mkdir(parents=True, exist_ok=True)
        (dump / "00_start.txt").write_text(str(graph))
    for number, pass_ in enumerate(passes, start=1):
        graph = pass_(graph)
        if dump is not None:
            (dump / f"{number:02}_{pass_.__name__}.txt").write_text(str(graph))
    return graph
