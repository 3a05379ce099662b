"""Cut a text where a reader would not notice: at the end of the sentence in which it passes so many words."""

from __future__ import annotations

from goldmark.errors import GoldmarkError
from goldmark.records.texts import Text


class NoLength(GoldmarkError):
    code = "PREPARE-02"
    message = "a text can be cut after 1 word or more, not after {words}"


def is_word(token: str) -> bool:
    """Whether a token counts as a word: it holds a letter or a digit."""
    return any(character.isalnum() for character in token)


def cut_after(text: Text, words: int) -> str:
    """The text up to the end of the sentence that holds its n-th word; whole if it has no more words than that.

    Human and machine texts cut alike differ in length by less than a sentence, so length tells nobody who wrote them.
    """
    if words < 1:
        raise NoLength(words=words)
    counted = 0
    for sentence in text.sentences:
        counted += sum(is_word(text.token(position)) for position in sentence.positions())
        if counted >= words:
            return text.characters[: text.tokens[sentence.end - 1].end]
    return text.characters


def count_words(text: Text) -> int:
    return sum(is_word(word) for word in text.words())
