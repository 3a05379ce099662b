"""Documentation is part of the contract: what exists is described, and what is described can be found."""

from __future__ import annotations

import ast
import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cyclopts import App

from goldmark.cli.nouns import NOUNS, app
from tests import commands_page, recruit_page

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
PYTHON_PAGES = DOCS / "reference" / "python"
SOURCE = REPOSITORY / "src" / "goldmark"


def test_the_pages_of_commands_are_up_to_date() -> None:
    there = {path.name: path.read_text(encoding="utf-8") for path in commands_page.FOLDER.iterdir()}
    assert there == commands_page.pages(), "run: python -m tests.commands_page"


def test_the_page_about_recruiting_is_up_to_date() -> None:
    assert recruit_page.PAGE.read_text(encoding="utf-8") == recruit_page.page(), "run: python -m tests.recruit_page"


@pytest.mark.parametrize("noun", sorted(NOUNS))
def test_every_noun_has_a_page_with_its_verbs(noun: str) -> None:
    page = (commands_page.FOLDER / f"{noun}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", page, flags=re.MULTILINE)
    assert headings[0] == noun
    for verb in commands_page.verbs_of(noun):
        assert f"{noun} {verb}" in headings


def test_every_parameter_of_every_command_says_what_it_is_for() -> None:
    def silent(app: App, *words: str) -> list[str]:
        arguments = app.assemble_argument_collection(parse_docstring=True) if app.default_command else ()
        here = [" ".join((*words, one.name)) for one in arguments if one.show and not one.parameter.help]
        verbs = [verb for verb in app if not verb.startswith("-")]
        return [*here, *(found for verb in verbs for found in silent(app[verb], *words, verb))]

    assert [found for noun in sorted(NOUNS) for found in silent(commands_page.app_of(noun), noun)] == []


def shown_commands() -> list[tuple[str, str]]:
    """Every command that a page shows after a prompt, without what a shell would take away from it."""
    found: list[tuple[str, str]] = []
    for page in (*DOCS.rglob("*.md"), *REPOSITORY.glob("*.md")):
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        lines = re.findall(r"^\s*\$ (?:\S*/)?goldmark (.*)$", text, flags=re.MULTILINE)
        bare = (re.split(r"\s(?:[|>#]|2>|&&)", f"{line} ")[0].strip() for line in lines)
        found += ((page.relative_to(REPOSITORY).as_posix(), command) for command in bare)
    return found


@pytest.mark.parametrize(("page", "command"), shown_commands())
def test_a_command_that_a_page_shows_is_understood(page: str, command: str) -> None:
    app.parse_args(shlex.split(command), exit_on_error=False, print_error=False)


def test_every_page_is_in_the_navigation_once() -> None:
    settings = yaml.safe_load((REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = list(_pages(settings["nav"]))
    assert sorted(listed) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def _pages(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for inner in entry.values() if isinstance(entry, dict) else entry:
            yield from _pages(inner)


def test_every_module_of_statistics_is_on_a_page_of_the_library_once() -> None:
    pages = "".join(page.read_text("utf-8") for page in PYTHON_PAGES.iterdir())
    listed = re.findall(r"^::: goldmark\.stats\.([\w.]+)$", pages, flags=re.MULTILINE)
    files = (path.relative_to(SOURCE / "stats").with_suffix("") for path in (SOURCE / "stats").rglob("*.py"))
    assert sorted(listed) == sorted(".".join(file.parts) for file in files if file.name[0] != "_")


def test_the_example_of_the_library_runs() -> None:
    page = (PYTHON_PAGES / "index.md").read_text("utf-8")
    found = re.search(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    assert found
    names: dict[str, Any] = {}
    exec(found.group(1), names)
    # yes yes, yes yes, yes no, no no: 5 yes, 3 no. Do = 2/8, De = 2*5*3/(8*7) = 15/28, alpha = 1 - 7/15.
    assert names["alpha"].value == pytest.approx(8 / 15)


def test_every_error_code_is_well_formed_and_belongs_to_one_error() -> None:
    owners: dict[str, list[str]] = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if not re.search(r"^ +code\b.* = ", source, re.MULTILINE):  # to parse all of them takes long
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and (code := _code(node)):
                owners[code].append(f"{path.relative_to(SOURCE)}: {node.name}")
    assert len(owners) > 50
    assert {code: classes for code, classes in owners.items() if len(classes) > 1} == {}
    assert [code for code in owners if not re.fullmatch(r"[A-Z]+(-[A-Z]+)*-\d\d", code)] == []


def _code(error: ast.ClassDef) -> str | None:
    """The value of `code = "..."` or `code: ClassVar[str] = "..."` in the body of a class."""
    for statement in error.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        value = getattr(statement, "value", None)
        named = any(isinstance(target, ast.Name) and target.id == "code" for target in targets)
        if named and isinstance(value, ast.Constant) and isinstance(value.value, str):
            return value.value
    return None


def test_words_about_where_it_was_made_are_not_in_the_documentation() -> None:
    """Addresses of one machine are of no use to a reader of another."""
    pages = [*DOCS.rglob("*.md"), *REPOSITORY.glob("*.md")]
    # `POST /work/next` and its like are calls of our API.
    places = re.compile(r"(?<!GET )(?<!PUT )(?<!POST )/work/|/tmp/|\blocalhost:\d")
    assert [path.name for path in pages if places.search(path.read_text("utf-8"))] == []
