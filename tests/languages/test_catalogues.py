"""Every language says everything, with every fact, in every form that its numbers need; nothing is left unwrapped."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.jslexer import tokenize
from babel.messages.pofile import read_po

from goldmark.languages import offered
from goldmark.languages.catalogue import read
from goldmark.languages.choice import FOLDER
from goldmark.protocols import load, present
from goldmark.protocols.loader import builtin_names
from goldmark.protocols.loading.translations import FOLDER as PROTOCOLS
from tools import catalogues

LANGUAGES = ("ar", "cs", "de", "es", "fr", "hi", "ja", "pt", "ru", "zh")
FILES = [FOLDER / f"{language}.po" for language in LANGUAGES] + [PROTOCOLS / "de.po", PROTOCOLS / "zh.po"]
every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")


@cache
def wanted(folder: Path) -> Catalog:
    return catalogues.template() if folder == FOLDER else catalogues.protocols_template()


@cache
def with_babel(path: Path) -> Catalog:
    with path.open("rb") as opened:
        return read_po(opened, locale=path.stem, abort_invalid=True)


def forms_of(message: Message) -> tuple[str, ...]:
    """Its translations: one, or one for each form."""
    said = message.string
    return tuple(said) if isinstance(said, tuple | list) else (said or "",)


def facts(message: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(message) if name}


@every_file
def test_everything_is_translated_and_nothing_else(path: Path) -> None:
    asked = {message.id for message in wanted(path.parent) if message.id}
    have = {message.id for message in with_babel(path) if message.id}
    assert sorted(map(str, asked - have)) == [], "run: python -m tools.catalogues"
    assert sorted(map(str, have - asked)) == [], "nobody says this any more; run: python -m tools.catalogues"
    doubtful = [message.id for message in with_babel(path) if message.id and message.fuzzy]
    empty = [
        message.id for message in with_babel(path) if message.id and not all(form.strip() for form in forms_of(message))
    ]
    assert (doubtful, empty) == ([], [])


@every_file
def test_every_fact_is_named_and_no_other(path: Path) -> None:
    if path.parent != FOLDER:
        pytest.skip("protocols have no facts in their sentences")
    for message in with_babel(path):
        many = message.id if isinstance(message.id, tuple | list) else (message.id,)
        known = facts(many[-1])
        for form in forms_of(message):
            # A form that only one number takes, as "one", "two" or "none", may say it in words.
            missing = known - facts(form) - ({"count"} if len(many) > 1 else set())
            assert (missing, facts(form) - known) == (set(), set()), message.id


@every_file
def test_our_reader_reads_what_babel_reads(path: Path) -> None:
    found = read(path).messages
    for message in with_babel(path):
        if message.id:
            key = message.id[0] if isinstance(message.id, tuple | list) else message.id
            assert found[key] == forms_of(message)


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_take_the_forms_of_cldr(language: str) -> None:
    """Two whole numbers share a form exactly if CLDR gives them the same category."""
    rule, forms = offered()[language].plural, Locale.parse(language).plural_form
    pairs = {(rule(count), forms(count)) for count in range(250)}
    assert len(pairs) == len({index for index, _ in pairs}) == len({category for _, category in pairs})
    table = str(offered()[language].for_pages["plural"])
    for count in (*range(250), 1_000, 1_001, 1_002, 1_011, 12_345):
        assert int(table[count if count < 100 else 100 + count % 100]) == rule(count)


def test_who_has_read_a_catalogue_is_said_in_it() -> None:
    for path in FILES:
        assert ("No native speaker" in path.read_text(encoding="utf-8")) == (not read(path).read_by)


class Words(HTMLParser):
    """What people read of a page, outside of Jinja's own marks."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data.strip())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        shown = ("alt", "aria-description", "aria-label", "placeholder", "title")
        self.found += [value or "" for name, value in attrs if name in shown]


@pytest.mark.parametrize("path", catalogues.templates(), ids=lambda path: path.name)
def test_no_words_of_a_template_are_left_in_english(path: Path) -> None:
    text = re.sub(
        r"\{% block body_class %\}.*?\{% endblock %\}|\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}",
        " ",
        path.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    parser = Words()
    parser.feed(text)
    assert [words for words in parser.found if re.search(r"[^\W\d_]{2}", words) and words != "Goldmark"] == []


# What is written in scripts and read by nobody: names of keys, events and attributes, and messages for ourselves.
KEYS = r"Alt ?[↑↓]?|Ctrl( .*)?|Tab|Esc|Del|Enter|Escape|Delete|Backspace|Home|End|Shift.*|Arrow\w+|F1|Dead"
NOT_READ = re.compile(
    rf"^({KEYS}|DOMContentLoaded|Bearer |Arabic Syriac .*|Myanmar|Content-Type|Accept-Language|Retry-After|AltGraph)$"
)
SENTENCE = re.compile(r"[^\W\d_]{2,}['’]?[^\W\d_]* [^\W\d_]{2,}|^[A-Z][a-z]+\b")
UNREAD_AFTER = re.compile(
    r"(class: (.* [?:] )?|class=|querySelector(All)?\(|closest\(|matches\(|classList\.\w+\(.*|new Error\(|rel(:| =) "
    r"|import .*|from )$"
)


def unwrapped(path: Path) -> Iterator[str]:
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    before = ""
    at = 0
    for token in tokenize(source, jsx=False, template_string=True):
        at = source.find(token.value, at)
        if token.type in ("string", "template_string"):
            words = re.sub(r"\$\{(?:[^{}]|\{[^{}]*\})*\}", "", token.value[1:-1])
            start = source[source.rfind("\n", 0, at) + 1 : at]
            wrapped = re.search(r"(?<![\w.])(_|ngettext)\(\s*$", source[max(0, at - 60) : at])
            second = before == "," and re.search(r"ngettext\(\s*\"[^\n]*\",\s*$", source[max(0, at - 300) : at])
            read = SENTENCE.search(words) and not NOT_READ.match(words) and not UNREAD_AFTER.search(start)
            if read and not (wrapped or second):
                yield f"{path.name}:{token.lineno}: {lines[token.lineno - 1].strip()[:100]}"
        before = token.value
        at += len(token.value)


@pytest.mark.parametrize("path", catalogues.modules(), ids=lambda path: path.name)
def test_no_words_of_a_script_are_left_in_english(path: Path) -> None:
    assert list(unwrapped(path)) == []
    source = re.sub(r"^\s*(//|\*|/\*\*).*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for call in re.finditer(r"(?<![\w.#])(?:_|ngettext)\((\s*)(.)", source):
        assert call[2] == '"', f"a message is a plain string in double quotes: {source[call.start() : call.end() + 40]}"


def test_words_that_are_not_wrapped_are_found(tmp_path: Path) -> None:
    script = tmp_path / "some.js"
    script.write_text('h("p", {}, "Nobody translated this.");\nh("p", {}, _("But this they did."));\n')
    assert [line.partition(":")[0] for line in unwrapped(script)] == ["some.js"]


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_no_sign_of_markdown_is_left_in_instructions(name: str, language: str) -> None:
    """Emphasis that begins or ends between a character and a quotation mark is none; Chinese has no space there."""
    shown = present(load(name), language)
    assert "*" not in re.sub(r"<code>.*?</code>", "", shown["instructions_html"])
