"""The API keeps what its description promises: schemathesis sends what the description allows, and what it forbids.

No reply is a server's error, every status and every body is described, and wrong requests are refused. The calls run
against the application in this process, with an annotator's token for the annotators' API and an owner's for the rest.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.web.house import House, one_app

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it imports parts of other libraries that will move
    import schemathesis
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.core.failures import FailureGroup
    from schemathesis.core.parameters import ParameterLocation
    from schemathesis.python import asgi
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        negative_data_rejection,
        response_headers_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

Send = Callable[[Any], None]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
# These end the credentials with which the test itself goes on; tests/web/test_sign_in.py looks at them.
LEFT_OUT = r"/me/password$|/me/sign-out$|/accounts/\{account_id\}$"
# Cases of each operation: the first finds what a change broke, many what nobody thought of. One in eight operations
# finds what a change to all of them broke, and each has tests of its own; the slow run asks them all, in eight parts
# that can be run one by one (`-k 30-5`).
PARTS = 8
cases = pytest.mark.parametrize(
    ("cases", "part"), [(1, 0), *(pytest.param(30, part, marks=pytest.mark.slow) for part in range(PARTS))]
)


@pytest.fixture(scope="module")
def operations() -> list[Any]:
    schema = schemathesis.openapi.from_dict(one_app().openapi()).exclude(path_regex=LEFT_OUT)
    refusal = schema.config.checks.negative_data_rejection
    refusal.expected_statuses = [*refusal.expected_statuses, "413"]  # too large even to be looked at
    return [cast(Any, found).ok() for found in schema.get_all_operations()]


@pytest.fixture
def call(house: House) -> Iterator[Send]:
    """Send a case and look at the reply."""
    house.app.state.services = house.services
    with asgi.get_client(cast(Any, house.app)) as client:

        def send(case: Any) -> None:
            annotators = case.path.startswith("/api/v1/work") or case.path == "/api/v1/join"
            token = house.person if annotators else house.tokens["owner"]
            case.operation.schema.app = house.app
            case.call_and_validate(headers={"authorization": f"Bearer {token}"}, session=client, checks=CHECKS)

        yield send


def hold(operations: Iterable[Any], mode: GenerationMode, cases: int, send: Send) -> None:
    """All operations in one test: what does not hold is told of each, by its name."""
    budget = settings(
        max_examples=cases,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    broken = {}
    for operation in operations:
        sending = budget(given(case=operation.as_strategy(generation_mode=mode))(lambda case: send(case)))
        try:
            sending()
        except FailureGroup as failure:
            broken[operation.label] = [str(one) for one in failure.exceptions]
    assert broken == {}


@cases
def test_what_the_description_allows_is_answered_as_described(
    operations: list[Any], call: Send, cases: int, part: int
) -> None:
    def send(case: Any) -> None:
        if "name" in (case.path_parameters or {}):
            case.path_parameters["name"] = "zoo"  # a name that exists; made up ones end in 404 every time
        call(case)

    hold(operations[part::PARTS], GenerationMode.POSITIVE, cases, send)


@cases
def test_what_the_description_forbids_is_refused(operations: list[Any], call: Send, cases: int, part: int) -> None:
    def can_be_wrong(operation: Any) -> bool:
        places = {parameter.location for parameter in operation.iter_parameters()}
        return bool(operation.body or places - {ParameterLocation.HEADER})  # a header may be any string

    refusing = list(filter(can_be_wrong, operations))
    hold(refusing[part::PARTS], GenerationMode.NEGATIVE, cases, call)
