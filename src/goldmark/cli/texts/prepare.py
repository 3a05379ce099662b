"""`goldmark prepare`: make texts ready for a campaign. Every command reads any known format and writes JSONL."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.options import Files, Flag, Output, Seed
from goldmark.cli.output import emit, talk
from goldmark.records.figures import counted

app = App(name="prepare", help="Make texts ready: cut, clean, match, put side by side, choose prompt words, generate.")

Out = Annotated[Path, Parameter(help="The JSONL file to write.")]
Words = Annotated[int, Parameter(help="Cut at the end of the sentence that passes this many words.")]
Tokeniser = Annotated[str, Parameter(help="How words are told apart: rules, whitespace, jieba or icu.")]
LongerThan = Annotated[int, Parameter(help="Drop texts with no more than this many characters.")]
Script = Annotated[str | None, Parameter(help="Drop texts that are not in this script, such as chinese or latin.")]
Share = Annotated[float, Parameter(help="The least share of characters that must be in the script.")]
MoreThan = Annotated[float, Parameter(help="From which share of overlap on a text is a copy.")]


@app.command
def cut(
    files: Files, /, *, out: Out, words: Words = 100, tokeniser: Tokeniser = "rules", output: Output = Output()
) -> None:
    """Cut texts at the end of the sentence that passes N words, so that length tells nobody who wrote them."""
    from goldmark.texts.preparation.cuts import cut_after
    from goldmark.texts.preparation.rows import read_rows, write_rows
    from goldmark.texts.segmentation.text import make_text

    rows = read_rows(files)
    kept = [{**row, "text": cut_after(make_text(row["id"], row["text"], tokeniser=tokeniser), words)} for row in rows]
    shortened = sum(before["text"] != after["text"] for before, after in zip(rows, kept, strict=True))
    write_rows(out, kept)
    _say(output, {"texts": len(rows), "cut": shortened, "out": out}, f"cut {shortened} of {len(rows)} texts")


@app.command
def clean(
    files: Files,
    /,
    *,
    out: Out,
    longer_than: LongerThan = 15,
    script: Script = None,
    share: Share = 0.7,
    copies: Annotated[bool, Parameter(help="Also drop texts that repeat an earlier one.")] = True,
    more_than: MoreThan = 0.8,
    output: Output = Output(),
) -> None:
    """Drop noise (too short, wrong script) and texts that repeat an earlier one; says why of each."""
    from goldmark.texts.preparation.copies import why_dropped
    from goldmark.texts.preparation.noise import NoiseRule
    from goldmark.texts.preparation.rows import read_rows, write_rows

    rows = read_rows(files)
    dropped = why_dropped(rows, NoiseRule(longer_than, script, share), copies=copies, more_than=more_than)
    kept = write_rows(out, (row for row in rows if row["id"] not in dropped))
    _say_dropped(output, dropped, len(rows), kept, out)


@app.command
def words(
    files: Files,
    /,
    *,
    out: Out,
    tagger: Annotated[str, Parameter(help="Who finds nouns: jieba (Chinese), nltk (English), tagged, or a plug-in.")],
    band: Annotated[tuple[float, float], Parameter(help="Ranks by frequency, as shares of all nouns.")] = (0.4, 0.6),
    number: Annotated[int | None, Parameter(help="Draw this many at random; otherwise all of the band.")] = None,
    seed: Seed = 0,
    output: Output = Output(),
) -> None:
    """Choose nouns of middling frequency from a corpus as prompts for a model."""
    import numpy as np

    from goldmark.texts.preparation.prompt_words import TAGGERS, count_nouns, drawn, in_band, lines_of
    from goldmark.texts.preparation.rows import read_rows, write_rows

    counts = count_nouns(lines_of(row["text"] for row in read_rows(files)), TAGGERS.find(tagger)())
    all_ = in_band(counts, *band)
    chosen = drawn(all_, number, np.random.default_rng(seed))
    write_rows(out, ({"id": one.word, "prompt": one.word, "times": one.times, "rank": one.rank} for one in chosen))
    _say(
        output,
        {"nouns": len(counts), "in_band": len(all_), "chosen": len(chosen), "out": out},
        f"chose {len(chosen)} of {len(all_)} nouns in the band, out of {len(counts)} nouns",
    )


@app.command
def match(
    *,
    human: Annotated[Path, Parameter(help="Texts that people wrote.")],
    machine: Annotated[list[str], Parameter(help="Texts of a model, as NAME=FILE; may be given several times.")],
    out: Out,
    words: Words = 100,
    each: Annotated[int | None, Parameter(help="Texts of every source; otherwise as many as all can give.")] = None,
    at_least: Annotated[int, Parameter(help="Leave out texts with fewer words.")] = 0,
    priming: Annotated[Path | None, Parameter(help="What primed the model: copies of it are left out.")] = None,
    more_than: MoreThan = 0.8,
    tokeniser: Tokeniser = "rules",
    seed: Seed = 0,
    output: Output = Output(),
) -> None:
    """Human and machine texts in matched sets: as many of each, cut alike, copies out, the shared prompt marked."""
    import numpy as np

    from goldmark.texts.preparation.matched_sets import SourceSet, match
    from goldmark.texts.preparation.rows import read_rows, write_rows

    sets = [SourceSet("human", read_rows([human]))]
    sets += [SourceSet(name, read_rows([path])) for name, path in map(_named_file, machine)]
    matched = match(
        sets,
        words=words,
        rng=np.random.default_rng(seed),
        each=each,
        priming=_texts(priming),
        most_overlap=more_than,
        at_least=at_least,
        tokeniser=tokeniser,
    )
    dropped = {f"{one.source}/{one.id}": one.why for one in matched.left_out}
    _say_dropped(output, dropped, sum(len(one.rows) for one in sets), write_rows(out, matched.rows), out)


@app.command
def sets(
    files: Files,
    /,
    *,
    out: Out,
    size: Annotated[int, Parameter(help="Texts in a set: 2 to 5.")] = 4,
    each: Annotated[int, Parameter(help="In how many sets every text stands, at least.")] = 2,
    seed: Seed = 0,
    output: Output = Output(),
) -> None:
    """Put outputs of several systems for the same items side by side: sets of four for best-worst, or pairs.

    Rows say `item` and `system`. Every text is shown equally often, and every two systems meet about equally often.
    Where no row says either, all texts are one pool, and each is scored by itself.
    """
    import numpy as np

    from goldmark.texts.preparation.rows import NotATextRow, read_rows, write_rows
    from goldmark.texts.preparation.text_sets import draw_sets

    drawn = draw_sets(read_rows(files), size=size, each=each, rng=np.random.default_rng(seed))
    if not drawn.rows:
        raise NotATextRow(reason=f"no item has {size} texts, so that there is no set of {size}; try a smaller --size")
    for item, why in drawn.left_out.items():
        talk(f"{item}: left out, {why}")
    write_rows(out, drawn.rows)
    (least, most), (seldom, often) = drawn.shown, drawn.met
    facts = {
        "sets": len(drawn.rows),
        "texts": drawn.texts,
        "systems": drawn.systems,
        "each_text": {"least": least, "most": most},
        "each_pair_of_systems": {"least": seldom, "most": often},
        "left_out": [{"item": item, "why": why} for item, why in drawn.left_out.items()],
        "out": out,
    }
    pool = f"{counted(drawn.texts, 'text')} of {counted(drawn.systems, 'system')}"
    sentence = f"made {counted(len(drawn.rows), 'set')} of {size} from {pool}; every text is in"
    _say(output, facts, f"{sentence} {_span(least, most)}, every two systems meet {_span(seldom, often)} times")


def _span(least: int, most: int) -> str:
    return f"{least}" if least == most else f"{least} to {most}"


@app.command
def generate(
    prompts: Annotated[Path, Parameter(help="JSONL with `id` and `prompt`.")],
    /,
    *,
    out: Out,
    server: Annotated[str | None, Parameter(help="An OpenAI-compatible address, such as https://host/v1.")] = None,
    model: Annotated[str, Parameter(help="Its model; or a folder with a transformers checkpoint, without --server.")],
    chat: Annotated[Flag, Parameter(help="The model only chats: ask it to continue.")] = False,
    key_variable: Annotated[str, Parameter(help="The environment variable that holds the key.")] = "OPENAI_API_KEY",
    priming: Annotated[Path | None, Parameter(help="Texts of the domain that stand before every prompt.")] = None,
    temperature: Annotated[
        float, Parameter(help="How freely the model chooses: 0 always takes the likeliest word.")
    ] = 0.7,
    top_p: Annotated[float, Parameter(help="Choose among the likeliest words that have this share together.")] = 1.0,
    most_tokens: Annotated[int, Parameter(help="The longest continuation.")] = 300,
    seed: Annotated[int | None, Parameter(help="Seed of the model's sampling, where it takes one.")] = None,
    tries: Annotated[int, Parameter(help="How often a copy or noise is drawn again.")] = 3,
    longer_than: LongerThan = 15,
    script: Script = None,
    share: Share = 0.7,
    more_than: MoreThan = 0.8,
    mark_prompt: Annotated[bool, Parameter(help="Campaigns show the prompt bold and do not judge it.")] = True,
    at_once: Annotated[int, Parameter(help="Requests at a time.")] = 4,
    output: Output = Output(),
) -> int:
    """Continue prompts with a model. A run that was stopped goes on where it stopped; nothing is asked twice."""
    import os

    from goldmark.cli.progress import bar
    from goldmark.texts.generation.prompts import Priming, Sampling
    from goldmark.texts.generation.run import GenerationPlan, generate, writer_for
    from goldmark.texts.preparation.noise import NoiseRule
    from goldmark.texts.preparation.rows import read_rows

    plan = GenerationPlan(
        Sampling(temperature, top_p, most_tokens, seed),
        Priming(tuple(_texts(priming))),
        NoiseRule(longer_than, script, share),
        more_than,
        tries,
        mark_prompt,
    )
    rows = read_rows([prompts], needs=("id", "prompt"))
    writer = writer_for(model, server=server, key=os.environ.get(key_variable), chat=chat)
    with bar() as told:
        done = generate(rows, writer, out, plan, at_once=at_once, progress=lambda n, all_: told(n, all_, "generating"))
    for name, why in done.given_up:
        talk(f"{name}: {why}")
    given_up = [{"id": name, "why": why} for name, why in done.given_up]
    before = f", {done.kept_from_before} were there" if done.kept_from_before else ""
    _say(
        output,
        {"written": done.written, "kept_from_before": done.kept_from_before, "given_up": given_up, "out": out},
        f"wrote {counted(done.written, 'text')}{before}, gave up {len(done.given_up)}",
    )
    return 1 if done.given_up and not done.written and not done.kept_from_before else 0


def _texts(path: Path | None) -> list[str]:
    from goldmark.texts.preparation.rows import read_rows

    return [] if path is None else [row["text"] for row in read_rows([path])]


def _named_file(given: str) -> tuple[str, Path]:
    from goldmark.texts.preparation.rows import NotATextRow

    name, mark, path = given.partition("=")
    if not mark or not name or not path or name == "human":
        raise NotATextRow(reason=f'"{given}" must be NAME=FILE, with the name of the model: gpt-2=stories.jsonl')
    return name, Path(path)


def _say_dropped(output: Output, dropped: Mapping[str, str], texts: int, kept: int, out: Path) -> None:
    for name, why in dropped.items():
        talk(f"{name}: {why}")
    reasons = [{"id": name, "why": why} for name, why in dropped.items()]
    facts = {"texts": texts, "written": kept, "dropped": reasons, "out": out}
    _say(output, facts, f"kept {kept} of {texts} texts, dropped {len(dropped)}")


def _say(output: Output, facts: dict[str, Any], sentence: str) -> None:
    emit(output, facts, lines=[f"{sentence}; {facts['out']}"])
