"""A bounded run of libFuzzer on the runtime, from a real .pte and all that was ever found: it must not crash, hang or leave its memory."""

import pathlib
import re
import shutil
import subprocess

import pytest

_FOLDER = pathlib.Path("runtime/fuzz").absolute()
_SEED = _FOLDER / "small.scalar.pte"
_FOUND = sorted((_FOLDER / "found").glob("*.pte"))
_RUNS = {"full": 50_000, "structure": 100_000}


def _fuzz(verification: str, *arguments: object) -> str:
    """What libFuzzer says. Fails if it found anything."""
    command = [_FOLDER / f"{verification}.program", "-timeout=30", "-rss_limit_mb=2048", *arguments]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stderr


@pytest.mark.parametrize("verification", _RUNS)
def test_what_was_found_once_is_not_found_again(verification):
    said = _fuzz(verification, _SEED, *_FOUND)
    assert said.count("Executed ") == 1 + len(_FOUND)


@pytest.mark.parametrize("verification", _RUNS)
def test_nothing_is_found(verification, tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for file in (_SEED, *_FOUND):
        shutil.copy(file, corpus)
    runs = _RUNS[verification]
    said = _fuzz(verification, f"-runs={runs}", "-seed=1", "-max_len=8192", f"-artifact_prefix={tmp_path}/", corpus)
    executed = int(re.search(r"^Done (\d+) runs", said, re.MULTILINE)[1])
    first, *_, last = map(int, re.findall(r"cov: (\d+)", said))
    assert executed >= runs
    assert last > first + 50, "mutants reach code that the sound file does not"
