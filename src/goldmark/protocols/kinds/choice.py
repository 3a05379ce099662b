"""`choice`: pick one option. `choices`: pick any number of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from goldmark.errors import Problem
from goldmark.languages import gettext
from goldmark.protocols.kinds.base import (
    AnswerContext,
    ProtocolContext,
    ProtocolMistake,
    Question,
    in_json,
    number_in,
)
from goldmark.protocols.loading.did_you_mean import did_you_mean
from goldmark.protocols.parts import Key, Strict, distinct, in_words
from goldmark.records import answers as said
from goldmark.records.answers import Said

BETWEEN = re.compile(r"[;|]")  # several options in one cell


class Option(Strict):
    """One thing to choose; `value` is the number that analyses and `value(...)` in conditions use."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=200, description="What the answer holds.")
    title: str = Field("", description="What people read; made from the id if left out.")
    value: float | None = Field(None, allow_inf_nan=False, description="A number for this option.")
    key: Key = Field("", description="The single key that chooses it; its position if left out.")
    help: str = Field("", description="When to choose it.")
    group: str = Field("", description="Options with the same group are shown together under it.")
    alone: bool = Field(False, description="In `choices`: cannot be chosen together with others.")
    sets_aside: bool = Field(False, description="In `choice`: sets the text aside; its errors are not marked.")

    @property
    def name(self) -> str:
        return self.title or in_words(self.id)


def _options(given: object) -> object:
    """The short forms: ids alone, numbers alone, or a mapping from id to number."""
    if isinstance(given, Mapping):
        return [{"id": name, "value": value} for name, value in given.items()]
    if isinstance(given, list | tuple):
        return [_option(one) for one in given]
    return given


def _option(given: object) -> object:
    if isinstance(given, str):
        return {"id": given}
    if isinstance(given, int | float) and not isinstance(given, bool):
        return {"id": f"{given:g}", "value": given}
    return given


ShortForms = Annotated[list[str | float | Option], Field(min_length=2, max_length=100)] | dict[str, float]
Options = Annotated[
    tuple[Option, ...],
    Field(min_length=2, max_length=100),
    BeforeValidator(_options, json_schema_input_type=ShortForms),
    Field(description="A list of ids, a mapping from id to number, or a list of full options."),
]


class WithOptions(Question):
    """What `choice` and `choices` share."""

    options: Options

    def present(self, around: ProtocolContext) -> dict[str, Any]:
        keys = distinct(
            {option.id: option.key for option in self.options},
            {option.id: str(position) for position, option in enumerate(self.options, start=1)},
        )
        options = [
            {**one.model_dump(exclude={"sets_aside"}), "title": one.name, "key": keys[one.id]} for one in self.options
        ]
        return {**super().present(around), "options": options}

    def options_with_numbers(self) -> Mapping[str, float | None]:
        return {option.id: option.value for option in self.options}

    def titles(self) -> dict[str, str]:
        return {option.id: option.name for option in self.options}

    def sets_aside(self) -> frozenset[str]:
        return frozenset(option.id for option in self.options if option.sets_aside)

    def mistakes(self, around: ProtocolContext) -> Iterator[ProtocolMistake]:
        if self.several and self.sets_aside():
            what = "only an answer that is the whole answer sets a text aside"
            yield ProtocolMistake(("options",), what, "ask for it with a question of kind choice")
        for attribute in ("id", "key"):
            seen: set[str] = set()
            for position, option in enumerate(self.options):
                found = getattr(option, attribute)
                if found and found in seen:
                    yield ProtocolMistake(("options", position), f'two options have the {attribute} "{found}"')
                seen.add(found)

    def understood(self, given: object, around: ProtocolContext) -> object:
        """The id of the option that is meant, by its id, its title or its number; or what was given."""
        words = f"{given:g}" if isinstance(given, int | float) and not isinstance(given, bool) else given
        if not isinstance(words, str):
            return given
        words = words.strip()
        number = number_in(words)
        tests: tuple[Callable[[Option], bool], ...] = (
            lambda one: one.id == words,
            lambda one: one.id.casefold() == words.casefold(),
            lambda one: one.name.casefold() == words.casefold(),
            lambda one: one.value is not None and one.value == number,
        )
        for test in tests:
            found = [one.id for one in self.options if test(one)]
            if len(found) == 1:
                return found[0]
        return words

    def _unknown(self, answer: object) -> str:
        known = [option.id for option in self.options]
        return f"Choose one of: {', '.join(known)}.{did_you_mean(str(answer), known, sentence=True)}"


class Truth(Strict):
    """For a question that has a true answer: where the truth is kept and which options say what."""

    fact: str = Field(min_length=1, max_length=64, description="The hidden fact of a unit that says what is true.")
    says: dict[str, tuple[str, ...]] = Field(min_length=2, description="By what can be true: the options that say so.")
    finding: str = Field(description="What precision, recall and F1 are about.")
    confident: tuple[str, ...] = Field((), description="Options that somebody chooses who is sure.")
    chance: float = Field(0.5, ge=0, le=1, description="The accuracy of guessing.")


class ChoiceQuestion(WithOptions):
    """Pick one of the options. The answer is the option's id."""

    attribute: ClassVar[bool] = True
    looks: ClassVar[frozenset[str]] = frozenset({"==", "in", "value"})
    graded_by: ClassVar[frozenset[str]] = frozenset({"within"})
    kind: Literal["choice"]
    go_on: bool = Field(False, description="A key that chooses also goes on: to the next part, or it submits.")
    truth: Truth | None = Field(None, description="What is true, where that is known: for accuracy and its tests.")

    def present(self, around: ProtocolContext) -> dict[str, Any]:
        return {**super().present(around), "go_on": self.go_on}

    def mistakes(self, around: ProtocolContext) -> Iterator[ProtocolMistake]:
        yield from super().mistakes(around)
        if self.truth is None:
            return
        known = [option.id for option in self.options]
        named = [*(one for some in self.truth.says.values() for one in some), *self.truth.confident]
        for one in dict.fromkeys(named):
            if one not in known:
                yield ProtocolMistake(("truth",), f'"{one}" is not one of the options', did_you_mean(one, known))
        if self.truth.finding not in self.truth.says:
            yield ProtocolMistake(("truth", "finding"), f'no option says "{self.truth.finding}"')

    def problems(self, answer: object, asked: AnswerContext) -> Iterator[Problem]:
        if not isinstance(answer, str):
            yield asked.malformed("The answer must be one of the options.", self._unknown(""))
        elif not any(answer == option.id for option in self.options):
            yield asked.malformed(f'"{answer[:80]}" is not one of the options.', self._unknown(answer))

    @cached_property
    def gives(self) -> type[Said]:
        """A scale if every option has a number, else a choice."""
        return said.Rating if all(option.value is not None for option in self.options) else said.Choice

    @cached_property
    def _says(self) -> Mapping[object, tuple[Said, ...]]:
        """What each option says: the same whoever chooses it, so it is made once."""
        return {
            option.id: (
                said.Choice(self.id, option.id)
                if self.gives is said.Choice or option.value is None
                else said.Rating(self.id, option.value, option.id, *self.ends()),
            )
            for option in self.options
        }

    def read(self, answer: object, asked: AnswerContext) -> Iterable[Said | Problem]:
        found = self._says.get(answer) if isinstance(answer, str) else None
        if found is not None:
            return found
        return (asked.malformed(f'"{str(answer)[:80]}" is not one of the options.', self._unknown(answer)),)


class ChoicesQuestion(WithOptions):
    """Pick any number of the options. The answer is a list of their ids."""

    attribute: ClassVar[bool] = True
    looks: ClassVar[frozenset[str]] = frozenset({"in", "count"})
    several: ClassVar[bool] = True
    graded_by: ClassVar[frozenset[str]] = frozenset({"share"})
    kind: Literal["choices"]
    at_least: int = Field(1, ge=0, description="How many must be chosen.")
    at_most: int | None = Field(None, ge=1, description="How many may be chosen.")

    @model_validator(mode="after")
    def _can_be_met(self) -> ChoicesQuestion:
        most = len(self.options) if self.at_most is None else self.at_most
        if self.at_least > min(most, len(self.options)):
            raise ValueError(f"at_least is {self.at_least}, but at most {min(most, len(self.options))} can be chosen")
        return self

    def present(self, around: ProtocolContext) -> dict[str, Any]:
        return {**super().present(around), "at_least": self.at_least, "at_most": self.at_most}

    def empty(self, answer: object) -> bool:
        return answer is None or (answer == [] and self.at_least > 0)

    def understood(self, given: object, around: ProtocolContext) -> object:
        """The ids of the options; several stand in a cell with ";" or "|" between them."""
        several = in_json(given)
        if isinstance(several, str):
            known = any(one.id == super(ChoicesQuestion, self).understood(several, around) for one in self.options)
            several = [several] if known else [part for part in BETWEEN.split(several) if part.strip()]
        several = several if isinstance(several, list) else [several]
        return [super(ChoicesQuestion, self).understood(one, around) for one in several]

    def problems(self, answer: object, asked: AnswerContext) -> Iterator[Problem]:
        if not isinstance(answer, list) or not all(isinstance(one, str) for one in answer):
            yield asked.malformed("The answer must be a list of options.")
            return
        known = {option.id for option in self.options}
        for one in dict.fromkeys(answer):
            if one not in known:
                yield asked.malformed(f'"{one[:80]}" is not one of the options.', self._unknown(one))
        if len(set(answer)) < len(answer):
            yield asked.malformed("An option is chosen twice.", "Choose each option once.")
        for option in self.options:
            if option.alone and option.id in answer and len(answer) > 1:
                alone = gettext('"{option}" cannot be chosen together with others.', option=asked.said(option.name))
                yield asked.problem(alone, gettext("Choose it alone, or not."))
        if len(answer) < self.at_least:
            least = gettext("Choose at least {least}.", least=self.at_least)
            yield asked.problem(gettext("Only {count} chosen.", count=len(answer)), least)
        if self.at_most is not None and len(answer) > self.at_most:
            most = gettext("Choose at most {most}.", most=self.at_most)
            yield asked.problem(gettext("{count} chosen.", count=len(answer)), most)

    @property
    def gives(self) -> type[Said]:
        return said.Choice

    def read(self, answer: object, asked: AnswerContext) -> Iterator[Said | Problem]:
        chosen = {str(one) for one in answer} if isinstance(answer, list | tuple) else {str(answer)}
        for option in self.options:
            yield said.Choice(self.id, option.id, option.id in chosen)
        for one in sorted(chosen - {option.id for option in self.options}):
            yield asked.malformed(f'"{one[:80]}" is not one of the options.', self._unknown(one))
