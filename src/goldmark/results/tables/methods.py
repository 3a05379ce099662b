"""Tables of published methods from a campaign's observations, by what its protocol declares.

Telling machine from human (a choice with a `truth`), coding of explanations (options in groups), agreement stage by
stage, and texts that were set aside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.choice import ChoiceQuestion, ChoicesQuestion, Truth
from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.groups import rows_of
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions, of_figure
from goldmark.results.published.humanlike.coding import CODES, coding
from goldmark.results.published.humanlike.study import EVERYWHERE, SourceJudgement, TaskWording, study_tables
from goldmark.results.published.tgea.stage_agreement import agreement_by_stage
from goldmark.results.published.tgea.stage_readings import StageQuestions
from goldmark.results.result_table import MARKED, Needs, ResultTable, published
from goldmark.results.tables.ratings import shares_signature
from goldmark.results.tables.rows import shares

DOMAINS = ("domain", "genre")  # hidden facts that say what kind of text a unit is, the first that there is


def truths(protocol: Protocol) -> dict[str, Truth]:
    """The questions that have a true answer, and where it is known."""
    return {
        one.id: one.truth for one in protocol.questions() if isinstance(one, ChoiceQuestion) and one.truth is not None
    }


def why_no_study(given: TableInputs) -> str:
    if given.protocol is None:
        return "files alone do not say which answer is true; give the whole folder, with what was asked"
    known = truths(given.protocol)
    if not known:
        return f"no question of {given.protocol.id} declares a `truth`"
    if not any(_truth_column(given, question, truth) for question, truth in known.items()):
        facts = ", ".join(sorted({truth.fact for truth in known.values()}))
        return f"no unit that was judged says what is true in its hidden fact ({facts})"
    return ""


def _answers(given: TableInputs, question: str) -> Frame:
    """The table that holds the answers to a question with options: a scale is a rating."""
    ratings = given.frames["ratings"]
    return ratings if question in ratings.cells["question"] else given.frames["choices"]


def _truth_column(given: TableInputs, question: str, truth: Truth) -> str:
    frame = _answers(given, question)
    for name in (truth.fact, f"unit_{truth.fact}"):
        told = zip(frame.cells["question"], frame.cells.get(name, ()), strict=False)
        if any(asked == question and cell in truth.says for asked, cell in told):
            return name
    return ""


def study(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """Can people tell? By condition and kind of text, with tests against guessing and between conditions."""
    made: list[Table] = []
    for question, truth in truths(given.protocol).items() if given.protocol else ():
        column = _truth_column(given, question, truth)
        if not column:
            continue
        cells, unknown = _judgements(_answers(given, question), question, truth, column)
        others = [name for name in truth.says if name != truth.finding]
        about = TaskWording(truth.finding, " or ".join(others), truth.chance)
        notes = [f"{question}: judged against the hidden fact {truth.fact!r}"]
        if unknown:
            notes.append(f"left out: {counted(unknown, 'answer')} of which nobody knows whether it is right")
        made += (table.noting(*notes) for table in study_tables(cells, settings, about))
    return made


def _judgements(
    frame: Frame, question: str, truth: Truth, column: str
) -> tuple[dict[tuple[str, str], list[SourceJudgement]], int]:
    says = {option: what for what, options in truth.says.items() for option in options}
    cells = frame.cells
    domains: Sequence[str] = next((cells[name] for name in DOMAINS if name in cells), [""] * len(frame))
    rows = zip(
        cells["question"],
        cells["annotator"],
        cells["unit"],
        cells[column],
        cells["label"],
        cells["condition"],
        domains,
        strict=True,
    )
    found: dict[tuple[str, str], list[SourceJudgement]] = {}
    unknown = 0
    for asked, who, unit, true, option, condition, domain in rows:
        if asked != question:
            continue
        if true not in truth.says or option not in says:
            unknown += 1
            continue
        said = SourceJudgement(
            who, unit, true == truth.finding, says[option] == truth.finding, option in truth.confident
        )
        found.setdefault((condition or EVERYWHERE, EVERYWHERE), []).append(said)
        if domain:
            found.setdefault((condition or EVERYWHERE, domain), []).append(said)
    return dict(sorted(found.items(), key=lambda entry: (entry[0][0], entry[0][1] != EVERYWHERE, entry[0][1]))), unknown


def codes(protocol: Protocol) -> ChoicesQuestion | None:
    """The question in which coders choose codes that lie in groups."""
    known = (one for one in protocol.questions() if isinstance(one, ChoicesQuestion))
    return next((one for one in known if any(option.group for option in one.options)), None)


def why_no_coding(given: TableInputs) -> str:
    if given.protocol is None:
        return "files alone do not say which codes belong together; give the whole folder, with what was asked"
    return "" if codes(given.protocol) else f"{given.protocol.id} asks for no choice of several codes in groups"


def coded(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """What explanations are about: the share of each group of codes, by the condition or system of what was coded."""
    question = codes(given.protocol) if given.protocol else None
    if question is None:
        return []
    cells = given.frames["choices"].cells
    columns = (cells[name] for name in ("question", "unit", "label", "chosen", "condition", "system"))
    group = {option.id: "" if option.alone else option.group or option.name for option in question.options}
    rows = [
        {"comment": unit, "group": group.get(label, ""), "condition": condition or system or "all"}
        for asked, unit, label, chosen, condition, system in zip(*columns, strict=True)
        if asked == question.id and chosen == "true"
    ]
    return coding(CODES.check(Frame.of(rows, "coded texts")), settings) if rows else []


def why_no_stages(given: TableInputs) -> str:
    if given.protocol is None:
        return (
            "files alone do not say what was asked; give the whole folder, or a file with task, unit, annotator, label"
        )
    return "" if marking(given.protocol) else f"{given.protocol.id} asks nobody to mark passages"


def stages(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """How far people agree on whether, where, of which kind and how to correct."""
    if given.protocol is None:
        return []
    return [agreement_by_stage(StageQuestions.of(given.protocol), given.frames, settings)]


def why_none_set_aside(given: TableInputs) -> str:
    if given.protocol is None:
        return "files alone do not say which answers set a text aside; give the whole folder, with what was asked"
    return "" if given.protocol.set_aside else f"no answer to {given.protocol.id} sets a text aside"


def set_aside(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """How many texts were set aside by which answer, and by how many of those who read them."""
    found: list[dict[str, Cell]] = []
    for question, options in given.protocol.set_aside.items() if given.protocol else ():
        frame = _answers(given, question)
        if question not in frame.cells["question"]:
            continue
        rows = rows_of(frame, question, given.by)
        labels = rows.frame.cells["label"]
        texts = _texts_by_group(rows.group, rows.unit)
        for name, wanted in _wanted(sorted(options)).items():
            made = shares(rows, [float(label in wanted) for label in labels], settings)
            for group, (figure, count) in made.items():
                own = [
                    unit
                    for one, unit, label in zip(rows.group, rows.unit, labels, strict=True)
                    if one == group and label in wanted
                ]
                found.append(
                    {
                        "question": question,
                        given.by: group,
                        "label": name,
                        **of_figure(figure),
                        "count": count,
                        "texts_set_aside": len(set(own)),
                        "texts": texts[group],
                    }
                )
    notes = ("a text counts as set aside if anybody who read it set it aside",)
    labels_of = {"value": "share of answers", "n": "answers", "texts_set_aside": "texts set aside"}
    return [Table.of("Texts set aside", found, notes=notes, signature=shares_signature(settings), labels=labels_of)]


def _wanted(options: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Each answer by itself and, where there are several, all of them together."""
    return {**({"any": options} if len(options) > 1 else {}), **{one: (one,) for one in options}}


def _texts_by_group(groups: Sequence[str], units: Sequence[str]) -> dict[str, int]:
    texts: dict[str, set[str]] = {}
    for group, unit in zip(groups, units, strict=True):
        texts.setdefault(group, set()).add(unit)
    return {group: len(some) for group, some in texts.items()}


STUDY_TABLE = published(
    "study", study, Needs(why_no_study, "with a question that declares a `truth`"), ("ratings", "choices")
)
CODING_TABLE = published("coding", coded, Needs(why_no_coding, "with codes that lie in groups"), ("choices",))
STAGES_TABLE = published("stages", stages, Needs(why_no_stages, MARKED.words), ("spans", "choices", "ratings"))
SET_ASIDE_TABLE = ResultTable(
    "set-aside",
    "Texts that were set aside instead of marked.",
    "shares",
    ("choices", "ratings"),
    set_aside,
    needs=Needs(why_none_set_aside, "with answers that set a text aside"),
)
DESIGN_TABLE = published("design", None)
