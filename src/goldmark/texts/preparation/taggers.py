"""Part-of-speech taggers that come with Goldmark. Each is made once and then reads text after text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from goldmark.errors import Failed
from goldmark.texts.preparation.prompt_words import Tagger
from goldmark.texts.segmentation.tokens import find_tokeniser, jieba_dictionary

_TAGGED = re.compile(r"(\S+)[/_]([A-Za-z$]+)(?=\s|$)")


class TaggerMissing(Failed):
    code = "PREPARE-07"
    message = "the tagger {name} is not installed; {remedy}"


def tagged() -> Tagger:
    """A corpus that was tagged elsewhere: word/TAG or word_TAG, nouns with a tag that begins with n or N."""

    def read(text: str) -> Iterator[tuple[str, bool]]:
        for word, tag in _TAGGED.findall(text):
            yield word, tag[0] in "nN"

    return read


def jieba() -> Tagger:
    """Chinese. Proper names (tags nr, ns, nt, nz) are left out: a model is to be started, not quizzed."""
    dictionary = jieba_dictionary()
    from jieba.posseg import POSTokenizer

    tagging = POSTokenizer(dictionary)

    def read(text: str) -> Iterator[tuple[str, bool]]:
        for pair in tagging.cut(text):
            yield pair.word, pair.flag in ("n", "ng", "nl")

    return read


def nltk() -> Tagger:
    """English, by NLTK's averaged perceptron; its data must be installed. Proper names (NNP) are left out."""
    try:
        import nltk as package
    except ImportError:
        raise TaggerMissing(name="nltk", remedy="install it with: pip install 'goldmark[metrics]'") from None
    try:
        package.pos_tag(["text"])
    except LookupError:
        remedy = "get its data once with: python -m nltk.downloader averaged_perceptron_tagger_eng"
        raise TaggerMissing(name="nltk (its data)", remedy=remedy) from None

    split = find_tokeniser("rules")

    def read(text: str) -> Iterator[tuple[str, bool]]:
        words = [text[span.start : span.end] for span in split(text)]
        for word, tag in package.pos_tag(words):
            yield word.lower(), tag in ("NN", "NNS")

    return read
