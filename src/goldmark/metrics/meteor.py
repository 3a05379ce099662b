"""METEOR as NLTK computes it, which differs from the Java program: say which one a number comes from.

The stage of synonyms needs the files of WordNet. They are never downloaded: give their folder, or leave the stage out
and the signature says so.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from goldmark.errors import Failed
from goldmark.metrics.options import choice
from goldmark.metrics.plugins import MeanMetric, Metric, MetricNotInstalled, MetricType, Texts, WrongOption
from goldmark.metrics.wordnet import FILES, WordNet

STAGES = ("exact+stem+synonym", "exact+stem")
PLACES = ("/usr/share/wordnet", "/usr/local/share/wordnet")  # where Linux distributions put it
TOKEN = re.compile(r"\w+(?:'\w+)*|[^\w\s]")


class WordNetMissing(Failed):
    code = "METRIC-30"
    message = (
        "METEOR needs WordNet for its synonyms and found none; install it (apt-get install wordnet-base on Debian and "
        "Ubuntu, python -m nltk.downloader wordnet elsewhere), give its folder as meteor:wordnet=FOLDER or in "
        "GOLDMARK_WORDNET, or leave synonyms out with meteor:stages=exact+stem"
    )


class _NoSynonyms:
    def synsets(self, word: str) -> tuple[()]:
        return ()


def _open(options: Mapping[str, str]) -> Metric:
    try:
        import nltk.stem.porter
        from nltk.translate.meteor_score import single_meteor_score
    except ModuleNotFoundError:
        command = "pip install 'goldmark[metrics]'"
        raise MetricNotInstalled(name="meteor", package="nltk", command=command) from None
    stages = choice("meteor", options, "stages", STAGES[0], STAGES)
    words: WordNet | _NoSynonyms = _NoSynonyms()
    named = ""
    if stages == STAGES[0]:
        folder = _folder(options.get("wordnet", ""))
        words, named = _wordnet(folder), f"|wordnet:{_digest(folder)}"
    stemmer: Any = nltk.stem.porter.PorterStemmer()
    stemmer.stem = cache(stemmer.stem)  # the same words come again and again

    def one(output: str, reference: str) -> float:
        mine, theirs = TOKEN.findall(output), TOKEN.findall(reference)
        # Two texts without a word leave NLTK with nothing to divide by; a text without one is worth nothing.
        return float(single_meteor_score(theirs, mine, stemmer=stemmer, wordnet=words)) if mine and theirs else 0.0

    def scores(texts: Texts) -> list[float]:
        pairs = zip(texts.outputs, texts.references, strict=True)
        return [max(one(output, reference) for reference in references) for output, references in pairs]

    made = f"METEOR|impl:nltk-{version('nltk')}|stages:{stages}{named}|lc|tok:words-and-marks|a:0.9|b:3|g:0.5"
    return MeanMetric(made, scores)


def _folder(given: str) -> Path:
    """The folder that was named, else the first place where WordNet is found."""
    if given:
        missing = WordNet.missing(Path(given))
        if missing:
            reason = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing there"
            raise WrongOption(name="meteor", option="wordnet", value=given, reason=reason)
        return Path(given)
    import nltk.data

    told = os.environ.get("GOLDMARK_WORDNET", "")
    places = [told, *(f"{root}/corpora/wordnet" for root in nltk.data.path), *PLACES]
    for place in filter(None, places):
        if not WordNet.missing(Path(place)):
            return Path(place)
    raise WordNetMissing


@cache
def _wordnet(folder: Path) -> WordNet:
    return WordNet(folder)


@cache
def _digest(folder: Path) -> str:
    """Which WordNet it is: two numbers are comparable only if their files are the same."""
    total = 0
    for name in FILES:
        total = zlib.crc32((folder / name).read_bytes(), total)
    return f"{total:08x}"


METEOR = MetricType(
    name="meteor",
    purpose="Words that match exactly, by stem or as synonyms, with a penalty for disorder (NLTK); for English.",
    open=_open,
    options={
        "stages": "exact+stem+synonym (default) or exact+stem",
        "wordnet": "folder with the files of WordNet 3; default: GOLDMARK_WORDNET, NLTK's data, /usr/share/wordnet",
    },
)
