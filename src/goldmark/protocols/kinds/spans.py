"""`spans`: mark passages of a text, each with a label, attributes and linked passages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import ConfigDict, Field, model_validator

from goldmark.errors import Problem
from goldmark.languages import gettext
from goldmark.protocols.checks.conditions import Scope, condition_mistakes
from goldmark.protocols.conditions import WORDS, Condition, answered
from goldmark.protocols.kinds import suggested
from goldmark.protocols.kinds.base import (
    AnswerContext,
    OneOfTheKinds,
    ProtocolContext,
    ProtocolMistake,
    Question,
    in_json,
)
from goldmark.protocols.kinds.marks import MarkReader, count_marked, misplaced, overlaps
from goldmark.protocols.loading.did_you_mean import did_you_mean
from goldmark.protocols.parts import QuestionId, Role, Strict, in_words
from goldmark.records.answers import Marks, Said, Words

OWN_KEYS: Final = frozenset({"id", "start", "end", "label", "links", "suggested"})  # so no attribute's name
MARKED_WORDS: Final = "span"  # the part of a mark that says where it is
# What attributes of these names mean where a protocol does not say it: older ones could not.
USUAL_CORRECTIONS: Final = ("correction",)
USUAL_EXPLANATIONS: Final = ("rationale", "comment")
MOST_SPANS: Final = 1_000
SPAN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class SpanLabels(Strict):
    """Which taxonomy labels the spans."""

    tree: str = Field(description="The name of a taxonomy of this protocol.")
    priority: tuple[str, ...] = Field((), description="Which label to prefer when several fit, most wanted first.")
    any_level: bool = Field(False, description="May a label with finer labels under it be chosen itself?")
    later: bool = Field(False, description="Mark first with Enter, and choose the label after the first attribute.")


class SpanLinks(Strict):
    """Other passages that belong to a span, in one role."""

    exactly: int | None = Field(None, ge=1, description="How many there must be.")
    at_least: int = Field(0, ge=0, description="The fewest there must be.")
    at_most: int | None = Field(None, ge=1, description="The most there may be.")
    ask: str = Field("", description="What to mark, as the annotator reads it.")

    @model_validator(mode="after")
    def _can_be_met(self) -> SpanLinks:
        if self.exactly is not None and (self.at_least or self.at_most is not None):
            raise ValueError("say either exactly, or at_least and at_most")
        if self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least is {self.at_least}, more than at_most, which is {self.at_most}")
        return self

    @property
    def bounds(self) -> tuple[int, int]:
        if self.exactly is not None:
            return self.exactly, self.exactly
        return self.at_least, MOST_SPANS if self.at_most is None else self.at_most


class Weight(Strict):
    """How much an error counts under a condition on its label and its attributes."""

    when: Condition = Field(description="Looks at `label` and at attributes, as `require` does.")
    weight: float = Field(ge=0, allow_inf_nan=False, alias="is", description="How much such an error counts.")

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)


class SpansQuestion(Question):
    """Mark passages. The answer is a list of spans; an empty list says that there is nothing to mark."""

    model_config = ConfigDict(defer_build=True)  # its attributes are of other kinds, which must be known first
    looks: ClassVar[frozenset[str]] = frozenset({"count"})
    graded_by: ClassVar[frozenset[str]] = frozenset({"recall", "precision", "category"})
    kind: Literal["spans"]
    of: Role | None = Field(None, description="The role of the text to mark; the protocol's first text if left out.")
    by: Literal["token", "character"] = Field("token", description="What positions count.")
    overlap: bool = Field(False, description="May spans share tokens?")
    at_least: int = Field(0, ge=0, description="The fewest spans.")
    at_most: int | None = Field(None, ge=1, le=MOST_SPANS, description="The most spans.")
    labels: SpanLabels | None = Field(None, description="The taxonomy of the labels; spans have none if left out.")
    attributes: tuple[Annotated[Question, OneOfTheKinds(attributes=True)], ...] = Field(
        (), description="Questions asked of every span: text, choice, choices or number."
    )
    links: dict[QuestionId, SpanLinks] = Field({}, description="Roles of linked passages, each with how many.")
    rewrites: QuestionId | None = Field(
        None,
        description="The attribute that says what should stand in place of the marked words; "
        "`correction` if left out and there is one.",
    )
    preview: bool = Field(True, description="With `rewrites`: does the page show the corrected text?")
    explains: QuestionId | None = Field(
        None,
        description="The attribute that says why it is marked; `rationale` or else `comment` if left out "
        "and there is one.",
    )
    ranks: QuestionId | None = Field(
        None, description="The attribute that says how bad it is; the numbers of its options are weights of errors."
    )
    weights: tuple[Weight, ...] = Field(
        (), description="Weights that differ from the numbers of `ranks`; the first whose condition holds counts."
    )
    require: Condition | None = Field(None, description="Must hold for the attributes and the label of every span.")
    otherwise: str = Field("", description="What to tell the annotator when `require` does not hold.")

    @model_validator(mode="after")
    def _can_be_met(self) -> SpansQuestion:
        if self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least is {self.at_least}, more than at_most, which is {self.at_most}")
        return self

    def present(self, around: ProtocolContext) -> dict[str, Any]:
        tree = around.taxonomies[self.labels.tree] if self.labels else None
        labels = (
            self.labels
            and tree
            and {
                "tree": self.labels.tree,
                "any_level": self.labels.any_level,
                "priority": tree.preferred(self.labels.priority),
                "later": self.labels.later,
                "labels": tree.present(),
            }
        )
        links = [
            {"id": name, "ask": rule.ask or in_words(name), "at_least": rule.bounds[0], "at_most": rule.bounds[1]}
            for name, rule in self.links.items()
        ]
        return {
            **super().present(around),
            "of": self.text_of(around.texts),
            "by": self.by,
            "overlap": self.overlap,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "labels": labels,
            "attributes": [attribute.present(around) for attribute in self.attributes],
            "links": links,
            "rewrites": self.rewrites if self.preview else None,
            "require": self.require and self.require.tree,
            "otherwise": self._otherwise,
        }

    def mistakes(self, around: ProtocolContext) -> Iterator[ProtocolMistake]:
        if self.of is not None and self.of not in around.texts:
            near = did_you_mean(self.of, around.texts)
            yield ProtocolMistake(("of",), f'"{self.of}" is not one of the texts ({", ".join(around.texts)})', near)
        for position, attribute in enumerate(self.attributes):
            if attribute.id in OWN_KEYS | WORDS or attribute.id in self.links:
                yield ProtocolMistake(
                    ("attributes", position, "id"), f'"{attribute.id}" already means something else in a span'
                )
            for mistake in attribute.mistakes(around):
                yield ProtocolMistake(("attributes", position, *mistake.key), mistake.what, mistake.remedy)
        yield from self._condition_mistakes(around)
        names = [attribute.id for attribute in self.attributes]
        for role in ("rewrites", "explains", "ranks"):
            named = getattr(self, role)
            if named is not None and named not in names:
                yield ProtocolMistake((role,), f'"{named}" is not one of the attributes', did_you_mean(named, names))
        if self.labels is None:
            return
        tree = around.taxonomies.get(self.labels.tree)
        if tree is None and self.labels.tree not in around.unreadable:
            near = did_you_mean(self.labels.tree, around.taxonomies)
            yield ProtocolMistake(("labels", "tree"), f'there is no taxonomy "{self.labels.tree}"', near)
        for position, path in enumerate(self.labels.priority):
            if tree is not None and path not in tree.paths:
                near = did_you_mean(path, tree.paths)
                yield ProtocolMistake(
                    ("labels", "priority", position), f'"{path}" is not a label of "{tree.name}"', near
                )

    def _condition_mistakes(self, around: ProtocolContext) -> Iterator[ProtocolMistake]:
        scope = Scope(labels=around.taxonomies.get(self.labels.tree) if self.labels else None, in_span=True)
        order = [attribute.id for attribute in self.attributes]
        for position, attribute in enumerate(self.attributes):
            at = ("attributes", position)
            if attribute.id in order[:position]:
                yield ProtocolMistake((*at, "id"), f'two attributes have the id "{attribute.id}"')
            yield from condition_mistakes(attribute.when, scope, order, (*at, "when"))
            scope.add(attribute.id, attribute)
        yield from condition_mistakes(self.require, scope, order, ("require",))
        for position, rule in enumerate(self.weights):
            yield from condition_mistakes(rule.when, scope, order, ("weights", position, "when"))

    # The answer, checked from the outside in: the list, each span, its label, attributes and links.

    def problems(self, answer: object, asked: AnswerContext) -> Iterator[Problem]:
        if not isinstance(answer, list):
            yield asked.malformed("The answer must be a list of spans.")
            return
        most = MOST_SPANS if self.at_most is None else self.at_most
        if len(answer) > most:
            yield asked.problem(count_marked(len(answer)), gettext("Mark at most {most}.", most=most))
            return
        if len(answer) < self.at_least:
            yield asked.problem(count_marked(len(answer)), gettext("Mark at least {least}.", least=self.at_least))
        role = self.text_of(asked.around.texts)
        if role not in asked.shown.texts:
            yield asked.malformed(
                f'The unit has no text in the role "{role}".', "Tell the people who run the campaign."
            )
            return
        length, judged_from = self._bounds(role, asked)
        ids: set[str] = set()
        placed: list[tuple[int, int, str]] = []
        for position, span in enumerate(answer):
            name = span.get("id") if isinstance(span, dict) else None
            if not isinstance(span, dict) or not isinstance(name, str) or not SPAN_ID.fullmatch(name):
                yield asked.malformed(f"Span number {position + 1} has no usable id.", 'Give it an id such as "e1".')
                continue
            here = asked.within(name)
            if name in ids:
                yield here.malformed(f'Two spans have the id "{name}".')
            ids.add(name)
            wrong = misplaced(span, length, self.by)
            if wrong:
                yield here.malformed(wrong)
            elif span["start"] < judged_from:
                touches = gettext("The span touches the given beginning of the text.")
                yield here.problem(touches, gettext("Mark only what follows it."))
            else:
                placed.append((span["start"], span["end"], name))
            yield from self._of_one(span, here, length)
        yield from suggested.misused(answer, self._offered(asked), asked)
        if not self.overlap:
            yield from overlaps(placed, asked)

    def parts(self) -> dict[str, str]:
        """The parts of a mark in the order in which they are asked."""
        linked = {role: rule.ask or in_words(role) for role, rule in self.links.items()}
        attributes = {one.id: one.ask or in_words(one.id) for one in self.attributes}
        label = {"label": "Label"} if self.labels else {}
        first = dict(list(attributes.items())[:1]) if self.labels and self.labels.later else {}
        return {MARKED_WORDS: "Marked words", **linked, **first, **label, **attributes}

    @cached_property
    def corrected_by(self) -> str | None:
        """The attribute that says what should stand there."""
        return self.rewrites or self._usual(USUAL_CORRECTIONS)

    @cached_property
    def explained_by(self) -> str | None:
        """The attribute that says why a passage is marked."""
        return self.explains or self._usual(USUAL_EXPLANATIONS)

    @cached_property
    def empty_deletes(self) -> bool:
        """Whether no correction means: delete the words.

        "correction or label == redundancy": only errors of certain labels need none, and theirs are to be deleted.
        """
        by = self.corrected_by
        return by is not None and self.require is not None and {by, "label"} <= self.require.names()

    def _usual(self, names: tuple[str, ...]) -> str | None:
        known = {attribute.id for attribute in self.attributes if attribute.gives is Words}
        return next((name for name in names if name in known), None)

    @property
    def gives(self) -> type[Said]:
        return Marks

    def text_of(self, texts: Sequence[str]) -> str:
        """The role of the text that is marked."""
        return self.of or texts[0]

    @cached_property
    def _reader(self) -> MarkReader:
        return MarkReader(self)

    def read(self, answer: object, asked: AnswerContext) -> Iterator[Said | Problem]:
        role = self.text_of(asked.around.texts)
        if answer in ([], ()):  # for which no text is needed
            yield Marks(self.id, role)
            return
        shown = asked.shown.texts.get(role)
        if not isinstance(answer, list | tuple) or shown is None:
            yield asked.malformed("The answer is not a list of spans." if shown else f'The unit has no text "{role}".')
            return
        marks, read = [], self._reader.read
        for position, span in enumerate(answer):
            mark = read(span, shown) if isinstance(span, dict) else None
            if mark is None:
                name = span.get("id") if isinstance(span, dict) else position + 1
                yield asked.malformed(f"Span {name} does not lie in the text.")
            else:
                marks.append(mark)
        yield Marks(self.id, role, tuple(marks))

    def understood(self, given: object, around: ProtocolContext) -> object:
        """Marks, which get ids where they have none; an empty cell is no mark."""
        marks = [] if isinstance(given, str) and not given.strip() else in_json(given)
        if not isinstance(marks, list):
            return marks
        taken = {mark["id"] for mark in marks if isinstance(mark, Mapping) and isinstance(mark.get("id"), str)}
        free = (name for number in range(1, len(marks) + len(taken) + 1) if (name := f"e{number}") not in taken)
        return [self._understood(mark, free, around) if isinstance(mark, Mapping) else mark for mark in marks]

    def _understood(self, mark: Mapping[str, Any], free: Iterator[str], around: ProtocolContext) -> dict[str, Any]:
        read: dict[str, Any] = {"id": mark.get("id") or next(free)}
        attributes = {attribute.id: attribute for attribute in self.attributes}
        for key, value in mark.items():
            attribute = attributes.get(key)
            if value is None or key == "id":
                continue
            if key == "label" and self.labels is not None and isinstance(value, str):
                read[key] = around.taxonomies[self.labels.tree].path_of(value) or value
            elif key in OWN_KEYS or attribute is None:
                read[key] = value
            elif not attribute.empty(value):
                read[key] = attribute.understood(value, around)
        return read

    def tidied(self, answer: object) -> object:
        """With the attributes of every span as their own kinds are kept."""
        return [self._tidied(span) for span in answer] if isinstance(answer, list) else answer

    def _tidied(self, span: object) -> object:
        if not isinstance(span, dict):
            return span
        return {**span, **{one.id: one.tidied(span[one.id]) for one in self.attributes if one.id in span}}

    @property
    def companion(self) -> str | None:
        return f"{self.id}.dismissed"

    def companion_problems(self, said: object, answer: object, asked: AnswerContext) -> Iterator[Problem]:
        yield from suggested.undecided(said, answer, self._offered(asked), asked)

    def takes_suggestions_on(self, texts: Sequence[str]) -> str | None:
        return self.text_of(texts) if self.by == "token" else None

    def _offered(self, asked: AnswerContext) -> tuple[str, ...]:
        """The suggestions that are this question's to decide."""
        role = self.text_of(asked.around.texts)
        mine = asked.around.suggestions_to.get(role) == self.id
        return asked.shown.texts[role].suggested if mine and role in asked.shown.texts else ()

    def _bounds(self, role: str, asked: AnswerContext) -> tuple[int, int]:
        """How long the text is and where the judged part starts, in tokens or characters."""
        shown = asked.shown.texts[role]
        if self.by == "token":
            return shown.tokens, shown.prompt_tokens
        return len(shown.characters), shown.prompt_characters

    def _of_one(self, span: dict[str, Any], here: AnswerContext, length: int) -> Iterator[Problem]:
        known = OWN_KEYS | {attribute.id for attribute in self.attributes}
        for key in span:
            if key not in known:
                near = did_you_mean(str(key), known, sentence=True)
                yield here.malformed(f'A span has no "{str(key)[:80]}".', f"Leave it out.{near}")
        yield from self._label(span.get("label"), here)
        yield from self._links(span.get("links"), here, length)
        facts: dict[str, object] = {"label": span.get("label")}
        for attribute in self.attributes:
            value = span.get(attribute.id)
            given = not attribute.empty(value)
            inside = here.within(f"{here.part}.{attribute.id}")
            if attribute.when is not None and not attribute.when.holds(facts, self.attribute_numbers):
                if given and answered(value):
                    not_asked = gettext("This is not asked here, so it cannot be answered.")
                    yield inside.problem(not_asked, gettext("Leave it empty."))
                continue
            if given:
                yield from attribute.problems(value, inside)
                facts[attribute.id] = value
            elif attribute.required:
                asks = inside.said(attribute.ask or in_words(attribute.id))
                yield inside.problem(
                    gettext("{question}: an answer is missing.", question=asks), gettext("Please give one.")
                )
        if self.require is not None and not self.require.holds(facts, self.attribute_numbers):
            yield here.problem(gettext("Something is missing here."), here.said(self._otherwise))

    @property
    def _otherwise(self) -> str:
        needed = gettext("Needed: {condition}.", condition=self.require.source) if self.require else ""
        return self.otherwise or needed

    @cached_property
    def attribute_numbers(self) -> dict[str, dict[str, float]]:
        return {attribute.id: attribute.numbers() for attribute in self.attributes}

    def _label(self, label: object, here: AnswerContext) -> Iterator[Problem]:
        if self.labels is None:
            if label not in (None, ""):
                yield here.malformed("Spans have no label here.", "Leave it out.")
            return
        tree = here.around.taxonomies[self.labels.tree]
        if not isinstance(label, str) or not label:
            yield here.problem(gettext("The span has no label."), gettext("Choose one."))
        elif label not in tree.paths:
            near = did_you_mean(label, tree.paths, sentence=True)
            yield here.malformed(f'"{label[:80]}" is not a label of this task.', f"Choose one from the list.{near}")
        elif label not in tree.leaves and not self.labels.any_level:
            finer = ", ".join(here.said(child.name) for child in tree.paths[label].children)
            general = gettext('"{label}" is too general.', label=here.said(tree.paths[label].name))
            yield here.problem(general, gettext("Choose one of: {labels}.", labels=finer))

    def _links(self, links: object, here: AnswerContext, length: int) -> Iterator[Problem]:
        if links is None:
            links = {}
        if not isinstance(links, dict):
            yield here.malformed("The linked spans must be given by role.")
            return
        for role in links:
            if role not in self.links:
                near = did_you_mean(str(role), self.links, sentence=True)
                yield here.malformed(
                    f'Spans have no linked spans in the role "{str(role)[:80]}".', f"Leave them out.{near}"
                )
        for role, rule in self.links.items():
            marked = links.get(role) or []
            inside = here.within(f"{here.part}.{role}")
            least, most = rule.bounds
            if not isinstance(marked, list) or not all(isinstance(one, dict) for one in marked):
                yield inside.malformed("The linked spans must be a list.")
                continue
            if not least <= len(marked) <= most:
                wanted = (
                    gettext("Mark exactly {count}.", count=least)
                    if least == most
                    else gettext("Mark at least {least}.", least=least)
                    if len(marked) < least
                    else gettext("Mark at most {most}.", most=most)
                )
                what = inside.said(rule.ask or in_words(role))
                yield inside.problem(gettext("{what}: {count} marked.", what=what, count=len(marked)), wanted)
            for one in marked[:most]:
                wrong = misplaced(one, length, self.by)
                if wrong or set(one) - {"start", "end"}:
                    yield inside.malformed(wrong or "A linked span has only a start and an end.")
