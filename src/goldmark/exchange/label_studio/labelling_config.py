"""The labelling config that fits a protocol: what Label Studio shows of a task, and the controls of its questions.

A control has the name of its question; one that is asked of every mark has the question's name, a hyphen and its own.
Options and labels are shown by their titles and kept by their ids (`alias`).
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import quoteattr

from goldmark.exchange.label_studio.results import LINKED, UNLABELLED
from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.base import Question
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.protocols.parts import in_words
from goldmark.records.answers import Marks, Rating
from goldmark.records.units import ContextLink, ContextTable, ContextText, ShownUnit

CONTEXT = "context"


def config_of(protocol: Protocol) -> str:
    """The config as Label Studio's page Labelling Interface takes it."""
    lines = ["<View>", f"  <Header value={_quoted(protocol.title)}/>"]
    if CONTEXT not in protocol.texts:
        lines.append(f'  <HyperText name="{CONTEXT}" value="${CONTEXT}"/>')
    marked: dict[str, list[SpansQuestion]] = {}
    for question in marking(protocol):
        marked.setdefault(question.text_of(protocol.texts), []).append(question)
    for role in protocol.texts:
        if len(protocol.texts) > 1:
            lines.append(f'  <Header value={_quoted(f"Text {in_words(role)}")} size="4"/>')
        for question in marked.get(role, ()):
            lines += _labels(question, role, protocol)
        lines.append(f'  <Text name="{role}" value="${role}" granularity="word"/>')
        for question in marked.get(role, ()):
            for attribute in question.attributes:
                lines += _control(attribute, f"{question.id}-{attribute.id}", role, per_region=True)
    for other in protocol.questions():
        if other.gives is not Marks:
            lines += _control(other, other.id, protocol.texts[0], per_region=False)
    return "\n".join([*lines, "</View>", ""])


def _labels(question: SpansQuestion, role: str, protocol: Protocol) -> Iterator[str]:
    titles = {UNLABELLED: UNLABELLED}
    if question.labels is not None:
        tree = protocol.taxonomies[question.labels.tree]
        paths = tree.paths if question.labels.any_level else [one for one in tree.paths if one in tree.leaves]
        titles = {path: " / ".join(_titles(path, tree.paths)) for path in paths}
    yield f'  <Header value={_quoted(question.ask or in_words(question.id))} size="4"/>'
    yield f'  <Labels name="{question.id}" toName="{role}">'
    yield from _listed("Label", titles)
    yield "  </Labels>"
    if question.links:
        roles = {name: rule.ask or in_words(name) for name, rule in question.links.items()}
        yield f'  <Labels name="{question.id}{LINKED}" toName="{role}">'
        yield from _listed("Label", roles)
        yield "  </Labels>"
        yield "  <Relations>"
        yield from (f"    <Relation value={_quoted(name)}/>" for name in question.links)
        yield "  </Relations>"


def _titles(path: str, known: Mapping[str, object]) -> Iterator[str]:
    parts = path.split(".")
    for length in range(1, len(parts) + 1):
        label = known[".".join(parts[:length])]
        yield str(getattr(label, "name", ""))


def _control(question: Question, name: str, role: str, *, per_region: bool) -> Iterator[str]:
    region = ' perRegion="true"' if per_region else ""
    yield f'  <Header value={_quoted(question.ask or in_words(question.id))} size="5"/>'
    options = question.options_with_numbers()
    if options is not None:
        titles = question.titles()
        choice = "multiple" if question.several else "single"
        yield f'  <Choices name="{name}" toName="{role}" choice="{choice}" showInline="true"{region}>'
        yield from _listed("Choice", {one: titles.get(one, one) for one in options})
        yield "  </Choices>"
    elif question.gives is Rating:
        least, most = question.scale() or (None, None)
        bounds = "".join(f' {key}="{bound:g}"' for key, bound in (("min", least), ("max", most)) if bound is not None)
        yield f'  <Number name="{name}" toName="{role}"{bounds}{region}/>'
    else:
        yield f'  <TextArea name="{name}" toName="{role}" rows="3" maxSubmissions="1" editable="true"{region}/>'


def _listed(tag: str, titles: Mapping[str, str]) -> Iterator[str]:
    """What can be chosen: by title, or by id where two have the same title."""
    clear = len(set(titles.values())) == len(titles)
    for name, title in titles.items():
        alias = f" alias={_quoted(name)}" if clear and title != name else ""
        yield f"    <{tag} value={_quoted(title if clear else name)}{alias}/>"


def _quoted(words: str) -> str:
    return quoteattr(" ".join(words.split()), {'"': "&quot;"})


def context_of(shown: ShownUnit) -> str:
    """What stands beside a text, as HTML that shows it and runs nothing."""
    return "\n".join(_context(item) for item in shown.context)


def _context(item: ContextText | ContextTable | ContextLink) -> str:
    title = f"<h4>{html.escape(item.title)}</h4>" if item.title else ""
    if isinstance(item, ContextText):
        return title + "".join(f"<p>{html.escape(line)}</p>" for line in item.text.split("\n"))
    if isinstance(item, ContextLink):
        return f"<p>{html.escape(item.title)}: {html.escape(item.url)}</p>"
    head = "".join(f"<th>{html.escape(str(one))}</th>" for one in item.columns)
    rows = ("".join(f"<td>{html.escape('' if cell is None else str(cell))}</td>" for cell in row) for row in item.rows)
    return f"{title}<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
