"""Speech to learn from, made with espeak-ng: many voices, speeds, pitches, rooms and noises; the same for the same seed.

Voices whose timbre is in HELD_OUT_TIMBRES, and the words of UNSEEN_WORDS, are never used for training.
"""

import argparse
import dataclasses
import io
import os
import subprocess
import sys
import wave
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import numpy as np

from models.kws import features
from models.kws.labels import LABELS, SILENCE, UNKNOWN, WORDS

Split = Literal["training", "held_out"]

ACCENTS = (
    "en-us", "en-us-nyc", "en-gb", "en-gb-x-rp", "en-gb-scotland", "en-gb-x-gbclan", "en-gb-x-gbcwmd", "en-029",
)  # fmt: skip
# espeak-ng's variants. None of the held-out ones sounds almost like one of training (synthesise_test.py measures it).
TRAINING_TIMBRES = (
    "Alex", "Alicia", "Andrea", "Annie", "Denis", "Diogo", "Gene", "Gene2", "Henrique", "Hugo", "Jacky", "Lee", "Mario",
    "Michael", "Mike", "Nguyen", "RicishayMax", "RicishayMax2", "RicishayMax3", "Storm", "Tweaky", "announcer", "anika",
    "antonio", "aunty", "benjamin", "boris", "croak", "ed", "edward", "f1", "f3", "f4", "grandpa", "gustave", "iven3", "john",
    "kaukovalta", "klatt", "klatt2", "klatt3", "klatt4", "klatt6", "linda", "m1", "m2", "m4", "m5", "m6", "m7", "m8", "marcelo",
    "max", "michel", "miguel", "pablo", "paul", "quincy", "robert", "sandro", "whisper", "whisperf", "zac",
)  # fmt: skip
HELD_OUT_TIMBRES = (
    "Andy", "Marco", "belinda", "david", "f2", "f5", "grandma", "iven", "m3", "norbert", "pedro", "rob", "shelby", "steph",
    "travis", "victor",
)  # fmt: skip
OTHER_WORDS = (
    "backward", "bed", "bird", "cat", "dog", "eight", "five", "follow", "forward", "four", "happy", "house", "learn",
    "marvin", "nine", "one", "seven", "sheila", "six", "three", "tree", "two", "visual", "wow", "zero",
    "apple", "back", "banana", "big", "black", "blue", "book", "bottle", "bread", "bring", "call", "chair", "city",
    "clock", "close", "coffee", "cold", "cough", "cup", "dance", "door", "earth", "evening", "fast", "father", "fish",
    "flower", "friend", "garden", "gate", "ghost", "glass", "gold", "gown", "green", "guess", "hand", "hello", "hill",
    "home", "hot", "ice", "island", "jump", "key", "kitchen", "lamp", "laugh", "lesson", "letter", "lift", "light", "lion",
    "loft", "long", "lunch", "machine", "mess", "milk", "minute", "moon", "morning", "mother", "music", "name", "near",
    "nest", "never", "new", "night", "north", "note", "nose", "ocean", "old", "open", "orange", "over", "paper", "pencil",
    "people", "phone", "picture", "piano", "play", "police", "power", "queen", "question", "quick", "rain", "rat", "red",
    "river", "road", "rock", "run", "salt", "school", "shop", "sister", "sleep", "slow", "small", "snow", "song", "south",
    "spoon", "spot", "start", "step", "stone", "stuff", "sugar", "summer", "sun", "table", "talk", "thunder", "tiger",
    "today", "top", "town", "train", "under", "uncle", "video", "wait", "walk", "water", "west", "white", "window",
    "winter", "wood", "work", "yellow", "yesterday", "yet", "young",
)  # fmt: skip
UNSEEN_WORDS = (
    "airport", "autumn", "bicycle", "brother", "camera", "cloud", "doctor", "dress", "engine", "finger", "fruit", "guitar",
    "horse", "juice", "kettle", "ladder", "market", "mountain", "number", "onion", "pocket", "purple", "radio", "rabbit",
    "seat", "silver", "ticket", "tomato", "village", "yard",
)  # fmt: skip
NOISE_BELOW_SPEECH_DB = (5.0, 40.0)
# Under "en-gb" espeak-ng ignores the timbre and training has heard that one voice; "en" is the same accent in any timbre.
_ACCENTS = {"training": ACCENTS, "held_out": tuple("en" if accent == "en-gb" else accent for accent in ACCENTS)}
_TIMBRES = {"training": TRAINING_TIMBRES, "held_out": HELD_OUT_TIMBRES}
_OTHER_WORDS = {"training": OTHER_WORDS, "held_out": OTHER_WORDS + 5 * UNSEEN_WORDS}


@dataclasses.dataclass(frozen=True)
class Utterance:
    """How one word is said: espeak-ng's voice ("en-us+f2"), words a minute, pitch 0..99 and closing mark (intonation)."""

    word: str
    voice: str
    speed: int
    pitch: int
    mark: str = ""


def speak(utterance: Utterance) -> np.ndarray:
    """The utterance at 16 kHz without the silence around it, float32 [n] with a peak of 1. Raises RuntimeError."""
    options = ["-v", utterance.voice, "-s", str(utterance.speed), "-p", str(utterance.pitch)]
    sound = _run_espeak("--stdout", *options, utterance.word + utterance.mark)
    with wave.open(io.BytesIO(sound)) as recording:
        rate = recording.getframerate()
        # The header of a stream claims more frames than follow.
        samples = np.frombuffer(recording.readframes(recording.getnframes()), "<i2").astype(np.float64)
    samples = _trim(_resample(samples, rate))
    return (samples / np.abs(samples).max()).astype(np.float32)


def noise(rng: np.random.Generator) -> np.ndarray:
    """One second of noise, float64 [16000] with a mean square of 1: hiss to rumble, steady or swelling, at times with hum."""
    colour = rng.uniform(0.0, 2.2)
    sound = _shape(rng.standard_normal(features.SECOND), lambda hertz: np.maximum(hertz, 40.0) ** (-colour / 2))
    time = np.arange(features.SECOND) / features.SAMPLE_RATE
    if rng.random() < 0.3:
        swell = np.sin(2 * np.pi * (rng.uniform(0.3, 6.0) * time + rng.random()))
        sound = sound * (1.0 + rng.uniform(0.3, 0.9) * swell)
    sound = sound / _rms(sound)
    if rng.random() < 0.3:
        mains = rng.choice([50.0, 60.0])
        hum = sum(np.sin(2 * np.pi * (n * mains * time + rng.random())) / n for n in range(1, rng.integers(2, 12)))
        sound = sound + rng.uniform(0.3, 3.0) * hum
    return sound / _rms(sound)


def record(speech: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One second as a microphone would hear that speech: int16 [16000]; shifted, coloured, in a room, in noise, at a volume."""
    second = np.zeros(features.SECOND)
    if speech.size <= features.SECOND:
        start = rng.integers(0, features.SECOND - speech.size + 1)
        second[start : start + speech.size] = speech
    else:
        second[:] = features.loudest_second(speech)
    if rng.random() < 0.6:
        slope = rng.uniform(-3.0, 3.0) / 6.02
        second = _shape(second, lambda hertz: (np.maximum(hertz, 60.0) / 1000.0) ** slope)
    if rng.random() < 0.35:
        second = _reverberate(second, rng)
    if rng.random() < 0.85:
        signal = np.sqrt(np.mean(np.square(second)) * features.SECOND / min(speech.size, features.SECOND))
        second = second + noise(rng) * signal * 10 ** (-rng.uniform(*NOISE_BELOW_SPEECH_DB) / 20)
    return _to_int16(second, rng)


def record_silence(rng: np.random.Generator) -> np.ndarray:
    """One second in which nobody speaks: int16 [16000]; noise, at times clicks, seldom nothing at all."""
    if rng.random() < 0.05:
        return rng.integers(-1, 2, features.SECOND).astype(np.int16) * np.int16(rng.random() < 0.5)
    second = noise(rng)
    if rng.random() < 0.2:
        for at in rng.integers(0, features.SECOND - 200, rng.integers(1, 5)):
            second[at : at + 200] += rng.uniform(2, 12) * rng.standard_normal(200) * np.exp(-np.arange(200) / 40)
    return _to_int16(second, rng)


def utterance(label: str, split: Split, rng: np.random.Generator) -> Utterance:
    """A random way to say a word of that label with a voice of that split."""
    return Utterance(
        word=str(rng.choice(_OTHER_WORDS[split])) if label == UNKNOWN else label,
        voice=f"{rng.choice(_ACCENTS[split])}+{rng.choice(_TIMBRES[split])}",
        speed=int(rng.integers(100, 231)),
        pitch=int(rng.integers(15, 86)),
        mark=str(rng.choice(["", ".", "!", "?"])),
    )


def check_voices() -> None:
    """Raises RuntimeError if espeak-ng is missing or lacks a timbre: it would say the word in another voice without a word."""
    listing = _run_espeak("--voices=variant").decode()
    missing = [timbre for timbre in TRAINING_TIMBRES + HELD_OUT_TIMBRES if f"!v/{timbre} " not in listing]
    if missing:
        raise RuntimeError(f"this espeak-ng lacks the voice variants {', '.join(missing)}")


def windows(split: Split, per_word: int, takes: int, seed: int) -> Iterator[tuple[np.ndarray, int]]:
    """(int16 [16000], index into LABELS), label after label: per_word utterances of each word, as many silences, thrice as
    many unknown words in training; each utterance recorded `takes` times, in training by a throat up to a tenth longer or
    shorter each time. Each window depends on its place and seed, and on what espeak-ng makes of them, alone.

    Raises RuntimeError."""
    check_voices()
    jobs = [
        (label, index)
        for label in LABELS
        for index in range(per_word * (3 if label == UNKNOWN and split == "training" else 1))
    ]

    def job_windows(job: tuple[str, int]) -> list[tuple[np.ndarray, int]]:
        label, index = job
        rng = np.random.default_rng([seed, split == "held_out", LABELS.index(label), index])
        if label == SILENCE:
            seconds = [record_silence(rng) for _ in range(takes)]
        else:
            speech = speak(utterance(label, split, rng))
            throats = rng.uniform(0.9, 1.12, takes) if split == "training" else np.ones(takes)
            seconds = [record(_resample(speech, features.SAMPLE_RATE * throat), rng) for throat in throats]
        return [(second, LABELS.index(label)) for second in seconds]

    with ThreadPoolExecutor(2) as pool:
        for batch in pool.map(job_windows, jobs):
            yield from batch


def clear_recordings() -> Iterator[tuple[str, np.ndarray]]:
    """(word, int16 [16000]) for each word: said plainly in mid-second by a held-out voice, another one for each, in a quiet room."""
    check_voices()
    for index, word in enumerate(WORDS):
        accents = _ACCENTS["held_out"]
        voice = f"{accents[index % len(accents)]}+{HELD_OUT_TIMBRES[index]}"
        speech = speak(Utterance(word, voice, speed=140, pitch=50))[: features.SECOND]
        second = np.random.default_rng(index).standard_normal(features.SECOND) * 0.002
        start = (features.SECOND - speech.size) // 2
        second[start : start + speech.size] += speech
        yield word, np.rint(second * 16000).astype(np.int16)


def write_wav(path: Path, samples: np.ndarray) -> None:
    """int16 [n] as a 16 kHz mono WAV file."""
    with wave.open(str(path), "wb") as recording:
        recording.setnchannels(1)
        recording.setsampwidth(2)
        recording.setframerate(features.SAMPLE_RATE)
        recording.writeframes(samples.astype("<i2").tobytes())


def _run_espeak(*arguments: str) -> bytes:
    try:
        return subprocess.run(["espeak-ng", *arguments], check=True, capture_output=True).stdout
    except FileNotFoundError:
        raise RuntimeError("espeak-ng is missing; apt-get install espeak-ng") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").splitlines() or [f"exit code {error.returncode}"]
        raise RuntimeError(f"espeak-ng: {said[-1]}") from None  # Before its own error it may tell of missing sound servers.


def _resample(samples: np.ndarray, rate: float) -> np.ndarray:
    """To 16 kHz through the spectrum: right for a sound that is silent at both ends, as espeak-ng's are."""
    count = round(samples.size * features.SAMPLE_RATE / rate)
    spectrum = np.fft.rfft(samples)[: count // 2 + 1]
    return np.fft.irfft(spectrum, count) * (count / samples.size)


def _trim(samples: np.ndarray) -> np.ndarray:
    loud = np.flatnonzero(np.abs(samples) > 0.02 * np.abs(samples).max())
    return samples[loud[0] : loud[-1] + 1]


def _shape(samples: np.ndarray, gain: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Filters by a gain per frequency in hertz."""
    spectrum = np.fft.rfft(samples)
    hertz = np.fft.rfftfreq(samples.size, 1 / features.SAMPLE_RATE)
    return np.fft.irfft(spectrum * gain(hertz), samples.size)


def _reverberate(second: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Adds the decaying echo of a room: 0.1 to 0.5 s to fall by 60 dB."""
    decay = rng.uniform(0.1, 0.5)
    time = np.arange(int(decay * features.SAMPLE_RATE)) / features.SAMPLE_RATE
    echo = rng.standard_normal(time.size) * 10 ** (-3 * time / decay)
    echo *= rng.uniform(0.1, 0.7) / np.sqrt(np.sum(np.square(echo)))
    echo[0] += 1.0
    length = 1 << 15  # More than both together, and quick to transform.
    return np.fft.irfft(np.fft.rfft(second, length) * np.fft.rfft(echo, length), length)[: second.size]


def _to_int16(second: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """At a random volume, between barely audible and full scale."""
    peak = 32767 * 10 ** (-rng.uniform(0.0, 30.0) / 20)
    return np.rint(second / np.abs(second).max() * peak).astype(np.int16)


def _rms(samples: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(samples))))


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes one clear recording of each word by a held-out voice, as WAV files.")
    parser.add_argument("--output", type=Path, default=Path("models/kws/testdata"), help="folder for yes.wav and the others")
    output = parser.parse_args().output
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    try:
        output.mkdir(parents=True, exist_ok=True)
        for word, samples in clear_recordings():
            write_wav(output / f"{word}.wav", samples)
    except (OSError, RuntimeError) as error:
        sys.exit(f"synthesise: {error}")


if __name__ == "__main__":
    main()
