"""The smallest parts of the protocol language: strict models, ids, and names made from ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

QuestionId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
LabelId = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=64)]
Role = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=32)]
Key = Annotated[str, Field(pattern=r"^[a-z0-9]?$")]
SPARE: Final = "abcdefghijklmnopqrstuvwxyz1234567890"


class Strict(BaseModel):
    """A part of the language: unknown keys are errors, and nothing changes after loading."""

    # Built when the first protocol is read: most parts are only ever read inside of another.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def in_words(name: str) -> str:
    """An id as a person would write it: `definitely_human` becomes `Definitely human`, `NAME` becomes `Name`."""
    words = name.replace("_", " ").replace("-", " ").strip()
    words = words.lower() if words.isupper() else words
    return words[:1].upper() + words[1:]


def distinct(given: Mapping[str, str], wishes: Mapping[str, str], spare: str = SPARE) -> dict[str, str]:
    """The given letter of each name; for the others the first letter they wish for that nobody has, or a spare one."""
    taken = set(given.values())
    chosen = dict(given)
    for name, wish in wishes.items():
        if not chosen[name]:
            letters = [letter for letter in wish if letter.isascii() and letter.isalnum()]
            chosen[name] = next((letter for letter in (*letters, *spare) if letter not in taken), "")
            taken.add(chosen[name])
    return chosen
