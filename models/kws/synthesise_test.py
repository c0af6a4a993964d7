"""Synthesised speech is the same for the same seed, and held-out voices stay out of training. Needs espeak-ng for what speaks."""

import shutil

import numpy as np
import pytest

from models.kws import features, synthesise
from models.kws.labels import LABELS, WORDS

speaks = pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")


def test_no_voice_and_no_unseen_word_is_in_both_splits() -> None:
    assert set(synthesise.TRAINING_TIMBRES).isdisjoint(synthesise.HELD_OUT_TIMBRES)
    assert set(synthesise.OTHER_WORDS).isdisjoint(synthesise.UNSEEN_WORDS)
    assert set(WORDS).isdisjoint(synthesise.OTHER_WORDS + synthesise.UNSEEN_WORDS)


def test_each_split_draws_from_its_own_voices() -> None:
    rng = np.random.default_rng(1)
    for split, timbres in (("training", synthesise.TRAINING_TIMBRES), ("held_out", synthesise.HELD_OUT_TIMBRES)):
        drawn = {synthesise.utterance("yes", split, rng).voice.split("+")[1] for _ in range(1000)}
        assert drawn == set(timbres)


def test_noise_has_a_mean_square_of_one() -> None:
    for seed in range(20):
        assert np.mean(np.square(synthesise.noise(np.random.default_rng(seed)))) == pytest.approx(1.0)


def _timbre(name: str) -> np.ndarray:
    """MFCCs of two words in that timbre, all else being equal."""
    voice = f"en-us+{name}"
    speech = [synthesise.speak(synthesise.Utterance(word, voice, speed=150, pitch=50)) for word in ("right", "yes")]
    hiss = np.random.default_rng(0).standard_normal(features.SECOND) * 0.003
    return np.stack([features.mfcc(np.pad(word, (0, features.SECOND - word.size)) + hiss)[:30] for word in speech])


@speaks
def test_no_held_out_timbre_sounds_almost_like_one_of_training() -> None:
    training = np.stack([_timbre(name) for name in synthesise.TRAINING_TIMBRES])
    for name in synthesise.HELD_OUT_TIMBRES:
        distances = np.sqrt(np.mean(np.square(training - _timbre(name)), axis=(1, 2, 3)))
        assert distances.min() > 1.0, (name, synthesise.TRAINING_TIMBRES[distances.argmin()], distances.min())


@speaks
def test_no_held_out_voice_is_one_of_training_in_disguise() -> None:
    """espeak-ng ignores a timbre it cannot apply, and says nothing."""
    rng = np.random.default_rng(2)
    accents = {synthesise.utterance("yes", "held_out", rng).voice.split("+")[0] for _ in range(1000)}
    assert len(accents) == len(synthesise.ACCENTS)
    for accent in accents:
        said = [
            synthesise.speak(synthesise.Utterance("right", f"{accent}{timbre}", speed=150, pitch=50)).tobytes()
            for timbre in ("", *(f"+{timbre}" for timbre in synthesise.HELD_OUT_TIMBRES))
        ]
        assert len(set(said)) == len(said), accent


@speaks
def test_this_espeak_has_all_voices() -> None:
    synthesise.check_voices()


def hum(utterance: synthesise.Utterance) -> np.ndarray:
    """In place of speech, which espeak-ng does not always make the same way twice: a tone that depends on all that is said."""
    rng = np.random.default_rng(list(repr(utterance).encode()))
    return np.sin(np.arange(rng.integers(4000, 12000)) * rng.uniform(0.05, 0.5)).astype(np.float32)


def test_windows_are_whole_seconds_and_the_same_for_the_same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesise, "check_voices", lambda: None)
    monkeypatch.setattr(synthesise, "speak", hum)
    first, again, other = (list(synthesise.windows("held_out", 1, 2, seed)) for seed in (5, 5, 6))
    assert [label for _, label in first] == [label for label in range(len(LABELS)) for _ in range(2)]
    assert all(window.shape == (16000,) and window.dtype == np.int16 for window, _ in first)
    assert all(np.array_equal(a, b) for (a, _), (b, _) in zip(first, again, strict=True))
    assert not any(np.array_equal(a, b) for (a, _), (b, _) in zip(first, other, strict=True))


@speaks
def test_an_unknown_voice_is_one_clear_line() -> None:
    with pytest.raises(RuntimeError, match="^espeak-ng: [^\n]+$"):
        synthesise.speak(synthesise.Utterance("yes", "zz", speed=150, pitch=50))
