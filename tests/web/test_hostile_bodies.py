"""Bodies that are no honest request: never an error of the server, never much of its time or memory."""

from __future__ import annotations

import errno
import io
import json
import zipfile
from datetime import UTC, date, datetime

import polars
import pytest

from goldmark.campaigns.definition import uploads
from goldmark.web.security_headers import MOST_PARTS, MOST_PARTS_OF_UPLOADS
from tests.web.house import House

JSON = {"content-type": "application/json"}
UNITS = "/api/v1/campaigns/zoo/units"
MANY_FIELDS = [(f"field{number}", (None, b"x" * 50_000)) for number in range(60)]
MANY_FILES = [("file", (f"{number}.jsonl", b"{}")) for number in range(20)]


@pytest.mark.parametrize(
    "value",
    [
        r'"\ud800"',
        r'{"\udfff": 1}',
        "1e999",
        "-1e999",
        "NaN",
        "-Infinity",
        "9" * 5_000,
        "[" * 100_000 + "]" * 100_000,
    ],
    ids=lambda value: value[:12],
)
def test_what_cannot_be_kept_is_refused_at_the_door(house: House, value: str) -> None:
    row = f'{{"id": "new", "text": "Words.", "fact": {value}}}'
    manager, person = house.program("manager"), house.client(headers={"authorization": f"Bearer {house.person}"})
    texts = manager.post(UNITS, content=f'{{"rows": [{row}]}}', headers=JSON)
    drafted = person.put(
        "/api/v1/work/assignments/1/draft", content=f'{{"answers": {{"a": {value}}}, "version": 0}}', headers=JSON
    )
    assert {texts.status_code, drafted.status_code} <= {400, 413, 422}


def test_two_halves_of_a_character_are_one(house: House) -> None:
    row = r'{"rows": [{"id": "smile", "text": "A \ud83d\ude00."}]}'
    assert house.program("manager").post(UNITS, content=row, headers=JSON).status_code == 201


@pytest.mark.parametrize("value", ["1" + "0" * 30, "[" * 300 + "]" * 300], ids=["number", "nested"])
def test_a_draft_that_no_answer_could_be_is_told(house: House, value: str) -> None:
    person = house.client(headers={"authorization": f"Bearer {house.person}"})
    drafted = person.put(
        "/api/v1/work/assignments/1/draft", content=f'{{"answers": {{"a": {value}}}, "version": 0}}', headers=JSON
    )
    assert (drafted.status_code, drafted.json()["code"]) == (422, "ANSWER-07")


def test_seeds_are_numbers_that_can_be_stored(house: House) -> None:
    rates = json.dumps({"rates": {"seed": 10**30}})
    told = house.program("manager").put("/api/v1/campaigns/zoo/test-questions/rates", content=rates, headers=JSON)
    assert told.status_code == 422


def test_a_list_of_nothing_but_brackets_is_not_read(house: House) -> None:
    for client, path, most in (
        (house.client(), "/api/v1/join", MOST_PARTS),
        (house.program("manager"), UNITS, MOST_PARTS_OF_UPLOADS),
    ):
        empty = b'{"rows": [' + b"[]," * (most // 2) + b"[]]}"
        assert client.post(path, content=empty, headers=JSON).status_code == 413


def test_only_files_may_be_as_large_as_uploads(house: House) -> None:
    large = b'{"rows": [{"id": "a", "text": "' + b"a" * 21_000_000 + b'"}]}'
    assert house.program("manager").post(UNITS, content=large, headers=JSON).status_code == 413


def test_of_many_unknown_keys_a_hundred_are_told(house: House) -> None:
    keys = json.dumps({f"k{number}": 1 for number in range(5_000)})
    told = house.client().post("/api/v1/join", content=keys, headers=JSON)
    assert (told.status_code, len(told.json()["problems"])) == (422, 100)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_a_body_of_another_kind_is_told_which_is_wanted(house: House, kind: str | None) -> None:
    headers = {} if kind is None else {"content-type": kind}
    told = house.program("manager").post(UNITS, content=b'{"rows": []}', headers=headers)
    assert (told.status_code, "application/json" in told.json()["message"]) == (415, True)
    upload = house.program("manager").post(f"{UNITS}/upload", json={"files": []})
    assert (upload.status_code, "multipart/form-data" in upload.json()["message"]) == (415, True)


def test_half_a_character_in_a_key_of_a_file_is_told(house: House) -> None:
    line = rb'{"id": "a", "text": "b", "\ud800": 1}'
    for send in (
        house.program("manager").post(f"{UNITS}/upload", files={"files": ("texts.jsonl", io.BytesIO(line))}),
        house.browser("manager").post("/campaigns/zoo/texts", files={"files": ("texts.jsonl", io.BytesIO(line))}),
    ):
        assert send.status_code == 422


def test_no_refusal_names_a_folder_of_the_server(house: House) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("list.csv", "")
    for path, field in (("suggestions", "file"), ("gold", "files"), ("answers", "files")):
        packed = ("list.zip", archive.getvalue())
        told = house.program("manager").post(f"/api/v1/campaigns/zoo/{path}/upload", files={field: packed})
        assert told.status_code in (404, 422)
        assert "goldmark-upload" not in told.text


def test_options_of_a_platform_are_no_bomb(house: House) -> None:
    bomb = "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))])
    for options in (bomb, "a: &a [*a]", "[" * 5_000, "a: !!python/name:os.system"):
        page = house.browser("manager").post("/campaigns/zoo/crowd", {"platform": "mturk", "options": options})
        assert page.status_code == 422


def parquet(**columns: list[object]) -> tuple[str, io.BytesIO]:
    file = io.BytesIO()
    polars.DataFrame(columns).write_parquet(file)
    return "texts.parquet", io.BytesIO(file.getvalue())


def test_a_table_that_unfolds_is_looked_at_and_taken_without_its_size_in_the_server(house: House) -> None:
    """Of what a page shows, only the beginning comes back from the process that read it."""
    long = "Zebras run. " * 40_000
    browser = house.browser("manager")
    files = {"files": parquet(nr=list(range(20)), output=[long] * 20, at=[datetime(2026, 1, 1, tzinfo=UTC)] * 20)}
    look = browser.post("/campaigns/new/look", files=files)
    assert (look.status_code, "20 rows" in look.text, len(look.text) < 200_000) == (200, True, True)
    few = {"files": parquet(nr=[1, 2], output=["Zebras run.", "Lions sleep."], at=[date(2026, 1, 1), None])}
    form = {"campaign": "tables", "protocol": "accuracy", "column.text": "output", "column.id": "nr"}
    assert browser.post("/campaigns/new/form", form, files=few).status_code == 303
    units = house.program("manager").get("/api/v1/campaigns/tables/units").json()["units"]
    assert {one["name"]: one["hidden"]["at"] for one in units} == {"1": "2026-01-01", "2": None}


def test_a_table_of_very_many_columns_is_told(house: House) -> None:
    header = ",".join(f"c{number}" for number in range(20_000)).encode()
    look = house.browser("manager").post("/campaigns/new/look", files={"files": ("t.csv", io.BytesIO(header))})
    assert "20,000 columns" in look.text
    assert len(look.text) < 10_000


@pytest.mark.parametrize("path", ["/api/v1/leaderboards/zoo/submissions", "/leaderboards/zoo/submit"])
def test_fields_beside_a_file_are_no_longer_than_a_request_without_one(shared_house: House, path: str) -> None:
    """They are held in memory while the file lies on the disk; so are small files."""
    sender = (shared_house.program if path.startswith("/api") else shared_house.browser)("annotator")
    file = ("file", ("outputs.jsonl", b"{}"))
    for parts, status, code in (([*MANY_FIELDS, file], 413, "LIMIT-02"), (MANY_FILES, 400, "HTTP-400")):
        refused = sender.post(path, files=parts)
        assert refused.status_code == status
        assert code in refused.text
    long = {"system": "Good", "team": "Lab", "description": "\N{PENGUIN}" * 5_000}
    assert "q0" in sender.post(path, data=long, files=[file]).text, "the file is looked at"


@pytest.mark.parametrize(
    "names", [["\u6f22" * 100 + ".jsonl"], ["a", "a/b.jsonl"], ["a/b.jsonl", "a"], ["a", "a/b/c.jsonl"]]
)
def test_names_that_no_disk_takes_are_refused_in_words(shared_house: House, names: list[str]) -> None:
    program = shared_house.program("manager")
    about = ("files", ("campaign.yaml", b"campaign: tiny\nprotocol: humanlike\ntexts: texts.jsonl\n"))
    files = [("files", (name, b'{"id": "n1", "text": "A text."}\n')) for name in names]
    for path in ("/api/v1/campaigns/upload", "/api/v1/campaigns/zoo/units/upload", "/api/v1/leaderboards/upload"):
        refused = program.post(path, files=[about, *files])
        assert (refused.status_code, refused.json()["code"]) == (422, "UPLOAD-02"), path


def test_a_folder_called_like_a_file_of_ours_is_refused_in_words() -> None:
    for name in (uploads.TEXTS_FILE, uploads.CAMPAIGN_FILE, uploads.PROTOCOL_FILE, uploads.SUGGESTIONS_FOLDER):
        texts = uploads.Uploaded(f"{name}/a.jsonl" if "." in name else name, io.BytesIO(b"{}"))
        listed = uploads.Uploaded("list.csv", io.BytesIO(b""))
        with (
            pytest.raises(uploads.FileNameNotUsable),
            uploads.campaign_folder({}, [texts], rows=[{"id": "1"}], protocol="protocol: x/1", suggestions=listed),
        ):
            pass


def test_a_full_disk_is_not_taken_for_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    with (
        pytest.raises(OSError, match="No space left"),
        uploads.put_in_folder([uploads.Uploaded("a.jsonl", io.BytesIO())]),
    ):
        pass
