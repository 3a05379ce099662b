"""`best_worst`: which of a few texts is the best, and which the worst?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Annotated, Any, Literal

from pydantic import Field

from goldmark.errors import Problem
from goldmark.languages import gettext
from goldmark.protocols.kinds.base import AnswerContext, ProtocolContext, in_json
from goldmark.protocols.kinds.compare import ComparingQuestion
from goldmark.protocols.parts import Role
from goldmark.records.answers import APART, Comparison, Said

FEWEST, MOST = 3, 5
KEYS = ("12345", "67890")  # of the best, of the worst: the two hands of a keyboard
SHAPE = f'Answer "best{APART}worst", such as "a{APART}c".'


class BestWorstQuestion(ComparingQuestion):
    """Name the best and the worst of a few texts. The answer is both roles, the best first: `a>c`."""

    kind: Literal["best_worst"]
    between: Annotated[tuple[Role, ...], Field(min_length=FEWEST, max_length=MOST)] = Field(
        ("a", "b", "c", "d"), description="The roles of the texts, three to five."
    )
    best_title: str = Field("Best", description="What people read above the choice of the best text.")
    worst_title: str = Field("Worst", description="What people read above the choice of the worst text.")

    def present(self, around: ProtocolContext) -> dict[str, Any]:
        titles = self.text_titles()

        def choice(title: str, keys: str) -> dict[str, Any]:
            options = [
                {"id": role, "title": titles[role], "value": None, "key": key, "help": ""}
                for key, role in zip(keys, self.between, strict=False)
            ]
            return {"title": title, "options": options}

        parts = [choice(title, keys) for title, keys in zip((self.best_title, self.worst_title), KEYS, strict=True)]
        return {**super().present(around), "between": list(self.between), "parts": parts, "apart": APART}

    def options_with_numbers(self) -> Mapping[str, float | None]:
        return dict.fromkeys(map(APART.join, permutations(self.between, 2)))

    def titles(self) -> dict[str, str]:
        titles = self.text_titles()
        return {
            f"{best}{APART}{worst}": f"{self.best_title}: {titles[best]}; {self.worst_title.lower()}: {titles[worst]}"
            for best, worst in permutations(self.between, 2)
        }

    def understood(self, given: object, around: ProtocolContext) -> object:
        """Also {"best": "a", "worst": "c"}, ["a", "c"], "A > C" and "a, c"."""
        found = in_json(given)
        if isinstance(found, Mapping) and set(found) == {"best", "worst"}:
            found = [found["best"], found["worst"]]
        if isinstance(found, str):
            found = found.replace(APART, ",").split(",")
        if isinstance(found, Sequence) and len(found) == 2:
            written = APART.join(str(one).strip().casefold() for one in found)
            return next((one for one in self.options_with_numbers() if one.casefold() == written), given)
        return given

    def problems(self, answer: object, asked: AnswerContext) -> Iterator[Problem]:
        if isinstance(answer, str) and answer in self.options_with_numbers():
            return
        best, _, worst = answer.partition(APART) if isinstance(answer, str) else ("", "", "")
        if best in self.between and not worst:
            yield asked.problem(gettext("Choose the worst text as well."))
        elif worst in self.between and not best:
            yield asked.problem(gettext("Choose the best text as well."))
        elif best in self.between and best == worst:
            yield asked.malformed("The best and the worst text must be two texts.", SHAPE)
        else:
            yield asked.malformed("The answer must name the best and the worst of the texts.", SHAPE)

    def read(self, answer: object, asked: AnswerContext) -> Iterator[Said | Problem]:
        if isinstance(answer, str) and answer in self.options_with_numbers():
            best, _, worst = answer.partition(APART)
            yield Comparison(self.id, self.between, best, worst)
        else:
            yield asked.malformed(f'"{str(answer)[:80]}" does not name the best and the worst of the texts.')
