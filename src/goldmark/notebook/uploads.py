"""What a notebook sends to a server: campaigns, texts and answers, as the files that the commands read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from goldmark.errors import GoldmarkError
from goldmark.notebook.transport import File
from goldmark.protocols import Protocol
from goldmark.records.tidy.columns import written
from goldmark.texts.readers.formats import CONTEXT_PREFIX
from goldmark.texts.readers.tidy import NoSuchFile, columns_of

CAMPAIGN, PROTOCOL, TEXTS = "campaign.yaml", "protocol.yaml", "texts.jsonl"
PROTOCOL_ENDINGS = (".yaml", ".yml", ".json")


class TextsTwice(GoldmarkError):
    code = "CLIENT-07"
    message = "{file} names its own texts; leave texts= out, or give the campaign as a dictionary"


class NoTextsGiven(GoldmarkError):
    code = "CLIENT-08"
    message = "a campaign needs texts: give them as texts=, a data frame, rows, or the path of a file"


def campaign_files(campaign: str | Path | Mapping[str, Any], texts: object = None) -> list[File]:
    """A campaign file with all that it names; or its keys, with the texts beside them."""
    if isinstance(campaign, Mapping):
        return _of_keys(dict(campaign), texts)
    from goldmark.campaigns.definition.file import named_files

    path = Path(campaign)
    if texts is not None:
        raise TextsTwice(file=path)
    named = [File(file.relative_to(path.parent.resolve()).as_posix(), file) for file in named_files(path)]
    return [File(CAMPAIGN, path), *named]


def _of_keys(keys: dict[str, Any], texts: object) -> list[File]:
    how: dict[str, Any] = {}
    if texts is None:
        texts = keys.pop("texts", None)
    if isinstance(texts, Mapping) and ("path" in texts or "rows" in texts):  # as a campaign file and the API have it
        how = {name: value for name, value in texts.items() if name not in ("path", "rows")}
        texts = texts.get("path", texts.get("rows"))
    if texts is None:
        raise NoTextsGiven
    sent = text_files(texts)
    named = [file.name for file in sent]
    protocol = keys.get("protocol")
    if isinstance(protocol, Protocol | Mapping | Path) or str(protocol).endswith(PROTOCOL_ENDINGS):
        keys["protocol"] = PROTOCOL
        sent.append(File(PROTOCOL, _protocol(protocol)))
    settings = {**keys, "texts": {**how, "path": named if len(named) > 1 else named[0]}}
    # JSON is YAML; one key a line, so that a message can name the line.
    return [File(CAMPAIGN, json.dumps(settings, ensure_ascii=False, indent=2).encode()), *sent]


def _protocol(given: Any) -> bytes:
    if isinstance(given, Protocol):
        return given.source.encode()
    if isinstance(given, Mapping):
        return json.dumps(given, ensure_ascii=False, indent=2).encode()
    return _there(Path(given)).read_bytes()


def text_files(data: object, name: str = TEXTS) -> list[File]:
    """Files as they are; a folder's files one by one; a data frame or rows as JSON lines."""
    paths = _paths(data)
    if paths is None:
        return [File(name, rows_of(data))]
    return [
        File(file.relative_to(path.parent).as_posix(), file)
        for path in map(_there, paths)
        for file in ([path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file()))
    ]


def _paths(data: object) -> list[Path] | None:
    if isinstance(data, str | Path):
        return [Path(data)]
    if isinstance(data, Sequence) and data and all(isinstance(one, str | Path) for one in data):
        return [Path(one) for one in data]
    return None


def _there(path: Path) -> Path:
    if not path.exists():
        raise NoSuchFile(path=path, here=Path.cwd())
    return path


def rows_of(data: object) -> bytes:
    """JSON lines; what is missing is left out, and columns `context.TITLE` become the context, as in a spreadsheet."""
    columns = columns_of(data, "texts")
    lines = []
    for cells in zip(*columns.values(), strict=True):
        row: dict[str, Any] = {}
        for name, cell in zip(columns, cells, strict=True):
            if not isinstance(cell, str) and written(cell) == "":
                continue
            if name.startswith(CONTEXT_PREFIX):
                row.setdefault("context", {})[name.removeprefix(CONTEXT_PREFIX)] = cell
            else:
                row[name] = cell
        lines.append(json.dumps(row, ensure_ascii=False, default=_plain))
    return "\n".join(lines).encode()


def _plain(value: Any) -> object:
    """A number or an array of numpy as Python has it; a date as it is written."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
