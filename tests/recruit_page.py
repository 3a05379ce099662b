"""The tables in docs/reference/recruit.md, made from the settings: `python -m tests.recruit_page` renews them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from goldmark.campaigns.definition.settings import Approval, Recruit
from goldmark.people.connector import CONNECTORS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "recruit.md"


def table(model: type[BaseModel], before: str = "") -> str:
    """Every key with what it says and what holds without it."""
    lines = ["| key | says | without it |", "|---|---|---|"]
    for name, field in model.model_fields.items():
        if isinstance(field.default, Approval):
            lines += table(type(field.default), f"{before}{name}.").splitlines()[2:]
            continue
        lines.append(f"| `{before}{name}` | {field.description or ''} | {_default(field.default)} |")
    return "\n".join(lines) + "\n"


def _default(value: Any) -> str:
    if value is PydanticUndefined:
        return "must be said"
    words = {"None": "", "()": "", "{}": "", "": "", "True": "`true`", "False": "`false`"}
    told = ", ".join(value) if isinstance(value, tuple) and value else str(value)
    return words.get(told, f"`{told}`")


def page() -> str:
    """The page as it should be."""
    models: dict[str, type[BaseModel]] = {"recruit": Recruit}
    models |= {name: one.options for name, one in CONNECTORS.usable().items() if one.options is not None}

    def renewed(found: re.Match[str]) -> str:
        return f"<!-- {found[1]} -->\n\n{table(models[found[1]])}\n<!-- until here -->"

    text = PAGE.read_text(encoding="utf-8")
    return re.sub(r"<!-- (\w+) -->\n.*?<!-- until here -->", renewed, text, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
