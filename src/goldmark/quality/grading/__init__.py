"""Grade an answer against what it should have been: one function for each thing that an answer can say, one entry.

grade(protocol, answers, {"mistakes": [{"start": 3, "end": 4, "label": "NUMBER"}]}, unit.shown)
grade(protocol, answers, {"overall": {"at_least": 0.5}}, unit.shown)

Training, qualification, test questions and checks of drift all call `grade`, so that being right means one thing.
"""

from __future__ import annotations

from goldmark.quality.grading.entry import grade
from goldmark.quality.grading.grades import Grade, GradedMark, PartGrade

__all__ = ["Grade", "GradedMark", "PartGrade", "grade"]
