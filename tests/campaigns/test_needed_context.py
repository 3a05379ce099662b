"""A protocol says what it needs beside the texts: without it they are refused, or taken with a word about it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from goldmark.campaigns.definition.file import read_campaign
from goldmark.campaigns.definition.units.additions import add_texts
from goldmark.campaigns.definition.units.needed_context import MISSING
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.errors import ProblemsFound
from goldmark.people.invitations import open_campaign
from goldmark.protocols import builtin_names, load, parse
from goldmark.store import Store, events
from tests.campaigns.house import House
from tests.campaigns.plans import plan_from_parts

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STRICT = """\
protocol: asked/1
title: Is it right?
needs:
  - {context: [Question, Frage]}
  - {context: [Source], missing: warn}
steps: [{questions: [{id: right, kind: choice, ask: Right?, options: [{id: no}, {id: yes}]}]}]
"""


def rows(*titles: str | None) -> list[dict[str, object]]:
    return [
        {"id": f"u{at}", "text": "It is.", **({"context": {title: "Is it?"}} if title else {})}
        for at, title in enumerate(titles)
    ]


def test_what_is_missing_is_refused_once_with_a_count_and_the_first_units() -> None:
    with pytest.raises(ProblemsFound) as caught:
        plan_from_parts({"campaign": "c", "title": "C"}, rows=rows(None, "Question", *[None] * 4), protocol=STRICT)
    (problem,) = caught.value.problems
    assert "asked/1 needs `Question` or `Frage`" in problem.what
    assert "5 of 6 units have no context of that name (u0, u2, u3, ...)" in problem.what
    assert "context.TITLE" in problem.remedy


@pytest.mark.parametrize("title", ["Question", "the question", "FRAGE (Deutsch)"])
def test_a_name_is_found_in_a_title_as_a_word(title: str) -> None:
    (need, _) = parse(STRICT).file.needs
    assert need.is_in([title])
    assert not need.is_in(["Questions", "Answer", ""])


def test_what_is_only_warned_of_is_taken_and_told(store: Store) -> None:
    plan = plan_from_parts({"campaign": "c"}, rows=rows("Question"), protocol=STRICT)
    assert "needs `Source` beside the text" in plan.missing_context[0]
    open_campaign(store, House.over(store).links, plan, author="Ann")
    told = store.read(lambda open_: events.history(open_, find_campaign(open_, "c").id))
    (said,) = [one for one in told if one.kind == MISSING]
    assert "the only unit has no context of that name (u0)" in said.reason


def test_texts_that_are_added_are_held_to_it_too(store: Store, tmp_path: Path) -> None:
    plan = plan_from_parts({"campaign": "c"}, rows=rows("Question"), protocol=STRICT)
    open_campaign(store, House.over(store).links, plan, author="Ann")
    file = tmp_path / "more.jsonl"
    add = partial(add_texts, store, "c", [file], tokeniser="rules", sentences="rules", author="Ann")
    file.write_text(json.dumps({"id": "n", "text": "It is."}))
    with pytest.raises(ProblemsFound):
        add()
    file.write_text(json.dumps({"id": "n", "text": "It is.", "context": {"Question": "Is it?", "Source": "Yes."}}))
    assert add() == 1


def test_built_in_protocols_warn_and_their_examples_have_all_that_they_need() -> None:
    """Files that people have go on loading: nothing that came before is refused."""
    needing = [name for name in builtin_names() if load(name).file.needs]
    assert {"rating-qa/1", "rating-qa-binary/1", "mqm/1", "rating-translation/1"} <= set(needing)
    for name in needing:
        assert {one.missing for one in load(name).file.needs} == {"warn"}
        plan = read_campaign(EXAMPLES / name.partition("/")[0] / "campaign.yaml")
        assert not plan.missing_context
    plan = plan_from_parts({"campaign": "c", "protocol": "rating-qa"}, rows=rows(None, None))
    (told,) = plan.missing_context
    assert told.startswith("rating-qa/1 needs `Question` or `Frage` beside the text, and 2 of 2 units have no context")


def test_what_is_needed_does_not_make_another_protocol() -> None:
    """It says nothing of what is asked: campaigns of before and after have the same one."""
    without = "\n".join(line for line in STRICT.splitlines() if "needs" not in line and "context" not in line)
    assert parse(STRICT).digest == parse(without).digest
