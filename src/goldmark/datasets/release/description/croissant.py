"""`croissant.json`: the dataset described in Croissant 1.0, by which search engines and loaders understand it.

Every split is a file and a set of records; what a column means is what the data card says. Nothing in it depends on the
clock, so a second build gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from goldmark.datasets.release.manifest import Manifest
from goldmark.datasets.release.rows import COLUMNS, ERROR
from goldmark.records.figures import counted

NAME = "croissant.json"
_TERMS = (
    *(
        "citeAs",
        "column",
        "equivalentProperty",
        "examples",
        "extract",
        "field",
        "fileObject",
        "fileProperty",
        "fileSet",
        "format",
    ),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references"),
    *("regex", "repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{term: f"cr:{term}" for term in _TERMS},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}
_TYPES = {
    "text": "sc:Text",
    "text or null": "sc:Text",
    "number": "sc:Integer",
    "truth": "sc:Boolean",
    "list of text": "sc:Text",
    "list of numbers": "sc:Integer",
}
# Of a licence chosen by its SPDX name, where its text stands for everybody to read.
_LICENCE = "https://spdx.org/licenses/{name}.html"


def croissant(manifest: Manifest, sums: Mapping[str, str]) -> bytes:
    """The description; `sums` are the checksums of the splits' files."""
    splits = [name for name, count in manifest.texts.items() if count]
    described = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": manifest.name,
        "description": _about(manifest),
        "version": "1.0.0",
        **({"license": _LICENCE.format(name=manifest.licence)} if manifest.licence else {}),
        **({"inLanguage": languages} if (languages := [name for name in manifest.languages if name]) else {}),
        "isLiveDataset": False,
        "distribution": [_file(split, sums[split]) for split in splits],
        "recordSet": [_records(split) for split in splits],
    }
    return orjson.dumps(described, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _about(manifest: Manifest) -> str:
    total, errors = sum(manifest.texts.values()), f"{counted(manifest.errors, 'error')} that people marked"
    asked = f" by the protocol {manifest.protocol}" if manifest.protocol else ""
    return f"{manifest.title}: {counted(total, 'text')}, {manifest.erroneous:,} of them with {errors}{asked}."


def _file(split: str, sum_: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": f"{split}.jsonl",
        "name": f"{split}.jsonl",
        "description": f"The texts of the split {split}, one on each line.",
        "contentUrl": f"jsonl/{split}.jsonl",
        "encodingFormat": "application/jsonlines",
        "sha256": sum_,
    }


def _records(split: str) -> dict[str, Any]:
    fields = [_field(split, name, *column) for name, column in COLUMNS.items() if column[0] in _TYPES]
    errors = {
        "@type": "cr:Field",
        "@id": f"{split}/errors",
        "name": "errors",
        "description": COLUMNS["errors"][1],
        "repeated": True,
        "subField": [
            _field(f"{split}/errors", name, *column, "errors") for name, column in ERROR.items() if column[0] in _TYPES
        ],
    }
    return {
        "@type": "cr:RecordSet",
        "@id": split,
        "name": split,
        "description": f"The texts of the split {split} with their errors.",
        "key": {"@id": f"{split}/id"},
        "field": [*fields, errors],
    }


def _field(of: str, name: str, kind: str, meaning: str, column: str = "") -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{of}/{name}",
        "name": name,
        "description": meaning,
        "dataType": _TYPES[kind],
        **({"repeated": True} if kind.startswith("list") else {}),
        "source": {
            "fileObject": {"@id": f"{of.partition('/')[0]}.jsonl"},
            "extract": {"column": column or name},
            **({"transform": {"jsonPath": f"$[*].{name}"}} if column else {}),
        },
    }
