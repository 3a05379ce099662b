"""Suggestions for exclusion: what the rules stumble over, and what they leave alone."""

from __future__ import annotations

import pytest

from goldmark.studies.design.language import AccuracyOutcome
from goldmark.studies.evaluation.exclusions import contradicts, copied_share, is_vague

OUTCOME = AccuracyOutcome(
    kind="accuracy",
    question="source",
    says={
        "human": ("definitely_human", "possibly_human"),
        "machine": ("possibly_machine", "definitely_machine"),
    },
    finding="machine",
)
TEXT = "The keeper waved at them and they waved back, because they were not afraid of the dark."


def test_copied_runs_count_and_single_words_do_not() -> None:
    assert copied_share("they waved back, because they were not afraid", [TEXT]) == 1.0
    assert copied_share("the dark is mentioned and the keeper too", [TEXT]) == 0.0
    # Six of twelve words stand in a run of the text: "keeper waved at them and they".
    half = copied_share("I liked that the keeper waved at them and said nothing more", [TEXT])
    assert half == pytest.approx(6 / 12)


@pytest.mark.parametrize("said", ["it just seems human to me", "I think this was written by a machine", "good", "12"])
def test_vague(said: str) -> None:
    assert is_vague(said)


@pytest.mark.parametrize("said", ["the lamp is lit twice", "spelling", "Nobody fries soup."])
def test_not_vague(said: str) -> None:
    assert not is_vague(said)


@pytest.mark.parametrize(
    ("said", "option", "expected"),
    [
        ("This was clearly written by a human, it is funny.", "definitely_machine", "human"),
        ("It sounds like a machine.", "possibly_human", "machine"),
        ("It was written by a person", "definitely_human", ""),
        ("It does not sound like a human.", "definitely_machine", ""),
        ("I would change the ending to make it sound more human", "possibly_machine", ""),
        ("Fewer repetitions", "possibly_machine", ""),
        ("A machine was written about by a person", "possibly_machine", "human"),
    ],
)
def test_an_explanation_that_says_the_opposite(said: str, option: str, expected: str) -> None:
    assert contradicts(said, OUTCOME, option) == expected
