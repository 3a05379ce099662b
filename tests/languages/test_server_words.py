"""What the server refuses or tells, annotators read in their language: no such sentence is left in English."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import goldmark
from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.languages import offered, speaking
from goldmark.protocols import parse, validate
from tests.protocols.conftest import shown_unit

SOURCE = Path(goldmark.__file__).parent
CHECKS = [SOURCE / "protocols" / "validation.py", *sorted((SOURCE / "protocols" / "kinds").glob("*.py"))]
# Where errors are raised for somebody who takes part.
MET = (
    "goldmark.accounts.links",
    "goldmark.accounts.rate_limits",
    "goldmark.campaigns.assignments",
    "goldmark.people.annotators",
    "goldmark.people.crowds",
    "goldmark.people.participants",
    "goldmark.quality.training.service",
    "goldmark.recruiting.visiting",
)
# Raised there too, and met by managers or programs only.
MANAGERS = {
    "AccountTookPartBefore",
    "DraftNotKept",
    "NotAPublicAddress",
    "NothingToErase",
    "PersonExcluded",
    "SecretMissing",
    "UnknownAnnotator",
    "UnknownSession",
}


def plain_words(source: str) -> Iterator[int]:
    """Lines on which a problem is told to a person in words that no catalogue has."""
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        given = [*call.args, *(one.value for one in call.keywords)]
        if name == "problem" and any(isinstance(one, ast.Constant | ast.JoinedStr) for one in given):
            yield call.lineno


@pytest.mark.parametrize("path", CHECKS, ids=lambda path: path.name)
def test_what_is_wrong_with_an_answer_comes_from_the_catalogues(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert list(plain_words(source)) == [], "say it with gettext, or `malformed` if only a program gets it wrong"
    made = [line for line in source.splitlines() if " Problem(" in line and "self.where" not in line]
    assert made == [], "problems of answers are made by their context, which knows for whom they are"


def test_plain_words_are_found() -> None:
    assert list(
        plain_words('asked.problem("Too small.")\nasked.problem(gettext("a"), f"b {c}")\nx.malformed("d")')
    ) == [
        1,
        2,
    ]


def errors_met() -> list[type[GoldmarkError]]:
    modules = []
    for name in MET:
        module = importlib.import_module(name)
        inside = pkgutil.iter_modules(getattr(module, "__path__", []))
        modules += [name, *(f"{name}.{one.name}" for one in inside)]
    for name in modules:
        importlib.import_module(name)

    def below(kind: type[GoldmarkError]) -> Iterator[type[GoldmarkError]]:
        for one in kind.__subclasses__():
            yield one
            yield from below(one)

    return sorted({one for one in below(GoldmarkError) if one.__module__ in modules}, key=lambda one: one.__name__)


def test_every_error_that_annotators_meet_is_translated() -> None:
    found = errors_met()
    assert len(found) > 20
    for language in offered():
        known = {*offered()[language].messages}
        if language == "en":
            continue
        left = [
            one.__name__
            for one in found
            if one.__name__ not in MANAGERS and not issubclass(one, ProblemsFound) and one.message not in known
        ]
        assert left == [], f"mark the message with `later` ({language}), or say that only managers meet it"


PROTOCOL = """
protocol: mood/1
title: Mood
steps:
  - questions:
      - id: mood
        kind: choices
        at_most: 2
        options: [{id: calm, title: Calm, alone: true}, {id: glad, title: Glad}, {id: sad, title: Sad}]
      - {id: age, kind: number, at_least: 18}
      - {id: why, kind: text, at_least: 5}
translations:
  de: {words: {Calm: Ruhig}}
"""


def test_problems_are_told_in_the_language_that_is_spoken_and_in_the_words_of_the_protocol() -> None:
    protocol, shown = parse(PROTOCOL), shown_unit()
    answers = {"mood": ["calm", "glad"], "age": 3.5, "why": "no"}
    english = validate(protocol, answers, shown)
    assert [one.what for one in english] == [
        '"Calm" cannot be chosen together with others.',
        "3.5 is too small.",
        "2 characters are too few.",
    ]
    token = speaking.set("de")
    try:
        german = validate(protocol, answers, shown)
        of_programs = validate(protocol, {"mood": "calm", "age": 20, "why": "because"}, shown)
    finally:
        speaking.reset(token)
    assert [(one.what, one.remedy) for one in german] == [
        ("„Ruhig“ kann nicht zusammen mit anderen gewählt werden.", "Wählen Sie es allein oder gar nicht."),
        ("3.5 ist zu klein.", "Geben Sie mindestens 18 an."),
        ("2 Zeichen sind zu wenige.", "Schreiben Sie mindestens 5."),
    ]
    assert [one.where for one in german] == [one.where for one in english]
    assert [one.what for one in of_programs] == [
        "Die Seite und der Server verstehen einander nicht. Laden Sie die Seite neu. "
        "The answer must be a list of options."
    ]
