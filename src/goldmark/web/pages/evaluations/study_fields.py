"""A study in the fields of a page, and the same as its file: what is filled in becomes the YAML that is checked, kept
and offered for the next time, and a file can be put back into the fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from goldmark.errors import Problem, ProblemsFound
from goldmark.studies.design.language import Selection, StudyFile, Test
from goldmark.web.pages.forms import fields_of, names_in, number, pairs, plain, said_pairs
from goldmark.web.visits import Visit

# What there can be several of, with the fields of each; the first says whether a row is meant at all.
ROWS = {
    "factors": ("name", "levels"),
    "groups": ("name", "facts", "parts"),
    "kits": ("level", "kit"),
    "tests": ("kind", "factor", "to", "margin", "over", "where", "each"),
    "tables": ("rows", "title", "where"),
}
TICKED = ("outcome.options", "outcome.confident", "explanations")
PARTS = ("exclude", "expect", "pay")  # parts of the file whose fields are plain
WORDS = ("study", "title", "language", "family", "consent", "correction")
NUMBERS = ("participants", "alpha", "lease_minutes", "seed")
MONEY = "USD"
EXPECTED = tuple(f"expect.{one}" for one in ("difference", "spread", "between", "pool", "between_texts", "excluded"))
BLANK = {
    **dict.fromkeys((*WORDS, *NUMBERS, "protocol", "cells", "training.factor", "recruit", "reason"), ""),
    "protocol": "humanlike/1",
    "per_participant.texts": "5",
    "correction": "bonferroni",
    "alpha": "0.05",
    "expect.power": "0.8",
    "exclude.texts": "1",
    "pay.currency": MONEY,
    "lease_minutes": "15",
    "seed": "0",
    "identified": "no",
    **{f"exclude.{rule}": "no" for rule in ("vague", "mismatch", "same")},
    **dict.fromkeys(("exclude.copied", "exclude.short", "pay.each", "pay.by", "pay.fee", "pay.minutes"), ""),
    **dict.fromkeys(EXPECTED, ""),
    **{f"outcome.{one}": "" for one in ("kind", "question", "finding", "chance", "labels")},
}
ARRAYS = re.compile(r"\[(.*)\]")


@dataclass(frozen=True)
class StudyFields:
    """What stands in the fields of a study's page."""

    values: Mapping[str, str] = field(default_factory=lambda: dict(BLANK))
    rows: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=lambda: dict.fromkeys(ROWS, ()))
    ticked: Mapping[str, Sequence[str]] = field(default_factory=lambda: dict.fromkeys(TICKED, ()))
    says: Mapping[str, str] = field(default_factory=dict)  # option of the question: the group of texts that it names

    @staticmethod
    def sent(visit: Visit) -> StudyFields:
        """As somebody filled them in."""
        given = {key: value.strip() for key, value in visit.given.items()}
        rows = {}
        for name, cells in ROWS.items():
            columns = (visit.lines(f"{name}.{cell}") for cell in cells)
            found = (dict(zip(cells, map(str.strip, one), strict=True)) for one in zip(*columns, strict=False))
            # A test without a kind is none, whatever is chosen beside it.
            rows[name] = [row for row in found if row[cells[0]] or (name != "tests" and any(row.values()))]
        says = dict(zip(visit.lines("outcome.option"), map(str.strip, visit.lines("outcome.says")), strict=False))
        return StudyFields({**BLANK, **given}, rows, {name: visit.lines(name) for name in TICKED}, says)

    @staticmethod
    def of(file: StudyFile) -> StudyFields:
        """As a file says it."""
        told = fields_of(file.model_copy(update={"training": None, "tests": (), "tables": (), "cells": None}))
        outcome, pay = file.outcome.model_dump(mode="json"), file.pay
        says = {option: group for group, options in outcome.get("says", {}).items() for option in options}
        values = {
            **BLANK,
            **{key: value for key, value in told.items() if key in BLANK and not (value == "0" and key in EXPECTED)},
            "cells": "\n".join(said_pairs(one) for one in file.cells or ()),
            "training.factor": file.training.factor if file.training else "",
            "pay.by": ", ".join(
                f"{name}.{level}: {plain(amount)}"
                for name, levels in (pay.by if pay else {}).items()
                for level, amount in levels.items()
            ),
            "recruit": file.recruit.model_dump_json(exclude_defaults=True) if file.recruit else "",
            "tokeniser": file.texts.tokeniser,
            "sentences": file.texts.sentences,
        }
        mix = file.per_participant.mix
        rows: dict[str, list[dict[str, str]]] = {
            "factors": [{"name": name, "levels": ", ".join(levels)} for name, levels in file.factors.items()],
            "groups": [
                {"name": name, "facts": said_pairs(facts), "parts": str(mix.get(name, ""))}
                for name, facts in file.groups.items()
            ],
            "kits": [{"level": one, "kit": kit} for one, kit in (file.training.kits if file.training else {}).items()],
            "tests": [_test_row(one) for one in file.tests],
            "tables": [
                {"rows": ", ".join(one.rows), "title": one.title, "where": said_pairs(one.where)} for one in file.tables
            ],
        }
        ticked = {
            "outcome.options": outcome.get("options", ()),
            "outcome.confident": outcome.get("confident", ()),
            "explanations": file.explanations or (),
        }
        return StudyFields(values, rows, ticked, says)

    def file(self, *, protocol: str, texts: Sequence[str]) -> dict[str, Any]:
        """The study file that they mean; what is not understood in a field is told there."""
        given, rows, wrong = self.values, self.rows, _Problems()
        made: dict[str, Any] = {key: given[key] for key in ("study", "title", "language", "family") if given[key]}
        cut = {key: given[key] for key in ("tokeniser", "sentences") if given.get(key, "rules") != "rules"}
        path: Any = texts[0] if len(texts) == 1 else list(texts)
        made |= {"protocol": protocol, "texts": {"path": path, **cut} if cut else path}
        for name in ("factors", "groups", "kits"):
            wrong.twice(name, [row[ROWS[name][0]] for row in rows[name]])
        made["factors"] = {row["name"]: _levels(row["levels"]) for row in rows["factors"]}
        if given["cells"]:
            made["cells"] = [wrong.selection(one, "cells") for one in names_in(given["cells"])]
        made["participants"] = number(given["participants"])
        made["per_participant"] = {
            "texts": number(given["per_participant.texts"]),
            "mix": {row["name"]: number(row["parts"] or "1") for row in rows["groups"]},
        }
        made["groups"] = {
            row["name"]: wrong.pairs(row["facts"], f"groups.{place}") for place, row in enumerate(rows["groups"])
        }
        if given["training.factor"] or rows["kits"]:
            made["training"] = {
                "factor": given["training.factor"],
                "kits": {row["level"]: row["kit"] for row in rows["kits"]},
            }
        made["outcome"] = self._outcome()
        made |= {"explanations": list(self.ticked["explanations"])} if self.ticked["explanations"] else {}
        made["tests"] = [_test(row, f"tests.{place}", wrong) for place, row in enumerate(rows["tests"])]
        made |= {"correction": given["correction"], "alpha": number(given["alpha"])}
        tables = [
            {
                **({"title": row["title"]} if row["title"] else {}),
                "rows": _levels(row["rows"]),
                **({"where": found} if (found := wrong.selection(row["where"], f"tables.{place}")) else {}),
            }
            for place, row in enumerate(rows["tables"])
        ]
        made |= {"tables": tables} if tables else {}
        for part in PARTS:
            made |= {part: found} if (found := self._part(part, wrong)) else {}
        made |= {"recruit": wrong.recruit(given["recruit"])} if given["recruit"] else {}
        made |= {"consent": given["consent"].replace("\r\n", "\n")} if given["consent"] else {}
        made |= {"identified": True} if given["identified"] == "yes" else {}
        made |= {key: number(given[key]) for key in ("lease_minutes", "seed") if given[key]}
        wrong.tell()
        return made

    def _outcome(self) -> dict[str, Any]:
        kind = self.values["outcome.kind"]
        made: dict[str, Any] = {"kind": kind, "question": self.values["outcome.question"]}
        if kind == "accuracy":
            groups = dict.fromkeys(group for group in self.says.values() if group)
            made["says"] = {group: [one for one, named in self.says.items() if named == group] for group in groups}
            made["finding"] = self.values["outcome.finding"]
            confident = list(self.ticked["outcome.confident"])
            made |= {"confident": confident} if confident else {}
            made |= {"chance": number(chance)} if (chance := self.values["outcome.chance"]) else {}
        elif kind == "share":
            made["options"] = list(self.ticked["outcome.options"])
        elif kind == "marks" and (labels := names_in(self.values["outcome.labels"])):
            made["labels"] = labels
        return made

    def _part(self, part: str, wrong: _Problems) -> dict[str, Any]:
        """What of this part is filled in and is not as it would be anyway."""
        made: dict[str, Any] = {}
        for key, value in self.values.items():
            before, _, name = key.partition(".")
            if before != part or not name or not value or value == BLANK.get(key) or key == "pay.by":
                continue
            made[name] = True if value == "yes" else value if name == "currency" else number(value)
        if part == "pay":
            by: dict[str, dict[str, Any]] = {}
            for where, amount in wrong.pairs(self.values["pay.by"], "pay.by").items():
                factor, _, level = where.partition(".")
                by.setdefault(factor, {})[level] = number(amount)
            made |= {"by": by} if by else {}
            if made:
                made = {"currency": self.values["pay.currency"] or MONEY, **made}
        return made

    def place_of(self, part: str) -> str:
        """The field beside which a problem at this key of the file is told."""
        first, *rest = part.split(".")
        if first == "per_participant" and rest[:1] == ["mix"]:
            first, rest = "groups", rest[1:]
        if first in ("factors", "groups") and rest:
            names = [row["name"] for row in self.rows[first]]
            return f"{first}.{names.index(rest[0])}" if rest[0] in names else first
        if first in ("tests", "tables") and rest:
            return f"{first}.{rest[0]}"
        if first in ("cells", "training", "texts", "explanations", "recruit"):
            return first
        if first in ("outcome", "pay") and rest:
            return f"{first}.{rest[0]}"
        return part


class _Problems:
    """What is not understood in the fields, all of it told at once."""

    def __init__(self) -> None:
        self._found: list[Problem] = []

    def pairs(self, words: str, part: str) -> dict[str, str]:
        try:
            return pairs(words, part)
        except ProblemsFound as error:
            self._found += error.problems
            return {}

    def selection(self, words: str, part: str) -> dict[str, Any]:
        """`model: newer, training: [examples, comparison]`."""
        found = self.pairs(words, part)
        return {key: _levels(many[1]) if (many := ARRAYS.fullmatch(one)) else one for key, one in found.items()}

    def twice(self, part: str, names: Sequence[str]) -> None:
        """Of two rows with one name a file would hold one."""
        for place, name in enumerate(names):
            if name in names[:place]:
                where = "training" if part == "kits" else f"{part}.{place}"
                self._found.append(Problem(part, f'"{name}" is named twice', "give each its own name", where))

    def recruit(self, words: str) -> Any:
        """What a file said about recruiting, which the page only carries along."""
        try:
            return json.loads(words)
        except (ValueError, RecursionError):
            self._found.append(Problem("recruit", "what the page carries along was changed", "load it anew", "recruit"))
            return None

    def tell(self) -> None:
        if self._found:
            raise ProblemsFound(self._found, consequence="the study was not made")


def _levels(words: str) -> list[str]:
    return [one for level in words.split(",") if (one := level.strip())]


def _test(row: Mapping[str, str], part: str, wrong: _Problems) -> dict[str, Any]:
    kind, to = row["kind"], row["to"]
    made: dict[str, Any] = {kind: _signed(to) if kind == "against" else row["factor"]}
    made |= {"to": to} if kind == "compare" else {}
    made |= {"margin": number(row["margin"])} if row["margin"] else {}
    made |= {"over": row["over"]} if row["over"] and row["over"] != "people" else {}
    made |= {"where": found} if (found := wrong.selection(row["where"], part)) else {}
    return made | ({"each": _levels(row["each"])} if row["each"] else {})


def _signed(words: str) -> float | str:
    """A number that may be below zero, as the middle of a scale can be."""
    found = number(words.removeprefix("-"))
    return words if isinstance(found, str) else -found if words.startswith("-") else found


def _test_row(test: Test) -> dict[str, str]:
    kind = next(one for one in ("against", "compare", "variance", "pairs") if getattr(test, one) is not None)
    value, where = getattr(test, kind), _plain(test.where)
    written = plain(value) if isinstance(value, float) else str(value)
    return {
        "kind": kind,
        "factor": "" if kind == "against" else written,
        "to": written if kind == "against" else test.to or "",
        "margin": "" if test.margin is None else plain(test.margin),
        "over": test.over,
        "where": said_pairs(where),
        "each": ", ".join(test.each),
    }


def _plain(selection: Selection) -> dict[str, Any]:
    return {key: list(one) if isinstance(one, tuple) else one for key, one in selection.items()}


class _Tidy(yaml.SafeDumper):
    """YAML as people write it: short lists on one line, long words as they stand."""


def _words(dumper: _Tidy, data: str) -> yaml.Node:
    style = "|" if "\n" in data else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Tidy.add_representer(str, _words)


def as_yaml(file: Mapping[str, Any]) -> str:
    return yaml.dump(dict(file), Dumper=_Tidy, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)
