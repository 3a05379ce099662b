"""The data card: what a user of the dataset must know, as far as Goldmark knows it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from goldmark.datasets.release.manifest import Manifest
from goldmark.datasets.release.rows import COLUMNS, ERROR
from goldmark.datasets.release.selection import MEANING
from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table

TASK_NAMES = {
    "detect": "erroneous text detection",
    "spans": "erroneous and associated span detection",
    "type": "error type classification",
    "correct": "error correction",
    "rationale": "rationale generation",
}


_MARKUP = re.compile(r"[\\|\[\]]")
# How dataset hubs call what the tasks are.
_HUB_TASKS = {
    "detect": "text-classification",
    "spans": "token-classification",
    "type": "text-classification",
    "correct": "text-generation",
    "rationale": "text-generation",
}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def card(manifest: Manifest, tables: Sequence[Table], agreement: Table | None, *, method: str, note: str) -> str:
    """README.md, with the header by which dataset hubs find licence, languages and files."""
    parts = [
        _header(manifest),
        f"# {_shown(manifest.title)}\n",
        *_summary(manifest, method),
        *([note.strip() + "\n"] if note.strip() else []),
        "## Load it\n",
        _loading(manifest),
        "## Statistics\n",
        markdown(_turned(tables[0])),
        *_types(tables),
        "## Columns\n",
        _columns(COLUMNS),
        "An error has these:\n",
        _columns(ERROR),
        "## How it was made\n",
        *_making(manifest),
        *_agreement(agreement),
        "## What Goldmark does not know\n",
        "Where the texts come from and under which terms; who the annotators are, how they were found and paid; "
        "whether texts or rationales name people. Add it here before you publish, and build again with `--note`.\n",
        *_labels(manifest),
        "## Licence\n",
        (f"{manifest.licence}. See LICENSE.\n" if manifest.licence else "None was chosen. See LICENSE.\n"),
        f"Built with Goldmark {manifest.goldmark}, seed {manifest.seed}. Verify it: `goldmark dataset check`.\n",
    ]
    return "\n".join(parts)


def _header(manifest: Manifest) -> str:
    languages = [name for name in manifest.languages if name]
    total = sum(manifest.texts.values())
    size = next((name for most, name in _SIZES if total < most), "1M<n<10M")
    lines = ["---", f"pretty_name: {json.dumps(manifest.title, ensure_ascii=False)}"]
    if manifest.licence:
        lines.append(f"license: {manifest.licence.lower()}")
    if languages:
        lines.append(f"language: {json.dumps(languages, ensure_ascii=False)}")  # unquoted, `no` would be a truth value
    tasks = dict.fromkeys(_HUB_TASKS[task] for task in manifest.tasks)
    if tasks:
        lines.append(f"task_categories: [{', '.join(tasks)}]")
    lines += [f"size_categories: [{size}]", "tags: [error-annotation, human-evaluation, croissant]"]
    lines += ["configs:", "- config_name: default", "  data_files:"]
    lines += [f"  - {{split: {name}, path: jsonl/{name}.jsonl}}" for name, count in manifest.texts.items() if count]
    return "\n".join([*lines, "---", ""])


def _summary(manifest: Manifest, method: str) -> Iterator[str]:
    total = sum(manifest.texts.values())
    share = 100 * manifest.erroneous / total
    yield (
        f"{counted(total, 'text')} with {counted(manifest.tokens, 'token')}, {manifest.erroneous:,} of them "
        f"({share:.1f} %) erroneous; "
        f"{counted(manifest.errors, 'error')}, marked by {counted(manifest.annotators, 'person', 'people')}.\n"
    )
    if manifest.origin:
        yield f"Imported: {manifest.origin}\n"
    if manifest.protocol:
        yield f"Annotated with the protocol `{manifest.protocol}`. {method}\n"
    tasks = "; ".join(f"{TASK_NAMES[task]} (`{task}`)" for task in manifest.tasks)
    yield f"Benchmark tasks that its fields allow: {tasks or 'none'}.\n"


def _loading(manifest: Manifest) -> str:
    first = next(name for name, count in manifest.texts.items() if count)
    files = ", ".join(f'"{name}": "jsonl/{name}.jsonl"' for name, count in manifest.texts.items() if count)
    return (
        "```python\nimport datasets, pandas\n\n"
        f'data = datasets.load_dataset("json", data_files={{{files}}})\n'
        f'frame = pandas.read_parquet("parquet/{first}.parquet")\n'
        f'frame = pandas.read_json("jsonl/{first}.jsonl", lines=True)  # the same\n'
        "```\n"
    )


def _types(tables: Sequence[Table]) -> Iterator[str]:
    if len(tables) > 1:
        yield "### Types of errors\n"
        yield "![Types of errors](types.svg)\n"
        yield markdown(tables[1])
        yield "Intervals are exact (Clopper and Pearson, 95 %).\n"


def _making(manifest: Manifest) -> Iterator[str]:
    facts = manifest.facts
    lines = [f"- Which answer counts: {MEANING[manifest.choose]}."]  # type: ignore[index]
    lines += [f"- {counted(count, 'text')} by: {basis}." for basis, count in manifest.bases.items()]
    lines += [f"- Left out: {counted(count, 'text')}, {why}." for why, count in manifest.left_out.items()]
    if manifest.read_twice:
        twice = counted(manifest.read_twice, "text was", "texts were")
        lines.append(f"- {twice} read by more than one person; all answers: readings.jsonl.")
    if facts.get("labels_per_unit"):
        lines.append(f"- Answers wanted of each text: {facts['labels_per_unit']}.")
    if facts.get("first_answer"):
        lines.append(f"- Annotated from {facts['first_answer']} to {facts['last_answer']}.")
    if facts.get("answers_reviewed"):
        lines.append(f"- {counted(facts['answers_reviewed'], 'answer was', 'answers were')} seen by a reviewer.")
    if facts.get("annotators_excluded"):
        lines.append(f"- Excluded, with all their work: {counted(facts['annotators_excluded'], 'person', 'people')}.")
    if facts.get("test_questions"):
        mixed_in = counted(facts["test_questions"], "test question was", "test questions were")
        lines.append(f"- {mixed_in} mixed in; they are not in the dataset.")
    train, dev, test = manifest.shares
    lines.append(
        f"- Split {train}:{dev}:{test} into train, dev and test, stratified by whether a text is erroneous and by the "
        f"type of its first error, with seed {manifest.seed}; texts about the same item are in the same split."
    )
    if manifest.near_copies:
        lines.append(
            f"- {manifest.near_copies:,} texts share more than 80 % of their word trigrams with another; such texts "
            "are in the same split."
        )
    lines.append("- Annotators have pseudonyms, numbered in an order that says nothing of them.")
    yield "\n".join(lines) + "\n"


def _agreement(table: Table | None) -> Iterator[str]:
    if table is not None:
        yield "### Agreement\n"
        yield markdown(table)
        yield "Means over texts of the mean over pairs of readers, with 95 % bootstrap intervals over texts.\n"


def _labels(manifest: Manifest) -> Iterator[str]:
    if manifest.labels:
        yield "## Labels\n"
        rows = tuple((path, name, about) for path, (name, about) in manifest.labels.items())
        yield markdown(Table("Labels", ("label", "name", "meaning"), rows))


def _columns(columns: dict[str, tuple[str, str]]) -> str:
    rows = tuple((f"`{name}`", kind, meaning) for name, (kind, meaning) in columns.items())
    return markdown(Table("Columns", ("column", "kind", "meaning"), rows))


def _turned(table: Table) -> Table:
    """Splits as columns and figures as rows, as TGEA's table 4 stands."""
    names = [column for column in table.columns if column != "split"]
    rows = tuple(
        (table.labels.get(name, name.replace("_", " ")), *(row[table.columns.index(name)] for row in table.rows))
        for name in names
    )
    return Table(table.title, ("", *(str(cell) for cell in table.column("split"))), rows)


def markdown(table: Table) -> str:
    """A table in Markdown; intervals stand beside their figure."""
    merged = {f"{name}_{end}" for name in table.columns for end in ("low", "high") if f"{name}_{end}" in table.columns}
    columns = [name for name in table.columns if name not in merged]
    head = [table.labels.get(name, name.replace("_", " ")) for name in columns]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in table.records():
        cells = []
        for name in columns:
            low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
            said = _cell(row[name])
            cells.append(said if low is None or high is None else f"{said} [{_cell(low)}, {_cell(high)}]")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def _cell(value: Cell) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return _shown(str(value))


def _shown(words: str) -> str:
    """Words of people in Markdown: on one line, in one cell, and no markup, link or picture."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(words.split())).replace("<", "&lt;")
