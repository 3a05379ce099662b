"""Noise that a model leaves behind: texts that are too short, or not in the script that they should be in."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache

from goldmark.errors import GoldmarkError

# A script by the name that people use, and the first words of its characters' names in Unicode.
SCRIPTS = {
    "latin": ("LATIN", "FULLWIDTH LATIN"),
    "chinese": ("CJK", "IDEOGRAPHIC", "KANGXI"),
    "japanese": ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA"),
    "korean": ("HANGUL", "HALFWIDTH HANGUL"),
    "cyrillic": ("CYRILLIC",),
    "greek": ("GREEK",),
    "arabic": ("ARABIC",),
    "hebrew": ("HEBREW",),
    "devanagari": ("DEVANAGARI",),
    "thai": ("THAI",),
}


class UnknownScript(GoldmarkError):
    code = "PREPARE-03"
    message = 'there is no script "{name}"; there are {known}'


@dataclass(frozen=True, slots=True)
class NoiseRule:
    """What is kept: more than so many characters, of which at least this share is in the script.

    White space counts for neither. The defaults are those under which TGEA collected its texts.
    """

    longer_than: int = 15
    script: str | None = None
    share: float = 0.7

    def __post_init__(self) -> None:
        if self.script is not None and self.script not in SCRIPTS:
            raise UnknownScript(name=self.script, known=", ".join(SCRIPTS))


def why_noise(characters: str, rule: NoiseRule) -> str | None:
    """Why a text is noise, or None."""
    inked = [character for character in characters if not character.isspace()]
    if len(inked) <= rule.longer_than:
        return f"{len(inked)} characters, not more than {rule.longer_than}"
    if rule.script is None:
        return None
    inside = sum(_in_script(character, rule.script) for character in inked)
    if inside < rule.share * len(inked):
        return f"{inside / len(inked):.0%} of its characters are {rule.script}, less than {rule.share:.0%}"
    return None


@cache
def _in_script(character: str, script: str) -> bool:
    return unicodedata.name(character, "").startswith(SCRIPTS[script])
