"""Other words are other words. (What is said and how it is recorded is models/kws/synthesise.py's, with tests of its own.)"""

import numpy as np
import pytest

from models.kws import labels
from models.sww import speech


@pytest.mark.parametrize("split", ["training", "held_out"])
def test_other_words_are_never_the_wake_word_and_often_keyword_spottings(split) -> None:
    rng = np.random.default_rng(1)
    words = [speech.utterance(speech.UNKNOWN, split, rng).word for _ in range(300)]
    assert speech.WAKE_WORD not in words
    assert 60 < sum(word in labels.WORDS for word in words) < 140
    assert len(set(words)) > 50


def test_the_wake_word_is_the_wake_word() -> None:
    assert speech.utterance(speech.WAKE_WORD, "training", np.random.default_rng(1)).word == "marvin"
