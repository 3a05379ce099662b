"""Did you mean ...?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Comparing a few words is nothing; a stranger's answer with 60,000 wrong keys kept everybody waiting for half a minute.
MOST_COMPARED = 1_000

_left: ContextVar[int | None] = ContextVar("words left to compare", default=None)


@contextmanager
def few_guesses() -> Iterator[None]:
    """In here guessing ends when so many words were compared: what is wrong is told all the same, without a guess."""
    before = _left.set(MOST_COMPARED)
    try:
        yield
    finally:
        _left.reset(before)


def did_you_mean(word: str, known: Iterable[str], *, sentence: bool = False) -> str:
    """The known word that was probably meant, as a question; nothing if none is near."""
    from difflib import get_close_matches

    by_lower = {one.lower(): one for one in known}
    left = _left.get()
    if left is not None:
        if len(by_lower) > left:
            return ""
        _left.set(left - len(by_lower))
    near = get_close_matches(word.lower()[:80], by_lower, n=1, cutoff=0.6)
    if not near:
        return ""
    return f' Did you mean "{by_lower[near[0]]}"?' if sentence else f'did you mean "{by_lower[near[0]]}"?'
