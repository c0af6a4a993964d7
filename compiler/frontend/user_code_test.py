import os
import sys
from pathlib import Path

import pytest

from compiler.errors import CompileError
from compiler.frontend.user_code import UserCode


@pytest.fixture(autouse=True)
def workspace(tmp_path, monkeypatch) -> Path:
    (tmp_path / "models/kws").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, text: str) -> None:
    Path(path).write_text(text)


def value(reference: str, *sources: str):
    with UserCode(sources) as code:
        return code.run(code.function(reference))


def test_a_module_is_found_beside_its_source_and_by_its_path():
    write("models/kws/kws.py", "def f(): return __name__")
    assert value("kws:f", "models/kws/kws.py") == "kws"
    assert value("models.kws.kws:f", "models/kws/kws.py") == "models.kws.kws"


def test_a_module_imports_its_neighbours_and_others_by_their_path():
    write("models/layers.py", "size = 3")
    write("models/kws/labels.py", "count = 4")
    write("models/kws/kws.py", "import labels\nfrom models.layers import size\ndef f(): return size * labels.count")
    assert value("kws:f", "models/kws/kws.py") == 12


def test_a_changed_file_is_read_again_even_within_its_time_stamp():
    write("models/kws/kws.py", "def f(): return 1")
    stamp = os.stat("models/kws/kws.py")
    assert value("kws:f", "models/kws/kws.py") == 1
    write("models/kws/kws.py", "def f(): return 2")
    os.utime("models/kws/kws.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert value("kws:f", "models/kws/kws.py") == 2


def test_nothing_is_left_behind():
    write("models/kws/helper.py", "")
    write("models/kws/kws.py", "import helper\ndef f(): pass")
    before, finders = set(sys.modules), list(sys.meta_path)
    value("kws:f", "models/kws/kws.py")
    assert set(sys.modules) == before
    assert sys.meta_path == finders
    assert not Path("models/kws/__pycache__").exists()


def test_two_models_of_one_module_name_do_not_meet():
    Path("other").mkdir()
    write("models/kws/kws.py", "def f(): return 'first'")
    write("other/kws.py", "def f(): return 'second'")
    assert value("kws:f", "models/kws/kws.py") == "first"
    assert value("kws:f", "other/kws.py") == "second"


def test_files_beside_the_source_are_found_through_its_path():
    write("models/kws/weights.txt", "42")
    write("models/kws/kws.py", "import pathlib\ndef f(): return pathlib.Path(__file__).with_name('weights.txt').read_text()")
    assert value("kws:f", "models/kws/kws.py") == "42"


def test_an_error_names_the_users_innermost_line():
    write("models/kws/helper.py", "import json\ndef g():\n    return json.loads('{')")
    write("models/kws/kws.py", "import helper\ndef f(): return helper.g()")
    with pytest.raises(CompileError, match=r"^models/kws/helper.py:3: JSONDecodeError: "):
        value("kws:f", "models/kws/kws.py")


def test_the_innermost_source_of_a_stack_trace_is_the_users():
    write("models/kws/kws.py", "def f(): pass")
    with UserCode(["models/kws/kws.py"]) as code:
        code.function("kws:f")
        own = Path("models/kws/kws.py").resolve()
        trace = f'File "{own}", line 16, in forward\n    x\n  File "/lib/torch/nn/conv.py", line 553, in forward\n    y'
        assert str(code.innermost_source(trace)) == "models/kws/kws.py:16"
        assert code.innermost_source('File "/lib/torch/nn/conv.py", line 553, in forward') is None
        assert code.innermost_source(None) is None
