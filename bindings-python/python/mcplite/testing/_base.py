"""What the clients have in common."""

from __future__ import annotations

from ..errors import ClosedError
from ._answers import Answers
from ._wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .. import _native
    from ..server import Server


class BaseClient:
    """A client's options, its session, and what it has heard."""

    def __init__(
        self,
        server: Server,
        *,
        era: str = "modern",
        capabilities: Mapping[str, Any] | None = None,
        on_elicit: object = None,
        on_sample: object = None,
        on_roots: object = None,
        on_log: Callable[[str, Any, str | None], object] | None = None,
        on_progress: Callable[[float, float | None, str | None], object] | None = None,
        principal: str | None = None,
        state: object = None,
        timeout: float | None = 10.0,
        raise_on_error: bool = True,
        log_level: str | None = "debug",
        client_info: Mapping[str, Any] | None = None,
    ) -> None:
        self._server = server
        self._answers = Answers(on_elicit, on_sample, on_roots)
        self._wire = Wire(
            era,
            self._answers,
            capabilities=capabilities,
            client_info=client_info,
            log_level=log_level,
            on_log=on_log,
            on_progress=on_progress,
        )
        self._state = state
        self._principal = principal
        self._timeout = timeout
        self._raises = raise_on_error
        self._session: _native.Session | None = None
        self._is_closed = False

    @property
    def revision(self) -> str:
        """The revision of the protocol that is spoken."""
        return self._wire.revision

    @property
    def server_info(self) -> dict[str, Any]:
        """What the server says that it is: name, version and more."""
        info: dict[str, Any] = self._wire.server.get("serverInfo", {})
        return info

    @property
    def server_capabilities(self) -> dict[str, Any]:
        """What the server says that it can do."""
        capabilities: dict[str, Any] = self._wire.server.get("capabilities", {})
        return capabilities

    @property
    def instructions(self) -> str | None:
        """What the server wants models to know."""
        return self._wire.server.get("instructions")

    @property
    def notifications(self) -> list[dict[str, Any]]:
        """All notifications so far, each with `method` and `params`."""
        self._hear()
        return self._wire.notifications

    @property
    def logs(self) -> list[dict[str, Any]]:
        """All log messages so far, each with `level`, `data` and perhaps `logger`."""
        self._hear()
        return self._wire.logs

    @property
    def progress(self) -> list[dict[str, Any]]:
        """All progress told so far, each with `progress` and perhaps `total` and `message`."""
        self._hear()
        return self._wire.progress

    def _hear(self) -> None:
        """Takes what the server has said by now."""
        if self._session is not None and not self._is_closed:
            self._wire.take(self._session.drain())

    def _connect(self) -> _native.Session:
        if self._is_closed:
            raise ClosedError("the client is closed; make a new one")
        if self._session is None:
            self._session = self._server.session(state=self._state, principal=self._principal)
        return self._session

    def _late(self, what: str) -> TimeoutError:
        return TimeoutError(f"{what} was not answered within {self._timeout:g} seconds")

    def _disconnect(self) -> None:
        self._is_closed = True
        if self._session is not None:
            self._session.set_wake(None)
            self._session.close()
