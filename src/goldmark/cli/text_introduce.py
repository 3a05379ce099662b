"""`goldmark text introduce-errors`: put errors into texts on purpose, and keep the list of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from goldmark.cli.output import print_json, talk

Files = Annotated[list[Path], Parameter(help="Files (.jsonl, .csv, .tsv, .parquet) or folders of .txt files.")]


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
    test: Annotated[
        bool, Parameter(negative="", help="Make them test questions, so that their answers are never results.")
    ] = False,
    seed: Annotated[int, Parameter(help="Seed of all random choices.")] = 0,
    tokeniser: Annotated[str, Parameter(help="For texts without tokens: rules, whitespace or jieba.")] = "rules",
    sentences: Annotated[str, Parameter(help="For texts without sentences: rules, full_stop or lines.")] = "rules",
    json: Annotated[bool, Parameter(name="--json", negative=(), help="Write data for machines.")] = False,
) -> None:
    """Introduce an error into 8 to 12 sentences of every text: wrong names, numbers and words (ACCURACY 9.1)."""
    import numpy as np

    from goldmark.texts.domain import read_domain
    from goldmark.texts.introducing import introduce_in_rows
    from goldmark.texts.preparing.rows import read_rows, write_rows
    from goldmark.texts.rows import Rules

    made = introduce_in_rows(
        read_rows(files), read_domain(domain), np.random.default_rng(seed), Rules(tokeniser, sentences), test=test
    )
    write_rows(out, made.rows)
    if list_to is not None:
        list_to.write_text(made.gsml(), encoding="utf-8")
    counts = {kind: sum(one.label == kind for one in made.mistakes) for kind in ("NAME", "NUMBER", "WORD")}
    facts = {
        "texts": len(made.rows),
        "introduced": len(made.mistakes),
        "by_kind": counts,
        "sentences_drawn": made.wanted,
        "untouched": list(made.untouched),
        "seed": seed,
        "out": str(out),
    }
    if json:
        print_json(facts)
        return
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    talk(f"introduced {len(made.mistakes)} errors into {len(made.rows)} texts ({kinds}); written to {out}")
    if made.wanted > len(made.mistakes):
        talk(f"{made.wanted - len(made.mistakes)} of {made.wanted} sentences had no name, number or word to change")
