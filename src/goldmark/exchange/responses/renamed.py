"""What a file's questions, attributes and labels are called in the campaign, and what they are probably called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from goldmark.errors import GoldmarkError
from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.spans import OWN_KEYS
from goldmark.records.answers import Marks


class NotAMapping(GoldmarkError):
    code = "EXCHANGE-65"
    message = "{given!r} does not say what is called what; write THEIRS=OURS, such as {example}"


@dataclass(frozen=True)
class Renamed:
    """By the name in the file the name in the campaign; a question's also stands for an attribute of marks."""

    questions: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.questions or self.labels)

    def question(self, name: str) -> str:
        return _looked_up(name, self.questions)

    def answers(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        """The answers with the campaign's names on their marks."""
        return {key: self._marks(value) for key, value in answers.items()} if self else dict(answers)

    def _marks(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [self._mark(one) if isinstance(one, Mapping) else one for one in value]

    def _mark(self, mark: Mapping[str, Any]) -> dict[str, Any]:
        named = {key if key in OWN_KEYS else self.question(key): value for key, value in mark.items()}
        if isinstance(named.get("label"), str):
            named["label"] = _looked_up(named["label"], self.labels)
        return named

    def options(self) -> str:
        """As a command takes it."""
        pairs = [("question", *pair) for pair in self.questions.items()]
        pairs += [("label", *pair) for pair in self.labels.items()]
        return " ".join(f"--{what} {_quoted(f'{theirs}={ours}')}" for what, theirs, ours in pairs)


SAME_NAMES: Final = Renamed()


def renamed(questions: Iterable[str] = (), labels: Iterable[str] = ()) -> Renamed:
    """From pairs as people write them, THEIRS=OURS; the last sign of equality parts them."""
    return Renamed(_pairs(questions, "Errors=mistakes"), _pairs(labels, "1_NAME=NAME"))


def _pairs(given: Iterable[str], example: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        theirs, sign, ours = one.rpartition("=")
        if not sign or not theirs.strip() or not ours.strip():
            raise NotAMapping(given=one, example=example)
        found[theirs.strip()] = ours.strip()
    return found


def _quoted(words: str) -> str:
    return words if re.fullmatch(r"[\w.=/-]+", words) else "'" + words.replace("'", "'\\''") + "'"


def _looked_up(name: str, known: Mapping[str, str]) -> str:
    """The name itself, or one that was given for it, also where a reader had to make an id of it."""
    if name in known or not known:
        return known.get(name, name)
    from goldmark.exchange.foreign_projects.project import slug

    return next((ours for theirs, ours in known.items() if slug(theirs) == name), name)


def suggested(answers: Iterable[Mapping[str, Any]], protocol: Protocol) -> Renamed:
    """What names that the protocol does not have are probably called there; what is not clear is left out."""
    known = {question.id: question for question in protocol.questions()}
    spans = {one.id: one for one in marking(protocol)}
    questions: dict[str, None] = {}
    attributes: dict[str, dict[str, None]] = {}
    labels: dict[str, dict[str, None]] = {}
    for given in answers:
        for key, value in given.items():
            if key not in protocol.answer_keys:
                questions[key] = None
            for mark in value if isinstance(value, list) and key in spans else ():
                if isinstance(mark, Mapping):
                    attributes.setdefault(key, {}).update(dict.fromkeys(mark))
                    labels.setdefault(key, {})[str(mark.get("label") or "")] = None
    titles = {name: (name, one.ask) for name, one in known.items() if one.gives is not Marks}
    pairs = _near(questions, titles)
    meant: dict[str, str] = {}
    for name, question in spans.items():
        own = {one.id: (one.id, one.ask) for one in question.attributes}
        pairs |= _near((key for key in attributes.get(name, ()) if key not in OWN_KEYS and key not in own), own)
        if question.labels is not None:
            tree = protocol.taxonomies[question.labels.tree]
            unknown = [one for one in labels.get(name, ()) if one and tree.path_of(one) is None]
            meant |= _near(unknown, {path: (path, label.name) for path, label in tree.paths.items()})
    return Renamed(pairs, meant)


def _near(unknown: Iterable[str], known: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Each unknown name with the one known name that it probably means, no two with the same."""
    from difflib import get_close_matches

    found: dict[str, str] = {}
    by_words = {_words(one): one for one in known}
    for name in unknown:
        words = _words(name)
        same = [one for one, names in known.items() if any(_words(other) == words for other in names)]
        within = [one for one in known if _words(one) and set(_words(one).split()) <= set(words.split())]
        close = get_close_matches(words, by_words, n=1, cutoff=0.75)
        best = next((some[0] for some in (same, within) if len(some) == 1), by_words[close[0]] if close else None)
        if best is not None and best not in found.values():
            found[name] = best
    return found


def _words(name: str) -> str:
    """A name without case, signs, and the numbers and single letters that only sort a menu: 1_NAME, B_Correction."""
    parts = re.sub(r"[\W_]+", " ", name.casefold()).split()
    kept = [part for part in parts if len(part) > 1 and not part.isdigit()]
    return " ".join(kept or parts)
