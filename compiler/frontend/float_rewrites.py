"""What happens to an exported model before it is quantised, whether by calibration or in training."""

from torch.fx import GraphModule

from compiler.frontend.decompose import decompose_moves
from compiler.frontend.importer import check_operators
from compiler.frontend.normalise import batch_norms_as_convolutions, remove_identities
from compiler.frontend.user_code import UserCode


def rewrite_float(module: GraphModule, code: UserCode) -> None:
    """Raises CompileError at an operator that cannot be compiled."""
    remove_identities(module)
    decompose_moves(module)
    batch_norms_as_convolutions(module)
    check_operators(module, code)
