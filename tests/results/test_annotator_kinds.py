"""Models and checkers that annotate: kept beside people, counted only where somebody asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.observe import write_observations
from goldmark.observations.filter import Filter
from goldmark.results.all_tables import Results, results_of
from goldmark.results.one_table import of_campaign, of_files
from goldmark.results.options import AnalysisOptions
from goldmark.store import Store
from tests.campaigns.house import NAME, House
from tests.campaigns.test_import_answers import MARK, bring, counts, lines, refused, row

QUICK = AnalysisOptions(resamples=50)


def table(found: Results, name: str) -> list[dict[str, Any]]:
    made = found.table(name)
    assert made is not None
    return made.records()


def test_models_stay_beside_people(store: Store, tmp_path: Path) -> None:
    """Their answers take no place, are counted only if somebody asks, and are the same from every door."""
    House.build(store, 2, labels_per_unit=2)
    people = [row(one, who, MARK) for one in ("u0", "u1") for who in ("Ada", "Bo")]
    bring(store, lines(tmp_path / "people.jsonl", *people))
    before = counts(store)
    bring(store, lines(tmp_path / "told.jsonl", row("u0", "gpt", kind="model"), row("u1", "gpt", kind="Model")))
    bring(store, lines(tmp_path / "rules.jsonl", row("u0", "rules"), row("u1", "rules")), kind="checker")
    assert counts(store) == before
    kinds = {one.id: one.facts.get("kind", "person") for one in record_of(store, NAME).annotators}
    assert [kinds[name] for name in ("Ada", "gpt", "rules")] == ["person", "model", "checker"]

    usual = results_of(store, NAME, QUICK)
    assert "4 answers of models and checkers (gpt, rules) are not counted" in usual.notes
    assert [one["annotator"] for one in table(usual, "people")] == ["Ada", "Bo"]
    assert table(usual, "errors")[0]["value"] == 1.0
    every = results_of(store, NAME, QUICK, by="kind", wanted=Filter(models=True))
    found = {one["kind"]: one["value"] for one in table(every, "errors") if one["label"] == "total"}
    assert found == {"person": 1.0, "model": 0.0, "checker": 0.0}

    folder = tmp_path / "tidy"
    write_observations(store, NAME, folder, Filter(models=True))
    for name in ("errors", "agreement", "people"):
        for models in (False, True):
            mine = of_campaign(store, name, NAME, QUICK, wanted=Filter(models=models))
            theirs = of_files(name, [folder], QUICK, models=models)
            assert [one.records() for one in mine] == [one.records() for one in theirs]


def test_nobody_is_a_person_and_a_model(store: Store, tmp_path: Path) -> None:
    House.build(store, 2)
    bring(store, lines(tmp_path / "people.jsonl", row("u0", "Ada")))
    problems, _ = refused(store, lines(tmp_path / "models.jsonl", row("u1", "Ada", kind="model")))
    assert problems == ["models.jsonl:1  Ada is a model here and was a person before; give the two different names"]
    problems, _ = refused(store, lines(tmp_path / "odd.jsonl", row("u1", "Bo", kind="robot")))
    assert "kind is 'robot'; an annotator is one of person, model, checker" in problems[0]
