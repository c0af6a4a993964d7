#!/usr/bin/env python3
"""What CI runs on a clean clone: README's commands, then the tests that run Bazel themselves. Ends with `N passed, N failed`."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

WORKSPACE = pathlib.Path(__file__).resolve().parents[1]


def bazelw(*arguments: str) -> bool:
    """Runs ./bazelw with --config=ci; True if it succeeds."""
    command, *rest = arguments
    print(f"+ ./bazelw {' '.join(arguments)}", flush=True)
    start = time.monotonic()
    done = subprocess.run([WORKSPACE / "bazelw", command, "--config=ci", *rest], cwd=WORKSPACE, check=False)
    print(f"  took {time.monotonic() - start:.0f} s", flush=True)
    return done.returncode == 0


def test(*targets: str) -> tuple[int, int]:
    """Runs tests; returns how many passed and how many did not (a failed build counts as one more)."""
    with tempfile.NamedTemporaryFile(suffix=".json") as events:
        succeeded = bazelw("test", f"--build_event_json_file={events.name}", *targets)
        outcomes = [
            event["testSummary"]["overallStatus"]
            for event in map(json.loads, pathlib.Path(events.name).read_text().splitlines())
            if "testSummary" in event
        ]
    passed = sum(outcome in ("PASSED", "FLAKY") for outcome in outcomes)
    failed = len(outcomes) - passed
    return passed, failed if succeeded or failed else 1


def main() -> int:
    commands = (
        ("build", "//models/kws:firmware", "--platforms=//platforms:m55"),
        ("run", "//models/kws:simulate", "--", "models/kws/testdata/yes.wav"),
    )
    results = [(1, 0) if bazelw(*command) else (0, 1) for command in commands]
    results += [test("//..."), test("//tests/nested")]
    passed, failed = (sum(column) for column in zip(*results))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
