import dataclasses

import numpy as np

from compiler.planner.plan import plan_memory
from compiler.program import ProgramState
from compiler.pte.assemble import assemble
from compiler.pte.contents import KernelCall, ScalarType
from compiler.testing_program import program, step


def test_equal_values_and_constants_of_a_program_are_there_once():
    chain = program(
        {"x": 64, "a": 64, "b": 64, "y": 64},
        [
            step(name, [source], [result], leads=[0])
            for name, source, result in (("p", "x", "a"), ("q", "a", "b"), ("r", "b", "y"))
        ],
        ["x"],
        ["y"],
    )
    contents = assemble(chain, plan_memory(chain))
    (method,) = contents.methods
    assert contents.constants == (b"params",)
    assert len(method.values) == 2, "one tensor that is rewritten in place, one params constant"
    assert method.operators == ("kindling::copy_s8",)
    assert method.calls == (KernelCall(0, (0, 1, 0)),) * 3


def test_arguments_are_inputs_params_scratch_outputs():
    two = program(
        {"x": 16, "a": 32, "y": 48},
        [
            step("p", ["x"], ["a"], kernel="pad_s8", params=b"1"),
            step("q", ["a", "x"], ["y"], kernel="linear_s8", params=b"2", scratch_bytes=8),
        ],
        ["x"],
        ["y"],
    )
    (method,) = assemble(two, plan_memory(two)).methods
    assert method.operators == ("kindling::pad_s8", "kindling::linear_s8")
    sizes = [[method.values[argument].sizes for argument in call.arguments] for call in method.calls]
    assert sizes == [[(16,), (1,), (32,)], [(32,), (16,), (1,), (8,), (48,)]]
    assert [method.values[call.arguments[-2]].scalar_type for call in method.calls] == [ScalarType.BYTE, ScalarType.BYTE]


def test_state_has_the_last_memory_and_its_first_values_unless_they_are_zeros():
    plain = program({"x": 16, "s": 8, "t": 8, "y": 16}, [step("p", ["s", "t", "x"], ["y"])], ["x"], ["y"])
    ones, zeros = np.ones(8, np.int8), np.zeros(8, np.int8)
    states = tuple(ProgramState(name, name, name, plain.tensors[name], (0,), first) for name, first in (("t", ones), ("s", zeros)))
    kept = dataclasses.replace(plain, states=states)
    contents = assemble(kept, plan_memory(kept))
    (method,) = contents.methods
    assert method.memory_bytes == (32, 24) and contents.first_values == (bytes(ones),)
    s, t = (method.values[index] for index in method.calls[0].arguments[:2])
    assert [(value.memory, value.offset, value.first) for value in (s, t)] == [(1, 16, None), (1, 0, None)]
    assert [value for value in method.values if value.constant is None and value.first is not None] == [dataclasses.replace(t, first=0)]
