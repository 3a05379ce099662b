"""Whether two answers say the same: the order of marks and options, and the ids of marks, say nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from goldmark.protocols.conditions import answered


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return _plain(one) == _plain(other)


def _plain(answers: Mapping[str, Any]) -> dict[str, Any]:
    # An empty list is an answer (nothing to mark); nothing at all and blank text are none.
    return {key: _value(value) for key, value in answers.items() if answered(value) or value == []}


def _value(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return sorted(json.dumps(_mark(one), sort_keys=True, ensure_ascii=False) for one in value)


def _mark(one: Any) -> Any:
    if not isinstance(one, Mapping):
        return one
    return {key: _links(value) for key, value in one.items() if key != "id" and answered(value)}


def _links(value: Any) -> Any:
    if isinstance(value, list):
        return sorted(json.dumps(one, sort_keys=True) for one in value)
    if isinstance(value, Mapping):
        return {role: _links(passages) for role, passages in value.items() if answered(passages)}
    return value
