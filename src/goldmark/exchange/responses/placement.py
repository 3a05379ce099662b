"""A mark made on one copy of a text, put on another: other tokens, other white space, the same words."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from goldmark.errors import GoldmarkError
from goldmark.exchange.responses.given import Counted
from goldmark.records.spans import covering
from goldmark.records.texts import Text


class OtherText(GoldmarkError):
    code = "EXCHANGE-63"
    message = "the text is another than the campaign's: {theirs!r} stands where the campaign has {ours!r}"


class CannotPlace(GoldmarkError):
    code = "EXCHANGE-64"
    message = "the mark {start}-{end} {trouble}"


@dataclass
class Placing:
    """Moves marks from `source`, where positions count `counted`, to `target`, where they count `by`."""

    source: Text
    counted: Counted
    target: Text
    by: Counted
    widened: int = 0  # marks that now cover whole tokens of which they covered a part
    _theirs: list[int] = field(default_factory=list)  # where the characters that are not white space stand
    _ours: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        theirs, ours = self.source.characters, self.target.characters
        if theirs == ours:
            return
        self._theirs, self._ours = _solid(theirs), _solid(ours)
        words, known = "".join(theirs.split()), "".join(ours.split())
        if words != known:
            shorter = min(len(words), len(known))
            start = next((at for at in range(shorter) if words[at] != known[at]), shorter)
            raise OtherText(theirs=words[start : start + 20], ours=known[start : start + 20])

    def move(self, mark: Mapping[str, Any]) -> dict[str, Any]:
        """The mark and its linked passages at their new places."""
        moved = {**mark, **self._place(mark)}
        links = mark.get("links")
        if isinstance(links, Mapping):
            moved["links"] = {role: [self._place(one) for one in passages] for role, passages in links.items()}
        return moved

    def _place(self, mark: Mapping[str, Any]) -> dict[str, int]:
        start, end = mark.get("start"), mark.get("end")
        length = len(self.source.tokens) if self.counted == "token" else len(self.source.characters)
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= length:
            trouble = f"is not in the text, which has {length} {self.counted}s"
            raise CannotPlace(start=start, end=end, trouble=trouble)
        if self.counted == "token":
            start, end = self.source.tokens[start].start, self.source.tokens[end - 1].end
        if self._theirs:
            start, end = self._over_white_space(start, end)
        if self.by == "character":
            return {"start": start, "end": end}
        tokens = covering(self.target.places, start, end)
        if tokens is None:
            raise CannotPlace(start=start, end=end, trouble="touches no token of the text")
        whole = (self.target.tokens[tokens.start].start, self.target.tokens[tokens.end - 1].end)
        marked = self.target.characters[start:end]
        self.widened += whole != (start + len(marked) - len(marked.lstrip()), end - len(marked) + len(marked.rstrip()))
        return {"start": tokens.start, "end": tokens.end}

    def _over_white_space(self, start: int, end: int) -> tuple[int, int]:
        first, last = bisect_left(self._theirs, start), bisect_left(self._theirs, end)
        if first == last:
            raise CannotPlace(start=start, end=end, trouble="holds white space only, and white space differs here")
        return self._ours[first], self._ours[last - 1] + 1


def _solid(characters: str) -> list[int]:
    return [place for place, one in enumerate(characters) if not one.isspace()]
