"""`goldmark text`: look at texts the way Goldmark reads them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.output import print_json, talk
from goldmark.cli.text_introduce import introduce_errors

if TYPE_CHECKING:
    from goldmark.records.texts import Text
    from goldmark.records.units import Unit

app = App(name="text", help="Look at texts the way Goldmark reads them, and put errors into them.")
app.command(introduce_errors, name="introduce-errors")

Files = Annotated[list[Path], Parameter(help="Files (.jsonl, .csv, .tsv, .parquet) or folders of .txt files.")]
Format = Annotated[str | None, Parameter(help="Read every file as this format, whatever its name says.")]
Tokeniser = Annotated[str, Parameter(help="For texts that come without tokens: rules, whitespace, jieba or given.")]
Sentences = Annotated[str, Parameter(help="For texts without sentences: rules, full_stop, lines or given.")]
AsJson = Annotated[bool, Parameter(name="--json", negative=(), help="Write data for machines.")]
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
    json: AsJson = False,
) -> int:
    """Say everything that is wrong with files of texts, or what they hold; nothing is stored."""
    from goldmark.errors import ProblemsFound
    from goldmark.texts.reading import read_units

    try:
        units = read_units(
            files, format=format, tokeniser=tokeniser, sentences=sentences, limit_bytes=limit_megabytes * 1024 * 1024
        )
    except ProblemsFound as found:
        if not json:
            raise
        problems = [{"where": p.where, "what": p.what, "remedy": p.remedy, "part": p.part} for p in found.problems]
        print_json({"ok": False, "problems": problems})
        talk(str(found))
        return 1
    summary = _summary(units)
    if json:
        print_json({"ok": True, "problems": [], **summary})
        return 0
    for key, value in summary.items():
        print(f"{key:<10} {', '.join(value) or '-' if isinstance(value, list) else value}")
    talk("no problem found")
    return 0


@app.command
def show(
    file: Path,
    /,
    *,
    id: Annotated[str | None, Parameter(help="Only the unit with this id; otherwise the first.")] = None,  # noqa: A002
    format: Format = None,  # noqa: A002
    tokeniser: Tokeniser = "rules",
    sentences: Sentences = "rules",
    json: AsJson = False,
) -> None:
    """Print how one unit is read: its sentences, one a line, tokens parted by spaces; what is shown and what hidden."""
    from goldmark.texts.reading import find_unit, read_units

    unit = find_unit(read_units([file], format=format, tokeniser=tokeniser, sentences=sentences), id)
    if json:
        print_json({"id": unit.id, "shown": unit.shown.to_json(), "hidden": dict(unit.hidden)})
        return
    print(f"unit {unit.id}")
    for role, shown in unit.shown.texts.items():
        print(f"\n{role}: {len(shown.text.tokens)} tokens, {len(shown.text.sentences)} sentences", end="")
        print(f" (tokeniser {shown.text.tokeniser}{f', language {shown.language}' if shown.language else ''})")
        _print_sentences(shown.text)
        for what, span in (("prompt", shown.prompt), ("focus", shown.focus)):
            if span is not None:
                print(f"  {what}: tokens {span.start}-{span.end}")
        for mark in shown.given:
            print(f"  given: tokens {mark.start}-{mark.end} {mark.label}")
    print(f"\ncontext: {', '.join(item.title for item in unit.shown.context) or '-'}")
    print(f"hidden from annotators: {', '.join(unit.hidden) or '-'}")


@app.command
def tokenise(
    text: Annotated[str | None, Parameter(help="The text; standard input if there is none.")] = None,
    /,
    *,
    tokeniser: Tokeniser = "rules",
    sentences: Sentences = "rules",
    json: AsJson = False,
) -> None:
    """Print the tokens of a text, one sentence a line."""
    from goldmark.texts.making import make_text
    from goldmark.texts.reading import NotUtf8

    if text is None:
        try:
            text = sys.stdin.buffer.read().decode()
        except UnicodeDecodeError as error:
            raise NotUtf8(place=error.start) from None
    made = make_text("", text, tokeniser=tokeniser, sentences=sentences)
    if json:
        print_json(
            {
                "tokens": [[token.start, token.end] for token in made.tokens],
                "sentences": [[sentence.start, sentence.end] for sentence in made.sentences],
                "words": list(made.words()),
            }
        )
    else:
        _print_sentences(made, numbered=False)


def _print_sentences(text: Text, *, numbered: bool = True) -> None:
    for number, sentence in enumerate(text.sentences, start=1):
        words = " ".join(visible(text.token(position)) for position in sentence.positions())
        print(f"{number:4d}  {words}" if numbered else words)


def visible(word: str) -> str:
    """A token that cannot drive the terminal: control and invisible format characters as their code."""
    import unicodedata

    return "".join(
        mark
        if unicodedata.category(mark) not in ("Cc", "Cf", "Zl", "Zp") or mark == "\u200d"
        else f"\\u{ord(mark):04x}"
        for mark in word
    )


def _summary(units: list[Unit]) -> dict[str, Any]:
    texts = [shown.text for unit in units for shown in unit.shown.texts.values()]
    return {
        "units": len(units),
        "texts": len(texts),
        "sentences": sum(len(text.sentences) for text in texts),
        "tokens": sum(len(text.tokens) for text in texts),
        "context": sorted({item.title for unit in units for item in unit.shown.context}),
        "hidden": sorted({key for unit in units for key in unit.hidden}),
    }
