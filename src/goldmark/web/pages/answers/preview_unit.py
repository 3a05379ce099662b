"""The invented unit on which a preview shows a protocol."""

from __future__ import annotations

from goldmark.protocols.language import Protocol
from goldmark.records.units import ContextTable, ContextText, GivenMark, ShownText, ShownUnit
from goldmark.texts.segmentation.text import make_text

TEXTS = (
    "The Marsh Herons beat the Hill Foxes 104-98 on Friday at Reed Hall. Devereaux led the Herons with 31 points and "
    "nine assists, while Umeh added a double-double with 12 points and 11 rebounds. They had won four games before.",
    "The Herons won again. With 104 points against 98 they beat the Hill Foxes, and it was Devereaux, with 31 points, "
    "who made the difference on Friday.",
)
CONTEXT = (
    ContextText("Question", "How did the Herons play on Friday?"),
    ContextTable(
        "Box score",
        ("Player", "Team", "PTS", "REB", "AST"),
        (("Devereaux", "Herons", 31, 4, 7), ("Umeh", "Foxes", 12, 11, 2), ("Wenlock", "Foxes", 30, 6, 3)),
    ),
)


def preview_unit(protocol: Protocol) -> ShownUnit:
    """One text or two, as the protocol asks; with a given mark, which a verification needs and others leave alone."""
    given = (GivenMark(16, 17, "NAME"),) if protocol.name.startswith("verification") else ()
    shown = {
        role: ShownText(make_text(f"preview-{role}", TEXTS[place % 2]), given=given)
        for place, role in enumerate(protocol.texts)
    }
    return ShownUnit(shown, CONTEXT)
