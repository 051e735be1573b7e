"""An in-memory client for tests of your own server, in both eras of the protocol.

    from mcplite.testing import Client

    def test_adding():
        with Client(server) as client:
            assert client.call("add", a=1, b=2).data == 3

`AsyncClient` has the same methods as coroutines, for tests that run on an event loop.
"""

from __future__ import annotations

from ._client import Client, Pending
from ._outcomes import CallResult, PromptMessages, ReadResult, Subscription

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._async_client import AsyncClient as AsyncClient

__all__ = [
    "AsyncClient",
    "CallResult",
    "Client",
    "Pending",
    "PromptMessages",
    "ReadResult",
    "Subscription",
]


def __getattr__(name: str) -> object:
    if name == "AsyncClient":
        from ._async_client import AsyncClient

        return AsyncClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
