"""Seconds of synthesised speech to learn from: the wake word, nobody speaking, other words; the same for the same seed.

The voices, rooms and noises are those of models/kws/synthesise.py.
"""

import dataclasses
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from models.kws import labels, synthesise
from models.sww.sww import LABELS

WAKE_WORD, SILENCE, UNKNOWN = LABELS


def seconds(split: synthesise.Split, count: int, takes: int, seed: int) -> Iterator[tuple[np.ndarray, int]]:
    """(int16 [16000], index into LABELS): of every six utterances two are the wake word, one is silence, three are other words;
    each utterance recorded `takes` times. Each second depends on its place and the seed alone. Raises RuntimeError."""
    synthesise.check_voices()

    def recorded(index: int) -> list[tuple[np.ndarray, int]]:
        rng = np.random.default_rng([seed, split == "held_out", index])
        label = (WAKE_WORD, WAKE_WORD, SILENCE, UNKNOWN, UNKNOWN, UNKNOWN)[index % 6]
        if label == SILENCE:
            sounds = [synthesise.record_silence(rng) for _ in range(takes)]
        else:
            speech = synthesise.speak(utterance(label, split, rng))
            sounds = [synthesise.record(speech, rng) for _ in range(takes)]
        return [(sound, LABELS.index(label)) for sound in sounds]

    with ThreadPoolExecutor(2) as pool:
        for batch in pool.map(recorded, range(count)):
            yield from batch


def utterance(label: str, split: synthesise.Split, rng: np.random.Generator) -> synthesise.Utterance:
    """A random way to say the wake word, or another word, a third of the time one of keyword spotting's."""
    if label == WAKE_WORD:
        return synthesise.utterance(WAKE_WORD, split, rng)
    other = synthesise.utterance(labels.UNKNOWN, split, rng)
    if other.word == WAKE_WORD or rng.random() < 1 / 3:
        return dataclasses.replace(other, word=str(rng.choice(labels.WORDS)))
    return other
