"""Units for the browser tests: short invented texts, and texts that are hard to show."""

from __future__ import annotations

import re
from typing import Any

from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import ContextLink, ContextTable, ContextText, GivenMark, ShownText, ShownUnit

WORD = re.compile(r"[㐀-鿿]|[\w'’-]+|[^\w\s]")
LAST = frozenset(".!?。؟！？")

GAME = (
    "The Marsh Herons beat the Hill Foxes 104-98 on Friday at Reed Hall. Devereaux led the Herons with 31 points and "
    "nine assists, while Umeh added a double-double with 12 points and 11 rebounds.\n\nFor the Foxes, Wenlock scored "
    "30 points. They had won their last four games, and will now travel to Port Sallow on Monday."
)
STORM = (
    "When the ferry left the harbour, nobody on deck believed in the storm. The storm started at noon and the storm "
    "started again in the evening. The captain drank the new proposal after three hours of debate."
)
ARABIC = "ذهب المعلم إلى المدرسة يوم الجمعة. وصل الطلاب متأخرين لأن الحافلة تعطلت، فبدأ الدرس في الساعة التاسعة."
CHINESE = "星期五晚上，白鹭队在主场以104比98战胜了狐狸队。德维罗独得31分，并送出九次助攻。"
HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\"> <script>document.title='owned'</script> & &amp; "
    "\u202eevil\u202c zero\u200bwidth 👩‍👩‍👧 naïve e\u0301 \u0007 bell"
)


def text(characters: str, **more: Any) -> ShownText:
    """Words and punctuation are tokens, every Chinese character is one; sentences end at full stops."""
    tokens = tuple(Span(found.start(), found.end()) for found in WORD.finditer(characters))
    sentences, start = [], 0
    for position, place in enumerate(tokens):
        if characters[place.start] in LAST or position == len(tokens) - 1:
            sentences.append(Span(start, position + 1))
            start = position + 1
    return ShownText(Text("t", characters, tokens, tuple(sentences)), **more)


BOX = ContextTable(
    "Box score",
    ("Player", "Team", "MIN", "PTS", "REB", "AST", "STL", "BLK", "TO", "FG", "3P", "FT"),
    tuple(
        (
            name,
            team,
            20 + n,
            points,
            n % 12,
            (n * 3) % 10,
            n % 4,
            n % 3,
            n % 5,
            f"{n}-{n + 5}",
            f"{n % 4}-6",
            f"{n % 5}-5",
        )
        for n, (name, team, points) in enumerate(
            [
                ("Devereaux", "Herons", 31),
                ("Umeh", "Foxes", 12),
                ("Wenlock", "Foxes", 30),
                ("Farrow", "Foxes", 8),
                ("Okonjo", "Herons", 22),
                ("Lindqvist", "Herons", 17),
                ("Brandt", "Herons", 9),
                ("Sallow", "Foxes", 14),
                ("Achterberg", "Foxes", 20),
                ("Quill", "Herons", 11),
            ]
        )
    ),
)
SOURCE = ContextText("Source", "Die Fähre verließ den Hafen am Mittag. Niemand glaubte an den Sturm.")
LINK = ContextLink("The league's page of this game", "https://example.org/games/17")


def unit(*texts: ShownText, context: tuple[Any, ...] = ()) -> dict[str, Any]:
    roles = ("text",) if len(texts) == 1 else ("a", "b")
    return ShownUnit(dict(zip(roles, texts, strict=True)), context).to_json()


def long_text(words: int) -> ShownText:
    sentence = "Player number {} scored {} points in the game against the visitors from the north. "
    count = -(-words // 15)
    return text("".join(sentence.format(n, n % 40) + ("\n\n" if n % 8 == 7 else "") for n in range(count)))


def game(n: int = 0) -> dict[str, Any]:
    return unit(text(GAME.replace("31", str(31 + n))), context=(BOX, LINK))


def verification() -> dict[str, Any]:
    shown = text(GAME)
    return unit(text(GAME, focus=shown.text.sentences[1], given=(GivenMark(16, 17, "NAME"),)), context=(LINK,))
