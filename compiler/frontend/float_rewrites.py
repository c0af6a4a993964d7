"""What happens to an exported model before it is quantised, by calibration or in training, or compiled as it is."""

from torch.fx import GraphModule
from torchao.quantization.pt2e.utils import _fuse_conv_bn_, _fuse_linear_bn_

from compiler.frontend.batch_axes import give_batch_axes
from compiler.frontend.composites import expand_composites
from compiler.frontend.decompose import decompose_moves
from compiler.frontend.fold_constants import fold_constants
from compiler.frontend.importer import check_operators
from compiler.frontend.in_place import write_nothing_in_place
from compiler.frontend.layer_operands import use_constant_weights
from compiler.frontend.masks import unify_masks
from compiler.frontend.normalise import batch_norms_as_convolutions, remove_identities, reshape_views, view_given_outputs
from compiler.frontend.pools import decompose_pools
from compiler.frontend.recurrent import unroll_recurrent
from compiler.frontend.resample import map_resampling
from compiler.frontend.user_code import UserCode


def rewrite_float(module: GraphModule, code: UserCode) -> None:
    """Raises CompileError at an operator that cannot be compiled."""
    write_nothing_in_place(module, code)
    fold_constants(module, code)
    remove_identities(module)
    map_resampling(module)
    unroll_recurrent(module, code)
    expand_composites(module, code)
    fold_constants(module, code)
    unify_masks(module, code)
    remove_identities(module)
    decompose_moves(module)
    decompose_pools(module)
    give_batch_axes(module)
    use_constant_weights(module, code)
    batch_norms_as_convolutions(module, code)
    view_given_outputs(module)
    reshape_views(module)
    check_operators(module, code)


def rewrite_converted(module: GraphModule, code: UserCode) -> None:
    """The same of what PT2E has converted: weights stay what they are. Raises CompileError likewise."""
    write_nothing_in_place(module, code)
    remove_identities(module)
    expand_composites(module, code)
    decompose_moves(module)
    check_operators(module, code)


def fold_batch_norms(module: GraphModule) -> None:
    """Into the layers before them: all that rewrite_float has left. PT2E does so itself when it calibrates."""
    _fuse_conv_bn_(module)
    _fuse_linear_bn_(module)
