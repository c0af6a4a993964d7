"""Runs pytest on the files it is given, as a Bazel test."""

import os
import sys

import pytest

if __name__ == "__main__":
    os.environ.setdefault("CI", "true")  # For Hypothesis: the same examples at every run, and no deadlines.
    options = ["-p", "no:cacheprovider", "--import-mode=importlib", "-ra", "--color=no", "--durations=3"]
    if report := os.environ.get("XML_OUTPUT_FILE"):
        options.append(f"--junitxml={report}")
    if words := os.environ.get("TESTBRIDGE_TEST_ONLY"):
        options += ["-k", words]
    sys.exit(pytest.main(options + sys.argv[1:]))
