"""Limits that fields state are those that hold."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import BaseModel, ValidationError

from goldmark.campaigns.definition.settings import Settings
from goldmark.leaderboards.definition.settings import BoardSettings
from goldmark.studies.design.language import StudyFile
from goldmark.web.routes import API


def test_no_field_has_two_limits_of_one_kind() -> None:
    """The last of them would be obeyed, which may be that of its type and not its own."""

    def models(of: type[BaseModel]) -> Iterator[type[BaseModel]]:
        for one in of.__subclasses__():
            yield one
            yield from models(one)

    assert all(group.routes for group in API)  # which loads the models of all calls
    kinds = ("le", "ge", "lt", "gt", "max_length", "min_length", "pattern")
    ours = {one for one in models(BaseModel) if one.__module__.startswith("goldmark.")}
    assert {Settings, BoardSettings, StudyFile} < ours
    for model in ours:
        for name, field in model.model_fields.items():
            for kind in kinds:
                given = [getattr(one, kind) for one in field.metadata if getattr(one, kind, None) is not None]
                assert len(given) < 2, (model.__name__, name, kind, given)


def test_whole_numbers_keep_their_own_limit() -> None:
    for wrong in (2**40, 2**70):
        with pytest.raises(ValidationError):
            Settings.model_validate({"labels_per_unit": wrong})
    with pytest.raises(ValidationError, match="at most"):
        Settings.model_validate({"order": {"seed": 2**70}})
