"""One way from a form to an action: a form is read as the request that a program would send, and does what a call of
the API does. Accepted, it leads to a page that can be loaded again; refused, to its own page with what is wrong.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from io import BytesIO
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, ValidationError

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols.loading.messages import in_words
from goldmark.web.pages.frame import failed, go
from goldmark.web.sign_in import SENDS_LIKE
from goldmark.web.visits import Visit

if TYPE_CHECKING:
    from goldmark.campaigns.definition.uploads import Uploaded

Page = Callable[..., Response]
Body = TypeVar("Body", bound=BaseModel)


def posts(
    router: APIRouter,
    path: str,
    call: Callable[..., Any],
    *,
    to: str,
    done: str | Callable[[Any], str],
    again: Page | None = None,
    form: str = "",
) -> None:
    """A form that does what this call of the API does, for the same role; refused, `again` shows its page.

    `done` is what the next page says, or makes it of the call's reply.
    """
    asked = inspect.signature(call, eval_str=True).parameters
    places = [one for one in asked.values() if f"{{{one.name}}}" in router.prefix + path]
    model = asked["body"].annotation if "body" in asked else None

    def send(visit: Visit, **where: Any) -> Response:
        body = filled(model, visit.given) if model else None
        reply = call(visit, **where, **({"body": body} if body else {}))
        said = done if isinstance(done, str) else done(reply)
        return go(to.format(**{**(vars(body) if body else {}), **where}), said)

    handler: Any = refusable(form, again)(send) if again else send
    own = inspect.Parameter("visit", inspect.Parameter.KEYWORD_ONLY, annotation=SENDS_LIKE[asked["visit"].annotation])
    keyword = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in places]
    handler.__signature__ = inspect.Signature([own, *keyword])
    router.post(path)(handler)


def refusable(form: str, again: Page) -> Callable[[Page], Page]:
    """What answers a form; if it is refused, `again` shows its page once more with what is wrong and what was given."""

    def guard(handler: Page) -> Page:
        @wraps(handler)
        def guarded(visit: Visit, **given: Any) -> Response:
            try:
                return handler(visit, **given)
            except GoldmarkError as error:
                where = {key: value for key, value in given.items() if key in visit.request.path_params}
                return again(visit, **where, wrong=failed(form.format(**where), error, visit.given))

        return guarded

    return guard


def filled(model: type[Body], given: Mapping[str, str], onto: Body | None = None) -> Body:
    """A form as the request that a program would send, a field of a part of it as `part.field`.

    What the form does not ask is as it is in `onto`, or as it is by default. Every problem names its field.
    """
    values = _values(model, given, "")
    return checked(model, values if onto is None else _merged(onto.model_dump(mode="json"), values))


def fields_of(model: BaseModel) -> dict[str, str]:
    """The other way round: what stands in the fields of a form."""
    return dict(_fields(model.model_dump(mode="json"), ""))


def checked(model: type[Body], values: Mapping[str, Any]) -> Body:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        found = [(one, ".".join(map(str, one.key))) for one in in_words(error, model)]
        raise ProblemsFound(
            [Problem(part.replace("_", " "), _beside(one.what, part), one.remedy, part) for one, part in found]
        ) from error


def _beside(what: str, part: str) -> str:
    """What is wrong, as it is said beside a field, whose label says what it is about: files know it by another name."""
    plain = what.removeprefix(f'"{part.rpartition(".")[2]}"').removeprefix(":").strip()
    return what if plain == what else f"{plain[:1].upper()}{plain[1:]}"


def _values(model: type[BaseModel], given: Mapping[str, str], above: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        key, kinds = f"{above}{name}", _kinds(field.annotation)
        inner = next((one for one in kinds if isinstance(one, type) and issubclass(one, BaseModel)), None)
        if inner is not None:
            values |= {name: found} if (found := _values(inner, given, f"{key}.")) else {}
        elif key in given and (given[key].strip() or str in kinds or NoneType in kinds):
            values[name] = _value(kinds, given[key].strip())
    return values


def _merged(before: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    return before | {
        key: _merged(before[key], value) if isinstance(value, dict) and isinstance(before.get(key), dict) else value
        for key, value in values.items()
    }


def _fields(values: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _fields(value, f"{above}{key}.")
        elif isinstance(value, bool):
            yield f"{above}{key}", "yes" if value else "no"
        elif isinstance(value, list):
            yield f"{above}{key}", "\n".join(map(str, value))
        else:
            yield f"{above}{key}", "" if value is None else plain(value) if isinstance(value, float) else str(value)


def _value(kinds: set[Any], given: str) -> Any:
    if kinds & {list, tuple}:
        return names_in(given)
    if not given and NoneType in kinds:
        return None
    if bool in kinds:
        return given != "no"
    if str in kinds or not kinds & {int, float}:
        return given
    found = number(given)
    return float(found) if isinstance(found, int) and int not in kinds else found


def _kinds(annotation: Any) -> set[Any]:
    """What a field may hold: the plain types in its annotation."""
    origin = get_origin(annotation)
    if origin is None:
        return {annotation}
    if origin in (list, tuple, dict):
        return {origin}
    parts = get_args(annotation)
    return {kind for part in (parts[:1] if hasattr(annotation, "__metadata__") else parts) for kind in _kinds(part)}


def written_file(name: str, text: str) -> Uploaded:
    """A file that was written on a page, among those that were chosen there."""
    from goldmark.campaigns.definition.uploads import Uploaded

    return Uploaded(name, BytesIO(text.replace("\r\n", "\n").encode()))


def names_in(given: str) -> list[str]:
    """Names from a field, one on each line; said twice, meant once."""
    return list(dict.fromkeys(name for line in given.splitlines() if (name := line.strip())))


def number(given: str) -> float | str:
    """A field as a number; what is none stays as it is, to be told beside its field."""
    words = given.strip()
    if re.fullmatch(r"[0-9]{1,9}", words):
        return int(words)
    return float(words) if re.fullmatch(r"[0-9]{1,9}\.[0-9]{1,15}", words) else given


def plain(value: float) -> str:
    """A number as somebody would write it into a field, and no digit fewer than it has."""
    return f"{value:g}" if float(f"{value:g}") == value else f"{value:.15f}".rstrip("0")


def share(given: str) -> float | str:
    """A field in per cent as a part of one."""
    value = number(given)
    return value if isinstance(value, str) else value / 100


def pairs(words: str, part: str) -> dict[str, str]:
    """`domain: news, training: [none, examples]` as what it says; a list stays one value."""
    found = [one.partition(":") for one in re.split(r",(?![^\[]*\])", words) if one.strip()]
    if any(not key.strip() or not value.strip() for key, _, value in found):
        what, remedy = f'"{words}" is not understood', "write it as domain: news, length: long"
        raise ProblemsFound([Problem(part.replace("_", " "), what, remedy, part)])
    return {key.strip(): value.strip() for key, _, value in found}


def said_pairs(values: Mapping[str, Any]) -> str:
    """The other way round."""
    told = {key: f"[{', '.join(one)}]" if isinstance(one, list | tuple) else one for key, one in values.items()}
    return ", ".join(f"{key}: {value}" for key, value in told.items())
