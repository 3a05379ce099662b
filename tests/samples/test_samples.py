"""Every sample can be loaded as it is: texts are read, protocols known, answers accepted, and work is left to do."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from goldmark.campaigns.definition.file import read_campaign
from goldmark.protocols import load, validate
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import Unit
from goldmark.samples import NAMES, SHIPPED, UnknownSample, sample, samples
from goldmark.texts.readers.units import read_units
from goldmark.texts.segmentation.text import make_text
from tools.samples import build
from tools.samples.marking import WordsNotThere, find

CATEGORIES = {"NAME", "NUMBER", "WORD", "CONTEXT", "NOT_CHECKABLE", "OTHER"}
LEVEL_1 = {"combination", "missing", "redundancy", "discourse", "commonsense", "other"}


@cache
def units(name: str) -> dict[str, Unit]:
    return {unit.id: unit for unit in read_units([sample(name).texts])}


@cache
def campaign(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(sample(name).campaign.read_text(encoding="utf-8"))
    return loaded


def text(unit: Unit) -> Text:
    return unit.shown.texts["text"].text


def test_shipped_files_are_what_the_builder_makes() -> None:
    stale = [name for name, content in build.files().items() if (SHIPPED / name).read_text("utf-8") != content]
    assert stale == [], "run: python -m tools.samples.build"


@pytest.mark.parametrize("name", NAMES)
def test_the_campaign_file_is_right(name: str) -> None:
    plan = read_campaign(sample(name).campaign)
    assert plan.name == f"sample-{name}"
    assert [unit.id for unit in plan.units] == list(units(name))
    assert plan.settings.join.open


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_accepted_by_the_protocol(name: str) -> None:
    protocol = load(campaign(name)["protocol"])
    for annotation in sample(name).annotations():
        shown = units(name)[annotation.unit].shown
        assert validate(protocol, annotation.answers, shown) == [], (annotation.annotator, annotation.unit)


@pytest.mark.parametrize("name", NAMES)
def test_nobody_answers_a_unit_twice_and_a_newcomer_finds_work(name: str) -> None:
    done = Counter(annotation.unit for annotation in sample(name).annotations())
    pairs = [(annotation.annotator, annotation.unit) for annotation in sample(name).annotations()]
    wanted = campaign(name)["labels_per_unit"]
    open_units = [unit for unit in units(name) if done[unit] < wanted]
    assert len(pairs) == len(set(pairs))
    assert {annotator for annotator, _ in pairs} == {"Ada", "Bo", "Cleo"}
    assert max(done.values()) == wanted == 3
    assert 0.2 <= len(open_units) / len(units(name)) <= 0.5
    assert all(3 < annotation.seconds < 900 for annotation in sample(name).annotations())


@pytest.mark.parametrize("name", NAMES)
def test_which_system_wrote_a_text_is_hidden(name: str) -> None:
    for unit in units(name).values():
        shown = json.dumps(unit.shown.to_json())
        assert unit.hidden
        assert not any(word in shown for word in ("alder", "birch", "cedar", '"planted"', '"source"'))


def test_summaries_have_the_promised_length_and_every_category_of_error() -> None:
    planted = Counter(mark["label"] for unit in units("accuracy").values() for mark in _planted(unit))
    by_system: Counter[str] = Counter()
    for unit in units("accuracy").values():
        assert 120 <= len(text(unit).characters.split()) <= 220
        by_system[str(unit.hidden["system"])] += len(_planted(unit))
    assert set(planted) == CATEGORIES
    assert min(planted.values()) >= 4
    assert by_system["alder"] < by_system["birch"] < by_system["cedar"]


def test_what_annotators_mark_lies_on_what_was_planted_mostly_but_not_always() -> None:
    hit = extra = missed = other_label = 0
    for annotation in sample("accuracy").annotations():
        planted = {Span(mark["start"], mark["end"]): mark for mark in _planted(units("accuracy")[annotation.unit])}
        marks = {Span(mark["start"], mark["end"]): mark for mark in annotation.answers["mistakes"]}
        for span, mark in marks.items():
            found = [gold for gold in planted if gold.overlaps(span)]
            hit += bool(found)
            extra += not found
            other_label += any(planted[gold]["label"] != mark["label"] for gold in found)
        missed += sum(not any(gold.overlaps(span) for span in marks) for gold in planted)
    assert hit > 10 * extra > 0
    assert hit > 5 * missed > 0
    assert 0 < other_label < hit / 5


def test_every_planted_error_has_a_correction_or_a_comment() -> None:
    planted = [mark for unit in units("accuracy").values() for mark in _planted(unit)]
    assert planted
    assert all(mark.get("correction") or mark.get("comment") for mark in planted)


def test_names_in_the_summaries_are_names_of_the_league() -> None:
    """A misspelt player would be an error that nobody planted."""
    teams = json.loads((sample("accuracy").folder / "teams.json").read_text(encoding="utf-8"))
    known = {
        word for team in teams for name in (*team["players"], team["city"], team["arena"]) for word in name.split()
    }
    known |= {team["name"] for team in teams} | {"Coast", "Hills", "Division", "October"}
    known.add("Santoro")  # half of Santoro-Bell, given to another player: planted
    known |= {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
    for unit in units("accuracy").values():
        words = text(unit).words()
        starts = {sentence.start for sentence in text(unit).sentences}
        inside = {word for place, word in enumerate(words) if word[0].isupper() and place not in starts}
        assert inside <= known, (unit.id, inside - known)


def test_tgea_has_every_type_and_texts_that_are_fine_in_both_languages() -> None:
    labels = {mark["label"].split(".")[0] for unit in units("tgea").values() for mark in _planted(unit)}
    fine = Counter(unit.shown.texts["text"].language for unit in units("tgea").values() if not _planted(unit))
    assert labels == LEVEL_1
    assert fine["en"] >= 3
    assert fine["zh"] >= 1
    verdicts = Counter(annotation.answers["verdict"] for annotation in sample("tgea").annotations())
    assert set(verdicts) == {"fine", "erroneous", "ambiguous"}


def test_humanlike_texts_begin_with_their_prompt_and_are_half_and_half() -> None:
    sources = Counter(unit.hidden["source"] for unit in units("humanlike").values())
    assert sources["human"] == sources["machine"] == 5
    for unit in units("humanlike").values():
        prompt = unit.shown.texts["text"].prompt
        assert prompt is not None
        assert prompt == text(unit).sentences[0], unit.id
        assert 60 <= len(text(unit).characters.split()) <= 130


def test_words_are_found_as_whole_tokens_only() -> None:
    line = make_text("t", "Santoro-Bell met Santoro at 10-1, then 10.", tokeniser="rules", sentences="rules")
    # Tokens: Santoro-Bell 0, met 1, Santoro 2, at 3, 10 4, - 5, 1 6, "," 7, then 8, 10 9.
    assert find(line, "Santoro") == Span(2, 3)
    assert find(line, "10", 2) == Span(9, 10)
    assert find(line, "met Santoro") == Span(1, 3)
    with pytest.raises(WordsNotThere, match="occurrence 2"):
        find(line, "Santoro", 2)


def test_an_unknown_sample_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownSample, match='no sample "acuracy"; there are accuracy'):
        sample("acuracy")
    assert [one.name for one in samples()] == list(NAMES)
    assert all(one.campaign.is_file() for one in samples())


def _planted(unit: Unit) -> list[dict[str, Any]]:
    planted = unit.hidden["planted"]
    assert isinstance(planted, list)
    return planted
