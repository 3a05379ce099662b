"""The checkers on real texts: recall and precision of `boxscore` on the shared task, and of `table` on quintd-1.

Needs ../shared/data. Figures are also given for parts of the texts: by when the rules' author read them (see
docs/design/checker.md), by season, and by category. The human summaries of the same games have few mistakes, so most of
what the checker marks in them is a false alarm.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks._checker_crossval import crossvalidated_costs, judged_marks, print_kinds, read_all
from benchmarks._checker_support import without_own_rules
from goldmark.checkers.plugins import CheckedText, Checker
from goldmark.checkers.relations import relation_scores
from goldmark.checkers.run import check_texts, in_mode
from goldmark.checkers.table.plugin import TableChecker, table_of
from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark.stats.mistake_matching import MatchCounts, by_text, count, match
from goldmark.texts.readers.gsml import CATEGORIES, read_mistakes, read_spaced_texts, spaced_text
from goldmark_boxscore.league import read_words
from goldmark_boxscore.plugin import BOXSCORE, open_boxscore

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def main() -> None:
    if not DATA.is_dir():
        print("../shared/data is not here; nothing measured", file=sys.stderr)
        return
    boxscore(DATA / "accuracy-shared-task" / "train", DATA / "nba")
    quintd(DATA / "quintd1")


def boxscore(task: Path, season: Path) -> None:
    texts = read_spaced_texts(task / "texts")
    gold = by_text(read_mistakes(task / "gsml.csv", texts))
    rows = [json.loads(line) for line in (task / "shared_task.jsonl").read_text(encoding="utf-8").splitlines()]
    checker, _ = open_boxscore({"games": task / "shared_task.jsonl", "season": season})
    check_texts(checker, list(texts.values())[:1])  # reads the season's tables
    start = time.process_time()
    found = check_texts(checker, texts.values())
    seconds = (time.process_time() - start) / len(texts)
    reported = by_text(found.mistakes)
    print(f"boxscore: {len(texts)} texts, {1000 * seconds:.0f} s of one core for 1,000 texts")
    print("  texts                      mistake R     P   token R     P   found  gold  reported")
    seasons = {str(row["shared_task_text_id"]): _season(row["day"]) for row in rows}
    number = {text: int(text[1:]) for text in texts}
    parts: dict[str, list[str]] = {
        "all": list(texts),
        "rules written from these": [text for text in texts if number[text] % 2],
        "read next": [text for text in texts if number[text] % 4 == 2],
        "read last": [text for text in texts if number[text] % 4 == 0],
    }
    parts |= {
        f"season {name}": [text for text in texts if seasons[text] == name] for name in sorted(set(seasons.values()))
    }
    for name, chosen in parts.items():
        _print(name, [count(gold.get(text, []), reported.get(text, [])) for text in chosen])
    without, _ = open_boxscore({"games": task / "shared_task.jsonl"})
    alone = by_text(check_texts(without, texts.values()).mistakes)
    _print("all, without --season", [count(gold.get(text, []), alone.get(text, [])) for text in texts])
    _categories(texts, gold, reported)
    every = read_all(checker.checker, texts, checker.games, gold)
    held, costs = crossvalidated_costs(every)
    print(f"  costs chosen on the other nine tenths of the texts ({len(costs)} different choices):")
    _print("all, costs left out", held)
    own, used, by_one = without_own_rules(every)
    print(f"  of {used} rules that the texts use, {by_one} are used by one of them; each text without its own:")
    _print("all, without own rules", own)
    print_kinds(judged_marks(every))
    humans = {str(row["shared_task_text_id"]): str(row["cleaned_text"]) for row in rows}
    _humans(checker, humans, texts, found.checked)


def _season(day: str) -> str:
    month, _, year = (int(part) for part in day.split("_"))
    end = year + (month > 7)
    return f"20{end - 1}-{end}"


def _print(name: str, counts: Sequence[MatchCounts]) -> None:
    total = MatchCounts(*(sum(column) for column in zip(*counts, strict=True)))
    shares = (
        total.found / total.gold,
        total.found / total.submitted,
        total.tokens_found / total.gold_tokens,
        total.tokens_found / total.submitted_tokens,
    )
    figures = "   ".join(f"{share:.3f}" for share in shares)
    print(f"  {name:27}{figures}   {total.found:5} {total.gold:5} {total.submitted:6}")


def _categories(texts: Iterable[str], gold: Mapping[str, list[Mistake]], reported: Mapping[str, list[Mistake]]) -> None:
    """Recall of a gold category whatever it was reported as; precision of a reported one whatever it matched."""
    golds, hits, reports, right = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for text in texts:
        matches = match(gold.get(text, []), reported.get(text, []))
        golds.update(mistake.label for mistake in gold.get(text, []))
        reports.update(mistake.label for mistake in reported.get(text, []))
        hits.update(first.label for first, _ in matches.found)
        right.update(second.label for _, second in matches.found)
    print("  category          recall  precision   gold  reported")
    for name in CATEGORIES:
        recall = f"{hits[name] / golds[name]:.3f}" if golds[name] else "-"
        precision = f"{right[name] / reports[name]:.3f}" if reports[name] else "-"
        print(f"  {name:15} {recall:>8} {precision:>9} {golds[name]:8} {reports[name]:8}")


def _humans(
    checker: Checker, humans: Mapping[str, str], texts: Mapping[str, Text], generated: Mapping[str, CheckedText]
) -> None:
    references = {text: spaced_text(text, words) for text, words in humans.items()}
    found = check_texts(checker, references.values())
    tokens = sum(len(text.tokens) for text in references.values())
    for mode in BOXSCORE.modes:
        marks = len(in_mode(found, BOXSCORE, mode).mistakes)
        print(f"  human summaries of the same games, {mode}: {1000 * marks / tokens:.1f} marks in 1,000 tokens")
    for name, whole, checked in (("human", references, found.checked), ("generated", texts, generated)):
        fates = _numbers_read(whole, checked)
        shares = ", ".join(f"{fate} {number / fates.total():.3f}" for fate, number in sorted(fates.items()))
        print(f"  numbers in {name} summaries: {fates.total()}, of them {shares}")
    scores = relation_scores(generated, found.checked)
    print(
        f"  generated texts: RG {scores.per_text:.1f} supported relations a text, precision {scores.precision:.3f}; "
        f"CS precision {scores.selection_precision:.3f}, recall {scores.selection_recall:.3f}; CO {scores.ordering:.3f}"
    )


def _numbers_read(texts: Mapping[str, Text], checked: Mapping[str, CheckedText]) -> Counter[str]:
    """What becomes of the numbers of texts: tested against the data, left as not to be told, or not read."""
    words = read_words().numbers
    fates = Counter[str]()
    for text in texts.values():
        claims = checked[text.id].claims
        tested = {place for claim in claims if claim.verdict != "unknown" for place in claim.span.positions()}
        read = {place for claim in claims for place in claim.span.positions()}
        for place in range(len(text.tokens)):
            if text.token(place).replace(".", "").isdigit() or text.token(place).lower() in words:
                fates["tested" if place in tested else "left" if place in read else "not read"] += 1
    return fates


def quintd(folder: Path) -> None:
    """The table checker's marks against spans that people called incorrect or not checkable, by shared characters."""
    outputs = [json.loads(line) for line in (folder / "outputs_test.jsonl").read_text(encoding="utf-8").splitlines()]
    with gzip.open(folder / "annotations.jsonl.gz", "rt", encoding="utf-8") as lines:
        people = [row for row in map(json.loads, lines) if row["source"] == "human"]
    spans = {(row["dataset"], row["model"], row["table_idx"]): row["spans"] for row in people}
    print("table: quintd-1 outputs, marks that share characters with a person's span of wrong or unsupported words")
    for dataset, name in (
        ("gsmarena", "input_gsmarena"),
        ("ice_hockey", "input_ice_hockey"),
        ("openweather", "input_openweather"),
    ):
        with gzip.open(folder / f"{name}.test.json.gz", "rt", encoding="utf-8") as file:
            data = json.load(file)
        tables = [table_of(row) for row in (data["forecasts"] if isinstance(data, dict) else data)]
        marks = right = wanted = hit = 0
        for row in outputs:
            key = (row["dataset"], row["model"], row["table_idx"])
            if row["dataset"] != dataset or key not in spans or row["table_idx"] >= len(tables):
                continue
            text = spaced_text("A", row["text"])
            found = TableChecker({"A": tables[row["table_idx"]]}).check(text).mistakes
            areas = [_characters(text, mistake) for mistake in found]
            wrong = [
                (span["start"], span["start"] + len(span["text"])) for span in spans[key] if span["type"] in (0, 1)
            ]
            marks += len(areas)
            right += sum(any(a < d and c < b for c, d in wrong) for a, b in areas)
            wanted += len(wrong)
            hit += sum(any(a < d and c < b for c, d in areas) for a, b in wrong)
        share = right / marks if marks else 0.0
        print(f"  {dataset:12} {marks:5} marks, {share:.3f} of them right; {hit} of {wanted} spans touched")


def _characters(text: Text, mistake: Mistake) -> tuple[int, int]:
    return text.tokens[mistake.span.start].start, text.tokens[mistake.span.end - 1].end


if __name__ == "__main__":
    main()
