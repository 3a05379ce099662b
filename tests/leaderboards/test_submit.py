"""What is submitted: read whole, refused whole, kept with its history; hostile files end well."""

from __future__ import annotations

import gzip
import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select

from goldmark.accounts.roles import Role
from goldmark.accounts.service import AccountService, UnknownAccount
from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.jobs import Worker
from goldmark.leaderboards.definition import teams
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.boards import find_board, history, set_closed
from goldmark.leaderboards.definition.names import NameLooksLike
from goldmark.leaderboards.submitted import submissions, upload_reader
from goldmark.leaderboards.submitted.same_outputs import twins_of
from goldmark.leaderboards.submitted.submissions import list_submissions, versions_of
from goldmark.leaderboards.submitted.submit import BoardClosed, LimitReached, SystemDescription, SystemOfOthers, submit
from goldmark.leaderboards.submitted.upload_reader import NotReadableUpload, UploadTooLarge, check_outputs, read_outputs
from goldmark.store import Store
from goldmark.store.tables import board_output, job
from goldmark.web.runtime.handlers import load_handlers
from tests.leaderboards.ground import NAME, NOW, OPERATOR, items, make_board, outputs, send

ITEMS = [f"q{number}" for number in range(6)]


def problems_of(content: bytes) -> list[str]:
    with pytest.raises(ProblemsFound) as found:
        check_outputs(io.BytesIO(content), "mine.jsonl", ITEMS)
    return [f"{one.where}: {one.what}" for one in found.value.problems]


def zipped(*files: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


def test_every_problem_is_named() -> None:
    content = b"\n".join(
        [
            b'{"id": "q0", "output": "fine"}',
            b'{"id": "q0", "output": "again"}',
            b'{"id": "q9", "output": "of nothing"}',
            b'{"id": "q1", "output": "  "}',
            b'{"id": "q2", "text": "wrong key"}',
            b'{"id": "q3", "output": "\xff"}',
            b"{not json",
            b'{"id": "q4", "output": 17}',
            b'{"id": "q5", "output": "a \\u0000 b"}',
        ]
    )
    assert problems_of(content) == [
        'mine.jsonl:2: "q0" was already answered on line 1',
        'mine.jsonl:3: "q9" is no item of this board',
        'mine.jsonl:4: the output for "q1" is empty',
        "mine.jsonl:5: the line has id, text",
        "mine.jsonl:6: byte 25 of the line (0xff) is not UTF-8",
        "mine.jsonl:7: the line is not JSON: unexpected character, expected a string key",
        'mine.jsonl:8: the output for "q4" is not text',
        "mine.jsonl:9: character 2 of the output is U+0000 (NUL), which databases cannot store; remove it",
        *(f'mine.jsonl: there is no output for "q{number}"' for number in range(1, 6)),
    ]


def test_problems_beyond_counting_are_counted() -> None:
    found = problems_of(b'{"id": "zz", "output": "x"}\n' * 2_000)
    assert len(found) == upload_reader.MOST_PROBLEMS + 1
    assert found[-1] == "mine.jsonl: 1,506 more problems of these kinds"  # 2,000 strangers and 6 missing, less 500


@pytest.mark.parametrize("line", [b"\n", b'{"id": "zz", "output": "x"}\n', b"a,b\n"])
def test_lines_beyond_all_items_are_not_read(line: bytes) -> None:
    """A small file unpacks to millions of them. They would be read a second time while everybody's answers wait."""
    right = b"".join(b'{"id": "%s", "output": "x"}\n' % name.encode() for name in ITEMS)
    for content in (right + line * 1_000_000, line * 1_000_000):
        for look in (check_outputs, lambda *given: list(read_outputs(*given))):
            file = io.BytesIO(content)
            with pytest.raises(NotReadableUpload, match="more than 10,012 lines, and the board 6 items"):
                look(file, "many.jsonl", ITEMS)
            assert file.tell() < len(content)


@pytest.mark.parametrize(
    ("pack", "name"),
    [
        (lambda content: content, "plain"),
        (gzip.compress, "gzip"),
        (lambda content: zipped(("outputs.jsonl", content), ("__MACOSX/x", b"")), "zip"),
        (lambda content: b"\xef\xbb\xbf" + content, "byte order mark"),
        (lambda content: content.replace(b"\n", b"\r\n\r\n"), "Windows lines"),
    ],
)
def test_ways_to_pack(pack: Callable[[bytes], bytes], name: str) -> None:
    plain = check_outputs(io.BytesIO(outputs(6)), "x", ITEMS)
    packed = io.BytesIO(pack(outputs(6)))
    assert check_outputs(packed, name, ITEMS) == plain
    assert dict(read_outputs(packed, name, ITEMS)) == {n: f"The answer to {n} is clear." for n in range(6)}


@given(
    st.permutations(range(6)),
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(str.strip),
        min_size=6,
        max_size=6,
    ),
)
def test_what_was_written_is_what_is_read(order: list[int], words: list[str]) -> None:
    lines = [
        json.dumps({"id": f"q{number}", "output": words[number]}, ensure_ascii=number % 2 == 0) for number in order
    ]
    content = "\n".join(lines).encode()
    assert dict(read_outputs(io.BytesIO(content), "x", ITEMS)) == dict(enumerate(words))
    straight = "\n".join(json.dumps({"id": f"q{n}", "output": words[n]}) for n in range(6)).encode()
    digests = {check_outputs(io.BytesIO(one), "x", ITEMS).digest for one in (content, straight)}
    assert len(digests) == 1  # of the outputs, not of the file


@given(st.binary(max_size=300))
def test_any_bytes_are_received_or_refused_in_words(content: bytes) -> None:
    for start in (b"", b"PK\x03\x04", b"\x1f\x8b"):
        with pytest.raises(GoldmarkError):
            check_outputs(io.BytesIO(start + content), "x", ITEMS)


def bomb(megabytes: int) -> Iterator[bytes]:
    for _ in range(megabytes):
        yield b" " * 1_000_000


def test_a_bomb_is_not_unpacked() -> None:
    """A small zip file that would become a hundred megabytes ends at the limit, without filling the memory."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("outputs.jsonl", "w") as member:
        for some in bomb(100):
            member.write(some)
    assert len(out.getvalue()) < 200_000
    tracemalloc.start()
    # A line of blanks without an end is refused as a line; with ends, as a whole.
    with pytest.raises(NotReadableUpload, match="line 1 has more than"):
        check_outputs(out, "bomb.zip", ITEMS)
    packed = io.BytesIO(gzip.compress(b" " * 999 + b"\n") * 400)  # gzip files in a row are one
    with pytest.raises(UploadTooLarge, match="more than 300,000 bytes"):
        check_outputs(packed, "bomb.gz", ITEMS, limit=300_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000


def listing(files: int, told: int, *, large: bool) -> bytes:
    """An archive that lists so many empty files and tells another number of them; in the `large` form, or the first."""
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, *[0] * 6) + b"a"
    begins = b"PK\3\4" + bytes(26)
    size, at = files * len(entry), len(begins)
    whole = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, told, told, size, at)
    place = struct.pack("<4sLQL", b"PK\6\7", 0, at + size, 1)
    numbers = (0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF) if large else (told, told, size, at)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *numbers, 0)
    return begins + entry * files + (whole + place if large else b"") + end


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("told", [1, 60_000])
def test_a_long_list_of_files_is_not_read(told: int, large: bool) -> None:
    """Millions of empty files are some megabytes, and were half a gigabyte before anybody counted them."""
    content = io.BytesIO(listing(60_000, told, large=large))
    tracemalloc.start()
    with pytest.raises(NotReadableUpload, match="its list of files is longer than"):
        check_outputs(content, "many.zip", ITEMS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
    most = upload_reader.MOST_MEMBERS
    for files, words in (
        (most, f"the archive holds {most} files"),
        (most + 1, f"{most + 1} files; {most} are allowed"),
    ):
        with pytest.raises(NotReadableUpload, match=words):
            check_outputs(io.BytesIO(listing(files, files, large=large)), "many.zip", ITEMS)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (zipped(("a.jsonl", b"x"), ("b.jsonl", b"y")), "the archive holds 2 files"),
        (zipped(), "is no|the line is not|holds 0 files|there is no"),
        (zipped(("a.jsonl", outputs(6)))[:-30], "it is no zip archive"),
        (gzip.compress(outputs(6))[:-12], "it is packed, but broken"),
        (outputs(6).decode().encode("utf-16"), "encoded as UTF-16"),
    ],
    # Archives hold the time at which they were made, which no name of a test should.
    ids=["two files", "no file", "half a zip", "half a gzip", "UTF-16"],
)
def test_broken_archives(content: bytes, words: str) -> None:
    with pytest.raises(GoldmarkError) as found:
        check_outputs(io.BytesIO(content), "x.zip", ITEMS)
    if not isinstance(found.value, ProblemsFound):
        assert found.match(words)


class Endless(io.RawIOBase):
    """A file that is made while it is read, so that only what reads it needs memory."""

    def __init__(self, lines: int, characters: int) -> None:
        self.lines, self.words, self.place, self.left = lines, b"word " * (characters // 5), 0, b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self.place, self.left = 0, b""
        return 0

    def read(self, size: int = -1) -> bytes:
        while len(self.left) < size and self.place < self.lines:
            self.left += b'{"id": "q%d", "output": "%s"}\n' % (self.place, self.words)
            self.place += 1
        some, self.left = self.left[:size], self.left[size:]
        return some


def test_a_large_file_passes_through_little_memory() -> None:
    names = [f"q{number}" for number in range(400)]
    file = Endless(400, upload_reader.LONGEST_OUTPUT)  # 400 outputs as long as they may be: 40 MB
    tracemalloc.start()
    received = check_outputs(file, "large.jsonl", names)  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert received.outputs == 400
    assert peak < 8_000_000


# --- on a board ------------------------------------------------------------------------------------------------------


def account(store: Store, name: str) -> Actor:
    return Actor(name, AccountService(store).create(name, Role.ANNOTATOR, None, author="test").id)


def test_versions_and_history(store: Store, tmp_path: Path) -> None:
    board = make_board(store, tmp_path, metrics=["bleu"])
    first = send(store, "Good")
    assert (first.version, first.state, first.outputs, first.team) == (1, "private", 6, "Alder Lab")
    assert send(store, "Good").id == first.id  # the same outputs again, as an impatient click does
    submissions.withdraw(store, NAME, first.id, who=OPERATOR, reason="a bug")
    second = send(store, "good ", outputs(6, "New {}"))
    assert (second.system_id, second.version) == (first.system_id, 2)
    found = store.read(lambda connection: versions_of(connection, first.system_id))
    assert [(one.version, one.state) for one in found] == [(2, "private"), (1, "withdrawn")]
    with pytest.raises(submissions.NotPossibleNow):
        submissions.publish(store, NAME, first.id, who=OPERATOR)
    asked = store.read(lambda connection: connection.execute(select(job.c.kind, job.c.arguments)).all())
    metrics = [one.arguments["submission"] for one in asked if one.kind == "leaderboard metric"]
    assert metrics == [first.id, second.id]
    assert len(store.read(lambda connection: list_submissions(connection, board))) == 2


def test_nothing_is_kept_of_a_refused_submission(sqlite: Store, tmp_path: Path) -> None:
    board = make_board(sqlite, tmp_path)
    with pytest.raises(ProblemsFound):
        send(sqlite, "Good", outputs(5))
    assert sqlite.read(lambda connection: list_submissions(connection, board)) == []


def test_a_system_of_another_team(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path)
    ann, bo, cy = (account(sqlite, name) for name in ("ann", "bo", "cy"))
    mine = send(sqlite, "Good", team="Alder Lab", who=ann)
    for name in ("Good", "GOOD", "ｇｏｏｄ"):
        with pytest.raises(SystemOfOthers):
            send(sqlite, name, team="Birch Lab", who=bo)
    with pytest.raises(teams.TeamOfOthers):
        send(sqlite, "Other", team="alder lab", who=bo)
    with pytest.raises(teams.TeamNeeded):
        send(sqlite, "Other", team="", who=cy)
    with pytest.raises(teams.OneTeamOnly):
        send(sqlite, "Other", team="Birch Lab", who=ann)
    send(sqlite, "Other", team="Birch Lab", who=bo)
    for change in (submissions.publish, submissions.withdraw):
        with pytest.raises(submissions.UnknownSubmission):
            change(sqlite, NAME, mine.id, who=bo)
    teams.add_member(sqlite, NAME, "Alder Lab", "cy", who=OPERATOR)
    assert send(sqlite, "Good", outputs(6, "Better {}"), team="", who=cy).version == 2
    assert submissions.publish(sqlite, NAME, mine.id, who=cy).state == "published"
    with pytest.raises(submissions.NotYours, match="Alder Lab"):
        submissions.withdraw(sqlite, NAME, mine.id, who=bo)


def test_nobody_is_put_into_a_team_by_those_who_run_nothing(sqlite: Store, tmp_path: Path) -> None:
    """Its members would read and withdraw what people submit who never said yes. All names are answered alike."""
    board = make_board(sqlite, tmp_path)
    ann, bo = account(sqlite, "ann"), account(sqlite, "bo")
    send(sqlite, "Bait", team="Alder Lab", who=ann)
    for name in ("bo", "ann", "nobody of that name"):
        for team in ("Alder Lab", "Birch Lab", "New Lab"):
            with pytest.raises(teams.AddedByLink):
                teams.add_member(sqlite, NAME, team, name, who=ann)
    with pytest.raises(teams.AddedByLink):
        teams.add_member(sqlite, "no-such-board", "Alder Lab", "bo", who=ann)
    assert send(sqlite, "Mine", team="Birch Lab", who=bo).team == "Birch Lab", "who founds a team is in it"
    assert [one.name for one in sqlite.read(lambda connection: teams.teams_of(connection, board))] == [
        "Alder Lab",
        "Birch Lab",
    ]
    manager = Actor("manager", account(sqlite, "manager").account_id, manages=True)
    with pytest.raises(UnknownAccount):
        teams.add_member(sqlite, NAME, "Alder Lab", "nobody of that name", who=manager)
    assert teams.add_member(sqlite, NAME, "Alder Lab", "bo", who=manager).name == "Alder Lab"


def test_only_teams_that_were_named(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path, submit={"who": "teams", "teams": {"Alder Lab": ["ann"]}})
    ann, bo = account(sqlite, "ann"), account(sqlite, "bo")
    assert send(sqlite, "Good", team="", who=ann).team == "Alder Lab"
    with pytest.raises(teams.NotInvited, match="'bo'"):
        send(sqlite, "Bad", team="Birch Lab", who=bo)


def test_limits_of_a_team(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path, submit={"at_most": 2, "days": 7, "systems": 1})
    send(sqlite, "Good", outputs(6, "a {}"))
    with pytest.raises(LimitReached, match="1 system on"):
        send(sqlite, "Another", outputs(6, "b {}"))
    send(sqlite, "Good", outputs(6, "b {}"))
    with pytest.raises(LimitReached, match="2 submissions in 7 days"):
        send(sqlite, "Good", outputs(6, "c {}"))
    send(sqlite, "Others", outputs(6, "c {}"), team="Birch Lab")
    assert send(sqlite, "Good", outputs(6, "c {}"), now=NOW + timedelta(days=7)).version == 3


def test_two_submissions_at_the_same_moment(store: Store, tmp_path: Path) -> None:
    board = make_board(store, tmp_path)
    with ThreadPoolExecutor(4) as pool:
        sent = list(pool.map(lambda n: send(store, "Good", outputs(6, f"take {n} of {{}}")), range(4)))
    assert sorted(one.version for one in sent) == [1, 2, 3, 4]
    count = select(func.count()).select_from(board_output)
    assert store.read(lambda connection: connection.execute(count).scalar_one()) == 24
    assert len(store.read(lambda connection: list_submissions(connection, board))) == 4


def test_a_closed_board_takes_nothing(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path)
    set_closed(sqlite, NAME, True, author="owner")
    with pytest.raises(BoardClosed):
        send(sqlite, "Good")
    set_closed(sqlite, NAME, False, author="owner")
    send(sqlite, "Good")
    assert sqlite.read(lambda connection: find_board(connection, NAME)).closed_at is None


@pytest.mark.parametrize(
    "about",
    [
        SystemDescription("", "Lab"),
        SystemDescription("x\ny" + "\u202e", "Lab"),
        SystemDescription("Good", "Lab", link="javascript:alert(1)"),
        SystemDescription("Good", "Lab", description="x" * 5_001),
        SystemDescription("Good", "L" * 201),
    ],
)
def test_words_that_are_refused(sqlite: Store, tmp_path: Path, about: SystemDescription) -> None:
    make_board(sqlite, tmp_path)
    with pytest.raises(GoldmarkError):
        submit(sqlite, NAME, about, io.BytesIO(outputs(6)), "x", who=OPERATOR)


def test_the_same_outputs_under_another_name_are_noticed(store: Store, tmp_path: Path) -> None:
    make_board(store, tmp_path, items(20))
    first = send(store, "Alder", outputs(20))
    lines = outputs(20).decode().splitlines()
    changed = "\n".join([*lines[:19], json.dumps({"id": "q19", "output": "another"})]).encode()
    copied = send(store, "Birch", changed, team="Birch Lab")
    other = send(store, "Cedar", outputs(20, "no, {}"), team="Birch Lab")
    again = send(store, "Alder", changed)
    load_handlers()
    Worker(store).run_until_empty()

    def look(connection: Connection) -> dict[int, list[tuple[str, int]]]:
        found = twins_of(connection, find_board(connection, NAME))
        return {one: [(twin.submission.system, twin.same) for twin in twins] for one, twins in found.items()}

    assert store.read(look) == {
        first.id: [("Birch", 19)],
        copied.id: [("Alder", 20), ("Alder", 19)],
        again.id: [("Birch", 20)],
    }
    assert other.id not in store.read(look)
    events = store.read(lambda connection: history(connection, find_board(connection, NAME)))
    assert ("same outputs", "Birch") in {(one.kind, one.subject) for one in events}


def test_a_name_that_looks_like_another(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path)
    send(sqlite, "Alder 1")
    with pytest.raises(NameLooksLike):
        send(sqlite, "Alder l")
    with pytest.raises(NameLooksLike):
        send(sqlite, "Birch", team="A1der Lab")
