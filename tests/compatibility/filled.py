"""What the files of a version hold: campaigns of every kind, a study and a board. The texts are made up for this."""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from goldmark.accounts.links import SignedLinks
from goldmark.store import open_store
from tests.compatibility.program import SECRET, Answers, Program
from tests.recruiting.ground import Ground, platform_of


def text_of(unit: Mapping[str, Any]) -> str:
    return str(unit["texts"]["text"]["characters"])


def lines(*rows: Mapping[str, Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def accounts(program: Program) -> None:
    program.run("user", "create", "owner", "--role", "owner")
    program.tokens["owner"] = program.run("user", "token", "owner").split()[-1]
    for role in ("manager", "curator", "annotator"):
        program.run("user", "create", role, "--role", role)
        program.tokens[role] = program.run("user", "token", role).split()[-1]
    program.run("user", "create", "gone", "--role", "manager")
    program.tokens["gone"] = program.run("user", "token", "gone").split()[-1]
    program.tokens["reads"] = program.run("user", "token", "manager", "--scope", "read", "--days", "36500").split()[-1]
    program.run("user", "deactivate", "gone", "--reason", "left the group")


LIKERT = ("strongly_disagree", "disagree", "neutral", "agree", "strongly_agree")


def plain(program: Program) -> None:
    """Ratings: two people, one of them twice about the same answer; one holds a draft."""
    program.run("campaign", "create", "plain/campaign.yaml")
    program.run("campaign", "start", "plain")
    ann, bo = program.invite("plain", "Ann"), program.invite("plain", "Bo")
    first = program.work(ann, lambda unit: {"correct": LIKERT[len(text_of(unit)) % 5]})
    program.submit(ann, first[0], {"correct": "disagree"}, 44.25)
    program.work(bo, lambda unit: {"correct": LIKERT[(len(text_of(unit)) + 1) % 5]}, 3)
    held = program.next(bo)["assignment"]["id"]
    draft = {"answers": {"correct": "neutral"}, "version": 0, "seconds_active": 3.5}
    program.call("PUT", f"/work/assignments/{held}/draft", draft, bo)
    program.tokens.update({"Ann of plain": ann, "Bo of plain": bo})


def marked(unit: Mapping[str, Any], person: str) -> Answers:
    """Marks of numbers, and of names by some."""
    words = unit["texts"]["text"]["tokens"]
    characters = text_of(unit)
    found: list[dict[str, Any]] = []
    for place, (start, end) in enumerate(words):
        word = characters[start:end]
        label = "NUMBER" if word in ("six", "nine") else "NAME" if word == "Norway" and person != "Bo" else ""
        if label:
            found.append(
                {"id": f"e{len(found) + 1}", "start": place, "end": place + 1, "label": label, "correction": "four"}
            )
    return {"mistakes": found}


def animals(program: Program) -> None:
    """Marks in texts; every state that an assignment can have; reviews, spot checks, curation, a second look."""
    program.run("campaign", "create", "animals/campaign.yaml")
    program.run("campaign", "start", "animals")
    people = {name: program.invite("animals", name) for name in ("Ann", "Bo", "Cy", "Dee", "Eve", "Fay")}
    program.tokens.update({f"{name} of animals": token for name, token in people.items()})
    for token in people.values():
        program.call("POST", "/work/consent", {}, token)
    here = "/campaigns/animals"
    program.tokens["Cy of animals"] = people["Cy"]
    late = program.next(people["Fay"])["assignment"]  # Fay's place will be given to others
    done = {
        name: program.work(people[name], partial(marked, person=name), most)
        for name, most in (("Ann", 6), ("Bo", 6), ("Cy", 4))
    }
    # Reviews: approved, returned, amended, returned and released; some wait.
    waiting = program.call("GET", f"{here}/reviews", token=program.tokens["curator"])["waiting"]
    for number, one in enumerate(waiting):
        if number % 6 == 5:
            continue
        returned = number % 3 == 1
        body = {
            "revision": one["revision"],
            "verdict": "returned" if returned else "approved",
            "comment": "Please look again." if returned else "",
            "remarks": [{"where": "mistakes", "comment": "Is that all?"}] if returned else [],
        }
        program.call("POST", f"{here}/reviews/{one['id']}", body, program.tokens["curator"])
    answers = program.call("GET", f"{here}/responses")["responses"]
    returned_ones = [one["id"] for one in answers if one["state"] == "returned"]
    owners = {number: name for name, numbers in done.items() for number in numbers}
    amended = returned_ones[0]
    held = program.call("GET", f"/work/assignments/{amended}", token=people[owners[amended]])
    program.submit(people[owners[amended]], amended, {**held["answers"], "mistakes": []}, 61.0)
    program.call("POST", f"{here}/responses/{returned_ones[1]}/release", {"reason": "did not come back"})
    # Dee is excluded after answering, Eve warned and paused.
    program.work(people["Dee"], partial(marked, person="Bo"), 2)
    listed = {one["name"]: one["id"] for one in program.call("GET", f"{here}/annotators")["annotators"]}
    program.call("POST", f"{here}/annotators/{listed['Dee']}/exclude", {"reason": "copied from a neighbour"})
    program.call(
        "POST", f"{here}/annotators/{listed['Eve']}/warn", {"message": "Please read slowly.", "reason": "fast"}
    )
    program.call("POST", f"{here}/annotators/{listed['Eve']}/pause", {"reason": "on holiday"})
    # Fay's lease runs out while the campaign's texts are filled by others; then she answers all the same.
    program.call("POST", "/join", {"invite": invite_of(program, "animals"), "name": "Gil"})
    time.sleep(4)
    hal = program.invite("animals", "Hal")
    program.call("POST", "/work/consent", {}, hal)
    program.work(hal, partial(marked, person="Ann"))
    program.submit(people["Fay"], late["id"], marked(late["unit"], "Bo"))
    ivy = program.invite("animals", "Ivy")
    program.call("POST", "/work/consent", {}, ivy)
    program.next(ivy)
    # A spot check over what was approved.
    drawn = program.call("POST", f"{here}/status/spot-check", {"size": 3, "seed": 5}, program.tokens["manager"])
    assert drawn
    for right in (True, False):
        case = program.call("GET", f"{here}/status/spot-check/next", token=program.tokens["manager"])
        remarks = [] if right else [{"where": "mistakes", "comment": "One more is wrong."}]
        word = {"right": right, "remarks": remarks, "comment": ""}
        program.call("POST", f"{here}/status/spot-check/{case['response']}", word, program.tokens["manager"])
    curate(program)
    program.call("POST", f"{here}/follow-up", {"kind": "verification", "campaign": "animals-again"})


def invite_of(program: Program, campaign: str) -> str:
    found = json.dumps(program.call("GET", f"/campaigns/{campaign}"))
    return str(re.findall(r"/join/([^\"\s]+)", found)[0])


def curate(program: Program) -> None:
    here = "/campaigns/animals/curation"
    curator = program.tokens["curator"]
    listed = program.call("GET", here, token=curator)["units"]
    desks = [(one["id"], program.call("GET", f"{here}/{one['id']}", token=curator)) for one in listed]
    for number, (unit, desk) in enumerate([one for one in desks if one[1]["people"]][:3]):
        address = f"{here}/{unit}"
        after = len(desk["steps"])
        undecided = [entry["id"] for entry in desk["state"]["entries"] if entry["status"] == "open"]
        steps: list[tuple[str, Mapping[str, Any]]] = [
            ("add", {"start": 0, "end": 1, "label": "WORD"}),
            ("note", {"note": "Talked over."}),
            *((("drop" if number else "accept"), {"mark": mark}) for mark in undecided),
        ]
        for kind, facts in (*steps, *([("finish", {})] if number < 2 else [])):
            body = {"after": after, "kind": kind, "facts": facts, "reason": "because"}
            after += len(program.call("POST", f"{address}/steps", body, curator)["steps"])


def tested(program: Program) -> None:
    """Test questions among the work; people of a crowd platform, one of them forgotten."""
    program.run("campaign", "create", "tested/campaign.yaml")
    rows = [
        {"id": "right-1", "text": "A hen has two legs.", "test": "positive", "expected": {"correct": "strongly_agree"}},
        {"id": "right-2", "text": "A cow has four.", "test": "positive", "expected": {"correct": "strongly_agree"}},
        {"id": "wrong-1", "text": "A hen has ten.", "test": "negative", "expected": {"correct": "strongly_disagree"}},
        {"id": "wrong-2", "text": "A cow has nine.", "test": "negative", "expected": {"correct": "strongly_disagree"}},
    ]
    rates = {"positive": 0.25, "negative": 0.25, "seed": 3}
    program.call("POST", "/campaigns/tested/test-questions", {"rates": rates, "rows": rows})
    program.run("campaign", "start", "tested")
    invite = invite_of(program, "tested")
    for name, point in (("crowd-1", 4), ("crowd-2", 4), ("crowd-3", 0)):
        person = {"platform": "prolific", "id": name}
        token = program.call("POST", "/join", {"invite": invite, "participant": person})["token"]
        program.call("POST", "/work/consent", {}, token)

        def answer(unit: Mapping[str, Any], point: int = point) -> Answers:
            return {"correct": LIKERT[0 if "ten" in text_of(unit) else point]}

        program.work(token, answer, 8)
        program.tokens[f"{name} of tested"] = token
    people = program.call("GET", "/campaigns/tested/annotators")["annotators"]
    program.call("POST", f"/campaigns/tested/annotators/{people[1]['id']}/exclude", {"reason": "always the same"})
    program.call("POST", f"/campaigns/tested/annotators/{people[1]['id']}/restore", {"reason": "it was a mistake"})
    program.call("POST", "/campaigns/tested/participants/erase", {"annotators": [people[2]["name"]], "reason": "asked"})


RIGHT: Mapping[str, Answers] = {
    "1": {},
    "2.1": {"errors": [{"id": "e1", "start": 4, "end": 5, "label": "NAME"}]},
    "3.1": {"pick": "b"},
    "q1": {"errors": [{"id": "e1", "start": 4, "end": 5, "label": "NUMBER"}]},
    "q2": {"errors": [{"id": "e1", "start": 1, "end": 2, "label": "NAME"}]},
}


def taught(program: Program) -> None:
    """Training and qualification: one passes, one fails and tries again, one is in the middle of it."""
    program.run("campaign", "create", "taught/campaign.yaml")
    program.run("campaign", "start", "taught")
    invite = invite_of(program, "taught")
    for name, wrong, most in (("crowd-4", (), 9), ("crowd-5", ("q1", "q2"), 9), ("crowd-6", (), 2)):
        person = {"platform": "prolific", "id": name}
        token = program.call("POST", "/join", {"invite": invite, "participant": person})["token"]
        program.tokens[f"{name} of taught"] = token
        lesson = program.call("POST", "/work/lesson", {}, token)
        for number in range(most):
            item = (lesson.get("item") or {}).get("id")
            if item is None:
                break
            answers = {"errors": []} if item in wrong else RIGHT[item]
            body = {"item": item, "answers": answers, "client_key": f"{name}-lesson-{number}", "seconds_active": 7.0}
            lesson = program.call("POST", "/work/lesson/answers", body, token)["lesson"]
        if not wrong and most == 9:
            program.work(token, lambda unit: {"errors": []}, 1)


def pairs(program: Program) -> None:
    program.run("campaign", "create", "pairs/campaign.yaml")
    program.run("campaign", "start", "pairs")
    for name in ("Ann", "Bo"):
        token = program.invite("pairs", name)
        program.work(token, lambda unit: {"preferred": "a", "why": "It says more."}, 3)
        program.next(token)
        program.tokens[f"{name} of pairs"] = token


def stages(program: Program) -> None:
    """A staged protocol, whose campaign becomes a dataset."""
    program.run("campaign", "create", "stages/campaign.yaml")
    program.run("campaign", "start", "stages")

    def answer(unit: Mapping[str, Any]) -> Answers:
        words = [start for start, _ in unit["texts"]["text"]["tokens"]]
        place = text_of(unit).find("evening")
        if place < 0:
            return {"verdict": "fine"}
        at = words.index(place)
        error = {
            "id": "e1",
            "start": at,
            "end": at + 1,
            "label": "commonsense.time",
            "links": {"associated": [{"start": 0, "end": 1}]},
            "correction": "morning",
            "rationale": "It is the wrong time of day.",
        }
        return {"verdict": "erroneous", "errors": [error]}

    for name in ("Ann", "Bo"):
        program.work(program.invite("stages", name), answer)
    # The same answers once more, but those of Bo by a model.
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stages.jsonl"
        program.run("campaign", "export", "stages", str(copy))
        rows = [json.loads(line) for line in copy.read_text(encoding="utf-8").splitlines()]
        for row in rows:
            if row["record"] == "annotator" and row["id"] == "Bo":
                row["facts"]["kind"] = "model"
        copy.write_bytes(lines(*rows))
        program.run("campaign", "import", str(copy), "--name", "stages-model")


def study(program: Program) -> None:
    """Participants by lot, whose conditions get texts of their own groups."""
    program.run("study", "create", "study/study.yaml")
    program.run("campaign", "start", "who-wrote")
    invite = invite_of(program, "who-wrote")
    choices = ("definitely_human", "possibly_human", "possibly_machine", "definitely_machine")
    for number in range(6):
        person = {"platform": "prolific", "id": f"reader-{number}"}
        token = program.call("POST", "/join", {"invite": invite, "participant": person})["token"]
        program.call("POST", "/work/consent", {}, token)

        def answer(unit: Mapping[str, Any], number: int = number) -> Answers:
            source = choices[(len(text_of(unit)) + number) % 4]
            asked = "why" if source == "definitely_human" else "change"
            return {"source": source, asked: "because the small observations in it follow from each other"}

        program.work(token, answer, 4)
        program.tokens[f"reader {number}"] = token


def board(program: Program) -> None:
    """Two systems judged in a scored round; a third whose metrics wait in the queue and whose round is open."""
    program.run("leaderboard", "create", "board/board.yaml")
    here = "/leaderboards/questions"
    program.call("POST", f"{here}/teams", {"team": "Alder Lab", "account": "annotator"})

    def send(system: str, team: str, token: str = "", words: str = "says that") -> int:
        off = 1 + (system == "Birch")
        rows = [{"id": f"q{n}", "output": f"{system} {words} it is {n + off}."} for n in range(6)]
        file = {"file": ("outputs.jsonl", lines(*rows), "application/jsonl")}
        data = {"system": system, "team": team, "description": "An imaginary system.", "authors": "A team"}
        return int(program.call("POST", f"{here}/submissions", token=token, files=file, data=data)["id"])

    ids = [send("Alder", "Alder Lab", program.tokens["annotator"]), send("Birch", "Birch Institute")]
    program.run("jobs", "work", "--until-empty")
    program.call("POST", f"{here}/rounds/1/open", {})
    judge(program, "questions-round-1", ("Ann", "Bo"))
    program.call("POST", f"{here}/rounds/1/close", {"reason": "all are judged"})
    for number in ids:
        program.call("POST", f"{here}/submissions/{number}/publish", {"reason": ""})
    send("Cedar", "Cedar Group")
    send("Alder", "Alder Lab", program.tokens["annotator"], "knows")
    program.call("POST", f"{here}/rounds/2/open", {})
    judge(program, "questions-round-2", ("Cy",), 4)
    jobs = program.call("GET", "/jobs")["jobs"]
    spare = next(one["id"] for one in jobs if one["state"] == "waiting" and "metric" in one["kind"])
    program.call("POST", f"/jobs/{spare}/cancel", {"reason": "not now"})


def judge(program: Program, campaign: str, people: tuple[str, ...], most: int = 1_000) -> None:
    for name in people:
        token = program.invite(campaign, name)

        def answer(unit: Mapping[str, Any], name: str = name) -> Answers:
            return {"correct": LIKERT[(1 if "Birch" in text_of(unit) else 3) + (name == "Bo")]}

        program.work(token, answer, most)
        program.tokens[f"{name} of {campaign}"] = token


def helped(program: Program) -> None:
    """Suggestions of a program: one accepted, one dismissed; pages in German."""
    program.run("campaign", "create", "helped/campaign.yaml")
    program.run("campaign", "start", "helped")
    for name in ("Ann", "Bo"):
        token = program.invite("helped", name)

        def answer(unit: Mapping[str, Any]) -> Answers:
            first, *others = unit["texts"]["text"].get("suggested", [None])
            if first is None:
                return {"mistakes": []}
            words = {"label": first["label"], "correction": "something else", "suggested": first["id"]}
            mark = {"id": "e1", "start": first["start"], "end": first["end"], **words}
            return {"mistakes": [mark], "mistakes.dismissed": [one["id"] for one in others]}

        program.work(token, answer, 3 if name == "Ann" else 2)
        program.tokens[f"{name} of helped"] = token


def versions(program: Program) -> None:
    """The best and the worst of four; nobody reads two versions of an item."""
    program.run("campaign", "create", "versions/campaign.yaml")
    program.run("campaign", "start", "versions")
    for name in ("Ann", "Bo", "Cy"):
        token = program.invite("versions", name)
        program.work(token, lambda unit: {"picked": "a>c"}, 2 if name == "Ann" else 1)
        program.tokens[f"{name} of versions"] = token


def crowded(program: Program) -> None:
    """A campaign on a crowd platform: two people are paid, one with a bonus; one works."""
    store = open_store(str(program.database))
    links, pay = SignedLinks(SECRET.encode()), {"target_hourly": 15.0}
    with pytest.MonkeyPatch.context() as environment, platform_of("mturk", environment) as there:
        ground = Ground.build(store, there, links=links, pay=pay)
        for number in (1, 2):
            program.tokens[f"{number} of crowded"] = ground.person(number).whole(seconds=240.0 * number)
        ground.look()
        owed = json.loads(program.run("crowd", "bonus", "crowded", "--json"))
        program.run("crowd", "bonus", "crowded", "--confirm", str(owed["total"]))
        program.tokens["3 of crowded"] = token = ground.person(3).come()
        ground.work(token, 1)
        ground.look()
    store.close()
