"""`goldmark prepare`: make texts ready for a campaign. Every command reads any known format and writes JSONL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.output import print_json, talk

if TYPE_CHECKING:
    from goldmark.texts.generating.prompts import Writer
    from goldmark.texts.generating.run import Plan

app = App(name="prepare", help="Make texts ready: cut, clean, pair, choose prompt words, generate.")

Files = Annotated[list[Path], Parameter(help="Files (.jsonl, .csv, .tsv, .parquet) or folders of .txt files.")]
Out = Annotated[Path, Parameter(help="The JSONL file to write.")]
Words = Annotated[int, Parameter(help="Cut at the end of the sentence that passes this many words.")]
Tokeniser = Annotated[str, Parameter(help="How words are told apart: rules, whitespace or jieba.")]
Seed = Annotated[int, Parameter(help="Seed of the random choice.")]
AsJson = Annotated[bool, Parameter(name="--json", negative=(), help="Write data for machines.")]
LongerThan = Annotated[int, Parameter(help="Drop texts with no more than this many characters.")]
Script = Annotated[str | None, Parameter(help="Drop texts that are not in this script, such as chinese or latin.")]
Share = Annotated[float, Parameter(help="The least share of characters that must be in the script.")]
MoreThan = Annotated[float, Parameter(help="From which share of overlap on a text is a copy.")]


@app.command
def cut(files: Files, /, *, out: Out, words: Words = 100, tokeniser: Tokeniser = "rules", json: AsJson = False) -> None:
    """Cut texts at the end of the sentence that passes N words, so that length tells nobody who wrote them."""
    from goldmark.texts.making import make_text
    from goldmark.texts.preparing.cutting import cut_after
    from goldmark.texts.preparing.rows import read_rows, write_rows

    rows = read_rows(files)
    kept = [{**row, "text": cut_after(make_text(row["id"], row["text"], tokeniser=tokeniser), words)} for row in rows]
    shortened = sum(before["text"] != after["text"] for before, after in zip(rows, kept, strict=True))
    write_rows(out, kept)
    _say({"texts": len(rows), "cut": shortened, "out": str(out)}, f"cut {shortened} of {len(rows)} texts", json=json)


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
    json: AsJson = False,
) -> None:
    """Drop noise (too short, wrong script) and texts that repeat an earlier one; says why of each."""
    from goldmark.texts.preparing.copies import find_copies
    from goldmark.texts.preparing.noise import NoiseRule, why_noise
    from goldmark.texts.preparing.rows import read_rows, write_rows

    rows = read_rows(files)
    rule = NoiseRule(longer_than, script, share)
    dropped = {row["id"]: why for row in rows if (why := why_noise(row["text"], rule))}
    if copies:
        rest = ((row["id"], row["text"]) for row in rows if row["id"] not in dropped)
        found = list(find_copies(rest, more_than=more_than))
        dropped.update((copy.id, f"{copy.overlap:.0%} of it is in {copy.of}") for copy in found)
    write_rows(out, (row for row in rows if row["id"] not in dropped))
    _say_dropped(dropped, len(rows), out, json=json)


@app.command
def words(
    files: Files,
    /,
    *,
    out: Out,
    tagger: Annotated[str, Parameter(help="Who finds nouns: jieba (Chinese), nltk (English), tagged, or a plug-in.")],
    band: Annotated[tuple[float, float], Parameter(help="Ranks by frequency, as shares of all nouns.")] = (0.4, 0.6),
    number: Annotated[int | None, Parameter(help="Draw this many by lot; otherwise all of the band.")] = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Choose nouns of middling frequency from a corpus as prompts for a model."""
    import numpy as np

    from goldmark.texts.preparing.prompt_words import TAGGERS, count_nouns, in_band, lines_of
    from goldmark.texts.preparing.rows import read_rows, write_rows

    texts = [row["text"] for row in read_rows(files)]
    counts = count_nouns(lines_of(texts), TAGGERS.find(tagger)())
    chosen = in_band(counts, *band)
    in_the_band = len(chosen)
    if number is not None and number < in_the_band:
        places = np.random.default_rng(seed).choice(in_the_band, size=number, replace=False)
        chosen = [chosen[place] for place in sorted(places.tolist())]
    write_rows(out, ({"id": one.word, "prompt": one.word, "times": one.times, "rank": one.rank} for one in chosen))
    summary = {"nouns": len(counts), "in_band": in_the_band, "chosen": len(chosen), "out": str(out)}
    _say(summary, f"chose {len(chosen)} of {in_the_band} nouns in the band, out of {len(counts)} nouns", json=json)


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
    json: AsJson = False,
) -> None:
    """Human and machine texts in matched sets: as many of each, cut alike, copies out, the shared prompt marked."""
    import numpy as np

    from goldmark.texts.preparing.pairing import SourceSet, match
    from goldmark.texts.preparing.rows import read_rows, write_rows

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
    write_rows(out, matched.rows)
    dropped = {f"{one.source}/{one.id}": one.why for one in matched.left_out}
    _say_dropped(dropped, sum(len(one.rows) for one in sets), out, json=json, written=len(matched.rows))


@app.command
def generate(
    prompts: Annotated[Path, Parameter(help="JSONL with `id` and `prompt`.")],
    /,
    *,
    out: Out,
    server: Annotated[str | None, Parameter(help="An OpenAI-compatible address, such as https://host/v1.")] = None,
    model: Annotated[str, Parameter(help="Its model; or a folder with a transformers checkpoint, without --server.")],
    chat: Annotated[bool, Parameter(negative=(), help="The model only chats: ask it to continue.")] = False,
    key_variable: Annotated[str, Parameter(help="The environment variable that holds the key.")] = "OPENAI_API_KEY",
    priming: Annotated[Path | None, Parameter(help="Texts of the domain that stand before every prompt.")] = None,
    temperature: float = 0.7,
    top_p: float = 1.0,
    most_tokens: Annotated[int, Parameter(help="The longest continuation.")] = 300,
    seed: Annotated[int | None, Parameter(help="Seed of the model's sampling, where it takes one.")] = None,
    tries: Annotated[int, Parameter(help="How often a copy or noise is drawn again.")] = 3,
    longer_than: LongerThan = 15,
    script: Script = None,
    share: Share = 0.7,
    more_than: MoreThan = 0.8,
    mark_prompt: Annotated[bool, Parameter(help="Campaigns show the prompt bold and do not judge it.")] = True,
    at_once: Annotated[int, Parameter(help="Requests at a time.")] = 4,
    json: AsJson = False,
) -> int:
    """Continue prompts with a model. A run that was stopped goes on where it stopped; nothing is asked twice."""
    from goldmark.texts.generating.prompts import Priming, Sampling
    from goldmark.texts.generating.run import Plan
    from goldmark.texts.preparing.noise import NoiseRule
    from goldmark.texts.preparing.rows import read_rows

    plan = Plan(
        Sampling(temperature, top_p, most_tokens, seed),
        Priming(tuple(_texts(priming))),
        NoiseRule(longer_than, script, share),
        more_than,
        tries,
        mark_prompt,
    )
    rows = read_rows([prompts], needs=("id", "prompt"))
    outcome = _run(rows, _writer(server, model, chat=chat, key_variable=key_variable), out, plan, at_once)
    for name, why in outcome.given_up:
        talk(f"{name}: {why}")
    summary = {
        "written": outcome.written,
        "kept_from_before": outcome.kept_from_before,
        "given_up": [{"id": name, "why": why} for name, why in outcome.given_up],
        "out": str(out),
    }
    before = f", {outcome.kept_from_before} were there" if outcome.kept_from_before else ""
    _say(summary, f"wrote {outcome.written} texts{before}, gave up {len(outcome.given_up)}", json=json)
    return 1 if outcome.given_up and not outcome.written and not outcome.kept_from_before else 0


def _run(rows: list[dict[str, Any]], writer: Writer, out: Path, plan: Plan, at_once: int) -> Any:
    from rich.console import Console
    from rich.progress import Progress

    from goldmark.texts.generating.run import generate

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("generating", total=len(rows))
        return generate(
            rows, writer, out, plan, at_once=at_once, progress=lambda n, all_: bar.update(task, completed=n, total=all_)
        )


def _writer(server: str | None, model: str, *, chat: bool, key_variable: str) -> Writer:
    import os

    if server is not None:
        from goldmark.texts.generating.server import ServerModel

        return ServerModel(server, model, key=os.environ.get(key_variable), chat=chat)
    from goldmark.texts.generating.local import LocalModel

    return LocalModel(Path(model))


def _texts(path: Path | None) -> list[str]:
    from goldmark.texts.preparing.rows import read_rows

    return [] if path is None else [row["text"] for row in read_rows([path])]


def _named_file(given: str) -> tuple[str, Path]:
    from goldmark.texts.preparing.rows import NotATextRow

    name, mark, path = given.partition("=")
    if not mark or not name or not path or name == "human":
        raise NotATextRow(reason=f'"{given}" must be NAME=FILE, with the name of the model: gpt-2=stories.jsonl')
    return name, Path(path)


def _say_dropped(dropped: dict[str, str], texts: int, out: Path, *, json: bool, written: int | None = None) -> None:
    for name, why in dropped.items():
        talk(f"{name}: {why}")
    kept = texts - len(dropped) if written is None else written
    reasons = [{"id": name, "why": why} for name, why in dropped.items()]
    summary = {"texts": texts, "written": kept, "dropped": reasons, "out": str(out)}
    _say(summary, f"kept {kept} of {texts} texts, dropped {len(dropped)}", json=json)


def _say(summary: dict[str, Any], sentence: str, *, json: bool) -> None:
    if json:
        print_json(summary)
    else:
        print(f"{sentence}; {summary['out']}")
