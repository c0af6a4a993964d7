"""Runs the user's Python: imports it afresh each time, leaves nothing of it behind, and says which of its lines went wrong."""

import importlib.machinery
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, TypeVar

from compiler.errors import CompileError, Source

T = TypeVar("T")


class _UncachedLoader(importlib.machinery.SourceFileLoader):
    """Compiles the source each time: a .pyc is trusted by its time stamp alone, which two quick edits can share."""

    def get_code(self, fullname: str) -> Any:
        return self.source_to_code(self.get_data(self.path), self.path)


def _functions(code: CodeType) -> set[tuple[str, str]]:
    """(file, name) of everything that is defined in the code, however deep."""
    nested = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return {(code.co_filename, code.co_name)}.union(*map(_functions, nested))


class UserCode:
    """A context in which modules below `roots` can be imported; when it ends they are forgotten.

    `sources` are the files of the model, relative to the workspace, which is the working directory. A module is found by its
    path from the workspace ("models.kws.kws"), or by its bare name beside a source file of that name ("kws").
    """

    def __init__(self, sources: Sequence[str]):
        self.sources = [Path(source) for source in sources]
        self.roots = [os.getcwd()]
        self.modules: set[str] = set()
        self.files: set[str] = set()

    @property
    def functions(self) -> set[tuple[str, str]]:
        """(file, name) of all functions in the modules imported so far."""
        codes = (compile(Path(file).read_bytes(), file, "exec") for file in sorted(self.files))
        return set().union(*map(_functions, codes))

    def __enter__(self) -> "UserCode":
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_: Any) -> None:
        sys.meta_path.remove(self)
        for name in self.modules:
            sys.modules.pop(name, None)
        importlib.invalidate_caches()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """For the import system: serves modules below the roots, and the parts of packages that were served."""
        if path is not None and name.rpartition(".")[0] not in self.modules:
            return None
        for folder in self.roots if path is None else path:
            finder = importlib.machinery.FileFinder(folder, (_UncachedLoader, [".py"]))
            spec = finder.find_spec(name)
            if spec is not None:
                self.modules.add(name)
                if spec.origin:
                    self.files.add(spec.origin)
                return spec
        return None

    def function(self, reference: str) -> Callable[..., Any]:
        """The function that "module:name" refers to."""
        module_name, colon, name = reference.partition(":")
        if not (module_name and colon and name):
            raise CompileError(f"{reference!r} is no reference to a function; write module:function")
        module = self.run(lambda: self._module(module_name))
        function = getattr(module, name, None)
        if not callable(function):
            raise CompileError(f"{self._relative(module.__file__)} has no function {name}")
        return function

    def _module(self, name: str) -> ModuleType:
        beside = [source for source in self.sources if source.stem == name]
        self.roots = [os.path.abspath(source.parent) for source in beside] + [os.getcwd()]
        try:
            found = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            found = None
        if found is None:
            known = f"; the sources are {' '.join(map(str, self.sources))}" if self.sources else ""
            raise CompileError(f"there is no module {name}{known}")
        return importlib.import_module(name)

    def run(self, action: Callable[[], T]) -> T:
        """What the action returns. An exception, sys.exit() too, becomes a CompileError at the user's line that raised it."""
        try:
            return action()
        except CompileError:
            raise
        except SyntaxError as error:
            source = Source(self._relative(error.filename), error.lineno or 1) if error.filename else None
            raise CompileError(f"syntax error: {error.msg}", source=source) from error
        except BaseException as error:
            raise CompileError(_reason(error), source=self._raised_at(error.__traceback__)) from error

    def samples(self, reference: str) -> Any:
        """What the function that "module:name" refers to returns: something that `iterate` takes, or a dict of such things."""
        function = self.function(reference)
        samples = self.run(function)
        if not hasattr(samples, "__iter__") and not hasattr(samples, "__getitem__"):
            raise CompileError(f"{reference} returned {type(samples).__name__}, not samples", source=self._defined_at(function))
        return samples

    def iterate(self, items: Iterable[T]) -> Iterable[T]:
        """The items of an iterable whose code is the user's."""
        iterator = self.run(lambda: iter(items))
        end = object()
        while (item := self.run(lambda: next(iterator, end))) is not end:
            yield item

    def know_files_of(self, stack_traces: Iterable[str | None]) -> None:
        """Takes the files in these stack traces for the user's, but for those of installed packages."""
        for trace in stack_traces:
            self.files.update(file for file, _ in _frames(trace) if "site-packages" not in Path(file).parts)

    def innermost_source(self, stack_trace: str | None) -> Source | None:
        """The user's line in a stack trace as torch.export notes it for each operator."""
        return self._innermost(_frames(stack_trace))

    def _raised_at(self, trace: TracebackType | None) -> Source | None:
        return self._innermost([(frame.filename, frame.lineno or 1) for frame in traceback.extract_tb(trace)])

    def _defined_at(self, function: Callable[..., Any]) -> Source | None:
        code = getattr(inspect.unwrap(function), "__code__", None)
        return self._innermost([(code.co_filename, code.co_firstlineno)]) if code else None

    def _innermost(self, frames: list[tuple[str, int]]) -> Source | None:
        own = [frame for frame in frames if frame[0] in self.files]
        if not own:
            return None
        file, line = own[-1]
        return Source(self._relative(file), line)

    def _relative(self, file: str | None) -> str:
        path = Path(file or "")
        return str(path.relative_to(os.getcwd())) if path.is_relative_to(os.getcwd()) else path.name


def _frames(stack_trace: str | None) -> list[tuple[str, int]]:
    return [(file, int(line)) for file, line in re.findall(r'File "([^"]+)", line (\d+)', stack_trace or "")]


def _reason(error: BaseException) -> str:
    first_line = next((line for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__
