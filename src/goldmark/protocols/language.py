"""The protocol language: what a protocol file may say once everything it extends has been put in."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from goldmark.languages import ENGLISH
from goldmark.protocols.conditions import Condition
from goldmark.protocols.expected import GradingByQuestion
from goldmark.protocols.kinds import KINDS, OneOfTheKinds, ProtocolContext, Question
from goldmark.protocols.loading.translations import translated_protocols
from goldmark.protocols.parts import QuestionId, Role, Strict
from goldmark.protocols.taxonomy import Label, Taxonomy
from goldmark.protocols.training.kits import KitName, Qualification, TrainingPart

LanguageCode = Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]
ProtocolName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,63}/[1-9][0-9]{0,5}$")]
# What these options meant before an option could say that it sets a text aside, as TGEA's annotators could.
USUALLY_SET_ASIDE: Final = frozenset({"ambiguous", "too_many"})
AnyQuestion = Annotated[Question, OneOfTheKinds()]


class Step(Strict):
    """A page of questions."""

    id: QuestionId | None = Field(None, description="A name for the step; its number if left out.")
    title: str = Field("", description="The heading over its questions.")
    when: Condition | None = Field(None, description="Show the step only if this holds for answers in earlier steps.")
    locks: bool = Field(False, description="After submission, the answers can no longer be changed.")
    questions: tuple[AnyQuestion, ...] = Field(min_length=1, description="What is asked, in order.")


class NeededContext(Strict):
    """Something that must stand beside the texts of a unit, because people cannot judge without it."""

    context: tuple[Annotated[str, Field(min_length=1, max_length=100)], ...] = Field(
        min_length=1,
        description="What it is called; of several names one is enough. `Source` is also found in `Source (German)`.",
    )
    missing: Literal["refuse", "warn"] = Field(
        "refuse", description="Whether texts without it are refused, or taken with a word in the campaign's activity."
    )

    def is_in(self, titles: Iterable[str]) -> bool:
        """Whether the context of a unit has it, by its titles."""
        return any(map(_named(self.context).search, titles))


@cache  # it is asked for with every text
def _named(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)


class Translation(Strict):
    """What annotators read of a protocol, in another language. Ids, keys and numbers are the same in all."""

    instructions: str = Field("", max_length=100_000, description="The instructions, in Markdown.")
    words: dict[str, str] = Field({}, description="Everything else, as it stands in the protocol: as it reads here.")


class ProtocolFile(Strict):
    """A whole protocol."""

    protocol: ProtocolName = Field(description="Name and version, such as accuracy/1. A change makes a new version.")
    title: str = Field(min_length=1, description="The name that annotators see.")
    summary: str = Field("", description="One sentence on what the annotator does.")
    about: str = Field("", description="For those who run campaigns: where the method comes from, when to use it.")
    instructions: str = Field("", max_length=100_000, description="For annotators, in Markdown.")
    texts: tuple[Role, ...] = Field(("text",), min_length=1, max_length=5, description="The texts a unit must have.")
    needs: tuple[NeededContext, ...] = Field(
        (), max_length=10, description="What must stand beside the texts, such as the question that they answer."
    )
    taxonomies: dict[str, tuple[Label, ...]] = Field({}, description="Trees of labels, by name.")
    steps: tuple[Step, ...] = Field(min_length=1, description="Pages of questions, in order.")
    grading: GradingByQuestion = Field({}, description="When the answer to a question counts as right.")
    training: dict[KitName, tuple[TrainingPart, ...]] = Field(
        {}, description="Training kits by name, each a list of parts; the first, unless a campaign names another."
    )
    qualification: Qualification | None = Field(None, description="What people must pass before they may work.")
    translations: dict[LanguageCode, Translation] = Field(
        {}, description="The same in other languages, by their code, such as de."
    )


for known in KINDS.usable().values():
    known.model_rebuild()  # those that waited until all kinds were known


@dataclass(frozen=True)
class Protocol:
    """A protocol that was loaded and found right. `source` is the text it was read from."""

    file: ProtocolFile
    source: str

    def __repr__(self) -> str:
        """What somebody at a prompt wants to see: the questions. `source` has all of it."""
        asked = "\n".join(f"  {one.id} ({one.kind}): {one.ask}" for one in self.questions())
        return f"<protocol {self.id}: {self.title}>\n{asked}"

    @property
    def id(self) -> str:
        """Name and version together, such as accuracy/1: what is stored with every answer."""
        return self.file.protocol

    @property
    def name(self) -> str:
        return self.file.protocol.partition("/")[0]

    @property
    def version(self) -> int:
        return int(self.file.protocol.partition("/")[2])

    @property
    def title(self) -> str:
        return self.file.title

    @property
    def summary(self) -> str:
        return self.file.summary

    @property
    def instructions(self) -> str:
        return self.file.instructions

    @property
    def texts(self) -> tuple[str, ...]:
        return self.file.texts

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.file.steps

    @property
    def locks(self) -> bool:
        """Whether any of its answers can no longer be changed after submission."""
        return any(step.locks for step in self.steps)

    def questions(self) -> Iterator[Question]:
        for step in self.steps:
            yield from step.questions

    @cached_property
    def taxonomies(self) -> Mapping[str, Taxonomy]:
        return {name: Taxonomy(name, labels) for name, labels in self.file.taxonomies.items()}

    @cached_property
    def around(self) -> ProtocolContext:
        """What its questions refer to, prepared once."""
        return ProtocolContext(self.taxonomies, self.texts, suggestions_to=self._suggestions_to, words_in=self.words_in)

    @property
    def _suggestions_to(self) -> dict[str, str]:
        """Which question decides the suggestions on each text: the first that marks it."""
        found: dict[str, str] = {}
        for question in self.questions():
            role = question.takes_suggestions_on(self.texts)
            if role is not None:
                found.setdefault(role, question.id)
        return found

    def words_in(self, language: str) -> Mapping[str, str]:
        """What people read of it -> the same in another language; what it says itself, and what comes with Goldmark."""
        if language in ("", ENGLISH) and language not in self.file.translations:
            return {}
        own = self.file.translations.get(language, Translation(instructions="", words={}))
        whole = {self.instructions: own.instructions} if own.instructions else {}
        return {**translated_protocols(language), **own.words, **whole}

    @cached_property
    def numbers(self) -> Mapping[str, Mapping[str, float]]:
        """The number of every option that has one, by question."""
        return {question.id: question.numbers() for question in self.questions()}

    @cached_property
    def answer_keys(self) -> frozenset[str]:
        """What an answer may hold: the ids of its questions, and of what is said beside their answers."""
        return frozenset(key for one in self.questions() for key in (one.id, one.companion) if key)

    @cached_property
    def set_aside(self) -> Mapping[str, frozenset[str]]:
        """By question the options that set a text aside: it has errors, which are not marked."""
        declared = {one.id: one.sets_aside() for one in self.questions()}
        if any(declared.values()):
            return {name: found for name, found in declared.items() if found}
        usual = {
            one.id: USUALLY_SET_ASIDE & set(one.options_with_numbers() or ())
            for one in self.questions()
            if not one.several
        }
        return {name: found for name, found in usual.items() if found}

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """The protocol with everything that it extends put in. It loads again to an equal protocol."""
        return self.file.model_dump(mode="json", exclude_defaults=True, by_alias=True)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that is asked and how it is read; two protocols with the same digest are the same."""
        return _digest({key: value for key, value in self.resolved.items() if key not in ("about", "needs")})


def _digest(data: Mapping[str, Any]) -> str:
    canonical = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
