"""The published schema accepts every built-in protocol and refuses what the checker refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema_rs
import pytest

from goldmark.protocols import builtin_names, load
from goldmark.protocols.loading.json_schema import schema
from goldmark.protocols.loading.yaml_reader import read

VALIDATOR = jsonschema_rs.validator_for(schema())


def data_of(name: str) -> dict[str, Any]:
    return read(load(name).source, name)


@pytest.mark.parametrize("name", builtin_names())
def test_every_builtin_protocol_fits(name: str) -> None:
    VALIDATOR.validate(data_of(name))
    VALIDATOR.validate(load(name).resolved)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("title"),
        lambda data: data.update(titel="x"),
        lambda data: data.update(protocol="Accuracy"),
        lambda data: data["steps"][0].update(lock=True),
        lambda data: data["steps"][0]["questions"][0].update(kind="span"),
        lambda data: data["steps"][0]["questions"][0].update(at_most="many"),
        lambda data: data["steps"][0]["questions"][0]["attributes"][0].update(kind="spans"),
        lambda data: data["taxonomies"]["accuracy-6"][0].update(key="NN"),
    ],
)
def test_what_the_checker_refuses_does_not_fit(spoil: Callable[[dict[str, Any]], object]) -> None:
    data = data_of("accuracy")
    spoil(data)
    assert not VALIDATOR.is_valid(data)
