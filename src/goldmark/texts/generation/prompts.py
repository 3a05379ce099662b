"""What a model is asked for: a prompt, the texts that prime it, and how it samples. All of it is recorded."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol

from goldmark.errors import GoldmarkError

DELIMITER = "\n\n###\n\n"


class NotASetting(GoldmarkError):
    code = "GENERATE-01"
    message = "{name} must be {allowed}, not {value}"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next word is drawn. The temperature is the one under which HUMANLIKE generated its texts."""

    temperature: float = 0.7
    top_p: float = 1.0
    most_tokens: int = 300
    seed: int | None = None

    def __post_init__(self) -> None:
        for name, value, allowed, right in (
            ("temperature", self.temperature, "0 to 2", 0 <= self.temperature <= 2),
            ("top_p", self.top_p, "above 0 and at most 1", 0 < self.top_p <= 1),
            ("most_tokens", self.most_tokens, "1 or more", self.most_tokens >= 1),
        ):
            if not right:
                raise NotASetting(name=name, allowed=allowed, value=value)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def drawn_again(self, attempt: int) -> Sampling:
        """The same for a further try: with a seed, the next one, because the same one would give the same text."""
        if self.seed is None or attempt == 0:
            return self
        return Sampling(self.temperature, self.top_p, self.most_tokens, self.seed + attempt)


class Continuation(NamedTuple):
    """What a model wrote after its prompt, and why it stopped (`stop`, `length` or the server's own word)."""

    text: str
    finished: str


class Writer(Protocol):
    """A model that continues texts. `continue_after` may be called from several threads."""

    name: str

    def continue_after(self, prompt: str, sampling: Sampling, stop: Sequence[str]) -> Continuation: ...


@dataclass(frozen=True, slots=True)
class Priming:
    """Human-written texts of the domain that stand before every prompt: three of them in HUMANLIKE."""

    texts: tuple[str, ...] = ()
    delimiter: str = DELIMITER

    def before(self, prompt: str) -> str:
        """The priming texts, each closed by the delimiter, then the prompt that is to be continued."""
        return "".join(f"{text.strip()}{self.delimiter}" for text in self.texts) + prompt

    @property
    def stop(self) -> tuple[str, ...]:
        """Where the model begins a further text of its own, it has finished this one."""
        return (self.delimiter.strip(),) if self.texts else ()

    @property
    def digest(self) -> str | None:
        """What tells one set of priming texts from another in the record of a text."""
        if not self.texts:
            return None
        return hashlib.sha256("\x1f".join((self.delimiter, *self.texts)).encode()).hexdigest()[:16]
