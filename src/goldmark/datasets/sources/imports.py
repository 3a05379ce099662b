"""Annotations of other projects that a dataset can be made of; more come as plug-ins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from goldmark.datasets.sources.readings import ImportedSource
from goldmark.plugins import Group, not_callable

DATASET_SOURCES: Group[Callable[[Path], ImportedSource]] = Group(
    "dataset_sources",
    "dataset that can be imported",
    object,
    {
        "haluquestqa": "goldmark.datasets.sources.haluquestqa:HaluQuestQA",
        "quintd1": "goldmark.datasets.sources.quintd1:Quintd1",
        "spans": "goldmark.datasets.sources.spans:SpansFile",
    },
    not_callable,
)
