"""The program of `pte_accuracy_test`: prints a report of accuracy, and fails where int8 costs more than it may."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path


def verdict(report: dict, max_drop: float) -> tuple[bool, str]:
    """Whether the model passes, and why, in one line."""
    top1 = report["top1"]
    said = (
        f"int8 is right in {top1['int8']:.2%} of {top1['samples']} samples, float in {top1['float']:.2%}: "
        f"a drop of {top1['drop']:.2%}, where {max_drop:.2%} is allowed"
    )
    return top1["drop"] <= max_drop, said


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--max_drop", type=float, required=True, help="by how much int8 may be worse, as a fraction of all samples"
    )
    parser.add_argument("report", nargs=2, type=Path, help="the report as .json and .txt")
    options = parser.parse_args(arguments)
    files = {path.suffix: path.read_text() for path in options.report}
    passed, said = verdict(json.loads(files[".json"]), options.max_drop)
    print(files[".txt"])
    print(f"{'PASSED' if passed else 'FAILED'}: {said}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
