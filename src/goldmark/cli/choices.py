"""Kinds of options that several commands share: counts, seeds, probabilities, NAME=VALUE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from goldmark.records.kept import named_values as named_values

Count = Annotated[int, Parameter(validator=Number(gte=1))]
Seed = Annotated[int, Parameter(validator=Number(gte=0))]
Probability = Annotated[float, Parameter(validator=Number(gt=0, lt=1))]
Flag = Annotated[bool, Parameter(negative="")]


def name_and_value(_: object, values: Sequence[str]) -> None:
    """Refuse, as wrong usage, what has no `=` in it."""
    for value in values:
        name, equals, rest = value.partition("=")
        if not (equals and name.strip() and rest.strip()):
            raise ValueError(f"{value!r} should read NAME=VALUE, for instance type=SYSTEM")


NamesAndValues = Annotated[tuple[str, ...], Parameter(negative="", validator=name_and_value)]


def named(options: Sequence[str]) -> dict[str, str]:
    """`annotator=worker` as our word and the file's own."""
    return {name.strip(): value.strip() for name, _, value in (option.partition("=") for option in options)}
