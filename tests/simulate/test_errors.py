"""Simulated texts: what is planted is where it is said to be, and repairs the text."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from goldmark.campaigns.definition.file import read_campaign
from goldmark.protocols import load, validate
from goldmark.records.units import ShownText, ShownUnit
from goldmark.texts.segmentation.text import make_text
from tools.simulate.clauses import SHARES
from tools.simulate.errors import SimulatedText, careless_answers, simulated_texts, write_campaign


@pytest.fixture(scope="module")
def texts() -> list[SimulatedText]:
    return list(simulated_texts(600, rng=np.random.default_rng(7), erroneous=0.5))


def test_every_answer_is_one_that_the_protocol_accepts(texts: list[SimulatedText]) -> None:
    protocol = load("tgea")
    rng = np.random.default_rng(8)
    for one in texts:
        surface = ShownUnit({"text": ShownText(make_text(one.id, one.text))}).surface()
        for answers in (one.answers(), careless_answers(one, rng=rng, slips=0.5)):
            assert validate(protocol, answers, surface) == [], one


def test_all_types_come_in_both_languages_in_about_the_shares_of_tgea(texts: list[SimulatedText]) -> None:
    labels = Counter(str(error["label"]).partition(".")[0] for one in texts for error in one.errors)
    total = sum(labels.values())
    for name, share in SHARES.items():
        # Three standard errors of a share of about 330 errors.
        assert abs(labels[name] / total - share) < 3 * (share * (1 - share) / total) ** 0.5
    for language in ("en", "zh"):
        assert {
            str(error["label"]).partition(".")[0] for one in texts if one.language == language for error in one.errors
        } == set(SHARES)


def test_half_are_erroneous_and_no_text_comes_twice(texts: list[SimulatedText]) -> None:
    share = sum(bool(one.errors) for one in texts) / len(texts)
    assert abs(share - 0.5) < 3 * (0.25 / len(texts)) ** 0.5
    assert len({one.text for one in texts}) == len(texts)


def test_the_same_seed_gives_the_same_texts() -> None:
    assert [*simulated_texts(20, rng=np.random.default_rng(1))] == [*simulated_texts(20, rng=np.random.default_rng(1))]


def test_the_folder_is_a_campaign(tmp_path: Path) -> None:
    made = write_campaign(tmp_path, 25, rng=np.random.default_rng(2))
    plan = read_campaign(tmp_path / "campaign.yaml")
    units = {unit.id: unit for unit in plan.units}
    assert sorted(units) == sorted(one.id for one in made)
    assert all("planted" in unit.hidden for unit in units.values())
    assert units[made[0].id].shown.texts["text"].text.characters == made[0].text
