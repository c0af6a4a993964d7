"""Quantisation-aware training: a model that feels in training what int8 will do to it, and that the compiler takes as it is.

    model = qat.prepare(trained_model, example_inputs())      # in a training script
    for x, label in batches: ...                              # any PyTorch training loop; ranges are learnt along the way
    torch.save(qat.freeze(model).state_dict(), "weights.pt")

    def build_model():                                        # the entry function of pte_model
        model = qat.prepare(Model(), example_inputs())
        model.load_state_dict(torch.load("weights.pt"))
        return model

It fine-tunes a model that is trained already: batch norms are folded into the layers before them, and dropout is gone.
Calibration data is not asked for: scales and zero points are those that training ended with.
"""

import copy
import types

import torch
from torch.fx import GraphModule
from torchao.quantization.pt2e.fake_quantize import disable_observer
from torchao.quantization.pt2e.quantize_pt2e import prepare_qat_pt2e

from compiler.errors import CompileError
from compiler.frontend.capture import TRAINED, capture_module
from compiler.frontend.float_rewrites import fold_batch_norms, rewrite_float
from compiler.frontend.masks import TRAINING_DEPTH, fill_masks
from compiler.frontend.quantiser import TRAINING, Int8Quantiser
from compiler.frontend.user_code import UserCode


def prepare(model: torch.nn.Module, example_inputs: object) -> GraphModule:
    """The model with fake quantisation: every activation and weight is rounded as int8 would be, and gradients pass through.

    example_inputs: as the compiler's, a tensor, a tuple of arguments or a dict of them by name; the model then takes inputs of
    these shapes only, batch included. Weights are copies: the given model stays as it is.
    Raises CompileError where the model cannot be compiled.
    """
    code = UserCode(())
    captured = capture_module(code, copy.deepcopy(model), example_inputs, "example_inputs")
    if captured.states:
        raise CompileError(f"it changes the buffer {captured.states[0].name}: a model with state cannot be trained for int8, only calibrated")
    rewrite_float(captured.module, code)
    fill_masks(captured.module, lambda _: TRAINING_DEPTH)
    fold_batch_norms(captured.module)
    prepared = prepare_qat_pt2e(captured.module, Int8Quantiser(TRAINING))
    prepared.meta[TRAINED] = captured
    # PT2E forbids both, as they would not change an exported model; here nothing is left that they could change.
    prepared.train = types.MethodType(lambda self, mode=True: self, prepared)
    prepared.eval = types.MethodType(lambda self: self, prepared)
    return prepared


def freeze(model: GraphModule) -> GraphModule:
    """Ends the learning of ranges: scales and zero points stay as they are, whatever the model is run on. Returns the model."""
    return model.apply(disable_observer)
