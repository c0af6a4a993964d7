"""Writes the sources that turn a compiled model into part of a firmware: its header, its code and the object that holds its data.

    generate --name kws --mode interpreted --pte kws.pte --ops kws.ops.json --plan kws.plan.json \\
        --header model.h --table model.cc --blob model_blob.S

With --observed the code also tells of every step it runs: see observer.h.

The header declares namespace <name>: shapes, quantisation and memory of the model, and functions to run it. The code refers to
exactly the kernels that ops.json lists; nothing else in a firmware refers to a kernel.
"""

import argparse
import pathlib
import sys

from runtime.firmware import baked, interpreted, upstream
from runtime.firmware.built_model import GenerateError, read_model

_MODES = {"baked": baked, "interpreted": interpreted}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", required=True, help="name of the model")
    parser.add_argument("--mode", choices=_MODES, default="interpreted", help="how the firmware holds the model")
    parser.add_argument("--observed", action="store_true", help="let the code tell of every step it runs")
    parser.add_argument("--verification", choices=("none", "structure", "full"), default="structure", help="what is checked of a .pte")
    parser.add_argument("--checksums", action="store_true", help="hold the .pte against its checksums first")
    files = {"pte": "the model", "ops": "its operators", "plan": "its memory plan"}
    files |= {"header": "header to write", "table": "C++ source to write", "blob": "assembler source to write"}
    for flag, what in files.items():
        parser.add_argument(f"--{flag}", type=pathlib.Path, required=True, help=what)
    arguments = parser.parse_args()
    try:
        model = read_model(
            name=arguments.name,
            pte=arguments.pte,
            ops=arguments.ops,
            plan=arguments.plan,
            observed=arguments.observed,
            verification=arguments.verification,
            checksums=arguments.checksums,
        )
        mode = upstream if model.is_upstream else _MODES[arguments.mode]
        arguments.header.write_text(mode.header(model))
        arguments.table.write_text(mode.source(model))
        arguments.blob.write_text(mode.blob(model))
    except GenerateError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
