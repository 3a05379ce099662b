"""What can be wrong with a study beyond its shape: names that mean nothing, cells without texts, empty tests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from goldmark.campaigns.assignments.strata import placement_of
from goldmark.protocols import Protocol
from goldmark.protocols.answers import giving
from goldmark.protocols.kinds import ProtocolMistake
from goldmark.protocols.loading.did_you_mean import did_you_mean
from goldmark.protocols.training.kits import TrainingPart
from goldmark.records import answers as said
from goldmark.records.figures import counted
from goldmark.records.units import ShownText, Unit
from goldmark.studies.design.cells import as_levels, blanks, cells_of, chosen, facts_of, filled_in, shares, stratum_of
from goldmark.studies.design.language import (
    AccuracyOutcome,
    MarksOutcome,
    MeanOutcome,
    Selection,
    ShareOutcome,
    StudyFile,
)
from goldmark.texts.preparation.copies import COPY, overlap

Path = tuple[str | int, ...]


def mistakes_of(study: StudyFile, protocol: Protocol) -> list[ProtocolMistake]:
    """Everything that the file says about itself or its protocol and that is not so."""
    found = [*_factors(study), *_groups(study), *_training(study, protocol), *_outcome(study, protocol)]
    found += [*_explanations(study, protocol), *_money(study)]
    if not found:  # tests and tables are read in the light of the rest
        found += [*_tests(study), *_tables(study)]
    return found


def _unknown(path: Path, what: str, given: str, known: Iterable[str]) -> ProtocolMistake:
    known = list(known)
    return ProtocolMistake(
        path, f'there is no {what} "{given}"', did_you_mean(given, known) or f"there are {', '.join(known) or 'none'}"
    )


def _factors(study: StudyFile) -> Iterator[ProtocolMistake]:
    for factor, levels in study.factors.items():
        if len(set(levels)) < len(levels):
            yield ProtocolMistake(("factors", factor), "a level is named twice", "name each level once")
        if not levels:
            yield ProtocolMistake(("factors", factor), "a factor needs at least one level", "")
    for number, selection in enumerate(study.cells or ()):
        yield from _selection(study, selection, ("cells", number))
    cells = cells_of(study)
    if not cells:
        yield ProtocolMistake(("cells",), "no cell is left", "leave `cells` out to have all combinations")
    names = Counter(cell.name for cell in cells)
    for name, count in names.items():
        if count > 1 or len(name) > 100:
            why = "is too long" if len(name) > 100 else "is the name of two cells"
            yield ProtocolMistake(("factors",), f'"{name}" {why}', "choose shorter or more distinct levels")


def _selection(study: StudyFile, selection: Selection, path: Path) -> Iterator[ProtocolMistake]:
    for factor, wanted in selection.items():
        if factor not in study.factors:
            yield _unknown((*path, factor), "factor", factor, study.factors)
            continue
        for level in as_levels(wanted):
            if level not in study.factors[factor]:
                yield _unknown((*path, factor), f"level of {factor}", level, study.factors[factor])


def _groups(study: StudyFile) -> Iterator[ProtocolMistake]:
    for group, facts in study.groups.items():
        for key, value in facts.items():
            for factor in blanks(value):
                if factor not in study.factors:
                    yield _unknown(("groups", group, key), "factor", factor, study.factors)
        if group not in study.per_participant.mix:
            yield ProtocolMistake(
                ("groups", group), f'nobody reads texts of "{group}"', "name it in per_participant.mix"
            )
    for group, weight in study.per_participant.mix.items():
        if group not in study.groups:
            yield _unknown(("per_participant", "mix", group), "group of texts", group, study.groups)
        if weight < 1:
            yield ProtocolMistake(("per_participant", "mix", group), "a part of the mix is at least 1", "")


def _training(study: StudyFile, protocol: Protocol) -> Iterator[ProtocolMistake]:
    training = study.training
    if training is None:
        return
    if training.factor not in study.factors:
        yield _unknown(("training", "factor"), "factor", training.factor, study.factors)
        return
    for level in study.factors[training.factor]:
        if level not in training.kits:
            yield ProtocolMistake(("training", "kits"), f'the level "{level}" has no kit', "name one, such as none")
    kits = protocol.file.training
    for level, pattern in training.kits.items():
        if level not in study.factors[training.factor]:
            yield _unknown(
                ("training", "kits", level), f"level of {training.factor}", level, study.factors[training.factor]
            )
        unknown = [factor for factor in blanks(pattern) if factor not in study.factors]
        for factor in unknown:
            yield _unknown(("training", "kits", level), "factor", factor, study.factors)
        if unknown:
            continue
        wanted = {filled_in(pattern, cell.levels) for cell in chosen(cells_of(study), {training.factor: level})}
        for kit in sorted(wanted - set(kits)):
            yield _unknown(("training", "kits", level), f"training kit of {protocol.id}", kit, kits)


def _outcome(study: StudyFile, protocol: Protocol) -> Iterator[ProtocolMistake]:
    outcome = study.outcome
    questions = {question.id: question for question in protocol.questions()}
    question = questions.get(outcome.question)
    path: Path = ("outcome", "question")
    if question is None:
        yield _unknown(path, f"question in {protocol.id}", outcome.question, questions)
        return
    if isinstance(outcome, MarksOutcome):
        if question.gives is not said.Marks:
            yield ProtocolMistake(path, f'"{question.id}" does not ask for marked passages', "choose another outcome")
        return
    if isinstance(outcome, MeanOutcome):
        if question.gives is not said.Rating:
            yield ProtocolMistake(path, f'"{question.id}" gives no numbers', "ask a number, or give its options values")
        return
    options = list(question.options_with_numbers() or ())
    if question.several or not options:
        yield ProtocolMistake(path, f'"{question.id}" is not a choice of one option', "choose another outcome")
        return
    if isinstance(outcome, ShareOutcome):
        for number, option in enumerate(outcome.options):
            if option not in options:
                yield _unknown(("outcome", "options", number), f"option of {question.id}", option, options)
        return
    yield from _accuracy(study, outcome, options)


def _accuracy(study: StudyFile, outcome: AccuracyOutcome, options: Sequence[str]) -> Iterator[ProtocolMistake]:
    meant: Counter[str] = Counter()
    for group, meaning in outcome.says.items():
        if group not in study.groups:
            yield _unknown(("outcome", "says", group), "group of texts", group, study.groups)
        meant.update(meaning)
        for number, option in enumerate(meaning):
            if option not in options:
                yield _unknown(("outcome", "says", group, number), f"option of {outcome.question}", option, options)
    for option in options:
        if meant[option] != 1:
            why = "is not said to mean any group" if not meant[option] else "means two groups"
            yield ProtocolMistake(("outcome", "says"), f'the option "{option}" {why}', "name each option once")
    for number, option in enumerate(outcome.confident):
        if option not in options:
            yield _unknown(("outcome", "confident", number), f"option of {outcome.question}", option, options)
    if outcome.finding not in outcome.says:
        yield _unknown(("outcome", "finding"), "group of texts", outcome.finding, outcome.says)


def _explanations(study: StudyFile, protocol: Protocol) -> Iterator[ProtocolMistake]:
    known = [question.id for question in giving(protocol, said.Words)]
    for number, name in enumerate(study.explanations or ()):
        if name not in known:
            yield _unknown(("explanations", number), f"free-text question in {protocol.id}", name, known)
    rules = study.exclude
    if (rules.copied or rules.short or rules.vague or rules.mismatch or rules.same) and not known:
        yield ProtocolMistake(
            ("exclude",), f"{protocol.id} asks for no explanation to look at", "leave these rules out"
        )
    if rules.mismatch and not isinstance(study.outcome, AccuracyOutcome):
        yield ProtocolMistake(
            ("exclude", "mismatch"), "only an outcome of kind accuracy can be contradicted", "leave it out"
        )


def _money(study: StudyFile) -> Iterator[ProtocolMistake]:
    for factor, levels in (study.pay.by if study.pay else {}).items():
        yield from _selection(study, {factor: tuple(levels)}, ("pay", "by"))


def _tests(study: StudyFile) -> Iterator[ProtocolMistake]:
    cells = cells_of(study)
    for number, test in enumerate(study.tests):
        path: Path = ("tests", number)
        yield from _selection(study, test.where, (*path, "where"))
        named = [*test.each, *(one for one in (test.compare, test.variance, test.pairs) if one)]
        unknown = [factor for factor in named if factor not in study.factors]
        for factor in unknown:
            yield _unknown(path, "factor", factor, study.factors)
        if unknown:
            continue
        some = chosen(cells, test.where)
        if not some:
            yield ProtocolMistake((*path, "where"), "no cell is meant", "")
        if test.against == "chance" and not isinstance(study.outcome, AccuracyOutcome):
            yield ProtocolMistake((*path, "against"), "this outcome has no chance level", "give a number")
        varied = test.compare or test.variance or test.pairs
        if varied and len({cell.levels[varied] for cell in some}) < 2:
            yield ProtocolMistake(
                path, f"there is only one level of {varied} in these cells", "nothing can be compared"
            )
        if test.compare and test.to not in {cell.levels[test.compare] for cell in some}:
            yield _unknown(
                (*path, "to"), f"level of {test.compare} in these cells", str(test.to), study.factors[test.compare]
            )


def _tables(study: StudyFile) -> Iterator[ProtocolMistake]:
    for number, table in enumerate(study.tables):
        yield from _selection(study, table.where, ("tables", number, "where"))
        for factor in table.rows:
            if factor not in study.factors:
                yield _unknown(("tables", number, "rows"), "factor", factor, study.factors)


def impossible_expectations(study: StudyFile) -> Iterator[ProtocolMistake]:
    """What no result can show. Asked of new studies only: one that ran is analysed whatever it expected."""
    difference = study.expect.difference
    share = isinstance(study.outcome, AccuracyOutcome | ShareOutcome)
    if difference is not None and (difference <= 0 or (share and difference > 1)):
        between = "above 0 and at most 1, for instance 0.05 for five points" if share else "above 0"
        yield ProtocolMistake(
            ("expect", "difference"), f"a difference of {difference:g} cannot be expected", f"give a number {between}"
        )


def doubts(study: StudyFile, protocol: Protocol, units: Sequence[Unit]) -> list[str]:
    """What is allowed and would yet spoil a study: training that gives texts away, versions that nobody is told of."""
    found = []
    prompts: dict[str, list[Unit]] = {}
    for unit in units:
        for shown in unit.shown.texts.values():
            if shown.prompt is not None:
                start = shown.text.characters[: shown.text.tokens[shown.prompt.end - 1].end]
                prompts.setdefault(start, []).append(unit)
    loose = [some for some in prompts.values() if len(some) > 1 and len({_item_or_id(unit) for unit in some}) > 1]
    if loose:
        found.append(
            f"{len(loose)} prompts have several texts that name no common `item`, such as {loose[0][0].id} and "
            f"{loose[0][1].id}: one person may read both; give versions of one prompt the same `item`"
        )
    patterns = study.training.kits.values() if study.training else protocol.file.training
    kits = {filled_in(pattern, cell.levels) for pattern in patterns for cell in cells_of(study)}
    for kit in sorted(kits & set(protocol.file.training)):
        lessons = " ".join(_exercise_texts(protocol.file.training[kit]))
        shared = [unit.id for unit in units if any(_stands_in(shown, lessons) for shown in unit.shown.texts.values())]
        if shared:
            found.append(
                f"the training kit {kit} shows texts or prompts of the study: {', '.join(shared[:5])}"
                f"{' ...' if len(shared) > 5 else ''}; who was trained on them knows them; use other texts"
            )
    return found


def _item_or_id(unit: Unit) -> str:
    return placement_of(unit.hidden).item or f"unit {unit.id}"


def _exercise_texts(parts: Iterable[TrainingPart]) -> Iterator[str]:
    for part in parts:
        for one in (*(part.examples or ()), *(part.practice or ())):
            yield from (text for text in (one.text, one.a, one.b) if text)
        for pair in part.comparison.pairs if part.comparison else ():
            yield from (pair.a, pair.b)


def _stands_in(shown: ShownText, lessons: str) -> bool:
    if shown.prompt is not None and shown.text.characters[: shown.text.tokens[shown.prompt.end - 1].end] in lessons:
        return True
    return overlap(shown.text.characters, lessons) > COPY


def text_mistakes(study: StudyFile, protocol: Protocol, units: Sequence[Unit]) -> list[ProtocolMistake]:
    """Texts that the protocol cannot ask about, that are in no group or in two, and strata with too few of them."""
    wanted = set(protocol.texts)
    found = [
        ProtocolMistake(("texts",), f'the text "{unit.id}" does not have the roles that {protocol.id} asks about', "")
        for unit in [unit for unit in units if set(unit.shown.texts) != wanted][:20]
    ]
    strata: dict[str, dict[str, str]] = {}
    for cell in cells_of(study):
        for group in study.groups:
            strata[stratum_of(study, group, cell.levels)] = facts_of(study, group, cell.levels)
    homes = {unit.id: homes_of(unit, strata) for unit in units}
    for unit_id, places in homes.items():
        if len(places) > 1:
            found.append(
                ProtocolMistake(("groups",), f'the text "{unit_id}" is in {" and in ".join(places)}', "tell them apart")
            )
    lost = [unit_id for unit_id, places in homes.items() if not places]
    if lost:
        names = ", ".join(f'"{one}"' for one in lost[:5])
        found.append(
            ProtocolMistake(
                ("groups",),
                f"{counted(len(lost), 'text is', 'texts are')} in no group: {names}{'...' if len(lost) > 5 else ''}",
                "check their facts",
            )
        )
    sizes = Counter(place for places in homes.values() for place in places)
    needed = {group: math.ceil(share) for group, share in shares(study).items()}
    for stratum in strata:
        group = stratum.partition(".")[0]
        if sizes[stratum] < needed.get(group, 0):
            found.append(
                ProtocolMistake(
                    ("groups", group),
                    f"{stratum} has {counted(sizes[stratum], 'text')}; one person reads {needed[group]}",
                    "add texts",
                )
            )
    return found or list(_items(study, units, homes))


def _items(study: StudyFile, units: Sequence[Unit], homes: dict[str, list[str]]) -> Iterator[ProtocolMistake]:
    """Cells in which somebody would have to read two versions of one item, which nobody is given."""
    of_stratum: dict[str, set[str]] = {}
    for unit in units:
        for stratum in homes[unit.id]:
            of_stratum.setdefault(stratum, set()).add(_item_or_id(unit))
    told = set()
    for cell in cells_of(study):
        strata = frozenset(stratum_of(study, group, cell.levels) for group in study.groups)
        items = set().union(*(of_stratum.get(stratum, set()) for stratum in strata))
        wanted = study.per_participant.texts
        if len(items) < wanted and strata not in told:
            told.add(strata)
            yield ProtocolMistake(
                ("per_participant", "texts"),
                f"the texts of {' and '.join(sorted(strata))} are versions of {counted(len(items), 'item')}; one "
                f"person reads {counted(wanted, 'text')} and never two versions of one item",
                f"add items, or let people read {len(items)}",
            )


def homes_of(unit: Unit, strata: dict[str, dict[str, str]]) -> list[str]:
    """The strata in which a text belongs by its hidden facts."""
    return [
        stratum
        for stratum, facts in strata.items()
        if all(str(unit.hidden.get(key, "")) == value for key, value in facts.items())
    ]
