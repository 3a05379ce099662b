"""The walk through OWASP ASVS 4.0.3 names every requirement of levels 1 and 2, and tests that there are."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "design" / "asvs.md").read_text(encoding="utf-8")
STATES = ("held", "partly", "no", "set-up", "not used")

# Of each section the last number of its requirements, and those that were deleted or are of level 3 alone.
SECTIONS = {
    "1.1": (7,),
    "1.2": (4,),
    "1.4": (5, 2, 3),
    "1.5": (4,),
    "1.6": (4,),
    "1.7": (2,),
    "1.8": (2,),
    "1.9": (2,),
    "1.10": (1,),
    "1.11": (2,),
    "1.12": (2, 1),
    "1.14": (6,),
    "2.1": (12,),
    "2.2": (3,),
    "2.3": (3,),
    "2.4": (6,),
    "2.5": (7,),
    "2.6": (3,),
    "2.7": (6,),
    "2.8": (7,),
    "2.9": (3,),
    "2.10": (4,),
    "3.1": (1,),
    "3.2": (4,),
    "3.3": (4,),
    "3.4": (5,),
    "3.5": (3,),
    "3.7": (1,),
    "4.1": (5, 4),
    "4.2": (2,),
    "4.3": (3,),
    "5.1": (5,),
    "5.2": (8,),
    "5.3": (10,),
    "5.4": (3,),
    "5.5": (4,),
    "6.1": (3,),
    "6.2": (6,),
    "6.3": (2,),
    "6.4": (2,),
    "7.1": (4,),
    "7.2": (2,),
    "7.3": (4, 2),
    "7.4": (3,),
    "8.1": (4,),
    "8.2": (3,),
    "8.3": (8,),
    "9.1": (3,),
    "9.2": (4,),
    "10.2": (2,),
    "10.3": (3,),
    "11.1": (8,),
    "12.1": (3,),
    "12.2": (1,),
    "12.3": (6,),
    "12.4": (2,),
    "12.5": (2,),
    "12.6": (1,),
    "13.1": (5, 2),
    "13.2": (6, 4),
    "13.3": (2,),
    "13.4": (2,),
    "14.1": (4,),
    "14.2": (6,),
    "14.3": (3, 1),
    "14.4": (7,),
    "14.5": (4,),
}


def walked() -> list[tuple[str, str, str]]:
    return re.findall(r"^\| (\d+\.\d+\.\d+) \| [^|]+ \| ([a-z -]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)


def test_every_requirement_is_there_once_and_has_a_state() -> None:
    wanted = [
        f"{section}.{number}"
        for section, (last, *without) in SECTIONS.items()
        for number in range(1, last + 1)
        if number not in without
    ]
    rows = walked()
    assert [number for number, _, _ in rows] == wanted
    counted = Counter(state for _, state, _ in rows)
    assert set(counted) == set(STATES)
    said = dict(re.findall(r"^\| ([a-z -]+) \| (\d+) \|$", PAGE, re.MULTILINE))
    assert {state: int(said[state]) for state in STATES} == dict(counted)
    assert int(said["all"]) == len(rows)


def test_the_tests_that_are_named_exist() -> None:
    pages = (ROOT / "docs").rglob("*.md")
    named = set(chain.from_iterable(re.findall(r"`(test_\w+)`", page.read_text(encoding="utf-8")) for page in pages))
    written = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    named -= {"test_questions"}  # a word of settings
    assert len(named) > 60
    assert sorted(one for one in named if f"def {one}(" not in written) == []
