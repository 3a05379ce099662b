"""Run inside Argilla's own environment: records and settings as its client writes them, without a server.

A server of Argilla needs a search engine beside it, so nothing is sent to one; what is written is what
`dataset.records.to_json`, `dataset.settings.to_json` and `dataset.records.to_datasets` write.
"""

from __future__ import annotations

import sys
from pathlib import Path
from uuid import UUID

import argilla as rg
from argilla.records._io import GenericIO, JsonIO
from datasets import Dataset

ADA, BO = UUID(int=1), UUID(int=2)
ANSWERS = ("The Owls 🎉 won on <b>Monday</b>.\nNobody minds.", "狐狸 输了。", "خسر الثعالب المباراة.")
SAID = {
    ADA: (
        {"good": "yes", "topics": ["sport"], "stars": 4, "why": "clear", "errors": [(4, 8)], "best": ["a", "b"]},
        {
            "good": "no",
            "topics": ["sport", "odd one"],
            "stars": 1,
            "why": "输了",
            "errors": [(0, 2)],
            "best": ["b", "a"],
        },
        {"good": "no", "topics": ["odd one"], "stars": 2, "why": "-", "errors": [], "best": ["b", "a"]},
    ),
    BO: ({"good": "no", "topics": ["odd one"], "stars": 2, "why": "which Monday?", "errors": [], "best": ["b", "a"]},),
}


def settings() -> rg.Settings:
    return rg.Settings(
        guidelines="Mark every error.",
        fields=[rg.TextField(name="question"), rg.TextField(name="answer")],
        questions=[
            rg.LabelQuestion(name="good", title="Good?", labels=["yes", "no"]),
            rg.MultiLabelQuestion(name="topics", labels=["sport", "odd one"]),
            rg.RatingQuestion(name="stars", values=[1, 2, 3, 4, 5]),
            rg.TextQuestion(name="why", required=False),
            rg.SpanQuestion(name="errors", field="answer", labels=["Wrong name", "Wrong number"]),
            rg.RankingQuestion(name="best", values=["a", "b"]),
        ],
        metadata=[rg.TermsMetadataProperty(name="system")],
    )


def value(question: str, said: object) -> object:
    if question == "errors" and isinstance(said, list):
        return [{"label": "Wrong name", "start": start, "end": end} for start, end in said]
    if question == "best" and isinstance(said, list):
        return [{"value": one, "rank": rank} for rank, one in enumerate(said, start=1)]
    return said


def records() -> list[rg.Record]:
    made = []
    for place, answer in enumerate(ANSWERS):
        responses = [
            rg.Response(question, value(question, said), user_id=person, status="submitted")
            for person, of in SAID.items()
            if place < len(of)
            for question, said in of[place].items()
        ]
        if place == 1:  # begun and not handed in
            responses.append(rg.Response("good", "yes", user_id=BO, status="draft"))
        system = ("alder", "birch", "alder")[place]
        fields = {"question": "Who won?", "answer": answer}
        made.append(rg.Record(id=f"r{place + 1}", fields=fields, metadata={"system": system}, responses=responses))
    return made


def offline() -> None:
    """A client is asked for by settings, and asks its server at once who it is: here there is none to ask."""
    rg.Argilla._validate_connection = lambda self: None
    rg.Argilla(api_url="http://127.0.0.1:1", api_key="none")


if __name__ == "__main__":
    out = Path(sys.argv[1])
    offline()
    settings().to_json(out / "settings.json")
    JsonIO.to_json(records(), out / "records.json")
    flat = GenericIO.to_list(records(), flatten=True)
    Dataset.from_list(flat).to_parquet(out / "rows.parquet")
