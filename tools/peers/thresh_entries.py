"""Run inside thresh's own environment: entries of two people that its library loads and writes, and what it converts.

Places are those of its page: units of 16 bits, the end excluded.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import thresh

TEMPLATE = """template_name: owl_edits
template_label: Edits of owls
instructions: Mark **every** edit.
edits:
  - name: deletion
    label: "Left out"
    enable_input: true
    annotation:
      - name: kind
        question: "Was it needed?"
        options:
          - {name: good, label: "Not needed", question: "How much does it help?", options: likert-3}
          - {name: trivial, label: "Trivial"}
      - {name: grammar_error, question: "Is it wrong now?", options: binary}
  - name: wrong_name
    label: "错误"
    enable_output: true
    annotation:
      - {name: explanation, question: "Why?", options: textarea}
"""
SOURCE = "The owls 🎉 won, on a Monday, in an empty hall, and nobody minded at all."
TEXTS = (
    ("alder", SOURCE, "The Owls 🎉 won on <b>Monday</b> & left.\nNobody minds."),
    ("birch", SOURCE, "狐狸 🦊 输了。"),
    ("alder", "فاز البوم", "خسر الثعالب المباراة."),
)


def edit(category: str, words: str, text: str, side: str, **said: Any) -> dict[str, Any]:
    units = text.encode("utf-16-le")
    start = units.index(words.encode("utf-16-le")) // 2
    place = [[start, start + len(words.encode("utf-16-le")) // 2]]
    return {"category": category, "id": 1, side: place, "annotation": said}


def entries(person: str) -> list[dict[str, Any]]:
    """Ada marks three passages; Bo was on every page and marked nothing."""
    made = [
        {"id": number, "source": source, "target": target, "context": "A long story. " * 20, "edits": []}
        | {"metadata": {"system": system, "annotator": person, "game": "g1"}}
        for number, (system, source, target) in enumerate(TEXTS)
    ]
    if person == "ada":
        first, second = TEXTS[0][2], TEXTS[1][2]
        made[0]["edits"] = [
            edit("wrong_name", "Nobody", first, "output_idx", explanation="<who>\n& why"),
            edit("deletion", "Monday", SOURCE, "input_idx", kind={"val": "good", "good": "a lot"}, grammar_error="yes"),
            edit("deletion", "hall", SOURCE, "input_idx", kind={"val": "trivial"}, grammar_error="no"),
        ]
        made[1]["edits"] = [edit("wrong_name", "输了", second, "output_idx", explanation="狐狸")]
    return made


def ratings(path: Path) -> None:
    rows = [
        ("alder", "g1", "1", "ada", "Eulen 🎉", "The 🎉 <v>Owls</v> won.", "Accuracy/Mistranslation", "Major"),
        ("birch", "g1", "1", "ada", "Eulen 🎉", "狐狸 <v>输了</v>。", "Fluency/Grammar", "Minor"),
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file, delimiter="\t")
        written.writerow(["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"])
        written.writerows((system, doc, "1", *others) for system, doc, *others in rows)


if __name__ == "__main__":
    work = Path(sys.argv[1])
    (work / "out" / "edits").mkdir(parents=True)
    template = work / "out" / "edits" / "template.yml"
    template.write_text(TEMPLATE, encoding="utf-8")
    for name in ("ada", "bo"):
        interface = thresh.load_interface(str(template))
        interface.export_data(interface.load_annotations(entries(name)), str(work / "out" / "edits" / f"{name}.json"))
    (work / "out" / "page").mkdir()
    for name in ("ada", "bo"):
        (work / "out" / "page" / f"{name}.json").write_text(json.dumps(entries(name)), encoding="utf-8")
    (work / "out" / "page" / "template.yml").write_text(TEMPLATE, encoding="utf-8")
    (work / "out" / "mqm").mkdir()
    ratings(work / "ratings.tsv")
    thresh.convert_dataset("mqm", str(work / "ratings.tsv"), output_path=str(work / "out" / "mqm" / "converted.json"))
