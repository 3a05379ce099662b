"""The statistics of the commands for a notebook: the same functions, the same defaults, the same digits.

Every function takes a data frame (pandas, polars or pyarrow), columns, rows, or the path of a file; a seed is a whole
number. Arguments have the names of the command's options.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from goldmark.notebook.arguments import Keeping, check, file_or_frame, frame_of, kept, listed, said, texts_of
from goldmark.notebook.result import Result
from goldmark.stats.agreement_measures.alpha import Level
from goldmark.stats.agreement_measures.alpha import Method as IntervalMethod
from goldmark.stats.agreement_measures.coefficients import Draw as AgreementDraw
from goldmark.stats.ranks.pairs import Test
from goldmark.stats.ranks.ranking import Weigh

if TYPE_CHECKING:
    from goldmark.quality.noisy import Criterion, Prior
    from goldmark.results.rating_model_tables import ModelKind
    from goldmark.stats.mixed_models.cumulative_link import Link
    from goldmark.stats.mixed_models.rating_models import Effect
    from goldmark.stats.models.latent_truth import Method

Draw = Literal["items-and-annotators", "items"]


def agreement(
    data: object,
    *,
    unit: str = "unit",
    annotator: str = "annotator",
    value: str = "",
    keep: Keeping = None,
    level: Level = "nominal",
    order: Sequence[str] = (),
    measure: str | Sequence[str] = (),
    draw: AgreementDraw = "units",
    interval: IntervalMethod = "jackknife",
    resamples: int = 1000,
    seed: int = 17,
) -> Result:
    """How far annotators agree on labels: alpha, percent agreement, Fleiss' and Cohen's kappa, Gwet's AC.

    Args:
        data: One label per row.
        unit: The column that says what was labelled.
        annotator: The column that says who labelled it.
        value: The column of labels: `value`, or else `label`. Empty cells are missing labels.
        keep: Only rows with these values: `{"question": "overall"}`, or `"question=overall"`.
        level: What may be said of two labels: nominal, ordinal, interval or ratio.
        order: For ordinal labels that are no numbers: the labels from lowest to highest.
        measure: Only these measures: alpha, percent, fleiss, cohen, ac1; for labels in an order also cohen_linear,
            cohen_quadratic, ac2_linear and ac2_quadratic.
        draw: What intervals take to be drawn by chance: `units`, for these very annotators, or `units-and-annotators`.
        interval: How alpha's interval is made: jackknife, or the bootstraps bca and percentile.
        resamples: How often units are resampled for a bootstrap.
        seed: Where resampling starts.

    Returns:
        Rows by `measure` with `value`, `low`, `high` and `n`; `["pairs"]` has every two annotators. The same as
        `goldmark agreement`.
    """
    from goldmark.results.label_agreement import agreement_on_labels

    check(seed, resamples, level=(level, Level), draw=(draw, AgreementDraw), interval=(interval, IntervalMethod))
    names = {"unit": unit, "annotator": annotator, **said(value=value)}
    found = agreement_on_labels(
        file_or_frame(data),
        names,
        level=level,
        order=[str(one) for one in order],
        measures=listed(measure) if measure else (),
        draw=draw,
        method=interval,
        keep=kept(keep),
        resamples=resamples,
        seed=seed,
    )
    return Result.of(found.tables(), "agreement")


def span_agreement(
    data: object,
    *,
    texts: str | Path | None = None,
    seen: str | Path | None = None,
    categories: Sequence[str] | None = None,
    keep: Keeping = None,
    seed: int = 17,
) -> Result:
    """How far annotators agree on marked spans: gamma, alpha by token, token F1, categories of matched spans.

    Args:
        data: A table of spans (`unit`, `annotator`, `start`, `end`, `tokens`, perhaps `label`; a row without a start
            for who marked nothing), or the path of one, of an exported folder, or of a mistake list.
        texts: For a mistake list: the folder with one .txt file per text.
        seen: For a mistake list: a table of who saw which text.
        categories: Those that may occur.
        keep: Only rows with these values: `{"question": "mistakes"}`.
        seed: Where the random annotators of gamma start.

    Returns:
        Rows by `measure` (gamma, token_alpha, marked_alpha, token_f1, category_percent, category_alpha); `["pairs"]`
        has every two annotators. The same as `goldmark agreement spans`.
    """
    from goldmark.results.label_agreement import agreement_on_spans

    check(seed)
    found = agreement_on_spans(
        file_or_frame(data),
        texts=Path(texts) if texts is not None else None,
        seen=Path(seen) if seen is not None else None,
        categories=categories,
        keep=kept(keep),
        seed=seed,
    )
    return Result.of(found.tables(), "agreement")


def rank(
    data: object,
    *,
    system: str = "system",
    item: str = "",
    annotator: str = "",
    score: str = "",
    keep: Keeping = None,
    z: bool = False,
    weigh: Weigh = "items",
    draw: Draw = "items-and-annotators",
    test: Test | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    permutations: int = 10_000,
    alpha: float = 0.05,
    seed: int = 17,
) -> Result:
    """Systems ordered by people's scores, with the ranks that remain possible.

    Args:
        data: One judgement per row.
        system: The column that names whose output was judged.
        item: The column that names the test item: `item`, or `unit` where that is empty.
        annotator: The column that names who judged: `annotator`, if there is one.
        score: The column of scores: `score`, or else `value`. An empty cell is no score.
        keep: Only rows with these values: `{"question": "overall"}`, or `"question=overall"`.
        z: Standardise each annotator's scores before averaging.
        weigh: Average over `items`, each of which counts once, or over single `judgements`.
        draw: What intervals take to be drawn by chance; `items` keeps the very annotators.
        test: Rank by tests between every two systems (`permutation`, `signed-rank`, `rank-sum` or, for one yes or no an
            item, `mcnemar`), corrected by Holm.
        minimum: Where the scale starts, for the bound of the standard error.
        maximum: Where the scale ends.
        resamples: How often to resample for the intervals.
        level: How often an interval should hold the truth.
        permutations: How often signs are flipped in the permutation test.
        alpha: The level below which a corrected p-value counts as significant.
        seed: Where resampling starts.

    Returns:
        Rows by `system`, the best first, with `rank`, `mean`, `mean_low` and `mean_high`; `["pairs"]` has every two
        systems. The same as `goldmark rank`.
    """
    from goldmark.results.rank_tables import RankOptions
    from goldmark.results.rank_tables import rank as ranked

    check(seed, resamples, permutations, weigh=(weigh, Weigh), draw=(draw, Draw), test=(test, Test | None))
    options = RankOptions(
        z=z,
        weigh=weigh,
        draw="items" if draw == "items" else "items and annotators",
        test=test,
        minimum=minimum,
        maximum=maximum,
        resamples=resamples,
        level=level,
        permutations=permutations,
        alpha=alpha,
        seed=seed,
        keep=kept(keep),
    )
    names = said(system=system, item=item, annotator=annotator, score=score)
    found = ranked(frame_of(data), options, names)
    return Result({"systems": found.systems, "pairs": found.pairs, "matrix": found.matrix})


def score(
    gold: object,
    submitted: object,
    *,
    texts: object = None,
    categories: Sequence[str] | None = None,
) -> Result:
    """Recall and precision of a mistake list against a gold list, by mistake and by token.

    Args:
        gold: The gold list in the shared task's columns; `TEXT_ID`, `TOKENS`, `TYPE`, `DOC_TOKEN_START` and
            `DOC_TOKEN_END` are needed.
        submitted: The list to score, in the same columns.
        texts: The folder with one .txt file per text, texts by their id, or a table with `id` and `text`; tokens are
            what stands between white space. The folder `texts` beside a gold list that is a file, if not given.
        categories: Those that may occur; the shared task's six if not given.

    Returns:
        Rows by `mistakes` (overall, then each category) with `recall`, `precision`, `token_recall`, `token_precision`
        and their bounds; `["mistakes"]` lists what was missed and invented. The same as `goldmark score`.
    """
    from goldmark.results.scoring.lists import score_lists

    found = score_lists(
        file_or_frame(gold, "gold"),
        file_or_frame(submitted, "submitted"),
        texts=None if texts is None else texts_of(texts),
        categories=categories,
    )
    return Result.of([found.table(), found.listed()], "scores")


def compare(
    gold: object,
    first: object,
    second: object,
    *,
    texts: object = None,
    categories: Sequence[str] | None = None,
    resamples: int = 10_000,
    seed: int = 1,
) -> Result:
    """Is one mistake list better than another on the same texts? First minus second, with a paired test.

    Args:
        gold: The gold list; see `score`.
        first: One list.
        second: Another list on the same texts.
        texts: The texts; see `score`.
        categories: Those that may occur; the shared task's six if not given.
        resamples: How often to flip in the test.
        seed: Where flipping starts.

    Returns:
        Rows by `mistakes` and `measure` with `first`, `second`, `difference`, its bounds and `p`. The same as `goldmark
        score compare`.
    """
    from goldmark.results.scoring.lists import compare_lists

    check(seed, resamples)
    found = compare_lists(
        file_or_frame(gold, "gold"),
        file_or_frame(first, "first"),
        file_or_frame(second, "second"),
        texts=None if texts is None else texts_of(texts),
        categories=categories,
        resamples=resamples,
        seed=seed,
    )
    return Result.of([found.table()], "differences")


def aggregate(
    data: object,
    *,
    item: str = "",
    annotator: str = "",
    label: str = "",
    keep: Keeping = None,
    method: Method = "dawid-skene",
    truth: str = "",
    seed: int = 0,
) -> Result:
    """One label per item from many annotators' labels, and how reliable every annotator is.

    Args:
        data: One label per row.
        item: The column that names what was labelled: `task`, `unit` or `item`, whichever there is.
        annotator: The column that names who labelled it: `worker` or `annotator`, whichever there is.
        label: The column of labels: `label`, or else `value`.
        keep: Only rows with these values: `{"question": "overall"}`.
        method: majority, dawid-skene, one-coin, mace or glad.
        truth: A column with the true label, where it is known, to measure accuracy against.
        seed: Where the random starts of mace come from.

    Returns:
        Rows by `item` with `label` and `probability`; a tie has no label and its candidates in `tied`;
        with glad each has its `difficulty`.
        `["annotators"]` has everybody's reliability. The same as `goldmark aggregate`.
    """
    from goldmark.results.label_aggregation import aggregate_table
    from goldmark.stats.models.latent_truth import Method

    check(seed, method=(method, Method))
    names = said(item=item, annotator=annotator, label=label, truth=truth)
    return Result.of(aggregate_table(frame_of(data), method, names, keep=kept(keep), seed=seed).tables(), "items")


def rating_model(
    data: object,
    *,
    kind: ModelKind = "linear",
    link: Link = "logit",
    without: Sequence[Effect] = (),
    system: str = "system",
    item: str = "",
    annotator: str = "annotator",
    score: str = "",
    keep: Keeping = None,
    level: float = 0.95,
    alpha: float = 0.05,
) -> Result:
    """A mixed model of ratings: systems are compared, people and items are drawn by chance.

    Args:
        data: One rating per row.
        kind: linear, or ordinal (cumulative link) for an ordered scale whose steps need not be equal.
        link: Of an ordinal model: logit or probit.
        without: Random effects to leave out: item, text, annotator, annotator:system.
        system: The column that names whose output was judged.
        item: The column that names the test item: `item`, or `unit` where that is empty.
        annotator: The column that names who judged.
        score: The column of scores: `score`, or else `value`.
        keep: Only rows with these values: `{"question": "overall"}`.
        level: How often an interval should hold the truth.
        alpha: The level below which a corrected p-value counts as significant.

    Returns:
        Rows by `system` with `value`, its interval, `standard_error` and `df`; `["differences"]`, `["variances"]` and,
        of an ordinal model, `["thresholds"]`. The same as `goldmark model fit`.
    """
    from goldmark.results.rating_model_tables import ModelKind, ModelOptions
    from goldmark.results.rating_model_tables import rating_model as modelled
    from goldmark.stats.mixed_models.cumulative_link import Link
    from goldmark.stats.mixed_models.rating_models import Effect

    check(0, kind=(kind, ModelKind), link=(link, Link))
    for one in listed(without):
        check(0, without=(one, Effect))
    names = said(system=system, item=item, annotator=annotator, score=score)
    options = ModelOptions(kind, link, tuple(without), level, alpha)
    return Result.of(modelled(frame_of(data), options, names, keep=kept(keep)), "systems")


def reliability(
    data: object,
    *,
    system: str = "",
    item: str = "",
    annotator: str = "annotator",
    score: str = "",
    keep: Keeping = None,
    level: float = 0.95,
) -> Result:
    """How reliable the mean of one, two, ... ten people's ratings is: intraclass correlations of a G and a D study.

    Args:
        data: One rating per row.
        system: The column that names whose output was judged, if there is one: a text is a system's output on an item.
        item: The column that names the test item: `item`, or `unit` where that is empty.
        annotator: The column that names who judged.
        score: The column of scores: `score`, or else `value`.
        keep: Only rows with these values: `{"question": "overall"}`.
        level: How often an interval should hold the truth.

    Returns:
        Rows by `people` with `agreement` (strictness counts as error) and `consistency` (it does not);
        `["variances"]` has the three variances. The same as `goldmark model reliability`.
    """
    from goldmark.results.rating_model_tables import rating_reliability

    names = said(system=system, item=item, annotator=annotator, score=score)
    return Result.of(rating_reliability(frame_of(data), names, keep=kept(keep), level=level), "reliability")


def noisy_annotators(
    data: object,
    *,
    criterion: Criterion = "rate",
    components: int | None = None,
    prior: Prior = "learned",
    worker: str = "",
    correct: str = "correct",
    n: str = "n",
    kind: str = "kind",
    seed: int = 0,
) -> Result:
    """How probably each annotator is noisy, judged by their answers to test questions.

    Args:
        data: A row per annotator: `worker` (or `annotator`), `correct` and `n`; a column `kind` models the kinds of
            test question apart.
        criterion: rate: an accuracy below 0.9 is noisy. class: any component but the best is.
        components: How many kinds of annotators; 2 unless the prior has but one.
        prior: learned from the data, or jeffreys, uniform, fixed.
        worker: The column that names the annotator.
        correct: The column of right answers.
        n: The column of test questions answered.
        kind: The column of the kind of test question, if there is one.
        seed: Where the random starts of learning come from.

    Returns:
        Rows by `worker`, the most probably noisy first, with `probability_noisy` and `flagged`; `["mixture"]` is the
        fitted model. The same as `goldmark annotators fit`.
    """
    from goldmark.quality.noisy import AnnotatorModel, Criterion, Prior, judgement_table, mixture_table
    from goldmark.quality.tallies import fit_table

    check(seed, criterion=(criterion, Criterion), prior=(prior, Prior))
    names = said(worker=worker, correct=correct, n=n, kind=kind)
    fitted = fit_table(frame_of(data), AnnotatorModel.choose(criterion, prior, components), names, seed=seed)
    return Result({"annotators": judgement_table(fitted, fitted.judge()), "mixture": mixture_table(fitted)})
