"""The messages of JSON-RPC 2.0, as dicts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

__all__ = ["JSONRPC_VERSION", "is_notification", "make_error", "make_result"]

JSONRPC_VERSION: Final = "2.0"


def make_result(id: str | int | None, result: Any) -> dict[str, Any]:
    """Makes the response to the request with this id.

    >>> make_result(7, {"sum": 3})
    {'jsonrpc': '2.0', 'id': 7, 'result': {'sum': 3}}
    """
    return {"jsonrpc": JSONRPC_VERSION, "id": id, "result": result}


def make_error(id: str | int | None, code: int, message: str, data: Any = None) -> dict[str, Any]:
    """Makes the error response to the request with this id, which is None if it could not be read.

    Without `data` there is no such member. See `ErrorCode` for the usual codes.

    >>> make_error(7, -32601, "Method not found")
    {'jsonrpc': '2.0', 'id': 7, 'error': {'code': -32601, 'message': 'Method not found'}}
    """
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": JSONRPC_VERSION, "id": id, "error": error}


def is_notification(message: Mapping[str, Any]) -> bool:
    """Tells whether a message wants no answer: it has a method and no id.

    >>> is_notification({"jsonrpc": "2.0", "method": "notifications/initialized"})
    True
    >>> is_notification({"jsonrpc": "2.0", "id": 7, "method": "ping"})
    False
    """
    return "method" in message and "id" not in message
