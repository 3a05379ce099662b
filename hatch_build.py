"""Puts the documentation into a wheel, for the pages at /docs. An editable install reads it where it is."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Documentation(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            for name in ("docs", "mkdocs.yml"):
                build_data["force_include"][name] = f"goldmark/documentation/{name}"
