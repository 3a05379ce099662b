"""Pages and the schema that are made from the protocols themselves: `python -m tests.protocols.pages` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from goldmark.protocols import Protocol, builtin_names, load, present
from goldmark.protocols.expected import Expected, ExpectedSpan, Grading
from goldmark.protocols.kinds import KINDS, Question
from goldmark.protocols.kinds.choice import Option
from goldmark.protocols.kinds.spans import SpanLabels, SpanLinks
from goldmark.protocols.language import NeededContext, ProtocolFile, Step
from goldmark.protocols.loading.json_schema import schema, schema_text
from goldmark.protocols.taxonomy import Label
from goldmark.protocols.training.kits import (
    ComparisonTraining,
    Exercise,
    PassRule,
    Qualification,
    SpanShares,
    TrainingPair,
    TrainingPart,
)

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCHEMA = DOCS / "reference" / "protocol.schema.json"
LANGUAGE = DOCS / "reference" / "protocol-language.md"
START, END = "<!-- made from the models: start -->\n", "<!-- made from the models: end -->\n"
PAGES = [SCHEMA, LANGUAGE, *(DOCS / "protocols" / f"{name.partition('/')[0]}.md" for name in builtin_names())]


def content(page: Path) -> str:
    """What a page should say."""
    if page == SCHEMA:
        return schema_text()
    if page == LANGUAGE:
        before, _, rest = page.read_text(encoding="utf-8").partition(START)
        return before + START + language_tables() + END + rest.partition(END)[2]
    return protocol_page(load(page.stem))


def language_tables() -> str:
    """One table of keys for each part of the language."""
    parts: list[tuple[str, type[BaseModel], set[str]]] = [
        ("A protocol", ProtocolFile, set()),
        ("One of its `needs`", NeededContext, set()),
        ("A step", Step, set()),
        ("A label of a taxonomy", Label, set()),
        ("Every question", Question, {"kind"}),
    ]
    own = set(Question.model_fields)
    parts += [(f"Kind `{name}`", cls, own) for name, cls in KINDS.items()]
    parts += [
        ("An option", Option, set()),
        ("`labels` of spans", SpanLabels, set()),
        ("One role of `links`", SpanLinks, set()),
    ]
    parts += [
        ("A part of a training kit", TrainingPart, set()),
        ("An exercise", Exercise, set()),
        ("`comparison`", ComparisonTraining, set()),
        ("One of its `pairs`", TrainingPair, set()),
        ("`qualification`", Qualification, set()),
        ("`pass`", PassRule, set()),
        ("One question of `pass: spans`", SpanShares, set()),
        ("An expected answer", Expected, set(Grading.model_fields)),
        ("A passage of an expected answer", ExpectedSpan, set()),
        ("`grading`, by question", Grading, set()),
    ]
    return "\n".join(f"### {title}\n\n{_about(model)}\n\n{_table(model, left_out)}" for title, model, left_out in parts)


def _about(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().partition("\n\n")[0]


def _table(model: type[BaseModel], left_out: set[str]) -> str:
    rows = ["| key | default | meaning |", "|---|---|---|"]
    for name, field in model.model_fields.items():
        if name not in left_out:
            default = "**needed**" if field.is_required() else f"`{_written(field.default)}`"
            rows.append(f"| `{field.alias or name}` | {default} | {field.description or ''} |")
    if model is ProtocolFile:
        more = {name: schema()["properties"][name]["description"] for name in ("extends", "change")}
        rows += [f"| `{name}` | `none` | {meaning} |" for name, meaning in more.items()]
    return "\n".join(rows) + "\n"


def _written(default: object) -> str:
    if default is None or default in ("", (), {}):
        return "none"
    if isinstance(default, BaseModel):
        return "none"
    if isinstance(default, tuple):
        return f"[{', '.join(default)}]"
    return str(default).lower() if isinstance(default, bool) else str(default)


def protocol_page(protocol: Protocol) -> str:
    """What a built-in protocol asks, for people who choose one."""
    page = present(protocol)
    title = protocol.title if protocol.title.endswith("?") else f"{protocol.title}."
    parts = [f"# {protocol.name}", f"**{title}** {protocol.summary}", protocol.file.about.strip()]
    needed = [" or ".join(f"`{name}`" for name in one.context) for one in protocol.file.needs]
    beside = f" Beside them it needs {' and '.join(needed)}." if needed else ""
    parts.append(
        f"Version `{protocol.id}`, digest `{protocol.digest[:12]}`. Its texts: {_listed(protocol.texts)}.{beside} "
        f"A whole campaign with accepted and refused answers is in `examples/{protocol.name}/`; "
        f"`goldmark protocol show {protocol.name}` prints the protocol itself."
    )
    parts.append("## What is asked\n\n" + "\n".join(_questions(page["steps"])))
    for name, tree in protocol.taxonomies.items():
        parts.append(
            f"## Labels: {name}\n\n| label | mark | meaning |\n|---|---|---|\n" + "\n".join(_labels(tree.present()))
        )
    shown = "\n".join(f"> {line}".rstrip() for line in protocol.instructions.strip().splitlines())
    parts.append(f"## What annotators read\n\n{shown}")
    return "\n\n".join(parts) + "\n"


def _questions(steps: Sequence[dict[str, Any]]) -> Iterator[str]:
    sources = {}
    yield "| question | kind | asked as | when |"
    yield "|---|---|---|---|"
    for step in steps:
        for question in step["questions"]:
            sources[question["id"]] = question
            conditions = [_condition(tree) for tree in (step["when"], question["when"]) if tree]
            when = " and ".join(conditions) + (" (optional)" if not question["required"] else "")
            yield f"| `{question['id']}` | {question['kind']} | {question['ask']} | {when.strip() or 'always'} |"
            for attribute in question.get("attributes", ()):
                need = "" if attribute["required"] else " (optional)"
                name = f"`{question['id']}`, each: `{attribute['id']}`"
                yield f"| {name} | {attribute['kind']} | {attribute['ask']} |{need} |"
            for link in question.get("links", ()):
                yield f"| `{question['id']}`, each: `{link['id']}` | linked spans | {link['ask']} | |"
    for name, question in sources.items():
        if "options" in question:
            options = (f"{one['title']} (`{one['id']}`{_number(one['value'])})" for one in question["options"])
            yield f"\n`{name}`: {', '.join(options)}."


def _condition(tree: list[Any]) -> str:
    return f"`{tree[1][1]} {tree[0]} {tree[2][1]}`"


def _number(value: float | None) -> str:
    return "" if value is None else f" = {value:g}"


def _labels(labels: Sequence[dict[str, Any]]) -> Iterator[str]:
    for label in labels:
        yield f"| `{label['path']}` | {label['full_mark']} | {label['help']} |"
        yield from _labels(label["children"])


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    for page in PAGES:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(content(page), encoding="utf-8")
