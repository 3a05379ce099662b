"""A leaderboard is one readable file; here it is read and every problem in it, its protocol and its items is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.definition.units.unit_order import rank
from goldmark.campaigns.definition.uploads import Uploaded, put_in_folder, read_upload
from goldmark.campaigns.definition.yaml_file import checked, data_of, protocol_of, source_of
from goldmark.errors import GoldmarkError, Missing, Problem, ProblemList, ProblemsFound
from goldmark.leaderboards.definition.items import DatasetInput, read_items
from goldmark.leaderboards.definition.names import look_alikes
from goldmark.leaderboards.definition.phases import phases_of
from goldmark.leaderboards.definition.settings import BoardFile, BoardSettings, BoardSubset, Data, Human
from goldmark.leaderboards.definition.tasks import TASKS, figure_of, wrong_items
from goldmark.leaderboards.human.test_questions import pairs_of_round, shortages
from goldmark.protocols import Protocol, parse
from goldmark.protocols.answers import main_rating, rating
from goldmark.protocols.loading.did_you_mean import did_you_mean
from goldmark.protocols.loading.yaml_reader import Map, place
from goldmark.recruiting.offering.offers import mistakes_of
from goldmark.texts.readers.formats import inside
from goldmark.texts.readers.rows import SegmentationRules

KNOWN = (
    "no round can have test questions: they would show the very text that annotators see beside them, who would know "
    "them by that; give items a second reference or a paraphrase, or leave out data.shown_reference"
)
ENDINGS = (".yaml", ".yml")
GUESSED = 2**32  # seeds below it can be tried one by one
NOBODY = "asks-nobody"
ASKS_NOBODY = f"""protocol: {NOBODY}/1
title: Nobody is asked
steps:
  - id: nothing
    title: Nothing
    questions:
      - {{id: nothing, kind: choice, ask: Nothing, options: [{{id: one, title: One}}, {{id: other, title: Other}}]}}
"""
MOST_ITEMS = 20  # of which it is told what is wrong with them
SEED_SAID = (
    "subset.seed is a number that others can guess, and with it which items people judge; leave it out and one is "
    "drawn, or say judged_items: true"
)


class BoardFileMissing(Missing):
    code = "BOARD-01"
    message = "the leaderboard file {file} cannot be read: {why}"


class NoBoardFile(GoldmarkError):
    code = "BOARD-05"
    message = "among the files ({names}) there is no leaderboard file; it is called leaderboard.yaml, or the only .yaml"


@dataclass(frozen=True)
class BoardPlan:
    """A board that can be created: everything in it was found and is right."""

    name: str
    title: str
    protocol: Protocol
    settings: BoardSettings
    data: Data
    items: tuple[DatasetInput, ...]
    source: str
    practice: tuple[DatasetInput, ...] = ()  # the items of the development phase

    def warnings(self) -> list[str]:
        """What is allowed, as older files have it, and will not do."""
        given, subset = self.settings, self.settings.subset
        rates = given.human.test_questions
        found = []
        if (rates.positive or rates.negative) and would_be_known(self.data, self.items):
            found.append(KNOWN)
        shown = given.judged_items or given.judgements
        if given.public and subset and subset.seed is not None and subset.seed < GUESSED and not shown:
            found.append(SEED_SAID)
        return found

    @property
    def asked_by(self) -> str:
        """The protocol by which people are asked; nothing if nobody is."""
        return "" if self.protocol.name == NOBODY else self.protocol.id

    def metrics_missing(self) -> Mapping[str, str]:
        """Metrics that cannot be computed on this machine, and what to do about it: each is tried on a few items."""
        from goldmark.metrics.plugins import Texts
        from goldmark.metrics.trial import FEW, tried

        few = self.items[:FEW]
        metrics = [one for one in self.settings.metrics if figure_of(one) is None]
        texts = Texts(
            outputs=[(one.references or ("-",))[0] for one in few],
            references=[one.references for one in few],
            sources=[one.source for one in few],
        )
        return tried(metrics, texts)

    def chosen(self) -> frozenset[str]:
        return chosen_items(self.items, self.settings.subset)


def would_be_known(data: Data, items: Sequence[DatasetInput]) -> bool:
    """Whether every test question that could be made would show a text that annotators see beside it."""
    return data.shown_reference is not None and not any(item.known(shown=True).outputs for item in items)


def chosen_items(items: Iterable[DatasetInput], subset: BoardSubset | None) -> frozenset[str]:
    """The fixed random subset that people judge: decided by the seed and the items' own ids."""
    names = [item.name for item in items]
    if subset is None:
        return frozenset(names)
    seed = subset.seed or 0
    return frozenset(sorted(names, key=lambda name: rank(seed, "subset", name))[: subset.size])


def axes_of(protocol: Protocol) -> list[str]:
    """The questions whose answers are numbers: what a system is scored on."""
    return [question.id for question in rating(protocol)]


def main_axis(protocol: Protocol, settings: BoardSettings) -> str:
    """By which systems are ranked: what the board or the protocol says, or the last that is asked; none: nothing."""
    declared = main_rating(protocol)
    return settings.scores.main or (declared.id if declared else next(reversed(axes_of(protocol)), ""))


def of_nobody() -> Protocol:
    """What stands in the place of a protocol on a board that asks nobody: it has nothing that could be scored."""
    return parse(ASKS_NOBODY, file=NOBODY)


def read_board(path: Path) -> BoardPlan:
    """The board in a file with its protocol and items, or `ProblemsFound` with all that is wrong anywhere."""
    source = source_of(path, BoardFileMissing)
    data = data_of(source, str(path))
    problems: list[Problem] = ProblemList()
    file = checked(BoardFile, data, problems)
    # The protocol and the items are looked at even if another key is wrong, so that one run tells all.
    protocol = _protocol(data, path, problems) if data.get("protocol") is not None else of_nobody()
    items = _items(data, path, problems)
    practice = _practice(data, path, items, problems)
    if file is not None and protocol is not None:
        for at, what, remedy in inconsistencies(file, file.data, protocol, items):
            problems.append(Problem(place(data, at)[0], what, remedy, ".".join(map(str, at))))
    if problems or protocol is None or file is None:
        raise ProblemsFound(sorted(problems, key=lambda one: _line(one, path)), consequence="nothing was created")
    title = file.title or (protocol.title if file.protocol else file.leaderboard)
    return BoardPlan(file.leaderboard, title, protocol, file.settings(), file.data, tuple(items), source, practice)


def board_from_files(files: Sequence[Uploaded]) -> BoardPlan:
    """The board in uploaded files, read as from a disk: every check and every message is the same."""
    with put_in_folder(files) as (folder, names):
        return read_upload(read_board, folder / _board_file(names))


def _board_file(names: Sequence[str]) -> str:
    candidates = [name for name in names if name.lower().endswith(ENDINGS)]
    named = [name for name in candidates if PurePosixPath(name).stem in ("leaderboard", "board")]
    if len(named) == 1:
        return named[0]
    if len(candidates) == 1:
        return candidates[0]
    raise NoBoardFile(names=", ".join(names) or "none were given")


def _line(problem: Problem, path: Path) -> tuple[bool, str, int]:
    """People mend a file from top to bottom, the board's own first."""
    file, _, line = problem.where.rpartition(":")
    return file != str(path), file, int(line) if line.isdigit() else 0


def _protocol(data: Map, path: Path, problems: list[Problem]) -> Protocol | None:
    """The board's protocol; one that cannot score an output is a problem."""
    protocol = protocol_of(data, path, problems)
    if protocol is None:
        return None
    where = place(data, ["protocol"])[0]
    if protocol.texts != ("text",):
        what = f"{protocol.id} asks about {len(protocol.texts)} texts at once"
        problems.append(Problem(where, what, "a board needs a protocol that judges one output at a time", "protocol"))
    elif not axes_of(protocol):
        what = f"no question of {protocol.id} has options with numbers, so nothing can be scored"
        problems.append(Problem(where, what, "use one of the rating protocols, or give options a value", "protocol"))
    return protocol


def _items(data: Map, path: Path, problems: list[Problem], practice: str = "") -> list[DatasetInput]:
    """The items of the test, or those of the `practice` file, read by the same rules."""
    given = data.get("data")
    where = ["development" if practice else "data", "items"]
    try:
        part = Data.model_validate({"items": given} if isinstance(given, str) else given)
        file = inside(path.parent, practice or part.items)
    except ValidationError:
        return []  # said already
    except GoldmarkError as error:
        problems.append(Problem(place(data, where)[0], str(error), part=".".join(where)))
        return []
    return read_items(file, SegmentationRules(part.tokeniser, part.sentences), problems)


def _practice(
    data: Map, path: Path, items: Sequence[DatasetInput], problems: list[Problem]
) -> tuple[DatasetInput, ...]:
    """The items of the development phase, if there is one."""
    given = data.get("development")
    if not isinstance(given, dict) or not isinstance(given.get("items"), str):
        return ()  # what is wrong with it is said already
    found = _items(data, path, problems, given["items"])
    both = {item.name for item in items} & {item.name for item in found}
    if both:
        where, some = place(data, ["development", "items"])[0], ", ".join(sorted(both)[:3])
        what = f"{len(both)} ids are in the test as well ({some})"
        problems.append(Problem(where, what, "give items of the two phases different ids", "development.items"))
    return tuple(found)


Place = tuple[str | int, ...]
Mistaken = tuple[Place, str, str]  # where in the file, what is wrong, what to do


def inconsistencies(
    given: BoardSettings, data: Data, protocol: Protocol, items: Sequence[DatasetInput]
) -> Iterator[Mistaken]:
    """What no single key can be wrong about."""
    axes, main = axes_of(protocol), given.scores.main
    if main is not None and main not in axes:
        remedy = did_you_mean(main, axes) or f"those are {', '.join(axes) or 'none'}"
        yield ("scores", "main"), f'"{main}" is no question of {protocol.id} with numbers', remedy
    if items and given.subset is not None and given.subset.size > len(items):
        what = f"the subset has {given.subset.size} items, the data {len(items)}"
        yield ("subset", "size"), what, "make it smaller"
    without = sum(not item.references for item in items)
    rates = given.human.test_questions
    needs: list[tuple[Place, bool, str]] = [
        (("human", "gold"), given.human.gold, "the gold row"),
        (("human", "test_questions"), bool(rates.positive or rates.negative), "test questions"),
        (("data", "shown_reference"), data.shown_reference is not None, "a shown reference"),
    ]
    for path, wanted, what in needs:
        if wanted and without:
            yield path, f"{what} cannot be made: {without} of {len(items)} items have no reference", "add references"
    if (rates.positive or rates.negative) and items and not without and not would_be_known(data, items):
        for what, remedy in _shortages(given, data, items):
            yield ("human", "test_questions"), what, remedy
    for one in phases_of(given):
        if one.opens is not None and one.closes is not None and one.closes <= one.opens:
            part = "submit" if one.name == "test" else one.name
            yield (part, "closes"), f"the phase {one.name} closes before it opens", "choose a later moment"
    yield from _wrong_teams(given)
    yield from _wrong_metrics(given, data)
    yield from _wrong_task(data, items)
    if protocol.name == NOBODY:
        yield from _wrong_without_people(given)
    yield from _wrong_recruiting(given)


def _wrong_recruiting(given: BoardSettings) -> Iterator[Mistaken]:
    """What is wrong with how rounds are put on a crowd platform."""
    human = given.human
    for one in mistakes_of(Settings(batch=human.batch, pay=human.pay.of_campaign(), recruit=human.recruit)):
        yield ("human", *one.key), one.what, one.remedy


def _wrong_teams(given: BoardSettings) -> Iterator[Mistaken]:
    if given.submit.strangers and not given.public:
        what = "strangers could not see the board on which they may make an account"
        yield ("submit", "strangers"), what, "make it public, or leave it out"
    if given.submit.strangers and given.submit.who != "anyone":
        what = "strangers could make an account, but only the teams named here may submit"
        yield ("submit", "strangers"), what, "let anyone submit, or leave it out"
    if given.submit.who == "teams" and not given.submit.teams:
        what = "only teams may submit, but no team is named"
        yield ("submit", "who"), what, "add submit.teams, or let anyone"
    for team, other in look_alikes(given.submit.teams):
        what = f'the teams "{other}" and "{team}" look alike'
        yield ("submit", "teams", team), what, "give them names that readers can tell apart"
    accounts: dict[str, str] = {}
    for team, members in given.submit.teams.items():
        for account in members:
            if accounts.setdefault(account, team) != team:
                what = f'the account "{account}" is in the teams "{accounts[account]}" and "{team}"'
                yield ("submit", "teams", team), what, "a person belongs to one team"


def _shortages(given: BoardSettings, data: Data, items: Sequence[DatasetInput]) -> Iterator[tuple[str, str]]:
    """Test questions that no round could have: told now, since nobody could mend it when a round is to be opened."""
    chosen, rates, gold = chosen_items(items, given.subset), given.human.test_questions, given.human.gold
    shown = data.shown_reference is not None
    judged = [item.known(shown=shown) for item in items if item.name in chosen]
    spare = [item.known(shown=shown) for item in items if item.name not in chosen]
    pairs = pairs_of_round(judged, spare, rates, gold=gold)
    return shortages(rates, pairs, spare=bool(spare), gold=gold)


def _wrong_without_people(given: BoardSettings) -> Iterator[Mistaken]:
    """What a board without a protocol cannot do."""
    if not given.metrics:
        yield ("metrics",), "nothing would be scored", "name metrics, or a protocol by which people judge"
    if given.human.start not in ("never", Human().start):
        yield ("human", "start"), "people cannot be asked without a protocol", "name a protocol"
    if given.human.gold:
        yield ("human", "gold"), "people cannot be asked without a protocol", "leave it out"


def _wrong_task(data: Data, items: Sequence[DatasetInput]) -> Iterator[Mistaken]:
    """A task that nobody knows, or items that it cannot ask about or score."""
    if data.task is None:
        return
    try:
        task = TASKS.find(data.task)
    except GoldmarkError as error:
        yield ("data", "task"), str(error), ""
        return
    for what in islice(wrong_items(task, items), MOST_ITEMS):
        yield ("data", "items"), what, "goldmark benchmark publish writes such items"


def _wrong_figure(figure: str, data: Data) -> str:
    """What is wrong with a task's figure among the metrics."""
    if data.task is None:
        return "the board has no task (data.task), so it has no figures of one"
    known = TASKS[data.task].figures if data.task in TASKS else (figure,)
    return "" if figure in known else f"the task {data.task} has no figure {figure!r}; it has {', '.join(known)}"


def _wrong_metrics(given: BoardSettings, data: Data) -> Iterator[Mistaken]:
    from goldmark.metrics.plugins import Spec, check

    seen: set[str] = set()
    for number, words in enumerate(given.metrics):
        where: Place = ("metrics", number)
        try:
            spec = Spec.parse(words)
            figure = figure_of(words)
            if figure is None:
                check(spec)
            elif why := _wrong_figure(figure, data):
                yield where, why, ""
                continue
        except GoldmarkError as error:
            yield where, str(error), ""
            continue
        if str(spec) != words:
            yield where, f'the metric is written "{words}"', f"write {spec}"
        elif words in seen:
            yield where, f'the metric "{words}" is named twice', "name it once"
        seen.add(words)
