"""Calibration data: where samples come from, and what is asked of each."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
import torch.utils._pytree as pytree

from compiler.errors import CompileError
from compiler.frontend.capture import Captured, Sample, call_arguments
from compiler.frontend.streams import RESET, Item
from compiler.frontend.user_code import UserCode

# Of a .npz for a model with state: not zero where a sequence begins.
RESETS = "reset"


def calibration_samples(origin: str, code: UserCode, captured: Captured) -> Iterator[Item]:
    """The samples that `origin` names, each with the shapes and dtypes of the example inputs.

    origin: "module:function" whose result yields per sample what the example inputs are: a tensor, or tuples and dicts of tensors;
    or a .npz with one array per input (its only array, if the model has one input), samples along the first axis; or a folder of
    .npy or .npz files, one per sample, read in order of name. Axes of size 1, such as the batch, may be missing in files.
    Samples for a model with state follow each other in time: see streams.py. Where a sequence begins, the function yields None in
    front of the sample, the .npz has something else than 0 in an array `reset` [samples], and a folder has a folder for each.
    For a model of several methods the function returns a dict of samples by method, or origin is a folder that holds a .npz or a
    folder named after each.
    Raises CompileError if there is no sample, or one with another number of inputs, another shape, or a value that is not finite,
    or if an input is zero in all samples: of such a one no range can be learnt.
    """
    count = 0
    zero = set(captured.input_names)
    for sample in _samples(origin, code, captured):
        if sample is RESET:
            yield RESET
            continue
        count += 1
        tensors = checked(sample, f"calibration sample {count - 1}", captured)
        zero -= {name for name, tensor in zip(captured.input_names, tensors) if tensor.any()}
        yield tensors
    if count == 0:
        raise CompileError(f"calibration data {origin} is empty")
    for name in captured.input_names:
        if name in zero:
            raise CompileError(f"calibration data {origin}: input {name} is zero in all samples, so that its range cannot be learnt")


def archive_samples(path: Path, captured: Captured, beside: str = "") -> Iterator[Item]:
    """The samples of a .npz as above; `beside` names an array that is no input. Raises CompileError."""
    index = 0
    for sample in _archive(path, captured, beside):
        yield RESET if sample is RESET else checked(sample, f"{path}: sample {index}", captured)
        index += sample is not RESET


def _samples(origin: str, code: UserCode, captured: Captured) -> Iterator[Sequence | None]:
    if ":" in origin:
        return _yielded(origin, code, captured)
    path = Path(origin)
    if not captured.alone:
        archive = path / f"{captured.method}.npz"
        path = archive if archive.exists() else path / captured.method
    if not path.exists():
        raise CompileError(f"calibration data {path} does not exist")
    if path.is_dir():
        return _folder(path, captured)
    if path.suffix == ".npz":
        return _archive(path, captured)
    raise CompileError(f"calibration data {origin} is neither a .npz nor a folder nor module:function")


def _yielded(origin: str, code: UserCode, captured: Captured) -> Iterator[Sequence | None]:
    samples = code.samples(origin)
    if not captured.alone:
        if not isinstance(samples, Mapping) or captured.method not in samples:
            raise CompileError(
                f"calibration data {origin} must be a dict of samples by method, with {captured.method} among them"
            )
        samples = samples[captured.method]
    for item in code.iterate(samples):
        yield RESET if is_reset(item, origin, captured) else tensors_of(item, origin, captured)


def is_reset(item: object, origin: str, captured: Captured) -> bool:
    """Whether what a function has yielded, None, says that a sequence of a model with state begins. Raises CompileError for another model."""
    if item is None and not captured.states:
        raise CompileError(f"{origin}: a sample is None, which says where a sequence of a model with state begins; this model has no state")
    return item is None


def tensors_of(item: object, origin: str, captured: Captured) -> Sequence:
    """A sample's tensors in the order of the model's inputs, yet to be checked. Raises CompileError if it is built otherwise."""
    if isinstance(item, Mapping) and item.keys() == set(captured.input_names):
        return [item[name] for name in captured.input_names]
    arguments = call_arguments(item)
    try:
        return captured.structure.flatten_up_to(arguments)
    except ValueError as error:
        leaves = pytree.tree_leaves(arguments)
        if len(leaves) != len(captured.examples):
            return leaves  # whose number is refused
        raise CompileError(
            f"calibration data {origin}: a sample is not built of tuples and dicts as the example inputs are"
        ) from error


def _folder(folder: Path, captured: Captured) -> Iterator[Sequence | None]:
    for file in sorted(folder.iterdir()):
        if file.is_dir() and captured.states:
            yield RESET
            yield from _folder(file, captured)
        if file.suffix == ".npy":
            yield (_shaped(_load(file), captured.examples[0]),)
        elif file.suffix == ".npz":
            yield tuple(map(_shaped, _arrays(file, _load(file), captured), captured.examples))


def _archive(path: Path, captured: Captured, beside: str = "") -> Iterator[Sequence | None]:
    archive = _load(path)
    resets = archive.pop(RESETS, None) if captured.states else None
    arrays = _arrays(path, archive, captured, beside)
    if any(array.ndim == 0 for array in arrays):
        raise CompileError(f"the arrays of {path} must have samples along their first axis")
    if len({len(array) for array in arrays}) > 1:
        raise CompileError(f"the arrays of {path} hold different numbers of samples")
    if resets is not None and resets.shape != arrays[0].shape[:1]:
        raise CompileError(f"{path}: {RESETS} must have one number for each of the {len(arrays[0])} samples, not {list(resets.shape)}")
    for index, rows in enumerate(zip(*arrays)):
        if resets is not None and resets[index]:
            yield RESET
        yield tuple(map(_shaped, rows, captured.examples))


def _load(file: Path) -> np.ndarray | dict[str, np.ndarray]:
    """The array of a .npy, the arrays of a .npz by name."""
    try:
        loaded = np.load(file, allow_pickle=False)
        arrays = dict(loaded) if hasattr(loaded, "files") else loaded
        if isinstance(arrays, dict) != (file.suffix == ".npz"):
            raise ValueError("it is not of the kind that its name says")
        return arrays
    except OSError as error:
        raise CompileError(f"cannot read {file}: {error.strerror or error}") from error
    except Exception as error:  # of many kinds, from several libraries, for a file that is damaged
        raise CompileError(f"cannot read {file}: {error}") from error


def _arrays(file: Path, archive: dict[str, np.ndarray], captured: Captured, beside: str = "") -> list[np.ndarray]:
    names = captured.input_names
    there = [name for name in archive if name != beside]
    if len(names) == len(there) == 1:
        return [archive[there[0]]]
    missing = [name for name in names if name not in there]
    if missing:
        raise CompileError(f"{file} has no array {missing[0]}, only {', '.join(there) or 'none'}")
    return [archive[name] for name in names]


def _shaped(array: np.ndarray, example: torch.Tensor) -> np.ndarray:
    """With the axes of size 1 that the example has, if nothing else is between them."""

    def sizes(shape: Sequence[int]) -> list[int]:
        return [size for size in shape if size != 1]

    return array.reshape(tuple(example.shape)) if sizes(array.shape) == sizes(example.shape) else array


def checked(sample: Sequence, which: str, captured: Captured) -> Sample:
    """The sample, which errors call `which`, as tensors of the model's inputs. Raises CompileError if it does not suit them."""
    names, examples = captured.input_names, captured.examples
    if len(sample) != len(examples):
        raise CompileError(f"{which} has {len(sample)} inputs; the model takes {len(examples)}")
    return tuple(_tensor(value, which, name, example) for value, name, example in zip(sample, names, examples))


def _tensor(value: object, which: str, name: str, example: torch.Tensor) -> torch.Tensor:
    try:
        tensor = torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise CompileError(f"{which}: input {name} is no array of numbers") from error
    if tensor.is_complex():
        raise CompileError(f"{which}: input {name} is complex; give real and imaginary parts as inputs or channels of their own")
    tensor = tensor.to(example.dtype)
    if tensor.shape != example.shape:
        raise CompileError(f"{which}: input {name} has shape {list(tensor.shape)}; the model takes {list(example.shape)}")
    if not torch.isfinite(tensor).all():
        raise CompileError(f"{which}: input {name} holds NaN or infinity")
    return tensor
