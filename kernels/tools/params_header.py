"""Prints the C++ header of a family's parameter structs: `python3 -m kernels.tools.params_header kernels.conv2d.conv2d`."""

import importlib
import sys

from kernels.params import cpp_header


def main(arguments: list[str]) -> int:
    """`arguments`: the description's module, and a file to write to instead of the standard output."""
    module, *output = arguments
    header = cpp_header(importlib.import_module(module).PARAMS)
    if output:
        with open(output[0], "w", encoding="utf-8") as file:
            file.write(header)
    else:
        sys.stdout.write(header)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
