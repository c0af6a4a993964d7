"""The twelve classes, in MLPerf Tiny's order: output i of the model is the score of LABELS[i]."""

WORDS = ("down", "go", "left", "no", "off", "on", "right", "stop", "up", "yes")
SILENCE = "silence"
UNKNOWN = "unknown"
LABELS = (*WORDS, SILENCE, UNKNOWN)
