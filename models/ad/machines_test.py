"""Machines sound the same for the same seed, and each fault is audible."""

import numpy as np
import pytest

from models.ad import machines


@pytest.mark.parametrize("machine", [machines.healthy, *machines.FAULTS], ids=lambda machine: machine.__name__)
def test_a_sound_depends_on_the_seed_alone_and_does_not_clip(machine) -> None:
    first, again, other = (machine(np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first.shape == (machines.SAMPLES,) and first.dtype == np.float32
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert np.abs(first).max() > 0.1 and np.mean(np.abs(first) == 1) < 0.01


def test_a_worn_motor_has_its_lowest_note_lower() -> None:
    def lowest_note(sound: np.ndarray) -> float:
        spectrum = np.abs(np.fft.rfft(sound))[: 40 * machines.SECONDS]
        return spectrum.argmax() / machines.SECONDS

    assert 27.5 < lowest_note(machines.healthy(np.random.default_rng(1))) < 32.5
    assert 16.5 < lowest_note(machines.worn_motor(np.random.default_rng(1))) < 23.5
