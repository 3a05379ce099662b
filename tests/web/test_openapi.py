"""The API keeps what its description promises: schemathesis sends what the description allows, and what it forbids.

No reply is a server's error, every status and every body is described, and wrong requests are refused. The calls run
against the application in this process, with an annotator's token for the annotators' API and an owner's for the rest.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.web.house import House, one_app

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it imports parts of other libraries that will move
    import schemathesis
    from schemathesis.checks import not_a_server_error
    from schemathesis.python import asgi
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        negative_data_rejection,
        response_headers_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

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

schema = schemathesis.openapi.from_dict(one_app().openapi()).exclude(path_regex=LEFT_OUT)
schema.config.generation.update(modes=list(schemathesis.GenerationMode))


@pytest.fixture(scope="module")
def client(shared_house: House) -> Iterator[Any]:
    shared_house.app.state.services = shared_house.services
    with asgi.get_client(cast(Any, shared_house.app)) as opened:
        yield opened


@schema.parametrize()
@settings(
    max_examples=4,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_the_description_holds(case: Any, shared_house: House, client: Any) -> None:
    annotators = case.path.startswith("/api/v1/work") or case.path == "/api/v1/join"
    token = shared_house.person if annotators else shared_house.tokens["owner"]
    if "name" in (case.path_parameters or {}) and case.meta.generation.mode.is_positive:
        case.path_parameters["name"] = "zoo"  # a name that exists; made up ones end in 404 every time
    case.operation.schema.app = shared_house.app
    case.call_and_validate(headers={"authorization": f"Bearer {token}"}, session=client, checks=CHECKS)
