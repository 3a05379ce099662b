"""A campaign of any built-in protocol that is hard to carry: many scripts, markup, line breaks, and people who marked
nothing."""

from __future__ import annotations

from functools import cache

from goldmark.protocols import load
from goldmark.protocols.answers import marking
from goldmark.protocols.validation import validate
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import ContextTable, ContextText, ShownText, ShownUnit, Unit
from goldmark.texts.segmentation.text import make_text
from tests.results.filled import Said, answered, record_of_answers

TEXTS = (
    'The Owls won 88-79 .\nThey left 🎉 at once , and <b>nobody</b> & "co" said that anything had changed since then .',
    "فاز الفريق بنتيجة 88-79 يوم الاثنين ، ثم غادر اللاعبون الملعب بسرعة كبيرة ولم يقل أحد شيئا عن المباراة بعد ذلك .",
    "北京 队 以 88 比 79 获胜 。 他们 随后 离开 了 球场 ， 没有 人 说 任何 话 ， 没有 人 问 为什么 👩‍👩‍👧 。",
)
SILENT = "Zoë Ünsal <zoe>"  # who marks nothing, wherever the protocol lets people


@cache
def hard_campaign(name: str) -> CampaignRecord:
    protocol = load(name)
    context = (
        ContextText("Question", "Who won?\nAnd <why>?"),
        ContextTable("Score", ("team", "points"), (("Owls", 88), ("Foxes & co", None))),
    )
    units = []
    for place, words in enumerate(TEXTS):
        texts = {
            role: ShownText(make_text(f"u{place}" if role == "text" else f"u{place}/{role}", f"{words} {at}"))
            for at, role in enumerate(protocol.texts)
        }
        hidden = {"item": f"i{place}", "system": "alder", "source": "human"}
        hidden |= {f"system_{role}": ("alder", "birch")[at % 2] for at, role in enumerate(protocol.texts)}
        units.append(Unit(f"u{place}", ShownUnit(texts, context), hidden))
    _, said = answered(protocol, units=units)
    quiet = [
        Said(
            one.unit, one.item, one.system, SILENT, one.hidden, {**one.answers, **{q.id: [] for q in marking(protocol)}}
        )
        for one in said
        if one.annotator == said[0].annotator
    ]
    shown = {unit.id: unit.shown for unit in units}
    said += [one for one in quiet if not validate(protocol, one.answers, shown[one.unit])]
    return record_of_answers("hard", protocol, units, said)
