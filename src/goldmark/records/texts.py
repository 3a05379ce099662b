"""A text as everything after import sees it: characters, tokens, sentences, none of which ever change."""

from __future__ import annotations

from dataclasses import dataclass

from goldmark.records.spans import Places, Span


@dataclass(frozen=True, slots=True)
class Text:
    """A text, tokenised and split once, on import.

    `tokens[i]` is the characters of token i, so token ids are positions and never change. `sentences[j]` is the tokens
    of sentence j; together they cover every token in order. Whatever lies between tokens is white space.
    """

    id: str
    characters: str
    tokens: tuple[Span, ...]
    sentences: tuple[Span, ...]
    tokeniser: str = "given"

    def token(self, position: int) -> str:
        place = self.tokens[position]
        return self.characters[place.start : place.end]

    @property
    def places(self) -> Places:
        """The tokens as plain pairs of characters."""
        return Places(self.tokens)

    def words(self) -> tuple[str, ...]:
        return tuple(self.characters[place.start : place.end] for place in self.tokens)

    def slice(self, span: Span) -> str:
        """The characters from the first token of the span to its last, with what lies between."""
        return self.characters[self.tokens[span.start].start : self.tokens[span.end - 1].end]

    def sentence_of(self, position: int) -> int:
        """Which sentence holds the token at this position."""
        low, high = 0, len(self.sentences) - 1
        while low < high:
            middle = (low + high) // 2
            if position < self.sentences[middle].end:
                high = middle
            else:
                low = middle + 1
        return low
