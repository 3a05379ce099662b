"""The checker on sentences of ours: true facts of real games in many wordings, then each fact once wrong.

Shows how widely the grammar reads, kind by kind: the share of wrong words that are marked, and the marks that true
sentences get for nothing. `--loud` shows what fails, except for every third sentence ("kept"): rules are not written
from what fails there, nor from the sentences of variants_held.yaml, which only measure. The names of files as arguments
try these alone. Needs ../shared/data.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from benchmarks._variant_facts import Fact, NotInThisGame, Scene
from benchmarks.checker import DATA
from goldmark.records.spans import Span
from goldmark.texts.readers.gsml import spaced_text
from goldmark_boxscore.checker import BoxScoreChecker
from goldmark_boxscore.games import Game, read_games
from goldmark_boxscore.league import read_league
from goldmark_boxscore.season import Season

SENTENCES = Path(__file__).parent
FILES = ("variants", "variants_working", "variants_held")
SLOT = re.compile(r"\{([=!]?)([^}]+)\}")
EITHER = re.compile(r"\{=([^}|]+)\|([^}]+)\}")
WRONG_WORDS = re.compile(r"\{!([^}]+)\}")
OPENING = "The {=W} defeated the {=L} , {=W.points} - {=L.points} , on {=day} ."
OF_THE_LOSERS = "The {=L} fell short ."
UNSHOWN = ("held", "after")  # kinds that only measure: what fails there is not shown
GAMES_EACH = 4  # games in which a sentence is tried


@dataclass(frozen=True)
class Variant:
    """A sentence filled in: its words, and the tokens of it that are wrong."""

    text: str
    wrong: tuple[Span, ...]


@dataclass
class Tally:
    """What became of the sentences of one kind."""

    wrong: int = 0
    marked: int = 0
    true: int = 0
    alarms: int = 0

    def __str__(self) -> str:
        recall = f"{self.marked / self.wrong:.3f}" if self.wrong else "    -"
        alarms = f"{self.alarms / self.true:.3f}" if self.true else "    -"
        return f"{recall}  {alarms}   {self.wrong:5} {self.true:5}"


def main(*, loud: bool = False, names: Sequence[str] = FILES) -> None:
    if not DATA.is_dir():
        print("../shared/data is not here; nothing measured", file=sys.stderr)
        return
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds |= yaml.safe_load((SENTENCES / f"{name}.yaml").read_text(encoding="utf-8"))
    league = read_league()
    season = Season(DATA / "nba", known_as=league.known_as)
    checker = BoxScoreChecker(league, season)
    games, _ = read_games(DATA / "accuracy-shared-task" / "train" / "shared_task.jsonl")
    scenes = list(_scenes(games.values(), season, checker))
    rng = np.random.default_rng(7)
    totals = {"all": Tally(), "kept": Tally()}
    print("sentences of ours                      marked  alarms   wrong  true   (alarms: marks in a true sentence)")
    for kind, sentences in kinds.items():
        tally = Tally()
        for place, sentence in enumerate(sentences):
            kept = place % 3 == 2 and not kind.startswith((*UNSHOWN, "working"))
            tallies = [tally, totals["all"], *([totals["kept"]] if kept else [])]
            tried = 0
            for index in rng.permutation(len(scenes)):
                try:
                    variants = list(_variants(sentence, scenes[index], rng))
                except NotInThisGame:
                    continue
                for variant in variants:
                    _try(
                        variant,
                        scenes[index],
                        checker,
                        tallies,
                        loud=loud and not kept and not kind.startswith(UNSHOWN),
                    )
                tried += 1
                if tried == GAMES_EACH:
                    break
        print(f"  {kind:37}{tally}")
    for name, tally in totals.items():
        print(f"  {name:37}{tally}")


def _scenes(games: Iterable[Game], season: Season, checker: BoxScoreChecker) -> Iterator[Scene]:
    for game in games:
        try:
            yield Scene(game, season, checker.league)
        except (NotInThisGame, StopIteration):
            continue


def _variants(sentence: str, scene: Scene, rng: np.random.Generator) -> Iterator[Variant]:
    """The sentence with every fact right, and with each of its facts wrong in turn."""
    if EITHER.search(sentence):  # true of the one, wrong of the other
        yield from _variants(WRONG_WORDS.sub(r"\1", EITHER.sub(r"{=\1}", sentence)), scene, rng)
        yield from _variants(EITHER.sub(r"{=\2}", sentence), scene, rng)
        return
    slots = [(found[1], found[2]) for found in SLOT.finditer(sentence)]
    facts = [scene.fact(name) if mark != "!" else Fact(name) for mark, name in slots]
    always = [place for place, (mark, name) in enumerate(slots) if mark == "!" or "<" in name]
    losers = any(name.partition(".")[0] in {"A", "B", "C"} for _, name in slots)
    before = f"{OPENING} {OF_THE_LOSERS}" if losers else OPENING
    opening = _filled(before, [scene.fact(name).right for _, name in SLOT.findall(before)], [])
    if not always:
        yield _joined(opening, _filled(sentence, [fact.right for fact in facts], []))
    else:
        words = [fact.wrong[0] if fact.wrong and place in always else fact.right for place, fact in enumerate(facts)]
        yield _joined(opening, _filled(sentence, words, always))
        return
    for place, (mark, _) in enumerate(slots):
        if not mark:
            words = [fact.right for fact in facts]
            words[place] = str(rng.choice(np.array(facts[place].wrong)))
            yield _joined(opening, _filled(sentence, words, [place]))


def _filled(sentence: str, words: list[str], wrong: list[int]) -> Variant:
    tokens: list[str] = []
    spans = []
    last = 0
    for place, found in enumerate(SLOT.finditer(sentence)):
        tokens += sentence[last : found.start()].split()
        filling = words[place].split()
        if not tokens or tokens[-1] == ".":
            filling[0] = filling[0][:1].upper() + filling[0][1:]
        if place in wrong:
            spans.append(Span(len(tokens), len(tokens) + len(filling)))
        tokens += filling
        last = found.end()
    tokens += sentence[last:].split()
    return Variant(" ".join(tokens), tuple(spans))


def _joined(opening: Variant, variant: Variant) -> Variant:
    shift = len(opening.text.split())
    spans = tuple(Span(span.start + shift, span.end + shift) for span in variant.wrong)
    return Variant(f"{opening.text} {variant.text}", spans)


def _try(variant: Variant, scene: Scene, checker: BoxScoreChecker, tallies: list[Tally], *, loud: bool) -> None:
    text = spaced_text("V", variant.text)
    marks = [mistake.span for mistake in checker.check(text, scene.game).mistakes]
    hit = [any(mark.start < span.end and span.start < mark.end for mark in marks) for span in variant.wrong]
    for tally in tallies:
        if variant.wrong:
            tally.wrong += len(hit)
            tally.marked += sum(hit)
        else:
            tally.true += 1
            tally.alarms += len(marks)
    if loud and (not all(hit) or (marks and not variant.wrong)):
        shown = Counter(position for span in marks for position in span.positions())
        wrong = {position for span in variant.wrong for position in span.positions()}
        words = [
            ("<" if place in shown else "") + ("*" if place in wrong else "") + word
            for place, word in enumerate(variant.text.split())
        ]
        print("    ", "alarm " if not variant.wrong else "missed", " ".join(words))


if __name__ == "__main__":
    chosen = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    main(loud="--loud" in sys.argv, **({"names": chosen} if chosen else {}))
