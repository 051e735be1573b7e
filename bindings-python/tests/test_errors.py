"""Errors: what they carry, what they are, and how they reach the client."""

from __future__ import annotations

import copy
import pickle

import pytest

from mcplite import errors
from mcplite.errors import ErrorCode, McpError, MisuseError

FOR_CLIENTS = [
    (errors.ToolError("no"), "tool-failed", -32603),
    (errors.NotFoundError("no"), "resource-not-found", -32002),
    (errors.NotAuthorisedError("no"), "not-authorised", -32600),
    (errors.InvalidParamsError("no"), "invalid-params", -32602),
    (errors.UrlElicitationRequiredError([], "no"), "url-elicitation-required", -32042),
]

MISUSES = [
    errors.MisuseError,
    errors.DefinitionError,
    errors.LimitError,
    errors.BusyError,
    errors.ClosedError,
    errors.ExistsError,
    errors.UnknownItemError,
    errors.AnsweredError,
    errors.CallCancelledError,
]


def test_an_error_carries_code_message_and_data() -> None:
    error = McpError(7, "seven", {"of": 9})
    assert (error.code, error.message, error.data) == (7, "seven", {"of": 9})
    assert str(error) == "seven"
    assert repr(error) == "McpError(7, 'seven', data={'of': 9})"
    assert McpError(7, "seven").data is None


@pytest.mark.parametrize(("error", "kind", "code"), FOR_CLIENTS, ids=lambda value: str(value))
def test_errors_for_clients_have_a_kind_and_a_code(error: McpError, kind: str, code: int) -> None:
    assert error._kind == kind
    assert error.code == code
    assert error.message == "no"


def test_an_error_of_ones_own_code_has_no_kind() -> None:
    assert McpError(1, "one")._kind is None


def test_pages_to_visit_are_data() -> None:
    page = {"url": "https://example.com", "message": "Log in", "elicitationId": "a"}
    error = errors.UrlElicitationRequiredError([page])
    assert error.data == {"elicitations": [{"mode": "url", **page}]}


@pytest.mark.parametrize("kind", MISUSES)
def test_a_misuse_takes_a_message_and_is_a_value_error(kind: type[MisuseError]) -> None:
    error = kind("that was wrong")
    assert isinstance(error, ValueError)
    assert isinstance(error, McpError)
    assert (error.code, error.message, error.data) == (-32603, "that was wrong", None)


def test_an_unknown_item_is_a_lookup_error() -> None:
    assert issubclass(errors.UnknownItemError, LookupError)


@pytest.mark.parametrize("error", [McpError(7, "seven", [1]), *(row[0] for row in FOR_CLIENTS)])
def test_errors_survive_pickling_and_copying(error: McpError) -> None:
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert (other.code, other.message, other.data) == (error.code, error.message, error.data)
        assert other.args == error.args


def test_codes_are_plain_integers() -> None:
    codes = {name: code for name, code in vars(ErrorCode).items() if name.isupper()}
    assert all(type(code) is int for code in codes.values())
    assert codes == {
        "PARSE_ERROR": -32700,
        "INVALID_REQUEST": -32600,
        "METHOD_NOT_FOUND": -32601,
        "INVALID_PARAMS": -32602,
        "INTERNAL_ERROR": -32603,
        "RESOURCE_NOT_FOUND": -32002,
        "HEADER_MISMATCH": -32020,
        "MISSING_CAPABILITY": -32021,
        "UNSUPPORTED_VERSION": -32022,
        "URL_ELICITATION_REQUIRED": -32042,
    }


def test_everything_public_is_listed() -> None:
    public = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert public == set(errors.__all__)
