"""The order in which the texts of a comparison are shown, and every name that hangs on it.

Whoever reads several texts tends to prefer one place to the others, so the order is drawn for each assignment
(`campaigns.assignments.text_order`). The page never learns which it is: the text that is shown first always has the
protocol's first role there, the next one the second, and so on. So a role, and a question about one of the texts, has a
name in the store and a name on the page. `ShownOrder` turns either into the other: exchanging twice changes nothing.

That is only possible where a protocol treats its texts alike, so that it asks of the one exactly what it asks of
the others. `compared_texts` finds out; every other protocol shows its texts as they are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from goldmark.protocols.conditions import Condition, Tree
from goldmark.protocols.kinds import Question
from goldmark.protocols.kinds.compare import ComparingQuestion
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.protocols.language import Protocol, Step
from goldmark.records.answers import APART

NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}


@dataclass(frozen=True)
class ShownNames:
    """One order of the texts: what everything is called on the page that has a name in the store, and back."""

    names: Mapping[str, str]  # by role
    keys: Mapping[str, str]  # by key of an answer: the key that says the same about the text in its place
    choices: frozenset[str]  # the questions whose answer names texts

    def other(self, said: Any) -> Any:
        """A role, or roles in a row, under the other name; what is no role, such as a tie, stays."""
        if not isinstance(said, str):
            return said
        return APART.join(self.names.get(one, one) for one in said.split(APART))


UNCHANGED = ShownNames({}, {}, frozenset())


@dataclass(frozen=True)
class ComparedTexts:
    """Texts that may be shown in any order of a few: for every role, one in which its text comes first."""

    roles: tuple[str, ...]
    turns: Mapping[str, ShownNames]  # by the role of the text that is shown first

    @property
    def keys(self) -> Sequence[str]:
        return tuple(self.turns[self.roles[0]].keys)


class AsGiven(NamedTuple):
    """The texts of a protocol are shown in its own order, and why."""

    why: str


@dataclass(frozen=True)
class ShownOrder:
    """How one assignment shows its texts. All orders are written alike, so that no byte tells them apart."""

    compared: ComparedTexts | None = None
    first: str | None = None  # the role of the text that is shown first; None: as given

    @property
    def turn(self) -> ShownNames:
        return self.compared.turns.get(self.first or "", UNCHANGED) if self.compared else UNCHANGED

    @property
    def changed(self) -> bool:
        """Whether a text has another name on the page than in the store."""
        return any(role != name for role, name in self.turn.names.items())

    def unit(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """A unit with its texts in the roles that they have on the page, or back in their own."""
        if self.compared is None:
            return dict(shown)
        texts = {self.turn.other(role): text for role, text in shown["texts"].items()}
        return {**shown, "texts": _in_order_of(texts, self.compared.roles)}

    def answers(self, answers: Any) -> Any:
        """Answers as the page gives them, or as they are stored. Of drafts nobody knows the shape; it stays."""
        if self.compared is None or not isinstance(answers, Mapping):
            return answers
        named = {self.question(key): self._answer(key, answer) for key, answer in answers.items()}
        return _in_order_of(named, self.compared.keys)

    def _answer(self, key: str, answer: Any) -> Any:
        return self.turn.other(answer) if key in self.turn.choices else answer

    def question(self, key: str) -> str:
        """The question, or what is said beside it, under its other name."""
        return self.turn.keys.get(key, key)

    def remarks(self, remarks: Iterable[Mapping[str, str]]) -> tuple[Mapping[str, str], ...]:
        """Remarks on questions, each with the question (`where`) under its other name."""
        named = [{**remark, "where": self.question(remark["where"])} for remark in remarks]
        if self.compared is not None:
            places = {key: place for place, key in enumerate(self.compared.keys)}
            named.sort(key=lambda remark: places.get(remark["where"], len(places)))
        return tuple(named)


AS_GIVEN = ShownOrder()


def exchanged(roles: Sequence[str], first: str) -> dict[str, str]:
    """By role, the role of its place on the page if `first` comes first.

    Over all that can come first, every text stands in every place once, and doing it twice brings everything back. Of
    two or four texts each also stands before each other as often as after it: abcd, badc, cdab, dcba. That cannot be
    had of three or five, which are walked backwards on a ring: acb, bac, cba; there, letters that are given to systems
    at random make it even.
    """
    turn, number = roles.index(first), len(roles)
    even = number & (number - 1) == 0
    return {role: roles[place ^ turn if even else (turn - place) % number] for place, role in enumerate(roles)}


def shown_before(roles: Sequence[str], one: str, other: str, first: str) -> bool:
    """Whether the text of one role stood before that of the other in an answer that was shown `first` first."""
    places = {role: place for place, role in enumerate(roles)}
    if first in places:
        names = exchanged(roles, first)
        return places[names[one]] < places[names[other]]
    return places[one] < places[other]


def _in_order_of(found: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """The same with these keys first, in this order: an order of keys would tell what was exchanged."""
    known = [key for key in keys if key in found]
    return {key: found[key] for key in (*known, *(key for key in found if key not in known))}


def told_order(protocol: Protocol) -> str:
    """Of a comparison, in words: whether the order of its texts is drawn, and if not, why; of others nothing."""
    if not any(isinstance(question, ComparingQuestion) for question in protocol.questions()):
        return ""
    found = compared_texts(protocol)
    shown = f"shown as given, because {found.why}" if isinstance(found, AsGiven) else "shown in an order that is drawn"
    return f"its {NUMBERS.get(len(protocol.texts), len(protocol.texts))} texts are {shown}"


def compared_texts(protocol: Protocol) -> ComparedTexts | AsGiven:
    """The texts of a protocol that compares them and treats them alike, or why their order is not drawn."""
    comparing = [question for question in protocol.questions() if isinstance(question, ComparingQuestion)]
    roles = protocol.texts
    if len(roles) < 2 or not comparing:
        return AsGiven("it compares no two texts")
    for role in roles:
        if role[:-1] != roles[0][:-1]:
            # The page shows roles as names. Places may trade names; an original and its translation may not.
            return AsGiven(
                f'"{roles[0]}" and "{role}" say what the texts are, unlike "a" and "b" or "text1" and "text2"'
            )
    for question in comparing:
        if set(question.between) != set(roles):
            return AsGiven(f'"{question.id}" does not compare all of them')
    choices = frozenset(question.id for question in comparing)
    turns = {}
    for first in roles:
        found = _turn(protocol, exchanged(roles, first), choices)
        if isinstance(found, AsGiven):
            return found
        turns[first] = found
    return ComparedTexts(roles, turns)


def _turn(protocol: Protocol, names: Mapping[str, str], choices: frozenset[str]) -> ShownNames | AsGiven:
    """What one order changes, or why it cannot be."""
    questions = {question.id: (step, question) for step in protocol.steps for question in step.questions}
    named = ShownNames(names, {name: _counterpart(name, names) for name in questions}, choices)
    if any(role != name for role, name in names.items()):
        for name, other in named.keys.items():
            if other not in questions:
                return AsGiven(f'there is "{name}", but no "{other}" that asks the same of the other text')
            why = _unlike(questions[name], questions[other], named)
            if why:
                return AsGiven(why)
    decides = protocol.around.suggestions_to
    if any(named.keys[question] != decides.get(names[role]) for role, question in decides.items()):
        return AsGiven("suggestions on the texts are decided by questions that are not the same")
    return ShownNames(names, dict(_answer_keys(questions, named)), choices)


def _counterpart(name: str, names: Mapping[str, str]) -> str:
    """The id of the question that asks the same of the text in another place: fluency_b of fluency_a."""
    for role, other in names.items():
        if name == role or name.endswith(f"_{role}"):
            return name.removesuffix(role) + other
    return name


def _answer_keys(questions: Mapping[str, tuple[Step, Question]], named: ShownNames) -> Iterator[tuple[str, str]]:
    for name, (_, question) in questions.items():
        counterpart = questions[named.keys[name]][1]
        yield name, counterpart.id
        if question.companion and counterpart.companion:
            yield question.companion, counterpart.companion


def _unlike(mine: tuple[Step, Question], theirs: tuple[Step, Question], turn: ShownNames) -> str:
    """Why two questions do not ask the same of the two texts; nothing if they do."""
    (step, question), (other_step, other) = mine, theirs
    shape = _shape(question)
    if shape != _shape(other):
        return f'"{question.id}" and "{other.id}" do not ask the same'
    if set(turn.names) & set(_words(shape)):
        return f'"{question.id}" names a text by its role, which only questions that compare texts or mark them may'
    if isinstance(question, SpansQuestion) and isinstance(other, SpansQuestion):
        first = next(iter(turn.names))
        marked, others = (one.of or first for one in (question, other))
        if turn.other(marked) != others:
            return f'"{question.id}" marks "{marked}", and no question marks the other text in the same way'
    for condition, exchanged in ((other_step.when, step.when), (other.when, question.when)):
        if _normal(condition, UNCHANGED) != _normal(exchanged, turn):
            return f'"{question.id}" is not asked under the same condition as "{other.id}" with the texts exchanged'
    return ""


def _shape(question: Question) -> dict[str, Any]:
    """What a question asks, but for its name, its wording, its condition and the text that it is about."""
    left_out = {"id", "ask", "help", "when", "of", "between"}
    return question.model_dump(mode="json", exclude=left_out)


def _words(shape: Any) -> Iterator[str]:
    if isinstance(shape, str):
        yield shape
    elif isinstance(shape, Mapping):
        yield from (word for key, value in shape.items() if key != "kind" for word in (key, *_words(value)))
    elif isinstance(shape, list | tuple):
        yield from (word for one in shape for word in _words(one))


def _normal(condition: Condition | None, turn: ShownNames) -> Tree | None:
    """A condition in one way of writing it, under the names that a turn gives to questions and texts."""
    return None if condition is None else _tree(condition.tree, turn)


def _tree(tree: Tree, turn: ShownNames) -> Tree:
    head = tree[0]
    if head in ("and", "or"):
        return [head, *sorted((_tree(part, turn) for part in _flat(tree, head)), key=repr)]
    if head == "not":
        return [head, _tree(tree[1], turn)]
    if head == "answered":
        return [head, turn.keys.get(tree[1], tree[1])]
    left = _node(tree[1], turn)
    chooses = tree[1][0] == "answer" and tree[1][1] in turn.choices
    if head == "in":
        return [head, left, sorted((turn.other(one) if chooses else one for one in tree[2]), key=repr)]
    right = ["value", turn.other(tree[2][1])] if chooses and tree[2][0] == "value" else _node(tree[2], turn)
    return [head, *(sorted((left, right), key=repr) if head in ("==", "!=") else (left, right))]


def _flat(tree: Tree, head: str) -> Iterator[Tree]:
    """The parts of nested ands, or of nested ors, side by side."""
    for part in tree[1:]:
        yield from _flat(part, head) if part[0] == head else (part,)


def _node(node: Tree, turn: ShownNames) -> Tree:
    head, name = node
    return [head, name if head == "value" else turn.keys.get(name, name)]
