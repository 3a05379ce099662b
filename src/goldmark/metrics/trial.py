"""Trying a metric before anybody waits for it: on a few texts, and only as far as can be done here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.metrics.plugins import Spec, Texts, check, opened

FEW = 3  # texts


def why_not(spec: Spec, texts: Texts) -> str:
    """Why a metric cannot be computed on this machine, with what to do about it; nothing if it can.

    A metric with a model is opened, which says whether its package and checkpoint are there; it is not computed.
    """
    from goldmark.metrics.scores import check_texts

    few = texts.part(0, FEW)
    try:
        kind = check(spec)
        check_texts(kind, few)
        metric = opened(spec)
        if not kind.alone:
            metric.count(few)
    except ProblemsFound as error:
        return "; ".join(str(one.what) for one in error.problems)
    except GoldmarkError as error:
        return str(error)
    except Exception as error:  # a plug-in's own trouble is its own
        return f"{type(error).__name__}: {error}"
    return ""


def tried(metrics: Iterable[str], texts: Texts) -> Mapping[str, str]:
    """Every metric that cannot be computed here, and why."""
    found = {words: why_not(Spec.parse(words), texts) for words in metrics}
    return {words: why for words, why in found.items() if why}
