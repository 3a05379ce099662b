"""The colours of pictures, each for light and for dark pages.

The names are those of the custom properties in the style sheets of the pages, so that a picture inside a page follows
the page's colours. Steps of `ramp` go from little to much, and the words on each are readable (WCAG: 4.5 to 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Ink(NamedTuple):
    light: str
    dark: str


_DARK_WORDS, _LIGHT_WORDS = Ink("#1d1d1f", "#e9e7e1"), Ink("#ffffff", "#10182b")
_RAMP = (
    (Ink("#edf2fb", "#262a32"), _DARK_WORDS),
    (Ink("#d2dcee", "#343a46"), _DARK_WORDS),
    (Ink("#b5c5e0", "#424a5a"), _DARK_WORDS),
    (Ink("#99add2", "#535e72"), _DARK_WORDS),
    (Ink("#7a94c2", "#7e8eae"), Ink("#1d1d1f", "#10182b")),
    (Ink("#5072ae", "#98abd2"), _LIGHT_WORDS),
    (Ink("#29529b", "#b0c6f4"), _LIGHT_WORDS),
)
RAMP_STEPS = len(_RAMP)
TONES = 8

# Of the pages' own style sheet; a test compares them.
SHARED: Mapping[str, Ink] = {
    "ink": Ink("#1d1d1f", "#e9e7e1"),
    "ink-soft": Ink("#56544f", "#b3b0a8"),
    "line": Ink("#dedad0", "#36383d"),
    "line-strong": Ink("#8a867c", "#7d7f85"),
    "surface": Ink("#ffffff", "#1f2125"),
    "accent": Ink("#27509b", "#9dbaf5"),
    "tone-1": Ink("#0a58a8", "#7db8ff"),
    "tone-2": Ink("#a8410a", "#ffa36b"),
    "tone-3": Ink("#0b6b4f", "#58cfa6"),
    "tone-4": Ink("#8b2f8f", "#e59be6"),
    "tone-5": Ink("#745400", "#e2bd4e"),
    "tone-6": Ink("#006a7a", "#5fcbdc"),
    "tone-7": Ink("#b02256", "#ff94b6"),
    "tone-8": Ink("#53524e", "#c4c1b9"),
}
# Of pictures alone: tints of the tones to write on, and the ramp.
OWN: Mapping[str, Ink] = {
    "tint-1": Ink("#c9daec", "#37485e"),
    "tint-2": Ink("#ecd5c9", "#594337"),
    "tint-3": Ink("#c9ded8", "#2e4e47"),
    "tint-4": Ink("#e5d1e6", "#524157"),
    "tint-5": Ink("#e0d9c7", "#524a30"),
    "tint-6": Ink("#c7dee2", "#304d55"),
    "tint-7": Ink("#eeceda", "#593f4b"),
    "tint-8": Ink("#d9d9d8", "#4a4b4b"),
    **{f"ramp-{step}": fill for step, (fill, _) in enumerate(_RAMP, start=1)},
    **{f"on-ramp-{step}": words for step, (_, words) in enumerate(_RAMP, start=1)},
}
INKS: Mapping[str, Ink] = {**SHARED, **OWN}


def ramp(share: float) -> tuple[str, str]:
    """The fill for a number between 0 and 1, and the ink of words on it."""
    step = 1 + round(min(1.0, max(0.0, share)) * (RAMP_STEPS - 1))
    return f"ramp-{step}", f"on-ramp-{step}"


def style_sheet(inks: Mapping[str, Ink]) -> str:
    """The colours as custom properties, for a page that stands alone."""
    return "\n".join(f"  --{name}: light-dark({ink.light}, {ink.dark});" for name, ink in inks.items())
