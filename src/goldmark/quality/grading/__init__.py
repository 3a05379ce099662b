"""Grade an answer against what it should have been: one function per kind of question, one entry for all of them.

grade(protocol, answers, {"mistakes": [{"start": 3, "end": 4, "label": "NUMBER"}]}, unit.shown)
grade(protocol, answers, {"overall": {"at_least": 0.5}})

Training, qualification, test questions and checks of drift all call `grade`, so that being right means one thing.
"""

from __future__ import annotations

from goldmark.quality.grading import choices, numbers, passages, words
from goldmark.quality.grading.entry import grade
from goldmark.quality.grading.grades import Grade, GradedMark, PartGrade

__all__ = ["Grade", "GradedMark", "PartGrade", "choices", "grade", "numbers", "passages", "words"]
