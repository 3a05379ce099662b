"""What every kind of question has, and which there are.

A kind is one class in one module of this package or of a plug-in: its fields are what a protocol may say, `present` is
what the page receives, `problems` is what an answer must satisfy, `read` is what an answer says. Nothing else in
Goldmark asks which kind a question is: everything that reads answers knows what `records.answers` can say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, get_args

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from goldmark.errors import Problem
from goldmark.languages import ENGLISH, gettext, speaking
from goldmark.plugins import Group
from goldmark.protocols.conditions import Condition
from goldmark.protocols.parts import QuestionId, Strict, in_words
from goldmark.protocols.taxonomy import Taxonomy
from goldmark.records.answers import Rating, Said, Words
from goldmark.records.units import Surface

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ProtocolContext:
    """What a question may refer to in its protocol."""

    taxonomies: Mapping[str, Taxonomy]
    texts: Sequence[str]
    unreadable: Collection[str] = ()  # taxonomies that are there but have the wrong shape
    suggestions_to: Mapping[str, str] = field(default_factory=dict)  # role of a text -> which question decides them
    words_in: Callable[[str], Mapping[str, str]] = lambda language: {}  # what the protocol says, in another language


class AnswerContext(NamedTuple):
    """What the check of an answer may look at besides the answer."""

    shown: Surface
    around: ProtocolContext
    where: str  # the id of the question whose answer this is, or is part of
    part: str = ""  # the span or the attribute of a span, such as "e1.correction"

    def problem(self, what: str, remedy: str = "") -> Problem:
        """What a person can get wrong: in their language, so its words come from `gettext` and `said`."""
        return Problem(self.where, what, remedy, self.part)

    def malformed(self, what: str, remedy: str = "") -> Problem:
        """What only a program gets wrong, in English for whoever wrote it. Who uses its page reads first what to do."""
        if speaking.get() != ENGLISH:
            first = gettext("The page and the server do not understand each other. Load the page again.")
            what = f"{first} {what}"
        return Problem(self.where, what, remedy, self.part)

    def said(self, words: str) -> str:
        """Words of the protocol as whoever answers reads them."""
        return self.around.words_in(speaking.get()).get(words, words)

    def within(self, part: str) -> AnswerContext:
        return AnswerContext(self.shown, self.around, self.where, part)


@dataclass(frozen=True, slots=True)
class ProtocolMistake:
    """Something wrong in a protocol: at which key of which part, what, and what may have been meant."""

    key: tuple[str | int, ...]
    what: str
    remedy: str = ""


class Question(Strict):
    """What every question has, whatever its kind."""

    attribute: ClassVar[bool] = False  # may it also be asked of a single span?
    looks: ClassVar[frozenset[str]] = frozenset()  # how a condition may look at its answer: == < in count value
    several: ClassVar[bool] = False  # may an answer choose several of the options, each by itself?
    graded_by: ClassVar[frozenset[str]] = frozenset()  # which rules of `expected.Grading` mean something for it

    id: QuestionId = Field(description="How answers and conditions name this question.")
    kind: str
    ask: str = Field("", description="The question as the annotator reads it; made from the id if left out.")
    help: str = Field("", description="A sentence or two shown beside the question.")
    when: Condition | None = Field(None, description="Ask only if this holds for earlier answers.")
    required: bool = Field(True, description="Must it be answered whenever it is asked?")
    main: bool = Field(
        False, description="Of several ratings: the one that says how good the whole is, by which systems are ranked."
    )

    def present(self, around: ProtocolContext) -> dict[str, Any]:
        """What the page receives; kinds add their own keys."""
        return {
            "id": self.id,
            "kind": self.kind,
            "ask": self.ask or in_words(self.id),
            "help": self.help,
            "required": self.required,
            "when": None if self.when is None else self.when.tree,
        }

    def problems(self, answer: object, asked: AnswerContext) -> Iterator[Problem]:
        """Everything wrong with an answer that was given."""
        raise NotImplementedError

    def read(self, answer: object, asked: AnswerContext) -> Iterable[Said | Problem]:
        """What an answer says; a problem for each part that cannot be read: it was kept although it is wrong."""
        raise NotImplementedError

    @property
    def gives(self) -> type[Said]:
        """What `read` makes of an answer, so that one can tell before anybody has answered."""
        raise NotImplementedError

    @property
    def companion(self) -> str | None:
        """The key of what is said beside the answer, if this kind has such a thing. No question's id has a dot."""
        return None

    def companion_problems(self, said: object, answer: object, asked: AnswerContext) -> Iterator[Problem]:
        """Everything wrong with what is said beside the answer, or that it is missing (None)."""
        if said is not None:
            yield asked.malformed("Nothing can be said beside this answer.", f'Leave "{self.companion}" out.')

    def takes_suggestions_on(self, texts: Sequence[str]) -> str | None:
        """The role of the text whose suggestions this question could decide, if it marks one."""
        return None

    def empty(self, answer: object) -> bool:
        """Whether this counts as giving no answer."""
        return answer is None

    def tidied(self, answer: object) -> object:
        """The answer as it is kept; what cannot be tidied is left as it is, to be refused."""
        return answer

    def understood(self, given: object, around: ProtocolContext) -> object:
        """An answer as people and other tools write it, in a cell of a spreadsheet say, as it is kept.

        What cannot be understood stays as it is: the check of the answer then says what is wrong with it.
        """
        if self.gives is Rating:
            return number_in(given)
        return json.dumps(given, ensure_ascii=False) if self.gives is Words and not isinstance(given, str) else given

    def options_with_numbers(self) -> Mapping[str, float | None] | None:
        """What the answer can be and the number of each option; None if it can be anything."""
        return None

    def numbers(self) -> dict[str, float]:
        """The number of every option that has one."""
        options = self.options_with_numbers() or {}
        return {option: value for option, value in options.items() if value is not None}

    def titles(self) -> dict[str, str]:
        """What people read for each option."""
        return {option: in_words(option) for option in self.options_with_numbers() or ()}

    def scale(self) -> tuple[float, float] | None:
        """The smallest and the largest number that an answer can be, if both are known."""
        numbers = self.numbers().values()
        return (min(numbers), max(numbers)) if numbers else None

    def ends(self) -> tuple[float | None, float | None]:
        """The same where perhaps only one of them is known."""
        return self.scale() or (None, None)

    def sets_aside(self) -> frozenset[str]:
        """The options that set a text aside: it has errors, which are not marked."""
        return frozenset()

    def parts(self) -> dict[str, str]:
        """What of its answer can be right or wrong by itself, each with what it is; nothing: only the whole can."""
        return {}

    def mistakes(self, around: ProtocolContext) -> Iterator[ProtocolMistake]:
        """What is wrong with the question beyond its own fields, such as a taxonomy that does not exist."""
        yield from ()


def number_in(given: object) -> object:
    """The number that a cell holds; anything else as it is."""
    if isinstance(given, str) and _NUMBER.fullmatch(given.strip()):
        read = float(given)
        return int(read) if read.is_integer() and abs(read) < 2**53 else read
    return given


def in_json(given: object) -> Any:
    """The list or object that a cell holds as JSON; anything else as it is."""
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return given


def _wrong(found: Any, name: str) -> str:
    if not issubclass(found, Question):
        return "it is not a Question"
    for part in ("problems", "read", "gives"):
        if getattr(found, part) is getattr(Question, part):
            return f"it does not say {part!r}, so its answers would be ignored"
    if get_args(found.model_fields["kind"].annotation) != (name,):
        return f"a protocol could not name it: it needs a field kind: Literal[{name!r}]"
    return ""


KINDS: Group[type[Question]] = Group(
    "question_kinds",
    "kind of question",
    type,
    {
        "choice": "goldmark.protocols.kinds.choice:ChoiceQuestion",
        "choices": "goldmark.protocols.kinds.choice:ChoicesQuestion",
        "compare": "goldmark.protocols.kinds.compare:CompareQuestion",
        "best_worst": "goldmark.protocols.kinds.best_worst:BestWorstQuestion",
        "number": "goldmark.protocols.kinds.number:NumberQuestion",
        "text": "goldmark.protocols.kinds.text:TextQuestion",
        "spans": "goldmark.protocols.kinds.spans:SpansQuestion",
    },
    _wrong,
)


class OneOfTheKinds:
    """Annotation: a question of any kind there is, told apart by its key `kind`."""

    def __init__(self, *, attributes: bool = False) -> None:
        self.attributes = attributes  # only kinds that can be asked of a single span

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        kinds = {name: cls for name, cls in KINDS.usable().items() if cls.attribute or not self.attributes}
        return core_schema.tagged_union_schema(
            {name: handler.generate_schema(cls) for name, cls in kinds.items()}, discriminator="kind"
        )
