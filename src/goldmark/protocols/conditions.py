"""Conditions between questions: `verdict == erroneous and count(errors) < 4`.

A condition is parsed into a tree of nested lists, never evaluated as code. The tree is what the page receives, so that
server and page decide alike; docs/reference/protocol-language.md states the meaning of every node.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

Tree = list[Any]
Answers = Mapping[str, object]
Numbers = Mapping[str, Mapping[str, float]]  # question -> option -> the number that the option carries

LONGEST: Final = 2_000  # characters
MOST: Final = 200  # words and signs; each can be a level of the tree, and JSON writers refuse about 250 levels
DEEPEST: Final = 50  # parentheses and nots
WORDS: Final = frozenset(
    {"and", "or", "not", "in", "count", "value", "true", "false", "label"}
)  # never ids of questions
TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>-?\d+(?:\.\d+)?)(?![\w.-])|(?P<word>[^\W\d][\w-]*(?:\.[\w-]+)*)"
    r"|(?P<string>\"[^\"]*\"|'[^']*')|(?P<mark>==|!=|<=|>=|<|>|\(|\)|\[|\]|,))"
)
ORDERED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPARISONS: Final = frozenset({"==", "!=", *ORDERED})


class NotACondition(ValueError):
    """The condition cannot be read; the message says at which character and what was expected."""


@dataclass(frozen=True)
class Condition:
    """A condition as it was written, and the tree that server and page evaluate."""

    source: str
    tree: Tree

    @classmethod
    def of(cls, source: object) -> Condition:
        if isinstance(source, Condition):
            return source
        if not isinstance(source, str):
            raise NotACondition(f"a condition is text such as `verdict == erroneous`, not {source!r}")
        return cls(source, _Parser(source).whole())

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls.of,
            serialization=core_schema.plain_serializer_function_ser_schema(lambda condition: condition.source),
            json_schema_input_schema=core_schema.str_schema(),
        )

    def holds(self, answers: Answers, numbers: Numbers) -> bool:
        return holds(self.tree, answers, numbers)

    def comparisons(self) -> Iterator[Tree]:
        """Every node that names an answer, with what it is compared to."""
        yield from _leaves(self.tree)

    def names(self) -> set[str]:
        """Every question or attribute that the condition looks at."""
        return {str(leaf[1] if leaf[0] == "answered" else leaf[1][1]) for leaf in self.comparisons()}


def answered(value: object) -> bool:
    """Whether there is an answer: not nothing, not an empty list, not blank text."""
    if isinstance(value, str):
        return bool(value.strip())
    return value is not None and value != [] and value != ()


def holds(tree: Tree, answers: Answers, numbers: Numbers) -> bool:
    """Evaluate a tree. A comparison with a question that has no answer is false, whatever the comparison."""
    head = tree[0]
    if head == "and":
        return holds(tree[1], answers, numbers) and holds(tree[2], answers, numbers)
    if head == "or":
        return holds(tree[1], answers, numbers) or holds(tree[2], answers, numbers)
    if head == "not":
        return not holds(tree[1], answers, numbers)
    if head == "answered":
        return answered(answers.get(tree[1]))
    left = _value(tree[1], answers, numbers)
    if not answered(left):
        return False
    if head == "in":
        chosen = left if isinstance(left, list | tuple) else [left]
        return any(_equal(one, other) for one in chosen for other in tree[2])
    right = _value(tree[2], answers, numbers)
    if head == "under":
        return isinstance(left, str) and (left == right or left.startswith(f"{right}."))
    if head == "==":
        return _equal(left, right)
    if head == "!=":
        return right is not None and not _equal(left, right)
    return _is_number(left) and _is_number(right) and ORDERED[head](left, right)


def _value(node: Tree, answers: Answers, numbers: Numbers) -> object:
    head, name = node
    if head == "value":
        return name
    answer = answers.get(name)
    if head == "count":
        return len(answer) if isinstance(answer, list | tuple) else 0
    if head == "number":
        return numbers.get(name, {}).get(answer) if isinstance(answer, str) else None
    return answer


def _equal(left: object, right: object) -> bool:
    if _is_number(left) and _is_number(right):
        return left == right
    return isinstance(left, str) and isinstance(right, str) and left == right


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _leaves(tree: Tree) -> Iterator[Tree]:
    if tree[0] in ("and", "or", "not"):
        for part in tree[1:]:
            yield from _leaves(part)
    else:
        yield tree
        if tree[0] in COMPARISONS and tree[2][0] in ("count", "number"):
            yield [tree[0], tree[2], tree[1]]


class _Parser:
    """Recursive descent over: or > and > not > comparison. Each method reads one level and returns its tree."""

    def __init__(self, source: str) -> None:
        if len(source) > LONGEST:
            raise NotACondition(f"a condition has at most {LONGEST} characters, this one {len(source)}")
        self.source = source
        self.tokens = self._split()
        self.place = 0
        self.depth = 0

    def _split(self) -> list[tuple[str, str, int]]:
        tokens, at = [], 0
        end = len(self.source.rstrip())
        while at < end:
            match = TOKEN.match(self.source, at)
            if match is None:
                raise NotACondition(f'cannot read "{self.source[at:].strip()[:20]}" in the condition "{self.source}"')
            tokens.append((str(match.lastgroup), match.group(str(match.lastgroup)), match.end()))
            at = match.end()
        if len(tokens) > MOST:
            raise NotACondition(f"a condition has at most {MOST} words and signs, this one {len(tokens)}")
        return [*tokens, ("end", "", end)]

    def whole(self) -> Tree:
        tree = self.either()
        if self.tokens[self.place][0] != "end":
            raise self.unexpected('"and", "or" or the end')
        return tree

    def either(self) -> Tree:
        tree = self.both()
        while self.take("or"):
            tree = ["or", tree, self.both()]
        return tree

    def both(self) -> Tree:
        tree = self.negated()
        while self.take("and"):
            tree = ["and", tree, self.negated()]
        return tree

    def negated(self) -> Tree:
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotACondition(f"a condition nests at most {DEEPEST} levels")
        try:
            if self.take("not"):
                return ["not", self.negated()]
            if self.take("("):
                tree = self.either()
                self.expect(")")
                return tree
            return self.comparison()
        finally:
            self.depth -= 1

    def comparison(self) -> Tree:
        left = self.subject()
        if self.take("in"):
            among = self.listed()
            if left[0] == "answer" and left[1] == "label":
                return _any_of([["under", left, ["value", one]] for one in among])
            return ["in", left, among]
        sign = self.tokens[self.place][1]
        if self.tokens[self.place][0] != "mark" or sign not in COMPARISONS:
            if left[0] != "answer":
                raise self.unexpected(f"a comparison after {left[0]}(...)")
            return ["answered", left[1]]
        self.place += 1
        right = self.object()
        if left == ["answer", "label"] and sign in ("==", "!="):
            # A label lies in a tree: `label == NAME` also holds for NAME.DATE, so that refining a tree breaks nothing.
            under: Tree = ["under", left, right]
            return under if sign == "==" else ["and", ["answered", "label"], ["not", under]]
        return [sign, left, right]

    def subject(self) -> Tree:
        kind, word, _ = self.tokens[self.place]
        if kind != "word" or word in ("and", "or", "not", "in"):
            raise self.unexpected("the id of a question")
        if word in ("count", "value") and self.tokens[self.place + 1][1] == "(":
            return self.function()
        self.place += 1
        return ["answer", word]

    def function(self) -> Tree:
        word = self.tokens[self.place][1]
        self.place += 1
        self.expect("(")
        kind, name, _ = self.tokens[self.place]
        if kind != "word":
            raise self.unexpected("the id of a question")
        self.place += 1
        self.expect(")")
        return ["count" if word == "count" else "number", name]

    def object(self) -> Tree:
        if self.tokens[self.place][1] in ("count", "value") and self.tokens[self.place + 1][1] == "(":
            return self.function()
        return ["value", self.literal()]

    def literal(self) -> str | int | float:
        kind, word, _ = self.tokens[self.place]
        self.place += 1
        if kind == "number":
            return float(word) if "." in word else int(word)
        if kind == "string" and word[1:-1].strip():
            return word[1:-1]
        if kind == "word" and word not in ("and", "or", "not", "in"):
            return word
        self.place -= 1
        raise self.unexpected("a word, a number or text in quotation marks (that is not blank)")

    def listed(self) -> list[str | int | float]:
        self.expect("[")
        among = [self.literal()]
        while self.take(","):
            among.append(self.literal())
        self.expect("]")
        return among

    def take(self, word: str) -> bool:
        kind, found, _ = self.tokens[self.place]
        if found != word or kind not in ("word", "mark"):
            return False
        self.place += 1
        return True

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise self.unexpected(f'"{word}"')

    def unexpected(self, wanted: str) -> NotACondition:
        kind, word, _ = self.tokens[self.place]
        found = "it ends" if kind == "end" else f'"{word}" stands'
        return NotACondition(f'{found} where {wanted} was expected in the condition "{self.source}"')


def _any_of(trees: list[Tree]) -> Tree:
    whole = trees[0]
    for tree in trees[1:]:
        whole = ["or", whole, tree]
    return whole
