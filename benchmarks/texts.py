"""Reading hostile texts: ten times the characters should cost about ten times the time, whatever they are."""

from __future__ import annotations

import time

from goldmark.texts.segmentation import sentences, tokens

SHORT, LONG = 10_000, 100_000
PIECES = ("a", "a.", "a-", "1,", "(", "\u0301", "👨\u200d", "🇩", "https://", "www.).", "w ", "Mr. ", '" . ', "a\n")


def main() -> None:
    tokens.rules("")  # the pattern is compiled once
    worst = max((_seconds(piece, LONG), _seconds(piece, LONG) / _seconds(piece, SHORT), piece) for piece in PIECES)
    seconds, growth, piece = worst
    print(f"tokens and sentences of {LONG:,} characters, worst of {len(PIECES)} patterns: {seconds:.2f} s ({piece!r})")
    print(f"  {LONG // SHORT} times the characters took {growth:.1f} times the time")


def _seconds(piece: str, length: int) -> float:
    characters = piece * (length // len(piece))
    start = time.perf_counter()
    sentences.rules(characters, tokens.rules(characters))
    return time.perf_counter() - start
