"""What verifiers are asked: the verification protocol, with the categories of whatever campaign is verified."""

from __future__ import annotations

import json
from collections.abc import Iterable

from goldmark.errors import GoldmarkError
from goldmark.protocols import Protocol, parse
from goldmark.protocols.answers import marking
from goldmark.protocols.taxonomy import Taxonomy

CATEGORY = "category"  # the question in which a verifier names the right category


class LabelsNotAsked(GoldmarkError):
    code = "CURATION-22"
    message = "{labels} cannot be answered in protocol {protocol}; extend it and add them to the options of `category`"


def _categories(protocol: Protocol) -> set[str] | None:
    """What a verifier can name as the right category; None if they are not asked."""
    options = next((one.options_with_numbers() for one in protocol.questions() if one.id == CATEGORY), None)
    return None if options is None else set(options)


def check_labels(labels: Iterable[str], protocol: Protocol) -> None:
    """Refuse labels that a verifier could not name in this protocol."""
    known = _categories(protocol)
    missing = sorted(set(labels) - known) if known is not None else []
    if missing:
        raise LabelsNotAsked(labels=", ".join(missing), protocol=protocol.id)


def fitted_to(protocol: Protocol, source: Protocol, question: str) -> Protocol:
    """A protocol of verifiers for the labels of a source: itself if it knows them all, else extended by them."""
    known = _categories(protocol)
    of = next((one.labels for one in marking(source) if one.id == question), None)
    if known is None or of is None:
        return protocol
    tree = source.taxonomies[of.tree]
    labels = [path for path in tree.paths if of.any_level or path in tree.leaves]
    if set(labels) <= known:
        return protocol
    first = [_title(tree, path) for path in tree.preferred(of.priority)]
    help_ = f"If several fit, the first of these is right: {', '.join(first)}." if first else ""
    options = "".join(f"      - {{{_option(tree, path)}}}\n" for path in labels)
    return parse(
        f"protocol: {protocol.name}-of-{source.name}/1\n"
        f"extends: {protocol.id}\n"
        f"about: {json.dumps(f'The verification protocol with the categories of {source.id}.')}\n"
        f"change:\n  {CATEGORY}:\n    help: {json.dumps(help_, ensure_ascii=False)}\n    options:\n{options}",
        file=f"{protocol.name}-of-{source.name}",
    )


def _option(tree: Taxonomy, path: str) -> str:
    """One category as an option; the finer ones of a coarser one stand together under it."""
    above, _, _ = path.rpartition(".")
    facts = {"id": path, "title": _title(tree, path), "help": tree.paths[path].help}
    facts |= {"group": _title(tree, above)} if above else {}
    return ", ".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in facts.items() if value)


def _title(tree: Taxonomy, path: str) -> str:
    return tree.paths[path].name
