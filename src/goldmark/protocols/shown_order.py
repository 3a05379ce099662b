"""The order in which the two texts of a comparison are shown, and every name that hangs on it.

Whoever reads two texts tends to prefer one place to the other, so the order is drawn for each assignment
(`campaigns.assignments.text_order`). The page never learns which way round it is: the text that is shown first always
has the protocol's first role there, and the other one the second. So a role, and a question about one of the two
texts, has a name in the store and a name on the page. `ShownOrder` turns either into the other:
exchanging twice changes nothing.

That is only possible where a protocol treats its two texts alike, so that it asks of the one exactly what it asks of
the other. `pair_of` finds out; every other protocol shows its texts as they are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from goldmark.protocols.conditions import Condition, Tree
from goldmark.protocols.kinds import Question
from goldmark.protocols.kinds.compare import CompareQuestion
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.protocols.language import Protocol, Step


@dataclass(frozen=True)
class TextPair:
    """Two texts that may be shown in either order."""

    first: str  # the role of the text that the page shows first
    second: str
    keys: Mapping[str, str]  # a key of an answer: the key that says the same about the other text
    choices: frozenset[str]  # the questions whose answer is one of the two roles

    def other(self, role: Any) -> Any:
        """The other role; what is none of the two, such as a tie, stays."""
        return self.second if role == self.first else self.first if role == self.second else role


UNCHANGED = TextPair("", "", {}, frozenset())


class AsGiven(NamedTuple):
    """The texts of a protocol are shown in its own order, and why."""

    why: str


@dataclass(frozen=True)
class ShownOrder:
    """How one assignment shows its texts. Both orders are written alike, so that no byte tells them apart."""

    pair: TextPair | None = None
    swapped: bool = False

    def unit(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """A unit with its texts in the roles that they have on the page, or back in their own."""
        pair = self.pair
        if pair is None:
            return dict(shown)
        texts = {pair.other(role) if self.swapped else role: text for role, text in shown["texts"].items()}
        return {**shown, "texts": _in_order_of(texts, (pair.first, pair.second))}

    def answers(self, answers: Any) -> Any:
        """Answers as the page gives them, or as they are stored. Of drafts nobody knows the shape; it stays."""
        pair = self.pair
        if pair is None or not isinstance(answers, Mapping):
            return answers
        named = {self.question(key): self._answer(key, answer) for key, answer in answers.items()}
        return _in_order_of(named, pair.keys)

    def _answer(self, key: str, answer: Any) -> Any:
        return self.pair.other(answer) if self.pair and self.swapped and key in self.pair.choices else answer

    def question(self, key: str) -> str:
        """The question, or what is said beside it, under its other name."""
        return self.pair.keys.get(key, key) if self.pair and self.swapped else key

    def remarks(self, remarks: Iterable[Mapping[str, str]]) -> tuple[Mapping[str, str], ...]:
        """Remarks on questions, each with the question (`where`) under its other name."""
        named = [{**remark, "where": self.question(remark["where"])} for remark in remarks]
        if self.pair is not None:
            places = {key: place for place, key in enumerate(self.pair.keys)}
            named.sort(key=lambda remark: places.get(remark["where"], len(places)))
        return tuple(named)


AS_GIVEN = ShownOrder()


def _in_order_of(found: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """The same with these keys first, in this order: an order of keys would tell what was exchanged."""
    known = [key for key in keys if key in found]
    return {key: found[key] for key in (*known, *(key for key in found if key not in known))}


def told_order(protocol: Protocol) -> str:
    """Of a comparison, in words: whether the order of its texts is drawn, and if not, why; of others nothing."""
    if not any(isinstance(question, CompareQuestion) for question in protocol.questions()):
        return ""
    pair = pair_of(protocol)
    shown = f"shown as given, because {pair.why}" if isinstance(pair, AsGiven) else "shown in an order that is drawn"
    return f"its two texts are {shown}"


def pair_of(protocol: Protocol) -> TextPair | AsGiven:
    """The two texts of a protocol that compares them and treats them alike, or why their order is not drawn."""
    choices = frozenset(question.id for question in protocol.questions() if isinstance(question, CompareQuestion))
    if len(protocol.texts) != 2 or not choices:
        return AsGiven("it compares no two texts")
    first, second = protocol.texts
    if first[:-1] != second[:-1]:
        # The page shows roles as names. Two places may trade names; an original and its translation may not.
        return AsGiven(f'"{first}" and "{second}" say what the texts are, unlike "a" and "b" or "text1" and "text2"')
    questions = {question.id: (step, question) for step in protocol.steps for question in step.questions}
    named = TextPair(first, second, {name: _counterpart(name, first, second) for name in questions}, choices)
    for name, other in named.keys.items():
        if other not in questions:
            return AsGiven(f'there is "{name}", but no "{other}" that asks the same of the other text')
        why = _unlike(questions[name], questions[other], named)
        if why:
            return AsGiven(why)
    decides = protocol.around.suggestions_to
    if first in decides and named.keys[decides[first]] != decides.get(second):
        return AsGiven("suggestions on the two texts are decided by questions that are not the same")
    return TextPair(first, second, dict(_answer_keys(questions, named)), choices)


def _counterpart(name: str, first: str, second: str) -> str:
    """The id of the question that asks the same of the other text: fluency_b of fluency_a."""
    for role, other in ((first, second), (second, first)):
        if name == role or name.endswith(f"_{role}"):
            return name.removesuffix(role) + other
    return name


def _answer_keys(questions: Mapping[str, tuple[Step, Question]], named: TextPair) -> Iterator[tuple[str, str]]:
    for name, (_, question) in questions.items():
        counterpart = questions[named.keys[name]][1]
        yield name, counterpart.id
        if question.companion and counterpart.companion:
            yield question.companion, counterpart.companion


def _unlike(mine: tuple[Step, Question], theirs: tuple[Step, Question], pair: TextPair) -> str:
    """Why two questions do not ask the same of the two texts; nothing if they do."""
    (step, question), (other_step, other) = mine, theirs
    shape = _shape(question)
    if shape != _shape(other):
        return f'"{question.id}" and "{other.id}" do not ask the same'
    if {pair.first, pair.second} & set(_words(shape)):
        return f'"{question.id}" names a text by its role, which only questions of kind compare and spans may'
    if isinstance(question, SpansQuestion) and isinstance(other, SpansQuestion):
        marked, others = (one.of or pair.first for one in (question, other))
        if pair.other(marked) != others:
            return f'"{question.id}" marks "{marked}", and no question marks the other text in the same way'
    for condition, exchanged in ((other_step.when, step.when), (other.when, question.when)):
        if _normal(condition, UNCHANGED) != _normal(exchanged, pair):
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


def _normal(condition: Condition | None, pair: TextPair) -> Tree | None:
    """A condition in one way of writing it, under the names that the pair gives to questions and texts."""
    return None if condition is None else _tree(condition.tree, pair)


def _tree(tree: Tree, pair: TextPair) -> Tree:
    head = tree[0]
    if head in ("and", "or"):
        return [head, *sorted((_tree(part, pair) for part in _flat(tree, head)), key=repr)]
    if head == "not":
        return [head, _tree(tree[1], pair)]
    if head == "answered":
        return [head, pair.keys.get(tree[1], tree[1])]
    left = _node(tree[1], pair)
    chooses = tree[1][0] == "answer" and tree[1][1] in pair.choices
    if head == "in":
        return [head, left, sorted((pair.other(one) if chooses else one for one in tree[2]), key=repr)]
    right = ["value", pair.other(tree[2][1])] if chooses and tree[2][0] == "value" else _node(tree[2], pair)
    return [head, *(sorted((left, right), key=repr) if head in ("==", "!=") else (left, right))]


def _flat(tree: Tree, head: str) -> Iterator[Tree]:
    """The parts of nested ands, or of nested ors, side by side."""
    for part in tree[1:]:
        yield from _flat(part, head) if part[0] == head else (part,)


def _node(node: Tree, pair: TextPair) -> Tree:
    head, name = node
    return [head, name if head == "value" else pair.keys.get(name, name)]
