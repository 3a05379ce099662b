"""How near the automatic proposal comes to a curator's list, both methods side by side, and how long it takes.

Real people: three annotators on eleven texts whose curated list is public. Simulated people: the curated list of the
other 49 texts, reported by three or five annotators who miss errors, move borders, join figures and mistake labels.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from goldmark.curation.gold_lists.layers import read_layer
from goldmark.curation.proposals.align import joined_figures
from goldmark.curation.proposals.propose import Figures, Method, propose
from goldmark.records.gold import GoldMistake, GoldText
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.results.scoring.scores import OVERALL, score
from goldmark.stats.mistake_matching import by_text, match
from goldmark.texts.readers.gsml import CATEGORIES, read_mistakes, read_spaced_texts, spaced_text

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
PRIORITY = ("NAME", "NUMBER", "CONTEXT", "WORD", "NOT_CHECKABLE", "OTHER")
METHODS: tuple[tuple[str, Method, Figures], ...] = (
    ("token-majority", "token-majority", "apart"),
    ("meaning", "meaning", "apart"),
    ("meaning, figures whole", "meaning", "whole"),
)


def main() -> None:
    speed()
    train = DATA / "accuracy-shared-task" / "train"
    if not train.is_dir():
        print("the public data folder ../shared/data is not here: nothing to compare with")
        return
    texts = read_spaced_texts(train / "texts")
    gold = read_mistakes(train / "gsml.csv", texts)
    marks = real_marks()
    real = {text: texts[text] for text in sorted({mark.text_id for mark in marks})}
    print("\nmistake recall / precision, token recall / precision, labels right and spans exact on matched mistakes")
    teams: list[tuple[str, ...]] = [("T1", "T2", "T3")]
    teams += [("R2", *pair) for pair in combinations(("T1", "T2", "T3"), 2)]
    teams += [("R2", "T1", "T2", "T3")]
    for team in teams:
        people = {one: {mark.text_id for mark in marks if mark.annotator == one} for one in team}
        common = {text: real[text] for text in sorted(set.intersection(*people.values()))}
        print(f"{', '.join(team)} on {len(common)} texts, more than half must have found it")
        compare([mark for mark in marks if mark.annotator in team], common, gold, team)
    counts(marks, real, read_layer(train / "curation", texts))
    others = {text_id: text for text_id, text in texts.items() if text_id not in real}
    for size, seed in ((3, 1), (5, 2)):
        names = [f"P{number}" for number in range(1, size + 1)]
        print(f"{size} simulated annotators on the other {len(others)} texts")
        compare(simulated(gold, others, names, np.random.default_rng(seed)), others, gold, names)


def compare(marks: Sequence[Mistake], texts: Mapping[str, Text], gold: Iterable[Mistake], team: Sequence[str]) -> None:
    mine = [mark for mark in marks if mark.text_id in texts]
    wanted = [one for one in gold if one.text_id in texts]
    seen = [(text, person) for text in texts for person in team]
    for name, method, figures in METHODS:
        made = propose(mine, texts, seen=seen, priority=PRIORITY, method=method, figures=figures)
        found = [one.mistake() for text in made for one in text.mistakes]
        sheet = score(wanted, found, texts=texts, categories=CATEGORIES)
        row = sheet.rows[OVERALL]
        parts = [
            f"{figure.value:.3f}" if figure.value is not None else "-"
            for figure in (row.recall, row.precision, row.token_recall, row.token_precision)
        ]
        pairs = sheet.matches.found
        labels = sum(first.label == second.label for first, second in pairs) / len(pairs)
        exact = sum(first.span == second.span for first, second in pairs) / len(pairs)
        low, high = row.recall.interval[:2] if row.recall.interval else (0.0, 0.0)
        print(
            f"    {name:<24}{parts[0]} / {parts[1]}   {parts[2]} / {parts[3]}   labels {labels:.3f}   "
            f"spans {exact:.3f}   (recall [{low:.3f}, {high:.3f}], {len(found)} proposed, {len(wanted)} gold)"
        )


def counts(marks: Sequence[Mistake], texts: Mapping[str, Text], curated: Iterable[GoldMistake]) -> None:
    """How often our counts are the curator's, on the mistakes that both lists have."""
    three = [mark for mark in marks if mark.annotator in ("T1", "T2", "T3")]
    made: list[GoldText] = propose(three, texts, priority=PRIORITY)
    ours = {(one.text_id, one.span): one for text in made for one in text.mistakes}
    theirs = {(one.text_id, one.span): one for one in curated if one.text_id in texts}
    ours_in, theirs_in = (by_text(one.mistake() for one in side.values()) for side in (ours, theirs))
    pairs = [
        (theirs[first.text_id, first.span], ours[second.text_id, second.span])
        for text in texts
        for first, second in match(theirs_in.get(text, []), ours_in.get(text, [])).found
    ]
    print(f"the curator's own counts on {len(pairs)} of those mistakes, and how often ours are the same")
    for name in ("found_by", "label_agreed_by", "span_agreed_by"):
        same = sum(getattr(first, name) == getattr(second, name) for first, second in pairs)
        print(f"    {name:<24}{same / len(pairs):.3f}")


def real_marks() -> list[Mistake]:
    """What annotators wrote beside a mark is an explanation rather than a replacement, so it is a comment."""
    marks = []
    lines = (DATA / "annotators" / "individual_annotations.jsonl").read_text("utf-8").strip().split("\n")
    for row in map(json.loads, lines):
        if row["text_id"] == "Q":
            continue
        for number, one in enumerate(row["mistake_list"]):
            if "doc_token_start" in one:
                span = Span(one["doc_token_start"] - 1, one["doc_token_end"])
                label = (one["category"] or "other").upper().replace(" ", "_").replace("-", "_")
                marks.append(
                    Mistake(row["text_id"], span, label, "", one["explanation"], str(number), row["annotator"])
                )
    return marks


def simulated(
    gold: Iterable[Mistake], texts: Mapping[str, Text], people: Sequence[str], rng: np.random.Generator
) -> list[Mistake]:
    """Each finds 85 % of the errors (the published recall of single annotators) and marks some that are none.

    One mark in five has a border moved by a token, one in ten another label; figures of one expression, such as
    "11 - of - 20", are marked as one by half of the people; one mark in twenty is of something that is not wrong.
    """
    marks: list[Mistake] = []
    by_person = by_text(one for one in gold if one.text_id in texts)
    for text_id, text in texts.items():
        mine = sorted(by_person.get(text_id, []), key=lambda one: one.span)
        for person in people:
            taken: set[int] = set()
            joins = rng.random() < 0.5
            for place, one in enumerate(mine):
                if rng.random() > 0.85:
                    continue
                start, end = one.span.start, one.span.end
                if joins and place + 1 < len(mine) and joined_figures(text, Span(start, mine[place + 1].span.end)):
                    end = mine[place + 1].span.end
                if rng.random() < 0.2:
                    start, end = (
                        max(0, start - int(rng.integers(0, 2))),
                        min(end + int(rng.integers(0, 2)), len(text.tokens)),
                    )
                _mark(marks, taken, text_id, Span(start, end), _label(one.label, rng), person)
            for start in rng.integers(0, len(text.tokens), size=rng.binomial(len(mine), 0.05)):
                _mark(marks, taken, text_id, Span(int(start), int(start) + 1), _label("WORD", rng), person)
    return marks


def _label(label: str, rng: np.random.Generator) -> str:
    return str(rng.choice(CATEGORIES)) if rng.random() < 0.1 else label


def _mark(marks: list[Mistake], taken: set[int], text: str, span: Span, label: str, person: str) -> None:
    if not taken & set(span.positions()):
        taken.update(span.positions())
        marks.append(Mistake(text, span, label, annotator=person))


def speed() -> None:
    rng = np.random.default_rng(5)
    texts, marks = {}, []
    for number in range(1000):
        words = [f"w{word}" if word else "." for word in rng.integers(0, 25, size=300)]
        text = spaced_text(f"T{number:04}", " ".join(words))
        texts[text.id] = text
        for person in "ABCDE":
            for start in rng.choice(60, size=20, replace=False) * 5:
                span = Span(int(start), int(start + rng.integers(1, 5)))
                marks.append(Mistake(text.id, span, str(rng.choice(CATEGORIES)), annotator=person))
    started, worked = time.perf_counter(), time.process_time()
    made = propose(marks, texts, priority=PRIORITY)
    seconds, work = time.perf_counter() - started, time.process_time() - worked
    print(
        f"1,000 texts of 300 tokens, 5 annotators, {len(marks):,} marks: {seconds:.1f} s ({work:.1f} s of CPU)", end=""
    )
    print(f", {sum(len(text.mistakes) for text in made):,} proposed; bar: seconds")


if __name__ == "__main__":
    main()
