"""Imports point one way. A room may know those that stand before it in this table, and none behind it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "src" / "goldmark"
ROOMS = (
    "errors",
    "plugins",
    "languages",
    "records",
    "stats",
    "texts",
    "protocols",
    "observations",
    "exchange",
    "store",
    "jobs",
    "accounts",
    "campaigns",
    "people",
    "followups",
    "quality",
    "reviews",
    "recruiting",
    "connectors",
    "curation",
    "checkers",
    "metrics",
    "results",
    "leaderboards",
    "datasets",
    "studies",
    "simulate",
    "samples",
    "notebook",
    "web",
    "cli",
)
LONGEST = 450  # lines of a module
MOST = 12  # modules of a folder; where there are more, folders inside it show the way of the data
# Tighter than the order: these know of nothing else, so that anybody can use them without the rest.
KNOW_ONLY: dict[str, set[str]] = {
    "errors": set(),
    "plugins": {"errors"},
    "languages": set(),
    "records": {"errors"},
    "stats": {"errors", "records"},
}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def room_of(path: Path) -> str:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "cli" if room == "__main__" else room  # `python -m goldmark` is the door to the commands


@cache
def imported_by(path: Path) -> tuple[tuple[int, str], ...]:
    """Line and full name of everything that a module imports, at its top or inside a function."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif not isinstance(node, ast.ImportFrom):
            continue
        else:
            assert node.level == 0, f"{path}:{node.lineno}: write imports in full, so that their direction can be seen"
            module = node.module or ""
            names = [f"goldmark.{alias.name}" for alias in node.names] if module == "goldmark" else [module]
        found += ((node.lineno, name) for name in names)
    return tuple(found)


def known_by(path: Path) -> Iterator[tuple[int, str]]:
    """Line and room of everything of ours that a module imports."""
    for line, name in imported_by(path):
        package, _, rest = name.partition(".")
        if package == "goldmark" and rest and not rest.startswith("_"):  # `goldmark.__version__` is everybody's
            yield line, rest.partition(".")[0]


def test_imports_point_one_way() -> None:
    wrong = []
    for path in modules():
        room = room_of(path)
        assert room in ROOMS, f"give {room} its place in ROOMS and in docs/design/architecture.md"
        allowed = KNOW_ONLY.get(room, set(ROOMS[: ROOMS.index(room)])) | {room}
        wrong += [
            f"{path.relative_to(PACKAGE)}:{line} {room} must not know {other}"
            for line, other in known_by(path)
            if other not in allowed
        ]
    assert wrong == []


def test_a_folder_and_a_module_can_be_taken_in_at_once() -> None:
    """By their paths, not their names alone: many modules are called the same."""
    lines = {path.relative_to(PACKAGE): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert len(lines) == len(modules()) > 400
    assert {str(path): count for path, count in lines.items() if count > LONGEST} == {}
    folders = Counter(path.parent for path in lines if path.name != "__init__.py")
    folders.pop(Path("store/migrations/versions"))  # one more with every change of the tables
    assert {str(folder): count for folder, count in folders.items() if count > MOST} == {}


def test_one_class_name_has_one_meaning() -> None:
    names = Counter(
        name
        for folder in (PACKAGE, PACKAGE.parents[1] / "plugins")
        for path in folder.rglob("*.py")
        if "tests" not in path.parts
        for name in re.findall(r"^class ([A-Za-z]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_what_is_installed_needs_nothing_that_is_not() -> None:
    beside = {"tools", "tests", "benchmarks"}
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {package}"
        for path in modules()
        for line, name in imported_by(path)
        if (package := name.partition(".")[0]) in beside
    ]
    assert wrong == []


def test_plug_ins_are_known_by_their_entry_points_only() -> None:
    """They may know us; we know of them what is installed, and so do without them."""
    plug_ins = sorted(path.parent.name for path in (REPOSITORY / "plugins").glob("*/*/__init__.py"))
    assert plug_ins == ["goldmark_boxscore"]
    for path in modules():
        names = imported_by(path)
        assert not [name for _, name in names if name.partition(".")[0] in plug_ins], path
    for path in (REPOSITORY / "plugins").glob("*/goldmark_*/**/*.py"):
        others = {room for _, room in known_by(path)} - {"errors", "plugins", "records", "texts", "checkers"}
        assert not others, f"{path}: a checker needs no more than texts and their mistakes, not {others}"


def test_the_pages_and_the_commands_are_known_by_nobody_below() -> None:
    assert ROOMS[-2:] == ("web", "cli")


def test_the_architecture_page_tells_the_same_order() -> None:
    page = (REPOSITORY / "docs" / "design" / "architecture.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)) == ROOMS
