"""A unit's JSON on its way between the database and a line of a file. Most of it are the places of tokens, which are
the same characters in both: here they are passed on as they are written, instead of read and written again.

That is done where the JSON looks exactly as Goldmark writes it. Of all other JSON the functions say None, and whoever
asks takes the longer way, which reads everything, names what is wrong, and makes the same of what is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import lt
from typing import Any, NamedTuple, overload

import orjson

from goldmark.exchange.campaign.rows import WrittenJson, has_long_number, write_json
from goldmark.records.spooled.units import pack
from goldmark.records.units import context_from_json, context_to_json
from goldmark.texts.segmentation.text import tokens_in_place

# As the store keeps a text, and as it is exported: there keys are sorted. An escape of any other kind might be written
# otherwise, and so might whatever is said of a given mark or a suggestion.
_STORED = re.compile(
    r'"([a-z]++)":{"characters":("(?:[^"\\\x00-\x1f]++|\\["\\bfnrt])*+"),"tokens":([0-9,\[\]]++)"sentences":([0-9,\[\]]++)'
    r'"prompt":(null|\[[0-9]++,[0-9]++\]),"focus":(null|\[[0-9]++,[0-9]++\]),"given":\[\],"language":("[A-Za-z0-9-]*+")}'
)
_TEXTS, _CONTEXT = '{"texts":{', '},"context":'


class ExportedUnit(NamedTuple):
    shown: WrittenJson
    roles: Sequence[str]


def exported(stored: str) -> ExportedUnit | None:
    """What is shown of a unit as a line of an export has it, from what the store keeps."""
    if not stored.startswith(_TEXTS) or not stored.endswith("}"):
        return None
    texts: dict[str, str] = {}
    place = len(_TEXTS) - 1
    while stored.startswith("," if texts else "{", place):
        found = _STORED.match(stored, place + 1)
        if found is None:
            return None
        role, characters, tokens, sentences, prompt, focus, language = found.groups()
        texts[role] = (
            f'"{role}":{{"characters":{characters},"focus":{focus},"given":[],"language":{language},"prompt":{prompt},'
            f'"sentences":{sentences[:-1]},"tokens":{tokens[:-1]}}}'
        )
        place = found.end()
    if not stored.startswith(_CONTEXT, place):
        return None
    context = stored[place + len(_CONTEXT) : -1]
    if context != "[]":
        try:
            context = write_json(orjson.loads(context))
        except ValueError:
            return None
    parts = ",".join(texts[role] for role in sorted(texts))
    return ExportedUnit(WrittenJson(f'{{"context":{context},"texts":{{{parts}}}}}'), list(texts))


class WrittenPairs(Sequence[tuple[int, int]]):
    """Pairs of numbers as JSON has them, `[[0,4],[5,7]]`, each of them in order."""

    __slots__ = ("ends", "starts", "written")

    def __init__(self, written: bytes, starts: list[int], ends: list[int]) -> None:
        self.written, self.starts, self.ends = written, starts, ends

    @classmethod
    def read(cls, written: bytes) -> WrittenPairs | None:
        try:
            numbers = orjson.loads(b"[%b]" % written.translate(None, b"[]"))
        except ValueError:
            return None
        starts, ends = numbers[::2], numbers[1::2]
        # What is left without the digits says whether all of it are pairs.
        if written.translate(None, b"0123456789") != b"[[,]" + b",[,]" * (len(ends) - 1) + b"]":
            return None
        return cls(written, starts, ends) if all(map(lt, starts, ends)) else None

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.starts, self.ends, strict=True)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, position: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[tuple[int, int]]: ...
    def __getitem__(self, position: int | slice) -> tuple[int, int] | Sequence[tuple[int, int]]:
        return list(self)[position]


def read_line(line: bytes) -> dict[str, Any] | None:
    """The values of a line whose characters can all be kept; the tokens of a unit as `WrittenPairs`.

    The quick reader refuses characters that cannot be kept, but for an escape of U+0000.
    """
    if b"\\u" in line or has_long_number(line):
        return None
    first, *others = line.split(b'"tokens":[[')
    if len(others) != line.count(b'"tokens":'):
        return None
    tokens, rest = list[WrittenPairs](), [first]
    for other in others:
        written, _, after = other.partition(b"]]")
        found = WrittenPairs.read(b"[[%b]]" % written)
        if found is None:
            return None
        tokens.append(found)
        rest.append(after)
    try:
        values: dict[str, Any] = orjson.loads(b'"tokens":[]'.join(rest))
        if tokens:
            # There are as many texts as tokens, and every text has some: so none stood anywhere else, since no key is
            # written with an escape.
            for text, found in zip(values["shown"]["texts"].values(), tokens, strict=True):
                if text["tokens"] != []:
                    return None
                text["tokens"] = found
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    return values if isinstance(values, dict) else None


def packed_unit(values: Mapping[str, Any]) -> bytes | None:
    """The unit of a line that `read_line` read, as it waits for the database, without a unit being made of it."""
    shown = values["shown"]
    if shown.keys() != {"context", "texts"} or type(shown["context"]) is not list or type(shown["texts"]) is not dict:
        return None
    texts = {}
    for role, text in shown["texts"].items():
        match text:
            case {
                "characters": str(characters),
                "focus": None,
                "given": [],
                "language": str(language),
                "prompt": None,
                "sentences": list(sentences),
                "tokens": WrittenPairs() as tokens,
                **rest,
            } if not rest and _cover(sentences, len(tokens)):
                if not tokens_in_place(characters, tokens.starts, tokens.ends):
                    return None
                texts[role] = {
                    "characters": characters,
                    "tokens": orjson.Fragment(tokens.written),
                    "sentences": sentences,
                    "prompt": None,
                    "focus": None,
                    "given": [],
                    "language": language,
                }
            case _:
                return None
    context = [context_to_json(context_from_json(item)) for item in shown["context"]]
    tokenisers = {role: values["tokenisers"].get(role, "given") for role in texts}
    return pack(values["id"], values["hidden"], tokenisers, {"texts": texts, "context": context})


def _cover(sentences: list[Any], tokens: int) -> bool:
    """Whether these are sentences that cover so many tokens in order."""
    if set(map(type, sentences)) != {list} or set(map(len, sentences)) != {2}:
        return False
    edges = [0, *chain.from_iterable(sentences), tokens]
    return set(map(type, edges)) == {int} and edges[::2] == edges[1::2] and all(map(lt, edges[1::2], edges[2::2]))
