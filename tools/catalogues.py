"""The catalogues of languages: find what has to be translated, and bring every file up to date.

    python -m tools.catalogues          # every file has every message; what is new waits to be translated
    python -m tools.catalogues it       # begin Italian

Nothing is guessed: a sentence that has changed is a new message, and the old one goes.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po
from jinja2.ext import extract_from_ast

from goldmark.languages.choice import FOLDER
from goldmark.protocols import Protocol, load
from goldmark.protocols.loading.translations import FOLDER as PROTOCOLS
from goldmark.protocols.presentation import words_of
from goldmark.web.pages.render import WEB, environment

SOURCE = WEB.parent
SCRIPTS = WEB / "static" / "js"
# What people who take part can come to see; managers' pages are in English.
TEMPLATES = ("base.html", "error.html", "annotator")
MODULES = ("dom.js", "work.js", "kinds", "spans", "work")
# In scripts a message is a plain string in double quotes: nothing else can be found without running them.
CALL = re.compile(
    r'(?<![\w.])(?P<what>_|ngettext)\(\s*(?P<one>"(?:[^"\\\n]|\\.)*")(?:\s*,\s*(?P<many>"(?:[^"\\\n]|\\.)*"))?'
)
# By the rules of CLDR for whole numbers; for other languages by those that gettext usually has.
PLURALS = {
    "ar": "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);",
    "hi": "nplurals=2; plural=(n > 1);",
    "pt": "nplurals=2; plural=(n > 1);",
}
PYTHON = {"gettext": None, "later": None, "ngettext": (1, 2)}
LICENCE = "This file is distributed under the same licence as Goldmark."

Found = tuple[str, int, str | tuple[str, ...]]


def files(folder: Path, names: tuple[str, ...], ending: str) -> list[Path]:
    chosen = (folder / name for name in names)
    return sorted(path for one in chosen for path in ([one] if one.is_file() else one.rglob(f"*.{ending}")))


def templates() -> list[Path]:
    return files(WEB / "templates", TEMPLATES, "html")


def modules() -> list[Path]:
    return files(SCRIPTS, MODULES, "js")


def messages() -> Iterator[Found]:
    """File, line and text of every message; a pair where there is a plural."""
    for path in templates():
        tree = environment().parse(path.read_text(encoding="utf-8"))
        for line, what, said in extract_from_ast(tree, ("_", "ngettext")):
            given = [one for one in (said if isinstance(said, tuple) else (said,)) if one]  # facts are not constant
            if given:
                yield _name(path), line, (given[0], given[1]) if what == "ngettext" else given[0]
    for path in modules():
        text = path.read_text(encoding="utf-8")
        for found in CALL.finditer(text):
            one, many = (ast.literal_eval(part) if part else "" for part in found.group("one", "many"))
            yield (
                _name(path),
                text.count("\n", 0, found.start()) + 1,
                (one, many) if found["what"] == "ngettext" else one,
            )
    for path in sorted(SOURCE.rglob("*.py")):
        if "goldmark.languages" in path.read_text(encoding="utf-8") and FOLDER.parent not in path.parents:
            with path.open("rb") as opened:
                for line, said, _, _ in extract("python", opened, PYTHON, (), {}):
                    yield _name(path), line, said


def _name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def built_in() -> list[Protocol]:
    return [load(path) for path in sorted(PROTOCOLS.parent.glob("*.yaml"))]


def protocol_messages() -> Iterator[tuple[str, str]]:
    """Protocol and text of everything that annotators read in the built-in protocols."""
    for protocol in built_in():
        for said in (protocol.instructions, *words_of(protocol)):
            if said.strip():
                yield protocol.id, said


def template() -> Catalog:
    made = Catalog(project="Goldmark", fuzzy=False)
    for file, _, said in messages():
        made.add(said, locations=[(file, None)])  # type: ignore[list-item]
    return made


def protocols_template() -> Catalog:
    made = Catalog(project="Goldmark protocols", fuzzy=False)
    for name, said in protocol_messages():
        made.add(said, auto_comments=[name])
    return made


def update(path: Path, wanted: Catalog) -> int:
    """Write the file with all messages and their translations as far as there are any; how many are missing."""
    language = path.stem
    before = Catalog(locale=language)
    header: dict[str, str] = {}
    if path.exists():
        with path.open("rb") as opened:
            before = read_po(opened, locale=language)
        header = _own_header(path)
    made = Catalog(locale=language, project=wanted.project, header_comment=before.header_comment, fuzzy=False)
    missing = 0
    for message in wanted:
        if not message.id:
            continue
        known = before.get(message.id if isinstance(message.id, str) else message.id[0])
        said = known.string if known is not None else ""
        if isinstance(message.id, tuple) and not isinstance(said, tuple):
            said = ("",) * made.num_plurals
        made.add(message.id, said, locations=message.locations, auto_comments=message.auto_comments)
        missing += not (said and all(said) if isinstance(said, tuple) else said)
    _write(path, made, header)
    return missing


def _own_header(path: Path) -> dict[str, str]:
    text = path.read_text(encoding="utf-8")
    lines = (ast.literal_eval(line).partition(":") for line in text.splitlines() if line.startswith('"X-'))
    return {name: value.strip() for name, _, value in lines}


def _write(path: Path, made: Catalog, own: dict[str, str]) -> None:
    kept = dict(own)
    locale = Locale.parse(path.stem)
    kept.setdefault("X-Native-Name", (locale.get_display_name() or path.stem).capitalize())
    read_by = kept.pop("X-Read-By", "")
    comment = f"# {locale.english_name} for Goldmark.\n# {LICENCE}\n"
    if not read_by:
        comment += "# No native speaker has read this catalogue yet: whoever does puts their name at X-Read-By.\n"
    header = [
        "Content-Type: text/plain; charset=utf-8",
        f"Language: {path.stem}",
        f"Plural-Forms: {PLURALS.get(path.stem, get_plural(path.stem).plural_forms)}",
        *(f"{name}: {value}" for name, value in kept.items()),
        f"X-Read-By: {read_by}",
    ]
    body = io.BytesIO()
    write_po(body, made, width=110, omit_header=True, sort_output=False, include_lineno=False)
    lines = "".join(f'"{line}\\n"\n' for line in header)
    text = body.getvalue().decode()
    path.write_text(f'{comment}msgid ""\nmsgstr ""\n{lines}\n{text}', encoding="utf-8")


def main(languages: list[str]) -> None:
    wanted, of_protocols = template(), protocols_template()
    for path in sorted({*FOLDER.glob("*.po"), *(FOLDER / f"{language}.po" for language in languages)}):
        print(f"{path.name}: {update(path, wanted)} to translate")
    for path in sorted(PROTOCOLS.glob("*.po")):
        print(f"protocols/{path.name}: {update(path, of_protocols)} to translate")


if __name__ == "__main__":
    main(sys.argv[1:])
