"""JSON-RPC messages as dicts."""

from __future__ import annotations

from typing import Any

import pytest

from mcplite.jsonrpc import JSONRPC_VERSION, is_notification, make_error, make_result


def test_a_result_has_the_id_of_its_request() -> None:
    assert make_result("a", {"sum": 3}) == {"jsonrpc": "2.0", "id": "a", "result": {"sum": 3}}


def test_an_error_has_code_and_message() -> None:
    expected = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}
    assert make_error(1, -32601, "no") == expected


@pytest.mark.parametrize("data", [0, "", [], {"a": None}])
def test_data_of_an_error_is_sent_unless_it_is_none(data: object) -> None:
    assert make_error(None, 1, "no", data)["error"]["data"] == data
    assert "data" not in make_error(None, 1, "no", None)["error"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"jsonrpc": "2.0", "method": "a"}, True),
        ({"jsonrpc": "2.0", "method": "a", "id": 0}, False),
        ({"jsonrpc": "2.0", "method": "a", "id": None}, False),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, False),
        ({"jsonrpc": "2.0", "result": {}}, False),
    ],
)
def test_a_notification_has_a_method_and_no_id(message: dict[str, Any], expected: bool) -> None:
    assert is_notification(message) is expected


def test_the_version_is_two() -> None:
    assert JSONRPC_VERSION == "2.0"
