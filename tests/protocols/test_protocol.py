"""Every problem of a protocol file is told at once, with its line and what may have been meant."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.errors import ProblemsFound
from goldmark.protocols import ProtocolUnknown, check, load, parse
from goldmark.protocols.loader import FileMissing
from goldmark.protocols.loading.did_you_mean import MOST_COMPARED

WRITE_A_NAME = "write a name in small letters, a slash and a version number, such as accuracy/1"
EARLIER = "conditions look at earlier answers"
HEAD = "protocol: test/1\ntitle: Test\n"


def told(source: str) -> list[str]:
    """Problems as line, what and remedy."""
    try:
        parse(source, file="p.yaml")
    except ProblemsFound as error:
        return [str(problem).removeprefix("p.yaml:") for problem in error.problems]
    return []


def test_every_problem_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(
        """protocol: Accuracy
titel: x
taxonomies:
  t: [{id: A, mark: N}, {id: B, mark: N}, {id: A}]
steps:
  - when: verdict == a
    questions:
      - {id: verdict, kind: choice, options: [yes, no, maybe]}
      - {id: verdict, kind: choise, options: [yes, no]}
      - {id: why, kind: text, when: verdict == mayb and value(verdict) > 2, at_lest: 3}
      - id: errors
        kind: spans
        of: txt
        when: later == 3
        labels: {tree: tt, priority: [A]}
        attributes: [{id: comment, kind: text}, {id: label, kind: text}]
        require: coment
      - {id: later, kind: number, at_least: x, required: perhaps}
""",
        encoding="utf-8",
    )
    problems = check(path)
    assert all(problem.where.startswith(f"{path}:") for problem in problems)
    assert [(int(one.where.rpartition(":")[2]), one.what, one.remedy) for one in problems] == [
        (1, '"protocol" is "Accuracy", which does not fit', WRITE_A_NAME),
        (1, '"title" is missing', ""),
        (2, 'there is no key "titel" here', 'did you mean "title"?'),
        (4, 'two labels beside each other have the id "A"', ""),
        (4, 'two labels beside each other have the mark "N"', ""),
        (6, 'the condition looks at "verdict", which is asked only here or later', EARLIER),
        (9, '"choise" is not a kind of question here', 'did you mean "choice"?'),
        (9, 'two questions have the id "verdict"', f"the other is at {path}:8"),
        (10, 'there is no key "at_lest" here', 'did you mean "at_least"?'),
        (10, '"mayb" is not an option of "verdict"', 'did you mean "maybe"?'),
        (10, 'the options of "verdict" carry no numbers', "write them as a mapping from option to number"),
        (13, '"txt" is not one of the texts (text)', 'did you mean "text"?'),
        (14, 'the condition looks at "later", which is asked only here or later', EARLIER),
        (15, 'there is no taxonomy "tt"', 'did you mean "t"?'),
        (16, '"label" already means something else in a span', ""),
        (17, 'the condition looks at "coment", but there is no such attribute', 'did you mean "comment"?'),
        (18, '"required" must be true or false', ""),
        (18, '"at_least" must be a number', ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("questions", "what"),
    [
        ("- {id: a, kind: choice, options: [x]}", '"options" needs at least 2'),
        ("- {id: a, kind: choice, options: [x, x]}", 'two options have the id "x"'),
        ("- {id: a, kind: choice, options: [{id: x, key: k}, {id: y, key: k}]}", 'two options have the key "k"'),
        ("- {id: a, kind: choices, options: [x, y], at_least: 3}", "at_least is 3, but at most 2"),
        ("- {id: a, kind: text, at_least: 30, at_most: 20}", "at_least is 30, more than at_most"),
        ("- {id: a, kind: number, at_least: 3, at_most: 2}", "at_least is 3, more than at_most"),
        ("- {id: a, kind: spans, at_least: 3, at_most: 2}", "at_least is 3, more than at_most"),
        ("- {id: a, kind: spans, links: {b: {exactly: 1, at_most: 2}}}", "say either exactly, or at_least and at_most"),
        ("- {id: a, kind: spans, attributes: [{id: b, kind: compare}]}", '"compare" is not a kind of question here'),
        ("- {id: a, kind: spans, attributes: [{id: start, kind: text}]}", '"start" already means something else'),
        (
            "- {id: a, kind: spans, attributes: [{id: b, kind: text}, {id: b, kind: text}]}",
            "two attributes have the id",
        ),
        ("- {id: a, kind: compare}", '"a" is not one of the texts (text)'),
        ("- {id: a, kind: compare, between: [text, text]}", "cannot be compared with itself"),
        ("- {id: and, kind: text}", '"and" means something in conditions'),
        ("- {id: A b, kind: text}", 'is "A b", which does not fit'),
        ("- {id: a, kind: number}\n      - {id: b, kind: text, when: a == many}", "not a number"),
        ("- {id: a, kind: text}\n      - {id: b, kind: text, when: a < 3}", "cannot be compared by < or >"),
        ("- {id: a, kind: spans}\n      - {id: b, kind: text, when: a == x}", "cannot be compared by == or !="),
        ("- {id: a, kind: choice, options: [1, 2]}\n      - {id: b, kind: text, when: a == 2}", '"2" is not an option'),
        ("- {id: a, kind: choice, options: [yes, no]}\n      - {id: b, kind: text, when: count(a) > 1}", "be counted"),
        ("- {id: a, when: x}", '"kind" is missing'),
        ("- {id: a, kind: text, required: }", '"required" must be true or false'),
        ("[]", '"questions" needs at least 1'),
    ],
)
def test_what_is_wrong_with_questions(questions: str, what: str) -> None:
    problems = told(f"{HEAD}steps:\n  - questions:\n      {questions}\n")
    assert any(what in problem for problem in problems), problems
    assert all(not problem.startswith("1 ") for problem in problems)  # the line is that of the question


@pytest.mark.parametrize("word", ["yes", "no", "on", "off", "y", "2026-11-16", "12:30", "0x10", "1e3", "010"])
def test_words_stay_words(word: str) -> None:
    """YAML 1.1 would read these as true, false, a date, minutes or numbers."""
    protocol = parse(f"{HEAD}summary: {word}\nsteps: [questions: [{{id: a, kind: text}}]]")
    assert protocol.summary == word


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("", "a protocol is a mapping"),
        ("- a", "a protocol is a mapping"),
        ("title: a: b", "this is not YAML"),
        ("title: [a", "this is not YAML"),
        ("title: !!python/object/apply:os.system [true]", "the tag"),
        ("title: !!int x", "the tag"),
        ("title: !mine x", "the tag"),
        ("title: a\ntitle: b", 'the key "title" was already used at p.yaml:1'),
        ("a: " + "[" * 100 + "]" * 100, "nest deeper than 40"),
        ("? [a]\n: b", "a key must be a word"),
        ("x: \x00", "this is not YAML"),
        ("x: " + "a" * 500_001, "larger than"),
        ("x: [" + "a, " * 60_000 + "]", "holds too much"),
    ],
)
def test_what_is_no_protocol_at_all(source: str, what: str) -> None:
    problems = told(source)
    assert any(what in problem for problem in problems), problems


def test_an_alias_bomb_is_refused_quickly() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
    assert "aliases" in told(bomb)[0]
    deep = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    deep += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 3)}]\n" for n in range(1, 16))
    assert "unfolds into too much" in told(deep)[0]
    assert "unfolds into too much" in told("a: &a [*a]")[0]


def test_a_few_aliases_are_fine() -> None:
    source = f"{HEAD}steps:\n  - questions:\n      - {{id: a, kind: choice, options: &yn [yes, no]}}\n"
    assert told(f"{source}      - {{id: b, kind: choice, options: *yn}}\n") == []


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("change: {mistaks: {help: x}}", 'no question "mistaks" to change; did you mean "mistakes"?'),
        ("change: {mistakes: x}", "a change is a mapping"),
        ("change: x", '"change" must be a mapping'),
        ("change: {mistakes: {hlp: x}}", 'there is no key "hlp" here; did you mean "help"?'),
        ("taxonomies: {accuracy: {refine: {NAME: []}}}", 'no taxonomy "accuracy" to add to or refine'),
        ("taxonomies: {accuracy-6: {refine: {NAM: []}}}", '"NAM" is not a label of "accuracy-6"; did you mean "NAME"?'),
        ("taxonomies: {accuracy-6: {refine: x}}", '"refine" must be a mapping'),
        ("taxonomies: {accuracy-6: {add: x}}", '"add" must be a list of labels'),
        ("taxonomies: {accuracy-6: {add: [{id: NAME}]}}", "NAME"),
        ("taxonomies: {accuracy-6: {refine: {NAME: [{id: A, nme: x}]}}}", 'there is no key "nme" here'),
        ("taxonomies: {accuracy-6: [{id: A}]}", '"NAME" is not a label of "accuracy-6"'),
        ("change: {mistakes: {attributes: [{id: x, kind: txt}]}}", 'did you mean "text"?'),
    ],
)
def test_mistakes_in_an_extension_have_the_extensions_lines(change: str, what: str) -> None:
    problems = told(f"protocol: mine/1\nextends: accuracy/1\n{change}\n")
    assert any(what in problem for problem in problems), problems
    assert all(problem.startswith("3 ") or "builtin" in problem for problem in problems)


def test_an_extension_of_nothing() -> None:
    assert 'did you mean "accuracy"?' in told("protocol: mine/1\nextends: acuracy\n")[0]
    assert "cannot extend itself" in told("protocol: accuracy/1\nextends: accuracy/1\n")[0]


def test_a_category_is_added_by_one_key() -> None:
    source = "protocol: mine/1\nextends: accuracy\ntaxonomies:\n  accuracy-6:\n    add:\n      - {id: DATE, key: d}\n"
    mine, base = parse(source), load("accuracy")
    trees = [[label.id for label in one.file.taxonomies["accuracy-6"]] for one in (mine, base)]
    assert trees[0] == [*trees[1], "DATE"]
    (question,), (before,) = mine.questions(), base.questions()
    assert question.labels.priority == before.labels.priority  # type: ignore[attr-defined]


def test_an_extension_adds_replaces_and_keeps() -> None:
    source = """protocol: mine/1
extends: accuracy
title: Mine
change:
  mistakes:
    at_most: 9
    attributes:
      - {id: comment, kind: text, required: true}
      - {id: severity, kind: choice, options: [low, high]}
taxonomies:
  extra: [{id: A}]
"""
    mine, base = parse(source), load("accuracy")
    (question,) = mine.questions()
    assert question.at_most == 9  # type: ignore[attr-defined]
    assert [(one.id, one.required) for one in question.attributes] == [  # type: ignore[attr-defined]
        ("correction", False),
        ("comment", True),
        ("severity", True),
    ]
    assert mine.instructions == base.instructions
    assert set(mine.taxonomies) == {"accuracy-6", "extra"}
    assert load("accuracy").digest == base.digest


def test_loading_by_name() -> None:
    assert load("accuracy").id == load("accuracy/1").id == "accuracy/1"
    with pytest.raises(ProtocolUnknown, match='did you mean "accuracy"'):
        load("acuracy")
    with pytest.raises(ProtocolUnknown):
        load("accuracy/99")
    with pytest.raises(FileMissing, match="No such file"):
        load("nothing/here.yaml")


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_bytes(b"title: \xff")
    with pytest.raises(FileMissing, match="not UTF-8"):
        check(path)


junk = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "kind", "options", "when", "labels", "tree", "attributes", "links", "questions", "x"]
            ),
            inner | st.sampled_from(["spans", "choice", "text", "a == b"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(["protocol", "title", "steps", "taxonomies", "texts", "extends", "change"]), junk)
)
def test_no_file_makes_the_checker_fail(data: dict[str, object]) -> None:
    import json

    problems = told(json.dumps(data))
    assert problems
    assert all(problem[0].isdigit() or problem.startswith("builtin") for problem in problems)


def test_a_file_of_nothing_but_wrong_names_is_not_compared_with_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions on thousands of questions that are not there, each compared with thousands that are, took 22 s."""
    compared: list[int] = []
    near = difflib.get_close_matches

    def counted(word: str, known: Collection[str], **how: Any) -> list[str]:
        compared.append(len(known))
        return near(word, known, **how)

    monkeypatch.setattr(difflib, "get_close_matches", counted)
    questions = "".join(f"  - {{id: q{n}, kind: text, when: nosuch{n} == x}}\n" for n in range(300))
    problems = told(f"{HEAD}steps:\n- id: s\n  questions:\n{questions}")
    assert len(problems) == 300
    assert sum(compared) <= MOST_COMPARED
