"""A campaign's settings as the text of a campaign file, to be changed as a whole or kept for the next time."""

from __future__ import annotations

from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.definition.yaml_file import checked, data_of, written
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.errors import GoldmarkError, Problem, ProblemsFound

NOTHING = "nothing was changed"
# Keys of a campaign file that are no settings: a file may be given as it was created.
ELSEWHERE = ("campaign", "title", "protocol", "texts", "suggestions")
TEST_SOURCES = ("gold", "texts", "expected")


def settings_text(settings: Settings) -> str:
    """What differs from the defaults, as YAML."""
    values = settings.model_dump(mode="json", exclude_defaults=True)
    return written(values) if values else ""


class NothingSaid(GoldmarkError):
    code = "CAMPAIGN-05"
    message = "the text is empty, and nothing was changed; to have everything as it is by default, write {{}}"


def campaign_text(row: CampaignRow, *, own_protocol: bool, suggestions: bool = False) -> str:
    """A campaign file that makes such a campaign again, with other texts."""
    named = f"{row.protocol.replace('/', '-')}.yaml" if own_protocol else row.protocol
    head = {"campaign": f"{row.name[:61]}-2", "title": row.title, "protocol": named, "texts": "texts.jsonl"}
    told = [f"# As {row.name} was set up. Put your texts beside this file."]
    if own_protocol:
        told.append(f"# The protocol is one of your own: put its YAML beside this file as {named}.")
    if suggestions:
        head["suggestions"] = "suggestions.csv"
        told.append("# Its texts had suggestions: put a list for yours beside this file, or leave the key out.")
    return "\n".join([*told, written(head)]) + settings_text(row.settings)


def read_settings(row: CampaignRow, text: str, file: str = "settings") -> Settings:
    """Settings from such a text, or everything that is wrong with it by line. A campaign file will do as well."""
    problems: list[Problem] = []
    if not text.strip():
        raise NothingSaid
    data = data_of(text, file, NOTHING)
    for key in ELSEWHERE:
        data.pop(key, None)
    tests = data.get("test_questions")
    if isinstance(tests, dict):
        for key in TEST_SOURCES:
            tests.pop(key, None)
    found = checked(Settings, data, problems)
    if found is None:
        raise ProblemsFound(problems, consequence=NOTHING)
    # Which units there are and in which order was drawn when it was created.
    order = found.order.model_copy(update={"seed": row.settings.order.seed})
    return found.model_copy(update={"subset": row.settings.subset, "order": order})
