"""Managers' pages: what is refused is told beside its form, and nothing that anybody wrote becomes HTML."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
import yaml

from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.lifecycle import find_campaign, move
from goldmark.people.annotators import invite, renew_invite
from goldmark.people.invitations import open_campaign
from goldmark.protocols import builtin_names
from tests.campaigns.plans import plan_from_parts
from tests.web.house import House, build, hidden_token

EVIL = '<script>alert("1")</script>\u202e<img src=x onerror=alert(2)>'


@pytest.fixture
def hostile(house: House) -> tuple[House, int, int]:
    """A campaign in which every word that people or models wrote tries to be HTML."""
    services = house.services
    plan = plan_from_parts(
        {"campaign": "evil", "title": EVIL, "protocol": "accuracy", "consent": EVIL},
        rows=[
            {
                "id": EVIL,
                "text": f"{EVIL} text",
                "system": EVIL,
                "context": [{"kind": "text", "title": EVIL, "text": EVIL}],
            }
        ],
    )
    open_campaign(services.store, services.links, plan, author=EVIL)
    move(services.store, "evil", "started", author=EVIL, reason=EVIL)
    token = invite(services.store, services.links, "evil", EVIL, author=EVIL)[1]
    services.work.consent(token)
    task = services.work.next(token).task
    assert task is not None
    mistake = {"id": "e1", "start": 0, "end": 2, "label": "NAME", "correction": EVIL}
    services.responses.submit(token, task.id, Submission({"mistakes": [mistake]}, "client-key", None, 1.0))
    return house, task.unit_id, task.id


def test_nothing_that_anybody_wrote_becomes_html(hostile: tuple[House, int, int]) -> None:
    house, unit, response = hostile
    browser = house.browser("owner")
    house.services.accounts.create(EVIL, house.accounts["curator"].role, None, author=EVIL)
    house.services.accounts.new_token(house.accounts["owner"].id, EVIL)
    pages = ["/", "/campaigns/evil", "/campaigns/evil/units", f"/campaigns/evil/units/{unit}"]
    pages += ["/campaigns/evil/annotators", "/campaigns/evil/responses", f"/campaigns/evil/responses/{response}"]
    pages += ["/campaigns/evil/settings", "/campaigns/evil/export", "/accounts", "/account"]
    pages += ["/campaigns/evil/results", f"/campaigns/evil/results?system={EVIL}&annotator={EVIL}"]
    pages += [f"/campaigns/evil/results/{part}" for part in ("errors", "people", "pictures.svg")]
    pages += [f"/campaigns/evil/units?search={EVIL}"]
    for path in pages:
        page = browser.get(path)
        assert page.status_code == 200, path
        assert "alert" in page.text or path in ("/campaigns/evil/export",), path
        assert "<script>alert" not in page.text, path
        assert "<img" not in page.text, path
    policy = page.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_a_unit_shows_marks_letters_and_answers(house: House) -> None:
    page = house.browser("curator").get(f"/campaigns/zoo/units/{house.unit}").text
    assert 'title="Number"' in page
    assert '<span class="badge own"' in page
    assert "Correction:" in page
    assert "2 revisions" in page
    history = house.browser("curator").get(f"/campaigns/zoo/responses/{house.response}").text
    assert "nothing marked" in history  # the first revision
    assert history.count("Revision") >= 2


def test_a_campaign_from_the_form(house: House) -> None:
    browser = house.browser("manager")
    assert "accuracy/1: " in browser.get("/campaigns/new").text
    form: dict[str, Any] = {"campaign": "pond", "protocol": "accuracy", "labels_per_unit": "2", "join.open": "yes"}
    form |= {"join.invite": "Ann\n\n Bo \nAnn", "batch.size": "5", "consent": "", "title": "Pond"}
    texts = [("files", ("texts.csv", b"id,text,system\na,One text.,oak\n"))]
    made = browser.post("/campaigns/new/form", form, files=texts)
    assert made.headers["location"] == "/campaigns/pond?done=created"
    page = browser.get("/campaigns/pond?done=created").text
    assert "The campaign was created." in page
    assert "0</strong> of 2 labels" in page
    people = browser.get("/campaigns/pond/annotators").text
    assert people.count("/a/") == 2
    assert ">Ann<" in people
    assert ">Bo<" in people


def test_what_is_wrong_with_a_form_is_told_and_what_was_typed_stays(house: House) -> None:
    browser = house.browser("manager")
    form = {
        "campaign": "Pond!",
        "protocol": "accuracy",
        "labels_per_unit": "0",
        "title": "A long title",
        "join.invite": "Ann",
    }
    page = browser.post("/campaigns/new/form", form, files=[("files", ("texts.csv", b"id,text\na,One.\n"))])
    assert page.status_code == 422
    for kept in ('value="Pond!"', 'value="A long title"', ">Ann</textarea>", 'id="campaign-wrong"'):
        assert kept in page.text
    assert 'id="labels_per_unit-wrong"' in page.text
    nothing = browser.post("/campaigns/new/form", {**form, "campaign": "pond"}, files=[("files", ("", b""))])
    assert nothing.status_code == 422
    lines = browser.post("/campaigns/new", files=[("files", ("campaign.yaml", b"campaign: pond\nprotocl: accuracy\n"))])
    assert "campaign.yaml:2" in lines.text
    assert "protocl" in lines.text


def test_start_pause_close_with_reasons_in_the_history(house: House) -> None:
    browser = house.browser("manager")
    for verb, word in (("pause", "paused"), ("start", "running"), ("close", "closed")):
        moved = browser.post("/campaigns/zoo/move", {"verb": verb, "reason": f"why {verb}"})
        assert moved.status_code == 303
        page = browser.get(moved.headers["location"]).text
        assert f'state {word}">{word}' in page
        assert f"why {verb}" in page
    refused = browser.post("/campaigns/zoo/move", {"verb": "pause"})
    assert refused.status_code == 409
    assert "it can only be paused when it is running" in refused.text


def test_settings_say_what_is_wrong_beside_the_field(house: House) -> None:
    browser = house.browser("manager")
    given = {"title": "Zoo", "labels_per_unit": "many", "lease_minutes": "30", "batch.size": "0", "consent": "Yes?"}
    given["join.open"] = "no"  # what a box that is not ticked sends
    page = browser.post("/campaigns/zoo/settings", given)
    assert page.status_code == 422
    assert 'id="labels_per_unit-wrong"' in page.text
    assert 'id="batch-size-wrong"' in page.text
    assert ">Yes?</textarea>" in page.text
    right = browser.post("/campaigns/zoo/settings", {**given, "labels_per_unit": "3", "batch.size": "", "reason": "r"})
    assert right.status_code == 303
    row = house.program("manager").get("/api/v1/campaigns/zoo").json()
    assert (row["settings"]["labels_per_unit"], row["settings"]["lease_minutes"], row["title"]) == (3, 30.0, "Zoo")
    assert row["settings"]["join"]["open"] is False


def test_texts_can_be_added_while_it_runs(house: House) -> None:
    browser = house.browser("manager")
    more = [("files", ("more.jsonl", b'{"id": "z4", "text": "A fourth."}'))]
    assert browser.post("/campaigns/zoo/texts", files=more).status_code == 303
    again = browser.post("/campaigns/zoo/texts", files=more)
    assert again.status_code == 422
    assert "is in the campaign already" in again.text


def test_an_annotator_with_an_account_sees_their_work_and_nothing_else(house: House) -> None:
    browser = house.browser("annotator")
    assert "You take part in no campaign yet" in browser.get("/").text
    house.browser("manager").post("/campaigns/zoo/annotators", {"accounts": "annotator"})
    page = browser.get("/").text
    assert "Continue" in page
    assert "/campaigns/zoo" not in page
    assert browser.get("/campaigns/zoo").status_code == 403


def test_accounts_are_made_with_a_link_that_is_shown_once(house: House) -> None:
    browser = house.browser("owner")
    made = browser.post("/accounts", {"name": "Cleo", "role": "manager"})
    assert "/link/" in made.text
    assert "/link/" not in browser.get("/accounts").text.replace('/link"', "")
    twice = browser.post("/accounts", {"name": "Cleo", "role": "manager"})
    assert twice.status_code == 409
    assert "there is an account" in twice.text


def test_a_token_is_shown_once(house: House) -> None:
    browser = house.browser("manager")
    made = browser.post("/account/tokens", {"name": "scripts", "days": "30"})
    assert "gm_" in made.text.replace("gm_…", "")
    assert "gm_" not in browser.get("/account").text.replace("gm_…", "")


def test_an_export_that_is_not_possible_says_why(house: House) -> None:
    page = house.browser("manager").get("/campaigns/zoo/export/nonsense")
    assert page.status_code == 404
    saved = house.browser("manager").get("/campaigns/zoo/export/jsonl")
    assert saved.headers["content-disposition"] == 'attachment; filename="zoo.jsonl"'
    assert b"zebra" in saved.content


def test_every_form_carries_the_token_of_this_session(house: House) -> None:
    browser = house.browser("owner")
    for path in ("/", "/accounts", "/account", "/campaigns/new", "/campaigns/zoo", "/campaigns/zoo/annotators"):
        page = browser.get(path).text
        assert page.count('method="post"') == page.count(f'name="csrf" value="{browser.csrf}"')
        assert hidden_token(page) == browser.csrf


def tabs(page: str) -> list[str]:
    return re.findall(r">([^<]+)</a>", page.partition('<nav class="sections"')[2].partition("</nav>")[0])


def test_a_campaign_has_the_tasks_that_its_protocol_has(house: House) -> None:
    tasks = ["Overview", "Texts", "People", "Review", "Curation", "Results", "Settings"]
    browser = house.browser("manager")
    page = browser.get("/campaigns/zoo/quality").text
    assert tabs(page) == tasks
    assert 'href="/campaigns/zoo/annotators" aria-current="true">People' in page
    assert 'href="/campaigns/zoo/quality" aria-current="page">Quality' in page
    assert "Training</a>" not in page  # the protocol has none
    assert (
        'href="/campaigns/zoo/review/figures" aria-current="page"' in browser.get("/campaigns/zoo/review/figures").text
    )
    assert "/campaigns/zoo/export" not in house.browser("curator").get("/campaigns/zoo/results").text
    form = {"campaign": "rated", "protocol": "rating-qa", "labels_per_unit": "2", "join.open": "no"}
    rows = [("files", ("rows.csv", b"id,text\na,Zebras have four legs.\n"))]
    assert browser.post("/campaigns/new/form", form, files=rows).status_code == 303
    rated = browser.get("/campaigns/rated/results").text
    assert tabs(rated) == [one for one in tasks if one != "Curation"]
    assert "/campaigns/rated/dataset" not in rated  # nothing is marked
    export = browser.get("/campaigns/rated/export").text
    assert "export/jsonl" in export
    assert not re.search(r"rated/dataset|export/(gsml|webanno-tsv|cas)|value=.gsml", export)  # only marks
    assert "export/gsml" in browser.get("/campaigns/zoo/export").text
    assert "/status/agreement" not in browser.get("/campaigns/rated/status").text  # that is for stages of marking


def test_a_stranger_is_welcomed_and_told_where_to_go(house: House) -> None:
    house.services.doors["Try me"] = "/join/abc"
    page = house.client().get("/").text
    assert 'href="/signin"' in page
    assert 'href="/join/abc"><bdi>Try me' in page
    assert 'href="/leaderboards/zoo"' in page
    assert "Animals" not in page  # a campaign is no stranger's business


def test_studies_and_datasets_have_lists(house: House) -> None:
    browser = house.browser("curator")
    assert "There are no studies yet" in browser.get("/studies").text
    assert "/campaigns/zoo/dataset" not in browser.get("/datasets").text  # which only managers may build
    assert 'href="/campaigns/zoo/dataset"' in house.browser("manager").get("/datasets").text


def test_a_live_page_fetches_its_inside_and_nothing_while_it_is_the_same(house: House) -> None:
    browser = house.browser("manager")
    whole = browser.get("/campaigns/zoo").text
    inside = browser.client.get("/campaigns/zoo", headers={"goldmark-fragment": "inside"})
    assert inside.text.strip().startswith('<div class="page">')
    assert 'id="progress" data-live' in inside.text
    assert len(inside.text) < len(whole)
    known = {"goldmark-fragment": "inside", "if-none-match": inside.headers["etag"]}
    again = browser.client.get("/campaigns/zoo", headers=known)
    assert (again.status_code, again.text) == (304, "")
    browser.post("/campaigns/zoo/move", {"verb": "pause"})
    assert browser.client.get("/campaigns/zoo", headers=known).status_code == 200


def test_links_use_the_address_that_was_named(sqlite_database: str) -> None:
    house = build(sqlite_database, public="https://eval.example.org/")
    page = house.browser("manager").get("/campaigns/zoo/annotators").text
    assert 'value="https://eval.example.org/a/' in page
    house.close()


def test_a_protocol_is_copied_previewed_saved_and_used(house: House) -> None:
    browser = house.browser("manager")
    assert "/protocols/accuracy/1" in browser.get("/protocols").text
    editor = browser.get("/protocols/new?from=accuracy/1").text
    source = html.unescape(editor.partition('<textarea id="source"')[2].partition(">")[2].partition("</textarea>")[0])
    assert source.startswith("protocol: my-accuracy/1\nextends: accuracy/1\n")
    label = {"action": "label", "new.label.tree": "accuracy-6", "new.label.title": "Wrong <date>", "new.label.key": "d"}
    changed = browser.post("/protocols/new", {"source": source, **label}).text
    source = html.unescape(changed.partition('<textarea id="source"')[2].partition(">")[2].partition("</textarea>")[0])
    preview = browser.post("/protocols/preview", {"source": source})
    assert "frame-ancestors 'self'" in preview.headers["content-security-policy"]
    config = json.loads(preview.text.partition('id="config">')[2].partition("</script>")[0])["preview"]
    assert "WRONG_DATE" in json.dumps(config["protocol"])
    assert "<date>" not in preview.text  # what somebody wrote is no HTML
    wrong = browser.post("/protocols/preview", {"source": f"{source}steps: 3\n"}).text
    assert re.search(r'data-line="\d+">line \d+</a> <bdi>&#34;steps&#34; must be a list', wrong)
    refused = browser.post("/protocols/new", {"source": "protocol: accuracy/1\nextends: accuracy/1\n"})
    assert refused.status_code == 422
    saved = browser.post("/protocols/new", {"source": source, "action": "save"})
    assert saved.headers["location"] == "/protocols/my-accuracy/1?done=protocol-saved"
    seen = browser.get("/protocols/my-accuracy/1?against=accuracy/1").text
    assert re.search("<ins>[+] +- id: WRONG_DATE", seen)
    assert 'src="/protocols/my-accuracy/1/preview"' in seen
    form = {"campaign": "mine", "protocol": "my-accuracy/1", "labels_per_unit": "1", "join.open": "no"}
    rows = [("files", ("rows.csv", b"id,text\na,Zebras have four legs.\n"))]
    assert browser.post("/campaigns/new/form", form, files=rows).status_code == 303
    assert "Asked in" in browser.get("/protocols/my-accuracy/1").text
    again = browser.post("/protocols/new", {"source": source.replace("title: ", "title: x"), "action": "save"})
    assert again.status_code == 409
    assert "call the changed one my-accuracy/2" in html.unescape(again.text)


@pytest.mark.parametrize("name", builtin_names())
def test_every_built_in_protocol_has_a_preview(shared_house: House, name: str) -> None:
    assert shared_house.browser("curator").get(f"/protocols/{name}/preview").status_code == 200


def test_a_table_is_looked_at_and_its_columns_are_chosen(house: House) -> None:
    browser = house.browser("manager")
    table = b"Nr;Summary;Model;Article\n1;Zebras run. They <b>eat</b>.;oak;Long story\n"
    files = [("files", ("table.csv", table))]
    seen = html.unescape(browser.post("/campaigns/new/look", {"context": "Article"}, files=files).text)
    assert "1 row: which column is what?" in seen
    assert "<option selected>Summary</option>" in seen
    assert re.search(r"Hidden from annotators:</strong> <bdi>Model</bdi></p>", seen)
    assert seen.count("<li>") == 2  # sentences
    assert "&lt;b&gt;" in browser.post("/campaigns/new/look", files=files).text
    nonsense = browser.post("/campaigns/new/look", files=[("files", ("table.xlsx", b"nonsense"))])
    assert "not an Excel workbook" in html.unescape(nonsense.text)
    form = {
        "campaign": "mapped",
        "protocol": "accuracy",
        "labels_per_unit": "1",
        "join.open": "no",
        "context": "Article",
    }
    form |= {"column.text": "Summary", "column.system": "Model", "column.id": "", "tokeniser": "whitespace"}
    assert (
        browser.post("/campaigns/new/form", form, files=files).headers["location"] == "/campaigns/mapped?done=created"
    )
    unit = browser.get("/campaigns/mapped/units").text
    assert "system: oak" in unit
    assert "Long story" not in unit  # it is beside the text, not a hidden fact


def test_the_open_link_knows_who_joined_in_this_browser(house: House) -> None:
    row = house.services.store.read(lambda connection: find_campaign(connection, "zoo"))
    door = f"/join/{house.services.links.invite(row.id, row.invite_nonce)}"
    client = house.client()
    assert "Continue as" not in client.get(door).text
    first = client.post(door, data={"name": "Kim"}).headers["location"]
    page = client.get(door).text
    assert f'href="{first}">Continue as <bdi>Kim</bdi>' in page
    assert client.post(door, data={"name": "Kim again"}).headers["location"] == first  # no second set of units
    other = client.post(door, data={"name": "Lou", "other": "yes"}).headers["location"]
    assert other != first
    assert "same browser as: Kim" in house.browser("manager").get("/campaigns/zoo").text
    assert "Continue as <bdi>Lou</bdi>" in client.get(door).text
    renewed = renew_invite(house.services.store, house.services.links, "zoo", author="test")
    assert "Continue as <bdi>Lou</bdi>" in client.get(f"/join/{renewed}").text, "by a new link, too"
    door = f"/join/{renewed}"
    stranger = house.client()
    assert "Continue as" not in stranger.get(door).text
    taken = stranger.post(door, data={"name": "Kim"})
    assert (taken.status_code, "go on by your own link" in taken.text) == (409, True)


def test_people_of_one_browser_judge_no_text_in_common(either_house: House) -> None:
    """Nobody can tell whether they are two: so nobody judges a text twice by joining twice."""
    house = either_house
    row = house.services.store.read(lambda connection: find_campaign(connection, "zoo"))
    door = f"/join/{house.services.links.invite(row.id, row.invite_nonce)}"
    browser = house.client()
    people = [
        browser.post(door, data={"name": name, "other": "yes"}).headers["location"] for name in ("Kim", "Lou", "Mo")
    ]
    people.append(house.client().post(door, data={"name": "Nan"}).headers["location"])
    got: list[list[str]] = [[] for _ in people]
    for _ in range(4):
        for at, address in enumerate(people):
            client = house.client(headers={"authorization": f"Bearer {address.removeprefix('/a/')}"})
            task = client.post("/api/v1/work/next", json={}).json()["assignment"]
            if task is None:
                continue
            got[at].append(json.dumps(task["unit"]))
            body = {"answers": {"mistakes": []}, "client_key": f"one-key-{at}-{task['id']}"}
            assert client.post(f"/api/v1/work/assignments/{task['id']}/responses", json=body).status_code == 200
    together = [one for some in got[:3] for one in some]
    assert len(together) == len(set(together)), "no text twice in one browser"
    assert sum(map(len, got)) > len(set(together)), "and somebody in another browser judges the same ones"


def test_how_people_begin_and_all_settings_as_yaml(house: House) -> None:
    """What a campaign file can say of its people is said on the settings page, and comes back as a file."""
    browser = house.browser("manager")
    given = {
        "qualification": "yes",
        "candidates": "yes",
        "above": "85",
        "after": "12",
        "condition.name": ["news", "wiki", ""],
        "condition.places": ["10", "", ""],
        "condition.training": ["", "", ""],
        "condition.factors": ["domain: news", "domain: wiki, length: long", ""],
        "condition.mix": ["", "", ""],
        "reason": "a pilot",
    }
    assert browser.post("/campaigns/zoo/settings/start", given).status_code == 303
    file = yaml.safe_load(browser.get("/campaigns/zoo/settings/campaign.yaml").text)
    assert file["candidates"] == {"above": 0.85, "after": 12}
    assert [one["name"] for one in file["conditions"]] == ["news", "wiki"]
    assert file["conditions"][1]["factors"] == {"domain": "wiki", "length": "long"}
    assert (file["campaign"], file["protocol"]) == ("zoo-2", "accuracy/1")
    # The file is accepted as it is; what it leaves out is as it is by default.
    text = yaml.safe_dump({**file, "labels_per_unit": 4, "conditions": [], "candidates": None})
    assert browser.post("/campaigns/zoo/settings/whole", {"text": text}).status_code == 303
    settings = house.program("manager").get("/api/v1/campaigns/zoo").json()["settings"]
    assert (settings["labels_per_unit"], settings["conditions"], settings["candidates"]) == (4, [], None)
    wrong = browser.post("/campaigns/zoo/settings/whole", {"text": "labels_per_unit: many\nbatches: 3\n"})
    assert wrong.status_code == 422
    assert "settings:1" in wrong.text
    assert "settings:2" in wrong.text
    odd = browser.post("/campaigns/zoo/settings/start", {**given, "condition.factors": ["news", "", ""]})
    assert "write it as domain: news" in odd.text
