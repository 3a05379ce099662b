"""A checker over many texts: one text that cannot be checked does not stop the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from goldmark.checkers.plugins import CannotCheck, CheckedText, Checker, CheckerType, ModeUnknown
from goldmark.errors import Problem
from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark.texts.readers.gsml import words_of


@dataclass(frozen=True)
class CheckRun:
    """What was found in every text that could be checked, and why the others could not."""

    checked: Mapping[str, CheckedText]
    problems: tuple[Problem, ...]

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """All mistakes, numbered through."""
        every = (mistake for checked in self.checked.values() for mistake in checked.mistakes)
        return tuple(replace(mistake, id=str(number)) for number, mistake in enumerate(every, 1))


def check_texts(checker: Checker, texts: Iterable[Text], problems: Iterable[Problem] = ()) -> CheckRun:
    """Check texts in their order."""
    checked: dict[str, CheckedText] = {}
    troubles = list(problems)
    for text in texts:
        try:
            checked[text.id] = checker.check(text)
        except CannotCheck as error:
            troubles.append(Problem(text.id, str(error)))
    return CheckRun(checked, tuple(troubles))


def in_mode(outcome: CheckRun, kind: CheckerType, mode: str | None) -> CheckRun:
    """What a checker is sure enough of, in one of its modes; if none is asked for, its mistakes without the doubts."""
    if mode is None:
        return outcome
    if mode not in kind.modes:
        known = f"it has {', '.join(kind.modes)}" if kind.modes else "it has none"
        raise ModeUnknown(name=kind.name, mode=mode, known=known)
    least = kind.modes[mode]
    kept = {
        text: replace(checked, mistakes=tuple(one for one in _from_left(checked) if _sure(one, least)), doubts=())
        for text, checked in outcome.checked.items()
    }
    return replace(outcome, checked=kept)


def _from_left(checked: CheckedText) -> list[Mistake]:
    return sorted((*checked.mistakes, *checked.doubts), key=lambda mistake: mistake.span)


def _sure(mistake: Mistake, least: float) -> bool:
    return mistake.probability is None or mistake.probability >= least


def explained(outcome: CheckRun, texts: Mapping[str, Text]) -> Iterator[dict[str, object]]:
    """Every claim as a row for machines: its words and place, its reading, verdict and evidence. Tokens from 1."""
    for text_id, checked in outcome.checked.items():
        text = texts[text_id]
        for claim in checked.claims:
            yield {
                "text": text_id,
                "start": claim.span.start + 1,
                "end": claim.span.end,
                "tokens": words_of(text, claim.span),
                "reading": dict(claim.reading),
                "verdict": claim.verdict,
                "evidence": claim.evidence,
                "relations": [
                    {"who": item.who, "what": item.what, "value": item.value, "verdict": item.verdict}
                    for item in claim.relations
                ],
            }
