"""Features for the linear baseline: words and characters, pairs of words, and what is said twice.

They are made from the dataset's tokens, so that Chinese, in which a token may be one character, needs nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

WINDOW = 8  # how far apart the words of a pair may stand
LONG = 80  # tokens; in longer texts pairs would outnumber everything else


def text_features(tokens: Sequence[str]) -> Iterator[str]:
    """Of a whole text: n-grams of words and characters, pairs of words near each other, repetitions."""
    words = [token.lower() for token in tokens]
    for place, word in enumerate(words):
        yield f"w {word}"
        if place:
            yield f"b {words[place - 1]} {word}"
        if place > 1:
            yield f"t {words[place - 2]} {words[place - 1]} {word}"
        yield from (f"c {part}" for part in characters(word))
    for first, second, apart in pairs(words):
        yield f"p {first} {second}"
        if first == second:
            yield f"twice {min(apart, 4)}"
    yield f"begins {words[0] if words else ''}"
    yield f"length {len(words) // 10}"


def span_features(tokens: Sequence[str], span: tuple[int, int]) -> Iterator[str]:
    """Of an error: its words, its neighbours, how they go with every other word, and whether they are said twice."""
    words = [token.lower() for token in tokens]
    start, end = span
    inside = words[start:end]
    for word in inside:
        yield f"in {word}"
        yield from (f"ic {part}" for part in characters(word))
    yield f"all {' '.join(inside)}"
    for shift in (1, 2):
        yield f"before {shift} {words[start - shift] if start >= shift else '^'}"
        yield f"after {shift} {words[end + shift - 1] if end + shift - 1 < len(words) else '$'}"
    yield f"size {min(end - start, 6)}"
    yield f"place {10 * start // max(1, len(words))}"
    near = [*words[max(0, start - WINDOW) : start], *words[end : end + WINDOW]]
    for word in inside[:6]:
        yield from (f"with {word} {other}" for other in near)
    if any(word in near for word in inside):
        yield "again"
    rest = words[:start] + words[end:]
    if " ".join(inside) in " ".join(rest):
        yield "all again"


def token_features(tokens: Sequence[str]) -> list[list[str]]:
    """Of every token: itself, its neighbours, whether it was just said, and in short texts every word near it."""
    words = [token.lower() for token in tokens]
    found = []
    for place, word in enumerate(words):
        mine = ["bias", f"w={word}", f"shape={_shape(tokens[place])}", f"end={word[-3:]}", f"start={word[:3]}"]
        for shift in (-2, -1, 1, 2):
            near = words[place + shift] if 0 <= place + shift < len(words) else "#"
            mine.append(f"{shift}={near}")
        mine.append(f"b={words[place - 1] if place else '#'} {word}")
        mine.append(f"a={word} {words[place + 1] if place + 1 < len(words) else '#'}")
        before = words[max(0, place - WINDOW) : place]
        after = words[place + 1 : place + 1 + WINDOW]
        if word in before:
            mine.append("said before")
        if word in after:
            mine.append("said after")
        mine.append(f"tenth={10 * place // len(words)}")
        if len(words) <= LONG:
            mine += [f"l={word} {other}" for other in before]
            mine += [f"r={word} {other}" for other in after]
        found.append(mine)
    return found


def pairs(words: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Words that stand near each other, with how far apart."""
    if len(words) > LONG:
        return
    for place, word in enumerate(words):
        for apart, other in enumerate(words[place + 1 : place + 1 + WINDOW], start=1):
            yield word, other, apart


def characters(word: str) -> Iterator[str]:
    framed = f"^{word}$"
    for size in (2, 3, 4):
        yield from (framed[place : place + size] for place in range(len(framed) - size + 1))


def _shape(token: str) -> str:
    if token.isdigit():
        return "number"
    if not any(character.isalnum() for character in token):
        return "mark"
    return "name" if token[:1].isupper() else "word"
