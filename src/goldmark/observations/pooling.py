"""Several campaigns as one: the same questions, asked of more texts or by more people.

Items of equal names are the same item. Units of equal names are the same unit if they are of the same system and as
long; otherwise their campaign stands before their name. So does that of annotators, unless somebody says that equal
names are the same people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from goldmark.errors import Conflict
from goldmark.observations.frames import Observations
from goldmark.observations.rows import OmittedCounts
from goldmark.observations.schema import TABLES
from goldmark.records.tidy.columns import Frame, written

CAMPAIGN = "campaign"  # the column that says where a row comes from
ADDED_UP = {"responses": int, "test_questions": int, "seconds_total": float}


class NotTheSameQuestions(Conflict):
    code = "OBSERVATIONS-04"
    message = "{first!r} and {second!r} cannot be pooled: {what}; look at them side by side instead"


class AnsweredTwice(Conflict):
    code = "OBSERVATIONS-05"
    message = (
        "{annotator} answered {unit!r} in {first!r} and in {second!r}, which would count twice; "
        "pool them without taking equal names for the same people"
    )


def pooled(found: Sequence[Observations], *, same_people: bool = False) -> Observations:
    """Observations of several campaigns as if they were one; a column `campaign` says where each row comes from."""
    if not found:
        raise ValueError("there is nothing to pool")
    for other in found[1:]:
        _refuse_other_questions(found[0], other)
    units = _units(found)
    parts = [_named(one, one.frames, units[one.campaign], same_people=same_people) for one in found]
    if same_people:
        _refuse_twice(found, parts)
    frames = {name: _together(name, [part[name] for part in parts]) for name in TABLES}
    if same_people:
        frames["people"] = _once(frames["people"])
    left = OmittedCounts()
    for one in found:
        left.tests += one.left.tests
        left.unchosen += one.left.unchosen
        left.excluded += one.left.excluded
        left.models += one.left.models
        left.unread += one.left.unread
    name = " + ".join(one.campaign for one in found)
    return Observations(name, found[0].protocol, frames, found[0].wanted, left, _gold(found))


def _gold(found: Sequence[Observations]) -> Frame | None:
    """Curated errors, where all campaigns have them. Two lists of the same text are two, of the same item."""
    parts = []
    for one in found:
        if one.gold is None:
            return None
        own = {unit: f"{one.campaign}/{unit}" for unit in one.gold.cells["unit"]}
        parts.append(_named(one, {"gold": one.gold}, own, same_people=True)["gold"])
    return _together("gold", parts)


def _refuse_other_questions(first: Observations, other: Observations) -> None:
    """What is asked must be the same, as far as answers go: a number is no choice."""
    asked = [{one.id: one.gives for one in some.protocol.questions()} for some in (first, other)]
    different = sorted(name for name in {*asked[0], *asked[1]} if asked[0].get(name) is not asked[1].get(name))
    if different:
        what = f"they do not ask the same ({', '.join(different)})"
        raise NotTheSameQuestions(first=first.campaign, second=other.campaign, what=what)


def _units(found: Sequence[Observations]) -> dict[str, dict[str, str]]:
    """By campaign, how each of its units is called among all of them."""
    shapes: dict[str, dict[str, tuple[object, ...]]] = {}
    for one in found:
        own: dict[str, tuple[object, ...]] = {}
        cells = one["texts"].cells
        columns = [cells[name] for name in ("unit", "system", "item", "role", "characters", "tokens")]
        for unit, *shape in zip(*columns, strict=True):
            own[unit] = (*own.get(unit, ()), *shape)
        shapes[one.campaign] = own
    first: dict[str, tuple[object, ...]] = {}
    different = {
        unit for own in shapes.values() for unit, shape in own.items() if first.setdefault(unit, shape) != shape
    }
    return {
        campaign: {unit: f"{campaign}/{unit}" if unit in different else unit for unit in own}
        for campaign, own in shapes.items()
    }


def _named(
    one: Observations, tables: Mapping[str, Frame], units: Mapping[str, str], *, same_people: bool
) -> dict[str, Frame]:
    frames = {}
    for name, frame in tables.items():
        cells = {f"unit_{CAMPAIGN}" if column == CAMPAIGN else column: own for column, own in frame.cells.items()}
        cells["unit"] = [units.get(unit, unit) for unit in cells["unit"]]
        if not same_people:
            cells["annotator"] = [f"{one.campaign}/{who}" if who else "" for who in cells["annotator"]]
        frames[name] = Frame(frame.source, {CAMPAIGN: [one.campaign] * len(frame), **cells})
    return frames


def _refuse_twice(found: Sequence[Observations], parts: Sequence[Mapping[str, Frame]]) -> None:
    seen: dict[tuple[str, str], str] = {}
    for one, part in zip(found, parts, strict=True):
        own = {
            pair
            for name in ("ratings", "choices", "comparisons", "spans", "words")
            for pair in zip(part[name].cells["unit"], part[name].cells["annotator"], strict=True)
        }
        for unit, annotator in sorted(own):
            before = seen.setdefault((unit, annotator), one.campaign)
            if before != one.campaign:
                raise AnsweredTwice(annotator=annotator, unit=unit, first=before, second=one.campaign)


def _together(name: str, parts: Sequence[Frame]) -> Frame:
    columns = list(dict.fromkeys(column for part in parts for column in part.cells))
    cells = {
        column: [cell for part in parts for cell in part.cells.get(column) or [""] * len(part)] for column in columns
    }
    return Frame(f"{len(parts)} campaigns: {name}", cells)


def _once(people: Frame) -> Frame:
    """One row a person. A median of medians is nobody's median, so it is left empty of who worked in several."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(people.cells["annotator"]):
        places.setdefault(name, []).append(place)

    def cell(column: str, name: str) -> str:
        own = [people.cells[column][place] for place in places[name]]
        if len(own) == 1:
            return own[0]
        known = [one for one in own if one]
        if column in ADDED_UP:
            return written(sum(map(ADDED_UP[column], known))) if known else ""
        if column in ("joined", "first_at"):
            return min(known, default="")
        if column == "last_at":
            return max(known, default="")
        return own[0] if len(set(own)) == 1 and column != "seconds_median" else ""

    return Frame(people.source, {column: [cell(column, name) for name in places] for column in people.cells})
