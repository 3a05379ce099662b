"""What docs/design/extending.md says is true: who adds something touches these files and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from goldmark.exchange.formats import FORMATS
from goldmark.people.connector import CONNECTORS
from goldmark.plugins import GROUPS
from goldmark.results.catalogue import RESULTS

REPOSITORY = Path(__file__).resolve().parents[1]
SOURCE = REPOSITORY / "src" / "goldmark"
PAGE = (REPOSITORY / "docs" / "design" / "extending.md").read_text(encoding="utf-8")
FILES = [path for ending in ("py", "html", "js") for path in SOURCE.rglob(f"*.{ending}") if "vendor" not in path.parts]
TEXTS = {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in FILES}


def naming(word: str) -> set[str]:
    """The files of ours that have a word in quotation marks."""
    return {path for path, text in TEXTS.items() if f'"{word}"' in text}


def module(place: str) -> str:
    path = place.partition(":")[0].removeprefix("goldmark.").replace(".", "/")
    return f"{path}/__init__.py" if f"{path}/__init__.py" in TEXTS else f"{path}.py"


# Names that are words of other things as well, such as a protocol or the ending of a file, say nothing here.
@pytest.mark.parametrize("name", ["pearmut", "appraise", "factgenie", "label-studio", "tidy-parquet"])
def test_a_format_is_named_by_its_module_and_its_line(name: str) -> None:
    assert naming(name) == {module(FORMATS.plugins()[name].place), "exchange/formats.py"}


@pytest.mark.parametrize(
    "name", ["order-effect", "comparison-pairs", "weighted-errors", "set-aside", "texts-with-errors"]
)
def test_a_table_is_named_by_its_module_and_its_line(name: str) -> None:
    assert naming(name) == {module(RESULTS.plugins()[name].place), "results/catalogue.py"}


@pytest.mark.parametrize("name", CONNECTORS)
def test_a_connector_is_its_folder_and_its_line(name: str) -> None:
    folder = f"connectors/{name}/"
    assert module(CONNECTORS.plugins()[name].place).startswith(folder)
    if name != "link":  # whose parameter, "participant", is a word of the database and of a platform too
        assert naming(CONNECTORS[name].parameter) == {f"{folder}__init__.py"}


def test_the_page_shows_what_is_there() -> None:
    for path in re.findall(r"`((?:src|docs|tests|plugins|examples)/[\w./-]+)`", PAGE):
        assert (REPOSITORY / path).exists(), path
    for line in re.findall(r"`(\"[\w-]+\": \"goldmark\.[\w.:]+\",)`", PAGE):
        assert any(line in text for text in TEXTS.values()), line
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    shown = [block for block in blocks if re.match(r"[A-Z_]+ = ", block)]
    assert len(shown) == 3
    for block in shown:
        assert any(block in text for text in TEXTS.values()), block


def test_the_architecture_tells_where_things_are() -> None:
    page = (REPOSITORY / "docs" / "design" / "architecture.md").read_text(encoding="utf-8")
    rows = page.partition("## Where is ...?")[2].partition("\n## ")[0]
    paths = [path for path in re.findall(r"`([\w./]+/[\w./]*)`", rows) if path != "src/goldmark/"]
    assert len(paths) > 20
    for path in paths:
        assert (SOURCE / path).exists() or (REPOSITORY / path).exists(), path


def test_every_group_is_in_the_reference() -> None:
    reference = (REPOSITORY / "docs" / "reference" / "plugins.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \[`goldmark\.(\w+)`\]", reference, flags=re.MULTILINE) == sorted(GROUPS) == list(GROUPS)
