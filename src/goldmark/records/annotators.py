"""What is known of any annotator: of which kind they are, how they may be called, and what excludes them."""

from __future__ import annotations

PERSON = "person"
ANNOTATOR_KINDS = (PERSON, "model", "checker")
LONGEST_ANNOTATOR_NAME = 200
EXCLUDED = "annotator excluded"  # the kind of event that says so


def is_annotator_name(name: str) -> bool:
    """Whether a campaign can know somebody by this name: short, on one line, without white space around it."""
    plain = not any(character < " " for character in name)
    return 0 < len(name) <= LONGEST_ANNOTATOR_NAME and plain and name == name.strip()
