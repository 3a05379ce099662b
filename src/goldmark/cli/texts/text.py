"""`goldmark text`: look at texts the way Goldmark reads them, and put errors into them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.options import Files, Flag, Output, Seed, Sentences, Tokeniser
from goldmark.cli.output import emit, emit_check
from goldmark.records.figures import counted

if TYPE_CHECKING:
    from goldmark.records.texts import Text
    from goldmark.records.units import Unit

app = App(name="text", help="Look at texts the way Goldmark reads them, and put errors into them.")

Format = Annotated[str | None, Parameter(help="Read every file as this format, whatever its name says.")]
LimitMegabytes = Annotated[int, Parameter(help="Refuse files that are larger than this.")]


@app.command
def check(
    files: Files,
    /,
    *,
    format: Format = None,  # noqa: A002
    tokeniser: Tokeniser = "rules",
    sentences: Sentences = "rules",
    limit_megabytes: LimitMegabytes = 512,
    output: Output = Output(),
) -> int:
    """Say everything that is wrong with files of texts, or what they hold; nothing is stored."""
    from goldmark.texts.readers.units import read_units

    def look() -> tuple[Any, ...]:
        limit = limit_megabytes * 1024 * 1024
        facts = _summary(read_units(files, format=format, tokeniser=tokeniser, sentences=sentences, limit_bytes=limit))
        said = {key: ", ".join(value) or "-" if isinstance(value, list) else value for key, value in facts.items()}
        return facts, "no problem found", *(f"{key:<10} {value}" for key, value in said.items())

    return emit_check(output, look)


def _summary(units: list[Unit]) -> dict[str, Any]:
    from goldmark.records.units import shown_and_hidden

    texts = [shown.text for unit in units for shown in unit.shown.texts.values()]
    context, hidden = shown_and_hidden(units)
    return {
        "units": len(units),
        "texts": len(texts),
        "sentences": sum(len(text.sentences) for text in texts),
        "tokens": sum(len(text.tokens) for text in texts),
        "context": context,
        "hidden": hidden,
    }


@app.command
def show(
    file: Annotated[Path, Parameter(help="The file to look at.")],
    /,
    *,
    id: Annotated[str | None, Parameter(help="Only the unit with this id; otherwise the first.")] = None,  # noqa: A002
    format: Format = None,  # noqa: A002
    tokeniser: Tokeniser = "rules",
    sentences: Sentences = "rules",
    output: Output = Output(),
) -> None:
    """Print how one unit is read: its sentences, one a line, tokens parted by spaces; what is shown and what hidden."""
    from goldmark.texts.readers.units import find_unit, read_units

    unit = find_unit(read_units([file], format=format, tokeniser=tokeniser, sentences=sentences), id)
    emit(output, {"id": unit.id, "shown": unit.shown.to_json(), "hidden": unit.hidden}, lines=_shown(unit))


def _shown(unit: Unit) -> Iterator[str]:
    yield f"unit {unit.id}"
    for role, shown in unit.shown.texts.items():
        text, language = shown.text, f", language {shown.language}" if shown.language else ""
        counts = f"{counted(len(text.tokens), 'token')}, {counted(len(text.sentences), 'sentence')}"
        yield f"\n{role}: {counts} (tokeniser {text.tokeniser}{language})"
        yield from (f"{number:4d}  {line}" for number, line in enumerate(_sentences(text), start=1))
        for what, span in (("prompt", shown.prompt), ("focus", shown.focus)):
            if span is not None:
                yield f"  {what}: tokens {span.start}-{span.end}"
        for mark in shown.given:
            yield f"  given: tokens {mark.start}-{mark.end} {mark.label}"
    yield f"\ncontext: {', '.join(item.title for item in unit.shown.context) or '-'}"
    yield f"hidden from annotators: {', '.join(unit.hidden) or '-'}"


@app.command
def tokenise(
    text: Annotated[str | None, Parameter(help="The text; standard input if there is none.")] = None,
    /,
    *,
    tokeniser: Tokeniser = "rules",
    sentences: Sentences = "rules",
    output: Output = Output(),
) -> None:
    """Print the tokens of a text, one sentence a line."""
    from goldmark.texts.readers.units import NotUtf8
    from goldmark.texts.segmentation.text import make_text

    if text is None:
        try:
            text = sys.stdin.buffer.read().decode()
        except UnicodeDecodeError as error:
            raise NotUtf8(place=error.start) from None
    made = make_text("", text, tokeniser=tokeniser, sentences=sentences)
    tokens, parts = ([[span.start, span.end] for span in spans] for spans in (made.tokens, made.sentences))
    emit(output, {"tokens": tokens, "sentences": parts, "words": list(made.words())}, lines=_sentences(made))


def _sentences(text: Text) -> Iterator[str]:
    for sentence in text.sentences:
        yield " ".join(visible(text.token(position)) for position in sentence.positions())


def visible(word: str) -> str:
    """A token that cannot drive the terminal: control and invisible format characters as their code."""
    import unicodedata

    return "".join(
        mark
        if unicodedata.category(mark) not in ("Cc", "Cf", "Zl", "Zp") or mark == "\u200d"
        else f"\\u{ord(mark):04x}"
        for mark in word
    )


@app.command
def introduce_errors(
    files: Files,
    /,
    *,
    domain: Annotated[str, Parameter(help="A domain file (YAML), or basketball or lantern, which come with Goldmark.")],
    out: Annotated[Path, Parameter(help="The JSONL file to write: the texts with errors in them.")],
    list_to: Annotated[
        Path | None,
        Parameter(name="--list", help="A CSV file to write: what was introduced, in the columns of a GSML."),
    ] = None,
    approved: Annotated[
        Path | None,
        Parameter(help="Such a list from which you struck what is unfair: only what is left on it is introduced."),
    ] = None,
    test: Annotated[Flag, Parameter(help="Make them test questions, so that their answers are never results.")] = False,
    seed: Seed = 0,
    tokeniser: Tokeniser = "rules",
    sentences: Sentences = "rules",
    output: Output = Output(),
) -> None:
    """Introduce an error into 8 to 12 sentences of every text: wrong names, numbers and words (ACCURACY 9.1)."""
    import numpy as np

    from goldmark.exchange.campaign.archive import write_file
    from goldmark.texts.introduced_errors.domain import read_domain
    from goldmark.texts.introduced_errors.rows import ApprovedErrors, introduce_in_rows
    from goldmark.texts.preparation.rows import read_rows, write_rows
    from goldmark.texts.readers.rows import SegmentationRules

    made = introduce_in_rows(
        read_rows(files),
        read_domain(domain),
        np.random.default_rng(seed),
        SegmentationRules(tokeniser, sentences),
        test=test,
        approved=None if approved is None else ApprovedErrors.read(approved),
    )
    write_rows(out, made.rows)
    if list_to is not None:
        write_file(list_to, made.gsml().encode(), over=True)
    counts = {kind: sum(one.label == kind for one in made.mistakes) for kind in ("NAME", "NUMBER", "WORD")}
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    table = made.to_approve()
    errors, texts = counted(len(made.mistakes), "error"), counted(len(made.rows), "text")
    said = [f"introduced {errors} into {texts} ({kinds}); written to {out}"]
    if approved is None and (missed := made.wanted - len(made.mistakes)) > 0:
        said.append(f"{missed} of {made.wanted} sentences had no name, number or word to change")
    facts = {
        "texts": len(made.rows),
        "introduced": len(made.mistakes),
        "by_kind": counts,
        "sentences_drawn": made.wanted,
        "untouched": made.untouched,
        "seed": seed,
        "out": out,
        "errors": table.records(),
    }
    emit(output, facts, *said, tables=[table])
