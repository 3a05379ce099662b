"""The documentation as pages of the program: Markdown from `docs/` in the order of `mkdocs.yml`, without MkDocs.

It is our own text, so HTML in it is kept. Anchors, admonitions (`!!!`) and the names of modules (`:::`) are written as
MkDocs writes them, so that one source serves both; styles are classes only, as the pages' policy asks.
"""

from __future__ import annotations

import ast
import posixpath
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

ADDRESS = "/docs/"
PACKAGE = Path(__file__).resolve().parents[1]
_ADMONITION = re.compile(r'^!!! (\w+)(?: "(.*)")?\n((?:(?: {4}.*)?(?:\n|\Z))+)', re.MULTILINE)
_ARGUMENTS = re.compile(r"^Args:\n((?: +.*(?:\n|$)|\n)+)", re.MULTILINE)
_DESCRIBED = re.compile(r"^::: ([\w.]+)\n((?: +.*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """A page of the navigation, or a section with entries of its own and no file."""

    title: str
    file: str = ""
    entries: tuple[Entry, ...] = ()

    @property
    def address(self) -> str:
        return address_of(self.file)

    @property
    def overview(self) -> str:
        """The address of a section's own page, if it has one: who reads elsewhere is shown no more of it."""
        first = self.entries[0] if self.entries else self
        return first.address if first.file.endswith("/index.md") else ""

    def pages(self) -> Iterator[Entry]:
        if self.file:
            yield self
        for one in self.entries:
            yield from one.pages()


@dataclass(frozen=True)
class DocumentationPage:
    title: str
    html: str
    headings: tuple[tuple[str, str], ...]  # anchor and words of those of the second level
    before: Entry | None
    after: Entry | None


@cache
def root() -> Path:
    """Where `mkdocs.yml` and `docs` are: a checkout, or inside the installed package."""
    checkout = PACKAGE.parents[1]
    return checkout if (checkout / "mkdocs.yml").is_file() else PACKAGE / "documentation"


@cache
def navigation() -> Entry:
    def entry(title: str, given: Any) -> Entry:
        if isinstance(given, str):
            return Entry(title, given)
        return Entry(title, entries=tuple(entry(*pair) for one in given for pair in one.items()))

    return entry("Documentation", yaml.safe_load((root() / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])


@cache
def files() -> frozenset[str]:
    """What pages may show beside their words. Nothing else is given out, whatever address is asked for."""
    found = (path for path in (root() / "docs").rglob("*") if path.is_file() and path.suffix != ".md")
    return frozenset(path.relative_to(root() / "docs").as_posix() for path in found)


def address_of(file: str) -> str:
    """`how-to/deploy.md` is at /docs/how-to/deploy/, and a section's `index.md` at the section's own address."""
    place = file.removesuffix(".md").removesuffix("index").rstrip("/")
    return f"{ADDRESS}{place}/" if place else ADDRESS


@cache
def page_at(address: str) -> DocumentationPage | None:
    listed = list(navigation().pages())
    for number, one in enumerate(listed):
        if one.address == address:
            html, headings = _rendered(one.file)
            first = next((words for level, _, words in headings if level == "h1"), one.title)
            return DocumentationPage(
                first,
                html,
                tuple((anchor, words) for level, anchor, words in headings if level == "h2"),
                listed[number - 1] if number else None,
                listed[number + 1] if number + 1 < len(listed) else None,
            )
    return None


def search(words: str) -> list[tuple[Entry, str]]:
    """Pages that hold all the words, with a line that holds one; those that name them in their title come first."""
    wanted = words.lower().split()
    found = []
    for one in navigation().pages() if wanted else ():
        text = _source(one.file)
        if all(word in text.lower() for word in wanted):
            line = max(text.splitlines(), key=lambda line: sum(word in line.lower() for word in wanted))
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*|#>]", r"\1", line).strip(" -")
            found.append((not any(word in one.title.lower() for word in wanted), one, plain))
    return [(one, line) for _, one, line in sorted(found, key=lambda row: row[0])]


# --- rendering ----------------------------------------------------------------------------------------------------


@cache
def _source(file: str) -> str:
    return (root() / "docs" / file).read_text(encoding="utf-8")


def _rendered(file: str) -> tuple[str, list[tuple[str, str, str]]]:
    """A page's HTML, and its headings: level, anchor, words."""
    markdown = _markdown()
    tokens = markdown.parse(_ADMONITION.sub(_aside, _DESCRIBED.sub(_described, _source(file))))
    headings: list[tuple[str, str, str]] = []
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following is not None:
            words = "".join(one.content for one in following.children or ())
            anchor = _slug(words, {known for _, known, _ in headings})
            token.attrSet("id", anchor)
            headings.append((token.tag, anchor, words))
        elif token.type in ("td_open", "th_open") and token.attrs.pop("style", "") == "text-align:right":
            token.attrSet("class", "number")
        for inner in token.children or ():
            _lead(inner, file)
    return str(markdown.renderer.render(tokens, markdown.options, {})), headings


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML

    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    # What is wide scrolls by itself, for keyboards too; the page does not.
    markdown.add_render_rule("table_open", lambda *_: '<div class="scroller" tabindex="0"><table>')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    fence = RendererHTML().rules["fence"]
    markdown.add_render_rule("fence", lambda _, *given: fence(*given).replace("<pre>", '<pre tabindex="0">', 1))
    return markdown


def _lead(token: Token, file: str) -> None:
    """Links and pictures are written for files; here they lead to pages."""
    name = {"link_open": "href", "image": "src"}.get(token.type)
    given = str(token.attrs.get(name, "")) if name else ""
    if name and given and not re.match(r"[a-z]+:|[#/]", given):
        target, _, anchor = given.partition("#")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(file), target))
        address = address_of(place) if place.endswith(".md") else f"{ADDRESS}{place}"
        token.attrSet(name, f"{address}#{anchor}" if anchor else address)


def _slug(words: str, taken: set[str]) -> str:
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
    slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())
    return slug if slug not in taken else next(one for n in range(1, 999) if (one := f"{slug}_{n}") not in taken)


def _aside(found: re.Match[str]) -> str:
    kind, title, body = found.groups()
    return f'<div class="aside {kind}">\n\n**{title or kind.capitalize()}**\n\n{dedent(body)}\n\n</div>\n\n'


# --- modules ----------------------------------------------------------------------------------------------------


def _described(found: re.Match[str]) -> str:
    """What `::: name` stands for, as Markdown: a module with its public names in their own order, or one of them.

    Of the options that MkDocs takes we know the level of the heading, whether there is one, and which members.
    """
    name = found[1]
    options = (yaml.safe_load(found[2] or "") or {}).get("options", {})
    level, members = options.get("heading_level", 2), options.get("members")
    tree, member = _parsed(name)
    if member:
        chosen = next(node for node in tree.body if getattr(node, "name", "") == member)
        return "\n\n".join(_definition(chosen, level, members))
    heading = [f"{'#' * level} `{name}`"] if options.get("show_root_heading", True) else []
    parts = [*heading, ast.get_docstring(tree) or ""]
    for node in tree.body:
        parts += _definition(node, level + 1 if heading else level)
    return "\n\n".join(parts)


def _parsed(name: str) -> tuple[ast.Module, str]:
    """A module's source, and which of its names is meant; empty: all of them."""
    package, _, last = name.rpartition(".")
    parent = find_spec(package)
    inside = parent is not None and parent.submodule_search_locations is None
    spec = parent if inside else find_spec(name)
    return ast.parse(Path(str(spec and spec.origin)).read_text(encoding="utf-8")), last if inside else ""


def _definition(node: ast.stmt, level: int, members: Sequence[str] | None = None) -> list[str]:
    """A function or class under a heading: how it is called, what it says of itself, and its methods in a line each."""
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
        return []
    methods = [one for one in getattr(node, "body", ()) if isinstance(one, ast.FunctionDef)]
    if isinstance(node, ast.FunctionDef):
        code, methods = _call(node), []
    else:
        bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
        fields = [ast.unparse(one) for one in node.body if isinstance(one, ast.AnnAssign)]
        code = "\n    ".join([f"class {node.name}{bases}", *(one for one in fields if not one.startswith("_"))])
    listed = "\n".join(
        f"- `{_call(one).removeprefix('def ')}`: {(ast.get_docstring(one) or '').partition(chr(10) * 2)[0]}".rstrip(
            ": "
        )
        for one in methods
        if not one.name.startswith("_") and (members is None or one.name in members)
    )
    return [f"{'#' * level} `{node.name}`", f"```signature\n{code}\n```", _said(node), listed]


def _said(node: ast.FunctionDef | ast.ClassDef) -> str:
    """A docstring, its arguments as a list."""

    def listed(found: re.Match[str]) -> str:
        return re.sub(r"^(\S+?):", r"- `\1`:", dedent(found[1]), flags=re.MULTILINE)

    return _ARGUMENTS.sub(listed, ast.get_docstring(node) or "")


def _call(node: ast.FunctionDef) -> str:
    """A function without its body."""
    bare = ast.FunctionDef(node.name, node.args, [ast.Pass()], [], node.returns, lineno=0)
    return ast.unparse(bare).removesuffix(":\n    pass")
