"""What requests of the managers' API have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from fastapi import Form, Path, Query
from pydantic import AliasPath, BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from goldmark.campaigns.pages import LAST_PAGE, Page


class In(BaseModel):
    """A request's body; a key that nobody knows is an error."""

    model_config = ConfigDict(extra="forbid")


class Out(BaseModel):
    """A reply; made from our records by the names of their fields."""

    model_config = ConfigDict(from_attributes=True, json_schema_serialization_defaults_required=True)


# PostgreSQL cannot store the character 0, so it is refused at the door.
Words = Annotated[str, Field(max_length=2_000, pattern=r"^[^\x00]*$")]
ShortWords = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]
FormWords = Annotated[str, Form(max_length=2_000, pattern=r"^[^\x00]*$")]
FormQuestion = Annotated[str, Form(max_length=64, pattern=r"^[a-z0-9_]*$")]  # nothing: the only one that fits
CampaignName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$", description="Its id in addresses.")]
PageNumber = Annotated[int, Query(ge=1, le=LAST_PAGE, description="Lists come in pages of 50.")]

WithExcluded = Annotated[bool, Query(description="Let excluded annotators count, to see what excluding them changed.")]


class OneOf:
    """Annotation: the name of a plug-in. The document of the API names all that there are when it is asked for."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self.names = names

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "enum": list(self.names())}


class ReasonIn(In):
    """Why; kept with the decision."""

    reason: Words = ""


class PageOut(Out):
    """Which part of a list this is."""

    number: int
    size: int
    total: int
    pages: int


def page_of(found: Page[Any]) -> dict[str, int]:
    return {"number": found.number, "size": found.size, "total": found.total, "pages": found.pages}


def part(path: str, description: str | None = None) -> Any:
    """A field of a reply that comes from a part of the record, such as `signals.pace.median`."""
    return Field(validation_alias=AliasPath(*path.split(".")), description=description)
