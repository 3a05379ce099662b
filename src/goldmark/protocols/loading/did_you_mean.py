"""Did you mean ...?"""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], *, sentence: bool = False) -> str:
    """The known word that was probably meant, as a question; nothing if none is near."""
    from difflib import get_close_matches

    by_lower = {one.lower(): one for one in known}
    near = get_close_matches(word.lower()[:80], by_lower, n=1, cutoff=0.6)
    if not near:
        return ""
    return f' Did you mean "{by_lower[near[0]]}"?' if sentence else f'did you mean "{by_lower[near[0]]}"?'
