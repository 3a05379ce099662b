"""What people were asked in another tool, gathered from its files, as a protocol; and their answers in its words.

Tools name questions, labels and options as they like. Here each gets an id, and keeps its name as what people read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from goldmark.errors import Problem, ProblemsFound
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.campaign.marks import ExportedQuestion
from goldmark.exchange.campaign.rows import write_json
from goldmark.exchange.foreign_projects.project import Project, slug, take
from goldmark.exchange.format import Format
from goldmark.exchange.responses.from_campaign import carried
from goldmark.exchange.responses.given import GivenAnswers, Target
from goldmark.protocols import Protocol, parse
from goldmark.protocols.conditions import WORDS
from goldmark.protocols.kinds.spans import OWN_KEYS
from goldmark.protocols.parts import in_words
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import Unit

MadeKind = Literal["marks", "choice", "choices", "number", "text", "compare"]
_OPTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_MOST_OPTIONS = 100  # of a question; what has more is words


class DistinctIds:
    """An id for every name, all different: the name itself where it fits. More names may follow."""

    def __init__(self, fits: re.Pattern[str] | None = None, reserved: Collection[str] = ()) -> None:
        self._fits = fits
        self._taken = set(reserved)
        self._numbers: dict[str, int] = {}  # by id that was taken, the number that the next of its kind gets
        self._found: dict[str, str] = {}

    def of(self, names: Collection[str]) -> dict[str, str]:
        """The ids of these names, which are those of before and perhaps more behind them."""
        if len(names) > len(self._found):
            for name in names:
                if name not in self._found:
                    self._found[name] = self._new(name)
        return self._found

    def _new(self, name: str) -> str:
        wish = name if self._fits is not None and self._fits.fullmatch(name) else slug(name)
        own = wish if wish not in self._taken else f"{wish}s"
        while own in self._taken:
            number = self._numbers[wish] = self._numbers.get(wish, 1) + 1
            own = f"{wish}_{number}"
        self._taken.add(own)
        return own


def distinct_ids(names: Collection[str], reserved: Collection[str] = ()) -> dict[str, str]:
    """An id for every name, all different."""
    return DistinctIds(reserved=reserved).of(names)


@dataclass
class _Asked:
    """One question: what may be answered, in the order in which it is known."""

    kind: MadeKind
    of: str = ""  # the role of the text
    known: dict[str, None] = field(default_factory=dict)  # labels or options
    parts: dict[str, _Asked] = field(default_factory=dict)  # what is asked of every mark
    links: dict[str, None] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)  # of options
    bounds: tuple[float | None, float | None] = (None, None)
    ask: str = ""
    label_ids: DistinctIds = field(default_factory=lambda: DistinctIds(_LABEL))
    option_ids: DistinctIds = field(default_factory=lambda: DistinctIds(_OPTION))
    part_ids: DistinctIds = field(default_factory=lambda: DistinctIds(None, OWN_KEYS | WORDS))


class MadeProtocol:
    """Gathers what was asked, then gives the protocol and puts answers into its words."""

    def __init__(self, tool: str, what: str, *, texts: tuple[str, ...] = ("text",)) -> None:
        """Of a tool, such as Argilla, and what it calls such a thing, such as dataset."""
        self._source: dict[str, Any] = {
            "protocol": f"{slug(tool)[:60].replace('_', '-')}/1",
            "title": f"{tool} {what}",
            "about": f"Made from files of {tool}: what annotators were asked there, as far as the files tell.",
            "texts": list(texts),
        }
        self._texts = texts
        self._asked: dict[str, _Asked] = {}
        self._named = DistinctIds(None, WORDS)

    def question(self, name: str, kind: MadeKind, *, of: str = "", part_of: str = "", ask: str = "") -> _Asked:
        """A question, or what is asked of every mark of one; the first that is said of it holds."""
        among = self._asked if not part_of else self._asked[part_of].parts
        found = among.setdefault(name, _Asked(kind, of, ask=ask))
        if found.kind == "choice" and kind == "choices":
            found.kind = kind
        return found

    def marks(self, name: str, marks: Iterable[Mapping[str, Any]], *, of: str = "") -> None:
        """Marks that somebody made: their labels, what is said of them and their links become known."""
        asked = self.question(name, "marks", of=of)
        for mark in marks:
            if mark.get("label"):
                asked.known[str(mark["label"])] = None
            asked.links |= dict.fromkeys(mark.get("links") or ())
            for key, value in mark.items():
                if key not in OWN_KEYS:
                    self.said(key, value, part_of=name)

    def said(self, name: str, value: Any, *, part_of: str = "", kind: MadeKind | None = None) -> None:
        """An answer that was given: a list of options, a number, or words."""
        if isinstance(value, list):
            asked = self.question(name, kind or ("choices" if len(value) > 1 else "choice"), part_of=part_of)
            if len(value) > 1 and asked.kind == "choice":
                asked.kind = "choices"
            asked.known |= dict.fromkeys(map(str, value))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.question(name, kind or "number", part_of=part_of)
        else:
            asked = self.question(name, kind or "text", part_of=part_of)
            if asked.kind in ("choice", "choices"):
                asked.known[str(value)] = None

    def protocol(self) -> Protocol:
        trees = {
            self._ids[name]: [{"id": one, "title": title} for title, one in asked.label_ids.of(asked.known).items()]
            for name, asked in self._asked.items()
            if asked.kind == "marks" and asked.known
        }
        questions = [self._question(name, self._ids[name], asked) for name, asked in self._asked.items()]
        steps = [{"questions": questions or [{"id": "remark", "kind": "text", "required": False}]}]
        return parse(write_json({**self._source, "taxonomies": trees, "steps": steps}))

    def translated(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        """Answers by the protocol's ids."""
        return {self._ids[name]: self._answer(value, self._asked[name]) for name, value in answers.items()}

    @property
    def _ids(self) -> dict[str, str]:
        return self._named.of(self._asked)

    def _question(self, name: str, own: str, asked: _Asked) -> dict[str, Any]:
        found: dict[str, Any] = {"id": own, "ask": asked.ask or in_words(name), "required": False}
        if asked.kind == "marks":
            parts = asked.part_ids.of(asked.parts)
            found |= {"kind": "spans", "by": "character", "overlap": True}
            found |= {"attributes": [self._question(part, parts[part], one) for part, one in asked.parts.items()]}
            found |= {"labels": {"tree": own, "any_level": True}} if asked.known else {}
            found |= {"of": asked.of} if asked.of and len(self._texts) > 1 else {}
            found |= {"links": {slug(role): {} for role in asked.links}} if asked.links else {}
            return found
        if asked.kind == "compare":
            return found | {"kind": "compare", "between": list(self._texts), "tie": True}
        if asked.kind in ("choice", "choices") and 2 <= len(asked.known) <= _MOST_OPTIONS:
            options = [
                {"id": one, "title": title, **({"value": asked.numbers[title]} if title in asked.numbers else {})}
                for title, one in asked.option_ids.of(asked.known).items()
            ]
            return found | {"kind": asked.kind, "options": options}
        if asked.kind == "number":
            least, most = asked.bounds
            return found | {"kind": "number", "at_least": least, "at_most": most}
        return found | {"kind": "text"}

    def _answer(self, value: Any, asked: _Asked) -> Any:
        if asked.kind == "marks":
            labels, parts = asked.label_ids.of(asked.known), asked.part_ids.of(asked.parts)
            return [
                {
                    parts.get(key, key): self._answer(said, asked.parts[key])
                    if key in asked.parts
                    else labels[str(said)]
                    if key == "label"
                    else {slug(role): places for role, places in said.items()}
                    if key == "links"
                    else said
                    for key, said in mark.items()
                }
                for mark in value
            ]
        if asked.kind in ("choice", "choices"):
            chosen = [str(one) for one in value] if isinstance(value, list) else [str(value)]
            if not 2 <= len(asked.known) <= _MOST_OPTIONS:
                return "; ".join(chosen)
            options = asked.option_ids.of(asked.known)
            ids = [options[one] for one in chosen]
            return ids if asked.kind == "choices" else ids[0]
        return value


@dataclass
class GatheredProject:
    """A project of another tool while it is read: its units, and everybody's answers in the tool's own words."""

    made: MadeProtocol
    units: dict[str, Unit] = field(default_factory=dict)
    given: dict[tuple[str, str], GivenAnswers] = field(default_factory=dict)
    marking: dict[str, None] = field(default_factory=dict)  # questions whose answers are marks

    def take(self, now: GivenAnswers, problems: list[Problem]) -> None:
        take(self.given, now, problems)

    def marked(self, question: str, marks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Marks of a question, which is thereby known to ask for such."""
        self.marking[question] = None
        self.made.marks(question, marks)
        return marks

    def record(self, *, own_words: bool) -> CampaignRecord:
        """The project as a campaign; of everybody who marked nothing it says so."""
        silent: dict[str, list[dict[str, Any]]] = {name: [] for name in self.marking}
        answers = {key: {**silent, **one.answers} for key, one in self.given.items()}
        if own_words:
            record = Project(self.units_in_order, tuple(self.given.values()), self.made.protocol()).record()
            return replace(
                record,
                protocol="",
                protocols=(),
                responses=tuple(
                    replace(one, protocol="", answers=answers[one.unit, one.annotator]) for one in record.responses
                ),
            )
        named = {key: self.made.translated(said) for key, said in answers.items()}
        given = tuple(replace(one, answers=named[key]) for key, one in self.given.items())
        return Project(self.units_in_order, given, self.made.protocol()).record()

    @property
    def units_in_order(self) -> tuple[Unit, ...]:
        return tuple(self.units.values())

    @property
    def asked(self) -> dict[str, ExportedQuestion]:
        return {name: ExportedQuestion(name, by_character=True) for name in self.marking}


def refuse(problems: list[Problem]) -> None:
    if problems:
        raise ProblemsFound(problems, "nothing was imported")


def project_format(
    name: str,
    purpose: str,
    gather: Callable[[Files, str | None], GatheredProject],
    *,
    keys: tuple[str, ...],
    fields: bool = False,
) -> Format:
    """Whole projects of a tool, and their answers alone, in which labels and options keep the tool's names."""

    def read(files: Files, text: str | None = None) -> CampaignRecord:
        return gather(files, text).record(own_words=False)

    def answers(files: Files, target: Target, problems: list[Problem]) -> list[GivenAnswers]:
        found = gather(files, target.text)
        return carried(found.record(own_words=True), target, problems, places=found.given, asked=found.asked)

    return Format(name, purpose, read=read, answers=answers, fields=fields, keys=keys)
