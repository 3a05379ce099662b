"""Clauses that are right, and the same clauses with one thing wrong, in English and Chinese."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

# Level-1 shares of TGEA without "other": combination, missing and redundancy together 64.85 %, common sense 18.96 %,
# discourse 10.48 %. How the first three share theirs is only drawn in the paper; ours is a guess.
SHARES = {"combination": 0.30, "missing": 0.17, "redundancy": 0.18, "discourse": 0.11, "commonsense": 0.24}
E, A = "erroneous", "associated"
Part = tuple[str, str]  # words, and whether they are erroneous, associated, or neither
Clause = list[Part]
Made = tuple[str, Clause, str, str]  # label, parts, correction, rationale


@cache
def lexicon() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "errors.yaml").read_text("utf-8"))
    return read


class Speaker:
    """What both languages share: choosing, stories, and which error to make."""

    def __init__(self, words: Mapping[str, Any], rng: np.random.Generator) -> None:
        self.words, self.rng = words, rng
        self.errors: dict[str, Sequence[Callable[[], Made]]] = {}

    def choose(self, options: Sequence[Any]) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def person(self) -> tuple[str, str]:
        pronoun = self.choose(list(self.words["people"]))
        return self.choose(self.words["people"][pronoun]), pronoun

    def wrong(self) -> Made:
        kinds = list(SHARES)
        kind = kinds[int(self.rng.choice(len(kinds), p=list(SHARES.values())))]
        made: Made = self.choose(self.errors[kind])()
        return made

    def story(self, *, wrong: bool = True) -> Made:
        """A little story: with the wrong word and its marks, or told as it should be."""
        told = self.choose(self.words["stories"])
        text = told["text"].replace("{person}", self.person()[0])
        parts: Clause = [(text, "")]
        for find, mark, said in (("{x}", E, told["wrong" if wrong else "right"]), (told["shows"], A, told["shows"])):
            parts = [piece for words, own in parts for piece in _parted(words, own, find, mark, said)]
        if not wrong:
            parts = [(words, "") for words, _ in parts]
        return (
            told["label"],
            [(words.strip(), mark) for words, mark in parts if words.strip()],
            told["right"],
            told["why"],
        )

    def join(self, text: str, words: str) -> str:
        raise NotImplementedError

    def fine(self) -> Clause:
        raise NotImplementedError


def _parted(words: str, own: str, find: str, mark: str, said: str) -> Iterator[Part]:
    before, found, after = words.partition(find)
    if own or not found:
        yield words, own
        return
    yield before, ""
    yield said, mark
    yield after, ""


ORDER = ("lead", ",", "subject", "verb", "the", "adjective", "noun", "preposition", "place", ".")


class English(Speaker):
    def __init__(self, words: Mapping[str, Any], rng: np.random.Generator) -> None:
        super().__init__(words, rng)
        self.errors = {
            "combination": (self._verb, self._verb, self._subject, self._adjective, self._preposition),
            "missing": (self._no_verb, self._no_object, self._no_subject, self._no_preposition),
            "redundancy": (self._verb_twice, self._object_twice, self._adjective_twice),
            "discourse": (self._pronoun,),
            "commonsense": (self.story,),
        }

    def join(self, text: str, words: str) -> str:
        if not text:
            return words[:1].upper() + words[1:]
        if words[:1] in ".,":
            return text + words
        return f"{text} {words[:1].upper() + words[1:] if text.endswith('.') else words}"

    def fine(self) -> Clause:
        pick = self.rng.random()
        if pick < 0.25:
            return self.story(wrong=False)[1]
        if pick < 0.5:
            clause, pronoun = self._scene()[1:3]
            return [*clause, (f"{pronoun} {self.choose(self.words['afterwards'])}", ""), (".", "")]
        return self._scene()[1]

    def _scene(self, **marks: str) -> tuple[dict[str, Any], Clause, str]:
        """A clause by its parts, some of them marked, and the pronoun of its subject."""
        scene = self.choose(self.words["scenes"])
        action = self.choose(scene["actions"])
        subject, pronoun = self.person()
        facts: dict[str, Any] = {
            "scene": scene,
            "lead": self.choose(self.words["leads"]),
            "subject": subject,
            "verb": action["past"],
            "base": action["base"],
            "adjective": self.choose(scene["adjectives"]["fit"]),
            "noun": self.choose(action["nouns"]),
            "preposition": scene["place"][0],
            "place": scene["place"][1],
        }
        return facts, self._parts(facts, **marks), pronoun.capitalize()

    def _parts(self, facts: Mapping[str, Any], *without: str, **marks: str) -> Clause:
        return [(str(facts.get(name, name)), marks.get(name, "")) for name in ORDER if name not in without]

    def _other_action(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        others = [
            action
            for scene in self.words["scenes"]
            if scene is not facts["scene"]
            for action in scene["actions"]
            if facts["noun"] not in (*action["nouns"], *action.get("also", ())) and not action.get("anything")
        ]
        found: dict[str, Any] = self.choose(others)
        return found

    def _verb(self) -> Made:
        facts, _, _ = self._scene()
        other = self._other_action(facts)
        parts = self._parts({**facts, "verb": other["past"]}, verb=E, noun=A)
        return "combination.predicate_object", parts, facts["verb"], f"One cannot {other['base']} a {facts['noun']}."

    def _subject(self) -> Made:
        facts, _, _ = self._scene()
        thing = self.choose(self.words["things"])
        parts = self._parts({**facts, "subject": thing}, subject=E, verb=A)
        why = f"{thing[:1].upper()}{thing[1:]} cannot {facts['base']} anything."
        return "combination.subject_predicate", parts, facts["subject"], why

    def _adjective(self) -> Made:
        facts, _, _ = self._scene()
        odd = self.choose(facts["scene"]["adjectives"]["odd"])
        parts = self._parts({**facts, "adjective": odd}, adjective=E, noun=A)
        return "combination.modifier", parts, facts["adjective"], f"A {facts['noun']} cannot be {odd}."

    def _preposition(self) -> Made:
        facts, _, _ = self._scene()
        other = self.choose(self.words["other_prepositions"])
        parts = self._parts({**facts, "preposition": other}, preposition=E, place=A)
        why = f"One does it {facts['preposition']} {facts['place']}, not {other} it."
        return "combination.function_word", parts, facts["preposition"], why

    def _no_verb(self) -> Made:
        facts, _, _ = self._scene()
        parts = self._parts(facts, "verb", the=E, adjective=E, noun=E, subject=A)
        right = f"{facts['verb']} the {facts['adjective']} {facts['noun']}"
        return "missing.predicate", parts, right, "The sentence has no verb."

    def _no_object(self) -> Made:
        facts, _, _ = self._scene()
        parts = self._parts(facts, "the", "adjective", "noun", verb=E, subject=A)
        right = f"{facts['verb']} the {facts['adjective']} {facts['noun']}"
        return "missing.object", parts, right, f"It does not say what {facts['subject']} {facts['verb']}."

    def _no_subject(self) -> Made:
        facts, _, _ = self._scene()
        parts = self._parts(facts, "subject", verb=E, the=A, adjective=A, noun=A)
        return "missing.subject", parts, f"{facts['subject']} {facts['verb']}", "It does not say who did it."

    def _no_preposition(self) -> Made:
        facts, _, _ = self._scene()
        parts = self._parts(facts, "preposition", place=E, noun=A)
        right = f"{facts['preposition']} {facts['place']}"
        return "missing.function_word", parts, right, f"Before {facts['place']} a preposition is missing."

    def _verb_twice(self) -> Made:
        facts, parts, _ = self._scene(verb=A)
        return "redundancy.predicate", [*parts[:4], (facts["verb"], E), *parts[4:]], "", "The verb is there twice."

    def _object_twice(self) -> Made:
        facts, parts, _ = self._scene(the=A, adjective=A, noun=A)
        again = (f"and the {facts['adjective']} {facts['noun']}", E)
        return "redundancy.object", [*parts[:7], again, *parts[7:]], "", "The same thing is named twice."

    def _adjective_twice(self) -> Made:
        facts, parts, _ = self._scene(adjective=A)
        other = self.words["doubles"][facts["adjective"]]
        why = f"{facts['adjective'].capitalize()} and {other} say the same."
        return "redundancy.modifier", [*parts[:6], (other, E), *parts[6:]], "", why

    def _pronoun(self) -> Made:
        facts, parts, pronoun = self._scene(subject=A)
        other = "She" if pronoun == "He" else "He"
        after = [(other, E), (self.choose(self.words["afterwards"]), ""), (".", "")]
        return (
            "discourse.coreference",
            [*parts, *after],
            pronoun,
            f"It is about {facts['subject']}, so it must be {pronoun.lower()}.",
        )


class Chinese(Speaker):
    def __init__(self, words: Mapping[str, Any], rng: np.random.Generator) -> None:
        super().__init__(words, rng)
        self.errors = {
            "combination": (self._verb,),
            "missing": (self._no_verb, self._no_object),
            "redundancy": (self._verb_twice,),
            "discourse": (self._pronoun,),
            "commonsense": (self.story,),
        }

    def join(self, text: str, words: str) -> str:
        return text + words

    def fine(self) -> Clause:
        if self.rng.random() < 0.3:
            return self.story(wrong=False)[1]
        return [(words, "") for words, _ in self._scene()[1]]

    def _scene(self, **marks: str) -> tuple[dict[str, str], Clause, str]:
        scene = self.choose(self.words["scenes"])
        action = self.choose(scene["actions"])
        subject, pronoun = self.person()
        facts = {
            "lead": self.choose(self.words["leads"]),
            "subject": subject,
            "place": scene["place"],
            "verb": action["past"],
            "noun": self.choose(action["nouns"]),
            "end": "。",
        }
        return facts, [(words, marks.get(name, "")) for name, words in facts.items()], pronoun

    def _verb(self) -> Made:
        facts, parts, _ = self._scene(verb=E, noun=A)
        actions = [action for scene in self.words["scenes"] for action in scene["actions"]]
        other = self.choose([action for action in actions if facts["noun"] not in action["nouns"]])
        swapped = [(other["past"], mark) if mark == E else (words, mark) for words, mark in parts]
        return "combination.predicate_object", swapped, facts["verb"], f"{facts['noun']}不能{other['base']}。"

    def _no_verb(self) -> Made:
        facts, parts, _ = self._scene(noun=E, subject=A)
        kept = [part for part in parts if part[0] != facts["verb"]]
        return "missing.predicate", kept, facts["verb"] + facts["noun"], "句子里没有动词。"

    def _no_object(self) -> Made:
        facts, parts, _ = self._scene(verb=E, subject=A)
        kept = [part for part in parts if part[0] != facts["noun"]]
        return "missing.object", kept, facts["verb"] + facts["noun"], "没有说明做的是什么。"

    def _verb_twice(self) -> Made:
        facts, parts, _ = self._scene(verb=A)
        return "redundancy.predicate", [*parts[:4], (facts["verb"], E), *parts[4:]], "", "动词说了两遍。"

    def _pronoun(self) -> Made:
        facts, parts, pronoun = self._scene(subject=A)
        other = "她" if pronoun == "他" else "他"
        after = [(other, E), (self.choose(self.words["afterwards"]), ""), ("。", "")]
        return "discourse.coreference", [*parts, *after], pronoun, f"说的是{facts['subject']}。"
